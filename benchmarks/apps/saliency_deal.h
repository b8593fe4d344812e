/* SPDX-License-Identifier: MIT */
/*
 * Frames dealt to two devices in turn: frame k goes to device k mod 2, and what comes of them is collected in that
 * order. Two Kahn actors, because neither waits for a pair of frames.
 */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_DEAL_H
#define PENSTOCK_BENCHMARKS_SALIENCY_DEAL_H

#include <penstock/penstock.h>

/* Ports: in; out1, out2. */
struct pstk_actor *saliency_deal_add(struct pstk_network *);

/* Ports: in1, in2; out. */
struct pstk_actor *saliency_collect_add(struct pstk_network *);

#endif
