/* SPDX-License-Identifier: MIT */
/* Ports: what actors of all kinds ask of theirs. */
#ifndef PENSTOCK_ACTORS_PORTS_H
#define PENSTOCK_ACTORS_PORTS_H

#include "penstock/penstock.h"

/* An initialiser: a port of floats, one in a step. */
#define PS_PORT_F32(port_name, port_kind)                                                                   \
	{                                                                                                   \
		.name = (port_name), .kind = (port_kind), .token_size = sizeof(float), .token_type = "f32", \
		.rate = 1                                                                                   \
	}

/* ACTOR, in init(). Have all ports but the control port the same token size? 0, or -EINVAL with the actor's
 * error, which names two that have not. Rates are declared, and the library compares them. */
int ps_ports_check(struct pstk_actor *);

#endif
