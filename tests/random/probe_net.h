/* SPDX-License-Identifier: MIT */
/*
 * Random networks of dynamic actors under one control, most of them on devices, with a sequential oracle:
 *
 *   source --0,1--> probe1 --2,3--> probe2 --4,5--> sink
 *          \-> tap         |\-----> probe3 --6,7--> sink
 *                           \-> tap
 *
 * Bit s of the control value says that signal s is on, at its writer and at its readers. Taps and sinks, on cores, check
 * each token; they have fewer delay tokens than a window, and read something in the last firing, so that no actor ends
 * before its own last one because nobody reads it. A probe is a kernel that checks which of its pointers are NULL.
 */
#ifndef PENSTOCK_TESTS_PROBE_NET_H
#define PENSTOCK_TESTS_PROBE_NET_H

#include "tests/common/common.h"

#include <penstock/penstock.h>

enum {
	PROBE_SIGNALS = 8,
	PROBE_VALUES = 1 << PROBE_SIGNALS,
	PROBE_FIFOS = 14,
	PROBE_FIRINGS = 40,
	PROBE_RATE = 5,
	PROBE_TOKENS = PROBE_FIRINGS * PROBE_RATE + 3 * PROBE_RATE + 2
};

enum {
	PROBE_SOURCE,
	PROBE_TAP0,
	PROBE_1,
	PROBE_TAP1,
	PROBE_2,
	PROBE_SINK2,
	PROBE_3,
	PROBE_SINK3,
	PROBE_ACTORS
};

/* What a probe keeps, on the device too. */
struct probe_state {
	uint64_t launches, wrong, sum;
};

/* A probe's firing: x, y, p, q; NULL: off. */
struct probe_windows {
	uint32_t *at[4];
	uint32_t rate[4], valid[4];
};

/* What the kernel does, for cores, the fake driver and the oracle. */
void probe_run(struct probe_state *, const struct probe_windows *, uint64_t firing);

struct probe_fifo {
	unsigned signal, reader;
	uint32_t delay, depth;
	uint32_t tokens[PROBE_TOKENS]; /* all that are ever in it, the delay tokens first */
	uint32_t count, taken;         /* of the oracle */
	uint64_t windows;              /* read */
};

struct probe_net {
	uint64_t seed;
	unsigned firings;
	uint32_t values[PROBE_FIRINGS];
	uint32_t rates[PROBE_SIGNALS];
	uint32_t last_valid[2];           /* of signals 0 and 1 in the last firing */
	const char *device[PROBE_ACTORS]; /* NULL: on a core */
	const char *control_device; /* the values come out of a kernel there; NULL: of a source on a core */
	uint32_t control_depth;
	struct probe_fifo fifos[PROBE_FIFOS];
	struct probe_state states[PROBE_ACTORS]; /* of the oracle */
};

struct probe_totals {
	uint64_t networks, firings, tokens;
};

/* devices: count of them, to choose from for each probe. */
void probe_random(struct probe_net *, uint64_t seed, const char *const *devices, unsigned count);

/* After probe_check(): how many kernels it has launched, with the first launch of each. */
uint64_t probe_launches(const struct probe_net *);

/* NULL: every token, state and leftover is the oracle's; else what differs, in a buffer of the caller's thread. */
const char *probe_check(struct probe_net *, struct probe_totals *);

#endif
