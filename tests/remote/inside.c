/* SPDX-License-Identifier: MIT */
#include "tests/remote/inside.h"
#include "tests/common/common.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 8, LINKS = 1024, SLOTS = 32, CHANNELS = 256, CONTROLS = 4, CONTROL_BYTES = 1024 };

struct post {
	void *buffer;
	const void *data;
	uint64_t bytes;
	uint32_t slot;
	bool kept; /* the sender may be told before it has come */
};

/* One direction between two ranks. Message n is at n modulo SLOTS. The counts go on when a rank has closed and opens
 * again: what was sent to a rank that is closed waits. */
struct link {
	uint32_t from, to, number, send_channel, receive_channel;
	uint32_t send_slots, receive_slots;
	struct post sends[SLOTS], receives[SLOTS];
	unsigned char (*kept)[CONTROL_BYTES]; /* by slot; NULL: none was kept */
	uint64_t sent, posted, matched, told_sender, told_receiver;
	uint64_t sent_before;                            /* messages of the sender's former openings */
	uint32_t wait_match, wait_sender, wait_receiver; /* looks */
	int send_err, receive_err; /* of message `matched`; then nothing goes any more */
	bool cancelled;
	bool given_up; /* something was posted when a rank closed: nothing goes any more */
};

struct rank {
	struct pstk_transport transport;
	struct inside *of;
	uint32_t rank, channels;
	struct link *links[CHANNELS];
	uint64_t looks;
	bool armed[INSIDE_FAULTS], happened[INSIDE_FAULTS];
	uint32_t left[INSIDE_FAULTS];
	bool opened;
	char name[16], error[64];
};

struct inside {
	pthread_mutex_t lock; /* guards all */
	struct rank ranks[RANKS];
	struct link links[LINKS];
	uint32_t count, delay;
	struct test_rng rng;
	bool faulty; /* ranks may give each other up, so there are no violations */
	char violation[128];
};

static void violate(struct inside *s, const struct link *l, const char *what)
{
	if (!s->violation[0] && !s->faulty)
		snprintf(s->violation, sizeof s->violation, "%u -> %u, channel %u, message %" PRIu64 ": %s",
			l->from, l->to, l->number, l->sent, what);
}

/* Does it happen now? */
static bool fails(struct rank *k, enum inside_fault fault)
{
	if (!k->armed[fault] || (k->happened[fault] && fault != INSIDE_SILENT && fault != INSIDE_TEST))
		return false;
	if (k->left[fault]) {
		k->left[fault]--;
		return false;
	}
	k->happened[fault] = true;
	snprintf(k->error, sizeof k->error, "planted fault %u", fault);
	return true;
}

static const char *host_name(void *self, uint32_t rank)
{
	struct rank *k = self;

	/* error() is borrowed until the next call, which this is */
	pthread_mutex_lock(&k->of->lock);
	snprintf(k->error, sizeof k->error, "no error: the name of rank %u", rank);
	pthread_mutex_unlock(&k->of->lock);
	return k->of->ranks[rank].name;
}

static struct link *find_link(struct inside *s, uint32_t from, uint32_t to, uint32_t number)
{
	struct link *l;

	for (uint32_t i = 0; i < s->count; i++) {
		l = &s->links[i];
		if (l->from == from && l->to == to && l->number == number)
			return l;
	}
	ck_assert_uint_lt(s->count, LINKS);
	l = &s->links[s->count++];
	*l = (struct link){ .from = from, .to = to, .number = number };
	return l;
}

static int open_rank(void *self, const struct pstk_transport_channel *channels, uint32_t count)
{
	struct rank *k = self;

	pthread_mutex_lock(&k->of->lock);
	if (fails(k, INSIDE_OPEN)) {
		pthread_mutex_unlock(&k->of->lock);
		return -EIO;
	}
	ck_assert(!k->opened);
	ck_assert_uint_le(count, CHANNELS);
	for (uint32_t i = 0; i < count; i++) {
		const struct pstk_transport_channel *c = &channels[i];
		struct link *l = c->sends ? find_link(k->of, k->rank, c->peer, c->number)
		                          : find_link(k->of, c->peer, k->rank, c->number);

		ck_assert_uint_le(c->slots, SLOTS);
		*(c->sends ? &l->send_channel : &l->receive_channel) = i;
		*(c->sends ? &l->send_slots : &l->receive_slots) = c->slots;
		if (c->sends)
			l->sent_before = l->sent;
		k->links[i] = l;
	}
	k->channels = count;
	k->opened = true;
	pthread_mutex_unlock(&k->of->lock);
	return 0;
}

/* The slot is not in use by messages from `first` on. */
static bool is_free(const struct post *posts, uint64_t first, uint64_t end, uint32_t slot)
{
	for (uint64_t n = first; n < end; n++)
		if (posts[n % SLOTS].slot == slot)
			return false;
	return true;
}

static int receive(void *self, uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes)
{
	struct rank *k = self;
	struct link *l = k->links[channel];
	int err = 0;

	pthread_mutex_lock(&k->of->lock);
	if (l->to != k->rank || slot >= l->receive_slots || l->cancelled ||
		!is_free(l->receives, l->told_receiver, l->posted, slot))
		violate(k->of, l, "a receive that can't be posted");
	if (fails(k, INSIDE_RECEIVE))
		err = -EIO;
	else
		l->receives[l->posted++ % SLOTS] =
			(struct post){ .buffer = buffer, .bytes = bytes, .slot = slot };
	pthread_mutex_unlock(&k->of->lock);
	return err;
}

/* A control message lies here from now on, or the transport waits until it has come: both may be. */
static struct post keep(struct inside *s, struct link *l, struct post p)
{
	p.kept = l->number < CONTROLS && p.bytes <= CONTROL_BYTES && test_chance(&s->rng, 50);
	if (!p.kept)
		return p;
	if (!l->kept)
		l->kept = calloc(SLOTS, sizeof *l->kept);
	ck_assert_ptr_nonnull(l->kept);
	if (p.bytes)
		memcpy(l->kept[l->sent % SLOTS], p.data, p.bytes);
	p.data = l->kept[l->sent % SLOTS];
	return p;
}

static int send(void *self, uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes)
{
	struct rank *k = self;
	struct link *l = k->links[channel];
	uint64_t n; /* of this opening */
	int err = 0;

	pthread_mutex_lock(&k->of->lock);
	n = l->sent - l->sent_before;
	if (l->from != k->rank || slot >= l->send_slots || !is_free(l->sends, l->told_sender, l->sent, slot))
		violate(k->of, l, "a send that can't be posted");
	if (l->cancelled || l->sent - l->matched >= SLOTS ||
		(l->sent >= l->posted && (l->number >= CONTROLS || n >= l->send_slots)))
		violate(k->of, l, "no receive is posted for it");
	if (l->number < CONTROLS && bytes > CONTROL_BYTES)
		violate(k->of, l, "a long control message");
	if (fails(k, INSIDE_SEND))
		err = -EIO;
	else
		l->sends[l->sent % SLOTS] =
			keep(k->of, l, (struct post){ .data = buffer, .bytes = bytes, .slot = slot });
	l->sent += !err;
	pthread_mutex_unlock(&k->of->lock);
	return err;
}

static int cancel(void *self, uint32_t channel)
{
	struct rank *k = self;
	struct link *l = k->links[channel];
	int err = 0;

	pthread_mutex_lock(&k->of->lock);
	if (fails(k, INSIDE_CANCEL)) {
		err = -EIO;
	} else {
		if (l->to != k->rank || l->cancelled || l->sent > l->matched)
			violate(k->of, l, "a cancel that can't be");
		l->cancelled = true;
	}
	pthread_mutex_unlock(&k->of->lock);
	return err;
}

static uint32_t draw(struct inside *s)
{
	return s->delay ? test_between(&s->rng, 0, s->delay) : 0;
}

static bool is_dead(const struct inside *s, const struct link *l)
{
	const struct rank *a = &s->ranks[l->from], *b = &s->ranks[l->to];

	return a->happened[INSIDE_SILENT] || b->happened[INSIDE_SILENT] || l->given_up || l->send_err ||
	       l->receive_err;
}

/* Message `matched` arrives, unless it fails. */
static void deliver(struct inside *s, struct link *l)
{
	struct post *from = &l->sends[l->matched % SLOTS], *to = &l->receives[l->matched % SLOTS];
	bool window = l->number >= CONTROLS;

	if (from->bytes > to->bytes)
		violate(s, l, "it is too long");
	l->send_err = window && fails(&s->ranks[l->from], INSIDE_SENT) ? -EIO : 0;
	l->receive_err = window && fails(&s->ranks[l->to], INSIDE_RECEIVED) ? -EIO : 0;
	if (l->send_err || l->receive_err)
		return;
	if (window && from->bytes && fails(&s->ranks[l->to], INSIDE_CUT))
		from->bytes--;
	if (from->bytes)
		memcpy(to->buffer, from->data, from->bytes);
	to->bytes = from->bytes;
	l->matched++;
	l->wait_match = draw(s);
}

static bool wait(uint32_t *looks)
{
	if (*looks)
		--*looks;
	else
		return false;
	return true;
}

/* What this rank is told of a link, at most one message. */
static bool tell(struct inside *s, struct rank *k, struct link *l, struct pstk_transport_done *done)
{
	bool sends = l->from == k->rank;
	uint64_t *told = sends ? &l->told_sender : &l->told_receiver;
	const struct post *post = &(sends ? l->sends : l->receives)[*told % SLOTS];
	int err = sends ? l->send_err : l->receive_err;
	bool ahead = sends && post->kept && *told < l->sent && !is_dead(s, l);

	*done = (struct pstk_transport_done){ sends ? l->send_channel : l->receive_channel, post->slot,
		post->bytes, 0 };
	if (*told == l->matched && !ahead) {
		if (!sends && l->cancelled && *told < l->posted)
			done->err = -ECANCELED;
		else if (err != -EIO)
			return false;
		else
			done->err = -EIO;
	}
	if (*told > l->matched && !ahead) {
		if (sends || !l->cancelled || *told >= l->posted)
			return false;
		done->err = -ECANCELED;
	}
	if (wait(sends ? &l->wait_sender : &l->wait_receiver))
		return false;
	++*told;
	if (done->err == -EIO) /* once */
		*(sends ? &l->send_err : &l->receive_err) = 1;
	*(sends ? &l->wait_sender : &l->wait_receiver) = draw(s);
	return true;
}

static int test(void *self, struct pstk_transport_done *done, uint32_t room)
{
	struct rank *k = self;
	struct inside *s = k->of;
	uint32_t from, n = 0;
	int err = 0;

	pthread_mutex_lock(&s->lock);
	k->looks++;
	fails(k, INSIDE_SILENT);
	if (fails(k, INSIDE_TEST))
		err = -EIO;
	from = k->channels ? test_between(&s->rng, 0, k->channels - 1) : 0;
	for (uint32_t i = 0; i < k->channels && !err; i++) {
		struct link *l = k->links[(from + i) % k->channels];

		while (l->to == k->rank && !is_dead(s, l) && !l->cancelled && l->matched < l->sent &&
			l->matched < l->posted && !wait(&l->wait_match))
			deliver(s, l);
		while (n < room && tell(s, k, l, &done[n]))
			n++;
	}
	pthread_mutex_unlock(&s->lock);
	return err ? err : (int)n;
}

static const char *error_of(void *self)
{
	struct rank *k = self;

	return k->error;
}

static void abort_all(void *self, int status)
{
	(void)self;
	(void)status;
}

static void close_rank(void *self)
{
	struct rank *k = self;

	pthread_mutex_lock(&k->of->lock);
	for (uint32_t i = 0; i < k->channels; i++) {
		struct link *l = k->links[i];

		if (l->from == k->rank ? l->told_sender < l->sent : l->told_receiver < l->posted) {
			violate(k->of, l, "something is posted at the end");
			l->given_up = true;
		}
		if (l->to == k->rank && l->cancelled) { /* message `matched` is for the next opening */
			l->posted = l->told_receiver = l->matched;
			l->cancelled = false;
		}
	}
	k->channels = 0;
	k->opened = false;
	pthread_mutex_unlock(&k->of->lock);
}

struct inside *inside_new(uint32_t ranks, uint64_t seed, uint32_t delay)
{
	struct inside *s = calloc(1, sizeof *s);

	ck_assert_ptr_nonnull(s);
	ck_assert_uint_le(ranks, RANKS);
	pthread_mutex_init(&s->lock, NULL);
	s->rng.state = seed;
	s->delay = delay;
	for (uint32_t i = 0; i < ranks; i++) {
		struct rank *k = &s->ranks[i];

		k->of = s;
		k->rank = i;
		snprintf(k->name, sizeof k->name, "h%u", i);
		k->transport = (struct pstk_transport){ sizeof k->transport, "inside", k, i, ranks, host_name,
			open_rank, receive, send, cancel, test, error_of, abort_all, close_rank };
	}
	return s;
}

void inside_free(struct inside *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->links[i].kept);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct pstk_transport *inside_rank(struct inside *s, uint32_t rank)
{
	return &s->ranks[rank].transport;
}

void inside_fail(struct inside *s, uint32_t rank, enum inside_fault fault, uint32_t n)
{
	pthread_mutex_lock(&s->lock);
	s->ranks[rank].armed[fault] = true;
	s->ranks[rank].left[fault] = n;
	s->faulty = true;
	pthread_mutex_unlock(&s->lock);
}

bool inside_failed(struct inside *s, uint32_t rank, enum inside_fault fault)
{
	bool happened;

	pthread_mutex_lock(&s->lock);
	happened = s->ranks[rank].happened[fault];
	pthread_mutex_unlock(&s->lock);
	return happened;
}

uint64_t inside_looks(struct inside *s, uint32_t rank)
{
	uint64_t looks;

	pthread_mutex_lock(&s->lock);
	looks = s->ranks[rank].looks;
	pthread_mutex_unlock(&s->lock);
	return looks;
}

uint64_t inside_heard(struct inside *s, uint32_t from, uint32_t to)
{
	uint64_t heard;

	pthread_mutex_lock(&s->lock);
	heard = find_link(s, from, to, from < to ? 0 : 1)->told_receiver;
	pthread_mutex_unlock(&s->lock);
	return heard;
}

const char *inside_violation(struct inside *s)
{
	return s->violation[0] ? s->violation : NULL;
}
