/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_device.h"
#include "lib/opencl/cl_clock.h"
#include "lib/base/environment.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_driver_signals.h"
#include "lib/opencl/cl_device_list.h"
#include "lib/opencl/cl_poll.h"
#include "lib/opencl/cl_subdevice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "OpenCL 1.2 ..": is it that or later? */
static bool version_is(const char *version, unsigned major, unsigned minor)
{
	unsigned a = 0, b = 0;

	return sscanf(version, "OpenCL %u.%u", &a, &b) == 2 && (a > major || (a == major && b >= minor));
}

/* What of id matters to launches of kernels there. */
static int get_limits(struct ps_cl_device *d, struct ps_cl_fault *fault)
{
	const char *on = d->info.selector;
	cl_ulong max_local, max_alloc;
	cl_uint align_bits, units;
	size_t max_group;
	int err = ps_cl_device_value(
		d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &max_group, sizeof max_group, on, fault);

	if (!err)
		err = ps_cl_device_value(
			d->id, CL_DEVICE_LOCAL_MEM_SIZE, &max_local, sizeof max_local, on, fault);
	if (!err)
		err = ps_cl_device_value(
			d->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, &align_bits, sizeof align_bits, on, fault);
	if (!err)
		err = ps_cl_device_value(
			d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &max_alloc, sizeof max_alloc, on, fault);
	if (!err)
		err = ps_cl_device_value(d->id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units, on, fault);
	if (err)
		return err;
	d->max_work_group = max_group;
	d->max_local = (size_t)max_local;
	d->base_align = align_bits >= 8 ? align_bits / 8 : 1;
	d->max_alloc = (size_t)max_alloc;
	d->info.compute_units = units;
	return 0;
}

/* Makes a part of what describes the whole device. */
static int take_part(struct ps_cl_device *d, const struct ps_cl_selector *selector, struct ps_cl_fault *fault)
{
	size_t used = strlen(d->info.selector);
	unsigned units = 0;
	int err;

	if (!selector->parts)
		return 0;
	err = ps_cl_subdevice_check(
		d->root, selector->part, selector->parts, d->info.selector, &units, fault);
	if (err)
		return err;
	d->part = selector->part;
	d->parts = selector->parts;
	d->info.compute_units = units;
	snprintf(d->info.selector + used, sizeof d->info.selector - used, "/%uof%u", d->part, d->parts);
	return 0;
}

static int describe(
	struct ps_cl_device *d, const struct ps_cl_list *list, unsigned i, struct ps_cl_fault *fault)
{
	cl_bool available = CL_FALSE;
	int err = ps_cl_list_info(list, i, &d->info, fault);

	d->platform = list->handles[i].platform;
	d->root = d->id = list->handles[i].id;
	if (!err)
		err = fault->err;
	if (!err)
		err = ps_cl_device_value(
			d->id, CL_DEVICE_AVAILABLE, &available, sizeof available, d->info.selector, fault);
	if (!err && !available)
		err = ps_cl_refuse(fault, -ENODEV,
			"%s (%s) is there, but its driver says that it is not available", d->info.selector,
			d->info.name);
	if (err)
		return err;
	d->nvidia = strstr(d->info.platform, "NVIDIA");
	d->kernel_arg_info = version_is(d->info.version, 1, 2);
	return get_limits(d, fault);
}

int ps_cl_device_find(const char *text, struct ps_cl_device *d, struct ps_cl_fault *fault)
{
	struct ps_cl_selector selector;
	struct ps_cl_list list;
	char why[PS_CL_TEXT];
	unsigned found = 0;
	int err = ps_cl_selector_parse(&selector, text, why, sizeof why);

	memset(d, 0, sizeof *d);
	if (err)
		return ps_cl_refuse(fault, err, "%s", why);
	err = ps_cl_list_make(&list, fault);
	if (err)
		return err;
	err = ps_cl_selector_find(&selector, list.entries, list.count, &found, why, sizeof why);
	if (err)
		ps_cl_refuse(fault, err, "%s", why);
	if (!err)
		err = describe(d, &list, found, fault);
	if (!err)
		err = take_part(d, &selector, fault);
	ps_cl_list_free(&list);
	return err;
}

int ps_cl_devices_get(struct ps_cl_devices *devices, const char *selector, struct ps_cl_device **out,
	struct ps_cl_fault *fault)
{
	struct ps_cl_device found, **end = &devices->first;
	int err = ps_cl_device_find(selector, &found, fault);

	if (err)
		return err;
	for (; *end; end = &(*end)->next)
		if ((*end)->root == found.root && (*end)->part == found.part && (*end)->parts == found.parts)
			break;
	if (!*end)
		*end = ps_memory_dup(&found, sizeof found);
	if (!*end)
		return ps_cl_refuse(
			fault, -ENOMEM, "out of memory for the OpenCL device %s", found.info.selector);
	*out = *end;
	return 0;
}

/* On any thread of the driver's, also late: it knows nothing of ours. */
static void CL_CALLBACK driver_says(const char *text, const void *data, size_t size, void *unused)
{
	(void)data;
	(void)size;
	(void)unused;
	ps_log(PS_TOPIC_OPENCL, PSTK_LOG_INFO, "the driver says: %s", text ? text : "nothing");
}

/* The devices of a root get the context, with a reference each. */
static int hand_out(
	struct ps_cl_devices *devices, cl_device_id root, cl_context context, struct ps_cl_fault *fault)
{
	for (struct ps_cl_device *d = devices->first; d; d = d->next) {
		cl_int code;
		int err;

		if (d->root != root)
			continue;
		code = clRetainContext(context);
		if (code)
			return ps_cl_fail(fault, code, "clRetainContext", d->info.selector);
		d->context = context;
		err = d->parts ? get_limits(d, fault) : 0; /* a part has its own */
		if (err)
			return err;
	}
	return 0;
}

/* One context for all devices that share the first one's root. */
static int open_root(struct ps_cl_devices *devices, const struct ps_cl_device *first, cl_device_id *ids,
	struct ps_cl_fault *fault)
{
	const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
		(cl_context_properties)first->platform, 0 };
	cl_context context;
	cl_uint count = 0;
	cl_int code;
	int err;

	for (struct ps_cl_device *d = devices->first; d; d = d->next) {
		if (d->root != first->root)
			continue;
		err = d->parts ? ps_cl_subdevice_get(
					 d->root, d->part, d->parts, d->info.selector, &d->id, fault)
		               : 0;
		if (err)
			return err;
		ids[count++] = d->id;
	}
	context = clCreateContext(properties, count, ids, driver_says, NULL, &code);
	if (!context)
		return ps_cl_fail(fault, code, "clCreateContext", first->info.selector);
	err = hand_out(devices, first->root, context, fault);
	clReleaseContext(context);
	if (!err && (first->nvidia || ps_environment_process()->wait == PS_EVENT_WAIT_POLL))
		ps_cl_poll_begin();
	return err;
}

int ps_cl_devices_open(struct ps_cl_devices *devices, struct ps_cl_fault *fault)
{
	struct ps_cl_driver_signals signals;
	cl_device_id *ids;
	size_t count = 0;
	int err = 0;

	for (const struct ps_cl_device *d = devices->first; d; d = d->next)
		count++;
	if (count == 0)
		return 0; /* a network without devices does not wake the drivers */
	ids = ps_memory_zalloc(count, sizeof(cl_device_id));
	if (!ids)
		return ps_cl_refuse(fault, -ENOMEM, "out of memory for OpenCL contexts");
	ps_cl_driver_signals_keep(&signals);
	for (const struct ps_cl_device *d = devices->first; d && !err; d = d->next)
		if (!d->context)
			err = open_root(devices, d, ids, fault);
	ps_cl_driver_signals_put_back(&signals);
	ps_memory_free(ids);
	return err;
}

void ps_cl_devices_close(struct ps_cl_devices *devices)
{
	while (devices->first) {
		struct ps_cl_device *d = devices->first;

		devices->first = d->next;
		ps_cl_clock_close(d->clock);
		if (d->context) {
			ps_cl_poll_forget(d->context);
			clReleaseContext(d->context);
		}
		ps_memory_free(d);
	}
}
