/* SPDX-License-Identifier: MIT */
/* The search for a mapping against all mappings that there are, and against table 2 (b) of PACCO. */
#include "lib/mapping/search.h"
#include "lib/base/memory.h"
#include "lib/mapping/selftimed.h"
#include "tests/common/common.h"
#include "tests/mapping/flow_case.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ACTORS = 5, PLACES = 4, READERS = 8, MANY = 1000000 };

struct problem {
	struct pstk_machine *machine;
	struct ps_flow flow;
	double seconds[ACTORS * PLACES];
};

static struct pstk_machine *random_machine(struct test_rng *rng)
{
	struct pstk_machine *m = pstk_machine_create();
	bool two = test_chance(rng, 40);

	pstk_machine_add_host(m, "a", test_between(rng, 1, 2), 0);
	pstk_machine_add_device(m, "a", "g", NULL, 0);
	if (two)
		pstk_machine_add_host(m, "b", 1, 0);
	else
		pstk_machine_add_device(m, "a", "h", NULL, 0);
	if (test_chance(rng, 50))
		pstk_machine_add_device(m, two ? "b" : "a", "k", NULL, 0);
	for (unsigned i = 1; i < m->place_count; i++) {
		bool net = m->places[i].host == i, shared = !net && test_chance(rng, 20);
		struct pstk_link l = { .a = m->places[net ? 0 : m->places[i].host].name,
			.b = m->places[i].name,
			.kind = net      ? PSTK_LINK_NET
			        : shared ? PSTK_LINK_SHARED
			                 : PSTK_LINK_COPY,
			.rate = shared ? 0 : test_between(rng, 1, 8),
			.half = !shared && test_chance(rng, 30) };

		if (!test_chance(rng, 5))
			ck_assert_int_ge(pstk_machine_add_link(m, &l), 0);
	}
	return m;
}

static void make(struct problem *p, struct test_rng *rng)
{
	static const char *const names[ACTORS] = { "p", "q", "r", "s", "t" };
	unsigned actors = test_between(rng, 1, ACTORS), places, readers = 0;

	p->machine = random_machine(rng);
	places = p->machine->place_count;
	ck_assert_int_eq(ps_flow_init(&p->flow, p->machine, actors, actors, READERS), 0);
	for (unsigned i = 0; i < actors; i++)
		ps_flow_add_actor(&p->flow, names[i], 0, 0);
	for (unsigned i = 0; i + 1 < actors; i++) {
		ps_flow_add_output(&p->flow, i, test_between(rng, 1, 6));
		for (unsigned k = i + 1; k < actors && readers < READERS; k++)
			if (k == i + 1 || test_chance(rng, 30)) {
				ps_flow_add_reader(&p->flow, k, 0);
				p->flow.readers[readers++].on_host = test_chance(rng, 10);
			}
	}
	ps_flow_index(&p->flow);
	/* few different times: many mappings of one period */
	for (unsigned i = 0; i < actors * places; i++)
		p->seconds[i] = test_chance(rng, 15) ? NAN : (double)test_between(rng, 0, 4);
}

struct merit {
	double period, simulated, bytes;
	uint64_t latency;
};

/* false: an actor can't be where the mapping has it, or there is no route. */
static bool judge(struct problem *p, unsigned code, struct merit *merit)
{
	unsigned places = p->machine->place_count;
	struct ps_outline o;
	int err;

	for (unsigned i = 0; i < p->flow.actor_count; i++, code /= places) {
		p->flow.actors[i].place = code % places;
		p->flow.actors[i].seconds = p->seconds[i * places + code % places];
		if (isnan(p->flow.actors[i].seconds))
			return false;
	}
	for (unsigned i = 0; i < p->flow.reader_count; i++) {
		struct ps_flow_reader *r = &p->flow.readers[i];

		r->place = p->flow.actors[r->actor].place;
		if (r->on_host)
			r->place = p->machine->places[r->place].host;
	}
	err = ps_outline_make(&o, &p->flow, true);
	*merit = (struct merit){ .period = o.period };
	if (!err)
		ck_assert_int_eq(ps_selftimed(&o, true, &merit->simulated), 0);
	for (unsigned i = 0; i < o.buffer_count && !err; i++)
		if (o.buffers[i].from != PS_NONE)
			merit->bytes += (double)o.buffers[i].bytes;
	for (unsigned i = 0; i < p->flow.actor_count && !err; i++)
		merit->latency = o.latency[i] > merit->latency ? o.latency[i] : merit->latency;
	ps_outline_fini(&o);
	return !err;
}

static bool is_worse(const struct merit *a, const struct merit *b)
{
	if (fabs(a->period - b->period) > 1e-9)
		return a->period > b->period;
	if (fabs(a->simulated - b->simulated) > 1e-9)
		return a->simulated > b->simulated;
	return a->bytes != b->bytes ? a->bytes > b->bytes : a->latency > b->latency;
}

static void end(struct problem *p)
{
	ps_flow_fini(&p->flow);
	pstk_machine_destroy(p->machine);
}

static void compare(struct problem *p)
{
	struct ps_search search = { .flow = &p->flow, .seconds = p->seconds, .overlap = true, .most = MANY };
	unsigned places = p->machine->place_count, all = 1, mine = 0;
	struct merit best = { 0 }, merit;
	bool found = false;
	int err = ps_search_run(&search);

	for (unsigned i = p->flow.actor_count; i-- > 0; all *= places)
		mine = mine * places + p->flow.actors[i].place;
	if (!err) {
		ck_assert(search.proven);
		ck_assert(judge(p, mine, &best));
		ck_assert_double_eq_tol(search.period, best.period, 1e-9);
	}
	for (unsigned code = 0; code < all; code++) {
		if (!judge(p, code, &merit))
			continue;
		found = true;
		ck_assert_msg(!err && !is_worse(&best, &merit),
			"period %g, simulated %g, %g bytes, latency %u: but %g, %g, %g, %u", best.period,
			best.simulated, best.bytes, (unsigned)best.latency, merit.period, merit.simulated,
			merit.bytes, (unsigned)merit.latency);
	}
	ck_assert_int_eq(err, found ? 0 : -ENOENT);
}

START_TEST(no_mapping_is_better)
{
	uint64_t rounds = test_rounds(300);

	for (uint64_t i = 0; i < rounds; i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		struct problem p;

		test_guard("search", test_seed() + i);
		make(&p, &rng);
		compare(&p);
		end(&p);
	}
}
END_TEST

/* All steps on one of both devices: the paper splits after the interactions; behind the inverse FFT is better, and any
 * part on any device better still. */
START_TEST(saliency)
{
	struct flow_case c;
	double seconds[8 * 3];
	struct ps_search search = { .flow = &c.flow, .seconds = seconds, .overlap = true, .most = MANY };
	double sum = 0, least = INFINITY;

	flow_case_open(&c, "pacco-saliency-cost");
	for (unsigned i = 0; i < 8; i++)
		for (unsigned p = 0; p < 3; p++)
			seconds[3 * i + p] = (i == 0 || i == 7) == (p == 0) ? c.flow.actors[i].seconds : NAN;
	for (unsigned i = 1; i < 7; i++)
		sum += c.flow.actors[i].seconds;
	/* by hand: the subset sums of six times; transfers take less */
	for (unsigned set = 0; set < 64; set++) {
		double one = 0;

		for (unsigned i = 0; i < 6; i++)
			one += set >> i & 1 ? c.flow.actors[1 + i].seconds : 0;
		least = fmin(least, fmax(one, sum - one));
	}
	ck_assert_int_eq(ps_search_run(&search), 0);
	ck_assert(search.proven);
	ck_assert_double_eq_tol(search.period, least, 1e-12);
	ck_assert_double_lt(search.period, 0.029584);
	flow_case_close(&c);
}
END_TEST

START_TEST(it_may_end_early)
{
	struct test_rng rng = { 1 };
	struct ps_search search = { .overlap = true };
	struct problem p;
	int err = -ENOMEM;

	for (make(&p, &rng); p.flow.actor_count < ACTORS; make(&p, &rng))
		end(&p);
	for (unsigned i = 0; i < ACTORS * PLACES; i++)
		p.seconds[i] = 1;
	search.flow = &p.flow;
	search.seconds = p.seconds;
	search.most = 3;
	ck_assert_int_eq(ps_search_run(&search), -ENOENT);
	ck_assert(!search.proven);
	search.most = ACTORS + 1;
	ck_assert_int_eq(ps_search_run(&search), 0);
	ck_assert(!search.proven);
	search.most = MANY;
	for (long n = 0; err; n++) {
		ps_memory_fail_at = n;
		err = ps_search_run(&search);
		ck_assert(!err || err == -ENOMEM);
	}
	ps_memory_fail_at = -1;
	end(&p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("search");
	TCase *c = test_case(s, "search");

	tcase_add_test(c, no_mapping_is_better);
	tcase_add_test(c, saliency);
	tcase_add_test(c, it_may_end_early);
	return test_main(s);
}
