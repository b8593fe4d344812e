/* SPDX-License-Identifier: MIT */
/* The parts of the network that carrier_cut has cut last, and what carries windows between them. */
#ifndef PENSTOCK_TESTS_CARRIER_PARTS_H
#define PENSTOCK_TESTS_CARRIER_PARTS_H

#include "tests/common/courier.h"

extern struct courier carrier_courier;

#endif
