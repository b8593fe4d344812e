/* SPDX-License-Identifier: MIT */
/*
 * Maps. Each gives the host memory of its own, that is filled when the map's command runs, written back when the
 * unmap's does, and gone after that; a buffer made of the host's memory is mapped there. With unified=1 the host gets
 * the device's memory.
 */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>
#include <string.h>

static bool writes(const struct fake_map *map)
{
	return map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

struct fake_map *fake_map_new(cl_mem mem, cl_map_flags flags, size_t offset, size_t size, char *pointer)
{
	struct fake_map *map = calloc(1, sizeof(*map)), **end;

	if (!map)
		return NULL;
	map->own = !pointer;
	map->pointer = pointer ? pointer : malloc(size);
	map->offset = offset;
	map->size = size;
	map->flags = flags;
	if (!map->pointer) {
		free(map);
		return NULL;
	}
	if (map->own)
		fake_garbage(map->pointer, size, (unsigned char)~mem->serial);
	for (end = &mem->maps; *end; end = &(*end)->next)
		;
	*end = map;
	fake.live[FAKE_CL_MAP]++;
	return map;
}

struct fake_map *fake_map_find(cl_mem mem, const void *pointer)
{
	struct fake_map *map = mem->maps;

	while (map && (map->pointer != pointer || map->unmapping))
		map = map->next;
	return map;
}

static void remove_map(cl_mem mem, struct fake_map *map)
{
	struct fake_map **link = &mem->maps;

	while (*link != map)
		link = &(*link)->next;
	*link = map->next;
	fake.live[FAKE_CL_MAP] -= !map->unmapping;
	if (map->own) {
		fake_garbage(map->pointer, map->size, 31);
		free(map->pointer);
	}
	map->gone = true;
	map->users++;
	fake_map_put(map);
}

void fake_map_put(struct fake_map *map)
{
	if (map && !--map->users && map->gone)
		free(map);
}

static void command_of(struct fake_command *c, cl_mem mem, struct fake_map *map, bool back)
{
	fake_command_use(c, mem, back, map->offset, map->size);
	fake_hold(mem);
	c->map_mem = mem;
	map->users++;
	c->map = map;
}

static char *device_side(struct fake_command *c)
{
	return fake_memory_at(c->map_mem, c->map->offset);
}

static bool has_shadow(struct fake_command *c)
{
	return c->map->pointer != device_side(c);
}

/* -- map -- */

static void begin_map(struct fake_command *c)
{
	cl_mem root = fake_memory_root(c->map_mem);

	if (root->write_maps || (writes(c->map) && root->read_maps))
		fake_violation("%s %lu is mapped for writing and mapped a second time",
			root->o.kind == FAKE_CL_SVM ? "SVM allocation" : "buffer", root->serial);
	*(writes(c->map) ? &root->write_maps : &root->read_maps) += 1;
	c->map->active = true;
	if (root->o.kind == FAKE_CL_SVM)
		fake_svm_protect(root);
	if (has_shadow(c) && !(c->map->flags & CL_MAP_WRITE_INVALIDATE_REGION))
		fake.to_host += c->map->size;
}

static void copy_in(struct fake_command *c)
{
	if (!has_shadow(c))
		return;
	if (c->map->flags & CL_MAP_WRITE_INVALIDATE_REGION)
		fake_garbage(c->map->pointer, c->map->size, 7);
	else
		memcpy(c->map->pointer, device_side(c), c->map->size);
}

static void end_map(struct fake_command *c)
{
	if (!c->map->active) /* the command failed */
		remove_map(c->map_mem, c->map);
}

cl_int fake_enqueue_map(cl_command_queue queue, cl_mem mem, struct fake_map *map, bool blocking,
	cl_uint count, const cl_event *list, cl_event *event)
{
	cl_command_type type = mem->o.kind == FAKE_CL_SVM ? CL_COMMAND_SVM_MAP : CL_COMMAND_MAP_BUFFER;
	struct fake_command *c = fake_command_new(queue, type, 1);

	if (!c) {
		remove_map(mem, map);
		return CL_OUT_OF_HOST_MEMORY;
	}
	command_of(c, mem, map, false);
	c->engine = FAKE_ENGINE_TO_HOST;
	if (!(map->flags & CL_MAP_WRITE_INVALIDATE_REGION))
		c->moved = has_shadow(c) ? map->size : 0;
	c->begin = begin_map;
	c->execute = copy_in;
	c->end = c->cancel = end_map;
	return fake_enqueue(c, count, list, event, blocking);
}

/* -- unmap -- */

static void begin_unmap(struct fake_command *c)
{
	if (c->map->gone) /* its map's command failed */
		return;
	if (!c->map->active)
		fake_violation("an unmap runs before the map it belongs to");
	else if (has_shadow(c) && writes(c->map))
		fake.to_device += c->map->size;
}

static void copy_out(struct fake_command *c)
{
	if (has_shadow(c) && c->map->active && writes(c->map))
		memcpy(device_side(c), c->map->pointer, c->map->size);
}

static bool covers_another(cl_mem mem, const struct fake_map *map)
{
	for (const struct fake_map *m = mem->maps; m; m = m->next) {
		if (m != map && m->active && m->pointer < map->pointer + map->size &&
			map->pointer < m->pointer + m->size)
			return true;
	}
	return false;
}

static void cancel_unmap(struct fake_command *c)
{
	c->map->unmapping = false;
	fake.live[FAKE_CL_MAP]++;
}

static void end_unmap(struct fake_command *c)
{
	cl_mem root = fake_memory_root(c->map_mem);

	if (c->map->gone)
		return;
	if (!c->map->active) {
		cancel_unmap(c);
		return;
	}
	*(writes(c->map) ? &root->write_maps : &root->read_maps) -= 1;
	/* what the host has kept a pointer to is no longer the buffer */
	c->map->active = false;
	if (has_shadow(c) && !c->map->own && !covers_another(c->map_mem, c->map) &&
		!(c->map_mem->flags & CL_MEM_READ_ONLY))
		fake_garbage(c->map->pointer, c->map->size, 31);
	remove_map(c->map_mem, c->map);
	if (root->o.kind == FAKE_CL_SVM)
		fake_svm_protect(root);
}

cl_int fake_enqueue_unmap(cl_command_queue queue, cl_mem mem, struct fake_map *map, cl_uint count,
	const cl_event *list, cl_event *event)
{
	cl_command_type type =
		mem->o.kind == FAKE_CL_SVM ? CL_COMMAND_SVM_UNMAP : CL_COMMAND_UNMAP_MEM_OBJECT;
	struct fake_command *c = fake_command_new(queue, type, 1);

	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	command_of(c, mem, map, writes(map));
	c->engine = FAKE_ENGINE_TO_DEVICE;
	c->moved = has_shadow(c) && writes(map) ? map->size : 0;
	c->begin = begin_unmap;
	c->execute = copy_out;
	c->end = end_unmap;
	c->cancel = cancel_unmap;
	map->unmapping = true;
	fake.live[FAKE_CL_MAP]--;
	return fake_enqueue(c, count, list, event, false);
}

/* -- buffers -- */

static cl_int check_map(cl_command_queue queue, cl_mem mem, cl_map_flags flags, size_t offset, size_t size)
{
	const cl_map_flags reads = CL_MAP_READ,
			   all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

	if (!fake_valid(mem, FAKE_CL_BUFFER))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (offset > mem->size || size > mem->size - offset || !size || (flags & ~all) || !flags ||
		((flags & CL_MAP_WRITE_INVALIDATE_REGION) && flags != CL_MAP_WRITE_INVALIDATE_REGION))
		return CL_INVALID_VALUE;
	if ((flags & reads) && (mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
		return CL_INVALID_OPERATION;
	if ((flags & ~reads) && (mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
		return CL_INVALID_OPERATION;
	return CL_SUCCESS;
}

/* Where the host will see it; NULL: in memory that the map has to bring. */
static char *host_side(cl_mem mem, size_t offset)
{
	if (fake.settings.unified)
		return fake_memory_at(mem, offset);
	return mem->host ? mem->host + offset : NULL;
}

void *fake_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags,
	size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clEnqueueMapBuffer);
	struct fake_map *map = NULL;
	void *pointer = NULL;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = check_map(queue, mem, flags, offset, size);
	if (!err)
		err = fake_memory_ready(mem);
	if (!err && !(map = fake_map_new(mem, flags, offset, size, host_side(mem, offset))))
		err = CL_MAP_FAILURE;
	if (!err) {
		pointer = map->pointer;
		err = fake_enqueue_map(queue, mem, map, blocking, count, list, event);
	}
	return fake_leave_with(pointer, err, errcode_ret);
}

cl_int fake_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint count,
	const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueUnmapMemObject);
	struct fake_map *map = NULL;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err && !fake_valid(mem, FAKE_CL_BUFFER))
		err = CL_INVALID_MEM_OBJECT;
	if (!err && !(map = fake_map_find(mem, pointer))) {
		fake_violation("buffer %lu is not mapped at this pointer", mem->serial);
		err = CL_INVALID_VALUE;
	}
	return fake_leave(err ? err : fake_enqueue_unmap(queue, mem, map, count, list, event));
}
