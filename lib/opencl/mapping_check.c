/* SPDX-License-Identifier: MIT */
#include "lib/opencl/mapping_check.h"

#include "lib/model/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const char pstk_arg_rate[PS_PORTS_MAX], pstk_arg_valid[PS_PORTS_MAX], pstk_arg_steps;

/* Is this the actor's own init()? */
static bool in_init(const struct pstk_actor *a)
{
	enum ps_network_state state;

	pthread_mutex_lock(&a->network->lock);
	state = a->network->state;
	pthread_mutex_unlock(&a->network->lock);
	return state == PS_STARTING && ps_actor_current == a;
}

int ps_mapping_refuse(struct pstk_actor *a, int err, const char *format, ...)
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

int ps_mapping_check_map(struct pstk_actor *a, const char *device)
{
	if (a->type.kahn)
		return ps_mapping_refuse(a, -EINVAL, "a kahn actor runs on the cores, not on '%s'", device);
	if (!a->type.kernel && !a->type.fire_cl)
		return ps_mapping_refuse(
			a, -EINVAL, "its type has no device form: it runs on the cores, not on '%s'", device);
	return 0;
}

int ps_mapping_check_may_move(struct pstk_actor *a, const char *device)
{
	if (a->type.kahn)
		return ps_mapping_refuse(a, -EINVAL,
			"a kahn actor has no boundary between firings: it can't move, leave out "
			"pstk_actor_may_move()");
	if (device && !a->type.kernel && !a->type.fire_cl)
		return ps_mapping_refuse(
			a, -EINVAL, "its type has no kernel and no fire_cl(): it can't move to '%s'", device);
	if (!device && !a->type.fire)
		return ps_mapping_refuse(a, -EINVAL, "its type has no fire(): it can't move to the cores");
	return 0;
}

/* BUILD or init(): 0, -EINVAL, -EBUSY. */
static int may_configure(struct pstk_actor *a, const char *call)
{
	if (!a)
		return -EINVAL;
	return in_init(a) ? 0 : ps_network_building(a->network, call);
}

int ps_mapping_check_work_size(struct pstk_actor *a, unsigned dims, const size_t *global, const size_t *local)
{
	int err = may_configure(a, "pstk_actor_set_work_size");

	if (err)
		return err;
	if (!dims || dims > 3 || !global)
		return ps_mapping_refuse(a, -EINVAL,
			"pstk_actor_set_work_size: %u dimensions%s: expected 1 to 3 and global sizes", dims,
			global ? "" : ", global NULL");
	for (unsigned i = 0; i < dims; i++)
		if (!global[i] || (local && (!local[i] || global[i] % local[i])))
			return ps_mapping_refuse(a, -EINVAL,
				"pstk_actor_set_work_size: dimension %u: global %zu, local %zu: expected "
				"more than 0, and a local size that divides the global one",
				i, global[i], local ? local[i] : 0);
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

int ps_mapping_check_arg(
	struct pstk_actor *a, unsigned index, size_t size, const void *value, struct ps_mapping_mark *mark)
{
	int err = may_configure(a, "pstk_actor_set_arg");

	*mark = (struct ps_mapping_mark){ .kind = PS_MARK_NONE };
	if (err)
		return err;
	if (index >= PS_CL_ARGS_MAX || !size)
		return ps_mapping_refuse(a, -EINVAL,
			"pstk_actor_set_arg: index %u, %zu bytes: expected an index below %d and a size",
			index, size, PS_CL_ARGS_MAX);
	if (find_mark(value, pstk_arg_rate, &mark->port))
		mark->kind = PS_MARK_RATE;
	else if (find_mark(value, pstk_arg_valid, &mark->port))
		mark->kind = PS_MARK_VALID;
	else if (value == &pstk_arg_steps)
		mark->kind = PS_MARK_STEPS;
	if (mark->kind == PS_MARK_STEPS && size != sizeof(uint32_t))
		return ps_mapping_refuse(a, -EINVAL,
			"pstk_actor_set_arg: PSTK_ARG_STEPS with %zu bytes: expected %zu bytes", size,
			sizeof(uint32_t));
	if ((mark->kind == PS_MARK_RATE || mark->kind == PS_MARK_VALID) &&
		(mark->port >= a->type.port_count || size != sizeof(uint32_t)))
		return ps_mapping_refuse(a, -EINVAL,
			"pstk_actor_set_arg: PSTK_ARG_%s(%u) with %zu bytes: expected a port below %u and "
			"%zu bytes",
			mark->kind == PS_MARK_RATE ? "RATE" : "VALID", mark->port, size, a->type.port_count,
			sizeof(uint32_t));
	return 0;
}
