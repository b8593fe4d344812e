/* SPDX-License-Identifier: MIT */
/*
 * Buffers. Memory on the device is the host's only with unified=1; without, a host that touches a buffer outside of a
 * map sees garbage.
 */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void fake_garbage(void *memory, size_t size, unsigned char seed)
{
	memset(memory, 0xa0 + seed % 32, size);
}

cl_mem fake_memory_root(cl_mem mem)
{
	return mem->parent ? mem->parent : mem;
}

static char *allocate(size_t size)
{
	size_t align = fake.settings.align < 128 ? 128 : fake.settings.align;
	void *memory = NULL;

	while (align & (align - 1))
		align += align & -align;
	return posix_memalign(&memory, align, size ? size : 1) ? NULL : memory;
}

/* As drivers do it, not before the memory is used. */
cl_int fake_memory_ready(cl_mem mem)
{
	mem = fake_memory_root(mem);
	if (mem->device)
		return CL_SUCCESS;
	if (fake.fail_allocation && !--fake.fail_allocation)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	mem->device = allocate(mem->size);
	if (!mem->device)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	fake_garbage(mem->device, mem->size, (unsigned char)mem->serial);
	return CL_SUCCESS;
}

char *fake_memory_at(cl_mem mem, size_t offset)
{
	return fake_memory_root(mem)->device + mem->origin + offset;
}

void fake_memory_check(cl_mem mem, bool writes, const char *what)
{
	const struct _cl_mem *root = fake_memory_root(mem);
	const char *kind = root->o.kind == FAKE_CL_SVM ? "SVM allocation" : "buffer";

	if (root->o.kind == FAKE_CL_SVM && !fake_svm_separate(root))
		return;
	if (root->write_maps)
		fake_violation("%s %s %s %lu, which is mapped for writing", what, writes ? "writes" : "reads",
			kind, root->serial);
	else if (writes && root->read_maps)
		fake_violation("%s writes %s %lu, which is mapped", what, kind, root->serial);
}

void fake_memory_destroy(cl_mem mem)
{
	while (mem->maps) {
		struct fake_map *map = mem->maps;

		mem->maps = map->next;
		fake.live[FAKE_CL_MAP] -= !map->unmapping;
		if (map->own)
			free(map->pointer);
		map->gone = true;
		map->users++;
		fake_map_put(map);
	}
	if (mem->o.kind == FAKE_CL_SVM) {
		if (fake_svm_separate(mem))
			free(mem->device);
		munmap(mem->host, mem->size);
	} else if (!mem->parent && mem->device != mem->host) {
		free(mem->device);
	}
	if (mem->destroyed) { /* a buffer is destroyed with the lock held, so this one may not call OpenCL */
		mem->destroyed(mem, mem->destroyed_data);
	}
	fake_drop(mem->parent);
	fake_drop(mem->context);
}

/* -- creation -- */

static bool at_most_one(cl_mem_flags flags, cl_mem_flags of)
{
	flags &= of;
	return !(flags & (flags - 1));
}

static cl_int check_flags(cl_mem_flags flags, const void *host)
{
	const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
	const cl_mem_flags by_host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
	const cl_mem_flags memory = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

	if ((flags & ~(access | by_host | memory)) || !at_most_one(flags, access) ||
		!at_most_one(flags, by_host) ||
		((flags & CL_MEM_USE_HOST_PTR) && (flags & memory) != CL_MEM_USE_HOST_PTR))
		return CL_INVALID_VALUE;
	if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
		return CL_INVALID_HOST_PTR;
	return CL_SUCCESS;
}

/* The host's memory is the driver's from now on, if it is not only lent to be read. */
static void take_contents(cl_mem mem, void *host)
{
	memcpy(mem->device, host, mem->size);
	fake.to_device += mem->size;
	if (mem->host && !(mem->flags & CL_MEM_READ_ONLY))
		fake_garbage(mem->host, mem->size, (unsigned char)mem->serial);
}

static cl_mem new_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host)
{
	cl_mem mem = calloc(1, sizeof(*mem));

	if (!mem)
		return NULL;
	mem->context = context;
	mem->flags = flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) ? flags : flags | CL_MEM_READ_WRITE;
	mem->size = size;
	mem->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
	mem->serial = ++fake.serial;
	if (mem->host && fake.settings.unified) {
		mem->device = host;
	} else if (host) {
		mem->device = allocate(size);
		if (!mem->device) {
			free(mem);
			return NULL;
		}
		take_contents(mem, host);
	}
	fake_init(mem, FAKE_CL_BUFFER, true);
	fake_hold(context);
	return mem;
}

static cl_int create(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_mem *mem)
{
	cl_int err;

	if (!fake_valid(context, FAKE_CL_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!size || size > fake.settings.max_alloc)
		return CL_INVALID_BUFFER_SIZE;
	err = check_flags(flags, host);
	if (err)
		return err;
	*mem = new_buffer(context, flags, size, host);
	return *mem ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_mem fake_clCreateBuffer(
	cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateBuffer);
	cl_mem mem = NULL;

	if (!err)
		err = create(context, flags, size, host, &mem);
	return fake_leave_with(mem, err, errcode_ret);
}

cl_mem fake_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateBufferWithProperties);
	cl_mem mem = NULL;

	if (!err && fake.settings.version < 30)
		err = CL_INVALID_OPERATION;
	if (!err && properties && properties[0])
		err = CL_INVALID_PROPERTY;
	if (!err)
		err = create(context, flags, size, host, &mem);
	return fake_leave_with(mem, err, errcode_ret);
}

static cl_int create_part(cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region, cl_mem *made)
{
	cl_mem mem;

	if (!fake_valid(parent, FAKE_CL_BUFFER) || parent->parent)
		return CL_INVALID_MEM_OBJECT;
	if (!region || region->size > parent->size || region->origin > parent->size - region->size)
		return CL_INVALID_VALUE;
	if (!region->size)
		return CL_INVALID_BUFFER_SIZE;
	if (region->origin % fake.settings.align) {
		fake_violation("a sub-buffer begins at %zu, which is no multiple of %lu", region->origin,
			fake.settings.align);
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	}
	mem = calloc(1, sizeof(*mem));
	if (!mem)
		return CL_OUT_OF_HOST_MEMORY;
	fake_init(mem, FAKE_CL_BUFFER, true);
	fake_hold(parent);
	fake_hold(parent->context);
	mem->parent = parent;
	mem->context = parent->context;
	mem->origin = region->origin;
	mem->size = region->size;
	mem->flags = flags ? flags : parent->flags;
	mem->host = parent->host ? parent->host + region->origin : NULL;
	mem->serial = parent->serial;
	*made = mem;
	return CL_SUCCESS;
}

cl_mem fake_clCreateSubBuffer(
	cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateSubBuffer);
	cl_mem mem = NULL;

	if (!err && type != CL_BUFFER_CREATE_TYPE_REGION)
		err = CL_INVALID_VALUE;
	if (!err)
		err = create_part(parent, flags, info, &mem);
	return fake_leave_with(mem, err, errcode_ret);
}

/* -- the rest -- */

cl_int fake_clRetainMemObject(cl_mem mem)
{
	cl_int err = fake_enter(FAKE_clRetainMemObject);

	return fake_leave(err ? err : fake_retain(mem, FAKE_CL_BUFFER, CL_INVALID_MEM_OBJECT));
}

cl_int fake_clReleaseMemObject(cl_mem mem)
{
	cl_int err = fake_enter(FAKE_clReleaseMemObject);

	if (!err && mem->o.refs == 1 && mem->maps && !mem->maps->unmapping)
		fake_violation("buffer %lu is released while it is mapped", mem->serial);
	return fake_leave(err ? err : fake_release(mem, FAKE_CL_BUFFER, CL_INVALID_MEM_OBJECT));
}

cl_int fake_clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *call)(cl_mem, void *), void *data)
{
	cl_int err = fake_enter(FAKE_clSetMemObjectDestructorCallback);

	if (!err && !fake_valid(mem, FAKE_CL_BUFFER))
		err = CL_INVALID_MEM_OBJECT;
	if (!err && !call)
		err = CL_INVALID_VALUE;
	if (!err && mem->destroyed)
		err = CL_INVALID_OPERATION; /* one is enough for tests */
	if (!err) {
		mem->destroyed = call;
		mem->destroyed_data = data;
	}
	return fake_leave(err);
}

static cl_uint count_maps(const struct _cl_mem *mem)
{
	cl_uint count = 0;

	for (const struct fake_map *map = mem->maps; map; map = map->next)
		count += !map->unmapping;
	return count;
}

cl_int fake_clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetMemObjectInfo);

	if (!err && !fake_valid(mem, FAKE_CL_BUFFER))
		err = CL_INVALID_MEM_OBJECT;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_MEM_TYPE:
		return fake_leave(FAKE_INFO(cl_mem_object_type, CL_MEM_OBJECT_BUFFER));
	case CL_MEM_FLAGS:
		return fake_leave(FAKE_INFO(cl_mem_flags, mem->flags));
	case CL_MEM_SIZE:
		return fake_leave(FAKE_INFO(size_t, mem->size));
	case CL_MEM_HOST_PTR:
		return fake_leave(FAKE_INFO(void *, mem->host));
	case CL_MEM_MAP_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, count_maps(mem)));
	case CL_MEM_REFERENCE_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, mem->o.refs));
	case CL_MEM_CONTEXT:
		return fake_leave(FAKE_INFO(cl_context, mem->context));
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return fake_leave(FAKE_INFO(cl_mem, mem->parent));
	case CL_MEM_OFFSET:
		return fake_leave(FAKE_INFO(size_t, mem->origin));
	case CL_MEM_USES_SVM_POINTER:
		return fake_leave(FAKE_INFO(cl_bool, mem->host && fake_svm_find(mem->host)));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}
