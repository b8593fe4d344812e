/* SPDX-License-Identifier: MIT */
/* Arrivals: in which cycle each input had its first window (lib/firing/arrival.h), as the public calls say it. */
#ifndef PENSTOCK_ARRIVALS_H
#define PENSTOCK_ARRIVALS_H

#include "lib/model/network.h"

/* start(), with tasks that have their firings: what counts cycles, if it was asked for. -ENOMEM, said. */
int ps_arrivals_prepare(struct pstk_network *);

#endif
