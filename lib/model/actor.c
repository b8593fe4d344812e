/* SPDX-License-Identifier: MIT */
/* Actor: its type's copy, what BUILD calls set, and what any thread may ask. */
#include "lib/model/actor.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/param.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/model/type.h"

#include <errno.h>
#include <sched.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

_Thread_local struct pstk_actor *ps_actor_current;

/* Tells the network why an actor or its type is refused, and returns err. */
#define REFUSE(a, err, ...) ps_network_problem((a)->network, err, __VA_ARGS__)

void ps_actor_free(struct pstk_actor *a)
{
	if (!a)
		return;
	for (unsigned i = 0; a->param_strings && i < a->type.param_count; i++)
		ps_memory_free(a->param_strings[i]);
	ps_memory_free(a->param_strings);
	ps_memory_free(a->param_set);
	if (a->type.arg_size)
		ps_memory_free(a->arg);
	ps_memory_free(a->declared);
	ps_place_forget(a);
	ps_memory_free(a->layouts);
	ps_memory_free(a->ports);
	ps_type_free(&a->type);
	ps_memory_free(a->name);
	ps_memory_free(a);
}

/* The actor's own arg: a copy of the caller's, or the defaults. */
static int make_arg(struct pstk_actor *a, const void *arg)
{
	unsigned i = 0;
	int err = 0;

	a->arg = arg ? ps_memory_dup(arg, a->type.arg_size) : ps_memory_zalloc(1, a->type.arg_size);
	a->param_strings = ps_memory_zalloc(a->type.param_count, sizeof *a->param_strings);
	a->param_set = ps_memory_zalloc(a->type.param_count, sizeof *a->param_set);
	if (!a->arg || !a->param_strings || !a->param_set)
		return -ENOMEM;
	if (arg)
		err = ps_param_adopt(a, &i);
	else
		for (; i < a->type.param_count && !err; i++)
			if (a->type.params[i].default_value)
				err = ps_param_set(a, i, a->type.params[i].default_value);
	if (err && err != -ENOMEM)
		return REFUSE(a, err, "'%s' (%s): parameter '%s' is not in its range, %s", a->name,
			a->type.name, a->type.params[i].name, a->type.params[i].range);
	return err;
}

static void mark_ports(struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		a->ports[p].declared = &a->type.ports[p];
		a->ports[p].along = PS_NO_PORT;
		if (a->type.ports[p].kind == PSTK_CONTROL)
			a->control_port = p;
		if (!ps_port_reads(a->type.ports[p].kind))
			a->has_outputs = true;
	}
}

/* Everything that an actor owns; -ENOMEM is not yet reported then. */
static int fill_actor(struct pstk_actor *a, const struct pstk_actor_type *t, void *arg)
{
	int err;

	if (!ps_type_copy(a, t))
		return -ENOMEM;
	a->state_size = t->state_size;
	a->ports = ps_memory_zalloc(t->port_count, sizeof *a->ports);
	if (t->rates)
		a->declared = ps_memory_zalloc(t->port_count, sizeof *a->declared);
	if (!a->ports || (t->rates && !a->declared))
		return -ENOMEM;
	mark_ports(a);
	a->arg = arg;
	if (t->arg_size) {
		a->arg = NULL;
		err = make_arg(a, arg);
		if (err)
			return err;
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct pstk_actor *)a)->name, ((const struct pstk_actor *)b)->name);
}

/* Puts the actor into the network's list and name tree. */
static int enlist(struct pstk_network *net, struct pstk_actor *a)
{
	struct pstk_actor **found;

	if (net->actor_count == net->actor_capacity) {
		unsigned capacity = net->actor_capacity ? 2 * net->actor_capacity : 16;
		struct pstk_actor **actors = ps_memory_resize(net->actors, capacity, sizeof(*actors));

		if (!actors)
			return -ENOMEM;
		net->actors = actors;
		net->actor_capacity = capacity;
	}
	found = tsearch(a, &net->names, compare_names);
	if (!found)
		return -ENOMEM;
	if (*found != a)
		return ps_network_problem(net, -EEXIST, "two actors are called '%s'", a->name);
	a->index = net->actor_count;
	net->actors[net->actor_count++] = a;
	return 0;
}

static struct pstk_actor *add(
	struct pstk_network *net, const char *name, const struct pstk_actor_type *t, void *arg)
{
	struct pstk_actor *a = ps_memory_zalloc(1, sizeof *a);
	int err = -ENOMEM;

	if (a) {
		a->network = net;
		a->core = -1;
		a->control_port = PS_NO_PORT;
		a->name = ps_memory_strdup(name);
	}
	if (a && a->name) {
		err = ps_type_check(a, t);
		if (!err)
			err = fill_actor(a, t, arg);
		if (!err)
			err = enlist(net, a);
		if (!err)
			return a;
	}
	if (err == -ENOMEM)
		ps_network_problem(net, err, "out of memory for actor '%s'", name);
	ps_actor_free(a);
	return NULL;
}

/* Of a type as the program knows it. */
static struct pstk_actor *add_given(
	struct pstk_network *net, const char *name, const struct pstk_actor_type *type, void *arg)
{
	struct pstk_actor_type known = { 0 };
	const char *fault = ps_name_fault(name);
	char text[PS_TEXT_SIZE];

	if (fault || !type) {
		ps_network_problem(net, -EINVAL, "pstk_network_add: actor %u: its %s%s", net->actor_count,
			fault ? "name " : "type is NULL", fault ? fault : "");
		return NULL;
	}
	if (!ps_struct_fits(&ps_struct_type, type, text)) {
		ps_network_problem(net, -EINVAL, "pstk_network_add: '%s': %s", name, text);
		return NULL;
	}
	memcpy(&known, type, type->struct_size < sizeof known ? type->struct_size : sizeof known);
	return add(net, name, &known, arg);
}

struct pstk_actor *pstk_network_add(
	struct pstk_network *net, const char *name, const struct pstk_actor_type *type, void *arg)
{
	struct pstk_actor *a = NULL;

	if (!ps_network_building(net, __func__)) {
		a = add_given(net, name, type, arg);
		net->add_failed |= !a;
	}
	return a;
}

void ps_actor_list_cores(const cpu_set_t *set, char *text, size_t size)
{
	size_t used = 0;

	text[0] = 0;
	for (int core = 0; core < CPU_SETSIZE && used < size; core++) {
		int last = core;

		if (!CPU_ISSET(core, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		used += (size_t)snprintf(text + used, size - used, last > core ? "%s%d-%d" : "%s%d",
			used ? "," : "", core, last);
		core = last;
	}
}

int pstk_actor_pin(struct pstk_actor *a, unsigned core)
{
	cpu_set_t allowed;
	char cores[128];
	int err;

	if (!a)
		return -EINVAL;
	err = ps_network_building(a->network, __func__);
	if (!err && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof allowed, &allowed))
		return REFUSE(a, -errno, "'%s': cannot ask which cores there are", a->name);
	if (core >= CPU_SETSIZE || !CPU_ISSET(core, &allowed)) {
		ps_actor_list_cores(&allowed, cores, sizeof cores);
		return REFUSE(a, -EINVAL, "'%s': there is no core %u for this process: it may use %s",
			a->name, core, cores);
	}
	a->core = (int)core;
	return 0;
}

int pstk_actor_set_state_size(struct pstk_actor *a, size_t bytes)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	if (err)
		return err;
	if (bytes > PTRDIFF_MAX - 4096)
		return REFUSE(a, -EOVERFLOW, "'%s': a state of %zu bytes is too large", a->name, bytes);
	a->state_size = bytes;
	return 0;
}

/* Of the port's FIFO; NULL: there is none, or its rates are not known yet. */
static const struct ps_layout *port_layout(const struct pstk_actor *a, unsigned port)
{
	const struct pstk_fifo *f = a && port < a->type.port_count ? a->ports[port].fifo : NULL;

	if (a && a->layouts && port < a->type.port_count)
		return &a->layouts[port];
	return f && f->rates_known ? &f->fifo.layout : NULL;
}

uint32_t pstk_actor_port_rate(const struct pstk_actor *a, unsigned port)
{
	const struct ps_layout *l = port_layout(a, port);

	return !l ? 0 : ps_port_reads(a->type.ports[port].kind) ? l->read_rate : l->write_rate;
}

uint32_t pstk_actor_port_history(const struct pstk_actor *a, unsigned port)
{
	const struct ps_layout *l = port_layout(a, port);

	return l && ps_port_reads(a->type.ports[port].kind) ? l->history : 0;
}

size_t pstk_actor_port_token_size(const struct pstk_actor *a, unsigned port)
{
	if (a && a->layouts && port < a->type.port_count)
		return a->layouts[port].token_size;
	if (!a || port >= a->type.port_count || !a->ports[port].fifo)
		return 0;
	return a->ports[port].fifo->fifo.layout.token_size;
}

void *pstk_actor_state(struct pstk_actor *a)
{
	return a ? a->state : NULL;
}

void *pstk_actor_arg(const struct pstk_actor *a)
{
	return a ? a->arg : NULL;
}

const char *pstk_actor_name(const struct pstk_actor *a)
{
	return a ? a->name : NULL;
}

struct pstk_network *pstk_actor_network(const struct pstk_actor *a)
{
	return a ? a->network : NULL;
}

const struct pstk_actor_type *pstk_actor_get_type(const struct pstk_actor *a)
{
	return a ? &a->type : NULL;
}

int pstk_actor_core(const struct pstk_actor *a)
{
	return a ? a->core : -1;
}
