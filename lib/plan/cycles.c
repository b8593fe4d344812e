/* SPDX-License-Identifier: MIT */
#include "lib/plan/cycles.h"
#include "lib/base/memory.h"
#include "lib/model/type.h"

#include <errno.h>
#include <limits.h>

#define NONE UINT_MAX
#define NOT_ASKED (UINT_MAX - 1)
#define STEPS ((uint64_t)1 << 23) /* some tenths of a second */

/* Both ends move a window in each firing. A kahn actor has none that could be counted; no cycle goes over it
 * then. */
static bool always_on(const void *data, const struct pstk_fifo *f)
{
	enum pstk_port_kind in = f->dst->type.ports[f->dst_port].kind;

	(void)data;
	return f->src->type.ports[f->src_port].kind == PSTK_OUTPUT && in != PSTK_DYNAMIC_INPUT &&
	       !f->dst->type.kahn;
}

int ps_cycles_init(struct ps_cycles *c, const struct pstk_network *net, unsigned most)
{
	size_t n = net->actor_count;
	int err;

	*c = (struct ps_cycles){ .net = net, .steps = STEPS, .most = most };
	err = ps_graph_init(&c->graph, net);
	c->numbers = ps_memory_zalloc(8 * n, sizeof *c->numbers);
	if (err || !c->numbers)
		return -ENOMEM;
	c->chain = c->numbers;
	c->answer = c->numbers + n;
	c->why = c->numbers + 2 * n;
	c->windows = c->numbers + 3 * n;
	c->came = c->numbers + 4 * n;
	c->next = c->numbers + 5 * n;
	c->prev = c->numbers + 6 * n;
	c->reached = c->numbers + 7 * n;
	for (size_t i = 0; i < n; i++) {
		c->chain[i] = c->windows[i] = NONE;
		c->answer[i] = NOT_ASKED;
	}
	ps_graph_search(&c->graph, NULL, net->actor_count, always_on, NULL);
	return 0;
}

void ps_cycles_fini(struct ps_cycles *c)
{
	ps_graph_fini(&c->graph);
	ps_memory_free(c->numbers);
}

/* The next FIFO on a cycle out of an actor, after `f` of port *port; NULL: no more. *port begins at 0, f at
 * NULL. */
static const struct pstk_fifo *next_out(
	const struct ps_cycles *c, const struct pstk_actor *a, unsigned *port, const struct pstk_fifo *f)
{
	for (f = f ? f->next : NULL;; f = f->next) {
		while (!f && *port < a->type.port_count) {
			if (!ps_port_reads(a->type.ports[*port].kind))
				f = a->ports[*port].fifo;
			++*port;
		}
		if (!f || ps_graph_on_cycle(&c->graph, f))
			return f;
	}
}

/* Where all of an actor's FIFOs on cycles lead, if that has no others on cycles into it: every cycle over
 * one of the two goes over both. NULL: there is no such actor. */
static const struct pstk_actor *follower(const struct ps_cycles *c, const struct pstk_actor *a)
{
	const struct pstk_actor *to = NULL;
	const struct pstk_fifo *f = NULL;
	unsigned port = 0;

	while ((f = next_out(c, a, &port, f))) {
		if (to && f->dst != to)
			return NULL;
		to = f->dst;
	}
	for (unsigned p = 0; to && p < to->type.port_count; p++) {
		f = ps_port_reads(to->type.ports[p].kind) ? to->ports[p].fifo : NULL;
		if (f && f->src != a && ps_graph_on_cycle(&c->graph, f))
			return NULL;
	}
	return to;
}

/* The last of the chain that an actor is in; where the chain bites its tail, any of it, the same for all. */
static unsigned chain_of(struct ps_cycles *c, const struct pstk_actor *a)
{
	const struct pstk_actor *at = a;
	unsigned last = a->index;

	while (at && c->chain[at->index] == NONE) {
		last = at->index;
		c->chain[last] = NOT_ASKED; /* on the way */
		at = follower(c, at);
	}
	if (at)
		last = c->chain[at->index] == NOT_ASKED ? at->index : c->chain[at->index];
	for (at = a; at && c->chain[at->index] == NOT_ASKED; at = follower(c, at))
		c->chain[at->index] = last;
	return last;
}

static void unlink_actor(struct ps_cycles *c, unsigned actor)
{
	if (c->prev[actor] == NONE)
		c->first[c->windows[actor]] = c->next[actor];
	else
		c->next[c->prev[actor]] = c->next[actor];
	if (c->next[actor] != NONE)
		c->prev[c->next[actor]] = c->prev[actor];
}

static void link_actor(struct ps_cycles *c, unsigned actor, unsigned windows)
{
	c->windows[actor] = windows;
	c->prev[actor] = NONE;
	c->next[actor] = c->first[windows];
	if (c->next[actor] != NONE)
		c->prev[c->next[actor]] = actor;
	c->first[windows] = actor;
}

/* A way of so many windows, fewer than c->most, leads over f. */
static void reach(struct ps_cycles *c, const struct pstk_fifo *f, unsigned windows)
{
	unsigned to = f->dst->index;

	if (c->windows[to] == NONE)
		c->reached[c->reached_count++] = to;
	else if (windows < c->windows[to])
		unlink_actor(c, to); /* it has not been gone on from: its way was longer than any of those */
	else
		return;
	c->came[to] = f->index;
	link_actor(c, to, windows);
}

/* Dijkstra's algorithm with a list for each length (Dial), until the way has led back. The length of that
 * and its last FIFO; NULL: c->most or more. */
static const struct pstk_fifo *search(struct ps_cycles *c, const struct pstk_actor *from, unsigned *best)
{
	const struct pstk_fifo *last = NULL;

	*best = c->most;
	for (unsigned w = 0; w < c->most; w++)
		c->first[w] = NONE;
	c->reached[c->reached_count++] = from->index;
	link_actor(c, from->index, 0);
	for (unsigned w = 0; w < *best && c->steps; w++)
		while (c->first[w] != NONE && w < *best && c->steps) {
			const struct pstk_actor *a = c->net->actors[c->first[w]];
			const struct pstk_fifo *f = NULL;
			unsigned port = 0;

			unlink_actor(c, a->index);
			while ((f = next_out(c, a, &port, f)) && c->steps) {
				uint64_t sum = (uint64_t)w + f->fifo.layout.q;

				c->steps--;
				if (sum >= *best)
					continue;
				if (f->dst == from) {
					*best = (unsigned)sum;
					last = f;
				} else {
					reach(c, f, (unsigned)sum);
				}
			}
		}
	return last;
}

/* Asks for one actor, which stands for its chain. */
static void ask(struct ps_cycles *c, const struct pstk_actor *a)
{
	const struct pstk_fifo *f = search(c, a, &c->answer[a->index]), *most = f;

	if (!f)
		c->answer[a->index] = NONE;
	while (f && f->src != a) {
		f = c->net->fifos[c->came[f->src->index]];
		if (f->fifo.layout.q > most->fifo.layout.q)
			most = f;
	}
	c->why[a->index] = most ? most->index : NONE;
	while (c->reached_count)
		c->windows[c->reached[--c->reached_count]] = NONE;
}

unsigned ps_cycles_through(struct ps_cycles *c, const struct pstk_actor *a, const struct pstk_fifo **most)
{
	unsigned asked = chain_of(c, a);

	if (c->answer[asked] == NOT_ASKED)
		ask(c, c->net->actors[asked]);
	*most = c->why[asked] == NONE ? NULL : c->net->fifos[c->why[asked]];
	return c->answer[asked];
}
