/* SPDX-License-Identifier: MIT */
/*
 * An actor that moves between hosts while windows and credits are on their way.
 *
 *	writer 0 --windows--> host 0 --windows--> reader
 *	writer 1 <--credits--   |  ^  <--credits--
 *	                        v  |  state, windows and credits that are passed on
 *	(both writers)        host 1  (the reader)
 *
 * What stands for what (lib/remote):
 *
 *   host                the remote thread of one of the mover's hosts, and the mover itself while it is HERE
 *   at, moved_to        of each host: NOT_YET, the mover has not been there; HERE; GONE, and to which host
 *   moves               moves begun. The mover may move at any boundary, also when it has no window and no credit
 *   firing, credited    what the state message carries, besides the output's unused credits: the mover's firings, and
 *                       how many windows of each input have been asked for. Only the host that has the mover uses them
 *   held                unread windows at a host, by number
 *   may_send            unused credits of the output there, by number
 *   writer              a neighbour in front. It sends window j to the host that credit j has named (asked_by)
 *   reader              the neighbour behind: it takes windows by their number, and sends the credit of each window to
 *                       the host that the newest window has come from
 *   windows, credits, out, out_credits    messages between a neighbour and a host
 *   state, passed, passed_credits    messages from one host to another one
 *
 * The channels are as long as the receives that are posted: K windows of an input, or KR of the output, for each pair
 * of processes. Messages of one kind from one process to another one come in order, others in any order; each comes at
 * any later time.
 * INPUTS: 1, or 2: of the second one the mover reads a window at every other firing (a dynamic port that is mostly
 * off). K windows of each input at the mover, KR at the reader. N firings, MOVES moves, HOSTS hosts, host 0 first.
 *
 * Each window is asked for once, and comes once. The mover and the reader have never more than they have room for, and
 * take all windows in order. No message is without its receive. The reader gets N windows.
 *
 * LAST=1: a credit names no host. A writer sends to the host from which the last credit has come, and the rest is
 * passed on.
 *
 * Left out: errors, control tokens, a reader that ends. The end of a stream is a message behind the last window that
 * needs a credit (remote.pml): it goes the windows' way.
 *
 * FAULT: 1 the old host passes no window on  2 the output's unused credits are not handed over  3 credits that come to
 *        the old host are dropped  4 the reader takes windows as they arrive  5 the new host asks from the first window
 *        on that the mover has not read  6 unread windows stay at the old host  7 what comes before the state is
 *        dropped  8 the old host hands over credits, and keeps them
 */
#ifndef HOSTS
#define HOSTS 2
#endif
#ifndef INPUTS
#define INPUTS 1
#endif
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
#ifndef KR
#define KR 1
#endif
#ifndef MOVES
#define MOVES 2
#endif
#ifndef LAST
#define LAST 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define NOT_YET 0
#define HERE 1
#define GONE 2
#define UNKNOWN 255
#define MOST (N + K + KR + 1)

#define BIT(n) (1 << (n))
/* input i before firing f: the window that it reads next, and whether it reads it */
#define NEXT(i, f) ((i) == 0 -> (f) : ((f) + 1) / 2)
#define READS(i, f) ((i) == 0 || (f) % 2 == 0)
#define WINDOWS(i) NEXT(i, N)

#define OF(i, h) ((i) * HOSTS + (h))
#define PAIR(from, to) ((from) * HOSTS + (to))
#define OF_PAIR(i, from, to) (((i) * HOSTS + (from)) * HOSTS + (to))

byte at[HOSTS], moved_to[HOSTS];
byte moves;
byte firing, credited[INPUTS];
short held[INPUTS * HOSTS], may_send[HOSTS];

chan windows[INPUTS * HOSTS] = [K] of { byte };
chan credits[INPUTS * HOSTS] = [K] of { byte };
chan passed[INPUTS * HOSTS * HOSTS] = [K] of { byte };
chan out[HOSTS] = [KR] of { byte };
chan out_credits[HOSTS] = [KR] of { byte };
chan passed_credits[HOSTS * HOSTS] = [KR] of { byte };
chan state[HOSTS] = [1] of { short };

bit is_through;

inline send(channel, what)
{
	assert(nfull(channel));
	channel!what
}

/* Window j of input i has come to host h. */
inline window_comes(i, h, j)
{
	if
#if FAULT == 1
	:: at[h] == GONE
#else
	:: at[h] == GONE -> send(passed[OF_PAIR(i, h, moved_to[h])], j)
#endif
#if FAULT == 7
	:: at[h] == NOT_YET
	:: at[h] == HERE ->
#else
	:: else ->
#endif
		assert(!(held[OF(i, h)] & BIT(j)));
		assert(at[h] != HERE || j >= NEXT(i, firing) && j < NEXT(i, firing) + K);
		held[OF(i, h)] = held[OF(i, h)] | BIT(j)
	fi
}

inline credit_comes(h, w)
{
	if
#if FAULT == 3
	:: at[h] == GONE
#else
	:: at[h] == GONE -> send(passed_credits[PAIR(h, moved_to[h])], w)
#endif
#if FAULT == 7
	:: at[h] == NOT_YET
	:: at[h] == HERE ->
#else
	:: else ->
#endif
		assert(!(may_send[h] & BIT(w)));
		may_send[h] = may_send[h] | BIT(w)
	fi
}

/* The mover, at host h. */
#define HAS(i, h) (!READS(i, firing) || (held[OF(i, h)] & BIT(NEXT(i, firing))))
#if INPUTS == 2
#define HAS_ALL(h) (HAS(0, h) && HAS(1, h))
#else
#define HAS_ALL(h) HAS(0, h)
#endif

inline ask(i, h)
{
	send(credits[OF(i, h)], credited[i]);
	credited[i]++
}

inline take(i, h)
{
	if
	:: READS(i, firing) -> held[OF(i, h)] = held[OF(i, h)] & ~BIT(NEXT(i, firing))
	:: else
	fi
}

/* Unread windows follow the state. */
inline hand_over(i, h)
{
	j = 0;
	do
	:: j < MOST ->
		if
#if FAULT != 6
		:: held[OF(i, h)] & BIT(j) -> send(passed[OF_PAIR(i, h, moved_to[h])], j)
#endif
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = 0;
	held[OF(i, h)] = 0
}

#define MAY_ASK(i) (at[h] == HERE && credited[i] < NEXT(i, firing) + K && credited[i] < WINDOWS(i))

inline move(h, next)
{
	moves++;
	at[h] = GONE;
	moved_to[h] = next;
#if FAULT == 2
	state[next]!0;
#else
	state[next]!may_send[h];
#endif
#if FAULT != 8
	may_send[h] = 0;
#endif
	hand_over(0, h);
#if INPUTS == 2
	hand_over(1, h)
#endif
}

proctype host(byte h)
{
	byte j;
	short handed;

end:
	do
	:: atomic { windows[OF(0, h)]?j -> window_comes(0, h, j); j = 0 }
	:: atomic { passed[OF_PAIR(0, 0, h)]?j -> window_comes(0, h, j); j = 0 }
	:: atomic { passed[OF_PAIR(0, 1, h)]?j -> window_comes(0, h, j); j = 0 }
	:: atomic { MAY_ASK(0) -> ask(0, h) }
#if INPUTS == 2
	:: atomic { windows[OF(1, h)]?j -> window_comes(1, h, j); j = 0 }
	:: atomic { passed[OF_PAIR(1, 0, h)]?j -> window_comes(1, h, j); j = 0 }
	:: atomic { passed[OF_PAIR(1, 1, h)]?j -> window_comes(1, h, j); j = 0 }
	:: atomic { MAY_ASK(1) -> ask(1, h) }
#endif
	:: atomic { out_credits[h]?j -> credit_comes(h, j); j = 0 }
	:: atomic { passed_credits[PAIR(0, h)]?j -> credit_comes(h, j); j = 0 }
	:: atomic { passed_credits[PAIR(1, h)]?j -> credit_comes(h, j); j = 0 }
#if HOSTS == 3
	:: atomic { passed[OF_PAIR(0, 2, h)]?j -> window_comes(0, h, j); j = 0 }
#if INPUTS == 2
	:: atomic { passed[OF_PAIR(1, 2, h)]?j -> window_comes(1, h, j); j = 0 }
#endif
	:: atomic { passed_credits[PAIR(2, h)]?j -> credit_comes(h, j); j = 0 }
#endif
	:: atomic {
		at[h] == HERE && firing < N && HAS_ALL(h) && (may_send[h] & BIT(firing)) ->
		take(0, h);
#if INPUTS == 2
		take(1, h);
#endif
		may_send[h] = may_send[h] & ~BIT(firing);
		send(out[h], firing);
		firing++
	}
	:: atomic {
		at[h] == HERE && moves < MOVES && firing < N ->
		if
		:: h != 0 -> move(h, 0)
		:: h != 1 -> move(h, 1)
#if HOSTS == 3
		:: h != 2 -> move(h, 2)
#endif
		fi
	}
	:: atomic {
		state[h]?handed ->
		assert(!(may_send[h] & handed));
		may_send[h] = may_send[h] | handed;
		handed = 0;
#if FAULT == 5
		credited[0] = NEXT(0, firing);
#endif
		at[h] = HERE
	}
	od
}

/* Window j has been asked for by host h. */
inline credit_to_writer(i, h)
{
	credits[OF(i, h)]?j;
	assert(asked_by[j] == UNKNOWN);
	asked_by[j] = h;
	last = h;
	j = 0
}

proctype writer(byte i)
{
	byte asked_by[MOST];
	byte w, j, last;

	atomic {
		do
		:: j < MOST -> asked_by[j] = UNKNOWN; j++
		:: else -> break
		od;
		j = 0
	}
	do
	:: atomic { nempty(credits[OF(i, 0)]) -> credit_to_writer(i, 0) }
	:: atomic { nempty(credits[OF(i, 1)]) -> credit_to_writer(i, 1) }
#if HOSTS == 3
	:: atomic { nempty(credits[OF(i, 2)]) -> credit_to_writer(i, 2) }
#endif
	:: atomic {
		w < WINDOWS(i) && asked_by[w] != UNKNOWN ->
#if LAST
		send(windows[OF(i, last)], w);
#else
		send(windows[OF(i, asked_by[w])], w);
#endif
		w++
	}
	:: w == WINDOWS(i) -> break
	od
}

inline window_to_reader(h)
{
	out[h]?j;
#if FAULT == 4
	assert(j == n);
#endif
	assert(!(has & BIT(j)) && j >= n && j < n + KR);
	has = has | BIT(j);
	if
	:: j >= newest -> newest = j; newest_from = h
	:: else
	fi;
	j = 0
}

proctype reader()
{
	byte n, j, newest, newest_from;
	short has;

	atomic {
		do
		:: j < KR -> out_credits[0]!j; j++
		:: else -> break
		od;
		j = 0
	}
	do
	:: atomic { nempty(out[0]) -> window_to_reader(0) }
	:: atomic { nempty(out[1]) -> window_to_reader(1) }
#if HOSTS == 3
	:: atomic { nempty(out[2]) -> window_to_reader(2) }
#endif
	:: atomic {
		has & BIT(n) ->
		has = has & ~BIT(n);
		if
		:: n + KR < N -> send(out_credits[newest_from], n + KR)
		:: else
		fi;
		n++
	}
	:: n == N -> break
	od;
	is_through = 1
}

init {
	atomic {
		at[0] = HERE;
		run host(0);
		run host(1);
#if HOSTS == 3
		run host(2);
#endif
		run writer(0);
#if INPUTS == 2
		run writer(1);
#endif
		run reader()
	}
	is_through;
	assert(firing == N)
}
