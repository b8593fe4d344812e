/* SPDX-License-Identifier: MIT */
/*
 * Declare: what an actor's ports move in a step, as the type says, or pstk_actor_set_rate() and its kin, or the type's
 * rates(), which comes last.
 */
#ifndef PENSTOCK_DECLARE_H
#define PENSTOCK_DECLARE_H

#include "lib/model/network.h"

/* What counts for this port; of a control port always nothing: it moves one token, whatever a step is. */
struct ps_declared ps_declared(const struct pstk_actor *, unsigned port);

/* Could anything but its FIFO say what this port moves? */
bool ps_declare_may(const struct pstk_actor *, unsigned port);

/* What is wrong with this declaration of a port, NULL: nothing. Fits behind "a history of 3: ". */
const char *ps_declare_fault(const struct pstk_actor_type *, unsigned port, const struct ps_declared *);

/* Calls rates() of an actor that has one, and leaves what was wrong in its declare_err and text. */
void ps_declare_call(struct pstk_actor *);

/* Calls every rates(). */
void ps_declare_all(struct pstk_network *);

#endif
