/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory. Coarse-grained, the device has a copy of its own, and pointers are translated; so a host that
 * does not map reads garbage, and with guard=1 it dies.
 */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool fake_svm_separate(const struct _cl_mem *mem)
{
	return mem->device != mem->host;
}

cl_mem fake_svm_find(const void *pointer)
{
	for (cl_mem mem = fake.svm; mem; mem = mem->next) {
		if (mem->o.refs && (const char *)pointer >= mem->host &&
			(const char *)pointer < mem->host + mem->size)
			return mem;
	}
	return NULL;
}

void fake_svm_protect(cl_mem mem)
{
	bool open = !fake.settings.guard || !fake_svm_separate(mem) || mem->read_maps || mem->write_maps;

	mprotect(mem->host, mem->size, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static cl_mem allocate(cl_context context, cl_svm_mem_flags flags, size_t size)
{
	bool fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER;
	cl_mem mem = calloc(1, sizeof(*mem));

	if (!mem)
		return NULL;
	mem->size = size;
	mem->serial = ++fake.serial;
	mem->svm_flags = flags;
	mem->host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem->host == MAP_FAILED) {
		free(mem);
		return NULL;
	}
	fake_garbage(mem->host, size, (unsigned char)~mem->serial);
	mem->device = fine ? mem->host : NULL;
	if (fake_memory_ready(mem)) {
		munmap(mem->host, size);
		free(mem);
		return NULL;
	}
	mem->context = context;
	fake_hold(context);
	fake_init(mem, FAKE_CL_SVM, true);
	fake_svm_protect(mem);
	mem->next = fake.svm;
	fake.svm = mem;
	return mem;
}

void *fake_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align)
{
	cl_int err = fake_enter(FAKE_clSVMAlloc);
	cl_mem mem = NULL;

	if (!err && !fake_valid(context, FAKE_CL_CONTEXT))
		err = CL_INVALID_CONTEXT;
	if (!err && (fake.settings.version < 20 || fake.settings.svm == FAKE_SVM_NONE))
		err = CL_INVALID_OPERATION;
	if (!err && (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) && fake.settings.svm != FAKE_SVM_FINE)
		err = CL_INVALID_OPERATION;
	if (!err && (!size || size > fake.settings.max_alloc || align > 128 || (align & (align - 1)) ||
			    (flags & CL_MEM_SVM_ATOMICS)))
		err = CL_INVALID_VALUE;
	if (!err)
		mem = allocate(context, flags, size);
	return fake_leave_with(mem ? mem->host : NULL, err, NULL);
}

static void give_back(void *pointer)
{
	cl_mem mem = fake_svm_find(pointer), *link = &fake.svm;

	if (!pointer)
		return;
	if (!mem || mem->host != pointer) {
		fake_violation("what is freed is no SVM allocation");
		return;
	}
	if (mem->uses)
		fake_violation(
			"SVM allocation %lu is freed while a command is queued that uses it", mem->serial);
	else if (mem->maps)
		fake_violation("SVM allocation %lu is freed while it is mapped", mem->serial);
	while (*link != mem)
		link = &(*link)->next;
	*link = mem->next;
	fake_release(mem, FAKE_CL_SVM, CL_INVALID_VALUE);
}

void fake_clSVMFree(cl_context context, void *pointer)
{
	cl_int err = fake_enter(FAKE_clSVMFree);

	if (fake_valid(context, FAKE_CL_CONTEXT))
		give_back(pointer);
	fake_leave(err);
}

/* -- commands -- */

static const char *type_name(cl_command_type type)
{
	return type == CL_COMMAND_SVM_MEMCPY ? "an SVM copy" : "an SVM fill";
}

static void begin(struct fake_command *c)
{
	for (unsigned i = 0; i < c->use_count; i++)
		fake_memory_check(c->uses[i].mem, c->uses[i].writes, type_name(c->type));
	if (c->to_mem)
		c->to = fake_memory_at(c->to_mem, c->to_offset);
	if (c->from_mem)
		c->from = fake_memory_at(c->from_mem, c->from_offset);
	if (c->from_mem && !c->to_mem)
		fake.to_host += c->size;
	if (c->to_mem && !c->from_mem && c->type == CL_COMMAND_SVM_MEMCPY)
		fake.to_device += c->size;
}

static void move(struct fake_command *c)
{
	memmove(c->to, c->from, c->size);
}

static void fill(struct fake_command *c)
{
	for (size_t i = 0; i < c->size; i += c->pattern_size)
		memcpy(c->to + i, c->pattern, c->pattern_size);
}

static cl_int check_svm(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	cl_int err = fake_check_enqueue(queue, count, list);

	return err ? err : fake.settings.version < 20 ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* The allocation in which so many bytes lie, or NULL and an error: what is only partly in one is none. */
static cl_mem find_region(cl_command_queue queue, const void *pointer, size_t size, cl_int *err)
{
	cl_mem mem = fake_svm_find(pointer);

	if (!mem)
		return NULL;
	if (mem->context != queue->context) {
		*err = CL_INVALID_CONTEXT;
	} else if ((size_t)((const char *)pointer - mem->host) + size > mem->size) {
		fake_violation("%zu bytes reach beyond the end of SVM allocation %lu", size, mem->serial);
		*err = CL_INVALID_VALUE;
	}
	return mem;
}

static bool overlap(const char *a, const char *b, size_t size)
{
	return a < b + size && b < a + size;
}

cl_int fake_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
	size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueSVMMemcpy);
	struct fake_command *c;
	cl_mem to_mem, from_mem;

	if (!err)
		err = check_svm(queue, count, list);
	if (!err && (!to || !from))
		err = CL_INVALID_VALUE;
	if (err)
		return fake_leave(err);
	to_mem = find_region(queue, to, size, &err);
	from_mem = find_region(queue, from, size, &err);
	if (!err && overlap(to, from, size)) {
		fake_violation("source and destination overlap");
		err = CL_MEM_COPY_OVERLAP;
	}
	c = err ? NULL : fake_command_new(queue, CL_COMMAND_SVM_MEMCPY, 2);
	if (!c)
		return fake_leave(err ? err : CL_OUT_OF_HOST_MEMORY);
	c->to = to;
	c->from = from;
	c->to_mem = to_mem;
	c->from_mem = from_mem;
	c->to_offset = to_mem ? (size_t)((char *)to - to_mem->host) : 0;
	c->from_offset = from_mem ? (size_t)((const char *)from - from_mem->host) : 0;
	if (to_mem)
		fake_command_use(c, to_mem, true, c->to_offset, size);
	if (from_mem)
		fake_command_use(c, from_mem, false, c->from_offset, size);
	c->size = size;
	c->begin = begin;
	c->execute = move;
	return fake_leave(fake_enqueue(c, count, list, event, blocking));
}

cl_int fake_clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size,
	size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueSVMMemFill);
	struct fake_command *c;
	cl_mem mem = NULL;

	if (!err)
		err = check_svm(queue, count, list);
	if (!err && (!to || !pattern || !pattern_size || pattern_size > 128 ||
			    (pattern_size & (pattern_size - 1)) || size % pattern_size))
		err = CL_INVALID_VALUE;
	if (!err && !(mem = find_region(queue, to, size, &err))) {
		fake_violation("what is filled is no SVM allocation");
		err = CL_INVALID_VALUE;
	}
	c = err ? NULL : fake_command_new(queue, CL_COMMAND_SVM_MEMFILL, 1);
	if (!c)
		return fake_leave(err ? err : CL_OUT_OF_HOST_MEMORY);
	c->to_mem = mem;
	c->to_offset = (size_t)((char *)to - mem->host);
	fake_command_use(c, mem, true, c->to_offset, size);
	c->size = size;
	c->pattern_size = pattern_size;
	memcpy(c->pattern, pattern, pattern_size);
	c->begin = begin;
	c->execute = fill;
	return fake_leave(fake_enqueue(c, count, list, event, false));
}

cl_int fake_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer,
	size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueSVMMap);
	struct fake_map *map = NULL;
	cl_mem mem = NULL;

	if (!err)
		err = check_svm(queue, count, list);
	if (!err && (!pointer || !size || !flags))
		err = CL_INVALID_VALUE;
	if (!err && !(mem = find_region(queue, pointer, size, &err))) {
		fake_violation("what is mapped is no SVM allocation");
		err = CL_INVALID_VALUE;
	}
	if (!err && !(map = fake_map_new(mem, flags, (size_t)((char *)pointer - mem->host), size, pointer)))
		err = CL_OUT_OF_HOST_MEMORY;
	return fake_leave(err ? err : fake_enqueue_map(queue, mem, map, blocking, count, list, event));
}

cl_int fake_clEnqueueSVMUnmap(
	cl_command_queue queue, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueSVMUnmap);
	cl_mem mem = fake_svm_find(pointer);
	struct fake_map *map = mem ? fake_map_find(mem, pointer) : NULL;

	if (!err)
		err = check_svm(queue, count, list);
	if (!err && !map) {
		fake_violation("no SVM allocation is mapped at this pointer");
		err = CL_INVALID_VALUE;
	}
	return fake_leave(err ? err : fake_enqueue_unmap(queue, mem, map, count, list, event));
}

cl_int fake_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count, const void **pointers,
	const size_t *sizes, cl_mem_migration_flags flags, cl_uint count, const cl_event *list,
	cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueSVMMigrateMem);
	struct fake_command *c;

	if (!err)
		err = check_svm(queue, count, list);
	if (!err && (!pointer_count || !pointers || flags > 3))
		err = CL_INVALID_VALUE;
	for (cl_uint i = 0; !err && i < pointer_count; i++) {
		if (!find_region(queue, pointers[i], sizes ? sizes[i] : 0, &err))
			err = CL_INVALID_VALUE;
	}
	c = err ? NULL : fake_command_new(queue, CL_COMMAND_SVM_MIGRATE_MEM, pointer_count);
	if (!c)
		return fake_leave(err ? err : CL_OUT_OF_HOST_MEMORY);
	for (cl_uint i = 0; i < pointer_count; i++)
		fake_command_use(c, fake_svm_find(pointers[i]), false, 0, 0);
	return fake_leave(fake_enqueue(c, count, list, event, false));
}

static void free_all(struct fake_command *c)
{
	for (cl_uint i = 0; !c->free_call && i < c->pointer_count; i++)
		give_back(c->pointers[i]);
}

static void call_free(struct fake_command *c)
{
	if (c->free_call)
		c->free_call(c->queue, c->pointer_count, c->pointers, c->free_data);
}

cl_int fake_clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[],
	void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *), void *data, cl_uint count,
	const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueSVMFree);
	struct fake_command *c;

	if (!err)
		err = check_svm(queue, count, list);
	if (!err && (!pointer_count || !pointers))
		err = CL_INVALID_VALUE;
	c = err ? NULL : fake_command_new(queue, CL_COMMAND_SVM_FREE, 0);
	if (!c)
		return fake_leave(err ? err : CL_OUT_OF_HOST_MEMORY);
	c->pointers = calloc(pointer_count, sizeof(*c->pointers));
	if (!c->pointers) {
		fake_command_free(c);
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	}
	memcpy(c->pointers, pointers, pointer_count * sizeof(*pointers));
	c->pointer_count = pointer_count;
	c->free_call = call;
	c->free_data = data;
	c->begin = free_all;
	c->execute = call_free;
	return fake_leave(fake_enqueue(c, count, list, event, false));
}
