/* SPDX-License-Identifier: MIT */
/* R1 is broken: by which FIFO, for which value. */
#include "lib/analysis/explain_clash.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/explain_fix.h"
#include "lib/analysis/explain_way.h"
#include "lib/analysis/verdict.h"
#include "lib/model/error.h"

#include <errno.h>

static struct ps_clash_end look(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer)
{
	struct ps_clash_end e = { .actor = writer ? f->src : f->dst,
		.clock = ps_analysis_clock(an, f, writer) };

	e.port = e.actor->type.ports[writer ? f->src_port : f->dst_port].name;
	ps_verdict_when(an, f, writer, e.when, sizeof e.when);
	return e;
}

/* A value for which one end is on and the other is off. A clock that is no set ticks at every value of
 * the group. Of two groups: one of the first end's. */
static uint32_t distinguish(const struct ps_analysis *an, struct ps_clash_end *a, struct ps_clash_end *b)
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

/* true: b depends on a group that gets its tokens whenever a is on. Then a is on at each of these tokens. */
static bool relate(const struct ps_analysis *an, struct ps_clash_end *a, const struct ps_clash_end *b)
{
	if (!ps_term_is_set(b->clock) || ps_analysis_group_clock(an, an->sets[b->clock].group) != a->clock)
		return false;
	a->clock = PS_TERM_ACTOR;
	return true;
}

/* Two groups: no change of a table can fix it. */
static int refuse_groups(struct pstk_verdict *v, const struct pstk_fifo *f, const struct ps_clash_end *a,
	const struct ps_clash_end *b)
{
	v->has_value = false; /* a value would belong to one of two streams of tokens */
	v->value = 0;
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
	struct ps_clash c = { .fifo = f, .writer = look(an, f, true), .reader = look(an, f, false) };
	bool hangs_writer = ps_analysis_term(an, f, true) == PS_TERM_ACTOR;
	const struct ps_clash_end *on, *off;
	bool related = relate(an, &c.writer, &c.reader);
	int err;

	related = relate(an, &c.reader, &c.writer) || related;
	c.group = an->sets[ps_term_is_set(c.writer.clock) ? c.writer.clock : c.reader.clock].group;
	err = ps_analysis_way(an, f, hangs_writer, related ? c.group : PS_NONE);
	if (err)
		return err;
	v->rule = PSTK_RULE_CLOCKS;
	v->fifo = f;
	v->has_value = true;
	v->value = distinguish(an, &c.writer, &c.reader);
	on = c.writer.on ? &c.writer : &c.reader;
	off = c.writer.on ? &c.reader : &c.writer;
	if (ps_term_is_set(c.writer.clock) && ps_term_is_set(c.reader.clock) &&
		an->sets[c.reader.clock].group != c.group)
		return refuse_groups(v, f, &c.writer, &c.reader);
	ps_verdict_reason(v,
		PS_CONNECTION ": for " PS_GROUP
			      " = %u '%s'.%s is on and '%s'.%s is off (the writer is on: %s; the reader: %s)",
		PS_CONNECTION_ARGS(f), PS_GROUP_ARGS(&an->groups[c.group]), v->value, on->actor->name,
		on->port, off->actor->name, off->port, c.writer.when, c.reader.when);
	ps_clash_fix(an, &c);
	return -EDEADLK;
}

int ps_analysis_depends_on_itself(struct ps_analysis *an, const struct pstk_fifo *f)
{
	struct pstk_verdict *v = an->verdict;
	bool writer = ps_analysis_term(an, f, true) !=
	              PS_TERM_ACTOR; /* this end is decided, the other hangs on it */
	struct ps_clash_end e = look(an, f, writer);
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
		"let the control of '%s' turn '%s' on for every value, or take the control tokens of '%s' "
		"from "
		"where they do not depend on it",
		e.actor->name, e.port, e.actor->name);
	return -EDEADLK;
}
