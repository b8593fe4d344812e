/* SPDX-License-Identifier: MIT */
/*
 * An output with two readers whose writer moves: windows are written to the first reader's memory, used in place, and
 * copied from there to the second one's.
 *
 * What stands for what (lib/opencl/cl_home.c, device.c):
 *
 *   cell1, cell2        the memory of both FIFOs, K1 and K2 windows: the number of the write that is there, counted
 *                       from 1; 0 while it is being written
 *   written, read1, read2    the FIFOs' counters. A device's write is published when it is enqueued
 *   kdone, cdone        the events of write w: of its kernel, which the first reader waits for, and of its copy, which
 *                       the second one waits for. On the cores both are there as it is published
 *   device              a place's in-order queue: kernel and copy of each write that was enqueued there
 *   writer              the actor. Before each write it may move (MOVES in all) to the cores (0) or a device place; it
 *                       waits for room in both FIFOs, and for the copies of what it overwrites (copied)
 *
 * A copy finds its window in the first memory from its begin to its end; readers find theirs. All get to their end.
 *
 * FAULT: 1 the writer waits for no copy  2 it waits for them only at a device
 */
#ifndef FAULT
#define FAULT 0
#endif
#ifndef N
#define N 4
#endif
#ifndef K1
#define K1 1
#endif
#ifndef K2
#define K2 3
#endif
#ifndef MOVES
#define MOVES 2
#endif
#define PLACES 3

byte cell1[K1], cell2[K2];
byte written, read1, read2;
bool kdone[N], cdone[N];
byte at[N]; /* the place of each write */

#if FAULT == 1
#define COPIED(w) true
#elif FAULT == 2
#define COPIED(w) (w < K1 || !place || cdone[w - K1])
#else
#define COPIED(w) (w < K1 || cdone[w - K1])
#endif
#define ROOM(w) ((w < K1 || read1 > w - K1) && (w < K2 || read2 > w - K2))

active proctype writer()
{
	byte w, place = 1, moves;

	do
	:: w < N ->
		do
		:: moves < MOVES -> moves++; place = (place + 1) % PLACES
		:: moves < MOVES -> moves++; place = (place + 2) % PLACES
		:: break
		od;
		ROOM(w);
		COPIED(w);
		at[w] = place;
		if
		:: !place ->
			cell1[w % K1] = 0;
			cell2[w % K2] = 0;
			cell1[w % K1] = w + 1;
			cell2[w % K2] = w + 1;
			atomic { kdone[w] = true; cdone[w] = true }
		:: else
		fi;
		written++;
		w++
	:: else -> break
	od
}

proctype device(byte place)
{
	byte w;

	do
	:: w < N ->
		written > w;
		if
		:: at[w] == place ->
			cell1[w % K1] = 0;
			cell1[w % K1] = w + 1;
			kdone[w] = true;
			cell2[w % K2] = 0;
			assert(cell1[w % K1] == w + 1);
			cell2[w % K2] = cell1[w % K1];
			assert(cell1[w % K1] == w + 1);
			cdone[w] = true
		:: else
		fi;
		w++
	:: else -> break
	od
}

active proctype first()
{
	do
	:: read1 < N ->
		written > read1 && kdone[read1];
		assert(cell1[read1 % K1] == read1 + 1);
		assert(cell1[read1 % K1] == read1 + 1);
		read1++
	:: else -> break
	od
}

active proctype second()
{
	do
	:: read2 < N ->
		written > read2 && cdone[read2];
		assert(cell2[read2 % K2] == read2 + 1);
		assert(cell2[read2 % K2] == read2 + 1);
		read2++
	:: else -> break
	od
}

init
{
	run device(1);
	run device(2)
}
