/* SPDX-License-Identifier: MIT */
#include "benchmarks/common/slow_transport.h"

#include <errno.h>
#include <stdlib.h>

/* A message that MPI is through with. */
struct held {
	struct pstk_transport_done done;
	uint64_t due;
};

struct channel {
	struct pstk_transport_channel face;
	uint64_t sent, through; /* messages */
	uint64_t *dues;         /* a sender's: of those that are posted, a ring of face.slots */
	struct held *held;      /* a ring of face.slots */
	uint32_t first, count;
};

struct slow {
	struct pstk_transport table, *inner;
	struct slow_link *link;
	struct channel *channels;
	uint32_t count, room;
	struct pstk_transport_done *news; /* what the transport behind this one tells */
};

static const char *host_name(void *self, uint32_t rank)
{
	struct slow *s = self;

	return s->inner->host_name(s->inner->self, rank);
}

static const char *error(void *self)
{
	struct slow *s = self;

	return s->inner->error(s->inner->self);
}

static void abort_all(void *self, int status)
{
	struct slow *s = self;

	s->inner->abort(s->inner->self, status);
}

static void forget(struct slow *s)
{
	for (uint32_t i = 0; i < s->count && s->channels; i++) {
		free(s->channels[i].dues);
		free(s->channels[i].held);
	}
	free(s->channels);
	free(s->news);
	s->channels = NULL;
	s->news = NULL;
	s->count = s->room = 0;
}

static void close_all(void *self)
{
	struct slow *s = self;

	s->inner->close(s->inner->self);
	forget(s);
}

static bool remember(struct slow *s, const struct pstk_transport_channel *channels, uint32_t count)
{
	s->channels = calloc(count ? count : 1, sizeof *s->channels);
	s->count = count;
	for (uint32_t i = 0; i < count && s->channels; i++) {
		struct channel *c = &s->channels[i];

		c->face = channels[i];
		c->dues = calloc(c->face.slots, sizeof *c->dues);
		c->held = calloc(c->face.slots, sizeof *c->held);
		s->room += c->face.slots;
		if (!c->dues || !c->held || c->face.number >= SLOW_LINK_STREAMS ||
			c->face.slots > SLOW_LINK_MESSAGES)
			return false;
	}
	s->news = calloc(s->room ? s->room : 1, sizeof *s->news);
	return s->channels && s->news;
}

static int open_all(void *self, const struct pstk_transport_channel *channels, uint32_t count)
{
	struct slow *s = self;
	int err = remember(s, channels, count) ? s->inner->open(s->inner->self, channels, count) : -ENOMEM;

	if (err)
		forget(s);
	return err;
}

static int receive(void *self, uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes)
{
	struct slow *s = self;

	return s->inner->receive(s->inner->self, channel, slot, buffer, bytes);
}

/* The time is said first: the other rank looks it up when the message has come. */
static int send(void *self, uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes)
{
	struct slow *s = self;
	struct channel *c = &s->channels[channel];

	c->dues[c->sent % c->face.slots] = slow_link_leave(s->link, c->face.number, c->sent, bytes);
	c->sent++;
	return s->inner->send(s->inner->self, channel, slot, buffer, bytes);
}

static int cancel(void *self, uint32_t channel)
{
	struct slow *s = self;

	return s->inner->cancel(s->inner->self, channel);
}

static void hold(struct slow *s, const struct pstk_transport_done *done)
{
	struct channel *c = &s->channels[done->channel];
	uint64_t due = 0;

	if (!done->err && c->face.sends)
		due = c->dues[c->through % c->face.slots];
	else if (!done->err)
		due = slow_link_arrival(s->link, c->face.number, c->through);
	c->through++;
	c->held[(c->first + c->count++) % c->face.slots] = (struct held){ *done, due };
}

static int test(void *self, struct pstk_transport_done *done, uint32_t room)
{
	struct slow *s = self;
	int count = s->inner->test(s->inner->self, s->news, s->room);
	uint64_t now = slow_link_now();
	uint32_t told = 0;

	for (int i = 0; i < count; i++)
		hold(s, &s->news[i]);
	for (uint32_t i = 0; i < s->count; i++) {
		struct channel *c = &s->channels[i];

		while (c->count && told < room && c->held[c->first].due <= now) {
			done[told++] = c->held[c->first].done;
			c->first = (c->first + 1) % c->face.slots;
			c->count--;
		}
	}
	return count < 0 ? count : (int)told;
}

static const struct pstk_transport functions = {
	.struct_size = sizeof(struct pstk_transport),
	.name = "slow",
	.host_name = host_name,
	.open = open_all,
	.receive = receive,
	.send = send,
	.cancel = cancel,
	.test = test,
	.error = error,
	.abort = abort_all,
	.close = close_all,
};

struct pstk_transport *slow_transport_new(struct slow_link *link, struct pstk_transport *inner)
{
	struct slow *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->table = functions;
	s->table.self = s;
	s->table.rank = inner->rank;
	s->table.ranks = inner->ranks;
	s->inner = inner;
	s->link = link;
	return &s->table;
}

void slow_transport_free(struct pstk_transport *t)
{
	free(t ? t->self : NULL);
}
