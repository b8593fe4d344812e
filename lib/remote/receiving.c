/* SPDX-License-Identifier: MIT */
#include "lib/remote/receiving.h"
#include "lib/remote/fault.h"

#include <errno.h>
#include <string.h>

/* No window of this channel can be filled any more: the sender is to stop. */
static void break_off(struct ps_remote *r, struct ps_channel *c, struct ps_fifo *f)
{
	ps_fault_place(r, c, f);
	c->unwanted = true;
}

/* Has each reader of this memory room for the next window, or ended? */
static bool has_room(struct ps_remote *r, struct ps_channel *c, struct ps_fifo *owner)
{
	for (struct ps_fifo *o = owner; o; o = o->sharer)
		switch (ps_fifo_peek(&o->writer)) {
		case PS_FIFO_WAIT:
			ps_fifo_announce(&o->writer, r->eventcount);
			return false;
		case PS_FIFO_FAILED:
			break_off(r, c, o);
			return false;
		case PS_FIFO_READY:
		case PS_FIFO_ENDED:
			break;
		}
	return true;
}

/* The first FIFO that has a reader; `count`: none has. */
static uint32_t first_wanted(const struct ps_channel *c)
{
	uint32_t i = 0;

	while (i < c->count && !ps_fifo_wanted(c->fifos[i]))
		i++;
	return i;
}

/* Starts the next window of each FIFO, if all have room. One whose readers have ended admits any number of windows,
 * which may lie one upon another; so a message arrives in one that still has a reader after that look. */
static bool take_windows(struct ps_remote *r, struct ps_channel *c, struct ps_arrival *to)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (!has_room(r, c, c->fifos[i]))
			return false;
	to->fifo = first_wanted(c);
	if (to->fifo == c->count)
		return false;
	for (uint32_t i = 0; i < c->count; i++) {
		unsigned char *window = ps_fifo_write_start(c->fifos[i]);

		if (i == to->fifo)
			to->window = window;
	}
	return true;
}

static bool post_next(struct ps_remote *r, struct ps_channel *c)
{
	uint32_t slot = (uint32_t)(c->posted % c->windows);

	if (!take_windows(r, c, &c->arrivals[slot]))
		return false;
	if (r->transport->receive(r->transport->self, c->index, slot, c->arrivals[slot].window, c->bytes)) {
		ps_fault_rank(r, c->rank, "channel %u: no receive for window %llu: %s", c->number,
			(unsigned long long)c->posted, ps_fault_cause(r));
		return false;
	}
	c->posted++;
	return true;
}

/* All that will come has come: the rest of the receives is cancelled, then the ends are closed. */
static bool end_stream(struct ps_remote *r, struct ps_channel *c)
{
	if (c->posted == c->through + c->cancelled) {
		ps_fault_close(r, c);
		return true;
	}
	if (c->cancels)
		return false;
	if (r->transport->cancel(r->transport->self, c->index))
		ps_fault_rank(r, c->rank, "channel %u: its receives can't be cancelled: %s", c->number,
			ps_fault_cause(r));
	c->cancels = true;
	return true;
}

bool ps_receiving_pump(struct ps_remote *r, struct ps_channel *c)
{
	bool moved = false;

	if (atomic_load(&r->aborts) || first_wanted(c) == c->count) {
		ps_fault_is_over(r); /* then that is told first */
		c->unwanted = true;
	}
	while (c->last == PS_REMOTE_UNKNOWN && !c->unwanted && c->posted - c->through < c->windows &&
		post_next(r, c))
		moved = true;
	if (!c->done && c->through == c->last && end_stream(r, c))
		moved = true;
	for (uint32_t i = 0; i < c->count; i++)
		for (struct ps_fifo *o = c->fifos[i]; o; o = o->sharer)
			ps_fifo_pay(&o->writer);
	return moved;
}

/* Message n is copied to the other FIFOs that are wanted. Then it is published in all of them. The copies come first:
 * once the window is published it may be written again. */
static void publish(struct ps_remote *r, struct ps_channel *c, uint64_t n, uint32_t valid)
{
	const struct ps_arrival *from = &c->arrivals[n % c->windows];
	size_t bytes = valid * c->token_size;

	for (uint32_t i = 0; i < c->count; i++) {
		void *to = NULL;

		if (i != from->fifo && ps_fifo_wanted(c->fifos[i]))
			to = ps_fifo_write_oldest(c->fifos[i]);
		if (to && to != from->window) { /* else it is there already */
			memcpy(to, from->window, bytes);
			ps_fifo_count_copy(c->fifos[i], bytes);
		}
	}
	for (uint32_t i = 0; i < c->count; i++) {
		if (ps_fifo_write_end(c->fifos[i], valid)) {
			break_off(r, c, c->fifos[i]);
			return;
		}
		for (struct ps_fifo *o = c->fifos[i]; o && r->calls.changed; o = o->sharer)
			r->calls.changed(r->calls.user, o);
	}
}

void ps_receiving_through(struct ps_remote *r, struct ps_channel *c, const struct pstk_transport_done *done)
{
	uint32_t valid = (uint32_t)(done->bytes / c->token_size);

	/* of a rank that has failed it may have come before it was cancelled */
	if (done->err == -ECANCELED || atomic_load(&r->peers[c->rank].failed)) {
		c->cancelled++;
		return;
	}
	if (done->err) {
		c->cancelled++;
		ps_fault_rank(r, c->rank, "channel %u: window %llu has not come: %s", c->number,
			(unsigned long long)c->through, ps_fault_cause(r));
		return;
	}
	if (done->bytes % c->token_size) {
		c->cancelled++;
		ps_fault_rank(r, c->rank, "channel %u: window %llu has %llu bytes, tokens have %zu",
			c->number, (unsigned long long)c->through, (unsigned long long)done->bytes,
			c->token_size);
		return;
	}
	c->through++;
	if (valid < c->rate)
		c->last = c->through;
	if (valid && !c->broken)
		publish(r, c, c->through - 1, valid);
}

bool ps_receiving_hear(struct ps_channel *c, enum ps_control_what what, uint64_t total)
{
	if (what != PS_CONTROL_LAST || !c->told_unwanted || c->last != PS_REMOTE_UNKNOWN ||
		total < c->through || total > c->posted)
		return false;
	c->last = total;
	return true;
}
