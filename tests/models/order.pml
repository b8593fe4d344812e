/* SPDX-License-Identifier: MIT */
/*
 * Firings of one stateless actor side by side: begun in order, fired in any order, published in order; the
 * end.
 *
 * What stands for what (lib/firing/reorder.c, lib/firing/firing.c, lib/schedule/team.c):
 *
 *   thread                  a thread of the team, as far as it has to do with this actor. It waits until PEEK
 *                           says that the actor may be ready; that no thread sleeps then is in team.pml
 *   CLAIMED, MARK           a->taking and a->again, as in team.pml. Under the claim: firing number TAKEN gets
 *                           the slot TAKEN mod C, each enabled port the port's next window; then the claim is
 *                           given back and fire() runs
 *   DONE(i)                 slot i's `done`: 0, or what fire() has returned + 1: 1 PSTK_AGAIN, 2 PSTK_DONE, 3
 *                           an error
 *   FLAG, HEAD              a->publishing, a->published: the thread that has the flag publishes what is
 *                           done, in order, and no thread waits for the flag
 *   OVER                    a->over: a firing has returned something else than PSTK_AGAIN; those after it are
 *                           dropped
 *   ENDING                  a->ending: the thread with the claim has found that the actor ends, but other
 *                           firings were in flight. From then on it relies on MARK, and so does PEEK
 *   mark()                  after ps_reorder_done(), in fire_aside(): nothing is in flight and nothing to come,
 *                           so a thread is to end the actor
 *   LAST                    a->last_taken: a firing was taken with a partly filled input, so it is the actor's last,
 *                           which returns something else than PSTK_AGAIN
 *   closed                  end_actor(): under the claim, when all in flight are through
 *   buffer                  as in team.pml
 *
 * N windows are there, then the input has ended. C slots, T threads, B stores pending in each. With DYNAMIC=1
 * each firing has any of two outputs on, or both or none: window numbers are not firing numbers. With STOP=1
 * the actor is a source and the user stops the network at any time: what is in flight is published. With KNOWN=1
 * any firing may be the last one by what it has taken.
 *
 * Asserted: the firing that is published is the next one; its windows are the next ones of their ports;
 * nothing is published after OVER or after the close; a slot in use is not taken, and nothing behind LAST; what
 * ends the actor is the first in order that did not say PSTK_AGAIN. Every thread must get to its end, which is the
 * actor's close.
 *
 * FAULT: 1 no look at the head after the flag was given back  2 the slot is marked after the flag was
 *        tried  3 any slot that is done is published  4 closed while some are in flight  5 no fence between
 *        mark and flag  6 no fence between the flag's return and the look  7 the head moves on before the
 *        slot is empty  8 the publisher closes, without the claim  9 one more in flight than slots  10 the
 *        publisher of the last one does not mark the actor  11 windows are numbered as firings  12 the publisher
 *        looks whether all is through before the fence  13 the thread that finds the end looks whether all is
 *        through before it says ENDING  14 .. without a fence in between  15 the taking thread does not look at LAST
 */
#ifndef C
#define C 2
#endif
#ifndef N
#define N 3
#endif
#ifndef T
#define T 2
#endif
#ifndef B
#define B 2
#endif
#ifndef DYNAMIC
#define DYNAMIC 0
#endif
#ifndef STOP
#define STOP 0
#endif
#ifndef KNOWN
#define KNOWN 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

/* cells of the memory */
#define DONE(i) (i)
#define CLAIMED C
#define FLAG (C + 1)
#define TAKEN (C + 2)
#define HEAD (C + 3)
#define OVER (C + 4)
#define MARK (C + 5)
#define ENDING (C + 6)
#define LAST (C + 7)
#define CELLS (C + 8)

byte memory[CELLS];
byte stores[T], at[T * B], kept[T * B]; /* of each thread, the oldest first; else 0 */
bit closed, stopped;

/* what the assertions know */
byte number[C], published, windows[2], home;
bit busy[C], over, known;
byte outcome;        /* of the first that didn't say PSTK_AGAIN, as published */
byte returned[N];    /* of each firing */
byte next[2];        /* guarded by the claim: of each port */
byte window[2 * C];  /* of each slot and port, + 1; 0: off */

#define QUEUED(t, i, cell) (stores[t] > (i) && at[(t) * B + (i)] == (cell))
#if B == 1
#define OWN_STORE(t, cell) QUEUED(t, 0, cell)
#define LOAD(t, cell) (QUEUED(t, 0, cell) -> kept[(t) * B] : memory[cell])
#elif B == 2
#define OWN_STORE(t, cell) (QUEUED(t, 0, cell) || QUEUED(t, 1, cell))
#define LOAD(t, cell) \
	(QUEUED(t, 1, cell) -> kept[(t) * B + 1] : (QUEUED(t, 0, cell) -> kept[(t) * B] : memory[cell]))
#else
#define OWN_STORE(t, cell) (QUEUED(t, 0, cell) || QUEUED(t, 1, cell) || QUEUED(t, 2, cell))
#define LOAD(t, cell) \
	(QUEUED(t, 2, cell) -> kept[(t) * B + 2] : \
	(QUEUED(t, 1, cell) -> kept[(t) * B + 1] : (QUEUED(t, 0, cell) -> kept[(t) * B] : memory[cell])))
#endif

inline store(cell, what)
{
	d_step {
		stores[me] < B;
		kept[me * B + stores[me]] = what;
		at[me * B + stores[me]] = cell;
		stores[me]++
	}
}

#define FENCE stores[me] == 0

proctype buffer(byte me)
{
	byte i;
end:
	do
	:: d_step {
		stores[me] ->
		memory[at[me * B]] = kept[me * B];
		stores[me]--;
		for (i : 0 .. B - 2) {
			at[me * B + i] = at[me * B + i + 1];
			kept[me * B + i] = kept[me * B + i + 1]
		}
		at[me * B + B - 1] = 0;
		kept[me * B + B - 1] = 0;
		i = 0
	}
	od
}

#if FAULT == 9
#define SLOTS (C + 1)
#else
#define SLOTS C
#endif
#define FREE (LOAD(me, TAKEN) < LOAD(me, HEAD) + SLOTS)
#if FAULT == 15
#define ENDS (stopped || LOAD(me, OVER) || LOAD(me, TAKEN) == N)
#else
#define ENDS (stopped || LOAD(me, OVER) || LOAD(me, LAST) || LOAD(me, TAKEN) == N)
#endif
#if FAULT == 4
#define THROUGH 1
#else
#define THROUGH (LOAD(me, HEAD) == LOAD(me, TAKEN))
#endif
/* what fire_aside() looks at */
#define TO_END (LOAD(me, OVER) || LOAD(me, ENDING))
#define PEEK (LOAD(me, MARK) || !LOAD(me, ENDING) && !LOAD(me, LAST) && FREE)

/* Under the claim. */
inline take()
{
	d_step {
		firing = LOAD(me, TAKEN);
		slot = firing % C;
		assert(!closed && !busy[slot] && !known);
		busy[slot] = 1;
		number[slot] = firing
	}
#if DYNAMIC
	f = 0;
	do
	:: f < 2 && FAULT == 11 -> window[2 * slot + f] = firing + 1; f++
	:: f < 2 && FAULT != 11 -> d_step { next[f]++; window[2 * slot + f] = next[f]; f++ }
	:: f < 2 -> f++
	:: f == 2 -> break
	od;
	f = 0;
#endif
#if KNOWN
	if
	:: d_step { last = 1; known = 1 }
		store(LAST, 1)
	:: skip
	fi;
#endif
	store(TAKEN, firing + 1)
}

/* Firing number `head`, or what the fault publishes instead. */
inline publish()
{
	d_step {
		assert(!closed && busy[i] && number[i] == published && LOAD(me, OVER) == over);
		published++;
		result = LOAD(me, DONE(i)) - 1;
#if DYNAMIC
		if
		:: window[2 * i] && !over -> windows[0]++; assert(window[2 * i] == windows[0])
		:: else
		fi;
		if
		:: window[2 * i + 1] && !over -> windows[1]++; assert(window[2 * i + 1] == windows[1])
		:: else
		fi;
		window[2 * i] = 0;
		window[2 * i + 1] = 0;
#endif
		assert(result == returned[number[i]]);
		outcome = (over -> outcome : result);
		over = over || result;
		busy[i] = 0;
		number[i] = 0
	}
}

inline set_over()
{
	if
	:: result -> store(OVER, 1)
	:: !result
	fi
}

/* With the flag: whatever is done, from the head on. */
inline publish_all()
{
	do
	:: atomic { LOAD(me, DONE(LOAD(me, HEAD) % C)) -> head = LOAD(me, HEAD); i = head % C }
		publish();
		set_over();
#if FAULT == 7
		store(HEAD, head + 1);
		store(DONE(i), 0);
#else
		store(DONE(i), 0);
		store(HEAD, head + 1);
#endif
		d_step { head = 0; i = 0; result = 0 }
#if FAULT == 3
	:: atomic { LOAD(me, DONE(0)) -> head = LOAD(me, HEAD); i = 0 }
		publish();
		store(DONE(i), 0);
		store(HEAD, head + 1)
#endif
	:: !LOAD(me, DONE(LOAD(me, HEAD) % C)) -> break
	od
}

/* Nothing in flight and nothing to come: a thread is to close the actor. */
inline mark()
{
	if
	:: TO_END && THROUGH && FAULT != 10 ->
#if FAULT == 8
		closed = 1
#else
		store(MARK, 1)
#endif
	:: !(TO_END && THROUGH && FAULT != 10)
	fi
}

inline try_flag()
{
	atomic {
		!OWN_STORE(me, FLAG);
		mine = !memory[FLAG];
		memory[FLAG] = 1
	}
}

inline finish()
{
	do
	:: mine ->
		publish_all();
#if FAULT == 12
		mark();
#endif
		store(FLAG, 0);
#if FAULT != 6
		FENCE;
#endif
#if FAULT != 12
		mark();
#endif
		mine = 0;
		if
		:: LOAD(me, DONE(LOAD(me, HEAD) % C)) && FAULT != 1 -> try_flag()
		:: !(LOAD(me, DONE(LOAD(me, HEAD) % C)) && FAULT != 1) -> break
		fi
	:: !mine -> break
	od
}

proctype thread(byte me)
{
	byte firing, slot, i, head, result, f;
	bit mine, x, last;

	do
	:: closed -> break
	:: !closed && PEEK ->
		atomic {
			!OWN_STORE(me, CLAIMED);
			mine = !memory[CLAIMED];
			memory[CLAIMED] = 1
		}
		if
		:: !mine
		:: mine ->
			mine = 0;
			d_step { !OWN_STORE(me, MARK) -> memory[MARK] = 0 }
			if
			:: ENDS ->
#if FAULT == 13
				x = THROUGH;
				store(ENDING, 1);
#else
				store(ENDING, 1);
#if FAULT != 14
				FENCE;
#endif
				x = THROUGH;
#endif
				if
				:: x -> closed = 1; break
				:: !x -> store(CLAIMED, 0)
				fi
			:: !ENDS && !FREE -> store(CLAIMED, 0)
			:: !ENDS && FREE ->
				take();
				store(CLAIMED, 0);
				/* fire() */
				if
				:: !last -> result = 0
				:: result = 1
				:: result = 2
				fi;
				returned[firing] = result;
#if FAULT == 2
				try_flag();
				store(DONE(slot), 1 + result);
#else
				store(DONE(slot), 1 + result);
#if FAULT != 5
				FENCE;
#endif
				try_flag();
#endif
				d_step { firing = 0; slot = 0; result = 0; last = 0 }
				finish()
			fi
		fi
	od;
	home++
}

#if STOP
proctype user()
{
	stopped = 1;
	memory[MARK] = 1
}
#endif

init {
	byte j;

	atomic {
		for (j : 0 .. T - 1) {
			run thread(j);
			run buffer(j)
		}
#if STOP
		run user();
#endif
		j = 0
	}
	home == T;
	d_step {
		j = 0;
		do
		:: j < N && !returned[j] -> j++
		:: else -> break
		od;
		assert(!busy[0] && !busy[1]);
		assert(outcome == (j < N -> returned[j] : 0));
		assert(published > j || j == N && (published == N || STOP));
		j = 0
	}
}
