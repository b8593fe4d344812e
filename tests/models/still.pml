/* SPDX-License-Identifier: MIT */
/*
 * A deadlock over hosts: each rank tells rank 0 when it stands still, and rank 0 asks all of them once more.
 *
 * What stands for what (lib/run/standstill.c, lib/schedule/still.c, lib/remote/rests.c):
 *
 *   actor(i)            the only actor of rank i. It reads channel i - 1 and writes channel i: a ring
 *   s_.., r_..          a channel's counters at the sender's and the receiver's rank, as in remote.pml. Channel 0 has D
 *                       delay tokens, at the reader. A window leaves the sender's FIFO when it is sent
 *   data, ctl, final    messages between the remote threads: windows or the end, credits or UNWANTED, LAST
 *   remote(i)           the remote thread: what has come, what may go, what is to be told, in any order
 *   STILL(i)            ps_still_look(), ps_remote_rests(): while the actor is held, in the remote thread. So it is one
 *                       step
 *   activity            the sum of all counters of a rank, which only grow
 *   told, owes, round   ps_standstill_look(), ps_standstill_hear()
 *
 * N[i]: firings after which the actor ends. LOSE: that firing of actor 1 writes nothing (its port is off); 0: none. The
 * ring is dead after it.
 *
 * BALK=1: each rank once can't hold its actor when it is asked.
 *
 * When rank 0 says "dead", no actor can go on and nothing is on its way. All get to their end: a deadlock is always
 * found.
 *
 * FAULT: 1 one round only  2 the second round compares messages, but not the activity  3 messages sent and come are not
 *        compared  4 credits are not compared  5 a rank stands still though its remote thread has something to do
 *        6 an actor that fires counts as one that waits  7 a rank that does not stand still when asked does not tell
 *        again  8 a rank that is asked answers what it has told before  9 actors that have ended count, though their
 *        ports are still open  10 a network without actors that wait is dead, too
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef K
#define K 1
#endif
#ifndef D
#define D 1
#endif
#ifndef N0
#define N0 2
#endif
#ifndef N1
#define N1 2
#endif
#ifndef LOSE
#define LOSE 0
#endif
#ifndef BALK
#define BALK 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define UNKNOWN 255
#define PREV(i) (((i) + RANKS - 1) % RANKS)
#define FIRINGS(i) ((i) == 1 -> N1 : N0)
#define DELAY(c) ((c) == 0 -> D : 0)

byte fired[RANKS];
bit waits[RANKS], ended[RANKS];

byte s_written[RANKS], s_sent[RANKS], s_credits[RANKS];
bit s_closed[RANKS], s_discards[RANKS], s_done[RANKS], s_tells_last[RANKS];
byte r_posted[RANKS], r_told[RANKS], r_got[RANKS], r_read[RANKS], r_last[RANKS] = UNKNOWN;
bit r_closed[RANKS], r_discards[RANKS], r_done[RANKS], r_told_unwanted[RANKS];

chan data[RANKS] = [K] of { bit };      /* 1: a window, 0: the end */
chan ctl[RANKS] = [1] of { byte, bit }; /* credits so far, UNWANTED */
chan final[RANKS] = [1] of { byte };    /* messages in all */

typedef report {
	byte activity, sent, got, told, credits;
	bit waits
};
/* Between rank 0 and the others. The round that is answered, 0: none; does it stand still; the report */
chan says[RANKS] = [1] of { byte, bit, byte, byte, byte, byte, byte, bit };
chan asks[RANKS] = [1] of { byte };

/* What rank 0 keeps of all ranks */
report latest[RANKS];
bit known[RANKS], answered[RANKS], to_ask[RANKS], asking;
byte round;

bit dead;
byte live = RANKS;

/*
 * What may go on.
 */

#define ROOM(c) (s_discards[c] || s_written[c] < s_sent[c] + K)
#define WINDOW(c) (r_got[c] + DELAY(c) > r_read[c])
#define IN_OVER(c) (r_closed[c] && !WINDOW(c))
#define MAY_FIRE(i) (WINDOW(PREV(i)) && ROOM(i))
#define ENDS(i) (IN_OVER(PREV(i)) || s_discards[i])
#define CLOSED(i) (s_closed[i] && r_discards[PREV(i)])

#define MAY_SEND(c) (!s_done[c] && s_sent[c] < s_credits[c] && (s_written[c] > s_sent[c] || s_closed[c]))
#define MAY_POST(c) (!r_done[c] && !r_discards[c] && r_posted[c] < r_got[c] + K && r_posted[c] < r_read[c] + K)
#define HAS_NEWS(c) (!r_done[c] && (r_told[c] < r_posted[c] || r_discards[c] && !r_told_unwanted[c]))
/* it is told that nothing is wanted, or will be told the last message: that goes on by itself */
#define ENDING(c) (!r_done[c] && r_discards[c])
#define RESTS(i) (!MAY_SEND(i) && !s_tells_last[i] && \
	!MAY_POST(PREV(i)) && !HAS_NEWS(PREV(i)) && !ENDING(PREV(i)))

#if FAULT == 6
#define WAITS(i) (!ended[i])
#else
#define WAITS(i) (waits[i] && !MAY_FIRE(i) && !ENDS(i))
#endif
#if FAULT == 9
#define STANDS(i) (ended[i] || WAITS(i))
#else
#define STANDS(i) (ended[i] && CLOSED(i) || WAITS(i))
#endif
#if FAULT == 5
#define STILL(i) STANDS(i)
#else
#define STILL(i) (STANDS(i) && RESTS(i))
#endif

#define EMPTY(c) (empty(data[c]) && empty(ctl[c]) && empty(final[c]))
#define TRULY(i) ((ended[i] && CLOSED(i) || waits[i] && !MAY_FIRE(i) && !ENDS(i)) && RESTS(i) && EMPTY(i))
#if RANKS == 3
#define ALL(what) (what(0) && what(1) && what(2))
#define SUM(member) (latest[0].member + latest[1].member + latest[2].member)
#define ANY_WAITS (!ended[0] || !ended[1] || !ended[2])
#else
#define ALL(what) (what(0) && what(1))
#define SUM(member) (latest[0].member + latest[1].member)
#define ANY_WAITS (!ended[0] || !ended[1])
#endif

#define ACTIVITY(i) (fired[i] + ended[i] + s_written[i] + s_sent[i] + s_credits[i] + s_closed[i] + s_discards[i] + \
	s_done[i] + r_posted[PREV(i)] + r_told[PREV(i)] + r_got[PREV(i)] + r_read[PREV(i)] + r_closed[PREV(i)] + \
	r_discards[PREV(i)] + r_done[PREV(i)] + r_told_unwanted[PREV(i)])

/*
 * The network.
 */

proctype actor(byte i)
{
	do
	:: dead || fired[i] == FIRINGS(i) -> break
	:: else ->
		waits[i] = 1;
		if
		:: dead || ENDS(i) -> waits[i] = 0; break
		:: atomic { !ENDS(i) && MAY_FIRE(i) -> waits[i] = 0 }
		fi;
		d_step {
			fired[i]++;
			if
			:: s_discards[i] || LOSE && i == 1 && fired[i] == LOSE
			:: else -> s_written[i]++
			fi
		}
		r_read[PREV(i)]++
	od;
	ended[i] = 1;
	r_discards[PREV(i)] = 1;
	d_step { s_closed[i] = 1; live-- }
}

/*
 * Rank 0's part: ps_standstill_hear().
 */

#if FAULT == 3
#define MATCH 1
#elif FAULT == 4
#define MATCH (SUM(sent) == SUM(got))
#else
#define MATCH (SUM(sent) == SUM(got) && SUM(told) == SUM(credits))
#endif
#if FAULT == 10
#define ANYONE 1
#else
#define ANYONE SUM(waits)
#endif
#define EQUAL(r) (known[r] && latest[r].activity == x.activity && latest[r].sent == x.sent && \
	latest[r].got == x.got && latest[r].told == x.told && latest[r].credits == x.credits && \
	latest[r].waits == x.waits)
#if FAULT == 2
#define SAME(r) (known[r] && latest[r].sent == x.sent && latest[r].got == x.got && latest[r].told == x.told && \
	latest[r].credits == x.credits)
#else
#define SAME(r) EQUAL(r)
#endif
#define KNOWN(r) known[r]
#define ANSWERED(r) answered[r]

/* Rank r has told x, an answer to round owes, or of its own accord. */
inline hear(r)
{
	if
	:: still && asking && owes == round && SAME(r) -> answered[r] = 1
	:: still && !(asking && owes == round && SAME(r)) -> asking = asking && EQUAL(r); known[r] = 1
	:: !still -> asking = 0; known[r] = 0
	fi;
	latest[r].activity = x.activity;
	latest[r].sent = x.sent;
	latest[r].got = x.got;
	latest[r].told = x.told;
	latest[r].credits = x.credits;
	latest[r].waits = x.waits;
	owes = 0;
	if
	:: asking && ALL(ANSWERED) ->
		assert(ALL(TRULY) && ANY_WAITS);
		dead = 1
	:: !asking && ALL(KNOWN) && MATCH && ANYONE ->
#if FAULT == 1
		assert(ALL(TRULY) && ANY_WAITS);
		dead = 1
#else
		asking = 1;
		round++;
		for (n : 0 .. RANKS - 1) {
			answered[n] = 0;
			to_ask[n] = 1
		}
		to_ask[0] = 0;
		n = 0;
		owes0 = round
#endif
	:: else
	fi
}

/*
 * The remote thread. What belongs to rank i is channel i's sender and the receiver of the one before.
 */

inline read_counters()
{
	x.activity = ACTIVITY(i);
	x.sent = s_sent[i];
	x.got = r_got[PREV(i)] + r_closed[PREV(i)];
	x.told = r_told[PREV(i)];
	x.credits = s_credits[i];
	x.waits = !ended[i]
}

inline forget()
{
	x.activity = 0;
	x.sent = 0;
	x.got = 0;
	x.told = 0;
	x.credits = 0;
	x.waits = 0;
	still = 0
}

inline tell()
{
	if
	:: i == 0 -> hear(0); owes = owes0; owes0 = 0
	:: else -> says[i]!owes, still, x.activity, x.sent, x.got, x.told, x.credits, x.waits; owes = 0
	fi
}

proctype remote(byte i)
{
	report x;
	byte owes, owes0, last, n;
	bit still, told, flag, balked;

	do
	:: atomic { dead || !live && s_done[i] && !s_tells_last[i] && r_done[PREV(i)] -> break }
	/* does the rank stand still? */
	:: d_step { i && asks[i]?[owes] -> asks[i]?owes }
	:: d_step {
		nfull(says[i]) && (owes || STILL(i) && !(told && last == ACTIVITY(i))) ->
#if FAULT == 8
		if
		:: owes && told -> still = 1
		:: else -> read_counters(); still = STILL(i)
		fi;
#else
		read_counters();
		still = STILL(i);
#endif
		told = still;
		last = (still -> x.activity : 0);
		tell();
#if FAULT != 8
		forget()
#endif
	}
#if BALK
	:: d_step {
		nfull(says[i]) && owes && !balked ->
		balked = 1;
		still = 0;
		tell();
#if FAULT != 7
		told = 0;
		last = 0
#endif
	}
#endif
	/* rank 0 */
	:: d_step { i == 0 && to_ask[1] && nfull(asks[1]) -> asks[1]!round; to_ask[1] = 0 }
	:: d_step {
		i == 0 && nempty(says[1]) ->
		owes0 = owes;
		says[1]?owes, still, x.activity, x.sent, x.got, x.told, x.credits, x.waits;
		hear(1);
		owes = owes0;
		owes0 = 0;
		forget()
	}
#if RANKS == 3
	:: d_step { i == 0 && to_ask[2] && nfull(asks[2]) -> asks[2]!round; to_ask[2] = 0 }
	:: d_step {
		i == 0 && nempty(says[2]) ->
		owes0 = owes;
		says[2]?owes, still, x.activity, x.sent, x.got, x.told, x.credits, x.waits;
		hear(2);
		owes = owes0;
		owes0 = 0;
		forget()
	}
#endif
	/* what has come */
	:: d_step {
		data[PREV(i)]?flag ->
		if
		:: flag -> r_got[PREV(i)]++
		:: else -> r_closed[PREV(i)] = 1; r_done[PREV(i)] = 1
		fi;
		r_done[PREV(i)] = r_done[PREV(i)] || r_got[PREV(i)] == r_last[PREV(i)];
		flag = 0
	}
	:: d_step {
		ctl[i]?n, flag ->
		s_credits[i] = n;
		s_tells_last[i] = flag && !s_done[i];
		s_done[i] = s_done[i] || flag;
		n = 0;
		flag = 0
	}
	:: d_step {
		final[PREV(i)]?n ->
		r_last[PREV(i)] = n;
		r_done[PREV(i)] = r_got[PREV(i)] == n;
		n = 0
	}
	/* what may go */
	:: d_step {
		MAY_SEND(i) ->
		if
		:: s_written[i] > s_sent[i] -> data[i]!1
		:: else -> data[i]!0; s_done[i] = 1
		fi;
		s_sent[i]++
	}
	:: d_step { MAY_POST(PREV(i)) -> r_posted[PREV(i)]++ }
	/* what is to be told */
	:: d_step {
		HAS_NEWS(PREV(i)) && nfull(ctl[PREV(i)]) ->
		r_told[PREV(i)] = r_posted[PREV(i)];
		r_told_unwanted[PREV(i)] = r_discards[PREV(i)];
		ctl[PREV(i)]!r_told[PREV(i)], r_told_unwanted[PREV(i)]
	}
	:: d_step { s_tells_last[i] -> s_tells_last[i] = 0; s_discards[i] = 1; final[i]!s_sent[i] }
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. RANKS - 1) {
			run actor(i);
			run remote(i)
		}
		i = 0
	}
	_nr_pr == 1;
	assert(dead == (D == 0 || LOSE))
}
