/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/starpu_opencl.h"

#include "benchmarks/peers/peer.h"

#include <stdio.h>
#include <stdlib.h>

enum { GAUSS, THRESHOLD, MEDIAN, KERNELS };

/* A part of a buffer, kept as long as the buffer is the same: it keeps that alive. */
struct part {
	cl_mem whole, part;
};

/* Set before any task is submitted; the parts and kernels are the device's worker's while tasks run. */
static struct {
	struct starpu_opencl_options options;
	int worker;
	struct starpu_opencl_program programs[KERNELS];
	cl_kernel kernels[KERNELS];
	cl_command_queue queue;
	struct ps_work_size gauss, median, first,
		rest; /* threshold's: of a token's first frame, of the others */
	struct part last[STARPU_OPENCL_TOKENS + 1], now[STARPU_OPENCL_TOKENS + 1],
		moved[STARPU_OPENCL_TOKENS];
} device;

static size_t frame_bytes(void)
{
	return (size_t)device.options.w * device.options.h;
}

static cl_mem memory_of(void *buffer)
{
	return (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffer); /* NOLINT: an integer to StarPU */
}

static void set_memory(int kernel, cl_uint index, cl_mem memory)
{
	cl_direct_check(
		clSetKernelArg(device.kernels[kernel], index, sizeof memory, &memory), "clSetKernelArg");
}

static void launch(int kernel, const struct ps_work_size *size)
{
	cl_direct_check(clEnqueueNDRangeKernel(device.queue, device.kernels[kernel], PS_WORK_DIMS, NULL,
				size->global, size->local, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
}

static void drop(struct part *p)
{
	if (p->part)
		cl_direct_check(clReleaseMemObject(p->part), "clReleaseMemObject");
	*p = (struct part){ NULL, NULL };
}

/* Frames from .. from + count - 1 of a buffer. */
static cl_mem part_of(struct part *p, cl_mem whole, size_t from, size_t count)
{
	cl_buffer_region region = { from * frame_bytes(), count * frame_bytes() };
	cl_int err;

	if (p->whole == whole)
		return p->part;
	drop(p);
	p->part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
	cl_direct_check(err, "clCreateSubBuffer");
	p->whole = whole;
	return p->part;
}

static void filter(int kernel, void *in, void *out, const struct ps_work_size *size)
{
	set_memory(kernel, 0, memory_of(in));
	set_memory(kernel, 1, memory_of(out));
	launch(kernel, size);
}

static void threshold_frames(
	cl_mem now, cl_mem before, cl_mem out, uint32_t frames, const struct ps_work_size *size)
{
	set_memory(THRESHOLD, 0, now);
	set_memory(THRESHOLD, 1, before);
	set_memory(THRESHOLD, 2, out);
	cl_direct_threshold_args(
		device.kernels[THRESHOLD], 3, frame_bytes(), frames, device.options.threshold);
	launch(THRESHOLD, size);
}

/* The first frame's predecessor lies in another buffer than those of the others. */
static void threshold_token(uint64_t token, cl_mem now, cl_mem before, cl_mem out)
{
	uint32_t r = device.options.batch, tokens = device.options.tokens;
	size_t i = token % tokens, g = token % (tokens + 1);

	if (r == 1) {
		threshold_frames(now, before, out, 1, &device.first);
		return;
	}
	threshold_frames(now, part_of(&device.last[g], before, r - 1, 1), out, 1, &device.first);
	threshold_frames(part_of(&device.now[g], now, 1, r - 1), now,
		part_of(&device.moved[i], out, 1, r - 1), r - 1, &device.rest);
}

static void gauss(void *buffers[], void *token)
{
	(void)token;
	filter(GAUSS, buffers[0], buffers[1], &device.gauss);
}

static void threshold(void *buffers[], void *token)
{
	threshold_token(
		(uintptr_t)token, memory_of(buffers[0]), memory_of(buffers[1]), memory_of(buffers[2]));
}

static void median(void *buffers[], void *token)
{
	(void)token;
	filter(MEDIAN, buffers[0], buffers[1], &device.median);
}

static void all(void *buffers[], void *token)
{
	gauss(buffers, token);
	threshold(buffers + 1, token);
	median(buffers + 3, token);
}

struct starpu_codelet starpu_opencl_gauss = { .opencl_funcs = { gauss },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 2,
	.modes = { STARPU_R, STARPU_W },
	.name = "gauss" };
struct starpu_codelet starpu_opencl_threshold = { .opencl_funcs = { threshold },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 3,
	.modes = { STARPU_R, STARPU_R, STARPU_W },
	.name = "threshold" };
struct starpu_codelet starpu_opencl_median = { .opencl_funcs = { median },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 2,
	.modes = { STARPU_R, STARPU_W },
	.name = "median" };
struct starpu_codelet starpu_opencl_all = { .opencl_funcs = { all },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 5,
	.modes = { STARPU_R, STARPU_W, STARPU_R, STARPU_W, STARPU_W },
	.name = "all" };

/* -- start and end -- */

static void start(bool on_cpu)
{
	struct starpu_conf conf;
	char tasks[12];

	/* there is nothing in starpu_conf for these */
	snprintf(tasks, sizeof tasks, "%u", device.options.tasks);
	setenv("STARPU_OPENCL_PIPELINE", tasks, 1);
	setenv("STARPU_OPENCL_ONLY_ON_CPUS", on_cpu ? "1" : "0", 1);
	starpu_conf_init(&conf);
	conf.ncpus = (int)device.options.cores;
	conf.ncuda = 0;
	conf.nopencl = 1;
	if (starpu_init(&conf))
		peer_fail("StarPU doesn't start");
	if (starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, &device.worker, 1) != 1)
		peer_fail("StarPU finds no OpenCL device: is STARPU_NOPENCL set in the environment?");
}

static void build(int kernel, const struct pstk_kernel *form)
{
	if (starpu_opencl_load_opencl_from_string(form->source, &device.programs[kernel], form->options) ||
		starpu_opencl_load_kernel(&device.kernels[kernel], &device.queue, &device.programs[kernel],
			form->name, starpu_worker_get_devid(device.worker)))
		peer_fail("StarPU doesn't build the kernel %s", form->name);
}

void starpu_opencl_open(const struct starpu_opencl_options *o, bool on_cpu)
{
	size_t bytes = (size_t)o->w * o->h;

	device.options = *o;
	start(on_cpu);
	build(GAUSS, &ps_gauss5x5_kernel);
	build(THRESHOLD, &ps_threshold_kernel);
	build(MEDIAN, &ps_median5_kernel);
	cl_direct_filter_args(device.kernels[GAUSS], 2, o->w, o->h, o->batch);
	cl_direct_filter_args(device.kernels[MEDIAN], 2, o->w, o->h, o->batch);
	device.gauss = ps_gauss5x5_work_size(o->w, o->h, o->batch);
	device.median = ps_median5_work_size(o->w, o->h, o->batch);
	device.first = ps_threshold_work_size(bytes, 1);
	device.rest = ps_threshold_work_size(bytes, o->batch > 1 ? o->batch - 1 : 1);
}

void starpu_opencl_close(void)
{
	for (unsigned i = 0; i <= STARPU_OPENCL_TOKENS; i++) {
		drop(&device.last[i]);
		drop(&device.now[i]);
		if (i < STARPU_OPENCL_TOKENS)
			drop(&device.moved[i]);
	}
	for (int k = 0; k < KERNELS; k++) {
		starpu_opencl_release_kernel(device.kernels[k]);
		starpu_opencl_unload_opencl(&device.programs[k]);
	}
	starpu_shutdown();
}

unsigned starpu_opencl_node(void)
{
	return starpu_worker_get_memory_node((unsigned)device.worker);
}
