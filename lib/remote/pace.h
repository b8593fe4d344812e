/* SPDX-License-Identifier: MIT */
/* Pace: how long a thread sleeps between two looks at a transport, which wakes no thread. Only for the files of this
 * folder. */
#ifndef PENSTOCK_REMOTE_PACE_H
#define PENSTOCK_REMOTE_PACE_H

#include <stdint.h>

enum {
	PS_PACE_SPIN_NS = 20000,
	PS_PACE_SHORT_NS = 100000, /* the longest sleep while something has moved lately .. */
	PS_PACE_LATELY_NS = 100000000,
	PS_PACE_LONG_NS = 2000000, /* .. and else */
	/* .. of a thread that no windows can come to: each look takes a core from an actor, and its caches with it */
	PS_PACE_ALONE_NS = 20000000
};

/* How long to sleep, ns after something has moved; it was `last` before. longest: where nothing has moved lately.
 * 0: not at all. */
static inline uint64_t ps_pace_sleep(uint64_t ns, uint64_t last, uint64_t longest)
{
	uint64_t most = ns < PS_PACE_LATELY_NS ? PS_PACE_SHORT_NS : longest;
	uint64_t next = last ? 2 * last : PS_PACE_SPIN_NS;

	if (ns < PS_PACE_SPIN_NS)
		return 0;
	return next < most ? next : most;
}

#endif
