/* SPDX-License-Identifier: MIT */
/*
 * The fake driver's timed mode, by its own stamps: they are due times, so they are exact whenever a thread woke. What
 * waits for one user event is ready at one time. And native kernels.
 */
#include "tests/fake_cl/bench.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>

enum { SIZE = BENCH_SIZE, MOST = 64 };

/* A microsecond of latency and one for each byte. */
#define TIMED "timed=1,rate=1e6,latency=1e-6"
enum { MOVE_NS = 1000 + SIZE * 1000 };

struct span {
	cl_ulong start, end;
};

static struct span span_of(cl_event event)
{
	struct span s;

	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(s.start), &s.start, NULL));
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(s.end), &s.end, NULL));
	return s;
}

/* Commands that wait for one gate. */
static struct {
	cl_event gate, events[MOST];
	unsigned count;
	struct span spans[MOST];
} all;

static cl_event *next_event(void)
{
	ck_assert_uint_lt(all.count, MOST);
	return &all.events[all.count++];
}

static void close_gate(void)
{
	memset(&all, 0, sizeof(all));
	all.gate = bench_user_event();
}

static void write_on(cl_command_queue queue, cl_mem mem, const unsigned char *bytes)
{
	OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, SIZE, bytes, 1, &all.gate, next_event()));
}

static void read_on(cl_command_queue queue, cl_mem mem, unsigned char *bytes)
{
	OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, SIZE, bytes, 1, &all.gate, next_event()));
}

static void open_gate(void)
{
	OK(clSetUserEventStatus(all.gate, CL_COMPLETE));
	OK(clWaitForEvents(all.count, all.events));
	for (unsigned i = 0; i < all.count; i++) {
		all.spans[i] = span_of(all.events[i]);
		OK(clReleaseEvent(all.events[i]));
	}
	OK(clReleaseEvent(all.gate));
}

static int by_start(const void *one, const void *other)
{
	const struct span *x = one, *y = other;

	return (x->start > y->start) - (x->start < y->start);
}

/* One after the other without a gap, each of `ns`. */
static void check_back_to_back(unsigned count, cl_ulong ns)
{
	ck_assert_uint_eq(all.count, count);
	qsort(all.spans, count, sizeof(*all.spans), by_start);
	for (unsigned i = 0; i < count; i++) {
		ck_assert_uint_eq(all.spans[i].end - all.spans[i].start, ns);
		if (i)
			ck_assert_uint_eq(all.spans[i].start, all.spans[i - 1].end);
	}
}

/* -- kernels whose time is an argument -- */

static cl_ulong time_given(const struct fake_cl_launch *l)
{
	return *(const cl_ulong *)l->arg[1];
}

static void count_up(const struct fake_cl_launch *l)
{
	++*(cl_uint *)l->arg[0];
}

static const struct fake_cl_arg lasting_args[] = { FAKE_CL_OUT("count", "uint"),
	FAKE_CL_VALUE("ns", "ulong", 8) };
static const struct fake_cl_kernel lasting = {
	.name = "lasting", .args = lasting_args, .arg_count = 2, .run = count_up, .time = time_given
};

static cl_kernel lasting_kernel(cl_mem count, cl_ulong ns)
{
	cl_kernel kernel = bench_kernel("lasting");

	OK(clSetKernelArg(kernel, 0, sizeof(count), &count));
	OK(clSetKernelArg(kernel, 1, sizeof(ns), &ns));
	return kernel;
}

static void launch_on(cl_command_queue queue, cl_kernel kernel)
{
	static const size_t one = 1;

	OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &all.gate, next_event()));
}

static cl_mem zeroed(void)
{
	const unsigned char zeros[SIZE] = { 0 };
	cl_mem mem = bench_buffer(SIZE);

	bench_write(mem, zeros);
	return mem;
}

static cl_uint first_of(cl_mem mem)
{
	cl_uint value;

	OK(clEnqueueReadBuffer(b.queue, mem, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
	return value;
}

/* -- transfers -- */

/* Two queues on one engine: one command after the other, in all as long as their times say. */
START_TEST(an_engine_does_one_thing_at_a_time)
{
	unsigned char bytes[2][SIZE], back[SIZE];
	cl_command_queue other;
	cl_mem mem[2];

	bench_start(TIMED);
	other = bench_queue();
	for (unsigned i = 0; i < 2; i++) {
		mem[i] = bench_buffer(SIZE);
		bench_pattern(bytes[i], i);
	}
	close_gate();
	for (unsigned i = 0; i < MOST; i++)
		write_on(i % 2 ? other : b.queue, mem[i % 2], bytes[i % 2]);
	open_gate();
	check_back_to_back(MOST, MOVE_NS);
	for (unsigned i = 0; i < 2; i++) {
		bench_read(mem[i], back);
		ck_assert_mem_eq(back, bytes[i], SIZE);
		OK(clReleaseMemObject(mem[i]));
	}
	OK(clReleaseCommandQueue(other));
	bench_finish();
}
END_TEST

static void both_directions(const char *settings, bool at_once)
{
	unsigned char bytes[SIZE] = { 0 }, back[SIZE];
	cl_command_queue other;
	cl_mem in, out;

	bench_start(settings);
	other = bench_queue();
	in = bench_buffer(SIZE);
	out = zeroed();
	close_gate();
	write_on(b.queue, in, bytes);
	read_on(other, out, back);
	open_gate();
	if (at_once)
		ck_assert_uint_eq(all.spans[0].start, all.spans[1].start);
	else
		check_back_to_back(2, MOVE_NS);
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
	OK(clReleaseCommandQueue(other));
	bench_finish();
}

START_TEST(duplex)
{
	both_directions(TIMED, true);
	both_directions(TIMED ",duplex=full", true);
	both_directions(TIMED ",duplex=half", false);
}
END_TEST

static cl_ulong length_of(cl_event event)
{
	struct span s = span_of(event);

	OK(clReleaseEvent(event));
	return s.end - s.start;
}

/* A map brings what is there, an unmap takes back what was written; on unified memory nothing moves. */
static void map_times(const char *settings, cl_map_flags flags, cl_ulong map_ns, cl_ulong unmap_ns)
{
	cl_event map, unmap;
	void *mapped;
	cl_int err;
	cl_mem mem;

	bench_start(settings);
	mem = zeroed();
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_TRUE, flags, 0, SIZE, 0, NULL, &map, &err);
	OK(err);
	if (flags != CL_MAP_READ)
		memset(mapped, 1, SIZE);
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, &unmap));
	OK(clFinish(b.queue));
	ck_assert_uint_eq(length_of(map), map_ns);
	ck_assert_uint_eq(length_of(unmap), unmap_ns);
	OK(clReleaseMemObject(mem));
	bench_finish();
}

START_TEST(maps_are_transfers)
{
	map_times(TIMED, CL_MAP_READ, MOVE_NS, 0);
	map_times(TIMED, CL_MAP_WRITE, MOVE_NS, MOVE_NS);
	map_times(TIMED, CL_MAP_WRITE_INVALIDATE_REGION, 0, MOVE_NS);
	map_times(TIMED ",unified=1", CL_MAP_WRITE, 0, 0);
}
END_TEST

/* -- kernels -- */

START_TEST(kernels_take_what_they_say)
{
	enum { NS = 300000 };
	cl_command_queue other;
	cl_kernel kernel[2];
	cl_mem mem[2];

	bench_start(TIMED);
	ck_assert_int_eq(b.fake->add_kernel(&lasting), 0);
	other = bench_queue();
	for (unsigned i = 0; i < 2; i++) {
		mem[i] = zeroed();
		kernel[i] = lasting_kernel(mem[i], NS);
	}
	close_gate();
	for (unsigned i = 0; i < 20; i++)
		launch_on(i % 2 ? other : b.queue, kernel[i % 2]);
	open_gate();
	check_back_to_back(20, NS);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(first_of(mem[i]), 10);
		OK(clReleaseKernel(kernel[i]));
		OK(clReleaseMemObject(mem[i]));
	}
	OK(clReleaseCommandQueue(other));
	bench_finish();
}
END_TEST

/* The setting is for kernels that say nothing. */
START_TEST(kernels_that_say_nothing)
{
	cl_mem from, to;
	cl_kernel kernel;
	cl_event event;

	bench_start(TIMED ",kernel=2e-4");
	from = zeroed();
	to = bench_buffer(SIZE);
	kernel = bench_copy(from, to);
	OK(bench_launch(kernel, SIZE, &event));
	OK(clFinish(b.queue));
	ck_assert_uint_eq(length_of(event), 200000);
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	bench_finish();
}
END_TEST

/* Kernels and both directions run at once; a command begins when what it waits for was due, on whatever queue. */
START_TEST(a_pipeline)
{
	enum { NS = 500000 };
	unsigned char bytes[SIZE] = { 0 }, back[SIZE];
	cl_command_queue in, out;
	cl_event last;
	cl_kernel kernel;
	cl_mem mem[3];
	struct span s;

	bench_start(TIMED);
	ck_assert_int_eq(b.fake->add_kernel(&lasting), 0);
	in = bench_queue();
	out = bench_queue();
	for (unsigned i = 0; i < 3; i++)
		mem[i] = zeroed();
	kernel = lasting_kernel(mem[1], NS);
	close_gate();
	write_on(in, mem[0], bytes);
	launch_on(b.queue, kernel);
	read_on(out, mem[2], back);
	OK(clEnqueueReadBuffer(out, mem[1], CL_FALSE, 0, SIZE, back, 1, &all.events[1], &last));
	open_gate();
	OK(clWaitForEvents(1, &last));
	ck_assert_uint_eq(all.spans[0].start, all.spans[1].start);
	ck_assert_uint_eq(all.spans[0].start, all.spans[2].start);
	s = span_of(last);
	ck_assert_uint_eq(s.start, all.spans[1].end);
	ck_assert_uint_eq(s.end - s.start, MOVE_NS);
	OK(clReleaseEvent(last));
	OK(clReleaseKernel(kernel));
	for (unsigned i = 0; i < 3; i++)
		OK(clReleaseMemObject(mem[i]));
	OK(clReleaseCommandQueue(in));
	OK(clReleaseCommandQueue(out));
	bench_finish();
}
END_TEST

/* -- several devices -- */

static void on_two(cl_device_id first, cl_device_id second, bool copies_at_once)
{
	const cl_device_id devices[2] = { first, second };
	unsigned char bytes[SIZE] = { 0 };
	cl_command_queue queues[2], kept = b.queue;
	cl_context context = b.context;
	cl_kernel kernels[2];
	cl_mem mem[2];
	cl_int err;

	b.context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
	OK(err);
	for (unsigned i = 0; i < 2; i++) {
		queues[i] = clCreateCommandQueue(b.context, devices[i], CL_QUEUE_PROFILING_ENABLE, &err);
		OK(err);
		b.queue = queues[i];
		mem[i] = zeroed();
		kernels[i] = lasting_kernel(mem[i], 100000);
	}
	close_gate();
	for (unsigned i = 0; i < 2; i++)
		write_on(queues[i], mem[i], bytes);
	open_gate();
	if (copies_at_once)
		ck_assert_uint_eq(all.spans[0].start, all.spans[1].start);
	else
		check_back_to_back(2, MOVE_NS);
	close_gate();
	for (unsigned i = 0; i < 2; i++)
		launch_on(queues[i], kernels[i]);
	open_gate();
	ck_assert_uint_eq(all.spans[0].start, all.spans[1].start);
	for (unsigned i = 0; i < 2; i++) {
		OK(clReleaseKernel(kernels[i]));
		OK(clReleaseMemObject(mem[i]));
		OK(clReleaseCommandQueue(queues[i]));
	}
	OK(clReleaseContext(b.context));
	b.context = context;
	b.queue = kept;
}

START_TEST(devices_have_engines_of_their_own)
{
	cl_device_id devices[2];

	bench_start(TIMED ",devices=2");
	ck_assert_int_eq(b.fake->add_kernel(&lasting), 0);
	OK(clGetDeviceIDs(b.platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
	on_two(devices[0], devices[1], true);
	bench_finish();
}
END_TEST

START_TEST(parts_share_the_way_to_the_host)
{
	static const cl_device_partition_property halves[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
	cl_device_id parts[2];

	bench_start(TIMED);
	ck_assert_int_eq(b.fake->add_kernel(&lasting), 0);
	OK(clCreateSubDevices(b.device, halves, 2, parts, NULL));
	on_two(parts[0], parts[1], false);
	OK(clReleaseDevice(parts[0]));
	OK(clReleaseDevice(parts[1]));
	bench_finish();
}
END_TEST

/* -- what takes no time -- */

START_TEST(markers_and_failures)
{
	unsigned char bytes[SIZE] = { 0 };
	cl_event marker;
	struct span s;
	cl_mem mem;

	bench_start(TIMED);
	mem = zeroed();
	close_gate();
	write_on(b.queue, mem, bytes);
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &marker));
	ck_assert_int_eq(b.fake->fail_command(CL_COMMAND_WRITE_BUFFER, 1, CL_OUT_OF_RESOURCES), 0);
	OK(clEnqueueWriteBuffer(b.queue, mem, CL_FALSE, 0, SIZE, bytes, 0, NULL, NULL));
	write_on(b.queue, mem, bytes);
	open_gate();
	s = span_of(marker);
	ck_assert_uint_eq(s.start, all.spans[0].end);
	ck_assert_uint_eq(s.end, s.start);
	ck_assert_uint_ge(all.spans[1].start, s.end);
	ck_assert_uint_eq(all.spans[1].end - all.spans[1].start, MOVE_NS);
	OK(clReleaseEvent(marker));
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

START_TEST(what_is_no_setting)
{
	static const char *const bad[] = { "rate=0", "rate=", "rate=x", "rate=1e9x", "rate=nan", "latency=-1",
		"latency=1e9", "kernel=-1", "duplex=both", "timed=2", "native=2", "rates=1",
		"rate=1000000000000000000000000000000000000" };

	bench_start("timed=0,rate=2.5e9,latency=0,kernel=0,duplex=half");
	for (size_t i = 0; i < TEST_COUNT(bad); i++)
		ck_assert_int_eq(b.fake->configure(bad[i]), -EINVAL);
	bench_finish();
}
END_TEST

/* -- native kernels -- */

struct native {
	cl_uint *in, *out;
	cl_uint add;
	sem_t *begun, *go; /* NULL: it waits for nothing */
};

static void CL_CALLBACK add_native(void *data)
{
	struct native *n = data;

	if (n->begun) {
		sem_post(n->begun);
		while (sem_wait(n->go))
			;
	}
	*n->out = *n->in + n->add;
}

static void enqueue_native(cl_mem in, cl_mem out, struct native n, cl_event *event)
{
	const cl_mem mems[2] = { in, out };
	const void *places[2] = { &n.in, &n.out };

	OK(clEnqueueNativeKernel(b.queue, add_native, &n, sizeof(n), 2, mems, places, 0, NULL, event));
}

static void native_runs(const char *settings)
{
	cl_device_exec_capabilities can;
	cl_mem in, out;

	bench_start(settings);
	OK(clGetDeviceInfo(b.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can, NULL));
	ck_assert_uint_eq(can, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
	in = zeroed();
	out = zeroed();
	enqueue_native(in, out, (struct native){ .add = 5 }, NULL);
	enqueue_native(out, in, (struct native){ .add = 7 }, NULL);
	ck_assert_uint_eq(first_of(in), 12);
	ck_assert_uint_eq(first_of(out), 5);
	ck_assert_uint_eq(b.fake->commands(CL_COMMAND_NATIVE_KERNEL), 2);
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
	bench_finish();
}

START_TEST(native_kernels)
{
	native_runs("native=1");
	native_runs("native=1,delay=3,races=1");
	native_runs(TIMED ",native=1");
}
END_TEST

START_TEST(native_kernels_refused)
{
	struct native n = { .add = 1 };
	const void *inside = &n.in, *outside = &n + 1;
	cl_mem mem;

	bench_start("");
	mem = zeroed();
	ck_assert_int_eq(
		clEnqueueNativeKernel(b.queue, add_native, &n, sizeof(n), 1, &mem, &inside, 0, NULL, NULL),
		CL_INVALID_OPERATION);
	OK(clReleaseMemObject(mem));
	bench_finish();
	bench_start("native=1");
	mem = zeroed();
#define NATIVE(...) clEnqueueNativeKernel(b.queue, __VA_ARGS__, 0, NULL, NULL)
	ck_assert_int_eq(NATIVE(NULL, &n, sizeof(n), 0, NULL, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, NULL, sizeof(n), 0, NULL, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, &n, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, NULL, 0, 1, &mem, &inside), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, &n, sizeof(n), 1, NULL, &inside), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, &n, sizeof(n), 1, &mem, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, &n, sizeof(n), 0, &mem, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(NATIVE(add_native, &n, sizeof(n), 1, &mem, &outside), CL_INVALID_VALUE);
	BENCH_VIOLATION("clEnqueueNativeKernel", "memory object 0", "outside");
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

/* It takes as long as its code, and the device's engine with it. */
START_TEST(a_native_kernel_has_the_engine)
{
	cl_command_queue other;
	cl_event native, event;
	sem_t begun, go;
	cl_kernel kernel;
	cl_mem in, out, count;
	const size_t one = 1;

	sem_init(&begun, 0, 0);
	sem_init(&go, 0, 0);
	bench_start(TIMED ",native=1");
	ck_assert_int_eq(b.fake->add_kernel(&lasting), 0);
	other = bench_queue();
	in = zeroed();
	out = zeroed();
	count = zeroed();
	kernel = lasting_kernel(count, 1000);
	enqueue_native(in, out, (struct native){ .add = 5, .begun = &begun, .go = &go }, &native);
	while (sem_wait(&begun))
		;
	OK(clEnqueueNDRangeKernel(other, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
	ck_assert_int_gt(bench_status(event), CL_RUNNING);
	sem_post(&go);
	OK(clWaitForEvents(1, &event));
	ck_assert_uint_ge(span_of(event).start, span_of(native).end);
	ck_assert_uint_eq(first_of(out), 5);
	ck_assert_uint_eq(first_of(count), 1);
	OK(clReleaseEvent(native));
	OK(clReleaseEvent(event));
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(in));
	OK(clReleaseMemObject(out));
	OK(clReleaseMemObject(count));
	OK(clReleaseCommandQueue(other));
	bench_finish();
	sem_destroy(&begun);
	sem_destroy(&go);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fake_cl_time");
	TCase *transfers = test_case(suite, "transfers"), *kernels = test_case(suite, "kernels");
	TCase *devices = test_case(suite, "devices"), *rest = test_case(suite, "rest");
	TCase *natives = test_case(suite, "native");

	tcase_add_test(transfers, an_engine_does_one_thing_at_a_time);
	tcase_add_test(transfers, duplex);
	tcase_add_test(transfers, maps_are_transfers);
	tcase_add_test(kernels, kernels_take_what_they_say);
	tcase_add_test(kernels, kernels_that_say_nothing);
	tcase_add_test(kernels, a_pipeline);
	tcase_add_test(devices, devices_have_engines_of_their_own);
	tcase_add_test(devices, parts_share_the_way_to_the_host);
	tcase_add_test(rest, markers_and_failures);
	tcase_add_test(rest, what_is_no_setting);
	tcase_add_test(natives, native_kernels);
	tcase_add_test(natives, native_kernels_refused);
	tcase_add_test(natives, a_native_kernel_has_the_engine);
	return test_main(suite);
}
