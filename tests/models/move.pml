/* SPDX-License-Identifier: MIT */
/*
 * Moving an actor between places while data flow: one home for the windows of its FIFOs, an event for each window and
 * each end, the boundary between two firings at which it moves, the open moves and their answers.
 *
 * What stands for what (lib/opencl/cl_home.c: home and staging; lib/move/boundary.c: the boundary; lib/move/ask.c,
 * answer.c: the open moves):
 *
 *   place               where the mover is: CORES, or a device place 1 or 2
 *   cell                the home of both FIFOs: each token's number, by position, counted from 1; 0 while it is being
 *                       written. FIFO f has write rate Af, read rate Bf (1 or 2 tokens), Df initial tokens and depth K,
 *                       as in layout.h. Df = 1 at rates of 2 is a remainder of the delay. The margin and its copies are
 *                       fifo.pml's
 *   written, read       the FIFO's counters: what is published. A device's end publishes when it has enqueued
 *   wdone, rdone        the events in the windows' slots: bit w is set once write w has ended. An end on the cores
 *                       publishes a window without an event: its bit is set at once
 *   MAY_WRITE, MAY_READ what both ends wait for, before they touch or enqueue anything: the counter, then the events of
 *                       all writes (reads) that it needs. ONE=1: the event of the last one only
 *   uploads, kernels, downloads    the queues of a device place: its stage's for each end, and the actor's. A firing
 *                       goes from one to the next, each command at any time. SERIAL=1: one queue for all three
 *   sin, sout           the staging windows of a device place, KS for each end. An upload waits for the kernel that has
 *                       read its window last, a kernel for the download of the window that it writes
 *   feeder, sink        the mover's neighbours, a thread each. FDEV=1, SDEV=1: it is at a device, whose queue is
 *                       f_commands, s_commands. 2: it moves between two devices at each firing
 *   mover               the mover's thread, or the team's member that has taken it: ps_firing_take() and what
 *                       follows. It looks at the boundary, then for its control token, then at its ports
 *   sleep()             nothing to do: say, look again, sleep. listens: it waits for windows or for room in flight, and
 *                       a publisher of a window rings for the first only. stale: its eventcount has moved on
 *   flying              firings of the mover of which the kernel is enqueued and not through
 *   state, to, want     the moves: what has become of each, its place, the first firing at which it may be done
 *   choose()            the boundary: which open move is next, in order of firing, then of asking
 *   obey()              the move. Without a state the place changes at once. With one (STATE=1) no kernel of the mover
 *                       may be in flight; the state is transferred, which may fail (FAILS=1); then the place changes
 *   st                  the state at each place: how many firings it has seen. GONE: it is not there
 *   ask()               pstk_actor_migrate(): put into the list, then wake the mover. ASK=0: another thread asks, at
 *                       any time. 1: the feeder does, and waits for the answer before it feeds on. 2: a script, before
 *                       the start
 *   over                the mover has ended: it has cancelled its open moves, and further ones are refused
 *   dead                ABORT=1: the network is aborted, at any time
 *   discards            EARLY=1: the sink may end at any time. The mover then waits for no room, but until no command
 *                       of either end touches the home (NET=1)
 *
 * NET: 1 feeder -> mover -> sink  2 mover -> sink, and a FIFO from the mover to itself  3 a ring of the mover and a
 *      neighbour  4 as 1, and a control token says whether the mover reads (feeder and configuration actor are one)
 *
 * A reader finds the right tokens in each window, and no one writes there while it reads. The state sees each firing
 * once, in order. Each move is answered once. All get to their end, and the sink has read all.
 *
 * SIDE=2: on the cores two firings may run side by side, each by a worker. They are published in order, and the mover
 * is at a boundary once all that it has taken are (NET=1, no state, rates of 1).
 *
 * Left out: slots and their publisher (order.pml), how neighbours sleep (wake.pml).
 *
 * FAULT: 1 the state is moved with commands in flight  2 the old place is given up first  3 windows are
 *        counted as commands end  4 the writer asks where the reader is now, and not for the event  5 the
 *        reader .. where the writer is  6 the writer hands the event to its device, with a remainder  7 the
 *        reader does  8 the mover waits for its commands and does not look behind saying so  9 the control
 *        token is taken again  10 the request wakes no thread  11 the end answers no move  12 first the
 *        feeder is stopped and the input emptied  13 the request looks for the end before it takes the lock
 *        14 the mover reads its eventcount after the look  15 the boundary is looked at only once the
 *        windows are there  16 the end answers what was done, too  17 the request wakes before it is in the
 *        list  18 the event of the last write (read) only, with two of them in a window  19 a boundary with
 *        firings side by side that are not published  20 their publication rings no waiter for the boundary
 *        21 an upload does not wait for the kernel that reads its staging window  22 a kernel does not wait
 *        for the download of its own  23 behind a reader that has ended the writer does not wait for its
 *        own downloads  24 .. for the reader's uploads
 */
#ifndef NET
#define NET 1
#endif
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
#ifndef D0
#define D0 0
#endif
#ifndef D1
#define D1 0
#endif
#ifndef A0
#define A0 1
#endif
#ifndef B0
#define B0 A0
#endif
#ifndef A1
#define A1 1
#endif
#ifndef B1
#define B1 A1
#endif
#ifndef STATE
#define STATE 0
#endif
#ifndef FAILS
#define FAILS STATE
#endif
#ifndef MOVES
#define MOVES 2
#endif
#ifndef ASK
#define ASK 0
#endif
#ifndef WANT
#define WANT 2
#endif
#ifndef START
#define START 1
#endif
#ifndef KS
#define KS 1
#endif
#ifndef FDEV
#define FDEV 0
#endif
#ifndef SDEV
#define SDEV 0
#endif
#ifndef ONE
#define ONE 0
#endif
#ifndef SIDE
#define SIDE 1
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef ABORT
#define ABORT 0
#endif
#ifndef SERIAL
#define SERIAL 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define CORES 0
#define PLACES 3
#define NONE 255
#define GONE 255
#define WINDOWS 1
#define ROOM 2
#define SELF (NET == 2)
#define DYNAMIC (NET == 4)

/* The home of FIFO f: 0 to the mover, 1 from it. As layout.h: S = C tokens. */
#if A0 == 2 && B0 == 2
#define G0 2
#else
#define G0 1
#endif
#if A1 == 2 && B1 == 2
#define G1 2
#else
#define G1 1
#endif
#define C0 ((D0 + K * (A0 + B0 - G0) + B0 - 1) / B0 * B0)
#define C1 ((D1 + K * (A1 + B1 - G1) + B1 - 1) / B1 * B1)
#define AT(f, x) ((f) == 0 -> (x) % C0 : C0 + (x) % C1)
#define READS ((D1 + N * A1) / B1)
#define WRITES ((N * B0 + A0 - 1) / A0)

byte cell[C0 + C1];
byte written[2], read[2];
short wdone[2], rdone[2];

/* So many reads (writes) must be there before write w (read j) may start. */
#define ABOVE_0(x) ((x) > 0 -> (x) : 0)
#define NEEDS_R(f, w) ((f) == 0 -> (ABOVE_0(D0 + ((w) + 1) * A0 - C0) + B0 - 1) / B0 : \
		(ABOVE_0(D1 + ((w) + 1) * A1 - C1) + B1 - 1) / B1)
#define NEEDS_W(f, j) ((f) == 0 -> (ABOVE_0(((j) + 1) * B0 - D0) + A0 - 1) / A0 : \
		(ABOVE_0(((j) + 1) * B1 - D1) + A1 - 1) / A1)

/* Have the first n of them ended? The n-th? */
#define BELOW(n) ((1 << (n)) - 1)
#define ALL_OF(done, n) ((done & BELOW(n)) == BELOW(n))
#define LAST_OF(done, n) ((n) == 0 || (done & (1 << ((n) - 1))))
#if ONE || FAULT == 18
#define ENDED(done, n) LAST_OF(done, n)
#else
#define ENDED(done, n) ALL_OF(done, n)
#endif

#define MAY_WRITE(f, w) (read[f] >= NEEDS_R(f, w) && ENDED(rdone[f], NEEDS_R(f, w)))
#define MAY_READ(f, j) (written[f] >= NEEDS_W(f, j) && ENDED(wdone[f], NEEDS_W(f, j)))

/* Of the neighbours, and of the mover. */
#if FAULT == 4
#define FEEDER_MAY(w) (read[0] >= NEEDS_R(0, w) && (place == CORES || ALL_OF(rdone[0], NEEDS_R(0, w))))
#else
#define FEEDER_MAY(w) MAY_WRITE(0, w)
#endif
#if FAULT == 3
#define SINK_MAY(j) (written[1] >= NEEDS_W(1, j))
#elif FAULT == 5
#define SINK_MAY(j) (written[1] >= NEEDS_W(1, j) && (place == CORES || ALL_OF(wdone[1], NEEDS_W(1, j))))
#else
#define SINK_MAY(j) MAY_READ(1, j)
#endif
#if FAULT == 6
#define MOVER_MAY_WRITE(f, w) (place != CORES && read[f] >= NEEDS_R(f, w) || MAY_WRITE(f, w))
#define DOWNLOAD_MAY(f, w) LAST_OF(rdone[f], NEEDS_R(f, w))
#elif EARLY
/* behind a reader that has ended: for what it has taken, and for what the writer itself has in flight */
#if FAULT == 23
#define IS_QUIET ALL_OF(rdone[1], read[1])
#elif FAULT == 24
#define IS_QUIET ALL_OF(wdone[1], firing)
#else
#define IS_QUIET (ALL_OF(rdone[1], read[1]) && ALL_OF(wdone[1], firing))
#endif
#define MOVER_MAY_WRITE(f, w) (discards -> IS_QUIET : MAY_WRITE(f, w))
#define DOWNLOAD_MAY(f, w) 1
#else
#define MOVER_MAY_WRITE(f, w) MAY_WRITE(f, w)
#define DOWNLOAD_MAY(f, w) 1
#endif
#if FAULT == 7
#define MOVER_MAY_READ(f, j) (place != CORES && written[f] >= NEEDS_W(f, j) || MAY_READ(f, j))
#define UPLOAD_MAY(f, j) LAST_OF(wdone[f], NEEDS_W(f, j))
#else
#define MOVER_MAY_READ(f, j) MAY_READ(f, j)
#define UPLOAD_MAY(f, j) 1
#endif

/* the mover */
byte place = START;
byte firing;
byte flying;
byte st[PLACES];
bit stale;
byte listens;
bit paused; /* FAULT 12 */
byte cores, ready; /* SIDE: bit n: firing n is on the cores and not begun; it has been done and is not published */

/* its commands: firing and read window of each, NONE if the port is off */
chan queue1 = [N] of { byte, byte };
chan queue2 = [N] of { byte, byte };
#if !SERIAL
chan kernels1 = [N] of { byte, byte };
chan kernels2 = [N] of { byte, byte };
chan downloads1 = [N] of { byte };
chan downloads2 = [N] of { byte };
chan selves1 = [N] of { byte };
chan selves2 = [N] of { byte };
#endif

/* moves */
mtype = { NOT_ASKED, ASKED, DONE, STAYED, CANCELLED, REFUSED };
mtype state[MOVES];
byte to[MOVES], want[MOVES];
byte asked;
bit over, dead, discards;

/* control tokens */
bit decided[N];
byte decisions;

byte home;

#define W_AT(f, w, i) AT(f, ((f) == 0 -> D0 + (w) * A0 : D1 + (w) * A1) + i)
#define R_AT(f, j, i) AT(f, ((f) == 0 -> (j) * B0 : (j) * B1) + i)
#define A(f) ((f) == 0 -> A0 : A1)
#define B(f) ((f) == 0 -> B0 : B1)

/* Is window j of a reader right? */
inline compare(f, j)
{
	assert(cell[R_AT(f, j, 0)] == (j) * B(f) + 1);
#if B0 == 2 || B1 == 2
	assert(B(f) == 1 || cell[R_AT(f, j, 1)] == (j) * B(f) + 2)
#endif
}

/* No writer writes before what was there has been read: the readers' compare() says so. */
inline begin_write(f, w)
{
	cell[W_AT(f, w, 0)] = 0;
	cell[W_AT(f, w, A(f) - 1)] = 0
}

inline end_write(f, w)
{
	cell[W_AT(f, w, 0)] = ((f) == 0 -> D0 : D1) + (w) * A(f) + 1;
	cell[W_AT(f, w, A(f) - 1)] = ((f) == 0 -> D0 : D1) + (w) * A(f) + A(f);
	wdone[f] = wdone[f] | (1 << (w))
}

inline end_read(f, j)
{
	rdone[f] = rdone[f] | (1 << (j))
}

/* A command ends: its event rings who listens. A window is published: that rings only who listens for windows. */
inline ring()
{
	if
	:: listens -> stale = 1
	:: else
	fi
}

inline tell()
{
	if
	:: listens == WINDOWS -> stale = 1
	:: else
	fi
}

/* The staging windows of a device place p: those of the end that reads, and those of each FIFO that it writes. */
#define STAGE(p, n) (((p) - 1) * KS + (n) % KS)
#if SELF
#define OUT(f, p, n) ((1 - (f)) * 2 * KS + STAGE(p, n))
byte sin[2 * KS], sout[4 * KS];
#else
#define OUT(f, p, n) STAGE(p, n)
byte sin[2 * KS], sout[2 * KS];
#endif

/* An upload waits for the kernel that has read its staging window last, a kernel for the download of its own. */
#if FAULT == 21
#define IS_FREE_IN 1
#else
#define IS_FREE_IN (sin[STAGE(p, j)] == 0)
#endif
#if FAULT == 22
#define IS_FREE_OUT 1
#else
#define IS_FREE_OUT (sout[OUT(1, p, n)] == 0 && (!SELF || sout[OUT(0, p, n)] == 0))
#endif

inline upload()
{
	if
	:: j != NONE ->
		compare(0, j);
		sin[STAGE(p, j)] = j + 1;
		end_read(0, j);
		ring()
	:: else
	fi
}

inline kernel()
{
	if
	:: j != NONE -> assert(sin[STAGE(p, j)] == j + 1); sin[STAGE(p, j)] = 0
	:: else
	fi;
#if STATE
	assert(st[p] == n);
	st[p] = n + 1;
#endif
	sout[OUT(1, p, n)] = n + 1;
#if SELF
	sout[OUT(0, p, n)] = n + 1;
#endif
	flying--;
	ring()
}

inline download(f)
{
	assert(sout[OUT(f, p, n)] == n + 1);
	sout[OUT(f, p, n)] = 0;
	end_write(f, n);
#if FAULT == 3
	written[f]++;
#endif
	ring()
}

#if SERIAL
/* A device place with one queue. */
proctype commands(byte p; chan queue)
{
	byte n, j;
end:
	do
	:: atomic {
		nempty(queue) ->
		queue?n, j;
		j == NONE || (UPLOAD_MAY(0, j)) ->
		upload()
	}
		d_step { kernel() }
		atomic {
			DOWNLOAD_MAY(1, n) ->
			download(1);
#if SELF
			download(0);
#endif
			n = 0;
			j = 0
		}
	od
}
#else
/* The queues of a device place. */
proctype uploads(byte p; chan queue, next)
{
	byte n, j;
end:
	do
	:: atomic {
		nempty(queue) ->
		queue?n, j;
		j == NONE || IS_FREE_IN && (UPLOAD_MAY(0, j)) ->
		upload();
		next!n, j;
		n = 0;
		j = 0
	}
	od
}

proctype kernels(byte p; chan queue, next, next_self)
{
	byte n, j;
end:
	do
	:: atomic {
		nempty(queue) ->
		queue?n, j;
		IS_FREE_OUT ->
		kernel();
		next!n;
#if SELF
		next_self!n;
#endif
		n = 0;
		j = 0
	}
	od
}

proctype downloads(byte p, f; chan queue)
{
	byte n;
end:
	do
	:: atomic {
		nempty(queue) ->
		queue?n;
		(f == 0 || DOWNLOAD_MAY(1, n)) ->
		if
		:: f == 1 -> download(1)
		:: else -> download(0)
		fi;
		n = 0
	}
	od
}
#endif

#if FDEV
/* The feeder's queue, or one of two, from window w on: the kernel and the download are one command. */
proctype f_commands(byte w)
{
end:
	do
	:: d_step { w < written[0] -> end_write(0, w); w = w + FDEV; ring() }
	od
}
#endif

#if SDEV
/* The sink's: the upload. */
proctype s_commands(byte j)
{
end:
	do
	:: d_step { j < read[1] -> compare(1, j); end_read(1, j); j = j + SDEV; ring() }
	od
}
#endif

/*
 * The moves. What is done with the lock of the list is one step.
 */

/* One more move, to any place, at the next boundary or from firing `from` on. */
inline ask(from)
{
#if FAULT == 13
	is_over = over;
#endif
#if FAULT == 17
	stale = 1;
#endif
	atomic {
		m = asked;
		asked++;
		if
		:: to[m] = CORES
		:: to[m] = 1
		:: to[m] = 2
		fi;
		if
		:: want[m] = 0
		:: want[m] = from
		fi;
		if
#if FAULT == 13
		:: is_over -> state[m] = REFUSED
#else
		:: over -> state[m] = REFUSED
#endif
		:: else -> state[m] = ASKED
		fi
	}
#if FAULT != 10 && FAULT != 17
	stale = 1
#endif
}

inline answer(m, what)
{
	assert(state[m] == ASKED);
	state[m] = what
}

inline choose()
{
	d_step {
		m = NONE;
		i = 0;
		do
		:: i < MOVES ->
			if
			:: state[i] == ASKED && want[i] <= firing && (m == NONE || want[i] < want[m % MOVES]) -> m = i
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* With a state no command is in flight. */
inline obey()
{
#if STATE
	if
	:: to[m] == place -> answer(m, DONE)
	:: else ->
#if FAULT == 2
		d_step { copy = st[place]; st[place] = GONE }
#else
		/* to the host */
		copy = st[place];
#endif
		if
#if FAILS
		:: place != CORES -> answer(m, STAYED)
		:: to[m] != CORES -> st[to[m]] = GONE; answer(m, STAYED)
#endif
		:: st[to[m]] = copy;
			atomic { st[place] = GONE; place = to[m]; answer(m, DONE) }
		fi;
		copy = 0
	fi;
#else
	atomic { place = to[m]; answer(m, DONE) }
#endif
#if FAULT == 9
	has_token = 0;
#endif
#if FAULT == 12
	paused = 0;
#endif
#if ASK == 2
	assert(state[m] != DONE || firing == want[m])
#endif
}

#if FAULT == 12
#define MAY_OBEY (read[0] * B0 == written[0] * A0 + D0)
#elif STATE && FAULT != 1
#define MAY_OBEY (flying == 0)
#elif SIDE > 1 && FAULT != 19
#define MAY_OBEY (written[1] == firing)
#else
#define MAY_OBEY 1
#endif

/* Is the port on by which the mover reads? */
#if DYNAMIC
#define IS_ON decision
#else
#define IS_ON 1
#endif
#if SIDE > 1
#define NEXT_READ firing
#define HAS_SLOT (place != CORES || firing < written[1] + SIDE)
#else
#define NEXT_READ read[0]
#define HAS_SLOT 1
#endif
#define MAY_FIRE (HAS_SLOT && (!DYNAMIC || has_token) && (!IS_ON || MOVER_MAY_READ(0, NEXT_READ)) && \
		MOVER_MAY_WRITE(1, firing) && (!SELF || MOVER_MAY_WRITE(0, firing)))

inline fire()
{
	d_step {
		if
		:: IS_ON -> j = NEXT_READ
		:: else -> j = NONE
		fi
	}
	if
#if SIDE > 1
	:: place == CORES ->
		/* these windows have no event: only the counters hold the neighbours */
		d_step {
			rdone[0] = rdone[0] | (1 << j);
			wdone[1] = wdone[1] | (1 << firing);
			cores = cores | (1 << firing);
			firing++;
			j = 0
		}
#else
	:: place == CORES ->
		d_step {
			if
			:: j != NONE -> compare(0, j)
			:: else
			fi;
			begin_write(1, firing);
#if SELF
			begin_write(0, firing);
#endif
		}
		d_step {
			if
			:: j != NONE -> compare(0, j); end_read(0, j); read[0]++
			:: else
			fi;
			assert(cell[W_AT(1, firing, 0)] == 0); /* fire() may read what it has written */
			end_write(1, firing);
			written[1]++;
#if SELF
			end_write(0, firing);
			written[0]++;
#endif
#if STATE
			assert(st[CORES] == firing);
			st[CORES]++;
#endif
			firing++;
			has_token = 0;
			j = 0
		}
#endif
	:: else ->
		atomic {
			if
			:: place == 1 -> queue1!firing, j
			:: else -> queue2!firing, j
			fi;
			flying++;
			if
			:: j != NONE -> read[0]++
			:: else
			fi;
#if FAULT != 3
			written[1]++;
#endif
#if SELF
			written[0]++;
#endif
			firing++;
			has_token = 0;
			j = 0
		}
	fi
}

/* Nothing to do: it says what it listens for and looks again; then it sleeps. */
inline sleep(what)
{
	if
	:: listens != what -> listens = what
	:: else ->
#if FAULT == 14
		stale = 0;
#endif
		atomic { stale -> listens = 0 }
	fi
}

#if SIDE > 1
/* Fires what has been taken on the cores. Firings are published in order, each by the thread that finds it ready. */
proctype worker()
{
	byte n;
end:
	do
	:: atomic {
		cores != 0 ->
		n = 0;
		do
		:: cores & (1 << n) -> break
		:: else -> n++
		od;
		cores = cores & ~(1 << n);
		compare(0, n);
		begin_write(1, n)
	}
		d_step {
			compare(0, n);
			end_write(1, n);
			ready = ready | (1 << n);
			n = 0;
			do
			:: ready & (1 << written[1]) ->
				ready = ready & ~(1 << written[1]);
				written[1]++;
				read[0]++
			:: else -> break
			od;
#if FAULT == 20
			tell()
#else
			ring()
#endif
		}
	od
}
#endif

proctype mover()
{
	byte m, i, j, copy, taken;
	bit has_token, decision;

	do
	::
#if FAULT != 14
		stale = 0;
#endif
		if
		:: firing == N || dead -> break
		:: else
		fi;
#if FAULT == 15
		m = NONE;
		if
		:: (MAY_FIRE) -> choose()
		:: else
		fi;
#else
		choose();
#endif
		if
		:: m != NONE && (MAY_OBEY) -> obey(); listens = 0
#if FAULT == 12
		:: m != NONE && !(MAY_OBEY) -> paused = 1
#elif FAULT == 8
		:: m != NONE && !(MAY_OBEY) -> listens = ROOM; atomic { stale -> listens = 0 }
#else
		:: m != NONE && !(MAY_OBEY) -> sleep(ROOM)
#endif
		:: m == NONE
		fi;
#if FAULT == 12
		if
		:: m == NONE || paused ->
#else
		if
		:: m == NONE ->
#endif
#if DYNAMIC
			atomic {
				if
				:: !has_token && decisions > taken ->
					has_token = 1;
					decision = decided[taken];
					taken++
				:: else
				fi
			}
#endif
			if
			:: atomic { (MAY_FIRE) -> listens = 0 }
				fire()
			:: else -> sleep(WINDOWS)
			fi
		:: else
		fi
	od;
	/* the drain, and finish() */
	flying == 0 && written[1] == firing && ALL_OF(wdone[1], firing) && (!SELF || ALL_OF(wdone[0], firing));
#if STATE
	assert(st[place] == firing);
#endif
	atomic {
		m = 0;
		over = 1;
#if FAULT != 11
		do
		:: m < MOVES ->
			if
#if FAULT == 16
			:: state[m] != NOT_ASKED -> answer(m, CANCELLED)
#else
			:: state[m] == ASKED -> answer(m, CANCELLED)
#endif
			:: else
			fi;
			m++
		:: else -> break
		od;
#endif
		home++
	}
}

#define ANSWERED(m) (state[m] != ASKED)

inline ask_and_wait(from)
{
	ask(from);
	ANSWERED(m);
	m = 0
}

#if NET == 1 || NET == 4
proctype feeder()
{
	byte n, m;
	bit is_over;

	do
	:: n < WRITES ->
#if ASK == 1
		do
		:: asked < MOVES -> ask_and_wait(n)
		:: break
		od;
#endif
#if DYNAMIC
		atomic {
			if
			:: decided[n] = 1
			:: decided[n] = 0
			fi;
			decisions++;
			tell()
		}
		if
		:: !decided[n] -> n++
		:: else ->
#else
		if
		:: 1 ->
#endif
			if
			:: FEEDER_MAY(written[0]) && !paused
#if ABORT
			:: dead -> break
#endif
			fi;
#if FDEV
			d_step { written[0]++; n++; tell() }
#else
			d_step { begin_write(0, written[0]) }
			d_step { end_write(0, written[0]); written[0]++; n++; tell() }
#endif
		fi
	:: n == WRITES -> break
	od;
	home++
}
#endif

#if NET != 3
proctype sink()
{
	do
	:: read[1] < READS ->
		if
		:: SINK_MAY(read[1])
#if ABORT
		:: dead -> break
#endif
		fi;
#if SDEV
		d_step { read[1]++; tell() }
#else
		d_step { compare(1, read[1]) }
		d_step { compare(1, read[1]); end_read(1, read[1]); read[1]++; tell() }
#endif
	:: read[1] == READS -> break
#if EARLY
	:: break
#endif
	od;
#if EARLY
	atomic { discards = 1; tell() }
#endif
	home++
}
#else
/* The other actor of the ring: it reads what the mover writes, and writes what it reads. */
proctype neighbour()
{
	byte m;
	bit is_over;

	do
	:: read[1] < N ->
#if ASK == 1
		do
		:: asked < MOVES -> ask_and_wait(read[1])
		:: break
		od;
#endif
		if
		:: SINK_MAY(read[1]) && FEEDER_MAY(written[0]) && !paused
#if ABORT
		:: dead -> break
#endif
		fi;
		d_step { compare(1, read[1]); begin_write(0, written[0]) }
		d_step {
			compare(1, read[1]);
			end_read(1, read[1]);
			end_write(0, written[0]);
			written[0]++;
			read[1]++;
			tell()
		}
	:: read[1] == N -> break
	od;
	home++
}
#endif

#if ASK == 0
proctype asker()
{
	byte m;
	bit is_over;

	do
	:: asked < MOVES ->
		if
		:: ask(WANT)
		:: ask_and_wait(WANT)
		fi
	:: asked == MOVES -> break
	od;
	m = 0;
	do
	:: m < MOVES -> ANSWERED(m); m++
	:: else -> break
	od;
	atomic { m = 0; home++ }
}
#endif

#if ABORT
proctype aborter()
{
	dead = 1;
	stale = 1
}
#endif

#define ACTORS (NET == 1 || NET == 4 -> 3 : 2)

init {
	byte i;

	atomic {
		do
		:: i < D0 -> cell[AT(0, i)] = i + 1; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < D1 -> cell[AT(1, i)] = i + 1; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < PLACES -> st[i] = (i == START -> 0 : GONE); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < MOVES ->
			state[i] = NOT_ASKED;
#if ASK == 2
			state[i] = ASKED;
			want[i] = i + 1;
			if
			:: to[i] = CORES
			:: to[i] = 1
			:: to[i] = 2
			fi;
#endif
			i++
		:: else -> break
		od;
		i = 0;
#if SERIAL
		run commands(1, queue1);
		run commands(2, queue2);
#else
		run uploads(1, queue1, kernels1);
		run uploads(2, queue2, kernels2);
		run kernels(1, kernels1, downloads1, selves1);
		run kernels(2, kernels2, downloads2, selves2);
		run downloads(1, 1, downloads1);
		run downloads(2, 1, downloads2);
#if SELF
		run downloads(1, 0, selves1);
		run downloads(2, 0, selves2);
#endif
#endif
#if FDEV
		run f_commands(0);
#if FDEV == 2
		run f_commands(1);
#endif
#endif
#if SDEV
		run s_commands(0);
#if SDEV == 2
		run s_commands(1);
#endif
#endif
		run mover();
#if SIDE > 1
		run worker();
		run worker();
#endif
#if NET == 1 || NET == 4
		run feeder();
#endif
#if NET == 3
		run neighbour();
#else
		run sink();
#endif
#if ASK == 0
		run asker();
#endif
#if ABORT
		run aborter()
#endif
	}
	home == ACTORS + (ASK == 0 -> 1 : 0);
	do
	:: i < MOVES -> assert(ANSWERED(i)); i++
	:: else -> break
	od;
	assert(dead || firing == N && (NET == 3 || EARLY || read[1] == READS))
}
