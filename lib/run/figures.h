/* SPDX-License-Identifier: MIT */
/* Figures: what all processes of a network have counted comes to rank 0 (lib/observe/adopt.h). */
#ifndef PENSTOCK_RUN_FIGURES_H
#define PENSTOCK_RUN_FIGURES_H

#include "lib/model/network.h"

struct ps_remote;
struct pstk_transport;

/* Only tests set it: ends when nothing has come from a rank for so long. */
extern uint64_t ps_figures_patience_ns;

/* wait(), or a start() that has failed, when the remote thread has ended: all ranks, before traces are written. Without
 * the figures of others a run is still what it was: what fails here is in the log alone. false: the ranks are out of
 * step. */
bool ps_figures_gather(struct pstk_network *, struct pstk_transport *, const struct ps_remote *);

#endif
