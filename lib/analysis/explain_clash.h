/* SPDX-License-Identifier: MIT */
/* Explain clash: why R1 is broken. */
#ifndef PENSTOCK_EXPLAIN_CLASH_H
#define PENSTOCK_EXPLAIN_CLASH_H

#include "lib/analysis/state.h"

/* R1 is broken: by a FIFO whose ends' clocks differ; by one that makes a clock depend on itself. -EDEADLK. */
int ps_analysis_clash(struct ps_analysis *, const struct pstk_fifo *);
int ps_analysis_depends_on_itself(struct ps_analysis *, const struct pstk_fifo *);

#endif
