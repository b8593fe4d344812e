/* SPDX-License-Identifier: MIT */
/* The layout of a FIFO whose ends have one rate, without history. */
#ifndef PENSTOCK_TESTS_ONE_RATE_H
#define PENSTOCK_TESTS_ONE_RATE_H

#include "lib/fifo/layout.h"

static inline int one_rate(
	struct ps_layout *l, uint32_t rate, uint32_t delay, uint32_t depth, size_t token_size)
{
	*l = (struct ps_layout){ .write_rate = rate,
		.read_rate = rate,
		.delay = delay,
		.depth = depth,
		.token_size = token_size };
	return ps_layout_init(l);
}

#endif
