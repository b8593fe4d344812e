/* SPDX-License-Identifier: MIT */
/* Run: what start(), wait() and signals keep of a network. For lib/run alone. */
#ifndef PENSTOCK_RUN_H
#define PENSTOCK_RUN_H

#include "lib/model/network.h"

struct ps_run {
	pthread_t watcher;
	void *alternate_stack;  /* the watcher's, for the crash handler; constant after start */
	unsigned initialised;   /* actors whose init() has succeeded; start() and wait() only */
	bool ending;            /* guarded by the network's lock: some thread is in the end of wait() */
	bool ended;             /* guarded by the network's lock: the watcher may go */
	int result;             /* guarded by the network's lock: what wait() returns in PS_ENDED */
	struct ps_hosts *hosts; /* hosts.h; NULL: it runs in this process alone */
	FILE *compare;          /* BUILD: takes lines of pstk_network_compare(); NULL: there is none .. */
	char *compared;         /* .. the lines, once it is flushed */
	size_t compared_bytes;
	char agreed[PS_ERROR_LONGEST]; /* the error of all processes; hosts.c's */
	atomic_bool finished;          /* wait() is through with every finish() */
	atomic_int signal;             /* the first one that stopped it */
	atomic_uint signals;           /* how many came */
};

#endif
