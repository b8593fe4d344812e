/* SPDX-License-Identifier: MIT */
/* Build check: is the network complete, and does what was asked of its actors fit? */
#ifndef PENSTOCK_BUILD_CHECK_H
#define PENSTOCK_BUILD_CHECK_H

#include "lib/model/network.h"

/* The checks of the whole network before the start; each problem is recorded. 0 or the first problem's error. */
int ps_network_check(struct pstk_network *);

#endif
