/* SPDX-License-Identifier: MIT */
#include "lib/graph.h"
#include "lib/memory.h"
#include "lib/type.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define UNSEEN UINT_MAX

/* An actor on the search's path: where its walk over the outgoing FIFOs has got to. */
struct step {
	unsigned actor, port;
	const struct pstk_fifo *fifo; /* the next one to follow of this port; NULL: go to the next port */
};

struct search {
	const struct pstk_network *net;
	unsigned *component;
	unsigned count;         /* components so far */
	unsigned *order, *low;  /* Tarjan's index and lowlink */
	unsigned *open, opened; /* the stack of actors whose component is not known yet */
	struct step *path;
	unsigned depth;
	unsigned seen;
};

static void enter(struct search *s, unsigned actor)
{
	s->order[actor] = s->low[actor] = s->seen++;
	s->open[s->opened++] = actor;
	s->path[s->depth++] = (struct step){ .actor = actor };
}

/* The next outgoing FIFO of the step's actor, NULL: all followed. */
static const struct pstk_fifo *next_fifo(const struct search *s, struct step *step)
{
	const struct pstk_actor *a = s->net->actors[step->actor];

	while (!step->fifo && step->port < a->type.port_count) {
		if (!ps_port_reads(a->type.ports[step->port].kind))
			step->fifo = a->ports[step->port].fifo;
		step->port++;
	}
	if (!step->fifo)
		return NULL;
	const struct pstk_fifo *f = step->fifo;
	step->fifo = f->next;
	return f;
}

static void lower(unsigned *low, unsigned value)
{
	if (value < *low)
		*low = value;
}

/* All below `actor` is seen: if it is the root of its component, everything open above it belongs to it. */
static void leave(struct search *s, unsigned actor)
{
	s->depth--;
	if (s->depth)
		lower(&s->low[s->path[s->depth - 1].actor], s->low[actor]);
	if (s->low[actor] != s->order[actor])
		return;
	unsigned member;
	do {
		member = s->open[--s->opened];
		s->component[member] = s->count;
	} while (member != actor);
	s->count++;
}

static void search_from(struct search *s, unsigned root)
{
	enter(s, root);
	while (s->depth) {
		struct step *step = &s->path[s->depth - 1];
		const struct pstk_fifo *f = next_fifo(s, step);

		if (!f)
			leave(s, step->actor);
		else if (s->order[f->dst->index] == UNSEEN)
			enter(s, f->dst->index);
		else if (s->component[f->dst->index] == UNSEEN) /* still open */
			lower(&s->low[step->actor], s->order[f->dst->index]);
	}
}

int ps_graph_components(const struct pstk_network *net, unsigned *component, unsigned *count)
{
	unsigned n = net->actor_count;
	unsigned *numbers = ps_memory_zalloc(3u * (size_t)n, sizeof *numbers);
	struct step *path = ps_memory_zalloc(n, sizeof *path);
	struct search s = { .net = net, .component = component, .order = numbers, .path = path };
	int err = numbers && path ? 0 : -ENOMEM;

	if (!err) {
		s.low = numbers + n;
		s.open = numbers + 2 * (size_t)n;
		for (unsigned i = 0; i < n; i++)
			component[i] = s.order[i] = UNSEEN;
		for (unsigned i = 0; i < n; i++)
			if (s.order[i] == UNSEEN)
				search_from(&s, i);
		*count = s.count;
	}
	ps_memory_free(numbers);
	ps_memory_free(path);
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
