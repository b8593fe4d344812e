/* SPDX-License-Identifier: MIT */
/*
 * Parts of devices. All n parts of a device come from one call, so that they are parts of the same division: /1of2 and
 * /2of2 share no core.
 */
#ifndef PENSTOCK_CL_PARTS_H
#define PENSTOCK_CL_PARTS_H

#include "lib/cl_error.h"

/* A device that has been divided. BUILD and start() only. */
struct ps_cl_parts {
	cl_device_id root;
	unsigned parts;    /* into how many it was to be divided */
	cl_device_id *ids; /* [count], owned; count may be more than parts */
	unsigned count;
	struct ps_cl_parts *next;
};

/* Can the device be divided so? Divides nothing. *units: compute units that the part will have. on: the device's
 * selector. -ENODEV. */
int ps_cl_parts_check(cl_device_id root, unsigned part, unsigned parts, const char *on, unsigned *units,
	struct ps_cl_fault *);

/* The part of the device, which is divided if it has not been. Call between ps_cl_signals_keep() and _put_back(). */
int ps_cl_parts_get(struct ps_cl_parts **, cl_device_id root, unsigned part, unsigned parts, const char *on,
	cl_device_id *id, struct ps_cl_fault *);

/* Releases all parts; no context may have them any more. */
void ps_cl_parts_free(struct ps_cl_parts **);

#endif
