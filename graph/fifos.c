/* SPDX-License-Identifier: MIT */
#include "graph/fifos.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/element.h"
#include "graph/values.h"
#include "lib/base/near_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const keys[] = { "from", "to", "rate", "write_rate", "read_rate", "depth", "delay",
	"initial", "tail", "token", "token_size", "capacity", NULL };

/* What a FIFO says of itself, and for one reader behind its name, instead. */
struct fifo {
	const struct ps_node *all, *own; /* own: NULL if it says nothing more */
};

/* An end: "actor.port". */
struct end {
	const struct ps_node *node;
	struct pstk_actor *actor; /* NULL: it could not be added, or it is no actor */
	const char *port;
};

static const struct ps_node *find(const struct fifo *f, const char *key)
{
	const struct ps_node *own = ps_node_find(f->own, key);

	return own ? own : ps_node_find(f->all, key);
}

static bool has_port(struct pstk_graph *g, const struct end *end)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(end->actor);
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];

	ps_near_name_begin(&near, end->port);
	for (unsigned p = 0; p < type->port_count; p++) {
		if (!strcmp(type->ports[p].name, end->port))
			return true;
		ps_near_name_offer(&near, type->ports[p].name);
	}
	ps_graph_wrong(g, end->node, "'%s' (%s) has no port '%s'%s", pstk_actor_name(end->actor), type->name,
		end->port, ps_near_name_hint(&near, hint));
	return false;
}

/* text: "actor.port", at this node. The actor may have a point in its name, the port not. */
static struct end find_end(struct pstk_graph *g, const struct ps_node *at, const char *text)
{
	const char *point = strrchr(text, '.');
	struct end end = { .node = at };
	const struct ps_entry *e;

	if (!point) {
		ps_graph_wrong(g, at, "'%s': expected actor.port", text);
		return end;
	}
	end.port = point + 1;
	text = ps_arena_text(&g->arena, text, (size_t)(point - text));
	e = ps_document_find(&g->actors, text);
	if (!e)
		ps_document_no_actor(g, at, text);
	end.actor = e ? e->actor : NULL;
	if (end.actor && !has_port(g, &end))
		end.actor = NULL;
	return end;
}

/* The type of the tokens, as the FIFO or its ports say; NULL: none does. */
static const char *token_type(
	struct pstk_graph *g, const struct fifo *f, const struct end *from, const struct end *to)
{
	const struct ps_node *token = find(f, "token");
	const struct end *ends[] = { from, to };

	if (token)
		return ps_value_text(g, token);
	for (unsigned i = 0; i < 2; i++) {
		const struct pstk_actor_type *type = pstk_actor_get_type(ends[i]->actor);

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
	struct pstk_graph *g, const struct fifo *f, const char *type, struct pstk_fifo_spec *spec)
{
	static const char *const file_keys[] = { "file", NULL };
	const struct ps_node *n = find(f, "initial"), *file = n ? ps_node_find(n, "file") : NULL;
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
	if (!size || bytes % size || (spec->delay && bytes / size != spec->delay)) {
		ps_graph_wrong(g, n, "'initial' has %zu bytes: expected %u tokens of %zu bytes", bytes,
			spec->delay, size);
		return false;
	}
	spec->delay = (uint32_t)(bytes / size);
	return true;
}

static bool read_spec(struct pstk_graph *g, const struct fifo *f, const struct end *from,
	const struct end *to, struct pstk_fifo_spec *s)
{
	const struct {
		const char *key;
		uint32_t least, *number;
	} numbers[] = { { "rate", 1, &s->rate }, { "write_rate", 1, &s->write_rate },
		{ "read_rate", 1, &s->read_rate }, { "depth", 0, &s->depth }, { "delay", 0, &s->delay },
		{ "tail", 0, &s->tail }, { "capacity", 1, &s->capacity } };
	const struct ps_node *size = find(f, "token_size"), *token = find(f, "token");
	const char *type = token_type(g, f, from, to);
	bool good = true;

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct ps_node *n = find(f, numbers[i].key);

		good &= !n || ps_value_u32(g, n, numbers[i].least, numbers[i].number);
	}
	if (size)
		good &= ps_value_bytes(g, size, &s->token_size);
	if (token && type && !size)
		s->token_size = ps_element_size(type);
	if (token && type && !ps_element_size(type))
		good = ps_element_read(g, token, type, &s->token_size) &&
		       good; /* says that there is no such type */
	return good && read_initial(g, f, type, s);
}

static void connect_ends(
	struct pstk_graph *g, const struct fifo *f, const struct end *from, const struct end *to)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

	if (!from->actor || !to->actor || !read_spec(g, f, from, to, &spec))
		return;
	pstk_connect(from->actor, from->port, to->actor, to->port, &spec);
	ps_actors_blame(g, to->node);
}

/* A reader: "actor.port", or {actor.port: {delay: 1}}. */
static void connect_reader(struct pstk_graph *g, const struct ps_node *fifo, const struct end *from,
	const struct ps_node *reader)
{
	struct fifo f = { .all = fifo };
	struct end to;

	if (reader->kind == PS_NODE_LIST ||
		(reader->kind == PS_NODE_MAP && (!reader->first || reader->first->next))) {
		ps_graph_wrong(g, reader,
			"a reader is %s: expected actor.port, or actor.port: {delay: 1, ..}",
			reader->kind == PS_NODE_LIST ? "a list" : "not one entry of a map");
		return;
	}
	if (reader->kind == PS_NODE_MAP) {
		f.own = reader->first;
		if (!ps_value_map(g, f.own, "a reader", keys + 2))
			return;
	}
	if (!f.own && !ps_value_text(g, reader))
		return;
	to = f.own ? find_end(g, f.own->key, f.own->key->text) : find_end(g, reader, reader->text);
	connect_ends(g, &f, from, &to);
}

static void connect_fifo(struct pstk_graph *g, const struct ps_node *fifo)
{
	const struct ps_node *from = ps_node_find(fifo, "from"), *to = ps_node_find(fifo, "to");
	struct end writer;

	if (!ps_value_map(g, fifo, "a FIFO", keys))
		return;
	if (!from || !to) {
		ps_graph_wrong(g, fifo, "a FIFO without '%s'", from ? "to" : "from");
		return;
	}
	if (!ps_value_text(g, from))
		return;
	writer = find_end(g, from, from->text);
	if (to->kind != PS_NODE_LIST)
		connect_reader(g, fifo, &writer, to);
	else
		for (to = to->first; to; to = to->next)
			connect_reader(g, fifo, &writer, to);
}

void ps_fifos_connect(struct pstk_graph *g)
{
	for (const struct ps_entry *e = g->fifos.first; e; e = e->next)
		connect_fifo(g, e->node);
}
