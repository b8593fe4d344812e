/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "benchmarks/limit/saliency_opencl.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_CLFFT
#include <clFFT.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { BANDS = 4, MAPS = 6 * BANDS, SLOTS = 2, DIMS = 3, SAMPLES = 7 };
enum { GROUP = 256, TOTALS_GROUPS = 32, TOTALS_GROUP = 64 }; /* work-items */

/* In the order in which they run; the forward transform comes behind WIDEN, the inverse one behind GABOR. */
enum kernel { TOTALS, WEIGH, WIDEN, GABOR, ENERGY, INTERACTIONS, MEASURE, CHANGE, APPLY, SUM, KERNELS };

static const char window_source[] =
#include "actors/window/window.clh"
	;
static const char fft_source[] =
#include "actors/fft2d/fft2d.clh"
	;
static const char gabor_source[] =
#include "actors/gabor/gabor.clh"
	;
static const char ifft_source[] =
#include "actors/ifft2d/ifft2d.clh"
	;
static const char interactions_source[] =
#include "actors/interactions/interactions.clh"
	;
static const char normalize_source[] =
#include "actors/normalize/normalize.clh"
	;
static const char sum_source[] =
#include "actors/sum/sum.clh"
	;

static const struct {
	const char *source, *name;
} texts[KERNELS] = {
	{ window_source, "totals" },
	{ window_source, "weigh" },
	{ fft_source, "widen" },
	{ gabor_source, "gabor" },
	{ ifft_source, "energy" },
	{ interactions_source, "interactions" },
	{ normalize_source, "measure" },
	{ normalize_source, "change" },
	{ normalize_source, "apply" },
	{ sum_source, "sum" },
};

/* What holds the data of a lane's frame, in the order in which they come to be. */
enum buffer {
	PARTS,
	WEIGHED,
	SPECTRUM,
	FILTERED,
	INVERSE,
	ENERGIES,
	MIXED,
	ROWS,
	CHANGES,
	NORMALIZED,
	BUFFERS
};

enum table { WINDOW_COLUMNS, WINDOW_ROWS, FILTER_COLUMNS, FILTER_ROWS, TABLES };

/* Buffers between the host and the device. On a device that uses the host's memory they are mapped while the host has
 * them; else each has page-locked memory beside it, which is mapped for good. */
struct slot {
	cl_mem in, out, frame_memory, map_memory;
	uint8_t *frame;
	float *map;
	cl_event frame_free, map_ready; /* NULL: it is */
};

struct lane {
	cl_command_queue queue;
	cl_kernel kernels[KERNELS];
	cl_mem buffers[BUFFERS];
	clfftPlanHandle forward, inverse;
	cl_mem forward_between, inverse_between; /* what a transform needs besides; NULL: nothing */
	struct slot slots[SLOTS];
};

struct saliency_hand {
	cl_device_id device;
	cl_context context;
	bool unified;
	size_t width, height, pixels;
	size_t group, columns; /* work-items: of a group, of a row */
	cl_mem tables[TABLES];
	unsigned lane_count;
	struct lane lanes[SALIENCY_HAND_LANES];
	cl_event begin, ends[SALIENCY_HAND_STEPS]; /* of a frame whose steps are timed */
	bool timed;
};

static void check(cl_int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "saliency by hand: %s: error %d\n", what, (int)code);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static cl_mem new_buffer(const struct saliency_hand *h, cl_mem_flags flags, size_t bytes, void *host)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(h->context, flags, bytes, host, &code);

	check(code, "clCreateBuffer");
	return mem;
}

static cl_command_queue new_queue(const struct saliency_hand *h, cl_command_queue_properties properties)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(h->context, h->device, properties, &code);

	check(code, "clCreateCommandQueue");
	return queue;
}

/* -- tables: as the definitions say -- */

static const double pi = 3.14159265358979323846;

static void fill_window(float *to, size_t n)
{
	for (size_t k = 0; k < n; k++)
		to[k] = (float)(0.5 - 0.5 * cos(2 * pi * (double)k / (double)(n - 1)));
}

/* A filter's factors along one side. axis: the cosine or the sine of its orientation; sign: of the frequencies. */
static void fill_filter(float *to, size_t n, unsigned map, double (*axis)(double), int sign)
{
	double angle = (90 + 30 * (map / BANDS)) * pi / 180, f = ldexp(1.0 / 32, (int)(map % BANDS));
	double sigma = ldexp(2 / (2 * pi * 3.9) / 8, (int)(map % BANDS));

	for (size_t k = 0; k < n; k++) {
		double frequency = sign * (k < (n + 1) / 2 ? (double)k : (double)k - (double)n) / (double)n;
		double away = (frequency - f * axis(angle)) / sigma;

		to[k] = (float)exp(-away * away / 2);
		if (to[k] < 1e-12F)
			to[k] = 0;
	}
}

static void open_tables(struct saliency_hand *h)
{
	size_t floats[] = { h->width, h->height, MAPS * h->width, MAPS * h->height };

	for (unsigned t = 0; t < TABLES; t++) {
		float *values = malloc(floats[t] * sizeof *values);

		if (!values)
			check(CL_OUT_OF_HOST_MEMORY, "a table");
		for (unsigned map = 0; t >= FILTER_COLUMNS && map < MAPS; map++)
			if (t == FILTER_COLUMNS)
				fill_filter(values + map * h->width, h->width, map, cos, 1);
			else
				fill_filter(values + map * h->height, h->height, map, sin, -1);
		if (t < FILTER_COLUMNS)
			fill_window(values, floats[t]);
		h->tables[t] = new_buffer(
			h, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, floats[t] * sizeof *values, values);
		free(values);
	}
}

/* -- a lane -- */

static void open_buffers(const struct saliency_hand *h, struct lane *l)
{
	size_t map = h->pixels * sizeof(cl_float), spectrum = h->pixels * sizeof(cl_float2);
	const size_t bytes[BUFFERS] = { [PARTS] = (size_t)TOTALS_GROUPS * 2 * sizeof(cl_ulong),
		[WEIGHED] = map,
		[SPECTRUM] = spectrum,
		[FILTERED] = MAPS * spectrum,
		[INVERSE] = MAPS * spectrum,
		[ENERGIES] = MAPS * map,
		[MIXED] = MAPS * map,
		[ROWS] = MAPS * h->height * 3 * sizeof(cl_float),
		[CHANGES] = (size_t)MAPS * 4 * sizeof(cl_float),
		[NORMALIZED] = MAPS * map };

	for (unsigned b = 0; b < BUFFERS; b++)
		l->buffers[b] = new_buffer(h, CL_MEM_READ_WRITE, bytes[b], NULL);
}

static void *map_buffer(const struct lane *l, cl_mem mem, size_t bytes, cl_map_flags flags, cl_event *event)
{
	cl_int code;
	void *at = clEnqueueMapBuffer(l->queue, mem, !event, flags, 0, bytes, 0, NULL, event, &code);

	check(code, "clEnqueueMapBuffer");
	return at;
}

static void open_slot(const struct saliency_hand *h, struct lane *l, struct slot *s)
{
	const cl_mem_flags flags = CL_MEM_READ_WRITE, locked = flags | CL_MEM_ALLOC_HOST_PTR;
	size_t map = h->pixels * sizeof(cl_float);

	s->in = new_buffer(h, h->unified ? locked : flags, h->pixels, NULL);
	s->out = new_buffer(h, h->unified ? locked : flags, map, NULL);
	if (h->unified) {
		s->frame = map_buffer(l, s->in, h->pixels, CL_MAP_WRITE_INVALIDATE_REGION, NULL);
		return;
	}
	s->frame_memory = new_buffer(h, locked, h->pixels, NULL);
	s->map_memory = new_buffer(h, locked, map, NULL);
	s->frame = map_buffer(l, s->frame_memory, h->pixels, CL_MAP_READ | CL_MAP_WRITE, NULL);
	s->map = map_buffer(l, s->map_memory, map, CL_MAP_READ | CL_MAP_WRITE, NULL);
}

static cl_kernel new_kernel(const struct saliency_hand *h, enum kernel k)
{
	const char *source = texts[k].source;
	cl_int code;
	cl_program program = clCreateProgramWithSource(h->context, 1, &source, NULL, &code);
	cl_kernel kernel;

	check(code, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &h->device, NULL, NULL, NULL), texts[k].name);
	kernel = clCreateKernel(program, texts[k].name, &code);
	check(code, texts[k].name);
	clReleaseProgram(program);
	return kernel;
}

static void set(const struct lane *l, enum kernel k, cl_uint index, size_t size, const void *value)
{
	check(clSetKernelArg(l->kernels[k], index, size, value), "clSetKernelArg");
}

static void set_buffer(const struct lane *l, enum kernel k, cl_uint index, enum buffer buffer)
{
	set(l, k, index, sizeof(cl_mem), &l->buffers[buffer]);
}

/* Width, height, and, of kernels that the library launches by itself, the steps of a firing. */
static void set_sides(const struct saliency_hand *h, const struct lane *l, enum kernel k, cl_uint index)
{
	const cl_uint sides[] = { (cl_uint)h->width, (cl_uint)h->height, 1 };
	unsigned steps = k == GABOR || k == INTERACTIONS || k == SUM;

	for (unsigned i = 0; i < 2 + steps; i++)
		set(l, k, index + i, sizeof(cl_uint), &sides[i]);
}

static void set_up_filters(const struct saliency_hand *h, const struct lane *l)
{
	const cl_ulong pixels = h->pixels, firing = 0;

	set_buffer(l, TOTALS, 1, PARTS);
	set(l, TOTALS, 2, sizeof pixels, &pixels);
	set_buffer(l, WEIGH, 1, WEIGHED);
	set_buffer(l, WEIGH, 2, PARTS);
	set(l, WEIGH, 3, sizeof(cl_mem), &h->tables[WINDOW_COLUMNS]);
	set(l, WEIGH, 4, sizeof(cl_mem), &h->tables[WINDOW_ROWS]);
	set_sides(h, l, WEIGH, 5);
	set_buffer(l, WIDEN, 0, WEIGHED);
	set_buffer(l, WIDEN, 1, SPECTRUM);
	set(l, WIDEN, 2, sizeof pixels, &pixels);
	set_buffer(l, GABOR, 0, SPECTRUM);
	set_buffer(l, GABOR, 1, FILTERED);
	set(l, GABOR, 2, sizeof(cl_mem), NULL);
	set(l, GABOR, 3, sizeof firing, &firing);
	set(l, GABOR, 4, sizeof(cl_mem), &h->tables[FILTER_COLUMNS]);
	set(l, GABOR, 5, sizeof(cl_mem), &h->tables[FILTER_ROWS]);
	set_sides(h, l, GABOR, 6);
}

static void set_up_maps(const struct saliency_hand *h, const struct lane *l)
{
	const cl_ulong all = MAPS * h->pixels, firing = 0;
	const cl_float flat = 1e-9F, share = 1 / (float)h->pixels;

	set_buffer(l, ENERGY, 0, INVERSE);
	set_buffer(l, ENERGY, 1, ENERGIES);
	set(l, ENERGY, 2, sizeof all, &all);
	set_buffer(l, INTERACTIONS, 0, ENERGIES);
	set_buffer(l, INTERACTIONS, 1, MIXED);
	set(l, INTERACTIONS, 2, sizeof firing, &firing);
	set_sides(h, l, INTERACTIONS, 3);
	set_buffer(l, MEASURE, 0, MIXED);
	set_buffer(l, MEASURE, 1, ROWS);
	set_buffer(l, CHANGE, 0, ROWS);
	set_buffer(l, CHANGE, 1, CHANGES);
	set_buffer(l, APPLY, 0, MIXED);
	set_buffer(l, APPLY, 1, NORMALIZED);
	for (unsigned k = MEASURE; k <= APPLY; k++)
		set_sides(h, l, k, 2);
	set(l, CHANGE, 4, sizeof flat, &flat);
	set(l, CHANGE, 5, sizeof share, &share);
	set_buffer(l, APPLY, 4, CHANGES);
	set_buffer(l, SUM, 0, NORMALIZED);
	set(l, SUM, 2, sizeof firing, &firing);
	set_sides(h, l, SUM, 3);
}

static clfftPlanHandle new_transform(
	const struct saliency_hand *h, struct lane *l, bool in_place, size_t batch, cl_mem *between)
{
	const size_t sides[] = { h->width, h->height };
	clfftPlanHandle plan;
	size_t bytes = 0;

	check(clfftCreateDefaultPlan(&plan, h->context, CLFFT_2D, sides), "clfftCreateDefaultPlan");
	check(clfftSetPlanPrecision(plan, CLFFT_SINGLE), "clfftSetPlanPrecision");
	check(clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED), "clfftSetLayout");
	check(clfftSetResultLocation(plan, in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE),
		"clfftSetResultLocation");
	check(clfftSetPlanBatchSize(plan, batch), "clfftSetPlanBatchSize");
	check(clfftSetPlanDistance(plan, h->pixels, h->pixels), "clfftSetPlanDistance");
	check(clfftBakePlan(plan, 1, &l->queue, NULL, NULL), "clfftBakePlan");
	check(clfftGetTmpBufSize(plan, &bytes), "clfftGetTmpBufSize");
	*between = bytes ? new_buffer(h, CL_MEM_READ_WRITE, bytes, NULL) : NULL;
	return plan;
}

static void open_lane(const struct saliency_hand *h, struct lane *l)
{
	l->queue = new_queue(h, 0);
	open_buffers(h, l);
	for (unsigned k = 0; k < KERNELS; k++)
		l->kernels[k] = new_kernel(h, k);
	set_up_filters(h, l);
	set_up_maps(h, l);
	l->forward = new_transform(h, l, true, 1, &l->forward_between);
	l->inverse = new_transform(h, l, false, MAPS, &l->inverse_between);
	for (unsigned s = 0; s < SLOTS; s++)
		open_slot(h, l, &l->slots[s]);
}

static void release(cl_mem mem)
{
	if (mem)
		clReleaseMemObject(mem);
}

static void unmap(const struct lane *l, cl_mem mem, void *at)
{
	check(clEnqueueUnmapMemObject(l->queue, mem, at, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void await(cl_event *event)
{
	if (!*event)
		return;
	check(clWaitForEvents(1, event), "clWaitForEvents");
	clReleaseEvent(*event);
	*event = NULL;
}

static void close_slot(const struct lane *l, struct slot *s, bool unified)
{
	await(&s->frame_free);
	unmap(l, unified ? s->in : s->frame_memory, s->frame);
	if (!unified)
		unmap(l, s->map_memory, s->map);
	check(clFinish(l->queue), "clFinish");
	release(s->in);
	release(s->out);
	release(s->frame_memory);
	release(s->map_memory);
}

static void close_lane(struct lane *l, bool unified)
{
	for (unsigned s = 0; s < SLOTS; s++)
		close_slot(l, &l->slots[s], unified);
	clfftDestroyPlan(&l->forward);
	clfftDestroyPlan(&l->inverse);
	release(l->forward_between);
	release(l->inverse_between);
	for (unsigned k = 0; k < KERNELS; k++)
		clReleaseKernel(l->kernels[k]);
	for (unsigned b = 0; b < BUFFERS; b++)
		release(l->buffers[b]);
	clReleaseCommandQueue(l->queue);
}

/* -- the device -- */

static bool find(struct saliency_hand *h, const char *name, cl_device_type type)
{
	enum { MOST = 16 };
	cl_platform_id platforms[MOST];
	cl_uint there = 0, devices = 0;

	if (clGetPlatformIDs(MOST, platforms, &there))
		return false;
	for (cl_uint i = 0; i < there && i < MOST && !devices; i++) {
		char text[256] = "";

		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL);
		if (!strstr(text, name) || clGetDeviceIDs(platforms[i], type, 1, &h->device, &devices))
			devices = 0;
	}
	return devices;
}

struct saliency_hand *saliency_hand_open(
	const char *platform, cl_device_type type, uint32_t width, uint32_t height, unsigned lanes)
{
	struct saliency_hand *h = calloc(1, sizeof *h);
	clfftSetupData setup;
	cl_bool unified = CL_FALSE;
	cl_int code;

	if (!h || !find(h, platform, type)) {
		free(h);
		return NULL;
	}
	check(clGetDeviceInfo(h->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL),
		"clGetDeviceInfo");
	h->unified = unified;
	h->width = width;
	h->height = height;
	h->pixels = h->width * height;
	h->group = width < GROUP ? (h->width + 63) / 64 * 64 : GROUP;
	h->columns = (h->width + h->group - 1) / h->group * h->group;
	h->context = clCreateContext(NULL, 1, &h->device, NULL, NULL, &code);
	check(code, "clCreateContext");
	clfftInitSetupData(&setup);
	check(clfftSetup(&setup), "clfftSetup");
	open_tables(h);
	h->lane_count = lanes;
	for (unsigned i = 0; i < lanes; i++)
		open_lane(h, &h->lanes[i]);
	return h;
}

void saliency_hand_close(struct saliency_hand *h)
{
	for (unsigned i = 0; i < h->lane_count; i++)
		close_lane(&h->lanes[i], h->unified);
	for (unsigned t = 0; t < TABLES; t++)
		release(h->tables[t]);
	clfftTeardown();
	clReleaseContext(h->context);
	free(h);
}

/* -- a frame -- */

/* Where the event goes that ends a step; NULL: nothing asks for it. */
static cl_event *end_of(struct saliency_hand *h, unsigned step)
{
	return h->timed ? &h->ends[step] : NULL;
}

static void launch(const struct lane *l, enum kernel k, const size_t global[DIMS], const size_t local[DIMS],
	cl_event *event)
{
	check(clEnqueueNDRangeKernel(l->queue, l->kernels[k], DIMS, NULL, global, local, 0, NULL, event),
		texts[k].name);
}

static void transform(struct lane *l, bool inverse, enum buffer in, enum buffer out, cl_event *event)
{
	clfftPlanHandle plan = inverse ? l->inverse : l->forward;

	check(clfftEnqueueTransform(plan, inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1, &l->queue, 0, NULL,
		      event, &l->buffers[in], in == out ? NULL : &l->buffers[out],
		      inverse ? l->inverse_between : l->forward_between),
		"clfftEnqueueTransform");
}

static void bring(const struct saliency_hand *h, const struct lane *l, struct slot *s, const uint8_t *frame)
{
	await(&s->frame_free);
	memcpy(s->frame, frame, h->pixels);
	if (h->unified)
		unmap(l, s->in, s->frame);
	else
		check(clEnqueueWriteBuffer(
			      l->queue, s->in, CL_FALSE, 0, h->pixels, s->frame, 0, NULL, &s->frame_free),
			"clEnqueueWriteBuffer");
	set(l, TOTALS, 0, sizeof(cl_mem), &s->in);
	set(l, WEIGH, 0, sizeof(cl_mem), &s->in);
	set(l, SUM, 1, sizeof(cl_mem), &s->out);
}

static void enqueue_filters(struct saliency_hand *h, struct lane *l, struct slot *s)
{
	const size_t totals[] = { (size_t)TOTALS_GROUPS * TOTALS_GROUP, 1, 1 },
		     totals_local[] = { TOTALS_GROUP, 1, 1 }, pixels[] = { h->columns, h->height, 1 },
		     all[] = { h->columns, h->height, MAPS }, local[] = { h->group, 1, 1 },
		     flat[] = { (h->pixels + GROUP - 1) / GROUP * GROUP, 1, 1 },
		     flat_all[] = { (MAPS * h->pixels + GROUP - 1) / GROUP * GROUP, 1, 1 },
		     flat_local[] = { GROUP, 1, 1 };

	launch(l, TOTALS, totals, totals_local, h->timed ? &h->begin : NULL);
	launch(l, WEIGH, pixels, local, end_of(h, 0));
	if (h->unified)
		s->frame = map_buffer(l, s->in, h->pixels, CL_MAP_WRITE_INVALIDATE_REGION, &s->frame_free);
	launch(l, WIDEN, flat, flat_local, NULL);
	transform(l, false, SPECTRUM, SPECTRUM, end_of(h, 1));
	launch(l, GABOR, all, local, end_of(h, 2));
	transform(l, true, FILTERED, INVERSE, NULL);
	launch(l, ENERGY, flat_all, flat_local, end_of(h, 3));
}

static void enqueue_maps(struct saliency_hand *h, struct lane *l)
{
	const size_t pixels[] = { h->columns, h->height, 1 }, all[] = { h->columns, h->height, MAPS },
		     local[] = { h->group, 1, 1 }, rows[] = { h->height, MAPS, 1 }, maps[] = { MAPS, 1, 1 },
		     one[] = { 1, 1, 1 };

	launch(l, INTERACTIONS, pixels, local, end_of(h, 4));
	launch(l, MEASURE, rows, one, NULL);
	launch(l, CHANGE, maps, one, NULL);
	launch(l, APPLY, all, local, end_of(h, 5));
	launch(l, SUM, pixels, local, end_of(h, 6));
}

static struct slot *slot_of(struct saliency_hand *h, uint64_t k, struct lane **lane)
{
	*lane = &h->lanes[k % h->lane_count];
	return &(*lane)->slots[k / h->lane_count % SLOTS];
}

/* Enqueues all that is done with frame k. */
static void feed(struct saliency_hand *h, uint64_t k, const uint8_t *frame)
{
	struct lane *l;
	struct slot *s = slot_of(h, k, &l);
	size_t bytes = h->pixels * sizeof *s->map;

	bring(h, l, s, frame);
	enqueue_filters(h, l, s);
	enqueue_maps(h, l);
	if (h->unified)
		s->map = map_buffer(l, s->out, bytes, CL_MAP_READ, &s->map_ready);
	else
		check(clEnqueueReadBuffer(
			      l->queue, s->out, CL_FALSE, 0, bytes, s->map, 0, NULL, &s->map_ready),
			"clEnqueueReadBuffer");
	check(clFlush(l->queue), "clFlush");
}

static const float *await_map(struct saliency_hand *h, uint64_t k)
{
	struct lane *l;
	struct slot *s = slot_of(h, k, &l);

	await(&s->map_ready);
	return s->map;
}

static void give_back(struct saliency_hand *h, uint64_t k)
{
	struct lane *l;
	struct slot *s = slot_of(h, k, &l);

	if (h->unified)
		unmap(l, s->out, s->map);
}

/* Frames from `begin` to before `end`, the first and the last one on an idle device. */
static void run_frames(
	struct saliency_hand *h, const struct saliency_hand_run *run, uint64_t begin, uint64_t end)
{
	const uint64_t ahead = (uint64_t)h->lane_count * SLOTS;

	for (uint64_t k = begin; k < end + ahead; k++) {
		if (k >= begin + ahead && k - ahead < end) {
			run->take(run->data, k - ahead, await_map(h, k - ahead));
			give_back(h, k - ahead);
		}
		if (k < end)
			feed(h, k, run->frames + k % run->ring * h->pixels);
	}
}

double saliency_hand_run(struct saliency_hand *h, const struct saliency_hand_run *run)
{
	double begin;

	run_frames(h, run, 0, run->first);
	begin = now();
	run_frames(h, run, run->first, run->count);
	return (now() - begin) / (double)(run->count - run->first);
}

/* -- the steps by themselves -- */

static cl_ulong moment_of(cl_event *event, cl_profiling_info which)
{
	cl_ulong ns;

	check(clGetEventProfilingInfo(*event, which, sizeof ns, &ns, NULL), "a profile");
	clReleaseEvent(*event);
	*event = NULL;
	return ns;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Behind each other on one queue: a step ends where the next one begins. */
void saliency_hand_steps(struct saliency_hand *h, const uint8_t *frame, double steps[SALIENCY_HAND_STEPS])
{
	double all[SALIENCY_HAND_STEPS][SAMPLES + 1]; /* the first one is not looked at */
	struct lane *l = &h->lanes[0];
	cl_command_queue queue = l->queue;

	l->queue = new_queue(h, CL_QUEUE_PROFILING_ENABLE);
	h->timed = true;
	for (unsigned i = 0; i <= SAMPLES; i++) {
		uint64_t k = (uint64_t)i * h->lane_count; /* on this lane */
		cl_ulong before, after;

		feed(h, k, frame);
		await_map(h, k);
		give_back(h, k);
		before = moment_of(&h->begin, CL_PROFILING_COMMAND_START);
		for (unsigned step = 0; step < SALIENCY_HAND_STEPS; step++, before = after) {
			after = moment_of(&h->ends[step], CL_PROFILING_COMMAND_END);
			all[step][i] = (double)(after - before) * 1e-9;
		}
	}
	check(clFinish(l->queue), "clFinish");
	clReleaseCommandQueue(l->queue);
	h->timed = false;
	l->queue = queue;
	for (unsigned step = 0; step < SALIENCY_HAND_STEPS; step++) {
		qsort(all[step] + 1, SAMPLES, sizeof(double), compare);
		steps[step] = all[step][1 + SAMPLES / 2];
	}
}

#else

struct saliency_hand *saliency_hand_open(
	const char *platform, cl_device_type type, uint32_t width, uint32_t height, unsigned lanes)
{
	(void)platform, (void)type, (void)width, (void)height, (void)lanes;
	return NULL;
}

void saliency_hand_close(struct saliency_hand *h)
{
	(void)h;
}

double saliency_hand_run(struct saliency_hand *h, const struct saliency_hand_run *run)
{
	(void)h, (void)run;
	return 0;
}

void saliency_hand_steps(struct saliency_hand *h, const uint8_t *frame, double steps[SALIENCY_HAND_STEPS])
{
	(void)h, (void)frame, (void)steps;
}

#endif
