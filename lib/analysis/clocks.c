/* SPDX-License-Identifier: MIT */
/*
 * R1: both ends of every FIFO have the same clock.
 *
 * A clock is the sequence of ticks at which a port moves a window. Example: conf writes control tokens to the group
 * {gate, mute}; gate.out is on for the values {1, 3}:
 *
 *	conf.ctl        0 1 2 3 0 ..    the group's clock c: a tick for each control token
 *	gate.out          1   3         the clock "c on (ctl in {1, 3})"
 *	filter            1   3         a static actor that reads gate.out has this clock, with all its ports
 *	mute.in           1   3         must be on for {1, 3} too if filter feeds it: else R1 is broken
 *
 * Classes. Actors whose clocks must be the same are a class (union-find):
 *   - A static actor has one clock, with all its ports.
 *   - A dynamic actor has one clock with its control port and all its ports that are always on.
 *   - So the members of a control group are one class, with the output that feeds them.
 *
 * The clock of a class:
 *   - A port that is on for a set V of the values of group g has the clock "c on (g in V)"; c is the group's clock. A
 *     class that is connected to such a port has that clock.
 *   - A class that no such port is connected to has a base clock: nothing else decides when it ticks.
 *
 * Normal form. Two clocks are equal iff the indices of their sets are equal:
 *   - Sets are interned and a group has one clock c, so the index of V stands for "c on (g in V)".
 *   - V of all values is c itself. These are taken out first.
 *   - V of no values is a set like any other. Its ports never tick. But a class that depends on it must not depend on
 *     itself. And of two ends that never tick for different reasons each may be right, or one may make an actor wait at
 *     another port.
 *   - Sets of different groups never have the same clock for all control tokens. Neither do a set and its group's own
 *     clock. That is also true of nested groups, because the tokens of a group are independent of those of the groups
 *     around it. So the normal form of a nested clock is the set of the innermost group alone.
 *
 * Unknown clocks. A kahn actor has no clock. Each of its outputs is a class of its own (all readers of a broadcast see
 * the same windows); its inputs say nothing. Dynamic ports whose control values are not declared say nothing either. A
 * network that is refused in spite of them breaks a rule whatever they do.
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
		clocks[i].parent = clocks[clocks[i].parent].parent; /* halves the way for later searches */
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

/* The class of a group is that of any member. */
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

/* Joins into classes what FIFOs connect that are always on at both ends. */
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

/* Gives the class at one end the clock of the other end, which is a set or unknown. */
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

/* Of an end that gets its clock from an undeclared port at the other end: when it is on is not known, unless it is on
 * whenever that port's control tokens come. */
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

/* Does a clock depend on itself? Goes from a class to the class of the group that decides when it ticks, and so on. */
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
