/* SPDX-License-Identifier: MIT */
/*
 * OpenCL devices: which there are, which one a selector names, and those that a network uses.
 *
 * Parts of one device (sub-devices) share a context, so that their FIFOs stay on the device; two devices have a
 * context each, and what goes between them goes through the host.
 */
#ifndef PENSTOCK_CL_DEVICE_H
#define PENSTOCK_CL_DEVICE_H

#include "lib/opencl/cl_error.h"

#include <stdbool.h>
#include <stddef.h>

struct ps_cl_clock;

/* A device in use by a network. Constant once it is open. */
struct ps_cl_device {
	struct pstk_device_info info;
	cl_platform_id platform;
	cl_device_id root;    /* the whole device */
	cl_device_id id;      /* root, or the part: the root until ps_cl_devices_open() */
	unsigned part, parts; /* part 1..parts; 0 of 0: the whole device */
	cl_context context;   /* shared by all parts of one root; NULL until ps_cl_devices_open() */
	size_t max_work_group, max_local;
	size_t base_align;         /* bytes, CL_DEVICE_MEM_BASE_ADDR_ALIGN */
	size_t max_alloc;          /* bytes of one buffer */
	bool nvidia;               /* its driver is NVIDIA's: cl_poll.h, cl_stamp.h, ps_cl_kernel_renew() */
	bool kernel_arg_info;      /* can tell about kernels' arguments: OpenCL 1.2 or later */
	struct ps_cl_clock *clock; /* for a timeline; NULL: there is none. Constant after start */
	struct ps_cl_device *next; /* of the network */
};

/* The devices of one network. Zeroed: none. */
struct ps_cl_devices {
	struct ps_cl_device *first;
};

/* Any thread. Fills *device with what a selector names; nothing is made, no context, no part: id is the root's.
 * 0, -ENODEV (also: it can't be divided so), -ENOTUNIQ, -EINVAL, -ENOMEM, or an OpenCL error, with the fault filled. */
int ps_cl_device_find(const char *selector, struct ps_cl_device *, struct ps_cl_fault *);

/* BUILD. The device that a selector names; the same object for the same device. Errors of ps_cl_device_find(). Not
 * after open: a context can't grow. */
int ps_cl_devices_get(
	struct ps_cl_devices *, const char *selector, struct ps_cl_device **, struct ps_cl_fault *);

/* start(). Makes the contexts (and the parts of devices). Signal handlers that a driver installs meanwhile are put back
 * to what they were. Whatever it returns, ps_cl_devices_close() follows. */
int ps_cl_devices_open(struct ps_cl_devices *, struct ps_cl_fault *);

/* Releases all, also what was never opened or only in part. Buffers, queues and programs that still live keep their
 * context alive. Parts of devices stay (cl_subdevice.h). */
void ps_cl_devices_close(struct ps_cl_devices *);

#endif
