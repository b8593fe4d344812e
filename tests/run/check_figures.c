/* SPDX-License-Identifier: MIT */
/*
 * A network over several processes, of which rank 0 says the figures: what ran elsewhere, what has crossed, and one
 * trace. Ranks are threads of this process.
 */
#include "lib/plan/parts.h"
#include "lib/run/figures.h"
#include "penstock/hosts.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/common/simple.h"
#include "tests/observe/trace_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * count at host 0 -> relay at host 1 -> collect at host 0; a third host, if there is one, has no actor.
 */

enum { TOKENS = 1001, RATE = 4, FIRINGS = TOKENS / RATE + 1, BYTES = TOKENS * 8 };

static struct simple_chain chains[CREW_RANKS];

static void build(struct crew *c, unsigned ranks)
{
	*c = (struct crew){ .count = ranks, .seed = test_seed(), .delay = 2 };
	for (unsigned i = 0; i < ranks; i++) {
		simple_chain(&chains[i], 1, TOKENS, RATE, 0, 3);
		c->ranks[i] = chains[i].net;
		for (unsigned a = 0; a < 3; a++)
			ck_assert_int_eq(ps_parts_place(chains[i].actors[a], a == 1), 0);
		ck_assert_int_eq(pstk_network_set_sampling(c->ranks[i], 100000), 0);
	}
}

static char *print(const struct crew *c, int (*how)(const struct pstk_network *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(how(c->ranks[0], out), 0);
	fclose(out);
	return text;
}

static void check_crossing(
	const struct pstk_crossing *x, const struct pstk_fifo *f, uint32_t from, uint32_t to)
{
	ck_assert_ptr_eq(x->fifo, f);
	ck_assert_uint_eq(x->from, from);
	ck_assert_uint_eq(x->to, to);
	ck_assert_uint_eq(x->windows, FIRINGS);
	ck_assert_uint_eq(x->bytes, BYTES);
}

/* _i: ranks. */
START_TEST(rank_0_says_all)
{
	struct pstk_crossing x[3];
	struct pstk_fifo_info info;
	struct crew c;
	char *text;

	build(&c, (unsigned)_i);
	crew_join(&c);
	ck_assert_int_eq(pstk_network_crossings(c.ranks[0], x, 3), 0);
	ck_assert_int_eq(crew_run(&c), 0);
	for (unsigned a = 0; a < 3; a++) {
		struct pstk_actor_stats s, there;
		struct pstk_actor_load load;

		ck_assert_int_eq(pstk_actor_get_stats(chains[0].actors[a], &s), 0);
		ck_assert_uint_eq(s.firings, FIRINGS);
		ck_assert_int_eq(pstk_actor_get_load(chains[0].actors[a], &load), 0);
		ck_assert_uint_eq(load.firings, FIRINGS);
		pstk_actor_get_stats(chains[a == 1].actors[a], &there);
		ck_assert_mem_eq(&s, &there, sizeof s);
	}
	for (unsigned f = 0; f < 2; f++) {
		ck_assert_int_eq(pstk_fifo_get_info(chains[0].fifos[f], &info), 0);
		ck_assert_uint_eq(info.written, TOKENS);
		ck_assert_uint_eq(info.fill, 0);
		ck_assert_str_eq(info.memory, "host");
	}
	ck_assert_int_eq(pstk_network_crossings(c.ranks[0], x, 3), 2);
	check_crossing(&x[0], chains[0].fifos[0], 0, 1);
	check_crossing(&x[1], chains[0].fifos[1], 1, 0);
	ck_assert_int_eq(pstk_network_crossings(c.ranks[1], x, 1), 1);
	check_crossing(&x[0], chains[1].fifos[1], 1, 0);
	text = print(&c, pstk_network_print);
	TEST_SAYS(text, "relay0  relay    on c1", "rate 4, delay 0, depth 3, token 8 B");
	ck_assert_ptr_null(strstr(text, "elsewhere"));
	free(text);
	text = print(&c, pstk_network_print_stats);
	TEST_SAYS(text, "on c1", "c0 to c1: 251 windows, 0.008 MB, waited ", "c1 to c0: 251 windows");
	free(text);
	crew_free(&c);
}
END_TEST

START_TEST(misuse)
{
	struct pstk_network *net = pstk_network_create("alone");

	ck_assert_int_eq(pstk_network_crossings(NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_network_crossings(net, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_crossings(net, NULL, 0), 0);
	pstk_network_destroy(net);
}
END_TEST

static unsigned count(const char *path, const char *words)
{
	unsigned found = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *in = fopen(path, "r");

	ck_assert_ptr_nonnull(in);
	ck_assert_int_gt(getdelim(&text, &size, 0, in), 0);
	for (const char *at = strstr(text, words); at; at = strstr(at + 1, words))
		found++;
	fclose(in);
	free(text);
	return found;
}

static bool says(const char *path, const char *words)
{
	return count(path, words) > 0;
}

/* All ranks are given the same file, which rank 0 writes. */
START_TEST(one_trace)
{
	char path[] = "/tmp/penstock-figures-XXXXXX";
	int fd = mkstemp(path);
	struct crew c;

	ck_assert_int_ge(fd, 0);
	build(&c, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pstk_network_set_threads(c.ranks[i], 0), 0); /* whose names the trace has */
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(
			pstk_network_set_trace(c.ranks[i], path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	crew_join(&c);
	ck_assert_int_eq(crew_run(&c), 0);
	ck_assert(trace_is_json(path));
	ck_assert(trace_has_span(path, "count"));
	ck_assert(trace_has_span(path, "relay0"));
	ck_assert(trace_has_span(path, "collect"));
	ck_assert(says(path, "\"name\":\"c1: relay0\""));
	ck_assert(says(path, "\"name\":\"c0: count\""));
	ck_assert(says(path,
		"\"links\":[{\"from\":\"c0\",\"to\":\"c1\",\"fifo\":\"count -> relay0\",\"windows\":251,"
		"\"bytes\":8008,"));
	ck_assert(says(path, "\"name\":\"relay0.out -> collect.in\""));
	/* both FIFOs' tokens go up and down, so no more are there than both ends hold */
	ck_assert(!says(path, "\"tokens\":100}"));
	ck_assert_uint_eq(count(path, "\"ph\":\"s\""), 2 * FIRINGS);
	ck_assert_uint_eq(count(path, "\"ph\":\"f\""), 2 * FIRINGS);
	crew_free(&c);
	unlink(path);
	close(fd);
}
END_TEST

static void run_failing(struct crew *c, uint32_t opening)
{
	build(c, 2);
	crew_join(c);
	inside_fail(c->inside, 0, INSIDE_OPEN, opening);
	test_log_start();
	crew_run(c);
	crew_check(c, 0, "");
}

/* _i: the opening of rank 0's transport that fails: of clocks, or of figures. The run was what it was. On a busy
 * machine a rank comes too late for a short patience, and rank 0 does not come as far. */
START_TEST(what_fails_is_in_the_log)
{
	struct pstk_actor_stats s;
	struct crew c;

	ps_figures_patience_ns = 20000000;
	run_failing(&c, (uint32_t)_i);
	while (!inside_failed(c.inside, 0, INSIDE_OPEN)) {
		test_log_stop();
		crew_free(&c);
		ps_figures_patience_ns *= 4;
		run_failing(&c, (uint32_t)_i);
	}
	ck_assert(test_log_has("no figures of other hosts: inside: planted fault"));
	ck_assert(test_log_has("no figures of other hosts: rank 0 (h0): nothing has come from there"));
	test_log_stop();
	pstk_actor_get_stats(chains[0].actors[0], &s);
	ck_assert_uint_eq(s.firings, FIRINGS);
	pstk_actor_get_stats(chains[0].actors[1], &s);
	ck_assert_uint_eq(s.firings, 0);
	ck_assert_int_eq(pstk_network_lost_rank(c.ranks[0]), 0);
	crew_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("figures");
	TCase *c = test_case(s, "figures");

	test_log_nothing();
	tcase_add_loop_test(c, rank_0_says_all, 2, CREW_RANKS + 1);
	tcase_add_test(c, one_trace);
	tcase_add_loop_test(c, what_fails_is_in_the_log, 3, 5);
	tcase_add_test(c, misuse);
	return test_main(s);
}
