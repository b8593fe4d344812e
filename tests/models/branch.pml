/* SPDX-License-Identifier: MIT */
/*
 * Branches: one way for several readers of an output. Each place has windows once, and each hop moves a window once.
 *
 *	DOWN=1   writer (device) --hop 0--> host --hop 1--> device 1      readers: at the host and at each device
 *	                                         --hop 2--> device 2
 *	DOWN=0   writer (host) --hop 0--> device 0, --hop 1--> device 1
 *
 * What stands for what (lib/opencl/cl_way.h, cl_way.c); what way.pml shows of one reader is taken from there:
 *
 *   cell, busy, held        of each place: what a window holds, the token's number + 1; it is being written; by so many
 *                           it is being read. The writer's place comes first, then that of each hop
 *   FIFO r                  of reader r, behind hop BY0, BY1, BY2: its own counters written, read, discards. EARLY: bit
 *                           r: reader r may end at any time
 *   handed_over, was_read, moved, through, asked_here, asked_free, announced    as there
 *   pump()                  move_all(), in one step: all of it has the lock. is_through() and its announcement, too
 *   stale_w, stale_r[r]     the eventcounts of the writer's ends, and of reader r's
 *   w_kernel, r_kernel, transfer    the queues, as in way.pml
 *
 * No window is written that is held. Each reader finds each token, in order, until it ends. All ends get to their end.
 *
 * FAULT: 1 a hop looks at one reader of its place only  2 the first hop looks at one of the others only  3 a host's
 *        writer waits for one of the transfers only  4 the first hop asks for one of the others, whichever it waits for
 *        5 a reader that ends does not move what it held up  6 .. is waited for  7 .. and the ends are not notified
 *        8 the writer does not look whether its transfer is enqueued  9 nothing waits for the kernels of a reader that
 *        has ended  10 nothing waits for the transfers to a device without readers  11 a window is handed over once for
 *        each FIFO  12 the thread that moves a window wakes no reader: the one that publishes does (as it launches an
 *        actor of a device)
 */
#ifndef DOWN
#define DOWN 1
#endif
#ifndef HOPS
#define HOPS 3
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef BY0
#define BY0 1
#endif
#ifndef BY1
#define BY1 2
#endif
#ifndef BY2
#define BY2 0
#endif
#ifndef K
#define K 1
#endif
#ifndef KH
#define KH K /* of the first hop's place */
#endif
#ifndef N
#define N 3
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

#if QUICK
#define A_COMMAND atomic
#else
#define A_COMMAND
#endif

#define MOST 4
#define BY(r) ((r) == 0 -> BY0 : ((r) == 1 -> BY1 : BY2))
#define IS_DEVICE(r) (!DOWN || BY(r) > 0)
#define FIRSTS (DOWN -> 1 : HOPS)
#define WINDOWS(place) ((place) == 1 -> KH : K)
#define AT(place, n) ((place) * MOST + (n) % WINDOWS(place))
#define FROM(h) (DOWN && (h) > 0 -> 1 : 0)
/* the room of a FIFO, over all of its places */
#define ROOM(r) (K + WINDOWS(BY(r) + 1) + (DOWN && BY(r) > 0 -> KH : 0))

byte cell[(HOPS + 1) * MOST], held[(HOPS + 1) * MOST];
bit busy[(HOPS + 1) * MOST];

byte written[READERS], read[READERS];
bit discards[READERS], closed;

byte handed_over, was_read[READERS];
byte moved[HOPS], through[HOPS], asked_here[HOPS], asked_free[HOPS];
/* number + 1 of the transfer whose end the mover is told: of the hop before, of this one */
byte here_at[HOPS], free_at[HOPS];

byte w_enqueued, w_through, r_enqueued[READERS], r_through[READERS];
byte w_after[N]; /* what a device writer's kernel waits for: so many transfers of the first hop */

bit stale_w, stale_r[READERS], stale_mover, ends;
byte home;

inline begin_write(at)
{
	assert(!busy[at] && !held[at]);
	busy[at] = 1;
	cell[at] = 0
}

inline end_write(at, n)
{
	cell[at] = (n) + 1;
	busy[at] = 0
}

inline compare(at, n)
{
	assert(cell[at] == (n) + 1 && !busy[at])
}

#define WANTS(r, h) (!discards[r] && (DOWN && (h) == 0 || BY(r) == (h)))
#if READERS == 1
#define IS_WANTED(h) WANTS(0, h)
#elif READERS == 2
#define IS_WANTED(h) (WANTS(0, h) || WANTS(1, h))
#else
#define IS_WANTED(h) (WANTS(0, h) || WANTS(1, h) || WANTS(2, h))
#endif

#if DOWN
proctype w_kernel()
{
end:
	do
	:: A_COMMAND {
		d_step {
			w_through < w_enqueued && through[0] >= w_after[w_through] ->
			begin_write(AT(0, w_through))
		}
		d_step { end_write(AT(0, w_through), w_through); w_through++ }
	}
	od
}
#endif

proctype r_kernel(byte r)
{
end:
	do
	:: A_COMMAND {
		d_step {
			r_through[r] < r_enqueued[r] && through[BY(r)] > r_through[r] ->
			compare(AT(BY(r) + 1, r_through[r]), r_through[r]);
			held[AT(BY(r) + 1, r_through[r])]++
		}
		d_step {
			compare(AT(BY(r) + 1, r_through[r]), r_through[r]);
			held[AT(BY(r) + 1, r_through[r])]--;
			r_through[r]++
		}
	}
	od
}

/* Is reader r's kernel through that the transfer waits for? */
#if FAULT == 9
#define FREED(r, h, n) (BY(r) != (h) || !IS_DEVICE(r) || discards[r] || r_through[r] + WINDOWS((h) + 1) > (n))
#else
#define FREED(r, h, n) (BY(r) != (h) || !IS_DEVICE(r) || r_through[r] + WINDOWS((h) + 1) > (n) || \
	discards[r] && r_through[r] == r_enqueued[r])
#endif
#if FAULT == 1
#define FREED_1(h, n) (was_read[1] + WINDOWS((h) + 1) <= (n) || FREED(1, h, n))
#else
#define FREED_1(h, n) FREED(1, h, n)
#endif
#if READERS == 1
#define ALL_FREED(h, n) FREED(0, h, n)
#elif READERS == 2
#define ALL_FREED(h, n) (FREED(0, h, n) && FREED_1(h, n))
#else
#define ALL_FREED(h, n) (FREED(0, h, n) && FREED_1(h, n) && FREED(2, h, n))
#endif

proctype transfer(byte h)
{
end:
	do
	:: A_COMMAND {
		d_step {
			through[h] < moved[h] && (FROM(h) || !DOWN || w_through > through[h]) &&
				ALL_FREED(h, through[h]) ->
			compare(AT(FROM(h), through[h]), through[h]);
			held[AT(FROM(h), through[h])]++;
			begin_write(AT(h + 1, through[h]))
		}
		d_step {
			compare(AT(FROM(h), through[h]), through[h]);
			held[AT(FROM(h), through[h])]--;
			end_write(AT(h + 1, through[h]), through[h]);
			through[h]++;
			if
			:: free_at[h] == through[h] -> free_at[h] = 0; stale_mover = 1
			:: else
			fi;
			if
			:: h == 0 && here_at[HOPS - 1] == through[h] -> here_at[HOPS - 1] = 0; stale_mover = 1
			:: else
			fi;
			if
			:: h == 0 && HOPS == 3 && here_at[1] == through[h] -> here_at[1] = 0; stale_mover = 1
			:: else
			fi
		}
	}
	od
}

/* Write n is at hop h's place; if only its transfer there is not through, the mover is told. */
inline look_here(h)
{
	if
	:: !FROM(h) -> can = n < handed_over
	:: else ->
		can = n < moved[0] && through[0] > n;
		if
		:: n < moved[0] && !can && asked_here[h] != n + 1 -> asked_here[h] = n + 1; here_at[h] = n + 1
		:: else
		fi
	fi
}

#if FAULT == 4
#define ASKED 0
#else
#define ASKED up
#endif

/* The host's place is free of what hop `up` takes from there. */
inline look_left(up)
{
	if
	:: !can || n < KH
	:: else ->
		if
		:: n - KH >= moved[up] ->
#if FAULT == 6
			can = 0
#else
			can = !IS_WANTED(up)
#endif
		:: n - KH < moved[up] && through[up] <= n - KH ->
#if FAULT == 10
			can = !IS_WANTED(up);
#else
			can = 0;
#endif
			if
			:: !can && asked_free[ASKED] != n + 1 -> asked_free[ASKED] = n + 1; free_at[up] = n - KH + 1
			:: else
			fi
		:: else
		fi
	fi
}

inline look_read(h, r)
{
	if
	:: can && BY(r) == h && n >= WINDOWS(h + 1) && was_read[r] + WINDOWS(h + 1) <= n ->
#if FAULT == 6
		can = 0
#else
		can = discards[r]
#endif
	:: else
	fi
}

inline move(h)
{
	n = moved[h];
	can = 0;
	if
	:: IS_WANTED(h) ->
		look_here(h);
#if DOWN
		if
		:: h == 0 ->
#if HOPS > 1
			look_left(1);
#endif
#if HOPS == 3 && FAULT != 2
			look_left(2)
#endif
		:: else
		fi;
#endif
		look_read(h, 0);
#if READERS > 1 && FAULT != 1
		look_read(h, 1);
#endif
#if READERS > 2
		look_read(h, 2);
#endif
		if
		:: can -> moved[h]++; again = 1; told = 1
		:: else
		fi
	:: else
	fi;
	n = 0;
	can = 0
}

inline pump()
{
	again = 1;
	do
	:: again ->
		again = 0;
#if HOPS == 3
		move(2);
#endif
#if HOPS > 1
		move(1);
#endif
		move(0)
	:: else -> break
	od
}

inline notify()
{
	if
	:: told ->
		stale_w = 1;
#if FAULT != 12
		stale_r[0] = 1;
#if READERS > 1
		stale_r[1] = 1;
#endif
#if READERS > 2
		stale_r[2] = 1;
#endif
#endif
		told = 0
	:: else
	fi
}

#define MAY_LEAVE(h, w) ((h) >= FIRSTS || (w) < K || (w) - K < moved[h] || !IS_WANTED(h))
#define MAY_WRITE(w) (MAY_LEAVE(0, w) && MAY_LEAVE(1, w))
#define HAS_ROOM(r, w) ((r) >= READERS || discards[r] || (w) < read[r] + ROOM(r))
#if FAULT == 3
#define HAS_LEFT(h, w) ((h) >= 1 || (w) < K || (w) - K >= moved[h] || through[h] + K > (w))
#else
#define HAS_LEFT(h, w) ((h) >= FIRSTS || (w) < K || (w) - K >= moved[h] || through[h] + K > (w))
#endif

/* The counters' own waits are fifo.pml's: here they are guards. */
proctype writer()
{
	byte w, n, r;
	bit can, again, told, may;

	do
	:: w < N ->
		HAS_ROOM(0, w) && HAS_ROOM(1 % READERS, w) && HAS_ROOM(2 % READERS, w);
#if FAULT != 8
		do
		::
			stale_w = 0;
			may = MAY_WRITE(w);
			if
			:: may -> break
			:: else -> stale_w
			fi
		od;
#endif
#if DOWN
		atomic { w_after[w] = (w >= K && w - K < moved[0] -> w - K + 1 : 0); w_enqueued++ }
#else
		HAS_LEFT(0, w) && HAS_LEFT(HOPS - 1, w);
		atomic { begin_write(AT(0, w)) }
		atomic { end_write(AT(0, w), w) }
#endif
		r = 0;
		do
		:: r < READERS ->
			atomic {
				if
#if FAULT == 11
				:: !discards[r] -> handed_over++; pump()
#else
				:: !discards[r] && handed_over == w -> handed_over++; pump()
#endif
				:: else
				fi
			}
			notify();
			written[r] = w + 1;
#if FAULT == 12
			stale_r[r] = 1;
#endif
			r++
		:: else -> break
		od;
		w++
	:: else -> break
	od;
	atomic { w = 0; r = 0; closed = 1; home++ }
}

/* The stream of a reader ends when all is read, or early. */
proctype reader(byte r)
{
	byte j, n;
	bit can, again, told, may;

	do
	:: written[r] > j ->
		do
		::
			stale_r[r] = 0;
			may = moved[BY(r)] > j;
			if
			:: may -> break
			:: else -> stale_r[r]
			fi
		od;
		if
		:: IS_DEVICE(r) -> r_enqueued[r]++
		:: else ->
			atomic { through[BY(r)] > j -> compare(AT(BY(r) + 1, j), j); held[AT(BY(r) + 1, j)]++ }
			atomic { compare(AT(BY(r) + 1, j), j); held[AT(BY(r) + 1, j)]-- }
		fi;
		atomic { was_read[r] = j + 1; pump() }
		notify();
		j++;
		read[r] = j
	:: closed && written[r] == j -> break
	:: EARLY & (1 << r) -> break
	od;
	discards[r] = 1;
#if FAULT != 5
	atomic { pump(); told = 0 }
#endif
#if FAULT != 5 && FAULT != 7
	told = 1;
	notify();
#endif
	atomic { j = 0; home++ }
}

proctype mover()
{
	byte n;
	bit can, again, told;

	do
	::
		stale_mover = 0;
		if
		:: ends -> break
		:: else
		fi;
		atomic { pump() }
		notify();
		stale_mover
	od;
	home++
}

init {
	byte i;

	atomic {
		do
		:: i < HOPS -> run transfer(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < READERS ->
			run reader(i);
			if
			:: IS_DEVICE(i) -> run r_kernel(i)
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0;
#if DOWN
		run w_kernel();
#endif
		run mover();
		run writer()
	}
	home == READERS + 1;
	ends = 1;
	stale_mover = 1;
	home == READERS + 2
}
