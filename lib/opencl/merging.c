/* SPDX-License-Identifier: MIT */
#include "lib/opencl/merging.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_fifo.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct ps_merging_site *x = a, *y = b;

	if (x->merge->group != y->merge->group)
		return x->merge->group < y->merge->group ? -1 : 1;
	if (x->merge->order != y->merge->order)
		return x->merge->order < y->merge->order ? -1 : 1;
	return (x->fifo->index > y->fifo->index) - (x->fifo->index < y->fifo->index);
}

/* Is it the buffer of the site before it? */
static bool is_same(const struct ps_merging_site *s)
{
	return s[-1].merge->order == s->merge->order;
}

static size_t window_bytes(const struct ps_merging_site *s)
{
	return s->fifo->fifo.layout.write_rate * s->fifo->fifo.layout.token_size;
}

/* The memory of these sites, not taken yet. NULL: out of memory. */
static struct ps_cl_merged *make_group(struct ps_merging_site *sites, unsigned count)
{
	struct ps_cl_merged *m = ps_memory_zalloc(1, sizeof *m);
	struct ps_cl_member *member;

	if (!m)
		return NULL;
	m->slots = sites[0].merge->slots;
	m->members = member = ps_memory_zalloc(count, sizeof *m->members);
	for (unsigned i = 0; m->members && i < count; i++) {
		if (!i || !is_same(&sites[i])) {
			member = &m->members[m->count];
			member->of = m;
			member->index = m->count++;
			member->kind = sites[i].kind;
		}
		sites[i].member = member;
		m->bytes = window_bytes(&sites[i]) > m->bytes ? window_bytes(&sites[i]) : m->bytes;
	}
	if (m->members)
		return m;
	ps_memory_free(m);
	return NULL;
}

int ps_merging_make(struct ps_merging *all, struct ps_cl_fault *fault)
{
	struct ps_merging_site *sites = all->sites;
	unsigned end, buffers;

	if (!all->count)
		return 0;
	qsort(sites, all->count, sizeof *sites, compare);
	for (unsigned i = 0; i < all->count; i = end) {
		struct ps_cl_merged *m;

		buffers = 1;
		for (end = i + 1; end < all->count && sites[end].merge->group == sites[i].merge->group; end++)
			buffers += !is_same(&sites[end]);
		if (buffers == 1)
			continue;
		m = make_group(sites + i, end - i);
		if (!m)
			return ps_cl_refuse(fault, -ENOMEM, "out of memory");
		m->next = all->first;
		all->first = m;
		if (ps_cl_merged_allocate(m, sites[i].device, fault))
			return fault->err;
	}
	return 0;
}

void ps_merging_attach(const struct ps_merging *all, struct pstk_fifo *f)
{
	for (unsigned i = 0; i < all->count; i++) {
		struct ps_cl_member *member = all->sites[i].member;

		if (all->sites[i].fifo != f || !member)
			continue;
		if (!member->index && !member->count) /* the whole memory counts once */
			f->fifo.allocated += member->of->slots * member->of->bytes;
		member->fifos[member->count++] = f->cl;
		*(member->kind == PS_CL_COMES ? &f->cl->brought_merged : &f->cl->written_merged) = member;
	}
}

void ps_merging_free(struct ps_merging *all, bool lost)
{
	while (all->first) {
		struct ps_cl_merged *m = all->first;

		all->first = m->next;
		ps_cl_merged_free(m, lost);
	}
	ps_memory_free(all->sites);
	all->sites = NULL;
	all->count = 0;
}
