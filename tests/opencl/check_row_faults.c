/* SPDX-License-Identifier: MIT */
/*
 * Rows on the fake driver: each call of OpenCL and each command fails once, the device is lost, the network is aborted
 * while a run is in flight, commands never end. A run says why it fails and at which stage, nothing hangs, and nothing
 * is left.
 */
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/model/error.h"
#include "lib/opencl/device.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"
#include "tests/opencl/row_line.h"
#include "tests/opencl/row_net.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The driver and PENSTOCK_MEMORY. */
static const struct way {
	const char *settings, *memory;
	bool shares; /* windows are used in place */
} ways[] = { { "svm=none,unified=0", NULL, false }, { "svm=none,unified=0,pocl=1", NULL, false },
	{ "svm=none,unified=0,cascade=1", NULL, false }, { "svm=none,unified=0,lazy=1", NULL, false },
	{ "svm=none,unified=1", "copy", false }, { "svm=none,unified=1", NULL, true },
	{ "svm=fine,unified=1,lazy=1", NULL, true }, { "svm=none,unified=0", "map", true },
	{ "svm=none,unified=1,pocl=1", "map", true } };
enum { WAYS = TEST_COUNT(ways), SHARES = 5 /* from here on memory is shared */ };

static const struct fake_cl *driver(const struct way *way)
{
	return row_net_driver(way->settings, way->memory);
}

/* Four stages, one of host code in the middle; the second one has a side output that leaves and that the last reads. */
static void make(struct row_net *n)
{
	row_net_chain(n, 4, 12, 0);
	n->stages[2].form = ROW_HOST_CODE;
	n->wires[n->stages[1].out[0]].leaves = true;
	n->stages[3].inputs = 2;
	n->stages[3].in[1] = n->stages[1].out[0];
}

/* -- without faults -- */

/* Waits in the driver, and no two commands in the same bytes; other threads run the halves of one device. */
START_TEST(drawn)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	static struct row_net n;
	char settings[96], text[PS_TEXT_SIZE];
	struct ps_row_times times;
	unsigned failed;

	for (uint64_t i = 0; i < test_rounds(40); i++) {
		uint64_t seed = test_seed() + i;
		struct test_rng rng = { test_mix(seed + 1) };

		test_guard(ways[_i].settings, seed);
		row_net_reset(fake);
		snprintf(settings, sizeof settings, "%s,races=1,delay=%" PRIu64, ways[_i].settings,
			seed % 3 ? seed : 0);
		ck_assert_int_eq(fake->configure(settings), 0);
		row_net_draw(&n, seed);
		row_net_build(&n, "fake");
		ck_assert_msg(!pstk_network_start(n.net), "%s", pstk_network_error(n.net));
		for (unsigned k = 0; k < 12; k++) {
			times.stages_only = test_chance(&rng, 50);
			ck_assert_int_eq(row_net_carry(&n, test_between(&rng, 0, (1u << n.stage_count) - 1),
						 test_chance(&rng, 60) ? 1024 : test_between(&rng, 0, 1024),
						 test_chance(&rng, 25) ? &times : NULL, text, &failed),
				0);
		}
		ck_assert_int_eq(row_net_end(&n), 0);
		row_net_free(&n);
		fault_check_left(fake, false, settings);
	}
}
END_TEST

/* Items that the library carries, where memory is shared. */
START_TEST(carried)
{
	const struct fake_cl *fake = driver(&ways[_i]);

	row_line_kernel(fake);
	row_line_sizes("fake");
	row_line_kinds("fake");
	row_line_copies("fake");
	fault_check_left(fake, false, ways[_i].settings);
}
END_TEST

/* -- faults -- */

struct life {
	int err;         /* of start(), or of a run */
	bool lost;       /* commands never ended */
	bool started;    /* it is a run's */
	unsigned failed; /* .. whose stage */
	char text[PS_ERROR_LONGEST];
};

/* Three items, each stage on the device in two of them; a training; then the end. */
static struct life live(bool profile)
{
	static const uint32_t masks[] = { 15, 5, 15 };
	static struct row_net n;
	struct life life = { 0 };
	struct ps_row_times times = { 0 };
	char text[PS_TEXT_SIZE] = "";

	ps_device_grace_ns = 20000000;
	test_log_start();
	make(&n);
	row_net_build(&n, "fake");
	if (profile)
		pstk_network_set_flags(n.net, PSTK_PROFILE);
	life.err = pstk_network_start(n.net);
	life.started = !life.err;
	snprintf(life.text, sizeof life.text, "%s", pstk_network_error(n.net));
	for (unsigned i = 0; i < 3 && !life.err; i++) {
		life.err = row_net_carry(
			&n, masks[i], i == 1 ? 600 : 1024, i == 2 ? &times : NULL, text, &life.failed);
		if (life.err)
			snprintf(life.text, sizeof life.text, "%s", text);
	}
	if (life.started && life.err) /* as lib/pipeline does with an item that fails */
		ps_network_fail(n.net, life.err, "%s", life.text);
	row_net_end(&n);
	life.lost = test_log_has("commands have not ended");
	test_log_stop();
	row_net_free(&n);
	return life;
}

struct function {
	const char *name;
	cl_int code;
	bool must; /* the life fails, and says so */
};

static const struct function functions[] = {
	{ "clCreateContext", CL_DEVICE_NOT_AVAILABLE, true },
	{ "clRetainContext", CL_OUT_OF_RESOURCES, true },
	{ "clCreateCommandQueue", CL_OUT_OF_RESOURCES, true },
	{ "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, true },
	{ "clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY, true },
	{ "clBuildProgram", CL_BUILD_PROGRAM_FAILURE, true },
	{ "clCreateKernel", CL_OUT_OF_HOST_MEMORY, true },
	{ "clGetKernelInfo", CL_OUT_OF_HOST_MEMORY, true },
	{ "clGetKernelWorkGroupInfo", CL_OUT_OF_HOST_MEMORY, true },
	{ "clGetKernelArgInfo", CL_OUT_OF_HOST_MEMORY, true },
	{ "clSetKernelArg", CL_OUT_OF_HOST_MEMORY, true },
	{ "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, true },
	{ "clEnqueueReadBuffer", CL_OUT_OF_RESOURCES, true },
	{ "clEnqueueWriteBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, true },
	{ "clEnqueueFillBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, true },
	{ "clEnqueueBarrierWithWaitList", CL_OUT_OF_RESOURCES, true },
	{ "clEnqueueMarkerWithWaitList", CL_OUT_OF_RESOURCES, true },
	{ "clEnqueueMapBuffer", CL_MAP_FAILURE, true },
	{ "clEnqueueUnmapMemObject", CL_OUT_OF_RESOURCES, false },
	{ "clCreateSubBuffer", CL_OUT_OF_RESOURCES, true },
	{ "clFlush", CL_OUT_OF_RESOURCES, true },
	{ "clGetEventInfo", CL_OUT_OF_RESOURCES, false },
	{ "clWaitForEvents", CL_OUT_OF_RESOURCES, false },
	{ "clRetainEvent", CL_OUT_OF_RESOURCES, false },
	{ "clSetEventCallback", CL_OUT_OF_RESOURCES, false },
	{ "clGetEventProfilingInfo", CL_OUT_OF_RESOURCES, false },
};

static unsigned injections;

static void fail_call(const struct fake_cl *fake, const struct way *way, const struct function *f, unsigned k)
{
	struct life life;
	char what[128];

	snprintf(what, sizeof what, "%s: call %u of %s fails", way->settings, k, f->name);
	test_guard(what, k);
	row_net_reset(fake);
	ck_assert_int_eq(fake->fail_calls(f->name, k, 1, f->code), 0);
	life = live(k % 2);
	fault_check_left(fake, life.lost, what);
	injections++;
	ck_assert_msg(!f->must || life.err < 0 || way->shares, "%s: %d", what, life.err); /* then it copies */
	if (!life.err)
		return;
	if (strstr(life.text, "fire_cl(): a call of its own: CL_")) /* it doesn't say more */
		return;
	ck_assert_msg(strstr(life.text, f->name), "%s: %s", what, life.text);
	ck_assert_msg(strstr(life.text, "pstk:gpu:0"), "%s: %s", what, life.text);
	if (!life.started) /* of a stage, or of what all of the pipeline, or the network, has */
		ck_assert_msg(strstr(life.text, "'bytes'") || strstr(life.text, "network 'row'"), "%s: %s",
			what, life.text);
	else
		ck_assert_uint_lt(life.failed, 4);
}

START_TEST(every_call)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	unsigned counts[TEST_COUNT(functions)];
	struct life life;

	row_net_reset(fake);
	life = live(true);
	ck_assert_msg(!life.err, "%s", life.text);
	for (size_t i = 0; i < TEST_COUNT(functions); i++)
		counts[i] = (unsigned)fake->calls(functions[i].name);
	for (size_t i = 0; i < TEST_COUNT(functions); i++)
		for (unsigned k = 1; k <= counts[i] - counts[i] / 8; /* a life without a profile has fewer */
			k = TEST_SANITIZED ? k + 1 + counts[i] / 6 : test_next(k))
			fail_call(fake, &ways[_i], &functions[i], k);
	printf("%s: %u calls failed\n", ways[_i].settings, injections);
}
END_TEST

static const cl_command_type commands[] = { CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER,
	CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_FILL_BUFFER, CL_COMMAND_COPY_BUFFER, CL_COMMAND_MARKER,
	CL_COMMAND_BARRIER, CL_COMMAND_MAP_BUFFER, CL_COMMAND_UNMAP_MEM_OBJECT };

/* The n-th command of each type, of those that are run in a good life. */
START_TEST(every_command)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	unsigned counts[TEST_COUNT(commands)];
	struct life life;
	char what[128];

	row_net_reset(fake);
	ck_assert_int_eq(live(false).err, 0);
	for (size_t i = 0; i < TEST_COUNT(commands); i++)
		counts[i] = (unsigned)fake->commands(commands[i]);
	for (size_t i = 0; i < TEST_COUNT(commands); i++)
		for (unsigned k = 1; k <= counts[i]; k++) {
			snprintf(what, sizeof what, "%s: command %u of type 0x%x fails", ways[_i].settings, k,
				commands[i]);
			test_guard(what, k);
			row_net_reset(fake);
			ck_assert_int_eq(fake->fail_command(commands[i], k, CL_OUT_OF_RESOURCES), 0);
			life = live(false);
			fault_check_left(fake, life.lost, what);
			/* start() does not look at its fills of scratch buffers; what it can't map it copies; and at
			 * the end no caller can do anything about an unmap */
			ck_assert_msg(life.err < 0 || commands[i] == CL_COMMAND_FILL_BUFFER ||
					      commands[i] == CL_COMMAND_MAP_BUFFER ||
					      commands[i] == CL_COMMAND_UNMAP_MEM_OBJECT,
				"%s: %d", what, life.err);
			ck_assert_msg(!life.err || strstr(life.text, "(-"), "%s: %s", what, life.text);
		}
}
END_TEST

/* The device is gone in the middle; refuse: the calls fail, else the commands. */
START_TEST(lost)
{
	const struct fake_cl *fake = driver(&ways[_i % WAYS]);
	bool refuse = _i >= WAYS;
	uint64_t count;

	row_net_reset(fake);
	ck_assert_int_eq(live(false).err, 0);
	count = fake->commands(0);
	for (unsigned k = 1; k <= count; k++) {
		struct life life;

		test_guard(ways[_i % WAYS].settings, k);
		row_net_reset(fake);
		fake->lose_device(k, CL_DEVICE_NOT_AVAILABLE, refuse);
		life = live(false);
		fake->reset();
		fault_check_left(fake, life.lost, ways[_i % WAYS].settings);
		if (k < count / 2)
			ck_assert_msg(life.err == -ENODEV || life.err == -EIO, "command %u: %d, %s", k,
				life.err, life.text);
	}
}
END_TEST

/* Memory is out while start() works. */
static bool out_of_memory(const struct fake_cl *fake, const struct way *way, long n)
{
	static struct row_net net;
	char text[PS_TEXT_SIZE];
	unsigned stage;
	bool failed;
	int err;

	row_net_reset(fake);
	make(&net);
	row_net_build(&net, "fake");
	ps_memory_fail_at = n;
	err = pstk_network_start(net.net);
	failed = ps_memory_fail_at == -1;
	ps_memory_fail_at = -1;
	ck_assert_msg(!err || (err == -ENOMEM && strstr(pstk_network_error(net.net), "memory")),
		"%s: allocation %ld: %d, %s", way->settings, n, err, pstk_network_error(net.net));
	if (!err) {
		ck_assert_int_eq(row_net_carry(&net, 15, 1024, NULL, text, &stage), 0);
		ck_assert_int_eq(row_net_end(&net), 0);
	}
	row_net_free(&net);
	fault_check_left(fake, false, way->settings);
	return failed;
}

START_TEST(each_allocation)
{
	const struct way *way = &ways[4 + _i]; /* one that copies, one that does not */
	const struct fake_cl *fake = driver(way);
	long n = 1;

	test_log_start();
	for (; out_of_memory(fake, way, n); n += TEST_SANITIZED ? 5 : 1)
		test_guard("memory is out", (uint64_t)n);
	ck_assert_int_gt(n, 50);
	test_log_stop();
}
END_TEST

static uint64_t made(const struct fake_cl *fake)
{
	static const char *const calls[] = { "clCreateBuffer", "clCreateSubBuffer", "clCreateCommandQueue",
		"clCreateKernel", "clSVMAlloc", "clRetainCommandQueue", "clRetainMemObject" };
	uint64_t sum = 0;

	for (size_t i = 0; i < TEST_COUNT(calls); i++)
		sum += fake->calls(calls[i]);
	return sum;
}

/* No run takes memory, nor makes an object that stays. */
START_TEST(takes_nothing)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	static struct row_net n;
	struct ps_row_times times;
	char text[PS_TEXT_SIZE];
	unsigned failed;
	uint64_t before;

	make(&n);
	row_net_build(&n, "fake");
	ck_assert_int_eq(pstk_network_start(n.net), 0);
	before = made(fake);
	ps_memory_fail_at = LONG_MAX; /* none fails, but it counts */
	for (uint32_t mask = 1; mask < 16; mask++)
		ck_assert_int_eq(
			row_net_carry(&n, mask, mask % 5 ? 1024 : 7, mask % 4 ? NULL : &times, text, &failed),
			0);
	ck_assert_int_eq(ps_memory_fail_at, LONG_MAX);
	ps_memory_fail_at = -1;
	ck_assert_uint_eq(made(fake), before);
	ck_assert_int_eq(row_net_end(&n), 0);
	row_net_free(&n);
	fault_check_left(fake, false, ways[_i].settings);
}
END_TEST

/* -- ends -- */

struct carrier {
	struct row_net *net;
	pthread_t thread;
	int err;
	char text[PS_TEXT_SIZE];
};

static void *carry(void *arg)
{
	struct carrier *c = arg;
	unsigned failed;

	c->err = row_net_carry(c->net, 15, 1024, NULL, c->text, &failed);
	return NULL;
}

/* A run whose commands the driver holds, and some that it lets through. */
static void begin(struct carrier *c, struct row_net *n, const struct fake_cl *fake, unsigned steps)
{
	uint64_t before = fake->commands(0);

	c->net = n;
	fake->hold(true);
	ck_assert_int_eq(pthread_create(&c->thread, NULL, carry, c), 0);
	fake->step(steps);
	while (fake->commands(0) < before + steps)
		sched_yield();
}

START_TEST(aborted)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	static struct row_net n;
	struct carrier c;

	for (unsigned steps = 0; steps < 8; steps++) {
		test_guard(ways[_i].settings, steps);
		row_net_reset(fake);
		make(&n);
		row_net_build(&n, "fake");
		ck_assert_int_eq(pstk_network_start(n.net), 0);
		begin(&c, &n, fake, steps);
		pstk_network_abort(n.net);
		ps_row_nudge(n.pipeline->row);
		ck_assert_int_eq(pthread_join(c.thread, NULL), 0);
		ck_assert_int_eq(c.err, -ECANCELED);
		carry(&c);
		ck_assert_int_eq(c.err, -ECANCELED);
		fake->hold(false);
		ck_assert_int_eq(pstk_network_wait(n.net), -ECANCELED);
		row_net_free(&n);
		fault_check_left(fake, false, ways[_i].settings);
	}
}
END_TEST

/* Commands that never end: drain() gives them up, and what they may touch is not freed. Then they end after all. */
START_TEST(never_ends)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	static struct row_net n;
	struct carrier c;
	const struct row_wire *in, *out;

	test_log_start();
	ps_device_abort_ns = 20000000;
	row_net_reset(fake);
	make(&n);
	row_net_build(&n, "fake");
	ck_assert_int_eq(pstk_network_start(n.net), 0);
	in = &n.wires[n.stages[0].in[0]];
	out = &n.wires[n.stages[3].out[0]];
	ck_assert(!ps_row_keeps(n.pipeline->row, in->host, in->bytes));
	begin(&c, &n, fake, 3);
	pstk_network_abort(n.net);
	ck_assert_int_eq(pthread_join(c.thread, NULL), 0);
	ck_assert_int_eq(c.err, -ECANCELED);
	ck_assert_int_eq(pstk_network_wait(n.net), -ECANCELED);
	ck_assert_uint_eq(test_log_count("commands have not ended"), 1);
	/* the upload is through; what was unmapped has not been mapped again */
	ck_assert(ps_row_keeps(n.pipeline->row, in->host, in->bytes) == ways[_i].shares);
	ck_assert(ps_row_keeps(n.pipeline->row, out->host, out->bytes));
	ck_assert(ps_row_keeps(n.pipeline->row, out->host + out->bytes - 1, 1));
	ck_assert(!ps_row_keeps(NULL, out->host, out->bytes));
	pstk_network_destroy(n.net);
	fake->hold(false);
	fake->settle();
	n.net = pstk_network_create("nothing");
	row_net_free(&n);
	test_log_stop();
}
END_TEST

/* A thread may ask whether the network drains, and give up what is in flight. */
START_TEST(given_up)
{
	const struct fake_cl *fake = driver(&ways[_i]);
	static struct row_net n;
	struct carrier c;

	test_log_start();
	ps_device_grace_ns = 20000000;
	row_net_reset(fake);
	make(&n);
	row_net_build(&n, "fake");
	ck_assert_int_eq(pstk_network_start(n.net), 0);
	ck_assert(!ps_backends_draining(n.net));
	begin(&c, &n, fake, 1);
	ps_network_fail(n.net, -EIO, "something else");
	ck_assert_int_eq(pthread_join(c.thread, NULL), 0);
	ck_assert_int_eq(c.err, -ECANCELED);
	ps_backends_give_up(n.net);
	ck_assert_int_eq(pstk_network_wait(n.net), -EIO);
	ck_assert_uint_eq(test_log_count("commands have not ended"), 1);
	pstk_network_destroy(n.net);
	fake->hold(false);
	fake->settle();
	n.net = pstk_network_create("nothing");
	row_net_free(&n);
	test_log_stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_faults");
	TCase *tcase = test_case(suite, "faults");

	tcase_add_loop_test(tcase, drawn, 0, WAYS);
	tcase_add_loop_test(tcase, carried, SHARES, WAYS);
	tcase_add_loop_test(tcase, every_call, 0, WAYS);
	tcase_add_loop_test(tcase, every_command, 0, WAYS);
	tcase_add_loop_test(tcase, lost, 0, 2 * WAYS);
	tcase_add_loop_test(tcase, each_allocation, 0, 2);
	tcase_add_loop_test(tcase, takes_nothing, 0, WAYS);
	tcase_add_loop_test(tcase, aborted, 0, WAYS);
	tcase_add_loop_test(tcase, never_ends, 0, WAYS);
	tcase_add_loop_test(tcase, given_up, 0, WAYS);
	return test_main(suite);
}
