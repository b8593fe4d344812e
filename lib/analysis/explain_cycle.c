/* SPDX-License-Identifier: MIT */
/* R2 is broken: the cycle, for which values, and where how many tokens would fix it. */
#include "lib/analysis/explain_cycle.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/verdict.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>

static bool is_control(const struct pstk_fifo *f)
{
	return f->dst->type.ports[f->dst_port].kind == PSTK_CONTROL;
}

/* Tokens until a window is full. */
static uint32_t missing(const struct pstk_fifo *f)
{
	return f->fifo.layout.read_rate - f->fifo.layout.delay;
}

/* The FIFO of the cycle where initial tokens are most likely meant to be. First choice: one that has some; then the one
 * where fewest are missing; then the one that closes the cycle. Control FIFOs can't have any: NULL. */
static const struct pstk_fifo *find_remedy(const struct ps_analysis *an)
{
	const struct pstk_fifo *best = NULL;

	for (unsigned i = 0; i < an->cycle_length; i++) {
		const struct pstk_fifo *f = an->cycle[i];

		if (is_control(f))
			continue;
		if (best && best->fifo.layout.delay && !f->fifo.layout.delay)
			continue;
		if (!best || (f->fifo.layout.delay && !best->fifo.layout.delay) ||
			missing(f) <= missing(best))
			best = f;
	}
	return best;
}

/* "'a' -> 'b' -> 'a'": the cycle's actors, as many as fit. */
static void name_actors(const struct ps_analysis *an, char *buffer, size_t size)
{
	enum { END = 180 }; /* room for how many more, and the last name */
	struct ps_text t = ps_text(buffer, size);

	for (unsigned i = 0; i < an->cycle_length; i++) {
		if (t.length + END > size) {
			ps_text_add(&t, ".. (%u more) -> ", an->cycle_length - i);
			break;
		}
		ps_text_add(&t, "'%s' -> ", an->cycle[i]->src->name);
	}
	ps_text_add(&t, "'%s'", an->cycle[0]->src->name);
}

/* The actor whose control() turns this FIFO on and off, and by which set; NULL: it is always on. */
static const struct pstk_actor *decider(
	const struct ps_analysis *an, const struct pstk_fifo *f, unsigned *set)
{
	for (unsigned writer = 0; writer < 2; writer++) {
		*set = ps_analysis_term(an, f, writer);
		if (ps_term_is_set(*set))
			return writer ? f->src : f->dst;
	}
	return NULL;
}

/* ", for 'conf'.ctl = 1 and 'c2'.ctl = 0": groups that decide on FIFOs of the cycle; the first one is
 * the verdict's. */
static void name_values(const struct ps_analysis *an, const uint32_t *chosen, char *buffer, size_t size)
{
	enum { MOST = 4 };
	unsigned groups[MOST], count = 0, set, k;
	struct ps_text t = ps_text(buffer, size);

	for (unsigned i = 0; i < an->cycle_length && chosen && count < MOST; i++) {
		const struct pstk_actor *a = decider(an, an->cycle[i], &set);

		if (!a)
			continue;
		for (k = 0; k < count && groups[k] != an->sets[set].group; k++)
			;
		if (k < count)
			continue;
		groups[count++] = an->sets[set].group;
		if (!k) {
			an->verdict->has_value = true;
			an->verdict->value = chosen[groups[0]];
			an->verdict->actor = a;
		}
		ps_text_add(&t, "%s" PS_GROUP " = %u", k ? " and " : ", for ",
			PS_GROUP_ARGS(&an->groups[groups[k]]), chosen[groups[k]]);
	}
}

int ps_analysis_cycle(struct ps_analysis *an, const struct pstk_fifo *f, const uint32_t *chosen)
{
	struct pstk_verdict *v = an->verdict;
	char actors[256], values[128];
	const struct pstk_fifo *remedy;

	an->cycle = ps_memory_zalloc(an->net->actor_count, sizeof(*an->cycle));
	if (!an->cycle)
		return -ENOMEM;
	an->cycle_length = ps_graph_cycle(&an->graph, f, an->cycle);
	remedy = find_remedy(an);
	v->rule = PSTK_RULE_CYCLES;
	v->fifo = remedy ? remedy : f;
	name_actors(an, actors, sizeof actors);
	name_values(an, chosen, values, sizeof values);
	ps_verdict_reason(v, "a cycle without delay tokens for a first firing: %s%s%s", actors, values,
		v->conservative
			? ", if all that can be on is on at once (there are too many combinations of control "
			  "values to try each)"
			: "");
	if (remedy)
		ps_verdict_remedy(v,
			"give " PS_CONNECTION
			" %u or more initial tokens (.delay; it has %u, a window is %u)",
			PS_CONNECTION_ARGS(remedy), remedy->fifo.layout.read_rate, remedy->fifo.layout.delay,
			remedy->fifo.layout.read_rate);
	else
		ps_verdict_remedy(v,
			"let one of these actors decide without the control tokens of the others: control "
			"FIFOs hold no initial tokens");
	return -EDEADLK;
}
