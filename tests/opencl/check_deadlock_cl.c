/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks of actors on devices, on the fake driver and on a real one, whichever thread launches: found when the
 * counters say so, never while a device is at work.
 */
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"
#include "tests/random/node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "kernel void copy(global const uint *in, global uint *out, ulong firing)\n"
			   "{ out[get_global_id(0)] = in[get_global_id(0)]; }\n";
static const struct pstk_kernel kernel = { .source = text, .name = "copy" };

static void run_copy(const struct fake_cl_launch *l)
{
	memcpy(l->arg[1], l->arg[0], 4);
}

static const struct fake_cl *fake_;

static const struct {
	const char *settings, *memory, *launch; /* settings NULL: what the machine has */
} ways[] = { { "svm=none,unified=0", NULL, "" }, { "svm=none,unified=0", NULL, "own" },
	{ "svm=none,unified=1", "map", "" }, { "svm=fine,unified=1", NULL, "own" }, { NULL, NULL, "" },
	{ NULL, NULL, "own" }, { NULL, "copy", "" } };

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

/* The device to map to; NULL: there is none. */
static const char *open_way(int way)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel copy = {
		.name = "copy", .args = args, .arg_count = 3, .run = run_copy
	};
	static struct pstk_device_info info;

	setenv("PENSTOCK_LAUNCH", ways[way].launch, 1);
	if (ways[way].memory)
		setenv("PENSTOCK_MEMORY", ways[way].memory, 1);
	if (ways[way].settings) {
		fake_ = fake_cl_start(FAKE_CL_DRIVER, ways[way].settings, NULL);
		ck_assert_ptr_nonnull(fake_);
		fake_->reset();
		ck_assert_int_eq(fake_->add_kernel(&copy), 0);
		ck_assert_int_eq(fake_->configure(ways[way].settings), 0);
		return "fake";
	}
	setenv("POCL_DEVICES", "pthread", 1);
	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device: skipped\n");
		return NULL;
	}
	return info.selector;
}

static struct node on_device(const char *name, const char *device)
{
	return (struct node){
		.name = name, .ports = "<in >out", .kernel = &kernel, .on_device = device, .init = one_init
	};
}

/* The most windows of a FIFO of depth 2: so many at each place that they cross. */
static unsigned most_of(const struct pstk_fifo *f)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	return 2 * (strcmp(info.memory, "staged") ? 1 : 2);
}

/* A ring of `host` actors on the cores and `count` in all. dead: without an initial token. */
static void ring(const char *device, unsigned count, unsigned host, bool dead)
{
	char names[8][16];
	struct node nodes[8] = { 0 };
	struct pstk_network *net = pstk_network_create("ring");
	struct pstk_fifo *last = NULL;
	char says[80];
	int err;

	pstk_network_set_flags(net, PSTK_UNCHECKED);
	for (unsigned i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "n%u", i);
		nodes[i] = on_device(names[i], device);
		if (i < host)
			nodes[i] = (struct node){ .name = names[i], .ports = "<in >out", .ends = 300 };
		node_add(net, &nodes[i]);
	}
	for (unsigned i = 0; i < count; i++)
		last = node_connect(&nodes[i], "out", &nodes[(i + 1) % count], "in", 1, !dead && i == 0, 0);
	test_log_start();
	err = pstk_network_run(net);
	test_log_stop();
	ck_assert_msg(err == (dead ? -EDEADLK : 0), "%d: %s", err, pstk_network_error(net));
	snprintf(
		says, sizeof says, "n0 (firing 0) waits for tokens on in [rate 1, 0/%u] <- n", most_of(last));
	if (dead)
		TEST_SAYS(pstk_network_error(net), says);
	pstk_network_destroy(net);
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(nodes[i].finished, 1);
}

START_TEST(test_rings)
{
	const char *device = open_way(_i);

	for (unsigned count = 1; device && count <= 5; count += count > 1 ? 3 : 1)
		for (unsigned host = 0; host <= (count < 2 ? count : 2); host++) {
			test_guard("a ring on a device", count * 10 + host);
			ring(device, count, host, true);
			if (host)
				ring(device, count, host, false);
		}
}
END_TEST

/* A sink that wants five windows by another way first: source, then the device, wait for room. */
START_TEST(test_room)
{
	for (uint64_t round = 0; round < test_rounds(20); round++) {
		const char *device = open_way(_i);
		struct node nodes[] = { { .name = "source", .ports = ">out" }, on_device("copy", device),
			{ .name = "slow", .ports = "<in >out", .kahn = "iiiiiiiiiio" },
			{ .name = "sink", .ports = "<out <slow" } };
		struct pstk_fifo *to_copy, *from_copy;
		char source_says[80], copy_says[80];
		struct pstk_network *net;

		if (!device)
			return;
		test_guard("room on a device", round);
		net = pstk_network_create("room");
		pstk_network_set_flags(net, PSTK_UNCHECKED);
		for (unsigned i = 0; i < 4; i++)
			node_add(net, &nodes[i]);
		to_copy = node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
		node_connect(&nodes[0], "out", &nodes[2], "in", 1, 0, 0);
		from_copy = node_connect(&nodes[1], "out", &nodes[3], "out", 1, 0, 0);
		node_connect(&nodes[2], "out", &nodes[3], "slow", 1, 0, 0);
		test_log_start();
		ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
		test_log_stop();
		snprintf(source_says, sizeof source_says,
			"source (firing %u) waits for room on out [rate 1, %u/%u] <- copy",
			most_of(to_copy) + most_of(from_copy), most_of(to_copy), most_of(to_copy));
		snprintf(copy_says, sizeof copy_says,
			"copy (firing %u) waits for room on out [rate 1, %u/%u] <- sink", most_of(from_copy),
			most_of(from_copy), most_of(from_copy));
		TEST_SAYS(pstk_network_error(net), source_says, copy_says,
			"sink (firing 0) waits for tokens on slow [rate 1, 0/2] <- slow",
			"slow (firing 0) waits for tokens on in [rate 1, 0/2] <- source");
		pstk_network_destroy(net);
	}
}
END_TEST

/* Commands that the driver holds are no deadlock, however long. */
START_TEST(test_busy_device)
{
	const char *device = open_way(_i);
	struct node nodes[] = { { .name = "host", .ports = "<in >out", .ends = 300 },
		on_device("copy", device) };
	struct pstk_network *net = pstk_network_create("busy");

	test_guard("a busy device", (uint64_t)_i);
	node_add(net, &nodes[0]);
	node_add(net, &nodes[1]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 1, 0);
	node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	fake_->hold(true);
	for (unsigned i = 0; i < 50 && pstk_network_wait_for(net, 1000000); i++)
		fake_->step(1);
	fake_->hold(false);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
	ck_assert_uint_eq(nodes[0].firings, 300);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deadlock_cl");
	TCase *tcase = test_case(suite, "devices");

	tcase_add_loop_test(tcase, test_rings, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, test_room, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, test_busy_device, 0, 4);
	return test_main(suite);
}
