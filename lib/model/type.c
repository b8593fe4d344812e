/* SPDX-License-Identifier: MIT */
/* Type: what an actor's type may be, and the network's own copy of it. */
#include "lib/model/type.h"
#include "lib/base/memory.h"
#include "lib/model/declare.h"
#include "lib/model/error.h"
#include "lib/model/param.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Tells the network why a type is refused, and returns err. */
#define REFUSE(a, err, ...) ps_network_problem((a)->network, err, __VA_ARGS__)

const char *ps_port_kind_name(enum pstk_port_kind kind)
{
	static const char *const names[] = { "input", "output", "dynamic input", "dynamic output",
		"control port" };

	return names[kind];
}

#define UP_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* The members named are the last ones of penstock 0.1. */
const struct ps_struct ps_struct_type = { .name = "pstk_actor_type",
	.makers = "PSTK_ACTOR_TYPE() and pstk_actor_type_init() do",
	.least = UP_TO(struct pstk_actor_type, unblock),
	.known = sizeof(struct pstk_actor_type) };
const struct ps_struct ps_struct_fifo = { .name = "pstk_fifo_spec",
	.makers = "PSTK_FIFO() and pstk_fifo_spec_init() do",
	.least = UP_TO(struct pstk_fifo_spec, reserved),
	.known = sizeof(struct pstk_fifo_spec) };
const struct ps_struct ps_struct_verdict = { .name = "pstk_verdict",
	.makers = "PSTK_VERDICT() does",
	.least = UP_TO(struct pstk_verdict, remedy),
	.known = sizeof(struct pstk_verdict) };

static bool is_zero(const unsigned char *bytes, size_t from, size_t to)
{
	while (from < to && !bytes[from])
		from++;
	return from >= to;
}

bool ps_struct_fits(const struct ps_struct *s, const void *data, char text[PS_TEXT_SIZE])
{
	uint32_t given;

	memcpy(&given, data, sizeof given);
	if (given < s->least || given > PS_STRUCT_MAX)
		snprintf(text, PS_TEXT_SIZE,
			"struct_size of its struct %s is %u, expected %zu: "
			"set .struct_size = sizeof(struct %s), as %s",
			s->name, given, s->known, s->name, s->makers);
	else if (!is_zero(data, s->known, given))
		snprintf(text, PS_TEXT_SIZE,
			"struct_size of its struct %s is %u, and something is set behind the %zu bytes that "
			"penstock %s knows: leave out members that are newer, or use a newer library",
			s->name, given, s->known, PSTK_VERSION);
	else
		return true;
	return false;
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

const char *ps_name_fault(const char *name)
{
	if (!name || !*name)
		return "is missing";
	if (strnlen(name, PS_NAME_MAX + 1) > PS_NAME_MAX)
		return "has more than 127 bytes";
	for (const char *c = name; *c; c++)
		if (iscntrl((unsigned char)*c))
			return "has control characters";
	return NULL;
}

static int check_declared(struct pstk_actor *a, const struct pstk_actor_type *t, unsigned p)
{
	const struct pstk_port *port = &t->ports[p];
	const struct ps_declared d = { .rate = port->rate, .history = port->history, .peek = port->peek };
	const char *fault = port->kind > PSTK_CONTROL ? NULL : ps_declare_fault(t, p, &d);

	return fault ? REFUSE(a, -EINVAL, "'%s': port '%s' has rate %u, history %u, peek %u: %s", a->name,
			       port->name, d.rate, d.history, d.peek, fault)
	             : 0;
}

static int check_port(struct pstk_actor *a, const struct pstk_actor_type *t, unsigned p)
{
	const struct pstk_port *ports = t->ports, *port = &ports[p];
	const char *fault = ps_name_fault(port->name);
	size_t element = ps_token_type_size(port->token_type);
	int err = 0;

	if (fault)
		return REFUSE(a, -EINVAL, "'%s': the name of port %u %s", a->name, p, fault);
	if (port->kind > PSTK_CONTROL) /* an enum of no negative values */
		err = REFUSE(a, -EINVAL, "'%s': port '%s' is of an unknown kind, %d", a->name, port->name,
			(int)port->kind);
	for (unsigned o = 0; o < p; o++)
		if (ports[o].name && !strcmp(ports[o].name, port->name))
			err = REFUSE(a, -EINVAL, "'%s': two ports are called '%s'", a->name, port->name);
	if (element && port->token_size % element)
		err = REFUSE(a, -EINVAL, "'%s': port '%s': token size %zu is no multiple of a %s, %zu",
			a->name, port->name, port->token_size, port->token_type, element);
	if (port->reserved)
		err = REFUSE(a, -EINVAL, "'%s': port '%s': reserved must be 0", a->name, port->name);
	if (port->kind == PSTK_CONTROL && ((port->token_size && port->token_size != sizeof(uint32_t)) ||
						  (port->token_type && strcmp(port->token_type, "u32"))))
		err = REFUSE(a, -EINVAL, "'%s': port '%s': control tokens are u32, of 4 bytes", a->name,
			port->name);
	return ps_first_error(err, check_declared(a, t, p));
}

/* What a dynamic actor needs, and others must not have. */
static int check_control(struct pstk_actor *a, const struct pstk_actor_type *t)
{
	unsigned controls = 0, dynamic = 0;
	int err = 0;

	for (unsigned p = 0; p < t->port_count; p++) {
		controls += t->ports[p].kind == PSTK_CONTROL;
		dynamic += ps_port_is_dynamic(t->ports[p].kind);
	}
	if (controls > 1)
		err = REFUSE(
			a, -EINVAL, "'%s': %u control ports: an actor has at most one", a->name, controls);
	if (dynamic && !controls)
		err = REFUSE(a, -EINVAL, "'%s': dynamic ports need a control port", a->name);
	if (controls && !t->control)
		err = REFUSE(a, -EINVAL, "'%s': a control port needs control()", a->name);
	if (!controls && (t->control || t->control_values))
		err = REFUSE(a, -EINVAL, "'%s': control() and control_values need a control port", a->name);
	if (controls && t->port_count == controls)
		err = REFUSE(a, -EINVAL, "'%s': a control port, and no port that it could control", a->name);
	if (controls && t->kahn)
		err = REFUSE(a, -EINVAL, "'%s': a kahn actor has no control port: it reads when it likes",
			a->name);
	if (t->stateless && t->kahn)
		err = REFUSE(a, -EINVAL,
			"'%s' (%s): its type is both kahn and stateless, but a kahn actor keeps its place in "
			"the "
			"streams: leave one of them out",
			a->name, t->name);
	if (t->whole_steps && t->kahn)
		err = REFUSE(a, -EINVAL,
			"'%s' (%s): its type is kahn and has whole_steps, but a kahn actor sees itself where "
			"a stream ends: leave whole_steps out",
			a->name, t->name);
	if (t->control_values > PS_CONTROL_VALUES_MAX)
		err = REFUSE(a, -EINVAL, "'%s': %u control values: expected at most %d", a->name,
			t->control_values, PS_CONTROL_VALUES_MAX);
	return err;
}

static int check_param_values(struct pstk_actor *a, const struct pstk_param *p)
{
	int err;

	if (!ps_param_range_good(p))
		return REFUSE(a, -EINVAL, "'%s': parameter '%s': range '%s' is not MIN..MAX of %s", a->name,
			p->name, p->range, p->type);
	err = p->default_value ? ps_param_check(p, p->default_value) : 0;
	if (err)
		return REFUSE(a, err, "'%s': parameter '%s': default '%s' is not %s in '%s'", a->name,
			p->name, p->default_value, p->type, p->range ? p->range : "any range");
	return 0;
}

static int check_param(struct pstk_actor *a, const struct pstk_actor_type *t, unsigned i)
{
	const struct pstk_param *p = &t->params[i];
	const char *fault = ps_name_fault(p->name);
	size_t size = ps_param_size(p->type), end;
	int err = 0;

	if (fault)
		return REFUSE(a, -EINVAL, "'%s': the name of parameter %u %s", a->name, i, fault);
	for (unsigned o = 0; o < i; o++)
		if (t->params[o].name && !strcmp(t->params[o].name, p->name))
			err = REFUSE(a, -EINVAL, "'%s': two parameters are called '%s'", a->name, p->name);
	if (!size)
		return REFUSE(a, -EINVAL, "'%s': parameter '%s' is of an unknown type, '%s'", a->name,
			p->name, p->type ? p->type : "NULL");
	if (__builtin_add_overflow(p->offset, size, &end) || end > t->arg_size)
		err = REFUSE(a, -EINVAL, "'%s': parameter '%s' lies outside of the arg's %zu bytes", a->name,
			p->name, t->arg_size);
	return ps_first_error(err, check_param_values(a, p));
}

static int check_kernel(struct pstk_actor *a, const struct pstk_kernel *k)
{
	if (!k)
		return 0;
	if (!k->source || !*k->source || !k->name || !*k->name)
		return REFUSE(a, -EINVAL, "'%s': its kernel has no %s", a->name,
			!k->name || !*k->name ? "name" : "source");
	if (k->reserved[0] || k->reserved[1])
		return REFUSE(a, -EINVAL, "'%s': kernel '%s': reserved must be NULL", a->name, k->name);
	return 0;
}

int ps_type_check(struct pstk_actor *a, const struct pstk_actor_type *t)
{
	const char *fault = ps_name_fault(t->name);
	bool ports = t->port_count <= PS_PORTS_MAX && (t->ports || !t->port_count);
	bool params = !t->param_count || (t->params && t->arg_size);
	int err = 0;

	if (fault)
		err = REFUSE(a, -EINVAL, "'%s': the name of its type %s", a->name, fault);
	if (!t->fire && !t->fire_cl && !t->kernel)
		err = REFUSE(a, -EINVAL, "'%s' (%s): the type has no fire()", a->name, fault ? "?" : t->name);
	err = ps_first_error(err, check_kernel(a, t->kernel));
	if (!ports)
		err = REFUSE(a, -EINVAL, "'%s': %u ports: expected an array of at most %d", a->name,
			t->port_count, PS_PORTS_MAX);
	if (!params)
		err = REFUSE(a, -EINVAL, "'%s': parameters need params and arg_size", a->name);
	for (unsigned p = 0; ports && p < t->port_count; p++)
		err = ps_first_error(err, check_port(a, t, p));
	if (ports)
		err = ps_first_error(err, check_control(a, t));
	for (unsigned i = 0; params && i < t->param_count; i++)
		err = ps_first_error(err, check_param(a, t, i));
	return err;
}

/* A type's copy is one piece of memory: most networks have many small actors. */
struct piece {
	unsigned char *memory; /* NULL: only counts what it takes */
	size_t used;
};

static void *put(struct piece *p, const void *data, size_t bytes)
{
	void *copy = p->memory ? p->memory + p->used : NULL;

	p->used += bytes;
	return copy && bytes ? memcpy(copy, data, bytes) : copy;
}

static const char *put_string(struct piece *p, const char *s)
{
	const char *copy = s ? put(p, s, strlen(s) + 1) : NULL;

	return copy;
}

static void put_port_strings(struct piece *p, struct pstk_port *to, const struct pstk_port *from)
{
	to->name = put_string(p, from->name);
	to->token_type = put_string(p, from->token_type);
}

static void put_param_strings(struct piece *p, struct pstk_param *to, const struct pstk_param *from)
{
	to->name = put_string(p, from->name);
	to->type = put_string(p, from->type);
	to->default_value = put_string(p, from->default_value);
	to->range = put_string(p, from->range);
	to->help = put_string(p, from->help);
}

static void put_kernel_strings(struct piece *p, struct pstk_kernel *to, const struct pstk_kernel *from)
{
	to->source = put_string(p, from->source);
	to->name = put_string(p, from->name);
	to->options = put_string(p, from->options);
}

/* Structs first: all of them begin where a pointer may. */
static void put_type(struct piece *p, struct pstk_actor_type *to, const struct pstk_actor_type *from)
{
	struct pstk_port *ports = put(p, from->ports, from->port_count * sizeof *ports), no_port;
	struct pstk_param *params = put(p, from->params, from->param_count * sizeof *params), no_param;
	struct pstk_kernel *kernel = from->kernel ? put(p, from->kernel, sizeof *kernel) : NULL, no_kernel;

	to->ports = ports;
	to->params = params;
	to->kernel = kernel;
	to->name = put_string(p, from->name);
	for (unsigned i = 0; i < from->port_count; i++)
		put_port_strings(p, ports ? &ports[i] : &no_port, &from->ports[i]);
	for (unsigned i = 0; i < from->param_count; i++)
		put_param_strings(p, params ? &params[i] : &no_param, &from->params[i]);
	if (from->kernel)
		put_kernel_strings(p, kernel ? kernel : &no_kernel, from->kernel);
}

bool ps_type_copy(struct pstk_actor *a, const struct pstk_actor_type *t)
{
	struct piece piece = { 0 };

	a->type = *t;
	a->type.struct_size = sizeof a->type;
	put_type(&piece, &a->type, t);
	piece.memory = ps_memory_zalloc(1, piece.used);
	piece.used = 0;
	if (piece.memory)
		put_type(&piece, &a->type, t);
	return piece.memory;
}

void ps_type_free(struct pstk_actor_type *t)
{
	ps_memory_free((void *)t->ports); /* its piece begins there */
}
