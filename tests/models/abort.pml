/* SPDX-License-Identifier: MIT */
/*
 * The end of a network over RANKS processes: how a failure of one reaches the others before what it looks like.
 *
 *	rank 0: writer ==> rank 1: reader
 *	rank 0: writer ==> rank 1: relay ==> rank 2: reader
 *
 * What stands for what (lib/remote/sending.c, receiving.c, control.c, fault.c; lib/run/hosts.c):
 *
 *   failed       the network of a rank has failed: set before any of its actors closes an end
 *   out, in      how an actor has closed its writer's and its reader's end: by itself, or because of a failure here. It
 *                also closes them by itself when the other end says so: the stream's end, nothing more is wanted
 *   aborts       the remote's: this rank is over without its end. Set by a look behind one that found an end closed
 *                (over()), by the watcher, or by another rank's message
 *   words        control messages from rank to rank, in order: ABORT, UNWANTED, LAST, DONE
 *   ended        the stream's last message
 *
 * Windows and credits are remote.pml's. FAILS: the rank that may fail at any time.
 *
 * No rank takes a failure for the end of a stream, or for a reader that has ended, if it has not heard of the failure
 * before. All ranks get to their end, and nothing is left posted: a sender has told its last message, or its receiver
 * has heard LAST.
 *
 * FAULT: 1 asks whether it is over before the look  2 says that nothing is wanted before the abort  3 a sender that is
 *        over tells the stream's end  4 a receiver that is over waits for its readers' ends only  5 a rank is done
 *        before its channels are
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef FAILS
#define FAILS 1
#endif
#ifndef FAULT
#define FAULT 0
#endif

mtype = { ABORT, UNWANTED, LAST, DONE };

/* how an end was closed */
#define OPEN 0
#define RIGHTLY 1
#define WRONGLY 2

bit failed[RANKS], aborts[RANKS];
byte out[RANKS], in[RANKS];  /* of this rank's actor */
bit ended[RANKS];            /* of the stream that leads here: its last message has come */
bit unwanted[RANKS];         /* this rank's writer is told */
chan words[RANKS * RANKS] = [4] of { mtype }; /* from * RANKS + to */
bit settled[RANKS];

#define HAS_OUT(r) ((r) < RANKS - 1)
#define HAS_IN(r) ((r) > 0)

/* The actor: ends by itself at any time if it is the writer, or the reader; else when its streams do. */
proctype actor(byte r)
{
	bit wrongly;

	if
	:: r == 0 || r == RANKS - 1 -> skip /* by itself */
	:: HAS_IN(r) && ended[r] -> skip
	:: HAS_OUT(r) && unwanted[r] -> skip
	:: failed[r] -> wrongly = 1
	:: r == FAILS -> failed[r] = 1; wrongly = 1
	fi;
	/* it closes its ports one after the other; whatever it has read counts as seen in order */
	if
	:: HAS_OUT(r) -> out[r] = RIGHTLY + wrongly
	:: else
	fi;
	if
	:: HAS_IN(r) -> in[r] = RIGHTLY + wrongly
	:: else
	fi
}

/* Any thread: the rank fails, though its actor may have ended rightly. */
proctype failure(byte r)
{
	if
	:: failed[r] = 1
	:: skip
	fi
}

#define SAY(to, what) words[r * RANKS + (to)]!what

inline look_over()
{
	if
	:: failed[r] && !aborts[r] -> aborts[r] = 1
	:: else
	fi
}

/* Before anything else is said to a rank, it is told of an abort. */
inline tell_abort(to)
{
	if
	:: aborts[r] && !told[to] && (to) != r -> told[to] = 1; SAY(to, ABORT)
	:: else
	fi
}

inline heed(from)
{
	if
	:: what == ABORT -> failed[r] = 1; heard = 1; aborts[r] = 1
	:: what == UNWANTED ->
		/* an end that a failure has closed is heard of behind the failure */
		assert(in[from] != WRONGLY || heard);
		if
		:: !sent_end -> unwanted[r] = 1; says_last = 1; sent_end = 1
		:: else
		fi
	:: what == LAST -> last = 1
	:: what == DONE -> dones++
	fi
}

inline hear(from)
{
	if
	:: (from) != r ->
		if
		:: words[(from) * RANKS + r]?what -> heed(from)
		:: empty(words[(from) * RANKS + r])
		fi
	:: else
	fi
}

proctype remote(byte r)
{
	mtype what;
	bit told[RANKS], heard, sent_end, says_last, last, told_unwanted, done;
	bit sender_done = !HAS_OUT(r), receiver_done = !HAS_IN(r);
	byte dones, closed_out, closed_in;

	do
	:: settled[r] -> break
	:: else ->
		d_step {
			hear(0);
			hear(1);
#if RANKS > 2
			hear(2);
#endif
		}
#if FAULT == 1
		look_over();
#endif
		closed_out = out[r];
		d_step {
#if FAULT != 1
			look_over(); /* behind the look */
#endif
			if
			:: HAS_OUT(r) && !sent_end && closed_out != OPEN && (!aborts[r] || FAULT == 3) ->
				assert(closed_out == RIGHTLY);
				sent_end = 1;
				sender_done = 1;
				ended[r + 1] = 1
			:: else
			fi;
			receiver_done = receiver_done || ended[r] || last
		}
		closed_in = in[r];
		d_step {
#if FAULT != 1
			look_over();
#endif
			if
#if FAULT == 4
			:: HAS_IN(r) && !receiver_done && !told_unwanted && closed_in == RIGHTLY ->
#else
			:: HAS_IN(r) && !receiver_done && !told_unwanted && (closed_in != OPEN || aborts[r]) ->
#endif
				told_unwanted = 1;
#if FAULT == 2
				SAY(r - 1, UNWANTED);
				tell_abort(r - 1)
#else
				tell_abort(r - 1);
				SAY(r - 1, UNWANTED)
#endif
			:: else
			fi;
			tell_abort(0);
			tell_abort(1);
#if RANKS > 2
			tell_abort(2);
#endif
			if
			:: says_last -> says_last = 0; sender_done = 1; SAY(r + 1, LAST)
			:: else
			fi;
			if
			:: !done && (sender_done && receiver_done || FAULT == 5) ->
				done = 1;
				SAY((r + 1) % RANKS, DONE);
#if RANKS > 2
				SAY((r + 2) % RANKS, DONE)
#endif
			:: else
			fi
		}
		if
		:: done && dones == RANKS - 1 ->
			assert(sender_done && receiver_done && (sent_end || !HAS_OUT(r)));
			settled[r] = 1
		:: else ->
			/* until something comes, an end is closed, or the watcher wakes it */
			(nempty(words[r]) || nempty(words[RANKS + r]) ||
				(RANKS > 2 && nempty(words[(RANKS - 1) * RANKS + r])) ||
				(HAS_OUT(r) && !sent_end && out[r] != OPEN && !aborts[r]) ||
				(HAS_IN(r) && !receiver_done && (ended[r] || last)) ||
				(HAS_IN(r) && !receiver_done && !told_unwanted && in[r] != OPEN && FAULT != 4) ||
				(failed[r] && !aborts[r]));
			look_over()
		fi
	od
}

init {
	atomic {
		byte i;
		for (i : 0 .. RANKS - 1) {
			run actor(i);
			run remote(i)
		}
		run failure(FAILS)
	}
}
