/* SPDX-License-Identifier: MIT */
#include "lib/model/merging.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdlib.h>

/* By group, then as they are used. */
static int compare(const void *a, const void *b)
{
	const struct ps_merging_site *x = *(struct ps_merging_site *const *)a,
				     *y = *(struct ps_merging_site *const *)b;

	if (x->merge->group != y->merge->group)
		return x->merge->group < y->merge->group ? -1 : 1;
	if (x->merge->order != y->merge->order)
		return x->merge->order < y->merge->order ? -1 : 1;
	return (x->fifo->index > y->fifo->index) - (x->fifo->index < y->fifo->index);
}

/* Is it the buffer of the site before it? */
static bool is_same(struct ps_merging_site *const *s)
{
	return s[-1]->merge->order == s[0]->merge->order;
}

static size_t window_bytes(const struct ps_merging_site *s)
{
	return s->fifo->fifo.layout.write_rate * s->fifo->fifo.layout.token_size;
}

/* What a token must begin at a multiple of: any type of its size is aligned so. */
static size_t alignment(const struct ps_merging_site *s)
{
	size_t size = s->fifo->fifo.layout.token_size, most = size & -size;

	return most < PS_CACHE_LINE ? most : PS_CACHE_LINE;
}

/* The group of these sites. NULL: out of memory. */
static struct ps_merged *make_group(struct ps_merging_site **sites, unsigned count)
{
	struct ps_merged *m = ps_memory_zalloc(1, sizeof *m);
	struct ps_member *member = NULL;
	size_t unit = 1;

	if (!m)
		return NULL;
	m->slots = sites[0]->merge->slots;
	m->members = ps_memory_zalloc(count, sizeof *m->members);
	for (unsigned i = 0; m->members && i < count; i++) {
		if (!i || !is_same(&sites[i])) {
			member = &m->members[m->count];
			member->of = m;
			member->index = m->count++;
			member->kind = sites[i]->kind;
		}
		sites[i]->member = member;
		m->bytes = window_bytes(sites[i]) > m->bytes ? window_bytes(sites[i]) : m->bytes;
		unit = alignment(sites[i]) > unit ? alignment(sites[i]) : unit;
	}
	m->step = (m->bytes + unit - 1) / unit * unit;
	if (m->members)
		return m;
	ps_memory_free(m);
	return NULL;
}

/* Those of one group that follow `sites`; *buffers: so many they are. */
static unsigned group_size(struct ps_merging_site **sites, unsigned count, unsigned *buffers)
{
	unsigned end = 1;

	*buffers = 1;
	for (; end < count && sites[end]->merge->group == sites[0]->merge->group; end++)
		*buffers += !is_same(&sites[end]);
	return end;
}

int ps_merging_make(struct ps_merging *all)
{
	struct ps_merging_site **sorted = ps_memory_zalloc(all->count, sizeof *sorted);
	unsigned size, buffers;
	int err = sorted ? 0 : -ENOMEM;

	for (unsigned i = 0; sorted && i < all->count; i++)
		sorted[i] = &all->sites[i];
	if (sorted)
		qsort(sorted, all->count, sizeof *sorted, compare);
	for (unsigned i = 0; !err && i < all->count; i += size) {
		struct ps_merged *m;

		size = group_size(sorted + i, all->count - i, &buffers);
		if (buffers == 1)
			continue;
		m = make_group(sorted + i, size);
		err = m ? 0 : -ENOMEM;
		if (err)
			break;
		m->next = all->first;
		all->first = m;
	}
	ps_memory_free(sorted);
	return err;
}

struct ps_merging_site *ps_merging_find(
	const struct ps_merging *all, const struct pstk_fifo *f, unsigned *count)
{
	unsigned from = 0, until = all->count;

	while (from < until) { /* they are in the order of the FIFOs */
		unsigned middle = from + (until - from) / 2;

		if (all->sites[middle].fifo->index < f->index)
			from = middle + 1;
		else
			until = middle;
	}
	for (*count = 0; from + *count < all->count && all->sites[from + *count].fifo == f;)
		++*count;
	return *count ? &all->sites[from] : NULL;
}

void ps_merging_free(struct ps_merging *all)
{
	while (all->first) {
		struct ps_merged *m = all->first;

		all->first = m->next;
		ps_memory_free(m->members);
		ps_memory_free(m);
	}
	ps_memory_free(all->sites);
	all->sites = NULL;
	all->count = 0;
}
