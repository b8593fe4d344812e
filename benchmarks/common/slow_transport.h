/* SPDX-License-Identifier: MIT */
/* A transport over a slow link: what it sends is there, and told, when the link is through with it. */
#ifndef PENSTOCK_BENCHMARKS_SLOW_TRANSPORT_H
#define PENSTOCK_BENCHMARKS_SLOW_TRANSPORT_H

#include "benchmarks/common/slow_link.h"

#include <penstock/transport.h>

/* In front of one between the same two ranks. Both stay the caller's; free this one first. NULL: out of memory. */
struct pstk_transport *slow_transport_new(struct slow_link *, struct pstk_transport *);
void slow_transport_free(struct pstk_transport *); /* takes NULL */

#endif
