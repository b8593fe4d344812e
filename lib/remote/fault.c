/* SPDX-License-Identifier: MIT */
#include "lib/remote/fault.h"

#include <stdarg.h>
#include <stdio.h>

const char *ps_fault_cause(struct ps_remote *r)
{
	return r->transport->error(r->transport->self);
}

static void say_changed(struct ps_remote *r, struct ps_fifo *f)
{
	if (r->calls.changed)
		r->calls.changed(r->calls.user, f);
}

static void close_end(struct ps_remote *r, struct ps_fifo *f, bool reads)
{
	if (r->calls.close)
		r->calls.close(r->calls.user, f, !reads);
	else if (reads)
		ps_fifo_read_close(f);
	else
		ps_fifo_write_close(f);
}

void ps_fault_close(struct ps_remote *r, struct ps_channel *c)
{
	if (c->done)
		return;
	c->done = true;
	if (c->sends) {
		close_end(r, c->fifos[0], true);
		say_changed(r, c->fifos[0]);
		return;
	}
	for (uint32_t i = 0; i < c->count; i++)
		for (struct ps_fifo *o = c->fifos[i]; o; o = o->sharer)
			close_end(r, o, false);
	for (uint32_t i = 0; i < c->count; i++)
		for (struct ps_fifo *o = c->fifos[i]; o; o = o->sharer)
			say_changed(r, o);
}

/* Ends a channel to or from a rank that has failed. What is to come into a receiver's windows is cancelled first; its
 * ends are closed when all of that is told (ps_receiving_pump()). */
static void end_channel(struct ps_remote *r, struct ps_channel *c)
{
	if (c->done)
		return;
	c->last = c->through;
	if (c->sends || r->broken || c->posted == c->through + c->cancelled ||
		(!c->cancels && r->transport->cancel(r->transport->self, c->index)))
		ps_fault_close(r, c);
	c->cancels = true;
}

bool ps_fault_may_move(const struct ps_remote *r)
{
	return atomic_load(&r->goes) || (atomic_load(&r->aborts) && atomic_load(&r->ends));
}

void ps_fault_end(struct ps_remote *r, struct ps_peer *p)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (r->channels[i].rank == p->rank)
			end_channel(r, &r->channels[i]);
}

static const char *name_of(struct ps_remote *r, uint32_t rank)
{
	return r->calls.name ? r->calls.name(r->calls.user, rank)
	                     : r->transport->host_name(r->transport->self, rank);
}

void ps_fault_rank(struct ps_remote *r, uint32_t rank, const char *format, ...)
{
	struct ps_peer *p = &r->peers[rank];
	char why[sizeof r->text / 2]; /* first: ps_fault_cause() is gone with the transport's next call */
	va_list args;

	if (atomic_load(&p->failed))
		return;
	atomic_store(&p->failed, true);
	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	snprintf(r->text, sizeof r->text, "rank %u (%.200s): %s", rank, name_of(r, rank), why);
	r->calls.fault(r->calls.user, rank, r->text);
	if (ps_fault_may_move(r))
		ps_fault_end(r, p);
}

void ps_fault_transport(struct ps_remote *r)
{
	if (r->broken)
		return;
	r->broken = true;
	snprintf(r->text, sizeof r->text, "%s: %s", r->transport->name, ps_fault_cause(r));
	PS_REMOTE_EACH_PEER(r, p) atomic_store(&p->failed, true);
	r->calls.fault(r->calls.user, r->transport->rank, r->text);
	PS_REMOTE_EACH_PEER(r, p) if (ps_fault_may_move(r)) ps_fault_end(r, p);
}

void ps_fault_place(struct ps_remote *r, struct ps_channel *c, struct ps_fifo *f)
{
	if (c->broken)
		return;
	c->broken = true;
	if (r->calls.failed) {
		r->calls.failed(r->calls.user, f, !c->sends);
		return;
	}
	snprintf(r->text, sizeof r->text, "channel %u %s rank %u: the memory of its FIFO has failed",
		c->number, c->sends ? "to" : "from", c->rank);
	r->calls.fault(r->calls.user, r->transport->rank, r->text);
}

bool ps_fault_is_over(struct ps_remote *r)
{
	return atomic_load(&r->aborts) || (r->calls.over && r->calls.over(r->calls.user));
}
