/* SPDX-License-Identifier: MIT */
/* R1 is broken: for which value, and what would mend it. */
#include "lib/analysis.h"
#include "lib/verdict.h"

#include <errno.h>

/* One end of the FIFO. */
struct end {
	struct pstk_actor *actor;
	const char *port;
	unsigned clock;
	unsigned group; /* the actor's, if its own control() decides, for each value; else PS_NONE */
	bool on;        /* for the value */
	char when[160];
};

static struct end look(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	struct end e = { .actor = writer ? f->src : f->dst, .clock = ps_analysis_clock(an, f, writer) };
	unsigned port = writer ? f->src_port : f->dst_port, term = ps_analysis_term(an, f, writer);

	e.port = e.actor->type.ports[port].name;
	e.group = ps_term_is_set(term) ? an->dynamics[an->dynamic_of[e.actor->index]].group : PS_NONE;
	ps_verdict_when(an, f, writer, e.when, sizeof e.when);
	return e;
}

/* A value for which one end is on and the other is off. A clock that is no set ticks at every value of
 * the group. Of two groups: one of the first end's. */
static uint32_t distinguish(const struct ps_analysis *an, struct end *a, struct end *b)
{
	const struct ps_set *s = ps_term_is_set(a->clock) ? &an->sets[a->clock] : NULL,
			    *t = ps_term_is_set(b->clock) ? &an->sets[b->clock] : NULL;
	uint32_t values = an->groups[(s ? s : t)->group].values, v = 0;

	if (s && t && s->group != t->group)
		t = NULL;
	for (; v < values; v++) {
		a->on = s ? ps_set_has(s, v) : a->clock == PS_TERM_ACTOR;
		b->on = t ? ps_set_has(t, v) : b->clock == PS_TERM_ACTOR;
		if (a->on != b->on)
			break;
	}
	return v;
}

/* Where b hangs on a group that gets its tokens whenever a is on, a is on at each of them. */
static void relate(const struct ps_analysis *an, struct end *a, const struct end *b)
{
	if (ps_term_is_set(b->clock) && ps_analysis_group_clock(an, an->sets[b->clock].group) == a->clock)
		a->clock = PS_TERM_ACTOR;
}

/* group: whose value it is that one end is on for. Only control() of its members can be told about it. */
static void mend(const struct ps_analysis *an, const struct end *on, const struct end *off, unsigned group)
{
	struct pstk_verdict *v = an->verdict;
	const struct end *end = off->group == group ? off : on->group == group ? on : NULL;
	bool member = on->actor->control_port != PS_NO_PORT &&
	              an->dynamics[an->dynamic_of[on->actor->index]].group == group;

	v->actor = end ? end->actor : an->dynamics[an->groups[group].members].actor;
	if (!end)
		ps_verdict_remedy(
			v, "let both ends be decided by the control tokens of one output, or by none");
	else if (end == on)
		ps_verdict_remedy(v, "let control() of '%s' turn '%s' off for value %u", on->actor->name,
			on->port, v->value);
	else if (on->group == group)
		ps_verdict_remedy(v,
			"let control() of '%s' turn '%s' on for value %u, or that of '%s' turn '%s' off",
			off->actor->name, off->port, v->value, on->actor->name, on->port);
	else if (member)
		ps_verdict_remedy(v,
			"let control() of '%s' turn '%s' on for value %u, or make '%s' a dynamic port that "
			"is off then",
			off->actor->name, off->port, v->value, on->port);
	else
		ps_verdict_remedy(v, "let control() of '%s' turn '%s' on for value %u", off->actor->name,
			off->port, v->value);
}

/* Two groups: no table can mend it. */
static int refuse_groups(
	struct pstk_verdict *v, const struct pstk_fifo *f, const struct end *a, const struct end *b)
{
	ps_verdict_reason(v,
		PS_CONNECTION
		": '%s'.%s is on: %s; '%s'.%s is on: %s; these are different streams of control tokens, "
		"which need not agree",
		PS_CONNECTION_ARGS(f), a->actor->name, a->port, a->when, b->actor->name, b->port, b->when);
	ps_verdict_remedy(v, "feed the control ports that decide these two from one output, a broadcast");
	return -EDEADLK;
}

int ps_analysis_clash(struct ps_analysis *an, const struct pstk_fifo *f)
{
	struct pstk_verdict *v = an->verdict;
	struct end a = look(an, f, true), b = look(an, f, false);
	const struct end *on, *off;
	unsigned group;

	relate(an, &a, &b);
	relate(an, &b, &a);
	v->rule = PSTK_RULE_CLOCKS;
	v->fifo = f;
	v->has_value = true;
	v->value = distinguish(an, &a, &b);
	on = a.on ? &a : &b;
	off = a.on ? &b : &a;
	v->actor = off->group != PS_NONE ? off->actor : on->actor;
	if (ps_term_is_set(a.clock) && ps_term_is_set(b.clock) &&
		an->sets[a.clock].group != an->sets[b.clock].group)
		return refuse_groups(v, f, &a, &b);
	group = an->sets[ps_term_is_set(a.clock) ? a.clock : b.clock].group;
	ps_verdict_reason(v,
		PS_CONNECTION ": for " PS_GROUP
			      " = %u '%s'.%s is on and '%s'.%s is off (the writer is on: %s; the reader: %s)",
		PS_CONNECTION_ARGS(f), PS_GROUP_ARGS(&an->groups[group]), v->value, on->actor->name, on->port,
		off->actor->name, off->port, a.when, b.when);
	mend(an, on, off, group);
	return -EDEADLK;
}

int ps_analysis_depends_on_itself(struct ps_analysis *an, const struct pstk_fifo *f)
{
	struct pstk_verdict *v = an->verdict;
	bool writer = ps_analysis_term(an, f, true) !=
	              PS_TERM_ACTOR; /* this end is decided, the other hangs on it */
	struct end e = look(an, f, writer);
	const struct pstk_actor *other = writer ? f->dst : f->src;
	const struct ps_set *set = &an->sets[e.clock];

	v->rule = PSTK_RULE_CLOCKS;
	v->fifo = f;
	v->has_value = true;
	v->actor = e.actor;
	while (ps_set_has(set, v->value))
		v->value++;
	ps_verdict_reason(v,
		PS_CONNECTION ": '%s' fires only for some values of " PS_GROUP
			      " (not for %u), but that stream of "
			      "control tokens itself needs '%s' to fire",
		PS_CONNECTION_ARGS(f), other->name, PS_GROUP_ARGS(&an->groups[set->group]), v->value,
		other->name);
	ps_verdict_remedy(v,
		"let control() of '%s' turn '%s' on for every value, or take the control tokens of '%s' from "
		"where they do not depend on it",
		e.actor->name, e.port, e.actor->name);
	return -EDEADLK;
}
