/* SPDX-License-Identifier: MIT */
/*
 * What a launch on an OpenCL device costs by itself: a kernel of one work-item that adds one to a number,
 * on the first device. Microseconds a launch by the library, where each is a firing of an actor, and by
 * hand.
 *
 * Library: a source, so many actors on the device, one behind the other, and a sink. The fewer actors, the
 * more of the host's two firings and two transfers are in a launch's time. By hand: the same kernel in one
 * in-order queue on two buffers in turn, nothing but launches: waiting for each, or for 256 together (so
 * that commands don't pile up), without or with an event of each and the wait for the one before, as
 * pipelines over several queues need.
 *
 * Why it is fair: by hand is less work than the library's, which moves windows to and from the host and
 * may decide anew at each firing: it is the limit, not a peer. The time is from the first firing to the
 * last, what a start takes (kernels are built) is not in it, by hand neither. What has been added is
 * checked.
 *
 * Tables: as of all programs here (-h).
 *
 * Usage: launch [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "actors/common/cl_direct.h"
#include "benchmarks/common/device_bench.h"
#include "benchmarks/common/rounds.h"

#include <stdio.h>
#include <stdlib.h>

enum { TOGETHER = 256, DEPTH = 4, ACTORS_MOST = 16 };

static const struct pstk_kernel kernel = {
	.source = "__kernel void next(__global const uint *in, __global uint *out, ulong firing)\n"
		  "{ if (get_global_id(0) == 0) *out = *in + 1; }\n",
	.name = "next",
};

/* Constant while anything is measured. */
static struct cl_direct cl;
static char device[64]; /* its selector */

static struct rounds_cost cost;

/* -- by hand -- */

struct hand {
	unsigned together; /* launches between two waits */
	bool events;
};

struct hand_run {
	cl_command_queue queue;
	cl_kernel kernels[2]; /* from one buffer to the other, and back */
	cl_mem buffers[2];
};

static void open_run(struct hand_run *r)
{
	const cl_uint zero = 0;
	const cl_ulong firing = 0;

	r->queue = cl_direct_queue(&cl);
	for (unsigned i = 0; i < 2; i++) {
		cl_int err;

		r->buffers[i] = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof zero, NULL, &err);
		cl_direct_check(err, "clCreateBuffer");
		cl_direct_check(clEnqueueWriteBuffer(r->queue, r->buffers[i], CL_TRUE, 0, sizeof zero, &zero,
					0, NULL, NULL),
			"clEnqueueWriteBuffer");
	}
	for (unsigned i = 0; i < 2; i++) {
		r->kernels[i] = cl_direct_kernel(&cl, &kernel);
		cl_direct_check(
			clSetKernelArg(r->kernels[i], 0, sizeof(cl_mem), &r->buffers[i]), "argument 0");
		cl_direct_check(
			clSetKernelArg(r->kernels[i], 1, sizeof(cl_mem), &r->buffers[!i]), "argument 1");
		cl_direct_check(clSetKernelArg(r->kernels[i], 2, sizeof firing, &firing), "argument 2");
	}
}

static uint32_t close_run(struct hand_run *r, uint64_t launches)
{
	cl_uint number;

	cl_direct_check(clEnqueueReadBuffer(r->queue, r->buffers[launches % 2], CL_TRUE, 0, sizeof number,
				&number, 0, NULL, NULL),
		"clEnqueueReadBuffer");
	for (unsigned i = 0; i < 2; i++) {
		clReleaseKernel(r->kernels[i]);
		clReleaseMemObject(r->buffers[i]);
	}
	clReleaseCommandQueue(r->queue);
	return number;
}

/* before: the launch before this one's event, or NULL; is replaced by this one's. */
static void launch(const struct hand_run *r, uint64_t index, bool events, cl_event *before)
{
	const size_t one = 1;
	cl_event event = NULL;

	cl_direct_check(
		clEnqueueNDRangeKernel(r->queue, r->kernels[index % 2], 1, NULL, &one, &one,
			events && *before ? 1 : 0, events && *before ? before : NULL, events ? &event : NULL),
		"clEnqueueNDRangeKernel");
	if (*before)
		clReleaseEvent(*before);
	*before = event;
}

static uint64_t run_hand(const void *arg, uint64_t items)
{
	const struct hand *hand = arg;
	struct device_moment begin, end;
	struct hand_run r;
	cl_event last = NULL;

	open_run(&r);
	begin = device_now();
	for (uint64_t i = 0; i < items; i++) {
		launch(&r, i, hand->events, &last);
		if ((i + 1) % hand->together == 0)
			clFinish(r.queue);
	}
	clFinish(r.queue);
	end = device_now();
	if (last)
		clReleaseEvent(last);
	cost = device_rounds_cost(&begin, &end);
	return close_run(&r, items);
}

/* -- the library -- */

struct way {
	unsigned actors, team; /* actors: on the device */
};

/* What source and sink share; each writes its own members. */
struct run {
	uint64_t tokens; /* constant */
	uint64_t added;
	struct device_moment begin, end;
};

static int source_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	if (!i)
		run->begin = device_now();
	*(uint32_t *)pstk_fifo_write_start(f, 0) = (uint32_t)i;
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->tokens ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	run->added += *(const uint32_t *)pstk_fifo_read_start(f, 0) - (uint32_t)i;
	pstk_fifo_read_end(f, 0);
	if (i + 1 == run->tokens)
		run->end = device_now();
	return PSTK_AGAIN;
}

static int next_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

static struct pstk_actor *add_next(struct pstk_network *net, unsigned index)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(uint32_t), .token_type = "u32" },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(uint32_t), .token_type = "u32" }
	};
	struct pstk_actor *actor;
	char name[24];

	snprintf(name, sizeof name, "next%u", index);
	actor = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "next", .ports = ports, .port_count = 2, .init = next_init,
			.kernel = &kernel),
		NULL);
	pstk_actor_map(actor, device);
	return actor;
}

static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { .tokens = items / way->actors };
	struct pstk_network *net = pstk_network_create("launch");
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
			       in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_fifo_spec inner = pstk_fifo_spec_init(), outer;
	struct pstk_actor *before = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = source_fire), &run);

	inner.rate = 1;
	inner.token_size = sizeof(uint32_t);
	outer = inner;
	outer.depth = DEPTH;
	for (unsigned i = 0; i < way->actors; i++) {
		struct pstk_actor *next = add_next(net, i);

		pstk_connect(before, "out", next, "in", i ? &inner : &outer);
		before = next;
	}
	pstk_connect(before, "out",
		pstk_network_add(net, "sink",
			PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = sink_fire),
			&run),
		"in", &outer);
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	cost = device_rounds_cost(&run.begin, &run.end);
	return run.added;
}

/* -- the table -- */

/* Each launch adds one. */
static uint64_t expected(const void *arg, uint64_t items)
{
	(void)arg;
	return items;
}

static struct rounds_table table = { .title = "a launch on a device",
	.unit = "us a launch",
	.scale = 1e3,
	.times = true,
	.least = ACTORS_MOST,
	.expect = expected };

static void add_hands(const char *absent)
{
	static const struct {
		struct hand hand;
		const char *name, *versus;
	} hands[] = { { { TOGETHER, false }, "by hand, a wait for 256", "by hand" },
		{ { TOGETHER, true }, "by hand, events, a wait for 256", NULL },
		{ { 1, false }, "by hand, a wait each", "a wait each" } };

	for (unsigned i = 0; i < sizeof hands / sizeof *hands; i++) {
		struct rounds_variant *v = rounds_add(&table, run_hand, &hands[i].hand, "%s", hands[i].name);

		v->cost = &cost;
		v->role = ROUNDS_LIMIT;
		v->versus = hands[i].versus;
		v->divide = hands[i].hand.together == 1 ? 8 : 1;
		v->absent = absent;
	}
}

static void add_library(const char *absent)
{
	static const unsigned teams[] = { 0, 1, 2 }, counts[] = { 1, 4, ACTORS_MOST };
	static struct way ways[sizeof teams / sizeof *teams * sizeof counts / sizeof *counts];
	struct way *w = ways;

	for (unsigned t = 0; t < sizeof teams / sizeof *teams; t++)
		for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
			struct rounds_variant *v;

			*w = (struct way){ counts[c], teams[t] };
			v = w->team ? rounds_add(&table, run_library, w, "team %u, actors %u", w->team,
					      w->actors)
			            : rounds_add(&table, run_library, w, "threads, actors %u", w->actors);
			v->cost = &cost;
			v->divide = ACTORS_MOST / w->actors / 2 + 1;
			v->absent = absent;
			w++;
		}
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "", NULL,
		"\nWhat a launch of a kernel that does next to nothing costs on the first OpenCL device:\n"
		"microseconds a launch, with so many actors on the device (library), or by hand.\n");
	struct pstk_device_info info;
	const char *absent = "there is no OpenCL device";

	if (cl_direct_open(&cl) && pstk_devices(&info, 1) >= 1) {
		absent = NULL;
		snprintf(device, sizeof device, "%s", info.selector);
	}
	add_hands(absent);
	add_library(absent);
	rounds_run(&o, &table);
	cl_direct_close(&cl);
	return 0;
}
