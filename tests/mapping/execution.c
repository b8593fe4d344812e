/* SPDX-License-Identifier: MIT */
#include "tests/mapping/execution.h"

#include <math.h>
#include <stdlib.h>

enum { ITERATIONS = 24, LONGEST = 16, SPOILT = -1 };

struct slot {
	int buffer; /* SPOILT: something is being written */
	int64_t window;
};

struct memory {
	const struct ps_outline *o;
	const unsigned *group;
	struct slot **slots; /* of each group */
	uint64_t *depth;     /* .. its slots */
	unsigned *members;   /* .. its buffers */
	bool corrupt;
};

/* Initial tokens have memory of their own, behind the windows: in slots of their own here. */
static uint64_t delay_of(const struct ps_outline *o, unsigned buffer)
{
	uint64_t delay = 0;

	for (unsigned i = 0; i < o->flow->reader_count; i++)
		if (o->feeds[i] == buffer && o->flow->readers[i].delay > delay)
			delay = o->flow->readers[i].delay;
	return delay;
}

static void memory_open(struct memory *m, const struct ps_outline *o, const unsigned *group)
{
	*m = (struct memory){ .o = o,
		.group = group,
		.slots = calloc(o->buffer_count + 1u, sizeof *m->slots),
		.depth = calloc(o->buffer_count + 1u, sizeof *m->depth),
		.members = calloc(o->buffer_count + 1u, sizeof *m->members) };
	for (unsigned i = 0; i < o->buffer_count; i++) {
		uint64_t depth = o->buffers[i].depth + delay_of(o, i);

		m->members[group[i]]++;
		m->depth[group[i]] = depth > m->depth[group[i]] ? depth : m->depth[group[i]];
	}
	for (unsigned g = 0; g < o->buffer_count; g++) {
		m->slots[g] = calloc(m->depth[g] + 1, sizeof **m->slots);
		for (uint64_t i = 0; i < m->depth[g]; i++)
			m->slots[g][i].buffer = SPOILT;
	}
}

static void memory_close(struct memory *m)
{
	for (unsigned g = 0; g < m->o->buffer_count; g++)
		free(m->slots[g]);
	free(m->slots);
	free(m->depth);
	free(m->members);
}

static struct slot *slot_of(struct memory *m, unsigned buffer, int64_t window)
{
	unsigned g = m->group[buffer];

	return &m->slots[g][(uint64_t)window % m->depth[g]];
}

static void spoil(struct memory *m, unsigned buffer, int64_t window)
{
	slot_of(m, buffer, window)->buffer = SPOILT;
}

static void fill(struct memory *m, unsigned buffer, int64_t window)
{
	*slot_of(m, buffer, window) = (struct slot){ (int)buffer, window };
}

/* all: also at the memory of one buffer, which its counters keep, and not cycles. */
static void look(struct memory *m, unsigned buffer, int64_t window, bool all)
{
	const struct slot *s = slot_of(m, buffer, window);

	if ((all || m->members[m->group[buffer]] > 1) && (s->buffer != (int)buffer || s->window != window))
		m->corrupt = true;
}

/* An actor's inputs in a firing. */
static void look_inputs(struct memory *m, unsigned actor, int64_t firing, bool all)
{
	for (unsigned i = 0; i < m->o->flow->reader_count; i++) {
		const struct ps_flow_reader *r = &m->o->flow->readers[i];
		int64_t window = firing - (int64_t)r->delay;

		if (r->actor == actor && window >= 0)
			look(m, m->o->feeds[i], window, all);
	}
}

static void each_output(struct memory *m, unsigned actor, int64_t firing,
	void (*what)(struct memory *, unsigned buffer, int64_t window))
{
	for (unsigned i = 0; i < m->o->flow->output_count; i++)
		if (m->o->flow->outputs[i].writer == actor)
			what(m, i, firing);
}

/* In cycles. */

struct hop {
	unsigned buffer;    /* that it fills */
	unsigned before;    /* hops on the way to it */
	int64_t offset;     /* cycles behind the writer's */
	bool net;           /* else a copy */
	int64_t begin, end; /* positions in this cycle */
};

struct cycles {
	struct memory memory;
	struct hop hops[256];
	unsigned hop_count;
};

static const struct ps_link *link_of(const struct ps_outline *o, unsigned buffer)
{
	return &o->flow->machine->links[o->buffers[buffer].link];
}

static void find_hops(struct cycles *c, const struct ps_outline *o)
{
	for (unsigned b = 0; b < o->buffer_count; b++) {
		struct hop h = { .buffer = b };
		bool copies = false; /* the hop behind the one that is looked at */

		for (unsigned i = b; o->buffers[i].from != PS_NONE; i = o->buffers[i].from) {
			bool net = link_of(o, i)->kind == PSTK_LINK_NET;

			h.before++;
			h.offset += !(i != b && !o->overlap && net && copies);
			copies = !net;
		}
		if (!h.before)
			continue;
		h.before--;
		h.net = link_of(o, b)->kind == PSTK_LINK_NET;
		c->hops[c->hop_count++] = h;
	}
}

static int64_t window_of(const struct ps_outline *o, const struct hop *h, int64_t cycle)
{
	unsigned writer = o->flow->outputs[o->buffers[h->buffer].output].writer;

	return cycle - (int64_t)o->latency[writer] - h->offset;
}

static void move(struct cycles *c, const struct hop *h, int64_t cycle, bool begins, bool ends)
{
	const struct ps_outline *o = c->memory.o;
	unsigned from = o->buffers[h->buffer].from;
	int64_t window = window_of(o, h, cycle);

	if (window < 0)
		return;
	if (begins) {
		spoil(&c->memory, h->buffer, window);
		look(&c->memory, from, window, false);
	}
	if (ends) {
		look(&c->memory, from, window, false);
		fill(&c->memory, h->buffer, window);
	}
}

static void fire(struct cycles *c, unsigned actor, int64_t cycle)
{
	const struct ps_outline *o = c->memory.o;
	int64_t firing = cycle - (int64_t)o->latency[actor];

	if (firing < 0)
		return;
	each_output(&c->memory, actor, firing, spoil);
	look_inputs(&c->memory, actor, firing, false);
	each_output(&c->memory, actor, firing, fill);
}

/* Hops of one way move their windows from the end of the way on: each frees a window for the one before. */
static void move_phase(struct cycles *c, int64_t cycle, bool net)
{
	for (unsigned before = LONGEST; before-- > 0;)
		for (unsigned i = 0; i < c->hop_count; i++)
			if (c->hops[i].net == net && c->hops[i].before == before)
				move(c, &c->hops[i], cycle, true, true);
}

static void run_cycle(struct cycles *c, int64_t cycle, struct test_rng *rng)
{
	const struct ps_outline *o = c->memory.o;
	int64_t actors = o->flow->actor_count;

	for (unsigned i = 0; i < c->hop_count; i++) {
		c->hops[i].begin = test_between(rng, 0, (unsigned)actors);
		c->hops[i].end = test_between(rng, (unsigned)c->hops[i].begin, (unsigned)actors);
	}
	if (!o->overlap) {
		move_phase(c, cycle, true);
		move_phase(c, cycle, false);
	}
	for (int64_t position = 0; position <= actors; position++) {
		for (unsigned i = 0; i < c->hop_count && o->overlap; i++)
			move(c, &c->hops[i], cycle, c->hops[i].begin == position, false);
		for (unsigned i = 0; i < c->hop_count && o->overlap; i++)
			move(c, &c->hops[i], cycle, false, c->hops[i].end == position);
		if (position < actors)
			fire(c, o->scheduled[position], cycle);
	}
}

enum execution execution_in_cycles(const struct ps_outline *o, const unsigned *group, struct test_rng *rng)
{
	struct cycles c = { .hop_count = 0 };
	uint64_t latest = 0;

	memory_open(&c.memory, o, group);
	find_hops(&c, o);
	for (unsigned i = 0; i < o->flow->actor_count; i++)
		latest = o->latency[i] > latest ? o->latency[i] : latest;
	for (int64_t cycle = 0; cycle < (int64_t)latest + ITERATIONS && !c.memory.corrupt; cycle++)
		run_cycle(&c, cycle, rng);
	memory_close(&c.memory);
	return c.memory.corrupt ? EXECUTION_CORRUPT : EXECUTION_GOOD;
}

/* Self-timed: process i is actor i, or behind the actors the hop that fills a buffer. */

struct process {
	int64_t begun, done;
	/* with times: since when it could begin, when what it has begun ends */
	bool waits;
	double ready, end;
};

struct selftimed {
	struct memory memory;
	struct process *of; /* actors, then buffers */
	unsigned actors, count;
	int64_t iterations;
};

static const struct process *filler(const struct selftimed *s, unsigned buffer)
{
	const struct ps_outline *o = s->memory.o;

	return o->buffers[buffer].from == PS_NONE ? &s->of[o->flow->outputs[o->buffers[buffer].output].writer]
	                                          : &s->of[s->actors + buffer];
}

/* So many windows have been read by all; INT64_MAX: nothing reads it. */
static int64_t read_by_all(const struct selftimed *s, unsigned buffer)
{
	const struct ps_outline *o = s->memory.o;
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < o->flow->reader_count; i++)
		if (o->feeds[i] == buffer && s->of[o->flow->readers[i].actor].done < least)
			least = s->of[o->flow->readers[i].actor].done;
	for (unsigned i = 0; i < o->buffer_count; i++)
		if (o->buffers[i].from == buffer && s->of[s->actors + i].done < least)
			least = s->of[s->actors + i].done;
	return least;
}

/* Where a buffer stands in its group: what a transfer fills first, then by the writers' positions. */
static int64_t rank(const struct ps_outline *o, unsigned buffer)
{
	const struct ps_buffer *b = &o->buffers[buffer];

	return b->from == PS_NONE ? (int64_t)o->schedule[o->flow->outputs[b->output].writer] : -1;
}

/* The member before this one in its group, or the last one where there is none. false: it is alone. */
static bool member_before(const struct selftimed *s, unsigned buffer, unsigned *before, bool *wraps)
{
	const struct ps_outline *o = s->memory.o;
	int64_t mine = rank(o, buffer), best = INT64_MIN, last = INT64_MIN;
	unsigned at_end = buffer;

	for (unsigned i = 0; i < o->buffer_count; i++) {
		if (s->memory.group[i] != s->memory.group[buffer] || i == buffer)
			continue;
		if (rank(o, i) < mine && rank(o, i) > best) {
			best = rank(o, i);
			*before = i;
		}
		if (rank(o, i) > last) {
			last = rank(o, i);
			at_end = i;
		}
	}
	*wraps = best == INT64_MIN;
	if (*wraps)
		*before = at_end;
	return at_end != buffer;
}

static bool has_room(const struct selftimed *s, unsigned buffer, int64_t n)
{
	const struct memory *m = &s->memory;
	int64_t own = read_by_all(s, buffer), other, depth = (int64_t)m->depth[m->group[buffer]];
	unsigned before;
	bool wraps;

	if (own != INT64_MAX && n >= own - (int64_t)delay_of(m->o, buffer) + depth)
		return false;
	if (!member_before(s, buffer, &before, &wraps))
		return true;
	other = read_by_all(s, before);
	return other == INT64_MAX || (wraps ? n < other + depth : n < other);
}

static bool can_begin(const struct selftimed *s, unsigned process)
{
	const struct ps_outline *o = s->memory.o;
	int64_t n = s->of[process].begun;

	if (n != s->of[process].done || n == s->iterations)
		return false;
	if (process >= s->actors) {
		unsigned b = process - s->actors;

		return o->buffers[b].from != PS_NONE && filler(s, o->buffers[b].from)->done > n &&
		       has_room(s, b, n);
	}
	for (unsigned i = 0; i < o->flow->reader_count; i++)
		if (o->flow->readers[i].actor == process &&
			filler(s, o->feeds[i])->done + (int64_t)o->flow->readers[i].delay <= n)
			return false;
	for (unsigned i = 0; i < o->flow->output_count; i++)
		if (o->flow->outputs[i].writer == process && !has_room(s, i, n))
			return false;
	return true;
}

/* Its next step: it begins, or it ends. */
static void step(struct selftimed *s, unsigned process)
{
	struct process *p = &s->of[process];
	const struct ps_outline *o = s->memory.o;
	bool begins = p->begun == p->done;
	unsigned b = process - s->actors;

	if (process < s->actors) {
		if (begins)
			each_output(&s->memory, process, p->begun, spoil);
		look_inputs(&s->memory, process, p->done, true);
		if (!begins)
			each_output(&s->memory, process, p->done, fill);
	} else {
		if (begins)
			spoil(&s->memory, b, p->begun);
		look(&s->memory, o->buffers[b].from, p->done, true);
		if (!begins)
			fill(&s->memory, b, p->done);
	}
	p->done += !begins;
	p->begun += begins;
}

/* Any process that can do its next step; count: there is none. */
static unsigned any(const struct selftimed *s, struct test_rng *rng)
{
	unsigned first = test_between(rng, 0, s->count - 1);

	for (unsigned i = 0; i < s->count; i++) {
		unsigned process = (first + i) % s->count;

		if (s->of[process].begun > s->of[process].done || can_begin(s, process))
			return process;
	}
	return s->count;
}

enum execution execution_self_timed(const struct ps_outline *o, const unsigned *group, struct test_rng *rng)
{
	struct selftimed s = { .actors = o->flow->actor_count,
		.count = o->flow->actor_count + o->buffer_count,
		.iterations = ITERATIONS };
	enum execution result = EXECUTION_GOOD;
	unsigned process;

	memory_open(&s.memory, o, group);
	s.of = calloc(s.count, sizeof *s.of);
	while (!s.memory.corrupt && (process = any(&s, rng)) < s.count)
		step(&s, process);
	for (unsigned i = 0; i < s.actors; i++)
		if (s.of[i].done < ITERATIONS)
			result = EXECUTION_STUCK;
	if (s.memory.corrupt)
		result = EXECUTION_CORRUPT;
	free(s.of);
	memory_close(&s.memory);
	return result;
}

/* With times. */

/* What serves it: a place, or a direction of a link, or both. */
static unsigned unit_of(const struct selftimed *s, unsigned process)
{
	const struct ps_outline *o = s->memory.o;
	const struct pstk_machine *m = o->flow->machine;
	const struct ps_buffer *b = process < s->actors ? NULL : &o->buffers[process - s->actors];

	if (!b)
		return o->flow->actors[process].place;
	return m->place_count + 2 * b->link +
	       (!m->links[b->link].half && m->links[b->link].ends[0] == b->place);
}

static double seconds_of(const struct selftimed *s, unsigned process)
{
	const struct ps_outline *o = s->memory.o;
	const struct ps_buffer *b = process < s->actors ? NULL : &o->buffers[process - s->actors];
	const struct ps_link *l = b ? &o->flow->machine->links[b->link] : NULL;

	if (!b)
		return o->flow->actors[process].seconds;
	return (double)o->flow->outputs[b->output].windows *
	       (l->latency + (double)o->flow->outputs[b->output].bytes / l->rate);
}

static unsigned servers(const struct selftimed *s, unsigned unit)
{
	const struct pstk_machine *m = s->memory.o->flow->machine;

	return unit < m->place_count ? m->places[unit].cores : 1;
}

static bool goes_before(const struct selftimed *s, unsigned a, unsigned b)
{
	const struct process *p = &s->of[a], *q = &s->of[b];
	const uint32_t *schedule = s->memory.o->schedule;

	if (p->ready != q->ready)
		return p->ready < q->ready;
	if (p->done != q->done)
		return p->done < q->done;
	return a < s->actors && b < s->actors ? schedule[a] < schedule[b] : a < b;
}

/* Begins the first that waits for what serves it, if that is free. false: there is none. */
static bool serve_one(struct selftimed *s, double now)
{
	unsigned best = s->count;

	for (unsigned i = 0; i < s->count; i++) {
		unsigned busy = 0;

		if (!s->of[i].waits)
			continue;
		for (unsigned k = 0; k < s->count; k++)
			busy += s->of[k].begun > s->of[k].done && unit_of(s, k) == unit_of(s, i);
		if (busy < servers(s, unit_of(s, i)) &&
			(best == s->count || (unit_of(s, i) == unit_of(s, best) && goes_before(s, i, best))))
			best = i;
	}
	if (best == s->count)
		return false;
	s->of[best].waits = false;
	s->of[best].begun++;
	s->of[best].end = now + seconds_of(s, best);
	return true;
}

/* When what ends next does; INFINITY: nothing is on its way. */
static double next_end(const struct selftimed *s)
{
	double next = INFINITY;

	for (unsigned i = 0; i < s->count; i++)
		if (s->of[i].begun > s->of[i].done && s->of[i].end < next)
			next = s->of[i].end;
	return next;
}

double execution_period(const struct ps_outline *o, const unsigned *group, uint32_t iterations)
{
	struct selftimed s = { .actors = o->flow->actor_count,
		.count = o->flow->actor_count + o->buffer_count,
		.iterations = iterations };
	double now = 0, half = 0, all = 0;

	memory_open(&s.memory, o, group);
	s.of = calloc(s.count, sizeof *s.of);
	for (; now < INFINITY; now = next_end(&s)) {
		for (unsigned i = 0; i < s.count; i++) {
			struct process *p = &s.of[i];

			if (p->begun == p->done || p->end > now)
				continue;
			p->done++;
			half = i < s.actors && p->done == (int64_t)iterations / 2 ? now : half;
			all = i < s.actors && p->done == (int64_t)iterations ? now : all;
		}
		for (unsigned i = 0; i < s.count; i++)
			if (!s.of[i].waits && can_begin(&s, i)) {
				s.of[i].waits = true;
				s.of[i].ready = now;
			}
		while (serve_one(&s, now))
			;
	}
	free(s.of);
	memory_close(&s.memory);
	return (all - half) / (iterations / 2);
}
