/* SPDX-License-Identifier: MIT */
/*
 * A loop spread over a crew: helpers that sleep until there is one, a door, parts by a counter, the loop's end. Each
 * part is run once, no helper touches a loop that has returned, no thread sleeps for ever.
 *
 * What stands for what (lib/parallel/crew.c):
 *
 *   caller              ps_crew_run(), LOOPS times. A caller without the door runs all parts itself
 *   helper              ps_crew_serve(), until it is wanted elsewhere
 *   claimed, seats,     crew->door, one word: each step below reads or changes all three at once. A helper comes in
 *     inside            where more may be inside than are; no seats: the door is closed
 *   loop                crew->body and what goes with it: plain members, which a helper reads inside only
 *   next                crew->next: the next part
 *   stack[l]            the caller of loop l has not returned: its data may lie on its stack
 *   wanted[h]           what the condition of helper h says
 *   count, expecting,   the eventcount on which helpers sleep. What ps_eventcount_wait() adds to expecting is left out:
 *     asleep              the helper has said that it expects
 *   over_..             the eventcount on which the caller waits for the helpers inside
 *   asker               another thread changes the condition of a helper and calls ps_crew_wake(): of those of AWAY (a
 *                       bit each) at any time, of the others once all callers have come home
 *
 * MEET=1: part 0 waits until the others (two at most) are taken, so the loop ends only if helpers come, and another one
 * for a helper that goes elsewhere.
 *
 * All must get to their end.
 *
 * FAULT: 1 a helper reads the loop before it comes in  2 the caller waits for no helper inside  3 it looks for
 *        sleepers before it opens the door  4 a helper does not look at the door after it has said that it expects, or
 *        5 not at its condition  6 a part is taken by a load and a store  7 a helper rings before it goes out  8 the
 *        caller does not look at the door after it has said that it expects  9 claimed by a look and a store
 *        10 a helper that goes elsewhere passes no wake-up on  11 ps_crew_wake() wakes one helper  12 the door is
 *        opened before the loop is written
 */
#ifndef HELPERS
#define HELPERS 2
#endif
#ifndef CALLERS
#define CALLERS 1
#endif
#ifndef LOOPS
#define LOOPS 2
#endif
#ifndef PARTS
#define PARTS 2
#endif
#ifndef SEATS
#define SEATS 1
#endif
#ifndef AWAY
#define AWAY 0
#endif
#ifndef MEET
#define MEET 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define FEW (SEATS < PARTS - 1 -> SEATS : PARTS - 1)
#define TAKEN(l, p) taken[(l) * PARTS + (p)]

bit claimed;
byte seats, inside;

byte loop, next;
byte taken[CALLERS * LOOPS * PARTS];
bit stack[CALLERS * LOOPS];

byte count, expecting;
bit asleep[HELPERS];
byte over_count, over_expecting;
bit over_asleep;

bit wanted[HELPERS];
byte callers_home, home;

/* Wakes so many sleeping helpers, whichever. */
inline wake(most)
{
	atomic {
		n = 0;
		do
		:: n < most && asleep[0] -> asleep[0] = 0; n++
#if HELPERS > 1
		:: n < most && asleep[1] -> asleep[1] = 0; n++
#endif
#if HELPERS > 2
		:: n < most && asleep[2] -> asleep[2] = 0; n++
#endif
		:: else -> break
		od;
		n = 0
	}
}

/* ps_eventcount_awaited(), ps_eventcount_notify_few() */
inline ring(most)
{
	if
	:: expecting -> count++; wake(most)
	:: else
	fi
}

inline take()
{
#if FAULT == 6
	part = next;
	next = part + 1
#else
	d_step { part = next; next++ }
#endif
}

/* The body. Only a loop that is shared may wait for another thread. */
inline run_part(shared)
{
	d_step {
		assert(stack[l] && part < PARTS && !TAKEN(l, part));
		TAKEN(l, part) = 1
	}
#if MEET
	!shared || part != 0 || (TAKEN(l, 1) && TAKEN(l, PARTS - 1));
#endif
	assert(stack[l])
}

inline open()
{
#if FAULT == 3
	sleepers = expecting;
	d_step { loop = l; next = 0 }
	seats = SEATS;
	if
	:: sleepers -> count++; wake(FEW)
	:: else
	fi
#elif FAULT == 12
	seats = SEATS;
	loop = l;
	next = 0;
	ring(FEW)
#else
	d_step { loop = l; next = 0 }
	seats = SEATS;
	ring(FEW)
#endif
}

inline wait_for_helpers()
{
	do
	:: inside == 0 -> break
	:: else ->
		over_expecting++;
		seen = over_count;
		if
#if FAULT != 8
		:: inside == 0
#endif
		:: else ->
			atomic {
				if
				:: over_count == seen -> over_asleep = 1
				:: else
				fi
			}
			!over_asleep
		fi;
		over_expecting--
	od
}

proctype caller(byte me)
{
	byte done, l, part, seen, n;
#if FAULT == 3
	byte sleepers;
#endif

	do
	:: done == LOOPS -> break
	:: else ->
		l = me * LOOPS + done;
		stack[l] = 1;
		if
#if FAULT == 9
		:: !claimed && !seats && !inside -> claimed = 1;
#else
		:: atomic { !claimed && !seats && !inside -> claimed = 1 }
#endif
			open();
			do
			:: take();
				if
				:: part < PARTS -> run_part(1)
				:: else -> break
				fi
			od;
#if FAULT == 2
			seats = 0;
#else
			seats = 0;
			wait_for_helpers();
#endif
			claimed = 0
		:: else ->
			part = 0;
			do
			:: part < PARTS -> run_part(0); part++
			:: else -> break
			od
		fi;
		part = 0;
		seen = 0;
		d_step {
			for (n : 0 .. PARTS - 1) {
				assert(TAKEN(l, n))
			}
			n = 0;
			stack[l] = 0;
			done++
		}
	od;
	callers_home++
}

inline go_out()
{
#if FAULT == 7
	if
	:: inside == 1 && !seats && over_expecting -> over_count++; over_asleep = 0
	:: else
	fi;
	inside--
#else
	d_step { inside--; last = (inside == 0 && !seats) };
	if
	:: last && over_expecting -> over_count++; over_asleep = 0
	:: else
	fi;
	last = 0
#endif
}

/* Inside, until there are no more parts or the helper is wanted elsewhere. */
inline help()
{
#if FAULT != 1
	l = loop;
#endif
	do
	:: take();
		if
		:: part < PARTS -> run_part(1)
		:: else -> seats = 0; break
		fi;
		if
		:: wanted[me] -> break
		:: else
		fi
	od;
	part = 0;
	l = 0;
	go_out()
}

inline sleep()
{
	atomic {
		if
		:: count == seen -> asleep[me] = 1
		:: else
		fi
	}
	!asleep[me]
}

proctype helper(byte me)
{
	byte l, part, seen, n;
	bit last;

	do
	:: wanted[me] -> break
	:: else ->
#if FAULT == 1
		l = loop;
#endif
		if
		:: atomic { inside < seats -> inside++ } help()
		:: else ->
			expecting++;
			seen = count;
			if
#if FAULT != 5
			:: wanted[me]
#endif
			:: else ->
				if
#if FAULT != 4
				:: inside < seats
#endif
				:: else -> sleep()
				fi
			fi;
			expecting--;
			seen = 0
		fi
	od;
#if FAULT != 10
	if
	:: inside < seats -> ring(1)
	:: else
	fi;
#endif
	home++
}

proctype asker(byte h)
{
	byte n;

	(AWAY >> h) & 1 || callers_home == CALLERS;
	wanted[h] = 1;
#if FAULT == 11
	ring(1);
#else
	ring(HELPERS);
#endif
	home++
}

init {
	byte i;

	atomic {
		for (i : 0 .. HELPERS - 1) {
			run helper(i);
			run asker(i)
		}
		for (i : 0 .. CALLERS - 1) {
			run caller(i)
		}
	}
	home == 2 * HELPERS && callers_home == CALLERS;
	assert(!claimed && !seats && !inside && !expecting && !over_expecting)
}
