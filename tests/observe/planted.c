/* SPDX-License-Identifier: MIT */
#include "tests/observe/planted.h"

#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void work(const struct planted_work *w)
{
	uint64_t until = clock_ns() + w->ns;
	struct timespec t = { .tv_sec = (time_t)(until / 1000000000u),
		.tv_nsec = (long)(until % 1000000000u) };
	sem_t never;

	if (w->waits && !sem_init(&never, 0, 0)) {
		while (sem_clockwait(&never, CLOCK_MONOTONIC, &t) && clock_ns() < until)
			;
		sem_destroy(&never);
	}
	while (clock_ns() < until)
		;
}

/* Both included. */
static unsigned between(unsigned *rng, unsigned low, unsigned high)
{
	return low + (unsigned)rand_r(rng) % (high - low + 1);
}

static bool reads(enum pstk_port_kind kind)
{
	return kind == PSTK_INPUT || kind == PSTK_DYNAMIC_INPUT;
}

/* Moves a window at each port that is on. */
static void move(struct pstk_firing *f)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(pstk_firing_actor(f));

	for (unsigned p = 0; p < type->port_count; p++) {
		if (type->ports[p].kind == PSTK_CONTROL || !pstk_port_enabled(f, p))
			continue;
		if (reads(type->ports[p].kind)) {
			pstk_fifo_read_start(f, p);
			pstk_fifo_read_end(f, p);
		} else {
			*(uint32_t *)pstk_fifo_write_start(f, p) = 0;
			pstk_fifo_write_end(f, p);
		}
	}
}

static int fire_stage(struct pstk_firing *f)
{
	work(pstk_actor_arg(pstk_firing_actor(f)));
	move(f);
	return PSTK_AGAIN;
}

static int fire_source(struct pstk_firing *f)
{
	struct planted_work *w = pstk_actor_arg(pstk_firing_actor(f));

	work(w);
	move(f);
	return ++w->fired == w->firings ? PSTK_DONE : PSTK_AGAIN;
}

/* Control tokens: nine of ten are 0; advised: every second one. */
static int fire_choice(struct pstk_firing *f)
{
	struct planted_work *w = pstk_actor_arg(pstk_firing_actor(f));

	*(uint32_t *)pstk_fifo_write_start(f, 0) = w->ns ? w->fired % 2 : w->fired % 10 == 9;
	pstk_fifo_write_end(f, 0);
	return ++w->fired == w->firings ? PSTK_DONE : PSTK_AGAIN;
}

static int choose(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 2 + value, true);
	return 0;
}

static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
			      out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 },
			      stage[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
				      { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 } },
			      split[] = { { .name = "ctl", .kind = PSTK_CONTROL },
				      { .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
				      { .name = "a", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 4 },
				      { .name = "b", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 4 } };

static struct pstk_actor *add(struct planted *p, const char *name, const struct pstk_actor_type *type,
	uint64_t ns, uint64_t firings)
{
	p->work[p->count] = (struct planted_work){ .ns = ns, .firings = firings };
	return pstk_network_add(p->net, name, type, &p->work[p->count++]);
}

static struct pstk_actor *add_source(struct planted *p, uint64_t ns, uint64_t windows)
{
	return add(p, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = fire_source), ns,
		windows);
}

static struct pstk_actor *add_sink(struct planted *p, const char *name, uint64_t ns)
{
	return add(p, name,
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = fire_stage), ns, 0);
}

static struct pstk_actor *add_stage(struct planted *p, const char *name, uint64_t ns, bool stateless)
{
	return add(p, name,
		PSTK_ACTOR_TYPE(.name = "stage", .ports = stage, .port_count = 2, .fire = fire_stage,
			.stateless = stateless),
		ns, 0);
}

/* source, two to four stages, sink: one of them is the culprit. */
static void build_chain(struct planted *p, unsigned *rng, uint64_t windows, bool advised)
{
	static const char *const names[] = { "one", "two", "three", "four" };
	bool none = p->kind == PLANTED_SWITCHING;
	unsigned stages = between(rng, 2, 4), slow = between(rng, 0, stages - 1);
	uint64_t brief = none ? 0 : between(rng, 5000, 20000), lengthy = between(rng, 400000, 800000);
	struct pstk_actor *last = add_source(p, p->kind == PLANTED_SOURCE ? lengthy : brief, windows), *next;

	p->culprit = p->kind == PLANTED_SOURCE ? last : NULL;
	p->work[0].waits = p->kind == PLANTED_SOURCE;
	for (unsigned i = 0; i <= stages; i++) {
		bool culprit = i == slow && (p->kind == PLANTED_ACTOR || p->kind == PLANTED_SERIAL);

		next = i == stages ? add_sink(p, "sink", brief)
		                   : add_stage(p, names[i],
					     culprit ? (p->kind == PLANTED_SERIAL && advised ? lengthy / 2
											     : lengthy)
						     : brief,
					     p->kind != PLANTED_SERIAL);
		if (culprit) {
			p->culprit = next;
			p->work[i + 1].waits = true;
			if (advised && p->kind == PLANTED_ACTOR)
				pstk_actor_set_concurrency(next, 2);
		}
		pstk_connect(last, "out", next, "in", PSTK_FIFO(.rate = none && advised ? 4 : 1));
		last = next;
	}
}

/* source, sink: one FIFO, as deep as it must be. */
static void build_pair(struct planted *p, unsigned *rng, uint64_t windows, bool advised)
{
	uint64_t ns = between(rng, 300000, 600000);
	struct pstk_actor *source = add_source(p, ns, windows),
			  *sink = add_sink(p, "sink", ns + between(rng, 0, 100000));

	p->work[0].waits = p->work[1].waits = true;
	p->fifo = pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .depth = advised ? 4 : 1));
}

/* source -> split -> left, right -> a sink each; choice -> split */
static void build_split(struct planted *p, unsigned *rng, uint64_t windows, bool advised)
{
	uint64_t ns = between(rng, 400000, 800000), brief = between(rng, 0, 10000);
	struct pstk_actor *source = add_source(p, brief, windows), *choice, *splits, *sides[2];

	choice = add(p, "choice",
		PSTK_ACTOR_TYPE(.name = "choice", .ports = &out, .port_count = 1, .fire = fire_choice),
		advised, windows);
	splits = add(p, "split",
		PSTK_ACTOR_TYPE(.name = "split", .ports = split, .port_count = 4, .control_values = 2,
			.control = choose, .fire = fire_stage),
		0, 0);
	pstk_connect(choice, "out", splits, "ctl", PSTK_FIFO(.rate = 1));
	pstk_connect(source, "out", splits, "in", PSTK_FIFO(.rate = 1));
	for (unsigned i = 0; i < 2; i++) {
		sides[i] = add_stage(p, i ? "right" : "left", ns, false);
		p->work[p->count - 1].waits = true;
		pstk_connect(splits, i ? "b" : "a", sides[i], "in", PSTK_FIFO(.rate = 1));
		pstk_connect(sides[i], "out", add_sink(p, i ? "right sink" : "left sink", brief), "in",
			PSTK_FIFO(.rate = 1));
	}
	p->culprit = sides[0];
}

bool planted_is_here(enum planted_kind kind)
{
	struct pstk_device_info device;

	return kind != PLANTED_TRANSFER || pstk_devices(&device, 1) > 0;
}

static int init_kernel(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, NULL);
}

/* source, stage, sink: the stage can run on the cores, too. A device that has its windows in the host's memory copies
 * them all the same. */
static void build_transfer(struct planted *p, unsigned *rng, uint64_t windows, bool advised)
{
	static const struct pstk_kernel kernel = { .name = "first",
		.source = "__kernel void first(__global const uint *in, __global uint *out, ulong firing)\n"
			  "{\n\tout[0] = in[0];\n}\n" };
	struct pstk_fifo_spec spec = *PSTK_FIFO(.rate = between(rng, 1 << 19, 1 << 21));
	struct pstk_actor *source = add_source(p, 0, windows), *middle, *sink;

	middle = add(p, "stage",
		PSTK_ACTOR_TYPE(.name = "stage", .ports = stage, .port_count = 2, .fire = fire_stage,
			.init = init_kernel, .kernel = &kernel),
		0, 0);
	sink = add_sink(p, "sink", 0);
	pstk_connect(source, "out", middle, "in", &spec);
	pstk_connect(middle, "out", sink, "in", &spec);
	if (!advised && pstk_devices(&p->device, 1) > 0)
		pstk_actor_map(middle, p->device.selector);
}

void planted_build(struct planted *p, enum planted_kind kind, unsigned seed, uint64_t windows, bool advised)
{
	unsigned rng = seed;

	if (kind == PLANTED_TRANSFER)
		setenv("PENSTOCK_MEMORY", "copy", 1);
	*p = (struct planted){ .kind = kind, .net = pstk_network_create("planted") };
	if (kind == PLANTED_TRANSFER)
		build_transfer(p, &rng, windows, advised);
	else if (kind == PLANTED_DEPTH)
		build_pair(p, &rng, windows, advised);
	else if (kind == PLANTED_IMBALANCE)
		build_split(p, &rng, windows, advised);
	else
		build_chain(p, &rng, windows, advised);
}
