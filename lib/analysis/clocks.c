/* SPDX-License-Identifier: MIT */
/*
 * R1: both ends of every FIFO have the same clock.
 *
 * A clock is the sequence of ticks at which a port moves a window. Actors whose clocks must be the same are
 * a class (union-find): a static actor has one clock with all its ports, a dynamic one with its control
 * port and what is always on. So the members of a control group are one class with the output that feeds
 * them. A port that is on for a set V of a group's values has the clock "c on (g in V)", c being the
 * group's; a class that such a port is connected to has that clock, and a class that no such port is
 * connected to has a base clock: nothing says when it ticks but itself.
 *
 * Since sets are interned and a group has one clock c, "c on (g in V)" is the set's index, and two of them
 * are equal iff the indices are. The exception is taken out first: V of all values is c itself. V of none is
 * a set like any other: what it says never ticks, but a class that hangs on it must not depend on itself,
 * and ends that never tick for different reasons may be nobody's fault, or somebody's who waits at another
 * port. Sets of different groups never have the same clock for all control tokens, and neither do a set
 * and its group's own clock; also not when they are nested, because a group's tokens are free of those of
 * the groups around it. So the normal form of a nested clock is the set of the innermost group alone.
 *
 * A kahn actor has no clock: each of its outputs is a class of its own (all readers of a broadcast see the
 * same windows), its inputs say nothing. Neither do dynamic ports whose control values are not declared.
 * What is refused in spite of them is broken whatever they do.
 */
#include "lib/analysis/clocks.h"
#include "lib/base/memory.h"
#include "lib/model/type.h"

#include <errno.h>

unsigned ps_analysis_node(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	const struct pstk_actor *a = writer ? f->src : f->dst;

	return a->type.kahn ? an->net->actor_count + a->ports[f->src_port].fifo->index : a->index;
}

static unsigned find(const struct ps_analysis *an, unsigned i)
{
	struct ps_clock *clocks = an->clocks;

	while (clocks[i].parent != i) {
		clocks[i].parent = clocks[clocks[i].parent].parent; /* halves the way for who comes next */
		i = clocks[i].parent;
	}
	return i;
}

unsigned ps_analysis_term(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	const struct pstk_actor *a = writer ? f->src : f->dst;

	if (a->type.kahn)
		return writer ? PS_TERM_ACTOR : PS_TERM_UNKNOWN;
	if (a->control_port == PS_NO_PORT)
		return PS_TERM_ACTOR;
	return an->dynamics[an->dynamic_of[a->index]].terms[writer ? f->src_port : f->dst_port];
}

/* The class of a group: that of any member. */
static unsigned group_class(const struct ps_analysis *an, unsigned group)
{
	return find(an, an->dynamics[an->groups[group].members].actor->index);
}

bool ps_analysis_in_group_class(
	const struct ps_analysis *an, const struct pstk_fifo *f, bool writer, unsigned group)
{
	return ps_analysis_term(an, f, writer) == PS_TERM_ACTOR &&
	       find(an, ps_analysis_node(an, f, writer)) == group_class(an, group);
}

unsigned ps_analysis_group_clock(const struct ps_analysis *an, unsigned group)
{
	return an->clocks[group_class(an, group)].set;
}

unsigned ps_analysis_clock(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	unsigned term = ps_analysis_term(an, f, writer);

	return term == PS_TERM_ACTOR && an->clocks ? an->clocks[find(an, ps_analysis_node(an, f, writer))].set
	                                           : term;
}

const struct pstk_fifo *ps_analysis_why(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	if (!an->clocks || ps_analysis_term(an, f, writer) != PS_TERM_ACTOR)
		return NULL;
	return an->clocks[find(an, ps_analysis_node(an, f, writer))].why;
}

const struct pstk_fifo *ps_analysis_unknown(
	const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	const struct ps_clock *c;

	if (!an->clocks || ps_analysis_term(an, f, writer) != PS_TERM_ACTOR)
		return NULL;
	c = &an->clocks[find(an, ps_analysis_node(an, f, writer))];
	return c->set == PS_TERM_ACTOR ? c->unknown : NULL;
}

/* The classes: what is always on at both ends. */
static void unite(struct ps_analysis *an, unsigned nodes)
{
	for (unsigned i = 0; i < nodes; i++)
		an->clocks[i] = (struct ps_clock){ .parent = i, .set = PS_TERM_ACTOR };
	for (unsigned i = 0; i < an->net->fifo_count; i++) {
		const struct pstk_fifo *f = an->net->fifos[i];

		if (ps_analysis_term(an, f, true) == PS_TERM_ACTOR &&
			ps_analysis_term(an, f, false) == PS_TERM_ACTOR)
			an->clocks[find(an, ps_analysis_node(an, f, true))].parent =
				find(an, ps_analysis_node(an, f, false));
	}
}

static int clash(struct ps_analysis *an, const struct pstk_fifo *f)
{
	an->clash = f;
	return -EDEADLK;
}

/* The class at one end has the clock of the other end, which is not a class's own. */
static int tie(struct ps_analysis *an, const struct pstk_fifo *f, bool writer, unsigned clock)
{
	unsigned class = find(an, ps_analysis_node(an, f, writer));
	struct ps_clock *c = &an->clocks[class];

	if (c->set == clock)
		return 0;
	if (c->set != PS_TERM_ACTOR || group_class(an, an->sets[clock].group) == class)
		return clash(an, f);
	c->set = clock;
	c->why = f;
	return 0;
}

/* An end that hangs on an undeclared port at the other end: when it is on is not known, unless it is whenever
 * that port's control tokens come. */
static void note_unknown(struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	const struct pstk_actor *other = writer ? f->dst : f->src;
	unsigned class;

	if (other->type.kahn || ps_analysis_term(an, f, writer) != PS_TERM_ACTOR)
		return;
	class = find(an, ps_analysis_node(an, f, writer));
	if (!an->clocks[class].unknown && class != find(an, other->index))
		an->clocks[class].unknown = f;
}

static int check_fifo(struct ps_analysis *an, const struct pstk_fifo *f)
{
	unsigned writer = ps_analysis_term(an, f, true), reader = ps_analysis_term(an, f, false);

	if (writer == reader)
		return 0;
	if (writer == PS_TERM_UNKNOWN || reader == PS_TERM_UNKNOWN) {
		note_unknown(an, f, reader == PS_TERM_UNKNOWN);
		return 0;
	}
	if (writer == PS_TERM_ACTOR)
		return tie(an, f, true, reader);
	if (reader == PS_TERM_ACTOR)
		return tie(an, f, false, writer);
	return clash(an, f);
}

/* From a class to the class of the group that decides when it ticks, and so on: does that come back? */
static int check_chain(struct ps_analysis *an, unsigned class, unsigned walk)
{
	struct ps_clock *c = &an->clocks[class];

	while (!c->mark && ps_term_is_set(c->set)) {
		c->mark = walk;
		c = &an->clocks[group_class(an, an->sets[c->set].group)];
	}
	if (c->mark != walk)
		return 0;
	an->self_dependence = c->why;
	return -EDEADLK;
}

int ps_analysis_clocks(struct ps_analysis *an)
{
	unsigned nodes = an->net->actor_count + (an->kahn_count ? an->net->fifo_count : 0);
	int err = 0;

	if (!an->dynamic_count) /* every clock is a base clock */
		return 0;
	an->clocks = ps_memory_zalloc(nodes, sizeof *an->clocks);
	if (!an->clocks)
		return -ENOMEM;
	unite(an, nodes);
	for (unsigned i = 0; i < an->net->fifo_count && !err; i++)
		err = check_fifo(an, an->net->fifos[i]);
	for (unsigned i = 0; i < nodes && !err; i++)
		if (an->clocks[i].parent == i)
			err = check_chain(an, i, i + 1);
	return err;
}
