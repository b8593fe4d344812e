/* SPDX-License-Identifier: MIT */
#include "lib/plan/ways.h"
#include "lib/base/memory.h"

#include <errno.h>

static size_t bytes_of(unsigned count)
{
	return sizeof(struct ps_way) + count * sizeof(unsigned);
}

/* The hosts in between; to: NULL: they are counted only. -ENOMEM. */
static int walk(struct ps_routes *r, unsigned from, unsigned to, unsigned *count, unsigned *hosts)
{
	unsigned here = from, link;
	int err = 0;

	*count = 0;
	while (here != to && !err) {
		err = ps_routes_next(r, here, to, &link);
		if (err)
			break;
		here = ps_link_other(&r->machine->links[link], here);
		if (here != to && hosts)
			hosts[*count] = here;
		*count += here != to;
	}
	return err;
}

int ps_way_find(struct ps_routes *r, unsigned from, unsigned to, struct ps_way **way)
{
	unsigned count;
	int err = walk(r, from, to, &count, NULL);

	*way = NULL;
	if (err || !count)
		return err;
	*way = ps_memory_zalloc(1, bytes_of(count));
	return *way ? walk(r, from, to, &(*way)->count, (*way)->hosts) : -ENOMEM;
}

int ps_way_set(struct pstk_fifo *f, const struct ps_way *way)
{
	ps_memory_free(f->way);
	f->way = way ? ps_memory_dup(way, bytes_of(way->count)) : NULL;
	return f->way || !way ? 0 : -ENOMEM;
}

static unsigned count_of(const struct pstk_fifo *f)
{
	return f->way ? f->way->count : 0;
}

/* The hosts of the whole way: 0 is the writer's, the last one the reader's. */
static unsigned host_at(const struct pstk_fifo *f, unsigned i)
{
	return !i ? f->src->host : i > count_of(f) ? f->dst->host : f->way->hosts[i - 1];
}

/* Where a host is on the way; behind its end: it is not. */
static unsigned find(const struct pstk_fifo *f, unsigned host)
{
	unsigned i = 0;

	while (i < count_of(f) + 2 && host_at(f, i) != host)
		i++;
	return i;
}

bool ps_way_crosses(const struct pstk_fifo *f, unsigned host)
{
	unsigned at = find(f, host);

	return at > 0 && at <= count_of(f);
}

unsigned ps_way_next(const struct pstk_fifo *f, unsigned host)
{
	return host_at(f, find(f, host) + 1);
}

unsigned ps_way_before(const struct pstk_fifo *f, unsigned host)
{
	return host_at(f, find(f, host) - 1);
}

const struct pstk_fifo *ps_way_channel(const struct pstk_fifo *f, unsigned host)
{
	struct pstk_fifo *const *fifos = f->src->network->fifos;
	unsigned i = 0;

	while (fifos[i]->src != f->src || fifos[i]->src_port != f->src_port ||
		(fifos[i]->dst->host != host && !ps_way_crosses(fifos[i], host)))
		i++;
	return fifos[i];
}
