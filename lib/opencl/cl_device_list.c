/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_device_list.h"
#include "lib/base/environment.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_cache.h"
#include "lib/opencl/cl_driver_signals.h"
#include "lib/opencl/cl_probe.h"

#include <CL/cl_ext.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

static int no_memory(struct ps_cl_fault *fault)
{
	return ps_cl_refuse(fault, -ENOMEM, "out of memory for the list of OpenCL devices");
}

/* Drivers pad names with blanks and end some with a new line. */
static void tidy(char *out, size_t size, const char *in)
{
	size_t used = 0;
	bool gap = false;

	for (; *in; in++) {
		if ((unsigned char)*in <= ' ' || *in == 0x7f) {
			gap = used > 0;
			continue;
		}
		if (used + gap + 1 >= size)
			break;
		if (gap)
			out[used++] = ' ';
		out[used++] = *in;
		gap = false;
	}
	out[used] = '\0';
}

/* Of the device, or with device NULL of the platform. */
static cl_int ask(
	cl_platform_id platform, cl_device_id device, cl_uint what, size_t size, void *value, size_t *length)
{
	return device ? clGetDeviceInfo(device, what, size, value, length)
	              : clGetPlatformInfo(platform, what, size, value, length);
}

static int get_text(cl_platform_id platform, cl_device_id device, cl_uint what, char *text, size_t size)
{
	size_t length = 0;
	char *whole;

	text[0] = '\0';
	if (ask(platform, device, what, 0, NULL, &length) || length == 0)
		return 0;
	whole = ps_memory_zalloc(length + 1, 1);
	if (!whole)
		return -ENOMEM;
	if (ask(platform, device, what, length, whole, NULL) == CL_SUCCESS)
		tidy(text, size, whole);
	ps_memory_free(whole);
	return 0;
}

int ps_cl_device_text(cl_device_id id, cl_device_info what, char *text, size_t size)
{
	return get_text(NULL, id, what, text, size);
}

int ps_cl_device_value(cl_device_id id, cl_device_info what, void *value, size_t size, const char *on,
	struct ps_cl_fault *fault)
{
	cl_int code = clGetDeviceInfo(id, what, size, value, NULL);

	if (code == CL_SUCCESS)
		return 0;
	memset(value, 0, size);
	return ps_cl_fail(fault, code, "clGetDeviceInfo", on);
}

/* The type is a set in OpenCL; a device that is several counts as the fastest. */
static enum ps_cl_arg_type type_of(cl_device_id id)
{
	cl_device_type type = 0;

	clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	if (type & CL_DEVICE_TYPE_GPU)
		return PS_CL_GPU;
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return PS_CL_ACCELERATOR;
	return type & CL_DEVICE_TYPE_CPU ? PS_CL_CPU : PS_CL_CUSTOM;
}

/* Appends a device of the platform that `like` describes. */
static int add_device(
	struct ps_cl_list *list, const struct ps_cl_entry *like, cl_platform_id platform, cl_device_id id)
{
	struct ps_cl_entry *entries = ps_memory_resize(list->entries, list->count + 1u, sizeof *entries);
	struct ps_cl_handle *handles;

	if (!entries)
		return -ENOMEM;
	list->entries = entries;
	handles = ps_memory_resize(list->handles, list->count + 1u, sizeof *handles);
	if (!handles)
		return -ENOMEM;
	list->handles = handles;
	handles[list->count] = (struct ps_cl_handle){ platform, id };
	entries[list->count] = *like;
	entries[list->count].type = type_of(id);
	if (ps_cl_device_text(id, CL_DEVICE_NAME, entries[list->count].name, PS_CL_NAME))
		return -ENOMEM;
	list->count++;
	return 0;
}

static bool has(const struct ps_cl_list *list, cl_device_id id)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->handles[i].id == id)
			return true;
	return false;
}

/* Appends the platform's devices of a type. A fault in `skipped` says that it could not tell them. */
static int add_type(struct ps_cl_list *list, const struct ps_cl_entry *like, cl_platform_id platform,
	cl_device_type type, struct ps_cl_fault *skipped)
{
	cl_device_id *ids;
	cl_uint count = 0;
	cl_int code = clGetDeviceIDs(platform, type, 0, NULL, &count);
	int err = 0;

	if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
		return 0;
	if (code) {
		ps_cl_fail(skipped, code, "clGetDeviceIDs", like->platform_name);
		return 0;
	}
	ids = ps_memory_zalloc(count, sizeof(cl_device_id));
	if (!ids)
		return -ENOMEM;
	code = clGetDeviceIDs(platform, type, count, ids, NULL);
	if (code)
		ps_cl_fail(skipped, code, "clGetDeviceIDs", like->platform_name);
	for (cl_uint i = 0; i < count && !code && !err; i++)
		if (!has(list, ids[i]))
			err = add_device(list, like, platform, ids[i]);
	ps_memory_free(ids);
	return err;
}

static int add_platform(
	struct ps_cl_list *list, unsigned number, cl_platform_id id, struct ps_cl_fault *skipped)
{
	struct ps_cl_entry like = { .platform = number };
	struct ps_cl_fault no_custom = { 0 };
	int err = get_text(id, NULL, CL_PLATFORM_NAME, like.platform_name, PS_CL_NAME);

	if (!err)
		err = get_text(id, NULL, CL_PLATFORM_VENDOR, like.vendor, PS_CL_NAME);
	if (!err)
		err = get_text(id, NULL, CL_PLATFORM_ICD_SUFFIX_KHR, like.suffix, PS_CL_NAME);
	if (!err)
		list->pocl |= ps_cl_cache_is_of(like.platform_name);
	if (!err)
		err = add_type(list, &like, id, CL_DEVICE_TYPE_ALL, skipped);
	/* ALL leaves custom devices out; drivers before OpenCL 1.2 don't know them */
	return err ? err : add_type(list, &like, id, CL_DEVICE_TYPE_CUSTOM, &no_custom);
}

static int add_platforms(struct ps_cl_list *list, struct ps_cl_fault *fault, struct ps_cl_fault *skipped)
{
	cl_platform_id *ids;
	cl_uint count = 0;
	cl_int code = clGetPlatformIDs(0, NULL, &count);
	int err = 0;

	if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
		return 0;
	if (code)
		return ps_cl_fail(fault, code, "clGetPlatformIDs", NULL);
	ids = ps_memory_zalloc(count, sizeof(cl_platform_id));
	if (!ids)
		return no_memory(fault);
	code = clGetPlatformIDs(count, ids, NULL);
	if (code)
		err = ps_cl_fail(fault, code, "clGetPlatformIDs", NULL);
	for (cl_uint i = 0; i < count && !err; i++)
		err = add_platform(list, i, ids[i], skipped);
	ps_memory_free(ids);
	return err == -ENOMEM ? no_memory(fault) : err;
}

/* PoCL is there, and shows none. */
static int none_of_pocl(struct ps_cl_fault *fault)
{
	const char *devices = ps_environment_text(PS_VARIABLE_POCL_DEVICES);
	struct ps_cl_cache cache;
	char why[PS_CL_TEXT];

	ps_cl_cache_look(&cache);
	if (ps_cl_cache_fault(&cache, why, sizeof why))
		return ps_cl_refuse(fault, -ENODEV, "no OpenCL device: %s", why);
	if (devices)
		return ps_cl_refuse(fault, -ENODEV,
			"no OpenCL device: PoCL shows those that POCL_DEVICES names, and has no '%.60s'; "
			"unset "
			"POCL_DEVICES, or name pthread or basic",
			devices);
	return ps_cl_refuse(fault, -ENODEV,
		"no OpenCL device: PoCL is installed, but shows none; with POCL_DEBUG=all it says why");
}

/* The usual reasons, and what fixes each. */
static int none(const struct ps_cl_list *list, struct ps_cl_fault *fault)
{
	const char *vendors = ps_environment_text(PS_VARIABLE_OCL_ICD_VENDORS);

	if (list->pocl)
		return none_of_pocl(fault);
	return ps_cl_refuse(fault, -ENODEV,
		"no OpenCL device: install a driver (Debian: apt-get install pocl-opencl-icd for the CPU; "
		"for a GPU its vendor's ICD package)%s%.60s%s",
		vendors ? "; drivers are looked for in OCL_ICD_VENDORS (here: " : "", vendors ? vendors : "",
		vendors ? ")" : "");
}

/* In a child. */
static void look(void)
{
	struct ps_cl_fault fault = { 0 }, skipped = { 0 };
	struct ps_cl_list list = { 0 };

	add_platforms(&list, &fault, &skipped);
}

/* Once a driver has let this program live it will go on doing so. */
static int foresee(struct ps_cl_fault *fault)
{
	static atomic_bool lived;
	char why[PS_CL_TEXT];

	if (!atomic_load(&lived) && ps_cl_probe_doubt(why, sizeof why) && !ps_cl_probe(look))
		return ps_cl_refuse(fault, -ENODEV,
			"no OpenCL device: a driver, such as PoCL, would end this program: %s", why);
	atomic_store(&lived, true);
	return 0;
}

int ps_cl_list_make(struct ps_cl_list *list, struct ps_cl_fault *fault)
{
	struct ps_cl_fault skipped = { 0 };
	struct ps_cl_driver_signals signals;
	int err;

	memset(list, 0, sizeof *list);
	err = foresee(fault);
	if (err)
		return err;
	ps_cl_driver_signals_keep(&signals);
	err = add_platforms(list, fault, &skipped);
	ps_cl_driver_signals_put_back(&signals);
	if (!err && list->count == 0)
		err = skipped.err ? ps_cl_refuse(fault, skipped.err, "%s", skipped.text) : none(list, fault);
	else if (skipped.err)
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING, "a platform is left out: %s", skipped.text);
	if (err)
		ps_cl_list_free(list);
	else
		ps_cl_selector_name(list->entries, list->count);
	return err;
}

void ps_cl_list_free(struct ps_cl_list *list)
{
	ps_memory_free(list->entries);
	ps_memory_free(list->handles);
	memset(list, 0, sizeof *list);
}

static void copy(char *out, size_t size, const char *text)
{
	size_t length = strnlen(text, size - 1);

	memcpy(out, text, length);
	out[length] = '\0';
}

int ps_cl_list_info(
	const struct ps_cl_list *list, unsigned i, struct pstk_device_info *info, struct ps_cl_fault *fault)
{
	const struct ps_cl_entry *e = &list->entries[i];
	cl_device_id id = list->handles[i].id;
	cl_device_svm_capabilities svm = 0;
	cl_ulong memory;
	cl_uint units;
	cl_bool unified;

	memset(info, 0, sizeof *info);
	copy(info->selector, sizeof info->selector, e->selector);
	copy(info->name, sizeof info->name, e->name);
	copy(info->platform, sizeof info->platform, e->platform_name);
	if (ps_cl_device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver) ||
		ps_cl_device_text(id, CL_DEVICE_VERSION, info->version, sizeof info->version))
		return no_memory(fault);
	ps_cl_device_value(id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units, info->selector, fault);
	ps_cl_device_value(id, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory, info->selector, fault);
	ps_cl_device_value(
		id, CL_DEVICE_HOST_UNIFIED_MEMORY, &unified, sizeof unified, info->selector, fault);
	/* no driver before 2.0 knows this one: no fault, but none */
	if (clGetDeviceInfo(id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) != CL_SUCCESS)
		svm = 0;
	info->compute_units = units;
	info->memory_bytes = memory;
	info->unified = unified == CL_TRUE;
	info->svm_coarse = (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
	info->svm_fine = (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
	return 0;
}
