/* SPDX-License-Identifier: MIT */
/* Way: why an end is on when it is: the FIFOs over which its clock comes to it. */
#include "lib/analysis/explain_way.h"
#include "lib/analysis/clocks.h"
#include "lib/base/memory.h"
#include "lib/model/type.h"

#include <errno.h>

/* Breadth first over a class: a node (as in clocks.c), and how the search has come to it. */
struct step {
	unsigned node, from; /* from: the index of a step */
	const struct pstk_fifo *via;
};

struct search {
	const struct ps_analysis *an;
	struct step *steps;
	bool *seen;
	unsigned count;
};

static void reach(struct search *s, unsigned from, const struct pstk_fifo *f)
{
	for (unsigned writer = 0; writer < 2; writer++) {
		unsigned node = ps_analysis_node(s->an, f, writer);

		if (s->seen[node])
			continue;
		s->seen[node] = true;
		s->steps[s->count++] = (struct step){ node, from, f };
	}
}

static void expand(struct search *s, unsigned step)
{
	const struct pstk_network *net = s->an->net;
	unsigned node = s->steps[step].node;
	const struct pstk_actor *a = node < net->actor_count ? net->actors[node] : NULL;

	if (!a) { /* an output of a kahn actor */
		for (const struct pstk_fifo *f = net->fifos[node - net->actor_count]; f; f = f->next)
			if (ps_analysis_term(s->an, f, false) == PS_TERM_ACTOR)
				reach(s, step, f);
		return;
	}
	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool reads = ps_port_reads(a->type.ports[p].kind);

		for (const struct pstk_fifo *f = a->ports[p].fifo; f; f = reads ? NULL : f->next)
			if (ps_analysis_term(s->an, f, false) == PS_TERM_ACTOR &&
				ps_analysis_term(s->an, f, true) == PS_TERM_ACTOR)
				reach(s, step, f);
	}
}

static bool is_member(const struct ps_analysis *an, unsigned node, unsigned group)
{
	return node < an->net->actor_count && an->net->actors[node]->control_port != PS_NO_PORT &&
	       an->dynamics[an->dynamic_of[node]].group == group;
}

/* From the first step's node to a member of the group (PS_NONE: to the node). The index of the last step. */
static unsigned search(struct search *s, unsigned group, unsigned node)
{
	for (unsigned i = 0; i < s->count; i++) {
		unsigned at = s->steps[i].node;

		if (group != PS_NONE ? is_member(s->an, at, group) : at == node)
			return i;
		expand(s, i);
	}
	return 0; /* never: a class is connected */
}

static int find_way(struct ps_analysis *an, const struct pstk_fifo *f, bool writer, unsigned group)
{
	const struct pstk_fifo *why = group == PS_NONE ? ps_analysis_why(an, f, writer) : NULL;
	unsigned nodes = an->net->actor_count + an->net->fifo_count, last, to = PS_NONE;
	struct search s = { .an = an,
		.steps = ps_memory_zalloc(nodes, sizeof *s.steps),
		.seen = ps_memory_zalloc(nodes, sizeof *s.seen) };

	an->way = ps_memory_zalloc(nodes + 1, sizeof(*an->way));
	if (s.steps && s.seen && an->way) {
		s.steps[s.count++] = (struct step){ .node = ps_analysis_node(an, f, writer) };
		s.seen[s.steps[0].node] = true;
		if (why) /* the end of it that has no set of its own */
			to = ps_analysis_node(an, why, ps_analysis_term(an, why, true) == PS_TERM_ACTOR);
		last = search(&s, group, to);
		for (unsigned i = last; i; i = s.steps[i].from)
			an->way_length++;
		for (unsigned i = last, n = an->way_length; i; i = s.steps[i].from)
			an->way[--n] = s.steps[i].via;
		if (why)
			an->way[an->way_length++] = why;
	}
	ps_memory_free(s.steps);
	ps_memory_free(s.seen);
	return s.steps && s.seen && an->way ? 0 : -ENOMEM;
}

int ps_analysis_way(struct ps_analysis *an, const struct pstk_fifo *f, bool writer, unsigned group)
{
	an->way_of_writer = writer;
	if (ps_analysis_term(an, f, writer) != PS_TERM_ACTOR)
		return 0;
	if (group != PS_NONE && !ps_analysis_in_group_class(an, f, writer, group))
		group = PS_NONE;
	return find_way(an, f, writer, group);
}
