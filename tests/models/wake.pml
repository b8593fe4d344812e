/* SPDX-License-Identifier: MIT */
/*
 * A thread per actor: publish without a lock, and wake late. No thread sleeps for ever while its window is
 * there.
 *
 * What stands for what (lib/fifo/fifo.c, lib/fifo/fifo_wait.c, lib/schedule/thread_wait.c):
 *
 *   actor                   an actor's thread: waits at its input, then for room; publishes its output, frees
 *                           its input
 *   WAITING(end)            end->listens, what the owner says of itself: 0 does not wait, PATIENT, URGENT.
 *                           Changed under the lock only, read without. End 2 f is the reader's of FIFO f, 2 f
 *                           + 1 the writer's
 *   look_and_tell()         ps_fifo_changed(), tell(): after a counter has changed: a fence, then the other's
 *                           WAITING; only if it is set the lock, which is let go again, and a signal
 *   wait()                  under the lock: WAITING, a fence, the counters once more, then the condition
 *                           variable
 *   debts                   bit e: end e was left asleep (end->owes of the other end), for it could not run
 *                           HALF firings yet. Paid before the actor itself waits, if WAITING is still set;
 *                           never deferred for an URGENT end
 *   TIMEOUT                 a PATIENT sleeper wakes by itself, at any time; then it is URGENT for the rest of
 *                           this wait
 *   asleep                  in pthread_cond_(timed)wait(), which gives the lock back and falls asleep in one
 *                           step
 *   buffer                  memory order, as in team.pml. A mutex is a cell, too: taken by an exchange, given
 *                           back by a store. The condition variable's wait is a fence
 *
 * Actors 0 -> 1 (-> 2), FIFOs of K windows, rate 1, no delay; the first fires N times and closes its output,
 * which always signals. RING=1: the last one feeds the first, with one delay token. HALF=1: no thread is
 * ever left asleep. AWAY: user code blocks, after any firing of actor 0 until its reader has taken all (1), or of
 * actor 1 until its input's writer has filled the FIFO again (2).
 *
 * Every process must get to its end.
 *
 * FAULT: 1 no fence between publishing and looking for a waiter  2 no look at the counters after WAITING was
 *        set  3 no fence between them  4 the waker takes WAITING down  5 debts are not paid before waiting,
 *        and no waiter wakes by itself  6 no waiter wakes by itself, while user code blocks  7 a waiter that
 *        has become urgent sleeps without a look  8 an urgent waiter is left asleep  9 a signal without the
 *        lock
 */
#ifndef ACTORS
#define ACTORS 2
#endif
#ifndef K
#define K 2
#endif
#ifndef HALF
#define HALF 2
#endif
#ifndef N
#define N 3
#endif
#ifndef B
#define B 2
#endif
#ifndef AWAY
#define AWAY 0
#endif
#ifndef RING
#define RING 0
#endif
#ifndef FAULT
#define FAULT 0
#endif
#ifndef TIMEOUT
#define TIMEOUT (FAULT != 5 && FAULT != 6)
#endif

#if RING
#define FIFOS ACTORS
#define HAS_IN(a) 1
#define HAS_OUT(a) 1
#define IN(a) ((a) == 0 -> FIFOS - 1 : (a) - 1)
#else
#define FIFOS (ACTORS - 1)
#define HAS_IN(a) ((a) > 0)
#define HAS_OUT(a) ((a) < FIFOS)
#define IN(a) ((a) - 1)
#endif
#define OUT(a) (a)
#define READER(f) (2 * (f))
#define WRITER(f) (2 * (f) + 1)
#define PATIENT 1
#define URGENT 2

/* cells of the memory */
#define WRITTEN(f) (f)
#define READ(f) (FIFOS + (f))
#define CLOSED(f) (2 * FIFOS + (f))
#define LOCKED(f) (3 * FIFOS + (f))
#define WAITING(end) (4 * FIFOS + (end))
#define CELLS (6 * FIFOS)

byte memory[CELLS];
byte stores[ACTORS], at[ACTORS * B], kept[ACTORS * B]; /* of each thread, the oldest first; else 0 */
bit asleep[2 * FIFOS];

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
#define LOCK(f) atomic { !OWN_STORE(me, LOCKED(f)) && !memory[LOCKED(f)] -> memory[LOCKED(f)] = 1 }

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

#define FILLED(f) (LOAD(me, WRITTEN(f)) - LOAD(me, READ(f)))
#define IN_WAIT(f) (!FILLED(f) && !LOAD(me, CLOSED(f)))
#define IN_ENDED(f) (!FILLED(f) && LOAD(me, CLOSED(f)))
#define OUT_WAIT(f) (FILLED(f) == K)
#define LOOK_WAIT(end) (((end) & 1) && OUT_WAIT((end) / 2) || !((end) & 1) && IN_WAIT((end) / 2))
/* the owner of that end could run so many firings */
#define COULD_RUN(end) (((end) & 1) -> K - FILLED((end) / 2) : FILLED((end) / 2))

inline tell(who)
{
#if FAULT == 9
	asleep[who] = 0
#else
	LOCK((who) / 2);
#if FAULT == 4
	store(WAITING(who), 0);
#endif
	store(LOCKED((who) / 2), 0);
	asleep[who] = 0
#endif
}

#define MAY_SLEEP (seen == PATIENT || FAULT == 8)

inline look_and_tell(e)
{
#if FAULT != 1
	FENCE;
#endif
	seen = LOAD(me, WAITING(e));
	if
	:: !seen
	:: seen && MAY_SLEEP && COULD_RUN(e) < HALF -> debts = debts | 1 << (e)
	:: seen && !(MAY_SLEEP && COULD_RUN(e) < HALF) ->
		debts = debts & ~(1 << (e));
		tell(e)
	fi;
	seen = 0
}

inline pay()
{
	i = 0;
	do
	:: i < 2 * FIFOS && ((debts >> i) & 1) ->
		if
		:: LOAD(me, WAITING(i)) -> tell(i)
		:: !LOAD(me, WAITING(i))
		fi;
		debts = debts & ~(1 << i);
		i++
	:: i < 2 * FIFOS && !((debts >> i) & 1) -> i++
	:: i == 2 * FIFOS -> break
	od;
	i = 0
}

inline sleep(mine)
{
	atomic { FENCE -> memory[LOCKED((mine) / 2)] = 0; asleep[mine] = 1 }
	if
	:: !asleep[mine]
	:: asleep[mine] && TIMEOUT && !urgent -> asleep[mine] = 0; urgent = 1
	fi;
	LOCK((mine) / 2)
}

inline wait(own)
{
#if FAULT != 5
	pay();
#endif
	LOCK((own) / 2);
	store(WAITING(own), PATIENT);
#if FAULT != 3
	FENCE;
#endif
#if FAULT == 2
	sleep(own);
#endif
	do
	:: LOOK_WAIT(own) ->
		sleep(own);
		if
		:: urgent && LOAD(me, WAITING(own)) == PATIENT ->
			store(WAITING(own), URGENT);
			FENCE;
#if FAULT == 7
			sleep(own)
#endif
		:: !(urgent && LOAD(me, WAITING(own)) == PATIENT)
		fi
	:: !LOOK_WAIT(own) -> break
	od;
	urgent = 0;
	store(WAITING(own), 0);
	store(LOCKED((own) / 2), 0)
}

inline fire()
{
	if
	:: HAS_OUT(me) ->
		i = LOAD(me, WRITTEN(OUT(me)));
		store(WRITTEN(OUT(me)), i + 1);
		i = 0;
		look_and_tell(READER(OUT(me)))
	:: !HAS_OUT(me)
	fi;
	if
	:: HAS_IN(me) ->
		i = LOAD(me, READ(IN(me)));
		store(READ(IN(me)), i + 1);
		i = 0;
		look_and_tell(WRITER(IN(me)))
	:: !HAS_IN(me)
	fi;
	fired = (me == 0 -> fired + 1 : 0);
	if
	:: true
#if AWAY == 1
	:: me == 0 -> memory[WRITTEN(0)] == memory[READ(0)] && !stores[me]
#endif
#if AWAY == 2
	:: me == 1 -> memory[WRITTEN(0)] == memory[READ(0)] + K || memory[CLOSED(0)]
#endif
	fi
}

proctype actor(byte me)
{
	byte fired, seen, debts, i;
	bit urgent;

	do
	:: me == 0 && fired == N -> break
	:: HAS_IN(me) && IN_ENDED(IN(me)) -> break
	:: !(me == 0 && fired == N) && HAS_IN(me) && IN_WAIT(IN(me)) -> wait(READER(IN(me)))
	:: !(me == 0 && fired == N) && !(HAS_IN(me) && (IN_ENDED(IN(me)) || IN_WAIT(IN(me)))) ->
		if
		:: HAS_OUT(me) && OUT_WAIT(OUT(me)) -> wait(WRITER(OUT(me)))
		:: !HAS_OUT(me) || !OUT_WAIT(OUT(me)) -> fire()
		fi
	od;
	if
	:: HAS_OUT(me) ->
		store(CLOSED(OUT(me)), 1);
		FENCE;
		tell(READER(OUT(me)))
	:: !HAS_OUT(me)
	fi
}

init {
	byte j;

	atomic {
#if RING
		memory[WRITTEN(IN(0))] = 1;
#endif
		for (j : 0 .. ACTORS - 1) {
			run actor(j);
			run buffer(j)
		}
		j = 0
	}
}
