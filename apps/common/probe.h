/* SPDX-License-Identifier: MIT */
/*
 * Probe: how far apart two cores are at this moment. The cores of a virtual machine may be two of one chip's
 * neighbours at one time and two far ones a second later; what runs on one core doesn't notice, what runs on
 * two is up to twice as slow. So figures of the two states are kept apart.
 */
#ifndef COMMON_PROBE_H
#define COMMON_PROBE_H

#ifdef __cplusplus
extern "C" {
#endif

enum probe_state {
	PROBE_NEAR,
	PROBE_FAR,
	PROBE_NEITHER, /* it couldn't be told: one core only, or others kept the cores busy */
	PROBE_STATES
};

struct probe {
	enum probe_state state;
	double ns; /* for a cache line to the other core and back; 0: not measured */
};

extern const char *const probe_state_names[PROBE_STATES];

/* A cache line goes to and fro between two threads on two cores for about 3 ms; four times that where the
 * cores are busy. */
struct probe probe_cores(void);

/* Probes and prints it, "cores before: near, 110 ns": of programs that don't sort their runs by it. */
void probe_print(const char *when);

/* The index-th core that this process may use, -1: it has not so many. */
int probe_core(unsigned index);

#ifdef __cplusplus
}
#endif

#endif
