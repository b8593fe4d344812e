/* SPDX-License-Identifier: MIT */
#include "lib/machine/route.h"
#include "lib/base/memory.h"

#include <errno.h>

/* A distance is hops x HOP + links: a route has fewer links than that. */
#define HOP ((uint64_t)1 << 32)
#define FAR UINT64_MAX

int ps_routes_init(struct ps_routes *r, const struct pstk_machine *m)
{
	*r = (struct ps_routes){ .machine = m,
		.next = ps_memory_zalloc(m->place_count, sizeof *r->next),
		.distance = ps_memory_zalloc(m->place_count, sizeof *r->distance),
		.queue = ps_memory_zalloc(m->place_count, sizeof *r->queue) };
	return r->next && r->distance && r->queue ? 0 : -ENOMEM;
}

void ps_routes_fini(struct ps_routes *r)
{
	for (unsigned i = 0; r->next && i < r->machine->place_count; i++)
		ps_memory_free(r->next[i]);
	ps_memory_free(r->next);
	ps_memory_free(r->distance);
	ps_memory_free(r->queue);
}

static uint64_t length(const struct ps_link *l)
{
	return (l->kind == PSTK_LINK_SHARED ? 0 : HOP) + 1;
}

/* The nearest of the places that are waiting: a machine has few. */
static unsigned take_nearest(struct ps_routes *r, unsigned *count)
{
	unsigned best = 0, place;

	for (unsigned i = 1; i < *count; i++)
		if (r->distance[r->queue[i]] < r->distance[r->queue[best]])
			best = i;
	place = r->queue[best];
	r->queue[best] = r->queue[--*count];
	return place;
}

/* Dijkstra's algorithm: the distance of each place from this one. */
static void measure(struct ps_routes *r, unsigned to)
{
	const struct pstk_machine *m = r->machine;
	unsigned count = 1;

	for (unsigned i = 0; i < m->place_count; i++)
		r->distance[i] = FAR;
	r->distance[to] = 0;
	r->queue[0] = to;
	while (count) {
		unsigned here = take_nearest(r, &count);

		for (unsigned i = 0; i < m->places[here].link_count; i++) {
			const struct ps_link *l = &m->links[m->places[here].links[i]];
			unsigned there = ps_link_other(l, here);
			uint64_t distance = r->distance[here] + length(l);

			if (distance >= r->distance[there])
				continue;
			if (r->distance[there] == FAR)
				r->queue[count++] = there;
			r->distance[there] = distance;
		}
	}
}

/* Of the links that come nearer the first one. */
static unsigned nearer(const struct ps_routes *r, unsigned from)
{
	const struct ps_place *p = &r->machine->places[from];

	for (unsigned i = 0; i < p->link_count; i++) {
		const struct ps_link *l = &r->machine->links[p->links[i]];
		uint64_t rest = r->distance[ps_link_other(l, from)];

		if (rest != FAR && rest + length(l) == r->distance[from])
			return p->links[i];
	}
	return PS_NO_ROUTE;
}

int ps_routes_next(struct ps_routes *r, unsigned from, unsigned to, unsigned *link)
{
	unsigned **next = &r->next[to];

	if (!*next) {
		*next = ps_memory_zalloc(r->machine->place_count, sizeof **next);
		if (!*next)
			return -ENOMEM;
		measure(r, to);
		for (unsigned i = 0; i < r->machine->place_count; i++)
			(*next)[i] = i == to || r->distance[i] == FAR ? PS_NO_ROUTE : nearer(r, i);
	}
	*link = (*next)[from];
	return *link == PS_NO_ROUTE ? -ENOENT : 0;
}
