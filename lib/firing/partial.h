/* SPDX-License-Identifier: MIT */
/* Partial: windows that are partly filled, at the end of a stream: the steps and the outputs of that firing. */
#ifndef PENSTOCK_PARTIAL_H
#define PENSTOCK_PARTIAL_H

#include "lib/firing/task.h"

/* The steps that have a token at a port of whose window so many are valid; or that are whole, if the type wants
 * that. */
uint32_t ps_partial_steps(const struct pstk_actor *, unsigned port, uint32_t valid);

/* Output tokens that come of partly filled inputs, of those that are on. Of an actor that declares steps: those of its
 * steps. Else rate x min(valid / rate of the input), rounded up: every token in gives its token out, whatever the
 * rates. */
uint32_t ps_partial_default(const struct pstk_firing *, unsigned out);

/* The taker. This input's window is partly filled: the firing is the actor's last one. */
void ps_partial_take(struct pstk_firing *, unsigned port);

/* Of a stage of a pipeline: its windows are there, and how many tokens of the inputs' are valid. As if they had been
 * taken. */
void ps_partial_take_stage(struct pstk_firing *);

#endif
