/* SPDX-License-Identifier: MIT */
/*
 * Ways over several hosts, where only neighbours have links: ranks in between pass windows on, and figures are of all
 * hops. Ranks are threads of this process. The ends of such a run: check_hosts. That they do what the whole does:
 * tests/random/check_random_parts.
 */
#include "lib/plan/parts.h"
#include "lib/plan/ways.h"
#include "penstock/hosts.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 1001, RATE = 4, FIRINGS = TOKENS / RATE + 1, BYTES = TOKENS * 8 };

static void begin(struct crew *c, unsigned ranks)
{
	*c = (struct crew){ .count = ranks, .seed = test_seed(), .delay = 3, .chained = true };
}

/*
 * count at the first host -> relay at the last one -> collect at the first one. Those in between have no actor.
 */

static struct simple_chain chains[CREW_RANKS];

static void make(struct crew *c, unsigned ranks, uint64_t tokens)
{
	begin(c, ranks);
	for (unsigned i = 0; i < ranks; i++) {
		simple_chain(&chains[i], 1, tokens, RATE, 0, 3);
		c->ranks[i] = chains[i].net;
		for (unsigned a = 0; a < 3; a++)
			ck_assert_int_eq(ps_parts_place(chains[i].actors[a], a == 1 ? ranks - 1 : 0), 0);
	}
	crew_join(c);
}

/* The one from this rank to that one. Each hop has its own, of all windows. */
static void check_hop(const struct crew *c, const struct pstk_fifo *f, uint32_t from, uint32_t to)
{
	struct pstk_crossing x[2 * CREW_RANKS];
	int count = pstk_network_crossings(c->ranks[0], x, 2 * CREW_RANKS), i = 0;

	while (i < count && (x[i].from != from || x[i].to != to))
		i++;
	ck_assert_int_lt(i, count);
	ck_assert_ptr_eq(x[i].fifo, f);
	ck_assert_uint_eq(x[i].windows, FIRINGS);
	ck_assert_uint_eq(x[i].bytes, BYTES);
}

/* _i: ranks. */
START_TEST(there_and_back)
{
	unsigned ranks = (unsigned)_i;
	struct crew c;

	make(&c, ranks, TOKENS);
	crew_run(&c);
	crew_check(&c, 0, "");
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	ck_assert_uint_eq(chains[0].collect.tokens, TOKENS);
	ck_assert_int_eq(pstk_network_crossings(c.ranks[0], NULL, 0), (int)(2 * (ranks - 1)));
	for (unsigned i = 0; i + 1 < ranks; i++) {
		check_hop(&c, chains[0].fifos[0], i, i + 1);
		check_hop(&c, chains[0].fifos[1], i + 1, i);
	}
	for (unsigned i = 1; i + 1 < ranks; i++)
		for (unsigned f = 0; f < 2; f++) {
			const struct pstk_fifo *fifo = chains[i].fifos[f];

			ck_assert_int_eq(fifo->crossing, PS_CROSSES_THROUGH);
			ck_assert_uint_eq(fifo->fifo.layout.read_rate, RATE);
			ck_assert_uint_eq(ps_parts_windows(fifo), 3);
		}
	crew_free(&c);
}
END_TEST

/* The rank in between says what lies there. At first nothing has come. */
START_TEST(a_snapshot)
{
	struct crew c;
	char *text = NULL;
	size_t size;
	bool moved = false;

	make(&c, 3, SIMPLE_ALL);
	crew_begin(&c);
	while (!moved) {
		FILE *out = open_memstream(&text, &size);

		ck_assert_int_eq(pstk_network_snapshot(c.ranks[1], out), 0);
		fclose(out);
		moved = strstr(text, "  count.out -> relay0.in: rate 4, ") &&
		        strstr(text, "  relay0.out -> collect.in: rate 4, ") &&
		        !strstr(text, "/12 tokens, 0 written, 0 read, host\n");
		free(text);
		sched_yield();
	}
	pstk_network_stop(c.ranks[1]);
	crew_end(&c);
	crew_check(&c, 0, "");
	crew_free(&c);
}
END_TEST

/* One rank has another machine. */
START_TEST(different_ways)
{
	struct crew c;

	make(&c, 3, TOKENS);
	ck_assert_int_eq(ps_way_set(chains[2].fifos[1], NULL), 0);
	crew_run(&c);
	crew_check(&c, -EINVAL,
		"the ranks have built different networks: rank 0 (c0) has [FIFO 'relay0'.out -> "
		"'collect'.in: "
		"rates 4 and 4, tokens of 8 bytes, over c1], rank 2 (c2) has [FIFO 'relay0'.out -> "
		"'collect'.in: rates 4 and 4, tokens of 8 bytes]: start the same program with the same files "
		"on each");
	crew_free(&c);
}
END_TEST

/*
 * A source at host 1, whose output is read at all hosts, with other rates and delay tokens.
 */

enum { READERS = 6, HOME = 1 };

static const struct {
	unsigned host;
	uint32_t rate, delay;
} readers[READERS] = { { 3, 6, 0 }, { 2, 4, 0 }, { 3, 4, 5 }, { 0, 2, 3 }, { 2, 3, 8 }, { HOME, 4, 0 } };

static struct simple_count source;
static struct simple_collect sinks[READERS]; /* of all ranks: each runs on one of them */
static struct pstk_fifo *fifos[CREW_RANKS][READERS];

static void make_star(struct crew *c, uint64_t tokens)
{
	char name[8];

	begin(c, 4);
	source = (struct simple_count){ .tokens = tokens };
	for (unsigned i = 0; i < c->count; i++) {
		struct pstk_actor *src;

		c->ranks[i] = pstk_network_create("star");
		src = pstk_network_add(c->ranks[i], "source", simple_count_type(), &source);
		ck_assert_int_eq(ps_parts_place(src, HOME), 0);
		for (unsigned r = 0; r < READERS; r++) {
			struct pstk_actor *a;

			sinks[r] = (struct simple_collect){
				.delay = readers[r].delay, .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL
			};
			snprintf(name, sizeof name, "r%u", r);
			a = pstk_network_add(c->ranks[i], name, simple_collect_type(), &sinks[r]);
			ck_assert_int_eq(ps_parts_place(a, readers[r].host), 0);
			fifos[i][r] = pstk_connect(src, "out", a, "in",
				PSTK_FIFO(.write_rate = RATE, .read_rate = readers[r].rate,
					.delay = readers[r].delay, .depth = 2));
			ck_assert_ptr_nonnull(fifos[i][r]);
		}
	}
	crew_join(c);
}

/* left_out: those that end early, a bit each. */
static void check_star(uint64_t tokens, unsigned left_out)
{
	for (unsigned r = 0; r < READERS; r++) {
		ck_assert_uint_eq(sinks[r].wrong, 0);
		if (!(left_out >> r & 1))
			ck_assert_uint_eq(sinks[r].tokens, tokens + readers[r].delay);
	}
}

/* Host 2 reads the windows itself, and passes them on. */
START_TEST(a_broadcast_crosses_each_link_once)
{
	static const enum ps_crossing at_2[READERS] = { PS_CROSSES_THROUGH, PS_CROSSES_IN,
		PS_CROSSES_ELSEWHERE, PS_CROSSES_ELSEWHERE, PS_CROSSES_IN, PS_CROSSES_ELSEWHERE };
	struct crew c;

	make_star(&c, TOKENS);
	crew_run(&c);
	crew_check(&c, 0, "");
	check_star(TOKENS, 0);
	ck_assert_int_eq(pstk_network_crossings(c.ranks[0], NULL, 0), 3);
	check_hop(&c, fifos[0][0], 1, 2);
	check_hop(&c, fifos[0][0], 2, 3);
	check_hop(&c, fifos[0][3], 1, 0);
	for (unsigned r = 0; r < READERS; r++)
		ck_assert_int_eq(fifos[2][r]->crossing, at_2[r]);
	crew_free(&c);
}
END_TEST

/* _i: which readers, a bit each: those that are further away, those in between, all. */
START_TEST(some_readers_end_early)
{
	static const unsigned which[] = { 0x05, 0x12, 0x1f, 0x3f };
	struct crew c;

	make_star(&c, which[_i] == 0x3f ? SIMPLE_ALL : TOKENS);
	for (unsigned r = 0; r < READERS; r++)
		sinks[r].wanted = which[_i] >> r & 1 ? 10 + 5 * r : SIMPLE_ALL;
	crew_run(&c);
	crew_check(&c, 0, "");
	check_star(TOKENS, which[_i]);
	for (unsigned r = 0; r < READERS; r++)
		if (which[_i] >> r & 1)
			ck_assert_uint_eq(sinks[r].firings, sinks[r].wanted);
	crew_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("forward");
	TCase *c = test_case(suite, "chain");

	test_log_nothing();
	tcase_add_loop_test(c, there_and_back, 2, CREW_RANKS + 1);
	tcase_add_test(c, a_snapshot);
	tcase_add_test(c, different_ways);
	c = test_case(suite, "star");
	tcase_add_test(c, a_broadcast_crosses_each_link_once);
	tcase_add_loop_test(c, some_readers_end_early, 0, 4);
	return test_main(suite);
}
