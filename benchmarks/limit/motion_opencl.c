/* SPDX-License-Identifier: MIT */
#include "benchmarks/limit/motion_opencl.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { GAUSS, THRES, MED, STAGES };

/* A window that the host fills or reads. */
struct host_window {
	uint8_t *svm;
	cl_event
		ready; /* of its map, or of the kernel that fills it: when the host may touch it; NULL: it may */
};

/* What moves from one window to the next belongs to the feeding thread, but for in and out: see drain(). */
struct motion {
	struct motion_options options; /* constant */
	const struct cl_direct *cl;
	size_t frame_bytes, bytes; /* of a frame, of a window; constant */
	cl_kernel kernels[STAGES];
	cl_command_queue queues[STAGES];
	unsigned queue_count; /* constant */
	uint8_t *
		blurred; /* SVM: a frame of zeros, then all windows, so that each frame has its predecessor in front */
	uint8_t *moved; /* SVM: the windows between threshold and median5 */
	struct host_window in[MOTION_WINDOWS_MAX], out[MOTION_WINDOWS_MAX];
	cl_event done[STAGES][MOTION_WINDOWS_MAX]; /* of the stage's last launch on this window; owned */
	sem_t filled, drained;                     /* two threads: windows enqueued, windows free */
	/* the run; constant while it runs */
	const uint8_t *frames;
	uint8_t *maps;
	size_t frame_windows, map_windows;
	uint64_t windows;
};

const char *const motion_memory_names[MOTION_MEMORIES] = { "fine", "coarse" };
const char *const motion_queues_names[MOTION_QUEUES] = { "one", "stages" };

bool motion_can(const struct cl_direct *cl, const struct motion_options *o)
{
	if (o->windows < 2 || o->windows > MOTION_WINDOWS_MAX)
		return false;
	if (o->memory == MOTION_FINE)
		return cl->svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	return cl->svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
}

static cl_command_queue queue_of(const struct motion *m, enum stage stage)
{
	return m->queues[m->options.queues == MOTION_QUEUE_A_STAGE ? stage : 0];
}

static uint8_t *svm_of(const struct motion *m, size_t bytes, cl_svm_mem_flags flags)
{
	uint8_t *memory = clSVMAlloc(m->cl->context, CL_MEM_READ_WRITE | flags, bytes, 0);

	cl_direct_check(memory ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
	return memory;
}

static void put(cl_event *slot, cl_event event)
{
	if (*slot)
		clReleaseEvent(*slot);
	*slot = event;
}

static void await(cl_event *slot)
{
	if (*slot)
		cl_direct_check(clWaitForEvents(1, slot), "clWaitForEvents");
	put(slot, NULL);
}

static void window_init(const struct motion *m, struct host_window *window)
{
	*window = (struct host_window){
		.svm = svm_of(
			m, m->bytes, m->options.memory == MOTION_FINE ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0)
	};
}

/* Enqueues what lets the host touch the window as soon as what is in the queue is through. Nothing for fine-grain SVM,
 * whose `ready` is the kernel's event. */
static void map(
	const struct motion *m, struct host_window *window, cl_command_queue queue, cl_map_flags flags)
{
	cl_event event = NULL;

	if (m->options.memory == MOTION_FINE)
		return;
	cl_direct_check(
		clEnqueueSVMMap(queue, CL_FALSE, flags, window->svm, m->bytes, 0, NULL, &event), "mapping");
	put(&window->ready, event);
}

static void unmap(const struct motion *m, struct host_window *window, cl_command_queue queue)
{
	if (m->options.memory == MOTION_COARSE)
		cl_direct_check(clEnqueueSVMUnmap(queue, window->svm, 0, NULL, NULL), "unmapping");
}

static void set_svm(cl_kernel kernel, cl_uint index, const uint8_t *memory)
{
	cl_direct_check(clSetKernelArgSVMPointer(kernel, index, memory), "clSetKernelArgSVMPointer");
}

/* a, b: events to wait for, or NULL; needless in one queue. */
static void launch(struct motion *m, enum stage stage, const struct ps_work_size *size, cl_event a,
	cl_event b, cl_event *done)
{
	bool one = m->options.queues == MOTION_ONE_QUEUE;
	cl_event list[2];
	cl_uint count = 0;

	if (one && (stage != MED || m->options.memory != MOTION_FINE))
		done = NULL; /* nothing waits for it */
	if (!one && a)
		list[count++] = a;
	if (!one && b)
		list[count++] = b;
	cl_direct_check(clEnqueueNDRangeKernel(queue_of(m, stage), m->kernels[stage], PS_WORK_DIMS, NULL,
				size->global, size->local, count, count ? list : NULL, done),
		"clEnqueueNDRangeKernel");
}

/* The first frame's predecessor is in front of it, but for the first window's after the others have been used. */
static void enqueue_threshold(
	struct motion *m, uint64_t i, cl_event gauss, cl_event free_again, cl_event *done)
{
	uint32_t rate = m->options.rate, k = m->options.windows;
	size_t slot = i % k, frame = m->frame_bytes;
	const uint8_t *now = m->blurred + frame + slot * m->bytes;
	uint8_t *out = m->moved + slot * m->bytes;
	bool apart = slot == 0 && i > 0;

	for (uint32_t from = 0, n; from < rate; from += n) {
		struct ps_work_size size;
		const uint8_t *before = from == 0 && apart ? m->blurred + k * m->bytes : now - frame;

		n = from == 0 && apart ? 1 : rate - from;
		size = ps_threshold_work_size(frame, n);
		set_svm(m->kernels[THRES], 0, now);
		set_svm(m->kernels[THRES], 1, before);
		set_svm(m->kernels[THRES], 2, out);
		cl_direct_threshold_args(m->kernels[THRES], 3, frame, n, m->options.threshold);
		launch(m, THRES, &size, gauss, free_again, from + n == rate ? done : NULL);
		now += n * frame;
		out += n * frame;
	}
}

static void fill(struct motion *m, uint64_t i)
{
	struct host_window *in = &m->in[i % m->options.windows];

	await(&in->ready);
	memcpy(in->svm, m->frames + i % m->frame_windows * m->bytes, m->bytes);
	unmap(m, in, queue_of(m, GAUSS));
}

/* Fills window i and enqueues all that is done with it. */
static void feed(struct motion *m, uint64_t i)
{
	uint32_t k = m->options.windows, w = m->options.w, h = m->options.h, rate = m->options.rate;
	size_t slot = i % k;
	struct host_window *in = &m->in[slot], *out = &m->out[slot];
	struct ps_work_size gauss = ps_gauss5x5_work_size(w, h, rate);
	struct ps_work_size med = ps_median5_work_size(w, h, rate);
	cl_event done[STAGES] = { NULL };

	fill(m, i);
	set_svm(m->kernels[GAUSS], 0, in->svm);
	set_svm(m->kernels[GAUSS], 1, m->blurred + m->frame_bytes + slot * m->bytes);
	/* the window's last frame is read with the first one of the next window too */
	launch(m, GAUSS, &gauss, m->done[THRES][(slot + 1) % k], NULL, &done[GAUSS]);
	map(m, in, queue_of(m, GAUSS), CL_MAP_WRITE_INVALIDATE_REGION);
	if (m->options.queues == MOTION_QUEUE_A_STAGE)
		clFlush(queue_of(m, GAUSS));
	enqueue_threshold(m, i, done[GAUSS], m->done[MED][slot], &done[THRES]);
	if (m->options.queues == MOTION_QUEUE_A_STAGE)
		clFlush(queue_of(m, THRES));
	set_svm(m->kernels[MED], 0, m->moved + slot * m->bytes);
	set_svm(m->kernels[MED], 1, out->svm);
	launch(m, MED, &med, done[THRES], NULL, &done[MED]);
	for (unsigned s = 0; s < STAGES; s++)
		put(&m->done[s][slot], done[s]);
	if (m->options.memory == MOTION_FINE) {
		clRetainEvent(done[MED]);
		out->ready = done[MED];
	} else {
		map(m, out, queue_of(m, MED), CL_MAP_READ);
	}
	clFlush(queue_of(m, MED));
}

/* The host's end of window i: its input window is free as well afterwards. */
static void drain(struct motion *m, uint64_t i)
{
	struct host_window *out = &m->out[i % m->options.windows];

	await(&out->ready);
	memcpy(m->maps + i % m->map_windows * m->bytes, out->svm, m->bytes);
	unmap(m, out, queue_of(m, MED)); /* before this window's next median5 */
}

static void *drain_all(void *arg)
{
	struct motion *m = arg;

	for (uint64_t i = 0; i < m->windows; i++) {
		while (sem_wait(&m->filled))
			;
		drain(m, i);
		sem_post(&m->drained);
	}
	return NULL;
}

static void run_two_threads(struct motion *m)
{
	pthread_t drainer;

	sem_init(&m->filled, 0, 0);
	sem_init(&m->drained, 0, m->options.windows);
	cl_direct_check(pthread_create(&drainer, NULL, drain_all, m), "pthread_create");
	for (uint64_t i = 0; i < m->windows; i++) {
		while (sem_wait(&m->drained))
			;
		feed(m, i);
		sem_post(&m->filled);
	}
	pthread_join(drainer, NULL);
	sem_destroy(&m->filled);
	sem_destroy(&m->drained);
}

static void run_one_thread(struct motion *m)
{
	uint64_t k = m->options.windows, drained = 0;

	for (uint64_t i = 0; i < m->windows; i++) {
		if (i >= k)
			drain(m, drained++);
		feed(m, i);
	}
	while (drained < m->windows)
		drain(m, drained++);
}

void motion_run(struct motion *m, const uint8_t *frames, size_t frame_windows, uint8_t *maps,
	size_t map_windows, uint64_t windows)
{
	m->frames = frames;
	m->frame_windows = frame_windows;
	m->maps = maps;
	m->map_windows = map_windows;
	m->windows = windows;
	if (m->options.two_threads)
		run_two_threads(m);
	else
		run_one_thread(m);
}

static void init_memory(struct motion *m)
{
	static const uint8_t zero = 0;

	m->blurred = svm_of(m, m->frame_bytes + m->options.windows * m->bytes, 0);
	m->moved = svm_of(m, m->options.windows * m->bytes, 0);
	cl_direct_check(
		clEnqueueSVMMemFill(m->queues[0], m->blurred, &zero, 1, m->frame_bytes, 0, NULL, NULL),
		"clEnqueueSVMMemFill");
	for (uint32_t i = 0; i < m->options.windows; i++) {
		window_init(m, &m->in[i]);
		window_init(m, &m->out[i]);
		map(m, &m->in[i], queue_of(m, GAUSS), CL_MAP_WRITE_INVALIDATE_REGION);
	}
	for (unsigned q = 0; q < m->queue_count; q++)
		cl_direct_check(clFinish(m->queues[q]), "clFinish");
}

struct motion *motion_init(const struct cl_direct *cl, const struct motion_options *options)
{
	static const struct pstk_kernel *const forms[STAGES] = { &ps_gauss5x5_kernel, &ps_threshold_kernel,
		&ps_median5_kernel };
	struct motion *m = calloc(1, sizeof *m);

	if (!m) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	m->options = *options;
	m->cl = cl;
	m->frame_bytes = (size_t)options->w * options->h;
	m->bytes = m->frame_bytes * options->rate;
	for (unsigned s = 0; s < STAGES; s++)
		m->kernels[s] = cl_direct_kernel(cl, forms[s]);
	m->queue_count = options->queues == MOTION_QUEUE_A_STAGE ? STAGES : 1;
	for (unsigned q = 0; q < m->queue_count; q++)
		m->queues[q] = cl_direct_queue(cl);
	cl_direct_filter_args(m->kernels[GAUSS], 2, options->w, options->h, options->rate);
	cl_direct_filter_args(m->kernels[MED], 2, options->w, options->h, options->rate);
	init_memory(m);
	return m;
}

static void window_free(struct motion *m, struct host_window *window)
{
	put(&window->ready, NULL);
	clSVMFree(m->cl->context, window->svm);
}

void motion_free(struct motion *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->options.windows; i++)
		unmap(m, &m->in[i], queue_of(m, GAUSS));
	for (unsigned q = 0; q < m->queue_count; q++)
		clFinish(m->queues[q]);
	for (uint32_t i = 0; i < m->options.windows; i++) {
		window_free(m, &m->in[i]);
		window_free(m, &m->out[i]);
		for (unsigned s = 0; s < STAGES; s++)
			put(&m->done[s][i], NULL);
	}
	clSVMFree(m->cl->context, m->blurred);
	clSVMFree(m->cl->context, m->moved);
	for (unsigned s = 0; s < STAGES; s++)
		clReleaseKernel(m->kernels[s]);
	for (unsigned q = 0; q < m->queue_count; q++)
		clReleaseCommandQueue(m->queues[q]);
	free(m);
}
