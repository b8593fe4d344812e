/* SPDX-License-Identifier: MIT */
/* Mapping: what BUILD calls and init() say about actors on devices. */
#include "lib/model/actor.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/opencl/device.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char pstk_arg_rate[PS_PORTS_MAX], pstk_arg_valid[PS_PORTS_MAX];

/* Is this the actor's own init()? */
static bool in_init(const struct pstk_actor *a)
{
	enum ps_network_state state;

	pthread_mutex_lock(&a->network->lock);
	state = a->network->state;
	pthread_mutex_unlock(&a->network->lock);
	return state == PS_STARTING && ps_actor_current == a;
}

/* A problem of the building, or in init() what the actor says of itself. */
PSTK_PRINTF(3, 4)
static int refuse(struct pstk_actor *a, int err, const char *format, ...)
{
	char text[PS_TEXT_SIZE];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (in_init(a))
		return pstk_actor_error(a, err, "%s", text);
	return ps_network_problem(a->network, err, "'%s' (%s): %s", a->name, a->type.name, text);
}

/* BUILD or init(): 0, -EINVAL, -EBUSY. */
static int may_configure(struct pstk_actor *a, const char *call)
{
	if (!a)
		return -EINVAL;
	return in_init(a) ? 0 : ps_network_building(a->network, call);
}

/* The actor's device part, made when it is first needed. */
static struct ps_cl_actor *device_part(struct pstk_actor *a)
{
	if (!a->cl)
		a->cl = ps_cl_actor_create();
	if (!a->cl)
		refuse(a, -ENOMEM, "out of memory");
	return a->cl;
}

static int find_device(struct pstk_actor *a, const char *selector)
{
	struct pstk_network *net = a->network;
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *device;

	if (!net->cl)
		net->cl = ps_memory_zalloc(1, sizeof *net->cl);
	if (!net->cl || !device_part(a))
		return refuse(a, -ENOMEM, "out of memory");
	if (ps_cl_devices_get(&net->cl->devices, selector, &device, &fault))
		return refuse(a, fault.err, "%s", fault.text);
	a->cl->device = device;
	return 0;
}

static int check_mappable(struct pstk_actor *a, const char *device)
{
	if (a->type.kahn)
		return refuse(a, -EINVAL, "a kahn actor runs on the cores, not on '%s'", device);
	if (!a->type.kernel && !a->type.fire_cl)
		return refuse(a, -EINVAL,
			"its type has no device form, kernel or fire_cl: it can't be mapped to '%s'", device);
	return 0;
}

int pstk_actor_map(struct pstk_actor *a, const char *device)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	if (err)
		return err;
	a->backend = NULL;
	a->map_refused = false;
	if (!device)
		return 0;
	err = check_mappable(a, device);
	if (!err)
		err = find_device(a, device);
	if (!err)
		a->backend = &ps_opencl_backend;
	a->map_refused = err;
	return err;
}

int pstk_actor_device(const struct pstk_actor *a, struct pstk_device_info *info)
{
	if (!a || !info)
		return -EINVAL;
	if (!a->backend)
		return -ENODEV;
	*info = ps_device_of(a)->info;
	return 0;
}

int pstk_actor_set_work_size(struct pstk_actor *a, unsigned dims, const size_t *global, const size_t *local)
{
	int err = may_configure(a, __func__);

	if (err)
		return err;
	if (!dims || dims > 3 || !global)
		return refuse(a, -EINVAL,
			"pstk_actor_set_work_size: %u dimensions%s: expected 1 to 3 and global sizes", dims,
			global ? "" : ", global NULL");
	for (unsigned i = 0; i < dims; i++)
		if (!global[i] || (local && (!local[i] || global[i] % local[i])))
			return refuse(a, -EINVAL,
				"pstk_actor_set_work_size: dimension %u: global %zu, local %zu: expected "
				"more than 0, "
				"and a local size that divides the global one",
				i, global[i], local ? local[i] : 0);
	if (!device_part(a))
		return -ENOMEM;
	a->cl->dims = dims;
	memcpy(a->cl->global, global, dims * sizeof *global);
	a->cl->has_local_size = local;
	if (local)
		memcpy(a->cl->local, local, dims * sizeof *local);
	return 0;
}

/* Which port a mark stands for; false: it is none of these marks. */
static bool find_mark(const void *value, const char *marks, unsigned *port)
{
	const char *at = value;

	/* compared one by one: pointers into different objects have no order */
	for (unsigned p = 0; p < PS_PORTS_MAX; p++)
		if (at == &marks[p]) {
			*port = p;
			return true;
		}
	return false;
}

static int fill_arg(struct pstk_actor *a, struct ps_cl_arg *arg, size_t size, const void *value)
{
	bool rate = find_mark(value, pstk_arg_rate, &arg->port);
	bool valid = !rate && find_mark(value, pstk_arg_valid, &arg->port);

	arg->size = size;
	if (!value) {
		arg->kind = PS_CL_ARG_LOCAL;
		return 0;
	}
	if (!rate && !valid) {
		arg->kind = PS_CL_ARG_VALUE;
		arg->value = ps_memory_dup(value, size);
		return arg->value ? 0 : refuse(a, -ENOMEM, "out of memory");
	}
	arg->kind = rate ? PS_CL_ARG_RATE : PS_CL_ARG_VALID;
	if (arg->port >= a->type.port_count || size != sizeof(uint32_t))
		return refuse(a, -EINVAL,
			"pstk_actor_set_arg: PSTK_ARG_%s(%u) with %zu bytes: expected a port below %u and "
			"%zu bytes",
			rate ? "RATE" : "VALID", arg->port, size, a->type.port_count, sizeof(uint32_t));
	return 0;
}

int pstk_actor_set_arg(struct pstk_actor *a, unsigned index, size_t size, const void *value)
{
	struct ps_cl_arg arg = { .kind = PS_CL_ARG_UNSET };
	int err = may_configure(a, __func__);

	if (err)
		return err;
	if (index >= PS_CL_ARGS_MAX || !size)
		return refuse(a, -EINVAL,
			"pstk_actor_set_arg: index %u, %zu bytes: expected an index below %d and a size",
			index, size, PS_CL_ARGS_MAX);
	err = fill_arg(a, &arg, size, value);
	if (err)
		return err;
	if (!device_part(a)) {
		ps_memory_free(arg.value);
		return -ENOMEM;
	}
	ps_memory_free(a->cl->args[index].value);
	a->cl->args[index] = arg;
	if (index >= a->cl->arg_count)
		a->cl->arg_count = index + 1;
	return 0;
}
