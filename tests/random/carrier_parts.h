/* SPDX-License-Identifier: MIT */
/* The parts of the network that carrier_cut has cut last, and what carries windows between them: the courier, or what
 * joins them as ranks. */
#ifndef PENSTOCK_TESTS_CARRIER_PARTS_H
#define PENSTOCK_TESTS_CARRIER_PARTS_H

#include "tests/common/courier.h"
#include "tests/common/crew.h"

extern struct courier carrier_courier;
extern struct crew carrier_crew; /* if it has joined them */
extern bool carrier_joined;
extern bool carrier_joins_none; /* the suite's choice */
extern bool carrier_moves;      /* .. they are joined, and actors move between hosts */

#endif
