/* SPDX-License-Identifier: MIT */
/* Does a kernel take this work size? A launch would only say that it doesn't. */
#include "lib/opencl/cl_kernel.h"

#include <errno.h>

static const char axes[] = "xyz";

static int check_global(
	const struct ps_cl_kernel *k, unsigned dims, const size_t *global, struct ps_cl_fault *fault)
{
	size_t items = 1;

	if (dims < 1 || dims > 3)
		return ps_cl_refuse(fault, -EINVAL,
			"kernel '%s': work size of %u dimensions: 1 to 3 are possible", k->name, dims);
	for (unsigned d = 0; d < dims; d++) {
		if (!global[d])
			return ps_cl_refuse(fault, -EINVAL, "kernel '%s': the global work size is 0 in %c",
				k->name, axes[d]);
		if (__builtin_mul_overflow(items, global[d], &items))
			return ps_cl_refuse(
				fault, -EINVAL, "kernel '%s': more work-items than a size_t counts", k->name);
	}
	return 0;
}

static int check_required(
	const struct ps_cl_kernel *k, unsigned dims, const size_t *local, struct ps_cl_fault *fault)
{
	const size_t *r = k->required_group;

	for (unsigned d = 0; r[0] && d < 3; d++)
		if (!local || (d < dims ? local[d] : 1) != r[d])
			return ps_cl_refuse(fault, -EINVAL,
				"kernel '%s': the local work size must be %zu x %zu x %zu (its "
				"reqd_work_group_size)%s",
				k->name, r[0], r[1], r[2], local ? "" : "; none is given");
	return 0;
}

/* Each dimension's size of a group, against the global size and the device. */
static int check_axes(const struct ps_cl_kernel *k, unsigned dims, const size_t *global, const size_t *local,
	struct ps_cl_fault *fault)
{
	size_t most[16] = { 0 }; /* a device has at least 3, but for special ones: what is missing stays 0 */
	cl_int code = clGetDeviceInfo(k->device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof most, most, NULL);

	if (code)
		return ps_cl_fail(fault, code, "clGetDeviceInfo", k->device->info.selector);
	for (unsigned d = 0; d < dims; d++) {
		if (!local[d])
			return ps_cl_refuse(fault, -EINVAL, "kernel '%s': the local work size is 0 in %c",
				k->name, axes[d]);
		if (global[d] % local[d])
			return ps_cl_refuse(fault, -EINVAL,
				"kernel '%s': the local work size, %zu, does not divide the global one, %zu, "
				"in %c",
				k->name, local[d], global[d], axes[d]);
		if (local[d] > most[d])
			return ps_cl_refuse(fault, -EINVAL,
				"kernel '%s': the local work size is %zu in %c, %s allows %zu", k->name,
				local[d], axes[d], k->device->info.selector, most[d]);
	}
	return 0;
}

static int check_group(
	const struct ps_cl_kernel *k, unsigned dims, const size_t *local, struct ps_cl_fault *fault)
{
	size_t items = 1, most = 0;
	cl_int code = clGetKernelWorkGroupInfo(
		k->id, k->device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);

	if (code)
		return ps_cl_fail(fault, code, "clGetKernelWorkGroupInfo", k->device->info.selector);
	for (unsigned d = 0; d < dims; d++)
		items *= local[d]; /* divides the global size, whose product is a size_t */
	if (items <= most)
		return 0;
	return ps_cl_refuse(fault, -EINVAL, "kernel '%s': %zu work-items in a group, it can have %zu on %s",
		k->name, items, most, k->device->info.selector);
}

int ps_cl_kernel_check_work_size(const struct ps_cl_kernel *k, unsigned dims, const size_t *global,
	const size_t *local, struct ps_cl_fault *fault)
{
	int err = check_global(k, dims, global, fault);

	if (!err)
		err = check_required(k, dims, local, fault);
	if (!err && local)
		err = check_axes(k, dims, global, local, fault);
	if (!err && local)
		err = check_group(k, dims, local, fault);
	return err;
}
