/* SPDX-License-Identifier: MIT */
/* Ports: what actors of all kinds ask of theirs. */
#ifndef PENSTOCK_ACTORS_PORTS_H
#define PENSTOCK_ACTORS_PORTS_H

#include "penstock/penstock.h"

/* ACTOR, in init(). Have all ports but the control port the same token size? 0, or -EINVAL with the actor's
 * error, which names two that have not. Rates are declared, and the library compares them. */
int ps_ports_check(struct pstk_actor *);

#endif
