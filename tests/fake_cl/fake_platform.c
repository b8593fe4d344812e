/* SPDX-License-Identifier: MIT */
/* What the ICD loader sees: the entry points and their table; platform, devices, parts of devices, contexts. */
#include "tests/fake_cl/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that are not in the list have no entry. */
const cl_icd_dispatch fake_dispatch = {
#define FAKE_ENTRY(name) .name = fake_##name,
	FAKE_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
};

#define EXPORT __attribute__((visibility("default")))

struct _cl_platform_id fake_platform = { &fake_dispatch };

#define ROOT(n)                                                               \
	{                                                                     \
		.o = { &fake_dispatch, FAKE_CL_SUB_DEVICE, 1, 1 }, .index = n \
	}
struct _cl_device_id fake_devices[FAKE_DEVICES_MAX] = { ROOT(0), ROOT(1), ROOT(2), ROOT(3) };

EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id *platforms, cl_uint *count)
{
	fake_load();
	if ((platforms && !entries) || (!platforms && !count))
		return CL_INVALID_VALUE;
	if (platforms)
		platforms[0] = &fake_platform;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

static void *extension(const char *name)
{
	union {
		void *address;
		const struct fake_cl *(*control)(void);
		cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *);
		cl_api_clGetPlatformInfo info;
	} entry = { NULL };

	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		entry.platforms = clIcdGetPlatformIDsKHR;
	else if (!strcmp(name, "clGetPlatformInfo")) /* ocl-icd asks for it before it knows the table */
		entry.info = fake_clGetPlatformInfo;
	else if (!strcmp(name, "pstkFakeControl"))
		entry.control = fake_control;
	return entry.address;
}

EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
	return extension(name);
}

void *fake_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	cl_int err = fake_enter(FAKE_clGetExtensionFunctionAddressForPlatform);

	return fake_leave_with(extension(name), platform == &fake_platform ? err : CL_INVALID_PLATFORM, NULL);
}

cl_int fake_clGetPlatformIDs(cl_uint entries, cl_platform_id *platforms, cl_uint *count)
{
	cl_int err = fake_enter(FAKE_clGetPlatformIDs);

	return fake_leave(err ? err : clIcdGetPlatformIDsKHR(entries, platforms, count));
}

static const char *version_text(char *text, size_t size)
{
	snprintf(text, size, "OpenCL %lu.%lu penstock fake", fake.settings.version / 10,
		fake.settings.version % 10);
	return text;
}

#define TEXT(what) fake_info(what, strlen(what) + 1, size, value, size_ret)

cl_int fake_clGetPlatformInfo(
	cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetPlatformInfo);
	char text[64];

	if (!err && platform != &fake_platform)
		err = CL_INVALID_PLATFORM;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_PLATFORM_PROFILE:
		return fake_leave(TEXT("FULL_PROFILE"));
	case CL_PLATFORM_VERSION:
		return fake_leave(TEXT(version_text(text, sizeof(text))));
	case CL_PLATFORM_NAME:
		return fake_leave(
			fake.settings.nvidia ? TEXT("Penstock fake NVIDIA") : TEXT("Penstock fake"));
	case CL_PLATFORM_VENDOR:
		return fake_leave(TEXT("Penstock"));
	case CL_PLATFORM_EXTENSIONS:
		return fake_leave(TEXT("cl_khr_icd"));
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return fake_leave(TEXT("PSTK"));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

static cl_device_type device_type(void)
{
	return fake.settings.cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
}

cl_int fake_clGetDeviceIDs(
	cl_platform_id platform, cl_device_type type, cl_uint entries, cl_device_id *devices, cl_uint *count)
{
	cl_int err = fake_enter(FAKE_clGetDeviceIDs);
	cl_uint n = 0;

	if (!err && platform != &fake_platform)
		err = CL_INVALID_PLATFORM;
	if (!err && ((devices && !entries) || (!devices && !count)))
		err = CL_INVALID_VALUE;
	if (type & (device_type() | CL_DEVICE_TYPE_DEFAULT))
		n = (cl_uint)fake.settings.devices;
	if (!err && !n)
		err = CL_DEVICE_NOT_FOUND;
	if (err)
		return fake_leave(err);
	for (cl_uint i = 0; devices && i < entries && i < n; i++)
		devices[i] = &fake_devices[i];
	if (count)
		*count = n;
	return fake_leave(CL_SUCCESS);
}

static cl_uint units_of(cl_device_id device)
{
	return device->parent ? device->units : (cl_uint)fake.settings.units;
}

static cl_int device_text(
	cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	char text[64];

	switch (what) {
	case CL_DEVICE_NAME:
		snprintf(text, sizeof(text), "Penstock fake device %u", device->index);
		return TEXT(text);
	case CL_DEVICE_VENDOR:
		return TEXT("Penstock");
	case CL_DRIVER_VERSION:
		return TEXT("1");
	case CL_DEVICE_PROFILE:
		return TEXT("FULL_PROFILE");
	case CL_DEVICE_VERSION:
		return TEXT(version_text(text, sizeof(text)));
	case CL_DEVICE_OPENCL_C_VERSION:
		return TEXT("OpenCL C 1.2 penstock fake");
	case CL_DEVICE_EXTENSIONS:
		return TEXT("cl_khr_icd cl_khr_byte_addressable_store");
	case CL_DEVICE_BUILT_IN_KERNELS:
		return TEXT("");
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int device_part(
	cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	static const cl_device_partition_property ways[] = { CL_DEVICE_PARTITION_EQUALLY,
		CL_DEVICE_PARTITION_BY_COUNTS };

	switch (what) {
	case CL_DEVICE_PARENT_DEVICE:
		return FAKE_INFO(cl_device_id, device->parent);
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
		return FAKE_INFO(cl_uint, units_of(device));
	case CL_DEVICE_PARTITION_PROPERTIES:
		if (units_of(device) < 2)
			return FAKE_INFO(cl_device_partition_property, 0);
		return fake_info(ways, sizeof(ways), size, value, size_ret);
	case CL_DEVICE_PARTITION_TYPE:
		return fake_info(device->partition, device->partition_size, size, value, size_ret);
	case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
		return FAKE_INFO(cl_device_affinity_domain, 0);
	case CL_DEVICE_REFERENCE_COUNT:
		return FAKE_INFO(cl_uint, device->o.refs);
	case CL_DEVICE_PLATFORM:
		return FAKE_INFO(cl_platform_id, &fake_platform);
	default:
		return device_text(device, what, size, value, size_ret);
	}
}

static cl_int device_svm(size_t size, void *value, size_t *size_ret)
{
	cl_device_svm_capabilities can = 0;

	if (fake.settings.version < 20)
		return CL_INVALID_VALUE;
	if (fake.settings.svm != FAKE_SVM_NONE)
		can = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	if (fake.settings.svm == FAKE_SVM_FINE)
		can |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	return FAKE_INFO(cl_device_svm_capabilities, can);
}

static cl_int device_queue(cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	static const size_t items[3] = { FAKE_MAX_GROUP, FAKE_MAX_GROUP, FAKE_MAX_GROUP };

	switch (what) {
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return fake_info(items, sizeof(items), size, value, size_ret);
	case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
		return FAKE_INFO(cl_command_queue_properties, 0);
	case CL_DEVICE_QUEUE_PROPERTIES:
		return FAKE_INFO(cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		return FAKE_INFO(cl_device_exec_capabilities,
			CL_EXEC_KERNEL |
				(cl_device_exec_capabilities)(fake.settings.native ? CL_EXEC_NATIVE_KERNEL
										   : 0));
	case CL_DEVICE_SINGLE_FP_CONFIG:
		return FAKE_INFO(cl_device_fp_config, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
	case CL_DEVICE_LOCAL_MEM_TYPE:
		return FAKE_INFO(cl_device_local_mem_type, CL_GLOBAL);
	case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
		return FAKE_INFO(cl_device_mem_cache_type, CL_NONE);
	case CL_DEVICE_SVM_CAPABILITIES:
		return device_svm(size, value, size_ret);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int device_memory(cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	switch (what) {
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return FAKE_INFO(cl_ulong, fake.settings.max_alloc);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		return FAKE_INFO(cl_ulong, fake.settings.max_alloc * 4);
	case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
		return FAKE_INFO(cl_ulong, 0);
	case CL_DEVICE_LOCAL_MEM_SIZE:
	case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
		return FAKE_INFO(cl_ulong, 65536);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		return FAKE_INFO(cl_uint, (cl_uint)fake.settings.align * 8);
	case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
		return FAKE_INFO(cl_uint, 128);
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
		return FAKE_INFO(cl_bool, (cl_bool)fake.settings.unified);
	case CL_DEVICE_MAX_PARAMETER_SIZE:
		return FAKE_INFO(size_t, 1024);
	case CL_DEVICE_PRINTF_BUFFER_SIZE:
		return FAKE_INFO(size_t, 1024);
	default:
		return device_queue(what, size, value, size_ret);
	}
}

static cl_int device_number(
	cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	switch (what) {
	case CL_DEVICE_TYPE:
		return FAKE_INFO(cl_device_type, device_type());
	case CL_DEVICE_VENDOR_ID:
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
	case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
		return FAKE_INFO(cl_uint, 0);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		return FAKE_INFO(cl_uint, units_of(device));
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		return FAKE_INFO(cl_uint, 3);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return FAKE_INFO(size_t, FAKE_MAX_GROUP);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
	case CL_DEVICE_ADDRESS_BITS:
		return FAKE_INFO(cl_uint, sizeof(void *) * 8);
	case CL_DEVICE_MAX_CONSTANT_ARGS:
		return FAKE_INFO(cl_uint, 8);
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
		return FAKE_INFO(size_t, 1);
	case CL_DEVICE_AVAILABLE:
		return FAKE_INFO(cl_bool, !fake.lost);
	case CL_DEVICE_ENDIAN_LITTLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
		return FAKE_INFO(cl_bool, CL_TRUE);
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
		return FAKE_INFO(cl_uint, 1);
	default:
		return device_memory(what, size, value, size_ret);
	}
}

cl_int fake_clGetDeviceInfo(
	cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetDeviceInfo);

	if (!err && !fake_valid(device, FAKE_CL_SUB_DEVICE))
		err = CL_INVALID_DEVICE;
	if (err)
		return fake_leave(err);
	err = device_number(device, what, size, value, size_ret);
	if (err)
		err = device_part(device, what, size, value, size_ret);
	return fake_leave(err);
}
