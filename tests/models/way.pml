/* SPDX-License-Identifier: MIT */
/*
 * The way: windows between two memories. Each place has windows of its own, and a hop moves one as soon as it is there
 * and the place in front is free for it.
 *
 * What stands for what (lib/opencl/cl_way.h, cl_way.c, cl_mover.c, cl_fifo.c, cl_fifo_host.c):
 *
 *   place 0, 1, .. HOPS     the writer's, (the host's), the reader's. cell: what a window holds, the token's number
 *                           + 1, initial ones first; busy: it is being written, held: it is being read
 *   written, read, closed, discards    the FIFO's counters. That an end waits for them rightly is what fifo.pml and
 *                           wake.pml show: here it is a guard
 *   writer, reader          the ends' threads. WDEV, RDEV: that end is a device's: it enqueues a kernel and goes on.
 *                           HOLD: a host's end has so many windows at once (firings side by side)
 *   wait_for_hop()          RELAYED: write_peek(), read_peek() and wait(): seen, look, sleep. TEAM, bit 0: a team polls
 *                           the reader's end, bit 1: the writer's: ps_cl_way_listen() and a look, once for each window
 *   stale[e]                the eventcount of end e (0: reader) is not what its thread has read; stale_mover
 *   hand_over(), give_back()    ps_cl_way_written(), ps_cl_way_read(): the lock, the pump, then the notifications
 *   move_all(), move()      the pump; asked_here, asked_free as there; a check of an event and the announcement are
 *                           two steps
 *   transfer, w_kernel, r_kernel    the queues: commands in order, each at any time after it was enqueued and after
 *                           the events that it was given. Two steps each: they begin, and they are through
 *   mover                   main_of_mover(), without the timeout, which is for drivers that forget to call back
 *
 * STAGED: HOPS=1 and WDEV=1 RDEV=0 or the other way round. RELAYED: HOPS=2, both 1. K windows at each place before the
 * reader's, KR there; D initial tokens (windows). N writes. PARTLY=1: the last one is partly filled. EARLY=1: the
 * reader may end at any time; the writer, which may have other readers, ends then or goes on. QUICK=1: a command is one
 * step.
 *
 * No window is written that is held, or not yet moved. Each token arrives once, in order. Of STAGED no end finds a hop
 * that is not enqueued. All ends get to their end.
 *
 * FAULT: 1 the counter is published before the pump  2 a hop does not look whether the reader's place is free
 *        3 .. whether the host's window has been moved on  4 the look comes before `seen`  5 the mover is not asked for
 *        the transfer that makes room  6 .. that brings the window  7 the ends are notified before the pump  8 the
 *        listener is set after the look  9 each transfer takes the tokens of the last write  10 what has left is
 *        looked for without the lock  11 an end holds more windows than its place has  12 the reader's end does not
 *        tell the writer  13 the reader does not pump  14 the mover reads its count after the look  15 what was asked
 *        once is never asked again  16 a transfer does not wait for what fills its window
 */
#ifndef HOPS
#define HOPS 1
#endif
#ifndef K
#define K 1
#endif
#ifndef KR
#define KR K
#endif
#ifndef N
#define N 4
#endif
#ifndef D
#define D 0
#endif
#ifndef WDEV
#define WDEV 1
#endif
#ifndef RDEV
#define RDEV (HOPS == 2 || !WDEV)
#endif
#ifndef HOLD
#define HOLD 1
#endif
#ifndef TEAM
#define TEAM 0
#endif
#ifndef PARTLY
#define PARTLY 0
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef QUICK
#define QUICK 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#if FAULT == 11
#define HELD (K + 1)
#else
#define HELD HOLD
#endif
#define LAST (HOPS - 1)
#define RING (KR + D)
#define CELLS (HOPS * K + RING)
#define AT(place, n) ((place) < HOPS -> (place) * K + (n) % K : HOPS * K + ((n) + D) % RING)
#if QUICK
#define A_COMMAND atomic
#else
#define A_COMMAND
#endif
#define TOKEN(n) ((n) + D + 1)

byte cell[CELLS], held[CELLS];
bit busy[CELLS], part[CELLS];

byte written, read; /* as published */
bit closed, discards;

/* the way's */
bit lock;
byte way_written, way_read;
bit last_part;
byte moved[2];
byte asked_here, asked_free;
byte listeners;

/* commands */
byte through[2];                  /* transfers of each hop */
byte announced[2];                /* number + 1 of the transfer for which the mover is called back */
bit moves_part[2 * N];            /* a transfer of a partly filled window */
byte w_enqueued, w_through;       /* a device writer's kernels .. */
bit w_waits[N];                   /* .. of which some wait for a transfer */
byte r_enqueued, r_through;       /* a device reader's */
byte reads_through;               /* reads after which nothing touches the window */

bit stale[2], stale_mover;
bit ends; /* the mover is to end */
byte home;

/* At a place before the reader's a window that is written was moved on, or never will be. */
inline begin_write(place, n)
{
	assert(!busy[AT(place, n)] && !held[AT(place, n)]);
	assert(!cell[AT(place, n)] || (place == HOPS -> reads_through >= cell[AT(place, n)] :
		through[place] + D >= cell[AT(place, n)] ||
		discards && moved[place] + D < cell[AT(place, n)]));
	busy[AT(place, n)] = 1;
	cell[AT(place, n)] = 0
}

inline end_write(place, n, partly)
{
	cell[AT(place, n)] = TOKEN(n);
	part[AT(place, n)] = partly;
	busy[AT(place, n)] = 0
}

inline compare(place, n)
{
	assert(cell[AT(place, n)] == TOKEN(n) && !busy[AT(place, n)])
}

/* Of the reader: j counts the initial tokens, too. */
#define R_AT(j) (HOPS * K + (j) % RING)
#define IS_PART(j) (PARTLY && (j) == N + D - 1)

inline compare_read(j)
{
	assert(cell[R_AT(j)] == (j) + 1 && !busy[R_AT(j)] && part[R_AT(j)] == IS_PART(j))
}

#if WDEV
proctype w_kernel()
{
end:
	do
	:: A_COMMAND {
		d_step {
			w_through < w_enqueued && (!w_waits[w_through] || through[0] + K > w_through) ->
			begin_write(0, w_through)
		}
		d_step { end_write(0, w_through, (PARTLY && w_through == N - 1)); w_through++ }
	}
	od
}
#define FILLED(n) (w_through > (n))
#else
#define FILLED(n) 1
#endif
#if FAULT == 16
#define MADE(n) 1
#else
#define MADE(n) FILLED(n)
#endif

#if RDEV
proctype r_kernel()
{
end:
	do
	:: A_COMMAND {
		d_step {
			r_through < r_enqueued && through[LAST] + D > r_through ->
			compare_read(r_through);
			held[R_AT(r_through)]++
		}
		d_step { compare_read(r_through); held[R_AT(r_through)]--; r_through++; reads_through++ }
	}
	od
}
#define FREED(n) (r_through + KR > (n))
#else
#define FREED(n) 1
#endif

/* The transfers of hop h. */
proctype transfer(byte h)
{
end:
	do
	:: A_COMMAND {
		d_step {
			through[h] < moved[h] && (h > 0 || MADE(through[h])) && (h < LAST || FREED(through[h])) ->
			compare(h, through[h]);
			held[AT(h, through[h])]++;
			begin_write(h + 1, through[h])
		}
		d_step {
			compare(h, through[h]);
			held[AT(h, through[h])]--;
			end_write(h + 1, through[h], moves_part[h * N + through[h]]);
			through[h]++;
			if
			:: announced[h] == through[h] -> announced[h] = 0; stale_mover = 1
			:: else
			fi
		}
	}
	od
}

/* Commands of another context can't wait for this one: the mover is called back, at once if it is through by now. */
inline ask(behind, what, asked, whose)
{
	d_step {
		if
#if FAULT == 15
		:: !asked ->
#else
		:: asked != whose + 1 ->
#endif
			asked = whose + 1;
			if
			:: through[behind] > what -> stale_mover = 1
			:: else -> announced[behind] = what + 1
			fi
		:: else
		fi
	}
}

/* One transfer of the hop, if it can be moved. asks: not before a transfer of the other context is through. */
inline move(h)
{
#if HOPS == 2
	atomic {
		n = moved[h];
		can = h == 0 && n < way_written || h == 1 && n < moved[0] && through[0] > n;
		asks = h == 1 && n < moved[0] && !can
	}
	if
	:: asks ->
#if FAULT != 6
		ask(0, n, asked_here, n);
#endif
		asks = 0
	:: !asks
	fi;
#if FAULT == 3
	atomic { can = can && (h == 1 || n < K || n - K < moved[1]) }
#else
	atomic {
		asks = can && h == 0 && n >= K && n - K < moved[1] && through[1] <= n - K;
		can = can && (h == 1 || n < K || n - K < moved[1]) && !asks
	}
	if
	:: asks ->
#if FAULT != 5
		ask(1, n - K, asked_free, n);
#endif
		asks = 0
	:: !asks
	fi;
#endif
#else
	atomic { n = moved[h]; can = n < way_written }
#endif
	d_step {
#if FAULT != 2
		can = can && (h < LAST || n < way_read + KR);
#endif
		if
		:: can ->
#if FAULT == 9
			moves_part[h * N + n] = last_part;
#else
			moves_part[h * N + n] = last_part && n + 1 == way_written;
#endif
			moved[h]++;
			again = 1;
			to_tell = to_tell | (h == LAST -> 1 : 0) | (h == 0 -> 2 : 0)
		:: else
		fi;
		n = 0;
		can = 0
	}
}

/* With the lock. */
inline move_all()
{
	again = 1;
	do
	:: atomic { again && !discards -> again = 0 }
#if HOPS == 2
		move(1);
#endif
		move(0)
	:: atomic { !again || discards -> again = 0; break }
	od
}

/* Only the ends of RELAYED wait for hops. */
inline tell(e)
{
	if
	:: (to_tell & (1 << e)) && (!(TEAM & (1 << e)) || (heard & (1 << e))) -> stale[e] = 1
	:: else
	fi
}

inline unlock_and_notify()
{
	atomic { heard = listeners; lock = 0 }
#if HOPS == 2 && FAULT != 7
	tell(0);
	tell(1);
#endif
	d_step { heard = 0; to_tell = 0 }
}

inline take_lock()
{
#if HOPS == 2 && FAULT == 7
	atomic { heard = listeners; to_tell = 3 }
	tell(0);
	tell(1);
	to_tell = 0;
#endif
	atomic { !lock -> lock = 1 }
}

#define MAY_WRITE(w) ((w) < K || (w) - K < moved[0] || discards)
#define MAY_READ(j) ((j) < D + moved[LAST])

/* End e waits until its hop is enqueued: `may` says so. */
inline wait_for_hop(e, may)
{
	do
	::
#if FAULT != 4
		stale[e] = 0;
#endif
		seen = may;
#if FAULT == 4
		if
		:: seen
		:: !seen -> stale[e] = 0
		fi;
#endif
		if
		:: seen -> break
		:: !seen ->
			if
			:: (TEAM & (1 << e)) && !listens ->
				listens = 1;
#if FAULT == 8
				seen = may;
				atomic { !lock -> listeners = listeners | (1 << e) }
#else
				atomic { !lock -> listeners = listeners | (1 << e) }
				seen = may;
#endif
				if
				:: seen -> stale[e] = 1
				:: !seen
				fi
			:: else
			fi;
			stale[e]
		fi
	od;
	atomic { seen = 0; listens = 0 }
}

/* The writer's thread, write w. */
inline hand_over(w)
{
#if FAULT == 1
	written = w + 1;
#endif
	take_lock();
	d_step { way_written = w + 1; last_part = PARTLY && w == N - 1 }
	move_all();
	unlock_and_notify();
	written = w + 1
}

/* The reader's, read j. */
inline give_back(j)
{
#if FAULT == 1
	read = j + 1;
#endif
	take_lock();
	way_read = j + 1;
#if FAULT != 13
	move_all();
#endif
	unlock_and_notify();
	read = j + 1
}

/* Is there a transfer after which the window is free? */
inline look_for_left(w)
{
	atomic {
#if FAULT != 10
		!lock;
#endif
		waits = w >= K && w - K < moved[0]
	}
	assert(w < K || waits || discards)
}

proctype writer()
{
	byte started, ended, n, to_tell, heard;
	bit can, asks, again, seen, listens, waits;

	do
	:: started < N && started < ended + HELD && (discards || started < read + KR + HOPS * K) ->
#if HOPS == 2
		wait_for_hop(1, MAY_WRITE(started));
#endif
		look_for_left(started);
#if WDEV
		d_step { w_waits[started] = waits; w_enqueued++; started++; waits = 0 }
#else
		!waits || through[0] + K > started;
		d_step { begin_write(0, started); started++; waits = 0 }
#endif
	:: ended < started ->
#if !WDEV
		d_step { end_write(0, ended, (PARTLY && ended == N - 1)) }
#endif
		hand_over(ended);
		ended++
	:: ended == started && (ended == N || discards) -> break
	od;
	atomic { ended = 0; started = 0; closed = 1; home++ }
}

/* A window of the host's end. */
inline begin_read(j)
{
	d_step { through[LAST] + D > j -> compare_read(j); held[R_AT(j)]++ }
}

inline end_read(j)
{
	d_step { compare_read(j); held[R_AT(j)]--; reads_through++ }
}

proctype reader()
{
	byte started, ended, n, to_tell, heard;
	bit can, asks, again, seen, listens;

	do
	:: started < written + D && started < ended + HELD ->
#if HOPS == 2
		wait_for_hop(0, MAY_READ(started));
#endif
		atomic { !lock -> assert(started < D + moved[LAST]) }
#if RDEV
		atomic { r_enqueued++; started++ }
#else
		begin_read(started);
		started++
#endif
	:: ended < started ->
#if !RDEV
		end_read(ended);
#endif
		give_back(ended);
		ended++
	:: ended == started && closed && started == written + D -> break
#if EARLY
	:: ended == started -> break
#endif
	od;
#if !EARLY
	assert(ended == N + D);
#endif
	discards = 1;
#if FAULT != 12
	stale[1] = 1;
#endif
	atomic { ended = 0; started = 0; home++ }
}

#if HOPS == 2
proctype mover()
{
	byte n, to_tell, heard;
	bit can, asks, again;

	do
	::
#if FAULT != 14
		stale_mover = 0;
#endif
		if
		:: ends -> break
		:: !ends
		fi;
		take_lock();
		move_all();
		unlock_and_notify();
#if FAULT == 14
		stale_mover = 0;
#endif
		stale_mover
	od;
	home++
}
#endif

init {
	byte i;

	atomic {
		do
		:: i < D -> cell[HOPS * K + i] = i + 1; i++
		:: else -> break
		od;
		i = 0;
		run transfer(0);
#if HOPS == 2
		run transfer(1);
		run mover();
#endif
#if WDEV
		run w_kernel();
#endif
#if RDEV
		run r_kernel();
#endif
		run writer();
		run reader()
	}
	home == 2;
#if HOPS == 2
	ends = 1;
	stale_mover = 1;
	home == 3;
#endif
	/* the drain */
	through[0] == moved[0] && through[1] == moved[1] && w_through == w_enqueued && r_through == r_enqueued;
#if !EARLY
	assert(moved[0] == N && moved[LAST] == N && reads_through == N + D)
#endif
}
