/* SPDX-License-Identifier: MIT */
/*
 * Load: how busy the parts of a network were, from the times in fire() and the looks of lib/observe/sampling.h. A share
 * is of the time since the threads began, or of the looks since then: 1 is all the time.
 */
#ifndef PENSTOCK_LOAD_H
#define PENSTOCK_LOAD_H

#include "lib/model/network.h"
#include "lib/plan/concurrency.h"

struct ps_actor_load {
	const struct pstk_actor *actor;
	const char *selector; /* of the device that it is on; NULL: it is on the cores */
	uint64_t firings;
	struct ps_limit limit; /* firings side by side, and why no more */
	double threads;        /* so many were in its fire(), on average */
	double cores;          /* .. and on a core there */
	double load;           /* busy, of the time in which it did not wait for a core: what limits has 1 */
	double for_core;       /* its own thread was waking up */
	double busy; /* threads of as many as its limit allows; on a device: of the looks that saw it run */
	double for_device; /* waits for what a device has */
	double may_fire;   /* waits for a thread of the team */
	double wait;       /* the most that it waits at a port .. */
	unsigned port;     /* .. which is this one */
};

struct ps_fifo_load {
	double writer_waits, reader_waits; /* the actors at its ends, for each other */
	double full, empty, fill;          /* fill: of its capacity, on average */
};

struct ps_load {
	const struct pstk_network *net;
	double seconds;
	uint64_t looks;
	struct ps_actor_load *actors;
	struct ps_fifo_load *fifos;
	double threads, cores; /* in fire() and on a core there, of all actors */
	unsigned cores_there;  /* that the process may use; with those of hosts whose figures it has */
};

/* Any thread, from start() on. -EINVAL: it was not looked at; -ENOMEM. */
int ps_load_measure(struct ps_load *, const struct pstk_network *);
void ps_load_free(struct ps_load *);

#endif
