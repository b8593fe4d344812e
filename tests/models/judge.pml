/* SPDX-License-Identifier: MIT */
/*
 * The detector of a team: members that judge when none of them finds anything to fire. A deadlock is always
 * reported, and nothing else is.
 *
 * What stands for what (lib/schedule/team.c, lib/schedule/team_fire.c, lib/schedule/detector.c, lib/firing/control.c):
 *
 *   member                ps_member_run(). Which actor it tries next, and when it gives up, is free
 *   MAY_TAKE              ps_firing_may_take(), without the claim
 *   claimed               a->taking
 *   try()                 ps_member_try(): the claim, ps_firing_take(), fire() and publish, the claim given back, the
 *                         mark
 *   decided               firing->decided: ps_control_take() has read the control token and freed its slot. That is a
 *                         step of its own, before the look at the windows
 *   again                 a->again, ps_team_nudge()
 *   dirty                 team->dirty, the mark: something has moved since a member judged
 *   idle                  team->idle: members that look for the last time, or sleep
 *   expecting, count      the bell. A sleeper goes on when the count is not what it has seen
 *   scan:                 look_for_the_last_time(), in any order
 *   judge()               ps_detector_judge(): hold() by claims, sift(), let_go()
 *   own                   actor 0 with a thread of its own (OWN=1): ps_detector_look() and ps_team_suspect() before it
 *                         waits
 *
 * Networks, rate 1. Actor 0 is the source; it fires N times, each time into each of its FIFOs. Actor 1 is dynamic, FIFO
 * 0 is its control FIFO (depth C), FIFO 1 its input (depth K), on for each control value.
 * NET 1: FIFO 2 leads from actor 1 to itself, with D delay tokens. D=0 is a deadlock.
 * NET 2: FIFO 2 leads from actor 1 to actor 2, FIFO 3 back with D delay tokens. D=0 is a deadlock.
 * NET 3: FIFO 2 leads from actor 1 back to actor 0 with D delay tokens. D=0 is a deadlock.
 * NET 4: FIFO 1 comes from actor 2, and FIFO 2 leads from that to itself with one delay token. Actor 2 ends at its Mth
 * firing,
 *        mostly after actor 1 has ended, which is when it has room again. No deadlock.
 * P: the thread to which actor 1 is pinned, and 1; 0: any.
 *
 * Every process must get to its end. Then there was a deadlock exactly if the network has one.
 *
 * What follows from a verdict, the watcher's nudges, is left out: deadlocked ends every process.
 *
 * Spin's steps are sequentially consistent. Places of devices are left out: members that wait for one look again by the
 * clock, and judge then.
 *
 * FAULT: 1 a control token that is taken leaves no mark  2 a judge that could not hold every actor leaves no mark
 *        3 the mark is taken away after the judgement  4 an own thread that suspects a deadlock does not ring
 *        5 a nudge that is taken away leaves no mark  6 a member may sleep after a last look that ended an actor
 */
#ifndef NET
#define NET 1
#endif
#ifndef T
#define T 2
#endif
#ifndef N
#define N 2
#endif
#ifndef M
#define M 3
#endif
#ifndef C
#define C 1
#endif
#ifndef K
#define K 1
#endif
#ifndef D
#define D 0
#endif
#ifndef P
#define P 0
#endif
#ifndef OWN
#define OWN 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#if NET == 2
#define ACTORS 3
#define FIFOS 4
#define DST(f) ((f) == 2 -> 2 : 1)
#define SRC(f) ((f) < 2 -> 0 : (f) - 1)
#define DELAY(f) ((f) == 3 -> D : 0)
#define DEAD (D == 0)
#elif NET == 3
#define ACTORS 2
#define FIFOS 3
#define DST(f) ((f) < 2 -> 1 : 0)
#define SRC(f) ((f) < 2 -> 0 : 1)
#define DELAY(f) ((f) == 2 -> D : 0)
#define DEAD (D == 0)
#elif NET == 4
#define ACTORS 3
#define FIFOS 3
#define DST(f) ((f) == 2 -> 2 : 1)
#define SRC(f) ((f) == 0 -> 0 : 2)
#define DELAY(f) ((f) == 2)
#define DEAD 0
#else
#define ACTORS 2
#define FIFOS 3
#define DST(f) 1
#define SRC(f) ((f) < 2 -> 0 : 1)
#define DELAY(f) ((f) == 2 -> D : 0)
#define DEAD (D == 0)
#endif
#if FIFOS == 4
#define ANY(c) (c(0) || c(1) || c(2) || c(3))
#else
#define ANY(c) (c(0) || c(1) || c(2))
#endif
#define DEPTH(f) ((f) == 0 -> C : K)
#define TEAMED(a) (!OWN || (a) != 0)
#define MINE(a) (TEAMED(a) && (P == 0 || (a) != 1 || P == me + 1))

byte written[FIFOS], read[FIFOS];
bit closed[FIFOS], discards[FIFOS];
bit claimed[ACTORS], ended[ACTORS], again[ACTORS];
bit decided;      /* of actor 1; guarded by its claim */
byte fired[ACTORS]; /* guarded by the claim */
bit dirty = 1, deadlocked;
bit judging;      /* the detector's lock */
byte idle, expecting;
byte live = ACTORS;
byte stale;       /* bit t: the bell has been rung since member t has read its count */
bit own_waits;    /* the own thread says that it waits */
bit held[ACTORS], stuck[ACTORS]; /* guarded by judging */

#define HAS(f) (written[f] + DELAY(f) > read[f])
#define ROOM(f) (discards[f] || written[f] < read[f] + DEPTH(f))
#define OVER(f) (closed[f] && !HAS(f))
/* a control FIFO decides until its token is read, and not after that */
#define CONTROL(f) ((f) == 0)
#define IN(f) (DST(f) == a && (!CONTROL(f) || !decided))
#define IN_WINDOW(f) (DST(f) == a && !CONTROL(f))
#define OUT(f) (SRC(f) == a)
#define IN_OVER(f) (IN(f) && OVER(f))
#define LACKS(f) (IN_WINDOW(f) && !HAS(f) || OUT(f) && !ROOM(f))
#define WANTS(f) (OUT(f) && !discards[f])
#define UNWANTED (ANY(OUT) && !ANY(WANTS))
#define UNDECIDED (a == 1 && !decided)
#define ENDS (ANY(IN_OVER) || UNWANTED)
#define MAY_TAKE (!ended[a] && !claimed[a] && \
	(again[a] || ENDS || (UNDECIDED -> HAS(0) : !ANY(LACKS))))

#define RING stale = (1 << T) - 1

inline ring_if_awaited()
{
	if
	:: expecting -> RING
	:: else
	fi
}

/* ps_team_nudge() */
inline nudge(whom)
{
	if
	:: TEAMED(whom) ->
		again[whom] = 1;
		dirty = 1;
		ring_if_awaited()
	:: else
	fi
}

#define STILL_WANTS(g) (SRC(g) == SRC(f) && !discards[g])

/* ps_firing_close() of actor a; the claim stays for ever */
inline close_all()
{
	ended[a] = 1;
	f = 0;
	do
	:: f < FIFOS && DST(f) == a ->
		discards[f] = 1;
		if
		:: !ended[SRC(f)] && !ANY(STILL_WANTS) -> nudge(SRC(f))
		:: else
		fi;
		f++
	:: f < FIFOS && DST(f) != a && SRC(f) == a -> closed[f] = 1; nudge(DST(f)); f++
	:: f < FIFOS && DST(f) != a && SRC(f) != a -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	live--
}

/* fire(), publish: outputs, then inputs. Leaves x 1 if that was the last firing. */
inline fire()
{
	do
	:: f < FIFOS && OUT(f) -> written[f] = written[f] + !discards[f]; f++
	:: f < FIFOS && !OUT(f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	do
	:: f < FIFOS && IN_WINDOW(f) -> read[f]++; f++
	:: f < FIFOS && !IN_WINDOW(f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	if
	:: a == 0 -> fired[a]++; x = (fired[a] == N)
	:: a == 1 -> decided = 0
#if NET == 4
	:: a == 2 -> fired[a]++; x = (fired[a] == M)
#else
	:: a == 2
#endif
	fi
}

inline take_back_word()
{
	if
	:: atomic { announced -> announced = 0; idle--; expecting-- }
	:: else
	fi
}

/* Leaves moved 1 if something has moved, sleeps 0 if the member may not sleep after this. */
inline try()
{
	if
	:: atomic { claimed[a] } -> skip
	:: atomic { !claimed[a] -> claimed[a] = 1 }
		if
		:: atomic { again[a] -> again[a] = 0 }
#if FAULT != 5
			dirty = 1
#endif
		:: else
		fi;
		if
		:: atomic { !ENDS && UNDECIDED && HAS(0) ->
			read[0]++;
			decided = 1;
			moved = (FAULT != 1)
			}
		:: else
		fi;
		if
		:: ENDS -> x = 1
		:: atomic { !ENDS && !UNDECIDED && !ANY(LACKS) -> moved = 1 }
			take_back_word();
			fire()
		:: else
		fi;
		sleeps = (FAULT == 6 && x);
		if
		:: x -> /* the claim is kept */
			x = 0;
			close_all();
			if
			:: !live -> RING
			:: else
			fi
		:: else -> claimed[a] = 0
		fi;
		/* help: an actor that only another member may fire, or an own thread's */
		if
		:: moved && P -> ring_if_awaited()
		:: else
		fi;
		if
		:: moved && !dirty -> dirty = 1
		:: else
		fi;
		moved = 0
	fi
}

/* Where does actor a wait, or none: of one that is held */
#define HELD_WAITS (!ended[a] && !ENDS && !again[a] && (UNDECIDED -> !HAS(0) : ANY(LACKS)))
/* the first window that is missing, in the order of the FIFOs: which actor could bring it? */
#define FIRST(f) (DST(f) == a && (!CONTROL(f) || UNDECIDED) && !HAS(f) || !UNDECIDED && OUT(f) && !ROOM(f))
#define BRINGS(f) (DST(f) == a && !HAS(f) && (!CONTROL(f) || UNDECIDED) -> SRC(f) : DST(f))
#if FIFOS == 4
#define OTHER (FIRST(0) -> BRINGS(0) : (FIRST(1) -> BRINGS(1) : (FIRST(2) -> BRINGS(2) : BRINGS(3))))
#else
#define OTHER (FIRST(0) -> BRINGS(0) : (FIRST(1) -> BRINGS(1) : BRINGS(2)))
#endif

inline judge()
{
#if FAULT != 3
	dirty = 0;
#endif
	atomic { !judging -> judging = 1 }
	all = 1;
	a = 0;
	do
	:: a < ACTORS ->
		if
		:: atomic { !TEAMED(a) -> held[a] = own_waits && !ended[a] }
		:: atomic { TEAMED(a) && !claimed[a] -> claimed[a] = 1; held[a] = 1 }
		:: atomic { TEAMED(a) && claimed[a] -> held[a] = 0; all = all && ended[a] }
		fi;
		a++
	:: a == ACTORS -> break
	od;
	/* held actors can't move; each step of sift() only takes away */
	skip;
	d_step {
		a = 0;
		for (a : 0 .. ACTORS - 1) {
			stuck[a] = held[a] && HELD_WAITS
		}
		for (f : 0 .. ACTORS - 1) {
			for (a : 0 .. ACTORS - 1) {
				stuck[a] = stuck[a] && stuck[OTHER]
			}
		}
		f = 0;
		for (a : 0 .. ACTORS - 1) {
			deadlocked = deadlocked || stuck[a]
		}
		a = 0
	}
	do
	:: a < ACTORS && held[a] && TEAMED(a) ->
		claimed[a] = 0;
		if
		:: expecting && MAY_TAKE -> RING
		:: else
		fi;
		a++
	:: a < ACTORS && !(held[a] && TEAMED(a)) -> a++
	:: a == ACTORS -> break
	od;
	a = 0;
	judging = 0;
#if FAULT == 3
	dirty = 0;
#endif
	if
	:: !all && FAULT != 2 -> dirty = 1
	:: else
	fi;
	all = 0
}

proctype member(byte me)
{
	byte a, f, i;
	bit x, moved, announced, sleeps, all;
	byte left; /* actors that the last look has still to look at: a bit each */

top:
	do
	:: !live || deadlocked -> goto out
	:: live && !deadlocked ->
		/* look: any that seems ready; or judge, now and then; or give up */
		a = 0;
		do
		:: a < ACTORS - 1 -> a++
		:: atomic { MINE(a) && MAY_TAKE -> break }
		:: a = 0; goto idles
		:: a = 0; goto judges
		od;
		try();
		atomic { a = 0; sleeps = 0 }
	od;
judges:
	judge();
	goto top;
idles:
	atomic { announced = 1; idle++ }
	atomic { expecting++; stale = stale & ~(1 << me) }
	atomic { sleeps = 1; left = (1 << ACTORS) - 1 }
	do
	:: atomic { left && announced ->
		if
		:: left & 1 -> a = 0; left = left & ~1
		:: left & 2 -> a = 1; left = left & ~2
#if ACTORS == 3
		:: left & 4 -> a = 2; left = left & ~4
#endif
		fi
		}
		if
		:: MINE(a) && MAY_TAKE ->
			i = sleeps;
			try();
			atomic { sleeps = sleeps && i; i = 0 }
		:: else
		fi
	:: else -> break
	od;
	atomic { a = 0; left = 0 }
	if
	:: sleeps && announced && live ->
		if
		:: idle == T && dirty -> judge()
		:: else -> deadlocked || (stale >> me) & 1
		fi
	:: else
	fi;
	take_back_word();
	sleeps = 0;
	goto top;
out:
	skip
}

#if OWN
proctype own()
{
	byte a, f, i;
	bit x;

	do
	:: deadlocked || UNWANTED -> break
	:: !deadlocked && !UNWANTED && !ANY(LACKS) ->
		own_waits = 0;
		fire();
		dirty = 1;
		ring_if_awaited();
		if
		:: x -> break
		:: else
		fi
	:: !deadlocked && ANY(LACKS) && !own_waits ->
		own_waits = 1;
		/* the chain leads to the team */
		if
		:: ANY(LACKS) ->
			dirty = 1;
			if
			:: idle == T && FAULT != 4 -> RING
			:: else
			fi
		:: else
		fi
	od;
	own_waits = 0;
	close_all();
	if
	:: !live -> RING
	:: else
	fi
}
#endif

init {
	byte i;

	atomic {
		for (i : 0 .. T - 1) {
			run member(i)
		}
#if OWN
		run own()
#endif
	}
	_nr_pr == 1;
	assert(deadlocked == DEAD);
	assert(deadlocked || !live)
}
