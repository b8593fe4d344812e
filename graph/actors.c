/* SPDX-License-Identifier: MIT */
#include "graph/actors.h"
#include "graph/formats.h"
#include "graph/kernel.h"
#include "graph/machine.h"
#include "graph/order.h"
#include "graph/plugins.h"
#include "graph/values.h"
#include "lib/base/near_name.h"

#include <string.h>

/* What any actor may say, and what one with a kernel may; all else are parameters of a type. */
static const char *const of_all[] = { "type", "parameters", "concurrency", "pin", "steps", "share",
	"may_move", "guard", NULL };
static const char *const of_kernels[] = { "kernel", "name", "ports", "work_size", "args", "control",
	"state_size", "options", NULL };

enum { MOST_CONCURRENCY = 256 }; /* the library's */

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

void ps_actors_blame_hint(struct pstk_graph *g, const struct ps_node *n, const char *meant)
{
	const char *text;

	while ((text = pstk_network_problem(g->network, g->blamed))) {
		ps_graph_wrong(g, n, "%s%s%s%s", text, meant ? "; did you mean '" : "", meant ? meant : "",
			meant ? "'?" : "");
		g->blamed++;
	}
}

void ps_actors_blame(struct pstk_graph *g, const struct ps_node *n)
{
	ps_actors_blame_hint(g, n, NULL);
}

/* The same of the network that holds builders' arguments. */
static void blame_arg(struct pstk_graph *g, const struct ps_node *n)
{
	const char *text;

	while ((text = pstk_network_problem(g->args, g->args_blamed))) {
		ps_graph_wrong(g, n, "%s", text);
		g->args_blamed++;
	}
}

/* A list's values, blanks between them. */
static const char *joined(struct pstk_graph *g, const struct ps_node *list)
{
	size_t length = 1;
	char *text, *end;

	for (const struct ps_node *n = list->first; n; n = n->next)
		length += (ps_value_text(g, n) ? strlen(n->text) : 0) + 1;
	text = end = ps_arena_zalloc(&g->arena, length);
	for (const struct ps_node *n = list->first; n; n = n->next) {
		if (n->kind == PS_NODE_VALUE && n->text)
			end = stpcpy(end, n->text);
		if (n->next)
			end = stpcpy(end, " ");
	}
	return text;
}

typedef void blame_function(struct pstk_graph *, const struct ps_node *);

static bool has_param(const struct pstk_actor_type *type, const char *name)
{
	for (unsigned i = 0; i < type->param_count; i++)
		if (!strcmp(type->params[i].name, name))
			return true;
	return false;
}

/* Is it no parameter of the type, but nearer to a key that any actor may have than to all of those? A problem then. */
static bool means_a_key(struct pstk_graph *g, const struct pstk_actor *a, const struct ps_node *n)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(a);
	struct ps_near_name params, keys;
	const char *meant;

	if (!ps_graph_listens(g) || has_param(type, n->key->text))
		return false;
	ps_near_name_begin(&params, n->key->text);
	ps_near_name_begin(&keys, n->key->text);
	for (unsigned i = 0; i < type->param_count; i++)
		ps_near_name_offer(&params, type->params[i].name);
	for (unsigned i = 0; of_all[i]; i++)
		ps_near_name_offer(&keys, of_all[i]);
	meant = ps_near_name_meant(&keys);
	if (!meant || keys.likeness <= params.likeness)
		return false;
	ps_graph_wrong(g, n, "'%s' (%s) has no parameter '%s'; did you mean '%s'? It has %s",
		pstk_actor_name(a), type->name, n->key->text, meant, params.best ? params.names : "none");
	return true;
}

static void set_parameter(
	struct pstk_graph *g, struct pstk_actor *a, const struct ps_node *n, blame_function *blame)
{
	const char *text = n->kind == PS_NODE_LIST ? joined(g, n) : ps_value_text(g, n);

	if (!text)
		return;
	pstk_actor_set_param(a, n->key->text, text);
	blame(g, n);
}

static void set_parameters(
	struct pstk_graph *g, struct pstk_actor *a, const struct ps_node *actor, blame_function *blame)
{
	const struct ps_node *more = ps_node_find(actor, "parameters");

	for (const struct ps_node *n = actor->first; n; n = n->next)
		if (is_among(of_kernels, n->key->text))
			ps_graph_wrong(g, n->key,
				"'%s' is of actors with a kernel; a parameter of this name stands under "
				"parameters: {%s: ..}",
				n->key->text, n->key->text);
		else if (!is_among(of_all, n->key->text) && !means_a_key(g, a, n))
			set_parameter(g, a, n, blame);
	if (more && more->kind != PS_NODE_MAP)
		ps_graph_wrong(
			g, more, "'parameters' is %s: expected a map, {name: value}", ps_node_kind(more));
	else
		for (const struct ps_node *n = more ? more->first : NULL; n; n = n->next)
			set_parameter(g, a, n, blame);
}

bool ps_actor_gives(const struct ps_node *actor, const char *name)
{
	if (ps_node_find(ps_node_find(actor, "parameters"), name))
		return true;
	return !is_among(of_all, name) && !is_among(of_kernels, name) && ps_node_find(actor, name);
}

static int never(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* What has no default must be given. */
static void check_given(struct pstk_graph *g, const struct ps_entry *e, const struct pstk_actor_type *type)
{
	for (unsigned i = 0; i < type->param_count; i++) {
		const struct pstk_param *p = &type->params[i];

		if (!p->default_value && !ps_actor_gives(e->node, p->name) && !pstk_plugin_fills(e->type, p))
			ps_graph_wrong(g, e->node->key, "'%s' (%s): parameter '%s' is not given: %s",
				e->node->key->text, type->name, p->name, p->help ? p->help : p->type);
	}
}

/* A builder's argument is that of an actor without ports, in a network that never runs. */
static const void *make_arg(struct pstk_graph *g, struct ps_entry *e, const struct pstk_actor_type *type)
{
	struct pstk_actor_type holder = pstk_actor_type_init();
	struct pstk_actor *a;

	holder.name = type->name;
	holder.params = type->params;
	holder.param_count = type->param_count;
	holder.arg_size = type->arg_size;
	holder.fire = never;
	a = e->holder = pstk_network_add(g->args, e->node->key->text, &holder, NULL);
	blame_arg(g, e->node->key);
	if (!a)
		return NULL;
	set_parameters(g, a, e->node, blame_arg);
	check_given(g, e, type);
	ps_format_fill(g, e, a);
	return type->arg_size ? pstk_actor_arg(a) : NULL;
}

static void keep_object(struct pstk_graph *g, struct ps_object *o, void (*close)(void *), void *object)
{
	o->close = close;
	o->object = object;
	o->next = g->objects;
	g->objects = o;
}

/* Is a value missing whose parameter is not known? That is a problem already. */
static bool lacks_value(const struct ps_node *n)
{
	if (n->kind == PS_NODE_VALUE)
		return !n->text;
	for (n = n->first; n; n = n->next)
		if (lacks_value(n))
			return true;
	return false;
}

/* Is what a builder returns the actor that it was asked for? FIFOs and mappings name that. NULL: there is none. */
static struct pstk_actor *check_built(struct pstk_graph *g, const struct ps_entry *e, struct pstk_actor *a)
{
	const char *name = e->node->key->text, *type = e->type->type()->name;

	if (!a)
		return NULL;
	if (pstk_actor_network(a) != g->network)
		ps_graph_wrong(g, e->node->key, "'%s' (%s): its builder returns an actor of another network",
			name, type);
	else if (strcmp(pstk_actor_name(a), name) != 0)
		ps_graph_wrong(g, e->node->key, "'%s' (%s): its builder adds an actor '%s' instead", name,
			type, pstk_actor_name(a));
	else
		return a;
	return NULL;
}

static struct pstk_actor *build(struct pstk_graph *g, struct ps_entry *e)
{
	const struct pstk_plugin_type *type = e->type;
	struct pstk_plugin_call call = { .network = g->network,
		.name = e->node->key->text,
		.dry = g->dry || ps_machine_is_away(g, e->node->key->text) };
	size_t wrongs = g->wrongs;
	struct ps_object *object = ps_arena_zalloc(&g->arena, sizeof *object);
	struct pstk_actor *a;

	call.arg = make_arg(g, e, type->type());
	if (g->wrongs > wrongs || ps_format_is_missing(e) || lacks_value(e->node))
		return NULL;
	call.format = e->in;
	a = check_built(g, e, type->add(&call));
	if (call.object && type->close)
		keep_object(g, object, type->close, call.object);
	e->out = call.format;
	if (a && !ps_format_is_usable(&e->out)) {
		ps_graph_wrong(g, e->node->key,
			"'%s' (%s): its builder gives frames of '%s' %ux%u, which no other "
			"actor knows: expected gray8, of a width and a height",
			call.name, type->type()->name, e->out.pixels, e->out.width, e->out.height);
		a = NULL;
	}
	ps_actors_blame(g, e->node->key);
	ps_graph_use_file(g, e->node->key, call.name, call.reads, false);
	ps_graph_use_file(g, e->node->key, call.name, call.reads_too, false);
	ps_graph_use_file(g, e->node->key, call.name, call.writes, true);
	if (!a && g->wrongs == wrongs)
		ps_graph_wrong(g, e->node->key, "'%s' (%s): its builder failed and did not say why",
			call.name, type->type()->name);
	return a;
}

static struct pstk_actor *add_typed(struct pstk_graph *g, struct ps_entry *e)
{
	struct pstk_actor *a;

	ps_format_gather(e);
	if (e->type->add) {
		a = build(g, e);
	} else {
		a = pstk_network_add(g->network, e->node->key->text, e->type->type(), NULL);
		ps_actors_blame(g, e->node->key);
		if (a)
			set_parameters(g, a, e->node, ps_actors_blame);
		if (a && !g->unfinished)
			check_given(g, e, e->type->type());
		if (a && (!ps_format_fill(g, e, a) || ps_format_is_missing(e)))
			a = NULL;
		e->out = e->in;
	}
	if (e->type->format && !strcmp(e->type->format, "any"))
		e->out.times = NULL;
	return a;
}

/* What any actor may say; looked at also where it could not be added. */
static void set_up(struct pstk_graph *g, struct pstk_actor *a, const struct ps_node *actor)
{
	const struct ps_node *steps = ps_node_find(actor, "steps"), *pin = ps_node_find(actor, "pin"),
			     *side = ps_node_find(actor, "concurrency"),
			     *share = ps_node_find(actor, "share");
	double part;
	uint32_t number;
	uint64_t wide;

	if (steps && ps_value_u32(g, steps, 1, &number) && a) {
		pstk_actor_set_steps(a, number);
		ps_actors_blame(g, steps);
	}
	if (pin && ps_value_u32(g, pin, 0, &number) && a) {
		pstk_actor_pin(a, number);
		ps_actors_blame(g, pin);
	}
	if (side && ps_value_u64(g, side, 1, MOST_CONCURRENCY, &wide) && a) {
		pstk_actor_set_concurrency(a, (unsigned)wide);
		ps_actors_blame(g, side);
	}
	if (share && ps_value_seconds(g, share, "a share of its firings", &part) && a) {
		pstk_actor_set_share(a, part);
		ps_actors_blame(g, share);
	}
}

static struct pstk_actor *add_kernel(struct pstk_graph *g, struct ps_entry *e)
{
	ps_format_gather(e);
	return ps_kernel_add(g, e, ps_format_settle(g, e));
}

/* Finds the type, or that it has a kernel. false: neither, a problem. */
static bool find_type(struct pstk_graph *g, struct ps_entry *e)
{
	const struct ps_node *actor = e->node, *type = ps_node_find(actor, "type"),
			     *kernel = ps_node_find(actor, "kernel");

	if (actor->kind != PS_NODE_MAP)
		ps_graph_wrong(g, actor, "'%s' is %s: expected a map, {type: ..} or {kernel: ..}",
			actor->key->text, ps_node_kind(actor));
	else if (!type == !kernel)
		ps_graph_wrong(g, actor->key, "'%s' has %s: give it one of both", actor->key->text,
			type ? "a type and a kernel" : "neither a type nor a kernel");
	else if (type && ps_value_text(g, type))
		e->type = ps_plugins_find(g, type);
	else
		return kernel;
	return e->type;
}

void ps_actors_add(struct pstk_graph *g)
{
	struct ps_order order;
	struct ps_entry *e;

	for (e = g->actors.first; e; e = e->next) {
		/* in a value a $ begins a parameter; a = ends the name where a program is told of places */
		bool named = ps_value_name(g, e->node->key, e->node->key->text, "an actor", "$=");

		e->wrong = !find_type(g, e) || !named;
	}
	ps_plugins_advise(g);
	ps_order_begin(&order, g);
	while ((e = ps_order_next(&order))) {
		if (!e->wrong)
			e->actor = e->type ? add_typed(g, e) : add_kernel(g, e);
		set_up(g, e->actor, e->node);
		if (e->actor)
			ps_actors_compare(g, "actor", e->node);
		ps_order_added(&order, e);
	}
}
