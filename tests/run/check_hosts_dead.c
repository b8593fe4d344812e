/* SPDX-License-Identifier: MIT */
/* Deadlocks over hosts: all ranks have the same error, which names actors, FIFOs and hosts; snapshots are of all ranks;
 * a network that is only slow is let alone. Ranks are threads of this process. */
#include "lib/plan/parts.h"
#include "lib/run/hosts_still.h"
#include "tests/common/common.h"
#include "tests/common/crew.h"
#include "tests/random/node.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 6 };

static struct crew crew;
static struct node nodes[CREW_RANKS][NODES]; /* of each rank, all of the network */

/* The same nodes on each rank; hosts[i]: of node i. */
static void make(unsigned ranks, const struct node *like, unsigned count, const unsigned *hosts)
{
	crew = (struct crew){ .count = ranks, .seed = test_seed(), .delay = 5 };
	for (unsigned r = 0; r < ranks; r++) {
		crew.ranks[r] = pstk_network_create("over hosts");
		pstk_network_set_flags(crew.ranks[r], PSTK_UNCHECKED);
		pstk_network_set_threads(crew.ranks[r], r % 2);
		for (unsigned i = 0; i < count; i++) {
			struct node *n = &nodes[r][i];

			*n = (struct node){ .name = like[i].name,
				.ports = like[i].ports,
				.ends = like[i].ends,
				.gives = like[i].gives,
				.give_count = like[i].give_count,
				.values = like[i].values,
				.fire = like[i].fire,
				.open = like[i].open };
			memcpy(n->on, like[i].on, sizeof n->on);
			node_add(crew.ranks[r], n);
			ck_assert_int_eq(ps_parts_place(n->actor, hosts[i]), 0);
		}
	}
}

static void join(unsigned from, const char *out, unsigned to, const char *in, uint32_t rate, uint32_t delay)
{
	for (unsigned r = 0; r < crew.count; r++)
		node_connect(&nodes[r][from], out, &nodes[r][to], in, rate, delay, 0);
}

static void run_dead(char *error, size_t size)
{
	crew_join(&crew);
	crew_run(&crew);
	snprintf(error, size, "%s", pstk_network_error(crew.ranks[0]));
	crew_check(&crew, -EDEADLK, error);
	crew_free(&crew);
}

/* chained: it closes over the hosts in between. */
static void run_ring(unsigned count, bool chained)
{
	static const struct node like[] = { { .name = "n0", .ports = "<in >out" },
		{ .name = "n1", .ports = "<in >out" }, { .name = "n2", .ports = "<in >out" },
		{ .name = "n3", .ports = "<in >out" } };
	static const unsigned hosts[] = { 0, 1, 2, 3 };
	char error[PS_ERROR_LONGEST];

	make(count, like, count, hosts);
	crew.chained = chained;
	for (unsigned i = 0; i < count; i++)
		join(i, "out", (i + 1) % count, "in", 4, i == 1 ? 3 : 0);
	run_dead(error, sizeof error);
	if (count == 2)
		ck_assert_str_eq(error,
			"deadlock: c0: n0 (firing 0) waits for tokens on in [rate 4, 3/11] <- c1: n1; "
			"c1: n1 (firing 0) waits for tokens on in [rate 4, 0/8] <- c0: n0; before the start: "
			"give 'n1'.out -> 'n0'.in 4 or more initial tokens (.delay; it has 3, a window is "
			"4)");
	else
		TEST_SAYS(error, "deadlock: c0: n0 (firing 0) waits for tokens on in [rate 4, 0/8] <- c",
			": n", "give 'n1'.out -> 'n2'.in 4 or more initial tokens");
}

/* _i: ranks. */
START_TEST(a_ring)
{
	run_ring((unsigned)_i, false);
}
END_TEST

START_TEST(a_ring_over_others)
{
	run_ring((unsigned)_i, true);
}
END_TEST

/* All of it is on one host. The detector of that process finds it, or all together do; the words are those of one. */
START_TEST(a_ring_of_one_host)
{
	static const struct node like[] = { { .name = "a", .ports = "<in >out" },
		{ .name = "b", .ports = "<in >out" } };
	static const unsigned hosts[] = { 1, 1 };
	char error[PS_ERROR_LONGEST];

	make(2, like, 2, hosts);
	join(0, "out", 1, "in", 1, 0);
	join(1, "out", 0, "in", 1, 0);
	run_dead(error, sizeof error);
	TEST_SAYS(error, "deadlock: ", "a (firing 0) waits for tokens on in [rate 1, 0/2] <- ",
		"b (firing 0) waits for tokens on in [rate 1, 0/2] <- ");
}
END_TEST

/* Two readers of one control, of which one waits for data that the other one never sends: the FIFOs to it are full, on
 * both hosts, and on one in between. _i: the hosts of conf, a, b; in the second half only neighbours have links. */
START_TEST(without_room)
{
	static const uint32_t on[] = { 1 };
	static const struct node like[] = { { .name = "conf", .ports = ">ctl", .gives = on, .give_count = 1 },
		{ .name = "a", .ports = "@ctl ?data", .on = { 0, 2 } },
		{ .name = "b", .ports = "@ctl !data", .on = { 0, 0 } } };
	static const unsigned hosts[][3] = { { 0, 1, 0 }, { 0, 0, 1 }, { 0, 1, 1 }, { 1, 0, 0 }, { 0, 1, 2 },
		{ 2, 0, 1 }, { 2, 0, 2 } };
	const unsigned *at = hosts[_i % 7];
	bool chained = _i / 7, together = at[1] == at[2] || (chained && at[0] != at[1] && at[0] != at[2]);
	char error[PS_ERROR_LONGEST];

	make(3, like, 3, at);
	crew.chained = chained;
	join(0, "ctl", 1, "ctl", 1, 0);
	join(0, "ctl", 2, "ctl", 1, 0);
	join(2, "data", 1, "data", 4, 0);
	run_dead(error, sizeof error);
	TEST_SAYS(error, "deadlock: c", "waits for tokens on data [rate 4, 0/8] <- c", ": b",
		"'a'.data and 'b'.data must be on at the same times");
	if (together) /* up to there. conf waits for neither: its own FIFO has room, or may get it */
		TEST_SAYS(error, "b (firing ", ") waits for tokens on ctl [rate 1, 0/2] <- c", ": a; ");
	else if (at[0] != at[1])
		TEST_SAYS(error, ": conf (firing ",
			chained && at[0] == 2 ? "on ctl [rate 1, 6/6] <- c" : "on ctl [rate 1, 4/4] <- c",
			": a;");
}
END_TEST

/* join lacks tokens of two, which come of src, whose other FIFO to join is full at both hosts. */
START_TEST(two_ways)
{
	static const struct node like[] = { { .name = "src", .ports = ">x >y" },
		{ .name = "two", .ports = "<in >out" }, { .name = "join", .ports = "<a <b" } };
	static const unsigned hosts[] = { 0, 1, 1 };
	char error[PS_ERROR_LONGEST];

	make(2, like, 3, hosts);
	join(0, "x", 1, "in", 1, 0);
	for (unsigned r = 0; r < 2; r++) {
		pstk_connect(nodes[r][1].actor, "out", nodes[r][2].actor, "a",
			PSTK_FIFO(.write_rate = 1, .read_rate = 16, .token_size = 4, .depth = 2));
		pstk_connect(nodes[r][0].actor, "y", nodes[r][2].actor, "b",
			PSTK_FIFO(.rate = 1, .token_size = 4, .depth = 2));
	}
	run_dead(error, sizeof error);
	TEST_SAYS(error, "deadlock: c0: src (firing 4) waits for room on y [rate 1, 4/4] <- c1: join; ",
		"c1: join (firing 0) waits for tokens on a [rates 1 and 16, ", "/32] <- c1: two; ",
		"before the start: let 'src'.y -> 'join'.b read 16 tokens instead of 1");
}
END_TEST

/*
 * Not dead.
 */

/* An actor is inside of its fire() for long while all others wait. */
START_TEST(one_that_takes_long)
{
	static _Atomic uint64_t open;
	static const struct node like[] = {
		{ .name = "slow", .ports = "<in >out", .ends = 20, .fire = "hold", .open = &open },
		{ .name = "other", .ports = "<in >out" }
	};
	static const unsigned hosts[] = { 0, 1 };

	atomic_store(&open, 0);
	ps_hosts_still_after_ns = 100000;
	make(2, like, 2, hosts);
	join(0, "out", 1, "in", 1, 0);
	join(1, "out", 0, "in", 1, 1);
	crew_join(&crew);
	crew_begin(&crew);
	for (unsigned i = 1; i <= 20; i++) {
		uint64_t looks = inside_looks(crew.inside, 0);

		while (inside_looks(crew.inside, 0) < looks + 50)
			sched_yield();
		atomic_store(&open, i);
	}
	crew_end(&crew);
	crew_check(&crew, 0, "");
	ck_assert_uint_eq(nodes[0][0].firings, 20);
	crew_free(&crew);
}
END_TEST

/* It leaves the file where it is: other ranks may be about to write behind what there is. */
static bool says(FILE *file, const char *text)
{
	static char all[1 << 20];
	ssize_t used;

	ck_assert_int_eq(fflush(file), 0);
	used = pread(fileno(file), all, sizeof all - 1, 0);
	ck_assert_int_ge(used, 0);
	all[used] = 0;
	return strstr(all, text);
}

/* The other ranks write theirs to stderr. */
START_TEST(snapshots_are_of_all_ranks)
{
	static _Atomic uint64_t open;
	static const struct node like[] = {
		{ .name = "held", .ports = ">out", .ends = 5, .fire = "hold", .open = &open },
		{ .name = "reader", .ports = "<in" }
	};
	static const unsigned hosts[] = { 1, 0 };
	FILE *mine = tmpfile(), *others = tmpfile();
	int former = dup(STDERR_FILENO);

	ck_assert(mine && others && former >= 0);
	atomic_store(&open, 2);
	make(3, like, 2, hosts);
	join(0, "out", 1, "in", 1, 0);
	crew_join(&crew);
	crew_begin(&crew);
	test_await(&nodes[0][1].firings, 2);
	dup2(fileno(others), STDERR_FILENO);
	/* what an actor does at this moment is not known */
	do {
		sched_yield();
		ck_assert_int_eq(pstk_network_snapshot(crew.ranks[0], mine), 0);
	} while (!says(mine, "reader (node) waits for tokens at in <- held") ||
		 !says(others, "held (node) is in fire()") ||
		 !says(others, "network 'over hosts' on c2 runs\n"));
	ck_assert(says(mine, "network 'over hosts' on c0 runs\n"));
	ck_assert(says(others, "network 'over hosts' on c1 runs\n"));
	dup2(former, STDERR_FILENO);
	atomic_store(&open, 5);
	crew_end(&crew);
	crew_check(&crew, 0, "");
	crew_free(&crew);
	fclose(mine);
	fclose(others);
	close(former);
}
END_TEST

/* Each names what is held up in its process, with its host; the whole is failed by the rank that has it. */
START_TEST(a_watchdog_over_hosts)
{
	static _Atomic uint64_t open;
	static const struct node like[] = {
		{ .name = "held", .ports = ">out", .ends = 5, .fire = "hold", .open = &open },
		{ .name = "reader", .ports = "<in" }
	};
	static const unsigned hosts[] = { 1, 0 };

	atomic_store(&open, 2);
	make(2, like, 2, hosts);
	join(0, "out", 1, "in", 1, 0);
	for (unsigned r = 0; r < 2; r++)
		ck_assert_int_eq(pstk_network_set_watchdog(crew.ranks[r], 20000000, true), 0);
	crew_join(&crew);
	crew_begin(&crew);
	while (!pstk_network_failed(crew.ranks[0]))
		sched_yield();
	atomic_store(&open, 5);
	crew_end(&crew);
	for (unsigned r = 0; r < 2; r++) {
		ck_assert_int_eq(crew.results[r], -ETIMEDOUT);
		TEST_SAYS(pstk_network_error(crew.ranks[r]), "c1: 'held' (node): nothing has moved for ",
			": it is in fire()");
	}
	crew_free(&crew);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hosts_dead");
	TCase *c = test_case(suite, "dead");

	test_log_nothing();
	tcase_add_loop_test(c, a_ring, 2, CREW_RANKS + 1);
	tcase_add_loop_test(c, a_ring_over_others, 3, CREW_RANKS + 1);
	tcase_add_test(c, a_ring_of_one_host);
	tcase_add_loop_test(c, without_room, 0, 14);
	tcase_add_test(c, two_ways);
	c = test_case(suite, "alive");
	tcase_add_test(c, one_that_takes_long);
	tcase_add_test(c, snapshots_are_of_all_ranks);
	tcase_add_test(c, a_watchdog_over_hosts);
	return test_main(suite);
}
