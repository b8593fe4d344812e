/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_merged.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_fifo.h"

#include <errno.h>

int ps_cl_merged_allocate(
	struct ps_cl_merged *m, const struct ps_cl_device *device, struct ps_cl_fault *fault)
{
	m->buffers = ps_memory_zalloc(m->slots, sizeof(cl_mem));
	if (!m->buffers)
		return ps_cl_refuse(fault, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < m->slots; i++) {
		cl_int code;
		cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, m->bytes, NULL, &code);

		if (code)
			return ps_cl_fail(fault, code, "clCreateBuffer", device->info.selector);
		m->buffers[i] = buffer;
	}
	return 0;
}

/* What commands that never end may still touch; kept where a leak checker sees it. */
static _Atomic(struct ps_cl_merged *) lost_memory;

static void keep_lost(struct ps_cl_merged *m)
{
	struct ps_cl_merged *first = atomic_load(&lost_memory);

	do
		m->next = first;
	while (!atomic_compare_exchange_weak(&lost_memory, &first, m));
}

void ps_cl_merged_free(struct ps_cl_merged *m, bool lost)
{
	ps_memory_free(m->members);
	m->members = NULL;
	if (lost) {
		keep_lost(m);
		return;
	}
	for (uint32_t i = 0; m->buffers && i < m->slots; i++)
		if (m->buffers[i])
			clReleaseMemObject(m->buffers[i]);
	ps_memory_free(m->buffers);
	ps_memory_free(m);
}

/* So many windows its writer has enqueued, or handed over: for a reader that has ended it may be fewer. */
static uint64_t written(const struct ps_cl_member *member)
{
	uint64_t most = 0;

	if (member->kind == PS_CL_COMES)
		return atomic_load(&member->fifos[0]->way->written);
	for (unsigned i = 0; i < member->count; i++) {
		uint64_t put = atomic_load(&member->fifos[i]->put);

		most = put > most ? put : most;
	}
	return most;
}

/* Will the member never write window n? The FIFOs' own counters don't tell: they stand still once a reader has
 * ended. */
static bool ends_before(const struct ps_cl_member *member, uint64_t n)
{
	/* closed first: if it is set, the count read after it is the last one */
	return atomic_load(&member->fifos[0]->fifo->closed) && written(member) <= n;
}

/* So many windows this reader, or the transfer, has given back. */
static uint64_t given_back(const struct ps_cl_member *member, const struct ps_cl_fifo *c)
{
	return atomic_load(member->kind == PS_CL_LEAVES ? &c->way->hops[0].moved : &c->given);
}

static bool is_wanted(const struct ps_cl_member *member)
{
	for (unsigned i = 0; i < member->count; i++)
		if (!atomic_load(&member->fifos[i]->fifo->discards))
			return true;
	return false;
}

/* Without a reader nothing comes over a way any more, but a device goes on writing. */
static bool is_written(const struct ps_cl_member *member, uint64_t n)
{
	return member->kind == PS_CL_COMES || written(member) > n;
}

static bool is_given_back(const struct ps_cl_member *member, uint64_t n)
{
	if (!is_wanted(member))
		return is_written(member, n);
	for (unsigned i = 0; i < member->count; i++)
		if (given_back(member, member->fifos[i]) <= n &&
			!atomic_load(&member->fifos[i]->fifo->discards))
			return false;
	return true;
}

/* The member that uses the slot of window n last before this one, and its window there; NULL: none does. */
static const struct ps_cl_member *before(const struct ps_cl_member *member, uint64_t n, uint64_t *window)
{
	const struct ps_cl_merged *m = member->of;

	for (unsigned step = 1; step < m->count; step++) {
		unsigned i = (member->index + m->count - step) % m->count;

		if (i > member->index && n < m->slots)
			return NULL;
		*window = i > member->index ? n - m->slots : n;
		if (!ends_before(&m->members[i], *window))
			return &m->members[i];
	}
	return NULL;
}

static bool is_free(const struct ps_cl_member *member, uint64_t n)
{
	uint64_t window;
	const struct ps_cl_member *other = before(member, n, &window);

	return !other || is_given_back(other, window);
}

bool ps_cl_merged_may_write(struct ps_cl_member *member, uint64_t n)
{
	if (is_free(member, n))
		return true;
	atomic_store(&member->waits, true);
	return is_free(member, n);
}

/* What reads the window, takes it away, or, where nothing does any more, has written it; NULL: nothing has. A transfer
 * that the mover was about to enqueue when the reader ended is not among them: what comes of it no actor reads. */
static cl_event last_user(const struct ps_cl_member *member, struct ps_cl_fifo *c, uint64_t n)
{
	cl_event *events = c->rev;

	if (member->kind == PS_CL_COMES) {
		if (atomic_load(&c->given) <= n)
			return ps_cl_way_brought(c, (int64_t)n);
	} else if (given_back(member, c) > n) {
		events = member->kind == PS_CL_LEAVES ? c->way->hops[0].done : c->rev;
	} else if (atomic_load(&c->put) > n) {
		events = member->kind == PS_CL_LEAVES ? c->way->made : c->wev;
	} else {
		return NULL;
	}
	return events[n % c->slots];
}

unsigned ps_cl_merged_waits(
	const struct ps_cl_member *member, uint64_t n, cl_event waits[PS_CL_MERGED_READERS])
{
	uint64_t window;
	const struct ps_cl_member *other = before(member, n, &window);
	unsigned count = 0;

	for (unsigned i = 0; other && i < other->count; i++) {
		cl_event event = last_user(other, other->fifos[i], window);

		if (event)
			waits[count++] = event;
	}
	return count;
}

static int wake(struct ps_cl_member *member, struct ps_cl_fault *fault)
{
	struct ps_eventcount *listener = atomic_load(&member->listener);

	if (member->kind == PS_CL_COMES)
		return ps_cl_way_push(member->fifos[0], fault);
	for (unsigned i = 0; i < member->count; i++)
		if (member->fifos[i]->fifo->writer.eventcount)
			ps_eventcount_notify(member->fifos[i]->fifo->writer.eventcount);
	if (listener)
		ps_eventcount_notify(listener);
	return 0;
}

int ps_cl_merged_changed(struct ps_cl_member *member, struct ps_cl_fault *fault)
{
	int err = 0;

	for (unsigned i = 0; member && i < member->of->count; i++) {
		struct ps_cl_member *other = &member->of->members[i];
		int rc = other != member && atomic_exchange(&other->waits, false) ? wake(other, fault) : 0;

		err = err ? err : rc;
	}
	return err;
}
