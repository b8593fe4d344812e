/* SPDX-License-Identifier: MIT */
/* Places: where the program wants each actor, and how long it says that firings take. For plans over a machine. */
#ifndef PENSTOCK_PLACES_H
#define PENSTOCK_PLACES_H

#include "lib/model/network.h"

/* Seconds that an actor's firings of an iteration take at a place; NAN: it was given no time. */
double ps_places_seconds(const struct pstk_actor *, const char *place, uint64_t firings);

/* BUILD. Actors have other numbers: former[i] is what actor i had; UINT_MAX: it is new. -ENOMEM. */
int ps_places_renumber(struct pstk_network *, const unsigned *former);

void ps_places_free(struct pstk_network *);

#endif
