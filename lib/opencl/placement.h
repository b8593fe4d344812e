/* SPDX-License-Identifier: MIT */
/* Placement: where the memory of a FIFO is, from where its two ends are. */
#ifndef PENSTOCK_PLACEMENT_H
#define PENSTOCK_PLACEMENT_H

#include "lib/model/network.h"
#include "lib/opencl/cl_fifo.h"
#include "lib/model/merging.h"

/* false: plain memory of the host. Any time. The environment's PENSTOCK_MEMORY=svm|map|copy forces how host and device
 * share. */
bool ps_placement(const struct pstk_fifo *, enum ps_cl_kind *);

/* Where the FIFO is read: the reader's device; NULL: on the host, as all control values are. */
const struct ps_cl_device *ps_placement_reader(const struct pstk_fifo *);

/* Has it an end that moves? Its windows have a home then (cl_home.h), whichever places are named here. Any time. */
bool ps_placement_is_home(const struct pstk_fifo *);

/* How many places an end has, and the device of one of them, NULL: the cores. Any time. */
unsigned ps_placement_places(const struct pstk_fifo *, bool writer);
const struct ps_cl_device *ps_placement_at(const struct pstk_fifo *, bool writer, unsigned place);

/* The bytes that its ends' windows at device places take besides its home. Any time. */
size_t ps_placement_staging(const struct pstk_fifo *);

/* The FIFO whose memory this one's reader reads: itself, or of a device's broadcast one with delay tokens, or of those
 * that use one way to one place the deepest. Before the start only. */
const struct pstk_fifo *ps_placement_owner(const struct pstk_fifo *);

/*
 * Ways of one output that are one (cl_way.h), before the start. Each place has one buffer, as a plan has it, and each
 * window crosses a link once. Which FIFOs of an output share: those that have ways, and no delay tokens, in a network
 * of static actors whose FIFOs all have one rate and no history. (Elsewhere how far one reader may be ahead of another
 * can decide whether the network goes on.) Their depths may differ: a place has as many windows as the deepest reader
 * there wants. The others have ways of their own.
 *
 * The lead: the FIFO that has the memory before the readers' places. Itself where no other uses its way.
 */
const struct pstk_fifo *ps_placement_lead(const struct pstk_fifo *, struct ps_cl_way_shape *shape);

/* The FIFO that has the memory of the writer's place: the owner, or the lead. But a way without delay tokens takes
 * windows where readers on the writer's device read them, if these have no delay tokens, and enough windows. Before the
 * start only. */
const struct pstk_fifo *ps_placement_home(const struct pstk_fifo *);

/* Before the start. Of a FIFO on the cores: has it its windows where a way of the same output begins? So it is if it
 * has enough, and no delay tokens. */
bool ps_placement_beside(const struct pstk_fifo *, const struct pstk_fifo *of_way);

/* Any time. Do the host and this device of the network use one memory, where it can be used in place? */
bool ps_placement_shares(const struct pstk_network *, const struct pstk_device_info *);

/* Of actors on devices, any time: are plain windows between the host and its device copied? Do two use one memory? */
bool ps_placement_copies(const struct pstk_actor *);
bool ps_placement_together(const struct pstk_actor *, const struct pstk_actor *);

/*
 * Before the start. Those buffers of the FIFO that a plan wants to share memory, and that can; returns how many. Left
 * out are buffers that in this library are no single memory: of an output with readers at several places, or with more
 * than PS_MEMBER_READERS; and those on the host.
 */
unsigned ps_placement_merges(const struct pstk_fifo *, struct ps_merging_site sites[2]);

/* Before the start. Does the actor at this end wait for readers of other buffers, if these are merged? */
bool ps_placement_waits_for_merged(const struct pstk_fifo *, bool reader);

/* For reports: is the memory that of another FIFO? */
bool ps_placement_shared(const struct pstk_fifo *);

/* For reports: does a buffer of it share memory with those of other outputs? */
bool ps_placement_merged(const struct pstk_fifo *);

/* For reports: are its windows copied or mapped between two places? */
bool ps_placement_moves(const struct pstk_fifo *);

/* How many places, each with windows of its own, they cross before the reader's. Any time. */
unsigned ps_placement_hops(const struct pstk_fifo *);

/* For reports: "host", "device", "staged", .. */
const char *ps_placement_name(const struct pstk_fifo *);

#endif
