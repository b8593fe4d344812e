/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_subdevice.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_device_list.h"

#include <errno.h>

enum { WAYS_MAX = 16 };

/* A device that has been divided. */
struct division_set {
	cl_device_id root;
	unsigned parts;    /* into how many it was to be divided */
	cl_device_id *ids; /* [count], owned; count may be more than parts */
	unsigned count;
	struct division_set *next;
};

static struct division_set *sets; /* guarded by cl_signals' lock */

/* How a device can be divided. */
struct division {
	cl_uint units;  /* compute units */
	cl_uint most;   /* parts */
	bool by_counts; /* any sizes: the rest is spread */
	bool equally;   /* parts of one size: the rest is left over */
};

static int learn(cl_device_id root, const char *on, struct division *d, struct ps_cl_fault *fault)
{
	cl_device_partition_property ways[WAYS_MAX] = { 0 };
	size_t bytes = 0;
	int err;

	*d = (struct division){ 0 };
	err = ps_cl_device_value(root, CL_DEVICE_MAX_COMPUTE_UNITS, &d->units, sizeof d->units, on, fault);
	if (err)
		return err;
	/* a driver that does not know these (OpenCL 1.1) can't divide */
	if (clGetDeviceInfo(root, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof d->most, &d->most, NULL) !=
		CL_SUCCESS)
		d->most = 0;
	if (clGetDeviceInfo(root, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &bytes) != CL_SUCCESS)
		bytes = 0;
	for (size_t i = 0; i < bytes / sizeof *ways && i < WAYS_MAX; i++) {
		if (ways[i] == CL_DEVICE_PARTITION_BY_COUNTS)
			d->by_counts = true;
		if (ways[i] == CL_DEVICE_PARTITION_EQUALLY)
			d->equally = true;
	}
	return 0;
}

/* May it be divided into so many? */
static int allowed(const struct division *d, unsigned parts, const char *on, struct ps_cl_fault *fault)
{
	const char *units = d->units == 1 ? "unit" : "units";

	if (!d->by_counts && !d->equally)
		return ps_cl_refuse(fault, -ENODEV,
			"%s can't be divided into %u parts: its driver does not divide devices (it has %u "
			"compute %s)",
			on, parts, d->units, units);
	if (d->units < parts)
		return ps_cl_refuse(fault, -ENODEV, "%s can't be divided into %u parts: it has %u compute %s",
			on, parts, d->units, units);
	if (d->most && d->most < parts)
		return ps_cl_refuse(fault, -ENODEV,
			"%s can't be divided into %u parts: its driver allows %u (it has %u compute %s)", on,
			parts, d->most, d->units, units);
	return 0;
}

static unsigned units_of(const struct division *d, unsigned part, unsigned parts)
{
	return d->units / parts + (d->by_counts && part <= d->units % parts ? 1 : 0);
}

int ps_cl_subdevice_check(cl_device_id root, unsigned part, unsigned parts, const char *on, unsigned *units,
	struct ps_cl_fault *fault)
{
	struct division d;
	int err = learn(root, on, &d, fault);

	if (!err)
		err = allowed(&d, parts, on, fault);
	if (!err)
		*units = units_of(&d, part, parts);
	return err;
}

/* The property list for clCreateSubDevices; NULL: out of memory. */
static cl_device_partition_property *describe(const struct division *d, unsigned parts)
{
	cl_device_partition_property *list = ps_memory_zalloc(parts + 3u, sizeof *list);

	if (!list)
		return NULL;
	if (!d->by_counts) {
		list[0] = CL_DEVICE_PARTITION_EQUALLY;
		list[1] = d->units / parts;
		return list;
	}
	list[0] = CL_DEVICE_PARTITION_BY_COUNTS;
	for (unsigned i = 1; i <= parts; i++)
		list[i] = units_of(d, i, parts);
	list[parts + 1] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
	return list;
}

/* Fills set->ids. */
static int divide(struct division_set *set, const cl_device_partition_property *how, const char *on,
	struct ps_cl_fault *fault)
{
	cl_uint count = 0;
	cl_int code = clCreateSubDevices(set->root, how, 0, NULL, &count); /* makes none */

	if (code)
		return ps_cl_fail(fault, code, "clCreateSubDevices", on);
	if (count < set->parts)
		return ps_cl_refuse(
			fault, -ENODEV, "%s was divided into %u parts instead of %u", on, count, set->parts);
	set->ids = ps_memory_zalloc(count, sizeof *set->ids);
	if (!set->ids)
		return ps_cl_refuse(fault, -ENOMEM, "out of memory for the parts of %s", on);
	code = clCreateSubDevices(set->root, how, count, set->ids, NULL);
	if (code)
		return ps_cl_fail(fault, code, "clCreateSubDevices", on);
	set->count = count;
	return 0;
}

/* A new set on the list; NULL: it can't be. */
static struct division_set *add(cl_device_id root, unsigned parts, const char *on, struct ps_cl_fault *fault)
{
	cl_device_partition_property *how;
	struct division_set *set;
	struct division d;

	if (learn(root, on, &d, fault) || allowed(&d, parts, on, fault))
		return NULL;
	how = describe(&d, parts);
	set = how ? ps_memory_zalloc(1, sizeof *set) : NULL;
	if (!set) {
		ps_memory_free(how);
		ps_cl_refuse(fault, -ENOMEM, "out of memory for the parts of %s", on);
		return NULL;
	}
	set->root = root;
	set->parts = parts;
	if (divide(set, how, on, fault)) {
		ps_memory_free(set->ids);
		ps_memory_free(set);
		set = NULL;
	} else {
		set->next = sets;
		sets = set;
	}
	ps_memory_free(how);
	return set;
}

int ps_cl_subdevice_get(cl_device_id root, unsigned part, unsigned parts, const char *on, cl_device_id *id,
	struct ps_cl_fault *fault)
{
	struct division_set *set = sets;

	while (set && (set->root != root || set->parts != parts))
		set = set->next;
	if (!set)
		set = add(root, parts, on, fault);
	if (!set)
		return fault->err;
	*id = set->ids[part - 1];
	return 0;
}
