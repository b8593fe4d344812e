/* SPDX-License-Identifier: MIT */
/* The fake driver does what its header says, seen through the ICD loader as the library sees it. */
#include "tests/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum { SIZE = 256 };

/* One device, a context and a queue. */
static struct bench {
	const struct fake_cl *fake;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
} b;

#define OK(call) ck_assert_int_eq(call, CL_SUCCESS)

static void start(const char *settings)
{
	cl_int err;

	b.fake = fake_cl_start(FAKE_CL_DRIVER, settings, &b.platform);
	ck_assert_ptr_nonnull(b.fake);
	ck_assert_uint_eq(b.fake->version, FAKE_CL_VERSION);
	b.fake->reset();
	ck_assert_int_eq(b.fake->configure(settings), 0);
	OK(clGetDeviceIDs(b.platform, CL_DEVICE_TYPE_ALL, 1, &b.device, NULL));
	b.context = clCreateContext(NULL, 1, &b.device, NULL, NULL, &err);
	OK(err);
	b.queue = clCreateCommandQueue(b.context, b.device, CL_QUEUE_PROFILING_ENABLE, &err);
	OK(err);
}

static void finish(unsigned violations)
{
	OK(clReleaseCommandQueue(b.queue));
	OK(clReleaseContext(b.context));
	ck_assert(b.fake->settle(20000000000u));
	ck_assert_int_eq(b.fake->threads(), 0);
	for (int kind = 0; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(
			b.fake->live(kind) == 0, "%ld live objects of kind %d", b.fake->live(kind), kind);
	ck_assert_msg(b.fake->violation_count() == violations, "%u violations, the first one: %s",
		b.fake->violation_count(), b.fake->violation(0));
}

/* The next violation says all this. */
static unsigned said;
#define VIOLATION(...)                                           \
	do {                                                     \
		ck_assert_ptr_nonnull(b.fake->violation(said));  \
		TEST_SAYS(b.fake->violation(said), __VA_ARGS__); \
		said++;                                          \
	} while (0)

static cl_mem buffer(cl_mem_flags flags, size_t size, void *host)
{
	cl_int err;
	cl_mem mem = clCreateBuffer(b.context, flags, size, host, &err);

	OK(err);
	return mem;
}

static cl_program program(const char *source)
{
	cl_int err;
	cl_program made = clCreateProgramWithSource(b.context, 1, &source, NULL, &err);

	OK(err);
	OK(clBuildProgram(made, 0, NULL, "-cl-kernel-arg-info", NULL, NULL));
	return made;
}

static cl_kernel kernel(const char *source, const char *name)
{
	cl_program made = program(source);
	cl_int err;
	cl_kernel k = clCreateKernel(made, name, &err);

	OK(err);
	OK(clReleaseProgram(made));
	return k;
}

static cl_kernel copy_kernel(cl_mem in, cl_mem out)
{
	cl_kernel k =
		kernel("kernel void copy_uchar(global const uchar *in, global uchar *out) {}", "copy_uchar");

	OK(clSetKernelArg(k, 0, sizeof(in), &in));
	OK(clSetKernelArg(k, 1, sizeof(out), &out));
	return k;
}

static cl_int launch(cl_kernel k, size_t items, cl_event *event)
{
	return clEnqueueNDRangeKernel(b.queue, k, 1, NULL, &items, NULL, 0, NULL, event);
}

static cl_int status(cl_event event)
{
	cl_int value;

	OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(value), &value, NULL));
	return value;
}

static void pattern(unsigned char *bytes, unsigned seed)
{
	for (unsigned i = 0; i < SIZE; i++)
		bytes[i] = (unsigned char)(i * 7 + seed);
}

/* -- moving bytes -- */

START_TEST(a_kernel_runs)
{
	unsigned char in[SIZE], out[SIZE];
	cl_event event;
	cl_ulong began, ended;
	cl_mem a, c;
	cl_kernel k;

	start("");
	a = buffer(CL_MEM_READ_WRITE, SIZE, NULL);
	c = buffer(CL_MEM_READ_WRITE, SIZE, NULL);
	k = copy_kernel(a, c);
	pattern(in, 1);
	OK(clEnqueueWriteBuffer(b.queue, a, CL_FALSE, 0, SIZE, in, 0, NULL, NULL));
	OK(launch(k, SIZE, &event));
	OK(clEnqueueReadBuffer(b.queue, c, CL_TRUE, 0, SIZE, out, 0, NULL, NULL));
	ck_assert_mem_eq(in, out, SIZE);
	ck_assert_int_eq(status(event), CL_COMPLETE);
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(began), &began, NULL));
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(ended), &ended, NULL));
	ck_assert(began && began <= ended);
	ck_assert_uint_eq(b.fake->bytes_to_device(), SIZE);
	ck_assert_uint_eq(b.fake->bytes_to_host(), SIZE);
	ck_assert_uint_eq(b.fake->commands(CL_COMMAND_NDRANGE_KERNEL), 1);
	ck_assert_uint_eq(b.fake->commands(0), 3);
	ck_assert_uint_eq(b.fake->calls("clCreateBuffer"), 2);
	ck_assert_int_eq(b.fake->live(FAKE_CL_BUFFER), 2);
	ck_assert_int_eq(b.fake->live(FAKE_CL_EVENT), 1);
	OK(clReleaseEvent(event));
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(c));
	finish(0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fake_cl");
	TCase *moving = test_case(suite, "moving");

	tcase_add_test(moving, a_kernel_runs);
	return test_main(suite);
}
