/* SPDX-License-Identifier: MIT */
/* Runners: the list of what fires actors (runner.h), and which task gets which. */
#ifndef PENSTOCK_RUNNERS_H
#define PENSTOCK_RUNNERS_H

#include "lib/firing/runner.h"

/* Asked before all others; NULL: none. Only tests set it, while no network starts. */
extern const struct ps_runner *ps_runners_first;

/* start(), when the actors' devices are known: each actor gets its runner, and each runner is told. -ENOMEM. */
int ps_runners_prepare(struct pstk_network *);

/* After that, and before if nothing is there yet: what the network's runner that polls says. */
unsigned ps_runners_threads(const struct pstk_network *);
int ps_runners_begin(struct pstk_network *, unsigned *created);
void ps_runners_join(struct pstk_network *, unsigned created);
void ps_runners_free(struct pstk_network *);

#endif
