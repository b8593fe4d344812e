/* SPDX-License-Identifier: MIT */
/* Parts of devices, and contexts. */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>
#include <string.h>

static cl_uint units_of(cl_device_id device)
{
	return device->parent ? device->units : (cl_uint)fake.settings.units;
}

/* How many units each part gets; returns how many parts, 0: it can't be done so. */
static unsigned partition(
	cl_device_id device, const cl_device_partition_property *way, cl_uint *parts, size_t *used)
{
	cl_uint units = units_of(device), sum = 0;
	unsigned n = 0;

	if (way[0] == CL_DEVICE_PARTITION_EQUALLY) {
		cl_uint each = (cl_uint)way[1];

		for (*used = 3; each && n < units / each && n < 64; n++)
			parts[n] = each;
		return n;
	}
	for (n = 0; n < 5 && way[1 + n] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; n++)
		sum += parts[n] = (cl_uint)way[1 + n];
	*used = n + 3;
	return sum <= units ? n : 0;
}

static cl_device_id new_part(cl_device_id parent, unsigned index, cl_uint units,
	const cl_device_partition_property *way, size_t used)
{
	cl_device_id part = calloc(1, sizeof(*part));

	if (!part)
		return NULL;
	fake_init(part, FAKE_CL_SUB_DEVICE, true);
	fake_hold(parent);
	part->parent = parent;
	part->index = index;
	part->units = units;
	part->partition_size = used * sizeof(*way);
	memcpy(part->partition, way, part->partition_size);
	return part;
}

static cl_int divide(cl_device_id device, const cl_device_partition_property *way, cl_uint entries,
	cl_device_id *parts, cl_uint *count)
{
	cl_uint units[64];
	size_t used;
	unsigned n;

	if (!way || (way[0] != CL_DEVICE_PARTITION_EQUALLY && way[0] != CL_DEVICE_PARTITION_BY_COUNTS))
		return CL_INVALID_VALUE;
	n = partition(device, way, units, &used);
	if (!n)
		return way[0] == CL_DEVICE_PARTITION_EQUALLY ? CL_DEVICE_PARTITION_FAILED
		                                             : CL_INVALID_DEVICE_PARTITION_COUNT;
	if (parts && entries < n)
		return CL_INVALID_VALUE;
	for (unsigned i = 0; parts && i < n; i++) {
		parts[i] = new_part(device, device->index, units[i], way, used);
		if (!parts[i])
			return CL_OUT_OF_HOST_MEMORY;
	}
	if (count)
		*count = n;
	return CL_SUCCESS;
}

cl_int fake_clCreateSubDevices(cl_device_id device, const cl_device_partition_property *way, cl_uint entries,
	cl_device_id *parts, cl_uint *count)
{
	cl_int err = fake_enter(FAKE_clCreateSubDevices);

	if (!err && !fake_valid(device, FAKE_CL_SUB_DEVICE))
		err = CL_INVALID_DEVICE;
	return fake_leave(err ? err : divide(device, way, entries, parts, count));
}

/* Whole devices are there for ever. */
cl_int fake_clRetainDevice(cl_device_id device)
{
	cl_int err = fake_enter(FAKE_clRetainDevice);

	if (!err && (!device->parent || !(err = fake_retain(device, FAKE_CL_SUB_DEVICE, CL_INVALID_DEVICE))))
		err = CL_SUCCESS;
	return fake_leave(err);
}

cl_int fake_clReleaseDevice(cl_device_id device)
{
	cl_int err = fake_enter(FAKE_clReleaseDevice);

	if (!err && (!device->parent || !(err = fake_release(device, FAKE_CL_SUB_DEVICE, CL_INVALID_DEVICE))))
		err = CL_SUCCESS;
	return fake_leave(err);
}

/* -- contexts -- */

bool fake_context_has(cl_context context, cl_device_id device)
{
	for (cl_uint i = 0; i < context->device_count; i++) {
		if (context->devices[i] == device)
			return true;
	}
	return false;
}

void fake_context_destroy(cl_context context)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		fake_drop(context->devices[i]);
}

static cl_int check_properties(const cl_context_properties *properties, unsigned *count)
{
	*count = 0;
	if (!properties)
		return CL_SUCCESS;
	if (properties[0]) {
		if (properties[0] != CL_CONTEXT_PLATFORM || properties[2])
			return CL_INVALID_PROPERTY;
		if (properties[1] != (cl_context_properties)&fake_platform)
			return CL_INVALID_PLATFORM;
		*count = 2;
	}
	++*count;
	return CL_SUCCESS;
}

static cl_int create(
	const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, cl_context *made)
{
	unsigned property_count;
	cl_int err = check_properties(properties, &property_count);
	cl_context context;

	if (err)
		return err;
	if (!count || !devices || count > FAKE_CONTEXT_DEVICES)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++) {
		if (!fake_valid(devices[i], FAKE_CL_SUB_DEVICE))
			return CL_INVALID_DEVICE;
	}
	context = calloc(1, sizeof(*context));
	if (!context)
		return CL_OUT_OF_HOST_MEMORY;
	fake_init(context, FAKE_CL_CONTEXT, true);
	for (cl_uint i = 0; i < count; i++) {
		fake_hold(devices[i]);
		context->devices[context->device_count++] = devices[i];
	}
	context->properties_size = property_count * sizeof(*properties);
	if (property_count)
		memcpy(context->properties, properties, context->properties_size);
	*made = context;
	return CL_SUCCESS;
}

cl_context fake_clCreateContext(const cl_context_properties *properties, cl_uint count,
	const cl_device_id *devices, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *data, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateContext);
	cl_context context = NULL;

	if (!err && !notify && data)
		err = CL_INVALID_VALUE;
	if (!err)
		err = create(properties, count, devices, &context);
	return fake_leave_with(context, err, errcode_ret);
}

cl_context fake_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
	cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateContextFromType);
	cl_device_type own = fake.settings.cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
	cl_device_id devices[FAKE_DEVICES_MAX];
	cl_context context = NULL;

	if (!err && !notify && data)
		err = CL_INVALID_VALUE;
	if (!err && (!fake.settings.devices || !(type & (own | CL_DEVICE_TYPE_DEFAULT))))
		err = CL_DEVICE_NOT_FOUND;
	for (unsigned i = 0; i < FAKE_DEVICES_MAX; i++)
		devices[i] = &fake_devices[i];
	if (!err)
		err = create(properties, (cl_uint)fake.settings.devices, devices, &context);
	return fake_leave_with(context, err, errcode_ret);
}

cl_int fake_clRetainContext(cl_context context)
{
	cl_int err = fake_enter(FAKE_clRetainContext);

	return fake_leave(err ? err : fake_retain(context, FAKE_CL_CONTEXT, CL_INVALID_CONTEXT));
}

cl_int fake_clReleaseContext(cl_context context)
{
	cl_int err = fake_enter(FAKE_clReleaseContext);

	return fake_leave(err ? err : fake_release(context, FAKE_CL_CONTEXT, CL_INVALID_CONTEXT));
}

cl_int fake_clGetContextInfo(
	cl_context context, cl_context_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetContextInfo);

	if (!err && !fake_valid(context, FAKE_CL_CONTEXT))
		err = CL_INVALID_CONTEXT;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_CONTEXT_REFERENCE_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, context->o.refs));
	case CL_CONTEXT_NUM_DEVICES:
		return fake_leave(FAKE_INFO(cl_uint, context->device_count));
	case CL_CONTEXT_DEVICES:
		return fake_leave(fake_info(context->devices, context->device_count * sizeof(cl_device_id),
			size, value, size_ret));
	case CL_CONTEXT_PROPERTIES:
		return fake_leave(
			fake_info(context->properties, context->properties_size, size, value, size_ret));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}
