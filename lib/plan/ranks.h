/* SPDX-License-Identifier: MIT */
/*
 * Ranks: the processes that a network runs over, and the host of the machine that each of them is. One rank a host.
 * A rank is the host that it was given by name, else one whose address is the machine that it runs on, else the host of
 * its number, else the first that is left.
 */
#ifndef PENSTOCK_RANKS_H
#define PENSTOCK_RANKS_H

#include "lib/model/network.h"

/* A host of the machine that a plan was made for. */
struct ps_planned_host {
	unsigned place;             /* its number in the machine */
	const char *name, *address; /* address: NULL: none */
};

/* BUILD. The network runs over so many processes, of which this is number `own`. -ENOMEM. */
int ps_ranks_set(struct pstk_network *, uint32_t count, uint32_t own);

/* After that. The host that a rank was given, NULL: none, and the machine that it runs on. -ENOMEM. */
int ps_ranks_name(struct pstk_network *, uint32_t rank, const char *host, const char *machine);

/* BUILD, when a plan is applied. Gives each rank its host, and the network this process's (parts.h). Without ranks it
 * does nothing. What is refused is a problem of the network.
 *   -EINVAL: not as many hosts as ranks, or a rank runs on another machine than its host's address says
 *   -ENOENT: a rank was given a host that isn't there
 *   -EEXIST: two ranks were given one host
 *   -ENOMEM */
int ps_ranks_place(struct pstk_network *, const struct ps_planned_host *, unsigned count);

/* How many there are; 0: the network runs in one process, without a transport. */
uint32_t ps_ranks_count(const struct pstk_network *);

/* After ps_ranks_place(). The rank of a host, by its number in the machine; their count: it is none's. A rank's host;
 * NULL: there is no such rank. */
uint32_t ps_ranks_of_host(const struct pstk_network *, unsigned place);
const char *ps_ranks_host(const struct pstk_network *, uint32_t rank);

/* destroy() */
void ps_ranks_free(struct pstk_network *);

#endif
