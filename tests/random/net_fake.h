/* SPDX-License-Identifier: MIT */
/* The kernels of tests/random/net_device.c as C functions for the fake driver. */
#ifndef PENSTOCK_TESTS_NET_FAKE_H
#define PENSTOCK_TESTS_NET_FAKE_H

#include "tests/fake_cl/fake_cl.h"

/* Registers a kernel for each order of up to NET_DEVICE_PORTS inputs and outputs. local: those with several ports use local
 * memory, so that they take no offsets. */
void net_fake_kernels(const struct fake_cl *, bool local);

#endif
