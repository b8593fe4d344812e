/* SPDX-License-Identifier: MIT */
/*
 * Merged: buffers of one place that have one memory of K slots. Window n of each lies in slot n mod K.
 *
 * What stands for what (lib/fifo/merged.h, merged.c; lib/opencl/cl_merged.c; what uses it in fifo.c, cl_way.c,
 * cl_fifo.c, cl_fifo_host.c):
 *
 *   member m                READ, LEAVES or COMES (KIND0, KIND1, KIND2); N0, N1, N2 windows. One of them at most LEAVES
 *                           or COMES (lib/mapping/merge.c), so no thread holds the locks of two ways
 *   FIFO m, FIFO M          of member m; with READERS=2 member 0 has a second one, M. E: bit f: the reader of FIFO f
 *                           may end at any time. Once none is left the writer ends, or its windows are dropped
 *   written, read, closed, discards    the FIFO's counters. That an end waits for them rightly is what fifo.pml and
 *                           wake.pml show, and way.pml how an end waits for a transfer: here these are guards
 *   put, given              ps_cl_fifo.put; .given, of LEAVES hops[0].moved
 *   slot, busy, held        what a slot holds, of which member; it is being written; by so many it is being read
 *   filling, using          the queues: of each member what fills its windows (a kernel; COMES: the transfer), of each
 *                           FIFO what uses them (a kernel; LEAVES: the transfer). A queue is in order, else a command
 *                           begins at any time after its events, and is through at any time after that. enqueued,
 *                           through: of these queues; event[]: what a fill waits for of the others
 *   may_write()             ps_merged_may_write(): ps_merged_before() and is_given_back() are two steps
 *   enqueue()               ps_cl_merged_waits(), two steps, too; then the command
 *   changed(), push()       ps_merged_changed() with wake(), ps_cl_way_push(); move_all() is the pump. Waiters with
 *                           threads are told of writes, too: that wakes more, and is left out
 *   stale[m]                the eventcount of m's writer is not what its thread has read. TEAM=1: it is a team's,
 *                           notified only once it listens. No thread looks again by itself after a while
 *
 * CORES=1: all members are READ, on cores: what writes a window fills it, and a reader uses it, before they count it.
 * Nothing is enqueued.
 *
 * MOVER=1: of LEAVES the host's windows are freed by another transfer, and the mover pumps (RELAYED). QUICK=1: a
 * command is one step, and so is a look. At the end threads say that they are home before they tell the others.
 *
 * No slot is written while it is being read or written, nor while its window is still to be read. Each use finds the
 * window of its own member and number; all are used, in order. All threads and commands get to their end.
 *
 * FAULT: 1 the flag is set after the look  2 a window is counted after the others were asked  3 a member is passed over
 *        before its stream has ended  4 once no reader is left, windows are given back before they are written  5 the
 *        first member does not wait for the last one's window n - K  6 closing tells no other  7 a transfer that
 *        waits is not pushed  8 the writer's peek asks the others, its transfer does not  9 the end of a stream is told
 *        by the FIFO's count, which leaves out what is dropped  10 the listener is set after the look  11 a dropped
 *        write tells no other  12 no wait for a dropped write on the device  13 what reads a window is not waited for
 *        15 only the next member is asked, also if its stream has ended
 *        14 whether a window has left, once no reader is left, is looked for without the way's lock
 *
 * 14 is as cl_merged.c has it: that lock may not be taken with another way's. What is wrong then no actor reads.
 */
#define READ 0
#define LEAVES 1
#define COMES 2

#ifndef M
#define M 2
#endif
#ifndef K
#define K 1
#endif
#ifndef KIND0
#define KIND0 READ
#endif
#ifndef KIND1
#define KIND1 READ
#endif
#ifndef KIND2
#define KIND2 READ
#endif
#ifndef N0
#define N0 2
#endif
#ifndef N1
#define N1 2
#endif
#ifndef N2
#define N2 2
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef E
#define E 0
#endif
#ifndef TEAM
#define TEAM 0
#endif
#ifndef MOVER
#define MOVER 0
#endif
#ifndef QUICK
#define QUICK 0
#endif
#ifndef CORES
#define CORES 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#if QUICK
#define ONE_STEP atomic
#else
#define ONE_STEP
#endif

#define NONE M
#define MOST 4 /* windows of a member */
#define HOST 1 /* windows of a way's host place */
#define FIFOS (M + READERS - 1)
#define KIND(m) ((m) == 0 -> KIND0 : ((m) == 1 -> KIND1 : KIND2))
#define LENGTH(m) ((m) == 0 -> N0 : ((m) == 1 -> N1 : N2))
#define ID(m, n) ((m) * MOST + (n) + 1)
/* queues */
#define USE(f) (M + (f))
#define EVENT(queue, n) ((queue) * MOST + (n) + 1)
#define IS_THROUGH(e) (!(e) || through[((e) - 1) / MOST] > ((e) - 1) % MOST)
#define AT(m, n, r) (((m) * MOST + (n)) * 2 + (r))

byte slot[K], held[K];
bit busy[K];

byte written[FIFOS], read[FIFOS], put[FIFOS], given[FIFOS];
bit closed[M], discards[FIFOS];

bit waits[M], listener[M], stale[M];

bit lock[M]; /* of a way, as the next two */
byte way_written[M], way_read[M];
byte host_read; /* of the mover's way */

byte enqueued[M]; /* what fills; what uses is enqueued when it is counted */
byte through[M + FIFOS];
bit runs[M + FIFOS];
byte event[M * MOST * 2];
byte home;

#if READERS == 2
#define HAS_SECOND(m) ((m) == 0)
#define SECOND(of, m, otherwise) (HAS_SECOND(m) -> (of) : (otherwise))
#else
#define HAS_SECOND(m) false
#define SECOND(of, m, otherwise) (otherwise)
#endif

/*
 * The device.
 */

/* Will FIFO f of that member use window x no more? */
#define IS_OVER(f, x) (through[USE(f)] > (x) || discards[f] && given[f] <= (x))
#define IS_OVER_ALL(m, x) (IS_OVER(m, x) && SECOND(IS_OVER(M, x), m, true))

/* Of a member's own FIFO: after the read of its window n - K, or, once the reader has ended, its last one. */
#define IS_OWN_FREE(f, n) ((n) < K || through[USE(f)] > (n) - K || \
	discards[f] && given[f] <= (n) - K && (KIND(f) == LEAVES || through[USE(f)] == given[f]))

#define MAY_FILL(m) (through[m] < enqueued[m] && \
	IS_THROUGH(event[AT(m, through[m], 0)]) && IS_THROUGH(event[AT(m, through[m], 1)]) && \
	IS_OWN_FREE(m, through[m]) && SECOND(IS_OWN_FREE(M, through[m]), m, true))

#define HERE(queue) (through[queue] % K)
#define OF_SLOT ((slot[HERE(m)] - 1) / MOST)
#define WINDOW_OF_SLOT ((slot[HERE(m)] - 1) % MOST)

/* A core fills the window of a writer that it fires. */
inline fill(m)
{
	d_step {
		assert(!busy[HERE(m)] && !held[HERE(m)]);
		assert(!slot[HERE(m)] || IS_OVER_ALL(OF_SLOT, WINDOW_OF_SLOT));
		busy[HERE(m)] = 1;
		slot[HERE(m)] = 0
	}
	d_step { slot[HERE(m)] = ID(m, through[m]); busy[HERE(m)] = 0; through[m]++ }
}

proctype filling(byte m)
{
end:
	do
	:: ONE_STEP {
		d_step {
			MAY_FILL(m) ->
			assert(!busy[HERE(m)] && !held[HERE(m)]);
			assert(!slot[HERE(m)] || IS_OVER_ALL(OF_SLOT, WINDOW_OF_SLOT));
			busy[HERE(m)] = 1;
			slot[HERE(m)] = 0;
			event[AT(m, through[m], 0)] = 0;
			event[AT(m, through[m], 1)] = 0
		}
		d_step { slot[HERE(m)] = ID(m, through[m]); busy[HERE(m)] = 0; through[m]++ }
	}
	od
}

#define IS_THERE(f, m) (slot[HERE(USE(f))] == ID(m, through[USE(f)]) && !busy[HERE(USE(f))])

proctype using(byte f, m)
{
end:
	do
	:: ONE_STEP {
		d_step {
			through[USE(f)] < given[f] && through[m] > through[USE(f)] ->
			assert(IS_THERE(f, m));
			held[HERE(USE(f))]++
		}
		d_step { assert(IS_THERE(f, m)); held[HERE(USE(f))]--; through[USE(f)]++ }
	}
	od
}

/*
 * The members.
 */

#define IS_WANTED(m) (!discards[m] || SECOND(!discards[M], m, false))
#define IS_PUT(m, x) (put[m] > (x) || SECOND(put[M] > (x), m, false))
#define HAS_GIVEN(f, x) (given[f] > (x) || discards[f])

/* So many windows a member will have put into the memory, once it is closed. */
#if FAULT == 9
#define PUT_BY(m) written[m]
#else
#define PUT_BY(m) (KIND(m) == COMES -> way_written[m] : \
	(SECOND(put[M], m, 0) > put[m] -> SECOND(put[M], m, 0) : put[m]))
#endif
#if FAULT == 3
#define ENDS_BEFORE(m, x) (PUT_BY(m) <= (x))
#else
#define ENDS_BEFORE(m, x) (closed[m] && PUT_BY(m) <= (x))
#endif
#if FAULT == 4
#define IS_WRITTEN(m, x) true
#else
#define IS_WRITTEN(m, x) (KIND(m) == COMES || IS_PUT(m, x))
#endif
#define IS_GIVEN_BACK(m, x) (IS_WANTED(m) -> HAS_GIVEN(m, x) && SECOND(HAS_GIVEN(M, x), m, true) : IS_WRITTEN(m, x))

/* The member that uses the slot last before window n of m, and its window there. */
inline find_before(m, n)
{
	d_step {
		other = NONE;
		i = 1;
		do
		:: i < M && other == NONE ->
			x = (m + M - i) % M;
			if
#if FAULT == 5
			:: x > m -> i = M
#else
			:: x > m && n < K -> i = M
#endif
			:: else ->
				other = x;
				x = (other > m -> n - K : n);
				if
				:: ENDS_BEFORE(other, x) -> other = NONE; i++
				:: else
				fi
			fi
		:: else -> break
		od;
		i = 0;
		if
		:: other == NONE -> x = 0
		:: else
		fi
	}
}

inline look(m, n)
{
	ONE_STEP {
		find_before(m, n);
		d_step {
			if
			:: other == NONE -> may = 1
			:: else -> may = IS_GIVEN_BACK(other, x)
			fi;
			other = 0;
			x = 0
		}
	}
}

inline may_write(m, n)
{
	look(m, n);
	if
	:: may
	:: !may ->
		waits[m] = 1;
#if FAULT != 1
		look(m, n)
#endif
	fi
}

/* What uses a window or, where nothing does any more, has written it. */
#if FAULT == 12
#define WROTE(f, m) 0
#else
#define WROTE(f, m) (put[f] > x -> EVENT(m, x) : 0)
#endif
#if FAULT == 13
#define USED(f) 0
#else
#define USED(f) EVENT(USE(f), x)
#endif
#define LAST_USER(f, m) (given[f] > x -> USED(f) : \
	(KIND(m) == COMES -> (enqueued[m] > x -> EVENT(m, x) : 0) : WROTE(f, m)))

#if FAULT == 14
#define NEEDS_NO_LOCK(m) (KIND(m) != COMES)
#else
#define NEEDS_NO_LOCK(m) (KIND(m) == READ)
#endif

/* .. and enqueues what fills window n. */
inline enqueue(m, n)
{
#if CORES
	enqueued[m]++;
	fill(m)
#else
	ONE_STEP {
		find_before(m, n);
		atomic {
			if
			:: other == NONE
			/* a transfer is looked for under its way's lock */
			:: other != NONE && (given[other] > x || NEEDS_NO_LOCK(other) || !lock[other]) ->
				event[AT(m, n, 0)] = LAST_USER(other, other);
#if READERS == 2
				if
				:: HAS_SECOND(other) -> event[AT(m, n, 1)] = LAST_USER(M, other)
				:: else
				fi
#endif
			fi;
			other = 0;
			x = 0;
			enqueued[m]++
		}
	}
#endif
}

/* Member m's way, with the lock. */
inline move_all(m)
{
	again = 1;
	do
	:: atomic { again && !discards[m] -> again = 0 };
		if
		:: KIND(m) == LEAVES ->
			d_step {
				if
				:: given[m] < way_written[m] && given[m] < way_read[m] + HOST ->
					given[m]++;
					left = 1;
					again = 1
				:: else
				fi
			}
		:: KIND(m) == COMES && enqueued[m] < way_written[m] ->
			t = enqueued[m];
#if FAULT == 8
			may = 1;
#else
			may_write(m, t);
#endif
			if
			:: may && t < way_read[m] + K ->
#if FAULT == 8
				enqueued[m]++;
#else
				enqueue(m, t);
#endif
				again = 1
			:: else
			fi;
			d_step { t = 0; may = 0 }
		:: else
		fi
	:: atomic { !again || discards[m] -> again = 0; break }
	od
}

inline push(m)
{
	atomic { !lock[m] -> lock[m] = 1 };
	move_all(m);
	lock[m] = 0
}

inline wake(m)
{
	if
	:: KIND(m) == COMES ->
#if FAULT != 7
		push(m)
#else
		skip
#endif
	:: else ->
#if TEAM
		if
		:: listener[m] -> stale[m] = 1
		:: else
		fi
#else
		stale[m] = 1
#endif
	fi
}

/* Nothing is locked. The next member may wait for this one; a later one only where those between have ended. */
inline changed(m)
{
	o = (m + 1) % M;
	do
	:: o != m ->
		if
		:: atomic { waits[o] -> waits[o] = 0 };
			wake(o)
		:: else
		fi;
#if FAULT == 15
		o = m
#else
		if
		:: closed[o] -> o = (o + 1) % M
		:: else -> o = m
		fi
#endif
	:: o == m -> o = 0; break
	od
}

inline unlock_and_notify(m)
{
	lock[m] = 0;
	if
	:: left -> left = 0; changed(m)
	:: else
	fi
}

/* The writer's thread, until its window's slot is given back. */
inline wait_for_others(m, n)
{
	do
	:: d_step { stale[m] = 0; may = 0 };
		may_write(m, n);
		if
		:: atomic { may -> may = 0; listens = 0; break }
		:: !may ->
#if TEAM
			if
			:: listens
			:: !listens ->
				listens = 1;
#if FAULT == 10
				may_write(m, n);
				listener[m] = 1;
#else
				listener[m] = 1;
				may_write(m, n);
#endif
				if
				:: atomic { may -> may = 0; stale[m] = 1 }
				:: !may
				fi
			fi;
#endif
			stale[m]
		fi
	od
}

#define ROOM(f, m, n) (discards[f] || (n) < read[f] + K + (KIND(m) == READ -> 0 : HOST))

/* What has been put is told to FIFO f. */
inline was_put(f)
{
	put[f] = n + 1;
#if FAULT != 11
	if
	:: discards[f] -> changed(m)
	:: else
	fi
#endif
}

inline publish(f)
{
	d_step {
		if
		:: discards[f]
		:: else -> written[f] = n + 1
		fi
	}
}

/* A way's: at the host's place, or enqueued. */
inline hand_over(m, n)
{
	atomic { !lock[m] -> lock[m] = 1; way_written[m] = n + 1 };
	move_all(m);
	unlock_and_notify(m)
}

inline write_one()
{
	if
	:: KIND(m) == COMES ->
#if FAULT == 8
		wait_for_others(m, n);
#endif
		n < HOST || n - HOST < enqueued[m] || discards[m];
		hand_over(m, n)
	:: else ->
		wait_for_others(m, n);
		KIND(m) == READ || n < K || n - K < given[m] || discards[m];
		/* what has left is looked for under the way's lock */
		KIND(m) == READ || !lock[m];
		primary = (discards[m] -> SECOND(M, m, m) : m);
		enqueue(m, n);
		if
		:: KIND(m) == LEAVES -> hand_over(m, n)
		:: else
		fi;
		if
		:: primary == m || !discards[m] -> was_put(m)
		:: else
		fi;
#if READERS == 2
		if
		:: HAS_SECOND(m) && (primary == M || !discards[M]) -> was_put(M)
		:: else
		fi;
#endif
		primary = 0
	fi;
	publish(m);
#if READERS == 2
	if
	:: HAS_SECOND(m) -> publish(M)
	:: else
	fi
#endif
}

proctype writer(byte m)
{
	byte n, primary, other, x, i, o, t;
	bit may, again, left, listens;

	do
	:: n < LENGTH(m) && ROOM(m, m, n) && SECOND(ROOM(M, m, n), m, true) ->
		write_one();
		n++
	:: atomic { n == LENGTH(m) || !IS_WANTED(m) -> closed[m] = 1; n = 0; home++; break }
	od;
#if FAULT != 6
	changed(m)
#endif
}

proctype reader(byte f, m)
{
	byte j, other, x, i, o, t;
	bit may, again, left;

	do
#if CORES
	:: d_step { j < written[f] -> assert(IS_THERE(f, m)); held[HERE(USE(f))]++ };
		d_step { assert(IS_THERE(f, m)); held[HERE(USE(f))]--; through[USE(f)]++ };
#if FAULT != 2
		given[f] = j + 1;
#endif
#else
	:: atomic {
			KIND(m) == READ && j < written[f] ->
#if FAULT != 2
			given[f] = j + 1
#endif
		};
#endif
		changed(m);
		atomic { j++; given[f] = j; read[f] = j }
	:: atomic {
			KIND(m) == LEAVES && !MOVER && j < written[f] && through[USE(f)] > j && !lock[m] ->
			lock[m] = 1;
			way_read[m] = j + 1
		};
		move_all(m);
		unlock_and_notify(m);
		j++;
		read[f] = j
#if MOVER
	:: atomic { KIND(m) == LEAVES && j < written[f] && through[USE(f)] > j -> host_read = j + 1 };
		j++;
		read[f] = j
#endif
	:: atomic {
			KIND(m) == COMES && j < written[f] && enqueued[m] > j && !lock[m] ->
			lock[m] = 1;
			way_read[m] = j + 1
#if FAULT != 2
			;
			given[f] = j + 1
#endif
		};
		move_all(m);
		unlock_and_notify(m);
		changed(m);
		atomic { j++; given[f] = j; read[f] = j }
	:: atomic {
			closed[m] && j == written[f] || E & (1 << f) ->
			assert(E & (1 << f) || j == LENGTH(m));
			discards[f] = 1;
			j = 0;
			home++;
			break
		}
	od;
#if FAULT != 6
	changed(m)
#endif
}

#if MOVER
proctype mover(byte m)
{
	byte other, x, i, o, t;
	bit may, again, left;

end:
	do
	:: atomic { way_read[m] != host_read && !lock[m] -> lock[m] = 1; way_read[m] = host_read };
		move_all(m);
		unlock_and_notify(m)
	od
}
#endif

#define IS_DRAINED(m) (through[m] == enqueued[m])
#define IS_USED(f, n) (through[USE(f)] == given[f] && (E & (1 << (f)) || given[f] == n))

init {
	byte i;

	atomic {
		i = M;
		do
		:: i > 0 ->
			i--;
#if !CORES
			run filling(i);
			run using(i, i);
#endif
			run writer(i);
			run reader(i, i)
		:: else -> break
		od;
#if MOVER
		run mover((KIND0 == LEAVES -> 0 : 1));
#endif
#if READERS == 2
#if !CORES
		run using(M, 0);
#endif
		run reader(M, 0)
#endif
	}
	home == M + FIFOS;
	IS_DRAINED(0) && IS_USED(0, N0) && IS_DRAINED(1) && IS_USED(1, N1);
#if M == 3
	IS_DRAINED(2) && IS_USED(2, N2);
#endif
#if READERS == 2
	IS_USED(M, N0);
#endif
}
