/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_merged.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_fifo.h"

#include <errno.h>

int ps_cl_merged_allocate(struct ps_merged *m, const struct ps_cl_device *device, struct ps_cl_fault *fault)
{
	cl_mem *buffers = m->memory = ps_memory_zalloc(m->slots, sizeof(cl_mem));

	if (!buffers)
		return ps_cl_refuse(fault, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < m->slots; i++) {
		cl_int code;
		cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, m->bytes, NULL, &code);

		if (code)
			return ps_cl_fail(fault, code, "clCreateBuffer", device->info.selector);
		buffers[i] = buffer;
	}
	return 0;
}

/* What commands that never end may still touch; kept where a leak checker sees it. */
struct lost_memory {
	void *buffers;
	struct lost_memory *next;
};

static _Atomic(struct lost_memory *) lost_memory;

static void keep_lost(cl_mem *buffers)
{
	struct lost_memory *lost = ps_memory_zalloc(1, sizeof *lost), *first = atomic_load(&lost_memory);

	if (!lost) /* nothing but a leak checker looks for it */
		return;
	lost->buffers = buffers;
	do
		lost->next = first;
	while (!atomic_compare_exchange_weak(&lost_memory, &first, lost));
}

void ps_cl_merged_free(struct ps_merged *m, bool lost)
{
	cl_mem *buffers = m->memory;

	m->memory = NULL;
	if (lost && buffers) {
		keep_lost(buffers);
		return;
	}
	for (uint32_t i = 0; buffers && i < m->slots; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	ps_memory_free(buffers);
}

static void push(void *place)
{
	struct ps_cl_fault ignored = { 0 }; /* the ends there learn it */

	ps_cl_way_push(place, &ignored);
}

void ps_cl_merged_join(struct ps_member *m, struct ps_cl_fifo *c)
{
	bool comes = m->kind == PS_MEMBER_COMES;

	m->push = comes ? push : NULL;
	*(comes ? &c->brought_merged : &c->written_merged) = m;
}

static void add(struct ps_member *m, struct ps_cl_fifo *c)
{
	bool leaves = m->kind == PS_MEMBER_LEAVES, comes = m->kind == PS_MEMBER_COMES;

	ps_merged_add(m, (struct ps_member_fifo){ .fifo = c->fifo,
				 .given = leaves ? &c->way->hops[0].moved : &c->given,
				 .put = comes ? &c->way->written : &c->put,
				 .place = c });
}

void ps_cl_merged_add(struct ps_cl_fifo *c)
{
	if (c->written_merged)
		add(c->written_merged, c);
	if (c->brought_merged)
		add(c->brought_merged, c);
}

/* What reads the window, takes it away, or, where nothing does any more, has written it; NULL: nothing has. A transfer
 * that the mover was about to enqueue when the reader ended is not among them: what comes of it no actor reads. */
static cl_event last_user(const struct ps_member *member, const struct ps_member_fifo *of, uint64_t n)
{
	struct ps_cl_fifo *c = of->place;
	bool leaves = member->kind == PS_MEMBER_LEAVES;
	cl_event *events;

	if (atomic_load(of->given) > n)
		events = leaves ? c->way->hops[0].done : c->rev;
	else if (member->kind == PS_MEMBER_COMES)
		return ps_cl_way_brought(c, (int64_t)n);
	else if (atomic_load(of->put) > n)
		events = leaves ? c->way->made : c->wev;
	else
		return NULL;
	return events[n % c->slots];
}

unsigned ps_cl_merged_waits(const struct ps_member *member, uint64_t n, cl_event waits[PS_MEMBER_READERS])
{
	uint64_t window;
	const struct ps_member *other = ps_merged_before(member, n, &window);
	unsigned count = 0;

	for (unsigned i = 0; other && i < other->count; i++) {
		cl_event event = last_user(other, &other->fifos[i], window);

		if (event)
			waits[count++] = event;
	}
	return count;
}
