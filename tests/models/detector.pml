/* SPDX-License-Identifier: MIT */
/*
 * The run-time detector: an actor's thread that waits says so, follows the chain of what it waits for, judges under
 * locks.
 *
 * What stands for what (lib/schedule/detector.c, lib/fifo/fifo.c, lib/fifo/fifo_wait.c, lib/firing/firing.c):
 *
 *   awaits[a]           task.waits_for: an end, 1 + 2 f (the reader's) or 2 + 2 f (the writer's) of FIFO f; 0: it does
 *                       not wait
 *   lock[f]             fifo.lock as the judge holds it, or the thread that sets a relay. Any other thread's
 *                       critical section is one step that needs it to be free
 *   LOOK                ps_fifo_look() at an end
 *   wait()              ps_thread_wait(): ps_detector_wait(), then ps_fifo_wait(): returns when the end is nudged or no
 *                       more WAIT, and clears awaits[a] in the same critical section. No lost wake-ups here:
 *                       fifo.pml and end.pml have them
 *   publish, release    publish() and release(): without the lock, so also while the FIFO is held. Then
 *                       ps_fifo_changed() asks which ends listen: here only the reader's relay, which a nonzero
 *                       relay[f] says (an end that waits: wait()). tell() takes it down under the lock, and
 *                       nudges it when the lock is given back
 *   the actor's loop    ps_firing_take(): over, an enabled input that has ended, the first missing window in port order
 *                       (here: the FIFOs' order); publish_all(); ps_firing_close()
 *   chain()             chain_ends(): Brent's, one load a step
 *   blocked()           all_blocked(): a load and a look a step
 *   judge()             judge(): hold(), sift(false), sift(true), let_go(), set_relays(); each evaluation of
 *                       may_go_on() is one step, and so is each lock. A lock holds the actors that wait at its
 *                       FIFO, not the counters. The counters between two held actors can't change, for
 *                       neither gets past its wait. The others may, at any time; but an actor that is not
 *                       held is not stuck, and counts as going on whatever they say
 *   set_relays()        ps_fifo_relay(): under the lock sets the relay, then looks; the publishing thread asks
 *                       after it has published
 *   judging             the mutex of that name
 *
 * Not modelled: launched actors and their claims, a team's actors (held by `taking`; `again`, `dirty` and
 * `idle`), kahn actors, control ports (what they wait for is an end like the others), places on devices.
 *
 * Networks (NET), rate 1, depth K, delays D each:
 *   2  a -> b, b -> a          both ports dynamic: each firing moves any of them, not none
 *   3  a -> b -> c -> a        static: with D=0 dead from the start, in many orders
 *   4  a -> b, b -> a, b -> c, c -> b: two cycles that share b; b's ports dynamic
 *   5  b -> a, c -> a, a -> b  static, D of the cycle only: a waits for b and b for a, but c, which may fire or end at
 *                              any time, releases both when it ends before it has given a its window; or c stays in its
 *                              fire() for ever, which is no deadlock, but for a and b once a has c's window
 *   6  a -> b, a -> b, b -> c, c -> a: a cycle of 3, and a wait for room: b's ports dynamic
 * Each actor ends after FIRINGS firings, or before by itself if it is c in NET 5.
 *
 * doomed[a]: a report says that a will never go on; it is asserted of all that are found stuck, not only of the cycle.
 * No doomed actor may fire or end: no false alarm. When nothing moves any more, either all have ended or there was a
 * report: no miss.
 *
 * FAULT: 1 look before saying
 *        2 a chain that returns is reported unjudged
 *        3 judges lock their own FIFO first, and several judge at once
 *        4 no relay
 *        5 awaits[a] is not cleared after a wait
 *        6 judges think that no actor ends
 *        7 which inputs decide is noted by a second look, after the verdict
 *        8 the relay is set after the look
 */
#ifndef NET
#define NET 2
#endif
#ifndef K
#define K 1
#endif
#ifndef D
#define D 0
#endif
#ifndef FIRINGS
#define FIRINGS 2
#endif
#ifndef FAULT
#define FAULT 0
#endif

#if NET == 2
#define ACTORS 2
#define FIFOS 2
#define SRC(f) (f)
#define DST(f) (1 - (f))
#define DYNAMIC(a) 1
#endif
#if NET == 3
#define ACTORS 3
#define FIFOS 3
#define SRC(f) (f)
#define DST(f) (((f) + 1) % 3)
#define DYNAMIC(a) 0
#endif
#if NET == 4
#define ACTORS 3
#define FIFOS 4
#define SRC(f) ((f) == 0 -> 0 : ((f) == 3 -> 2 : 1))
#define DST(f) ((f) == 1 -> 0 : ((f) == 2 -> 2 : 1))
#define DYNAMIC(a) ((a) == 1)
#endif
#if NET == 5
#define ACTORS 3
#define FIFOS 3
#define SRC(f) ((f) == 0 -> 1 : ((f) == 1 -> 2 : 0))
#define DST(f) ((f) == 2 -> 1 : 0)
#define DELAY(f) ((f) == 1 -> 0 : D)
#define DYNAMIC(a) 0
#endif
#if NET == 6
#define ACTORS 3
#define FIFOS 4
#define SRC(f) ((f) < 2 -> 0 : (f) - 1)
#define DST(f) ((f) < 2 -> 1 : ((f) == 2 -> 2 : 0))
#define DYNAMIC(a) ((a) == 1)
#endif
#ifndef DELAY
#define DELAY(f) D
#endif

#define READER(f) (1 + 2 * (f))
#define WRITER(f) (2 + 2 * (f))
#define FIFO(end) (((end) - 1) / 2)
#define IS_WRITER(end) (((end) & 1) == 0)
#define OTHER(end) (IS_WRITER(end) -> DST(FIFO(end)) : SRC(FIFO(end)))

byte written[FIFOS], read[FIFOS];
bit closed[FIFOS], discards[FIFOS], lock[FIFOS];
byte relay[FIFOS];           /* of the reader's end */
bit nudged[2 * FIFOS + 2];   /* ends */
byte awaits[ACTORS];
byte on[ACTORS];             /* bit f: FIFO f moves a window in this firing */
bit ended[ACTORS], doomed[ACTORS];
byte gone;                   /* actors that have ended */
bit away;                    /* c is in its fire() for ever */

bit judging, deadlocked;
/* guarded by judging */
byte waits[ACTORS];
bit stuck[ACTORS], held[FIFOS];
byte curious[FIFOS];

#define HAS(f) (DELAY(f) + written[f] > read[f])
#define ROOM(f) (written[f] < read[f] + K)
#define IN_WAIT(f) (!HAS(f) && !closed[f])
#define IN_ENDED(f) (!HAS(f) && closed[f])
#define OUT_WAIT(f) (!discards[f] && !ROOM(f))
#define LOOK_WAIT(end) (IS_WRITER(end) -> OUT_WAIT(FIFO(end)) : IN_WAIT(FIFO(end)))

#define NEEDS(a, f) (DST(f) == (a) && ((on[a] >> (f)) & 1))
#define GIVES(a, f) (SRC(f) == (a) && ((on[a] >> (f)) & 1))
#if FIFOS == 2
#define ANY(c) (c(0) || c(1))
#define ALL(c) (c(0) && c(1))
#elif FIFOS == 3
#define ANY(c) (c(0) || c(1) || c(2))
#define ALL(c) (c(0) && c(1) && c(2))
#else
#define ANY(c) (c(0) || c(1) || c(2) || c(3))
#define ALL(c) (c(0) && c(1) && c(2) && c(3))
#endif

/* unwanted(): has outputs, and all their readers have ended */
#define NO_OUTPUT_1(f) (SRC(f) != me)
#define UNREAD_1(f) (SRC(f) != me || discards[f])
#define UNWANTED (!ALL(NO_OUTPUT_1) && ALL(UNREAD_1))
#define ENDED_1(f) (NEEDS(me, f) && IN_ENDED(f))
#define STARVED ANY(ENDED_1)

/* ps_fifo_nudge() */
inline nudge(end) { atomic { !lock[FIFO(end)] -> nudged[end] = 1 } }

/* ps_task_nudge() */
inline nudge_actor(a)
{
	g = 0;
	do
	:: g < FIFOS && DST(g) == a -> nudge(READER(g)); g++
	:: g < FIFOS && SRC(g) == a -> nudge(WRITER(g)); g++
	:: g < FIFOS && DST(g) != a && SRC(g) != a -> g++
	:: g == FIFOS -> break
	od;
	g = 0
}

/* chain_ends(): leaves x 1 if it does */
inline chain()
{
	at = me;
	passed = me;
	step = 1;
	next = 2;
	do
	:: step > 2 * ACTORS + 2 -> x = 0; break
	:: else ->
		e = awaits[at];
		if
		:: !e -> x = 1; break
		:: e ->
			at = OTHER(e);
			if
			:: at == passed -> x = 0; break
			:: at != passed && step == next -> passed = at; next = 2 * next; step++
			:: at != passed && step != next -> step++
			fi
		fi
	od;
	atomic { at = 0; passed = 0; step = 0; next = 0; e = 0 }
}

/* all_blocked(): leaves x 1 if they are */
inline blocked()
{
	at = me;
	step = 0;
	do
	:: step == 2 * ACTORS -> x = 1; break
	:: else ->
		e = awaits[at];
		if
		:: !e -> x = 0; break
		:: e ->
			if
			:: !LOOK_WAIT(e) -> x = 0; break
			:: else -> at = OTHER(e); step++
			fi
		fi
	od;
	atomic { at = 0; step = 0; e = 0 }
}

#define NO_INPUT_LEFT_1(f) (NEEDS(i, f) && IN_ENDED(f))
#define WRITER_ALIVE_1(f) (NEEDS(i, f) && IN_WAIT(f) && !stuck[SRC(f)])
#define HAS_OUTPUT_1(f) (SRC(f) == i)
#define WANTED_1(f) (SRC(f) == i && !discards[f] && stuck[DST(f)])
#define READERLESS_1(f) (SRC(f) != i || discards[f])
#define OVER (ANY(HAS_OUTPUT_1) && ALL(READERLESS_1))
#if FAULT == 6
#define MAY_GO_ON(all) (nudged[awaits[i]] || !LOOK_WAIT(awaits[i]) || !stuck[OTHER(awaits[i])])
#else
#define MAY_GO_ON(all) (nudged[awaits[i]] || !LOOK_WAIT(awaits[i]) || !stuck[OTHER(awaits[i])] || OVER || \
	ANY(NO_INPUT_LEFT_1) || all && (ANY(WRITER_ALIVE_1) || ANY(HAS_OUTPUT_1) && !ANY(WANTED_1)))
#endif

/* input_may_end(): the inputs by which it may yet end, by the same look: a second one could find a window there */
inline note(all)
{
#if FAULT != 7
	for (g : 0 .. FIFOS - 1) {
		if
		:: all && WRITER_ALIVE_1(g) -> curious[g] = awaits[i]
		:: else
		fi
	}
	g = 0
#else
	skip
#endif
}

/* sift(): x: is any actor left? */
inline sift(all)
{
	do
	:: true ->
		x = 0;
		again = 0;
		i = 0;
		do
		:: i < ACTORS ->
			d_step {
				if
				:: stuck[i] && MAY_GO_ON(all) -> note(all); stuck[i] = 0; again = 1
				:: else
				fi;
				x = x || stuck[i];
				i++
			}
		:: i == ACTORS -> break
		od;
		i = 0;
		if
		:: again -> again = 0
		:: !again -> break
		fi
	od
}

inline hold()
{
	i = 0;
	do
	:: i < ACTORS ->
		waits[i] = awaits[i];
		if
		:: waits[i] -> held[FIFO(waits[i])] = 1
		:: else
		fi;
		i++
	:: i == ACTORS -> break
	od;
	i = 0;
#if FAULT == 3
	/* from its own on, round; no judge waits for another */
	g = FIFO(awaits[me]);
	do
	:: i < FIFOS && held[g] -> atomic { !lock[g] -> lock[g] = 1 }; i++; g = (g + 1) % FIFOS
	:: i < FIFOS && !held[g] -> i++; g = (g + 1) % FIFOS
	:: i == FIFOS -> break
	od;
	g = 0;
#else
	do
	:: i < FIFOS && held[i] -> atomic { !lock[i] -> lock[i] = 1 }; i++
	:: i < FIFOS && !held[i] -> i++
	:: i == FIFOS -> break
	od;
#endif
	i = 0;
	do
	:: i < ACTORS ->
		d_step {
			e = awaits[i];
			waits[i] = (waits[i] && e && held[FIFO(e)] -> 1 : 0);
			stuck[i] = waits[i];
			e = 0;
			i++
		}
	:: i == ACTORS -> break
	od;
	i = 0
}

/* Only FAULT 7: a second look, after the verdict. */
inline note_undecided()
{
	i = 0;
	do
	:: i < ACTORS && waits[i] ->
		for (g : 0 .. FIFOS - 1) {
			d_step {
				if
				:: NEEDS(i, g) && IN_WAIT(g) && !held[g] -> curious[g] = awaits[i]
				:: else
				fi
			}
		}
		g = 0;
		i++
	:: i < ACTORS && !waits[i] -> i++
	:: i == ACTORS -> break
	od;
	i = 0
}

inline let_go()
{
	i = 0;
	do
	:: i < FIFOS && held[i] -> lock[i] = 0; held[i] = 0; i++
	:: i < FIFOS && !held[i] -> i++
	:: i == FIFOS -> break
	od;
	i = 0
}

inline set_relays()
{
	i = 0;
	do
	:: i < FIFOS && curious[i] ->
		e = curious[i];
		curious[i] = 0;
		atomic { !lock[i] -> lock[i] = 1 }
#if FAULT == 8
		again = !IN_WAIT(i);
		relay[i] = e;
#else
		relay[i] = e;
		again = !IN_WAIT(i);
#endif
		if
		:: again -> relay[i] = 0; again = 0
		:: !again -> e = 0
		fi;
		lock[i] = 0;
		if
		:: e -> nudge(e)
		:: else
		fi;
		e = 0;
		i++
	:: i < FIFOS && !curious[i] -> i++
	:: i == FIFOS -> break
	od;
	i = 0
}

inline judge()
{
#if FAULT == 3
	/* each judge has its own view; one lock a step is all that matters for how they end */
	hold();
	let_go()
#else
	atomic { !judging -> judging = 1 }
	if
	:: deadlocked
	:: !deadlocked ->
		hold();
		sift(false);
		undecided = x;
		if
		:: x ->
			d_step { for (i : 0 .. ACTORS - 1) { waits[i] = stuck[i] } i = 0 }
			sift(true);
			if
			:: x ->
				d_step {
					undecided = 0;
					deadlocked = 1;
					for (i : 0 .. ACTORS - 1) {
						doomed[i] = stuck[i]
					}
					i = 0
				}
			:: !x ->
#if FAULT == 7
				note_undecided()
#else
				skip
#endif
			fi
		:: !x
		fi;
		let_go();
#if FAULT != 4
		if
		:: undecided -> set_relays()
		:: !undecided
		fi;
#endif
		d_step {
			undecided = 0;
			for (i : 0 .. ACTORS - 1) {
				waits[i] = 0;
				stuck[i] = 0
			}
			for (i : 0 .. FIFOS - 1) {
				curious[i] = 0
			}
			i = 0
		}
	fi;
	judging = 0
#endif
}

/* ps_detector_look() */
inline look()
{
	chain();
	if
	:: x
	:: !x ->
#if FAULT == 2
		d_step { deadlocked = 1; doomed[me] = 1 }
#else
		blocked();
		if
		:: x -> judge()
		:: !x
		fi
#endif
	fi;
	x = 0
}

inline wait(end)
{
#if FAULT == 1
	look();
	awaits[me] = end;
#else
	awaits[me] = end;
	look();
#endif
	atomic {
		!lock[FIFO(end)] && (nudged[end] || !LOOK_WAIT(end));
#if FAULT != 5
		awaits[me] = 0;
#endif
		nudged[end] = 0
	}
}

inline publish(f)
{
	if
	:: discards[f]
	:: else -> written[f]++
	fi;
	if
	:: relay[f] -> atomic { !lock[f] -> e = relay[f]; relay[f] = 0 }
	:: else
	fi;
	if
	:: e -> nudge(e)
	:: !e
	fi;
	e = 0
}

inline fire()
{
	assert(!doomed[me]);
	f = 0;
	do
	:: f < FIFOS && GIVES(me, f) -> publish(f); f++
	:: f < FIFOS && !GIVES(me, f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	do
	:: f < FIFOS && NEEDS(me, f) -> read[f]++; f++
	:: f < FIFOS && !NEEDS(me, f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0
}

#define UNREAD_OF_1(g) (SRC(g) != SRC(f) || discards[g])

/* ps_firing_close() */
inline close_all()
{
	assert(!doomed[me]);
	ended[me] = 1;
	f = 0;
	do
	:: f < FIFOS && DST(f) == me ->
		atomic { !lock[f] -> discards[f] = 1 }
		if
		:: ALL(UNREAD_OF_1) && !ended[SRC(f)] -> at = SRC(f); nudge_actor(at); at = 0
		:: else
		fi;
		f++
	:: f < FIFOS && SRC(f) == me ->
		atomic { !lock[f] -> closed[f] = 1 }
		at = DST(f);
		nudge_actor(at);
		at = 0;
		f++
	:: f < FIFOS && DST(f) != me && SRC(f) != me -> f++
	:: f == FIFOS -> break
	od;
	f = 0
}

#define PORT(f) (((SRC(f) == me || DST(f) == me) -> 1 : 0) << (f))
#if FIFOS == 2
#define PORTS (PORT(0) + PORT(1))
#elif FIFOS == 3
#define PORTS (PORT(0) + PORT(1) + PORT(2))
#else
#define PORTS (PORT(0) + PORT(1) + PORT(2) + PORT(3))
#endif

/* control(): any of the ports, at least one */
inline decide()
{
	do
	:: f < FIFOS && ((PORTS >> f) & 1) -> on[me] = on[me] | (1 << f); f++
	:: f < FIFOS && (!((PORTS >> f) & 1) || DYNAMIC(me)) -> f++
	:: f == FIFOS -> break
	od;
	on[me] = (on[me] -> on[me] : PORTS);
	f = 0
}

proctype actor(byte me)
{
	byte fired, f, g, i, e, at, passed, step, next, missing;
	bit x, again, undecided;

	do
	:: fired == FIRINGS -> break
	:: fired < FIRINGS ->
		if
		:: !on[me] -> atomic { decide() }
		:: else
		fi;
		if
		:: UNWANTED -> break
		:: else
		fi;
		/* the first missing window; the peeks one after the other */
		f = 0;
		missing = 0;
		do
		:: f < FIFOS ->
			atomic {
				if
				:: NEEDS(me, f) && IN_ENDED(f) -> x = 1
				:: NEEDS(me, f) && IN_WAIT(f) && !missing -> missing = READER(f)
				:: GIVES(me, f) && OUT_WAIT(f) && !missing -> missing = WRITER(f)
				:: else
				fi;
				f++
			}
		:: f == FIFOS -> break
		od;
		f = 0;
		if
		:: x -> x = 0; break
		:: !x && missing -> wait(missing)
		:: !x && !missing -> fire(); on[me] = 0; fired++
		fi;
		missing = 0
#if NET == 5
	:: me == 2 -> break
	:: me == 2 -> away = 1; false
#endif
	od;
	on[me] = PORTS;
	close_all();
	gone++
}

init {
	atomic {
		run actor(0);
		run actor(1);
#if ACTORS == 3
		run actor(2)
#endif
	}
	timeout;
#if NET == 5
	/* c can still release a, or the other two have ended */
	assert(gone == ACTORS || deadlocked || away && (!HAS(1) || gone == ACTORS - 1));
#else
	assert(gone == ACTORS || deadlocked);
#endif
	assert(lock[0] + lock[1] == 0)
}
