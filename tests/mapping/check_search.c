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

enum { FEW = 5, ACTORS = 7, PLACES = 4, READERS = 10, MANY = 10000000 };

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

static void make(struct problem *p, unsigned actors, struct test_rng *rng)
{
	static const char *const names[ACTORS] = { "p", "q", "r", "s", "t", "u", "v" };
	unsigned places, readers = 0;

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
		make(&p, test_between(&rng, 1, FEW), &rng);
		compare(&p);
		end(&p);
	}
}
END_TEST

/* What mappings are judged by, without anything of lib/mapping: ways along the machine's links, which are a tree. */
struct plain {
	const struct problem *p;
	unsigned places, links;
	unsigned ways[PLACES][PLACES][PLACES]; /* places on the way, from behind the first one on .. */
	int lengths[PLACES][PLACES];           /* .. so many; -1: there is none */
};

static const struct ps_link *link_between(const struct plain *o, unsigned a, unsigned b, unsigned *index)
{
	for (*index = 0; *index < o->links; ++*index) {
		const struct ps_link *l = &o->p->machine->links[*index];

		if ((l->ends[0] == a && l->ends[1] == b) || (l->ends[0] == b && l->ends[1] == a))
			return l;
	}
	return NULL;
}

static bool walk(struct plain *o, unsigned from, unsigned here, unsigned to, unsigned before, int length)
{
	unsigned link;

	if (here == to) {
		o->lengths[from][to] = length;
		return true;
	}
	for (unsigned next = 0; next < o->places; next++)
		if (next != before && link_between(o, here, next, &link)) {
			o->ways[from][to][length] = next;
			if (walk(o, from, next, to, here, length + 1))
				return true;
		}
	return false;
}

static void plain_open(struct plain *o, const struct problem *p)
{
	*o = (struct plain){ .p = p, .places = p->machine->place_count, .links = p->machine->link_count };
	for (unsigned a = 0; a < o->places; a++)
		for (unsigned b = 0; b < o->places; b++) {
			o->lengths[a][b] = -1;
			walk(o, a, a, b, PLACES, 0);
		}
}

/* What one output brings to the links on the way to a reader; false: there is no way. */
static bool carry(
	const struct plain *o, unsigned output, unsigned from, unsigned to, double *loads, bool *crossed)
{
	unsigned here = from, index;

	if (o->lengths[from][to] < 0)
		return false;
	for (int i = 0; i < o->lengths[from][to]; i++) {
		unsigned next = o->ways[from][to][i];
		const struct ps_link *l = link_between(o, here, next, &index);
		unsigned way = 2 * index + (!l->half && l->ends[1] == here),
			 arrow = 2 * index + (l->ends[1] == here);

		if (l->kind != PSTK_LINK_SHARED && !crossed[arrow])
			loads[way] += l->latency + (double)o->p->flow.outputs[output].bytes / l->rate;
		crossed[arrow] = true;
		here = next;
	}
	return true;
}

/* The largest load of a mapping; INFINITY: it is none. */
static double plain_period(const struct plain *o, const unsigned *at)
{
	const struct ps_flow *f = &o->p->flow;
	double loads[2 * PLACES] = { 0 }, busy[PLACES] = { 0 }, period = 0;

	for (unsigned i = 0; i < f->actor_count; i++) {
		double seconds = o->p->seconds[i * o->places + at[i]];

		if (isnan(seconds))
			return INFINITY;
		busy[at[i]] += seconds;
	}
	for (unsigned k = 0; k < f->output_count; k++) {
		bool crossed[2 * PLACES] = { false };

		for (unsigned i = 0; i < f->reader_count; i++) {
			unsigned to = at[f->readers[i].actor];

			if (f->readers[i].output != k)
				continue;
			if (f->readers[i].on_host)
				to = o->p->machine->places[to].host;
			if (!carry(o, k, at[f->outputs[k].writer], to, loads, crossed))
				return INFINITY;
		}
	}
	for (unsigned i = 0; i < o->places; i++)
		period = fmax(period, busy[i] / o->p->machine->places[i].cores);
	for (unsigned i = 0; i < 2 * o->links; i++)
		period = fmax(period, loads[i]);
	return period;
}

/* Are the actors at one place, of those that can be at several, next to each other? They are numbered in an order in
 * which each comes after those that it reads from, which is the schedule where each reads the one before. */
static bool is_contiguous(const struct plain *o, const unsigned *at)
{
	unsigned run[ACTORS], count = 0;

	for (unsigned i = 0; i < o->p->flow.actor_count; i++) {
		unsigned can = 0;

		for (unsigned p = 0; p < o->places; p++)
			can += !isnan(o->p->seconds[i * o->places + p]);
		if (can > 1)
			run[count++] = at[i];
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = i + 2; k < count; k++)
			if (run[k] == run[i] && run[k - 1] != run[i])
				return false;
	return true;
}

/* The least period of all mappings; INFINITY: there is none. */
static double least_period(const struct problem *p, bool contiguous)
{
	static struct plain o;
	unsigned at[ACTORS], all = 1;
	double least = INFINITY;

	plain_open(&o, p);
	for (unsigned i = 0; i < p->flow.actor_count; i++)
		all *= o.places;
	for (unsigned code = 0; code < all; code++) {
		unsigned rest = code;

		for (unsigned i = 0; i < p->flow.actor_count; i++, rest /= o.places)
			at[i] = rest % o.places;
		if (!contiguous || is_contiguous(&o, at))
			least = fmin(least, plain_period(&o, at));
	}
	return least;
}

/* Seven actors each, times of any size; every second one with what is at a place in one run. */
START_TEST(the_least_period)
{
	uint64_t rounds = test_rounds(200);

	for (uint64_t i = 0; i < rounds; i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		struct ps_search search = { .overlap = true, .contiguous = i % 2, .most = MANY };
		struct problem p;
		double least;
		int err;

		test_guard("least", test_seed() + i);
		make(&p, ACTORS, &rng);
		for (unsigned k = 0; k < ACTORS * p.machine->place_count; k++)
			p.seconds[k] *= 1 + test_between(&rng, 0, 1000) / 1000.0;
		search.flow = &p.flow;
		search.seconds = p.seconds;
		least = least_period(&p, search.contiguous);
		err = ps_search_run(&search);
		ck_assert_int_eq(err, isinf(least) ? -ENOENT : 0);
		ck_assert(search.proven);
		if (!err)
			ck_assert_double_eq_tol(search.period, least, 1e-9);
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
	/* one split: of the five that there are, either device first */
	least = INFINITY;
	for (unsigned split = 1; split < 6; split++) {
		double one = 0;

		for (unsigned i = 0; i < split; i++)
			one += c.flow.actors[1 + i].seconds;
		least = fmin(least, fmax(one, sum - one));
	}
	search.contiguous = true;
	ck_assert_int_eq(ps_search_run(&search), 0);
	ck_assert(search.proven);
	ck_assert_double_eq_tol(search.period, least, 1e-12);
	ck_assert_double_eq_tol(search.period, 0.029584, 1e-12);
	for (unsigned i = 2; i < 7; i++)
		ck_assert_int_eq(c.flow.actors[i].place == c.flow.actors[1].place, i < 5);
	flow_case_close(&c);
}
END_TEST

START_TEST(it_may_end_early)
{
	struct test_rng rng = { 1 };
	struct ps_search search = { .overlap = true };
	struct problem p;
	int err = -ENOMEM;

	make(&p, FEW, &rng);
	for (unsigned i = 0; i < FEW * PLACES; i++)
		p.seconds[i] = 1;
	search.flow = &p.flow;
	search.seconds = p.seconds;
	search.most = 3;
	ck_assert_int_eq(ps_search_run(&search), -ENOENT);
	ck_assert(!search.proven);
	search.most = FEW + 1;
	ck_assert_int_eq(ps_search_run(&search), 0);
	ck_assert(!search.proven);
	search.most = MANY;
	search.contiguous = true;
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
	tcase_add_test(c, the_least_period);
	tcase_add_test(c, saliency);
	tcase_add_test(c, it_may_end_early);
	return test_main(s);
}
