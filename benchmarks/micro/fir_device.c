/* SPDX-License-Identifier: MIT */
/*
 * A filter of 64 taps that looks back by its FIFO's history, on the first OpenCL device: a source on the host copies a
 * signal, the filter is a kernel, a sink on the host hashes what comes out. Against the same kernel by hand, one
 * launch a block, on one allocation.
 *
 * Why it is fair: by hand there are a queue, shared memory that host and device use at once, and blocks one behind the
 * other in it, so that the kernel finds the 63 samples before its own; only where the ring of blocks begins anew they
 * are copied. No thread is woken: the one that fills a block has waited for the one that it fills again. It waits for
 * each block, or keeps so many in flight. It is the limit, not a peer. The time is from the first firing to the last,
 * without the building of kernels. The kernel's sums are in the order of a plain loop, with which they are compared.
 *
 * Usage: fir_device [-b BLOCK] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "actors/common/cl_direct.h"
#include "benchmarks/common/device_bench.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = 64, BACK = TAPS - 1, SIGNAL = 16 /* blocks */, LOCAL = 256 };

/* Constant while anything is measured. */
static unsigned block = 16384;
static struct cl_direct cl;
static char device[64], source[4096]; /* its selector; the kernel's */
static struct pstk_kernel kernel = { .source = source, .name = "fir" };
static float taps[TAPS], *signal_samples;
static uint64_t hashes[2][SIGNAL]; /* of blocks: the signal's first ones, and when it begins anew */

static struct rounds_cost cost;

static size_t bytes(void)
{
	return block * sizeof(float);
}

static const float *signal_at(uint64_t i)
{
	return signal_samples + i % SIGNAL * block;
}

static uint64_t hash_at(const float *out, uint64_t i)
{
	return rounds_hash_at(rounds_hash(out, bytes()), i);
}

/* -- by hand -- */

struct hand {
	unsigned in_flight;
};

/* A block more than are in flight: the one behind reads its end. */
struct hand_run {
	unsigned places;
	cl_command_queue queue;
	cl_kernel kernel;
	float *in, *out; /* shared; in: 63 samples, then the places */
	cl_event *done;  /* of each place's launch */
};

static void *share(size_t size)
{
	void *memory = clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);

	cl_direct_check(memory ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
	return memory;
}

static struct hand_run open_run(unsigned in_flight)
{
	struct hand_run r = { .places = in_flight + 1,
		.queue = cl_direct_queue(&cl),
		.kernel = cl_direct_kernel(&cl, &kernel),
		.in = share(BACK * sizeof(float) + (in_flight + 1) * bytes()),
		.out = share((in_flight + 1) * bytes()),
		.done = rounds_alloc((in_flight + 1) * sizeof(cl_event)) };

	memset(r.in, 0, BACK * sizeof *r.in);
	return r;
}

static void close_run(struct hand_run *r)
{
	clReleaseKernel(r->kernel);
	clReleaseCommandQueue(r->queue);
	clSVMFree(cl.context, r->in);
	clSVMFree(cl.context, r->out);
	free(r->done);
}

static void feed(const struct hand_run *r, uint64_t i)
{
	const size_t place = i % r->places, global = block, local = LOCAL;
	const cl_ulong firing = i;
	float *seen = r->in + place * block;

	memcpy(seen + BACK, signal_at(i), bytes());
	if (place + 1 == r->places)
		memcpy(r->in, seen + block, BACK * sizeof *seen);
	cl_direct_check(clSetKernelArgSVMPointer(r->kernel, 0, seen), "argument 0");
	cl_direct_check(clSetKernelArgSVMPointer(r->kernel, 1, r->out + place * block), "argument 1");
	cl_direct_check(clSetKernelArg(r->kernel, 2, sizeof firing, &firing), "argument 2");
	cl_direct_check(clEnqueueNDRangeKernel(
				r->queue, r->kernel, 1, NULL, &global, &local, 0, NULL, &r->done[place]),
		"clEnqueueNDRangeKernel");
	clFlush(r->queue);
}

static uint64_t drain(const struct hand_run *r, uint64_t i)
{
	const size_t place = i % r->places;

	cl_direct_check(clWaitForEvents(1, &r->done[place]), "clWaitForEvents");
	clReleaseEvent(r->done[place]);
	return hash_at(r->out + place * block, i);
}

static uint64_t run_hand(const void *arg, uint64_t items)
{
	const struct hand *hand = arg;
	struct hand_run r = open_run(hand->in_flight);
	uint64_t blocks = items / block, drained = 0, hash = 0;
	struct device_moment begin = device_now(), end;

	for (uint64_t i = 0; i < blocks; i++) {
		if (i >= hand->in_flight)
			hash += drain(&r, drained++);
		feed(&r, i);
	}
	while (drained < blocks)
		hash += drain(&r, drained++);
	end = device_now();
	cost = device_rounds_cost(&begin, &end);
	close_run(&r);
	return hash;
}

/* -- the library -- */

struct way {
	unsigned team, depth;
};

/* What source and sink share; each writes its own members. */
struct run {
	uint64_t blocks; /* constant */
	uint64_t hash;
	struct device_moment begin, end;
};

static int source_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	if (!i)
		run->begin = device_now();
	memcpy(pstk_fifo_write_start(f, 0), signal_at(i), bytes());
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->blocks ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	run->hash += hash_at(pstk_fifo_read_start(f, 0), i);
	pstk_fifo_read_end(f, 0);
	if (i + 1 == run->blocks)
		run->end = device_now();
	return PSTK_AGAIN;
}

static int filter_init(struct pstk_actor *self)
{
	const size_t global = block, local = LOCAL;

	return pstk_actor_set_work_size(self, 1, &global, &local);
}

static struct pstk_actor *add_filter(struct pstk_network *net)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1, .history = BACK },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 }
	};
	struct pstk_actor *actor = pstk_network_add(net, "filter",
		PSTK_ACTOR_TYPE(.name = "fir", .ports = ports, .port_count = 2, .stateless = true,
			.init = filter_init, .kernel = &kernel),
		NULL);

	pstk_actor_set_steps(actor, block);
	pstk_actor_map(actor, device);
	return actor;
}

static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { .blocks = items / block };
	struct pstk_network *net = pstk_network_create("fir_device");
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
			       in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_actor *filter = add_filter(net);

	pstk_connect(pstk_network_add(net, "source",
			     PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1,
				     .fire = source_fire),
			     &run),
		"out", filter, "in", PSTK_FIFO(.depth = way->depth));
	pstk_connect(filter, "out",
		pstk_network_add(net, "sink",
			PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = sink_fire),
			&run),
		"in", PSTK_FIFO(.depth = way->depth));
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	cost = device_rounds_cost(&run.begin, &run.end);
	return run.hash;
}

/* -- the plain loop -- */

static void make_source(void)
{
	int n = snprintf(
		source, sizeof source, "#pragma OPENCL FP_CONTRACT OFF\n__constant float taps[] = {");

	for (unsigned k = 0; k < TAPS; k++) {
		taps[k] = 1.0f / (float)(k + 1);
		n += snprintf(source + n, sizeof source - (size_t)n, "%a, ", (double)taps[k]);
	}
	snprintf(source + n, sizeof source - (size_t)n,
		"};\n__kernel void fir(__global const float *in, __global float *out, ulong firing)\n"
		"{ size_t i = get_global_id(0); float sum = 0;\n"
		"for (uint k = 0; k < %u; k++) sum += taps[k] * in[i + k];\n"
		"out[i] = sum; }\n",
		(unsigned)TAPS);
}

static void make_signal(void)
{
	uint32_t x = 1;

	signal_samples = rounds_alloc(SIGNAL * bytes());
	for (size_t i = 0; i < (size_t)SIGNAL * block; i++) {
		x = x * 1664525u + 1013904223u;
		signal_samples[i] = (float)(int32_t)x / 2147483648.0f;
	}
}

/* What the kernel has to give. */
static void make_hashes(void)
{
	float *seen = rounds_alloc((BACK + block) * sizeof *seen), *out = rounds_alloc(bytes());

	memset(seen, 0, BACK * sizeof *seen);
	for (unsigned i = 0; i < 2 * SIGNAL; i++) {
		memcpy(seen + BACK, signal_at(i), bytes());
		for (unsigned n = 0; n < block; n++) {
			out[n] = 0;
			for (unsigned k = 0; k < TAPS; k++)
				out[n] += taps[k] * seen[n + k];
		}
		memmove(seen, seen + block, BACK * sizeof *seen);
		hashes[i / SIGNAL][i % SIGNAL] = rounds_hash(out, bytes());
	}
	free(seen);
	free(out);
}

static uint64_t expected(const void *arg, uint64_t items)
{
	uint64_t hash = 0;

	(void)arg;
	for (uint64_t i = 0; i < items / block; i++)
		hash += rounds_hash_at(hashes[i >= SIGNAL][i % SIGNAL], i);
	return hash;
}

/* -- the table -- */

static struct rounds_table table = { .unit = "Msamples/s",
	.scale = 1e6,
	.expect = expected,
	.family = "a filter with a history on a device",
	.sweep = "samples a block" };

static void add_variants(const char *absent)
{
	static const struct hand hands[] = { { 1 }, { 2 }, { 4 } };
	static const struct way ways[] = { { 0, 2 }, { 0, 4 }, { 1, 2 }, { 1, 4 }, { 2, 2 }, { 2, 4 } };
	struct rounds_variant *v;

	for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
		v = rounds_add(&table, run_hand, &hands[i], "by hand, in flight %u", hands[i].in_flight);
		v->role = ROUNDS_LIMIT;
		v->versus = v->name;
		v->cost = &cost;
		v->absent = absent ? absent
		            : cl.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER
		                    ? NULL
		                    : "the device has no memory that the host uses at once";
	}
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		v = ways[i].team
		            ? rounds_add(&table, run_library, &ways[i], "team %u, depth %u", ways[i].team,
				      ways[i].depth)
		            : rounds_add(&table, run_library, &ways[i], "threads, depth %u", ways[i].depth);
		v->role = ROUNDS_LIBRARY;
		v->cost = &cost;
		v->absent = absent;
	}
}

static bool option(int c, const char *arg)
{
	return c == 'b' && number_unsigned(arg, LOCAL, 1 << 20, &block) && block % LOCAL == 0;
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "b:", option,
		"  -b BLOCK    samples of a window, a multiple of 256, up to 1048576 (16384)\n\n"
		"A filter of 64 taps with a history on the first OpenCL device: Msamples/s by the library, "
		"or "
		"by hand\n"
		"with so many blocks in flight.\n");
	struct pstk_device_info info;
	const char *absent = "there is no OpenCL device";
	char title[64];

	if (cl_direct_open(&cl) && pstk_devices(&info, 1) >= 1) {
		absent = NULL;
		snprintf(device, sizeof device, "%s", info.selector);
	}
	snprintf(title, sizeof title, "a filter with a history on a device, blocks of %u", block);
	table.title = title;
	table.at = block;
	table.least = block;
	make_source();
	make_signal();
	make_hashes();
	add_variants(absent);
	rounds_run(&o, &table);
	free(signal_samples);
	cl_direct_close(&cl);
	return 0;
}
