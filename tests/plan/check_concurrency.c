/* SPDX-License-Identifier: MIT */
/*
 * How many firings of an actor may be side by side, and what says so: against the rules applied one by one.
 */
#include "lib/plan/threads.h"
#include "penstock/pipeline.h"
#include "tests/common/common.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 9 };

static int idle_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static void setup(void)
{
	unsetenv("PENSTOCK_TEAM");
}

static unsigned limit_of(const struct pstk_actor *a, char why[200])
{
	return pstk_actor_concurrency(a, why, 200);
}

/* -- one actor, by hand -- */

static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

enum { STATELESS = 1, BLOCKS = 2, KAHN = 4, PINNED = 8 };

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned kind)
{
	struct pstk_actor *a = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "node", .ports = in_out, .port_count = 2, .fire = idle_fire,
			.stateless = kind & STATELESS, .blocks = kind & BLOCKS, .kahn = kind & KAHN),
		NULL);

	if (kind & PINNED)
		ck_assert_int_eq(pstk_actor_pin(a, test_core(0)), 0);
	return a;
}

/* a -> b -> c, b is looked at; its FIFOs hold `in` and `out` windows. */
static const struct {
	unsigned kind, threads, concurrency;
	uint32_t in, out;
	unsigned firings;
	const char *why;
} chains[] = {
	{ 0, 0, 0, 9, 9, 1, "its type is not stateless" },
	{ 0, 4, 0, 9, 9, 1, "its type is not stateless" },
	{ 0, 4, 1, 9, 9, 1, "its type is not stateless" },
	{ KAHN, 4, 0, 9, 9, 1, "its type is not stateless" },
	{ STATELESS, 0, 0, 9, 9, 1, "its one thread: no team, and no concurrency set" },
	{ STATELESS, 0, 1, 9, 9, 1, "the concurrency that it was given" },
	{ STATELESS, 0, 5, 9, 9, 5, "the concurrency that it was given" },
	{ STATELESS, 0, 9, 9, 10, 9, "the concurrency that it was given" },
	{ STATELESS, 4, 0, 9, 9, 4, "the threads of the team" },
	{ STATELESS, 4, 9, 9, 9, 4, "the threads of the team" },
	{ STATELESS, 4, 3, 9, 9, 3, "the concurrency that it was given" },
	{ STATELESS, 8, 0, 3, 9, 3, "the depth of 'a'.out -> 'b'.in" },
	{ STATELESS, 8, 0, 5, 4, 4, "the depth of 'b'.out -> 'c'.in" },
	{ STATELESS, 8, 0, 0, 0, 8, "the threads of the team" },
	{ STATELESS, 256, 0, 0, 0, 256, "the threads of the team" },
	{ STATELESS | PINNED, 4, 0, 9, 9, 1, "one thread of the team, which it is pinned to" },
	{ STATELESS | PINNED, 4, 3, 9, 9, 1, "one thread of the team, which it is pinned to" },
	{ STATELESS | PINNED, 0, 3, 9, 9, 3, "the concurrency that it was given" },
	{ STATELESS | BLOCKS, 4, 0, 9, 9, 1, "its one thread: it blocks, and no concurrency is set" },
	{ STATELESS | BLOCKS, 4, 6, 9, 9, 6, "the concurrency that it was given" },
};

START_TEST(chain)
{
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *a = add(net, "a", 0), *b = add(net, "b", chains[_i].kind), *c = add(net, "c", 0);
	char why[200];

	/* a delay that leads nowhere back limits nothing */
	pstk_connect(
		a, "out", b, "in", PSTK_FIFO(.rate = 1, .depth = chains[_i].in, .delay = 1, .token_size = 1));
	pstk_connect(b, "out", c, "in", PSTK_FIFO(.rate = 2, .depth = chains[_i].out, .token_size = 1));
	ck_assert_int_eq(pstk_network_set_threads(net, chains[_i].threads), 0);
	if (chains[_i].concurrency)
		ck_assert_int_eq(pstk_actor_set_concurrency(b, chains[_i].concurrency), 0);
	ck_assert_uint_eq(limit_of(b, why), chains[_i].firings);
	ck_assert_str_eq(why, chains[_i].why);
	ck_assert_uint_eq(ps_concurrency_of(b, NULL), chains[_i].firings);
	pstk_network_destroy(net);
}
END_TEST

/* A stage: the threads of its pipeline, whatever its FIFOs hold. */
START_TEST(stage)
{
	struct pstk_network *net = pstk_network_create("stage");
	struct pstk_actor *a = add(net, "a", 0), *b = add(net, "b", STATELESS), *c = add(net, "c", 0);
	char why[200];

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	pstk_connect(b, "out", c, "in", PSTK_FIFO(.rate = 2, .token_size = 1));
	ck_assert_ptr_nonnull(pstk_pipeline_add(net, "p", &b, 1, PSTK_PIPELINE(.cores = 5)));
	ck_assert_uint_eq(limit_of(b, why), 6);
	ck_assert_str_eq(why, "the threads of its pipeline");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(nobody)
{
	struct pstk_network *net = pstk_network_create("nobody");
	struct pstk_actor *a = add(net, "a", STATELESS);
	char why[64] = "x";

	ck_assert_uint_eq(pstk_actor_concurrency(NULL, NULL, 0), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(NULL, why, sizeof why), 0);
	ck_assert_str_eq(why, "");
	/* connected to nothing yet */
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(a, NULL, 9), 2);
	for (size_t size = 0; size < sizeof why; size++) { /* any room */
		static const char whole[] = "the threads of the team";

		memset(why, 'x', sizeof why);
		ck_assert_uint_eq(pstk_actor_concurrency(a, why, size), 2);
		for (size_t i = size; i < sizeof why; i++)
			ck_assert_int_eq(why[i], 'x');
		if (size > strlen(whole))
			ck_assert_str_eq(why, whole);
		else if (size >= 8)
			ck_assert(!strncmp(why, whole, size - 3) && !strcmp(why + size - 3, ".."));
		else if (size)
			ck_assert(!strncmp(why, whole, size - 1) && strlen(why) == size - 1);
	}
	pstk_network_destroy(net);
}
END_TEST

/* -- what is refused -- */

START_TEST(refused_at_once)
{
	struct pstk_network *net = pstk_network_create("refused");
	struct pstk_actor *a = add(net, "a", STATELESS), *b = add(net, "b", 0);

	ck_assert_int_eq(pstk_actor_set_concurrency(NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 256), 0);
	ck_assert_int_eq(pstk_actor_set_concurrency(b, 1), 0);
	ck_assert_ptr_null(pstk_network_problem(net, 0));
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 0), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 257), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_concurrency(b, 2), -EINVAL);
	TEST_SAYS(pstk_network_problem(net, 0), "'a' (node)", "0 firings", "1 to 256");
	TEST_SAYS(pstk_network_problem(net, 1), "'a' (node)", "257 firings", "1 to 256");
	TEST_SAYS(pstk_network_problem(net, 2), "'b' (node)", "2 firings", "not stateless", "set stateless");
	ck_assert_ptr_null(add(net, "k", STATELESS | KAHN));
	TEST_SAYS(pstk_network_problem(net, 3), "'k' (node)", "both kahn and stateless",
		"leave one of them out");
	pstk_network_destroy(net);
}
END_TEST

/* Above the depth of a FIFO: with one that was given, and with what the mode gives. */
START_TEST(refused_at_the_start)
{
	for (unsigned n = 1; n <= 8; n++)
		for (unsigned side = 0; side < 3; side++) {
			struct pstk_network *net = pstk_network_create("refused");
			struct pstk_actor *a = add(net, "a", 0), *b = add(net, "b", STATELESS);
			uint32_t depth = side == 2 ? 0 : 3, wide = side == 2 ? 0 : 8;
			unsigned fits = side == 2 ? 4 : 3;

			ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
			pstk_connect(a, "out", b, "in",
				PSTK_FIFO(.rate = 1, .delay = 8, .depth = side ? wide : depth,
					.token_size = 1));
			pstk_connect(b, "out", a, "in",
				PSTK_FIFO(.rate = 1, .depth = side ? depth : wide, .token_size = 1));
			ck_assert_int_eq(pstk_actor_set_concurrency(b, n), 0);
			if (n > fits) {
				char hold[32], fix[120];

				snprintf(hold, sizeof hold, "holds %u windows", fits);
				snprintf(fix, sizeof fix,
					"give each of its FIFOs a depth of at least %u, or set the "
					"concurrency to %u",
					n, fits);
				ck_assert_int_eq(pstk_network_check(net, NULL, NULL), -EINVAL);
				ck_assert_ptr_null(pstk_network_problem(net, 0));
				ck_assert_int_eq(pstk_network_start(net), -EINVAL);
				TEST_SAYS(pstk_network_error(net), "'b' (node)",
					side == 1 ? "'b'.out -> 'a'.in" : "'a'.out -> 'b'.in", hold, fix);
			} else {
				ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
			}
			pstk_network_destroy(net);
		}
}
END_TEST

/* -- a cycle -- */

enum { FIRINGS = 2000 };

static struct {
	unsigned windows; /* of delay tokens around the cycle */
	atomic_uint in_flight, most, wrong;
} ring;

/* Adds one to what comes round: firing n has what came of firing n - windows. */
static int ring_fire(struct pstk_firing *f)
{
	uint64_t n = pstk_firing_index(f);
	unsigned now = atomic_fetch_add(&ring.in_flight, 1) + 1, most = atomic_load(&ring.most);
	uint64_t turn = *(const uint64_t *)pstk_fifo_read_start(f, 0);

	while (now > most && !atomic_compare_exchange_weak(&ring.most, &most, now))
		;
	sched_yield();
	if (turn != n / ring.windows)
		atomic_fetch_add(&ring.wrong, 1);
	*(uint64_t *)pstk_fifo_write_start(f, 1) = turn + 1;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	atomic_fetch_sub(&ring.in_flight, 1);
	return n + 1 < FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

/* Windows decide: never more of them at once than there are windows around the cycle, whatever the limit. */
START_TEST(cycle)
{
	unsigned threads = _i % 2 ? 4 : 0;
	struct pstk_network *net = pstk_network_create("cycle");
	struct pstk_actor *a = pstk_network_add(net, "loop",
		PSTK_ACTOR_TYPE(.name = "loop", .ports = in_out, .port_count = 2, .fire = ring_fire,
			.stateless = true),
		NULL);

	ring.windows = (unsigned)_i / 2 + 1;
	pstk_connect(
		a, "out", a, "in", PSTK_FIFO(.rate = 1, .delay = ring.windows, .depth = 4, .token_size = 8));
	ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 4), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(a, NULL, 0), 4);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(ring.wrong, 0);
	ck_assert_uint_ge(ring.most, 1);
	ck_assert_uint_le(ring.most, ring.windows);
	pstk_network_destroy(net);
}
END_TEST

/* -- random networks -- */

/* A random network of n actors: up to two FIFOs from each to each. */
struct link {
	bool is;
	uint32_t depth;
};

struct random_net {
	struct pstk_network *net;
	struct pstk_actor *actors[MOST];
	unsigned n, threads, kinds[MOST], concurrency[MOST];
	struct link links[MOST][MOST][2];
};

static unsigned port_index(unsigned other, unsigned k, bool reads)
{
	return (2 * other + k) * 2 + reads;
}

static void add_random(struct random_net *r, unsigned i, struct test_rng *rng)
{
	enum { PORTS = 4 * MOST };
	struct pstk_port ports[PORTS];
	static char names[PORTS][16];
	char name[16];

	for (unsigned p = 0; p < PORTS; p++) {
		snprintf(names[p], sizeof names[p], "%c%u", p % 2 ? 'i' : 'o', p / 2);
		ports[p] = (struct pstk_port){ .name = names[p], .kind = p % 2 ? PSTK_INPUT : PSTK_OUTPUT };
	}
	snprintf(name, sizeof name, "a%u", i);
	r->actors[i] = pstk_network_add(r->net, name,
		PSTK_ACTOR_TYPE(.name = "node", .ports = ports, .port_count = PORTS, .fire = idle_fire,
			.stateless = r->kinds[i] & STATELESS, .blocks = r->kinds[i] & BLOCKS,
			.kahn = r->kinds[i] & KAHN),
		NULL);
	ck_assert_ptr_nonnull(r->actors[i]);
	if (test_chance(rng, 30) && (r->kinds[i] & STATELESS))
		r->concurrency[i] = test_between(rng, 1, 9);
	if (r->concurrency[i])
		ck_assert_int_eq(pstk_actor_set_concurrency(r->actors[i], r->concurrency[i]), 0);
}

static void connect_random(struct random_net *r, unsigned i, unsigned j, unsigned k, struct test_rng *rng)
{
	struct link *l = &r->links[i][j][k];
	const struct pstk_actor_type *src = pstk_actor_get_type(r->actors[i]),
				     *dst = pstk_actor_get_type(r->actors[j]);
	unsigned out = port_index(j, k, false), in = port_index(i, k, true);

	l->is = true;
	l->depth = test_chance(rng, 20) ? test_between(rng, 1, 9) : 0;
	ck_assert_ptr_nonnull(
		pstk_connect(r->actors[i], src->ports[out].name, r->actors[j], dst->ports[in].name,
			PSTK_FIFO(.rate = test_between(rng, 1, 3), .delay = test_between(rng, 0, 12),
				.depth = l->depth, .token_size = 1)));
}

static void make_random(struct random_net *r, struct test_rng *rng)
{
	unsigned percent = test_between(rng, 0, 50);

	*r = (struct random_net){ .net = pstk_network_create("random"),
		.n = test_between(rng, 1, MOST),
		.threads = test_between(rng, 0, 12) };
	for (unsigned i = 0; i < r->n; i++) {
		r->kinds[i] = test_chance(rng, 10) ? KAHN : test_chance(rng, 80) ? STATELESS : 0;
		r->kinds[i] |= test_chance(rng, 10) ? BLOCKS : 0;
		add_random(r, i, rng);
	}
	for (unsigned i = 0; i < r->n; i++)
		for (unsigned j = 0; j < r->n; j++)
			for (unsigned k = 0; k < 2; k++)
				if (test_chance(rng, percent))
					connect_random(r, i, j, k, rng);
	ck_assert_int_eq(pstk_network_set_threads(r->net, r->threads), 0);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t expected(const struct random_net *r, unsigned a)
{
	bool team = r->threads && !(r->kinds[a] & BLOCKS);
	uint64_t n = r->concurrency[a] ? r->concurrency[a] : team ? 1000 : 1;
	uint32_t plain = r->threads ? 2 * r->threads : 2;

	if (!(r->kinds[a] & STATELESS))
		return 1;
	if (team)
		n = least(n, r->threads);
	for (unsigned o = 0; o < r->n; o++)
		for (unsigned k = 0; k < 2; k++) {
			const struct link *out = &r->links[a][o][k], *in = &r->links[o][a][k];

			if (out->is)
				n = least(n, out->depth ? out->depth : plain);
			if (in->is)
				n = least(n, in->depth ? in->depth : plain);
		}
	return n;
}

START_TEST(random_networks)
{
	struct test_rng rng = { test_seed() };
	uint64_t rounds = test_rounds(3000), limited = 0;

	for (uint64_t round = 0; round < rounds; round++) {
		struct random_net r;

		test_guard("random_networks", round);
		make_random(&r, &rng);
		for (unsigned i = 0; i < r.n; i++) {
			struct ps_limit limit;

			ck_assert_uint_eq(ps_concurrency_of(r.actors[i], &limit), expected(&r, i));
			if (limit.kind == PS_LIMIT_DEPTH) {
				ck_assert_uint_eq(limit.fifo->fifo.layout.depth, limit.firings);
				ck_assert(limit.fifo->src == r.actors[i] || limit.fifo->dst == r.actors[i]);
				limited++;
			}
		}
		pstk_network_destroy(r.net);
	}
	ck_assert_uint_gt(limited, rounds / 20);
}
END_TEST

/* -- the report -- */

static void checked(struct pstk_network *net, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	ck_assert_int_eq(pstk_network_check(net, out, NULL), 0);
	fclose(out);
}

START_TEST(report)
{
	struct pstk_network *net = pstk_network_create("report");
	struct pstk_actor *a = add(net, "a", STATELESS), *loop = add(net, "a loop", STATELESS),
			  *state = add(net, "state", 0);
	char text[4000];

	pstk_connect(a, "out", state, "in", PSTK_FIFO(.rate = 1, .depth = 3, .token_size = 1));
	pstk_connect(state, "out", a, "in", PSTK_FIFO(.rate = 1, .delay = 9, .depth = 9, .token_size = 1));
	pstk_connect(loop, "out", loop, "in", PSTK_FIFO(.rate = 1, .delay = 2, .token_size = 1));
	checked(net, text, sizeof text);
	ck_assert_ptr_null(strstr(text, "side by side"));
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 2), 0);
	checked(net, text, sizeof text);
	TEST_SAYS(text, "    actor     side by side  limited by\n",
		"    'a'                  2  the concurrency that it was given\n",
		"    'a loop'             1  its one thread: no team, and no concurrency set\n");
	ck_assert_ptr_null(strstr(text, "'state'  "));
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 3), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, 8), 0);
	checked(net, text, sizeof text);
	TEST_SAYS(text, "    'a'                  3  the concurrency that it was given\n",
		"    'a loop'             8  the threads of the team\n");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("limit");
	TCase *one = test_case(suite, "one"), *all = test_case(suite, "all");

	tcase_add_checked_fixture(one, setup, NULL);
	tcase_add_loop_test(one, chain, 0, TEST_COUNT(chains));
	tcase_add_test(one, stage);
	tcase_add_test(one, nobody);
	tcase_add_test(one, refused_at_once);
	tcase_add_test(one, refused_at_the_start);
	tcase_add_checked_fixture(all, setup, NULL);
	tcase_add_loop_test(all, cycle, 0, 8);
	tcase_add_test(all, random_networks);
	tcase_add_test(all, report);
	return test_main(suite);
}
