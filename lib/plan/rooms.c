/* SPDX-License-Identifier: MIT */
#include "lib/plan/rooms.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <string.h>

/*
 * Parts.
 */

/* Each actor's edges, in both directions: list[first[i]] .. list[first[i + 1]]. */
struct neighbours {
	unsigned *first, *list;
};

static int find_neighbours(struct neighbours *n, const struct ps_rate_graph *g)
{
	n->first = ps_memory_zalloc((size_t)g->actor_count + 1, sizeof *n->first);
	n->list = ps_memory_zalloc(2 * (size_t)g->edge_count, sizeof *n->list);
	if (!n->first || !n->list)
		return -ENOMEM;
	for (unsigned e = 0; e < g->edge_count; e++) {
		n->first[g->edges[e].src]++;
		if (g->edges[e].dst != g->edges[e].src)
			n->first[g->edges[e].dst]++;
	}
	for (unsigned i = 0; i < g->actor_count; i++)
		n->first[i + 1] += n->first[i];
	for (unsigned e = g->edge_count; e-- > 0;) {
		n->list[--n->first[g->edges[e].src]] = e;
		if (g->edges[e].dst != g->edges[e].src)
			n->list[--n->first[g->edges[e].dst]] = e;
	}
	return 0;
}

static void free_neighbours(struct neighbours *n)
{
	ps_memory_free(n->first);
	ps_memory_free(n->list);
}

/* A search for biconnected parts: Hopcroft, Tarjan, Efficient algorithms for graph manipulation, 1973; no recursion. */
struct search {
	const struct ps_rate_graph *g;
	struct neighbours n;
	unsigned *order, *low;  /* of each actor; order 0: not seen */
	unsigned *at;           /* of each actor: how far its walk over its edges has got */
	unsigned *came;         /* of each actor: the edge over which it was reached */
	unsigned *path, depth;  /* actors */
	unsigned *open, opened; /* edges whose part is not known yet */
	unsigned seen;
};

static unsigned other_end(const struct ps_rate_edge *e, unsigned actor)
{
	return e->src == actor ? e->dst : e->src;
}

static void enter(struct search *s, unsigned actor, unsigned came)
{
	s->order[actor] = s->low[actor] = ++s->seen;
	s->at[actor] = s->n.first[actor];
	s->came[actor] = came;
	s->path[s->depth++] = actor;
}

static void close_part(struct search *s, struct ps_rooms *r, unsigned last)
{
	unsigned e;

	do {
		e = s->open[--s->opened];
		r->part[e] = r->part_count;
	} while (e != last);
	r->part_count++;
}

/* One edge further from the actor at the end of the path, or back from it. */
static void step(struct search *s, struct ps_rooms *r)
{
	unsigned actor = s->path[s->depth - 1], e, other, above;

	if (s->at[actor] < s->n.first[actor + 1]) {
		e = s->n.list[s->at[actor]++];
		other = other_end(&s->g->edges[e], actor);
		if (other == actor) { /* a loop is a part */
			s->open[s->opened++] = e;
			close_part(s, r, e);
		} else if (!s->order[other]) {
			s->open[s->opened++] = e;
			enter(s, other, e);
		} else if (e != s->came[actor] && s->order[other] < s->order[actor]) {
			s->open[s->opened++] = e;
			if (s->order[other] < s->low[actor])
				s->low[actor] = s->order[other];
		}
		return;
	}
	s->depth--;
	if (!s->depth)
		return;
	above = s->path[s->depth - 1];
	if (s->low[actor] < s->low[above])
		s->low[above] = s->low[actor];
	if (s->low[actor] >= s->order[above])
		close_part(s, r, s->came[actor]);
}

static int find_parts(struct ps_rooms *r, const struct ps_rate_graph *g)
{
	size_t n = g->actor_count;
	unsigned *numbers = ps_memory_zalloc(5 * n + g->edge_count, sizeof *numbers);
	struct search s = { .g = g };
	int err;

	if (!numbers)
		return -ENOMEM;
	err = find_neighbours(&s.n, g);
	s.order = numbers;
	s.low = numbers + n;
	s.at = numbers + 2 * n;
	s.came = numbers + 3 * n;
	s.path = numbers + 4 * n;
	s.open = numbers + 5 * n;
	for (unsigned i = 0; !err && i < n; i++)
		if (!s.order[i])
			for (enter(&s, i, PS_NO_EDGE); s.depth;)
				step(&s, r);
	free_neighbours(&s.n);
	ps_memory_free(numbers);
	return err;
}

int ps_rooms_begin(struct ps_rooms *r, const struct ps_rate_graph *g)
{
	*r = (struct ps_rooms){ .part = ps_memory_zalloc(g->edge_count, sizeof *r->part),
		.growth = ps_memory_zalloc(g->edge_count, sizeof *r->growth),
		.cycle = ps_memory_zalloc(g->actor_count, sizeof *r->cycle) };
	return r->part && r->growth && r->cycle ? find_parts(r, g) : -ENOMEM;
}

void ps_rooms_end(struct ps_rooms *r)
{
	ps_memory_free(r->part);
	ps_memory_free(r->growth);
	ps_memory_free(r->cycle);
}

/*
 * Execution of a part.
 */

struct run {
	struct ps_rooms *r;
	struct ps_rate_graph *g;
	unsigned *edges; /* the part's .. */
	unsigned edge_count;
	unsigned *actors, actor_count; /* .. actors .. */
	uint64_t *wants;               /* of each actor: its firings of the part's iteration .. */
	uint64_t *fired;               /* .. and those it has made */
	unsigned *first,
		*list; /* of each actor: its edges in the part, from first[i], as many as degree[i] */
	unsigned *degree;
	unsigned *queue; /* a ring of the part's actors that may be able to fire */
	bool *queued;
	unsigned head, waiting;      /* where it begins, how many are in it */
	uint64_t behind;             /* actors that have not made their firings */
	unsigned *kept, kept_length; /* keep_cycle() */
	bool dead;
};

static uint64_t tokens(const struct run *run, const struct ps_rate_edge *e)
{
	int64_t n = e->marking +
	            (int64_t)(run->fired[e->src] * e->write_rate - run->fired[e->dst] * e->read_rate);

	return n < 0 ? 0 : (uint64_t)n;
}

/* S less what is there, which may be below nothing where the reader peeks. */
static uint64_t free_room(const struct run *run, const struct ps_rate_edge *e)
{
	return e->room - (uint64_t)e->marking - run->fired[e->src] * e->write_rate +
	       run->fired[e->dst] * e->read_rate;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How often could this actor fire before another one does? */
static uint64_t possible(const struct run *run, unsigned actor)
{
	uint64_t times = PS_ROOMS_FIRINGS;

	for (unsigned k = 0; k < run->degree[actor] && times; k++) {
		const struct ps_rate_edge *e = &run->g->edges[run->list[run->first[actor] + k]];

		if (e->src == e->dst)
			times = tokens(run, e) >= e->read_rate && free_room(run, e) >= e->write_rate ? times
			                                                                             : 0;
		else if (e->src == actor)
			times = least(times, free_room(run, e) / e->write_rate);
		else
			times = least(times, tokens(run, e) / e->read_rate);
	}
	return times;
}

static void enqueue(struct run *run, unsigned actor)
{
	if (run->queued[actor])
		return;
	run->queued[actor] = true;
	run->queue[(run->head + run->waiting++) % run->actor_count] = actor;
}

static void fire(struct run *run, unsigned actor, uint64_t times)
{
	bool was_behind = run->fired[actor] < run->wants[actor];

	run->fired[actor] += times;
	run->behind -= was_behind && run->fired[actor] >= run->wants[actor];
	for (unsigned k = 0; k < run->degree[actor]; k++)
		enqueue(run, other_end(&run->g->edges[run->list[run->first[actor] + k]], actor));
}

/* Fires what can be fired until each actor has made its firings, or nothing goes on. */
static void go_on(struct run *run)
{
	while (run->behind && run->waiting) {
		unsigned actor = run->queue[run->head];
		uint64_t times = possible(run, actor);

		run->head = (run->head + 1) % run->actor_count;
		run->waiting--;
		run->queued[actor] = false;
		/* not far ahead of the others: they may be through before */
		if (times > run->wants[actor])
			times = run->wants[actor];
		if (times) {
			fire(run, actor, times);
			enqueue(run, actor);
		}
	}
}

/* Where an actor that can't fire waits: for tokens, if it does, else for room. */
static unsigned waits_at(const struct run *run, unsigned actor)
{
	unsigned at = PS_NO_EDGE;

	for (unsigned k = 0; k < run->degree[actor]; k++) {
		unsigned i = run->list[run->first[actor] + k];
		const struct ps_rate_edge *e = &run->g->edges[i];

		if (e->dst == actor && tokens(run, e) < e->read_rate)
			return i;
		if (e->src == actor && free_room(run, e) < e->write_rate)
			at = i;
	}
	return at;
}

static bool waits_for_room(const struct run *run, unsigned actor, unsigned edge)
{
	const struct ps_rate_edge *e = &run->g->edges[edge];

	return e->src == actor && !(e->dst == actor && tokens(run, e) < e->read_rate);
}

/* Nothing goes on: the cycle of FIFOs at which actors wait for each other, from an actor that is behind. Returns an
 * actor of it. */
static unsigned find_cycle(struct run *run)
{
	unsigned actor = 0, start;

	for (unsigned i = 0; i < run->actor_count; i++)
		if (run->fired[run->actors[i]] < run->wants[run->actors[i]])
			actor = run->actors[i];
	/* so many steps end in the cycle */
	for (unsigned i = 0; i < run->actor_count; i++)
		actor = other_end(&run->g->edges[waits_at(run, actor)], actor);
	start = actor;
	run->r->cycle_length = 0;
	do {
		unsigned e = waits_at(run, actor);

		run->r->cycle[run->r->cycle_length++] = e;
		actor = other_end(&run->g->edges[e], actor);
	} while (actor != start);
	return start;
}

/* For the message: the first dead one, or else the first that showed that a fixed room is too small. */
static void keep_cycle(struct run *run, bool dead)
{
	if (run->dead)
		return;
	run->dead = dead;
	run->kept_length = run->r->cycle_length;
	memcpy(run->kept, run->r->cycle, run->kept_length * sizeof *run->kept);
}

/* What a FIFO of the cycle is short of for its next write. */
static uint64_t lack_of(const struct run *run, unsigned edge)
{
	return run->g->edges[edge].write_rate - free_room(run, &run->g->edges[edge]);
}

static uint64_t ceil_div(uint64_t n, uint64_t d)
{
	return (n + d - 1) / d;
}

/* How often its writer may fire when `best` alone holds it up, until that makes a difference to another actor: each
 * time the cycle would be the same. */
static uint64_t firings_alike(const struct run *run, unsigned best)
{
	unsigned writer = run->g->edges[best].src;
	uint64_t wants = run->wants[writer], fired = run->fired[writer],
		 times = wants > fired ? wants - fired : 1;

	for (unsigned k = 0; k < run->degree[writer] && times > 1; k++) {
		unsigned i = run->list[run->first[writer] + k];
		const struct ps_rate_edge *e = &run->g->edges[i];
		uint64_t room = free_room(run, e), there = tokens(run, e);

		if (i == best)
			continue;
		if (e->src == e->dst)
			return 1;
		if (e->src == writer) {
			times = least(times, room / e->write_rate);
			if (there < e->read_rate) /* its reader may wait for that */
				times = least(times, ceil_div(e->read_rate - there, e->write_rate));
		} else {
			times = least(times, there / e->read_rate);
			if (room < e->write_rate)
				times = least(times, ceil_div(e->write_rate - room, e->read_rate));
		}
	}
	return times;
}

/* Would `best` be chosen again when it has grown and is full again? */
static bool stays_best(const struct run *run, unsigned actor, unsigned best, bool fixed)
{
	const struct ps_rooms *r = run->r;
	uint64_t lack = run->g->edges[best].write_rate;
	bool behind = false;

	for (unsigned i = 0; i < r->cycle_length; i++) {
		const struct ps_rate_edge *e = &run->g->edges[r->cycle[i]];

		if (r->cycle[i] == best)
			behind = true;
		else if (waits_for_room(run, actor, r->cycle[i]) && (fixed || !e->fixed) &&
			 (e->dst == run->g->edges[best].src || lack_of(run, r->cycle[i]) < lack + !behind))
			return false;
		actor = other_end(e, actor);
	}
	return true;
}

/* Gives the FIFO of the cycle that lacks least as much as its next write lacks; a fixed one only if there is no other.
 * So again and again while that is the same. false: none waits for room. */
static bool grow(struct run *run)
{
	struct ps_rooms *r = run->r;
	unsigned first = find_cycle(run), actor = first, best = PS_NO_EDGE, next = PS_NO_EDGE;
	uint64_t lacks = UINT64_MAX, times;
	struct ps_rate_edge *grown;
	bool fixed = true;

	for (unsigned i = 0; i < r->cycle_length; i++) {
		struct ps_rate_edge *e = &run->g->edges[r->cycle[i]];

		if (waits_for_room(run, actor, r->cycle[i]) && (fixed || !e->fixed)) {
			uint64_t lack = lack_of(run, r->cycle[i]);

			if (lack < lacks || (fixed && !e->fixed)) {
				lacks = lack;
				best = r->cycle[i];
				next = r->cycle[(i + 1) % r->cycle_length];
				fixed = e->fixed;
			}
		}
		actor = other_end(e, actor);
	}
	if (best == PS_NO_EDGE) {
		keep_cycle(run, true);
		return false;
	}
	if (fixed && r->too_small == PS_NO_EDGE) {
		r->too_small = best;
		keep_cycle(run, false);
	}
	grown = &run->g->edges[best];
	if (!r->growth[best].from)
		r->growth[best] = (struct ps_room_growth){ grown->room, next };
	times = firings_alike(run, best);
	grown->room += lacks;
	if (times > 1 && stays_best(run, first, best, fixed))
		grown->room += (times - 1) * grown->write_rate;
	enqueue(run, grown->src);
	return true;
}

/* The part's actors, their edges, their firings. */
static void take_part(struct run *run, const uint64_t *q)
{
	uint64_t common = 0;

	run->actor_count = 0;
	for (unsigned k = 0; k < run->edge_count; k++) {
		const struct ps_rate_edge *e = &run->g->edges[run->edges[k]];
		unsigned ends[2] = { e->src, e->dst };

		for (unsigned i = 0; i < (e->src == e->dst ? 1 : 2); i++) {
			if (!run->degree[ends[i]]++)
				run->actors[run->actor_count++] = ends[i];
		}
	}
	for (unsigned i = 0, at = 0; i < run->actor_count; i++) {
		unsigned actor = run->actors[i];

		run->first[actor] = at;
		at += run->degree[actor];
		run->degree[actor] = 0;
		common = ps_gcd(common, q[actor]);
	}
	for (unsigned k = 0; k < run->edge_count; k++) {
		const struct ps_rate_edge *e = &run->g->edges[run->edges[k]];

		run->list[run->first[e->src] + run->degree[e->src]++] = run->edges[k];
		if (e->dst != e->src)
			run->list[run->first[e->dst] + run->degree[e->dst]++] = run->edges[k];
	}
	for (unsigned i = 0; i < run->actor_count; i++)
		run->wants[run->actors[i]] = q[run->actors[i]] / common;
}

/* false: too many. */
static bool few_firings(const struct run *run)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < run->actor_count; i++)
		if (run->wants[run->actors[i]] > PS_ROOMS_FIRINGS ||
			(sum += run->wants[run->actors[i]]) > PS_ROOMS_FIRINGS)
			return false;
	return true;
}

static int execute(struct run *run, const uint64_t *q)
{
	int err = 0;

	take_part(run, q);
	if (!few_firings(run)) {
		run->r->too_long = run->edges[0];
		err = -E2BIG;
	}
	run->head = run->waiting = 0;
	run->behind = run->actor_count;
	for (unsigned i = 0; i < run->actor_count; i++) {
		run->fired[run->actors[i]] = 0;
		enqueue(run, run->actors[i]);
	}
	while (!err && run->behind) {
		go_on(run);
		if (run->behind && !grow(run))
			err = -EDEADLK;
	}
	for (unsigned i = 0; i < run->actor_count; i++) {
		run->queued[run->actors[i]] = false;
		run->degree[run->actors[i]] = 0;
	}
	return err;
}

static int run_begin(struct run *run, struct ps_rooms *r, struct ps_rate_graph *g)
{
	size_t n = g->actor_count;

	*run = (struct run){ .r = r,
		.g = g,
		.edges = ps_memory_zalloc(g->edge_count, sizeof *run->edges),
		.actors = ps_memory_zalloc(n, sizeof *run->actors),
		.wants = ps_memory_zalloc(n, sizeof *run->wants),
		.fired = ps_memory_zalloc(n, sizeof *run->fired),
		.first = ps_memory_zalloc(n, sizeof *run->first),
		.list = ps_memory_zalloc(2 * (size_t)g->edge_count, sizeof *run->list),
		.degree = ps_memory_zalloc(n, sizeof *run->degree),
		.queue = ps_memory_zalloc(n, sizeof *run->queue),
		.queued = ps_memory_zalloc(n, sizeof *run->queued),
		.kept = ps_memory_zalloc(n, sizeof *run->kept) };
	r->too_small = PS_NO_EDGE;
	return run->edges && run->actors && run->wants && run->fired && run->first && run->list &&
	                       run->degree && run->queue && run->queued && run->kept
	               ? 0
	               : -ENOMEM;
}

static void run_end(struct run *run)
{
	ps_memory_free(run->edges);
	ps_memory_free(run->actors);
	ps_memory_free(run->wants);
	ps_memory_free(run->fired);
	ps_memory_free(run->first);
	ps_memory_free(run->list);
	ps_memory_free(run->degree);
	ps_memory_free(run->queue);
	ps_memory_free(run->queued);
	ps_memory_free(run->kept);
}

/* Each part's edges side by side in by_part[], from starts[part] on. */
static void sort_edges(const struct ps_rooms *r, unsigned edges, unsigned *starts, unsigned *by_part)
{
	for (unsigned e = 0; e < edges; e++)
		starts[r->part[e]]++;
	for (unsigned p = 0; p < r->part_count; p++)
		starts[p + 1] += starts[p];
	for (unsigned e = edges; e-- > 0;)
		by_part[--starts[r->part[e]]] = e;
}

/* Of two parts' answers. */
static int worst(int err, int next)
{
	static const int order[] = { -ENOMEM, -EDEADLK, -E2BIG };

	for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
		if (err == order[i] || next == order[i])
			return order[i];
	return 0;
}

/* The cycle that showed it. A fixed FIFO's: and what it needs. */
static int conclude(struct run *run, int err)
{
	struct ps_rooms *r = run->r;

	if (err != -EDEADLK && (err || r->too_small == PS_NO_EDGE))
		return err;
	if (!err)
		r->wanted = run->g->edges[r->too_small].room;
	r->cycle_length = run->kept_length;
	memcpy(r->cycle, run->kept, run->kept_length * sizeof *r->cycle);
	return err ? err : -ENOSPC;
}

static void restore_fixed(struct ps_rooms *r, struct ps_rate_graph *g)
{
	for (unsigned e = 0; e < g->edge_count; e++)
		if (g->edges[e].fixed && r->growth[e].from) {
			g->edges[e].room = r->growth[e].from;
			r->growth[e].from = 0;
		}
}

int ps_rooms_find(struct ps_rooms *r, struct ps_rate_graph *g, const uint64_t *q, const bool *which)
{
	unsigned *starts = ps_memory_zalloc((size_t)r->part_count + 1, sizeof *starts);
	struct run run;
	int err = run_begin(&run, r, g);

	if (!starts)
		err = -ENOMEM;
	if (!err)
		sort_edges(r, g->edge_count, starts, run.edges);
	for (unsigned p = 0, *all = run.edges; err != -ENOMEM && p < r->part_count; p++) {
		const struct ps_rate_edge *e = &g->edges[all[starts[p]]];

		run.edges = all + starts[p];
		run.edge_count = starts[p + 1] - starts[p];
		if ((run.edge_count > 1 || e->src == e->dst) && (!which || which[p]))
			err = worst(err, execute(&run, q));
		run.edges = all;
	}
	err = conclude(&run, err);
	restore_fixed(r, g);
	run_end(&run);
	ps_memory_free(starts);
	return err;
}
