/* SPDX-License-Identifier: MIT */
/*
 * Detector state: what the detector keeps of a network. For detector.c, still.c and deadlock*.c alone. Under the
 * detector's lock; once a deadlock is found, of its actors any thread that reports it: they stay as they are.
 */
#ifndef PENSTOCK_DETECTOR_STATE_H
#define PENSTOCK_DETECTOR_STATE_H

#include "lib/schedule/schedule.h"

/* What is remembered of an actor in a deadlock. */
struct ps_dead_wait {
	const struct pstk_fifo *fifo; /* at this FIFO .. */
	bool writes;                  /* .. as its writer .. */
	uint32_t rate;                /* .. that moves on by so many tokens */
	struct ps_layout
		layout; /* the FIFO's; where it leads from one host to another one the reader's host's */
	struct pstk_actor *other;        /* for which it waits */
	bool merged;                     /* .. because that one's buffer has the same memory */
	uint64_t firing, fill, capacity; /* tokens */
	uint64_t lacks;                  /* at an output: windows of room that would let it go on */
	bool decided;                    /* a dynamic actor that has taken its control token .. */
	uint32_t value;                  /* .. of this value */
};

struct ps_judged_actor {
	bool claimed; /* its runner holds it where it is */
	bool waits;   /* it is held at a FIFO's end */
	bool stuck;   /* nothing was found yet that could let it go on */
	struct ps_dead_wait dead;
};

struct ps_judged_fifo {
	bool held;                   /* the judging thread has its lock */
	struct ps_fifo_end *curious; /* where its reader waits, which this FIFO decides about */
};

struct ps_detector {
	struct ps_judged_actor *actors; /* by index */
	struct ps_judged_fifo *fifos;   /* by index */
	bool deadlocked;                /* one was found */
	bool over_hosts;                /* .. by all ranks together: names have their hosts in front */
};

/* The detector's lock, one for all networks: held by the thread that judges. Taken after claims; claims are only tried
 * under it, FIFOs' locks taken in index order. */
extern pthread_mutex_t ps_judging;

/* With it held: keeps all actors that wait where they are (ps_judged_actor.waits). false: another thread had one of a
 * team, which may be firing. */
bool ps_detector_hold(struct pstk_network *);
void ps_detector_let_go(struct pstk_network *);

/* Keeps what the report says of an actor that is held and waits. */
void ps_detector_remember(struct pstk_actor *);

/* Of an actor that is held: does it wait for another one, and will until that moves? */
bool ps_detector_stays(const struct pstk_actor *);

static inline struct ps_judged_actor *ps_judged(const struct pstk_actor *a)
{
	return &a->network->schedule->detector->actors[a->index];
}

#endif
