/* SPDX-License-Identifier: MIT */
/* Places: which of its two forms an actor needs, which may move from one to the other. */
#ifndef PENSTOCK_ACTORS_PLACES_H
#define PENSTOCK_ACTORS_PLACES_H

#include "penstock/penstock.h"

/* ACTOR, in init(). May it fire on the cores? */
bool ps_places_cores(const struct pstk_actor *);

/* ACTOR, in init(). The first device where it may fire. False: it never leaves the cores. */
bool ps_places_device(const struct pstk_actor *, struct pstk_device_info *);

#endif
