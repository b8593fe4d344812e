/* SPDX-License-Identifier: MIT */
#include "graph/kernel.h"
#include "graph/actors.h"
#include "graph/element.h"
#include "graph/formats.h"
#include "graph/values.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ARGS is the library's. With far more work-items PoCL ends the process. */
enum { DIMENSIONS = 3, ARGS = 64, ITEMS = INT32_MAX };

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
	size_t global[DIMENSIONS], items = 1;

	for (unsigned i = 0; i < k->dimensions; i++) {
		global[i] =
			k->size[i].number ? k->size[i].number : pstk_actor_port_rate(self, k->size[i].port);
		if (global[i] && items > ITEMS / global[i])
			return pstk_actor_error(self, -EINVAL,
				"its work_size is more than %d work-items: give its FIFOs a lower rate",
				ITEMS);
		items *= global[i];
	}
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

/* Of a port that does not say it, or too much; which is told. */
static const enum pstk_port_kind unknown_kind = (enum pstk_port_kind)(PSTK_CONTROL + 1);

static const char *const port_keys[] = { "input", "output", "dynamic_input", "dynamic_output", "control",
	"token_size", "format", "rate", "history", "peek", NULL };

/* Frames are bytes. */
static bool check_format(struct pstk_graph *g, const struct pstk_port *port, const struct ps_node *format)
{
	struct pstk_plugin_format frame;

	if (!format)
		return true;
	if (port->token_type && strcmp(port->token_type, "u8") != 0 && ps_element_size(port->token_type)) {
		ps_graph_wrong(g, format,
			"the port '%s' has tokens of %s and a format: frames of gray8 are u8; leave the "
			"format out, or say u8",
			port->name, port->token_type);
		return false;
	}
	return ps_format_read(g, format, &frame);
}

static bool read_port(
	struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n, struct pstk_port *port)
{
	const struct ps_node *size, *rate, *history, *peek;
	struct pstk_plugin_format frame = ps_format_of(actor, n->key->text, false);
	bool good = ps_value_map(g, n, "a port", port_keys);
	unsigned found = 0;

	if (n->kind != PS_NODE_MAP)
		return false;
	port->token_size = (size_t)frame.width * frame.height;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct ps_node *type = ps_node_find(n, kinds[i].name);

		if (!type)
			continue;
		found++;
		port->kind = kinds[i].kind;
		port->token_type = ps_value_text(g, type);
	}
	if (found != 1)
		port->kind = unknown_kind;
	if (found > 1 || (!found && good))
		ps_graph_wrong(g, n,
			"the port '%s' is of %s kind: expected one of input, output, dynamic_input, "
			"dynamic_output, control, and behind it the type of its tokens",
			n->key->text, found ? "more than one" : "no");
	if (port->token_type && !strcmp(port->token_type, "any"))
		port->token_type = NULL;
	good = found == 1 && check_format(g, port, ps_node_find(n, "format"));
	size = ps_node_find(n, "token_size");
	rate = ps_node_find(n, "rate");
	history = ps_node_find(n, "history");
	peek = ps_node_find(n, "peek");
	good &= !size || ps_value_bytes(g, size, 0, &port->token_size);
	good &= !rate || ps_value_u32(g, rate, 1, &port->rate);
	good &= !history || ps_value_u32(g, history, 0, &port->history);
	return (!peek || ps_value_u32(g, peek, 0, &port->peek)) && good;
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
	for (const struct ps_node *e = n->first; e; e = e->next) {
		ports->kind = unknown_kind;
		ports->name = e->key->text; /* so that what names it finds it, whatever is wrong with it */
		good &= read_port(g, actor, e, ports++);
	}
	return good;
}

static bool find_port(struct pstk_graph *g, const struct ps_node *at, const struct pstk_actor_type *type,
	const char *name, unsigned *port)
{
	const char **names = ps_arena_zalloc(&g->arena, (type->port_count + 1) * sizeof(*names));

	if (!type->ports) /* which is told */
		return false;
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

static bool check_dynamic(struct pstk_graph *g, const struct ps_node *at, const struct pstk_port *port)
{
	bool dynamic = port->kind == PSTK_DYNAMIC_INPUT || port->kind == PSTK_DYNAMIC_OUTPUT;

	if (!dynamic && port->kind != unknown_kind)
		ps_graph_wrong(g, at, "the port '%s' is always on: only dynamic ones are listed", port->name);
	return dynamic;
}

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
			if (ps_value_text(g, n) && find_port(g, n, type, n->text, &ports[count]) &&
				check_dynamic(g, n, &type->ports[ports[count]]))
				count++;
	ports[count] = UINT_MAX;
	return ports;
}

static void read_control(
	struct pstk_graph *g, const struct ps_node *n, struct pstk_actor_type *type, struct kernel *k)
{
	const unsigned **values;
	uint32_t count = 0;

	if (n->kind != PS_NODE_LIST || !n->first) {
		ps_graph_wrong(g, n, "'control' is %s: expected a list by control value, [[], [out1], ..]",
			n->kind == PS_NODE_LIST ? "an empty list" : ps_node_kind(n));
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

/* A control port and what it says belong together. */
static bool check_control(
	struct pstk_graph *g, const struct ps_node *actor, const struct pstk_actor_type *type)
{
	const struct ps_node *control = ps_node_find(actor, "control");
	bool known = type->ports;
	unsigned p;

	for (p = 0; p < type->port_count && type->ports[p].kind != PSTK_CONTROL; p++)
		known &= type->ports[p].kind != unknown_kind;
	if (p == type->port_count && !known)
		return false; /* one of them may be meant */
	if (control && p == type->port_count)
		ps_graph_wrong(g, control,
			"'control' without a control port: give 'ports' one, as in which: {control: u32}");
	else if (!control && p < type->port_count)
		ps_graph_wrong(g, actor->key,
			"'%s' has the control port '%s', but no 'control': expected a list by control value, "
			"[[], [out1], ..]",
			actor->key->text, type->ports[p].name);
	return control ? p < type->port_count && type->control : p == type->port_count;
}

/*
 * Work size and arguments.
 */

/* The width or the height of the frames of a port. 0: they have none, a problem. */
static uint32_t size_of(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *at,
	const struct pstk_actor_type *type, bool width, const char *port)
{
	struct pstk_plugin_format frame = ps_format_of(actor, port, false);
	const struct ps_node *of = ps_node_find(ps_node_find(actor->node, "ports"), port);
	unsigned number;

	if (find_port(g, at, type, port, &number) && !ps_node_find(of, "format"))
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
		size->number = ps_value_u64(g, n, 1, ITEMS, &number) ? (size_t)number : 0;
	}
}

static void read_work_size(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n,
	const struct pstk_actor_type *type, struct kernel *k)
{
	const struct ps_node *e = n->kind == PS_NODE_LIST ? n->first : n;
	uint64_t items = 1;

	for (; e && k->dimensions < DIMENSIONS; e = n->kind == PS_NODE_LIST ? e->next : NULL)
		read_size(g, actor, e, type, &k->size[k->dimensions++]);
	if (e || !k->dimensions)
		ps_graph_wrong(g, n, "'work_size' has %s numbers: expected 1 to %d", e ? "too many" : "no",
			DIMENSIONS);
	for (unsigned i = 0; i < k->dimensions; i++)
		items *= k->size[i].number && items <= ITEMS ? k->size[i].number : 1;
	if (items > ITEMS)
		ps_graph_wrong(
			g, n, "'work_size' is %" PRIu64 " work-items: expected at most %d", items, ITEMS);
}

/* The arguments of an actor's kernel. */
struct args {
	const struct ps_entry *entry;
	const struct pstk_actor_type *type;
	struct pstk_actor *actor; /* NULL: it could not be added, they are only looked at */
	unsigned index;           /* of the one that is read */
};

static void give(const struct args *to, size_t size, const void *value)
{
	if (to->actor)
		pstk_actor_set_arg(to->actor, to->index, size, value);
}

/* What follows from a port: {rate: in}, {valid: in}, {width: in}, {height: in}. */
static void set_port_arg(struct pstk_graph *g, const struct ps_node *arg, const struct args *to)
{
	const char *kind = arg->key->text;
	unsigned port;
	uint32_t size;

	if (!ps_value_text(g, arg))
		return;
	if (*kind == 'w' || *kind == 'h') {
		size = size_of(g, to->entry, arg, to->type, *kind == 'w', arg->text);
		give(to, sizeof size, &size);
	} else if (find_port(g, arg, to->type, arg->text, &port)) {
		give(to, sizeof(uint32_t), *kind == 'r' ? PSTK_ARG_RATE(port) : PSTK_ARG_VALID(port));
	}
}

/* One of these, {f32: 0.5}, {f32: [1, 2, 3]}, {steps: true}, {local: 1024}. */
static void set_arg(struct pstk_graph *g, const struct ps_node *n, const struct args *to)
{
	const struct ps_node *arg = n->kind == PS_NODE_MAP ? n->first : NULL;
	const char *kind = arg ? arg->key->text : "";
	size_t bytes;
	bool on;

	if (!arg || arg->next) {
		ps_graph_wrong(g, n,
			"an argument is %s: expected {f32: 0.5}, {rate: in}, {valid: in}, {width: in}, "
			"{height: in}, {steps: true} or {local: 1KiB}",
			arg ? "more than one" : ps_node_kind(n));
	} else if (!strcmp(kind, "rate") || !strcmp(kind, "valid") || !strcmp(kind, "width") ||
		   !strcmp(kind, "height")) {
		set_port_arg(g, arg, to);
	} else if (!strcmp(kind, "steps")) {
		if (ps_value_bool(g, arg, &on) && !on)
			ps_graph_wrong(g, arg, "'steps' is false: leave this argument out, or say true");
		give(to, sizeof(uint32_t), PSTK_ARG_STEPS);
	} else if (!strcmp(kind, "local")) {
		if (ps_value_bytes(g, arg, 1, &bytes))
			give(to, bytes, NULL);
	} else {
		const void *value = ps_element_read(g, arg, kind, &bytes);

		if (value && !bytes)
			ps_graph_wrong(g, arg, "'%s' has no values: expected at least one", kind);
		else if (value)
			give(to, bytes, value);
	}
	ps_actors_blame(g, n);
}

static void set_args(struct pstk_graph *g, const struct ps_node *n, struct args *to)
{
	if (n->kind != PS_NODE_LIST)
		ps_graph_wrong(g, n, "'args' is %s: expected a list, [{f32: 0.5}, ..]", ps_node_kind(n));
	else
		for (const struct ps_node *e = n->first; e; e = e->next) {
			if (to->index == ARGS) {
				ps_graph_wrong(g, e, "'args' has more than %d arguments", ARGS);
				break;
			}
			set_arg(g, e, to);
			to->index++;
		}
}

/*
 * The actor.
 */

static const char *const keys[] = { "kernel", "name", "options", "ports", "work_size", "args", "control",
	"state_size", "concurrency", "pin", "steps", "share", "may_move", "guard", NULL };

/* The library reads the file at the start: that it can't is known before. NULL: no text. */
static const char *source_of(struct pstk_graph *g, const struct ps_node *actor, const struct ps_node *file)
{
	const char *path = ps_value_path(g, file);
	struct stat st;
	int err;

	if (!path)
		return NULL;
	ps_graph_use_file(g, file, actor->key->text, path, false);
	err = stat(path, &st) || access(path, R_OK) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
	if (err)
		ps_graph_wrong(g, file, "%s: %s", path, strerror(err));
	return ps_arena_printf(&g->arena, "file:%s", path);
}

/* What must be there. NULL: it is not, which is a problem. */
static const struct ps_node *need(struct pstk_graph *g, const struct ps_node *actor, const char *key)
{
	const struct ps_node *n = ps_node_find(actor, key);

	if (!n)
		ps_graph_wrong(g, actor->key, "'%s' has a kernel, but no '%s'", actor->key->text, key);
	return n;
}

static struct pstk_actor *add(struct pstk_graph *g, const struct ps_node *actor, struct pstk_actor_type *type,
	struct pstk_kernel *kernel, struct kernel *k)
{
	struct pstk_actor *a;

	type->name = kernel->name;
	type->kernel = kernel;
	type->init = kernel_init;
	a = pstk_network_add(g->network, actor->key->text, type, k);
	ps_actors_blame(g, actor->key);
	return a;
}

/* Options and the state's size. */
static void read_rest(struct pstk_graph *g, const struct ps_node *actor, struct pstk_actor_type *type,
	struct pstk_kernel *kernel)
{
	const struct ps_node *state = ps_node_find(actor, "state_size"),
			     *options = ps_node_find(actor, "options");

	if (options)
		kernel->options = ps_value_text(g, options);
	if (state)
		ps_value_bytes(g, state, 0, &type->state_size);
}

/* All of it is read, whatever is wrong with a part. */
struct pstk_actor *ps_kernel_add(struct pstk_graph *g, const struct ps_entry *e, bool settled)
{
	const struct ps_node *actor = e->node, *file = ps_node_find(actor, "kernel"),
			     *name = need(g, actor, "name"), *ports = need(g, actor, "ports"),
			     *size = need(g, actor, "work_size"), *control = ps_node_find(actor, "control"),
			     *args = ps_node_find(actor, "args");
	struct pstk_actor_type type = pstk_actor_type_init();
	struct pstk_kernel kernel = { .source = source_of(g, actor, file) };
	struct kernel *k = ps_arena_zalloc(&g->arena, sizeof *k);
	struct args to = { .entry = e, .type = &type };
	bool good = ps_value_map(g, actor, "an actor with a kernel", keys), known;

	kernel.name = name ? ps_value_text(g, name) : NULL;
	known = ports && read_ports(g, e, ports, &type);
	if (size)
		read_work_size(g, e, size, &type, k);
	if (control)
		read_control(g, control, &type, k);
	read_rest(g, actor, &type, &kernel);
	good &= known;
	good &= check_control(g, actor, &type);
	if (good && settled && size && kernel.source && kernel.name)
		to.actor = add(g, actor, &type, &kernel, k);
	if (args)
		set_args(g, args, &to);
	return to.actor;
}
