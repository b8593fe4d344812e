/* SPDX-License-Identifier: MIT */
/* Moves of an actor in a chain: the stream is what it would be without them, and the report says what has happened. */
#include "tests/common/common.h"
#include "tests/common/file.h"
#include "tests/move/move_net.h"
#include "tests/observe/trace_reader.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* How windows of the host and of a device lie; threads of their own, or a team. */
static const struct {
	const char *pocl, *memory;
	int threads;
} ways[] = { { "pthread", "", 0 }, { "pthread", "", 2 }, { "pthread", "copy", 0 }, { "pthread", "copy", 2 },
	{ "pthread", "map", 0 } };

static bool open_way(int i)
{
	return move_open(ways[i].pocl, ways[i].memory);
}

static const char *place(unsigned i)
{
	return i ? move_places[i - 1] : NULL;
}

static const char *name(unsigned i)
{
	return i ? move_places[i - 1] : "cores";
}

/* From each place to each, with and without a state, with a remainder of the delay. */
static void script(int way, unsigned from, unsigned to, bool keeps, uint32_t rate, uint32_t delay)
{
	static struct move_net m;
	struct pstk_move move;

	m = (struct move_net){ .chain = { .tokens = 40 * rate, .rate = rate, .delay = delay },
		.keeps = keeps };
	move_build(&m, place(from));
	pstk_network_set_threads(m.chain.net, (unsigned)ways[way].threads);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(to), 17), 0);
	move_expect(&m, true);
	move = move_of(&m, 0);
	ck_assert_msg(move.state == PSTK_MOVE_DONE, "%s", move.text);
	ck_assert_str_eq(move.from, name(from));
	ck_assert_str_eq(move.to, name(to));
	ck_assert_uint_eq(move.wanted, 17);
	ck_assert_uint_eq(move.firing, 17);
	ck_assert_ptr_eq(move.actor, m.chain.tested);
	ck_assert_uint_eq(move.state_bytes, keeps && from != to ? 4 : 0);
	ck_assert_uint_le(move.asked_ns, move.began_ns);
	ck_assert_uint_le(move.began_ns, move.switched_ns);
	if (from && to)
		ck_assert_uint_eq(m.on_cores, 0);
	else if (!from && to)
		ck_assert_uint_eq(m.on_cores, 17);
	pstk_network_destroy(m.chain.net);
}

START_TEST(scripts)
{
	if (!open_way(_i))
		return;
	for (unsigned from = 0; from < 3; from++)
		for (unsigned to = 0; to < 3; to++) {
			script(_i, from, to, false, 1 + (from + to) % 3, 0);
			script(_i, from, to, true, 3, (from + to) % 5);
		}
}
END_TEST

/* To and fro, at each firing, asked for before the start. */
START_TEST(many_scripts)
{
	static struct move_net m;

	if (!open_way(_i))
		return;
	m = (struct move_net){ .chain = { .tokens = 180, .rate = 3, .delay = 4 }, .keeps = _i % 2 };
	move_build(&m, NULL);
	pstk_network_set_threads(m.chain.net, (unsigned)ways[_i].threads);
	for (unsigned i = 1; i <= 50; i++)
		ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(i % 3), i), (int)i - 1);
	ck_assert_uint_eq(pstk_network_move_count(m.chain.net), 50);
	move_expect(&m, true);
	for (unsigned i = 1; i <= 50; i++) {
		ck_assert_int_eq(move_of(&m, i - 1).state, PSTK_MOVE_DONE);
		ck_assert_uint_eq(move_of(&m, i - 1).firing, i);
	}
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* An actor that has no window moves, too; the program waits for it before it goes on feeding. */
START_TEST(while_idle)
{
	static struct move_net m;

	if (!open_way(_i))
		return;
	m = (struct move_net){ .chain = { .tokens = 30, .rate = 1, .hold_at = 11 }, .keeps = _i % 2 };
	move_build(&m, place(1));
	pstk_network_set_threads(m.chain.net, (unsigned)ways[_i].threads);
	if (ways[_i].threads) /* it holds a member */
		pstk_network_set_threads(m.chain.net, 3);
	ck_assert_int_eq(pstk_network_start(m.chain.net), 0);
	for (unsigned i = 0; i < 6; i++) {
		int number = pstk_actor_migrate(m.chain.tested, place((i + 2) % 3), 0);

		ck_assert_int_eq(number, (int)i);
		ck_assert_int_eq(pstk_network_wait_move(m.chain.net, (unsigned)number, 0), 0);
		ck_assert_int_eq(move_of(&m, i).state, PSTK_MOVE_DONE);
		ck_assert_uint_le(move_of(&m, i).firing, 10);
	}
	atomic_store(&m.chain.go, true);
	ck_assert_int_eq(pstk_network_wait(m.chain.net), 0);
	move_check_tokens(&m);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* Moves that never begin are cancelled by the actor's end. */
START_TEST(cancelled)
{
	static struct move_net m;
	struct pstk_move move;

	if (!open_way(_i))
		return;
	m = (struct move_net){ .chain = { .tokens = 20 } };
	move_build(&m, place(1));
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 1000), 0);
	move_expect(&m, true);
	move = move_of(&m, 0);
	ck_assert_int_eq(move.state, PSTK_MOVE_CANCELLED);
	ck_assert_str_eq(move.text, "the actor has ended before");
	ck_assert_int_eq(pstk_network_wait_move(m.chain.net, 0, 0), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 0), -ECANCELED);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* One that was made, with what it took as the report says; one that came too late. */
START_TEST(stats)
{
	static struct move_net m;
	struct pstk_move move;
	char *text, expected[512], gap[64] = "";
	FILE *full;

	if (!open_way(0))
		return;
	m = (struct move_net){ .chain = { .tokens = 40 } };
	move_build(&m, place(1));
	text = move_stats(&m);
	ck_assert_str_eq(text, "");
	free(text);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 17), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(2), 1000), 1);
	text = move_stats(&m);
	snprintf(expected, sizeof expected,
		"  move 0: tested to cores: asked for firing 17\n"
		"  move 1: tested to %s: asked for firing 1000\n",
		place(2));
	ck_assert_str_eq(text, expected);
	free(text);
	move_expect(&m, true);
	/* a driver may say late when the last outputs were there; a gap that came out as 0 is not written */
	while (!(move = move_of(&m, 0)).latency_before_ns)
		sched_yield();
	if (move.gap_ns)
		snprintf(gap, sizeof gap, ", gap %.3f ms", (double)move.gap_ns / 1e6);
	text = move_stats(&m);
	snprintf(expected, sizeof expected,
		"  move 0: tested from %s to cores: done, at firing 17%s, expected %.3f ms\n"
		"  move 1: tested to %s: cancelled: the actor has ended before\n",
		place(1), gap, (double)move.bound_ns / 1e6, place(2));
	ck_assert_str_eq(text, expected);
	free(text);
	full = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(pstk_network_print_moves(m.chain.net, full), -EIO);
	fclose(full);
	pstk_network_destroy(m.chain.net);
}
END_TEST

/* Its length is what the report says: from the boundary until the first outputs at the new place are there. */
START_TEST(timeline)
{
	const char *path = test_file("a.trace", ""), *what;
	struct trace_sums sums = { 0 };
	static struct move_net m;
	struct trace_move seen;
	struct pstk_move move;

	if (!open_way(_i))
		return;
	m = (struct move_net){ .chain = { .tokens = 40 }, .keeps = true };
	move_build(&m, place(1));
	pstk_network_set_threads(m.chain.net, (unsigned)ways[_i].threads);
	ck_assert_int_eq(pstk_network_set_trace(m.chain.net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, NULL, 17), 0);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(2), 30), 1);
	ck_assert_int_eq(pstk_actor_migrate(m.chain.tested, place(1), 1000), 2);
	move_expect(&m, true);
	what = trace_check(path, m.chain.net, true, NULL, &sums);
	ck_assert_msg(!what, "%s", what);
	if (trace_reader_is_there()) {
		ck_assert_uint_eq(sums.moves, 2);
		ck_assert(trace_find_move(path, 0, &seen));
		ck_assert_str_eq(seen.name, "tested: moves");
		ck_assert_str_eq(seen.from, place(1));
		ck_assert_str_eq(seen.to, "cores");
		ck_assert_str_eq(seen.state, "done");
		ck_assert_uint_eq(seen.wanted, 17);
		ck_assert_uint_eq(seen.firing, 17);
		ck_assert_uint_eq(seen.state_bytes, 4);
		move = move_of(&m, 0);
		ck_assert_uint_eq(seen.took_ns, move.first_ns - move.began_ns);
		ck_assert(trace_find_move(path, 1, &seen));
		ck_assert_str_eq(seen.to, place(2));
		ck_assert_uint_eq(seen.firing, 30);
		ck_assert(!trace_find_move(path, 2, &seen)); /* it never began */
	}
	pstk_network_destroy(m.chain.net);
	test_files_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("move");
	TCase *chain = test_case(suite, "chain");

	tcase_add_loop_test(chain, scripts, 0, (int)TEST_COUNT(ways));
	tcase_add_loop_test(chain, many_scripts, 0, (int)TEST_COUNT(ways));
	tcase_add_loop_test(chain, while_idle, 0, (int)TEST_COUNT(ways));
	tcase_add_loop_test(chain, cancelled, 0, (int)TEST_COUNT(ways));
	tcase_add_test(chain, stats);
	tcase_add_loop_test(chain, timeline, 0, 2);
	return test_main(suite);
}
