/* SPDX-License-Identifier: MIT */
/* The verdict: small networks for each rule, whose verdicts are worked out by hand. */
#include "tests/analysis/analysis_net.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL (~(uint64_t)0)
#define ONLY(value) ((uint64_t)1 << (value))

static int fails_at_2(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	return value == 2 ? -EDOM : 0;
}

static int says_why(struct pstk_firing *f, uint32_t value)
{
	return value == 5 ? pstk_actor_error(pstk_firing_actor(f), -EDOM, "five is a bad number") : 0;
}

static int fails_at_0(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	return -EDOM;
}

static int reads_in_control(struct pstk_firing *f, uint32_t value)
{
	if (value == 3)
		pstk_fifo_read_start(f, 1);
	return 0;
}

struct verdict_case {
	const char *label;
	struct net_actor actors[NET_ACTORS];
	struct net_link links[NET_LINKS];
	int result;
	enum pstk_rule rule;
	const char *fifo; /* "a.out>b.in" */
	int value;        /* -1: none */
	const char *actor;
	const char *says[6]; /* in the report */
	bool conservative;
};

#define PROVEN .result = 0, .value = -1
#define REFUSED .result = -EDEADLK

static const struct verdict_case cases[] = {
	/* static networks */
	{ "a chain", { { "a" }, { "b" }, { "c" } },
		{ { "a", "o", "b", "i", 4 }, { "b", "o", "c", "i", 3, 2 } }, PROVEN,
		.says = { "proven: free of deadlock in bounded memory", "3 actors, 2 FIFOs",
			"0 parts with cycles", "no cycle (R2)", "always" } },
	{ "a loop, r 1, d 1", { { "a" }, { "b" } }, { { "a", "o", "b", "i" }, { "b", "o", "a", "i", 1, 1 } },
		PROVEN, .says = { "1 part with cycles", "every cycle has delay tokens" } },
	{ "a loop, r 1, d 0", { { "a" }, { "b" } }, { { "a", "o", "b", "i" }, { "b", "o", "a", "i" } },
		REFUSED, PSTK_RULE_CYCLES, "b.o>a.i", -1,
		.says = { "'a' -> 'b' -> 'a'",
			"give 'b'.o -> 'a'.i 1 or more initial tokens (.delay; it has 0" } },
	{ "a loop, r 2, d 1", { { "a" }, { "b" } },
		{ { "a", "o", "b", "i", 2 }, { "b", "o", "a", "i", 2, 1 } }, REFUSED, PSTK_RULE_CYCLES,
		"b.o>a.i", -1, .says = { "2 or more initial tokens (.delay; it has 1, a window is 2)" } },
	{ "a loop, r 4, d 3", { { "a" }, { "b" } },
		{ { "a", "o", "b", "i", 4, 3 }, { "b", "o", "a", "i", 4 } }, REFUSED, PSTK_RULE_CYCLES,
		"a.o>b.i", -1, .says = { "4 or more initial tokens (.delay; it has 3, a window is 4)" } },
	{ "a loop, r 4, d 4", { { "a" }, { "b" } },
		{ { "a", "o", "b", "i", 4 }, { "b", "o", "a", "i", 4, 4 } }, PROVEN },
	{ "a loop of two rates, d 3 + 2: neither is a window", { { "a" }, { "b" } },
		{ { "a", "o", "b", "i", 4, 3 }, { "b", "o", "a", "i", 3, 2 } }, REFUSED, PSTK_RULE_CYCLES,
		"b.o>a.i", -1, .says = { "3 or more initial tokens" } },
	{ "a loop of two rates, d a window of one", { { "a" }, { "b" } },
		{ { "a", "o", "b", "i", 4, 3 }, { "b", "o", "a", "i", 3, 3 } }, PROVEN },
	{ "an actor's own loop, d 0", { { "a" }, { "b" } },
		{ { "a", "self", "a", "i" }, { "a", "o", "b", "i" } }, REFUSED, PSTK_RULE_CYCLES,
		"a.self>a.i", -1, .says = { "'a' -> 'a'" } },
	{ "an actor's own loop, d 1", { { "a" }, { "b" } },
		{ { "a", "self", "a", "i", 1, 1 }, { "a", "o", "b", "i" } }, PROVEN },
	{ "the second of two loops is dead", { { "a" }, { "b" }, { "c" }, { "d" } },
		{ { "a", "o", "b", "i" }, { "b", "o", "a", "i", 1, 1 }, { "b", "p", "c", "i" },
			{ "c", "o", "d", "i" }, { "d", "o", "c", "j", 3, 2 } },
		REFUSED, PSTK_RULE_CYCLES, "d.o>c.j", -1,
		.says = { "'c' -> 'd' -> 'c'", "2 parts with cycles" } },

	/* one group: R1 */
	{ "split and join by group",
		{ { "conf" }, { "src" }, { "fork", 4, { { "x", ONLY(1) | ONLY(3) }, { "y", ONLY(0) } } },
			{ "bx" }, { "by" }, { "join", 4, { { "x", ONLY(1) | ONLY(3) }, { "y", ONLY(0) } } },
			{ "sink" } },
		{ { "conf", "c", "fork", "ctl" }, { "conf", "c", "join", "ctl" },
			{ "src", "o", "fork", "i", 7 }, { "fork", "x", "bx", "i", 2, 3 },
			{ "fork", "y", "by", "i", 5 }, { "bx", "o", "join", "x", 4 },
			{ "by", "o", "join", "y", 3, 1 }, { "join", "o", "sink", "i" } },
		PROVEN,
		.says = { "1 control group with 4 values", "3 clocks", "'conf'.c in {1, 3}",
			"'conf'.c in {0}" } },
	{ "a long list of values is cut",
		{ { "conf" }, { "a", 64, { { "o", ALL / 3 } } }, { "b", 64, { { "i", ALL / 3 } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, PROVEN,
		.says = { "'conf'.c in {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, ..} (32 of 64 "
			  "values)\n" } },
	{ "a short one is not",
		{ { "conf" }, { "a", 64, { { "o", (ALL / 3) | ~(uint64_t)0xffff } } },
			{ "b", 64, { { "i", (ALL / 3) | ~(uint64_t)0xffff } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, PROVEN,
		.says = { "'conf'.c in {0, 2, 4, 6, 8, 10, 12, 14, 16-63}\n" } },
	{ "a private source and sink",
		{ { "conf" }, { "src" }, { "p", 2, { { "i", ONLY(1) }, { "o", ONLY(0) } } }, { "sink" } },
		{ { "conf", "c", "p", "ctl" }, { "src", "o", "p", "i" }, { "p", "o", "sink", "i" } },
		PROVEN },
	{ "never on at both ends",
		{ { "conf" }, { "a", 2, { { "o", 0 }, { "p", ONLY(0) } } }, { "b", 2, { { "i", 0 } } },
			{ "c" } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" },
			{ "a", "p", "c", "i" } },
		PROVEN, .says = { "never", "'conf'.c in {0}" } },
	{ "a dead loop in a region that never is on: its actors wait for each other",
		{ { "conf" }, { "a", 2, { { "o", 0 } } }, { "x" }, { "y" } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "x", "i" }, { "x", "o", "y", "i" },
			{ "y", "o", "x", "j" } },
		REFUSED, PSTK_RULE_CYCLES, "y.o>x.j", -1, .says = { "never" } },
	{ "never on at one end", { { "conf" }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 2, { { "i", 0 } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CLOCKS, "a.o>b.i", 1, "b",
		{ "for 'conf'.c = 1 'a'.o is on and 'b'.i is off", "never" } },
	{ "always on by the table, at both ends", { { "conf" }, { "a", 3, { { "o", ALL } } }, { "b", 3 } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } },
		PROVEN },
	{ "asymmetric control",
		{ { "conf" }, { "a", 8, { { "o", ONLY(1) | ONLY(3) | ONLY(6) } } },
			{ "b", 8, { { "i", ONLY(1) | ONLY(5) | ONLY(6) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i", 3, 9 } },
		REFUSED, PSTK_RULE_CLOCKS, "a.o>b.i", 3, "b",
		{ "'a'.o -> 'b'.i: for 'conf'.c = 3 'a'.o is on and 'b'.i is off",
			"fix it: let the control of 'b' turn 'i' on for value 3 and off for value 5, or that "
			"of 'a' turn "
			"'o' on for value 5 and off for value 3\n",
			"'a'.o is on: 'conf'.c in {1, 3, 6}", "'b'.i is on: 'conf'.c in {1, 5, 6}" } },
	{ "asymmetric control through a static actor",
		{ { "conf" }, { "a", 4, { { "o", ONLY(1) | ONLY(2) } } }, { "x" },
			{ "b", 4, { { "i", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "x", "i" },
			{ "x", "o", "b", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "x.o>b.i", 2, "b",
		{ "for 'conf'.c = 2 'x'.o is on and 'b'.i is off", "because of 'a'.o -> 'x'.i" } },
	{ "a region that is on more seldom than the port behind it",
		{ { "conf" }, { "a", 4, { { "o", ONLY(1) } } }, { "x" },
			{ "b", 4, { { "i", ONLY(1) | ONLY(0) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "x", "i" },
			{ "x", "o", "b", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "x.o>b.i", 0, "a",
		{ "fix it: let the control of 'a' turn 'o' on for value 0, or that of 'b' turn 'i' off for "
		  "value "
		  "0\n" } },
	{ "always on to sometimes on", { { "conf" }, { "a", 3 }, { "b", 3, { { "i", ONLY(0) | ONLY(2) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CLOCKS, "a.o>b.i", 1, "b",
		{ "for 'conf'.c = 1 'a'.o is on and 'b'.i is off",
			"fix it: let the control of 'b' turn 'i' on for value 1, or make 'a'.o a dynamic "
			"port "
			"that is off for "
			"value 1\n",
			"'a'.o is on: always\n" } },
	{ "the configuration actor's data are read sometimes",
		{ { "conf" }, { "b", 3, { { "i", ONLY(2) } } } },
		{ { "conf", "c", "b", "ctl" }, { "conf", "data", "b", "i" } }, REFUSED, PSTK_RULE_CLOCKS,
		"conf.data>b.i", 0, "b",
		{ "fix it: let the control of 'b' turn 'i' on for values {0, 1}\n",
			"always, because of 'conf'.c -> 'b'.ctl\n" } },
	{ "two groups, equal tables",
		{ { "c1" }, { "c2" }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 2, { { "i", ONLY(1) } } } },
		{ { "c1", "c", "a", "ctl" }, { "c2", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CLOCKS, "a.o>b.i", -1,
		.says = { "different streams of control tokens", "from one output, a broadcast" } },
	{ "two outputs of one configuration actor are two groups",
		{ { "conf" }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 2, { { "i", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "d", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CLOCKS, "a.o>b.i", -1, .says = { "'conf'.c in {1}", "'conf'.d in {1}" } },
	{ "two groups, FIFOs that are always on",
		{ { "c1" }, { "c2" }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 3, { { "i", ONLY(1) } } },
			{ "s" }, { "t" } },
		{ { "c1", "c", "a", "ctl" }, { "c2", "c", "b", "ctl" }, { "a", "p", "b", "j" },
			{ "a", "o", "s", "i" }, { "t", "o", "b", "i" } },
		PROVEN, .says = { "2 control groups with 5 values", "3 clocks" } },
	{ "64 values", { { "conf" }, { "a", 64, { { "o", ALL << 1 } } }, { "b", 64, { { "i", ALL << 1 } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, PROVEN,
		.says = { "{1-63}" } },
	{ "the 64th value", { { "conf" }, { "a", 64, { { "o", ALL >> 1 } } }, { "b", 64, { { "i", ALL } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CLOCKS, "a.o>b.i", 63, "b",
		{ "{0-62}", "fix it: let the control of 'b' turn 'i' off for value 63 (it always is on), or "
			    "that of 'a' turn 'o' on for value 63\n" } },

	/* one group: which actor is named, and what would fix it */
	{ "the far decider never is on",
		{ { "conf" }, { "fork", 3, { { "q", ONLY(0) }, { "l", 0 } } }, { "boost" }, { "limit" },
			{ "join", 3, { { "q", ONLY(0) }, { "l", ONLY(2) } } } },
		{ { "conf", "c", "fork", "ctl" }, { "conf", "c", "join", "ctl" },
			{ "fork", "q", "boost", "i" }, { "boost", "o", "join", "q" },
			{ "fork", "l", "limit", "i" }, { "limit", "o", "join", "l" } },
		REFUSED, PSTK_RULE_CLOCKS, "limit.o>join.l", 2, "fork",
		{ "fix it: let the control of 'fork' turn 'l' on for value 2 (it never is), or that of "
		  "'join' "
		  "turn 'l' "
		  "off for value 2\n",
			"'limit'.o is on: never, because of 'fork'.l -> 'limit'.i\n" } },
	{ "two entries of a table are swapped: all of it is named",
		{ { "conf" }, { "fork", 4, { { "n", ONLY(1) | ONLY(3) } } }, { "eq" },
			{ "join", 4, { { "n", ONLY(0) | ONLY(2) } } } },
		{ { "conf", "c", "fork", "ctl" }, { "conf", "c", "join", "ctl" }, { "fork", "n", "eq", "i" },
			{ "eq", "o", "join", "n" } },
		REFUSED, PSTK_RULE_CLOCKS, "eq.o>join.n", 0, "fork",
		{ "fix it: let the control of 'fork' turn 'n' on for values {0, 2} and off for values {1, "
		  "3}, "
		  "or that of "
		  "'join' turn 'n' on for values {1, 3} and off for values {0, 2}\n" } },
	{ "the far decider always is on",
		{ { "conf" }, { "src" }, { "gate", 2, { { "o", ONLY(1) } } }, { "f" },
			{ "mute", 2, { { "i", ALL } } }, { "sink" } },
		{ { "src", "o", "conf", "i" }, { "src", "o", "gate", "i" }, { "conf", "c", "gate", "ctl" },
			{ "conf", "c", "mute", "ctl" }, { "gate", "o", "f", "i" }, { "f", "o", "mute", "i" },
			{ "mute", "o", "sink", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "gate.o>f.i", 0, "mute",
		{ "fix it: let the control of 'mute' turn 'i' off for value 0 (it always is on), or that of "
		  "'gate' turn "
		  "'o' on for value 0\n",
			"'f'.i is on: always, because of 'f'.o -> 'mute'.i\n" } },
	{ "the far decider has a static port",
		{ { "conf" }, { "gate", 3, { { "o", ONLY(1) } } }, { "f" }, { "mute", 3, { { "p", 0 } } },
			{ "sink" } },
		{ { "conf", "c", "gate", "ctl" }, { "conf", "c", "mute", "ctl" }, { "gate", "o", "f", "i" },
			{ "f", "o", "mute", "i" }, { "mute", "p", "sink", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "gate.o>f.i", 0, "gate",
		{ "fix it: let the control of 'gate' turn 'o' on for values {0, 2}, or make 'mute'.i a "
		  "dynamic port that "
		  "is off for values {0, 2}\n" } },
	{ "a static actor taps a branch",
		{ { "conf" }, { "src" }, { "fork", 3, { { "q", ONLY(0) } } }, { "boost" },
			{ "join", 3, { { "q", ONLY(0) } } }, { "probe" } },
		{ { "src", "o", "conf", "i" }, { "src", "o", "fork", "i" }, { "conf", "c", "fork", "ctl" },
			{ "conf", "c", "join", "ctl" }, { "fork", "q", "boost", "i" },
			{ "boost", "o", "join", "q" }, { "src", "o", "probe", "a" },
			{ "boost", "o", "probe", "b" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.q>boost.i", 1, "probe",
		{ "fix it: make 'probe'.b a dynamic input under 'conf'.c, on for value 0, or let the control "
		  "of 'fork' "
		  "turn 'q' on for values {1, 2}\n",
			"always, because of 'boost'.o -> 'probe'.b, 'src'.o -> 'probe'.a and 'src'.o -> "
			"'fork'.i\n" } },
	{ "a branch's own actor reads something that always comes",
		{ { "conf" }, { "src" }, { "fork", 2, { { "q", ONLY(0) } } }, { "boost" } },
		{ { "src", "o", "conf", "i" }, { "conf", "c", "fork", "ctl" }, { "fork", "q", "boost", "i" },
			{ "src", "o", "boost", "j" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.q>boost.i", 1, "boost",
		{ "fix it: make 'boost'.i a dynamic input under 'conf'.c, on for value 0, or let" } },
	{ "a static actor taps two branches",
		{ { "conf" }, { "fork", 3, { { "q", ONLY(0) }, { "n", ONLY(1) } } }, { "boost" }, { "eq" },
			{ "probe" } },
		{ { "conf", "c", "fork", "ctl" }, { "fork", "q", "boost", "i" }, { "fork", "n", "eq", "i" },
			{ "eq", "o", "probe", "a" }, { "boost", "o", "probe", "b" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.n>eq.i", 0, "probe",
		{ "fix it: make 'probe'.a a dynamic input under 'conf'.c, on for value 1, or let the control "
		  "of 'fork' "
		  "turn 'n' on for value 0 and off for value 1, or 'q' on for value 1 and off for value 0\n",
			"'conf'.c in {0}, because of 'eq'.o -> 'probe'.a, 'boost'.o -> 'probe'.b and "
			"'fork'.q -> "
			"'boost'.i\n" } },
	{ "two inputs of one branch, one of them on more often",
		{ { "conf" }, { "fork", 3, { { "l", ONLY(0) }, { "r", ONLY(0) | ONLY(1) } } }, { "mul" } },
		{ { "conf", "c", "fork", "ctl" }, { "fork", "l", "mul", "a" }, { "fork", "r", "mul", "b" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.r>mul.b", 1, "fork",
		{ "fix it: let the control of 'fork' turn 'l' on for value 1, or 'r' off for value 1, or "
		  "make "
		  "'mul'.b a "
		  "dynamic input under 'conf'.c, on for values {0, 1}\n" } },
	{ "two inputs of one branch, one of them never on",
		{ { "conf" }, { "fork", 3, { { "l", ONLY(0) }, { "r", 0 } } }, { "mul" } },
		{ { "conf", "c", "fork", "ctl" }, { "fork", "l", "mul", "a" }, { "fork", "r", "mul", "b" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.r>mul.b", 0, "fork",
		{ "fix it: let the control of 'fork' turn 'r' on for value 0 (it never is), or 'l' off for "
		  "value 0\n" } },
	{ "what is written always is read sometimes: no port of the others is to blame",
		{ { "conf" }, { "src" }, { "fork", 2, { { "q", ONLY(0) } } },
			{ "join", 2, { { "q", ONLY(0) } } } },
		{ { "src", "o", "fork", "i" }, { "conf", "c", "fork", "ctl" }, { "conf", "c", "join", "ctl" },
			{ "fork", "q", "fork", "j", 1, 1 }, { "src", "p", "join", "q" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.q>fork.j", 1, "fork",
		{ "fix it: let the control of 'fork' turn 'q' on for value 1, or make 'fork'.j a dynamic "
		  "port "
		  "that is off "
		  "for value 1\n" } },
	{ "the same, with the other FIFO right",
		{ { "conf" }, { "src" }, { "fork", 2, { { "q", ONLY(0) } } },
			{ "join", 2, { { "q", ONLY(0) } } }, { "sink" } },
		{ { "src", "o", "fork", "i" }, { "conf", "c", "fork", "ctl" }, { "conf", "c", "join", "ctl" },
			{ "fork", "q", "sink", "i", 1, 1 }, { "src", "p", "join", "q" } },
		REFUSED, PSTK_RULE_CLOCKS, "src.p>join.q", 1, "join",
		{ "fix it: let the control of 'join' turn 'q' on for value 1\n" } },
	{ "a long way",
		{ { "conf" }, { "g", 2, { { "o", ONLY(1) } } }, { "a" }, { "b" }, { "c" }, { "d" }, { "e" },
			{ "f" }, { "x" }, { "m", 2, { { "i", ALL } } } },
		{ { "conf", "c", "g", "ctl" }, { "conf", "c", "m", "ctl" }, { "g", "o", "a", "i" },
			{ "a", "o", "b", "i" }, { "b", "o", "c", "i" }, { "c", "o", "d", "i" },
			{ "d", "o", "e", "i" }, { "e", "o", "f", "i" }, { "f", "o", "x", "i" },
			{ "x", "o", "m", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "g.o>a.i", 0, "m",
		{ "always, because of 'a'.o -> 'b'.i, 'b'.o -> 'c'.i, 'c'.o -> 'd'.i, 'd'.o -> 'e'.i, 'e'.o "
		  "-> 'f'.i and 2 more\n" } },
	{ "one more would fit",
		{ { "conf" }, { "g", 2, { { "o", ONLY(1) } } }, { "a" }, { "b" }, { "c" }, { "d" }, { "e" },
			{ "f" }, { "m", 2, { { "i", ALL } } } },
		{ { "conf", "c", "g", "ctl" }, { "conf", "c", "m", "ctl" }, { "g", "o", "a", "i" },
			{ "a", "o", "b", "i" }, { "b", "o", "c", "i" }, { "c", "o", "d", "i" },
			{ "d", "o", "e", "i" }, { "e", "o", "f", "i" }, { "f", "o", "m", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "g.o>a.i", 0, "m", { "'e'.o -> 'f'.i and 'f'.o -> 'm'.i\n" } },
	{ "a kahn actor's output between two branches",
		{ { "k", .kahn = true }, { "fork", 2, { { "q", ONLY(0) } } }, { "x" }, { "y" } },
		{ { "k", "c", "fork", "ctl" }, { "k", "c", "y", "i" }, { "fork", "q", "x", "i" },
			{ "y", "o", "x", "j" } },
		REFUSED, PSTK_RULE_CLOCKS, "fork.q>x.i", 1, "x",
		{ "always, because of 'y'.o -> 'x'.j, 'k'.c -> 'y'.i and 'k'.c -> 'fork'.ctl\n" } },

	/* nested groups */
	{ "a group in a region",
		{ { "conf" }, { "a", 2, { { "o", ONLY(1) }, { "p", ONLY(1) } } }, { "inner" },
			{ "f", 2, { { "o", ONLY(0) } } }, { "g", 2, { { "i", ONLY(0) } } } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "inner", "i" }, { "a", "p", "f", "i" },
			{ "inner", "c", "f", "ctl" }, { "inner", "c", "g", "ctl" }, { "f", "o", "g", "i" } },
		PROVEN, .says = { "'inner'.c in {0} while 'conf'.c in {1}", "3 clocks" } },
	{ "a dynamic configuration actor whose control output is dynamic",
		{ { "conf" }, { "inner", 2, { { "c", ONLY(1) } } }, { "f", 3, { { "o", ONLY(2) } } },
			{ "s" } },
		{ { "conf", "c", "inner", "ctl" }, { "inner", "c", "f", "ctl" }, { "f", "o", "s", "i" } },
		PROVEN, .says = { "'inner'.c in {2} while 'conf'.c in {1}" } },
	{ "a nested group whose data come at other times than its control",
		{ { "conf" }, { "a", 2, { { "o", ONLY(1) }, { "p", ONLY(0) } } }, { "inner" }, { "f", 2 } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "inner", "i" }, { "a", "p", "f", "i" },
			{ "inner", "c", "f", "ctl" } },
		REFUSED, PSTK_RULE_CLOCKS, "a.p>f.i", 0, "a",
		{ "fix it: let the control of 'a' turn 'o' on for value 0 and off for value 1, or 'p' on for "
		  "value 1 and "
		  "off for value 0\n",
			"in {1}, because of 'inner'.c -> 'f'.ctl and 'a'.o -> 'inner'.i\n" } },
	{ "from a region to a nested port",
		{ { "conf" }, { "a", 2, { { "o", ONLY(1) }, { "p", ONLY(1) } } }, { "inner" },
			{ "f", 3, { { "i", ONLY(0) | ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "inner", "i" }, { "a", "p", "f", "i" },
			{ "inner", "c", "f", "ctl" } },
		REFUSED, PSTK_RULE_CLOCKS, "a.p>f.i", 2, "f",
		{ "for 'inner'.c = 2 'a'.p is on and 'f'.i is off" } },
	{ "a group that never gets a token, and what hangs on it",
		{ { "conf" }, { "a", 2, { { "o", 0 } } }, { "inner" }, { "f", 2, { { "o", ONLY(0) } } },
			{ "deep" }, { "g", 2, { { "o", ONLY(1) }, { "p", 0 } } }, { "s" }, { "t" } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "inner", "i" }, { "inner", "c", "f", "ctl" },
			{ "f", "o", "deep", "i" }, { "deep", "c", "g", "ctl" }, { "g", "o", "s", "i" },
			{ "g", "p", "t", "i" } },
		PROVEN, .says = { "never" } },
	{ "what never fires and what does",
		{ { "conf" }, { "a", 2, { { "o", 0 }, { "p", ONLY(1) } } }, { "inner" },
			{ "f", 2, { { "i", ONLY(0) } } } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "inner", "i" }, { "inner", "c", "f", "ctl" },
			{ "a", "p", "f", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "a.p>f.i", -1,
		.says = { "'inner'.c in {0} while never", "from one output, a broadcast" } },

	/* clocks that depend on themselves */
	{ "a member forgets the port that its configuration actor feeds",
		{ { "conf" }, { "a", 2, { { "i", 0 } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "o", "a", "i" } }, REFUSED, PSTK_RULE_CLOCKS,
		"conf.o>a.i", 0, "a",
		{ "let the control of 'a' turn 'i' on for values {0, 1} (it never is)" } },
	{ "control tokens from a port of one's own that never is on", { { "a", 2, { { "o", 0 } } } },
		{ { "a", "o", "a", "ctl" } }, REFUSED, PSTK_RULE_CLOCKS, "a.o>a.ctl", 0, "a",
		{ "'a'.o is on: never" } },
	{ "two that control each other by ports that never are on",
		{ { "a", 2, { { "o", 0 } } }, { "b", 2, { { "o", 0 } } } },
		{ { "a", "o", "b", "ctl" }, { "b", "o", "a", "ctl" } }, REFUSED, PSTK_RULE_CLOCKS,
		"b.o>a.ctl", 0, "b", { "itself needs 'a' to fire" } },
	{ "ends that hang on clocks which depend on each other, and are in no circle themselves",
		{ { "P" }, { "Q" }, { "mp", 2, { { "o", ONLY(1) }, { "x", ONLY(0) } } },
			{ "mq", 2, { { "o", ONLY(1) }, { "x", ONLY(0) } } }, { "X" } },
		{ { "P", "c", "mp", "ctl" }, { "Q", "c", "mq", "ctl" }, { "mp", "o", "Q", "i" },
			{ "mq", "o", "P", "i" }, { "mp", "x", "X", "i" }, { "mq", "x", "X", "j" } },
		REFUSED, PSTK_RULE_CLOCKS, "mq.x>X.j", -1, .says = { "while .." } },
	{ "control tokens from a port that they decide on", { { "conf" }, { "a", 2, { { "o", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "conf", "i", 1, 1 } }, REFUSED, PSTK_RULE_CLOCKS,
		"a.o>conf.i", 0, "a", { "for 'conf'.c = 0 'conf'.i is on and 'a'.o is off" } },
	{ "the same over two groups",
		{ { "c1" }, { "a", 2, { { "o", ONLY(1) } } }, { "c2" },
			{ "b", 4, { { "o", ONLY(0) | ONLY(1) } } } },
		{ { "c1", "c", "a", "ctl" }, { "a", "o", "c2", "i" }, { "c2", "c", "b", "ctl" },
			{ "b", "o", "c1", "i", 1, 1 } },
		REFUSED, PSTK_RULE_CLOCKS, "b.o>c1.i", 2, "b",
		{ "'c1' fires only for some values of 'c2'.c (not for 2)", "itself needs 'c1' to fire",
			"{0, 1} while 'c1'.c in {1} while the same" } },
	{ "never on under one control, sometimes under another",
		{ { "c1" }, { "c2" }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 9, { { "i", 0 } } }, { "x" } },
		{ { "c1", "c", "a", "ctl" }, { "c2", "c", "b", "ctl" }, { "a", "o", "x", "i" },
			{ "x", "o", "b", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "x.o>b.i", -1,
		.says = { "never", "from one output, a broadcast" } },
	{ "a region, and a port under another control",
		{ { "c1" }, { "c2" }, { "a", 2, { { "o", ONLY(1) } } }, { "x" }, { "b", 2, { { "i", 0 } } },
			{ "t" } },
		{ { "c1", "c", "a", "ctl" }, { "c2", "c", "b", "ctl" }, { "t", "o", "b", "j" },
			{ "a", "o", "b", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "a.o>b.i", -1,
		.says = { "never", "from one output, a broadcast" } },

	/* R2 with control */
	{ "feedback to the configuration actor without delay", { { "conf" }, { "a", 2 } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "conf", "i", 4, 3 } }, REFUSED, PSTK_RULE_CYCLES,
		"a.o>conf.i", -1, .says = { "4 or more initial tokens (.delay; it has 3" } },
	{ "feedback to the configuration actor with delay", { { "conf" }, { "a", 2 } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "conf", "i", 4, 4 } }, PROVEN },
	{ "a cycle of control tokens alone", { { "a", 2 }, { "b", 2 } },
		{ { "a", "o", "b", "ctl" }, { "b", "o", "a", "ctl" } }, REFUSED, PSTK_RULE_CYCLES,
		"a.o>b.ctl", -1, .says = { "control FIFOs hold no initial tokens" } },
	{ "there and back for the same value",
		{ { "conf" }, { "p", 3, { { "o", ONLY(1) }, { "i", ONLY(1) } } },
			{ "a", 3, { { "o", ONLY(1) }, { "i", ONLY(1) } } } },
		{ { "conf", "c", "p", "ctl" }, { "conf", "c", "a", "ctl" }, { "p", "o", "a", "i" },
			{ "a", "o", "p", "i" } },
		REFUSED, PSTK_RULE_CYCLES, "a.o>p.i", 1, "a",
		{ "'p' -> 'a' -> 'p', for 'conf'.c = 1", "2 cases of control values" } },
	{ "there and back for different values",
		{ { "conf" }, { "p", 3, { { "o", ONLY(1) }, { "i", ONLY(2) } } },
			{ "a", 3, { { "o", ONLY(2) }, { "i", ONLY(1) } } } },
		{ { "conf", "c", "p", "ctl" }, { "conf", "c", "a", "ctl" }, { "p", "o", "a", "i" },
			{ "a", "o", "p", "i" } },
		PROVEN, .says = { "3 cases of control values", "1 part with cycles" } },
	{ "there and back under two controls, on at once",
		{ { "conf" }, { "p", 2, { { "o", ONLY(1) } } }, { "a", 2, { { "i", ONLY(1) } } },
			{ "q", 3, { { "o", ONLY(2) } } }, { "b", 3, { { "i", ONLY(2) } } } },
		{ { "conf", "c", "p", "ctl" }, { "conf", "c", "a", "ctl" }, { "conf", "d", "q", "ctl" },
			{ "conf", "d", "b", "ctl" }, { "p", "o", "a", "i" }, { "a", "x", "q", "x" },
			{ "q", "o", "b", "i" }, { "b", "x", "p", "x", 2, 1 } },
		REFUSED, PSTK_RULE_CYCLES, "b.x>p.x", 1, "a",
		{ "'conf'.c = 1 and 'conf'.d = 2", "2 or more initial tokens" } },
	{ "a dead loop in a region", { { "conf" }, { "a", 2, { { "o", ONLY(1) } } }, { "x" }, { "y" } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "x", "i" }, { "x", "o", "y", "i" },
			{ "y", "o", "x", "j", 5, 4 } },
		REFUSED, PSTK_RULE_CYCLES, "y.o>x.j", -1, .says = { "5 or more initial tokens" } },

/* FIFOs of two rates */
#include "tests/analysis/rate_cases.h"

	/* control() */
	{ "control() fails", { { "conf" }, { "a", 4, .control = fails_at_2 } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "o", "a", "i" } }, REFUSED, PSTK_RULE_CONTROL, NULL,
		2, "a",
		{ "'a' (node): control() returns an error for value 2 of 0 to 3: Numerical argument out of "
		  "domain",
			"accept value 2, or declare only 2 control values" } },
	{ "control() fails at once", { { "conf" }, { "a", 4, .control = fails_at_0 } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "o", "a", "i" } }, REFUSED, PSTK_RULE_CONTROL, NULL,
		0, "a", { "let the control of 'a' accept value 0\n" } },
	{ "control() fails and says why", { { "conf" }, { "a", 6, .control = says_why } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "o", "a", "i" } }, REFUSED, PSTK_RULE_CONTROL, NULL,
		5, "a", { "five is a bad number" } },
	{ "control() beyond the group's values fails too",
		{ { "conf" }, { "a", 4, .control = fails_at_2 }, { "b", 1 } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "conf", "o", "a", "i" },
			{ "conf", "o", "b", "i" } },
		REFUSED, PSTK_RULE_CONTROL, NULL, 2, "a", { NULL } },
	{ "the reader of a group's tokens declares fewer values than the writer",
		{ { "conf" }, { "a", 8, { { "o", ONLY(1) } } }, { "b", 4, { { "i", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CONTROL, "conf.c>b.ctl", 4, "b",
		{ "refused: members of a control group that declare different values",
			"'a' (node) declares 8 control values, 'b' (node) only 4, and both get the tokens of "
			"'conf'.c: a 4 would end the network",
			"declare as many control values for 'b' as for 'a'",
			"1 control group with 8 values" } },
	{ "the other way round",
		{ { "conf" }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 3, { { "i", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CONTROL, "conf.c>a.ctl", 2, "a",
		{ "declare as many control values for 'a' as for 'b'" } },
	{ "fewer values, a third member that declares none, and nothing dynamic at the other end",
		{ { "conf" }, { "x", 0, { { "o", ONLY(1) } } }, { "a", 65, { { "o", ONLY(1) } } },
			{ "b", 64 } },
		{ { "conf", "c", "x", "ctl" }, { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" },
			{ "x", "o", "x", "i", 1, 1 }, { "a", "o", "a", "i", 1, 1 },
			{ "conf", "o", "b", "i" } },
		REFUSED, PSTK_RULE_CONTROL, "conf.c>b.ctl", 64, "b", { "only 64" } },
	{ "equally many values, and a member that declares none",
		{ { "conf" }, { "x", 0, { { "o", ONLY(1) } } }, { "a", 3, { { "o", ONLY(1) } } },
			{ "b", 3, { { "i", ONLY(1) } } }, { "s" } },
		{ { "conf", "c", "x", "ctl" }, { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" },
			{ "x", "o", "s", "i" }, { "a", "o", "b", "i" } },
		1, .value = -1, .says = { "1 control group with 3 values" } },
	{ "control() reads", { { "conf" }, { "a", 4, .control = reads_in_control } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "o", "a", "i" } }, REFUSED, PSTK_RULE_CONTROL, NULL,
		3, "a",
		{ "does what it must not for value 3", "pstk_fifo_read_start: not in control()",
			"only turn its dynamic ports" } },

	/* what can't be proven */
	{ "values that are not declared",
		{ { "conf" }, { "a", 0, { { "o", ONLY(1) } } }, { "b", 2, { { "i", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, 1,
		.value = -1,
		.says = { "checked at run time", "'a' (node) does not declare its control values",
			"set control_values in the type of 'a'",
			"as the control of 'a' says (values not declared)" } },
	{ "values that nobody declares: what is behind them is not known",
		{ { "conf" }, { "fork", 0, { { "o", ONLY(1) }, { "p", ONLY(1) } } }, { "x" }, { "y" },
			{ "join", 0, { { "i", ONLY(1) } } }, { "sink" } },
		{ { "conf", "c", "fork", "ctl" }, { "conf", "c", "join", "ctl" }, { "fork", "o", "x", "i" },
			{ "x", "o", "y", "i" }, { "y", "o", "join", "i" }, { "join", "o", "sink", "i" },
			{ "fork", "p", "sink", "j" } },
		1, .value = -1,
		.says = { "why: 'fork' (node) and 'join' (node) do not declare their control values\n",
			"fix it: set control_values in the types of 'fork' and 'join'\n",
			"8  not known, "
			"because of "
			"'fork'.o -> 'x'.i\n",
			"8  as the control of "
			"'fork' "
			"says (values not declared)\n",
			"'join'.o -> 'sink'.i           1         0      2           8  always\n" } },
	{ "six actors that declare no values, and a kahn one",
		{ { "k", .kahn = true }, { "a", 0, { { "o", 1 } } }, { "b", 0, { { "o", 1 } } },
			{ "c", 0, { { "o", 1 } } }, { "d", 0, { { "o", 1 } } }, { "e", 0, { { "o", 1 } } },
			{ "f", 0, { { "o", 1 } } }, { "s" } },
		{ { "k", "c", "a", "ctl" }, { "k", "c", "b", "ctl" }, { "k", "c", "c", "ctl" },
			{ "k", "c", "d", "ctl" }, { "k", "c", "e", "ctl" }, { "k", "c", "f", "ctl" },
			{ "a", "o", "s", "a" }, { "b", "o", "s", "b" }, { "c", "o", "s", "c" },
			{ "d", "o", "s", "d" }, { "e", "o", "s", "e" }, { "f", "o", "s", "f" } },
		1, .value = -1,
		.says = { "'k' (node) is a kahn actor, which reads and writes when it likes; 'a' (node), 'b' "
			  "(node), 'c' (node), 'd' (node) and 2 more do not declare their control values" } },
	{ "values that are not declared, but nothing hangs on them", { { "conf" }, { "a" }, { "b" } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "a", "o", "b", "i" } },
		PROVEN },
	{ "values that are not declared do not hide a clash",
		{ { "conf" }, { "a", 0, { { "o", ONLY(1) } } }, { "b", 2, { { "i", ONLY(1) } } },
			{ "p", 2, { { "o", ONLY(0) } } }, { "q", 2, { { "i", ONLY(1) } } } },
		{ { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" }, { "conf", "c", "p", "ctl" },
			{ "conf", "c", "q", "ctl" }, { "a", "o", "b", "i" }, { "p", "o", "q", "i" } },
		REFUSED, PSTK_RULE_CLOCKS, "p.o>q.i", 0, "q", { NULL } },
	{ "values that are not declared in a cycle",
		{ { "conf" }, { "a", 0, { { "o", ONLY(1) } } }, { "x" } },
		{ { "conf", "c", "a", "ctl" }, { "a", "o", "x", "i" }, { "x", "o", "a", "i" } }, 1,
		.value = -1, .says = { "1 part with cycles" } },
	{ "values that are not declared beside a dead loop",
		{ { "conf" }, { "a", 0, { { "o", ONLY(1) } } }, { "x" } },
		{ { "conf", "c", "a", "ctl" }, { "a", "p", "x", "j" }, { "a", "o", "x", "i" },
			{ "x", "o", "a", "i" } },
		REFUSED, PSTK_RULE_CYCLES, "x.o>a.i", -1, .says = { "'a' -> 'x' -> 'a'" } },
	{ "two kahn actors", { { "k", .kahn = true }, { "l", .kahn = true }, { "a" } },
		{ { "k", "o", "l", "i" }, { "l", "o", "k", "i" }, { "l", "p", "a", "i" } }, 1, .value = -1,
		.says = { "'k' (node) and 'l' (node) are kahn actors, which read",
			"when 'k' likes (kahn)" } },
	{ "a kahn actor beside a dead loop", { { "k", .kahn = true }, { "a" }, { "b" } },
		{ { "k", "o", "a", "i" }, { "a", "o", "b", "i" }, { "b", "o", "a", "j" } }, REFUSED,
		PSTK_RULE_CYCLES, "b.o>a.j", -1, .says = { "'a' -> 'b' -> 'a'" } },
	{ "a kahn configuration actor makes a group",
		{ { "k", .kahn = true }, { "a", 2, { { "o", ONLY(1) } } }, { "b", 2, { { "i", ONLY(0) } } } },
		{ { "k", "c", "a", "ctl" }, { "k", "c", "b", "ctl" }, { "a", "o", "b", "i" } }, REFUSED,
		PSTK_RULE_CLOCKS, "a.o>b.i", 0, "a", { NULL } },
	{ "a kahn configuration actor's data are free of its control",
		{ { "k", .kahn = true }, { "a", 2, { { "i", ONLY(1) } } } },
		{ { "k", "c", "a", "ctl" }, { "k", "o", "a", "i" } }, 1, .value = -1, .says = { "kahn" } },
};

static void fifo_name(const struct pstk_fifo *f, char *text, size_t size)
{
	struct pstk_fifo_info info;

	text[0] = 0;
	if (!f)
		return;
	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	snprintf(text, size, "%s.%s>%s.%s", pstk_actor_name(info.src),
		pstk_actor_get_type(info.src)->ports[info.src_port].name, pstk_actor_name(info.dst),
		pstk_actor_get_type(info.dst)->ports[info.dst_port].name);
}

static void check_verdict(
	const struct verdict_case *c, const struct pstk_network *net, const struct pstk_verdict *v)
{
	char fifo[80];

	fifo_name(v->fifo, fifo, sizeof fifo);
	ck_assert_msg(v->result == c->result, "%s: result %d, expected %d: %s", c->label, v->result,
		c->result, v->reason);
	ck_assert_msg(
		v->rule == c->rule, "%s: rule %d, expected %d: %s", c->label, v->rule, c->rule, v->reason);
	ck_assert_msg(!strcmp(fifo, c->fifo ? c->fifo : ""), "%s: FIFO %s: %s", c->label, fifo, v->reason);
	ck_assert_msg(
		v->has_value == (c->value >= 0), "%s: has_value %d: %s", c->label, v->has_value, v->reason);
	ck_assert_msg(v->value == (c->value < 0 ? 0 : (uint32_t)c->value), "%s: value %u: %s", c->label,
		v->value, v->reason);
	ck_assert_msg(!strcmp(v->actor ? pstk_actor_name(v->actor) : "", c->actor ? c->actor : ""),
		"%s: actor %s: %s", c->label, v->actor ? pstk_actor_name(v->actor) : "none", v->reason);
	ck_assert_int_eq(v->conservative, c->conservative);
	ck_assert_uint_eq(v->bytes, pstk_network_fifo_bytes(net));
	ck_assert_uint_le(v->shared_bytes, v->bytes);
	ck_assert_str_ne(v->reason, "");
	ck_assert_int_eq(v->remedy[0] != 0, c->result != 0);
	ck_assert_ptr_null(strchr(v->reason, '\n'));
	ck_assert_ptr_null(strchr(v->remedy, '\n'));
}

/* Each case twice: a check leaves nothing behind that another one sees. */
START_TEST(each_rule)
{
	const struct verdict_case *c = &cases[_i];
	struct pstk_network *net = analysis_net_build(
		"case", c->actors, net_actor_count(c->actors), c->links, net_link_count(c->links));

	ck_assert_msg(!pstk_network_problem(net, 0), "%s: %s", c->label, pstk_network_error(net));
	for (unsigned round = 0; round < 2; round++) {
		struct pstk_verdict *v = PSTK_VERDICT();
		char *text = NULL;
		size_t size;
		FILE *report = open_memstream(&text, &size);

		memset((char *)v + sizeof v->struct_size, 0xa5, sizeof *v - sizeof v->struct_size);
		ck_assert_int_eq(pstk_network_check(net, report, v), c->result);
		fclose(report);
		check_verdict(c, net, v);
		ck_assert_msg(strstr(text, v->reason) && strstr(text, v->remedy), "%s: %s", c->label, text);
		for (unsigned i = 0; i < TEST_COUNT(c->says) && c->says[i]; i++)
			ck_assert_msg(
				strstr(text, c->says[i]), "%s: no '%s' in\n%s", c->label, c->says[i], text);
		ck_assert_str_eq(pstk_network_error(net), "");
		if (getenv("PENSTOCK_TEST_PRINT") && !round)
			printf("-- %s\n%s", c->label, text);
		free(text);
	}
	pstk_network_destroy(net);
}
END_TEST

/* start() refuses the same, with the same words; unless it is told not to check. */
START_TEST(each_start)
{
	const struct verdict_case *c = &cases[_i];
	struct pstk_network *net;

	if (c->result != -EDEADLK)
		return;
	net = analysis_net_build(
		"case", c->actors, net_actor_count(c->actors), c->links, net_link_count(c->links));
	struct pstk_verdict *v = PSTK_VERDICT();

	ck_assert_int_eq(pstk_network_check(net, NULL, v), -EDEADLK);
	ck_assert_int_eq(pstk_network_start(net), -EDEADLK);
	TEST_SAYS(pstk_network_error(net), v->reason, v->remedy);
	ck_assert_int_eq(pstk_network_wait(net), -EDEADLK);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analysis");
	TCase *c = test_case(suite, "rules");

	tcase_add_loop_test(c, each_rule, 0, (int)TEST_COUNT(cases));
	tcase_add_loop_test(c, each_start, 0, (int)TEST_COUNT(cases));
	return test_main(suite);
}
