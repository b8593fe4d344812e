/* SPDX-License-Identifier: MIT */
/* Exchanges: each rank gets what all have given, one exchange behind the other and around a run; what fails says so. */
#include "lib/remote/exchange.h"
#include "lib/base/memory.h"
#include "tests/remote/rig.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000000000 };

/* A rank gives, in each round, bytes that follow from a seed, the rank and the round. */
static size_t size_of(uint64_t seed, uint32_t rank, uint32_t round)
{
	static const size_t sizes[] = { 0, 1, 1024, 5000000 };
	uint64_t draw = test_mix(seed + rank * 1000 + round);

	return draw % 3 ? draw / 3 % 3000 : sizes[draw / 3 % (draw / 12 % 4 ? 3 : 4)];
}

static unsigned char byte_of(uint64_t seed, uint32_t rank, uint32_t round, size_t at)
{
	return (unsigned char)(seed * 7 + rank * 31 + round * 5 + at % 251);
}

static void check_bytes(const struct ps_exchanged *x, uint64_t seed, uint32_t rank, uint32_t round)
{
	size_t wrong = 0;

	ck_assert_uint_eq(x->sizes[rank], size_of(seed, rank, round));
	ck_assert_uint_eq(x->bytes[rank][x->sizes[rank]], 0);
	for (size_t i = 0; i < x->sizes[rank]; i++)
		wrong += x->bytes[rank][i] != byte_of(seed, rank, round, i);
	ck_assert_uint_eq(wrong, 0);
}

/* An exchange of all; or, of one in three, of what rank 0 gathers. */
static void exchange_round(struct pstk_transport *t, uint64_t seed, uint32_t round)
{
	struct ps_exchange_how how = { .subject = round, .gathers = !(test_mix(seed + round) % 3) };
	size_t size = size_of(seed, t->rank, round);
	unsigned char *bytes = malloc(size + 1);
	struct ps_exchanged x;
	char text[256] = "";
	int err;

	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_of(seed, t->rank, round, i);
	err = ps_exchange_with(t, &how, bytes, size, &x, text, sizeof text);
	ck_assert_msg(!err, "seed %" PRIu64 ", rank %u, round %u: %s", seed, t->rank, round, text);
	free(bytes);
	ck_assert_uint_eq(x.ranks, t->ranks);
	for (uint32_t i = 0; i < x.ranks; i++)
		if (how.gathers && t->rank && i != t->rank)
			ck_assert_ptr_null(x.bytes[i]);
		else
			check_bytes(&x, seed, i, round);
	ps_exchanged_free(&x);
	ck_assert_ptr_null(x.bytes);
}

static void four_before(struct rig_rank *k)
{
	for (uint32_t round = 0; round < 4; round++)
		exchange_round(inside_rank(k->of->inside, k->rank), k->of->seed, round);
}

static void four_after(struct rig_rank *k)
{
	for (uint32_t round = 4; round < 8; round++)
		exchange_round(inside_rank(k->of->inside, k->rank), k->of->seed, round);
}

/* Ranks go on by themselves, so one is at an exchange, or at a run, before another one has left what came before. */
START_TEST(around_a_run)
{
	uint64_t rounds = test_rounds(30);

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct rig rig = { .seed = seed, .before = four_before, .after = four_after };
		struct test_rng rng = { test_mix(seed) };

		test_guard("around_a_run", seed);
		rig.ranks = test_between(&rng, 2, 4);
		rig.delay = test_between(&rng, 0, 4);
		for (uint32_t i = test_between(&rng, 1, RIG_STREAMS); i; i--) {
			uint32_t from = test_between(&rng, 0, rig.ranks - 1);

			rig_stream(&rig, from, (from + test_between(&rng, 1, rig.ranks - 1)) % rig.ranks);
		}
		rig_build(&rig);
		rig_begin(&rig);
		rig_run(&rig);
		rig_check(&rig);
		rig_free(&rig);
	}
}
END_TEST

/* One rank of two. */
struct side {
	struct pstk_transport *transport;
	struct ps_exchange_how how;
	const void *bytes;
	size_t size;
	struct ps_exchanged got;
	char text[256];
	int err;
	_Atomic bool *ends; /* one of them has ended with an error */
	pthread_t thread;
};

static bool other_ends(void *user)
{
	return atomic_load(((struct side *)user)->ends);
}

static void *exchange_side(void *arg)
{
	struct side *s = arg;

	s->err = ps_exchange_with(s->transport, &s->how, s->bytes, s->size, &s->got, s->text, sizeof s->text);
	if (s->err) {
		ck_assert_ptr_null(s->got.bytes);
		ck_assert_uint_ne(strlen(s->text), 0);
		atomic_store(s->ends, true);
	}
	return NULL;
}

/* Ranks that exchange something. When one has failed the others end as well: it would end the program. */
static void exchange_sides(struct inside *inside, struct side *sides, uint32_t count)
{
	_Atomic bool ends = false;

	for (uint32_t i = 0; i < count; i++) {
		struct side *s = &sides[i];

		s->transport = inside_rank(inside, i);
		s->ends = &ends;
		s->how.stop = other_ends;
		s->how.user = s;
		ck_assert_int_eq(pthread_create(&s->thread, NULL, exchange_side, s), 0);
	}
	for (uint32_t i = 0; i < count; i++)
		pthread_join(sides[i].thread, NULL);
}

static void free_sides(struct side *sides, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ps_exchanged_free(&sides[i].got);
}

START_TEST(in_pieces)
{
	char bytes[PS_EXCHANGE_PIECES * 10];
	uint64_t former = ps_exchange_piece;

	memset(bytes, 'a', sizeof bytes);
	ps_exchange_piece = 10;
	for (size_t size = 0; size <= sizeof bytes; size++) {
		struct inside *inside = inside_new(2, size, 2);
		struct side sides[2] = { { .bytes = bytes, .size = size },
			{ .bytes = bytes, .size = sizeof bytes - size } };

		exchange_sides(inside, sides, 2);
		for (uint32_t i = 0; i < 4; i++) {
			const struct ps_exchanged *x = &sides[i / 2].got;

			ck_assert_int_eq(sides[i / 2].err, 0);
			ck_assert_uint_eq(x->sizes[i % 2], sides[i % 2].size);
			ck_assert_int_eq(memcmp(x->bytes[i % 2], bytes, x->sizes[i % 2]), 0);
		}
		ck_assert_ptr_null(inside_violation(inside));
		free_sides(sides, 2);
		inside_free(inside);
	}
	ps_exchange_piece = former;
}
END_TEST

START_TEST(one_rank_alone)
{
	struct inside *inside = inside_new(1, 1, 0);
	struct ps_exchanged x;
	char text[64];

	ck_assert_int_eq(ps_exchange(inside_rank(inside, 0), "abc", 3, 0, &x, text, sizeof text), 0);
	ck_assert_uint_eq(x.ranks, 1);
	ck_assert_str_eq((const char *)x.bytes[0], "abc");
	ps_exchanged_free(&x);
	inside_free(inside);
}
END_TEST

static const char *const words[INSIDE_FAULTS] = { [INSIDE_OPEN] = "inside: planted fault",
	[INSIDE_RECEIVE] = "rank 1 (h1): nothing can be received from there: planted fault",
	[INSIDE_SEND] = "rank 1 (h1): nothing can be sent there: planted fault",
	[INSIDE_RECEIVED] = "rank 1 (h1): a message has failed: planted fault",
	[INSIDE_SENT] = "rank 1 (h1): a message has failed: planted fault",
	[INSIDE_TEST] = "inside: planted fault",
	[INSIDE_SILENT] = "rank 1 (h1): nothing has come from there for 0.1",
	[INSIDE_CUT] = "rank 1 (h1): 7 bytes have come, not 8" };

/* Did it happen? */
static bool fault_at(enum inside_fault fault, uint32_t n)
{
	struct inside *inside = inside_new(2, fault * 100 + n, 2);
	struct side sides[2] = { { .bytes = "0123456", .size = 8 }, { .bytes = "abcdefg", .size = 8 } };
	bool happened;

	if (fault == INSIDE_SILENT)
		sides[0].how.patience_ns = SECOND / 10;
	inside_fail(inside, 0, fault, n);
	exchange_sides(inside, sides, 2);
	happened = inside_failed(inside, 0, fault);
	if (sides[0].err) {
		ck_assert(happened);
		TEST_SAYS(sides[0].text, words[fault]);
	} else {
		ck_assert_mem_eq(sides[0].got.bytes[1], "abcdefg", 8);
	}
	ck_assert(!sides[1].err || sides[1].err == -ECANCELED);
	happened = sides[0].err;
	free_sides(sides, 2);
	inside_free(inside);
	return happened;
}

START_TEST(each_fault)
{
	for (enum inside_fault fault = INSIDE_OPEN; fault < INSIDE_FAULTS; fault++) {
		unsigned told = 0;

		for (uint32_t n = 0; n < 8 && fault != INSIDE_CANCEL; n++) {
			test_guard("each_fault", fault * 100 + n);
			told += fault_at(fault, n);
		}
		ck_assert_msg(told || fault == INSIDE_CANCEL, "fault %u was never told", fault);
	}
}
END_TEST

START_TEST(another_exchange)
{
	struct inside *inside = inside_new(3, 1, 1);
	struct side sides[3] = { { .how.subject = 7 }, { .how.subject = 7 }, { .how.subject = 8 } };

	exchange_sides(inside, sides, 3);
	ck_assert(sides[0].err == -EPROTO || sides[1].err == -EPROTO || sides[2].err == -EPROTO);
	for (uint32_t i = 0; i < 3; i++)
		if (sides[i].err == -EPROTO)
			TEST_SAYS(sides[i].text, i == 2 ? "(7, not 8)" : "rank 2 (h2)",
				"it exchanges something else");
	free_sides(sides, 3);
	inside_free(inside);
}
END_TEST

START_TEST(gathered_by_one_of_two)
{
	struct inside *inside = inside_new(2, 1, 1);
	struct side sides[2] = { { .how.gathers = true }, { .how.gathers = false } };

	exchange_sides(inside, sides, 2);
	ck_assert(sides[0].err == -EPROTO || sides[1].err == -EPROTO);
	free_sides(sides, 2);
	inside_free(inside);
}
END_TEST

/* Rank 1 is a stranger, which says so many bytes. */
static void meet_stranger(const void *bytes, size_t size)
{
	struct inside *inside = inside_new(2, 1, 0);
	struct pstk_transport *t = inside_rank(inside, 1);
	struct pstk_transport_channel c = { 0, 0, true, 1, size };
	struct ps_exchanged x;
	char text[256];

	ck_assert_int_eq(t->open(t->self, &c, 1), 0);
	ck_assert_int_eq(t->send(t->self, 0, 0, bytes, size), 0);
	ck_assert_int_eq(ps_exchange(inside_rank(inside, 0), "", 0, 0, &x, text, sizeof text), -EPROTO);
	TEST_SAYS(text, "rank 1 (h1): its first message makes no sense");
	ck_assert_ptr_null(x.bytes);
	inside_free(inside);
}

START_TEST(a_stranger_is_refused)
{
	static const uint32_t good[] = { 0x50735845, 1, 0, 0, 0, 0 };
	uint32_t bad[6];

	meet_stranger("", 0);
	meet_stranger(good, sizeof good - 1);
	for (uint32_t i = 0; i < 2; i++) {
		memcpy(bad, good, sizeof bad);
		bad[i]++;
		meet_stranger(bad, sizeof bad);
	}
	memcpy(bad, good, sizeof bad);
	bad[4] = bad[5] = UINT32_MAX; /* more bytes than can be */
	meet_stranger(bad, sizeof bad);
}
END_TEST

static bool at_once(void *user)
{
	return ++*(unsigned *)user > 3;
}

/* Without the other rank. */
START_TEST(a_wait_may_end)
{
	struct inside *inside = inside_new(2, 1, 0);
	unsigned asked = 0;
	struct ps_exchange_how how = { .stop = at_once, .user = &asked };
	struct ps_exchanged x;
	char text[256];

	ck_assert_int_eq(
		ps_exchange_with(inside_rank(inside, 0), &how, "a", 1, &x, text, sizeof text), -ECANCELED);
	ck_assert_uint_eq(asked, 4);
	inside_free(inside);
	inside = inside_new(2, 1, 0);
	ck_assert_int_eq(
		ps_exchange(inside_rank(inside, 0), "a", 1, SECOND / 50, &x, text, sizeof text), -ETIMEDOUT);
	TEST_SAYS(text, "rank 1 (h1): nothing has come from there for 0.02");
	inside_free(inside);
}
END_TEST

START_TEST(what_is_refused)
{
	struct inside *inside = inside_new(2, 1, 0);
	struct pstk_transport old = *inside_rank(inside, 0);
	struct ps_exchanged x;
	char text[256];

	old.struct_size--;
	ck_assert_int_eq(ps_exchange(&old, "a", 1, 0, &x, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "inside: its table has", "another version");
	ck_assert_int_eq(ps_exchange(inside_rank(inside, 0), "a", (size_t)1 << 32, 0, &x, text, sizeof text),
		-EMSGSIZE);
	TEST_SAYS(text, "4294967296 bytes", "2147483648 are the most");
	inside_free(inside);
}
END_TEST

/* Each allocation fails once, of whichever rank. */
START_TEST(without_memory)
{
	bool failed = true;

	for (long n = 0; failed; n++) {
		struct inside *inside = inside_new(2, (uint64_t)n, 1);
		struct side sides[2] = { { .bytes = "a", .size = 1 }, { .bytes = "b", .size = 1 } };

		ps_memory_fail_at = n;
		exchange_sides(inside, sides, 2);
		failed = ps_memory_fail_at < 0;
		ps_memory_fail_at = -1;
		ck_assert_int_eq(failed, sides[0].err == -ENOMEM || sides[1].err == -ENOMEM);
		for (uint32_t i = 0; i < 2; i++)
			if (sides[i].err == -ENOMEM)
				ck_assert_str_eq(sides[i].text, "out of memory");
		free_sides(sides, 2);
		inside_free(inside);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exchange");
	TCase *c = test_case(s, "exchange");

	tcase_add_test(c, around_a_run);
	tcase_add_test(c, in_pieces);
	tcase_add_test(c, one_rank_alone);
	tcase_add_test(c, each_fault);
	tcase_add_test(c, another_exchange);
	tcase_add_test(c, gathered_by_one_of_two);
	tcase_add_test(c, a_stranger_is_refused);
	tcase_add_test(c, a_wait_may_end);
	tcase_add_test(c, what_is_refused);
	tcase_add_test(c, without_memory);
	return test_main(s);
}
