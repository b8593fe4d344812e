/* SPDX-License-Identifier: MIT */
#include "lib/remote/remote.h"
#include "lib/base/memory.h"
#include "lib/remote/control.h"
#include "lib/remote/fault.h"
#include "lib/remote/letters.h"
#include "lib/remote/remote_thread.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ps_remote *ps_remote_new(struct pstk_transport *transport, const struct ps_remote_calls *calls)
{
	struct ps_remote *r = ps_memory_zalloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->transport = transport;
	r->calls = *calls;
	r->peer_count = transport->ranks;
	r->peers = ps_memory_zalloc(r->peer_count, sizeof *r->peers);
	r->eventcount = ps_eventcount_get();
	if (!r->peers || !r->eventcount || pthread_mutex_init(&r->lock, NULL)) {
		ps_eventcount_put(r->eventcount);
		ps_memory_free(r->peers);
		ps_memory_free(r);
		return NULL;
	}
	for (uint32_t i = 0, index = 0; i < r->peer_count; i++) {
		r->peers[i].rank = i;
		r->peers[i].began = calls->met;
		r->peers[i].index = index;
		index += i == transport->rank ? 0 : PS_PEER_CHANNELS;
	}
	return r;
}

const char *ps_remote_error(const struct ps_remote *r)
{
	return r->text;
}

static int refuse(struct ps_remote *r, const struct ps_channel *c, int err, const char *format, ...)
	PSTK_PRINTF(4, 5);
static int refuse(struct ps_remote *r, const struct ps_channel *c, int err, const char *format, ...)
{
	int used = snprintf(r->text, sizeof r->text, "channel %u %s rank %u: ", c->number,
		c->sends ? "to" : "from", c->rank);
	va_list args;

	va_start(args, format);
	vsnprintf(r->text + used, sizeof r->text - (size_t)used, format, args);
	va_end(args);
	return err;
}

static int check_channel(struct ps_remote *r, const struct ps_channel *c)
{
	if (c->rank >= r->peer_count || c->rank == r->transport->rank)
		return refuse(r, c, -EINVAL, "there is no such other rank");
	if (!c->windows)
		return refuse(r, c, -EINVAL, "it has no windows");
	if (c->number > UINT32_MAX - PS_PEER_CHANNELS)
		return refuse(r, c, -EINVAL, "numbers end at %u", UINT32_MAX - PS_PEER_CHANNELS);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct ps_channel *o = &r->channels[i];

		if (o->rank == c->rank && o->number == c->number && o->sends == c->sends)
			return refuse(r, c, -EEXIST, "the number is used");
	}
	return c->bytes <= INT32_MAX
	               ? 0
	               : refuse(r, c, -EMSGSIZE,
				 "a window has %llu bytes, more than 2147483647: lower the rate",
				 (unsigned long long)c->bytes);
}

static int check_fifo(struct ps_remote *r, const struct ps_channel *c, const struct ps_fifo *f)
{
	const struct ps_layout *l = &f->layout;

	if (f->merged)
		return refuse(r, c, -EINVAL, "its memory is merged");
	if (c->sends && (!ps_layout_is_simple(l) || l->delay))
		return refuse(
			r, c, -EINVAL, "the sender's FIFO has two rates, delay tokens, history or a tail");
	if (!c->sends && f->owner != f)
		return refuse(r, c, -EINVAL, "a FIFO does not own its memory");
	if (l->write_rate != c->rate || l->token_size != c->token_size)
		return refuse(r, c, -EINVAL, "its FIFOs differ in write rate or token size");
	return 0;
}

/* The owner of these ends will look at them when they change, and never waits there. */
static void listen_to(struct ps_remote *r, const struct ps_channel *c)
{
	if (c->sends)
		ps_fifo_listen(&c->fifos[0]->reader, r->eventcount);
	for (uint32_t i = 0; i < c->count && !c->sends; i++)
		for (struct ps_fifo *o = c->fifos[i]; o; o = o->sharer)
			ps_fifo_listen(&o->writer, r->eventcount);
}

static int add(struct ps_remote *r, struct ps_channel c, struct ps_fifo *const *fifos)
{
	struct ps_channel *channels;
	int err;

	if (!c.count)
		return refuse(r, &c, -EINVAL, "it has no FIFO");
	c.rate = fifos[0]->layout.write_rate;
	c.token_size = fifos[0]->layout.token_size;
	c.bytes = c.rate * c.token_size;
	c.last = PS_REMOTE_UNKNOWN;
	err = check_channel(r, &c);
	for (uint32_t i = 0; i < c.count && !err; i++)
		err = check_fifo(r, &c, fifos[i]);
	if (err)
		return err;
	channels = ps_memory_resize(r->channels, r->count + 1, sizeof *channels);
	if (channels)
		r->channels = channels;
	c.fifos = ps_memory_dup(fifos, c.count * sizeof(struct ps_fifo *));
	c.arrivals = ps_memory_zalloc(c.sends ? 0 : c.windows, sizeof *c.arrivals);
	if (!channels || !c.fifos || !c.arrivals) {
		ps_memory_free(c.fifos);
		ps_memory_free(c.arrivals);
		return refuse(r, &c, -ENOMEM, "out of memory");
	}
	c.index = (r->peer_count - 1) * PS_PEER_CHANNELS + r->count;
	r->channels[r->count++] = c;
	listen_to(r, &c);
	return 0;
}

int ps_remote_add_sender(
	struct ps_remote *r, uint32_t rank, uint32_t number, uint32_t windows, struct ps_fifo *f)
{
	return add(r,
		(struct ps_channel){
			.number = number, .rank = rank, .windows = windows, .sends = true, .count = 1 },
		&f);
}

int ps_remote_add_receiver(struct ps_remote *r, uint32_t rank, uint32_t number, uint32_t windows,
	struct ps_fifo *const owners[], uint32_t count)
{
	return add(r,
		(struct ps_channel){ .number = number, .rank = rank, .windows = windows, .count = count },
		owners);
}

int ps_remote_add_letters(struct ps_remote *r, const struct ps_letters_of *of, struct ps_letters **letters)
{
	struct ps_letters **all = ps_memory_resize(r->letters, r->letter_count + 1, sizeof(*all));
	struct ps_letters *l = ps_memory_zalloc(1, sizeof *l);

	if (all)
		r->letters = all;
	snprintf(r->text, sizeof r->text, "letters with rank %u: %s", of->rank,
		all && l ? "more than 2147483647 bytes" : "out of memory");
	if (!all || !l || of->out_most > INT32_MAX || of->in_most > INT32_MAX) {
		ps_memory_free(l);
		return all && l ? -EMSGSIZE : -ENOMEM;
	}
	*l = (struct ps_letters){ .number = of->number,
		.rank = of->rank,
		.asks = of->asks,
		.out = of->out,
		.in = of->in,
		.user = of->user,
		.out_most = of->out_most,
		.in_most = of->in_most };
	r->letters[r->letter_count++] = *letters = l;
	return 0;
}

void ps_remote_send_letter(struct ps_remote *r, struct ps_letters *l, size_t bytes)
{
	l->size = bytes;
	atomic_store(&l->awaits, l->asks);
	atomic_store(&l->wants, true);
	ps_eventcount_notify(r->eventcount);
}

/* The channels of a rank's control messages. Numbers 0 and 1: messages of the lower and the higher rank; 2 and 3: what
 * acknowledges them. */
static void describe_peer(
	const struct ps_remote *r, const struct ps_peer *p, struct pstk_transport_channel *to)
{
	uint32_t says = r->transport->rank < p->rank ? 0 : 1;

	to[PS_PEER_SAYS] = (struct pstk_transport_channel){ says, p->rank, true, PS_CONTROL_SLOTS,
		sizeof(struct ps_control_message) };
	to[PS_PEER_HEARS] = (struct pstk_transport_channel){ 1 - says, p->rank, false, PS_CONTROL_SLOTS,
		sizeof(struct ps_control_message) };
	to[PS_PEER_HEARS_ACKS] =
		(struct pstk_transport_channel){ 2 + says, p->rank, false, PS_CONTROL_ACKS, 0 };
	to[PS_PEER_SAYS_ACKS] =
		(struct pstk_transport_channel){ 3 - says, p->rank, true, PS_CONTROL_ACKS, 0 };
}

static int transport_failed(struct ps_remote *r, int err)
{
	snprintf(r->text, sizeof r->text, "%s: %s", r->transport->name, ps_fault_cause(r));
	return err;
}

static int open_transport(struct ps_remote *r)
{
	uint32_t first = (r->peer_count - 1) * PS_PEER_CHANNELS + r->count,
		 count = first + 2 * r->letter_count;
	struct pstk_transport_channel *all = ps_memory_zalloc(count, sizeof *all);
	int err;

	if (!all) {
		snprintf(r->text, sizeof r->text, "out of memory");
		return -ENOMEM;
	}
	PS_REMOTE_EACH_PEER(r, p) describe_peer(r, p, all + p->index);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct ps_channel *c = &r->channels[i];

		all[c->index] = (struct pstk_transport_channel){ PS_PEER_CHANNELS + c->number, c->rank,
			c->sends, c->windows, c->bytes };
	}
	for (uint32_t i = 0; i < r->letter_count; i++) {
		struct ps_letters *l = r->letters[i];
		uint32_t number = PS_PEER_CHANNELS + l->number;

		l->index = first + 2 * i;
		all[l->index] = (struct pstk_transport_channel){ number, l->rank, true, 1, l->out_most };
		all[l->index + 1] = (struct pstk_transport_channel){ number, l->rank, false, 1, l->in_most };
	}
	err = r->transport->open(r->transport->self, all, count);
	ps_memory_free(all);
	r->opened = !err;
	return err ? transport_failed(r, err) : 0;
}

static void close_transport(struct ps_remote *r)
{
	if (r->opened)
		r->transport->close(r->transport->self);
	r->opened = false;
}

int ps_remote_begin(struct ps_remote *r)
{
	int err;

	if (r->transport->struct_size < sizeof *r->transport) {
		snprintf(r->text, sizeof r->text, "%s: its table has %u bytes, not %zu: another version?",
			r->transport->name, r->transport->struct_size, sizeof *r->transport);
		return -EINVAL;
	}
	err = open_transport(r);
	if (err)
		return err;
	PS_REMOTE_EACH_PEER(r, p)
	{
		err = ps_control_begin(r, p);
		if (err)
			return transport_failed(r, err);
	}
	err = ps_letters_begin(r);
	if (err)
		return transport_failed(r, err);
	err = ps_remote_thread_begin(r);
	if (err)
		snprintf(r->text, sizeof r->text, "no thread: %s", strerror(-err));
	return err;
}

/* One more thing to be told or done: the remote thread looks at once. */
static void raise_flag(struct ps_remote *r, atomic_bool *flag)
{
	if (!atomic_exchange(flag, true))
		ps_eventcount_notify(r->eventcount);
}

void ps_remote_wake(struct ps_remote *r)
{
	ps_eventcount_notify(r->eventcount);
}

void ps_remote_go(struct ps_remote *r)
{
	raise_flag(r, &r->goes);
}

void ps_remote_stop(struct ps_remote *r)
{
	raise_flag(r, &r->stops);
}

void ps_remote_done(struct ps_remote *r)
{
	raise_flag(r, &r->done);
}

bool ps_remote_keep_abort(struct ps_remote *r, uint32_t origin, int err, const char *text)
{
	bool first;

	pthread_mutex_lock(&r->lock);
	first = !atomic_load(&r->aborts);
	if (first) {
		r->abort.origin = origin;
		r->abort.err = err;
		snprintf(r->abort.text, sizeof r->abort.text, "%s", text);
	}
	atomic_store(&r->aborts, true);
	pthread_mutex_unlock(&r->lock);
	return first;
}

void ps_remote_abort(struct ps_remote *r, int err, const char *text)
{
	if (ps_remote_keep_abort(r, r->transport->rank, err, text))
		ps_eventcount_notify(r->eventcount);
}

static int queue_message(struct ps_peer *p, uint32_t kind, const void *bytes, uint32_t size)
{
	struct ps_waiting *w = &p->waiting[(p->first + p->count) % PS_REMOTE_WAITING];

	if (p->deaf || atomic_load(&p->failed))
		return -EPIPE;
	if (p->count == PS_REMOTE_WAITING)
		return -EAGAIN;
	w->kind = kind;
	w->size = size;
	if (size)
		memcpy(w->bytes, bytes, size);
	p->count++;
	return 0;
}

int ps_remote_tell(struct ps_remote *r, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size)
{
	int err;

	if (rank >= r->peer_count || rank == r->transport->rank || size > PS_REMOTE_MESSAGE)
		return -EINVAL;
	pthread_mutex_lock(&r->lock);
	err = queue_message(&r->peers[rank], kind, bytes, size);
	pthread_mutex_unlock(&r->lock);
	if (!err)
		ps_eventcount_notify(r->eventcount);
	return err;
}

void ps_remote_end(struct ps_remote *r)
{
	if (!r->runs)
		return;
	atomic_store(&r->done, true);
	raise_flag(r, &r->ends);
	pthread_join(r->thread, NULL);
	r->runs = false;
	close_transport(r);
}

void ps_remote_free(struct ps_remote *r)
{
	if (!r)
		return;
	ps_remote_end(r);
	close_transport(r); /* of a begin that was refused: its receives are posted */
	for (uint32_t i = 0; i < r->count; i++) {
		ps_memory_free(r->channels[i].fifos);
		ps_memory_free(r->channels[i].arrivals);
	}
	for (uint32_t i = 0; i < r->letter_count; i++)
		ps_memory_free(r->letters[i]);
	ps_memory_free(r->letters);
	ps_memory_free(r->channels);
	ps_eventcount_put(r->eventcount);
	pthread_mutex_destroy(&r->lock);
	ps_memory_free(r->peers);
	ps_memory_free(r);
}
