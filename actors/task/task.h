/* SPDX-License-Identifier: MIT */
/* What task.c and task_cl.c share: what an actor keeps, and how tokens are written and checked. */
#ifndef PENSTOCK_ACTORS_TASK_H
#define PENSTOCK_ACTORS_TASK_H

#include "penstock/actors.h"

enum { PS_TASK_PORTS = 2 * PSTK_TASK_PORTS_MAX };

/* A port, as init() has found it. task.cl reads it as an array of ulong. */
struct ps_task_port {
	uint64_t size, rate;     /* bytes of a token; tokens of a window */
	uint64_t delay, history; /* of an input: initial tokens; tokens in front of the window's new ones */
};

/* The first token that was not what it should be. task.cl writes it as an array of ulong. */
struct ps_task_fault {
	uint64_t port; /* + 1; 0: there is none */
	uint64_t token, expected, found;
};

/* The state. A kernel sees the first two members. */
struct ps_task_state {
	struct ps_task_fault fault;
	struct ps_task_port ports[PS_TASK_PORTS];
	uint64_t ns;
	void *launchers
		[PSTK_PLACES_MAX]; /* task_cl.c's, of a counted source that does not sleep: one a place */
};

/* The arg. */
struct ps_task {
	unsigned inputs, outputs;
	enum pstk_task_mode mode;
	double time;
	uint64_t count;
};

/* Checks the first `valid` tokens of an input's window. False: one is wrong, and *fault says which. */
bool ps_task_check(const struct ps_task_state *, unsigned port, const void *window, uint64_t valid,
	uint64_t firing, struct ps_task_fault *fault);

/* Numbers the tokens of an output's window. */
void ps_task_number(const struct ps_task_port *, void *window, uint64_t firing);

/* Sleeps for so long. */
void ps_task_sleep(uint64_t ns);

/* The network's error: what the state's fault is. Returns -EPROTO. */
int ps_task_wrong(struct pstk_actor *);

/*
 * On a device; task_cl.c. Without OpenCL none of them is called.
 *
 * ps_task_loops(): how often a kernel loops in so many ns, found out once a device. The rest are of actors with
 * fire_cl(): those that sleep, by native kernels, and counted sources, which launch the kernel themselves because only
 * host code can end a stream.
 */
int ps_task_loops(struct pstk_actor *, const char *source, uint64_t ns, uint64_t *loops);
int ps_task_open_place(struct pstk_actor *, unsigned place);
int ps_task_fire_cl(struct pstk_firing *);
void ps_task_finish_cl(struct pstk_actor *);

#endif
