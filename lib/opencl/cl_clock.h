/* SPDX-License-Identifier: MIT */
/*
 * CL clock: a device's clock on the host's. A marker (cl_stamp.h) on an idle queue ends between two looks at the
 * host's clock, and its profile says when by the device's. The narrowest of a few such looks counts. Clocks drift, so
 * it is looked at again each second that something is asked.
 */
#ifndef PENSTOCK_CL_CLOCK_H
#define PENSTOCK_CL_CLOCK_H

#include "lib/opencl/cl_device.h"

#include <stdint.h>

struct ps_cl_clock;

/* start(). NULL: the device's times can't be had, and the fault says why. */
struct ps_cl_clock *ps_cl_clock_open(const struct ps_cl_device *, struct ps_cl_fault *);
void ps_cl_clock_close(struct ps_cl_clock *);

/* Any thread. What the host's clock said when the device's was so; *error: so far that may be off, in nanoseconds. The
 * further from the look, before or after it, the more. */
uint64_t ps_cl_clock_host(struct ps_cl_clock *, uint64_t device, uint64_t *error);

/* From one look to the next. Only tests change it. */
extern uint64_t ps_cl_clock_period_ns;

#endif
