/* SPDX-License-Identifier: MIT */
/*
 * R2: for every combination of control values, one of each group, every cycle of FIFOs that are on under it holds delay
 * tokens for a first firing: the sum of floor(delay / rate) over the cycle is at least 1. (Only a whole window allows a
 * firing. Example: rate 4 and delay 3 count 0, rate 4 and delay 9 count 2.)
 *
 * So the FIFOs with floor(delay / rate) = 0 must have no cycle. Steps, each of which may be the last:
 *   1. Do FIFOs have a cycle at all? If not: R2 holds.
 *   2. Do the FIFOs without a window of delay tokens that are always on have one? Then no value helps: refused.
 *   3. Do those that can be on have one? If not: R2 holds.
 *   4. Values matter only in the strongly connected parts of step 3, and only the values of groups that have a set
 *      inside of the part. There every combination is tried; values that are in the same of those sets are tried once.
 *   5. Beyond 2^16 combinations (fewer in a part of more than a thousand actors) the part is refused for the cycle that
 *      it has when everything that can be on is on at once. The verdict says that it is conservative.
 *
 * What counts as on:
 *   - A region is the actors whose clock is one set (doc/internals/deadlock.md). A FIFO inside of a region is taken as
 *     always on, which changes no verdict. A cycle that leaves the region crosses ports that are on for the region's
 *     set. A cycle that stays inside is there when the region ticks; if it never ticks, the actors of the cycle would
 *     wait for each other for ever.
 *   - A FIFO whose port is on for no value does not count.
 *   - A FIFO of a part that was executed (lib/plan/rates.h) does not count: a cycle lies in one part.
 *   - A FIFO with an end at a kahn actor, or of which nothing is known, does not count: it may be off, or its reader
 *     may not wait for it, so it proves nothing. Such a network is not proven anyway.
 */
#include "lib/analysis/cycle_rule.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/explain_cycle.h"
#include "lib/analysis/vectors.h"
#include "lib/analysis/verdict.h"
#include "lib/base/memory.h"
#include "lib/plan/rates.h"

#include <errno.h>

/* The most combinations of values in a part, and visits of actors for them: some seconds at most. */
enum { CASES_MAX = 65536, STEPS_MAX = 1 << 26 };

struct cycles {
	struct ps_analysis *an;
	unsigned *on; /* of each FIFO: PS_TERM_UNKNOWN (does not count), PS_TERM_ACTOR (always) or the set */

	/* the strongly connected parts by what can be on, NULL before they are asked for */
	unsigned *part_of;         /* of each actor */
	unsigned part_count, part; /* how many, the one at hand */
	unsigned *actors,
		*first; /* the actors in order of their parts; where each part begins, and the end */
	unsigned *fifos, *fifo_first; /* FIFOs that are inside of a part, in the same way */
	struct ps_vectors vectors;
};

static unsigned when_on(const struct ps_analysis *an, const struct pstk_fifo *f)
{
	unsigned writer, reader, on;

	if (ps_layout_whole(&f->fifo.layout) || ps_rates_executed(f) || f->src->type.kahn ||
		f->dst->type.kahn)
		return PS_TERM_UNKNOWN;
	if (!an->dynamic_count)
		return PS_TERM_ACTOR;
	writer = ps_analysis_term(an, f, true);
	reader = ps_analysis_term(an, f, false);
	if (writer == PS_TERM_UNKNOWN || reader == PS_TERM_UNKNOWN)
		return PS_TERM_UNKNOWN;
	on = ps_term_is_set(writer) ? writer : reader;
	return ps_term_is_set(on) && an->sets[on].empty ? PS_TERM_UNKNOWN : on;
}

static bool always_on(const void *data, const struct pstk_fifo *f)
{
	const struct cycles *c = data;

	return c->on[f->index] == PS_TERM_ACTOR;
}

static bool can_be_on(const void *data, const struct pstk_fifo *f)
{
	const struct cycles *c = data;

	return c->on[f->index] != PS_TERM_UNKNOWN;
}

static bool inside(const void *data, const struct pstk_fifo *f)
{
	const struct cycles *c = data;

	return can_be_on(c, f) && c->part_of[f->src->index] == c->part_of[f->dst->index];
}

static bool may_be_on(const void *data, const struct pstk_fifo *f)
{
	const struct cycles *c = data;
	unsigned on = c->on[f->index];

	return inside(c, f) && (!ps_term_is_set(on) || ps_vectors_may_be_on(&c->vectors, on));
}

static const struct pstk_fifo *find_cycle(const struct ps_analysis *an)
{
	for (unsigned i = 0; i < an->net->fifo_count; i++)
		if (ps_graph_on_cycle(&an->graph, an->net->fifos[i]))
			return an->net->fifos[i];
	return NULL;
}

/* The same in the part at hand; its actors were searched. */
static const struct pstk_fifo *find_in_part(const struct cycles *c)
{
	for (unsigned i = c->fifo_first[c->part]; i < c->fifo_first[c->part + 1]; i++) {
		const struct pstk_fifo *f = c->an->net->fifos[c->fifos[i]];

		if (ps_graph_on_cycle(&c->an->graph, f))
			return f;
	}
	return NULL;
}

/* From how many each part has, in first[part + 1], to where each begins. */
static void sum_up(unsigned *first, unsigned parts)
{
	for (unsigned i = 0; i < parts; i++)
		first[i + 1] += first[i];
}

/* Back from where each part ends to where it begins, after all have been put in their places. */
static void shift(unsigned *first, unsigned parts)
{
	for (unsigned i = parts; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}

/* Actors and FIFOs in order of the parts that the graph has been searched for. */
static int sort_parts(struct cycles *c)
{
	const struct pstk_network *net = c->an->net;
	unsigned parts = c->part_count = c->an->graph.count;

	c->part_of = ps_memory_dup(c->an->graph.component, net->actor_count * sizeof *c->part_of);
	c->actors = ps_memory_zalloc(net->actor_count, sizeof *c->actors);
	c->fifos = ps_memory_zalloc(net->fifo_count, sizeof *c->fifos);
	c->first = ps_memory_zalloc(parts + 1, sizeof *c->first);
	c->fifo_first = ps_memory_zalloc(parts + 1, sizeof *c->fifo_first);
	if (!c->part_of || !c->actors || !c->fifos || !c->first || !c->fifo_first)
		return -ENOMEM;
	for (unsigned i = 0; i < net->actor_count; i++)
		c->first[c->part_of[i] + 1]++;
	for (unsigned i = 0; i < net->fifo_count; i++)
		c->fifo_first[c->part_of[net->fifos[i]->src->index] + 1] += inside(c, net->fifos[i]);
	sum_up(c->first, parts);
	sum_up(c->fifo_first, parts);
	for (unsigned i = 0; i < net->actor_count; i++)
		c->actors[c->first[c->part_of[i]]++] = i;
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (inside(c, net->fifos[i]))
			c->fifos[c->fifo_first[c->part_of[net->fifos[i]->src->index]]++] = i;
	shift(c->first, parts);
	shift(c->fifo_first, parts);
	return 0;
}

static void search_part(const struct cycles *c, ps_graph_filter *filter)
{
	ps_graph_search(&c->an->graph, c->actors + c->first[c->part],
		c->first[c->part + 1] - c->first[c->part], filter, c);
}

/* Refuses a part that has too many combinations of values to try all of them. */
static int refuse_unseen(struct cycles *c)
{
	search_part(c, inside);
	c->an->verdict->conservative = true;
	return ps_analysis_cycle(c->an, find_in_part(c), NULL);
}

/* Tries every combination of the values that matter in this part, which has a cycle as long as no value is chosen.
 * Where some values are chosen and no cycle is left, the values of the other groups do not matter: that is one case. */
static int try_vectors(struct cycles *c)
{
	uint64_t cases = 0, steps = 0;

	if (ps_vectors_begin(&c->vectors))
		return -ENOMEM;
	ps_vectors_descend(&c->vectors); /* there are groups: else the cycle would always be on */
	while (cases < CASES_MAX && steps < STEPS_MAX) {
		const struct pstk_fifo *f;

		search_part(c, may_be_on);
		steps += c->first[c->part + 1] - c->first[c->part];
		f = find_in_part(c);
		if (f && c->vectors.chosen < c->vectors.count) {
			ps_vectors_descend(&c->vectors);
			continue;
		}
		cases++;
		c->an->cases++;
		if (f)
			return ps_analysis_cycle(c->an, f, c->vectors.values);
		if (!ps_vectors_advance(&c->vectors))
			return 0;
	}
	return refuse_unseen(c);
}

static int try_part(struct cycles *c)
{
	int err;

	for (unsigned i = c->fifo_first[c->part]; i < c->fifo_first[c->part + 1]; i++)
		if (ps_term_is_set(c->on[c->fifos[i]]))
			ps_vectors_add(&c->vectors, c->on[c->fifos[i]]);
	err = try_vectors(c);
	ps_vectors_clear(&c->vectors);
	return err;
}

/* Cycles of what can be on. */
static int try_parts(struct cycles *c)
{
	int err = sort_parts(c);

	if (!err)
		err = ps_vectors_init(&c->vectors, c->an);
	for (c->part = 0; c->part < c->part_count && !err; c->part++)
		if (c->fifo_first[c->part] < c->fifo_first[c->part + 1])
			err = try_part(c);
	ps_vectors_fini(&c->vectors);
	return err;
}

static int try_fifos(struct cycles *c)
{
	const struct pstk_network *net = c->an->net;
	const struct pstk_fifo *f;

	for (unsigned i = 0; i < net->fifo_count; i++)
		c->on[i] = when_on(c->an, net->fifos[i]);
	ps_graph_search(&c->an->graph, NULL, net->actor_count, always_on, c);
	f = find_cycle(c->an);
	if (f)
		return ps_analysis_cycle(c->an, f, NULL);
	if (!c->an->set_count)
		return 0;
	ps_graph_search(&c->an->graph, NULL, net->actor_count, can_be_on, c);
	return find_cycle(c->an) ? try_parts(c) : 0;
}

/* Strongly connected parts with a cycle, by all FIFOs. */
static int count_loops(struct ps_analysis *an)
{
	bool *cyclic = ps_memory_zalloc(an->net->actor_count, sizeof *cyclic);

	if (!cyclic)
		return -ENOMEM;
	for (unsigned i = 0; i < an->net->fifo_count; i++) {
		const struct pstk_fifo *f = an->net->fifos[i];

		if (ps_graph_on_cycle(&an->graph, f) && !cyclic[an->graph.component[f->src->index]]) {
			cyclic[an->graph.component[f->src->index]] = true;
			an->loops++;
		}
	}
	ps_memory_free(cyclic);
	return 0;
}

int ps_analysis_cycles(struct ps_analysis *an)
{
	struct cycles c = { .an = an };
	int err = ps_graph_init(&an->graph, an->net);

	if (!err) {
		ps_graph_search(&an->graph, NULL, an->net->actor_count, NULL, NULL);
		err = count_loops(an);
	}
	if (err || !an->loops)
		return err;
	c.on = ps_memory_zalloc(an->net->fifo_count, sizeof *c.on);
	err = c.on ? try_fifos(&c) : -ENOMEM;
	ps_memory_free(c.on);
	ps_memory_free(c.part_of);
	ps_memory_free(c.actors);
	ps_memory_free(c.first);
	ps_memory_free(c.fifos);
	ps_memory_free(c.fifo_first);
	return err;
}
