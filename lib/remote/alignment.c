/* SPDX-License-Identifier: MIT */
#include "lib/remote/alignment.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/remote/meeting.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>

enum { ROUNDS = 32, SPIN_NS = 1000000, MOST_PASSED_NS = 1000000000 };

/* Two a pair of ranks. */
enum channel { SAYS, HEARS, CHANNELS };

struct alignment {
	struct ps_given_up given_up; /* first */
	struct ps_meeting meeting;
	const struct ps_alignment_how *how;
	uint64_t looked, silent;
	uint64_t says, hears; /* the messages: what a clock says; of a ping nothing */
	bool posted[CHANNELS];
};

static uint64_t now(const struct alignment *a)
{
	return a->how->now ? a->how->now(a->how->user) : ps_clock_ns();
}

/* Nothing has come from that rank. May it go on? */
static int ask(struct alignment *a, uint32_t rank)
{
	uint64_t time = ps_clock_ns(), passed = time - a->looked;

	a->looked = time;
	a->silent += passed < MOST_PASSED_NS ? passed : MOST_PASSED_NS;
	if (a->how->patience_ns && a->silent >= a->how->patience_ns)
		return ps_meeting_blame(&a->meeting, -ETIMEDOUT, rank,
			"nothing has come from there for %.3g s", (double)a->silent / 1e9);
	if (!a->how->stop || !a->how->stop(a->how->user))
		return 0;
	snprintf(a->meeting.text, a->meeting.size, "stopped while ranks waited for each other");
	return -ECANCELED;
}

static void pause_between(struct alignment *a, bool moved)
{
	if (moved || ps_meeting_is_still(&a->meeting, SPIN_NS))
		ps_meeting_pause(&a->meeting, moved);
	else
		sched_yield(); /* the other rank may be on this core */
}

/* Waits until what is posted on this channel is through. */
static int await(struct alignment *a, uint32_t rank, enum channel c)
{
	struct pstk_transport_done done;
	int n, err = 0;

	a->silent = 0;
	a->looked = ps_clock_ns();
	while (a->posted[c] && !err) {
		n = ps_meeting_look(&a->meeting, &done, 1);
		if (n < 0)
			return n;
		if (n && done.err)
			return ps_meeting_blame_cause(&a->meeting, done.err, rank, "a message has failed");
		if (n)
			a->posted[done.channel % CHANNELS] = false;
		else
			err = ask(a, rank);
		if (a->posted[c] && !err)
			pause_between(a, n);
	}
	return err;
}

static int receive(struct alignment *a, uint32_t rank, uint32_t index)
{
	a->posted[HEARS] = true;
	return ps_meeting_receive(&a->meeting, rank, index + HEARS, 0, &a->hears, sizeof a->hears);
}

static int send(struct alignment *a, uint32_t rank, uint32_t index)
{
	a->posted[SAYS] = true;
	return ps_meeting_send(&a->meeting, rank, index + SAYS, 0, &a->says, sizeof a->says);
}

/* Rank 0, with one of the others. */
static int measure(struct alignment *a, uint32_t rank, int64_t *ahead, uint64_t *within)
{
	uint32_t index = (rank - 1) * CHANNELS;
	uint64_t least = UINT64_MAX, begin, end;
	int err = 0;

	for (unsigned i = 0; i < ROUNDS && !err; i++) {
		err = receive(a, rank, index);
		begin = now(a);
		if (!err)
			err = send(a, rank, index);
		if (!err)
			err = await(a, rank, HEARS);
		end = now(a);
		if (!err && end - begin < least) {
			least = end - begin;
			*ahead = (int64_t)(a->hears - begin - least / 2);
			*within = least - least / 2;
		}
		if (!err)
			err = await(a, rank, SAYS);
	}
	return err;
}

/* Another one, with rank 0. It posts a receive before it sends what rank 0 answers. */
static int answer(struct alignment *a)
{
	int err = receive(a, 0, 0);

	for (unsigned i = 0; i < ROUNDS && !err; i++) {
		err = await(a, 0, HEARS);
		if (!err && i + 1 < ROUNDS)
			err = receive(a, 0, 0);
		a->says = now(a);
		if (!err)
			err = send(a, 0, 0);
		if (!err)
			err = await(a, 0, SAYS);
	}
	return err;
}

static int open_transport(struct alignment *a)
{
	const struct pstk_transport *t = a->meeting.transport;
	uint32_t others = t->rank ? 1 : t->ranks - 1;
	struct pstk_transport_channel *all = ps_memory_zalloc(others * CHANNELS, sizeof *all);
	int err;

	if (!all) {
		snprintf(a->meeting.text, a->meeting.size, "out of memory");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < others; i++) {
		uint32_t other = t->rank ? 0 : i + 1;

		all[i * CHANNELS + SAYS] = (struct pstk_transport_channel){ ps_meeting_first(t->rank, other),
			other, true, 1, sizeof a->says };
		all[i * CHANNELS + HEARS] = (struct pstk_transport_channel){ ps_meeting_first(other, t->rank),
			other, false, 1, sizeof a->hears };
	}
	err = ps_meeting_open(&a->meeting, all, others * CHANNELS);
	ps_memory_free(all);
	return err;
}

static int meet(struct alignment *a, int64_t *ahead, uint64_t *within)
{
	const struct pstk_transport *t = a->meeting.transport;
	uint64_t unwanted;
	int err = 0;

	if (t->rank) {
		err = answer(a);
	} else {
		ahead[0] = 0;
		if (within)
			within[0] = 0;
	}
	for (uint32_t i = 1; !t->rank && i < t->ranks && !err; i++)
		err = measure(a, i, &ahead[i], within ? &within[i] : &unwanted);
	ps_meeting_close(&a->meeting);
	return err;
}

int ps_alignment_measure(struct pstk_transport *t, const struct ps_alignment_how *how, int64_t *ahead,
	uint64_t *within, char *text, size_t text_size)
{
	struct alignment *a = ps_memory_zalloc(1, sizeof *a);
	int err;

	if (!a) {
		snprintf(text, text_size, "out of memory");
		return -ENOMEM;
	}
	a->meeting = (struct ps_meeting){ .transport = t, .text = text, .size = text_size };
	a->how = how;
	err = open_transport(a);
	if (err) {
		ps_memory_free(a);
		return err;
	}
	err = meet(a, ahead, within);
	if (err)
		ps_meeting_give_up(&a->given_up);
	else
		ps_memory_free(a);
	return err;
}
