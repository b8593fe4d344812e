/* SPDX-License-Identifier: MIT */
/* Actor: its type's copy, what BUILD calls set, and what anybody may ask. */
#include "lib/actor.h"
#include "lib/error.h"
#include "lib/memory.h"
#include "lib/param.h"

#include <errno.h>
#include <sched.h>
#include <search.h>
#include <string.h>

_Thread_local struct pstk_actor *ps_actor_current;

/* Tells the network why an actor or its type is refused, and returns err. */
#define REFUSE(a, err, ...) ps_network_problem((a)->network, err, __VA_ARGS__)

const char *ps_port_kind_name(enum pstk_port_kind kind)
{
	return kind == PSTK_INPUT ? "input" : "output";
}

bool ps_struct_fits(const void *data, size_t given, size_t known)
{
	const unsigned char *bytes = data;

	if (given < sizeof(uint32_t))
		return false;
	for (size_t i = known; i < given; i++)
		if (bytes[i])
			return false;
	return true;
}

size_t ps_token_type_size(const char *type)
{
	static const struct {
		const char *name;
		size_t size;
	} types[] = { { "u8", 1 }, { "i8", 1 }, { "u16", 2 }, { "i16", 2 }, { "u32", 4 }, { "i32", 4 },
		{ "f32", 4 }, { "u64", 8 }, { "i64", 8 }, { "f64", 8 }, { "cf32", 8 }, { "cf64", 16 } };

	for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, type))
			return types[i].size;
	return 0;
}

static int check_port(struct pstk_actor *a, const struct pstk_port *ports, unsigned p)
{
	const struct pstk_port *port = &ports[p];
	size_t element = ps_token_type_size(port->token_type);

	if (!port->name || !*port->name)
		return REFUSE(a, -EINVAL, "'%s': port %u has no name", a->name, p);
	if (port->kind != PSTK_INPUT && port->kind != PSTK_OUTPUT)
		return REFUSE(a, -EINVAL, "'%s': port '%s' is of an unknown kind, %d", a->name, port->name,
			(int)port->kind);
	for (unsigned o = 0; o < p; o++)
		if (!strcmp(ports[o].name, port->name))
			return REFUSE(a, -EINVAL, "'%s': two ports are called '%s'", a->name, port->name);
	if (element && port->token_size % element)
		return REFUSE(a, -EINVAL, "'%s': port '%s': token size %zu is no multiple of a %s, %zu",
			a->name, port->name, port->token_size, port->token_type, element);
	if (port->reserved[0] || port->reserved[1])
		return REFUSE(a, -EINVAL, "'%s': port '%s': reserved must be NULL", a->name, port->name);
	return 0;
}

static int check_param(struct pstk_actor *a, const struct pstk_actor_type *t, unsigned i)
{
	const struct pstk_param *p = &t->params[i];
	size_t size = ps_param_size(p->type), end;
	int err;

	if (!p->name || !*p->name)
		return REFUSE(a, -EINVAL, "'%s': parameter %u has no name", a->name, i);
	for (unsigned o = 0; o < i; o++)
		if (!strcmp(t->params[o].name, p->name))
			return REFUSE(a, -EINVAL, "'%s': two parameters are called '%s'", a->name, p->name);
	if (!size)
		return REFUSE(a, -EINVAL, "'%s': parameter '%s' is of an unknown type, '%s'", a->name,
			p->name, p->type ? p->type : "NULL");
	if (__builtin_add_overflow(p->offset, size, &end) || end > t->arg_size)
		return REFUSE(a, -EINVAL, "'%s': parameter '%s' lies outside of the arg's %zu bytes", a->name,
			p->name, t->arg_size);
	err = p->default_value ? ps_param_check(p, p->default_value) : 0;
	if (err)
		return REFUSE(a, err == -EILSEQ ? -EINVAL : err,
			"'%s': parameter '%s': default '%s' is not %s in '%s'", a->name, p->name,
			p->default_value, p->type, p->range ? p->range : "any range");
	return 0;
}

static int check_type(struct pstk_actor *a, const struct pstk_actor_type *t)
{
	int err = 0;

	if (!t->name || !*t->name)
		return REFUSE(a, -EINVAL, "'%s': its type has no name", a->name);
	if (!t->fire)
		return REFUSE(a, -EINVAL, "'%s' (%s): the type has no fire()", a->name, t->name);
	if (t->port_count > PS_PORTS_MAX || (t->port_count && !t->ports))
		return REFUSE(a, -EINVAL, "'%s' (%s): %u ports: expected an array of at most %d", a->name,
			t->name, t->port_count, PS_PORTS_MAX);
	if (t->param_count && (!t->params || !t->arg_size))
		return REFUSE(a, -EINVAL, "'%s' (%s): parameters need params and arg_size", a->name, t->name);
	for (unsigned p = 0; p < t->port_count && !err; p++)
		err = check_port(a, t->ports, p);
	for (unsigned i = 0; i < t->param_count && !err; i++)
		err = check_param(a, t, i);
	return err;
}

/* *copy = a copy of s; false: out of memory. */
static bool copy_string(const char **copy, const char *s)
{
	*copy = s ? ps_memory_strdup(s) : NULL;
	return *copy || !s;
}

static bool copy_ports(struct pstk_actor_type *t, const struct pstk_port *from)
{
	struct pstk_port *ports = ps_memory_zalloc(t->port_count, sizeof *ports);

	t->ports = ports;
	if (!ports)
		return false;
	for (unsigned p = 0; p < t->port_count; p++) {
		ports[p].kind = from[p].kind;
		ports[p].token_size = from[p].token_size;
		if (!copy_string(&ports[p].name, from[p].name) ||
			!copy_string(&ports[p].token_type, from[p].token_type))
			return false;
	}
	return true;
}

static bool copy_params(struct pstk_actor_type *t, const struct pstk_param *from)
{
	struct pstk_param *params = ps_memory_zalloc(t->param_count, sizeof *params);

	t->params = params;
	if (!params)
		return false;
	for (unsigned i = 0; i < t->param_count; i++) {
		params[i].offset = from[i].offset;
		if (!copy_string(&params[i].name, from[i].name) ||
			!copy_string(&params[i].type, from[i].type) ||
			!copy_string(&params[i].default_value, from[i].default_value) ||
			!copy_string(&params[i].range, from[i].range) ||
			!copy_string(&params[i].help, from[i].help))
			return false;
	}
	return true;
}

/* a->type = a deep copy of t; on failure what was copied is freed with the actor. */
static bool copy_type(struct pstk_actor *a, const struct pstk_actor_type *t)
{
	a->type = *t;
	a->type.struct_size = sizeof a->type;
	a->type.ports = NULL;
	a->type.params = NULL;
	a->type.name = NULL;
	return copy_string(&a->type.name, t->name) && copy_ports(&a->type, t->ports) &&
	       copy_params(&a->type, t->params);
}

static void free_type(struct pstk_actor_type *t)
{
	for (unsigned p = 0; t->ports && p < t->port_count; p++) {
		ps_memory_free((void *)t->ports[p].name);
		ps_memory_free((void *)t->ports[p].token_type);
	}
	for (unsigned i = 0; t->params && i < t->param_count; i++) {
		ps_memory_free((void *)t->params[i].name);
		ps_memory_free((void *)t->params[i].type);
		ps_memory_free((void *)t->params[i].default_value);
		ps_memory_free((void *)t->params[i].range);
		ps_memory_free((void *)t->params[i].help);
	}
	ps_memory_free((void *)t->ports);
	ps_memory_free((void *)t->params);
	ps_memory_free((void *)t->name);
}

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
	ps_memory_free(a->state);
	ps_memory_free(a->alternate_stack);
	ps_memory_free(a->firing.windows);
	ps_memory_free(a->ports);
	free_type(&a->type);
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
		return REFUSE(a, err == -EILSEQ ? -EINVAL : err,
			"'%s' (%s): parameter '%s' is not in its range, %s", a->name, a->type.name,
			a->type.params[i].name, a->type.params[i].range);
	return err;
}

static void mark_ports(struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		a->ports[p].declared = &a->type.ports[p];
		if (a->type.ports[p].kind == PSTK_INPUT)
			a->has_inputs = true;
		else
			a->has_outputs = true;
	}
}

/* Everything that an actor owns; -ENOMEM is not yet reported then. */
static int fill_actor(struct pstk_actor *a, const struct pstk_actor_type *t, void *arg)
{
	int err;

	if (!copy_type(a, t))
		return -ENOMEM;
	a->state_size = t->state_size;
	a->ports = ps_memory_zalloc(t->port_count, sizeof *a->ports);
	if (!a->ports)
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
		atomic_flag_clear(&a->told_unwanted);
		a->name = ps_memory_strdup(name);
	}
	if (a && a->name) {
		err = check_type(a, t);
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

struct pstk_actor *pstk_network_add(
	struct pstk_network *net, const char *name, const struct pstk_actor_type *type, void *arg)
{
	struct pstk_actor_type known = { 0 };

	if (ps_network_building(net, __func__))
		return NULL;
	if (!name || !*name || !type) {
		ps_network_problem(net, -EINVAL, "pstk_network_add: actor '%s': %s", name ? name : "",
			type ? "it needs a name" : "its type is NULL");
		return NULL;
	}
	if (!ps_struct_fits(type, type->struct_size, sizeof known)) {
		ps_network_problem(net, -EINVAL,
			"'%s': the type's struct_size is %u: use PSTK_ACTOR_TYPE() or "
			"pstk_actor_type_init(), and no "
			"members newer than penstock %s",
			name, type->struct_size, PSTK_VERSION);
		return NULL;
	}
	memcpy(&known, type, type->struct_size < sizeof known ? type->struct_size : sizeof known);
	return add(net, name, &known, arg);
}

int pstk_actor_pin(struct pstk_actor *a, unsigned core)
{
	cpu_set_t allowed;
	int err;

	if (!a)
		return -EINVAL;
	err = ps_network_building(a->network, __func__);
	if (err)
		return err;
	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof allowed, &allowed))
		return REFUSE(a, -errno, "'%s': cannot ask which cores there are", a->name);
	if (core >= CPU_SETSIZE || !CPU_ISSET(core, &allowed))
		return REFUSE(a, -EINVAL,
			"'%s': there is no core %u: this process may use %d cores, numbered from 0 (see "
			"nproc and taskset -p)",
			a->name, core, CPU_COUNT(&allowed));
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

uint32_t pstk_actor_port_rate(const struct pstk_actor *a, unsigned port)
{
	if (!a || port >= a->type.port_count || !a->ports[port].fifo)
		return 0;
	return a->ports[port].fifo->fifo.layout.rate;
}

size_t pstk_actor_port_token_size(const struct pstk_actor *a, unsigned port)
{
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
