/* SPDX-License-Identifier: MIT */
/*
 * Control: a configuration actor c, dynamic actors a, b (and e), conditional FIFOs between them.
 *
 * What stands for what (lib/firing/control.c, lib/firing/firing.c, lib/firing/kahn.c):
 *
 *   c's firing              ps_firing_take(): room in every control FIFO or nothing; ps_firing_publish(): one FIFO
 *                           after the other. KAHN: c is a kahn actor, pstk_fifo_write() to one member, then to the
 *                           other, each with its own wait (ps_kahn_take())
 *   member: take            ps_control_take(): the control token is read, its slot freed (ps_firing_release()) and the
 *                           value obeyed before the member waits for windows; KEEP: the slot is freed with the windows
 *   on()                    obey(), control(): bit v of a port's table says whether the port is on for value v
 *   member: wait            ps_firing_take(): all windows of the ports that are on, or none. That a wait ends when it
 *                           should is what fifo.pml and end.pml show: here it is a guard
 *   member: fire            publish_all(): outputs, then inputs, each a step
 *   the member's ends            PS_FIRING_ENDED: no control token and its FIFO closed; an enabled input closed without
 *                                a window;
 *                           ps_firing_over(): all readers have ended. Then ps_firing_close()
 *   written, read, closed, discards    of each FIFO, in windows; ps_layout_may_write() and ps_layout_valid() as in
 *                                      layout.c
 *
 * FIFOs: 0: a -> b. 1: b -> e and 2: a -> e, with MEMBERS=3; with BACK=1, 2 is e -> a. All have rate R, depth K; delays
 * D0, D1, D2. Tables, one bit a value: S0, T0 of FIFO 0's source and destination, and so on.
 *
 * STREAMS=0: one control group. c's values are chosen freely, one by one, N of them. Tables that agree at both ends
 * (R1) and a delay of at least R on the cycle (R2): it never hangs, no actor starves, and each FIFO whose ends obeyed
 * equally many control tokens ends with the delay tokens it began with, those counted that came after the reader's end
 * and were dropped. (An actor ends when all its readers have, so its last control tokens may go unseen.)
 * STREAMS=1: a and b get independent values (0 and 1; S0 = T0 = 2), all 4^N pairs of sequences. A pair hangs exactly if
 * for some i with i + KAPPA + ADJUST < N a condition fails (doc: (S) starving, (F) full), with A(i), B(i) the ons among
 * the first i:
 *     (S) b_i on:  D0 + R A(min(N, i + KAPPA + ADJUST + DA)) >= R B(i)
 *     (F) a_i on:  D0 + R A(i) - R B(min(N, i + KAPPA + ADJUST + DB)) <= D0 + R K
 * KAHN=1: a's token is written first (DA = 1), KAHN=2: b's (DB = 1), KAHN=0: both at once. KEEP=1: ADJUST = -1.
 *
 * The end is looked at when nothing can move any more (timeout), so pan runs with -E: a state in which all wait is an
 * end state, and the monitor says whether it was to be one.
 * FAULT: 1 one entry of b's table differs
 *        2 the slot is freed with the windows, and predicted as if it were freed before
 *        3 a kahn c, predicted as an ordinary one
 *        4 one delay token less on the cycle
 */
#ifndef N
#define N 4
#endif
#ifndef KAPPA
#define KAPPA 2
#endif
#ifndef R
#define R 1
#endif
#ifndef K
#define K 2
#endif
#ifndef D0
#define D0 0
#endif
#ifndef D1
#define D1 0
#endif
#ifndef D2
#define D2 0
#endif
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef BACK
#define BACK 0
#endif
#ifndef STREAMS
#define STREAMS 0
#endif
#ifndef KAHN
#define KAHN 0
#endif
#ifndef KEEP
#define KEEP 0
#endif
#ifndef FAULT
#define FAULT 0
#endif
#if STREAMS
#define VALUES 2
#define S0 2
#define T0 2
#else
#ifndef VALUES
#define VALUES 2
#endif
#ifndef S0
#define S0 2
#endif
#ifndef T0
#define T0 S0
#endif
#endif
#ifndef S1
#define S1 1
#endif
#ifndef T1
#define T1 S1
#endif
#ifndef S2
#define S2 3
#endif
#ifndef T2
#define T2 S2
#endif

/* what the conditions are told */
#if KEEP
#define ADJUST -1
#else
#define ADJUST 0
#endif
#if KAHN == 1
#define DA 1
#else
#define DA 0
#endif
#if KAHN == 2
#define DB 1
#else
#define DB 0
#endif

/* what c and the members do */
#if FAULT == 1
#define TABLE0 (T0 ^ 1)
#else
#define TABLE0 T0
#endif
#if FAULT == 2
#define KEEPS 1
#else
#define KEEPS KEEP
#endif
#if FAULT == 3
#define FIRST 1
#else
#define FIRST KAHN
#endif
#if FAULT == 4
#define DELAY2 (D2 - 1)
#else
#define DELAY2 D2
#endif

#if MEMBERS == 3
#define FIFOS 3
#else
#define FIFOS 1
#endif
#define CONTROL 3 /* FIFO 3 + i is member i's control FIFO: rate 1, no delay, depth KAPPA */

byte written[6], read[6]; /* windows */
byte dropped[6];          /* windows written after the reader had ended */
bit closed[6], discards[6];
byte values[3 * N];       /* member i's value at index j: [i * N + j]; of a group, the same for all */
byte counted[3];          /* control tokens of each member that were obeyed to the end */
byte ended;               /* actors */
bit hangs;                /* STREAMS: what the conditions say */

#define DELAY(f) ((f) == 0 -> D0 : ((f) == 1 -> D1 : ((f) == 2 -> DELAY2 : 0)))
#define RATE(f) ((f) < CONTROL -> R : 1)
#define DEPTH(f) ((f) < CONTROL -> K : KAPPA)
#define ROOM(f) (discards[f] || written[f] < read[f] + DEPTH(f))
#define FULL(f) (DELAY(f) + written[f] * RATE(f) >= (read[f] + 1) * RATE(f))
/* what is less than a window is the delay's remainder: once the FIFO is closed it makes a partly filled one */
#define MORE(f) (DELAY(f) + written[f] * RATE(f) > read[f] * RATE(f))
#define HAS(f) (FULL(f) || closed[f] && MORE(f))
#define OVER(f) (closed[f] && !MORE(f))

/* which FIFOs member i reads and writes */
#define READS(i, f) (((i) == 1 && (f) == 0) || ((i) == 2 && (f) == 1) || (f) == 2 && (i) == (BACK -> 0 : 2))
#define WRITES(i, f) (((i) == 0 && (f) == 0) || ((i) == 1 && (f) == 1) || (f) == 2 && (i) == (BACK -> 2 : 0))
#define SOURCE(f) ((f) == 2 -> (BACK -> 2 : 0) : (f))
#define SINK(f) ((f) == 2 -> (BACK -> 0 : 2) : (f) + 1)
#define TABLE(i, f) ((f) == 0 -> ((i) == 0 -> S0 : TABLE0) : ((f) == 1 -> ((i) == 1 -> S1 : T1) : \
	(WRITES(i, 2) -> S2 : T2)))
#define ON(i, f) ((f) < FIFOS && ((TABLE(i, f) >> value) & 1))
#define IN(i, f) (ON(i, f) && READS(i, f))
#define OUT(i, f) (ON(i, f) && WRITES(i, f))

#define READY(i) ((!IN(i, 0) || HAS(0)) && (!IN(i, 1) || HAS(1)) && (!IN(i, 2) || HAS(2)) && \
	(!OUT(i, 0) || ROOM(0)) && (!OUT(i, 1) || ROOM(1)) && (!OUT(i, 2) || ROOM(2)))
#define PARTLY(i) (IN(i, 0) && !FULL(0) || IN(i, 1) && !FULL(1) || IN(i, 2) && !FULL(2))
#define STARVED(i) (IN(i, 0) && OVER(0) || IN(i, 1) && OVER(1) || IN(i, 2) && OVER(2))
/* every output's reader has ended; not for a member without outputs */
#define HAS_OUT(i) (WRITES(i, 0) || (WRITES(i, 1) || WRITES(i, 2)) && MEMBERS == 3)
#define UNWANTED(i) (HAS_OUT(i) && (!WRITES(i, 0) || discards[0]) && \
	(MEMBERS == 2 || (!WRITES(i, 1) || discards[1]) && (!WRITES(i, 2) || discards[2])))

inline publish(f)
{
	atomic {
		if
		:: discards[f] -> dropped[f]++
		:: else -> written[f]++
		fi
	}
}

inline obey_windows(i)
{
	do
	:: f < FIFOS && OUT(i, f) -> publish(f); f++
	:: f < FIFOS && !OUT(i, f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	do
	:: f < FIFOS && IN(i, f) -> read[f]++; f++
	:: f < FIFOS && !IN(i, f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0
}

proctype member(byte i)
{
	byte value, f;
	bit partly;

	do
	:: UNWANTED(i) -> break
	:: !UNWANTED(i) && !HAS(CONTROL + i) && OVER(CONTROL + i) -> break
	:: !UNWANTED(i) && HAS(CONTROL + i) ->
		value = values[i * N + read[CONTROL + i]];
#if !KEEPS
		read[CONTROL + i]++;
#endif
		if
		:: UNWANTED(i) -> break
		:: !UNWANTED(i) && STARVED(i) ->
#if !STREAMS
			assert(false); /* under R1 the other end has not ended before */
#endif
			break
		:: atomic { !UNWANTED(i) && !STARVED(i) && READY(i) -> partly = PARTLY(i) }
			obey_windows(i)
		fi;
#if KEEPS
		read[CONTROL + i]++;
#endif
		counted[i]++;
		value = 0;
		if
		:: partly -> break /* the actor's last firing */
		:: !partly
		fi
	od;
	/* ps_firing_close() */
	discards[CONTROL + i] = 1;
	f = 0;
	do
	:: f < FIFOS && READS(i, f) -> discards[f] = 1; f++
	:: f < FIFOS && WRITES(i, f) -> closed[f] = 1; f++
	:: f < FIFOS && !READS(i, f) && !WRITES(i, f) -> f++
	:: f == FIFOS -> break
	od;
	f = 0;
	ended++
}

#define NOBODY (discards[3] && discards[4] && (MEMBERS == 2 || discards[5]))

#if FIRST
#define A_FIRST (2 + FIRST)
proctype configure()
{
	byte n;

	do
	:: NOBODY || n == N -> break
	:: else ->
		NOBODY || ROOM(A_FIRST);
		publish(A_FIRST);
		NOBODY || ROOM(7 - A_FIRST);
		publish(7 - A_FIRST);
		n++
	od;
	closed[3] = 1;
	closed[4] = 1;
	ended++
}
#else
proctype configure()
{
	byte n, v;

	do
	:: NOBODY || n == N -> break
	:: !NOBODY && n < N && ROOM(3) && ROOM(4) && (MEMBERS == 2 || ROOM(5)) ->
#if !STREAMS
		select(v : 0 .. VALUES - 1);
		skip;
		d_step { values[n] = v; values[N + n] = v; values[2 * N + n] = v; v = 0 }
#endif
		publish(3);
		publish(4);
#if MEMBERS == 3
		publish(5);
#endif
		n++
	od;
	closed[3] = 1;
	closed[4] = 1;
	closed[5] = 1;
	ended++
}
#endif

#if STREAMS
/* A(upto), B(upto), of no more than the N values that there are */
inline sum(total, pair, upto)
{
	total = 0;
	for (j : 0 .. N - 1) {
		total = total + (j < upto -> values[pair * N + j] : 0)
	}
}

inline predict()
{
	for (i : 1 .. N) {
		if
		:: i + KAPPA + ADJUST < N ->
			sum(sa, 0, i + KAPPA + ADJUST + DA);
			sum(sb, 1, i);
			hangs = hangs || (values[N + i - 1] && !(D0 + R * sa >= R * sb));
			sum(sa, 0, i);
			sum(sb, 1, i + KAPPA + ADJUST + DB);
			hangs = hangs || (values[i - 1] && !(D0 + R * sa - R * sb <= D0 + R * K))
		:: else
		fi
	}
}
#endif

init {
	byte i;
#if STREAMS
	byte j, sa, sb;
#endif

	atomic {
#if STREAMS
		do
		:: i < 2 * N -> i++
		:: i < 2 * N -> values[i] = 1; i++
		:: i == 2 * N -> break
		od;
		skip;
		d_step { predict(); i = 0; j = 0; sa = 0; sb = 0 }
#endif
		run configure();
		run member(0);
		run member(1);
#if MEMBERS == 3
		run member(2)
#endif
	}
	timeout;
#if STREAMS
	assert(hangs == (ended != MEMBERS + 1))
#else
	assert(ended == MEMBERS + 1);
	d_step {
		/* without a reader left, or on a cycle after the first end, the last tokens need not be seen */
		assert(BACK && MEMBERS == 3 || counted[MEMBERS - 1] == N);
		assert(counted[0] == N || counted[1] == N || counted[2] == N);
		for (i : 0 .. FIFOS - 1) {
			if
			:: counted[SOURCE(i)] == counted[SINK(i)] -> assert(written[i] + dropped[i] == read[i])
			:: else
			fi
		}
		i = 0
	}
#endif
}
