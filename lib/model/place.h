/* SPDX-License-Identifier: MIT */
/*
 * Place: where an actor may run, if it is movable: the cores, or a device. The first one is where it is mapped to,
 * which pstk_actor_map() may still change in BUILD. So start() alone takes out what is there twice.
 */
#ifndef PENSTOCK_PLACE_H
#define PENSTOCK_PLACE_H

#include "lib/model/network.h"

enum { PS_PLACE_NAME = 64 };

/* Constant after start. */
struct ps_actor_place {
	const struct ps_backend *backend; /* NULL: the cores */
	struct ps_cl_actor *cl;           /* the OpenCL backend's; NULL: the cores */
	char name[PS_PLACE_NAME];         /* of this place and no other: "cores", or the device's selector */
	const char *given;                /* the selector that it was given by, cl's; NULL: the cores */
	bool named;           /* it was given by the machine's name, which the plan before knew. Then: */
	bool far;             /* it is of another host than the actor's, .. */
	unsigned host;        /* .. this one of the machine; */
	const char *selector; /* the machine's word for the device; NULL: the cores */
	atomic_bool dead;     /* of a guarded actor: a call or a command has failed there */
};

/* The cores. */
struct ps_actor_place ps_place_cores(void);

/* BUILD. One more place. first: where the actor is mapped to now. 0, or a negative errno, and the network's problem. */
int ps_place_add(
	struct pstk_actor *, const struct ps_actor_place *first, const struct ps_actor_place *further);

/* BUILD. It has places from here on, if only the first one. -ENOMEM, and the network's problem. */
int ps_place_begin(struct pstk_actor *, const struct ps_actor_place *first);

/* BUILD. Was it given this further place already, in the same words? */
bool ps_place_is_given(const struct pstk_actor *, const struct ps_actor_place *further);

/* BUILD. It is mapped to this place now. */
void ps_place_map(struct pstk_actor *, const struct ps_actor_place *first);

/* Has it places of both sorts? Any time. */
bool ps_place_mixes(const struct pstk_actor *);

/* The backend of any of its places but the cores; NULL: there is none. Any time. */
const struct ps_backend *ps_place_backend(const struct pstk_actor *);

/* Has it a place besides the first? Any time. */
bool ps_place_moves(const struct pstk_actor *);

/* BUILD. Makes it a problem if the actor could not be moved between its places. */
void ps_place_check(struct pstk_actor *);

/*
 * Places as the machine has them (place_host.c).
 */

/* BUILD, when a plan is applied: the machine has a place of this name; none is known any more. -ENOMEM. */
int ps_place_name(
	struct pstk_network *, const char *name, unsigned host, bool is_device, const char *selector);
void ps_place_name_none(struct pstk_network *);

/* BUILD. *place: the one that is called so, if it is of the machine; else the cores. *wanted: the device that is to be
 * found in this process, NULL: none. *device gets NULL where the place is some cores. A negative errno: that can't be a
 * place, and the network's problem. */
int ps_place_take_named(
	struct pstk_actor *, const char **device, struct ps_actor_place *place, const char **wanted);

/* BUILD, when a plan is applied: it puts the actor, which is away, there. */
void ps_place_plan(struct pstk_actor *, const char *name);

/* BUILD. Has it a further place that the machine named? */
bool ps_place_is_named(const struct pstk_actor *);

/* What a place of the machine is called by the actor's own host; another name as it is. */
const char *ps_place_at_home(const struct pstk_actor *, const char *device);

/* BUILD. It has a place at another host now. */
void ps_place_add_host(struct pstk_actor *);

/* BUILD. As ps_place_check(). */
void ps_place_check_hosts(struct pstk_actor *);

/* start(). Which of them are of other hosts than its own now. */
void ps_place_settle_hosts(struct pstk_actor *);

/* Is the place of a host that this process is not? */
bool ps_place_is_elsewhere(const struct pstk_actor *, const struct ps_actor_place *);

/* start(). From here on each place is there once. `drop` gets those that go. */
void ps_place_settle(struct pstk_actor *, void (*drop)(struct ps_actor_place *));

/* After start. The number of the place that is called so, NULL: the cores; -1: the actor has none. */
int ps_place_find(const struct pstk_actor *, const char *device);

/* It stays where it is mapped to. */
void ps_place_forget(struct pstk_actor *);

#endif
