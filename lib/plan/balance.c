/* SPDX-License-Identifier: MIT */
#include "lib/plan/balance.h"
#include "lib/base/memory.h"

#include <errno.h>

/* In lowest terms. */
struct ratio {
	uint64_t n, d;
};

struct search {
	const struct ps_rate_graph *g;
	unsigned *root;  /* of each actor: union-find */
	bool *in_tree;   /* of each edge: it joins two parts that were apart, in the order of edges */
	unsigned *first; /* of each actor: its edges of the tree are list[first[i]] .. list[first[i + 1]] */
	unsigned *list;
	unsigned *came;      /* of each actor: the edge of the tree over which it was reached */
	unsigned *queue;     /* actors, in the order in which they were reached */
	struct ratio *fires; /* of each actor: how often it fires for one firing of its part's first */
};

static int begin(struct search *s, const struct ps_rate_graph *g)
{
	unsigned n = g->actor_count;

	*s = (struct search){ .g = g,
		.root = ps_memory_zalloc(n, sizeof *s->root),
		.in_tree = ps_memory_zalloc(g->edge_count, sizeof *s->in_tree),
		.first = ps_memory_zalloc((size_t)n + 1, sizeof *s->first),
		.list = ps_memory_zalloc(2 * (size_t)n, sizeof *s->list),
		.came = ps_memory_zalloc(n, sizeof *s->came),
		.queue = ps_memory_zalloc(n, sizeof *s->queue),
		.fires = ps_memory_zalloc(n, sizeof *s->fires) };
	return s->root && s->in_tree && s->first && s->list && s->came && s->queue && s->fires ? 0 : -ENOMEM;
}

static void end(struct search *s)
{
	ps_memory_free(s->root);
	ps_memory_free(s->in_tree);
	ps_memory_free(s->first);
	ps_memory_free(s->list);
	ps_memory_free(s->came);
	ps_memory_free(s->queue);
	ps_memory_free(s->fires);
}

static unsigned find_root(struct search *s, unsigned actor)
{
	while (s->root[actor] != actor)
		actor = s->root[actor] = s->root[s->root[actor]];
	return actor;
}

/* A spanning forest of the first edges that do, and each actor's edges in it. */
static void make_forest(struct search *s)
{
	const struct ps_rate_graph *g = s->g;

	for (unsigned i = 0; i < g->actor_count; i++)
		s->root[i] = i;
	for (unsigned e = 0; e < g->edge_count; e++) {
		unsigned src = find_root(s, g->edges[e].src), dst = find_root(s, g->edges[e].dst);

		s->in_tree[e] = src != dst;
		s->root[src] = dst;
		if (src != dst) {
			s->first[g->edges[e].src]++;
			s->first[g->edges[e].dst]++;
		}
	}
	for (unsigned i = 0; i < g->actor_count; i++)
		s->first[i + 1] += s->first[i];
	for (unsigned e = g->edge_count; e-- > 0;)
		if (s->in_tree[e]) {
			s->list[--s->first[g->edges[e].src]] = e;
			s->list[--s->first[g->edges[e].dst]] = e;
		}
}

/* *to = r n / d; false: beyond 63 bits. */
static bool scale(struct ratio r, uint64_t n, uint64_t d, struct ratio *to)
{
	uint64_t up = ps_gcd(n, d), left, right;

	n /= up;
	d /= up;
	left = ps_gcd(r.n, d);
	right = ps_gcd(n, r.d);
	return !__builtin_mul_overflow(r.n / left, n / right, &to->n) &&
	       !__builtin_mul_overflow(r.d / right, d / left, &to->d) && to->n <= INT64_MAX &&
	       to->d <= INT64_MAX;
}

/* Walks the part of `root`: fires[] relative to it. Returns how many actors are in queue[], 0: beyond 63 bits. */
static unsigned walk(struct search *s, unsigned root)
{
	unsigned count = 0;

	s->came[root] = PS_NO_EDGE;
	s->fires[root] = (struct ratio){ 1, 1 };
	s->queue[count++] = root;
	for (unsigned i = 0; i < count; i++) {
		unsigned actor = s->queue[i];

		for (unsigned k = s->first[actor]; k < s->first[actor + 1]; k++) {
			const struct ps_rate_edge *e = &s->g->edges[s->list[k]];
			bool writes = e->src == actor;
			unsigned other = writes ? e->dst : e->src;

			if (s->list[k] == s->came[actor])
				continue;
			s->came[other] = s->list[k];
			s->queue[count++] = other;
			if (!scale(s->fires[actor], writes ? e->write_rate : e->read_rate,
				    writes ? e->read_rate : e->write_rate, &s->fires[other]))
				return 0;
		}
	}
	return count;
}

/* The smallest whole numbers of that part. false: beyond 63 bits. */
static bool make_whole(const struct search *s, unsigned count, uint64_t *q)
{
	uint64_t down = 1, up = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t d = s->fires[s->queue[i]].d;

		if (__builtin_mul_overflow(down, d / ps_gcd(down, d), &down))
			return false;
	}
	for (unsigned i = 0; i < count; i++) {
		struct ratio r = s->fires[s->queue[i]];

		if (__builtin_mul_overflow(r.n, down / r.d, &q[s->queue[i]]) || q[s->queue[i]] > INT64_MAX)
			return false;
		up = ps_gcd(up, q[s->queue[i]]);
	}
	for (unsigned i = 0; i < count; i++)
		q[s->queue[i]] /= up;
	return true;
}

/*
 * What does not fit.
 */

static unsigned other_end(const struct ps_rate_edge *e, unsigned actor)
{
	return e->src == actor ? e->dst : e->src;
}

/* The edges from an actor up to its part's first. Returns how many. */
static unsigned climb(const struct search *s, unsigned actor, unsigned *edges)
{
	unsigned count = 0;

	for (; s->came[actor] != PS_NO_EDGE; actor = other_end(&s->g->edges[s->came[actor]], actor))
		edges[count++] = s->came[actor];
	return count;
}

/* From `src` to `dst` over the tree. */
static int find_way(const struct search *s, unsigned src, unsigned dst, struct ps_imbalance *why)
{
	unsigned *up = ps_memory_zalloc(2 * (size_t)s->g->actor_count, sizeof *up), *down;
	unsigned ups, downs;

	if (!up)
		return -ENOMEM;
	down = up + s->g->actor_count;
	ups = climb(s, src, up);
	downs = climb(s, dst, down);
	while (ups && downs && up[ups - 1] == down[downs - 1]) {
		ups--;
		downs--;
	}
	why->way = up;
	why->length = ups;
	while (downs)
		why->way[why->length++] = down[--downs];
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Would it do to multiply this rate by n / d? Keeps the smallest change. */
static void try_fix(struct ps_imbalance *why, const struct ps_rate_graph *g, unsigned edge, bool writer,
	uint64_t n, uint64_t d, uint64_t *least)
{
	const struct ps_rate_edge *e = &g->edges[edge];
	uint64_t rate = writer ? e->write_rate : e->read_rate, wanted;
	uint32_t steps = writer ? e->write_steps : e->read_steps;

	if ((writer ? e->keeps_write : e->keeps_read) || rate % d ||
		__builtin_mul_overflow(rate / d, n, &wanted) || wanted > UINT32_MAX ||
		(steps && wanted % steps) || distance(wanted, rate) >= *least)
		return;
	*least = distance(wanted, rate);
	why->fix = edge;
	why->fix_writer = writer;
	why->fix_rate = (uint32_t)wanted;
}

/* wrong: so many times as often as by the way the reader would have to fire for the edge that does not fit. */
static void find_fix(const struct search *s, struct ps_imbalance *why, struct ratio wrong)
{
	const struct ps_rate_graph *g = s->g;
	unsigned actor = g->edges[why->edge].src;
	uint64_t least = UINT64_MAX;

	why->fix = PS_NO_EDGE;
	try_fix(why, g, why->edge, true, wrong.d, wrong.n, &least);
	try_fix(why, g, why->edge, false, wrong.n, wrong.d, &least);
	for (unsigned i = 0; i < why->length; i++) {
		bool forward = g->edges[why->way[i]].src == actor;

		/* its write rate over its read rate, seen along the way, is to grow by `wrong` */
		try_fix(why, g, why->way[i], forward, wrong.n, wrong.d, &least);
		try_fix(why, g, why->way[i], !forward, wrong.d, wrong.n, &least);
		actor = other_end(&g->edges[why->way[i]], actor);
	}
}

static int explain(const struct search *s, unsigned edge, struct ps_imbalance *why)
{
	const struct ps_rate_edge *e = &s->g->edges[edge];
	struct ratio src = s->fires[e->src], dst = s->fires[e->dst], by_way, wrong;
	int err;

	*why = (struct ps_imbalance){ .edge = edge };
	if (!scale(dst, src.d, src.n, &by_way) ||
		!scale((struct ratio){ by_way.d, by_way.n }, e->write_rate, e->read_rate, &wrong))
		return -EOVERFLOW;
	err = find_way(s, e->src, e->dst, why);
	if (err)
		return err;
	why->src_fires = by_way.d;
	why->dst_fires = by_way.n;
	find_fix(s, why, wrong);
	return -EINVAL;
}

/* Do both ends of this edge move as many tokens in an iteration? */
static bool fits(const struct ps_rate_edge *e, const uint64_t *q)
{
	uint64_t g = ps_gcd(e->write_rate, e->read_rate), both = ps_gcd(q[e->src], q[e->dst]);

	return q[e->src] / both == e->read_rate / g && q[e->dst] / both == e->write_rate / g;
}

int ps_balance_find(const struct ps_rate_graph *g, uint64_t *q, struct ps_imbalance *why)
{
	struct search s;
	int err = begin(&s, g);

	*why = (struct ps_imbalance){ .edge = PS_NO_EDGE };
	if (!err)
		make_forest(&s);
	for (unsigned i = 0; !err && i < g->actor_count; i++) {
		unsigned count = find_root(&s, i) == i ? walk(&s, i) : UINT32_MAX;

		if (!count || (count != UINT32_MAX && !make_whole(&s, count, q)))
			err = -EOVERFLOW;
	}
	for (unsigned e = 0; !err && e < g->edge_count; e++)
		if (!s.in_tree[e] && !fits(&g->edges[e], q))
			err = explain(&s, e, why);
	end(&s);
	return err;
}
