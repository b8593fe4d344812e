/* SPDX-License-Identifier: MIT */
#include "graph/fifos.h"
#include "graph/actors.h"
#include "graph/chain.h"
#include "graph/document.h"
#include "graph/element.h"
#include "graph/formats.h"
#include "graph/values.h"
#include "lib/base/near_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const keys[] = { "from", "to", "rate", "write_rate", "read_rate", "depth", "delay",
	"initial", "tail", "token", "token_size", "capacity", NULL };

const struct ps_node *ps_fifo_key(const struct ps_link *l, const char *key)
{
	const struct ps_node *own = ps_node_find(l->own, key);

	return own ? own : ps_node_find(l->all, key);
}

/* NULL: there is no such actor, it could not be added, or it has no such port. */
static const struct pstk_port *port_of(const struct ps_end *end)
{
	const struct pstk_actor *a = end->entry ? end->entry->actor : NULL;
	const struct pstk_actor_type *type = a ? pstk_actor_get_type(a) : NULL;

	for (unsigned p = 0; type && p < type->port_count; p++)
		if (!strcmp(type->ports[p].name, end->port))
			return &type->ports[p];
	return NULL;
}

/* false: a problem, also of an actor that could not be added. */
static bool has_port(struct pstk_graph *g, const struct ps_end *end)
{
	const struct pstk_actor_type *type;
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];

	if (!end->entry || !end->entry->actor || !*end->port || port_of(end))
		return end->entry && end->entry->actor && *end->port;
	type = pstk_actor_get_type(end->entry->actor);
	ps_near_name_begin(&near, end->port);
	for (unsigned p = 0; ps_graph_listens(g) && p < type->port_count; p++)
		ps_near_name_offer(&near, type->ports[p].name);
	ps_graph_wrong(g, end->node, "'%s' (%s) has no port '%s'%s", pstk_actor_name(end->entry->actor),
		type->name, end->port, ps_near_name_hint(&near, hint));
	return false;
}

/* The type of the tokens, as the FIFO or its ports say; NULL: none does. */
static const char *token_type(struct pstk_graph *g, const struct ps_link *l)
{
	const struct ps_node *token = ps_fifo_key(l, "token");
	const struct pstk_port *from = port_of(&l->from), *to = port_of(&l->to);

	if (token)
		return ps_value_text(g, token);
	if (from && from->token_type)
		return from->token_type;
	return to ? to->token_type : NULL;
}

static size_t stated_size(const struct pstk_port *port)
{
	return port->kind == PSTK_CONTROL ? sizeof(uint32_t) : port->token_size;
}

/* The bytes of a token, as the library will find them: those given, of a port, of the output's first reader, of an
 * element; 0: nothing tells. */
static size_t token_size(const struct ps_link *l, const char *type, size_t given)
{
	const struct pstk_port *from = port_of(&l->from), *to = port_of(&l->to);
	const struct pstk_actor *writer = l->from.entry->actor;
	size_t stated = stated_size(from) ? stated_size(from) : stated_size(to),
	       first = pstk_actor_port_token_size(
		       writer, (unsigned)(from - pstk_actor_get_type(writer)->ports));

	if (given || stated)
		return given ? given : stated;
	return first ? first : ps_element_size(type);
}

/* The bytes of a regular file. */
static const void *read_bytes(struct pstk_graph *g, const struct ps_node *n, size_t *bytes)
{
	const char *path = ps_value_path(g, n);
	struct stat st = { .st_size = 0 };
	FILE *file;
	void *data;
	size_t got;

	ps_graph_use_file(g, n, NULL, path, false);
	if (!path || stat(path, &st) || !S_ISREG(st.st_mode)) {
		if (path)
			ps_graph_wrong(g, n, "%s: %s", path,
				S_ISREG(st.st_mode) || !st.st_mode ? strerror(errno) : "no file");
		return NULL;
	}
	*bytes = (size_t)st.st_size;
	data = ps_arena_zalloc(&g->arena, *bytes + 1); /* before the file is open: there may be no memory */
	file = fopen(path, "re");
	got = file ? fread(data, 1, *bytes, file) : 0;
	if (file)
		fclose(file);
	if (got == *bytes)
		return data;
	ps_graph_wrong(g, n, "%s: it can't be read", path);
	return NULL;
}

/* `initial`: a list of numbers, or {file: path}. known: are both ports? false: a problem. */
static bool read_initial(struct pstk_graph *g, const struct ps_link *l, const char *type, bool known,
	struct pstk_fifo_spec *spec, size_t *bytes)
{
	static const char *const file_keys[] = { "file", NULL };
	const struct ps_node *n = ps_fifo_key(l, "initial"), *file = n ? ps_node_find(n, "file") : NULL;

	if (!n)
		return true;
	if (n->kind == PS_NODE_MAP && !ps_value_map(g, n, "'initial'", file_keys))
		return false;
	if (n->kind == PS_NODE_MAP && !file) {
		ps_graph_wrong(g, n, "'initial' has no 'file': expected a list of numbers, or {file: PATH}");
		return false;
	}
	if (!file && !type && known)
		ps_graph_wrong(g, n,
			"no port says of which type the tokens are: give the FIFO 'token', as in token: f32");
	if (!file && (!type || (ps_fifo_key(l, "token") && !ps_element_size(type))))
		return false; /* which is told */
	spec->initial = file ? read_bytes(g, file, bytes) : ps_element_read(g, n, type, bytes);
	return spec->initial;
}

/* So many tokens as `delay` says, or else as there are. step: the bytes of a number of a list. */
static bool count_initial(struct pstk_graph *g, const struct ps_link *l, size_t size, size_t bytes,
	size_t step, struct pstk_fifo_spec *spec)
{
	const struct ps_node *n = ps_fifo_key(l, "initial");
	const char *of = n->kind == PS_NODE_MAP ? "byte" : "number";
	size_t most = UINT32_MAX, given, one;
	char tokens[40] = "each token";

	if (!size) {
		ps_graph_wrong(g, n,
			"no port says how many bytes a token has: give the FIFO 'token' or 'token_size'");
		return false;
	}
	if (n->kind == PS_NODE_MAP || !step || size % step)
		step = 1;
	given = bytes / step;
	one = size / step;
	if (bytes && !(bytes % size) && bytes / size <= most &&
		(!spec->delay || bytes / size == spec->delay)) {
		spec->delay = (uint32_t)(bytes / size);
		return true;
	}
	if (spec->delay)
		snprintf(tokens, sizeof tokens, "each of %" PRIu32 " token%s", spec->delay,
			ps_plural(spec->delay));
	ps_graph_wrong(g, n, "'initial' has %zu %s%s, and a token has %zu byte%s: give %zu %s%s for %s%s",
		given, of, ps_plural(given), size, ps_plural(size), one, of, ps_plural(one), tokens,
		n->kind == PS_NODE_MAP ? "" : ", or {file: PATH}");
	return false;
}

/* Reads what the FIFO says, all of it, whatever is wrong. known: are both ports? */
static bool read_spec(struct pstk_graph *g, const struct ps_link *l, bool known, struct pstk_fifo_spec *s)
{
	const struct {
		const char *key;
		uint32_t least, *number;
	} numbers[] = { { "rate", 1, &s->rate }, { "write_rate", 1, &s->write_rate },
		{ "read_rate", 1, &s->read_rate }, { "depth", 0, &s->depth }, { "delay", 0, &s->delay },
		{ "tail", 0, &s->tail }, { "capacity", 1, &s->capacity } };
	const struct ps_node *size = ps_fifo_key(l, "token_size"), *token = ps_fifo_key(l, "token");
	const char *type = token_type(g, l);
	size_t bytes = 0;
	bool good = true;

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct ps_node *n = ps_fifo_key(l, numbers[i].key);

		good &= !n || ps_value_u32(g, n, numbers[i].least, numbers[i].number);
	}
	if (size)
		good &= ps_value_bytes(g, size, 0, &s->token_size);
	if (token && type && !size)
		s->token_size = ps_element_size(type);
	if (token && type && !ps_element_size(type))
		good = ps_element_read(g, token, type, &s->token_size) &&
		       good; /* says that there is no such type */
	good &= !known || ps_format_connect(g, l, &s->token_size);
	good &= read_initial(g, l, type, known, s, &bytes);
	if (good && known && s->initial)
		good = count_initial(
			g, l, token_size(l, type, s->token_size), bytes, ps_element_step(type), s);
	return good && known;
}

void ps_fifo_connect(struct pstk_graph *g, const struct ps_link *l, struct pstk_fifo_spec *spec)
{
	if (!read_spec(g, l, true, spec))
		return;
	pstk_connect(l->from.entry->actor, l->from.port, l->to.entry->actor, l->to.port, spec);
	ps_actors_blame(g, l->to.node);
}

static void connect_link(struct pstk_graph *g, const struct ps_link *l)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	const struct ps_end *from = &l->from, *to = &l->to;
	bool known;

	if (to->entry && ps_chain_is_end(to)) {
		if (from->entry->actor && to->entry->actor)
			ps_chain_connect(g, l);
		return;
	}
	known = has_port(g, from);
	known &= has_port(g, to);
	if (known)
		ps_fifo_connect(g, l, &spec);
	else
		read_spec(g, l, false, &spec);
}

void ps_fifos_connect(struct pstk_graph *g)
{
	for (const struct ps_link *l = g->links; l; l = l->next)
		connect_link(g, l);
}

/* Does this end name the port, or, of a chain, all of them? */
static bool is_end(const struct ps_end *end, const struct pstk_actor *a, unsigned port)
{
	return end->entry && end->entry->actor == a &&
	       (!*end->port || !strcmp(end->port, pstk_actor_get_type(a)->ports[port].name));
}

int pstk_graph_where(const struct pstk_graph *g, const struct pstk_fifo *fifo, char *text, size_t size)
{
	struct pstk_fifo_info info;

	if (!g || !text || !size || pstk_fifo_get_info(fifo, &info))
		return -EINVAL;
	for (const struct ps_link *l = g->links; l; l = l->next)
		if (is_end(&l->from, info.src, info.src_port) && is_end(&l->to, info.dst, info.dst_port)) {
			const struct ps_node *n = l->to.node;

			snprintf(text, size, "%s:%u:%u", n->file, n->line, n->column);
			return 0;
		}
	return -ENOENT;
}

/* Takes down which port a FIFO names. */
static void name_port(struct pstk_graph *g, const struct ps_end *end, bool output)
{
	struct ps_entry *e = end->entry;
	const struct pstk_actor_type *type = e && e->actor ? pstk_actor_get_type(e->actor) : NULL;
	const struct pstk_port *port = type ? port_of(end) : NULL;

	if (!type)
		return;
	if (!e->named)
		e->named = ps_arena_zalloc(&g->arena, type->port_count * sizeof *e->named);
	if (port)
		e->named[port - type->ports] = true;
	else if (output)
		e->odd_output = true;
	else
		e->odd_input = true;
}

static void check_ports(struct pstk_graph *g, const struct ps_entry *e)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(e->actor);

	for (unsigned p = 0; p < type->port_count; p++) {
		const char *name = e->node->key->text, *port = type->ports[p].name;
		bool output =
			type->ports[p].kind == PSTK_OUTPUT || type->ports[p].kind == PSTK_DYNAMIC_OUTPUT;

		if ((e->named && e->named[p]) || (output ? e->odd_output : e->odd_input))
			continue;
		ps_graph_wrong(g, e->node->key, "'%s' (%s): %s '%s' is not connected: %s", name, type->name,
			output ? "output" : "input", port,
			g->chain ? output ? "put a ! and an actor behind it"
		                          : "put an actor and a ! in front of it"
			: output ? ps_arena_printf(
					   &g->arena, "give it a FIFO, {from: %s.%s, to: ..}", name, port)
				 : ps_arena_printf(
					   &g->arena, "give it a FIFO, {from: .., to: %s.%s}", name, port));
	}
}

void ps_fifos_check_ports(struct pstk_graph *g)
{
	for (const struct ps_link *l = g->links; l; l = l->next) {
		name_port(g, &l->from, true);
		name_port(g, &l->to, false);
	}
	for (const struct ps_entry *e = g->actors.first; e && ps_graph_listens(g); e = e->next)
		if (e->actor)
			check_ports(g, e);
}

/*
 * Before that: which actors they connect.
 */

/* text: "actor.port", at this node. The actor may have a point in its name, the port not. */
static struct ps_end find_end(struct pstk_graph *g, const struct ps_node *at, const char *text)
{
	const char *point = strrchr(text, '.');
	struct ps_end end = { .node = at };

	if (at->file != ps_chain_name && (!point || !point[1])) {
		ps_graph_wrong(g, at, "'%s': expected actor.port", text);
		end.port = "";
		end.entry = ps_document_find(&g->actors, text);
		return end;
	}
	end.port = point + 1;
	text = ps_arena_text(&g->arena, text, (size_t)(point - text));
	end.entry = ps_document_find(&g->actors, text);
	if (!end.entry)
		ps_document_no_actor(g, at, text);
	return end;
}

/* The end of the list of links is where the next one goes. */
static void add_link(struct pstk_graph *g, struct ps_link ***end, const struct ps_link *link)
{
	struct ps_link *l = ps_arena_zalloc(&g->arena, sizeof *l);

	*l = *link;
	**end = l;
	*end = &l->next;
	if (!l->from.entry || !l->to.entry)
		return;
	l->next_output = l->from.entry->outputs;
	l->from.entry->outputs = l;
	if (!l->to.entry->inputs)
		l->to.entry->inputs_end = &l->to.entry->inputs;
	*l->to.entry->inputs_end = l;
	l->to.entry->inputs_end = &l->next_input;
}

/* A reader: "actor.port", or {actor.port: {delay: 1}}. */
static void read_reader(
	struct pstk_graph *g, struct ps_link link, const struct ps_node *reader, struct ps_link ***end)
{
	if (reader->kind == PS_NODE_LIST ||
		(reader->kind == PS_NODE_MAP && (!reader->first || reader->first->next))) {
		ps_graph_wrong(g, reader,
			"a reader is %s: expected actor.port, or actor.port: {delay: 1, ..}",
			reader->kind == PS_NODE_LIST ? "a list" : "not one entry of a map");
		return;
	}
	if (reader->kind == PS_NODE_MAP) {
		link.own = reader->first;
		ps_value_map(g, link.own, "a reader", keys + 2);
	}
	if (!link.own && !ps_value_text(g, reader))
		return;
	link.to = link.own ? find_end(g, link.own->key, link.own->key->text)
	                   : find_end(g, reader, reader->text);
	add_link(g, end, &link);
}

static void read_fifo(struct pstk_graph *g, const struct ps_node *fifo, struct ps_link ***end)
{
	const struct ps_node *from = ps_node_find(fifo, "from"), *to = ps_node_find(fifo, "to");
	struct ps_link link = { .all = fifo };

	ps_value_map(g, fifo, "a FIFO", keys);
	if (fifo->kind != PS_NODE_MAP)
		return;
	if (!from || !to)
		ps_graph_wrong(g, fifo, "a FIFO without %s",
			from ? "'to'"
			: to ? "'from'"
			     : "'from' and 'to'");
	if (from && ps_value_text(g, from))
		link.from = find_end(g, from, from->text);
	if (!to)
		add_link(g, end, &link);
	else if (to->kind != PS_NODE_LIST)
		read_reader(g, link, to, end);
	else
		for (to = to->first; to; to = to->next)
			read_reader(g, link, to, end);
}

void ps_fifos_read(struct pstk_graph *g)
{
	struct ps_link **end = &g->links;

	for (const struct ps_entry *e = g->fifos.first; e; e = e->next)
		read_fifo(g, e->node, &end);
}
