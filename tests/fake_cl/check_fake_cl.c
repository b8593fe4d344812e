/* SPDX-License-Identifier: MIT */
/* The fake driver does what its header says, seen through the ICD loader, as the library sees it. */
#include "tests/fake_cl/bench.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum { SIZE = BENCH_SIZE };

/* -- moving bytes -- */

START_TEST(a_kernel_runs)
{
	unsigned char in[SIZE], out[SIZE];
	cl_event event;
	cl_ulong began, ended;
	cl_mem from, to;
	cl_kernel kernel;

	bench_start("");
	from = bench_buffer(SIZE);
	to = bench_buffer(SIZE);
	kernel = bench_copy(from, to);
	bench_pattern(in, 1);
	OK(clEnqueueWriteBuffer(b.queue, from, CL_FALSE, 0, SIZE, in, 0, NULL, NULL));
	OK(bench_launch(kernel, SIZE, &event));
	bench_read(to, out);
	ck_assert_mem_eq(in, out, SIZE);
	ck_assert_int_eq(bench_status(event), CL_COMPLETE);
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(began), &began, NULL));
	OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(ended), &ended, NULL));
	ck_assert(began && began <= ended);
	ck_assert_uint_eq(b.fake->bytes_to_device(), SIZE);
	ck_assert_uint_eq(b.fake->bytes_to_host(), SIZE);
	ck_assert_uint_eq(b.fake->commands(CL_COMMAND_NDRANGE_KERNEL), 1);
	ck_assert_uint_eq(b.fake->commands(0), 3);
	ck_assert_uint_eq(b.fake->calls("clCreateBuffer"), 2);
	ck_assert_uint_ge(b.fake->calls(NULL), 10);
	ck_assert_int_eq(b.fake->live(FAKE_CL_BUFFER), 2);
	ck_assert_int_eq(b.fake->live(FAKE_CL_EVENT), 1);
	ck_assert_int_eq(b.fake->threads(), 1);
	OK(clReleaseEvent(event));
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	bench_finish();
}
END_TEST

START_TEST(copy_and_fill)
{
	unsigned char in[SIZE], out[SIZE];
	const cl_uint word = 0x04030201;
	cl_mem from, to;

	bench_start("");
	from = bench_buffer(SIZE);
	to = bench_buffer(SIZE);
	bench_pattern(in, 3);
	bench_write(from, in);
	OK(clEnqueueCopyBuffer(b.queue, from, to, 8, 16, 32, 0, NULL, NULL));
	OK(clEnqueueFillBuffer(b.queue, to, &word, sizeof(word), 0, 16, 0, NULL, NULL));
	OK(clEnqueueMigrateMemObjects(b.queue, 1, &to, 0, 0, NULL, NULL));
	bench_read(to, out);
	ck_assert_mem_eq(out + 16, in + 8, 32);
	for (unsigned i = 0; i < 16; i++)
		ck_assert_uint_eq(out[i], i % 4 + 1);
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	bench_finish();
}
END_TEST

/* What the host sees is the device's only between map and unmap. */
START_TEST(memory_is_apart)
{
	unsigned char host[SIZE], in[SIZE], out[SIZE], *mapped;
	cl_event unmapped;
	cl_int err;
	cl_mem mem;

	bench_start("unified=0");
	bench_pattern(host, 5);
	bench_pattern(in, 5);
	mem = clCreateBuffer(b.context, CL_MEM_USE_HOST_PTR, SIZE, host, &err);
	OK(err);
	ck_assert_mem_ne(host, in, SIZE); /* taken away */
	bench_read(mem, out);
	ck_assert_mem_eq(out, in, SIZE);
	mapped = clEnqueueMapBuffer(
		b.queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &err);
	OK(err);
	ck_assert_ptr_eq(mapped, host);
	ck_assert_mem_eq(host, in, SIZE);
	ck_assert_int_eq(b.fake->live(FAKE_CL_MAP), 1);
	host[0] = 99;
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, &unmapped));
	OK(clWaitForEvents(1, &unmapped));
	ck_assert_uint_ne(host[0], 99);
	bench_read(mem, out);
	ck_assert_uint_eq(out[0], 99);
	ck_assert_mem_eq(out + 1, in + 1, SIZE - 1);
	OK(clReleaseEvent(unmapped));
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

START_TEST(a_map_fills_when_it_runs)
{
	unsigned char in[SIZE], out[SIZE], *mapped;
	cl_event event;
	cl_int err;
	cl_mem mem;

	bench_start("");
	mem = bench_buffer(SIZE);
	bench_pattern(in, 9);
	bench_write(mem, in);
	b.fake->hold(true);
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_FALSE, CL_MAP_READ, 64, 64, 0, NULL, &event, &err);
	OK(err);
	ck_assert_mem_ne(mapped, in + 64, 64); /* the device has not come to it */
	b.fake->step(1);
	OK(clWaitForEvents(1, &event));
	ck_assert_mem_eq(mapped, in + 64, 64);
	b.fake->hold(false);
	memset(mapped, 0, 64); /* mapped for reading: is not written back */
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, NULL));
	bench_read(mem, out);
	ck_assert_mem_eq(out, in, SIZE);
	mapped = clEnqueueMapBuffer(
		b.queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE, 0, NULL, NULL, &err);
	OK(err);
	ck_assert_mem_ne(mapped, in, SIZE);
	memset(mapped, 42, SIZE);
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, NULL));
	bench_read(mem, out);
	for (unsigned i = 0; i < SIZE; i++)
		ck_assert_uint_eq(out[i], 42);
	OK(clReleaseEvent(event));
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

START_TEST(unified_memory_is_one)
{
	unsigned char host[SIZE], *mapped;
	const unsigned char one = 1;
	cl_bool unified = CL_FALSE;
	cl_int err;
	cl_mem mem;

	bench_start("unified=1,type=cpu");
	OK(clGetDeviceInfo(b.device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified, NULL));
	ck_assert(unified);
	mem = clCreateBuffer(b.context, CL_MEM_USE_HOST_PTR, SIZE, host, &err);
	OK(err);
	OK(clEnqueueFillBuffer(b.queue, mem, &one, 1, 0, SIZE, 0, NULL, NULL));
	mapped = clEnqueueMapBuffer(b.queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &err);
	OK(err);
	ck_assert_ptr_eq(mapped, host);
	ck_assert_uint_eq(host[SIZE - 1], 1);
	OK(clEnqueueUnmapMemObject(b.queue, mem, mapped, 0, NULL, NULL));
	OK(clFinish(b.queue));
	ck_assert_uint_eq(b.fake->bytes_to_host(), 0);
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

/* -- programs and kernels -- */

START_TEST(a_build_fails)
{
	const char *source = "/* first */\n#error no such thing\n";
	char log[128];
	cl_build_status status;
	cl_program program;
	cl_int err;

	bench_start("");
	program = clCreateProgramWithSource(b.context, 1, &source, NULL, &err);
	OK(err);
	ck_assert_int_eq(clBuildProgram(program, 1, &b.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	OK(clGetProgramBuildInfo(program, b.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
	ck_assert_int_eq(status, CL_BUILD_ERROR);
	OK(clGetProgramBuildInfo(program, b.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
	TEST_SAYS(log, ":2: error: no such thing");
	ck_assert_ptr_null(clCreateKernel(program, "copy_uchar", &err));
	ck_assert_int_eq(err, CL_INVALID_PROGRAM_EXECUTABLE);
	OK(clReleaseProgram(program));
	bench_finish();
}
END_TEST

START_TEST(kernels_tell_what_they_are)
{
	cl_program program;
	cl_kernel kernel;
	cl_uint count;
	cl_kernel_arg_address_qualifier space;
	char text[64];
	cl_int err;

	bench_start("");
	program = bench_program("void helper(int a);\nkernel void scale_float(..)\n{\n}\nvoid copy_uchar();\n"
				"kernel __attribute__((vec_type_hint(float4))) void sum_uint(..) {}\n"
				"my_kernel void add_uint(..)\nkernel void nobody_knows_me(..) {}\n");
	OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL));
	ck_assert_str_eq(text, "scale_float;sum_uint");
	ck_assert_ptr_null(clCreateKernel(program, "nobody_knows_me", &err));
	ck_assert_int_eq(err, CL_INVALID_KERNEL_NAME);
	kernel = clCreateKernel(program, "scale_float", &err);
	OK(err);
	OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL));
	ck_assert_uint_eq(count, 3);
	OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
	ck_assert_str_eq(text, "float*");
	OK(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
	ck_assert_str_eq(text, "factor");
	OK(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space), &space, NULL));
	ck_assert_uint_eq(space, CL_KERNEL_ARG_ADDRESS_PRIVATE);
	ck_assert_int_eq(b.fake->configure("arginfo=0"), 0);
	ck_assert_int_eq(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL),
		CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
	OK(clReleaseKernel(kernel));
	OK(clReleaseProgram(program));
	bench_finish();
}
END_TEST

/* out[i] = in[i] + *add, with a word of local memory in between */
static void own_run(const struct fake_cl_launch *l)
{
	const unsigned char *in = l->arg[0];
	unsigned char *out = l->arg[1], *local = l->arg[3];

	ck_assert_uint_eq(l->arg_size[3], 4);
	for (size_t i = 0; i < l->global[0]; i++) {
		local[0] = in[i];
		out[i] = (unsigned char)(local[0] + *(const cl_uint *)l->arg[2]);
	}
}

START_TEST(own_kernels)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uchar"), FAKE_CL_OUT("out", "uchar"),
		FAKE_CL_VALUE("add", "uint", 4), FAKE_CL_LOCAL("local", "uchar") };
	static const struct fake_cl_kernel own = {
		.name = "own", .args = args, .arg_count = 4, .required_group = { 8, 1, 1 }, .run = own_run
	};
	const size_t items = 16, group = 8;
	unsigned char in[SIZE], out[SIZE];
	const cl_uint add = 5;
	cl_program program;
	cl_kernel kernel;
	cl_int err;
	cl_mem from, to;

	bench_start("");
	ck_assert_int_eq(b.fake->add_kernel(&own), 0);
	ck_assert_int_eq(b.fake->add_kernel(&(struct fake_cl_kernel){ .name = "x" }), -EINVAL);
	from = bench_buffer(SIZE);
	to = bench_buffer(SIZE);
	bench_pattern(in, 0);
	bench_write(from, in);
	bench_write(to, in);
	program = bench_program("kernel void own(global const uchar *in, global uchar *out, uint add, local "
				"uchar *l) { .. }\n");
	kernel = clCreateKernel(program, "own", &err);
	OK(err);
	OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
	OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
	OK(clSetKernelArg(kernel, 2, sizeof(add), &add));
	OK(clSetKernelArg(kernel, 3, 4, NULL));
	ck_assert_int_eq(clSetKernelArg(kernel, 4, 4, NULL), CL_INVALID_ARG_INDEX);
	ck_assert_int_eq(bench_launch(kernel, items, NULL), CL_INVALID_WORK_GROUP_SIZE);
	OK(clEnqueueNDRangeKernel(b.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
	bench_read(to, out);
	for (unsigned i = 0; i < SIZE; i++) {
		unsigned expected = i < 16 ? in[i] + 5u : in[i];

		ck_assert_uint_eq(out[i], expected & 255);
	}
	OK(clReleaseKernel(kernel));
	OK(clReleaseProgram(program));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	bench_finish();
}
END_TEST

START_TEST(windows_with_valid_and_state)
{
	cl_uint in[4] = { 1, 2, 3, 4 }, out[4], valid = 3, rate = 4;
	cl_mem from, to, state;
	cl_kernel kernel, sum;
	const cl_uint zero = 0;

	bench_start("");
	from = bench_buffer(sizeof(in));
	to = bench_buffer(sizeof(in));
	state = bench_buffer(sizeof(in));
	kernel = bench_kernel("copy_valid_uint");
	sum = bench_kernel("sum_uint");
	OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
	OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
	OK(clSetKernelArg(kernel, 2, sizeof(valid), &valid));
	OK(clSetKernelArg(kernel, 3, sizeof(rate), &rate));
	OK(clSetKernelArg(sum, 0, sizeof(to), &to));
	OK(clSetKernelArg(sum, 1, sizeof(state), &state));
	OK(clSetKernelArg(sum, 2, sizeof(from), &from));
	OK(clSetKernelArg(sum, 3, sizeof(rate), &rate));
	OK(clEnqueueFillBuffer(b.queue, state, &zero, 4, 0, 4, 0, NULL, NULL));
	OK(clEnqueueWriteBuffer(b.queue, from, CL_TRUE, 0, sizeof(in), in, 0, NULL, NULL));
	OK(clEnqueueTask(b.queue, kernel, 0, NULL, NULL));
	OK(clEnqueueTask(b.queue, sum, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(b.queue, from, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
	ck_assert_mem_eq(out, ((cl_uint[]){ 1, 3, 6, 6 }), sizeof(out));
	OK(clReleaseKernel(kernel));
	OK(clReleaseKernel(sum));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
	OK(clReleaseMemObject(state));
	bench_finish();
}
END_TEST

/* -- devices -- */

START_TEST(parts_of_a_device)
{
	const cl_device_partition_property equally[] = { CL_DEVICE_PARTITION_EQUALLY, 2, 0 };
	const cl_device_partition_property counts[] = { CL_DEVICE_PARTITION_BY_COUNTS, 1, 2,
		CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
	const cl_device_partition_property many[] = { CL_DEVICE_PARTITION_BY_COUNTS, 3, 3,
		CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
	cl_device_id parts[2], more[2], all[4], parent;
	cl_context context;
	cl_command_queue queue;
	cl_uint count, units;
	cl_int err;

	bench_start("units=5,devices=3");
	OK(clGetDeviceIDs(b.platform, CL_DEVICE_TYPE_GPU, 4, all, &count));
	ck_assert_uint_eq(count, 3);
	ck_assert_int_eq(clGetDeviceIDs(b.platform, CL_DEVICE_TYPE_CPU, 4, all, &count), CL_DEVICE_NOT_FOUND);
	OK(clCreateSubDevices(b.device, equally, 2, parts, &count));
	ck_assert_uint_eq(count, 2);
	OK(clCreateSubDevices(b.device, counts, 2, more, NULL));
	ck_assert_int_eq(
		clCreateSubDevices(b.device, many, 2, more, NULL), CL_INVALID_DEVICE_PARTITION_COUNT);
	OK(clGetDeviceInfo(more[1], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	ck_assert_uint_eq(units, 2);
	OK(clGetDeviceInfo(more[1], CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
	ck_assert_ptr_eq(parent, b.device);
	ck_assert_int_eq(b.fake->live(FAKE_CL_SUB_DEVICE), 4);
	context = clCreateContext(NULL, 2, more, NULL, NULL, &err);
	OK(err);
	ck_assert_ptr_null(clCreateCommandQueue(context, b.device, 0, &err));
	ck_assert_int_eq(err, CL_INVALID_DEVICE);
	queue = clCreateCommandQueueWithProperties(context, more[0], NULL, &err);
	OK(err);
	for (unsigned i = 0; i < 2; i++) {
		OK(clReleaseDevice(parts[i]));
		OK(clReleaseDevice(more[i]));
	}
	OK(clReleaseContext(context));
	OK(clFinish(queue));
	OK(clReleaseCommandQueue(queue));
	bench_finish();
}
END_TEST

START_TEST(settings)
{
	cl_device_svm_capabilities svm = 7;
	char text[64];
	cl_int err;

	bench_start("version=12,align=512");
	ck_assert_int_eq(b.fake->configure("align=4096,nonsense=1"), -EINVAL);
	ck_assert_int_eq(b.fake->configure("unified=2"), -EINVAL);
	ck_assert_int_eq(b.fake->configure("svm"), -EINVAL);
	OK(clGetDeviceInfo(b.device, CL_DEVICE_VERSION, sizeof(text), text, NULL));
	TEST_SAYS(text, "OpenCL 1.2 ");
	ck_assert_int_eq(clGetDeviceInfo(b.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL),
		CL_INVALID_VALUE);
	ck_assert_ptr_null(clSVMAlloc(b.context, CL_MEM_READ_WRITE, 64, 0));
	ck_assert_ptr_null(clCreateCommandQueueWithProperties(b.context, b.device, NULL, &err));
	ck_assert_int_eq(b.fake->configure("max_alloc=1000"), 0);
	ck_assert_ptr_null(clCreateBuffer(b.context, 0, 1001, NULL, &err));
	ck_assert_int_eq(err, CL_INVALID_BUFFER_SIZE);
	bench_finish();
}
END_TEST

/* -- events -- */

static _Atomic uint64_t called;
static _Atomic int told;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	told = status;
	called++;
}

/* Enqueueing from a callback is fine; here the release of the queue, too. */
static void CL_CALLBACK on_last(cl_event event, cl_int status, void *data)
{
	cl_command_queue queue = data;

	ck_assert_int_eq(status, CL_COMPLETE);
	ck_assert_int_eq(bench_status(event), CL_COMPLETE);
	OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
	OK(clReleaseCommandQueue(queue));
	called++;
}

START_TEST(callbacks_and_user_events)
{
	cl_event gate, event;
	cl_command_queue other;

	called = 0;
	bench_start("");
	gate = bench_user_event();
	other = bench_queue();
	OK(clEnqueueMarkerWithWaitList(b.queue, 1, &gate, &event));
	OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
	OK(clEnqueueBarrierWithWaitList(other, 1, &event, NULL));
	ck_assert_int_gt(bench_status(event), CL_COMPLETE);
	ck_assert_uint_eq(called, 0);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
	OK(clFinish(other));
	test_await(&called, 1);
	ck_assert_int_eq(told, CL_COMPLETE);
	OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL)); /* too late: called here */
	ck_assert_uint_eq(called, 2);
	OK(clReleaseEvent(event));
	OK(clEnqueueMarkerWithWaitList(other, 0, NULL, &event));
	OK(clSetEventCallback(event, CL_COMPLETE, on_last, other));
	OK(clReleaseEvent(event));
	test_await(&called, 3);
	OK(clReleaseEvent(gate));
	bench_finish();
}
END_TEST

START_TEST(lazy_queues_need_a_flush)
{
	cl_event event;

	called = 0;
	bench_start("lazy=1");
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &event));
	ck_assert_int_eq(bench_status(event), CL_QUEUED);
	OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
	OK(clFlush(b.queue));
	test_await(&called, 1);
	OK(clReleaseEvent(event));
	bench_finish();
}
END_TEST

/* As with NVIDIA's driver. */
START_TEST(markers_without_times)
{
	cl_event events[3];
	cl_ulong ended;
	cl_mem to;

	bench_start(_i ? "nvidia=1" : "");
	to = bench_buffer(SIZE);
	OK(clEnqueueBarrierWithWaitList(b.queue, 0, NULL, &events[0]));
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &events[1]));
	OK(clEnqueueFillBuffer(b.queue, to, "", 1, 0, SIZE, 0, NULL, &events[2]));
	OK(clFinish(b.queue));
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(clGetEventProfilingInfo(
					 events[i], CL_PROFILING_COMMAND_END, sizeof(ended), &ended, NULL),
			_i && i < 2 ? CL_PROFILING_INFO_NOT_AVAILABLE : CL_SUCCESS);
		OK(clReleaseEvent(events[i]));
	}
	OK(clReleaseMemObject(to));
	bench_finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fake_cl");
	TCase *moving = test_case(suite, "moving"), *programs = test_case(suite, "programs");
	TCase *devices = test_case(suite, "devices"), *events = test_case(suite, "events");

	tcase_add_test(moving, a_kernel_runs);
	tcase_add_test(moving, copy_and_fill);
	tcase_add_test(moving, memory_is_apart);
	tcase_add_test(moving, a_map_fills_when_it_runs);
	tcase_add_test(moving, unified_memory_is_one);
	tcase_add_test(programs, a_build_fails);
	tcase_add_test(programs, kernels_tell_what_they_are);
	tcase_add_test(programs, own_kernels);
	tcase_add_test(programs, windows_with_valid_and_state);
	tcase_add_test(devices, parts_of_a_device);
	tcase_add_test(devices, settings);
	tcase_add_test(events, callbacks_and_user_events);
	tcase_add_test(events, lazy_queues_need_a_flush);
	tcase_add_loop_test(events, markers_without_times, 0, 2);
	return test_main(suite);
}
