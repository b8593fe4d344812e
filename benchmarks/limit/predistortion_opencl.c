/* SPDX-License-Identifier: MIT */
#include "benchmarks/limit/predistortion_opencl.h"
#include "actors/common/strips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a signal's two parts, one behind the other in one allocation. */
struct signal {
	unsigned char *svm;
	cl_event
		ready; /* of a host's window: its map, or what fills it; owned; NULL: the host may touch it */
};

/* With a queue an actor, two blocks are on the device at once: one fills what the other has left. */
enum { SETS = 2, POLYNOMIAL = DPD_BRANCHES, ADDER, ACTORS, SIGNALS = DPD_BRANCHES + 1 };

struct dpd {
	struct dpd_options options; /* constant, as all up to the events */
	const struct cl_direct *cl;
	size_t bytes; /* of a part of a block */
	size_t global, local;
	cl_kernel kernels[ACTORS];
	cl_command_queue queues[ACTORS]; /* one queue: only [0] */
	cl_mem taps[DPD_BRANCHES], states[DPD_BRANCHES];
	uint64_t fired[DPD_BRANCHES];
	struct signal in[DPD_WINDOWS], out[DPD_WINDOWS];
	unsigned char *terms[SETS][DPD_BRANCHES], *filtered[SETS][DPD_BRANCHES];
	const unsigned char *given[ACTORS][SIGNALS]; /* the kernels' arguments as they are */
	bool has_given[ACTORS][SIGNALS];
	cl_event done[SETS][ACTORS]; /* queue per actor: of the last launch on this set; owned */
};

bool dpd_can(const struct cl_direct *cl, const struct dpd_options *o)
{
	return cl->svm & (o->fine ? CL_DEVICE_SVM_FINE_GRAIN_BUFFER : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
}

static cl_command_queue queue_of(const struct dpd *d, unsigned actor)
{
	return d->queues[d->options.queue_per_actor ? actor : 0];
}

static unsigned char *svm_of(const struct dpd *d, cl_svm_mem_flags flags)
{
	unsigned char *memory = clSVMAlloc(d->cl->context, CL_MEM_READ_WRITE | flags, 2 * d->bytes, 0);

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

static void map(const struct dpd *d, struct signal *s, unsigned actor, cl_map_flags flags)
{
	cl_event event;

	if (d->options.fine)
		return;
	cl_direct_check(
		clEnqueueSVMMap(queue_of(d, actor), CL_FALSE, flags, s->svm, 2 * d->bytes, 0, NULL, &event),
		"clEnqueueSVMMap");
	put(&s->ready, event);
}

static void unmap(const struct dpd *d, const struct signal *s, unsigned actor)
{
	if (!d->options.fine)
		cl_direct_check(
			clEnqueueSVMUnmap(queue_of(d, actor), s->svm, 0, NULL, NULL), "clEnqueueSVMUnmap");
}

/* Both parts of the actor's n-th signal as arguments, if they are others than before; NULL: it is off. */
static void set_signal(struct dpd *d, unsigned actor, unsigned n, const unsigned char *svm)
{
	cl_int err = CL_SUCCESS;

	if (d->has_given[actor][n] && d->given[actor][n] == svm)
		return;
	for (cl_uint part = 0; part < 2 && !err; part++)
		err = svm ? clSetKernelArgSVMPointer(d->kernels[actor], 2 * n + part, svm + part * d->bytes)
		          : clSetKernelArg(d->kernels[actor], 2 * n + part, sizeof(cl_mem), NULL);
	cl_direct_check(err, "a signal's argument");
	d->given[actor][n] = svm;
	d->has_given[actor][n] = true;
}

static void set_firing(const struct dpd *d, unsigned actor, cl_uint index, uint64_t firing)
{
	cl_ulong value = firing;

	cl_direct_check(clSetKernelArg(d->kernels[actor], index, sizeof value, &value), "clSetKernelArg");
}

/* What a launch waits for; in one queue nothing. */
struct waits {
	cl_event events[2 * DPD_BRANCHES + 1];
	cl_uint count;
};

static void wait_for(const struct dpd *d, struct waits *w, cl_event event)
{
	if (d->options.queue_per_actor && event)
		w->events[w->count++] = event;
}

/* *done: the launch's event, whose former one is released; NULL: nothing waits for it. */
static void launch(struct dpd *d, unsigned actor, const struct waits *w, cl_event *done)
{
	cl_event event;

	cl_direct_check(clEnqueueNDRangeKernel(queue_of(d, actor), d->kernels[actor], 1, NULL, &d->global,
				&d->local, w->count, w->count ? w->events : NULL, done ? &event : NULL),
		"clEnqueueNDRangeKernel");
	if (done)
		put(done, event);
	if (d->options.queue_per_actor)
		clFlush(queue_of(d, actor));
}

static cl_event *done_of(struct dpd *d, size_t set, unsigned actor)
{
	return d->options.queue_per_actor ? &d->done[set][actor] : NULL;
}

static void enqueue_polynomial(struct dpd *d, uint64_t i, uint32_t on)
{
	struct signal *in = &d->in[i % DPD_WINDOWS];
	size_t set = d->options.queue_per_actor ? i % SETS : 0;
	struct waits waits = { .count = 0 };

	set_signal(d, POLYNOMIAL, 0, in->svm);
	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		set_signal(d, POLYNOMIAL, b + 1, on >> b & 1 ? d->terms[set][b] : NULL);
		if (on >> b & 1)
			wait_for(d, &waits, d->done[set][b]);
	}
	set_firing(d, POLYNOMIAL, 2 * SIGNALS, i);
	launch(d, POLYNOMIAL, &waits, done_of(d, set, POLYNOMIAL));
	map(d, in, POLYNOMIAL, CL_MAP_WRITE_INVALIDATE_REGION);
}

static void enqueue_fir(struct dpd *d, size_t set, unsigned b)
{
	struct waits waits = { .count = 0 };

	wait_for(d, &waits, d->done[set][POLYNOMIAL]);
	wait_for(d, &waits, d->done[set][ADDER]);
	set_signal(d, b, 0, d->terms[set][b]);
	set_signal(d, b, 1, d->filtered[set][b]);
	set_firing(d, b, 5, d->fired[b]++); /* behind the state */
	launch(d, b, &waits, done_of(d, set, b));
}

static void enqueue_adder(struct dpd *d, uint64_t i, uint32_t on)
{
	struct signal *out = &d->out[i % DPD_WINDOWS];
	size_t set = d->options.queue_per_actor ? i % SETS : 0;
	struct waits waits = { .count = 0 };
	cl_event *done = done_of(d, set, ADDER);

	set_signal(d, ADDER, 0, out->svm);
	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		set_signal(d, ADDER, b + 1, on >> b & 1 ? d->filtered[set][b] : NULL);
		if (on >> b & 1)
			wait_for(d, &waits, d->done[set][b]);
	}
	set_firing(d, ADDER, 2 * SIGNALS, i);
	launch(d, ADDER, &waits, done ? done : d->options.fine ? &out->ready : NULL);
	if (done && d->options.fine) {
		cl_direct_check(clRetainEvent(*done), "clRetainEvent");
		put(&out->ready, *done);
	}
	map(d, out, ADDER, CL_MAP_READ);
	clFlush(queue_of(d, ADDER));
}

/* The in window is free: with fine-grain SVM because what has come out of it has been drained. */
static void feed(struct dpd *d, const struct dpd_run *run, uint64_t i)
{
	struct signal *in = &d->in[i % DPD_WINDOWS];
	size_t at = i % run->in_blocks * d->options.block;
	uint32_t on = run->sets[i / run->period % run->set_count];

	await(&in->ready);
	memcpy(in->svm, run->in.re + at, d->bytes);
	memcpy(in->svm + d->bytes, run->in.im + at, d->bytes);
	unmap(d, in, POLYNOMIAL);
	enqueue_polynomial(d, i, on);
	for (unsigned b = 0; b < DPD_BRANCHES; b++)
		if (on >> b & 1)
			enqueue_fir(d, d->options.queue_per_actor ? i % SETS : 0, b);
	enqueue_adder(d, i, on);
}

static void drain(struct dpd *d, const struct dpd_run *run, uint64_t i)
{
	struct signal *out = &d->out[i % DPD_WINDOWS];
	size_t at = i % run->out_blocks * d->options.block;

	await(&out->ready);
	memcpy(run->out.re + at, out->svm, d->bytes);
	memcpy(run->out.im + at, out->svm + d->bytes, d->bytes);
	unmap(d, out, ADDER);
}

static void forget_past(struct dpd *d)
{
	static const float zero = 0;

	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		cl_direct_check(clEnqueueFillBuffer(d->queues[0], d->states[b], &zero, sizeof zero, 0,
					4 * (DPD_TAPS - 1) * sizeof zero, 0, NULL, NULL),
			"clEnqueueFillBuffer");
		d->fired[b] = 0;
	}
	cl_direct_check(clFinish(d->queues[0]), "clFinish");
}

void dpd_run(struct dpd *d, const struct dpd_run *run)
{
	uint64_t drained = 0;

	forget_past(d);
	for (uint64_t i = 0; i < run->blocks; i++) {
		if (i >= DPD_WINDOWS)
			drain(d, run, drained++);
		feed(d, run, i);
	}
	while (drained < run->blocks)
		drain(d, run, drained++);
}

static cl_mem buffer_of(const struct dpd *d, size_t bytes, const void *data)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(d->cl->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0),
		bytes, (void *)data, &err);

	cl_direct_check(err, "clCreateBuffer");
	return buffer;
}

static void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	cl_direct_check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

/* What is behind the windows. */
static void init_kernels(struct dpd *d, const struct dpd_model *model)
{
	const cl_uint samples = d->options.block, count = DPD_TAPS, behind = 2 + 2 * DPD_BRANCHES;

	d->kernels[POLYNOMIAL] = cl_direct_kernel(d->cl, &model->polynomial);
	set_arg(d->kernels[POLYNOMIAL], behind + 1, sizeof samples, &samples);
	d->kernels[ADDER] = cl_direct_kernel(d->cl, &model->adder);
	set_arg(d->kernels[ADDER], behind + 1, sizeof samples, &samples);
	set_arg(d->kernels[ADDER], behind + 2, sizeof(float), &model->constant.re);
	set_arg(d->kernels[ADDER], behind + 3, sizeof(float), &model->constant.im);
	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		d->taps[b] = buffer_of(d, sizeof model->taps[b], model->taps[b]);
		d->states[b] = buffer_of(d, 4 * (DPD_TAPS - 1) * sizeof(float), NULL);
		d->kernels[b] = cl_direct_kernel(d->cl, &model->fir);
		set_arg(d->kernels[b], 4, sizeof(cl_mem), &d->states[b]);
		set_arg(d->kernels[b], 6, sizeof(cl_mem), &d->taps[b]);
		set_arg(d->kernels[b], 7, sizeof count, &count);
		set_arg(d->kernels[b], 8, sizeof samples, &samples);
	}
}

static void init_memory(struct dpd *d)
{
	cl_svm_mem_flags flags = d->options.fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;
	unsigned sets = d->options.queue_per_actor ? SETS : 1;

	for (unsigned s = 0; s < sets; s++)
		for (unsigned b = 0; b < DPD_BRANCHES; b++) {
			d->terms[s][b] = svm_of(d, 0);
			d->filtered[s][b] = svm_of(d, 0);
		}
	for (unsigned w = 0; w < DPD_WINDOWS; w++) {
		d->in[w].svm = svm_of(d, flags);
		d->out[w].svm = svm_of(d, flags);
		map(d, &d->in[w], POLYNOMIAL, CL_MAP_WRITE_INVALIDATE_REGION);
	}
}

struct dpd *dpd_init(
	const struct cl_direct *cl, const struct dpd_options *options, const struct dpd_model *model)
{
	struct dpd *d = calloc(1, sizeof *d);

	if (!d) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	d->options = *options;
	d->cl = cl;
	d->bytes = options->block * sizeof(float);
	ps_strips_work_size(cl->is_cpu, cl->units, options->block, &d->global, &d->local);
	for (unsigned a = 0; a < (options->queue_per_actor ? ACTORS : 1); a++)
		d->queues[a] = cl_direct_queue(cl);
	init_kernels(d, model);
	init_memory(d);
	return d;
}

static void free_signal(struct dpd *d, struct signal *s)
{
	put(&s->ready, NULL);
	clSVMFree(d->cl->context, s->svm);
}

void dpd_free(struct dpd *d)
{
	if (!d)
		return;
	for (unsigned w = 0; w < DPD_WINDOWS; w++)
		unmap(d, &d->in[w], POLYNOMIAL);
	for (unsigned a = 0; a < ACTORS && d->queues[a]; a++)
		clFinish(d->queues[a]);
	for (unsigned w = 0; w < DPD_WINDOWS; w++) {
		free_signal(d, &d->in[w]);
		free_signal(d, &d->out[w]);
	}
	for (unsigned s = 0; s < SETS; s++) {
		for (unsigned b = 0; b < DPD_BRANCHES && d->terms[s][b]; b++) {
			clSVMFree(d->cl->context, d->terms[s][b]);
			clSVMFree(d->cl->context, d->filtered[s][b]);
		}
		for (unsigned a = 0; a < ACTORS; a++)
			put(&d->done[s][a], NULL);
	}
	for (unsigned b = 0; b < DPD_BRANCHES; b++) {
		clReleaseMemObject(d->taps[b]);
		clReleaseMemObject(d->states[b]);
	}
	for (unsigned a = 0; a < ACTORS; a++) {
		clReleaseKernel(d->kernels[a]);
		if (d->queues[a])
			clReleaseCommandQueue(d->queues[a]);
	}
	free(d);
}
