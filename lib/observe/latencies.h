/* SPDX-License-Identifier: MIT */
/* Latencies: how long windows take from each source to each sink (lib/firing/latency.h), as the public calls say it. */
#ifndef PENSTOCK_LATENCIES_H
#define PENSTOCK_LATENCIES_H

#include "lib/model/network.h"

/* start(), with tasks that have their firings: what follows windows, if it was asked for. -ENOMEM, said. */
int ps_latencies_prepare(struct pstk_network *);

#endif
