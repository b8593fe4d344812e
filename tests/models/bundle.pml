/* SPDX-License-Identifier: MIT */
/*
 * A bundle: two FIFOs of one writer and one reader that use the counters of the first. Each window that the reader
 * takes has the tokens that the writer has put there, in each FIFO, also the last window, which the writer fills partly
 * in each as it likes. What of it not all FIFOs have counts as written, but the reader gets no further window.
 *
 * What stands for what (lib/fifo/bundle.h, lib/firing/windows.c):
 *
 *   slot[]        the tokens of each FIFO's memory: the number of the window, 0: zeros behind the last token
 *   written, closed, beyond[]    the lead's counter and flag; of each FIFO
 *   read          the lead's, in tokens; windows are freed as a whole
 *   writer        ps_windows_publish(): write; ps_bundle_end_last(); ps_fifo_write_publish(); ps_fifo_write_close()
 *   reader        look_at_tokens(): closed first, then the count. ps_windows_take(): a whole window by the count; else
 *                 ps_bundle_finish()
 *   watch         a report, at any time: what it says is never more than what the writer has written (written_of())
 *
 * RATE tokens a window, DEPTH windows, LAST windows in all; 0 .. RATE valid tokens of the last one are free.
 *
 * FAULT: 1 the count is published before the tokens of the second FIFO
 *        2 the lead publishes what it has itself, not what all have
 *        3 closed before `beyond` of the second FIFO
 *        4 the reader asks for the count before it asks whether the lead is closed
 *        5 the writer looks for room at what the reader has taken, not freed (LAST=4)
 */
#ifndef RATE
#define RATE 2
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#ifndef LAST
#define LAST 3
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define SLOTS (RATE * DEPTH)
#define SLOT(f, n) slot[(f) * SLOTS + (n) % SLOTS]
#define LEAST(a, b) ((a) < (b) -> (a) : (b))

byte slot[2 * SLOTS];
byte written, read, taken, beyond[2], valid[2], truth[2];
bit closed, over;

inline fill(f, w, count)
{
	i = 0;
	do
	:: i < RATE ->
		SLOT(f, w * RATE + i) = (i < count -> w + 1 : 0);
		i++
	:: else -> break
	od;
	i = 0
}

active proctype writer()
{
	byte w, i, common;

	do
	:: w < LAST - 1 ->
#if FAULT == 5
		(w + 1) * RATE - taken <= SLOTS;
#else
		(w + 1) * RATE - read <= SLOTS;
#endif
		fill(0, w, RATE);
#if FAULT == 1
		written = written + RATE;
		fill(1, w, RATE);
#else
		fill(1, w, RATE);
		written = written + RATE;
#endif
		w++
	:: else -> break
	od;
	(w + 1) * RATE - read <= SLOTS;
	select (i : 0 .. RATE);
	valid[0] = i;
	select (i : 0 .. RATE);
	valid[1] = i;
	if /* all whole: no last window of that kind; the writer closes behind it */
	:: valid[0] == RATE && valid[1] == RATE -> valid[1] = 0
	:: else
	fi;
	common = LEAST(valid[0], valid[1]);
	fill(0, w, valid[0]);
	fill(1, w, valid[1]);
	d_step { truth[0] = w * RATE + valid[0]; truth[1] = w * RATE + valid[1] }
#if FAULT == 2
	common = valid[0];
	written = written + common;
	closed = 1
#elif FAULT == 3
	beyond[0] = valid[0] - common;
	written = written + common;
	closed = 1;
	beyond[1] = valid[1] - common
#else
	beyond[0] = valid[0] - common;
	beyond[1] = valid[1] - common;
	written = written + common;
	closed = 1
#endif
}

inline check(f, j, count)
{
	i = 0;
	do
	:: i < RATE ->
		assert(SLOT(f, j * RATE + i) == (i < count -> j + 1 : 0));
		i++
	:: else -> break
	od;
	i = 0
}

active proctype reader()
{
	byte j, i, count, got0, got1;
	bit end;

	do
	:: over -> break
	:: else ->
#if FAULT == 4
		count = written;
		end = closed;
#else
		end = closed;
		count = written;
#endif
		if
		:: count >= (j + 1) * RATE ->
			taken = taken + RATE;
			check(0, j, RATE);
			check(1, j, RATE);
			j++;
			read = read + RATE
		:: count < (j + 1) * RATE && end && count > j * RATE ->
			taken = taken + RATE;
			got0 = LEAST(RATE, count + beyond[0] - j * RATE);
			got1 = LEAST(RATE, count + beyond[1] - j * RATE);
			assert(got0 == valid[0] && got1 == valid[1]);
			check(0, j, got0);
			check(1, j, got1);
			j++;
			read = read + RATE;
			over = 1
		:: count < (j + 1) * RATE && end && count <= j * RATE ->
			/* some FIFO has none: the reader ends, and has had all that come in whole firings */
			assert(j == LAST - 1 && (!valid[0] || !valid[1]));
			over = 1
		:: else /* sleeps until something has changed */
			-> (written > count || closed != end)
		fi
	od
}

active proctype watch()
{
	byte count, f;
	bit end;

	select (f : 0 .. 1);
	end = closed;
	count = written;
	if
	:: end -> assert(count + beyond[f] == truth[f])
	:: else
	fi
}
