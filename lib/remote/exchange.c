/* SPDX-License-Identifier: MIT */
#include "lib/remote/exchange.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/remote/meeting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	MAGIC = 0x50735845,
	VERSION = 1,
	LOOKED_AT_ONCE = 64,
	/* A process may be stopped for a while, and hears nothing then: that counts as so long. */
	MOST_PASSED_NS = 1000000000
};

/* The first message between two ranks. */
struct hello {
	uint32_t magic, version, subject, gathers;
	uint64_t size; /* of what will come */
};

/* The channels between two ranks. */
enum channel { SAYS_HELLO, HEARS_HELLO, SAYS_POSTED, HEARS_POSTED, SENDS, RECEIVES, CHANNELS };

/* Another rank that this one meets. */
struct partner {
	uint32_t rank, index; /* index: of the first of its channels */
	struct hello out, in;
	uint64_t left; /* messages to and from it that are not through, as far as they are known */
	uint64_t silent;
};

struct exchange {
	struct ps_given_up given_up; /* first */
	struct ps_meeting meeting;
	const struct ps_exchange_how *how;
	struct ps_exchanged got; /* its own bytes are sent from there, too */
	struct partner *partners;
	uint32_t count;
	uint64_t looked;
};

uint64_t ps_exchange_piece = 256u << 20;

void ps_exchanged_free(struct ps_exchanged *x)
{
	for (uint32_t i = 0; i < x->ranks && x->bytes; i++)
		ps_memory_free(x->bytes[i]);
	ps_memory_free(x->bytes);
	ps_memory_free(x->sizes);
	*x = (struct ps_exchanged){ 0 };
}

static void release(struct exchange *e)
{
	if (!e)
		return;
	ps_exchanged_free(&e->got);
	ps_memory_free(e->partners);
	ps_memory_free(e);
}

static uint32_t this_rank(const struct exchange *e)
{
	return e->meeting.transport->rank;
}

static int out_of_memory(struct exchange *e)
{
	snprintf(e->meeting.text, e->meeting.size, "out of memory");
	return -ENOMEM;
}

/* Memory for what a rank gives, with a 0 behind it. */
static bool make_room(struct exchange *e, uint32_t rank, uint64_t size)
{
	e->got.bytes[rank] = ps_memory_zalloc(1, size + 1);
	e->got.sizes[rank] = size;
	return e->got.bytes[rank];
}

static uint64_t most(void)
{
	return ps_exchange_piece * PS_EXCHANGE_PIECES;
}

static uint32_t pieces(uint64_t size)
{
	return (uint32_t)((size + ps_exchange_piece - 1) / ps_exchange_piece);
}

static uint64_t piece_size(uint64_t size, uint32_t piece)
{
	uint64_t left = size - piece * ps_exchange_piece;

	return left < ps_exchange_piece ? left : ps_exchange_piece;
}

/* Rank 0 gathers, and gives nothing then. */
static void add_partners(struct exchange *e, uint64_t size)
{
	const struct pstk_transport *t = e->meeting.transport;

	for (uint32_t i = 0; i < t->ranks; i++) {
		bool meets = i != t->rank && (!e->how->gathers || !i || !t->rank);
		bool gives = !e->how->gathers || t->rank;

		if (!meets)
			continue;
		e->partners[e->count] = (struct partner){ .rank = i,
			.index = e->count * CHANNELS,
			.out = { MAGIC, VERSION, e->how->subject, e->how->gathers, gives ? size : 0 } };
		e->count++;
	}
}

static struct exchange *make(struct pstk_transport *t, const struct ps_exchange_how *how, const void *bytes,
	size_t size, char *text, size_t text_size)
{
	struct exchange *e = ps_memory_zalloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->meeting = (struct ps_meeting){ .transport = t, .text = text, .size = text_size };
	e->how = how;
	e->partners = ps_memory_zalloc(t->ranks, sizeof *e->partners);
	e->got.bytes = ps_memory_zalloc(t->ranks, sizeof *e->got.bytes);
	e->got.sizes = ps_memory_zalloc(t->ranks, sizeof *e->got.sizes);
	e->got.ranks = t->ranks;
	if (!e->partners || !e->got.bytes || !e->got.sizes || !make_room(e, t->rank, size)) {
		release(e);
		return NULL;
	}
	if (size)
		memcpy(e->got.bytes[t->rank], bytes, size);
	add_partners(e, size);
	return e;
}

static void describe(const struct exchange *e, const struct partner *p, struct pstk_transport_channel *to)
{
	uint32_t me = this_rank(e), it = p->rank;

	to[SAYS_HELLO] =
		(struct pstk_transport_channel){ ps_meeting_first(me, it), it, true, 1, sizeof p->out };
	to[HEARS_HELLO] =
		(struct pstk_transport_channel){ ps_meeting_first(it, me), it, false, 1, sizeof p->in };
	to[SAYS_POSTED] = (struct pstk_transport_channel){ ps_meeting_second(me, it), it, true, 1, 0 };
	to[HEARS_POSTED] = (struct pstk_transport_channel){ ps_meeting_second(it, me), it, false, 1, 0 };
	to[SENDS] = (struct pstk_transport_channel){ 4, it, true, PS_EXCHANGE_PIECES, ps_exchange_piece };
	to[RECEIVES] = (struct pstk_transport_channel){ 4, it, false, PS_EXCHANGE_PIECES, ps_exchange_piece };
}

static int open_transport(struct exchange *e)
{
	uint32_t count = e->count * CHANNELS;
	struct pstk_transport_channel *all = ps_memory_zalloc(count, sizeof *all);
	int err;

	if (!all)
		return out_of_memory(e);
	for (uint32_t i = 0; i < e->count; i++)
		describe(e, &e->partners[i], all + e->partners[i].index);
	err = ps_meeting_open(&e->meeting, all, count);
	ps_memory_free(all);
	return err;
}

static int send(
	struct exchange *e, struct partner *p, enum channel c, uint32_t slot, const void *at, uint64_t n)
{
	p->left++;
	return ps_meeting_send(&e->meeting, p->rank, p->index + c, slot, at, n);
}

static int receive(struct exchange *e, struct partner *p, enum channel c, uint32_t slot, void *at, uint64_t n)
{
	p->left++;
	return ps_meeting_receive(&e->meeting, p->rank, p->index + c, slot, at, n);
}

static int begin(struct exchange *e, struct partner *p)
{
	int err = receive(e, p, HEARS_HELLO, 0, &p->in, sizeof p->in);

	if (!err && p->out.size)
		err = receive(e, p, HEARS_POSTED, 0, p, 0);
	return err ? err : send(e, p, SAYS_HELLO, 0, &p->out, sizeof p->out);
}

static int check_hello(struct exchange *e, struct partner *p, uint64_t bytes)
{
	const struct hello *h = &p->in;

	if (bytes != sizeof *h || h->magic != MAGIC || h->version != VERSION || h->size > most())
		return ps_meeting_blame(&e->meeting, -EPROTO, p->rank,
			"its first message makes no sense: is it of another version of the library?");
	if (h->subject != p->out.subject || h->gathers != p->out.gathers)
		return ps_meeting_blame(&e->meeting, -EPROTO, p->rank,
			"it exchanges something else (%u, not %u): does it run the same program?", h->subject,
			p->out.subject);
	return 0;
}

/* It says how much will come. All receives are posted at once, and then it may send. */
static int hear_hello(struct exchange *e, struct partner *p, uint64_t bytes)
{
	uint64_t size;
	int err = check_hello(e, p, bytes);

	if (err || (e->how->gathers && this_rank(e)))
		return err;
	size = p->in.size;
	if (!make_room(e, p->rank, size))
		return out_of_memory(e);
	for (uint32_t i = 0; i < pieces(size) && !err; i++)
		err = receive(e, p, RECEIVES, i, e->got.bytes[p->rank] + i * ps_exchange_piece,
			piece_size(size, i));
	return err || !size ? err : send(e, p, SAYS_POSTED, 0, p, 0);
}

static int send_pieces(struct exchange *e, struct partner *p)
{
	const unsigned char *own = e->got.bytes[this_rank(e)];
	int err = 0;

	for (uint32_t i = 0; i < pieces(p->out.size) && !err; i++)
		err = send(e, p, SENDS, i, own + i * ps_exchange_piece, piece_size(p->out.size, i));
	return err;
}

static int through(struct exchange *e, const struct pstk_transport_done *done)
{
	struct partner *p = &e->partners[done->channel / CHANNELS];
	enum channel c = done->channel % CHANNELS;

	if (done->err)
		return ps_meeting_blame_cause(&e->meeting, done->err, p->rank, "a message has failed");
	p->left--;
	p->silent = 0;
	if (c == HEARS_HELLO)
		return hear_hello(e, p, done->bytes);
	if (c == HEARS_POSTED)
		return send_pieces(e, p);
	if (c == RECEIVES && done->bytes != piece_size(p->in.size, done->slot))
		return ps_meeting_blame(&e->meeting, -EPROTO, p->rank, "%llu bytes have come, not %llu",
			(unsigned long long)done->bytes,
			(unsigned long long)piece_size(p->in.size, done->slot));
	return 0;
}

/* Is the exchange through? Else: may it go on? */
static int ask(struct exchange *e, bool *ends)
{
	const struct ps_exchange_how *how = e->how;
	uint64_t now = ps_clock_ns(), passed = now - e->looked;

	*ends = true;
	e->looked = now;
	for (uint32_t i = 0; i < e->count; i++) {
		struct partner *p = &e->partners[i];

		if (!p->left)
			continue;
		*ends = false;
		p->silent += passed < MOST_PASSED_NS ? passed : MOST_PASSED_NS;
		if (how->patience_ns && p->silent >= how->patience_ns)
			return ps_meeting_blame(&e->meeting, -ETIMEDOUT, p->rank,
				"nothing has come from there for %.3g s", (double)p->silent / 1e9);
	}
	if (*ends || !how->stop || !how->stop(how->user))
		return 0;
	snprintf(e->meeting.text, e->meeting.size, "stopped while ranks waited for each other");
	return -ECANCELED;
}

static int meet(struct exchange *e)
{
	struct pstk_transport_done done[LOOKED_AT_ONCE];
	bool ends = false;
	int err = 0, n;

	e->looked = ps_clock_ns();
	for (uint32_t i = 0; i < e->count && !err; i++)
		err = begin(e, &e->partners[i]);
	while (!err) {
		n = ps_meeting_look(&e->meeting, done, LOOKED_AT_ONCE);
		err = n < 0 ? n : 0;
		for (int i = 0; i < n && !err; i++)
			err = through(e, &done[i]);
		if (!err)
			err = ask(e, &ends);
		if (ends)
			break;
		ps_meeting_pause(&e->meeting, n > 0);
	}
	ps_meeting_close(&e->meeting);
	return err;
}

int ps_exchange_with(struct pstk_transport *t, const struct ps_exchange_how *how, const void *bytes,
	size_t size, struct ps_exchanged *to, char *text, size_t text_size)
{
	struct exchange *e;
	int err = 0;

	*to = (struct ps_exchanged){ 0 };
	if (size > most()) {
		snprintf(text, text_size, "%zu bytes for the other ranks, %llu are the most", size,
			(unsigned long long)most());
		return -EMSGSIZE;
	}
	e = make(t, how, bytes, size, text, text_size);
	if (!e) {
		snprintf(text, text_size, "out of memory");
		return -ENOMEM;
	}
	if (e->count)
		err = open_transport(e);
	if (err) {
		release(e);
		return err;
	}
	if (e->count)
		err = meet(e);
	if (err) {
		ps_meeting_give_up(&e->given_up);
		return err;
	}
	*to = e->got;
	e->got = (struct ps_exchanged){ 0 };
	release(e);
	return 0;
}

int ps_exchange(struct pstk_transport *t, const void *bytes, size_t size, uint64_t patience_ns,
	struct ps_exchanged *to, char *text, size_t text_size)
{
	return ps_exchange_with(
		t, &(struct ps_exchange_how){ .patience_ns = patience_ns }, bytes, size, to, text, text_size);
}
