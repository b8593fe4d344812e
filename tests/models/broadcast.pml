/* SPDX-License-Identifier: MIT */
/*
 * Broadcast: several readers share one buffer.
 *
 * Readers can share if their delays that are not zero are all equal (to d). A reader with d sees the initial tokens
 * first, at slot (j mod m) r; a reader without delay reads the writer's own windows, at slot rho + ((j + q) mod m) r.
 * There is room for write w iff w - min R < k, over all readers R. The buffer is that of a single FIFO with delay d and
 * depth k (fifo.pml).
 *
 * Slots hold token numbers plus one; the reader without delay sees the numbers from d on. Each side holds as many
 * windows as it likes; the slots of a held window are marked, by the writer or by a reader, and none may be written
 * that is held, nor read while it is written. Counters only: what mutexes and waits do is in fifo.pml.
 *
 * Parameters: RMIN..RMAX (r), DMIN..DMAX (d; default: 0 .. 2 r + 2), KMIN..KMAX (k); READERS 2 or 3. Reader 0 has the
 * delay, reader 1 none; the third has the delay if THIRD=1.
 * FAULT: 1 room by the reader with the delay only  2 room by the fastest reader  3 one block too few  4 no wrap copy
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
#define DMAX (2 * r + 2)
#define SLOTS (2 * RMAX + 2 + (KMAX + 1) * RMAX)
#else
#define SLOTS (DMAX + (KMAX + 1) * RMAX)
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef THIRD
#define THIRD 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

byte r, d, k, writes, q, rho, m; /* constant after init */

byte slot[SLOTS];
bit w_marks[SLOTS];
byte r_marks[SLOTS]; /* readers that hold it */
byte w_started, w_ended, read[READERS];

#define DELAYED(i) ((i) == 0 || (i) == 2 && THIRD)
#define BEHIND(i) (w_started >= read[i] + k)
#if FAULT == 1
#define ROOM (!BEHIND(0))
#elif FAULT == 2
#define ROOM (!BEHIND(0) || !BEHIND(1))
#elif READERS == 3
#define ROOM (!BEHIND(0) && !BEHIND(1) && !BEHIND(2))
#else
#define ROOM (!BEHIND(0) && !BEHIND(1))
#endif
#define WRITE_SLOT(w) (rho + (((w) + q) % m) * r)
#define READ_SLOT(i, j) (DELAYED(i) -> ((j) % m) * r : WRITE_SLOT(j))
/* the number of the first token in window j of reader i, initial tokens first */
#define FIRST(i, j) ((DELAYED(i) -> 0 : d) + (j) * r)
#define HAS(i, j) (d + w_ended * r >= (DELAYED(i) -> 0 : d) + ((j) + 1) * r)
#define WRAPS(w) (rho && ((w) + q) % m == m - 1)

inline mark_write(at, n)
{
	for (i : 0 .. n - 1) {
		assert(!r_marks[at + i] && !w_marks[at + i]);
		w_marks[at + i] = 1
	}
}

proctype writer()
{
	byte i;

	do
	:: d_step { w_started < writes && ROOM -> mark_write(WRITE_SLOT(w_started), r); i = 0; w_started++ }
	:: w_ended < w_started ->
		d_step {
			for (i : 0 .. r - 1) {
				slot[WRITE_SLOT(w_ended) + i] = d + w_ended * r + i + 1
			}
			i = 0
		}
		if
		:: WRAPS(w_ended) && FAULT != 4 ->
			d_step { mark_write(0, rho); i = 0 }
			d_step {
				for (i : 0 .. rho - 1) {
					slot[i] = slot[m * r + i];
					w_marks[i] = 0
				}
				i = 0
			}
		:: !WRAPS(w_ended) || FAULT == 4
		fi;
		d_step {
			for (i : 0 .. r - 1) {
				w_marks[WRITE_SLOT(w_ended) + i] = 0
			}
			i = 0;
			w_ended++
		}
	:: w_ended == writes -> break
	od
}

inline compare(j)
{
	for (i : 0 .. r - 1) {
		assert(slot[READ_SLOT(me, j) + i] == FIRST(me, j) + i + 1)
	}
	i = 0
}

proctype reader(byte me, reads)
{
	byte i, started;

	do
	:: d_step {
		started < reads && HAS(me, started) ->
		for (i : 0 .. r - 1) {
			assert(!w_marks[READ_SLOT(me, started) + i]);
			r_marks[READ_SLOT(me, started) + i]++
		}
		compare(started);
		started++
	}
	:: d_step {
		read[me] < started ->
		compare(read[me]);
		for (i : 0 .. r - 1) {
			r_marks[READ_SLOT(me, read[me]) + i]--
		}
		i = 0;
		read[me]++
	}
	:: read[me] == reads -> break
	od
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
		q = d / r;
		rho = d % r;
		m = q + k + (rho -> 1 : 0);
#if FAULT == 3
		m--;
#endif
		writes = 2 * m + 1;
		for (i : 0 .. d - 1) {
			slot[i] = i + 1
		}
		i = 0;
		run writer();
		run reader(0, q + writes);
		run reader(1, writes);
#if READERS == 3
		run reader(2, (THIRD -> q + writes : writes))
#endif
	}
}
