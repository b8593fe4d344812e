/* SPDX-License-Identifier: MIT */
/*
 * Hosts: one network over several processes, each on a host of the machine (<penstock/plan.h>). Every process builds
 * the whole network, makes the same plan, and runs only the actors of its own host. A transport
 * (<penstock/transport.h>) carries windows between them: the one of <penstock/mpi.h> between processes that mpirun has
 * started. Where the machine has no link between two hosts, the processes of those on the route pass them on.
 *
 *	transport = pstk_mpi_transport(text, sizeof text);
 *	pstk_network_set_hosts(net, transport, NULL);
 *	pstk_plan_apply(net, plan);
 *	err = pstk_network_run(net);
 *
 * pstk_network_start(), _run() and _destroy() are called in all processes. A process that does not get that far ends
 * the others by the transport's abort(). doc/hosts.md says what crosses where.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_HOSTS_H
#define PENSTOCK_HOSTS_H

#include <penstock/core/types.h>
#include <penstock/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Lets a network run over the ranks of a transport. Context: BUILD, before pstk_plan_apply(). All ranks call it: each
 * waits for the others. The transport stays the caller's and outlives the network.
 * host: which host of the machine this rank is. NULL: the one whose address (pstk_machine_set_address()) is the name of
 * the machine that it runs on, else the one of this number: rank 0 is the first host. pstk_plan_apply() looks it up,
 * and refuses what is not one rank a host.
 * Returns
 *   0
 *   -EINVAL: NULL, a transport of another version, or a name of more than 255 bytes
 *   -EBUSY: the network was started, or has its hosts
 *   -ENOMEM
 *   another negative errno: the transport's
 */
PSTK_PUBLIC int pstk_network_set_hosts(struct pstk_network *, struct pstk_transport *, const char *host);

/*
 * Adds a line to what all ranks must have alike. pstk_network_start() compares actors, ports, FIFOs and ways, but can't
 * see what an actor's argument means: a graph file's parameters, say, which pstk_graph_load() adds. The first line that
 * differs is named with both ranks. Context: BUILD. The line is copied.
 * Returns
 *   0
 *   -EINVAL: NULL, or a line with a line feed
 *   -EBUSY: the network was started
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_network_compare(struct pstk_network *, const char *line);

/* The name of a rank's host, once a plan was applied. Borrowed. NULL: there is no such rank. Context: ANY. */
PSTK_PUBLIC const char *pstk_network_host(const struct pstk_network *, uint32_t rank);

/* The name of the host that runs an actor, once a plan was applied. Borrowed. NULL: its network has no hosts, or NULL.
 * Context: ANY. */
PSTK_PUBLIC const char *pstk_actor_host(const struct pstk_actor *);

/* A rank that has failed: it is dead or silent, or this one can't reach it any more. After that the program ends by the
 * transport's abort(). -1: none has. Context: ANY. */
PSTK_PUBLIC int pstk_network_lost_rank(const struct pstk_network *);

/*
 * What has crossed: windows of one output to one other process. On a way over several processes there is one for each
 * step.
 */
struct pstk_crossing {
	const struct pstk_fifo *
		fifo; /* the first of the output's FIFOs that lead there, or over it: it stands for all of them */
	uint32_t from, to; /* ranks */
	uint64_t windows, bytes;
	/* A window was there and was not sent, because the reader's process had no room for it. Near the whole time of
	 * the run: what is behind it is slower than what is before it. */
	uint64_t wait_ns;
};

/*
 * Tells what has crossed between all processes; after the run: of rank 0, of other ranks what they have sent. Context:
 * after pstk_network_wait().
 *
 * crossings: room for so many; the others are counted only.
 * Returns how many there are; 0 of a network that did not run over hosts. -EINVAL: NULL
 */
PSTK_PUBLIC int pstk_network_crossings(
	const struct pstk_network *, struct pstk_crossing *crossings, unsigned size);

#ifdef __cplusplus
}
#endif

#endif
