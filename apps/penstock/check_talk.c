/* SPDX-License-Identifier: MIT */
/* Talk between processes, and what is measured by it: over a transport inside of this process, with random delays. */
#include "apps/penstock/net_measure.h"
#include "apps/penstock/reminder.h"
#include "apps/penstock/talk.h"
#include "tests/common/common.h"
#include "tests/remote/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, ROUNDS = 50, BYTES = 64 };

struct speaker {
	struct pstk_transport *transport;
	pthread_t thread;
	uint64_t wrong; /* that it has heard */
	int err;
	struct net_measure nets[RANKS * RANKS];
};

static const size_t lengths[] = { 0, 1, 1015, 1016, 1017, 5000 };

static char *text_of(unsigned rank, unsigned i)
{
	size_t length = lengths[(rank + i) % TEST_COUNT(lengths)];
	char *text = calloc(1, length + 1);

	memset(text, (int)('a' + rank), length);
	return text;
}

static int hear_texts(struct speaker *s, struct talk *t, unsigned i)
{
	char *mine = text_of(s->transport->rank, i), **texts;
	int err;

	texts = talk_texts(t, mine, &err);
	free(mine);
	for (unsigned r = 0; texts && r < s->transport->ranks; r++) {
		char *wanted = text_of(r, i);

		s->wrong += strcmp(texts[r], wanted) != 0;
		free(wanted);
	}
	talk_free(texts, s->transport->ranks);
	return err;
}

/* Rounds of numbers, then of texts. */
static void *speak(void *data)
{
	struct speaker *s = data;
	uint64_t mine[3], all[3 * RANKS];
	struct talk *t = talk_open(s->transport, 0, &s->err);

	for (unsigned i = 0; i < ROUNDS && !s->err; i++) {
		mine[0] = mine[1] = mine[2] = 1000 * s->transport->rank + i;
		s->err = talk_round(t, mine, sizeof mine, all);
		for (unsigned r = 0; r < s->transport->ranks && !s->err; r++)
			s->wrong += all[3 * r] != 1000 * r + i || all[3 * r + 2] != 1000 * r + i;
	}
	for (unsigned i = 0; i < TEST_COUNT(lengths) && !s->err; i++)
		s->err = hear_texts(s, t, i);
	talk_close(t);
	return NULL;
}

static void *measure(void *data)
{
	struct speaker *s = data;

	s->err = net_measure_run(s->transport, BYTES, s->transport->ranks % 2, s->nets);
	return NULL;
}

/* All ranks do it, and nothing of what a transport asks for is broken. */
static void meet(struct speaker *speakers, unsigned ranks, uint32_t delay, void *(*run)(void *))
{
	struct inside *inside = inside_new(ranks, test_seed(), delay);

	for (unsigned r = 0; r < ranks; r++) {
		speakers[r] = (struct speaker){ .transport = inside_rank(inside, r) };
		ck_assert_int_eq(pthread_create(&speakers[r].thread, NULL, run, &speakers[r]), 0);
	}
	for (unsigned r = 0; r < ranks; r++) {
		pthread_join(speakers[r].thread, NULL);
		ck_assert_int_eq(speakers[r].err, 0);
		ck_assert_uint_eq(speakers[r].wrong, 0);
	}
	ck_assert_ptr_null(inside_violation(inside));
	inside_free(inside);
}

START_TEST(all_hear_all)
{
	struct speaker speakers[RANKS];

	for (unsigned ranks = 1; ranks <= RANKS; ranks++)
		for (uint32_t delay = 0; delay < 20; delay += 5)
			meet(speakers, ranks, delay, speak);
}
END_TEST

/* Each two ranks once; all learn the same. */
START_TEST(nets_are_measured)
{
	struct speaker speakers[RANKS];

	for (unsigned ranks = 2; ranks <= RANKS; ranks++) {
		const struct net_measure *nets = speakers[0].nets;
		unsigned k = 0;

		meet(speakers, ranks, 3, measure);
		for (unsigned a = 0; a < ranks; a++)
			for (unsigned b = a + 1; b < ranks; b++, k++) {
				ck_assert(nets[k].a == a && nets[k].b == b);
				ck_assert_double_gt(nets[k].latency, 0);
				ck_assert_double_gt(nets[k].both, 0);
				for (unsigned i = 0; i < NET_COUNTS; i++)
					ck_assert(nets[k].there[i] > 0 && nets[k].back[i] > 0);
				for (unsigned r = 1; r < ranks; r++)
					ck_assert_mem_eq(&speakers[r].nets[k], &nets[k], sizeof nets[k]);
			}
		ck_assert_uint_eq(k, net_measure_pairs(ranks));
	}
}
END_TEST

static const struct {
	enum inside_fault fault;
	uint32_t n;
	bool opens;
} faults[] = { { INSIDE_OPEN, 0, false }, { INSIDE_RECEIVE, 0, false }, { INSIDE_RECEIVE, 1, false },
	{ INSIDE_SEND, 0, true }, { INSIDE_TEST, 0, true } };

/* A transport that fails: the call says so, and what was made is freed. */
START_TEST(faults_are_told)
{
	struct inside *inside = inside_new(2, 1, 0);
	int err = 0, mine = 1, all[2];
	struct talk *first = talk_open(inside_rank(inside, 0), 0, &err), *t;

	ck_assert_ptr_nonnull(first);
	inside_fail(inside, 1, faults[_i].fault, faults[_i].n);
	t = talk_open(inside_rank(inside, 1), 0, &err);
	ck_assert(faults[_i].opens == (t != NULL) && faults[_i].opens == !err);
	if (t)
		ck_assert_int_lt(talk_round(t, &mine, sizeof mine, all), 0);
	talk_close(t);
	talk_close(first);
	talk_close(NULL);
	inside_free(inside);
}
END_TEST

/* A wait that is long is said once; one that is over in time is not. */
START_TEST(a_long_wait_is_said)
{
	struct reminder r;
	char said[64] = "";
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	reminder_begin(&r, ends[1], "in time");
	reminder_end(&r);
	reminder_seconds = 0;
	reminder_begin(&r, ends[1], "too late");
	ck_assert_int_eq(read(ends[0], said, sizeof said - 1), 9);
	reminder_end(&r);
	close(ends[1]);
	ck_assert_str_eq(said, "too late\n");
	ck_assert_int_eq(read(ends[0], said, sizeof said), 0);
	close(ends[0]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("talk");
	TCase *c = test_case(suite, "talk");

	tcase_add_test(c, all_hear_all);
	tcase_add_test(c, nets_are_measured);
	tcase_add_test(c, a_long_wait_is_said);
	tcase_add_loop_test(c, faults_are_told, 0, TEST_COUNT(faults));
	return test_main(suite);
}
