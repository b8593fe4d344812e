/* SPDX-License-Identifier: MIT */
/* Placement: where the memory of a FIFO is, from where its two ends are. */
#ifndef PENSTOCK_PLACEMENT_H
#define PENSTOCK_PLACEMENT_H

#include "lib/opencl/cl_fifo.h"
#include "lib/model/network.h"

/* false: plain memory of the host. Any time. The environment's PENSTOCK_MEMORY=svm|map|copy forces how host and device
 * share. */
bool ps_placement(const struct pstk_fifo *, enum ps_cl_kind *);

/* Where the FIFO is read: the reader's device; NULL: on the host, as all control values are. */
const struct ps_cl_device *ps_placement_reader(const struct pstk_fifo *);

/* The FIFO whose memory this one's reader reads: itself, or of a device's broadcast one with delay tokens. Before the
 * start only. */
const struct pstk_fifo *ps_placement_owner(const struct pstk_fifo *);

/* Of actors on devices, any time: are plain windows between the host and its device copied? Do two use one memory? */
bool ps_placement_copies(const struct pstk_actor *);
bool ps_placement_together(const struct pstk_actor *, const struct pstk_actor *);

/* For reports: is the memory that of another FIFO? */
bool ps_placement_shared(const struct pstk_fifo *);

/* For reports: are its windows copied or mapped between two places? */
bool ps_placement_moves(const struct pstk_fifo *);

/* How many places, each with windows of its own, they cross before the reader's. Any time. */
unsigned ps_placement_hops(const struct pstk_fifo *);

/* For reports: "host", "device", "staged", .. */
const char *ps_placement_name(const struct pstk_fifo *);

#endif
