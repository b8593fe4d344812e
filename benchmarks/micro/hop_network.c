/* SPDX-License-Identifier: MIT */
#include "benchmarks/micro/hop_network.h"

#include "benchmarks/common/rounds.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE = 64 };

const char *const hop_shape_names[HOP_SHAPES] = { "chain", "star", "loop" };

/* On a line of its own: the actors of a star add side by side. */
struct hop_sum {
	_Alignas(LINE) struct hop_run *run; /* constant */
	uint64_t sum;                       /* the actor's */
};

static int source_fire(struct pstk_firing *f)
{
	const struct hop_sum *self = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	*(uint32_t *)pstk_fifo_write_start(f, 0) = (uint32_t)i;
	pstk_fifo_write_end(f, 0);
	return i + 1 == self->run->items ? PSTK_DONE : PSTK_AGAIN;
}

static int pass_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	*out = *in;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct hop_sum *self = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	self->sum += *in;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int calling_sink_fire(struct pstk_firing *f)
{
	struct hop_sum *self = pstk_actor_arg(pstk_firing_actor(f));

	if (pstk_firing_index(f) + 1 == self->run->items)
		self->run->at_last(self->run);
	return sink_fire(f);
}

static int next_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	*out = *in + 1;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int first_fire(struct pstk_firing *f)
{
	struct hop_sum *self = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	self->sum += *in;
	*out = *in + 1;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return pstk_firing_index(f) + 1 == self->run->items ? PSTK_DONE : PSTK_AGAIN;
}

typedef int fire_function(struct pstk_firing *);

static fire_function *fire_of(const struct hop_run *run, unsigned index)
{
	fire_function *sink = run->at_last ? calling_sink_fire : sink_fire;
	bool last = index + 1 == run->way->actors;

	switch (run->way->shape) {
	case HOP_LOOP:
		return index ? next_fire : first_fire;
	case HOP_STAR:
		return index ? sink : source_fire;
	default:
		return !index ? source_fire : last ? sink : pass_fire;
	}
}

static struct pstk_actor *add(struct pstk_network *net, struct hop_run *run, unsigned index)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	fire_function *fire = fire_of(run, index);
	char name[24];

	run->sums[index].run = run;
	snprintf(name, sizeof name, "actor%u", index);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "pass", .ports = fire == source_fire ? ports + 1 : ports,
			.port_count =
				fire == source_fire || fire == sink_fire || fire == calling_sink_fire ? 1 : 2,
			.fire = fire),
		&run->sums[index]);
}

struct pstk_network *hop_network_build(struct hop_run *run)
{
	const struct hop_way *way = run->way;
	struct pstk_network *net = pstk_network_create("hop");
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *first, *before;

	run->sums = rounds_alloc(way->actors * sizeof *run->sums);
	first = before = add(net, run, 0);
	spec.rate = 1;
	spec.depth = way->depth;
	spec.token_size = sizeof(uint32_t);
	for (unsigned i = 1; i < way->actors; i++) {
		struct pstk_actor *next = add(net, run, i);

		pstk_connect(way->shape == HOP_STAR ? first : before, "out", next, "in", &spec);
		before = next;
	}
	if (way->shape == HOP_LOOP) {
		spec.delay = 1;
		pstk_connect(before, "out", first, "in", &spec);
	}
	pstk_network_set_threads(net, way->team);
	return net;
}

uint64_t hop_network_end(struct hop_run *run)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < run->way->actors; i++)
		sum += run->sums[i].sum;
	free(run->sums);
	run->sums = NULL;
	return sum;
}

uint64_t hop_network_expected(const struct hop_way *way, uint64_t items)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < items; i++)
		sum += way->shape == HOP_LOOP ? (uint32_t)(i * way->actors) : (uint32_t)i;
	return way->shape == HOP_STAR ? sum * (way->actors - 1) : sum;
}
