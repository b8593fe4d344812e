/* SPDX-License-Identifier: MIT */
/*
 * Hosts' counts: while a network runs, rank 0 is told how many tokens FIFOs of other hosts have been written, so that
 * it can say how far the whole is. Once some thread of rank 0 asks (pstk_fifo_get_info()), each other rank tells about
 * each second what has changed at the FIFOs whose readers it has. At the end all figures come (figures.h).
 *
 * lib/run/hosts.c calls it: from the remote thread, if nothing else is said.
 */
#ifndef PENSTOCK_HOSTS_COUNTS_H
#define PENSTOCK_HOSTS_COUNTS_H

#include "lib/model/network.h"
#include "lib/remote/remote.h"

struct ps_hosts_counts;

/* start(). NULL: out of memory. */
struct ps_hosts_counts *ps_hosts_counts_new(
	struct pstk_network *, struct ps_remote *, uint32_t rank, uint32_t ranks);
void ps_hosts_counts_free(struct ps_hosts_counts *);

/* ps_remote_calls.looked() */
void ps_hosts_counts_look(struct ps_hosts_counts *);

/* ps_remote_calls.message(). false: it is of another kind. */
bool ps_hosts_counts_hear(struct ps_hosts_counts *, uint32_t kind, const void *bytes, uint32_t size);

/* From one telling to the next. Only tests change it. */
extern uint64_t ps_hosts_counts_every_ns;

#endif
