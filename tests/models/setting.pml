/* SPDX-License-Identifier: MIT */
/*
 * The change of a setting: carriers of a pipeline that take items one by one and carry them side by side, a boundary
 * between two settings, carriers that sleep because they are no takers. Each item is carried under one setting and by a
 * taker of it, what is asked for is made, none is lost or out of order, no carrier sleeps for ever.
 *
 * What stands for what (lib/pipeline/setting.c, carriage.c, lib/schedule/thread.c, lib/firing/reorder.c):
 *
 *   source              writes N windows at any time, and ends. WAITS: the last one not before all that was asked for
 *                         is made
 *   carrier             run(): ps_crew_serve() until it may take; ps_thread_take(); ps_thread_fire()
 *   claim               task->claim
 *   taken, published,   the task's. DONE: this item ends the pipeline: what is behind it is dropped. That a thread
 *     most, move_at       finds the oldest one done, and publishes, is order.pml's: here it is one step
 *   takers, era         carriage->takers, and which setting it is: each boundary begins another one. Of four in turn T0
 *                         to T3 carriers take items
 *   PHASE               conductor.phase.items: each setting lasts so many items; 0: until another one is asked for
 *   asks, made          how often a change was asked for; .. when the setting was chosen
 *   locked              carriage->lock
 *   nudged, at_port     the ports' nudged flag; the taker sleeps for a window
 *   at_order            the taker sleeps for a publication (order_changed)
 *   count, expecting,   the crew's eventcount, on which carriers sleep
 *     asleep
 *   asker               ASKS times, at any time: pstk_pipeline_set_configuration() or the like
 *   aborter             ABORT=1: at any time: pstk_network_abort(), and a nudge
 *
 * MEET=1: an item waits until the next one is taken, where another carrier may take it; so sleepers must come.
 *
 * All must get to their end.
 *
 * FAULT: 1 a boundary with items in flight  2 when the next one is due is stored behind the lock  3 a boundary wakes no
 *        sleepers  4 the asker does not nudge  5 a carrier takes on without asking whether it is a taker still
 *        6 after a boundary still one item at a time  7 a publication wakes no waiter  8 a carrier does not ask again
 *        before it sleeps  9 .. sleeps on though it is over  10 the end wakes no sleepers  11 a boundary is looked for
 *        only when there is a window  12 it is due from `taken` when it was asked for, and not at once
 *        13 a firing that ends the pipeline nudges none
 */
#ifndef N
#define N 3
#endif
#ifndef CARRIERS
#define CARRIERS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef ASKS
#define ASKS 2
#endif
#ifndef PHASE
#define PHASE 0
#endif
#ifndef T0
#define T0 2
#endif
#ifndef T1
#define T1 1
#endif
#ifndef T2
#define T2 2
#endif
#ifndef T3
#define T3 1
#endif
#ifndef DONE
#define DONE 99
#endif
#ifndef WAITS
#define WAITS 0
#endif
#ifndef ABORT
#define ABORT 0
#endif
#ifndef MEET
#define MEET 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define NEVER 200
#define TAKERS(e) ((e) % 4 == 0 -> T0 : ((e) % 4 == 1 -> T1 : ((e) % 4 == 2 -> T2 : T3)))
#define IN_FLIGHT (taken - published)
#define DUE (taken >= move_at)

byte written;
bit closed, aborted, done;

bit claim, locked;
byte taken, published, most = SLOTS, move_at = (PHASE -> PHASE : NEVER);
byte slot_item[SLOTS], slot_era[SLOTS];
bit slot_done[SLOTS];

byte takers = T0, era, asks, made;
bit over;

bit nudged, at_port, at_order;
byte count, expecting;
bit asleep[CARRIERS];

/* ps_crew_wake() */
inline wake_crew()
{
	if
	:: expecting ->
		d_step {
			count++;
			asleep[0] = 0;
#if CARRIERS > 2
			asleep[2] = 0;
#endif
			asleep[1] = 0
		}
	:: else
	fi
}

/* The runner's nudge() */
inline nudge()
{
	d_step { nudged = 1; at_port = 0 }
	wake_crew()
}

#if FAULT == 9
#define MAY_TAKE (me < takers)
#else
#define MAY_TAKE (me < takers || over)
#endif

/* ps_crew_serve() */
inline serve()
{
	do
	:: MAY_TAKE -> break
	:: else ->
		expecting++;
		seen = count;
		if
#if FAULT != 8
		:: MAY_TAKE
#endif
		:: else ->
			atomic {
				if
				:: count == seen -> asleep[me] = 1
				:: else
				fi
			}
			!asleep[me]
		fi;
		expecting--;
		seen = 0
	od
}

inline lock()
{
	atomic { !locked -> locked = 1 }
}

/* end_phase(), begin_phase() */
inline change()
{
	lock();
	made = asks;
	era++;
	takers = TAKERS(era);
#if FAULT == 2
	locked = 0;
	move_at = (PHASE -> taken + PHASE : NEVER);
#else
	move_at = (PHASE -> taken + PHASE : NEVER);
	locked = 0;
#endif
#if FAULT != 6
	most = SLOTS;
#endif
#if FAULT != 3
	wake_crew()
#endif
}

/* wait_for_order() */
inline wait_for_order()
{
	if
	:: IN_FLIGHT >= most ->
		do
		:: atomic { IN_FLIGHT < most -> break }
		:: atomic { else -> at_order = 1 }
			!at_order
		od
	:: else
	fi
}

/* ps_thread_wait() at the input */
inline wait_for_window()
{
	atomic {
		if
		:: nudged -> nudged = 0
		:: !nudged && (written > taken || closed)
		:: else -> at_port = 1
		fi
	}
	!at_port
}

#if FAULT == 5
#define GOES_ON (took_once || MAY_TAKE)
#else
#define GOES_ON MAY_TAKE
#endif
#if FAULT == 11
#define AT_BOUNDARY (DUE && (written > taken || closed))
#else
#define AT_BOUNDARY DUE
#endif

/* ps_thread_take(), with ps_firing_take() and the mover's step(). slot: NEVER: it takes none. */
inline take()
{
	atomic { !claim -> claim = 1 }
	slot = NEVER;
	ends = 0;
	do
	:: !GOES_ON -> break
	:: else ->
		took_once = 1;
		if
		:: aborted || done || (closed && written == taken) -> ends = 1; break
		:: else
		fi;
		if
		:: atomic { AT_BOUNDARY -> skip }
			if
#if FAULT != 1
			:: IN_FLIGHT -> most = 1; wait_for_order()
#endif
			:: else -> change()
			fi
		:: atomic { else -> look = asks }
			if
			:: IN_FLIGHT >= most -> wait_for_order()
			:: else ->
				if
				:: written > taken ->
					atomic {
						assert(made >= look);
						assert(me < takers);
						slot = taken % SLOTS;
						assert(!slot_done[slot]);
						slot_item[slot] = taken;
						slot_era[slot] = era;
						taken++
					}
					break
				:: else -> wait_for_window()
				fi
			fi;
			look = 0
		fi
	od;
	look = 0;
	took_once = 0;
	claim = 0
}

/* ps_reorder_done(): of those that are through the oldest, and all that follow. */
inline publish()
{
	d_step {
		slot_done[slot] = 1;
		do
		:: IN_FLIGHT && slot_done[published % SLOTS] ->
			assert(slot_item[published % SLOTS] == published);
			slot_done[published % SLOTS] = 0;
			done = done || published == DONE;
			published++
		:: else -> break
		od;
		n = 0
	}
#if FAULT != 7
	at_order = 0;
#endif
#if FAULT != 13
	if
	:: done -> nudge()
	:: else
	fi
#endif
}

/* ps_thread_fire() */
inline fire()
{
	assert(era == slot_era[slot]);
#if MEET
	(takers == 1 || taken > slot_item[slot] + 1 || slot_item[slot] + 1 == N || DUE || aborted || done);
#endif
	assert(era == slot_era[slot]);
	publish()
}

proctype carrier(byte me)
{
	byte seen, slot, look, n;
	bit ends, took_once;

	do
	:: serve();
		if
		:: over -> break
		:: else -> take()
		fi;
		if
		:: ends -> break
		:: else
		fi;
		if
		:: slot != NEVER -> fire(); slot = 0
		:: else
		fi
	od;
	over = 1;
#if FAULT != 10
	wake_crew()
#endif
}

proctype source()
{
	do
	:: written == N || over -> break
	:: written < N && (!WAITS || written + 1 < N || made == ASKS || over) ->
		d_step { written++; at_port = 0 }
	od;
	atomic { closed = (DONE >= N); at_port = 0 }
}

proctype asker()
{
	do
	:: asks == ASKS -> break
	:: else ->
		lock();
#if FAULT == 12
		atomic { asks++; move_at = taken + 1 }
#else
		atomic { asks++; move_at = 0 }
#endif
		locked = 0;
#if FAULT != 4
		nudge()
#endif
	od
}

proctype aborter()
{
	aborted = 1;
	nudge()
}

init {
	byte i;

	atomic {
		for (i : 0 .. CARRIERS - 1) {
			run carrier(i)
		}
		run source();
		run asker();
#if ABORT
		run aborter();
#endif
	}
	_nr_pr == 1;
	assert(taken == published && !expecting && !claim && !locked);
	assert(ABORT || taken == N || done)
}
