/* SPDX-License-Identifier: MIT */
/*
 * The items of a pipeline beside a team: members take them one by one, and fire them themselves in some settings; in
 * the others they hand them to carriers, which sleep until then. Each item is taken in order, fired once, under one
 * setting, by a member or a carrier that may; they are published in order; what is asked for is made; no thread
 * sleeps for ever, and all end.
 *
 * What stands for what (lib/pipeline/carriage.c, setting.c, item.c, lib/schedule/team.c, team_fire.c):
 *
 *   source              an actor with a thread of its own, or an event's callback: writes N windows at any time, and
 *                       ends. WAITS: the last one not before all that was asked for is made
 *   member              ps_member_run(), of whose actors this is the only one: team.pml has what the others may do.
 *                       Each look is one behind saying that it is about to sleep: the others are special cases
 *   MAY_TAKE            ps_firing_may_take(), one step
 *   take()              ps_member_try(), ps_firing_take() with the mover's step(); READY, WAIT, ENDED: its answers
 *   taking, again,      task->taking, task->again (ps_team_nudge()), task->ending, task->over (DONE: this item ends the
 *     ending, done      pipeline: what is behind it is dropped)
 *   taken, published,   the task's. That a thread finds the oldest one done, and publishes, is order.pml's: here it is
 *     most, move_at     one step
 *   live                team->live: this task has not ended
 *   carrier             run_beside()
 *   takers, era         carriage->takers, and which setting it is: each boundary begins another one. Of four in turn T0
 *                       to T3 carriers take items, or as many members fire them where M0 to M3 is 1 (by_members)
 *   handed              carriage->handed
 *   carried, for_takers the two halves of carriage->carried: they change in one step
 *   lent                carriers whose windows members have (borrow())
 *   asks, made          how often a change was asked for; .. when the setting was chosen
 *   locked              carriage->lock, of a boundary
 *   team_, handing_,    eventcounts: threads that expect; those that are asleep; those for which it was notified since
 *     crew_               they have read the count
 *   asker               ASKS times, at any time: pstk_pipeline_set_configuration() or the like
 *   aborter             ABORT=1: at any time: pstk_network_abort(), and a nudge
 *
 * QUICK=1: all windows are there at the beginning, and the end. MEET=1: an item waits until the next one is taken,
 * where another thread may fire that; so sleepers must come.
 *
 * All must get to their end.
 *
 * FAULT: 1 `carried` lacks the takers  2 at a boundary `handed` is stored first  3 a boundary does not wake carriers
 *        that wait for items  4 .. that sleep in the crew  5 the end wakes no carriers  6 a carrier looks for no item
 *        behind saying that it sleeps  7 .. does not ask whether it is over, or no taker  8 .. reads the eventcount
 *        behind that look  9 whether a carrier waits is looked at before the item is handed  10 `taking` is given
 *        back before the item is handed  11 a carrier takes an item by a load and a store  12 no nudge behind a
 *        carrier's item  13 .. in front of its publication  14 after a boundary still one item at a time  15 a
 *        boundary with items in flight 16 members fire as before the boundary, or do not  17 a member that publishes
 *        the last item nudges none 18 as many items as there are slots, though fewer members may fire  19 windows are
 *        given back behind the publication  20 .. borrowed by a load and a store  21 the asker does not nudge
 */
#ifndef N
#define N 3
#endif
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef CARRIERS
#define CARRIERS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef ASKS
#define ASKS 1
#endif
#ifndef T0
#define T0 2
#endif
#ifndef T1
#define T1 2
#endif
#ifndef T2
#define T2 1
#endif
#ifndef T3
#define T3 1
#endif
#ifndef M0
#define M0 1
#endif
#ifndef M1
#define M1 0
#endif
#ifndef M2
#define M2 0
#endif
#ifndef M3
#define M3 1
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
#ifndef QUICK
#define QUICK 0
#endif
#ifndef MEET
#define MEET 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define NEVER 200
#define TAKERS(e) ((e) % 4 == 0 -> T0 : ((e) % 4 == 1 -> T1 : ((e) % 4 == 2 -> T2 : T3)))
#define BY_MEMBERS(e) ((e) % 4 == 0 -> M0 : ((e) % 4 == 1 -> M1 : ((e) % 4 == 2 -> M2 : M3)))
#if FAULT == 18
#define MOST(t, m) SLOTS
#else
#define MOST(t, m) ((m) && (t) < MEMBERS && (t) < SLOTS -> (t) : SLOTS)
#endif
#define IN_FLIGHT (taken - published)
#define DUE (taken >= move_at)
#define ENDS (closed && written == taken)
#define MAY_TAKE (again || IN_FLIGHT < most && (DUE || ENDS || written > taken))

mtype = { WAIT, READY, ENDED };

byte written = (QUICK -> N : 0);
bit closed = (QUICK && DONE >= N), aborted, done, ending;

bit taking, again, live = 1, locked;
byte taken, published, most = MOST(T0, M0), move_at = NEVER;
byte slot_item[SLOTS], slot_era[SLOTS];
bit slot_done[SLOTS], slot_fired[SLOTS];

byte takers = T0, era, asks, made;
bit by_members = M0, over;
byte handed, carried, for_takers = T0;
byte lent, in_use; /* in_use: windows that members use */

byte team_expects, team_asleep, team_rung;
byte handing_expects, handing_asleep, handing_rung;
byte crew_expects, crew_asleep, crew_rung;

/* ps_eventcount_expect(), and leave() */
inline expect(expects, rung)
{
	expects = expects | 1 << me;
	rung = rung & ~(1 << me)
}

inline leave(expects, rung)
{
	expects = expects & ~(1 << me);
	rung = rung & ~(1 << me)
}

/* .. wait(), and leave(); in one step with the look in front of it: a notification between the two is like one that
 * wakes at once */
inline sleep(asleep, rung)
{
	asleep = (rung >> me & 1 -> asleep : asleep | 1 << me)
}

inline wake(expects, asleep, rung)
{
	d_step { !(asleep >> me & 1) -> leave(expects, rung) }
}

/* .. awaited(), and notify() */
inline ring(expects, asleep, rung)
{
	d_step { rung = expects; asleep = 0 }
}

/* .. notify_one() */
inline ring_one(expects, asleep, rung)
{
	rung = expects;
	if
	:: asleep & 1 -> asleep = asleep & ~1
	:: asleep & 2 -> asleep = asleep & ~2
	:: asleep & 4 -> asleep = asleep & ~4
	:: !asleep
	fi
}

/* ps_team_nudge() */
inline nudge_team()
{
	again = 1;
	ring(team_expects, team_asleep, team_rung)
}

/* ps_carriage_wake() */
inline wake_carriers()
{
#if FAULT != 4
	ring(crew_expects, crew_asleep, crew_rung);
#endif
#if FAULT != 3
	ring(handing_expects, handing_asleep, handing_rung)
#else
	skip
#endif
}

/* The rest of step(): nothing is in flight. */
inline change()
{
	d_step { locked = 1; made = asks; era++; takers = TAKERS(era) }
#if FAULT == 2
	handed = taken;
#endif
	d_step { carried = taken; for_takers = takers }
	handed = taken;
	d_step {
#if FAULT != 16
		by_members = BY_MEMBERS(era);
#endif
#if FAULT != 14
		most = MOST(takers, by_members);
#endif
		move_at = NEVER;
		locked = 0
	}
	wake_carriers()
}

/* An item begins, and is through. */
inline begin()
{
	assert(!slot_fired[slot]);
	slot_fired[slot] = 1;
	assert(IN_FLIGHT && era == slot_era[slot])
}

#if MEET
#define THROUGH \
	(takers == 1 || taken > slot_item[slot] + 1 || slot_item[slot] + 1 == N || DUE || aborted || done)
#else
#define THROUGH 1
#endif

/* ps_reorder_done(): of those that are through the oldest, and all that follow. */
inline publish()
{
	d_step {
		THROUGH;
		assert(era == slot_era[slot]);
		slot_done[slot] = 1;
		do
		:: IN_FLIGHT && slot_done[published % SLOTS] ->
			assert(slot_item[published % SLOTS] == published);
			slot_done[published % SLOTS] = 0;
			slot_item[published % SLOTS] = 0;
			slot_era[published % SLOTS] = 0;
			done = done || published == DONE;
			published++
		:: else -> break
		od;
		n = 0
	}
}

/* fires(), where it hands the item over. */
inline hand()
{
#if FAULT == 9
	waits = handing_expects > 0;
#endif
	handed = had;
	atomic {
#if FAULT != 9
		waits = handing_expects > 0;
#endif
		if
		:: waits -> ring_one(handing_expects, handing_asleep, handing_rung)
		:: else
		fi;
		waits = 0;
		had = 0
	}
}

/* ps_item_fire() of a member, which never waits for windows. */
inline fire_with_loan()
{
	loan = 0;
	do
#if FAULT == 20
	:: !(lent >> loan & 1) ->
		atomic { lent = lent | 1 << loan; break }
#else
	:: atomic { !(lent >> loan & 1) -> lent = lent | 1 << loan; break }
#endif
	:: atomic { else -> loan++; assert(loan < takers) }
	od;
	assert(BY_MEMBERS(era) && !(in_use >> loan & 1));
	d_step { in_use = in_use | 1 << loan; begin() }
	d_step {
		THROUGH;
		in_use = in_use & ~(1 << loan);
#if FAULT != 19
		lent = lent & ~(1 << loan)
#endif
	}
	publish();
#if FAULT == 19
	lent = lent & ~(1 << loan);
#endif
	loan = 0
}

/* The member's, of one that it has taken; gives `taking` back. */
inline fire_aside()
{
#if FAULT == 10
	taking = 0;
#endif
	if
	:: atomic { !by_members -> had = taken }
		hand();
#if FAULT != 10
		taking = 0
#endif
	:: atomic { else -> taking = 0 }
		atomic {
			if
			:: team_expects && !taking && MAY_TAKE -> ring_one(team_expects, team_asleep, team_rung)
			:: else
			fi
		}
		fire_with_loan();
#if FAULT != 17
		if
		:: atomic { (done || ending) && !IN_FLIGHT -> skip }
			nudge_team()
		:: else
		fi
#endif
	fi
}

/* Leaves `state`, and an item in `slot`. */
inline take()
{
	state = WAIT;
	if
	:: atomic { aborted || done -> state = ENDED }
	:: else ->
		if
#if FAULT != 15
		:: atomic { DUE && IN_FLIGHT -> most = 1 }
		:: atomic { DUE && !IN_FLIGHT && !locked -> locked = 1 }
#else
		:: atomic { DUE && !locked -> locked = 1 }
#endif
			change();
			look = made
		:: atomic { else -> look = asks }
		fi;
		d_step {
			if
			:: IN_FLIGHT >= most
			:: IN_FLIGHT < most && written > taken ->
				assert(made >= look);
				slot = taken % SLOTS;
				assert(!slot_done[slot]);
				slot_item[slot] = taken;
				slot_era[slot] = era;
				slot_fired[slot] = 0;
				taken++;
				state = READY
			:: IN_FLIGHT < most && ENDS -> state = ENDED
			:: else
			fi;
			look = 0
		}
	fi
}

/* Another thread has found it in flight, and will look; or it ends here. */
inline end()
{
	ending = 1;
	if
	:: atomic { IN_FLIGHT -> taking = 0 }
	:: else ->
		over = 1;
#if FAULT != 5
		wake_carriers();
#endif
		live = 0;
		ring(team_expects, team_asleep, team_rung)
	fi
}

proctype member(byte me)
{
	byte slot, look, had, loan, n;
	bit looks, waits;
	mtype state = WAIT;

	do
	:: !live -> break
	:: d_step { live -> expect(team_expects, team_rung); looks = 0 }
		if
		:: atomic { live && !taking && MAY_TAKE -> taking = 1; again = 0 }
			take();
			if
			:: d_step { state == READY -> leave(team_expects, team_rung) }
				fire_aside();
				slot = 0
			:: state == ENDED -> end()
			/* a claim and no item: it looks again */
			:: atomic { state == WAIT -> taking = 0; looks = 1 }
			fi
		:: else
		fi;
		if
		:: atomic { state == READY -> state = WAIT }
		:: d_step { state != READY && (looks || !live) -> leave(team_expects, team_rung); state = WAIT }
		:: d_step { state != READY && !looks && live -> sleep(team_asleep, team_rung); state = WAIT }
			wake(team_expects, team_asleep, team_rung)
		fi
	od
}

#define MAY_CARRY (me < takers || over)

/* ps_crew_serve(), and next_handed()'s first look */
inline serve()
{
	do
	:: atomic { MAY_CARRY -> item = carried; whose = for_takers; break }
	:: else ->
		d_step { expect(crew_expects, crew_rung) }
		if
		:: d_step { MAY_CARRY -> leave(crew_expects, crew_rung) }
		:: d_step { !MAY_CARRY -> sleep(crew_asleep, crew_rung) }
			wake(crew_expects, crew_asleep, crew_rung)
		fi
	od
}

#if FAULT == 1
#define HANDED (item < handed)
#define SAME (carried == item)
#else
#define HANDED (me < whose && item < handed)
#define SAME (carried == item && for_takers == whose)
#endif

/* next_handed(). got: it has one. */
inline next_handed()
{
	do
#if FAULT == 11
	:: HANDED -> carried = item + 1; got = 1; break
#else
	:: HANDED ->
		atomic {
			if
			:: SAME -> carried++; got = 1; break
			:: else -> item = carried; whose = for_takers
			fi
		}
#endif
	:: else -> break
	od
}

#if FAULT == 6 || FAULT == 8
#define STAYS may
#else
#define STAYS (may && !HANDED)
#endif

inline await_item()
{
#if FAULT == 8
	handing_expects = handing_expects | 1 << me;
#else
	d_step { expect(handing_expects, handing_rung) }
#endif
	d_step { may = FAULT == 7 || me < takers && !over; item = carried; whose = for_takers }
#if FAULT == 8
	may = may && !HANDED;
	handing_rung = handing_rung & ~(1 << me);
#endif
	if
	:: d_step { STAYS -> sleep(handing_asleep, handing_rung); item = 0; whose = 0; may = 0 }
		wake(handing_expects, handing_asleep, handing_rung)
	:: d_step { !STAYS -> leave(handing_expects, handing_rung); item = 0; whose = 0; may = 0 }
	fi
}

proctype carrier(byte me)
{
	byte item, whose, slot, n;
	bit got, may;

	do
	:: over -> break
	:: else ->
		serve();
		next_handed();
		if
		:: !got -> await_item()
		:: else ->
			atomic {
				slot = item % SLOTS;
				item = 0;
				whose = 0;
				got = 0;
				assert(me < takers && !BY_MEMBERS(era));
				begin()
			}
#if FAULT == 13
			nudge_team();
#endif
			publish();
#if FAULT != 12 && FAULT != 13
			nudge_team();
#endif
			slot = 0
		fi
	od
}

proctype source()
{
	do
	:: written == N || over -> break
	:: written < N && (!WAITS || written + 1 < N || made == ASKS || over) ->
		written++;
		ring(team_expects, team_asleep, team_rung)
	od;
	closed = (DONE >= N);
	nudge_team()
}

/* ps_task_nudge() */
inline nudge()
{
	nudge_team();
	ring(crew_expects, crew_asleep, crew_rung);
	ring(handing_expects, handing_asleep, handing_rung)
}

proctype asker()
{
	do
	:: asks == ASKS -> break
	:: d_step { asks < ASKS && !locked -> asks++; move_at = 0 }
#if FAULT != 21
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
		for (i : 0 .. MEMBERS - 1) {
			run member(i)
		}
		for (i : 0 .. CARRIERS - 1) {
			run carrier(i)
		}
#if !QUICK
		run source();
#endif
#if ASKS
		run asker();
#endif
#if ABORT
		run aborter();
#endif
		i = 0
	}
	_nr_pr == 1;
	assert(taken == published && !live && over && !lent && !locked);
	assert(!team_expects && !handing_expects && !crew_expects);
	assert(ABORT || taken == N || done)
}
