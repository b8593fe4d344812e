/* SPDX-License-Identifier: MIT */
#include "benchmarks/limit/piic_opencl.h"
#include "benchmarks/apps/piic_token.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(cl_int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "by hand: %s: OpenCL error %d\n", what, (int)code);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* -- devices -- */

static bool take_parts(struct piic_devices *d, cl_device_id whole, unsigned count)
{
	cl_uint units = 0, made = 0;

	if (clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) || units < count)
		return false;

	const cl_device_partition_property counts[] = { CL_DEVICE_PARTITION_EQUALLY,
		(cl_device_partition_property)(units / count), 0 };

	d->parts = !clCreateSubDevices(whole, counts, PIIC_DEVICES, d->devices, &made) && made >= count;
	return d->parts;
}

static bool take(struct piic_devices *d, cl_platform_id platform, cl_device_type type, unsigned count)
{
	cl_uint there = 0;

	if (clGetDeviceIDs(platform, type, count, d->devices, &there) || !there)
		return false;
	return there >= count || (type == CL_DEVICE_TYPE_CPU && take_parts(d, d->devices[0], count));
}

bool piic_open(struct piic_devices *d, const char *name, cl_device_type type, unsigned count)
{
	enum { MOST = 16 };
	cl_platform_id platforms[MOST];
	cl_uint there = 0;
	bool found = false;
	cl_int code;

	*d = (struct piic_devices){ .count = count };
	if (clGetPlatformIDs(MOST, platforms, &there))
		return false;
	for (cl_uint i = 0; i < there && i < MOST && !found; i++) {
		char text[256] = "";

		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL);
		found = strstr(text, name) && take(d, platforms[i], type, count);
	}
	if (!found)
		return false;
	d->context = clCreateContext(NULL, count, d->devices, NULL, NULL, &code);
	check(code, "clCreateContext");
	return true;
}

void piic_close(struct piic_devices *d)
{
	clReleaseContext(d->context);
	for (unsigned i = 0; d->parts && i < d->count; i++)
		clReleaseDevice(d->devices[i]);
}

/* -- a run -- */

struct pinned {
	cl_mem buffer;
	float *floats; /* mapped once */
};

struct device {
	struct run *run;
	unsigned index;
	cl_command_queue to, compute, from;
	cl_kernel kernel;
	cl_mem in[2], out[2];
	pthread_t thread;
};

struct run {
	const struct piic_devices *devices;
	const struct piic_by_hand *is;
	enum piic_way way;
	cl_program program;
	struct device device[PIIC_DEVICES];
	struct pinned host[PIIC_DEVICES + 1][2]; /* in front of each device, and behind the last */
	pthread_barrier_t barrier;
	uint64_t cycles, latency; /* latency: the cycle in which token 0 is consumed */
	double begin, end;
};

static cl_mem new_buffer(const struct run *r, cl_mem_flags flags)
{
	cl_int code;
	cl_mem mem =
		clCreateBuffer(r->devices->context, CL_MEM_READ_WRITE | flags, r->is->bytes, NULL, &code);

	check(code, "clCreateBuffer");
	return mem;
}

static cl_command_queue new_queue(const struct run *r, unsigned device)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(
		r->devices->context, r->devices->devices[device], CL_QUEUE_PROFILING_ENABLE, &code);

	check(code, "clCreateCommandQueue");
	return queue;
}

static void open_pinned(struct run *r, struct pinned *p)
{
	cl_int code;

	p->buffer = new_buffer(r, CL_MEM_ALLOC_HOST_PTR);
	p->floats = clEnqueueMapBuffer(r->device[0].to, p->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
		r->is->bytes, 0, NULL, NULL, &code);
	check(code, "clEnqueueMapBuffer");
	memset(p->floats, 0, r->is->bytes);
}

static void close_pinned(struct run *r, struct pinned *p)
{
	check(clEnqueueUnmapMemObject(r->device[0].to, p->buffer, p->floats, 0, NULL, NULL),
		"clEnqueueUnmapMemObject");
	check(clFinish(r->device[0].to), "clFinish");
	clReleaseMemObject(p->buffer);
}

static void open_device(struct run *r, unsigned index)
{
	struct device *d = &r->device[index];
	const cl_ulong firing = 0;
	const cl_uint loops = r->is->loops;
	cl_int code;

	*d = (struct device){ .run = r, .index = index };
	d->to = new_queue(r, index);
	d->compute = new_queue(r, index);
	d->from = new_queue(r, index);
	for (unsigned half = 0; half < 2; half++) {
		d->in[half] = new_buffer(r, 0);
		d->out[half] = new_buffer(r, 0);
	}
	d->kernel = clCreateKernel(r->program, PIIC_KERNEL, &code);
	check(code, "clCreateKernel");
	check(clSetKernelArg(d->kernel, 2, sizeof firing, &firing), "clSetKernelArg");
	check(clSetKernelArg(d->kernel, 3, sizeof loops, &loops), "clSetKernelArg");
}

static void close_device(struct device *d)
{
	clReleaseKernel(d->kernel);
	for (unsigned half = 0; half < 2; half++) {
		clReleaseMemObject(d->in[half]);
		clReleaseMemObject(d->out[half]);
	}
	clReleaseCommandQueue(d->to);
	clReleaseCommandQueue(d->compute);
	clReleaseCommandQueue(d->from);
}

static void open_run(struct run *r)
{
	const char *source = PIIC_SOURCE;
	cl_int code;

	r->program = clCreateProgramWithSource(r->devices->context, 1, &source, NULL, &code);
	check(code, "clCreateProgramWithSource");
	check(clBuildProgram(r->program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
	for (unsigned d = 0; d < r->devices->count; d++)
		open_device(r, d);
	for (unsigned h = 0; h <= r->devices->count; h++)
		for (unsigned half = 0; half < 2; half++)
			open_pinned(r, &r->host[h][half]);
	if (r->is->net) {
		const struct pinned *at = r->host[r->is->net->first ? r->devices->count : 0];

		r->is->net->open(
			r->is->net->self, (float *const[]){ at[0].floats, at[1].floats }, r->is->bytes);
	}
}

static void close_run(struct run *r)
{
	if (r->is->net)
		r->is->net->close(r->is->net->self);
	for (unsigned h = 0; h <= r->devices->count; h++)
		for (unsigned half = 0; half < 2; half++)
			close_pinned(r, &r->host[h][half]);
	for (unsigned d = 0; d < r->devices->count; d++)
		close_device(&r->device[d]);
	clReleaseProgram(r->program);
}

/* -- what a cycle has, of a device -- */

/* The halves of double buffers that are written and read in this cycle; what isn't double has one. */
static unsigned written(bool is_double, uint64_t cycle)
{
	return is_double ? cycle & 1 : 0;
}

static unsigned read_of(bool is_double, uint64_t cycle)
{
	return is_double ? (cycle + 1) & 1 : 0;
}

/* All threads are here; of two hosts those of both. */
static void meet(struct run *r, bool host)
{
	pthread_barrier_wait(&r->barrier);
	if (!r->is->net)
		return;
	if (host)
		r->is->net->barrier(r->is->net->self);
	pthread_barrier_wait(&r->barrier);
}

/* Memory between two devices is written and read in one phase; that at both ends is not, nor what a network fills or
 * empties. */
static bool host_is_double(const struct run *r, unsigned h)
{
	return r->way != PIIC_PHASES || (h > 0 && h < r->devices->count);
}

static bool device_is_double(const struct run *r)
{
	return r->way == PIIC_OVERLAP;
}

static void start_to(struct device *d, uint64_t cycle)
{
	const struct run *r = d->run;
	const struct pinned *from = &r->host[d->index][read_of(host_is_double(r, d->index), cycle)];

	check(clEnqueueWriteBuffer(d->to, d->in[written(device_is_double(r), cycle)], CL_FALSE, 0,
		      r->is->bytes, from->floats, 0, NULL, NULL),
		"clEnqueueWriteBuffer");
	check(clFlush(d->to), "clFlush");
}

static void start_compute(struct device *d, uint64_t cycle)
{
	const struct run *r = d->run;
	const size_t floats = r->is->bytes / sizeof(float);
	bool is_double = device_is_double(r);

	check(clSetKernelArg(d->kernel, 0, sizeof(cl_mem), &d->in[read_of(is_double, cycle)]),
		"clSetKernelArg");
	check(clSetKernelArg(d->kernel, 1, sizeof(cl_mem), &d->out[written(is_double, cycle)]),
		"clSetKernelArg");
	check(clEnqueueNDRangeKernel(d->compute, d->kernel, 1, NULL, &floats, NULL, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
	check(clFlush(d->compute), "clFlush");
}

static void start_from(struct device *d, uint64_t cycle)
{
	const struct run *r = d->run;
	const struct pinned *to = &r->host[d->index + 1][written(host_is_double(r, d->index + 1), cycle)];

	check(clEnqueueReadBuffer(d->from, d->out[read_of(device_is_double(r), cycle)], CL_FALSE, 0,
		      r->is->bytes, to->floats, 0, NULL, NULL),
		"clEnqueueReadBuffer");
	check(clFlush(d->from), "clFlush");
}

static void finish(cl_command_queue queue)
{
	check(clFinish(queue), "clFinish");
}

static void cycle_of_device(struct device *d, uint64_t cycle)
{
	bool at_once = d->run->way == PIIC_OVERLAP;

	if (d->run->way == PIIC_PHASES && d->run->is->net)
		meet(d->run, false);
	start_to(d, cycle);
	if (d->run->way == PIIC_SERIAL)
		finish(d->to);
	else
		start_from(d, cycle);
	if (d->run->way == PIIC_PHASES) {
		finish(d->to);
		finish(d->from);
		meet(d->run, false);
	}
	start_compute(d, cycle);
	finish(d->compute);
	if (d->run->way == PIIC_SERIAL)
		start_from(d, cycle);
	if (at_once)
		finish(d->to);
	if (d->run->way != PIIC_PHASES)
		finish(d->from);
}

static void *device_thread(void *arg)
{
	struct device *d = arg;

	for (uint64_t cycle = 0; cycle < d->run->cycles; cycle++) {
		cycle_of_device(d, cycle);
		meet(d->run, false);
	}
	return NULL;
}

/* -- .. and of the host -- */

static void produce(struct run *r, uint64_t cycle)
{
	if (r->is->net && !r->is->net->first)
		return;
	piic_produce(
		r->host[0][written(host_is_double(r, 0), cycle)].floats, r->is->bytes / sizeof(float), cycle);
}

static void consume(struct run *r, uint64_t cycle)
{
	unsigned last = r->devices->count, incrementers = r->is->net ? 2 : last;
	uint64_t k = cycle - r->latency;

	if (cycle < r->latency || (r->is->net && r->is->net->first))
		return;
	if (!piic_is(r->host[last][read_of(host_is_double(r, last), cycle)].floats,
		    r->is->bytes / sizeof(float), k, incrementers, r->is->loops)) {
		fprintf(stderr, "by hand: token %llu is wrong\n", (unsigned long long)k);
		exit(1);
	}
	if (k == r->is->first)
		r->begin = now();
	r->end = now();
}

static void start_net(struct run *r, uint64_t cycle)
{
	const struct piic_net *net = r->is->net;
	bool is_double = r->way == PIIC_OVERLAP;

	net->start(net->self, net->first ? read_of(is_double, cycle) : written(is_double, cycle));
}

/* With phases the host's single memory at the ends is touched in the phase of actors. */
static void host_cycles(struct run *r)
{
	const struct piic_net *net = r->is->net;

	for (uint64_t cycle = 0; cycle < r->cycles; cycle++) {
		if (net)
			start_net(r, cycle);
		if (net && r->way == PIIC_PHASES) {
			net->wait(net->self);
			meet(r, true);
		}
		if (r->way == PIIC_PHASES)
			meet(r, true);
		produce(r, cycle);
		consume(r, cycle);
		if (net && r->way != PIIC_PHASES)
			net->wait(net->self);
		meet(r, true);
	}
}

static uint64_t latency_of(const struct run *r)
{
	uint64_t devices = r->devices->count;

	if (r->is->net)
		return r->way == PIIC_PHASES ? 4 : 8;
	return r->way == PIIC_SERIAL ? devices + 1 : r->way == PIIC_PHASES ? 2 * devices : 3 * devices + 1;
}

double piic_by_hand(const struct piic_devices *devices, const struct piic_by_hand *is, enum piic_way way)
{
	struct run r = { .devices = devices, .is = is, .way = way };

	r.latency = latency_of(&r);
	r.cycles = is->tokens + r.latency;
	open_run(&r);
	pthread_barrier_init(&r.barrier, NULL, devices->count + 1);
	for (unsigned d = 0; d < devices->count; d++)
		check(pthread_create(&r.device[d].thread, NULL, device_thread, &r.device[d]),
			"pthread_create");
	host_cycles(&r);
	for (unsigned d = 0; d < devices->count; d++)
		pthread_join(r.device[d].thread, NULL);
	pthread_barrier_destroy(&r.barrier);
	close_run(&r);
	return (r.end - r.begin) / (double)(is->tokens - 1 - is->first);
}

/* -- the parts by themselves -- */

enum { SAMPLES = 7 };

static double seconds_of(cl_event event)
{
	cl_ulong start, end;

	check(clWaitForEvents(1, &event), "clWaitForEvents");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
		"a profile");
	check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "a profile");
	clReleaseEvent(event);
	return (double)(end - start) * 1e-9;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(const struct piic_devices *devices, const struct piic_by_hand *is, bool kernel)
{
	struct piic_by_hand alone = *is;
	struct run r = { .devices = devices, .is = &alone, .way = PIIC_SERIAL };
	const size_t floats = is->bytes / sizeof(float);
	double samples[SAMPLES + 1]; /* the first one is not looked at */

	alone.net = NULL;
	open_run(&r);
	start_to(&r.device[0], 0);
	finish(r.device[0].to);
	start_compute(&r.device[0], 0);
	finish(r.device[0].compute);
	for (unsigned i = 0; i <= SAMPLES; i++) {
		struct device *d = &r.device[0];
		cl_event event;

		if (kernel)
			check(clEnqueueNDRangeKernel(
				      d->compute, d->kernel, 1, NULL, &floats, NULL, 0, NULL, &event),
				"clEnqueueNDRangeKernel");
		else
			check(clEnqueueWriteBuffer(d->to, d->in[0], CL_FALSE, 0, is->bytes,
				      r.host[0][0].floats, 0, NULL, &event),
				"clEnqueueWriteBuffer");
		samples[i] = seconds_of(event);
	}
	close_run(&r);
	qsort(samples + 1, SAMPLES, sizeof *samples, compare);
	return samples[1 + SAMPLES / 2];
}

double piic_kernel_seconds(const struct piic_devices *devices, const struct piic_by_hand *is)
{
	return median_of(devices, is, true);
}

double piic_hop_seconds(const struct piic_devices *devices, const struct piic_by_hand *is)
{
	return median_of(devices, is, false);
}
