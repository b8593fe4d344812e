/* SPDX-License-Identifier: MIT */
/*
 * The end: PSTK_DONE, readers that end early, failures, stop, abort, the watcher. Every actor ends and no wait is left.
 *
 * What stands for what (lib/fifo/fifo.c, lib/fifo/fifo_wait.c, lib/firing/firing.c, lib/schedule/thread.c,
 * lib/run/run.c, lib/run/stop.c, lib/model/error.c):
 *
 *   lock, waiting, nudged, asleep   fifo.lock; of each end: waiting, nudged, and inside pthread_cond_wait(). End 2 f is
 *                                   the reader's of FIFO f, 2 f + 1 the writer's
 *   wait()                  ps_fifo_wait(): the test under the lock is one step (only one of its loads can
 *                           change meanwhile, a counter), letting go and falling asleep the next
 *   tell()                  ps_fifo_changed(), which asks `waiting` without the lock (the owner has said
 *                           there that it listens), then tell(), which signals the end that still waits
 *   nudge()                 ps_fifo_nudge(): signals anyway
 *   nudge_actor()           ps_task_nudge(): every end of the actor
 *   unblocked               unblock(): the actor's fire() does not block any more
 *   OVER                    ps_firing_over()
 *   actor                   thread_main(), fire_windows(), ps_firing_take(), ps_firing_run(): what fire() returns is
 *                           free: PSTK_AGAIN, PSTK_DONE, or (FAILS) an error, after which nothing is published and
 *                           ps_network_fail() posts
 *   publish_all()           publish(), dropped if the reader has ended; release(); without the lock
 *   close_all()             ps_firing_close(), close_input()
 *   watcher                 watcher_main(), wake_actors(); sem: net->wake
 *   user                    pstk_network_stop() and pstk_network_abort(), at any time, from a thread of its own
 *   init                    wait_until(), join_watcher()
 *
 * Networks (NET), rate 1, depth 1, no delay:
 * 1: s -> x -> t
 * 2: s, s2 -> x
 * 3: s -> x, x -> t, x -> t2 (a broadcast, or two ports)
 * 4: a -> b with one delay token, b -> a, a -> b: a deadlock, which only an abort or a stop ends (BLOCKS=2 or 3; on a
 * cycle without inputs from outside every actor counts as a source). Elsewhere an abort also spreads by the FIFOs that
 * are closed. Sources fire FIRINGS times at most. BLOCKS: a source's fire() blocks from the second firing on, until
 * unblock() is called: 1 and t (and t2) return PSTK_DONE at their first firing, 2 and the user aborts, 3 and the user
 * stops. All else is free. USER: 1 may stop, 2 may abort, 3 both.
 *
 * Every process must get to its end (else pan says "invalid end state"). If nothing was aborted, nothing failed and no
 * reader ended early, each window written was read, also after stop(): the network drains.
 *
 * FAULT: 1 nudge without the mutex (the abort's wake-up can be lost)
 *        2 close without a signal
 *        3 an actor is nudged at its first port only
 *        4 a nudge is only a signal, without the flag
 *        5 an actor that has become unwanted is not nudged
 */
#ifndef NET
#define NET 1
#endif
#ifndef FIRINGS
#define FIRINGS 2
#endif
#ifndef BLOCKS
#define BLOCKS 0
#endif
#ifndef USER
#define USER 3
#endif
#ifndef FAILS
#define FAILS 1
#endif
#ifndef FAULT
#define FAULT 0
#endif

#if NET == 1
#define ACTORS 3
#define FIFOS 2
#define SRC(f) (f)
#define DST(f) ((f) + 1)
#define SOURCE(a) ((a) == 0)
#define LAST 2
#elif NET == 2
#define ACTORS 3
#define FIFOS 2
#define SRC(f) (f)
#define DST(f) 2
#define SOURCE(a) ((a) < 2)
#define LAST 2
#elif NET == 4
#define ACTORS 2
#define FIFOS 3
#define SRC(f) ((f) == 1 -> 1 : 0)
#define DST(f) ((f) == 1 -> 0 : 1)
#define SOURCE(a) 1
#define LAST 3
#define INITIAL(f) ((f) == 0 -> 1 : 0)
#else
#define ACTORS 4
#define FIFOS 3
#define SRC(f) ((f) == 0 -> 0 : 1)
#define DST(f) ((f) + 1)
#define SOURCE(a) ((a) == 0)
#define LAST 2
#endif

#ifndef INITIAL
#define INITIAL(f) 0
#endif

#define READER(f) (2 * (f))
#define WRITER(f) (2 * (f) + 1)
#define FIFO(end) ((end) / 2)

byte written[FIFOS], read[FIFOS];
bit closed[FIFOS], discards[FIFOS], lock[FIFOS];
bit waiting[2 * FIFOS], nudged[2 * FIFOS], asleep[2 * FIFOS];
bit ended[ACTORS], unblocked[ACTORS], told_unwanted[ACTORS];
bit stopping, failed, early;
byte fate; /* 0 unknown, 1 aborted, 2 over */
byte sem, gone;
bit watcher_may_go;

#define HAS(f) (INITIAL(f) + written[f] > read[f])
#define IN_WAIT(f) (!HAS(f) && !closed[f])
#define IN_ENDED(f) (!HAS(f) && closed[f])
#define OUT_WAIT(f) (!discards[f] && written[f] > read[f])
#define LOOK_WAIT(end) (((end) & 1) -> OUT_WAIT(FIFO(end)) : IN_WAIT(FIFO(end)))
#if FIFOS == 2
#define ALL(c) (c(0) && c(1))
#else
#define ALL(c) (c(0) && c(1) && c(2))
#endif
#define NETWORK_FAILED (failed || fate == 1)
#define NO_OUTPUT_1(f) (SRC(f) != me)
#define UNREAD_1(f) (SRC(f) != me || discards[f])
#define OVER (NETWORK_FAILED || SOURCE(me) && stopping || !ALL(NO_OUTPUT_1) && ALL(UNREAD_1))

#define LOCK(f) atomic { !lock[f] -> lock[f] = 1 }
#define UNLOCK(f) lock[f] = 0

inline wait(end)
{
	LOCK(FIFO(end));
	waiting[end] = 1;
	do
	:: !nudged[end] && LOOK_WAIT(end) ->
		atomic { UNLOCK(FIFO(end)); asleep[end] = 1 }
		atomic { !asleep[end] && !lock[FIFO(end)] -> lock[FIFO(end)] = 1 }
	:: nudged[end] || !LOOK_WAIT(end) -> break
	od;
	waiting[end] = 0;
	nudged[end] = 0;
	UNLOCK(FIFO(end))
}

inline tell(end)
{
	if
	:: waiting[end] ->
		atomic { !lock[FIFO(end)] -> hears = waiting[end] }
		asleep[end] = (hears -> 0 : asleep[end]);
		hears = 0
	:: else
	fi
}

/*
 * A critical section other than the wait's is one step when it may begin: no process can tell, for those that look
 * without the lock see only one of its changes.
 */
inline nudge(end)
{
#if FAULT == 1
	nudged[end] = 1;
	asleep[end] = 0
#else
	atomic {
		!lock[FIFO(end)];
#if FAULT != 4
		nudged[end] = 1;
#endif
		asleep[end] = 0
	}
#endif
}

#if FAULT == 3
#define NEXT_PORT(g) FIFOS
#else
#define NEXT_PORT(g) (g) + 1
#endif

inline nudge_actor(a)
{
	g = 0;
	do
	:: g < FIFOS && DST(g) == a -> nudge(READER(g)); g = NEXT_PORT(g)
	:: g < FIFOS && SRC(g) == a -> nudge(WRITER(g)); g = NEXT_PORT(g)
	:: g < FIFOS && DST(g) != a && SRC(g) != a -> g++
	:: g == FIFOS -> break
	od;
	g = 0
}

#define UNREAD_OF_1(h) (SRC(h) != other || discards[h])

inline close_all()
{
	ended[me] = 1;
	f = 0;
	do
	:: f < FIFOS && DST(f) == me ->
		atomic {
			!lock[f];
#if FAULT != 2
			asleep[WRITER(f)] = 0;
#endif
			discards[f] = 1
		}
		other = SRC(f);
		if
		:: ALL(UNREAD_OF_1) && !ended[other] ->
#if FAULT != 5
			nudge_actor(other);
#endif
			atomic {
				if
				:: !told_unwanted[other] -> told_unwanted[other] = 1; unblocked[other] = 1
				:: else
				fi
			}
		:: else
		fi;
		other = 0;
		f++
	:: f < FIFOS && SRC(f) == me ->
		atomic {
			!lock[f];
#if FAULT != 2
			asleep[READER(f)] = 0;
#endif
			closed[f] = 1
		}
		other = DST(f);
#if FAULT != 2
		nudge_actor(other);
#endif
		other = 0;
		f++
	:: f < FIFOS && DST(f) != me && SRC(f) != me -> f++
	:: f == FIFOS -> break
	od;
	f = 0
}

/* What fire() has ended: outputs, then inputs. */
inline publish_all()
{
	f = 0;
	do
	:: f < FIFOS && SRC(f) == me ->
		if
		:: discards[f]
		:: else -> written[f]++
		fi;
		tell(READER(f));
		f++
	:: f < FIFOS && SRC(f) != me -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	do
	:: f < FIFOS && DST(f) == me ->
		read[f]++;
		tell(WRITER(f));
		f++
	:: f < FIFOS && DST(f) != me -> f++
	:: f == FIFOS -> break
	od;
	f = 0
}

/* result: 0 again, 1 done, 2 an error */
inline fire()
{
	if
	:: BLOCKS && SOURCE(me) && fired -> unblocked[me]; result = 1
	:: !(BLOCKS && SOURCE(me) && fired) && !(BLOCKS == 1 && me >= LAST) && fired + 1 < FIRINGS -> result = 0
	:: !(BLOCKS && SOURCE(me)) -> atomic { result = 1; early = early || !SOURCE(me) }
	:: FAILS && !BLOCKS -> result = 2
	:: BLOCKS && SOURCE(me) && !fired && FIRINGS == 1 -> result = 0
	fi
}

proctype actor(byte me)
{
	byte f, g, missing, other, result, fired;
	bit over, hears;

	do
	:: OVER -> break
	:: else ->
		f = 0;
		missing = 0;
		do
		:: f < FIFOS ->
			atomic {
				if
				:: DST(f) == me && IN_ENDED(f) -> over = 1
				:: DST(f) == me && IN_WAIT(f) && !missing -> missing = 1 + READER(f)
				:: SRC(f) == me && OUT_WAIT(f) && !missing -> missing = 1 + WRITER(f)
				:: else
				fi;
				f++
			}
		:: f == FIFOS -> break
		od;
		f = 0;
		if
		:: over -> over = 0; break
		:: !over && missing -> wait((missing - 1)); missing = 0
		:: !over && !missing ->
			fire();
			if
			:: result == 2 ->
				atomic { failed = failed || fate != 1; sem++ }
				break
			:: result != 2 && NETWORK_FAILED -> break
			:: result != 2 && !NETWORK_FAILED ->
				publish_all();
				fired = (SOURCE(me) -> fired + 1 : 0);
				if
				:: result -> break
				:: !result
				fi
			fi
		fi
	od;
	missing = 0;
	result = 0;
	fired = 0;
	close_all();
	atomic {
		gone++;
		fate = (gone == ACTORS && !fate -> 2 : fate)
	}
}

inline wake_actors(sources_only)
{
	a = 0;
	do
	:: a < ACTORS && (!sources_only || SOURCE(a)) -> nudge_actor(a); unblocked[a] = 1; a++
	:: a < ACTORS && sources_only && !SOURCE(a) -> a++
	:: a == ACTORS -> break
	od;
	a = 0
}

proctype watcher()
{
	byte a, g;
	bit stopped, aborted;

	do
	:: atomic { sem -> sem-- }
		if
		:: NETWORK_FAILED && !aborted -> aborted = 1; wake_actors(0)
		:: !(NETWORK_FAILED && !aborted) && stopping && !stopped && !aborted -> stopped = 1; wake_actors(1)
		:: else
		fi;
		if
		:: watcher_may_go -> break
		:: !watcher_may_go
		fi
	od
}

proctype user()
{
	if
	:: BLOCKS < 3
	:: BLOCKS == 0 && (USER & 1) || BLOCKS == 3 -> stopping = 1; sem++
	fi;
	if
	:: BLOCKS != 2
	:: BLOCKS == 0 && (USER & 2) || BLOCKS == 2 ->
		if
		:: atomic { !fate -> fate = 1; sem++ }
		:: fate
		fi
	fi
}

init {
	byte i;

	atomic {
		run watcher();
		run user();
		run actor(0);
		run actor(1);
#if ACTORS > 2
		run actor(2);
#endif
#if ACTORS == 4
		run actor(3)
#endif
	}
	gone == ACTORS;
	watcher_may_go = 1;
	sem++;
#if NET != 2 && BLOCKS != 1
	if
	:: !NETWORK_FAILED && !early ->
		d_step {
			for (i : 0 .. FIFOS - 1) {
				assert(written[i] == read[i])
			}
			i = 0
		}
	:: NETWORK_FAILED || early
	fi
#endif
}
