/* SPDX-License-Identifier: MIT */
/* What pstk_dal_build() refuses, each with its line, and memory that it does not get. */
#include "dal/check_dal.h"
#include "tests/common/file.h"
#include "penstock/dal_network.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static int fire(DALProcess *p)
{
	return DAL_send_event("stop", p);
}

static const struct pstk_kernel kernel = {
	.source = "kernel void k(global int *o, ulong firing) { o[0] = 1; }", .name = "k"
};
static const struct pstk_dal_port out4[] = { { "out", 4, 8, 0 } }, in4[] = { { "in", 4, 8, 0 } };
static const struct pstk_dal_port in8[] = { { "in", 8, 8, 0 } }, in4x4[] = { { "in", 4, 4, 0 } };
static const struct pstk_dal_port rate0[] = { { "out", 0, 8, 0 } }, size0[] = { { "out", 4, 0, 0 } };
static const struct pstk_dal_port thirds[] = { { "out", 4, 8, 3 } }, other[] = { { "other", 4, 8, 0 } };
static const struct pstk_dal_port none[] = { { NULL, 4, 8, 0 } };

/* Two processes that are streams, or whatever a case changes. */
enum { P, C };
static struct pstk_dal_process processes[2];

#define NET(channel)                                                                                   \
	"<processnetwork name='n'>\n<process name='p'>\n" DAL_OUT(                                     \
		"out") "</process>\n<process name='c'>\n" DAL_IN("in") "</process>\n" DAL_CHANNEL("k", \
		channel, "p", "out", "c", "in") "</processnetwork>"
static const char plain[] = NET("size='64'"), sized[] = NET("size='8' tokensize='8'");

static void refuse(const char *network, const char *mapping, int err, unsigned line, const char *says)
{
	struct pstk_network *net = pstk_network_create("build");
	const char *file = test_file("net.xml", network),
		   *map = mapping ? test_file("map.xml", mapping) : NULL;
	char place[200];

	ck_assert_int_eq(pstk_dal_build(net, file, map, processes, 2), err);
	snprintf(place, sizeof place, "%s:%u: ", map ? map : file, line);
	TEST_SAYS(pstk_network_error(net), place, says);
	test_log_start();
	ck_assert_int_eq(pstk_network_start(net), err);
	test_log_stop();
	pstk_network_destroy(net);
	test_files_remove();
}

static void reset(void)
{
	processes[P] = (struct pstk_dal_process)PSTK_DAL_PROCESS("p", NULL, fire, NULL, 0);
	processes[C] = (struct pstk_dal_process)PSTK_DAL_PROCESS("c", NULL, fire, NULL, 0);
}

static void windows(unsigned which, const struct pstk_dal_port *ports)
{
	processes[which].ports = ports;
	processes[which].port_count = 1;
}

START_TEST(test_processes)
{
	reset();
	processes[C].name = "d";
	refuse(plain, NULL, -EINVAL, 4, "the program has no process 'c': it lists those it has");
	processes[C].name = NULL;
	refuse(plain, NULL, -EINVAL, 4, "the program has no process 'c': it lists those it has");
	reset();
	processes[P].fire = NULL;
	refuse(plain, NULL, -EINVAL, 2, "process 'p' has no fire() in the program");
	reset();
	processes[P].stateless = true;
	refuse(plain, NULL, -EINVAL, 2, "stateless or has a kernel: the program must say its ports' rates");
	reset();
	processes[P].kernel = &kernel;
	refuse(plain, NULL, -EINVAL, 2, "stateless or has a kernel: the program must say its ports' rates");
}
END_TEST

START_TEST(test_ports)
{
	reset();
	windows(P, other);
	refuse(plain, NULL, -EINVAL, 2,
		"process 'p' has no port 'other', of which the program says the rate");
	windows(P, none);
	refuse(plain, NULL, -EINVAL, 2, "process 'p' has no port '(NULL)'");
	windows(P, rate0);
	refuse(plain, NULL, -EINVAL, 3, "port 'out' of 'p': the program says rate 0");
	windows(P, size0);
	refuse(plain, NULL, -EINVAL, 3, "tokens of 0 bytes: both are at least 1");
	windows(P, thirds);
	refuse(plain, NULL, -EINVAL, 3, "port 'out' of 'p': a window of 4 tokens is not 3 equal blocks");
	windows(P, out4);
	processes[P].port_count = 0;
	refuse(plain, NULL, -EINVAL, 3, "rates of the process's other ports, but not of this");
}
END_TEST

START_TEST(test_channels)
{
	reset();
	windows(P, out4);
	windows(C, in8);
	refuse(plain, NULL, -EINVAL, 6,
		"'p' writes windows of 4 tokens, 'c' reads 8: both ends move the same");
	windows(C, in4x4);
	refuse(plain, NULL, -EINVAL, 6, "channel 'k' has tokens of 8 bytes, port 'in' of 'c' of 4");
	refuse(sized, NULL, -EINVAL, 6, "channel 'k' has tokens of 8 bytes, port 'in' of 'c' of 4");
	reset();
	windows(C, in4x4);
	refuse(sized, NULL, -EINVAL, 6, "channel 'k' has tokens of 8 bytes, port 'in' of 'c' of 4");
	reset();
	refuse(NET("size='2147483647' tokensize='2147483647'"), NULL, -EOVERFLOW, 6,
		"more bytes than memory can have");
}
END_TEST

#define MAP(process, processor)                                                                 \
	"<mapping name='m'>\n<binding><process name='" process "'/><processor name='" processor \
	"'/></binding></mapping>"
#define MAP_DEVICE(process, processor)                                                          \
	"<mapping name='m'>\n<binding><process name='" process "'/><processor name='" processor \
	"'/><target><opencl workgroups='1' workitems='1'/></target></binding></mapping>"

START_TEST(test_mappings)
{
	reset();
	refuse(plain, MAP("p", "core_999999"), -EINVAL, 2,
		"'p' is mapped to core_999999, which this process may not use");
	refuse(plain, MAP_DEVICE("p", "gpu_0"), -EINVAL, 2,
		"'p' is mapped to gpu_0, but has no kernel in the program: map it to core_N");
	windows(P, out4);
	windows(C, in4);
	processes[P].kernel = &kernel;
	refuse(plain, MAP_DEVICE("p", "gpu_999999"), -ENODEV, 2,
		"'p' is mapped to gpu_999999, but the system has");
	refuse(plain, MAP("c", "core_999999"), -EINVAL, 2, "which this process may not use");
}
END_TEST

/* A process that is only a kernel, without a mapping. */
START_TEST(test_kernel_on_core)
{
	reset();
	windows(P, out4);
	windows(C, in4);
	processes[P].fire = NULL;
	processes[P].kernel = &kernel;
	refuse(plain, NULL, -EINVAL, 2, "process 'p' has only a kernel: map it to gpu_N");
}
END_TEST

START_TEST(test_many_ports)
{
	struct pstk_network *net = pstk_network_create("many");

	reset();
	for (unsigned ports = 256; ports <= 257; ports++) {
		char text[1500];

		snprintf(text, sizeof text,
			"<processnetwork name='n'>\n<process name='p'><iterator variable='i' range='%u'>"
			"<port type='output' name='out'><append function='i'/></port></iterator></process>"
			"<iterator variable='i' range='%u'><process name='c'><append function='i'/>" DAL_IN(
				"in") "</process><sw_channel name='k' size='1'><append "
				      "function='i'/></sw_channel>"
				      "<connection><origin name='p'><port name='out'><append "
				      "function='i'/></port></origin>"
				      "<target name='k'><append function='i'/><port "
				      "name='0'/></target></connection>"
				      "<connection><origin name='k'><append function='i'/><port "
				      "name='1'/></origin>"
				      "<target name='c'><append function='i'/><port "
				      "name='in'/></target></connection>"
				      "</iterator></processnetwork>",
			ports, ports);
		if (ports > 256)
			refuse(text, NULL, -EINVAL, 2, "process 'p' has 257 ports: at most 256");
		else
			ck_assert_int_eq(
				pstk_dal_build(net, test_file("net.xml", text), NULL, processes, 2), 0);
	}
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_calls)
{
	struct pstk_network *net = pstk_network_create("calls");

	reset();
	ck_assert_int_eq(pstk_dal_build(NULL, "n.xml", NULL, processes, 2), -EINVAL);
	ck_assert_int_eq(pstk_dal_set_event(NULL, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_dal_set_event(net, NULL, NULL), -ENOENT);
	TEST_SAYS(pstk_network_error(net), "call pstk_dal_build() before pstk_dal_set_event()");
	pstk_network_destroy(net);
	for (unsigned i = 0; i < 2; i++) {
		net = pstk_network_create("calls");
		ck_assert_int_eq(
			pstk_dal_build(net, i ? "n.xml" : NULL, NULL, i ? NULL : processes, 2), -EINVAL);
		TEST_SAYS(pstk_network_error(net), "pstk_dal_build() needs a network, a file and processes");
		pstk_network_destroy(net);
	}
	net = pstk_network_create("calls");
	ck_assert_int_eq(pstk_dal_build(net, "no/such.xml", NULL, processes, 2), -ENOENT);
	TEST_SAYS(pstk_network_error(net), "no/such.xml: it cannot be opened");
	pstk_network_destroy(net);
}
END_TEST

/* Two applications in one network, with other names; the same names are refused. */
START_TEST(test_twice)
{
	struct pstk_network *net = pstk_network_create("twice");
	const char *file;

	reset();
	file = test_file(
		"net.xml", "<processnetwork name='n'><process name='a' basename='p'/></processnetwork>");
	ck_assert_int_eq(pstk_dal_build(net, file, NULL, processes, 2), 0);
	file = test_file("net.xml", plain);
	ck_assert_int_eq(pstk_dal_build(net, file, NULL, processes, 2), 0);
	ck_assert_int_eq(pstk_dal_set_event(net, NULL, NULL), 0);
	ck_assert_uint_eq(pstk_network_actor_count(net), 3);
	ck_assert_int_eq(pstk_dal_build(net, file, NULL, processes, 2), -EEXIST);
	TEST_SAYS(pstk_network_error(net), "net.xml:2: the network has an actor 'p' already");
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

/* Each allocation fails once, also of the network's own: it is said, and nothing is lost. */
START_TEST(test_memory)
{
	const char *file = test_file("net.xml", plain), *map = test_file("map.xml", "<mapping name='m'/>");
	unsigned failed = 0;

	reset();
	dal_watch_allocations();
	for (unsigned n = 1;; n++) {
		struct pstk_network *net = pstk_network_create("memory");
		int err;

		test_guard("building", n);
		atomic_store(&dal_allocation_failed, false);
		atomic_store(&dal_fail_allocation, n);
		err = pstk_dal_build(net, file, map, processes, 2);
		atomic_store(&dal_fail_allocation, 0);
		if (err) {
			failed++;
			ck_assert_msg(
				err == -ENOMEM, "allocation %u: %d, %s", n, err, pstk_network_error(net));
			TEST_SAYS(pstk_network_error(net), "emory");
		}
		pstk_network_destroy(net);
		if (!err && !atomic_load(&dal_allocation_failed))
			break;
	}
	ck_assert_uint_ge(failed, 50);
	test_files_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("build");
	TCase *tests = test_case(suite, "tests");

	tcase_add_test(tests, test_processes);
	tcase_add_test(tests, test_ports);
	tcase_add_test(tests, test_channels);
	tcase_add_test(tests, test_mappings);
	tcase_add_test(tests, test_kernel_on_core);
	tcase_add_test(tests, test_many_ports);
	tcase_add_test(tests, test_calls);
	tcase_add_test(tests, test_twice);
	tcase_add_test(tests, test_memory);
	return test_main(suite);
}
