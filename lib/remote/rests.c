/* SPDX-License-Identifier: MIT */
#include "lib/remote/rests.h"
#include "lib/remote/state.h"

void ps_remote_count(const struct ps_remote *r, struct ps_remote_counts *counts)
{
	*counts = (struct ps_remote_counts){ 0 };
	for (uint32_t i = 0; i < r->count; i++) {
		const struct ps_channel *c = &r->channels[i];

		*(c->sends ? &counts->sent : &counts->come) += c->sends ? c->posted : c->through;
		*(c->sends ? &counts->credits : &counts->granted) += c->sends ? c->credits : c->told;
		counts->activity += c->posted + c->through + c->credits + c->told + c->cancelled + c->done +
		                    c->unwanted + c->told_unwanted + c->cancels +
		                    (c->last != PS_REMOTE_UNKNOWN);
	}
}

bool ps_remote_end_waits(const struct ps_fifo_end *end)
{
	/* else only its place is busy, which passes */
	return ps_fifo_look(end) == PS_FIFO_WAIT;
}

/* A stream that ends goes on by itself until it is done. */
static bool sender_rests(const struct ps_channel *c)
{
	if (c->last != PS_REMOTE_UNKNOWN || c->tells_last || c->posted != c->through)
		return false;
	return c->posted == c->credits || ps_remote_end_waits(&c->fifos[0]->reader);
}

static bool is_wanted(const struct ps_channel *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (ps_fifo_wanted(c->fifos[i]))
			return true;
	return false;
}

static bool has_room(const struct ps_channel *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		for (const struct ps_fifo *o = c->fifos[i]; o; o = o->sharer)
			if (ps_remote_end_waits(&o->writer))
				return false;
	return true;
}

static bool receiver_rests(const struct ps_channel *c)
{
	if (c->last != PS_REMOTE_UNKNOWN || !is_wanted(c) || c->unwanted || c->told != c->posted)
		return false;
	return c->posted - c->through == c->windows || !has_room(c);
}

bool ps_remote_rests(const struct ps_remote *r)
{
	if (!atomic_load(&r->goes) || atomic_load(&r->aborts))
		return false;
	for (uint32_t i = 0; i < r->peer_count; i++)
		if (atomic_load(&r->peers[i].failed))
			return false;
	for (uint32_t i = 0; i < r->count; i++) {
		const struct ps_channel *c = &r->channels[i];

		if (!c->done && !(c->sends ? sender_rests : receiver_rests)(c))
			return false;
	}
	return true;
}
