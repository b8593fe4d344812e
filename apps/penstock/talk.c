/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/talk.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Numbers of channels. What comes early, and is kept by the transport, is in channels 0 to 3. */
enum { WORDS = 0, BULK = 4 };

/* Of another rank, in this order from `channel` on. */
enum { HEARS, SAYS, GETS, GIVES, KINDS };

/* Nanoseconds between two looks. */
enum { SHORTEST = 20000, LONGEST = 2000000, ROOM = 16 };

struct talk {
	struct pstk_transport *transport;
	struct pstk_transport_channel *channels;
	unsigned kinds;           /* of channels to each rank: KINDS, or without bulk 2 */
	unsigned *through;        /* messages of each channel so far */
	unsigned round, hearings; /* hearings: rounds whose receives are posted */
	unsigned bulk;            /* messages that are posted, and not through */
	uint8_t *heard;           /* of each rank two slots */
	uint8_t *said;            /* two slots */
	bool failed;
};

/* The place of a rank's channel; not of this rank. */
static uint32_t channel_of(const struct talk *t, unsigned rank, unsigned kind)
{
	return (rank - (rank > t->transport->rank)) * t->kinds + kind;
}

static uint8_t *heard(const struct talk *t, unsigned rank, unsigned round)
{
	return t->heard + (2 * rank + round % 2) * (size_t)TALK_BYTES;
}

static int failed(struct talk *t, int err)
{
	t->failed |= err < 0;
	return err;
}

/* Posts the receives of one round more. */
static int post_hearing(struct talk *t)
{
	int err = 0;

	for (unsigned r = 0; r < t->transport->ranks && !err; r++)
		if (r != t->transport->rank)
			err = t->transport->receive(t->transport->self, channel_of(t, r, HEARS),
				t->hearings % 2, heard(t, r, t->hearings), TALK_BYTES);
	t->hearings++;
	return failed(t, err);
}

static void fill_channels(struct talk *t, uint64_t bulk)
{
	for (unsigned r = 0; r < t->transport->ranks; r++)
		for (unsigned kind = 0; kind < t->kinds && r != t->transport->rank; kind++)
			t->channels[channel_of(t, r, kind)] =
				(struct pstk_transport_channel){ .number = kind < GETS ? WORDS : BULK,
					.peer = r,
					.sends = kind == SAYS || kind == GIVES,
					.slots = kind < GETS ? 2 : TALK_BULK,
					.bytes = kind < GETS ? TALK_BYTES : bulk };
}

static void release(struct talk *t)
{
	free(t->channels);
	free(t->through);
	free(t->heard);
	free(t->said);
	free(t);
}

struct talk *talk_open(struct pstk_transport *transport, uint64_t bulk, int *err)
{
	struct talk *t = calloc(1, sizeof *t);
	uint32_t others = transport->ranks - 1;

	*err = -ENOMEM;
	if (!t)
		return NULL;
	t->transport = transport;
	t->kinds = bulk ? KINDS : GETS;
	t->channels = calloc((size_t)others * t->kinds + 1, sizeof *t->channels);
	t->through = calloc((size_t)others * t->kinds + 1, sizeof *t->through);
	t->heard = calloc(transport->ranks, 2 * (size_t)TALK_BYTES);
	t->said = calloc(2, TALK_BYTES);
	if (t->channels && t->through && t->heard && t->said) {
		fill_channels(t, bulk);
		*err = transport->open(transport->self, t->channels, others * t->kinds);
		if (!*err && !(*err = post_hearing(t)) && !(*err = post_hearing(t)))
			return t;
		transport->close(transport->self);
	}
	release(t);
	return NULL;
}

/* Looks once. Negative errno, or how many messages are through. */
static int look(struct talk *t)
{
	struct pstk_transport_done done[ROOM];
	int count = t->transport->test(t->transport->self, done, ROOM);

	for (int i = 0; i < count; i++) {
		if (done[i].err)
			return failed(t, done[i].err);
		t->through[done[i].channel]++;
		t->bulk -= done[i].channel % t->kinds >= GETS;
	}
	return failed(t, count);
}

/* Have all ranks said what they say in this round, and heard this one? */
static bool is_round_over(const struct talk *t)
{
	for (unsigned r = 0; r < t->transport->ranks; r++)
		for (unsigned kind = HEARS; kind <= SAYS && r != t->transport->rank; kind++)
			if (t->through[channel_of(t, r, kind)] <= t->round)
				return false;
	return true;
}

/* The other ranks may have much to do before they come here: so the wait costs little. */
static int await_round(struct talk *t)
{
	struct timespec pause = { .tv_nsec = SHORTEST };

	while (!is_round_over(t)) {
		int count = look(t);

		if (count < 0)
			return count;
		if (count) {
			pause.tv_nsec = SHORTEST;
			continue;
		}
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		pause.tv_nsec = pause.tv_nsec < LONGEST ? pause.tv_nsec + pause.tv_nsec / 8 : LONGEST;
	}
	return 0;
}

int talk_round(struct talk *t, const void *mine, size_t bytes, void *all)
{
	struct pstk_transport *transport = t->transport;
	uint8_t *words = t->said + t->round % 2 * (size_t)TALK_BYTES;
	int err = t->hearings < t->round + 2 ? post_hearing(t) : 0;

	memcpy(words, mine, bytes);
	for (unsigned r = 0; r < transport->ranks && !err; r++)
		if (r != transport->rank)
			err = transport->send(
				transport->self, channel_of(t, r, SAYS), t->round % 2, words, bytes);
	err = failed(t, err) ? err : await_round(t);
	for (unsigned r = 0; r < transport->ranks && !err; r++)
		memcpy((uint8_t *)all + r * bytes,
			r == transport->rank ? (const uint8_t *)mine : heard(t, r, t->round), bytes);
	t->round++;
	return err;
}

int talk_send(struct talk *t, unsigned rank, unsigned slot, const void *buffer, uint64_t bytes)
{
	t->bulk++;
	return failed(
		t, t->transport->send(t->transport->self, channel_of(t, rank, GIVES), slot, buffer, bytes));
}

int talk_receive(struct talk *t, unsigned rank, unsigned slot, void *buffer, uint64_t bytes)
{
	t->bulk++;
	return failed(
		t, t->transport->receive(t->transport->self, channel_of(t, rank, GETS), slot, buffer, bytes));
}

int talk_await(struct talk *t, unsigned left)
{
	int count = 0;

	while (t->bulk > left && (count = look(t)) >= 0)
		if (!count)
			sched_yield();
	return count < 0 ? count : 0;
}

/* One piece of each rank's text. */
struct piece {
	uint64_t left; /* bytes of the whole from here on */
	char text[TALK_BYTES - sizeof(uint64_t)];
};

static bool append(char **text, const struct piece *piece)
{
	size_t length = strlen(*text),
	       bytes = piece->left < sizeof piece->text ? (size_t)piece->left : sizeof piece->text;
	char *longer = realloc(*text, length + bytes + 1);

	if (!longer)
		return false;
	memcpy(longer + length, piece->text, bytes);
	longer[length + bytes] = '\0';
	*text = longer;
	return true;
}

void talk_free(char **texts, unsigned ranks)
{
	for (unsigned r = 0; texts && r < ranks; r++)
		free(texts[r]);
	free(texts);
}

/* Piece by piece, until no rank has more. */
static int hear_texts(struct talk *t, const char *mine, char **texts, struct piece *pieces)
{
	const unsigned ranks = t->transport->ranks;
	uint64_t most = 1;

	while (most) {
		struct piece own = { .left = strlen(mine) };
		size_t bytes = own.left < sizeof own.text ? (size_t)own.left : sizeof own.text;
		int err;

		memcpy(own.text, mine, bytes);
		mine += bytes;
		err = talk_round(t, &own, sizeof own, pieces);
		if (err)
			return err;
		most = 0;
		for (unsigned r = 0; r < ranks; r++) {
			if (!append(&texts[r], &pieces[r]))
				return -ENOMEM;
			most |= pieces[r].left > sizeof own.text;
		}
	}
	return 0;
}

char **talk_texts(struct talk *t, const char *mine, int *err)
{
	const unsigned ranks = t->transport->ranks;
	char **texts = calloc(ranks, sizeof *texts);
	struct piece *pieces = calloc(ranks, sizeof *pieces);

	*err = texts && pieces ? 0 : -ENOMEM;
	for (unsigned r = 0; r < ranks && !*err; r++)
		if (!(texts[r] = calloc(1, 1)))
			*err = -ENOMEM;
	if (!*err)
		*err = hear_texts(t, mine, texts, pieces);
	free(pieces);
	if (!*err)
		return texts;
	talk_free(texts, ranks);
	return NULL;
}

/* Receives of a round that does not come. */
static void end_hearing(struct talk *t)
{
	struct pstk_transport_done done[ROOM];
	unsigned left = (t->transport->ranks - 1) * (t->hearings - t->round);
	int count = 0;

	for (unsigned r = 0; r < t->transport->ranks; r++)
		if (r != t->transport->rank &&
			t->transport->cancel(t->transport->self, channel_of(t, r, HEARS)))
			return;
	while (left && (count = t->transport->test(t->transport->self, done, ROOM)) >= 0)
		left -= (unsigned)count;
}

void talk_close(struct talk *t)
{
	if (!t)
		return;
	if (!t->failed)
		end_hearing(t);
	t->transport->close(t->transport->self);
	release(t);
}
