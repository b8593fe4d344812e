/* SPDX-License-Identifier: MIT */
/* Mapping: what BUILD calls and init() say about actors on devices. */
#include "lib/model/adopted.h"
#include "lib/model/actor.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/opencl/device.h"
#include "lib/opencl/mapping_check.h"
#include "lib/opencl/row.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The actor's device part, made when it is first needed. */
static struct ps_cl_actor *device_part(struct pstk_actor *a)
{
	if (!a->cl)
		a->cl = ps_cl_actor_create();
	if (!a->cl)
		ps_mapping_refuse(a, -ENOMEM, "out of memory");
	return a->cl;
}

/* c: NULL: out of memory. */
static int find_device(struct pstk_actor *a, const char *selector, struct ps_cl_actor *c)
{
	struct pstk_network *net = a->network;
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *device;
	char *given;

	if (!net->cl)
		net->cl = ps_memory_zalloc(1, sizeof *net->cl);
	if (!net->cl || !c)
		return ps_mapping_refuse(a, -ENOMEM, "out of memory");
	if (ps_cl_devices_get(&net->cl->devices, selector, &device, &fault))
		return ps_mapping_refuse(a, fault.err, "%s", fault.text);
	given = ps_memory_strdup(selector);
	if (!given)
		return ps_mapping_refuse(a, -ENOMEM, "out of memory");
	ps_memory_free(c->selector);
	c->selector = given;
	c->device = device;
	return 0;
}

static struct ps_actor_place place_of(struct ps_cl_actor *c)
{
	struct ps_actor_place place = { .backend = &ps_opencl_backend, .cl = c, .given = c->selector };

	snprintf(place.name, sizeof place.name, "%s", c->device->info.selector);
	return place;
}

/* Where it is mapped to. */
static struct ps_actor_place first_place(const struct pstk_actor *a)
{
	return a->backend ? place_of(a->cl) : ps_place_cores();
}

int pstk_actor_map(struct pstk_actor *a, const char *device)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;
	struct ps_actor_place first;

	if (!err && device && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	a->backend = NULL;
	a->planned_device = NULL;
	a->map_refused = false;
	if (device) {
		err = ps_mapping_check_map(a, device);
		if (!err)
			err = find_device(a, device, device_part(a));
		if (!err)
			a->backend = &ps_opencl_backend;
		a->map_refused = err;
	}
	first = first_place(a);
	ps_place_map(a, &first);
	return err;
}

int ps_row_map(struct pstk_actor *stage, const char *device)
{
	int err = find_device(stage, device, device_part(stage));

	if (err)
		return err;
	stage->cl->of_row = true;
	stage->pipeline->backend = &ps_opencl_backend;
	return 0;
}

int pstk_actor_may_move(struct pstk_actor *a, const char *device)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;
	struct ps_actor_place first, further, at;
	const char *wanted = NULL;
	struct ps_cl_actor *c = NULL;

	if (!err && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (!err)
		err = ps_place_take_named(a, &device, &further, &wanted);
	if (!err)
		err = ps_mapping_check_may_move(a, device);
	if (!err && wanted) {
		c = ps_cl_actor_create();
		err = find_device(a, wanted, c);
	}
	if (!err && c) {
		at = place_of(c);
		if (further.far) /* its name is that of the machine, in all processes */
			snprintf(at.name, sizeof at.name, "%s", further.name);
		at.named = further.named;
		at.far = further.far;
		at.host = further.host;
		at.selector = further.selector;
		further = at;
	}
	if (!err && !ps_place_is_given(a, &further)) {
		first = first_place(a);
		err = ps_place_add(a, &first, &further);
		c = err ? c : NULL; /* the place's now */
	}
	ps_cl_actor_destroy(c);
	return err;
}

int pstk_actor_guard(struct pstk_actor *a, bool on)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;
	struct ps_actor_place first;

	if (!err && on && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (!err && on && a->type.kahn)
		err = ps_mapping_refuse(a, -EINVAL,
			"a kahn actor has no firing that could be fired again: it can't be guarded");
	if (err)
		return err;
	a->fails_over = on;
	a->guarded = on || a->visits;
	first = first_place(a);
	return on ? ps_place_begin(a, &first) : 0;
}

/* Is it a guarded one that fires on a device? */
static bool is_guarded_there(const struct pstk_actor *a)
{
	return a->guarded && a->places[atomic_load(&a->place)].cl;
}

int pstk_actor_device(const struct pstk_actor *a, struct pstk_device_info *info)
{
	const struct ps_adopted_actor *adopted;

	if (!a || !info)
		return -EINVAL;
	adopted = ps_adopted_actor(a);
	if (adopted ? !adopted->on_device : !a->backend && !is_guarded_there(a))
		return -ENODEV;
	*info = adopted ? adopted->device : *ps_device_info(a);
	return 0;
}

int pstk_actor_get_place(const struct pstk_actor *a, unsigned index, struct pstk_device_info *info)
{
	if (!a || !info)
		return -EINVAL;
	if (index >= a->place_count) /* of one that stays the only place is in no list */
		return index ? -ENOENT : pstk_actor_device(a, info);
	if (!a->places[index].cl)
		return -ENODEV;
	*info = a->places[index].cl->device->info;
	return 0;
}

int pstk_actor_set_work_size(struct pstk_actor *a, unsigned dims, const size_t *global, const size_t *local)
{
	int err = ps_mapping_check_work_size(a, dims, global, local);

	if (err)
		return err;
	if (!device_part(a))
		return -ENOMEM;
	a->cl->dims = dims;
	memcpy(a->cl->global, global, dims * sizeof *global);
	a->cl->has_local_size = local;
	if (local)
		memcpy(a->cl->local, local, dims * sizeof *local);
	return 0;
}

/* What the kernel gets; a value is copied. */
static int fill_arg(
	struct pstk_actor *a, struct ps_cl_arg *arg, const void *value, enum ps_mapping_mark_kind mark)
{
	if (!value)
		arg->kind = PS_CL_ARG_LOCAL;
	else if (mark == PS_MARK_RATE)
		arg->kind = PS_CL_ARG_RATE;
	else if (mark == PS_MARK_VALID)
		arg->kind = PS_CL_ARG_VALID;
	else if (mark == PS_MARK_STEPS)
		arg->kind = PS_CL_ARG_STEPS;
	else {
		arg->kind = PS_CL_ARG_VALUE;
		arg->value = ps_memory_dup(value, arg->size);
	}
	return arg->kind != PS_CL_ARG_VALUE || arg->value ? 0
	                                                  : ps_mapping_refuse(a, -ENOMEM, "out of memory");
}

int pstk_actor_set_arg(struct pstk_actor *a, unsigned index, size_t size, const void *value)
{
	struct ps_mapping_mark mark;
	struct ps_cl_arg arg = { .size = size };
	int err = ps_mapping_check_arg(a, index, size, value, &mark);

	if (err)
		return err;
	arg.port = mark.port;
	err = fill_arg(a, &arg, value, mark.kind);
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
