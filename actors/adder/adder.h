/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_ADDER_H
#define PENSTOCK_ACTORS_ADDER_H

#include "actors/common/branches.h"

/* out[0 .. n) = the sum of count signals, in their order, and the constant; out apart from them. */
void ps_adder_sum(float *out, float *const *in, unsigned count, float constant, size_t n);

#endif
