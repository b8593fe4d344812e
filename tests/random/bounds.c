/* SPDX-License-Identifier: MIT */
/*
 * What holds in every schedule, after a lazy run of the oracle. An actor may end earlier than in that run only
 * because all its readers have ended. So the bounds come from the readers: actors without outputs make all their
 * firings, and an actor makes at least those firings that its readers' windows come from.
 */
#include "tests/random/oracle.h"

/* The windows that port p's actor has taken in its first `ticks` firings. */
static uint64_t taken(const struct oracle *o, unsigned a, unsigned p, uint64_t ticks)
{
	return net_moved(o->net, o->sequences, a, p, ticks);
}

/* The stream's first tokens that come before the first window's new ones. */
static uint32_t origin(const struct net_fifo *fifo)
{
	return fifo->peek ? fifo->history : 0;
}

/* Does the reader of FIFO f, in the firings that it makes at least, see a window with tokens that were not written? It
 * is there only once the writer has ended. */
static bool saw_close(const struct oracle *o, unsigned f)
{
	const struct net_fifo *fifo = &o->net->fifos[f];
	uint64_t n = taken(o, fifo->dst, fifo->dst_port, o->actors[fifo->dst].least);

	return n > 0 && n * fifo->read_rate + origin(fifo) > fifo->delay + o->fifos[f].tokens;
}

/* Did the reader of FIFO f end because this FIFO, and no other one, was closed and empty? */
static bool starved_by(const struct oracle *o, unsigned f)
{
	unsigned a = o->net->fifos[f].dst;

	if (!o->actors[a].sure || !o->actors[a].starved)
		return false;
	for (unsigned g = 0; g < o->net->fifo_count; g++)
		if (o->net->fifos[g].dst == a && oracle_waits_at(o, a, g, false) != (g == f))
			return false;
	return true;
}

/* Firings of the writer that make so many windows, at most all that it makes. */
static uint64_t firings_for(const struct oracle *o, unsigned a, unsigned p, uint64_t windows)
{
	const struct net_actor *actor = &o->net->actors[a];
	uint64_t n = 0;

	for (uint64_t moved = 0; n < o->actors[a].ticks && moved < windows; n++)
		moved += !net_is_dynamic(actor->ports[p].kind) ||
		         net_on(actor, p, net_value(o->net, o->sequences, o->group_of[a], n));
	return n;
}

/* What the writer of FIFO f must have done, from what its reader must have done. */
static bool raise_least(struct oracle *o, unsigned f)
{
	const struct net_fifo *fifo = &o->net->fifos[f];
	struct oracle_actor *writer = &o->actors[fifo->src];
	uint64_t read = taken(o, fifo->dst, fifo->dst_port, o->actors[fifo->dst].least);
	uint64_t tokens = read ? read * fifo->read_rate + origin(fifo) : 0, least;
	/* windows of the writer that these tokens come from */
	uint64_t needs = tokens <= fifo->delay ? 0 : (tokens - fifo->delay + fifo->rate - 1) / fifo->rate;

	if (saw_close(o, f) || starved_by(o, f)) {
		bool news = !writer->sure || !o->fifos[f].exact;

		writer->sure = o->fifos[f].exact = true;
		writer->least = writer->ticks;
		return news;
	}
	if (!needs)
		return false;
	if (needs == o->fifos[f].written && !o->fifos[f].exact)
		return o->fifos[f].exact = true;
	least = firings_for(o, fifo->src, fifo->src_port, needs);
	if (least <= writer->least)
		return false;
	writer->least = least;
	return true;
}

void oracle_find_bounds(struct oracle *o)
{
	const struct net *net = o->net;
	bool changed = true;

	for (unsigned a = 0; a < net->actor_count; a++) {
		o->actors[a].sure = net_count(&net->actors[a], false) == 0;
		o->actors[a].least = o->actors[a].sure ? o->actors[a].ticks : 0;
	}
	while (changed) {
		changed = false;
		for (unsigned f = 0; f < net->fifo_count; f++)
			changed = raise_least(o, f) || changed;
	}
}
