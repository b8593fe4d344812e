/* SPDX-License-Identifier: MIT */
#include "tests/fake_cl/bench.h"

#include <stdio.h>

struct bench b;

cl_command_queue bench_queue(void)
{
	cl_int err;
	cl_command_queue queue = clCreateCommandQueue(b.context, b.device, CL_QUEUE_PROFILING_ENABLE, &err);

	OK(err);
	return queue;
}

void bench_start(const char *settings)
{
	cl_int err;

	b.fake = fake_cl_start(FAKE_CL_DRIVER, settings, &b.platform);
	ck_assert_ptr_nonnull(b.fake);
	ck_assert_uint_eq(b.fake->version, FAKE_CL_VERSION);
	b.fake->reset(); /* without forks, of the test before */
	ck_assert_int_eq(b.fake->configure(settings), 0);
	b.said = 0;
	OK(clGetDeviceIDs(b.platform, CL_DEVICE_TYPE_ALL, 1, &b.device, NULL));
	b.context = clCreateContext(NULL, 1, &b.device, NULL, NULL, &err);
	OK(err);
	b.queue = bench_queue();
}

void bench_finish(void)
{
	OK(clReleaseCommandQueue(b.queue));
	OK(clReleaseContext(b.context));
	b.fake->settle();
	ck_assert_int_eq(b.fake->threads(), 0);
	for (int kind = 0; kind < FAKE_CL_KIND_COUNT; kind++) {
		long live = b.fake->live((enum fake_cl_kind)kind);

		ck_assert_msg(live == 0, "%ld live objects of kind %d", live, kind);
	}
	ck_assert_msg(b.fake->violation_count() == b.said, "%u violations, not %u; the first one more: %s",
		b.fake->violation_count(), b.said, b.fake->violation(b.said));
	b.fake->reset();
}

cl_mem bench_buffer(size_t size)
{
	cl_int err;
	cl_mem mem = clCreateBuffer(b.context, CL_MEM_READ_WRITE, size, NULL, &err);

	OK(err);
	return mem;
}

cl_program bench_program(const char *source)
{
	cl_int err;
	cl_program made = clCreateProgramWithSource(b.context, 1, &source, NULL, &err);

	OK(err);
	OK(clBuildProgram(made, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
	return made;
}

cl_kernel bench_kernel(const char *name)
{
	char source[128];
	cl_program made;
	cl_kernel kernel;
	cl_int err;

	snprintf(source, sizeof(source), "__kernel void %s(..) { }", name);
	made = bench_program(source);
	kernel = clCreateKernel(made, name, &err);
	OK(err);
	OK(clReleaseProgram(made));
	return kernel;
}

cl_kernel bench_copy(cl_mem in, cl_mem out)
{
	cl_kernel kernel = bench_kernel("copy_uchar");

	OK(clSetKernelArg(kernel, 0, sizeof(in), &in));
	OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
	return kernel;
}

cl_int bench_launch(cl_kernel kernel, size_t items, cl_event *event)
{
	return clEnqueueNDRangeKernel(b.queue, kernel, 1, NULL, &items, NULL, 0, NULL, event);
}

cl_event bench_user_event(void)
{
	cl_int err;
	cl_event event = clCreateUserEvent(b.context, &err);

	OK(err);
	return event;
}

cl_int bench_status(cl_event event)
{
	cl_int value;

	OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(value), &value, NULL));
	return value;
}

void bench_pattern(unsigned char bytes[BENCH_SIZE], unsigned seed)
{
	for (unsigned i = 0; i < BENCH_SIZE; i++)
		bytes[i] = (unsigned char)(i * 7 + seed);
}

void bench_write(cl_mem mem, const unsigned char *bytes)
{
	OK(clEnqueueWriteBuffer(b.queue, mem, CL_TRUE, 0, BENCH_SIZE, bytes, 0, NULL, NULL));
}

void bench_read(cl_mem mem, unsigned char *bytes)
{
	OK(clEnqueueReadBuffer(b.queue, mem, CL_TRUE, 0, BENCH_SIZE, bytes, 0, NULL, NULL));
}
