/* SPDX-License-Identifier: MIT */
/*
 * Timeline: the file that is made of a trace (lib/trace), in Chrome's trace format. "Trace Event Format", Google, 2016:
 * one JSON object, an event a line, so that a file that was cut short can be ended behind any line.
 */
#ifndef PENSTOCK_TIMELINE_H
#define PENSTOCK_TIMELINE_H

#include "lib/model/network.h"

/* create() and destroy(). */
int ps_timeline_create(struct pstk_network *);
void ps_timeline_free(struct pstk_network *);

/* start(), when the threads are known: opens the file, takes the memory. A negative errno: the network has failed. */
int ps_timeline_prepare(struct pstk_network *);

/* wait(), when no thread fires any more: writes the file. */
void ps_timeline_write(struct pstk_network *);

#endif
