/* SPDX-License-Identifier: MIT */
/* The fake driver notes what a program must not do, and what it offers of shared virtual memory. */
#include "tests/fake_cl/bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum { SIZE = BENCH_SIZE };

/* -- buffers -- */

START_TEST(a_kernel_meets_a_map)
{
	unsigned char bytes[SIZE];
	cl_mem from, to;
	cl_kernel kernel;
	void *mapped;
	cl_int err;

	bench_start("");
	from = bench_buffer(SIZE);
	to = bench_buffer(SIZE);
	bench_pattern(bytes, 0);
	bench_write(from, bytes);
	kernel = bench_copy(from, to);
	mapped = clEnqueueMapBuffer(b.queue, from, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &err);
	OK(err);
	OK(bench_launch(kernel, SIZE, NULL)); /* both only read it */
	OK(clEnqueueUnmapMemObject(b.queue, from, mapped, 0, NULL, NULL));
	mapped = clEnqueueMapBuffer(b.queue, to, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &err);
	OK(err);
	OK(bench_launch(kernel, SIZE, NULL));
	OK(clEnqueueUnmapMemObject(b.queue, to, mapped, 0, NULL, NULL));
	mapped = clEnqueueMapBuffer(b.queue, from, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &err);
	OK(err);
	OK(clEnqueueCopyBuffer(b.queue, from, to, 128, 0, 16, 0, NULL, NULL));
	OK(clEnqueueUnmapMemObject(b.queue, from, mapped, 0, NULL, NULL));
	OK(bench_launch(kernel, SIZE, NULL));
	OK(clFinish(b.queue));
	BENCH_VIOLATION("kernel copy_uchar", "writes buffer 2", "is mapped");
	BENCH_VIOLATION("a copy", "reads buffer 1", "is mapped for writing");
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	bench_finish();
}
END_TEST

START_TEST(maps_are_used_up)
{
	unsigned char *mapped, *second;
	cl_int err;
	cl_mem mem;

	bench_start("");
	mem = bench_buffer(SIZE);
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &err);
	OK(err);
	ck_assert_int_eq(clEnqueueUnmapMemObject(b.queue, mem, mapped + 1, 0, NULL, NULL), CL_INVALID_VALUE);
	BENCH_VIOLATION("clEnqueueUnmapMemObject", "not mapped");
	second = clEnqueueMapBuffer(b.queue, mem, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &err);
	OK(err);
	BENCH_VIOLATION("mapped a second time");
	OK(clEnqueueUnmapMemObject(b.queue, mem, second, 0, NULL, NULL));
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, NULL));
	ck_assert_int_eq(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, NULL), CL_INVALID_VALUE);
	BENCH_VIOLATION("not mapped");
	OK(clFinish(b.queue));
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &err);
	OK(err);
	OK(clReleaseMemObject(mem));
	BENCH_VIOLATION("released while it is mapped");
	bench_finish();
}
END_TEST

/* On another queue an unmap may come before its map; a map that fails leaves its unmap nothing to do. */
START_TEST(maps_out_of_order)
{
	cl_event gate, event;
	cl_command_queue other;
	void *mapped;
	cl_int err;
	cl_mem mem;

	bench_start("");
	mem = bench_buffer(SIZE);
	other = bench_queue();
	gate = bench_user_event();
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_FALSE, CL_MAP_WRITE, 0, SIZE, 1, &gate, NULL, &err);
	OK(err);
	OK(clEnqueueUnmapMemObject(other, mem, mapped, 0, NULL, NULL));
	OK(clFinish(other));
	BENCH_VIOLATION("runs before the map");
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, NULL));
	ck_assert_int_eq(b.fake->fail_command(CL_COMMAND_MAP_BUFFER, 1, -5), 0);
	b.fake->hold(true);
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_FALSE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &err);
	OK(err);
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, &event));
	b.fake->hold(false);
	OK(clWaitForEvents(1, &event));
	OK(clReleaseEvent(event));
	OK(clReleaseEvent(gate));
	OK(clReleaseCommandQueue(other));
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

START_TEST(transfers_out_of_range)
{
	unsigned char bytes[SIZE] = { 0 };
	const cl_buffer_region odd = { 100, 28 }, even = { 128, 64 };
	cl_mem mem, part;
	cl_int err;

	bench_start("");
	mem = bench_buffer(SIZE);
	ck_assert_int_eq(
		clEnqueueReadBuffer(b.queue, mem, CL_TRUE, 1, SIZE, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
	BENCH_VIOLATION("clEnqueueReadBuffer", "bytes 1 to 257", "which has 256");
	ck_assert_int_eq(
		clEnqueueCopyBuffer(b.queue, mem, mem, 0, 8, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
	BENCH_VIOLATION("overlap");
	ck_assert_ptr_null(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &err));
	ck_assert_int_eq(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	BENCH_VIOLATION("begins at 100", "multiple of 128");
	part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &even, &err);
	OK(err);
	bench_write(mem, bytes);
	memset(bytes, 7, 64);
	OK(clReleaseMemObject(mem));
	OK(clEnqueueWriteBuffer(b.queue, part, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(b.queue, part, CL_TRUE, 63, 1, bytes + 99, 0, NULL, NULL));
	ck_assert_uint_eq(bytes[99], 7);
	OK(clReleaseMemObject(part));
	bench_finish();
}
END_TEST

/* A buffer that a command needs stays until then, as OpenCL says. */
START_TEST(a_command_keeps_its_buffer)
{
	unsigned char in[SIZE], out[SIZE];
	cl_mem mem;

	bench_start("");
	mem = bench_buffer(SIZE);
	bench_pattern(in, 1);
	b.fake->hold(true);
	OK(clEnqueueWriteBuffer(b.queue, mem, CL_FALSE, 0, SIZE, in, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(b.queue, mem, CL_FALSE, 0, SIZE, out, 0, NULL, NULL));
	OK(clReleaseMemObject(mem));
	ck_assert_int_eq(b.fake->live(FAKE_CL_BUFFER), 0);
	b.fake->hold(false);
	OK(clFinish(b.queue));
	ck_assert_mem_eq(in, out, SIZE);
	bench_finish();
}
END_TEST

/* -- objects -- */

START_TEST(released_objects)
{
	cl_event event;
	cl_kernel kernel;
	cl_mem mem;
	cl_context context;
	cl_int err;

	bench_start("");
	mem = bench_buffer(SIZE);
	kernel = bench_kernel("copy_uchar");
	OK(clRetainMemObject(mem));
	OK(clReleaseMemObject(mem));
	OK(clReleaseMemObject(mem));
	ck_assert_int_eq(clReleaseMemObject(mem), CL_INVALID_MEM_OBJECT);
	BENCH_VIOLATION("clReleaseMemObject", "buffer", "released");
	ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_INVALID_MEM_OBJECT);
	BENCH_VIOLATION("clSetKernelArg", "buffer", "released");
	ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof(kernel), &kernel), CL_INVALID_MEM_OBJECT);
	BENCH_VIOLATION("no buffer");
	OK(clReleaseKernel(kernel));
	ck_assert_int_eq(clReleaseKernel(kernel), CL_INVALID_KERNEL);
	BENCH_VIOLATION("kernel", "released");
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &event));
	OK(clFinish(b.queue));
	OK(clReleaseEvent(event));
	ck_assert_int_eq(clEnqueueMarkerWithWaitList(b.queue, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
	BENCH_VIOLATION("event", "released");
	context = clCreateContext(NULL, 1, &b.device, NULL, NULL, &err);
	OK(err);
	OK(clReleaseContext(context));
	ck_assert_int_eq(clReleaseContext(context), CL_INVALID_CONTEXT);
	BENCH_VIOLATION("context", "released");
	bench_finish();
}
END_TEST

START_TEST(contexts_do_not_mix)
{
	cl_context context;
	cl_event foreign;
	cl_int err;
	cl_mem mem;
	const unsigned char byte = 0;

	bench_start("");
	context = clCreateContext(NULL, 1, &b.device, NULL, NULL, &err);
	OK(err);
	foreign = clCreateUserEvent(context, &err);
	OK(err);
	mem = clCreateBuffer(context, 0, SIZE, NULL, &err);
	OK(err);
	ck_assert_int_eq(clEnqueueMarkerWithWaitList(b.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
	BENCH_VIOLATION("another context");
	ck_assert_int_eq(
		clEnqueueWriteBuffer(b.queue, mem, CL_TRUE, 0, 1, &byte, 0, NULL, NULL), CL_INVALID_CONTEXT);
	OK(clReleaseEvent(foreign));
	OK(clReleaseMemObject(mem));
	OK(clReleaseContext(context));
	bench_finish();
}
END_TEST

/* -- kernels -- */

START_TEST(arguments)
{
	const unsigned char narrow = 3;
	const cl_uint in = 5;
	cl_uint out = 0;
	cl_kernel kernel;
	cl_mem mem, none = NULL;

	bench_start("");
	mem = bench_buffer(SIZE);
	kernel = bench_kernel("scale_uint");
	OK(clEnqueueWriteBuffer(b.queue, mem, CL_TRUE, 0, sizeof(in), &in, 0, NULL, NULL));
	OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	OK(clSetKernelArg(kernel, 1, sizeof(mem), &none));
	ck_assert_int_eq(bench_launch(kernel, 1, NULL), CL_INVALID_KERNEL_ARGS);
	BENCH_VIOLATION("kernel scale_uint", "'out' is NULL");
	BENCH_VIOLATION("'factor', argument 2, unset");
	ck_assert_int_eq(clSetKernelArg(kernel, 2, sizeof(narrow), &narrow), CL_INVALID_ARG_SIZE);
	BENCH_VIOLATION("1 bytes for 'factor', a uint, which has 4");
	ck_assert_int_eq(clSetKernelArg(kernel, 0, 4, &mem), CL_INVALID_ARG_SIZE);
	BENCH_VIOLATION("memory object of 4 bytes");
	ck_assert_int_eq(b.fake->configure("argsize=0,nullmem=1"), 0);
	OK(clSetKernelArg(kernel, 2, sizeof(narrow), &narrow));
	BENCH_VIOLATION("1 bytes for 'factor'");
	OK(bench_launch(kernel, 1, NULL));
	OK(clSetKernelArg(kernel, 1, sizeof(mem), &mem));
	OK(bench_launch(kernel, 1, NULL));
	OK(clEnqueueReadBuffer(b.queue, mem, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
	ck_assert_uint_eq(out, 15);
	OK(clReleaseMemObject(mem));
	ck_assert_int_eq(bench_launch(kernel, 1, NULL), CL_INVALID_KERNEL_ARGS);
	BENCH_VIOLATION("clEnqueueNDRangeKernel", "released");
	OK(clReleaseKernel(kernel));
	bench_finish();
}
END_TEST

static void *set_until_noted(void *arg)
{
	const cl_uint value = 1;

	for (unsigned i = 0; i < 100000 && !b.fake->violation_count(); i++)
		OK(clSetKernelArg(arg, 2, sizeof(value), &value));
	return NULL;
}

START_TEST(two_threads_on_a_kernel)
{
	pthread_t threads[2];
	cl_kernel kernel;

	bench_start("quiet=1");
	kernel = bench_kernel("scale_uint");
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, set_until_noted, kernel), 0);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	BENCH_VIOLATION("clSetKernelArg", "kernel scale_uint", "two threads");
	b.said = b.fake->violation_count();
	OK(clReleaseKernel(kernel));
	bench_finish();
}
END_TEST

static _Atomic uint64_t inside, leave;

static void stay(const struct fake_cl_launch *l)
{
	*(unsigned char *)l->arg[0] = 1;
	inside = 1;
	test_await(&leave, 1);
}

START_TEST(two_commands_in_a_buffer)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_OUT("out", "uchar") };
	static const struct fake_cl_kernel own = {
		.name = "stay", .args = args, .arg_count = 1, .run = stay
	};
	const unsigned char byte = 0;
	cl_command_queue other;
	cl_kernel kernel;
	cl_mem mem, apart;

	inside = leave = 0;
	bench_start("races=1");
	ck_assert_int_eq(b.fake->add_kernel(&own), 0);
	kernel = bench_kernel("stay");
	other = bench_queue();
	mem = bench_buffer(SIZE);
	apart = bench_buffer(SIZE);
	OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	OK(bench_launch(kernel, 1, NULL));
	test_await(&inside, 1);
	OK(clEnqueueWriteBuffer(other, apart, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
	OK(clEnqueueCopyBuffer(other, mem, apart, 64, 0, 8, 0, NULL, NULL));
	OK(clFinish(other));
	leave = 1;
	OK(clFinish(b.queue));
	BENCH_VIOLATION("buffer 1 at once", "0x11f0", "0x11f5", "writes");
	OK(clReleaseKernel(kernel));
	OK(clReleaseCommandQueue(other));
	OK(clReleaseMemObject(mem));
	OK(clReleaseMemObject(apart));
	bench_finish();
}
END_TEST

/* -- shared virtual memory -- */

static unsigned char *svm(cl_svm_mem_flags flags)
{
	unsigned char *memory = clSVMAlloc(b.context, flags | CL_MEM_READ_WRITE, SIZE, 0);

	ck_assert_ptr_nonnull(memory);
	return memory;
}

START_TEST(coarse_svm)
{
	unsigned char in[SIZE], *from, *to;
	cl_kernel kernel;

	bench_start("svm=coarse");
	ck_assert_ptr_null(clSVMAlloc(b.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE, 0));
	from = svm(0);
	to = svm(0);
	kernel = bench_kernel("copy_uchar");
	bench_pattern(in, 2);
	OK(clEnqueueSVMMap(b.queue, CL_TRUE, CL_MAP_WRITE, from, SIZE, 0, NULL, NULL));
	memcpy(from, in, SIZE);
	OK(clEnqueueSVMUnmap(b.queue, from, 0, NULL, NULL));
	OK(clSetKernelArgSVMPointer(kernel, 0, from + 32));
	OK(clSetKernelArgSVMPointer(kernel, 1, to + 8));
	OK(bench_launch(kernel, 64, NULL));
	OK(clFinish(b.queue));
	ck_assert_mem_ne(from, in, SIZE); /* not mapped: garbage */
	ck_assert_mem_ne(to + 8, in + 32, 64);
	OK(clEnqueueSVMMap(b.queue, CL_TRUE, CL_MAP_READ, to, SIZE, 0, NULL, NULL));
	ck_assert_mem_eq(to + 8, in + 32, 64);
	OK(clEnqueueSVMUnmap(b.queue, to, 0, NULL, NULL));
	OK(clFinish(b.queue));
	clSVMFree(b.context, from);
	clSVMFree(b.context, to);
	clSVMFree(b.context, NULL);
	OK(clReleaseKernel(kernel));
	bench_finish();
}
END_TEST

START_TEST(svm_transfers)
{
	const void *migrated[1];
	unsigned char in[SIZE], out[SIZE], *memory;
	const unsigned char pair[2] = { 1, 2 };
	void *freed[1];

	bench_start("svm=coarse");
	memory = svm(0);
	bench_pattern(in, 2);
	OK(clEnqueueSVMMemcpy(b.queue, CL_FALSE, memory, in, SIZE, 0, NULL, NULL));
	OK(clEnqueueSVMMemFill(b.queue, memory + 16, pair, 2, 8, 0, NULL, NULL));
	OK(clEnqueueSVMMemcpy(b.queue, CL_FALSE, memory + 100, memory, 24, 0, NULL, NULL));
	migrated[0] = memory;
	OK(clEnqueueSVMMigrateMem(b.queue, 1, migrated, NULL, 0, 0, NULL, NULL));
	OK(clEnqueueSVMMemcpy(b.queue, CL_TRUE, out, memory, SIZE, 0, NULL, NULL));
	for (unsigned i = 0; i < 8; i++)
		in[16 + i] = pair[i % 2];
	memcpy(in + 100, in, 24);
	ck_assert_mem_eq(in, out, SIZE);
	freed[0] = memory;
	OK(clEnqueueSVMFree(b.queue, 1, freed, NULL, NULL, 0, NULL, NULL));
	OK(clFinish(b.queue));
	ck_assert_int_eq(b.fake->live(FAKE_CL_SVM), 0);
	bench_finish();
}
END_TEST

START_TEST(fine_svm)
{
	unsigned char *memory;
	cl_kernel kernel;

	bench_start("svm=fine,unified=1");
	memory = svm(CL_MEM_SVM_FINE_GRAIN_BUFFER);
	kernel = bench_kernel("copy_uchar");
	memory[0] = 77;
	memory[100] = 0;
	OK(clSetKernelArgSVMPointer(kernel, 0, memory));
	OK(clSetKernelArgSVMPointer(kernel, 1, memory + 100));
	OK(bench_launch(kernel, 1, NULL));
	OK(clFinish(b.queue));
	ck_assert_uint_eq(memory[100], 77);
	clSVMFree(b.context, memory);
	OK(clReleaseKernel(kernel));
	bench_finish();
}
END_TEST

START_TEST(svm_misused)
{
	unsigned char bytes[SIZE] = { 0 }, *memory, *freed;
	cl_kernel kernel;

	bench_start("svm=coarse");
	memory = svm(0);
	freed = svm(0);
	kernel = bench_kernel("copy_uchar");
	OK(clSetKernelArgSVMPointer(kernel, 0, memory));
	OK(clSetKernelArgSVMPointer(kernel, 1, freed));
	ck_assert_int_eq(clSetKernelArgSVMPointer(kernel, 1, bytes), CL_INVALID_ARG_VALUE);
	BENCH_VIOLATION("'out' points into no SVM allocation");
	OK(clEnqueueSVMMap(b.queue, CL_TRUE, CL_MAP_WRITE, memory, SIZE, 0, NULL, NULL));
	OK(bench_launch(kernel, 8, NULL));
	OK(clFinish(b.queue));
	BENCH_VIOLATION("kernel copy_uchar reads SVM allocation", "mapped for writing");
	OK(clEnqueueSVMUnmap(b.queue, memory, 0, NULL, NULL));
	ck_assert_int_eq(clEnqueueSVMUnmap(b.queue, memory, 0, NULL, NULL), CL_INVALID_VALUE);
	BENCH_VIOLATION("no SVM allocation is mapped");
	ck_assert_int_eq(
		clEnqueueSVMMap(b.queue, CL_TRUE, CL_MAP_READ, bytes, 1, 0, NULL, NULL), CL_INVALID_VALUE);
	BENCH_VIOLATION("what is mapped is no SVM allocation");
	ck_assert_int_eq(
		clEnqueueSVMMemFill(b.queue, memory + 1, bytes, 1, SIZE, 0, NULL, NULL), CL_INVALID_VALUE);
	BENCH_VIOLATION("256 bytes reach beyond the end");
	OK(clFinish(b.queue));
	b.fake->hold(true);
	OK(bench_launch(kernel, 8, NULL));
	clSVMFree(b.context, freed);
	BENCH_VIOLATION("is freed while a command is queued");
	b.fake->hold(false);
	OK(clFinish(b.queue));
	ck_assert_int_eq(bench_launch(kernel, 8, NULL), CL_INVALID_KERNEL_ARGS);
	BENCH_VIOLATION("'out' points into no SVM allocation");
	clSVMFree(b.context, freed);
	BENCH_VIOLATION("what is freed is no SVM allocation");
	clSVMFree(b.context, memory);
	OK(clReleaseKernel(kernel));
	bench_finish();
}
END_TEST

START_TEST(guarded_svm)
{
	volatile unsigned char *memory;

	bench_start("svm=coarse,guard=1");
	memory = svm(0);
	OK(clEnqueueSVMMap(b.queue, CL_TRUE, CL_MAP_WRITE, (void *)memory, SIZE, 0, NULL, NULL));
	memory[0] = 1;
	OK(clEnqueueSVMUnmap(b.queue, (void *)memory, 0, NULL, NULL));
	OK(clFinish(b.queue));
	memory[0] = 2;
	ck_abort_msg("lived on");
}
END_TEST

/* -- all together -- */

enum { QUEUES = 3, BUFFERS = 4, PART = 64, COMMANDS = 200 };

struct mix {
	struct test_rng rng;
	cl_command_queue queues[QUEUES];
	cl_mem mems[BUFFERS];
	cl_event last[BUFFERS]; /* of the command that touched it last */
	unsigned char expected[BUFFERS][PART];
	unsigned char sources[COMMANDS][PART];
};

/* One random command behind what touched its buffers last, on some queue; and the same on plain memory. */
static void one_command(struct mix *m, unsigned number)
{
	unsigned to = test_between(&m->rng, 0, BUFFERS - 1), from = test_between(&m->rng, 0, BUFFERS - 1);
	cl_command_queue queue = m->queues[test_between(&m->rng, 0, QUEUES - 1)];
	size_t size = test_between(&m->rng, 1, PART / 2), offset = test_between(&m->rng, 0, PART / 2);
	cl_event waits[2] = { m->last[to], m->last[from] }, event;
	unsigned char byte = (unsigned char)test_random(&m->rng);

	if (from != to && test_chance(&m->rng, 50)) {
		OK(clEnqueueCopyBuffer(queue, m->mems[from], m->mems[to], 0, offset, size, 2, waits, &event));
		memcpy(m->expected[to] + offset, m->expected[from], size);
	} else if (test_chance(&m->rng, 50)) {
		OK(clEnqueueFillBuffer(queue, m->mems[to], &byte, 1, offset, size, 2, waits, &event));
		memset(m->expected[to] + offset, byte, size);
	} else {
		memset(m->sources[number], byte, PART);
		OK(clEnqueueWriteBuffer(
			queue, m->mems[to], CL_FALSE, offset, size, m->sources[number], 2, waits, &event));
		memset(m->expected[to] + offset, byte, size);
	}
	OK(clFlush(queue));
	OK(clReleaseEvent(m->last[to]));
	m->last[to] = event;
	if (from != to) {
		OK(clRetainEvent(event));
		OK(clReleaseEvent(m->last[from]));
		m->last[from] = event;
	}
}

static void one_mix(uint64_t seed)
{
	static struct mix mix;
	struct mix *m = &mix;
	unsigned char out[PART], zero = 0;

	m->rng.state = seed;
	memset(m->expected, 0, sizeof(m->expected));
	for (unsigned i = 0; i < QUEUES; i++)
		m->queues[i] = bench_queue();
	for (unsigned i = 0; i < BUFFERS; i++) {
		m->mems[i] = bench_buffer(PART);
		OK(clEnqueueFillBuffer(b.queue, m->mems[i], &zero, 1, 0, PART, 0, NULL, &m->last[i]));
	}
	OK(clFlush(b.queue));
	for (unsigned i = 0; i < COMMANDS; i++)
		one_command(m, i);
	for (unsigned i = 0; i < QUEUES; i++)
		OK(clReleaseCommandQueue(m->queues[i])); /* what is in them still runs */
	for (unsigned i = 0; i < BUFFERS; i++) {
		OK(clEnqueueReadBuffer(b.queue, m->mems[i], CL_TRUE, 0, PART, out, 1, &m->last[i], NULL));
		ck_assert_msg(!memcmp(out, m->expected[i], PART), "seed %llu: buffer %u",
			(unsigned long long)seed, i);
		OK(clReleaseEvent(m->last[i]));
		OK(clReleaseMemObject(m->mems[i]));
	}
}

START_TEST(random_orders)
{
	for (uint64_t round = 0; round < test_rounds(20); round++) {
		uint64_t seed = test_seed() + round;

		test_guard("random_orders", seed);
		bench_start(seed % 2 ? "delay=1,lazy=1" : "delay=2");
		one_mix(seed);
		bench_finish();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fake_cl_rules");
	TCase *buffers = test_case(suite, "buffers"), *objects = test_case(suite, "objects");
	TCase *kernels = test_case(suite, "kernels"), *shared = test_case(suite, "svm");
	TCase *stress = test_case(suite, "stress");

	tcase_add_test(buffers, a_kernel_meets_a_map);
	tcase_add_test(buffers, maps_are_used_up);
	tcase_add_test(buffers, maps_out_of_order);
	tcase_add_test(buffers, transfers_out_of_range);
	tcase_add_test(buffers, a_command_keeps_its_buffer);
	tcase_add_test(objects, released_objects);
	tcase_add_test(objects, contexts_do_not_mix);
	tcase_add_test(kernels, arguments);
	tcase_add_test(kernels, two_threads_on_a_kernel);
	tcase_add_test(kernels, two_commands_in_a_buffer);
	tcase_add_test(shared, coarse_svm);
	tcase_add_test(shared, svm_transfers);
	tcase_add_test(shared, fine_svm);
	tcase_add_test(shared, svm_misused);
	if (!TEST_SANITIZED) /* they catch the signal themselves */
		tcase_add_test_raise_signal(shared, guarded_svm, SIGSEGV);
	tcase_add_test(stress, random_orders);
	return test_main(suite);
}
