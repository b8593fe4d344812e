/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/migrate_steady.h"
#include "benchmarks/apps/migrate_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FLOATS = 4096, WARM = 16, DEPTH = 4, TEAM = 2 };

static const char *const device = "pocl:cpu:0";
static struct rounds_cost cost;

enum kind { MAPPED, NEVER_MOVED, WAS_MOVED, KINDS };

static const char *const kind_names[KINDS] = { "mapped", "movable, never moved", "movable, was moved there" };

struct way {
	enum kind kind;
	uint32_t loops;
	bool staged;
	unsigned team;
};

struct run {
	const struct way *way;
	uint64_t count, hash;
	double begin, end, cpu;
};

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct pstk_kernel kernel = {
	.source =
		"__kernel void work(__global const uint *in, __global uint *out, ulong firing, uint loops)\n"
		"{\n"
		"	size_t i = get_global_id(0);\n"
		"	uint x = in[i];\n"
		"	for (uint k = 0; k < loops; k++)\n"
		"		x = x * 1664525u + 1013904223u;\n"
		"	out[i] = x;\n"
		"}\n",
	.name = "work",
};

static struct run *run_of(struct pstk_actor *self)
{
	return *(struct run *const *)pstk_actor_arg(self);
}

static int set_up(struct pstk_actor *self)
{
	const size_t size = FLOATS;
	const uint32_t loops = run_of(self)->way->loops;
	int err = pstk_actor_set_work_size(self, 1, &size, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof loops, &loops);
}

/* What the kernel does. */
static int work(struct pstk_firing *f)
{
	const uint32_t loops = run_of(pstk_firing_actor(f))->way->loops, *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	for (unsigned i = 0; i < FLOATS; i++) {
		uint32_t x = in[i];

		for (uint32_t k = 0; k < loops; k++)
			x = x * 1664525u + 1013904223u;
		out[i] = x;
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int produce(struct pstk_firing *f)
{
	uint32_t *out = pstk_fifo_write_start(f, 0);
	uint64_t k = pstk_firing_index(f);

	for (uint32_t i = 0; i < FLOATS; i++)
		out[i] = (uint32_t)k + i;
	pstk_fifo_write_end(f, 0);
	return k + 1 < run_of(pstk_firing_actor(f))->count ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	struct run *r = run_of(pstk_firing_actor(f));
	uint64_t k = pstk_firing_index(f);

	r->hash += rounds_hash_at(rounds_hash(pstk_fifo_read_start(f, 0), FLOATS * sizeof(uint32_t)), k);
	pstk_fifo_read_end(f, 0);
	if (k + 1 == WARM) {
		r->begin = now(CLOCK_MONOTONIC);
		r->cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	}
	if (k + 1 == r->count) {
		r->end = now(CLOCK_MONOTONIC);
		r->cpu = now(CLOCK_PROCESS_CPUTIME_ID) - r->cpu;
	}
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, struct run *r, const char *name,
	const struct pstk_port *ports, unsigned count, int (*fire)(struct pstk_firing *))
{
	bool is_work = count == 2;

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = count, .arg_size = sizeof r,
			.fire = fire, .init = is_work ? set_up : NULL, .kernel = is_work ? &kernel : NULL,
			.stateless = is_work),
		&r);
}

static void place(struct pstk_actor *mover, enum kind kind)
{
	pstk_actor_map(mover, kind == WAS_MOVED ? NULL : device);
	if (kind == MAPPED)
		return;
	pstk_actor_may_move(mover, kind == WAS_MOVED ? device : NULL);
	if (kind == WAS_MOVED)
		pstk_actor_migrate(mover, device, 2);
}

static uint64_t run(const void *arg, uint64_t items)
{
	static const struct pstk_port ports[] = { { .name = "in" }, { .name = "out", .kind = PSTK_OUTPUT } };
	struct run r = { .way = arg, .count = items + WARM };
	struct pstk_network *net;
	struct pstk_actor *source, *mover, *sink;

	setenv("PENSTOCK_MEMORY", "copy", 1);
	if (!r.way->staged)
		unsetenv("PENSTOCK_MEMORY");
	net = pstk_network_create("steady");
	source = add(net, &r, "source", ports + 1, 1, produce);
	mover = add(net, &r, "mover", ports, 2, work);
	sink = add(net, &r, "sink", ports, 1, consume);
	pstk_connect(source, "out", mover, "in",
		PSTK_FIFO(.rate = 1, .token_size = FLOATS * sizeof(uint32_t), .depth = DEPTH));
	pstk_connect(mover, "out", sink, "in",
		PSTK_FIFO(.rate = 1, .token_size = FLOATS * sizeof(uint32_t), .depth = DEPTH));
	place(mover, r.way->kind);
	pstk_network_set_threads(net, r.way->team);
	rounds_run_network(net);
	cost = (struct rounds_cost){ .seconds = r.end - r.begin, .cpu = r.cpu };
	return r.hash;
}

void migrate_steady(const struct rounds_options *o, const char *absent)
{
	/* loops: kernels of about 1.2 ms and 20 us on two cores of this decade */
	static const struct {
		const char *title;
		uint32_t loops;
		bool staged;
	} tables[] = { { "a movable actor, kernels of 1 ms", 500, false },
		{ "a movable actor, kernels of 1 ms, staged", 500, true },
		{ "a movable actor, kernels of 20 us", 12, false },
		{ "a movable actor, kernels of 20 us, staged", 12, true } };
	static const unsigned teams[] = { 0, TEAM };

	for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++) {
		struct way ways[2 * KINDS];
		struct rounds_table table = {
			.title = tables[t].title, .unit = "firings/s", .scale = 1, .least = 8
		};
		unsigned n = 0;

		for (unsigned e = 0; e < 2; e++)
			for (enum kind k = MAPPED; k < KINDS; k++) {
				struct rounds_variant *v;

				ways[n] = (struct way){ k, tables[t].loops, tables[t].staged, teams[e] };
				v = teams[e]
				            ? rounds_add(&table, run, &ways[n], "team %u, %s", teams[e],
						      kind_names[k])
				            : rounds_add(&table, run, &ways[n], "threads, %s", kind_names[k]);
				v->role = k == MAPPED ? ROUNDS_LIMIT : ROUNDS_LIBRARY;
				v->versus = k == MAPPED ? v->name : NULL;
				v->cost = &cost;
				v->absent = absent;
				n++;
			}
		rounds_run(o, &table);
	}
}
