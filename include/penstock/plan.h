/* SPDX-License-Identifier: MIT */
/*
 * Plan: what a network will need on a machine, before anything runs.
 *
 * A machine is hosts, their devices, and the links between them. Its hosts and devices are its places: "c0" is a host,
 * "c0/g0" a device of it. From a network, a machine and a mapping of actors to places follow
 *   - the order in which the actors of a place fire,
 *   - the buffers: where each lies, how deep it is, which of them share memory,
 *   - the cycle in which each actor has its first windows,
 *   - the load of each place and link, and so the period: the time that an iteration takes at least.
 * The source is "PACCO" (Boulos, Houzet, Huet et al., "Efficient implementation of data flow graphs on multi-gpu
 * clusters"); doc/planning.md says what was changed, and why.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_PLAN_FACE_H
#define PENSTOCK_PLAN_FACE_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Machine.
 *
 * One thread at a time may use it. The functions take NULL for any pointer, and then return -EINVAL, NULL or 0.
 */

struct pstk_machine; /* hosts, devices and links */

/* How two places pass windows on. */
enum pstk_link_kind {
	PSTK_LINK_SHARED, /* they use one memory: nothing is copied */
	PSTK_LINK_COPY,   /* a copy between a host and its device, or between two devices of a host */
	PSTK_LINK_NET     /* a network between two hosts */
};

struct pstk_link {
	const char *a, *b; /* places */
	enum pstk_link_kind kind;
	double rate;    /* bytes/s in each direction; a shared link has none */
	double latency; /* s that each transfer takes besides */
	bool half;      /* half duplex: both directions take turns */
};

struct pstk_place {
	const char *name;     /* "c0", "c0/g0" */
	const char *selector; /* of a device, or NULL: it can be planned, but nothing runs there */
	unsigned host;        /* the number of its host; a host has its own */
	unsigned cores;       /* of a host; a device counts as 1 */
	uint64_t memory;      /* bytes that it has; 0: not known */
};

/* Creates a machine without places. NULL: out of memory. */
PSTK_PUBLIC struct pstk_machine *pstk_machine_create(void);
PSTK_PUBLIC void pstk_machine_destroy(struct pstk_machine *);

/*
 * Adds a host, or a device of a host, whose name then is HOST/NAME. memory: bytes, 0: not known. selector: as
 * pstk_actor_map() takes it; NULL or "": none. Returns
 *   the number of the place, from 0
 *   -EINVAL: no core, or no name; a name may not contain '/', and begins with a letter, a digit or '_'
 *   -ENOENT: there is no such host
 *   -EEXIST: there is such a place already
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_machine_add_host(
	struct pstk_machine *, const char *name, unsigned cores, uint64_t memory);
PSTK_PUBLIC int pstk_machine_add_device(
	struct pstk_machine *, const char *host, const char *name, const char *selector, uint64_t memory);

/*
 * Adds a link between two places. Returns
 *   the number of the link, from 0
 *   -ENOENT: there is no such place
 *   -EINVAL: a rate that is not above 0 (or is given for a shared link), a latency below 0, both ends are one place,
 *            or the kind does not fit: net is between hosts, the others are within one
 *   -EEXIST: these places have a link already
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_machine_add_link(struct pstk_machine *, const struct pstk_link *);

/* Why the last call that failed did so, with the nearest name where one is unknown; "" if none has. */
PSTK_PUBLIC const char *pstk_machine_error(const struct pstk_machine *);

/* How many places and links there are. */
PSTK_PUBLIC unsigned pstk_machine_place_count(const struct pstk_machine *);
PSTK_PUBLIC unsigned pstk_machine_link_count(const struct pstk_machine *);

/* One of them. Its strings are borrowed. -EINVAL: there are not so many. */
PSTK_PUBLIC int pstk_machine_get_place(const struct pstk_machine *, unsigned index, struct pstk_place *);
PSTK_PUBLIC int pstk_machine_get_link(const struct pstk_machine *, unsigned index, struct pstk_link *);

/* The number of the place of that name. -ENOENT: there is none; pstk_machine_error() says what may have been meant. */
PSTK_PUBLIC int pstk_machine_find(struct pstk_machine *, const char *place);

#ifdef __cplusplus
}
#endif

#endif
