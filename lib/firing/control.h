/* SPDX-License-Identifier: MIT */
/* Control: what a control token makes of a dynamic actor's next firing. */
#ifndef PENSTOCK_CONTROL_H
#define PENSTOCK_CONTROL_H

#include "lib/firing/firing.h"

/* Calls control(): the mask of firing->own says what it has decided. 0, or its negative errno; -EPROTO when it has
 * called what it must not, with firing->misuse. The firing may be one of the caller's own that has only an actor,
 * windows and that decision; nothing of the actor is touched. Any thread. */
int ps_control_decide(struct pstk_firing *, uint32_t value);

/* Of a dynamic actor: takes the control token, frees its slot and obeys it, if that is not done for this firing. WAIT:
 * *end and *port as ps_firing_take(). */
enum ps_firing_state ps_control_take(struct pstk_firing *, struct ps_fifo_end **end, unsigned *port);

/* Of a dynamic actor that has not taken its next control token: where it waits for it; NULL: it does not. Takes
 * nothing. */
struct ps_fifo_end *ps_control_awaits(const struct pstk_actor *);

#endif
