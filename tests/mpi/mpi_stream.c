/* SPDX-License-Identifier: MIT */
/*
 * Streams of windows, with 1 to 4 of them on their way. The receiver posts a receive into each of its buffers and tells
 * the sender how many it has posted, over a channel of its own: the credits. The sender sends no window without one.
 * Each token of each window follows from the stream, the window and its place.
 */
#include "tests/mpi/mpi_case.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { CANARY = 0xa5, MOST_ROOM = 16 };

/* One that this rank sends or receives. */
struct stream {
	uint32_t number;                       /* of all streams of all ranks */
	bool sends;                            /* its windows */
	uint32_t data, credit;                 /* its channels' places */
	uint32_t k, buffer_count;              /* windows on their way; buffers that they have in turn */
	uint64_t posted, told;                 /* windows */
	uint64_t granted;                      /* windows for which the sender has, or was given, a credit */
	uint64_t credits_posted, credits_told; /* messages */
	uint64_t ended;                        /* receives of credits that were cancelled */
	uint8_t *buffers;
	uint64_t credits[5]; /* their buffers */
};

/* What all of them have. */
static struct {
	bool pairs, shorter, moving;
	uint64_t bytes, windows;
	uint32_t room, count;
	struct stream *streams;
	struct pstk_transport_channel *channels;
} all;

static uint64_t length(const struct stream *s, uint64_t window)
{
	uint64_t random = case_mix(s->number + UINT64_C(77), window);

	if (!all.shorter)
		return all.bytes;
	return random % 7 ? random % (all.bytes + 1) : 0;
}

/* The tokens of a window are 4 bytes each; the last one may be cut. */
static uint32_t first_token(const struct stream *s, uint64_t window)
{
	return (uint32_t)case_mix(s->number, window);
}

static void fill(const struct stream *s, uint64_t window, uint8_t *to)
{
	uint64_t bytes = length(s, window);
	uint32_t token = first_token(s, window);

	for (uint64_t at = 0; at < bytes; at += sizeof token, token++)
		memcpy(to + at, &token, bytes - at < sizeof token ? (size_t)(bytes - at) : sizeof token);
}

static void check(const struct stream *s, uint64_t window, const uint8_t *from)
{
	uint64_t bytes = length(s, window);
	uint32_t token = first_token(s, window);

	for (uint64_t at = 0; at < bytes; at += sizeof token, token++)
		CASE_NEEDS(!memcmp(
			from + at, &token, bytes - at < sizeof token ? (size_t)(bytes - at) : sizeof token));
	/* nothing beyond it was written */
	for (uint64_t at = bytes; at < all.bytes; at++)
		CASE_NEEDS(from[at] == CANARY);
}

static uint8_t *buffer(const struct stream *s, uint64_t window)
{
	return s->buffers + window % s->buffer_count * (all.bytes ? all.bytes : 1);
}

/* -- the sender -- */

static void await_credit(struct stream *s)
{
	uint32_t slot = (uint32_t)(s->credits_posted++ % (s->k + 1));

	case_receive(s->credit, slot, &s->credits[slot], sizeof s->credits[slot]);
}

static void credit_came(struct stream *s, const struct pstk_transport_done *done)
{
	CASE_NEEDS(done->slot == s->credits_told++ % (s->k + 1));
	if (done->err == -ECANCELED) {
		CASE_NEEDS(s->granted == all.windows);
		s->ended++;
		return;
	}
	CASE_NEEDS(!done->err);
	CASE_NEEDS(done->bytes == sizeof s->credits[0]);
	CASE_NEEDS(!s->granted || s->credits[done->slot] == s->granted + 1);
	s->granted = s->credits[done->slot];
	if (s->granted < all.windows)
		await_credit(s);
	else
		CASE_NEEDS(!case_transport->cancel(case_transport->self, s->credit));
}

static void send_windows(struct stream *s)
{
	for (; s->posted < s->granted && s->posted - s->told < s->k; s->posted++) {
		fill(s, s->posted, buffer(s, s->posted));
		case_send(s->data, (uint32_t)(s->posted % s->k), buffer(s, s->posted), length(s, s->posted));
	}
}

static void window_left(struct stream *s, const struct pstk_transport_done *done)
{
	CASE_NEEDS(done->slot == s->told % s->k);
	CASE_NEEDS(!done->err);
	CASE_NEEDS(done->bytes == length(s, s->told));
	s->told++;
}

/* -- the receiver -- */

static void await_windows(struct stream *s)
{
	for (; s->posted < all.windows && s->posted - s->told < s->k; s->posted++) {
		if (all.shorter)
			memset(buffer(s, s->posted), CANARY, all.bytes);
		case_receive(s->data, (uint32_t)(s->posted % s->k), buffer(s, s->posted), all.bytes);
	}
}

static void grant(struct stream *s)
{
	while (s->granted < s->posted && s->credits_posted - s->credits_told < s->k + 1) {
		uint32_t slot = (uint32_t)(s->credits_posted++ % (s->k + 1));

		/* the first one tells of all that were posted at the begin */
		s->granted = s->granted ? s->granted + 1 : s->posted;
		s->credits[slot] = s->granted;
		case_send(s->credit, slot, &s->credits[slot], sizeof s->credits[slot]);
	}
}

static void window_came(struct stream *s, const struct pstk_transport_done *done)
{
	CASE_NEEDS(done->slot == s->told % s->k);
	CASE_NEEDS(!done->err);
	CASE_NEEDS(done->bytes == length(s, s->told));
	check(s, s->told, buffer(s, s->told));
	s->told++;
}

/* -- all -- */

/* A stream from one rank to another one, if this is one of the two. */
static void add(uint32_t number, uint32_t from, uint32_t to)
{
	uint32_t me = case_transport->rank;
	struct stream *s = &all.streams[all.count];

	if (from != me && to != me)
		return;
	*s = (struct stream){ .number = number, .sends = from == me, .k = 1 + number % 4 };
	s->buffer_count = s->k + all.moving;
	s->buffers = malloc(s->buffer_count * (all.bytes ? all.bytes : 1));
	CASE_NEEDS(s->buffers);
	s->data = 2 * all.count;
	s->credit = s->data + 1;
	all.channels[s->data] = (struct pstk_transport_channel){ .number = 2 * number,
		.peer = s->sends ? to : from,
		.sends = s->sends,
		.slots = s->k,
		.bytes = all.bytes };
	all.channels[s->credit] = (struct pstk_transport_channel){ .number = 2 * number + 1,
		.peer = s->sends ? to : from,
		.sends = !s->sends,
		.slots = s->k + 1,
		.bytes = sizeof s->credits[0] };
	all.count++;
}

/* A ring: from each rank to the next one. Pairs: two streams from each rank to each other one. */
static void add_streams(void)
{
	uint32_t ranks = case_transport->ranks, number = 0;

	all.streams = calloc(2 * ranks * ranks, sizeof *all.streams);
	all.channels = calloc(4 * ranks * ranks, sizeof *all.channels);
	CASE_NEEDS(all.streams && all.channels);
	for (uint32_t from = 0; from < ranks; from++)
		if (!all.pairs) {
			add(number++, from, (from + 1) % ranks);
		} else {
			for (uint32_t to = 0; to < ranks; to++)
				for (uint32_t i = 0; i < 2 && to != from; i++)
					add(number++, from, to);
		}
}

static bool through(const struct stream *s)
{
	if (s->told < all.windows)
		return false;
	return s->sends ? s->credits_told == s->credits_posted
	                : s->granted == s->posted && s->credits_told == s->credits_posted;
}

static void move(struct stream *s)
{
	if (s->sends) {
		send_windows(s);
	} else {
		await_windows(s);
		grant(s);
	}
}

static void tell(const struct pstk_transport_done *done)
{
	struct stream *s = &all.streams[done->channel / 2];

	CASE_NEEDS(done->channel < 2 * all.count);
	if (done->channel == s->data && s->sends)
		window_left(s, done);
	else if (done->channel == s->data)
		window_came(s, done);
	else if (s->sends)
		credit_came(s, done);
	else
		s->credits_told++;
	move(s);
}

void case_stream(char **arguments)
{
	struct pstk_transport_done done[MOST_ROOM];
	uint32_t left;
	int count;

	all.pairs = !strcmp(arguments[0], "pairs");
	all.shorter = !strcmp(arguments[1], "short");
	all.moving = !strcmp(arguments[1], "moving");
	all.bytes = strtoull(arguments[2], NULL, 10);
	all.windows = strtoull(arguments[3], NULL, 10);
	all.room = (uint32_t)strtoul(arguments[4], NULL, 10);
	CASE_NEEDS(all.windows && all.room && all.room <= MOST_ROOM);
	case_begin(2);
	add_streams();
	case_open(all.channels, 2 * all.count);
	for (uint32_t i = 0; i < all.count; i++)
		for (uint32_t c = 0; all.streams[i].sends && c <= all.streams[i].k; c++)
			await_credit(&all.streams[i]);
	for (uint32_t i = 0; i < all.count; i++)
		move(&all.streams[i]);
	do {
		count = case_transport->test(case_transport->self, done, all.room);
		CASE_NEEDS(count >= 0 && count <= (int)all.room);
		for (int i = 0; i < count; i++)
			tell(&done[i]);
		if (!count)
			sched_yield();
		left = 0;
		for (uint32_t i = 0; i < all.count; i++)
			left += !through(&all.streams[i]);
	} while (left);
	for (uint32_t i = 0; i < all.count; i++)
		free(all.streams[i].buffers);
	case_end();
	free(all.streams);
	free(all.channels);
}
