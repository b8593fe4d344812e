/* SPDX-License-Identifier: MIT */
/* Causes: what limits the throughput of a network, found in its load. */
#ifndef PENSTOCK_CAUSES_H
#define PENSTOCK_CAUSES_H

#include "lib/observe/load.h"

/* There are never more: a rule finds one. */
enum { PS_CAUSES_MOST = 7 };

/* The first one is what limits. Returns how many, at least 1. */
unsigned ps_causes_find(const struct ps_load *, struct pstk_cause found[PS_CAUSES_MOST]);

#endif
