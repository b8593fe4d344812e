/* SPDX-License-Identifier: MIT */
#include "lib/remote/sending.h"
#include "lib/base/clock.h"
#include "lib/remote/fault.h"

/* The end's next window; false: it is not there. */
static bool take_window(struct ps_remote *r, struct ps_channel *c, const void **window, uint32_t *valid)
{
	struct ps_fifo *f = c->fifos[0];

	*window = c; /* an address, for no bytes */
	*valid = 0;
	switch (c->broken ? PS_FIFO_FAILED : ps_fifo_peek(&f->reader)) {
	case PS_FIFO_WAIT:
		ps_fifo_announce(&f->reader, r->eventcount);
		return false;
	case PS_FIFO_READY:
		*window = ps_fifo_read_start(f, valid);
		return true;
	case PS_FIFO_FAILED: /* the receiver finds the end of the stream, if nothing is aborted */
		ps_fault_place(r, c, f);
		break;
	case PS_FIFO_ENDED:
		break;
	}
	c->without_tokens = true;
	return !ps_fault_is_over(r);
}

static bool send_next(struct ps_remote *r, struct ps_channel *c)
{
	const void *window;
	uint32_t valid;

	if (!take_window(r, c, &window, &valid) || (valid < c->rate && ps_fault_is_over(r)))
		return false;
	if (r->transport->send(r->transport->self, c->index, (uint32_t)(c->posted % c->windows), window,
		    valid * c->token_size)) {
		ps_fault_rank(r, c->rank, "channel %u: window %llu can't be sent: %s", c->number,
			(unsigned long long)c->posted, ps_fault_cause(r));
		return true;
	}
	c->posted++;
	if (valid < c->rate)
		c->last = c->posted;
	return true;
}

/* One thread changes it. */
static void count(_Atomic uint64_t *sum, uint64_t n)
{
	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}

/* How long windows are there for which the receiver has no room yet. */
static void count_starving(struct ps_channel *c)
{
	bool starves =
		c->last == PS_REMOTE_UNKNOWN && c->posted == c->credits && ps_fifo_has_whole(c->fifos[0]);

	if (starves == (c->starving != 0))
		return;
	if (!starves)
		count(&c->starved_ns, ps_clock_ns() - c->starving);
	c->starving = starves ? ps_clock_ns() : 0;
}

bool ps_sending_pump(struct ps_remote *r, struct ps_channel *c)
{
	bool moved = false;

	while (c->last == PS_REMOTE_UNKNOWN && !atomic_load(&r->aborts) && c->posted < c->credits &&
		c->posted - c->through < c->windows && send_next(r, c))
		moved = true;
	if (!c->done && c->through == c->last) {
		ps_fault_close(r, c);
		moved = true;
	}
	ps_fifo_pay(&c->fifos[0]->reader);
	count_starving(c);
	return moved;
}

void ps_sending_through(struct ps_remote *r, struct ps_channel *c, const struct pstk_transport_done *done)
{
	if (atomic_load(&r->peers[c->rank].failed))
		return;
	if (done->err) {
		ps_fault_rank(r, c->rank, "channel %u: window %llu was not sent: %s", c->number,
			(unsigned long long)c->through, ps_fault_cause(r));
		return;
	}
	c->through++;
	count(&c->bytes_sent, done->bytes);
	count(&c->sent, done->bytes != 0);
	if (c->broken || (c->through == c->last && c->without_tokens))
		return;
	if (ps_fifo_read_end(c->fifos[0]))
		ps_fault_place(r, c, c->fifos[0]);
	if (r->calls.changed)
		r->calls.changed(r->calls.user, c->fifos[0]);
}

bool ps_sending_hear(struct ps_channel *c, enum ps_control_what what, uint64_t total)
{
	switch (what) {
	case PS_CONTROL_CREDITS:
		if (total < c->credits)
			return false;
		c->credits = total;
		return true;
	case PS_CONTROL_UNWANTED:
		if (c->last == PS_REMOTE_UNKNOWN) { /* else the end is on its way */
			c->last = c->posted;
			c->tells_last = true;
		}
		return true;
	default:
		return false;
	}
}
