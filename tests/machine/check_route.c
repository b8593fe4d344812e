/* SPDX-License-Identifier: MIT */
/*
 * Routes of random machines against all simple ways that there are: the one with the fewest hops, then the fewest
 * links, then the first one in the order of the links, link by link.
 */
#include "lib/base/memory.h"
#include "lib/machine/route.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HOSTS = 3, DEVICES = 2, PLACES = HOSTS * (1 + DEVICES) };

struct way {
	unsigned links[PLACES], count, hops;
};

struct ways {
	const struct pstk_machine *m;
	bool visited[PLACES];
	struct way here, best;
	bool found;
};

static bool is_better(const struct way *a, const struct way *b)
{
	if (a->hops != b->hops)
		return a->hops < b->hops;
	if (a->count != b->count)
		return a->count < b->count;
	for (unsigned i = 0; i < a->count; i++)
		if (a->links[i] != b->links[i])
			return a->links[i] < b->links[i];
	return false;
}

/* All ways on from a place, links tried in any order: the machine's list of all. */
static void try_all(struct ways *w, unsigned place, unsigned to)
{
	if (place == to) {
		if (!w->found || is_better(&w->here, &w->best))
			w->best = w->here;
		w->found = true;
		return;
	}
	w->visited[place] = true;
	for (unsigned i = w->m->link_count; i-- > 0;) {
		const struct ps_link *l = &w->m->links[i];
		unsigned other = l->ends[0] == place ? l->ends[1] : l->ends[0];
		struct way before = w->here;

		if ((l->ends[0] != place && l->ends[1] != place) || w->visited[other])
			continue;
		w->here.links[w->here.count++] = i;
		w->here.hops += l->kind != PSTK_LINK_SHARED;
		try_all(w, other, to);
		w->here = before;
	}
	w->visited[place] = false;
}

static void link_some(struct pstk_machine *m, struct test_rng *rng)
{
	unsigned tries = test_between(rng, 0, 14);

	while (tries--) {
		struct pstk_place a, b;
		struct pstk_link l = { .rate = 1 };

		pstk_machine_get_place(m, test_between(rng, 0, m->place_count - 1), &a);
		pstk_machine_get_place(m, test_between(rng, 0, m->place_count - 1), &b);
		l.a = a.name;
		l.b = b.name;
		l.kind = a.host != b.host       ? PSTK_LINK_NET
		         : test_chance(rng, 40) ? PSTK_LINK_SHARED
		                                : PSTK_LINK_COPY;
		l.rate = l.kind != PSTK_LINK_SHARED;
		pstk_machine_add_link(m, &l); /* what does not fit is refused */
	}
}

static struct pstk_machine *random_machine(struct test_rng *rng)
{
	struct pstk_machine *m = pstk_machine_create();
	unsigned hosts = test_between(rng, 1, HOSTS);

	for (unsigned h = 0; h < hosts; h++) {
		unsigned devices = test_between(rng, 0, DEVICES);
		char name[16];

		snprintf(name, sizeof name, "h%u", h);
		pstk_machine_add_host(m, name, 1, 0);
		for (unsigned d = 0; d < devices; d++)
			pstk_machine_add_device(m, name, d ? "d1" : "d0", NULL, 0);
	}
	link_some(m, rng);
	return m;
}

static void compare(struct ps_routes *r, unsigned from, unsigned to)
{
	struct ways w = { .m = r->machine };
	unsigned here = from, link;

	try_all(&w, from, to);
	if (!w.found) {
		ck_assert_int_eq(ps_routes_next(r, from, to, &link), -ENOENT);
		return;
	}
	for (unsigned i = 0; i < w.best.count; i++) {
		ck_assert_int_eq(ps_routes_next(r, here, to, &link), 0);
		ck_assert_uint_eq(link, w.best.links[i]);
		here = ps_link_other(&r->machine->links[link], here);
	}
	ck_assert_uint_eq(here, to);
}

START_TEST(routes_are_the_best_ways)
{
	uint64_t rounds = test_rounds(2000), routes = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		struct pstk_machine *m = random_machine(&rng);
		struct ps_routes r;

		test_guard("routes", test_seed() + i);
		ck_assert_int_eq(ps_routes_init(&r, m), 0);
		for (unsigned from = 0; from < m->place_count; from++)
			for (unsigned to = 0; to < m->place_count; to++, routes++)
				if (from != to)
					compare(&r, from, to);
		ps_routes_fini(&r);
		pstk_machine_destroy(m);
	}
	ck_assert_uint_gt(routes, rounds);
}
END_TEST

START_TEST(memory_may_be_out)
{
	struct pstk_machine *m = pstk_machine_create();
	struct ps_routes r;
	unsigned link;

	pstk_machine_add_host(m, "a", 1, 0);
	pstk_machine_add_host(m, "b", 1, 0);
	for (long n = 0; n < 3; n++) {
		ps_memory_fail_at = n;
		ck_assert_int_eq(ps_routes_init(&r, m), -ENOMEM);
		ps_memory_fail_at = -1;
		ps_routes_fini(&r);
	}
	ck_assert_int_eq(ps_routes_init(&r, m), 0);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_routes_next(&r, 0, 1, &link), -ENOMEM);
	ps_memory_fail_at = -1;
	ck_assert_int_eq(ps_routes_next(&r, 0, 1, &link), -ENOENT);
	ps_routes_fini(&r);
	pstk_machine_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("route");
	TCase *c = test_case(s, "route");

	tcase_add_test(c, routes_are_the_best_ways);
	tcase_add_test(c, memory_may_be_out);
	return test_main(s);
}
