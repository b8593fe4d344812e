/* SPDX-License-Identifier: MIT */
/* What fire_cl() calls: <penstock/opencl.h>. */
#include "lib/firing/firing_error.h"
#include "lib/model/place.h"
#include "lib/model/type.h"
#include "lib/opencl/device.h"

#include "penstock/opencl.h"

#include <errno.h>

/* In open_place() that place is the actor's backend. Else a guarded one has none: its ends are the host's. Nor has a
 * stage in its row. */
static const struct ps_cl_device *device_of(const struct pstk_actor *a)
{
	const struct ps_cl_actor *c = NULL;

	if (a && a->backend == &ps_opencl_backend)
		c = a->cl;
	else if (a && a->guarded && a->places)
		c = a->places[atomic_load(&a->place)].cl;
	else if (a && a->cl && a->cl->of_row)
		c = a->cl;
	return c ? c->device : NULL;
}

cl_device_id pstk_cl_device(const struct pstk_actor *a)
{
	return device_of(a) ? device_of(a)->id : NULL;
}

cl_context pstk_cl_context(const struct pstk_actor *a)
{
	return device_of(a) ? device_of(a)->context : NULL;
}

unsigned pstk_cl_place(struct pstk_firing *firing)
{
	return firing && firing->in_fire_cl ? firing->actor->cl->number : 0;
}

cl_command_queue pstk_cl_queue(struct pstk_firing *firing)
{
	return firing && firing->in_fire_cl ? firing->actor->cl->queue : NULL;
}

/* The window of a port if the call fits the place, else NULL and a misuse. */
static struct ps_window *window(struct pstk_firing *firing, unsigned port, const char *call)
{
	const struct pstk_actor_type *t;

	if (!firing)
		return NULL;
	t = &firing->actor->type;
	if (!firing->in_fire_cl) {
		ps_firing_misuse(firing, "%s: only in fire_cl()", call);
		return NULL;
	}
	if (port >= t->port_count) {
		ps_firing_misuse(firing, "%s: there is no port %u, only %u, numbered from 0", call, port,
			t->port_count);
		return NULL;
	}
	return &firing->windows[port];
}

int pstk_cl_window(struct pstk_firing *firing, unsigned port, struct pstk_cl_window *out)
{
	struct ps_window *w = out ? window(firing, port, __func__) : NULL;
	const struct ps_cl_actor *c;

	if (!w)
		return -EINVAL;
	if (!ps_firing_has(firing, port)) {
		ps_firing_misuse(firing,
			firing->actor->control_port == port
				? "%s: port '%s' is the control port, which has no window: control() gets "
				  "its value"
				: "%s: port '%s' is off in this firing: ask pstk_port_enabled()",
			__func__, firing->actor->type.ports[port].name);
		return -EPROTO;
	}
	if (w->state != PS_WINDOW_TAKEN) {
		ps_firing_misuse(firing, "%s: port '%s' was asked for before in this firing", __func__,
			firing->actor->type.ports[port].name);
		return -EPROTO;
	}
	w->state = PS_WINDOW_ENDED;
	firing->open--;
	c = firing->actor->cl;
	*out = (struct pstk_cl_window){ .buffer = c->windows[port].buffer,
		.bytes = c->windows[port].bytes,
		.rate = c->rates[port],
		.valid = w->valid,
		.ready = c->entered };
	return 0;
}

int pstk_cl_depend(struct pstk_firing *firing, cl_event event)
{
	struct ps_cl_actor *c;
	cl_int code;

	if (!firing || !event || !firing->in_fire_cl)
		return -EINVAL;
	c = firing->actor->cl;
	if (c->extra_count == PS_CL_EXTRA)
		return -ENOSPC;
	code = ps_cl_event_keep(&c->extra[c->extra_count], event);
	if (code) {
		ps_cl_fail(&c->fault, code, "clRetainEvent", c->device->info.selector);
		return pstk_actor_error(firing->actor, c->fault.err, "%s", c->fault.text);
	}
	c->extra_count++;
	return 0;
}

int pstk_cl_set_valid(struct pstk_firing *firing, unsigned port, uint32_t valid)
{
	struct ps_window *w = window(firing, port, __func__);

	if (!w)
		return -EINVAL;
	if (ps_port_reads(firing->actor->type.ports[port].kind) || w->state != PS_WINDOW_ENDED || !valid ||
		valid > firing->actor->cl->rates[port]) {
		ps_firing_misuse(firing,
			"%s: port '%s', %u valid tokens: expected an output that was asked for and 1 to %u",
			__func__, firing->actor->type.ports[port].name, valid,
			firing->actor->cl->rates[port]);
		return -EINVAL;
	}
	w->valid = valid;
	if (valid < firing->actor->cl->rates[port])
		firing->last = true;
	return 0;
}

const char *pstk_cl_error_name(cl_int code)
{
	return ps_cl_error_name(code);
}
