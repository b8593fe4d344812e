/* SPDX-License-Identifier: MIT */
/* Launches of kernels: arguments are taken at the enqueueing, looked up on the device when it runs. */
#include "tests/fake_cl/fake.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_launch_arg {
	cl_mem mem;           /* held by the command's uses */
	size_t offset;        /* SVM: where in it */
	unsigned char *bytes; /* of a value, or local memory; own */
	size_t size;
};

/* Made by the enqueueing thread, then the worker's. */
struct fake_launch_data {
	struct fake_cl_launch launch;
	struct fake_cl_kernel body;
	char name[64];
	unsigned arg_count;
	struct fake_launch_arg args[FAKE_CL_ARGS_MAX];
};

void fake_launch_free(struct fake_launch_data *data)
{
	for (unsigned i = 0; data && i < data->arg_count; i++)
		free(data->args[i].bytes);
	free(data);
}

/* -- running -- */

static void *look_up(const struct fake_launch_arg *arg, size_t *size)
{
	if (!arg->mem) {
		*size = arg->size;
		return arg->bytes;
	}
	*size = arg->mem->size - arg->offset;
	return fake_memory_at(arg->mem, arg->offset);
}

static void look_up_all(struct fake_launch_data *data)
{
	data->launch.kernel = &data->body;
	for (unsigned i = 0; i < data->body.arg_count; i++) {
		size_t size;
		char *at = look_up(&data->args[i], &size);

		data->launch.arg[i] = at;
		data->launch.arg_size[i] = at ? size : 0;
	}
}

static void begin(struct fake_command *c)
{
	char what[80];

	snprintf(what, sizeof(what), "kernel %s", c->launch->name);
	for (unsigned i = 0; i < c->use_count; i++)
		fake_memory_check(c->uses[i].mem, c->uses[i].writes, what);
	look_up_all(c->launch);
}

uint64_t fake_launch_time(struct fake_command *c)
{
	if (!c->launch->body.time)
		return (uint64_t)(fake.settings.kernel * 1e9);
	look_up_all(c->launch);
	return c->launch->body.time(&c->launch->launch);
}

static void execute(struct fake_command *c)
{
	const struct fake_launch_data *data = c->launch;
	const struct fake_cl_launch *l = &data->launch;
	size_t id[3];

	if (data->body.run) {
		data->body.run(l);
		return;
	}
	for (id[2] = l->offset[2]; id[2] < l->offset[2] + l->global[2]; id[2]++) {
		for (id[1] = l->offset[1]; id[1] < l->offset[1] + l->global[1]; id[1]++) {
			for (id[0] = l->offset[0]; id[0] < l->offset[0] + l->global[0]; id[0]++)
				data->body.item(l, id);
		}
	}
}

/* -- enqueueing -- */

static cl_int check_global(cl_uint dims, const size_t *global)
{
	if (dims < 1 || dims > 3)
		return CL_INVALID_WORK_DIMENSION;
	for (cl_uint i = 0; i < dims; i++) {
		if (!global || !global[i])
			return CL_INVALID_GLOBAL_WORK_SIZE;
	}
	return CL_SUCCESS;
}

static cl_int check_local(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
	const size_t *required = kernel->body.required_group;
	size_t items = 1;

	if (!local)
		return required[0] ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
	for (cl_uint i = 0; i < dims; i++) {
		if (!local[i] || global[i] % local[i] || (required[0] && local[i] != required[i]))
			return CL_INVALID_WORK_GROUP_SIZE;
		if (local[i] > FAKE_MAX_GROUP)
			return CL_INVALID_WORK_ITEM_SIZE;
		items *= local[i];
	}
	return items > FAKE_MAX_GROUP ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int check_arg(cl_command_queue queue, cl_kernel kernel, unsigned index)
{
	const struct fake_value *arg = &kernel->args[index];
	struct fake_cl_arg param = kernel->body.args[index];

	if (!arg->set) {
		fake_violation("kernel %s is launched with '%s', argument %u, unset", kernel->name,
			param.name, index);
		return CL_INVALID_KERNEL_ARGS;
	}
	if (arg->bytes || param.space == CL_KERNEL_ARG_ADDRESS_LOCAL)
		return CL_SUCCESS;
	if (arg->svm && !fake_svm_find(arg->svm)) {
		fake_violation("kernel %s: '%s' points into no SVM allocation", kernel->name, param.name);
		return CL_INVALID_KERNEL_ARGS;
	}
	if (fake.settings.nvidia && !arg->svm && !arg->mem && arg->had_memory)
		return CL_INVALID_KERNEL_ARGS;
	if (!arg->svm && !arg->mem && !fake.settings.nullmem)
		fake_violation("kernel %s: '%s' is NULL", kernel->name, param.name);
	if (arg->mem && !fake_valid(arg->mem, FAKE_CL_BUFFER))
		return CL_INVALID_KERNEL_ARGS;
	if ((arg->mem          ? arg->mem
		    : arg->svm ? fake_svm_find(arg->svm)
			       : NULL) &&
		(arg->mem ? arg->mem : fake_svm_find(arg->svm))->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (arg->mem && arg->mem->origin % fake.settings.align)
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	return CL_SUCCESS;
}

static bool take_bytes(const struct fake_value *from, struct fake_launch_arg *arg)
{
	arg->size = from->size;
	arg->bytes = malloc(from->size ? from->size : 1);
	if (!arg->bytes)
		return false;
	if (from->bytes)
		memcpy(arg->bytes, from->bytes, from->size);
	else
		fake_garbage(arg->bytes, from->size, 19); /* local memory */
	return true;
}

static bool take_arg(struct fake_command *c, cl_kernel kernel, unsigned index)
{
	const struct fake_value *from = &kernel->args[index];
	struct fake_launch_arg *arg = &c->launch->args[index];
	struct fake_cl_arg param = kernel->body.args[index];
	bool writes;

	if (param.space != CL_KERNEL_ARG_ADDRESS_GLOBAL && param.space != CL_KERNEL_ARG_ADDRESS_CONSTANT)
		return take_bytes(from, arg);
	arg->mem = from->svm ? fake_svm_find(from->svm) : from->mem;
	if (!arg->mem)
		return true;
	arg->offset = from->svm ? (size_t)(from->svm - arg->mem->host) : 0;
	writes = param.space == CL_KERNEL_ARG_ADDRESS_GLOBAL && !param.is_const &&
	         !(arg->mem->flags & CL_MEM_READ_ONLY);
	fake_command_use(c, arg->mem, writes, arg->offset, arg->mem->size - arg->offset);
	return true;
}

static void take_sizes(struct fake_cl_launch *l, cl_uint dims, const size_t *offset, const size_t *global,
	const size_t *local)
{
	l->dims = dims;
	for (cl_uint i = 0; i < 3; i++) {
		l->offset[i] = offset && i < dims ? offset[i] : 0;
		l->global[i] = i < dims ? global[i] : 1;
		l->local[i] = local && i < dims ? local[i] : 1;
	}
}

static struct fake_command *new_launch(cl_command_queue queue, cl_command_type type, cl_kernel kernel)
{
	struct fake_command *c = fake_command_new(queue, type, kernel->arg_count);

	if (!c)
		return NULL;
	c->launch = calloc(1, sizeof(*c->launch));
	if (!c->launch) {
		fake_command_free(c);
		return NULL;
	}
	c->launch->body = kernel->body;
	c->launch->arg_count = kernel->arg_count;
	snprintf(c->launch->name, sizeof(c->launch->name), "%s", kernel->name);
	for (unsigned i = 0; i < kernel->arg_count; i++) {
		if (!take_arg(c, kernel, i)) {
			fake_command_free(c);
			return NULL;
		}
	}
	c->engine = FAKE_ENGINE_KERNEL;
	c->begin = begin;
	c->execute = execute;
	return c;
}

/* See enter_kernel() of fake_kernel.c. */
static void meet_others(cl_kernel kernel)
{
	fake_hold(kernel);
	if (kernel->callers++)
		fake_violation("kernel %s: two threads use it at once", kernel->name);
	pthread_mutex_unlock(&fake.lock);
	sched_yield();
	pthread_mutex_lock(&fake.lock);
	kernel->callers--;
	fake_drop(kernel);
}

static cl_int check(
	cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
	cl_int err;

	if (!fake_valid(kernel, FAKE_CL_KERNEL))
		return CL_INVALID_KERNEL;
	meet_others(kernel);
	if (kernel->program->context != queue->context)
		return CL_INVALID_CONTEXT;
	err = check_global(dims, global);
	if (!err)
		err = check_local(kernel, dims, global, local);
	for (unsigned i = 0; !err && i < kernel->arg_count; i++)
		err = check_arg(queue, kernel, i);
	return err;
}

cl_int fake_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
	const size_t *offset, const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
	cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueNDRangeKernel);
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = check(queue, kernel, dims, global, local);
	if (err)
		return fake_leave(err);
	c = new_launch(queue, CL_COMMAND_NDRANGE_KERNEL, kernel);
	if (!c)
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	take_sizes(&c->launch->launch, dims, offset, global, local);
	return fake_leave(fake_enqueue(c, count, list, event, false));
}

cl_int fake_clEnqueueTask(
	cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueTask);
	const size_t one = 1;
	struct fake_command *c;

	if (!err)
		err = fake_check_enqueue(queue, count, list);
	if (!err)
		err = check(queue, kernel, 1, &one, &one);
	if (err)
		return fake_leave(err);
	c = new_launch(queue, CL_COMMAND_TASK, kernel);
	if (!c)
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	take_sizes(&c->launch->launch, 1, NULL, &one, &one);
	return fake_leave(fake_enqueue(c, count, list, event, false));
}
