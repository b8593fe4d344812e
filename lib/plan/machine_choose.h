/* SPDX-License-Identifier: MIT */
/* Machine choose: the places of a network's actors, by lib/mapping's search. */
#ifndef PENSTOCK_MACHINE_CHOOSE_H
#define PENSTOCK_MACHINE_CHOOSE_H

#include "lib/base/text.h"
#include "lib/mapping/search.h"
#include "lib/model/network.h"
#include "penstock/plan.h"

/*
 * Gives the flow of a network, and its actors, the places of the best mapping (pstk_plan_create()).
 * what: why there is none, a line. -EINVAL: it can't be chosen; -ENOENT; -ENOMEM.
 */
int ps_machine_choose(struct ps_flow *, struct pstk_network *, const struct pstk_plan_options *,
	struct pstk_plan_summary *, struct ps_text *what);

#endif
