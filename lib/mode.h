/* SPDX-License-Identifier: MIT */
/* Mode: who runs the actors, how many firings of one side by side, and how deep FIFOs are whose depth nobody has given. */
#ifndef PENSTOCK_MODE_H
#define PENSTOCK_MODE_H

#include "lib/network.h"

enum { PS_THREADS_MAX = 256 };

/* pstk_network_create(): what the environment says. */
void ps_mode_init(struct pstk_network *);

/* BUILD. The windows of a FIFO whose depth nobody has given, without PSTK_DEPTH_AUTO. */
uint32_t ps_mode_depth(const struct pstk_network *);

#endif
