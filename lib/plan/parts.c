/* SPDX-License-Identifier: MIT */
#include "lib/plan/parts.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/type.h"
#include "lib/plan/settle.h"
#include "lib/plan/ways.h"

int ps_parts_set_host(struct pstk_network *net, unsigned host)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	net->has_hosts = true;
	net->host = host;
	return 0;
}

int ps_parts_place(struct pstk_actor *a, unsigned host)
{
	int err = ps_network_building(a->network, __func__);

	if (err)
		return err;
	a->host = host;
	for (unsigned k = 0; ps_is_pipeline(a) && k < a->pipeline->stage_count; k++)
		a->pipeline->stages[k]->host = host;
	return 0;
}

static enum ps_crossing crossing_of(const struct pstk_fifo *f)
{
	bool from = ps_actor_away(f->src), to = ps_actor_away(f->dst);

	if (from && to)
		return ps_way_crosses(f, f->src->network->host) ? PS_CROSSES_THROUGH : PS_CROSSES_ELSEWHERE;
	return from ? PS_CROSSES_IN : to ? PS_CROSSES_OUT : PS_CROSSES_NOT;
}

/* Do its windows leave this host? */
static bool leaves(const struct pstk_fifo *f)
{
	return f->crossing == PS_CROSSES_OUT || f->crossing == PS_CROSSES_THROUGH;
}

static unsigned next_host(const struct pstk_fifo *f)
{
	return ps_way_next(f, f->src->network->host);
}

/* Of these FIFOs the one that leads to that host next; NULL: none does. */
static struct pstk_fifo *find_way_to(struct pstk_fifo *first, unsigned host)
{
	while (first && (!leaves(first) || next_host(first) != host))
		first = first->next;
	return first;
}

static void raise_depth(struct pstk_fifo *f, uint32_t depth)
{
	if (depth > ps_depth_before(f))
		f->depth_before = depth;
}

/* Leaves those FIFOs of an output that have memory here. */
static void shorten(struct pstk_fifo **list)
{
	struct pstk_fifo *first = NULL, **end = &first, *next, *way;

	for (struct pstk_fifo *f = *list; f; f = next) {
		next = f->next;
		f->next = NULL;
		way = leaves(f) ? find_way_to(first, next_host(f)) : NULL;
		if (way) {
			raise_depth(way, ps_depth_before(f));
			f->crossing = PS_CROSSES_ELSEWHERE;
		}
		if (f->crossing != PS_CROSSES_ELSEWHERE) {
			*end = f;
			end = &f->next;
		}
	}
	*list = first;
}

/* Windows as they are written; what else there is about them lies at the reader's host. */
static int make_channel(struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;
	struct ps_layout with = { .write_rate = l->write_rate,
		.read_rate = l->write_rate,
		.depth = ps_depth_before(f),
		.token_size = l->token_size };
	int err = ps_layout_init(&with);

	if (err)
		return ps_network_fail(f->src->network, err,
			PS_CONNECTION ": %u windows of %u tokens of %zu bytes: more bytes than memory can "
				      "have",
			PS_CONNECTION_ARGS(f), with.depth, with.write_rate, with.token_size);
	ps_memory_free(f->initial);
	f->initial = NULL;
	f->fifo.layout = f->fifo.shape = with;
	return 0;
}

/* The plan merges buffers of FIFOs that are whole. */
static void take_fifo(struct pstk_fifo *f)
{
	f->merge = f->merge_before = (struct ps_merge){ 0 };
	f->src->network->away_ends +=
		f->crossing == PS_CROSSES_THROUGH ? 2 : f->crossing != PS_CROSSES_ELSEWHERE;
}

/* It is not prepared to fire; but reports are of the whole network. While its ports have all of their FIFOs. */
static void send_away(struct pstk_actor *a)
{
	a->backend = NULL;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		a->ports[p].reads = ps_port_reads(a->type.ports[p].kind);
		a->ports[p].rate = pstk_actor_port_rate(a, p);
	}
}

int ps_parts_take(struct pstk_network *net)
{
	int err = 0;

	if (!net->has_hosts)
		return 0;
	for (unsigned i = 0; i < net->actor_count; i++)
		if (ps_actor_away(net->actors[i]))
			send_away(net->actors[i]);
	for (unsigned i = 0; i < net->fifo_count; i++)
		net->fifos[i]->crossing = crossing_of(net->fifos[i]);
	for (unsigned i = 0; i < net->actor_count; i++)
		for (unsigned p = 0; p < net->actors[i]->type.port_count; p++)
			if (!ps_port_reads(net->actors[i]->type.ports[p].kind))
				shorten(&net->actors[i]->ports[p].fifo);
	for (unsigned i = 0; i < net->fifo_count && !err; i++) {
		struct pstk_fifo *f = net->fifos[i];

		if (f->crossing != PS_CROSSES_NOT)
			take_fifo(f);
		if (leaves(f))
			err = make_channel(f);
	}
	if (!err)
		ps_settle_ways(net);
	return err;
}

uint32_t ps_parts_windows(const struct pstk_fifo *f)
{
	const struct ps_backend *b = f->crossing == PS_CROSSES_IN ? ps_backend_of(f) : NULL;

	return b && b->fifo_hops(f) ? ps_depth_before(f) : f->fifo.layout.depth;
}
