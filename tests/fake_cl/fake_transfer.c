/* SPDX-License-Identifier: MIT */
/* Commands that move bytes: read, write, copy, fill, migrate. */
#include "tests/fake_cl/fake.h"

#include <string.h>

static const char *type_name(cl_command_type type)
{
	switch (type) {
	case CL_COMMAND_READ_BUFFER:
		return "a read";
	case CL_COMMAND_WRITE_BUFFER:
		return "a write";
	case CL_COMMAND_COPY_BUFFER:
		return "a copy";
	default:
		return "a fill";
	}
}

static void begin(struct fake_command *c)
{
	for (unsigned i = 0; i < c->use_count; i++)
		fake_memory_check(c->uses[i].mem, c->uses[i].writes, type_name(c->type));
	if (c->to_mem)
		c->to = fake_memory_at(c->to_mem, c->to_offset);
	if (c->from_mem)
		c->from = fake_memory_at(c->from_mem, c->from_offset);
	fake.to_device += c->type == CL_COMMAND_WRITE_BUFFER ? c->size : 0;
	fake.to_host += c->type == CL_COMMAND_READ_BUFFER ? c->size : 0;
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

static cl_int check_region(cl_command_queue queue, cl_mem mem, size_t offset, size_t size)
{
	if (!fake_valid(mem, FAKE_CL_BUFFER))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (mem->origin % fake.settings.align)
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	if (!size)
		return CL_INVALID_VALUE;
	if (offset > mem->size || size > mem->size - offset) {
		fake_violation("bytes %zu to %zu of buffer %lu, which has %zu", offset, offset + size,
			mem->serial, mem->size);
		return CL_INVALID_VALUE;
	}
	return CL_SUCCESS;
}

static struct fake_command *new_move(cl_command_queue queue, cl_command_type type, cl_mem to,
	size_t to_offset, cl_mem from, size_t from_offset, size_t size)
{
	struct fake_command *c = fake_command_new(queue, type, 2);

	if (!c)
		return NULL;
	c->to_mem = to;
	c->to_offset = to_offset;
	c->from_mem = from;
	c->from_offset = from_offset;
	c->size = size;
	if (to)
		fake_command_use(c, to, true, to_offset, size);
	if (from)
		fake_command_use(c, from, false, from_offset, size);
	c->begin = begin;
	c->execute = move;
	c->moved = size;
	if (type == CL_COMMAND_WRITE_BUFFER)
		c->engine = FAKE_ENGINE_TO_DEVICE;
	else if (type == CL_COMMAND_READ_BUFFER)
		c->engine = FAKE_ENGINE_TO_HOST;
	return c;
}

cl_int fake_clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
	size_t size, void *to, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueReadBuffer);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = to ? check_region(queue, mem, offset, size) : CL_INVALID_VALUE;
	if (!err && (mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
		err = CL_INVALID_OPERATION;
	if (err)
		return fake_leave(err);
	c = new_move(queue, CL_COMMAND_READ_BUFFER, NULL, 0, mem, offset, size);
	if (!c)
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	c->to = to;
	return fake_leave(fake_enqueue(c, count, list, event, blocking));
}

cl_int fake_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
	size_t size, const void *from, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueWriteBuffer);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = from ? check_region(queue, mem, offset, size) : CL_INVALID_VALUE;
	if (!err && (mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
		err = CL_INVALID_OPERATION;
	if (err)
		return fake_leave(err);
	c = new_move(queue, CL_COMMAND_WRITE_BUFFER, mem, offset, NULL, 0, size);
	if (!c)
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	c->from = from;
	return fake_leave(fake_enqueue(c, count, list, event, blocking));
}

static bool overlap(cl_mem from, size_t from_offset, cl_mem to, size_t to_offset, size_t size)
{
	size_t a = from->origin + from_offset, b = to->origin + to_offset;

	return fake_memory_root(from) == fake_memory_root(to) && a < b + size && b < a + size;
}

cl_int fake_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
	size_t to_offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueCopyBuffer);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = check_region(queue, from, from_offset, size);
	if (!err)
		err = check_region(queue, to, to_offset, size);
	if (!err && overlap(from, from_offset, to, to_offset, size)) {
		fake_violation("source and destination overlap in buffer %lu", from->serial);
		err = CL_MEM_COPY_OVERLAP;
	}
	if (err)
		return fake_leave(err);
	c = new_move(queue, CL_COMMAND_COPY_BUFFER, to, to_offset, from, from_offset, size);
	return fake_leave(c ? fake_enqueue(c, count, list, event, false) : CL_OUT_OF_HOST_MEMORY);
}

cl_int fake_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size,
	size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueFillBuffer);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = check_region(queue, mem, offset, size);
	if (!err && (!pattern || !pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)) ||
			    offset % pattern_size || size % pattern_size))
		err = CL_INVALID_VALUE;
	if (err)
		return fake_leave(err);
	c = new_move(queue, CL_COMMAND_FILL_BUFFER, mem, offset, NULL, 0, size);
	if (!c)
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	c->execute = fill;
	c->pattern_size = pattern_size;
	memcpy(c->pattern, pattern, pattern_size);
	return fake_leave(fake_enqueue(c, count, list, event, false));
}

/* All devices of a context share what it has, so there is nothing to move. */
cl_int fake_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems,
	cl_mem_migration_flags flags, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueMigrateMemObjects);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err && (!mem_count || !mems ||
			    (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
							       CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))))
		err = CL_INVALID_VALUE;
	for (cl_uint i = 0; !err && i < mem_count; i++) {
		if (!fake_valid(mems[i], FAKE_CL_BUFFER))
			err = CL_INVALID_MEM_OBJECT;
		else if (mems[i]->context != queue->context)
			err = CL_INVALID_CONTEXT;
	}
	if (err)
		return fake_leave(err);
	c = fake_command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, mem_count);
	for (cl_uint i = 0; c && i < mem_count; i++)
		fake_command_use(c, mems[i], false, 0, 0);
	return fake_leave(c ? fake_enqueue(c, count, list, event, false) : CL_OUT_OF_HOST_MEMORY);
}
