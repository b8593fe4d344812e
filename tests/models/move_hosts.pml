/* SPDX-License-Identifier: MIT */
/*
 * An actor that fires at its own host or at others, by question and answer, while its windows stay at its own one.
 *
 *	writer --> [ FIFO, K windows ] --> the actor's thread --> [ FIFO, K windows ] --> reader
 *	                                    |            ^
 *	                         question   v            |  answer
 *	                                  host 1, host 2: a thread each
 *
 * What stands for what (lib/move/visits.c, lib/remote/letters.c):
 *
 *   place             where the actor is: 0, its own host; 1, 2
 *   state[h]          the actor's state at host h: how often it has fired, as that host knows
 *   state_of          per host, of the actor's thread: the firing of which that host has the state
 *   posted[h]         at host h: the receive of the question; answer_posted: that of its answer, at the own host
 *   ready[h]          host h has said READY, and the own host has heard it
 *   question, answer  letters on their way. One that comes where no receive is posted is a fault of ours
 *   over[h]           the network of this process has failed or was aborted; told to others by messages
 *   rank_done[h]      DONE of this rank, as all have heard; receives are cancelled when all ranks have said so
 *
 * The actor may be moved at any boundary, MOVES times. ABORT=1: any process may abort at any time.
 *
 * Each window is fired once, in order, with the state of the firing before. No message is without its receive, none is
 * on its way when receives are cancelled. All threads end.
 *
 * FAULT: 1 the state is not sent along  2 it is taken to be at a host where the actor was once  3 the other one answers
 *        before it posts its receive again  4 the first question goes before READY was heard  5 a rank is done while an
 *        answer is to come  6 an abort wakes no thread that waits for an answer  7 a host whose network is over does
 *        not answer  8 receives are cancelled when the own rank is done
 */
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
#ifndef MOVES
#define MOVES 2
#endif
#ifndef HOSTS
#define HOSTS 2
#endif
#ifndef ABORT
#define ABORT 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define MOST 3
#define NONE 255

byte written, freed, published, taken; /* counters of both FIFOs; the reader's below */
byte read_out;
byte place, moves, fired;
byte state[MOST];
byte state_of[MOST];
bool posted[MOST], ready[MOST], told_ready[MOST], cancelled[MOST];
bool answer_posted[MOST], awaits;
bool over[MOST], rank_done[MOST], waker;

/* firing, with the state or NONE; state or NONE: dropped */
chan question[MOST] = [1] of { byte, byte };
chan answer[MOST] = [1] of { byte };

#define ALL_DONE (rank_done[0] && rank_done[1] && (HOSTS == 2 || rank_done[2]))
#define ANY_OVER (over[0] || over[1] || over[2])

proctype writer()
{
	do
	:: atomic { written < N && written - freed < K -> written++ }
	:: written == N -> break
	:: over[0] -> break
	od
}

proctype reader()
{
	do
	:: atomic { read_out < published -> read_out++ }
	:: read_out == N -> break
	:: over[0] -> break
	od
}

/* The firing is fired here, or there, on what the firing before has left. */
inline fire_at(h, number)
{
	assert(number == fired);
	assert(state[h] == number);
	fired++;
	state[h]++
}

inline ask(h)
{
	atomic {
#if FAULT != 4
		ready[h] || over[0];
#endif
		if
		:: over[0]
		:: else ->
			awaits = 1;
			answer_posted[h] = 1;
			assert(posted[h] && !cancelled[h]);
			posted[h] = 0;
			if
#if FAULT == 1
			:: 1 -> question[h]!taken, NONE
#elif FAULT == 2
			:: state_of[h] != NONE -> question[h]!taken, NONE
			:: else -> question[h]!taken, state[0]
#else
			:: state_of[h] == taken -> question[h]!taken, NONE
			:: else -> question[h]!taken, state[0]
#endif
			fi
		fi
	}
}

inline publish()
{
	freed++;
	taken++;
	published++
}

proctype actor()
{
	byte got;

	do
	:: atomic { moves < MOVES && taken < N && !over[0] -> moves++; place = (place + 1) % HOSTS }
	:: atomic {
		moves < MOVES && taken < N && !over[0] && HOSTS == 3 -> moves++; place = (place + 2) % HOSTS
	}
	:: atomic {
		place == 0 && taken < written && published - read_out < K && !over[0] ->
		fire_at(0, taken);
		publish()
	}
	:: place != 0 && taken < written && published - read_out < K && !over[0] ->
		ask(place);
		if
		:: over[0] && !awaits
		:: atomic {
			answer[place]?got ->
			assert(answer_posted[place]);
			answer_posted[place] = 0;
			awaits = 0;
			if
			:: got != NONE ->
				state[0] = got;
				state_of[place] = taken + 1;
				publish()
			:: else
			fi
		} ->
			if
#if FAULT == 6
			:: got == NONE -> over[0] && waker
#else
			:: got == NONE -> over[0]
#endif
			:: else
			fi
#if FAULT == 6
		:: waker && over[0] && awaits
#else
		:: over[0] && awaits
#endif
		fi
	:: taken == N -> break
	:: over[0] -> break
	od;
	/* the remote thread: what is still to come keeps its rank from being done */
	do
	:: atomic { awaits && nempty(answer[1]) -> answer[1]?got; assert(answer_posted[1]); awaits = 0 }
#if HOSTS == 3
	:: atomic { awaits && nempty(answer[2]) -> answer[2]?got; assert(answer_posted[2]); awaits = 0 }
#endif
#if FAULT == 5
	:: 1 -> break
#else
	:: !awaits -> break
#endif
	od;
	rank_done[0] = 1;
	ALL_DONE;
	assert(empty(answer[1]) && empty(answer[2]) && empty(question[1]) && empty(question[2]));
	assert(over[0] || read_out == N || ANY_OVER || published == N)
}

/* Another host: its thread, and its remote thread. It is done from the beginning, and still answers. */
proctype host(byte h)
{
	byte number, sent;

	posted[h] = 1;
	ready[h] = 1;
	rank_done[h] = 1;
	do
	:: atomic {
		question[h]?number, sent ->
		if
		:: sent != NONE -> state[h] = sent
		:: else
		fi
	} ->
		atomic {
			if
			:: over[h]
#if FAULT == 7
				-> goto silent
#endif
			:: else -> fire_at(h, number)
			fi;
			sent = (over[h] && state[h] == number -> NONE : state[h])
		};
#if FAULT == 3
		answer[h]!sent;
		posted[h] = 1
#else
		atomic { posted[h] = 1; answer[h]!sent }
#endif
		;
		sent = 0;
		number = 0
#if FAULT == 8
	:: rank_done[h] -> break
#else
	:: ALL_DONE -> break
#endif
	od;
	atomic {
		assert(empty(question[h]));
		cancelled[h] = 1
	};
#if FAULT == 7
silent:
#endif
	skip
}

#if ABORT
/* Any process, at any time; the others hear of it. */
proctype aborts()
{
	byte by;

	if
	:: by = 0
	:: by = 1
	:: 1 -> goto silent_all
	fi;
	over[by] = 1;
	over[1 - by] = 1;
#if HOSTS == 3
	over[2] = 1;
#endif
	waker = (FAULT == 6 -> 0 : 1);
silent_all:
	skip
}
#endif

init {
	atomic {
		state_of[1] = NONE;
		state_of[2] = NONE;
		run writer();
		run reader();
		run actor();
		run host(1);
#if HOSTS == 3
		run host(2);
#endif
#if ABORT
		run aborts();
#endif
	}
}
