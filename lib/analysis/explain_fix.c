/* SPDX-License-Identifier: MIT */
/*
 * R1 is broken: what would fix it. The analysis can't know which of the two ends is wrong. So it names each control()
 * that could be changed, with all that it would have to change. The likeliest comes first: an end that is on for no
 * value, or for every value, is more often a mistake than one that is on for some.
 */
#include "lib/analysis/explain_fix.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/verdict.h"
#include "lib/base/text.h"
#include "lib/model/type.h"

enum kind {
	NOTHING,
	TABLE, /* control() could say something else of this port */
	MEET,  /* a static actor with inputs of both clocks: this one could be dynamic */
	STATIC /* a static port of a member could be dynamic */
};

/* What could be fixed. */
struct fix {
	enum kind kind;
	struct pstk_actor *actor;
	unsigned port;
	const struct ps_clash_end *end, *other;
};

static struct pstk_actor *actor_at(const struct pstk_fifo *f, bool writer)
{
	return writer ? f->src : f->dst;
}

static unsigned port_at(const struct pstk_fifo *f, bool writer)
{
	return writer ? f->src_port : f->dst_port;
}

static bool is_member(const struct ps_analysis *an, const struct pstk_actor *a, unsigned group)
{
	return a->control_port != PS_NO_PORT && an->dynamics[an->dynamic_of[a->index]].group == group;
}

/* The port of a member of the group, if control() of the port decides about it. */
static enum kind kind_of(
	const struct ps_analysis *an, const struct pstk_actor *a, unsigned port, unsigned group)
{
	if (!is_member(an, a, group) || a->type.ports[port].kind == PSTK_CONTROL)
		return NOTHING;
	return ps_port_is_dynamic(a->type.ports[port].kind) ? TABLE : STATIC;
}

/* Does the way come to an actor by an input and go on by another input? Then two streams meet in an actor that takes
 * one window from each at every firing. */
static bool meets(const struct pstk_fifo *in, const struct pstk_fifo *out)
{
	return in->dst == out->dst && in->dst->control_port == PS_NO_PORT && !in->dst->type.kahn;
}

/* Walks from the clash to the port that gives the hanging end its clock. meet: gets where streams meet on the way;
 * table: gets the port at the way's end. */
static void walk(const struct ps_analysis *an, const struct ps_clash *c, struct fix *meet, struct fix *table)
{
	const struct pstk_fifo *last = c->fifo;
	bool writer = an->way_of_writer; /* the end of `last` at which the walk is */
	bool straight = true;            /* always from an input to an output, or always the other way */

	for (unsigned i = 0; i < an->way_length; i++) {
		const struct pstk_fifo *next = an->way[i];
		const struct pstk_actor *at = actor_at(last, writer);

		straight = straight && (next->src == at) != writer;
		if (meet->kind == NOTHING && !writer && meets(last, next))
			*meet = (struct fix){ MEET, last->dst, last->dst_port, table->end, table->other };
		if (ps_analysis_term(an, next, true) != PS_TERM_ACTOR)
			writer = true;
		else
			writer = ps_analysis_term(an, next, false) == PS_TERM_ACTOR && next->src != at;
		last = next;
	}
	table->actor = actor_at(last, writer);
	table->port = port_at(last, writer);
	table->kind = kind_of(an, table->actor, table->port, c->group);
	if (table->kind == STATIC && !straight)
		table->kind = NOTHING;
}

static bool is_on(const struct ps_analysis *an, const struct ps_clash_end *e, uint32_t value)
{
	return ps_term_is_set(e->clock) ? ps_set_has(&an->sets[e->clock], value) : e->clock == PS_TERM_ACTOR;
}

static bool is_never(const struct ps_analysis *an, const struct ps_clash_end *e)
{
	return ps_term_is_set(e->clock) && an->sets[e->clock].empty;
}

/* Never or always on. */
static bool is_extreme(const struct ps_analysis *an, const struct ps_clash_end *e)
{
	return !ps_term_is_set(e->clock) || is_never(an, e);
}

/* Values: those for which one end is on and (unless NULL) another one is off. */
struct values {
	const struct ps_analysis *an;
	const struct ps_clash_end *on, *off;
	uint32_t count; /* of the group */
};

static bool has(const void *data, uint32_t value)
{
	const struct values *v = data;

	return is_on(v->an, v->on, value) && !(v->off && is_on(v->an, v->off, value));
}

/* " on for value 3": false, and nothing is said, if there are none. */
static bool add_values(const struct values *v, const char *before, struct ps_text *t)
{
	char list[72];
	struct ps_text l = ps_text(list, sizeof list);
	uint32_t first = 0, n = 0;

	for (uint32_t value = 0; value < v->count; value++)
		if (has(v, value) && !n++)
			first = value;
	if (!n)
		return false;
	if (n == 1) {
		ps_text_add(t, "%s value %u", before, first);
	} else {
		ps_verdict_values(&l, has, v, v->count);
		ps_text_add(t, "%s values %s", before, list);
	}
	return true;
}

/* " on for value 3 (it never is) and off for values {1, 2}" */
static void add_table(const struct ps_analysis *an, const struct fix *m, uint32_t count, struct ps_text *t)
{
	const struct values on = { an, m->other, m->end, count }, off = { an, m->end, m->other, count };
	bool any = add_values(&on, " on for", t);

	if (any && is_never(an, m->end))
		ps_text_add(t, " (it never is)");
	any = add_values(&off, any ? " and off for" : " off for", t);
	if (any && m->end->clock == PS_TERM_ACTOR)
		ps_text_add(t, " (it always is on)");
}

static void add_fix(const struct ps_analysis *an, const struct ps_clash *c, const struct fix *m,
	const struct fix *former, struct ps_text *t)
{
	const struct ps_group *g = &an->groups[c->group];
	const struct values stream = { an, m->other, NULL, g->values },
			    off = { an, m->end, m->other, g->values };
	const char *port = m->actor->type.ports[m->port].name;

	ps_text_add(t, former ? ", or " : "");
	if (m->kind == TABLE) {
		if (!former || former->kind != TABLE)
			ps_text_add(t, "let the control of '%s' turn '%s'", m->actor->name, port);
		else if (former->actor != m->actor)
			ps_text_add(t, "that of '%s' turn '%s'", m->actor->name, port);
		else
			ps_text_add(t, "'%s'", port);
		add_table(an, m, g->values, t);
	} else if (m->kind == MEET) {
		ps_text_add(t, "make '%s'.%s a dynamic input under " PS_GROUP, m->actor->name, port,
			PS_GROUP_ARGS(g));
		add_values(&stream, ", on for", t);
	} else {
		ps_text_add(t, "make '%s'.%s a dynamic port that is", m->actor->name, port);
		add_values(&off, " off for", t);
	}
}

static bool is_disjoint(const struct ps_analysis *an, const struct ps_clash *c)
{
	for (uint32_t v = 0; v < an->groups[c->group].values; v++)
		if (is_on(an, &c->writer, v) && is_on(an, &c->reader, v))
			return false;
	return true;
}

/* Is a the likelier one? */
static bool is_first(const struct ps_analysis *an, const struct fix *a, const struct fix *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind;
	if (is_extreme(an, a->end) != is_extreme(an, b->end))
		return is_extreme(an, a->end);
	return !a->end->on;
}

/* Is an actor where streams meet more likely at fault than the tables? Yes if no value turns both streams on, or if one
 * of them is always on: then there may be no table that could be wrong. */
static bool is_meeting_first(const struct ps_analysis *an, const struct ps_clash *c)
{
	return c->writer.clock == PS_TERM_ACTOR || c->reader.clock == PS_TERM_ACTOR || is_disjoint(an, c);
}

void ps_clash_fix(struct ps_analysis *an, const struct ps_clash *c)
{
	const struct ps_clash_end *hanging = an->way_of_writer ? &c->writer : &c->reader,
				  *decided = an->way_of_writer ? &c->reader : &c->writer;
	struct fix meet = { .kind = NOTHING }, hangs = { .end = hanging, .other = decided },
		   decides = { .end = decided, .other = hanging };
	const struct fix *former = NULL;
	struct ps_text t = ps_text(an->verdict->remedy, sizeof an->verdict->remedy);

	walk(an, c, &meet, &hangs);
	decides.actor = actor_at(c->fifo, !an->way_of_writer);
	decides.port = port_at(c->fifo, !an->way_of_writer);
	decides.kind = kind_of(an, decides.actor, decides.port, c->group);
	if (is_never(an, hanging) || is_never(an, decided))
		meet.kind = NOTHING; /* what it would wait for never comes */
	bool first = is_first(an, &decides, &hangs), meeting = is_meeting_first(an, c);
	const struct fix *list[] = { meeting ? &meet
				     : first ? &decides
					     : &hangs,
		meeting == first ? &decides : &hangs, meeting ? (first ? &hangs : &decides) : &meet };

	for (unsigned i = 0; i < 3; i++) {
		if (list[i]->kind == NOTHING)
			continue;
		if (!former)
			an->verdict->actor = list[i]->actor;
		add_fix(an, c, list[i], former, &t);
		former = list[i];
	}
	if (former)
		return;
	an->verdict->actor = an->dynamics[an->groups[c->group].members].actor;
	ps_verdict_remedy(
		an->verdict, "let both ends be decided by the control tokens of one output, or by none");
}
