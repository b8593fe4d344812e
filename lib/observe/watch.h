/* SPDX-License-Identifier: MIT */
/* Watch: what the watchdog, snapshots and samples keep of a network. For lib/observe, and
 * lib/run/hosts_still.c and hosts_counts.c. */
#ifndef PENSTOCK_WATCH_H
#define PENSTOCK_WATCH_H

#include "lib/observe/sampling.h"

/* What the other processes of the network are to be told. */
enum ps_watch_news { PS_WATCH_MOVED, PS_WATCH_SNAPSHOT };

struct ps_watch {
	int snapshot_signal;         /* constant after start; 0: none */
	atomic_bool snapshot_wanted; /* by a signal */

	struct ps_timeline *timeline; /* NULL: none is wanted */
	struct ps_sampling sampling;
	uint64_t latency_ns; /* BUILD: so often a source's window is followed; 0: never */

	bool notes_arrivals; /* BUILD: cycles are to be counted */

	bool watchdog_set;     /* BUILD: the environment does not count */
	bool watchdog_aborts;  /* constant after start */
	uint64_t watchdog_ns;  /* constant after start; 0: no watchdog */
	bool *watchdog_warned; /* by actor: it has; the watcher only */

	/* Guarded by net->lock until the watcher begins, constant then; NULL: there are no others. Any thread calls
	 * it. */
	void (*tell)(void *user, enum ps_watch_news);
	void *user;
	_Atomic uint64_t moved_elsewhere; /* the clock when another one has told so; 0: none has */
	atomic_bool snapshot_asked;       /* by another one */

	/* By FIFO: tokens written, as the processes of their readers have told this one. Set by start(); NULL: none
	 * tells. They tell once some thread has asked (`follows`). */
	_Atomic uint64_t *_Atomic written_elsewhere;
	atomic_bool follows;
};

#endif
