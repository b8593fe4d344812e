/* SPDX-License-Identifier: MIT */
/* Figures: what channels of this rank have sent, and how long they had to wait. */
#ifndef PENSTOCK_REMOTE_FIGURES_H
#define PENSTOCK_REMOTE_FIGURES_H

#include "lib/remote/remote.h"

struct ps_sent {
	uint32_t rank, number; /* of the channel */
	uint64_t windows, bytes;
	uint64_t starved_ns; /* a window was there, and there was no credit for it */
};

/* Of the n-th channel that sends. false: there are no more. Any thread; while the remote thread runs each figure is of
 * a moment of its own. */
bool ps_remote_sent(const struct ps_remote *, uint32_t n, struct ps_sent *);

#endif
