/* SPDX-License-Identifier: MIT */
/*
 * The FIFO: one writer, one reader, windows of r tokens, d delay tokens, depth k; mutex and condition variables.
 *
 * What stands for what (lib/fifo/layout.c, lib/fifo/fifo.c, lib/fifo/fifo_wait.c):
 *
 *   q, rho, m                   ps_layout_init()
 *   READ_SLOT, WRITE_SLOT       ps_layout_read_slot(), ps_layout_write_slot()
 *   WRAPS                       ps_layout_wraps()
 *   MAY_WRITE                   ps_layout_may_write()
 *   VALID                       ps_layout_valid()
 *   slot[]                      f->memory; slot s holds the number of its token plus one, 0 is a zeroed token
 *   w_started, w_ended          f->writer.started, .ended; the reader's r_started, r_ended
 *   written, read, closed       the atomic counters and the flag, stored and loaded without the lock, each a
 *                               step of its own; sequentially consistent, as Spin's steps are (wake.pml has
 *                               the memory order). `discards` is in end.pml. end->seen, an older value of the
 *                               other side's counter, says no more than that
 *   w_listens, r_listens        what an end's owner says of itself: stored under the lock, with end->waiting
 *                               (so one variable stands for both), asked by ps_fifo_changed() without
 *   w_asleep, r_asleep          inside pthread_cond_wait(); a signal makes it false. One step lets go of the mutex
 *                               and falls asleep, as POSIX has it; the test before it is steps of its own
 *   writer: start               ps_firing_peek() and ps_fifo_write_start(): no lock; no other thread changes w_started,
 *                               and what others change only makes it readier, so peek and start are one step
 *   writer: end                 ps_fifo_write_end(): the wrap copy, publish(): `written`, then `closed` with
 *                               the last tokens
 *   tell                        ps_fifo_changed(): has the other end said that it listens? If so tell():
 *                               takes the lock, looks again, lets go of it, signals
 *   writer: wait                wait_for_counters() at the writer's end, without nudges (end.pml has them)
 *   writer: close               ps_fifo_write_close(): under the lock, with a signal
 *   reader: peek                ps_fifo_look(): `closed` first, then `written`: two loads, two steps, also
 *                               where it waits
 *   reader: start, end, wait    ps_fifo_read_start() with its zeros behind the valid tokens, ps_fifo_read_end(),
 *                               release()
 *
 * Each side holds as many windows as it likes and ends them in order; the slots of a held window are marked, and no
 * slot may be marked twice. What a read window shows is compared when it is started and when it is ended. The writer
 * writes 2 m + 1 windows, so that every block is written and wrapped, or 2 m - q, so that the last one is the last
 * block's. The last one is partly filled if `last` < r, which closes the FIFO; or it is full and the writer closes the
 * FIFO, `closes`; or nothing closes it, and only publish() can wake the reader.
 *
 * Parameters: RMIN..RMAX (r), DMIN..DMAX (d; default: 0 .. 3 r + 2), KMIN..KMAX (k): all of them in one search.
 * FAULT: 1 admits by the tokens' number, level + r <= (k + 1) r + d (that is 3 r + d for k = 2)  2 one block too few
 *        3 no wrap copy  4 the copy after publish  5 signals without having taken the lock  6 the reader
 *        loads `written` before `closed`  7 asks whether the other end listens before the counter is stored
 *        8 a waiter looks before it says that it listens, and sleeps if there was nothing
 */
#ifndef RMIN
#define RMIN 1
#endif
#ifndef RMAX
#define RMAX 2
#endif
#ifndef KMIN
#define KMIN 1
#endif
#ifndef KMAX
#define KMAX 2
#endif
#ifndef DMIN
#define DMIN 0
#endif
#ifndef DMAX
#define DMAX (3 * r + 2)
#define SLOTS (3 * RMAX + 2 + (KMAX + 1) * RMAX)
#else
#define SLOTS (DMAX + (KMAX + 1) * RMAX)
#endif
#ifndef FAULT
#define FAULT 0
#endif

byte r, d, k, last, writes; /* constant after init */
bit closes;                 /* constant after init: the FIFO will be closed */
byte q, rho, m;             /* as layout.h names them; constant after init */

byte slot[SLOTS];
bit w_marks[SLOTS], r_marks[SLOTS];

byte w_started, w_ended, r_started, r_ended;
byte written, read; /* tokens; windows */
bit closed;

bit lock, w_listens, r_listens, w_asleep, r_asleep;

#define READ_SLOT(j) (((j) % m) * r)
#define WRITE_SLOT(w) (rho + (((w) + q) % m) * r)
#define WRAPS(w) (rho && ((w) + q) % m == m - 1)
#if FAULT == 1
#define MAY_WRITE ((d + w_started * r - read * r) + r <= (k + 1) * r + d)
#else
#define MAY_WRITE (w_started < read + k)
#endif
#define HAVE(v) (d + (v))
#define VALID(j, v) (HAVE(v) <= (j) * r -> 0 : (HAVE(v) - (j) * r < r -> HAVE(v) - (j) * r : r))

#define LOCK atomic { !lock -> lock = 1 }
#define UNLOCK lock = 0

inline mark_write(at, n)
{
	for (i : 0 .. n - 1) {
		assert(!r_marks[at + i] && !w_marks[at + i]); /* no other window */
		w_marks[at + i] = 1
	}
}

inline unmark_write(at, n)
{
	for (i : 0 .. n - 1) {
		w_marks[at + i] = 0
	}
}

/* No lock held, the counters have changed for that end. */
inline tell(listens, sleeper)
{
#if FAULT != 7
	hears = listens;
#endif
	if
	:: hears ->
#if FAULT != 5
		LOCK;
		hears = listens;
		UNLOCK;
#endif
		if
		:: hears -> sleeper = 0
		:: !hears
		fi
	:: !hears
	fi;
	hears = 0
}

/* Ends the oldest window: fills it, copies its tail if it is the last block's, publishes. */
inline end_write()
{
	d_step {
		at = WRITE_SLOT(w_ended);
		valid = (w_ended == writes - 1 -> last : r);
		for (i : 0 .. valid - 1) {
			slot[at + i] = d + w_ended * r + i + 1
		}
		i = 0
	}
#if FAULT != 3 && FAULT != 4
	copy()
#endif
	d_step { unmark_write(at, r); i = 0; at = 0 }
	w_ended++;
#if FAULT == 7
	hears = r_listens;
#endif
	written = written + valid;
	if
	:: valid < r -> closed = 1
	:: valid == r
	fi;
	tell(r_listens, r_asleep);
#if FAULT == 4
	w_ended--;
	copy();
	w_ended++;
#endif
	valid = 0
}

inline copy()
{
	if
	:: WRAPS(w_ended) ->
		d_step { mark_write(0, rho); i = 0 }
		d_step {
			for (i : 0 .. rho - 1) {
				slot[i] = slot[m * r + i]
			}
			unmark_write(0, rho);
			i = 0
		}
	:: else
	fi;
}

inline wait_write()
{
	LOCK;
#if FAULT == 8
	may = MAY_WRITE;
	w_listens = 1;
	if
	:: !may ->
		atomic { UNLOCK; w_asleep = 1 }
		atomic { !w_asleep && !lock -> lock = 1 }
	:: may
	fi;
	may = 0;
#endif
	w_listens = 1;
	do
	:: !MAY_WRITE ->
		atomic { UNLOCK; w_asleep = 1 }
		atomic { !w_asleep && !lock -> lock = 1 }
	:: MAY_WRITE -> break
	od;
	w_listens = 0;
	UNLOCK
}

proctype writer()
{
	byte i, at, valid;
	bit hears;
#if FAULT == 8
	bit may;
#endif

	do
	:: d_step { w_started < writes && MAY_WRITE -> mark_write(WRITE_SLOT(w_started), r); i = 0; w_started++ }
	:: w_ended < w_started -> end_write()
	:: w_ended == w_started && w_started < writes && !MAY_WRITE -> wait_write()
	:: w_ended == writes -> break
	od;
	if
	:: closes && last == r ->
		LOCK;
		closed = 1;
		r_asleep = 0;
		UNLOCK
	:: !closes || last < r
	fi
}

/* What the window shows: its tokens, zeros behind them. */
inline compare(j, n)
{
	for (i : 0 .. r - 1) {
		assert(slot[READ_SLOT(j) + i] == (i < n -> j * r + i + 1 : 0))
	}
	i = 0
}

inline start_read()
{
	d_step {
		valid = VALID(r_started, written);
		for (i : 0 .. r - 1) {
			assert(!w_marks[READ_SLOT(r_started) + i] && !r_marks[READ_SLOT(r_started) + i]);
			r_marks[READ_SLOT(r_started) + i] = 1;
			if
			:: i >= valid -> slot[READ_SLOT(r_started) + i] = 0
			:: else
			fi
		}
		compare(r_started, valid);
		tokens = tokens + valid;
		r_started++;
		valid = 0
	}
}

inline end_read()
{
	d_step {
		valid = (r_ended == reads - 1 -> left : r);
		compare(r_ended, valid);
		for (i : 0 .. r - 1) {
			r_marks[READ_SLOT(r_ended) + i] = 0
		}
		i = 0;
		valid = 0;
		r_ended++
	}
#if FAULT == 7
	hears = w_listens;
#endif
	read = r_ended;
	tell(w_listens, w_asleep)
}

inline look_read()
{
#if FAULT == 6
	have = VALID(r_started, written);
	over = closed
#else
	over = closed;
	have = VALID(r_started, written)
#endif
}

inline wait_read()
{
	LOCK;
#if FAULT == 8
	look_read();
	r_listens = 1;
	if
	:: have < r && !over ->
		atomic { UNLOCK; r_asleep = 1 }
		atomic { !r_asleep && !lock -> lock = 1 }
	:: have == r || over
	fi;
#endif
	r_listens = 1;
	do
	:: look_read();
		if
		:: have < r && !over ->
			atomic { UNLOCK; r_asleep = 1 }
			atomic { !r_asleep && !lock -> lock = 1 }
		:: have == r || over -> break
		fi
	od;
	atomic { have = 0; over = 0 }
	r_listens = 0;
	UNLOCK
}

/* reads: the windows that there will be; left: valid tokens of the last of them, if the FIFO is closed. */
proctype reader(byte reads, left)
{
	byte i, valid, tokens, have;
	bit over, hears;

	do
	:: r_started < reads || closes ->
		look_read();
		if
		:: have == r || (have && over) -> have = 0; over = 0; start_read()
		:: !have && over -> over = 0; break
		:: have < r && !over ->
			have = 0;
			if
			:: r_ended == r_started -> wait_read()
			:: r_ended < r_started -> end_read()
			fi
		fi
	:: r_ended < r_started -> end_read()
	:: r_ended == r_started && r_started == reads && !closes -> break
	od;
	do
	:: r_ended < r_started -> end_read()
	:: else -> break
	od;
	assert(r_ended == reads && read == reads);
	/* each token in was seen; an open FIFO keeps the rest that makes no window */
	assert(tokens + (closes -> 0 : rho) == d + (writes - 1) * r + last);
	assert(written == (writes - 1) * r + last)
}

init {
	byte i;

	atomic {
		r = RMIN;
		do
		:: r < RMAX -> r++
		:: break
		od;
		d = DMIN;
		do
		:: d < DMAX -> d++
		:: break
		od;
		k = KMIN;
		do
		:: k < KMAX -> k++
		:: break
		od;
		last = 1;
		do
		:: last < r -> last++
		:: break
		od;
		if
		:: closes = 1
		:: last == r
		fi;
		q = d / r;
		rho = d % r;
		m = q + k + (rho -> 1 : 0);
#if FAULT == 2
		m--;
#endif
		if
		:: writes = 2 * m + 1
		:: writes = 2 * m - q /* the last write is the last block's */
		fi;
		for (i : 0 .. d - 1) { /* none if d is 0: the for is left at once */
			slot[i] = i + 1
		}
		i = 0;
		run writer();
		if
		:: !closes -> run reader(q + writes, r)
		:: closes -> /* all of d + (writes - 1) r + last tokens, rounded up to windows */
			run reader((d + (writes - 1) * r + last + r - 1) / r,
				(d + (writes - 1) * r + last - 1) % r + 1)
		fi
	}
}
