/* SPDX-License-Identifier: MIT */
/*
 * The team: threads that fire whichever actor is ready, and sleep on one word when none is. No window is left
 * lying while all threads that may fire its reader sleep, and all end.
 *
 * What stands for what (lib/schedule/team.c, lib/base/eventcount.c, lib/firing/firing.c):
 *
 *   thread                  ps_member_run(). Which actor it tries next is free here, and so is when it gives
 *                           up: whatever the order (follow the data, windows of one's own making first, then
 *                           sources, then any; actors fed from outside; fairness), and whatever hint it
 *                           comes from (fed, fed_outside, a port where a window was missing), and several
 *                           firings under a claim, spinning, waking a member to help are all special cases.
 *                           Only the last scan has an order (from the sinks on) and looks at all. That no
 *                           ready actor is passed by for long is no matter of this property
 *   PEEK, peek()            ps_firing_may_take(), without the claim, so only a hint: one step, with TORN=1 a
 *                           load a step in the last scan
 *   CLAIMED(a)              a->taking: one exchange; given back by a store. An actor that has ended keeps it
 *   TAKE_READY, TAKE_ENDED  ps_firing_take() under the claim. One step: what others change is only ever set,
 *                           or grows
 *   AGAIN(a), mark()        a->again, ps_team_nudge(): look, whatever the counters say. Set by the thread that
 *                           ends an actor, after closing its ports (of an actor that wrote to it: once no
 *                           other reader wants that writer's windows), and in the same way by stop, abort and
 *                           a failure. It notifies, too, which is only needed where the ending thread goes on
 *                           with its last scan
 *   work:                   a member that fires in its last scan takes back its word before fire(), so that
 *                           no thread counts on it to see a notification; a member that only ends an actor
 *                           goes on looking
 *   sleepers                the eventcount's `expecting`: how many have announced themselves
 *   stale, asleep           bit t: the eventcount's count is not what thread t has read; t is in the futex's wait,
 *                           which begins only if the count is what it has read
 *   announce:, scan:        ps_eventcount_expect(), look_for_the_last_time()
 *   ring()                  ps_eventcount_notify(): the count + 1, then wake all (or one)
 *   live                    actors that have not ended; without any the team goes home
 *   own_thread              an actor with a thread of its own, or an event's callback: it publishes, or
 *                           frees, then notifies if a member sleeps. How it waits for its own windows is in
 *                           fifo.pml and wake.pml
 *   buffer, store()         memory order: each thread's stores go through a queue of its own (B long) that
 *                           empties at any time. It sees them at once, the others when they leave the queue.
 *                           An exchange waits only for stores to its own cell, which is weaker than x86: an
 *                           acquire, no more
 *   FENCE                   waits until the queue is empty: a fence, or what does here as well
 *                           (ps_eventcount_expect(), ps_eventcount_awaited()), a change by both sides of one and the
 *                           same word
 *
 * Not modelled: places of devices, and the detector in a team, which is judge.pml.
 *
 * Networks (NET), rate 1, depth K: 1: 0 -> 1 -> 2   2: 0 -> 2, 1 -> 2   3: 0 -> 1, 0 -> 2   4: 0 -> 1 -> 2, 0
 * -> 2. Sources end at their Nth firing, actor 2 with EARLY=1 at any, with EARLY=2 at its first. P0, P1, P2:
 * 0 any thread fires that actor, t + 1 only thread t does, 9 it has a thread of its own (one of them at most).
 * T: threads of the team. ONE=1: own_thread wakes one only. BLOCKS=1: a source with a thread of its own stays
 * in user code after N firings, until its readers have ended. LEAVES=1: in its last scan a thread may pass by an
 * actor that another one takes while it looks (ps_member_leaves(), a->taken).
 *
 * Every process must get to its end; then all windows have been read, if no actor ended early.
 *
 * FAULT: 1 no scan after the announcement  2 the epoch is read after the last scan  3 own_thread does not
 *        fence  4 own_thread looks for sleepers before it publishes  5 an actor of another thread is fed
 *        without waking that  6 a last scan in which a claim found nothing counts as one  7 no fence after
 *        the announcement  8 the mark is set before the port is closed  9 the mark is cleared after the
 *        take's look  10 .. by a store, not by an exchange  11 the last actor's end does not notify
 *        12 the last scan doesn't see that all have ended  13 no fence before looking for sleepers when
 *        another thread's actor was fed  14 only one is woken for it  15 no mark  16 the peek doesn't see that
 *        an input has ended while others wait  17 as 6, but the scan is repeated without a fence  18 a thread
 *        that ends an actor in its last scan marks, but does not notify  19 with LEAVES: it passes by without
 *        having seen that
 */
#ifndef NET
#define NET 1
#endif
#ifndef K
#define K 1
#endif
#ifndef N
#define N 2
#endif
#ifndef T
#define T 2
#endif
#ifndef B
#define B 2
#endif
#ifndef P0
#define P0 0
#endif
#ifndef P1
#define P1 0
#endif
#ifndef P2
#define P2 0
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef ONE
#define ONE 0
#endif
#ifndef BLOCKS
#define BLOCKS 0
#endif
#ifndef TORN
#define TORN 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define ACTORS 3
#if NET == 1
#define FIFOS 2
#define SRC(f) (f)
#define DST(f) ((f) + 1)
#elif NET == 2
#define FIFOS 2
#define SRC(f) (f)
#define DST(f) 2
#elif NET == 3
#define FIFOS 2
#define SRC(f) 0
#define DST(f) ((f) + 1)
#else
#define FIFOS 3
#define SRC(f) ((f) == 1 -> 1 : 0)
#define DST(f) ((f) == 0 -> 1 : 2)
#endif
#define SOURCE(a) ((a) == 0 || NET == 2 && (a) == 1)
#if FIFOS == 2
#define ANY(c) (c(0) || c(1))
#else
#define ANY(c) (c(0) || c(1) || c(2))
#endif
#define PIN(a) ((a) == 0 -> P0 : ((a) == 1 -> P1 : P2))
#define OWN 9
#define HAS_OWN (P0 == OWN || P1 == OWN || P2 == OWN)

/* cells of the memory */
#define WRITTEN(f) (f)
#define READ(f) (FIFOS + (f))
#define CLOSED(f) (2 * FIFOS + (f))
#define DISCARDS(f) (3 * FIFOS + (f))
#define AGAIN(a) (4 * FIFOS + (a))
#define CLAIMED(a) (4 * FIFOS + ACTORS + (a))
#define TAKEN(a) (4 * FIFOS + 2 * ACTORS + (a))
#define CELLS (4 * FIFOS + (2 + LEAVES) * ACTORS)

byte memory[CELLS];
byte stores[T + 1], at[(T + 1) * B], kept[(T + 1) * B]; /* of each thread, the oldest first; else 0 */
byte sleepers, stale, asleep, live, home;
bit ended[ACTORS];
byte fired[ACTORS]; /* guarded by the claim */

#define QUEUED(t, i, cell) (stores[t] > (i) && at[(t) * B + (i)] == (cell))
#if B == 1
#define OWN_STORE(t, cell) QUEUED(t, 0, cell)
#define LOAD(t, cell) (QUEUED(t, 0, cell) -> kept[(t) * B] : memory[cell])
#elif B == 2
#define OWN_STORE(t, cell) (QUEUED(t, 0, cell) || QUEUED(t, 1, cell))
#define LOAD(t, cell) \
	(QUEUED(t, 1, cell) -> kept[(t) * B + 1] : (QUEUED(t, 0, cell) -> kept[(t) * B] : memory[cell]))
#else
#define OWN_STORE(t, cell) (QUEUED(t, 0, cell) || QUEUED(t, 1, cell) || QUEUED(t, 2, cell))
#define LOAD(t, cell) \
	(QUEUED(t, 2, cell) -> kept[(t) * B + 2] : \
	(QUEUED(t, 1, cell) -> kept[(t) * B + 1] : (QUEUED(t, 0, cell) -> kept[(t) * B] : memory[cell])))
#endif

inline store(cell, what)
{
	d_step {
		stores[me] < B;
		kept[me * B + stores[me]] = what;
		at[me * B + stores[me]] = cell;
		stores[me]++
	}
}

#define FENCE stores[me] == 0

proctype buffer(byte me)
{
	byte i;
end:
	do
	:: d_step {
		stores[me] ->
		memory[at[me * B]] = kept[me * B];
		stores[me]--;
		for (i : 0 .. B - 2) {
			at[me * B + i] = at[me * B + i + 1];
			kept[me * B + i] = kept[me * B + i + 1]
		}
		at[me * B + B - 1] = 0;
		kept[me * B + B - 1] = 0;
		i = 0
	}
	od
}

/* As thread `me` sees it, actor a. */
#define HAS(f) (LOAD(me, WRITTEN(f)) > LOAD(me, READ(f)))
#define FULL(f) (LOAD(me, WRITTEN(f)) >= LOAD(me, READ(f)) + K)
#define IN_WAIT(f) (DST(f) == a && !HAS(f) && !LOAD(me, CLOSED(f)))
#define IN_ENDED(f) (DST(f) == a && !HAS(f) && LOAD(me, CLOSED(f)))
#define OUT_WAIT(f) (SRC(f) == a && FULL(f) && !LOAD(me, DISCARDS(f)))
#define OUTPUT(f) (SRC(f) == a)
#define WANTED(f) (SRC(f) == a && !LOAD(me, DISCARDS(f)))
#define TAKE_ENDED (ANY(IN_ENDED) || ANY(OUTPUT) && !ANY(WANTED))
#define TAKE_READY (!ANY(IN_WAIT) && !ANY(OUT_WAIT) && !TAKE_ENDED)
#if FAULT == 16
#define SEES_END 0
#else
#define SEES_END ANY(IN_ENDED)
#endif
#define PEEK (!ended[a] && (LOAD(me, AGAIN(a)) || SEES_END || !ANY(IN_WAIT) && !ANY(OUT_WAIT)))
#define MINE (PIN(a) == 0 || PIN(a) == me + 1)

/* An actor whose thread must be woken if it sleeps: no other thread may fire that actor. */
#define FOREIGN(a) (PIN(a) != 0 && PIN(a) != OWN && PIN(a) != me + 1)
#define FEEDS_FOREIGN_1(f) (SRC(f) == a && FOREIGN(DST(f)) || DST(f) == a && FOREIGN(SRC(f)))
#define FEEDS_FOREIGN ANY(FEEDS_FOREIGN_1)

inline ring(one)
{
	stale = (1 << T) - 1;
	if
	:: one ->
		if
		:: asleep & 1 -> asleep = asleep & ~1
		:: asleep & 2 -> asleep = asleep & ~2
		:: asleep & 4 -> asleep = asleep & ~4
		:: !asleep
		fi
	:: !one -> asleep = 0
	fi
}

inline mark(flag, whose)
{
#if FAULT == 8
	store(AGAIN(whose), 1);
	store(flag, 1)
#elif FAULT == 15
	store(flag, 1)
#else
	store(flag, 1);
	store(AGAIN(whose), 1);
	marked = 1
#endif
}

/* close_input(): another reader of that writer may end at the same time, so each looks after a fence. */
#define UNREAD_1(g) (SRC(g) != SRC(f) || LOAD(me, DISCARDS(g)))
#if FIFOS == 2
#define UNWANTED (UNREAD_1(0) && UNREAD_1(1))
#else
#define UNWANTED (UNREAD_1(0) && UNREAD_1(1) && UNREAD_1(2))
#endif

inline discard(f)
{
#if FAULT == 8
	store(AGAIN(SRC(f)), 1);
	store(DISCARDS(f), 1)
#else
	store(DISCARDS(f), 1);
	FENCE;
#if FAULT != 15
	if
	:: UNWANTED -> store(AGAIN(SRC(f)), 1); marked = 1
	:: !UNWANTED
	fi
#endif
#endif
}

inline close_all()
{
	f = 0;
	do
	:: f < FIFOS && DST(f) == a -> discard(f); f++
	:: f < FIFOS && SRC(f) == a -> mark(CLOSED(f), DST(f)); f++
	:: f < FIFOS && DST(f) != a && SRC(f) != a -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	d_step { ended[a] = 1; live-- }
}

#define LAST_FIRING (SOURCE(a) && fired[a] == N && !(BLOCKS && PIN(a) == OWN) || EARLY == 2 && a == 2)

/* One firing: leaves x 1 if it was the last. */
inline fire()
{
	f = 0;
#if LEAVES
	w = LOAD(me, TAKEN(a));
	store(TAKEN(a), 1 - w);
	w = 0;
#endif
	do
	:: f < FIFOS && SRC(f) == a && LOAD(me, DISCARDS(f)) -> f++
	:: f < FIFOS && SRC(f) == a && !LOAD(me, DISCARDS(f)) ->
		w = LOAD(me, WRITTEN(f));
		store(WRITTEN(f), w + 1);
		f++
	:: f < FIFOS && DST(f) == a ->
		w = LOAD(me, READ(f));
		store(READ(f), w + 1);
		f++
	:: f < FIFOS && DST(f) != a && SRC(f) != a -> f++
	:: f == FIFOS -> break
	od;
	atomic { f = 0; w = 0 }
	fired[a] = (SOURCE(a) -> fired[a] + 1 : 0);
	if
	:: LAST_FIRING || EARLY == 1 && a == 2 -> x = 1
	:: !LAST_FIRING -> x = 0
	fi
}

/* Leaves claimed 1 if thread `me` has actor a now, and looked 1 if no other thread had it. */
inline claim_and_take()
{
	atomic {
		!OWN_STORE(me, CLAIMED(a));
		looked = !memory[CLAIMED(a)];
		memory[CLAIMED(a)] = 1
	}
	if
	:: !looked
	:: looked ->
#if FAULT == 10
		store(AGAIN(a), 0);
#elif FAULT != 9
		d_step { !OWN_STORE(me, AGAIN(a)) -> memory[AGAIN(a)] = 0 }
#endif
		claimed = TAKE_READY || TAKE_ENDED;
#if FAULT == 9
		d_step { !OWN_STORE(me, AGAIN(a)) -> memory[AGAIN(a)] = 0 }
#endif
		if
		:: claimed
		:: !claimed -> store(CLAIMED(a), 0)
		fi
	fi
}

/* Leaves x 1 if actor a seems ready. */
inline peek()
{
#if TORN
	x = !LOAD(me, AGAIN(a)) && !SEES_END;
	f = (x -> 0 : FIFOS);
	x = 1;
	do
	:: f < FIFOS && (DST(f) == a || SRC(f) == a) ->
		over = (DST(f) == a -> LOAD(me, CLOSED(f)) : LOAD(me, DISCARDS(f)));
		if
		:: w = LOAD(me, WRITTEN(f)); r = LOAD(me, READ(f))
		:: r = LOAD(me, READ(f)); w = LOAD(me, WRITTEN(f))
		fi;
		d_step {
			x = x && (over || (DST(f) == a -> w != r : w != r + K));
			w = 0;
			r = 0;
			over = 0;
			f++
		}
	:: f < FIFOS && DST(f) != a && SRC(f) != a -> f++
	:: f == FIFOS -> break
	od;
	atomic { f = 0; x = x && !ended[a] }
#else
	x = PEEK
#endif
}

/* In the last scan; it has announced itself, so a ring is heard by itself, too. */
inline end_in_scan()
{
	close_all();
	FENCE;
	if
	:: (marked && FAULT != 18 || FEEDS_FOREIGN || !live) -> ring(0)
	:: !(marked && FAULT != 18 || FEEDS_FOREIGN || !live)
	fi;
	marked = 0
}

proctype thread(byte me)
{
	byte a, f, w;
	bit looked, claimed, announced, x, tried, marked;
#if TORN
	byte r;
	bit over;
#endif

top:
	if
	:: !live -> goto out
	:: live ->
		a = 0;
		do
		:: a < ACTORS - 1 -> a++
		:: atomic { MINE && PEEK -> break }
		:: a = 0; goto announce
		od
	fi;
	claim_and_take();
	looked = 0;
	if
	:: claimed -> goto work
	:: !claimed -> a = 0; goto top
	fi;
announce:
	announced = 1;
	sleepers++;
#if FAULT != 7
	FENCE;
#endif
#if FAULT != 2
	stale = stale & ~(1 << me);
#endif
#if FAULT != 12
	if
	:: !live -> goto out
	:: live
	fi;
#endif
#if FAULT != 1
scan:
	a = ACTORS;
	do
	:: a > 0 ->
		a--;
		if
		:: MINE ->
			peek();
#if LEAVES
			w = LOAD(me, TAKEN(a));
			if
			:: x && (LOAD(me, TAKEN(a)) != w || FAULT == 19) -> x = 0
			:: skip
			fi;
			w = 0;
#endif
			if
			:: x ->
				x = 0;
				claim_and_take();
				if
				:: claimed && !TAKE_ENDED -> looked = 0; goto work
				:: claimed && TAKE_ENDED ->
					atomic { looked = 0; claimed = 0 }
					end_in_scan()
				:: !claimed -> atomic { tried = tried || looked; looked = 0 }
				fi
			:: !x
			fi
		:: !MINE
		fi
	:: a == 0 -> break
	od;
#endif
#if FAULT == 2
	stale = stale & ~(1 << me);
#endif
#if FAULT == 6
	tried = 0;
#endif
	if
#if FAULT == 17
	:: tried -> tried = 0; goto scan
#else
	:: tried -> tried = 0
#endif
	:: !tried ->
		/* a thread that looks at this actor may have found the claim taken: see fault 6 */
		asleep = ((stale >> me) & 1 -> asleep : asleep | (1 << me));
		!((asleep >> me) & 1)
	fi;
	atomic { sleepers--; announced = 0 }
	goto top;
work:
	atomic { claimed = 0; tried = 0; sleepers = sleepers - announced; announced = 0 }
	if
	:: TAKE_ENDED -> x = 1
	:: else -> fire()
	fi;
	if
	:: x -> close_all()
	:: !x -> store(CLAIMED(a), 0)
	fi;
	if
#if FAULT != 5
	:: FEEDS_FOREIGN ->
#if FAULT != 13
		FENCE;
#endif
		if
		:: sleepers -> ring((FAULT == 14))
		:: !sleepers
		fi
#endif
	:: FAULT == 5 || !FEEDS_FOREIGN
	fi;
	if
	:: x && !live && FAULT != 11 -> ring(0)
	:: !(x && !live && FAULT != 11)
	fi;
	atomic { x = 0; a = 0; marked = 0 }
	goto top;
out:
	atomic { FENCE -> a = 0; home++ }
}

#if HAS_OWN
/* Around what own_thread does. */
inline own_before()
{
#if FAULT == 4
	seen = sleepers
#else
	skip
#endif
}

inline own_after()
{
#if FAULT != 3
	FENCE;
#endif
#if FAULT != 4
	seen = sleepers;
#endif
	if
	:: seen && ONE && live -> ring(1)
	:: seen && !(ONE && live) -> ring(0)
	:: !seen
	fi;
	seen = 0
}

proctype own_thread(byte me, a)
{
	byte f, w, seen;
	bit x, marked;

	do
	:: TAKE_READY && !(BLOCKS && SOURCE(a) && fired[a] == N) ->
		own_before();
		fire();
		if
		:: x -> close_all()
		:: !x
		fi;
		own_after();
		if
		:: x -> break
		:: !x
		fi
	:: TAKE_ENDED ->
		own_before();
		close_all();
		own_after();
		break
	od;
	x = 0;
	atomic { FENCE -> home++ }
}
#endif

init {
	byte i;

	atomic {
		live = ACTORS;
		for (i : 0 .. T - 1) {
			run thread(i);
			run buffer(i)
		}
#if HAS_OWN
		run own_thread(T, (P0 == OWN -> 0 : (P1 == OWN -> 1 : 2)));
		run buffer(T);
#endif
		i = 0
	}
	home == T + (HAS_OWN -> 1 : 0);
	assert(!live);
#if !EARLY
	d_step {
		for (i : 0 .. FIFOS - 1) {
			assert(memory[WRITTEN(i)] == N && memory[READ(i)] == N)
		}
		i = 0
	}
#endif
}
