/* SPDX-License-Identifier: MIT */
/* Timeline spans: tracks and what happens on them; how many tokens are in each FIFO. */
#ifndef PENSTOCK_TIMELINE_SPANS_H
#define PENSTOCK_TIMELINE_SPANS_H

#include "lib/observe/timeline_file.h"

/* The tracks' names; firings, waits, sleeps, control tokens by when they began. */
void ps_timeline_spans(struct ps_timeline_file *);

/* Each FIFO's tokens by time: a firing's windows count when its fire() has returned. */
void ps_timeline_fills(struct ps_timeline_file *);

#endif
