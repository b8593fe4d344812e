/* SPDX-License-Identifier: MIT */
/*
 * Parts of devices. All n parts of a device come from one call, so that they are parts of the same division: /1of2 and
 * /2of2 share no core.
 *
 * A device that has been divided stays divided for the life of the process: PoCL 3.1's worker threads look at a
 * command's part after they have said that the command is complete, and nothing else keeps the part (its contexts hold
 * the whole device only).
 */
#ifndef PENSTOCK_CL_SUBDEVICE_H
#define PENSTOCK_CL_SUBDEVICE_H

#include "lib/opencl/cl_error.h"

/* Can the device be divided so? Divides nothing. *units: compute units that the part will have. on: the device's
 * selector. -ENODEV. */
int ps_cl_subdevice_check(cl_device_id root, unsigned part, unsigned parts, const char *on, unsigned *units,
	struct ps_cl_fault *);

/* The part of the device, which is divided if it has not been. Call between ps_cl_driver_signals_keep() and
 * _put_back(), which let one thread in at a time. */
int ps_cl_subdevice_get(cl_device_id root, unsigned part, unsigned parts, const char *on, cl_device_id *id,
	struct ps_cl_fault *);

#endif
