/* SPDX-License-Identifier: MIT */
#include "lib/fifo/merged.h"

#include <assert.h>

void ps_merged_add(struct ps_member *m, struct ps_member_fifo fifo)
{
	assert(m->count < PS_MEMBER_READERS);
	m->fifos[m->count++] = fifo;
}

void ps_merged_join(struct ps_member *m, struct ps_fifo *owner)
{
	for (struct ps_fifo *f = owner; f; f = f->sharer) {
		f->merged = m;
		ps_merged_add(
			m, (struct ps_member_fifo){ .fifo = f, .given = &f->given, .put = &owner->put });
	}
}

void ps_merged_place(struct ps_fifo *f)
{
	const struct ps_merged *of = f->merged->of;

	f->ring = of->slots * of->step;
	f->writer.step = f->reader.step = of->step;
	f->writer_away = f->reader_away = true;
}

/* So many windows its writer has written: enqueued, on a device, or handed over. */
static uint64_t written(const struct ps_member *m)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < m->count; i++) {
		uint64_t put = atomic_load(m->fifos[i].put);

		most = put > most ? put : most;
	}
	return most;
}

static bool is_closed(const struct ps_member *m)
{
	return atomic_load(&m->fifos[0].fifo->closed);
}

/* Will the member never write window n? The FIFOs' own counters don't tell: they stand still once a reader has
 * ended. */
static bool ends_before(const struct ps_member *m, uint64_t n)
{
	/* closed first: if it is set, the count read after it is the last one */
	return is_closed(m) && written(m) <= n;
}

static bool is_wanted(const struct ps_member *m)
{
	for (unsigned i = 0; i < m->count; i++)
		if (!atomic_load(&m->fifos[i].fifo->discards))
			return true;
	return false;
}

/* Without a reader nothing comes over a way any more, but a writer goes on. */
static bool is_dropped(const struct ps_member *m, uint64_t n)
{
	return m->kind == PS_MEMBER_COMES || written(m) > n;
}

/* A reader that has not given window n back. NULL: all have. */
static const struct ps_member_fifo *find_holder(const struct ps_member *m, uint64_t n)
{
	for (unsigned i = 0; i < m->count; i++)
		if (atomic_load(m->fifos[i].given) <= n && !atomic_load(&m->fifos[i].fifo->discards))
			return &m->fifos[i];
	return NULL;
}

static bool is_given_back(const struct ps_member *m, uint64_t n)
{
	return is_wanted(m) ? !find_holder(m, n) : is_dropped(m, n);
}

const struct ps_member *ps_merged_before(const struct ps_member *member, uint64_t n, uint64_t *window)
{
	const struct ps_merged *m = member->of;

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

static bool is_free(const struct ps_member *member, uint64_t n)
{
	uint64_t window;
	const struct ps_member *other = ps_merged_before(member, n, &window);

	return !other || is_given_back(other, window);
}

bool ps_merged_may_write(struct ps_member *member, uint64_t n)
{
	if (is_free(member, n))
		return true;
	atomic_store(&member->waits, true);
	return is_free(member, n);
}

struct ps_fifo_end *ps_merged_blocker(const struct ps_member *member, uint64_t n)
{
	uint64_t window;
	const struct ps_member *other = ps_merged_before(member, n, &window);
	const struct ps_member_fifo *holder;

	if (!other || is_given_back(other, window))
		return NULL;
	if (written(other) <= window)
		return &other->fifos[0].fifo->writer;
	holder = other->kind == PS_MEMBER_LEAVES ? NULL : find_holder(other, window); /* no actor transfers */
	return holder ? &holder->fifo->reader : NULL;
}

static struct ps_fifo_end *writer_of(const struct ps_member *m)
{
	return &m->fifos[0].fifo->owner->writer;
}

/* A member of a team that is about to sleep says so before it looks. */
static void wake(struct ps_member *m)
{
	struct ps_eventcount *listener = atomic_load(&m->listener);

	if (m->push) {
		m->push(m->fifos[0].place);
		return;
	}
	for (unsigned i = 0; i < m->count; i++)
		if (m->fifos[i].fifo->writer.eventcount)
			ps_eventcount_notify(m->fifos[i].fifo->writer.eventcount);
	if (listener && ps_eventcount_awaited(listener))
		ps_eventcount_notify(listener);
}

/* What a team polls is judged when the team finds nothing to do: it need not know for what it waits. */
static bool follows_writes(const struct ps_member *m)
{
	return !m->push && !m->fifos[0].fifo->writer_polled;
}

static void ask(struct ps_member *member, bool gave_back)
{
	const struct ps_merged *m = member->of;

	for (unsigned step = 1; step < m->count; step++) {
		struct ps_member *next = &m->members[(member->index + step) % m->count];

		if ((gave_back || follows_writes(next)) && atomic_exchange(&next->waits, false))
			wake(next);
		if (!is_closed(next))
			return;
	}
}

void ps_merged_changed(struct ps_member *member)
{
	if (member)
		ask(member, true);
}

void ps_merged_wrote(struct ps_member *member)
{
	if (member)
		ask(member, !is_wanted(member));
}

/*
 * A writer's end on the host.
 */

static enum ps_fifo_state write_peek(void *place, uint64_t w)
{
	return ps_merged_may_write(place, w) ? PS_FIFO_READY : PS_FIFO_WAIT;
}

static void wait(void *place, bool writer, uint64_t n, unsigned seen)
{
	(void)writer;
	if (!ps_merged_may_write(place, n)) /* this look comes behind `seen` */
		ps_eventcount_wait(writer_of(place)->eventcount, seen, PS_EVENTCOUNT_FOR_EVER);
}

static void *awaited(void *place, bool writer, uint64_t n)
{
	(void)writer;
	(void)n;
	return place;
}

static void announce(void *place, struct ps_eventcount *eventcount, void *awaited)
{
	struct ps_member *m = place;
	const struct ps_fifo_end *end = writer_of(m);

	(void)awaited;
	if (eventcount != end->eventcount)
		atomic_store(&m->listener, eventcount);
	if (ps_merged_may_write(m, atomic_load_explicit(&end->started, memory_order_relaxed)))
		ps_eventcount_notify(eventcount);
}

static struct ps_fifo_end *blocker(void *place, bool writer, uint64_t n)
{
	(void)writer;
	return ps_merged_blocker(place, n);
}

const struct ps_fifo_ops ps_merged_ops = {
	.write_peek = write_peek,
	.wait = wait,
	.awaited = awaited,
	.announce = announce,
	.blocker = blocker,
};
