/* SPDX-License-Identifier: MIT */
#include "lib/model/graph.h"
#include "lib/base/memory.h"
#include "lib/model/type.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define UNSEEN UINT_MAX

/* An actor on the search's path: where its walk over the outgoing FIFOs has got to. */
struct ps_graph_step {
	unsigned actor, port;
	const struct pstk_fifo *fifo; /* the next one to follow of this port; NULL: go to the next port */
};

int ps_graph_init(struct ps_graph *g, const struct pstk_network *net)
{
	size_t n = net->actor_count;

	*g = (struct ps_graph){ .net = net,
		.numbers = ps_memory_zalloc(4 * n, sizeof *g->numbers),
		.path = ps_memory_zalloc(n, sizeof *g->path) };
	if (!g->numbers || !g->path)
		return -ENOMEM;
	g->component = g->numbers;
	g->order = g->numbers + n;
	g->low = g->numbers + 2 * n;
	g->open = g->numbers + 3 * n;
	return 0;
}

void ps_graph_fini(struct ps_graph *g)
{
	ps_memory_free(g->numbers);
	ps_memory_free(g->path);
}

static bool counts(const struct ps_graph *g, const struct pstk_fifo *f)
{
	return !g->filter || g->filter(g->data, f);
}

static void enter(struct ps_graph *g, unsigned actor)
{
	g->order[actor] = g->low[actor] = g->seen++;
	g->open[g->opened++] = actor;
	g->path[g->depth++] = (struct ps_graph_step){ .actor = actor };
}

/* The next outgoing FIFO of the step's actor that counts, NULL: all followed. */
static const struct pstk_fifo *next_fifo(const struct ps_graph *g, struct ps_graph_step *step)
{
	const struct pstk_actor *a = g->net->actors[step->actor];

	for (;;) {
		while (!step->fifo && step->port < a->type.port_count) {
			if (!ps_port_reads(a->type.ports[step->port].kind))
				step->fifo = a->ports[step->port].fifo;
			step->port++;
		}
		if (!step->fifo)
			return NULL;
		const struct pstk_fifo *f = step->fifo;
		step->fifo = f->next;
		if (counts(g, f))
			return f;
	}
}

static void lower(unsigned *low, unsigned value)
{
	if (value < *low)
		*low = value;
}

/* All below `actor` is seen: if it is the root of its component, everything open above it belongs to it. */
static void leave(struct ps_graph *g, unsigned actor)
{
	g->depth--;
	if (g->depth)
		lower(&g->low[g->path[g->depth - 1].actor], g->low[actor]);
	if (g->low[actor] != g->order[actor])
		return;
	unsigned member;
	do {
		member = g->open[--g->opened];
		g->component[member] = g->count;
	} while (member != actor);
	g->count++;
}

/* Tarjan, Depth-first search and linear graph algorithms, 1972; without recursion. */
static void search_from(struct ps_graph *g, unsigned root)
{
	enter(g, root);
	while (g->depth) {
		struct ps_graph_step *step = &g->path[g->depth - 1];
		const struct pstk_fifo *f = next_fifo(g, step);

		if (!f)
			leave(g, step->actor);
		else if (g->order[f->dst->index] == UNSEEN)
			enter(g, f->dst->index);
		else if (g->component[f->dst->index] == UNSEEN) /* still open */
			lower(&g->low[step->actor], g->order[f->dst->index]);
	}
}

void ps_graph_search(
	struct ps_graph *g, const unsigned *actors, unsigned count, ps_graph_filter *filter, const void *data)
{
	g->filter = filter;
	g->data = data;
	g->count = g->seen = 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned actor = actors ? actors[i] : i;

		g->component[actor] = g->order[actor] = UNSEEN;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned actor = actors ? actors[i] : i;

		if (g->order[actor] == UNSEEN)
			search_from(g, actor);
	}
}

bool ps_graph_on_cycle(const struct ps_graph *g, const struct pstk_fifo *f)
{
	return g->component[f->src->index] == g->component[f->dst->index] && counts(g, f);
}

/* Breadth first from where `f` leads until an actor is found that is where it comes from. low[] is the
 * search's no longer: low[a] is the FIFO over which actor a was reached. */
static void reach(struct ps_graph *g, const struct pstk_fifo *f)
{
	unsigned *came = g->low, head = 0, tail = 0;

	for (unsigned i = 0; i < g->net->actor_count; i++)
		came[i] = UNSEEN;
	g->open[tail++] = f->dst->index;
	came[f->dst->index] = f->index;
	while (came[f->src->index] == UNSEEN && head < tail) {
		struct ps_graph_step step = { .actor = g->open[head++] };
		const struct pstk_fifo *next;

		while ((next = next_fifo(g, &step)))
			if (came[next->dst->index] == UNSEEN && ps_graph_on_cycle(g, next)) {
				came[next->dst->index] = next->index;
				g->open[tail++] = next->dst->index;
			}
	}
}

unsigned ps_graph_cycle(struct ps_graph *g, const struct pstk_fifo *f, const struct pstk_fifo **cycle)
{
	unsigned length = 1, actor = f->src->index;

	reach(g, f);
	/* the way back, from f's writer to f's reader */
	for (; actor != f->dst->index; length++)
		actor = g->net->fifos[g->low[actor]]->src->index;
	actor = f->src->index;
	for (unsigned i = length; i-- > 1;) {
		cycle[i] = g->net->fifos[g->low[actor]];
		actor = cycle[i]->src->index;
	}
	cycle[0] = f;
	return length;
}

int ps_graph_components(const struct pstk_network *net, unsigned *component, unsigned *count)
{
	struct ps_graph g;
	int err = ps_graph_init(&g, net);

	if (!err) {
		ps_graph_search(&g, NULL, net->actor_count, NULL, NULL);
		memcpy(component, g.component, net->actor_count * sizeof *component);
		*count = g.count;
	}
	ps_graph_fini(&g);
	return err;
}

int ps_graph_mark_sources(struct pstk_network *net)
{
	unsigned n = net->actor_count, count = 0;
	unsigned *component = ps_memory_zalloc(n, sizeof *component);
	bool *fed = ps_memory_zalloc(n, sizeof *fed); /* by component: has input from outside */
	int err = component && fed ? ps_graph_components(net, component, &count) : -ENOMEM;

	for (unsigned i = 0; !err && i < net->fifo_count; i++) {
		unsigned from = component[net->fifos[i]->src->index],
			 to = component[net->fifos[i]->dst->index];

		if (from != to)
			fed[to] = true;
	}
	for (unsigned i = 0; !err && i < n; i++)
		net->actors[i]->is_source = !fed[component[i]];
	ps_memory_free(component);
	ps_memory_free(fed);
	return err;
}
