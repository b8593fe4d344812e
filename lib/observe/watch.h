/* SPDX-License-Identifier: MIT */
/* Watch: what the watchdog, snapshots and samples keep of a network. For lib/observe alone. */
#ifndef PENSTOCK_WATCH_H
#define PENSTOCK_WATCH_H

#include "lib/observe/sampling.h"

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
};

#endif
