/* SPDX-License-Identifier: MIT */
/*
 * Flight: when firings had their windows, and when their outputs were there. Of the last firing at the old place and of
 * the first two at the new one the move's report has them.
 *
 * A move wants a firing's times, and the outputs come, in any order:
 *
 *	the taker                              the thread that learns that they are there
 *	1. says which move wants them          1. notes the time
 *	2. copies the time, if it is there     2. copies it to the moves that want it
 *
 * These are sequentially consistent, so one of them finds what the other has left; or both, the same time.
 */
#include "lib/base/clock.h"
#include "lib/move/moving.h"

/* Of one firing; a port has so many readers at most. */
enum { CALLS_MOST = 1 << 20 };

static struct ps_flight *flight_of(struct ps_moves *m, uint64_t firing)
{
	return &m->flights[firing % PS_FLIGHTS];
}

/* To the move, unless that is another one by now. */
static void copy_there(struct ps_flight *f, unsigned which)
{
	struct ps_move *move = atomic_load(&f->wanted[which].move);
	uint64_t there = atomic_load(&f->there);

	if (move && there && atomic_load(&move->number) == atomic_load(&f->wanted[which].number))
		atomic_store(&move->there[which], there);
}

/* So many calls that were to come have come, or will not. */
static void came(struct ps_flight *f, int count)
{
	if (atomic_fetch_sub(&f->left, count) != count)
		return;
	atomic_store(&f->there, ps_clock_ns());
	for (unsigned i = 0; i < PS_MOVE_FIRINGS; i++)
		copy_there(f, i);
}

static void there(struct ps_awaited *awaited)
{
	struct ps_flight *f = (struct ps_flight *)awaited;
	struct ps_moving *of = f->of;

	came(f, 1);
	atomic_fetch_sub(&of->awaited, 1); /* the block may go */
}

void ps_flight_prepare(struct ps_flight *f, struct ps_moving *of)
{
	f->awaited.there = there;
	f->of = of;
}

static void want(struct ps_flight *f, struct ps_move *move, unsigned which)
{
	atomic_store(&move->taken[which], f->taken);
	atomic_store(&f->wanted[which].number, atomic_load(&move->number));
	atomic_store(&f->wanted[which].move, move);
	copy_there(f, which);
}

void ps_flight_follow(struct ps_moves *m, struct ps_move *move, uint64_t taken)
{
	m->followed = move;
	m->follows = PS_FIRST_NEW;
	if (taken && flight_of(m, taken - 1)->number == taken)
		want(flight_of(m, taken - 1), move, PS_LAST_OLD);
}

void ps_flight_took(struct pstk_firing *firing)
{
	struct ps_moves *m = firing->task->moves;
	struct ps_flight *f = flight_of(m, firing->index);
	uint64_t now = ps_clock_ns();

	m->takings[firing->index % PS_TAKINGS] = now;
	if (atomic_load(&f->left)) /* so many are in flight that this one's times are left out */
		return;
	f->number = firing->index + 1;
	for (unsigned i = 0; i < PS_MOVE_FIRINGS; i++)
		atomic_store(&f->wanted[i].move, NULL);
	f->taken = now;
	atomic_store(&f->there, 0);
	if (!m->followed)
		return;
	want(f, m->followed, m->follows);
	if (++m->follows == PS_MOVE_FIRINGS)
		m->followed = NULL;
}

void ps_flight_published(struct pstk_firing *firing)
{
	const struct pstk_actor *a = firing->actor;
	struct ps_moves *m = firing->task->moves;
	struct ps_flight *f = flight_of(m, firing->index);
	int calls = 0;

	if (f->number != firing->index + 1)
		return;
	/* more than there can be, until their number is known: so the last one is the last */
	atomic_store(&f->left, CALLS_MOST);
	atomic_fetch_add(&m->of->awaited, CALLS_MOST);
	if (a->backend)
		calls = (int)a->backend->await(firing, &f->awaited);
	came(f, CALLS_MOST - calls);
	atomic_fetch_sub(&m->of->awaited, (unsigned)(CALLS_MOST - calls));
}

uint64_t ps_flight_period(const struct ps_moves *m)
{
	uint64_t taken = atomic_load_explicit(&m->task->taken, memory_order_relaxed),
		 count = taken < PS_TAKINGS ? taken : PS_TAKINGS;

	if (count < 2)
		return 0;
	return (m->takings[(taken - 1) % PS_TAKINGS] - m->takings[(taken - count) % PS_TAKINGS]) /
	       (count - 1);
}
