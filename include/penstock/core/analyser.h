/* SPDX-License-Identifier: MIT */
/*
 * Analyser: can this network deadlock, or grow?
 *
 * The analyser looks at rates, delays and the control functions. It runs nothing and allocates no FIFO. Its rules and
 * their proof: doc/internals/deadlock.md.
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_CORE_ANALYSER_H
#define PENSTOCK_CORE_ANALYSER_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which rule a network breaks. */
enum pstk_rule {
	PSTK_RULE_NONE,
	/* control() returns an error for a declared value, or calls what it must not. Or two actors that one output
	 * controls declare different control_values; `fifo` is the control FIFO of the actor that declares fewer. */
	PSTK_RULE_CONTROL,
	PSTK_RULE_CLOCKS, /* R1: the ends of a FIFO are not on at the same times */
	PSTK_RULE_CYCLES, /* R2: a cycle of FIFOs has too few delay tokens for a first firing, or to go on */
	PSTK_RULE_RATES,  /* R0: the rates of a cycle, whatever its directions, say two different things */
	PSTK_RULE_ROOM    /* R3: a depth that was given is too small */
};

/* What the analyser has found. Each text is a single line without an end of line. */
struct pstk_verdict {
	uint32_t struct_size; /* sizeof(struct pstk_verdict) of the program; set it before the call */
	int result;           /* what pstk_network_check() returns, but never -EIO of the report */
	enum pstk_rule rule;  /* refused: the rule that is broken */
	bool has_value;       /* refused: the rule is broken for one value of a control token, `value` */
	uint32_t value;
	const struct pstk_actor
		*actor; /* with has_value: the actor whose control() is meant; NULL: it is any value */
	const struct pstk_fifo *fifo; /* refused: the FIFO, or one of the cycle; NULL: no FIFO is concerned */
	/* Refused, but the network may be right: after 65536 cases of control values (fewer in large networks) there
	 * were still more. So the analyser took all FIFOs that can be on as on at once. */
	bool conservative;
	size_t bytes;        /* memory bound: of all FIFOs, each by itself (pstk_network_fifo_bytes()) */
	size_t shared_bytes; /* memory bound where readers of a broadcast share one buffer */
	char reason[512];    /* why */
	char remedy[400];    /* refused, or checked at run time: what would fix it */
};

/* A pointer to a verdict to be filled. C only. */
#define PSTK_VERDICT() (&(struct pstk_verdict){ .struct_size = (uint32_t)sizeof(struct pstk_verdict) })

/*
 * Gives the verdict on a network: to people in `report`, to programs in `verdict`. Either may be NULL. Context: BUILD.
 *
 * The call does not call init(): it does not see what an actor makes of its rates.
 *
 * A refusal is a verdict, not the network's error. pstk_network_start() makes it the network's error, unless
 * PSTK_UNCHECKED is set.
 *
 * With result 1 the run is watched. Members of one control group compare what each control token turns on. The first
 * difference ends the network (-EPROTO), also where the network would have come through. A deadlock ends it with
 * -EDEADLK. With PSTK_UNCHECKED the members are not compared.
 * Returns
 *   0: proven free of deadlock in bounded memory, whatever the control tokens are
 *   1: nothing is wrong, but not everything can be proven: there are undeclared control values, or kahn actors
 *   -EDEADLK: refused
 *   -EINVAL: NULL, or a struct_size that does not fit
 *   -EINVAL: pstk_network_start() would refuse the network for its problems; reason is the first of them, and the
 *            report lists all. What is only missing yet, such as a connection, can still be built after the call
 *   -EBUSY: the network was started
 *   -ENOMEM
 *   -EIO: the report can't be written
 * -EBUSY, and -EINVAL for the arguments, leave the verdict untouched.
 */
PSTK_PUBLIC int pstk_network_check(struct pstk_network *, FILE *report, struct pstk_verdict *verdict);

#ifdef __cplusplus
}
#endif

#endif
