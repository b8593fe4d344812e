/* SPDX-License-Identifier: MIT */
#include "lib/analysis/rate_rule.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/verdict.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/plan/rates.h"

#include <errno.h>

static unsigned other_end(const struct ps_rate_edge *e, unsigned actor)
{
	return e->src == actor ? e->dst : e->src;
}

/* "'b', 'c' and 3 more": the actors between both ends of the FIFO that does not fit. */
static void name_way(const struct ps_analysis *an, const struct ps_rates *r, struct ps_text *t)
{
	enum { MOST = 4 };
	const struct ps_imbalance *why = &r->imbalance;
	unsigned actor = r->graph.edges[why->edge].src;

	for (unsigned i = 0; i + 1 < why->length; i++) {
		actor = other_end(&r->graph.edges[why->way[i]], actor);
		if (i == MOST) {
			ps_text_add(t, " and %u more", why->length - 1 - i);
			return;
		}
		ps_text_add(t, "%s'%s'", i ? ", " : "", an->net->actors[actor]->name);
	}
}

/* "'a' fires 3 times while 'c' fires 2, but 'a'.p -> 'c'.j, which writes 4 and reads 4, makes that 1 and 1" */
static void say_imbalance(struct ps_analysis *an, const struct ps_rates *r)
{
	const struct ps_imbalance *why = &r->imbalance;
	const struct ps_rate_edge *e = &r->graph.edges[why->edge];
	const struct pstk_fifo *f = r->fifo[why->edge];
	uint64_t g = ps_gcd(e->write_rate, e->read_rate);
	char names[200];
	struct ps_text t = ps_text(names, sizeof names);

	if (e->src == e->dst) {
		ps_verdict_reason(an->verdict,
			PS_CONNECTION " writes %u and reads %u in each firing of '%s': it %s for ever",
			PS_CONNECTION_ARGS(f), e->write_rate, e->read_rate, f->src->name,
			e->write_rate > e->read_rate ? "grows" : "drains");
		return;
	}
	name_way(an, r, &t);
	ps_verdict_reason(an->verdict,
		"%s%s '%s' fires %llu time%s while '%s' fires %llu, but " PS_CONNECTION
		", which writes %u and reads %u, makes that %llu and %llu",
		names[0] ? "by way of " : "by another FIFO", names, f->src->name,
		(unsigned long long)why->src_fires, ps_plural(why->src_fires), f->dst->name,
		(unsigned long long)why->dst_fires, PS_CONNECTION_ARGS(f), e->write_rate, e->read_rate,
		(unsigned long long)(e->read_rate / g), (unsigned long long)(e->write_rate / g));
}

/* The change of one rate: of the port that declares it, else of the FIFO's end. */
static void say_fix(struct ps_analysis *an, const struct ps_rates *r)
{
	const struct ps_imbalance *why = &r->imbalance;
	const struct ps_rate_edge *e = &r->graph.edges[why->fix];
	const struct pstk_fifo *f = r->fifo[why->fix];
	uint32_t steps = why->fix_writer ? e->write_steps : e->read_steps;
	uint32_t rate = why->fix_writer ? e->write_rate : e->read_rate;
	const struct pstk_actor *a = why->fix_writer ? f->src : f->dst;

	if (steps)
		ps_verdict_remedy(an->verdict, "let '%s'.%s declare %u token%s a step instead of %u", a->name,
			a->type.ports[why->fix_writer ? f->src_port : f->dst_port].name,
			why->fix_rate / steps, ps_plural(why->fix_rate / steps), rate / steps);
	else
		ps_verdict_remedy(an->verdict, "let " PS_CONNECTION " %s %u token%s instead of %u",
			PS_CONNECTION_ARGS(f), why->fix_writer ? "write" : "read", why->fix_rate,
			ps_plural(why->fix_rate), rate);
}

static int refuse_balance(struct ps_analysis *an, const struct ps_rates *r)
{
	const struct ps_imbalance *why = &r->imbalance;

	an->verdict->rule = PSTK_RULE_RATES;
	an->verdict->fifo = r->fifo[why->edge];
	say_imbalance(an, r);
	if (why->fix != PS_NO_EDGE)
		say_fix(an, r);
	else
		ps_verdict_remedy(
			an->verdict, "change several rates until both ways agree: no single change is known");
	return -EDEADLK;
}

int ps_analysis_balance(struct ps_analysis *an)
{
	const struct ps_rates *r = ps_rates_of(an->net);

	return r->several && r->err == -EINVAL ? refuse_balance(an, r) : r->err == -ENOMEM ? -ENOMEM : 0;
}

/* The FIFO's actor fires q times while its group's members decide `ticks` times. */
static int refuse_fraction(struct ps_analysis *an, const struct pstk_fifo *f, bool writer, unsigned set,
	uint64_t q, uint64_t ticks)
{
	const struct ps_group *g = &an->groups[an->sets[set].group];
	const struct pstk_actor *a = writer ? f->src : f->dst;

	an->verdict->rule = PSTK_RULE_CLOCKS;
	an->verdict->fifo = f;
	ps_verdict_reason(an->verdict,
		PS_CONNECTION
		" writes %u and reads %u: '%s' fires %llu times for %llu control tokens of " PS_GROUP
		", which decide whether it does: a decision is finer than a window",
		PS_CONNECTION_ARGS(f), f->fifo.layout.write_rate, f->fifo.layout.read_rate, a->name,
		(unsigned long long)(q / ps_gcd(q, ticks)), (unsigned long long)(ticks / ps_gcd(q, ticks)),
		PS_GROUP_ARGS(g));
	ps_verdict_remedy(an->verdict,
		"let '%s' move smaller windows, or '%s' larger ones, so that '%s' fires a whole "
		"number of times for each control token",
		a->name, g->output->dst->name, a->name);
	return -EDEADLK;
}

/* Its reader fires later than its writer by the tokens that it peeks at: in another tick than the one that decided. */
static int refuse_peek(struct ps_analysis *an, const struct pstk_fifo *f, unsigned set)
{
	const struct ps_group *g = &an->groups[an->sets[set].group];
	const struct ps_layout *l = &f->fifo.layout;

	an->verdict->rule = PSTK_RULE_CLOCKS;
	an->verdict->fifo = f;
	ps_verdict_reason(an->verdict,
		PS_CONNECTION
		": '%s' peeks at %u tokens beyond those that it takes, and the FIFO begins with %u: "
		"when it fires, the control token of " PS_GROUP
		" that its tokens were written for is long past",
		PS_CONNECTION_ARGS(f), f->dst->name, l->history, l->delay, PS_GROUP_ARGS(g));
	ps_verdict_remedy(an->verdict,
		"give " PS_CONNECTION " %u initial tokens, or let '%s' have a history of %u, which begins "
		"with zeros, instead of a peek",
		PS_CONNECTION_ARGS(f), l->history, f->dst->name, l->history);
	return -EDEADLK;
}

static int check_ticks(struct ps_analysis *an, const struct ps_rates *r, const struct pstk_fifo *f)
{
	for (unsigned writer = 0; writer < 2; writer++) {
		unsigned set = ps_analysis_clock(an, f, writer);
		const struct pstk_actor *member, *a = writer ? f->src : f->dst;

		if (!ps_term_is_set(set))
			continue;
		if (r->graph.edges[r->edge_of[f->index]].marking < 0)
			return refuse_peek(an, f, set);
		member = an->dynamics[an->groups[an->sets[set].group].members].actor;
		if (r->q[a->index] % r->q[member->index])
			return refuse_fraction(an, f, writer, set, r->q[a->index], r->q[member->index]);
	}
	return 0;
}

int ps_analysis_whole_ticks(struct ps_analysis *an)
{
	const struct ps_rates *r = ps_rates_of(an->net);
	int err = 0;

	for (unsigned i = 0;
		r->several && r->err != -EOVERFLOW && an->set_count && !err && i < an->net->fifo_count; i++)
		if (r->edge_of[i] != PS_NO_EDGE)
			err = check_ticks(an, r, an->net->fifos[i]);
	return err;
}

/* The FIFOs at which actors wait for each other, for the report. */
static int keep_cycle(struct ps_analysis *an, const struct ps_rates *r)
{
	an->cycle = ps_memory_zalloc(r->rooms.cycle_length, sizeof(*an->cycle));
	if (!an->cycle)
		return -ENOMEM;
	for (unsigned i = 0; i < r->rooms.cycle_length; i++)
		an->cycle[i] = r->fifo[r->rooms.cycle[i]];
	an->cycle_length = r->rooms.cycle_length;
	return 0;
}

/* Is any FIFO of that part not always on? It was taken as on. */
static bool is_conditional(const struct ps_analysis *an, const struct ps_rates *r, unsigned part)
{
	for (unsigned e = 0; e < r->graph.edge_count; e++)
		if (r->rooms.part[e] == part &&
			(ps_term_is_set(ps_analysis_term(an, r->fifo[e], true)) ||
				ps_term_is_set(ps_analysis_term(an, r->fifo[e], false))))
			return true;
	return false;
}

static bool is_control(const struct pstk_fifo *f)
{
	return f->dst_port == f->dst->control_port;
}

static int refuse_cycle(struct ps_analysis *an, const struct ps_rates *r)
{
	const struct pstk_fifo *f = NULL;

	for (unsigned i = 0; i < an->cycle_length; i++)
		if (!is_control(an->cycle[i]) && (!f || !f->fifo.layout.delay))
			f = an->cycle[i];
	an->verdict->rule = PSTK_RULE_CYCLES;
	an->verdict->fifo = f ? f : an->cycle[0];
	an->verdict->conservative = is_conditional(an, r, r->rooms.part[r->rooms.cycle[0]]);
	ps_verdict_reason(an->verdict,
		"a cycle without delay tokens for a whole iteration: '%s' waits for tokens of '%s' for "
		"ever%s",
		an->cycle[0]->dst->name, an->cycle[0]->src->name,
		an->verdict->conservative ? ", if all that can be on is on at once" : "");
	if (f)
		ps_verdict_remedy(an->verdict,
			"give " PS_CONNECTION " more initial tokens (.delay; it has %u, a window is %u)",
			PS_CONNECTION_ARGS(f), f->fifo.layout.delay, f->fifo.layout.read_rate);
	else
		ps_verdict_remedy(an->verdict, "let one of these actors decide without the control tokens of "
					       "the others: control FIFOs hold "
					       "no initial tokens");
	return -EDEADLK;
}

static int refuse_room(struct ps_analysis *an, const struct ps_rates *r)
{
	const struct pstk_fifo *f = r->fifo[r->rooms.too_small];
	const struct ps_layout *l = &f->fifo.layout;

	an->verdict->rule = PSTK_RULE_ROOM;
	an->verdict->fifo = f;
	an->verdict->conservative = is_conditional(an, r, r->rooms.part[r->rooms.too_small]);
	ps_verdict_reason(an->verdict,
		PS_CONNECTION
		", of depth %u, holds %llu tokens, but must hold %llu: '%s' takes none before it has got "
		"others for which '%s' must write on",
		PS_CONNECTION_ARGS(f), l->depth, (unsigned long long)(l->room + f->fifo.room_before),
		(unsigned long long)r->rooms.wanted, f->dst->name, f->src->name);
	ps_verdict_remedy(an->verdict,
		"give " PS_CONNECTION " a depth of %llu or more, or none: then the library finds it",
		PS_CONNECTION_ARGS(f),
		(unsigned long long)ps_rates_depth(l, r->rooms.wanted - f->fifo.room_before));
	return -EDEADLK;
}

static int refuse_bytes(struct ps_analysis *an, const struct ps_rates *r)
{
	const struct pstk_fifo *f = r->too_large;

	an->verdict->rule = PSTK_RULE_ROOM;
	an->verdict->fifo = f;
	ps_verdict_reason(an->verdict,
		PS_CONNECTION " must hold %llu tokens of %zu bytes, which is more than memory can have",
		PS_CONNECTION_ARGS(f), (unsigned long long)r->graph.edges[r->edge_of[f->index]].room,
		f->fifo.layout.token_size);
	ps_verdict_remedy(
		an->verdict, "%s", "lower the rates of the ways that join, or the size of its tokens");
	return -EDEADLK;
}

/* Not proven, because a number is too large. */
static int too_long(struct ps_analysis *an, const struct ps_rates *r)
{
	if (r->err == -E2BIG)
		ps_verdict_reason(an->verdict,
			"an iteration of the part with " PS_CONNECTION
			" is too long to look at: more than %u firings",
			PS_CONNECTION_ARGS(r->fifo[r->rooms.too_long]), (unsigned)PS_ROOMS_FIRINGS);
	else
		ps_verdict_reason(an->verdict, "%s",
			"an iteration is too long to look at: some actor fires 2^63 times or more");
	ps_verdict_remedy(
		an->verdict, "%s", "let actors whose rates have nothing in common move larger windows");
	return 1;
}

int ps_analysis_rooms(struct ps_analysis *an)
{
	const struct ps_rates *r = ps_rates_of(an->net);
	int err;

	if (!r->several || !r->err)
		return 0;
	if (r->err == -EFBIG)
		return refuse_bytes(an, r);
	if (r->err != -EDEADLK && r->err != -ENOSPC)
		return r->err == -ENOMEM ? -ENOMEM : too_long(an, r);
	err = keep_cycle(an, r);
	if (err)
		return err;
	return r->err == -EDEADLK ? refuse_cycle(an, r) : refuse_room(an, r);
}

static void print_growth(const struct ps_rates *r, unsigned e, FILE *out)
{
	const struct ps_room_growth *g = &r->rooms.growth[e];
	const struct pstk_fifo *f = r->fifo[e], *next = r->fifo[g->next];

	fprintf(out, "  " PS_CONNECTION " holds %llu tokens instead of %llu: '%s' waits for '%s'\n",
		PS_CONNECTION_ARGS(f), (unsigned long long)(f->fifo.layout.room + f->fifo.room_before),
		(unsigned long long)g->from, f->dst->name,
		next->src == f->dst ? next->dst->name : next->src->name);
}

void ps_analysis_print_rates(const struct ps_analysis *an, FILE *out)
{
	enum { MOST = 64 };
	const struct ps_rates *r = ps_rates_of(an->net);

	if (!r->several || (r->err && r->err != -ENOSPC && r->err != -EDEADLK && r->err != -E2BIG))
		return;
	fputs("  repetitions:", out);
	for (unsigned i = 0; i < an->net->actor_count && i < MOST; i++)
		fprintf(out, "%s '%s' %llu", i ? "," : "", an->net->actors[i]->name,
			(unsigned long long)r->q[i]);
	if (an->net->actor_count > MOST)
		fprintf(out, " and %u more actors", an->net->actor_count - MOST);
	fputc('\n', out);
	for (unsigned e = 0; (!r->err || r->err == -E2BIG) && e < r->graph.edge_count; e++)
		if (r->rooms.growth[e].from)
			print_growth(r, e, out);
}
