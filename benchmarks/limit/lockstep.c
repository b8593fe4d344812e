/* SPDX-License-Identifier: MIT */
#include "benchmarks/limit/lockstep.h"
#include "actors/normalize/normalize.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/limit/piic_opencl.h"

#include <penstock/plan.h>
#include <penstock/saliency.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HALVES = 2, BUFFERS_MOST = 16, KERNELS = 3, DEVICES = 2 };
enum { MEASURE, CHANGE, APPLY };

static const char source[] =
#include "actors/normalize/normalize.clh"
	;

/* Of a path: one of two halves is written in an iteration, the other one read. */
struct buffer {
	cl_mem device[HALVES]; /* NULL: it is in the host's memory */
	float *host[HALVES];
	uint64_t window[HALVES]; /* its number and 1; 0: none */
};

struct path {
	struct lockstep_path is;
	struct buffer buffers[BUFFERS_MOST + 1]; /* from 1 on */
	cl_command_queue copies, compute;
	cl_kernel kernels[KERNELS];
	cl_mem rows, changes;
	bool open;
};

struct state {
	const struct lockstep_run *is;
	struct piic_devices devices;
	struct pstk_migration weights;
	struct path paths[2]; /* the original one, the migrated one */
	size_t bytes;         /* of a window */
	uint64_t iteration, produced, taken;
	int64_t t; /* since the move began; < 0: it has not */
	bool gave, stopped, resumed, ended;
	pthread_barrier_t begin, end;
	pthread_t threads[2]; /* of both paths */
};

static void check(cl_int code, const char *what)
{
	if (code)
		rounds_fail("lock-step: %s: OpenCL error %d", what, (int)code);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned written(const struct state *s)
{
	return s->iteration & 1;
}

static unsigned read_half(const struct state *s)
{
	return (s->iteration + 1) & 1;
}

/* -- a path -- */

static cl_mem new_memory(const struct state *s, size_t bytes)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(s->devices.context, CL_MEM_READ_WRITE, bytes, NULL, &code);

	check(code, "clCreateBuffer");
	return mem;
}

static cl_command_queue new_queue(const struct state *s, unsigned device)
{
	cl_int code;
	cl_command_queue queue =
		clCreateCommandQueue(s->devices.context, s->devices.devices[device], 0, &code);

	check(code, "clCreateCommandQueue");
	return queue;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void build_kernels(const struct state *s, struct path *p)
{
	static const char *const names[KERNELS] = { "measure", "change", "apply" };
	const char *text = source;
	const cl_float flat = 1e-9f, share = 1 / (cl_float)(s->is->width * s->is->height);
	cl_int code;
	cl_program program = clCreateProgramWithSource(s->devices.context, 1, &text, NULL, &code);

	check(code, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &s->devices.devices[p->is.place], NULL, NULL, NULL),
		"clBuildProgram");
	p->rows = new_memory(s, (size_t)PSTK_SALIENCY_MAPS * s->is->height * 3 * sizeof(cl_float));
	p->changes = new_memory(s, (size_t)PSTK_SALIENCY_MAPS * 4 * sizeof(cl_float));
	for (unsigned k = 0; k < KERNELS; k++) {
		p->kernels[k] = clCreateKernel(program, names[k], &code);
		check(code, "clCreateKernel");
		set(p->kernels[k], 2, sizeof s->is->width, &s->is->width);
		set(p->kernels[k], 3, sizeof s->is->height, &s->is->height);
	}
	set(p->kernels[MEASURE], 1, sizeof p->rows, &p->rows);
	set(p->kernels[CHANGE], 0, sizeof p->rows, &p->rows);
	set(p->kernels[CHANGE], 1, sizeof p->changes, &p->changes);
	set(p->kernels[CHANGE], 4, sizeof flat, &flat);
	set(p->kernels[CHANGE], 5, sizeof share, &share);
	set(p->kernels[APPLY], 4, sizeof p->changes, &p->changes);
	clReleaseProgram(program);
}

/* Those beside a node on a device are on the device, the others on the host. */
static bool is_on_device(const struct path *p, unsigned b)
{
	return p->is.place != LOCKSTEP_CORES && (b == p->is.before || b == p->is.before + 1);
}

static void open_path(const struct state *s, struct path *p)
{
	for (unsigned b = 1; b <= p->is.buffers; b++)
		for (unsigned half = 0; half < HALVES; half++) {
			if (is_on_device(p, b))
				p->buffers[b].device[half] = new_memory(s, s->bytes);
			else
				p->buffers[b].host[half] = rounds_alloc(s->bytes);
		}
	if (p->is.place != LOCKSTEP_CORES) {
		p->copies = new_queue(s, p->is.place);
		p->compute = new_queue(s, p->is.place);
		build_kernels(s, p);
	}
	p->open = true;
}

static void close_path(struct path *p)
{
	for (unsigned b = 1; p->open && b <= p->is.buffers; b++)
		for (unsigned half = 0; half < HALVES; half++) {
			if (p->buffers[b].device[half])
				clReleaseMemObject(p->buffers[b].device[half]);
			free(p->buffers[b].host[half]);
		}
	if (!p->open || p->is.place == LOCKSTEP_CORES)
		return;
	for (unsigned k = 0; k < KERNELS; k++)
		clReleaseKernel(p->kernels[k]);
	clReleaseMemObject(p->rows);
	clReleaseMemObject(p->changes);
	clReleaseCommandQueue(p->copies);
	clReleaseCommandQueue(p->compute);
}

/* -- what an edge does -- */

static void enqueue_node(const struct state *s, struct path *p, cl_mem in, cl_mem out)
{
	const size_t group = ps_plane_group(s->is->width), columns = ps_plane_round(s->is->width, group);
	const size_t rows[] = { s->is->height, PSTK_SALIENCY_MAPS }, maps[] = { PSTK_SALIENCY_MAPS },
		     pixels[] = { columns, s->is->height, PSTK_SALIENCY_MAPS }, one[] = { 1, 1, 1 },
		     local[] = { group, 1, 1 };

	set(p->kernels[MEASURE], 0, sizeof in, &in);
	set(p->kernels[APPLY], 0, sizeof in, &in);
	set(p->kernels[APPLY], 1, sizeof out, &out);
	check(clEnqueueNDRangeKernel(p->compute, p->kernels[MEASURE], 2, NULL, rows, one, 0, NULL, NULL),
		"measure");
	check(clEnqueueNDRangeKernel(p->compute, p->kernels[CHANGE], 1, NULL, maps, one, 0, NULL, NULL),
		"change");
	check(clEnqueueNDRangeKernel(p->compute, p->kernels[APPLY], 3, NULL, pixels, local, 0, NULL, NULL),
		"apply");
	check(clFlush(p->compute), "clFlush");
}

static void fire_node(const struct state *s, struct path *p, struct buffer *from, struct buffer *to)
{
	const struct pstk_normalize_arg arg = { { s->is->width, s->is->height }, 1e-9f };
	size_t pixels = (size_t)s->is->width * s->is->height;

	if (p->is.place != LOCKSTEP_CORES) {
		enqueue_node(s, p, from->device[read_half(s)], to->device[written(s)]);
		return;
	}
	for (unsigned m = 0; m < PSTK_SALIENCY_MAPS; m++)
		ps_normalize_map(
			to->host[written(s)] + m * pixels, from->host[read_half(s)] + m * pixels, &arg);
}

static void copy(const struct state *s, struct path *p, struct buffer *from, struct buffer *to)
{
	unsigned r = read_half(s), w = written(s);

	if (to->device[w])
		check(clEnqueueWriteBuffer(
			      p->copies, to->device[w], CL_FALSE, 0, s->bytes, from->host[r], 0, NULL, NULL),
			"clEnqueueWriteBuffer");
	else if (from->device[r])
		check(clEnqueueReadBuffer(
			      p->copies, from->device[r], CL_FALSE, 0, s->bytes, to->host[w], 0, NULL, NULL),
			"clEnqueueReadBuffer");
	else
		memcpy(to->host[w], from->host[r], s->bytes);
}

/* Does this edge move a window in this iteration? Edge h is the node's, which is edge h + 1 as well. */
static bool is_active(const struct state *s, const struct path *p, unsigned edge)
{
	bool migrated = p == &s->paths[1];

	if (s->t < 0)
		return !migrated;
	if (s->is->way == LOCKSTEP_STOPPED)
		return migrated ? s->resumed : !s->resumed && edge > 0;
	return migrated ? s->t >= pstk_migration_start(&s->weights, edge)
	                : s->t < pstk_migration_stop(&s->weights, edge);
}

/* The edges between its buffers, the last one first: all of them read what was written in the iteration before. */
static void move_path(const struct state *s, struct path *p)
{
	for (unsigned b = p->is.buffers; b > 1; b--) {
		struct buffer *from = &p->buffers[b - 1], *to = &p->buffers[b];
		unsigned edge = b - 1;

		to->window[written(s)] = 0;
		if (!p->open || !from->window[read_half(s)] || !is_active(s, p, edge + (edge > p->is.before)))
			continue;
		to->window[written(s)] = from->window[read_half(s)];
		if (edge == p->is.before)
			fire_node(s, p, from, to);
		else
			copy(s, p, from, to);
	}
	if (p->open && p->copies) {
		check(clFlush(p->copies), "clFlush");
		check(clFinish(p->compute), "clFinish");
		check(clFinish(p->copies), "clFinish");
	}
}

static void *path_thread(void *arg)
{
	struct state *s = ((void **)arg)[0];
	struct path *p = ((void **)arg)[1];

	for (;;) {
		pthread_barrier_wait(&s->begin);
		if (s->ended)
			return NULL;
		if (!s->stopped)
			move_path(s, p);
		pthread_barrier_wait(&s->end);
	}
}

/* -- the ends, by the thread of the host -- */

static void produce(struct state *s)
{
	for (unsigned i = 0; i < 2; i++) {
		struct path *p = &s->paths[i];
		struct buffer *first = &p->buffers[1];

		first->window[written(s)] = 0;
		if (!is_active(s, p, 0) || !p->open)
			continue;
		s->is->next(s->is->self, first->host[written(s)]);
		first->window[written(s)] = ++s->produced;
	}
}

static void consume(struct state *s)
{
	for (unsigned i = 0; i < 2; i++) {
		struct path *p = &s->paths[i];
		const struct buffer *last = &p->buffers[p->is.buffers];

		if (!p->open || !last->window[read_half(s)] || !is_active(s, p, p->is.buffers + 1))
			continue;
		if (last->window[read_half(s)] != ++s->taken)
			rounds_fail("lock-step: window %llu comes instead of %llu",
				(unsigned long long)last->window[read_half(s)], (unsigned long long)s->taken);
		s->is->take(s->is->self, last->host[read_half(s)]);
		s->gave = true;
	}
}

/* -- stop, copy, resume -- */

static unsigned held(const struct state *s, const struct path *p, unsigned from, unsigned to)
{
	unsigned count = 0;

	for (unsigned b = from; b <= to; b++)
		count += p->buffers[b].window[read_half(s)] != 0;
	return count;
}

/* Whatever memory they are in. */
static void copy_over(const struct state *s, struct buffer *from, struct buffer *to, float *through)
{
	unsigned r = read_half(s), w = written(s);
	float *at = from->device[r] ? through : from->host[r];

	if (from->device[r])
		check(clEnqueueReadBuffer(
			      s->paths[0].copies, from->device[r], CL_TRUE, 0, s->bytes, at, 0, NULL, NULL),
			"clEnqueueReadBuffer");
	if (to->device[w])
		check(clEnqueueWriteBuffer(
			      s->paths[1].copies, to->device[w], CL_TRUE, 0, s->bytes, at, 0, NULL, NULL),
			"clEnqueueWriteBuffer");
	else
		memcpy(to->host[w], at, s->bytes);
	to->window[w] = from->window[r];
	from->window[r] = 0;
}

/* The windows before, or behind the node, close up to it, or to the end. */
static void copy_part(struct state *s, bool behind, float *through)
{
	struct path *old = &s->paths[0], *new = &s->paths[1];
	unsigned to = behind ? new->is.buffers : new->is.before,
		 last = behind ? old->is.buffers : old->is.before, first = behind ? old->is.before + 1 : 1;

	for (unsigned b = last; b >= first; b--)
		if (old->buffers[b].window[read_half(s)])
			copy_over(s, &old->buffers[b], &new->buffers[to--], through);
}

/* All of it, once what is left of the old path has room in the new one. */
static void stop_if_due(struct state *s)
{
	const struct path *old = &s->paths[0], *new = &s->paths[1];
	float *through;

	s->stopped = false;
	if (s->is->way != LOCKSTEP_STOPPED || s->t < 0 || s->resumed ||
		held(s, old, 1, old->is.before) > new->is.before ||
		held(s, old, old->is.before + 1, old->is.buffers) > new->is.buffers - new->is.before)
		return;
	through = rounds_alloc(s->bytes);
	copy_part(s, true, through);
	copy_part(s, false, through);
	free(through);
	s->stopped = s->resumed = true;
}

/* -- iterations -- */

static void iterate(struct state *s, int64_t t)
{
	s->t = t;
	s->gave = false;
	if (t == 0 && !s->paths[1].open)
		open_path(s, &s->paths[1]);
	stop_if_due(s);
	pthread_barrier_wait(&s->begin);
	if (!s->stopped) {
		consume(s);
		produce(s);
	}
	pthread_barrier_wait(&s->end);
	s->iteration++;
}

static void open_state(struct state *s, const struct lockstep_run *is)
{
	const struct pstk_path a = { is->original.buffers, is->original.before },
			       b = { is->migrated.buffers, is->migrated.before };

	*s = (struct state){ .is = is,
		.bytes = (size_t)PSTK_SALIENCY_MAPS * is->width * is->height * sizeof(float) };
	s->paths[0].is = is->original;
	s->paths[1].is = is->migrated;
	if (!piic_open(&s->devices, "Portable Computing Language", CL_DEVICE_TYPE_CPU, DEVICES) ||
		pstk_migration_find(&a, &b, &s->weights) || a.buffers > BUFFERS_MOST ||
		b.buffers > BUFFERS_MOST)
		rounds_fail("lock-step: there are no two halves of PoCL's device");
	open_path(s, &s->paths[0]);
	if (is->way == LOCKSTEP_PREPARED)
		open_path(s, &s->paths[1]);
	for (unsigned b1 = 1; s->paths[1].open && b1 <= b.buffers; b1++)
		for (unsigned half = 0; half < HALVES; half++)
			if (s->paths[1].buffers[b1].host[half])
				memset(s->paths[1].buffers[b1].host[half], 0, s->bytes);
	pthread_barrier_init(&s->begin, NULL, 3);
	pthread_barrier_init(&s->end, NULL, 3);
}

uint64_t lockstep_frames(const struct lockstep_run *is)
{
	return is->iterations + 2 * is->original.buffers + 2;
}

void lockstep_run(const struct lockstep_run *is, struct lockstep_iteration *iterations)
{
	unsigned warm = 2 * is->original.buffers; /* filled, and all memory was touched */
	double since = 0;
	struct state s;

	open_state(&s, is);

	void *args[2][2] = { { &s, &s.paths[0] }, { &s, &s.paths[1] } };

	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&s.threads[i], NULL, path_thread, args[i]))
			rounds_fail("lock-step: no thread");
	for (unsigned i = 0; i < warm; i++)
		iterate(&s, -1);
	for (unsigned i = 0; i < is->iterations; i++) {
		double begin = now();

		iterate(&s, (int64_t)i + 1 - is->first);
		iterations[i] = (struct lockstep_iteration){ .seconds = now() - begin, .gave = s.gave };
		since += iterations[i].seconds;
		iterations[i].since = since;
		if (s.gave)
			since = 0;
	}
	s.ended = true;
	pthread_barrier_wait(&s.begin);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(s.threads[i], NULL);
		close_path(&s.paths[i]);
	}
	piic_close(&s.devices);
}
