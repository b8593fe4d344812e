/* SPDX-License-Identifier: MIT */
/* What the baseline refuses to build, with what it says; and what fails under way: memory, threads. */
#include "benchmarks/dal/baseline.h"
#include "dal/check_dal.h"
#include "tests/common/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _local_states {
	uint64_t firings;
};

static uint64_t consumed;

static int produce(DALProcess *p)
{
	uint64_t x = 1;

	if (++p->local->firings > 20)
		DAL_send_event("done", p);
	else
		DAL_write("out", &x, sizeof x, p);
	return 0;
}

static int pass(DALProcess *p)
{
	const uint64_t *in = DAL_read_begin("in", 8, 2, p);
	uint64_t *out = DAL_write_begin("out", 8, 2, 2, 0, p);

	out[0] = in[0];
	out[1] = in[1];
	DAL_write_end("out", out, p);
	DAL_read_end("in", in, p);
	return 0;
}

static int consume(DALProcess *p)
{
	uint64_t x;

	consumed += (uint64_t)DAL_read("in", &x, sizeof x, p);
	return 0;
}

static const struct pstk_dal_port two[] = { { "in", 2, 8, 0 }, { "out", 2, 8, 1 } };
static const struct pstk_kernel kernel = {
	.source = "kernel void pass(global const ulong *in, global ulong *out, ulong firing)\n"
		  "{ out[get_global_id(0)] = in[get_global_id(0)]; }\n",
	.name = "pass",
};
static const struct pstk_kernel wrong_kernels[] = {
	{ .source = "kernel void pass(global int *in) { undeclared = 1; }\n", .name = "pass" },
	{ .source = "kernel void other(global int *in) { }\n", .name = "pass" },
	{ .source = "kernel void pass(global int *in) { }\n", .name = "pass" },
	{ .source = "file:no-such-file.cl", .name = "pass" },
};

enum { PRODUCER, PASS, CONSUMER, PROCESSES };
static struct pstk_dal_process list[PROCESSES] = {
	PSTK_DAL_PROCESS("producer", NULL, produce, NULL, sizeof(struct _local_states)),
	{ .name = "pass", .fire = pass, .ports = two, .port_count = 2, .kernel = &kernel },
	PSTK_DAL_PROCESS("consumer", NULL, consume, NULL, 0),
};

#define NETWORK(a, b)                                                                                      \
	"<processnetwork name='n'><process name='producer'>" DAL_OUT(                                      \
		"out") "</process>"                                                                        \
		       "<process name='pass'>" DAL_IN("in") DAL_OUT(                                       \
			       "out") "</process>"                                                         \
				      "<process name='consumer'>" DAL_IN("in") "</process>\n" DAL_CHANNEL( \
					      "a", a, "producer", "out", "pass", "in") DAL_CHANNEL("b", b, \
					      "pass", "out", "consumer", "in") "</processnetwork>"
#define USUAL NETWORK("size='4' tokensize='8'", "size='4' tokensize='8'")
#define MAPPING(core)                                                                                        \
	"<mapping name='m'>\n<binding><process name='pass'/><processor name='" core "</processor></binding>" \
	"</mapping>"
#define GPU(number, items) \
	MAPPING("gpu_" number "'><target><opencl workgroups='2' workitems='" items "'/></target>")

/* -- what it refuses -- */

static const struct pstk_dal_port no_rate[] = { { "in", 0, 8, 0 }, { "out", 2, 8, 1 } };
static const struct pstk_dal_port no_blocks[] = { { "in", 2, 8, 0 }, { "out", 2, 8, 3 } };
static const struct pstk_dal_port other_port[] = { { "in", 2, 8, 0 }, { "exit", 2, 8, 1 } };
static const struct pstk_dal_port other_size[] = { { "in", 2, 4, 0 }, { "out", 2, 8, 1 } };

static void without_process(void)
{
	list[PASS].name = NULL;
}

static void without_fire(void)
{
	list[CONSUMER].fire = NULL;
}

static void kernel_alone(void)
{
	list[PASS].fire = NULL;
}

static void without_rates(void)
{
	list[CONSUMER].stateless = true;
}

static void without_rate(void)
{
	list[PASS].ports = no_rate;
}

static void without_blocks(void)
{
	list[PASS].ports = no_blocks;
}

static void with_other_port(void)
{
	list[PASS].ports = other_port;
}

static void with_one_port(void)
{
	list[PASS].port_count = 1;
}

static void with_other_size(void)
{
	list[PASS].ports = other_size;
}

static void without_kernel(void)
{
	list[PASS].kernel = NULL;
}

static void with_other_rate(void)
{
	static const struct pstk_dal_port three[] = { { "in", 3, 8, 0 } };

	list[CONSUMER].ports = three;
	list[CONSUMER].port_count = 1;
}

static const struct {
	void (*change)(void);
	const char *network, *mapping; /* texts; NULL: a usual one, none */
	bool device;                   /* needs one */
	const char *says[2];
} wrong[] = {
	{ without_process, NULL, NULL, false, { "net.xml:1", "the program has no process 'pass'" } },
	{ without_fire, NULL, NULL, false, { "net.xml:1", "process 'consumer' has no fire()" } },
	{ kernel_alone, NULL, NULL, false, { "net.xml:1", "'pass' has only a kernel: map it to gpu_N" } },
	{ without_rates, NULL, NULL, false, { "'consumer' is stateless", "must say its ports' rates" } },
	{ without_rate, NULL, NULL, false, { "port 'in' of 'pass'", "rate 0" } },
	{ without_blocks, NULL, NULL, false, { "port 'out' of 'pass'", "2 tokens is not 3 equal blocks" } },
	{ with_other_port, NULL, NULL, false, { "'pass' has no port 'exit'", "net.xml:1" } },
	{ with_one_port, NULL, NULL, false, { "port 'out' of 'pass'", "but not of this" } },
	{ with_other_size, NULL, NULL, false,
		{ "channel 'a' has tokens of 8 bytes", "'in' of 'pass' of 4" } },
	{ with_other_rate, NULL, NULL, false, { "'pass' writes windows of 2", "'consumer' reads 3" } },
	{ NULL, NETWORK("size='2147483647' tokensize='2147483647'", "size='1'"), NULL, false,
		{ "channel 'a'", "tokens of 2147483647 bytes" } },
	{ NULL, "<processnetwork>", NULL, false, { "net.xml:", "" } },
	{ NULL, NULL, MAPPING("core_9999'>"), false,
		{ "map.xml:2", "core_9999, which this program may not use" } },
	{ without_kernel, NULL, GPU("0", "1"), false, { "map.xml:2", "has no kernel in the program" } },
	{ NULL, NULL, GPU("77", "1"), false, { "map.xml:2: gpu_77", "map to core_N" } },
	{ NULL, NULL, GPU("0", "1000000"), true, { "'pass' on gpu_0", "1000000 work-items a work-group" } },
};

static struct baseline *create(const char *network, const char *mapping, char *text, size_t size)
{
	struct baseline_options o = baseline_paper();
	const char *net = test_file("net.xml", network ? network : USUAL);
	const char *map = mapping ? test_file("map.xml", mapping) : NULL;

	return baseline_create(net, map, list, PROCESSES, &o, text, size);
}

static bool has_device(void)
{
	if (pstk_devices(NULL, 0) > 0)
		return true;
	printf("no OpenCL device: skipped\n");
	return false;
}

START_TEST(test_wrong)
{
	char text[400] = "";

	if (wrong[_i].device && !has_device())
		return;
	if (wrong[_i].change)
		wrong[_i].change();
	ck_assert_ptr_null(create(wrong[_i].network, wrong[_i].mapping, text, sizeof text));
	TEST_SAYS(text, wrong[_i].says[0], wrong[_i].says[1]);
	test_files_remove();
}
END_TEST

START_TEST(test_wrong_kernels)
{
	static const char *const says[] = { "cannot be compiled", "there is no kernel 'pass' in its source",
		"has 1 arguments, it gets 3", "no-such-file.cl: No such file" };
	char text[400] = "";

	if (!has_device())
		return;
	list[PASS].kernel = &wrong_kernels[_i];
	ck_assert_ptr_null(create(NULL, GPU("0", "1"), text, sizeof text));
	TEST_SAYS(text, "'pass'", says[_i]);
	if (_i == 0) /* the compiler's own words */
		TEST_SAYS(text, "undeclared");
	test_files_remove();
}
END_TEST

START_TEST(test_arguments)
{
	struct baseline_options o = baseline_paper();
	char text[200] = "";

	ck_assert_ptr_null(baseline_create(NULL, NULL, list, PROCESSES, &o, text, sizeof text));
	TEST_SAYS(text, "needs a file");
	o.capacity = 0;
	ck_assert_ptr_null(baseline_create("x", NULL, list, PROCESSES, &o, text, sizeof text));
	TEST_SAYS(text, "a capacity of at least 1");
	o.capacity = 1;
	ck_assert_ptr_null(baseline_create("no-such.xml", NULL, list, PROCESSES, &o, text, sizeof text));
	TEST_SAYS(text, "no-such.xml");
	baseline_destroy(NULL);
}
END_TEST

/* -- a kernel from a file; the paper's settings and the best -- */

START_TEST(test_kernel_file)
{
	struct baseline_options o = _i ? baseline_best() : baseline_paper();
	static char source[200];
	struct pstk_kernel from_file = { .source = source, .name = "pass" };
	char text[400] = "";
	struct baseline *b;
	const char *net = test_file("net.xml", USUAL);
	FILE *f;

	if (has_device()) {
		snprintf(source, sizeof source, "file:%.*s/pass.cl", (int)(strrchr(net, '/') - net), net);
		f = fopen(source + 5, "w");
		ck_assert_ptr_nonnull(f);
		fputs(kernel.source, f);
		ck_assert_int_eq(fclose(f), 0);
		list[PASS].kernel = &from_file;
		list[PASS].fire = NULL;
		b = baseline_create(
			net, test_file("map.xml", GPU("0", "1")), list, PROCESSES, &o, text, sizeof text);
		remove(source + 5);
		ck_assert_msg(b != NULL, "%s", text);
		ck_assert_msg(baseline_run(b) == 0, "%s", baseline_error(b));
		baseline_destroy(b);
		ck_assert_uint_eq(consumed, 20 * 8);
	}
	test_files_remove();
}
END_TEST

/* -- memory: 4 tokens of 8 bytes a channel; on a device a window of 2 more for each end -- */

START_TEST(test_memory)
{
	struct baseline_options o = baseline_paper();
	char text[400] = "";
	struct baseline *b = create(NULL, NULL, text, sizeof text);

	ck_assert_msg(b != NULL, "%s", text);
	ck_assert_uint_eq(baseline_memory(b), 2 * 4 * 8);
	baseline_destroy(b);
	o.capacity = 3;
	b = baseline_create(test_file("net.xml", USUAL), NULL, list, PROCESSES, &o, text, sizeof text);
	ck_assert_uint_eq(baseline_memory(b), 3 * 2 * 4 * 8);
	baseline_destroy(b);
	if (has_device()) {
		b = create(NULL, GPU("0", "1"), text, sizeof text);
		ck_assert_msg(b != NULL, "%s", text);
		ck_assert_uint_eq(baseline_memory(b), 2 * 4 * 8 + 2 * 2 * 8);
		baseline_destroy(b);
	}
	test_files_remove();
}
END_TEST

/* -- what fails -- */

void *__real_aligned_alloc(size_t alignment, size_t size);
PSTK_PUBLIC void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	if (atomic_load(&dal_fail_allocation) && atomic_fetch_sub(&dal_fail_allocation, 1) == 1) {
		atomic_store(&dal_allocation_failed, true);
		return NULL;
	}
	return __real_aligned_alloc(alignment, size);
}

static _Atomic int threads_left = -1;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
PSTK_PUBLIC int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	if (atomic_load(&threads_left) == 0)
		return EAGAIN;
	atomic_fetch_sub(&threads_left, 1);
	return __real_pthread_create(thread, attr, run, arg);
}

/* Each allocation in turn: it is said, and nothing leaks (AddressSanitizer looks). */
START_TEST(test_no_memory)
{
	unsigned n = 1;
	bool failed = true;

	if (_i && !has_device())
		return;
	for (; failed; n++) {
		const char *net = test_file("net.xml", USUAL);
		const char *map = _i ? test_file("map.xml", GPU("0", "1")) : NULL;
		struct baseline_options o = baseline_paper();
		char text[400] = "";
		struct baseline *b;

		atomic_store(&dal_allocation_failed, false);
		atomic_store(&dal_fail_allocation, n);
		b = baseline_create(net, map, list, PROCESSES, &o, text, sizeof text);
		atomic_store(&dal_fail_allocation, 0);
		failed = atomic_load(&dal_allocation_failed);
		ck_assert_int_eq(b == NULL, failed);
		if (failed)
			ck_assert_str_ne(text, "");
		baseline_destroy(b);
	}
	ck_assert_uint_gt(n, 15);
	test_files_remove();
}
END_TEST

START_TEST(test_no_threads)
{
	static const char *const names[] = { "'producer'", "'pass'", "'consumer'" };
	char text[400] = "";
	struct baseline *b = create(NULL, NULL, text, sizeof text);

	ck_assert_msg(b != NULL, "%s", text);
	atomic_store(&threads_left, _i);
	ck_assert_int_eq(baseline_run(b), -EAGAIN);
	atomic_store(&threads_left, -1);
	TEST_SAYS(baseline_error(b), names[_i], "its thread cannot be started", "ulimit -u");
	ck_assert_uint_eq(consumed, 0);
	baseline_destroy(b);
	test_files_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("baseline build");
	TCase *refused = test_case(suite, "refused"), *data = test_case(suite, "data");
	TCase *fails = test_case(suite, "fails");

	tcase_add_loop_test(refused, test_wrong, 0, TEST_COUNT(wrong));
	tcase_add_loop_test(refused, test_wrong_kernels, 0, TEST_COUNT(wrong_kernels));
	tcase_add_test(refused, test_arguments);
	tcase_add_loop_test(data, test_kernel_file, 0, 2);
	tcase_add_test(data, test_memory);
	tcase_add_loop_test(fails, test_no_memory, 0, 2);
	tcase_add_loop_test(fails, test_no_threads, 0, PROCESSES);
	return test_main(suite);
}
