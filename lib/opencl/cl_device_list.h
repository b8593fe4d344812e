/* SPDX-License-Identifier: MIT */
/* All OpenCL devices of the machine, and what they say of themselves. */
#ifndef PENSTOCK_CL_DEVICE_LIST_H
#define PENSTOCK_CL_DEVICE_LIST_H

#include "lib/opencl/cl_error.h"
#include "lib/opencl/cl_selector.h"

struct ps_cl_handle {
	cl_platform_id platform;
	cl_device_id id;
};

struct ps_cl_list {
	struct ps_cl_entry *entries;  /* [count], with their selectors */
	struct ps_cl_handle *handles; /* [count] */
	unsigned count;
	bool pocl; /* one of the platforms is PoCL, with devices or without */
};

/* Any thread. The devices of all platforms, in the order of the platforms. A platform without devices, or one that
 * fails while others have devices, is left out (its number stays free). -ENODEV: there is none, and the fault says what
 * to install; -ENOMEM; or the OpenCL error of the only platforms. The list is empty then. */
int ps_cl_list_make(struct ps_cl_list *, struct ps_cl_fault *);
void ps_cl_list_free(struct ps_cl_list *);

/* One of the device's texts, on one line and cut to size; "" if it has none. 0 or -ENOMEM. */
int ps_cl_device_text(cl_device_id, cl_device_info what, char *text, size_t size);

/* One of the device's figures. on: its selector. */
int ps_cl_device_value(
	cl_device_id, cl_device_info what, void *value, size_t size, const char *on, struct ps_cl_fault *);

/* What the public info says of entry i. 0 or -ENOMEM. A figure that the driver does not tell is 0 there; then that is
 * the fault. */
int ps_cl_list_info(const struct ps_cl_list *, unsigned i, struct pstk_device_info *, struct ps_cl_fault *);

#endif
