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

static bool has_port(struct pstk_graph *g, const struct ps_end *end, bool said)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(end->entry->actor);
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];

	ps_near_name_begin(&near, end->port);
	for (unsigned p = 0; p < type->port_count; p++) {
		if (!strcmp(type->ports[p].name, end->port))
			return true;
		ps_near_name_offer(&near, type->ports[p].name);
	}
	if (!said)
		ps_graph_wrong(g, end->node, "'%s' (%s) has no port '%s'%s",
			pstk_actor_name(end->entry->actor), type->name, end->port,
			ps_near_name_hint(&near, hint));
	return false;
}

/* The type of the tokens, as the FIFO or its ports say; NULL: none does. */
static const char *token_type(struct pstk_graph *g, const struct ps_link *l)
{
	const struct ps_node *token = ps_fifo_key(l, "token");
	const struct ps_end *ends[] = { &l->from, &l->to };

	if (token)
		return ps_value_text(g, token);
	for (unsigned i = 0; i < 2; i++) {
		const struct pstk_actor_type *type = pstk_actor_get_type(ends[i]->entry->actor);

		for (unsigned p = 0; p < type->port_count; p++)
			if (!strcmp(type->ports[p].name, ends[i]->port) && type->ports[p].token_type)
				return type->ports[p].token_type;
	}
	return NULL;
}

/* The bytes of a regular file. */
static const void *read_bytes(struct pstk_graph *g, const struct ps_node *n, size_t *bytes)
{
	const char *path = ps_value_path(g, n);
	struct stat st = { .st_size = 0 };
	FILE *file;
	void *data;
	size_t got;

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

/* `initial`: a list of numbers, or {file: path}. So many tokens as `delay` says, or else as there are. */
static bool read_initial(
	struct pstk_graph *g, const struct ps_link *l, const char *type, struct pstk_fifo_spec *spec)
{
	static const char *const file_keys[] = { "file", NULL };
	const struct ps_node *n = ps_fifo_key(l, "initial"), *file = n ? ps_node_find(n, "file") : NULL;
	size_t bytes = 0, size = spec->token_size;

	if (!n)
		return true;
	if (n->kind == PS_NODE_MAP && !ps_value_map(g, n, "'initial'", file_keys))
		return false;
	if (n->kind == PS_NODE_MAP && !file) {
		ps_graph_wrong(g, n, "'initial' has no 'file': expected a list of numbers, or {file: PATH}");
		return false;
	}
	if (!file && !type) {
		ps_graph_wrong(g, n,
			"no port says of which type the tokens are: give the FIFO 'token', as in token: f32");
		return false;
	}
	spec->initial = file ? read_bytes(g, file, &bytes) : ps_element_read(g, n, type, &bytes);
	if (!spec->initial)
		return false;
	size = size ? size : ps_element_size(type);
	if (!size || bytes % size || bytes / size > UINT32_MAX) {
		ps_graph_wrong(g, n, "'initial' has %zu bytes: expected a multiple of a token's %zu bytes",
			bytes, size);
		return false;
	}
	if (spec->delay && bytes / size != spec->delay) {
		ps_graph_wrong(g, n, "'initial' has %zu bytes: expected %u tokens of %zu bytes", bytes,
			spec->delay, size);
		return false;
	}
	spec->delay = (uint32_t)(bytes / size);
	return true;
}

static bool read_spec(struct pstk_graph *g, const struct ps_link *l, struct pstk_fifo_spec *s)
{
	const struct {
		const char *key;
		uint32_t least, *number;
	} numbers[] = { { "rate", 1, &s->rate }, { "write_rate", 1, &s->write_rate },
		{ "read_rate", 1, &s->read_rate }, { "depth", 0, &s->depth }, { "delay", 0, &s->delay },
		{ "tail", 0, &s->tail }, { "capacity", 1, &s->capacity } };
	const struct ps_node *size = ps_fifo_key(l, "token_size"), *token = ps_fifo_key(l, "token");
	const char *type = token_type(g, l);
	bool good = true;

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct ps_node *n = ps_fifo_key(l, numbers[i].key);

		good &= !n || ps_value_u32(g, n, numbers[i].least, numbers[i].number);
	}
	if (size)
		good &= ps_value_bytes(g, size, &s->token_size);
	if (token && type && !size)
		s->token_size = ps_element_size(type);
	if (token && type && !ps_element_size(type))
		good = ps_element_read(g, token, type, &s->token_size) &&
		       good; /* says that there is no such type */
	return good && ps_format_connect(g, l, &s->token_size) && read_initial(g, l, type, s);
}

void ps_fifo_connect(struct pstk_graph *g, const struct ps_link *l, struct pstk_fifo_spec *spec)
{
	if (!read_spec(g, l, spec))
		return;
	pstk_connect(l->from.entry->actor, l->from.port, l->to.entry->actor, l->to.port, spec);
	ps_actors_blame(g, l->to.node);
}

/* again: of the same writer as the link before, whose port was looked at. */
static void connect_link(struct pstk_graph *g, const struct ps_link *l, bool again)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	const struct ps_end *from = &l->from, *to = &l->to;
	bool ports;

	if (!from->entry || !to->entry || !from->entry->actor || !to->entry->actor)
		return;
	if (ps_chain_is_end(to)) {
		ps_chain_connect(g, l);
		return;
	}
	ports = has_port(g, from, again);
	if (has_port(g, to, false) && ports)
		ps_fifo_connect(g, l, &spec);
}

void ps_fifos_connect(struct pstk_graph *g)
{
	const struct ps_link *former = NULL;

	for (const struct ps_link *l = g->links; l; former = l, l = l->next)
		connect_link(g, l, former && former->all == l->all);
}

/*
 * Before that: which actors they connect.
 */

/* text: "actor.port", at this node. The actor may have a point in its name, the port not. */
static struct ps_end find_end(struct pstk_graph *g, const struct ps_node *at, const char *text)
{
	const char *point = strrchr(text, '.');
	struct ps_end end = { .node = at };

	if (!point) {
		ps_graph_wrong(g, at, "'%s': expected actor.port", text);
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
		if (!ps_value_map(g, link.own, "a reader", keys + 2))
			return;
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

	if (!ps_value_map(g, fifo, "a FIFO", keys))
		return;
	if (!from || !to) {
		ps_graph_wrong(g, fifo, "a FIFO without '%s'", from ? "to" : "from");
		return;
	}
	if (!ps_value_text(g, from))
		return;
	link.from = find_end(g, from, from->text);
	if (to->kind != PS_NODE_LIST)
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
