/* SPDX-License-Identifier: MIT */
/*
 * A channel between two processes: windows, credits, the end of the stream, a reader that ends early.
 *
 *	writer --> [ K windows ] --> sender ==data==> receiver --> [ K windows ] --> reader
 *	                                    <==ctl===
 *	                                    ==final=>
 *
 * What stands for what (lib/remote/sending.c, receiving.c, control.c):
 *
 *   s_cell, r_cell      the windows of both FIFOs: what they hold, the token's number + 1
 *   flying              a send from that window is not through
 *   s_written, s_freed, s_closed, s_discards    the counters of the sender's FIFO, r_.. those of the receiver's. That
 *                       their ends wait for them rightly is what fifo.pml and wake.pml show: here it is a guard
 *   sender, receiver    the remote threads: one round is what has come, then windows, then what is to be told. They
 *                       look at the transport without being told (test()), at their FIFOs only when they are told:
 *                       the sleep's time limit is left out. stale_s, stale_r: their eventcounts
 *   sent, carried, through    data messages posted, arrived, told to the sender. Message n is window n: whole, or the
 *                       last one and partly filled (PARTLY=1); or it is the one behind the last window, without tokens
 *   ctl                 running totals from receiver to sender, any time later; acked: as many are known to be read
 *
 * EARLY=1: the reader may end at any time. CONTROLS: control messages at once. N windows.
 *
 * A message always has its receive. No window is written that is sent from, or read. The reader finds each token, in
 * order, until it ends. All get to their end, and nothing is posted then.
 *
 * FAULT: 1 sends without a credit  2 the credit is told before the receive is posted  3 a window is freed when its send
 *        is posted  4 the end goes beside the windows  5 a receive without room  6 a reader that has ended frees the
 *        windows that are on their way  7 the sender does not say how many it has sent  8 receives are cancelled when
 *        the reader ends  9 the eventcount is read after the look  10 the reader's end does not notify  11 the sender
 *        says how many are through  12 control messages without looking at what is acknowledged  13 the end takes no
 *        credit  14 the writer does not notify
 */
#ifndef K
#define K 2
#endif
#ifndef N
#define N 3
#endif
#ifndef PARTLY
#define PARTLY 0
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef CONTROLS
#define CONTROLS 1
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define UNKNOWN 255
#define IS_WINDOW(n) ((n) < N)
#define IS_LAST(n) ((n) == N - PARTLY)

byte s_cell[K], r_cell[K];
bit flying[K], held[K];
byte s_written, s_freed, r_written, r_read;
bit s_closed, s_discards, r_closed, r_discards;

byte sent, carried, through, r_posted;
bit cancelled;
chan ctl = [CONTROLS + 1] of { byte, bit };
byte ctl_sent, ctl_read, ctl_acked;
chan final = [1] of { byte };
bit stale_s, stale_r;

proctype writer()
{
	byte w;

	do
	:: w < N && (w < s_freed + K || s_discards) ->
		d_step { assert(!flying[w % K]); s_cell[w % K] = 0 }
		d_step { assert(!flying[w % K]); s_cell[w % K] = w + 1 }
		d_step {
			s_written = s_written + !s_discards;
			s_closed = PARTLY && w == N - 1;
			w++
		}
#if FAULT != 14
		stale_s = 1
#endif
	:: w == N -> break
	od;
	s_closed = 1;
	stale_s = 1
}

proctype reader()
{
	byte j;

	do
	:: r_written > j ->
		d_step { assert(r_cell[j % K] == j + 1); held[j % K] = 1 }
		d_step { assert(r_cell[j % K] == j + 1); held[j % K] = 0; j++ }
		r_read = j;
		stale_r = 1
	:: atomic { r_closed && r_written == j -> break }
#if EARLY
	:: break
#endif
	od;
#if !EARLY
	assert(j == N);
#endif
	r_discards = 1;
#if FAULT != 10
	stale_r = 1;
#endif
	j = 0
}

/* The transport. */
proctype carrier()
{
end:
	do
	:: d_step {
		carried < sent ->
		if
		:: IS_WINDOW(carried) ->
			assert(s_cell[carried % K] == carried + 1 && !held[carried % K]);
			r_cell[carried % K] = carried + 1
		:: else
		fi;
		carried++
	}
	:: through < carried -> through++
	od
}

/* A message: its receive is there, and is not cancelled. */
inline post_send()
{
	assert(sent < r_posted && !cancelled);
	flying[sent % K] = IS_WINDOW(sent);
	over = IS_LAST(sent);
	sent++;
	moved = 1
}

#if FAULT == 1
#define HAS_CREDIT 1
#elif FAULT == 13
#define HAS_CREDIT (sent < credits || sent == N)
#else
#define HAS_CREDIT (sent < credits)
#endif

proctype sender()
{
	byte credits, freed, total;
	bit over, moved, discard;

	do
	::
#if FAULT != 9
		stale_s = 0;
#endif
		moved = 0;
		if
		:: ctl?total, discard ->
			d_step { credits = total; ctl_read++; moved = 1 } /* posted again, then acknowledged */
			if
			:: discard && !over ->
				over = 1;
#if FAULT == 11
				final!through;
#elif FAULT != 7
				final!sent;
#endif
#if FAULT == 6
				s_discards = 1;
#endif
			:: else
			fi
		:: empty(ctl)
		fi;
		if
		:: atomic {
			freed < through ->
			flying[freed % K] = 0;
#if FAULT != 3
			s_freed = s_freed + IS_WINDOW(freed);
#endif
			freed++;
			moved = 1
		}
		:: freed >= through
		fi;
		if
		:: atomic {
			!over && sent < freed + K && HAS_CREDIT && (sent < s_written || s_closed) ->
#if FAULT == 3
			s_freed = s_freed + IS_WINDOW(sent);
#endif
			post_send()
		}
		:: else
		fi;
#if FAULT == 4
		if
		:: atomic { !over && s_closed && sent == s_written -> over = 1; final!sent }
		:: else
		fi;
#endif
#if FAULT == 9
		stale_s = 0;
#endif
		if
		:: over && freed == sent -> break
		:: else -> moved || stale_s || nempty(ctl) || freed < through
		fi
	od;
	s_discards = 1;
	freed = 0
}

proctype receiver()
{
	byte got, told, last = UNKNOWN;
	bit moved, ends, told_end;

	do
	::
		stale_r = 0;
		moved = 0;
		if
		:: atomic {
			got < carried ->
			r_written = r_written + IS_WINDOW(got);
			if
			:: IS_LAST(got) -> r_closed = 1; last = got + 1
			:: else
			fi;
			got++;
			moved = 1
		}
		:: got >= carried
		fi;
		if
		:: final?last ->
			moved = 1;
#if FAULT == 4
			r_closed = 1
#endif
		:: empty(final)
		fi;
		ends = r_discards;
#if FAULT == 2
		if
		:: ctl_sent < CONTROLS + ctl_acked && r_posted < r_read + K -> ctl!r_posted + 1, 0; ctl_sent++
		:: else
		fi;
#endif
		if
		:: atomic {
			last == UNKNOWN && !ends && r_posted < got + K &&
#if FAULT == 5
				r_posted < r_read + K + 1 ->
#else
				r_posted < r_read + K ->
#endif
			assert(!held[r_posted % K]);
			r_cell[r_posted % K] = 0;
			r_posted++;
			moved = 1
		}
		:: else
		fi;
		ctl_acked = ctl_read;
		if
		:: (told < r_posted || ends && !told_end) &&
#if FAULT == 12
			1 ->
#else
			ctl_sent < CONTROLS + ctl_acked ->
#endif
			atomic {
				assert(ctl_sent < CONTROLS + ctl_read);
				told = r_posted;
				told_end = ends;
				ctl_sent++
			}
			ctl!told, told_end
		:: else
		fi;
#if FAULT == 8
		if
		:: ends -> last = got
		:: else
		fi;
#endif
		if
		:: last == got -> break
		:: else -> moved || stale_r || got < carried || nempty(final) || ctl_acked < ctl_read
		fi
	od;
	atomic { assert(carried == sent); cancelled = 1; r_closed = 1 }
	d_step { got = 0; told = 0 }
}

init {
	atomic {
		run carrier();
		run writer();
		run sender();
		run receiver();
		run reader()
	}
}
