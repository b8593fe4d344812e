/* SPDX-License-Identifier: MIT */
/* What the ranks tell each other to find that all stand still: alone, with work and messages that a test draws. */
#include "lib/run/standstill.h"
#include "tests/common/common.h"

#include <inttypes.h>
#include <string.h>

enum { RANKS = 4, ON_THE_WAY = 64 };

/* Messages of one sort from a rank to another one, in order. */
struct way {
	struct ps_standstill_message messages[ON_THE_WAY];
	unsigned first, count;
};

static struct rank {
	struct ps_standstill standstill;
	uint64_t work, done, sent, come, granted, credits;
	bool waits; /* it has an actor left when it has no work */
} ranks[RANKS];
static uint32_t count;
static struct test_rng rng;
static uint64_t windows[RANKS][RANKS], credits[RANKS][RANKS]; /* on their way */
static struct way reports[RANKS], asks[RANKS];

static void put(struct way *w, struct ps_standstill_message m)
{
	ck_assert_uint_lt(w->count, ON_THE_WAY);
	w->messages[(w->first + w->count++) % ON_THE_WAY] = m;
}

static struct ps_standstill_message take(struct way *w)
{
	struct ps_standstill_message m = w->messages[w->first];

	w->first = (w->first + 1) % ON_THE_WAY;
	w->count--;
	return m;
}

static uint32_t other_than(uint32_t rank)
{
	return (rank + test_between(&rng, 1, count - 1)) % count;
}

/* A rank with work does some of it, and perhaps sends something. */
static void work(uint32_t rank)
{
	struct rank *r = &ranks[rank];
	uint32_t to = other_than(rank);

	if (!r->work)
		return;
	r->done++;
	r->work -= test_chance(&rng, 70);
	if (test_chance(&rng, 40)) {
		r->sent++;
		windows[rank][to]++;
	}
	if (test_chance(&rng, 30)) {
		r->granted++;
		credits[rank][to]++;
	}
}

static void arrive(uint32_t rank)
{
	struct rank *r = &ranks[rank];
	uint32_t from = other_than(rank);

	if (windows[from][rank] && test_chance(&rng, 50)) {
		windows[from][rank]--;
		r->come++;
		r->work += test_chance(&rng, 80);
	} else if (credits[from][rank]) {
		credits[from][rank]--;
		r->credits++;
		r->work += test_chance(&rng, 60);
	}
}

static bool is_over(void)
{
	for (uint32_t i = 0; i < count; i++) {
		if (ranks[i].work)
			return false;
		for (uint32_t k = 0; k < count; k++)
			if (windows[i][k] || credits[i][k])
				return false;
	}
	return true;
}

static bool any_waits(void)
{
	for (uint32_t i = 0; i < count; i++)
		if (ranks[i].waits)
			return true;
	return false;
}

static uint64_t activity(const struct rank *r)
{
	return r->done + r->sent + r->come + r->granted + r->credits;
}

/* balks: it could not look. */
static void look(uint32_t rank, bool balks)
{
	struct rank *r = &ranks[rank];

	if (!ps_standstill_wants(&r->standstill, activity(r)))
		return;
	ps_standstill_look(&r->standstill, &(struct ps_standstill_report){ .activity = activity(r),
						   .sent = r->sent,
						   .come = r->come,
						   .granted = r->granted,
						   .credits = r->credits,
						   .waiting = r->waits || r->work,
						   .still = !r->work && !balks });
}

static void talk(uint32_t rank)
{
	struct ps_standstill *s = &ranks[rank].standstill, *zero = &ranks[0].standstill;
	uint64_t round = rank ? ps_standstill_to_ask(zero, rank) : 0;

	if (!rank)
		return;
	if (round && asks[rank].count < 2 && test_chance(&rng, 50)) {
		put(&asks[rank], (struct ps_standstill_message){ .round = round });
		ps_standstill_ask(zero, rank);
	}
	if (asks[rank].count && test_chance(&rng, 50))
		ps_standstill_asked(s, take(&asks[rank]).round);
	if (ps_standstill_pending(s) && reports[rank].count < 2 && test_chance(&rng, 50)) {
		put(&reports[rank], *ps_standstill_pending(s));
		ps_standstill_told(s);
	}
	if (reports[rank].count && test_chance(&rng, 50)) {
		struct ps_standstill_message m = take(&reports[rank]);

		ps_standstill_hear(zero, rank, &m);
	}
}

static void begin(uint64_t seed)
{
	rng = (struct test_rng){ test_mix(seed) };
	count = test_between(&rng, 2, RANKS);
	memset(ranks, 0, sizeof ranks);
	memset(windows, 0, sizeof windows);
	memset(credits, 0, sizeof credits);
	memset(reports, 0, sizeof reports);
	memset(asks, 0, sizeof asks);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_int_eq(ps_standstill_init(&ranks[i].standstill, i, count), 0);
		ranks[i].work = test_between(&rng, 0, 3);
		ranks[i].waits = test_chance(&rng, 60);
	}
}

static void end(void)
{
	for (uint32_t i = 0; i < count; i++)
		ps_standstill_fini(&ranks[i].standstill);
}

static void step(unsigned steps_of_work)
{
	uint32_t rank = test_between(&rng, 0, count - 1);

	switch (test_between(&rng, 0, 3 + steps_of_work)) {
	case 0:
		look(rank, test_chance(&rng, 20));
		break;
	case 1:
	case 2:
		talk(rank);
		break;
	case 3:
		arrive(rank);
		break;
	default:
		work(rank);
	}
}

/* So many steps are enough for all to be told, once nothing moves any more. */
enum { ENOUGH = 20000 };

static void check_found(uint64_t seed, bool found)
{
	ck_assert_msg(found == any_waits(), "seed %" PRIu64 ": %s", seed,
		found ? "found, but all have ended" : "not found");
}

START_TEST(finds_each_end)
{
	uint64_t rounds = test_rounds(2000), first = test_seed();

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct ps_standstill *zero = &ranks[0].standstill;
		unsigned quiet = 0;

		begin(seed);
		while (quiet < ENOUGH && !ps_standstill_dead(zero)) {
			step(seed % 4 + 1);
			quiet = is_over() ? quiet + 1 : 0;
		}
		ck_assert_msg(
			!ps_standstill_dead(zero) || is_over(), "seed %" PRIu64 ": a false alarm", seed);
		check_found(seed, ps_standstill_dead(zero));
		end();
	}
}
END_TEST

/* Rank 0 learns that one has gone on. It goes by its next word. */
START_TEST(finds_it_again)
{
	uint64_t rounds = test_rounds(1000), first = test_seed();

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct ps_standstill *zero = &ranks[0].standstill;
		unsigned steps = 0, forgets = 3;

		begin(seed);
		ranks[count - 1].waits = true;
		while (steps++ < 10 * ENOUGH && (forgets || !ps_standstill_dead(zero))) {
			step(3);
			if (!ps_standstill_dead(zero) || !forgets)
				continue;
			forgets--;
			ranks[test_between(&rng, 0, count - 1)].work += test_chance(&rng, 50);
			ps_standstill_forget(zero);
		}
		ck_assert_msg(ps_standstill_dead(zero) && is_over(), "seed %" PRIu64, seed);
		end();
	}
}
END_TEST

/* Rank 1 of two tells, asked in this round. */
static void tell(struct ps_standstill *s, struct ps_standstill_report report, uint64_t round)
{
	ps_standstill_hear(s, 1, &(struct ps_standstill_message){ .report = report, .round = round });
}

static const struct ps_standstill_report at_rest = {
	.activity = 7, .sent = 2, .come = 3, .waiting = 1, .still = 1
};
static const struct ps_standstill_report the_other = { .activity = 9, .sent = 3, .come = 2, .still = 1 };

/* Both have told, and rank 0 asks. */
static uint64_t begin_round(struct ps_standstill *s)
{
	ck_assert_int_eq(ps_standstill_init(s, 0, 2), 0);
	ck_assert(ps_standstill_wants(s, 7));
	ps_standstill_look(s, &at_rest);
	ck_assert(!ps_standstill_wants(s, 7));
	ck_assert_uint_eq(ps_standstill_to_ask(s, 1), 0);
	tell(s, the_other, 0);
	ck_assert_uint_ne(ps_standstill_to_ask(s, 1), 0);
	ck_assert(ps_standstill_wants(s, 7));
	return ps_standstill_to_ask(s, 1);
}

START_TEST(asks_all_once_more)
{
	struct ps_standstill s;
	uint64_t round = begin_round(&s);

	ps_standstill_ask(&s, 1);
	ck_assert_uint_eq(ps_standstill_to_ask(&s, 1), 0);
	tell(&s, the_other, round);
	ck_assert(!ps_standstill_dead(&s));
	ps_standstill_look(&s, &at_rest);
	ck_assert(ps_standstill_dead(&s));
	ps_standstill_fini(&s);
}
END_TEST

/* What has changed since the first report is no answer, nor is one to an earlier round. */
START_TEST(takes_no_other_answer)
{
	static const struct ps_standstill_report changed[] = {
		{ .activity = 10, .sent = 3, .come = 2, .still = 1 },
		{ .activity = 9, .sent = 4, .come = 2, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 3, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 2, .granted = 1, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 2, .credits = 1, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 2, .waiting = 1, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 2 },
	};

	for (size_t i = 0; i < TEST_COUNT(changed); i++) {
		struct ps_standstill s;
		uint64_t round = begin_round(&s);

		ps_standstill_look(&s, &at_rest);
		tell(&s, changed[i], round);
		ck_assert_msg(!ps_standstill_dead(&s), "%zu", i);
		ps_standstill_fini(&s);
	}
	for (uint64_t late = 0; late < 2; late++) {
		struct ps_standstill s;
		uint64_t round = begin_round(&s);

		ps_standstill_look(&s, &at_rest);
		tell(&s, the_other, late ? round + 1 : 0);
		ck_assert(!ps_standstill_dead(&s));
		ps_standstill_fini(&s);
	}
}
END_TEST

/* Messages, or credits, are on their way; or all actors have ended. */
START_TEST(asks_in_vain_never)
{
	static const struct ps_standstill_report busy[] = {
		{ .activity = 9, .sent = 4, .come = 2, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 1, .still = 1 },
		{ .activity = 9, .sent = 3, .come = 2, .granted = 1, .still = 1 },
	};

	for (size_t i = 0; i < TEST_COUNT(busy) + 1; i++) {
		struct ps_standstill_report mine = at_rest;
		struct ps_standstill s;

		mine.waiting = i < TEST_COUNT(busy);
		ck_assert_int_eq(ps_standstill_init(&s, 0, 2), 0);
		ps_standstill_look(&s, &mine);
		tell(&s, i < TEST_COUNT(busy) ? busy[i] : the_other, 0);
		ck_assert_uint_eq(ps_standstill_to_ask(&s, 1), 0);
		ps_standstill_fini(&s);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("standstill");
	TCase *tcase = test_case(suite, "standstill");

	tcase_add_test(tcase, finds_each_end);
	tcase_add_test(tcase, finds_it_again);
	tcase_add_test(tcase, asks_all_once_more);
	tcase_add_test(tcase, takes_no_other_answer);
	tcase_add_test(tcase, asks_in_vain_never);
	return test_main(suite);
}
