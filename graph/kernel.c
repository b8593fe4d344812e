/* SPDX-License-Identifier: MIT */
#include "graph/kernel.h"
#include "graph/actors.h"
#include "graph/element.h"
#include "graph/formats.h"
#include "graph/values.h"

#include <limits.h>
#include <string.h>

enum { DIMENSIONS = 3, ARGS = 64 };

/* A work size: a number, or the rate of a port, which is known when the actor starts. */
struct size {
	size_t number;
	unsigned port; /* if number is 0 */
};

/* The actor's argument. The graph's arena has it. */
struct kernel {
	struct size size[DIMENSIONS];
	unsigned dimensions;
	/* of each control value the ports that are on: the numbers of ports, each list ends with UINT_MAX */
	const unsigned *const *control;
};

static int kernel_init(struct pstk_actor *self)
{
	const struct kernel *k = pstk_actor_arg(self);
	size_t global[DIMENSIONS];

	for (unsigned i = 0; i < k->dimensions; i++)
		global[i] =
			k->size[i].number ? k->size[i].number : pstk_actor_port_rate(self, k->size[i].port);
	return pstk_actor_set_work_size(self, k->dimensions, global, NULL);
}

static int kernel_control(struct pstk_firing *f, uint32_t value)
{
	const struct kernel *k = pstk_actor_arg(pstk_firing_actor(f));

	for (const unsigned *port = k->control[value]; *port != UINT_MAX; port++)
		pstk_port_enable(f, *port, true);
	return 0;
}

/*
 * Ports.
 */

static const struct {
	const char *name;
	enum pstk_port_kind kind;
} kinds[] = { { "input", PSTK_INPUT }, { "output", PSTK_OUTPUT }, { "dynamic_input", PSTK_DYNAMIC_INPUT },
	{ "dynamic_output", PSTK_DYNAMIC_OUTPUT }, { "control", PSTK_CONTROL } };

static const char *const port_keys[] = { "input", "output", "dynamic_input", "dynamic_output", "control",
	"token_size", "format", "rate", "history", "peek", NULL };

static bool read_port(
	struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n, struct pstk_port *port)
{
	const struct ps_node *size, *rate, *history, *peek, *format;
	struct pstk_plugin_format frame = ps_format_of(actor, n->key->text, false);
	unsigned found = 0;

	if (!ps_value_map(g, n, "a port", port_keys))
		return false;
	*port = (struct pstk_port){ .name = n->key->text, .token_size = (size_t)frame.width * frame.height };
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct ps_node *type = ps_node_find(n, kinds[i].name);

		if (!type)
			continue;
		found++;
		port->kind = kinds[i].kind;
		port->token_type = ps_value_text(g, type);
	}
	if (found != 1)
		ps_graph_wrong(g, n,
			"the port '%s' is of %s kind: expected one of input, output, dynamic_input, "
			"dynamic_output, control, and behind it the type of its tokens",
			n->key->text, found ? "more than one" : "no");
	if (port->token_type && !strcmp(port->token_type, "any"))
		port->token_type = NULL;
	size = ps_node_find(n, "token_size");
	rate = ps_node_find(n, "rate");
	history = ps_node_find(n, "history");
	peek = ps_node_find(n, "peek");
	format = ps_node_find(n, "format");
	return found == 1 && (!size || ps_value_bytes(g, size, &port->token_size)) &&
	       (!rate || ps_value_u32(g, rate, 1, &port->rate)) &&
	       (!history || ps_value_u32(g, history, 0, &port->history)) &&
	       (!peek || ps_value_u32(g, peek, 0, &port->peek)) &&
	       (!format || ps_format_read(g, format, &frame));
}

static bool read_ports(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n,
	struct pstk_actor_type *type)
{
	struct pstk_port *ports;
	unsigned count = 0;
	bool good = true;

	if (n->kind != PS_NODE_MAP) {
		ps_graph_wrong(
			g, n, "'ports' is %s: expected a map, {in: {input: f32}, ..}", ps_node_kind(n));
		return false;
	}
	for (const struct ps_node *e = n->first; e; e = e->next)
		count++;
	ports = ps_arena_zalloc(&g->arena, count * sizeof *ports);
	type->ports = ports;
	type->port_count = count;
	for (const struct ps_node *e = n->first; e; e = e->next)
		good &= read_port(g, actor, e, ports++);
	return good;
}

static bool find_port(struct pstk_graph *g, const struct ps_node *at, const struct pstk_actor_type *type,
	const char *name, unsigned *port)
{
	const char **names = ps_arena_zalloc(&g->arena, (type->port_count + 1) * sizeof(*names));

	for (*port = 0; *port < type->port_count; ++*port) {
		names[*port] = type->ports[*port].name;
		if (!strcmp(names[*port], name))
			return true;
	}
	ps_value_unknown(g, at, "the kernel's actor has no port", name, names);
	return false;
}

/*
 * Control: a list by control value of the lists of ports that are on.
 */

static const unsigned *read_enabled(
	struct pstk_graph *g, const struct ps_node *list, const struct pstk_actor_type *type)
{
	unsigned *ports = ps_arena_zalloc(&g->arena, (type->port_count + 1) * sizeof *ports), count = 0;

	if (list->kind != PS_NODE_LIST)
		ps_graph_wrong(g, list,
			"'control' has an entry that is %s: expected the list of ports that are on",
			ps_node_kind(list));
	else
		for (const struct ps_node *n = list->first; n && count < type->port_count; n = n->next)
			if (ps_value_text(g, n) && find_port(g, n, type, n->text, &ports[count]))
				count++;
	ports[count] = UINT_MAX;
	return ports;
}

static void read_control(
	struct pstk_graph *g, const struct ps_node *n, struct pstk_actor_type *type, struct kernel *k)
{
	const unsigned **values;
	uint32_t count = 0;

	if (n->kind != PS_NODE_LIST) {
		ps_graph_wrong(g, n, "'control' is %s: expected a list by control value, [[], [out1], ..]",
			ps_node_kind(n));
		return;
	}
	for (const struct ps_node *e = n->first; e; e = e->next)
		count++;
	values = ps_arena_zalloc(&g->arena, (count + 1) * sizeof(*values));
	k->control = values;
	for (const struct ps_node *e = n->first; e; e = e->next)
		*values++ = read_enabled(g, e, type);
	type->control = kernel_control;
	type->control_values = count;
}

/*
 * Work size and arguments.
 */

/* The width or the height of the frames of a port. 0: they have none, a problem. */
static uint32_t size_of(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *at,
	const struct pstk_actor_type *type, bool width, const char *port)
{
	struct pstk_plugin_format frame = ps_format_of(actor, port, false);
	unsigned number;

	if (find_port(g, at, type, port, &number) && !frame.width)
		ps_graph_wrong(g, at, "the port '%s' has no format: give it one, as in format: gray8", port);
	return width ? frame.width : frame.height;
}

/* 4096, rate(in), width(in) or height(in). */
static void read_size(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n,
	const struct pstk_actor_type *type, struct size *size)
{
	const char *text = ps_value_text(g, n), *bracket = text ? strchr(text, '(') : NULL;
	size_t length = text ? strlen(text) : 0;
	const char *port = bracket && text[length - 1] == ')' && text[length - 2] != '('
	                           ? ps_arena_text(&g->arena, bracket + 1, strlen(bracket) - 2)
	                           : NULL;
	uint64_t number = 0;

	if (port && !strncmp(text, "rate(", 5)) {
		find_port(g, n, type, port, &size->port);
	} else if (port && (!strncmp(text, "width(", 6) || !strncmp(text, "height(", 7))) {
		size->number = size_of(g, actor, n, type, *text == 'w', port);
	} else if (text) {
		ps_value_u64(g, n, 1, SIZE_MAX, &number);
		size->number = (size_t)number;
	}
}

static void read_work_size(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n,
	const struct pstk_actor_type *type, struct kernel *k)
{
	const struct ps_node *e = n->kind == PS_NODE_LIST ? n->first : n;

	for (; e && k->dimensions < DIMENSIONS; e = n->kind == PS_NODE_LIST ? e->next : NULL)
		read_size(g, actor, e, type, &k->size[k->dimensions++]);
	if (e || !k->dimensions)
		ps_graph_wrong(g, n, "'work_size' has %s numbers: expected 1 to %d", e ? "too many" : "no",
			DIMENSIONS);
}

/* What follows from a port: {rate: in}, {valid: in}, {width: in}, {height: in}. */
static void set_port_arg(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *arg,
	struct pstk_actor *a, unsigned index)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(a);
	const char *kind = arg->key->text;
	unsigned port;
	uint32_t size;

	if (!ps_value_text(g, arg))
		return;
	if (*kind == 'w' || *kind == 'h') {
		size = size_of(g, actor, arg, type, *kind == 'w', arg->text);
		pstk_actor_set_arg(a, index, sizeof size, &size);
	} else if (find_port(g, arg, type, arg->text, &port)) {
		pstk_actor_set_arg(a, index, sizeof(uint32_t),
			*kind == 'r' ? PSTK_ARG_RATE(port) : PSTK_ARG_VALID(port));
	}
}

/* One of these, {f32: 0.5}, {f32: [1, 2, 3]}, {steps: true}, {local: 1024}. */
static void set_arg(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n,
	struct pstk_actor *a, unsigned index)
{
	const struct ps_node *arg = n->kind == PS_NODE_MAP ? n->first : NULL;
	const char *kind = arg ? arg->key->text : "";
	size_t bytes;

	if (!arg || arg->next) {
		ps_graph_wrong(g, n,
			"an argument is %s: expected {f32: 0.5}, {rate: in}, {valid: in}, {width: in}, "
			"{height: in}, {steps: true} or {local: 1KiB}",
			arg ? "more than one" : ps_node_kind(n));
	} else if (!strcmp(kind, "rate") || !strcmp(kind, "valid") || !strcmp(kind, "width") ||
		   !strcmp(kind, "height")) {
		set_port_arg(g, actor, arg, a, index);
	} else if (!strcmp(kind, "steps")) {
		pstk_actor_set_arg(a, index, sizeof(uint32_t), PSTK_ARG_STEPS);
	} else if (!strcmp(kind, "local")) {
		if (ps_value_bytes(g, arg, &bytes))
			pstk_actor_set_arg(a, index, bytes, NULL);
	} else {
		const void *value = ps_element_read(g, arg, kind, &bytes);

		if (value)
			pstk_actor_set_arg(a, index, bytes, value);
	}
	ps_actors_blame(g, n);
}

static void set_args(
	struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n, struct pstk_actor *a)
{
	unsigned index = 0;

	if (n->kind != PS_NODE_LIST)
		ps_graph_wrong(g, n, "'args' is %s: expected a list, [{f32: 0.5}, ..]", ps_node_kind(n));
	else
		for (const struct ps_node *e = n->first; e; e = e->next)
			set_arg(g, actor, e, a, index++);
}

/*
 * The actor.
 */

static const char *const keys[] = { "kernel", "name", "options", "ports", "work_size", "args", "control",
	"state_size", "concurrency", "pin", "steps", NULL };

static const char *source_of(struct pstk_graph *g, const struct ps_node *file)
{
	const char *path = ps_value_path(g, file);

	return path ? ps_arena_printf(&g->arena, "file:%s", path) : NULL;
}

/* What must be there. NULL: it is not, which is a problem. */
static const struct ps_node *need(struct pstk_graph *g, const struct ps_node *actor, const char *key)
{
	const struct ps_node *n = ps_node_find(actor, key);

	if (!n)
		ps_graph_wrong(g, actor->key, "'%s' has a kernel, but no '%s'", actor->key->text, key);
	return n;
}

static struct pstk_actor *add(struct pstk_graph *g, const struct ps_entry *e, struct pstk_actor_type *type,
	struct pstk_kernel *kernel, struct kernel *k)
{
	const struct ps_node *actor = e->node, *args = ps_node_find(actor, "args"),
			     *state = ps_node_find(actor, "state_size"),
			     *options = ps_node_find(actor, "options");
	struct pstk_actor *a;

	if (options)
		kernel->options = ps_value_text(g, options);
	if (state)
		ps_value_bytes(g, state, &type->state_size);
	type->name = kernel->name;
	type->kernel = kernel;
	type->init = kernel_init;
	a = pstk_network_add(g->network, actor->key->text, type, k);
	ps_actors_blame(g, actor->key);
	if (a && args)
		set_args(g, e, args, a);
	return a;
}

struct pstk_actor *ps_kernel_add(struct pstk_graph *g, const struct ps_entry *e)
{
	const struct ps_node *actor = e->node, *file = ps_node_find(actor, "kernel"),
			     *name = need(g, actor, "name"), *ports = need(g, actor, "ports"),
			     *size = need(g, actor, "work_size"), *control = ps_node_find(actor, "control");
	struct pstk_actor_type type = pstk_actor_type_init();
	struct pstk_kernel kernel = { .source = source_of(g, file) };
	struct kernel *k = ps_arena_zalloc(&g->arena, sizeof *k);

	if (!ps_value_map(g, actor, "an actor with a kernel", keys) || !name || !ports || !size ||
		!kernel.source)
		return NULL;
	kernel.name = ps_value_text(g, name);
	if (!kernel.name || !read_ports(g, e, ports, &type))
		return NULL;
	read_work_size(g, e, size, &type, k);
	if (control)
		read_control(g, control, &type, k);
	return add(g, e, &type, &kernel, k);
}
