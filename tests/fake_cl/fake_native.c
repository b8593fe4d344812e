/* SPDX-License-Identifier: MIT */
/* Native kernels: functions of the host's that a device runs, if it is one that does (native=1). */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>
#include <string.h>

/* Made by the enqueueing thread, then the worker's. */
struct fake_native {
	void(CL_CALLBACK *call)(void *);
	unsigned char *args;
	cl_uint mem_count;
	struct fake_native_mem {
		cl_mem mem;    /* held by the command's uses */
		size_t offset; /* in args: where the pointer belongs */
	} * mems;
};

void fake_native_free(struct fake_native *native)
{
	if (!native)
		return;
	free(native->args);
	free(native->mems);
	free(native);
}

static void begin(struct fake_command *c)
{
	struct fake_native *native = c->native;

	for (unsigned i = 0; i < c->use_count; i++)
		fake_memory_check(c->uses[i].mem, c->uses[i].writes, "a native kernel");
	for (cl_uint i = 0; i < native->mem_count; i++) {
		void *at = native->mems[i].mem ? fake_memory_at(native->mems[i].mem, 0) : NULL;

		memcpy(native->args + native->mems[i].offset, &at, sizeof(at));
	}
}

static void execute(struct fake_command *c)
{
	c->native->call(c->native->args);
}

static cl_int check_args(void(CL_CALLBACK *call)(void *), const void *args, size_t size, cl_uint mem_count,
	const cl_mem *mems, const void **places)
{
	if (!call || !args != !size || (mem_count && !args))
		return CL_INVALID_VALUE;
	return !mem_count != !mems || !mem_count != !places ? CL_INVALID_VALUE : CL_SUCCESS;
}

static cl_int check_mems(cl_command_queue queue, const void *args, size_t size, cl_uint mem_count,
	const cl_mem *mems, const void **places)
{
	for (cl_uint i = 0; i < mem_count; i++) {
		size_t offset = (size_t)((const char *)places[i] - (const char *)args);

		if (mems[i] && !fake_valid(mems[i], FAKE_CL_BUFFER))
			return CL_INVALID_MEM_OBJECT;
		if (mems[i] && mems[i]->context != queue->context)
			return CL_INVALID_CONTEXT;
		if (offset > size || size - offset < sizeof(void *)) {
			fake_violation(
				"the place of memory object %u is outside of a native kernel's arguments", i);
			return CL_INVALID_VALUE;
		}
	}
	return CL_SUCCESS;
}

static struct fake_command *new_native(cl_command_queue queue, cl_uint mem_count)
{
	struct fake_command *c = fake_command_new(queue, CL_COMMAND_NATIVE_KERNEL, mem_count);

	if (!c)
		return NULL;
	c->native = calloc(1, sizeof(*c->native));
	if (c->native && mem_count)
		c->native->mems = calloc(mem_count, sizeof(*c->native->mems));
	if (!c->native || (mem_count && !c->native->mems)) {
		fake_command_free(c);
		return NULL;
	}
	c->engine = FAKE_ENGINE_KERNEL;
	c->begin = begin;
	c->execute = execute;
	return c;
}

static bool take_args(struct fake_command *c, const void *args, size_t size, cl_uint mem_count,
	const cl_mem *mems, const void **places)
{
	struct fake_native *native = c->native;

	native->args = size ? malloc(size) : NULL;
	if (size && !native->args)
		return false;
	if (size)
		memcpy(native->args, args, size);
	for (native->mem_count = 0; native->mem_count < mem_count; native->mem_count++) {
		cl_mem mem = mems[native->mem_count];
		size_t offset = (size_t)((const char *)places[native->mem_count] - (const char *)args);

		native->mems[native->mem_count] = (struct fake_native_mem){ mem, offset };
		if (mem)
			fake_command_use(c, mem, false, 0, mem->size); /* whether it writes nothing says */
	}
	return true;
}

cl_int fake_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *call)(void *), void *args,
	size_t size, cl_uint mem_count, const cl_mem *mems, const void **places, cl_uint count,
	const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueNativeKernel);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = check_args(call, args, size, mem_count, mems, places);
	if (!err && !fake.settings.native)
		err = CL_INVALID_OPERATION;
	if (!err)
		err = check_mems(queue, args, size, mem_count, mems, places);
	if (err)
		return fake_leave(err);
	c = new_native(queue, mem_count);
	if (!c || !take_args(c, args, size, mem_count, mems, places)) {
		fake_command_free(c);
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	}
	c->native->call = call;
	return fake_leave(fake_enqueue(c, count, list, event, false));
}
