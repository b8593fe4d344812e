/* SPDX-License-Identifier: MIT */
/* R2: cycles under combinations of control values, against every cycle under every combination. */
#include "tests/analysis/analysis_net.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of each kind of random network. */
enum { MOST_ACTORS = 6, GROUPS = 3, MOST_VALUES = 4, MOST_FIFOS = 8 };

/* Dynamic actors under a few groups of one static configuration actor. FIFOs inside a group have a set
 * that both ends know, so that R1 holds; between groups, and to the static actor, they are always on. */
struct plan {
	struct net_actor actors[MOST_ACTORS + 1];
	struct net_link links[2 * MOST_ACTORS + MOST_FIFOS];
	char names[MOST_ACTORS + 1][16], ports[2 * MOST_FIFOS][16];
	unsigned actor_count, link_count; /* the first links are control and data for it */
	unsigned group[MOST_ACTORS + 1];
	uint32_t values[GROUPS];
	unsigned from[MOST_FIFOS], to[MOST_FIFOS];
	uint64_t on[MOST_FIFOS]; /* values of the group; all: always */
};

static void add_table(struct net_actor *a, const char *port, uint64_t on)
{
	unsigned i = 0;

	while (a->tables[i].port)
		i++;
	ck_assert_uint_lt(i, NET_TABLES);
	a->tables[i] = (struct net_table){ .port = port, .on = on };
}

static unsigned count_tables(const struct net_actor *a)
{
	unsigned i = 0;

	while (i < NET_TABLES && a->tables[i].port)
		i++;
	return i;
}

static void plan_fifo(struct plan *p, unsigned k, struct test_rng *rng)
{
	unsigned from = test_between(rng, 0, p->actor_count - 1),
		 to = test_between(rng, 0, p->actor_count - 1);
	uint32_t rate = test_between(rng, 1, 3),
		 delay = test_chance(rng, 70) ? test_between(rng, 0, rate - 1) : rate;
	bool dynamic = from && to && p->group[from] == p->group[to] && test_chance(rng, 80) &&
	               count_tables(&p->actors[from]) + 2 < NET_TABLES &&
	               count_tables(&p->actors[to]) + 2 < NET_TABLES;

	p->from[k] = from;
	p->to[k] = to;
	p->on[k] = ~(uint64_t)0;
	snprintf(p->ports[2 * k], sizeof p->ports[0], "o%u", k);
	snprintf(p->ports[2 * k + 1], sizeof p->ports[0], "i%u", k);
	if (dynamic) {
		p->on[k] = test_random(rng) & ((1u << p->values[p->group[from]]) - 1);
		add_table(&p->actors[from], p->ports[2 * k], p->on[k]);
		add_table(&p->actors[to], p->ports[2 * k + 1], p->on[k]);
	}
	p->links[p->link_count++] = (struct net_link){ p->names[from], p->ports[2 * k], p->names[to],
		p->ports[2 * k + 1], rate, delay };
}

static void make_plan(struct plan *p, struct test_rng *rng)
{
	static const char *const outputs[GROUPS] = { "c0", "c1", "c2" };
	unsigned fifos = test_between(rng, 1, MOST_FIFOS);

	memset(p, 0, sizeof *p);
	p->actor_count = test_between(rng, 2, MOST_ACTORS + 1);
	for (unsigned g = 0; g < GROUPS; g++)
		p->values[g] = test_between(rng, 1, MOST_VALUES);
	for (unsigned i = 0; i < p->actor_count; i++) {
		snprintf(p->names[i], sizeof p->names[i], "a%u", i);
		p->group[i] = test_between(rng, 0, GROUPS - 1);
		p->actors[i] =
			(struct net_actor){ .name = p->names[i], .values = i ? p->values[p->group[i]] : 0 };
		if (!i)
			continue;
		p->links[p->link_count++] =
			(struct net_link){ "a0", outputs[p->group[i]], p->names[i], "ctl" };
		p->links[p->link_count++] = (struct net_link){ "a0", "d", p->names[i], "d" };
	}
	for (unsigned k = 0; k < fifos; k++)
		plan_fifo(p, k, rng);
}

static bool is_on(const struct plan *p, unsigned link, const uint32_t *vector)
{
	unsigned first = 2 * (p->actor_count - 1), k = link - first;

	if (link < first)
		return true;
	return p->on[k] == ~(uint64_t)0 || (p->on[k] >> vector[p->group[p->from[k]]] & 1);
}

static unsigned index_of(const char *name)
{
	return (unsigned)name[1] - '0';
}

/* Is there a cycle of FIFOs without a window of delay tokens? By Warshall's closure. */
static bool is_dead(const struct plan *p, const uint32_t *vector)
{
	bool reach[MOST_ACTORS + 1][MOST_ACTORS + 1] = { { false } };
	bool dead = false;

	for (unsigned i = 0; i < p->link_count; i++) {
		uint32_t rate = p->links[i].rate ? p->links[i].rate : 1;

		if (p->links[i].delay < rate && is_on(p, i, vector))
			reach[index_of(p->links[i].src)][index_of(p->links[i].dst)] = true;
	}
	for (unsigned k = 0; k < p->actor_count; k++)
		for (unsigned i = 0; i < p->actor_count; i++)
			for (unsigned j = 0; j < p->actor_count; j++)
				reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
	for (unsigned i = 0; i < p->actor_count; i++)
		dead = dead || reach[i][i];
	return dead;
}

/* How many combinations are dead; *some: of the group's with this value. */
static unsigned count_dead(const struct plan *p, unsigned group, uint32_t value, unsigned *with)
{
	unsigned dead = 0;
	uint32_t v[GROUPS];

	*with = 0;
	for (v[0] = 0; v[0] < p->values[0]; v[0]++)
		for (v[1] = 0; v[1] < p->values[1]; v[1]++)
			for (v[2] = 0; v[2] < p->values[2]; v[2]++)
				if (is_dead(p, v)) {
					dead++;
					*with += v[group] == value;
				}
	return dead;
}

static void check_plan(const struct plan *p, unsigned counts[3], uint64_t seed)
{
	struct pstk_network *net =
		analysis_net_build("plan", p->actors, p->actor_count, p->links, p->link_count);
	struct pstk_verdict *v = PSTK_VERDICT();
	unsigned with, all = p->values[0] * p->values[1] * p->values[2], dead;
	int result;

	ck_assert_msg(!pstk_network_problem(net, 0), "seed %llu: %s", (unsigned long long)seed,
		pstk_network_error(net));
	result = pstk_network_check(net, NULL, v);
	dead = count_dead(p, v->actor ? p->group[index_of(pstk_actor_name(v->actor))] : 0, v->value, &with);
	ck_assert_msg(result == (dead ? -EDEADLK : 0), "seed %llu: %d, %u dead: %s", (unsigned long long)seed,
		result, dead, v->reason);
	if (dead) {
		struct pstk_fifo_info info;

		ck_assert_int_eq(v->rule, PSTK_RULE_CYCLES);
		ck_assert_int_eq(v->conservative, false);
		/* no value to blame: it is dead for all; else there is a dead combination with it */
		ck_assert(v->has_value ? with > 0 : dead == all);
		ck_assert_int_eq(pstk_fifo_get_info(v->fifo, &info), 0);
		ck_assert_uint_lt(info.delay, info.rate);
	}
	counts[!dead ? 0 : dead == all ? 1 : 2]++;
	pstk_network_destroy(net);
}

START_TEST(random_groups)
{
	uint64_t rounds = test_rounds(20000);
	unsigned counts[3] = { 0 };

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t seed = test_seed() + i;
		struct test_rng rng = { test_mix(seed) };
		struct plan p;

		make_plan(&p, &rng);
		check_plan(&p, counts, seed);
	}
	printf("analysis: %u networks without a dead cycle, %u with one for all values, %u for some\n",
		counts[0], counts[1], counts[2]);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_gt(counts[i], rounds / 50);
}
END_TEST

/* A ring through triples p -> m -> q, each under a control of its own with 50 values. The first
 * `passing` ones let every value through, over one of two FIFOs from p to m; the last one's p -> m is
 * on for value 1 and m -> q for `second`. */
enum { MOST_TRIPLES = 18, TRIPLE = 4 };

static struct pstk_network *build_ring(unsigned passing, unsigned second)
{
	static char names[TRIPLE * MOST_TRIPLES][16];
	static struct net_actor actors[TRIPLE * MOST_TRIPLES]; /* borrowed */
	struct net_link links[7 * MOST_TRIPLES];
	unsigned n = 0, triples = passing + 1;

	for (unsigned i = 0; i < TRIPLE * triples; i++)
		snprintf(names[i], sizeof names[i], "%c%u", "cpmq"[i % TRIPLE], i / TRIPLE);
	for (unsigned g = 0; g < triples; g++) {
		const char *c = names[TRIPLE * g], *p = names[TRIPLE * g + 1], *m = names[TRIPLE * g + 2],
			   *q = names[TRIPLE * g + 3], *next = names[TRIPLE * ((g + 1) % triples) + 1];
		const uint64_t x = 2, y = g < passing ? ~x : 0,
			       z = g < passing ? ~(uint64_t)0 : (uint64_t)1 << second;

		actors[TRIPLE * g] = (struct net_actor){ .name = c };
		actors[TRIPLE * g + 1] = (struct net_actor){ p, 50, { { "x", x }, { "y", y } } };
		actors[TRIPLE * g + 2] = (struct net_actor){ m, 50, { { "x", x }, { "y", y }, { "z", z } } };
		actors[TRIPLE * g + 3] = (struct net_actor){ q, 50, { { "z", z } } };
		links[n++] = (struct net_link){ c, "c", p, "ctl" };
		links[n++] = (struct net_link){ c, "c", m, "ctl" };
		links[n++] = (struct net_link){ c, "c", q, "ctl" };
		links[n++] = (struct net_link){ p, "x", m, "x" };
		links[n++] = (struct net_link){ p, "y", m, "y" };
		links[n++] = (struct net_link){ m, "z", q, "z" };
		links[n++] = (struct net_link){ q, "o", next, "i", 2, 1 };
	}
	return analysis_net_build("ring", actors, TRIPLE * triples, links, n);
}

static char *check_ring(unsigned passing, unsigned second, int result, struct pstk_verdict *v)
{
	struct pstk_network *net = build_ring(passing, second);
	char *text = NULL;
	size_t size;
	FILE *report = open_memstream(&text, &size);

	ck_assert_ptr_null(pstk_network_problem(net, 0));
	ck_assert_int_eq(pstk_network_check(net, report, v), result);
	fclose(report);
	pstk_network_destroy(net);
	return text;
}

/* Two kinds a passing triple, 1 and the others, and three of the last one: 3 x 2^n cases. */
START_TEST(too_many_combinations)
{
	struct pstk_verdict *v = PSTK_VERDICT();
	char *text = check_ring(14, 2, 0, v);

	TEST_SAYS(text, "proven", "49152 cases of control values");
	free(text);
	text = check_ring(15, 2, -EDEADLK, v);
	ck_assert_int_eq(v->rule, PSTK_RULE_CYCLES);
	ck_assert_int_eq(v->conservative, true);
	ck_assert_int_eq(v->has_value, false);
	ck_assert_ptr_null(v->actor);
	ck_assert_ptr_nonnull(v->fifo);
	TEST_SAYS(text, "conservatively: it may be sound", "if all that can be on is on at once",
		"2 or more initial tokens (.delay; it has 1");
	free(text);
}
END_TEST

/* The combinations that close it are found, however many there are. */
START_TEST(one_of_many_combinations)
{
	struct pstk_verdict *v = PSTK_VERDICT();
	char *text = check_ring(17, 1, -EDEADLK, v);

	ck_assert_int_eq(v->conservative, false);
	ck_assert_int_eq(v->has_value, true);
	TEST_SAYS(text, "'p0' -> 'm0' -> 'q0' -> 'p1'", "for 'c0'.c = ", " and 'c1'.c = ");
	free(text);
}
END_TEST

/* Each part has its own combinations: 20 rings of one group each are 20 x 4, not 4^20. */
START_TEST(parts_are_apart)
{
	struct net_actor actors[60];
	struct net_link links[80];
	static char names[60][16];
	struct pstk_verdict *v = PSTK_VERDICT();
	struct pstk_network *net;
	char *text = NULL;
	size_t size;
	FILE *report = open_memstream(&text, &size);

	for (unsigned g = 0; g < 20; g++) {
		for (unsigned i = 0; i < 3; i++)
			snprintf(names[3 * g + i], sizeof names[0], "%c%u", "cpm"[i], g);
		const char *c = names[3 * g], *p = names[3 * g + 1], *m = names[3 * g + 2];

		actors[3 * g] = (struct net_actor){ .name = c };
		actors[3 * g + 1] = (struct net_actor){ p, 9, { { "x", 2 }, { "y", 4 } } };
		actors[3 * g + 2] = (struct net_actor){ m, 9, { { "x", 2 }, { "y", 4 } } };
		links[4 * g] = (struct net_link){ c, "c", p, "ctl" };
		links[4 * g + 1] = (struct net_link){ c, "c", m, "ctl" };
		links[4 * g + 2] = (struct net_link){ p, "x", m, "x" };
		links[4 * g + 3] = (struct net_link){ m, "y", p, "y" };
	}
	net = analysis_net_build("parts", actors, 60, links, 80);
	ck_assert_int_eq(pstk_network_check(net, report, v), 0);
	fclose(report);
	TEST_SAYS(text, "20 parts with cycles", "60 cases of control values");
	free(text);
	pstk_network_destroy(net);
}
END_TEST

/* Without recursion: a chain, which then becomes a ring. */
START_TEST(ten_thousand_actors)
{
	enum { LENGTH = 10000 };
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };

	for (unsigned kind = 0; kind < 3;
		kind++) { /* chain, ring with a window of delay tokens, ring without */
		struct pstk_network *net = pstk_network_create("long");
		struct pstk_actor *all[LENGTH];
		struct pstk_verdict *v = PSTK_VERDICT();

		for (unsigned i = 0; i < LENGTH; i++) {
			char name[16];

			snprintf(name, sizeof name, "a%u", i);
			all[i] = pstk_network_add(net, name,
				PSTK_ACTOR_TYPE(.name = "link", .ports = ports + (!kind && !i),
					.port_count = 2 - (!kind && (!i || i == LENGTH - 1)),
					.fire = analysis_net_fire),
				NULL);
		}
		for (unsigned i = 0; i + 1 < LENGTH; i++)
			pstk_connect(all[i], "out", all[i + 1], "in", PSTK_FIFO(.rate = 5, .token_size = 1));
		if (kind)
			pstk_connect(all[LENGTH - 1], "out", all[0], "in",
				PSTK_FIFO(.rate = 5, .delay = kind == 1 ? 5 : 4, .token_size = 1));
		ck_assert_int_eq(pstk_network_check(net, NULL, v), kind < 2 ? 0 : -EDEADLK);
		if (kind == 2) {
			TEST_SAYS(v->reason, "'a0' -> 'a1' -> ", " more) -> 'a0'");
			TEST_SAYS(v->remedy, "'a9999'.out -> 'a0'.in 5 or more initial tokens");
		}
		pstk_network_destroy(net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analysis_cycles");
	TCase *c = test_case(suite, "cycles");

	tcase_add_test(c, random_groups);
	tcase_add_test(c, too_many_combinations);
	tcase_add_test(c, one_of_many_combinations);
	tcase_add_test(c, parts_are_apart);
	tcase_add_test(c, ten_thousand_actors);
	return test_main(suite);
}
