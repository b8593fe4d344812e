/* SPDX-License-Identifier: MIT */
/* Fold: actors become the stages of a pipeline (pipeline.h), and what can't be one is refused. */
#ifndef PENSTOCK_FOLD_H
#define PENSTOCK_FOLD_H

#include "lib/model/pipeline.h"

/* BUILD. What can't be a stage, or isn't connected so that it can be one, is a problem of the network; a negative
 * errno. */
int ps_fold_check_stages(
	struct pstk_network *, const char *name, struct pstk_actor *const *stages, unsigned count);

/*
 * BUILD, behind that. Puts a pipeline in the place of its stages. type: of its actor, but for the ports. *spec: its
 * strings are copied, and windows of the border's FIFOs are as many as it says. `former`, one an actor of the network,
 * gets what number each had that is there now; UINT_MAX: it is new. NULL: out of memory, and the network has a problem.
 */
struct pstk_pipeline *ps_fold(struct pstk_network *, const char *name, struct pstk_actor *const *stages,
	unsigned count, const struct pstk_actor_type *type, const struct pstk_pipeline_spec *spec,
	unsigned *former);

/* start(), and pstk_network_check(): rates are settled. What does not fit is a problem of the network. */
void ps_fold_check(struct pstk_pipeline *);

#endif
