/* SPDX-License-Identifier: MIT */
#include "graph/machine.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/settings.h"
#include "graph/values.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The machine's own calls tell what is wrong. */
static void blame(struct pstk_graph *g, int result, const struct ps_node *at)
{
	if (result == -ENOMEM)
		longjmp(g->arena.out_of_memory, 1);
	if (result < 0)
		ps_graph_wrong(g, at, "%s", pstk_machine_error(g->machine));
}

static bool read_bytes(struct pstk_graph *g, const struct ps_node *map, uint64_t *bytes)
{
	const struct ps_node *n = ps_node_find(map, "memory");
	size_t size = 0;
	bool good = !n || ps_value_bytes(g, n, 1, &size);

	*bytes = size;
	return good;
}

/* A selector, or {device: SELECTOR, memory: BYTES}. */
static void read_device(struct pstk_graph *g, const char *host, const struct ps_node *n)
{
	static const char *const keys[] = { "device", "memory", NULL };
	const struct ps_node *device = n->kind == PS_NODE_MAP ? ps_node_find(n, "device") : n;
	const char *selector = NULL;
	uint64_t memory = 0;

	if (n->kind == PS_NODE_LIST) {
		ps_graph_wrong(g, n,
			"'%s' is a list: expected a selector, or {device: SELECTOR, memory: BYTES}",
			n->key->text);
		return;
	}
	if (n->kind == PS_NODE_MAP && (!ps_value_map(g, n, "a device", keys) || !read_bytes(g, n, &memory)))
		return;
	if (device && !(selector = ps_value_text(g, device)))
		return;
	blame(g, pstk_machine_add_device(g->machine, host, n->key->text, selector, memory), n->key);
}

/* What penstock machine tells besides: a list of maps with these keys. Nothing is planned by it. */
static bool read_told(
	struct pstk_graph *g, const struct ps_node *n, const char *what, const char *const *keys)
{
	if (n && n->kind != PS_NODE_LIST) {
		ps_graph_wrong(g, n, "'%s' is %s: expected a list of maps", n->key->text, ps_node_kind(n));
		return false;
	}
	for (n = n ? n->first : NULL; n; n = n->next) {
		if (!ps_value_map(g, n, what, keys))
			return false;
		for (const struct ps_node *value = n->first; value; value = value->next)
			if (!ps_value_text(g, value))
				return false;
	}
	return true;
}

static void read_host(struct pstk_graph *g, const struct ps_node *n)
{
	static const char *const keys[] = { "cores", "memory", "address", "caches", "numa", "devices", NULL };
	static const char *const of_cache[] = { "level", "size", "cores", "count", NULL };
	static const char *const of_node[] = { "memory", "cores", NULL };
	const struct ps_node *cores = ps_node_find(n, "cores"), *devices = ps_node_find(n, "devices"),
			     *address = ps_node_find(n, "address");
	const char *machine = NULL;
	uint32_t count = 1;
	uint64_t memory;
	int host;

	if (!ps_value_map(g, n, "a host", keys) ||
		!read_told(g, ps_node_find(n, "caches"), "a cache", of_cache) ||
		!read_told(g, ps_node_find(n, "numa"), "a NUMA node", of_node) ||
		(cores && !ps_value_u32(g, cores, 1, &count)) || !read_bytes(g, n, &memory) ||
		(address && !(machine = ps_value_text(g, address))))
		return;
	host = pstk_machine_add_host(g->machine, n->key->text, count, memory);
	blame(g, host, n->key);
	if (host >= 0 && address)
		blame(g, pstk_machine_set_address(g->machine, n->key->text, machine), address);
	if (devices && devices->kind != PS_NODE_MAP)
		ps_graph_wrong(g, devices, "'devices' is %s: expected a map, {NAME: SELECTOR}",
			ps_node_kind(devices));
	else
		for (n = devices && host >= 0 ? devices->first : NULL; n; n = n->next)
			read_device(g, devices->in->key->text, n);
}

/* One of some words. */
static bool read_word(struct pstk_graph *g, const struct ps_node *n, const char *const *words,
	const char *expected, unsigned *index)
{
	const char *text = ps_value_text(g, n);

	for (*index = 0; text && words[*index]; ++*index)
		if (!strcmp(text, words[*index]))
			return true;
	if (text)
		ps_graph_wrong(g, n, "'%s' is '%s': expected %s", n->key->text, text, expected);
	return false;
}

static bool read_between(struct pstk_graph *g, const struct ps_node *link, struct pstk_link *l)
{
	const struct ps_node *n = ps_node_find(link, "between"), *a, *b;

	a = n && n->kind == PS_NODE_LIST ? n->first : NULL;
	b = a ? a->next : NULL;
	if (!b || b->next) {
		ps_graph_wrong(g, n ? n : link, "a link needs both its ends: between: [PLACE, PLACE]");
		return false;
	}
	l->a = ps_value_text(g, a);
	l->b = ps_value_text(g, b);
	return l->a && l->b;
}

static bool read_rate(struct pstk_graph *g, const struct ps_node *n, double *rate)
{
	const char *text = ps_value_text(g, n);
	struct ps_number number;

	if (!text)
		return false;
	*rate = ps_number_parse(PS_FLOAT, 8, text, &number) ? number.f : 0;
	if (isfinite(*rate) && *rate > 0)
		return true;
	ps_graph_wrong(g, n, "'rate' is '%s': expected bytes/s, above 0", text);
	return false;
}

/* A rate that is not said is not known: transfers count as taking no time. */
static void read_link(struct pstk_graph *g, const struct ps_node *n)
{
	static const char *const keys[] = { "between", "kind", "rate", "latency", "duplex", "measured",
		NULL };
	static const char *const of_rates[] = { "memory", "at_once", "there", "back", NULL };
	static const char *const kinds[] = { "shared", "copy", "net", NULL };
	static const char *const duplexes[] = { "full", "half", NULL };
	const struct ps_node *kind = ps_node_find(n, "kind"), *rate = ps_node_find(n, "rate"),
			     *latency = ps_node_find(n, "latency"), *duplex = ps_node_find(n, "duplex");
	struct pstk_link l = { .a = NULL };
	unsigned which = 0, half = 0;

	if (!ps_value_map(g, n, "a link", keys) || !read_between(g, n, &l) ||
		!read_told(g, ps_node_find(n, "measured"), "what was measured", of_rates))
		return;
	if (!kind) {
		ps_graph_wrong(g, n, "the link has no kind: expected kind: shared, copy or net");
		return;
	}
	if (!read_word(g, kind, kinds, "shared, copy or net", &which))
		return;
	l.kind = (enum pstk_link_kind)which;
	l.rate = l.kind == PSTK_LINK_SHARED ? 0 : INFINITY;
	if ((rate && !read_rate(g, rate, &l.rate)) ||
		(latency && !ps_value_seconds(g, latency, "seconds", &l.latency)) ||
		(duplex && !read_word(g, duplex, duplexes, "full or half", &half)))
		return;
	l.half = half;
	blame(g, pstk_machine_add_link(g->machine, &l), n);
}

void ps_machine_read(struct pstk_graph *g)
{
	static const char *const keys[] = { "hosts", "links", NULL };
	const struct ps_node *n = g->machine_node, *hosts = ps_node_find(n, "hosts"),
			     *links = ps_node_find(n, "links");

	if (!n || !ps_value_map(g, n, "a machine", keys))
		return;
	g->machine = pstk_machine_create();
	if (!g->machine)
		longjmp(g->arena.out_of_memory, 1);
	if (!hosts || hosts->kind != PS_NODE_MAP || !hosts->first)
		ps_graph_wrong(
			g, hosts ? hosts : n, "the machine has no hosts: expected hosts: {NAME: {cores: N}}");
	else
		for (const struct ps_node *h = hosts->first; h; h = h->next)
			read_host(g, h);
	if (links && links->kind != PS_NODE_LIST)
		ps_graph_wrong(g, links,
			"'links' is %s: expected a list, [{between: [PLACE, PLACE], kind: copy}]",
			ps_node_kind(links));
	else
		for (const struct ps_node *l = links ? links->first : NULL; l; l = l->next)
			read_link(g, l);
}

/* Is it a place's device, or, of a host, its cores? */
static bool has(const struct pstk_place *p, bool device, const char *selector)
{
	return !device ? !strchr(p->name, '/') : p->selector && (!selector || !strcmp(p->selector, selector));
}

/* Names those places; false: there is none. */
static bool add_places(struct pstk_graph *g, struct ps_text *t, bool device, const char *selector)
{
	struct pstk_place p;
	bool any = false;

	for (unsigned i = 0; !pstk_machine_get_place(g->machine, i, &p); i++) {
		if (!has(&p, device, selector))
			continue;
		ps_text_add(t, "%s%s", any ? ", " : "; name its place instead: ", p.name);
		if (device)
			ps_text_add(t, " (%s)", p.selector);
		any = true;
	}
	return any;
}

/* Without a machine a mapping has selectors and `cores`: the message says which places stand for them. */
static void refuse_place(struct pstk_graph *g, const char *name, const char *place, const struct ps_node *at)
{
	char hint[512] = "";
	struct ps_text text = ps_text(hint, sizeof hint);

	pstk_machine_find(g->machine, place);
	if (!strcmp(place, "cores"))
		add_places(g, &text, false, NULL);
	else if (!add_places(g, &text, true, place) && strchr(place, ':'))
		add_places(g, &text, true, NULL);
	ps_graph_wrong(g, at, "'%s': %s%s", name, pstk_machine_error(g->machine), hint);
}

void ps_machine_place(struct pstk_graph *g, struct pstk_actor *a, const char *name, const char *place,
	const struct ps_node *at)
{
	if (pstk_machine_find(g->machine, place) < 0)
		refuse_place(g, name, place, at);
	else if (a && pstk_actor_place(a, place) == -ENOMEM)
		longjmp(g->arena.out_of_memory, 1);
}

/* The host of the place that it was given, or else the first one. */
static unsigned host_of(const struct pstk_graph *g, const struct pstk_actor *a)
{
	const char *given = a ? pstk_actor_given_place(a) : NULL;
	int index = given ? pstk_machine_find(g->machine, given) : 0;
	struct pstk_place p = { 0 };

	return index >= 0 && !pstk_machine_get_place(g->machine, (unsigned)index, &p) ? p.host : 0;
}

/* Could it go to another host? What is only looked at could. */
static bool check_visit(struct pstk_graph *g, const struct pstk_actor *a, const char *name, const char *place,
	const struct ps_node *at)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(a);
	const char *why = NULL;

	if ((!type->stateless && !type->portable_state) || type->unblock)
		why = "to which only types go that are stateless or have portable_state, and no unblock()";
	else if (!g->host && !g->dry)
		why = "and this process is alone: mpirun starts one for each host";
	if (why)
		ps_graph_wrong(g, at,
			"'%s': it can't move to '%s': that is another host than the one that it is at, %s",
			name, place, why);
	return !why;
}

const char *ps_machine_selector(struct pstk_graph *g, const struct pstk_actor *a, const char *name,
	const char *place, const struct ps_node *at)
{
	int index = pstk_machine_find(g->machine, place);
	struct pstk_place p;
	bool is_device;

	if (index < 0) {
		refuse_place(g, name, place, at);
		return NULL;
	}
	pstk_machine_get_place(g->machine, (unsigned)index, &p);
	is_device = strchr(p.name, '/');
	if (is_device && !p.selector) {
		ps_graph_wrong(g, at, "'%s': it can't move to '%s', which has no device", name, place);
		return NULL;
	}
	if (a && p.host != host_of(g, a) && !check_visit(g, a, name, place, at))
		return NULL;
	return g->host ? p.name : is_device ? p.selector : "cores";
}

const char *ps_machine_device(struct pstk_graph *g, const struct pstk_actor *a, const char *pipeline,
	const char *place, const struct ps_node *at)
{
	int index = pstk_machine_find(g->machine, place);
	struct pstk_place p;

	if (index < 0) {
		refuse_place(g, pipeline, place, at);
		return NULL;
	}
	pstk_machine_get_place(g->machine, (unsigned)index, &p);
	if (p.host != host_of(g, a))
		ps_graph_wrong(g, at, "'%s': '%s' is at another host than its stages", pipeline, place);
	else if (!strchr(p.name, '/'))
		return "cores";
	else if (!p.selector)
		ps_graph_wrong(g, at, "'%s': '%s' has no device", pipeline, place);
	else
		return p.selector;
	return NULL;
}

bool ps_machine_is_away(const struct pstk_graph *g, const char *actor)
{
	const struct ps_node *hosts = ps_node_find(g->machine_node, "hosts");
	const struct ps_entry *mapped = ps_document_find(&g->mapping, actor);
	const char *place = ps_settings_place(g->places, actor);
	size_t length = g->host ? strlen(g->host) : 0;

	if (!g->host || !hosts || hosts->kind != PS_NODE_MAP || !hosts->first)
		return false;
	if (!place && mapped && mapped->node->kind == PS_NODE_VALUE)
		place = mapped->node->text;
	if (!place)
		place = hosts->first->key->text;
	return strncmp(place, g->host, length) != 0 || (place[length] && place[length] != '/');
}

/* Seconds of a firing, in nanoseconds. */
static void set_time(struct pstk_graph *g, struct pstk_actor *a, const char *place, const struct ps_node *n)
{
	double seconds;

	if (!ps_value_seconds(g, n, "seconds", &seconds))
		return;
	if (seconds > 1e9)
		ps_graph_wrong(
			g, n, "'%s' is '%s': expected seconds, 0 to 1000000000", n->key->text, n->text);
	else if (a && pstk_actor_set_time(a, place, (uint64_t)(seconds * 1e9 + 0.5)) == -ENOMEM)
		longjmp(g->arena.out_of_memory, 1);
}

void ps_machine_time(struct pstk_graph *g)
{
	for (const struct ps_entry *e = g->times.first; e; e = e->next) {
		const char *name = e->node->key->text;
		const struct ps_entry *actor = ps_document_find(&g->actors, name);

		if (!actor) {
			ps_document_no_actor(g, e->node->key, name);
		} else if (e->node->kind != PS_NODE_MAP) {
			set_time(g, actor->actor, NULL, e->node);
		} else if (!g->machine) {
			ps_graph_wrong(g, e->node,
				"'%s' has times at places, but there is no machine: machine: "
				"{hosts: ..} says which places there are",
				name);
		} else {
			for (const struct ps_node *n = e->node->first; n; n = n->next)
				if (pstk_machine_find(g->machine, n->key->text) < 0)
					ps_graph_wrong(
						g, n->key, "'%s': %s", name, pstk_machine_error(g->machine));
				else
					set_time(g, actor->actor, n->key->text, n);
		}
	}
}

void ps_machine_fix(struct pstk_graph *g)
{
	size_t count = 0;

	g->stay = ps_arena_zalloc(&g->arena, (g->fixed.count + 1) * sizeof *g->stay);
	for (const struct ps_entry *e = g->fixed.first; e; e = e->next) {
		const char *name = ps_value_text(g, e->node);

		if (name && !ps_document_find(&g->actors, name))
			ps_document_no_actor(g, e->node, name);
		else if (name)
			g->stay[count++] = name;
	}
}
