/* SPDX-License-Identifier: MIT */
/* Control values: what control() of each dynamic actor does for each value that it declares. */
#ifndef PENSTOCK_CONTROL_VALUES_H
#define PENSTOCK_CONTROL_VALUES_H

#include "lib/analysis/state.h"

/* Calls control() for all declared values, and finds the groups and sets. 0, -EDEADLK (the verdict is complete) or
 * -ENOMEM. */
int ps_analysis_control(struct ps_analysis *);

#endif
