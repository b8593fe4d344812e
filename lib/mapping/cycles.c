/* SPDX-License-Identifier: MIT */
/*
 * Cycles: when does each actor have its first windows, and which of its inputs wait for others? In cycles: in each one
 * every actor fires once (an iteration) and every hop moves one window.
 *
 * 	latency of an actor = max over its inputs of latency(writer) + cost - delay, and at least 0
 * 	slack of an input   = latency(reader) - (latency(writer) + cost - delay)
 *
 * cost with overlap: the buffers on the way that take part in a transfer. So it is h + 1 of h hops. Of none it is 0,
 * but 1 where a transfer to other readers empties the buffer: such a buffer is a double one, whose halves change
 * places with the cycle. Without overlap a cycle has phases: first networks move windows, then copies, then actors
 * fire. A hop costs a cycle, but a copy right behind a network's hop costs none (PACCO, section 4.3, whose own rule
 * without overlap is wrong: doc/planning.md).
 *
 * These are longest paths. They do not settle where a cycle of FIFOs costs more cycles than it has windows of delay.
 */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <string.h>

static uint64_t cost_of(const struct ps_outline *o, unsigned reader)
{
	const struct ps_link *links = o->flow->machine->links;
	unsigned buffer = o->feeds[reader], hops = 0, free = 0;

	for (; o->buffers[buffer].from != PS_NONE; buffer = o->buffers[buffer].from) {
		unsigned before = o->buffers[buffer].from;

		hops++;
		if (links[o->buffers[buffer].link].kind == PSTK_LINK_COPY &&
			o->buffers[before].from != PS_NONE &&
			links[o->buffers[before].link].kind == PSTK_LINK_NET)
			free++;
	}
	if (o->overlap) /* here `buffer` is the writer's */
		return hops + ps_buffer_transfers(&o->buffers[buffer]);
	return hops - free;
}

/* Which input an actor's latency comes from; PS_NONE: it is 0 in any case. */
struct longest {
	struct ps_outline *o;
	unsigned *by;
	unsigned *mark; /* of each actor: in which walk back it was met */
	bool changed;
};

/* When its window would be there; false: an actor that never settles writes it. */
static bool arrives(const struct ps_outline *o, unsigned reader, int64_t *cycle)
{
	const struct ps_flow_reader *r = &o->flow->readers[reader];
	uint64_t latency = o->latency[o->flow->outputs[r->output].writer];

	if (latency == PS_UNSETTLED)
		return false;
	*cycle = (int64_t)(latency + o->costs[reader]) - (int64_t)r->delay;
	return true;
}

static void relax(struct longest *l, unsigned actor)
{
	const struct ps_flow *f = l->o->flow;

	for (unsigned i = f->input_start[actor]; i < f->input_start[actor + 1]; i++) {
		unsigned reader = f->inputs[i];
		int64_t cycle;

		if (l->o->latency[actor] == PS_UNSETTLED)
			return;
		if (!arrives(l->o, reader, &cycle)) {
			l->o->latency[actor] = PS_UNSETTLED;
			l->changed = true;
		} else if (cycle > (int64_t)l->o->latency[actor]) {
			l->o->latency[actor] = (uint64_t)cycle;
			l->by[actor] = reader;
			l->changed = true;
		}
	}
}

static unsigned writer_of(const struct ps_flow *f, unsigned reader)
{
	return f->outputs[f->readers[reader].output].writer;
}

/* Walks back from each actor along the inputs that its latency comes from. A walk that meets itself is on a cycle whose
 * costs are more than its delays. Each actor is met once, so all walks together are linear. */
static unsigned find_slow(struct longest *l)
{
	const struct ps_outline *o = l->o;

	memset(l->mark, 0, o->flow->actor_count * sizeof *l->mark);
	for (unsigned i = 0; i < o->flow->actor_count; i++) {
		unsigned here = i;

		while (!l->mark[here] && l->by[here] != PS_NONE && o->latency[here] != PS_UNSETTLED) {
			l->mark[here] = i + 1;
			here = writer_of(o->flow, l->by[here]);
		}
		if (l->mark[here] == i + 1 && l->by[here] != PS_NONE && o->latency[here] != PS_UNSETTLED)
			return here;
	}
	return PS_NONE;
}

/* Keeps the first such cycle, and takes its actors out. */
static int keep_slow(struct longest *l, unsigned actor)
{
	struct ps_outline *o = l->o;
	struct ps_slow_cycle slow = { .count = 0 };
	unsigned here = actor;

	do {
		slow.cycles += o->costs[l->by[here]];
		slow.windows += o->flow->readers[l->by[here]].delay;
		slow.count++;
		here = writer_of(o->flow, l->by[here]);
	} while (here != actor);
	slow.actors = ps_memory_zalloc(slow.count, sizeof *slow.actors);
	if (!slow.actors)
		return -ENOMEM;
	for (unsigned i = slow.count; i-- > 0; here = writer_of(o->flow, l->by[here])) {
		slow.actors[i] = here;
		o->latency[here] = PS_UNSETTLED;
	}
	if (o->slow.count)
		ps_memory_free(slow.actors);
	else
		o->slow = slow;
	return 0;
}

/* Rounds in the order of the schedule: without delays one is enough. A cycle that never settles shows in the inputs
 * that latencies come from, at the latest after as many rounds as there are actors, and mostly after a few. */
static int settle(struct longest *l)
{
	struct ps_outline *o = l->o;
	int err = 0;

	do {
		unsigned slow;

		l->changed = false;
		for (unsigned i = 0; i < o->flow->actor_count; i++)
			relax(l, o->scheduled[i]);
		slow = l->changed ? find_slow(l) : PS_NONE;
		if (slow != PS_NONE)
			err = keep_slow(l, slow);
	} while (l->changed && !err);
	return err;
}

static void set_slack(struct ps_outline *o)
{
	for (unsigned i = 0; i < o->flow->reader_count; i++) {
		uint64_t latency = o->latency[o->flow->readers[i].actor];
		int64_t cycle;

		o->slack[i] = latency != PS_UNSETTLED && arrives(o, i, &cycle)
		                      ? (uint64_t)((int64_t)latency - cycle)
		                      : 0;
	}
}

int ps_outline_cycles(struct ps_outline *o)
{
	unsigned count = o->flow->actor_count;
	struct longest l = { .o = o,
		.by = ps_memory_zalloc(count, sizeof *l.by),
		.mark = ps_memory_zalloc(count, sizeof *l.mark) };
	int err = l.by && l.mark ? 0 : -ENOMEM;

	for (unsigned i = 0; i < o->flow->reader_count; i++)
		o->costs[i] = cost_of(o, i);
	if (!err) {
		for (unsigned i = 0; i < count; i++)
			l.by[i] = PS_NONE;
		err = settle(&l);
		set_slack(o);
	}
	ps_memory_free(l.by);
	ps_memory_free(l.mark);
	return err;
}
