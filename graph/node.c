/* SPDX-License-Identifier: MIT */
#include "graph/node.h"
#include "graph/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* In the graph's arena: so it can be closed when there is no more memory (ps_node_close()). */
struct ps_reader {
	struct pstk_graph *graph;
	const char *file;
	FILE *stream;
	yaml_parser_t parser;
	yaml_event_t event; /* the one that is looked at */
	bool parses, holds; /* there is a parser, an event */
	unsigned depth, count;
	size_t bytes; /* that were read */
	int err;      /* of the stream: an errno; -1: it is too large */
	bool wrong;
};

static struct ps_node *new_node(struct ps_reader *r, enum ps_node_kind kind, const yaml_mark_t *mark)
{
	struct ps_node *node = ps_arena_zalloc(&r->graph->arena, sizeof *node);

	node->kind = kind;
	node->file = r->file;
	node->line = (unsigned)mark->line + 1;
	node->column = (unsigned)mark->column + 1;
	return node;
}

#define WRONG(r, mark, ...)                                                                \
	do {                                                                               \
		ps_graph_wrong((r)->graph, new_node(r, PS_NODE_VALUE, mark), __VA_ARGS__); \
		(r)->wrong = true;                                                         \
	} while (0)

/* What libyaml says of a tab: that it is one, or that a letter can't stand there. */
static bool is_tab(const yaml_parser_t *p)
{
	const yaml_char_t *at = p->buffer.pointer;

	return strstr(p->problem, "tab character") ||
	       (strstr(p->problem, "cannot start any token") && at && at < p->buffer.last && *at == '\t');
}

/* Of text that is not YAML at all. Reading ends there. */
static void say_syntax(struct ps_reader *r)
{
	const yaml_parser_t *p = &r->parser;
	yaml_mark_t mark = p->problem_mark;

	if (p->error == YAML_MEMORY_ERROR)
		longjmp(r->graph->arena.out_of_memory, 1);
	if (r->err)
		r->wrong = true;
	else if (p->error == YAML_READER_ERROR)
		WRONG(r, &p->mark, "not a text in UTF-8: %s", p->problem);
	else if (is_tab(p))
		WRONG(r, &mark, "a tab: YAML is indented with spaces");
	else
		WRONG(r, &mark, "%s%s%s", p->problem, p->context ? ", " : "", p->context ? p->context : "");
}

static void drop(struct ps_reader *r)
{
	if (r->holds)
		yaml_event_delete(&r->event);
	r->holds = false;
}

/* Goes on to the next event. false: something is wrong. */
static bool next(struct ps_reader *r)
{
	drop(r);
	if (r->wrong)
		return false;
	r->holds = yaml_parser_parse(&r->parser, &r->event);
	if (!r->holds)
		say_syntax(r);
	return r->holds;
}

/* What this part of YAML leaves out. tag, anchor: of a value, a list or a map. */
static void check_extras(
	struct ps_reader *r, const yaml_mark_t *mark, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	const struct ps_node *at = anchor || tag ? new_node(r, PS_NODE_VALUE, mark) : NULL;

	if (anchor)
		ps_graph_wrong(r->graph, at,
			"'&%s': a graph file has no anchors: use a parameter (`parameters:`, $name)",
			(const char *)anchor);
	if (tag)
		ps_graph_wrong(r->graph, at, "'%s': a graph file has no tags", (const char *)tag);
	if (++r->count > PS_NODE_COUNT)
		WRONG(r, mark, "more than %d values, lists and maps", (int)PS_NODE_COUNT);
}

static struct ps_node *read_node(struct ps_reader *r);

static struct ps_node *read_value(struct ps_reader *r, const yaml_event_t *event)
{
	struct ps_node *node = new_node(r, PS_NODE_VALUE, &event->start_mark);
	const char *text = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;

	if (memchr(text, 0, length))
		WRONG(r, &event->start_mark, "a zero byte in a value");
	node->text = ps_arena_text(&r->graph->arena, text, length);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return node;
}

/* The entries of a list, or keys and values of a map, up to its end. */
static void read_entries(struct ps_reader *r, struct ps_node *parent, yaml_event_type_t end)
{
	struct ps_node **last = &parent->first;
	const struct ps_node *key = NULL;

	if (++r->depth > PS_NODE_DEPTH) {
		ps_graph_wrong(r->graph, parent, "more than %d lists and maps in each other", PS_NODE_DEPTH);
		r->wrong = true;
	}
	while (next(r) && r->event.type != end) {
		struct ps_node *node = read_node(r);

		if (!node)
			break;
		if (parent->kind == PS_NODE_MAP && !key) {
			key = node;
			if (node->kind != PS_NODE_VALUE)
				ps_graph_wrong(r->graph, node, "%s as a key", ps_node_kind(node));
			r->wrong |= node->kind != PS_NODE_VALUE || !node->text;
			continue;
		}
		node->in = parent;
		node->key = key;
		key = NULL;
		*last = node;
		last = &node->next;
	}
	r->depth--;
}

static int by_key(const void *a, const void *b)
{
	const struct ps_node *const *m = a, *const *n = b;
	const struct ps_node *a_key = (*m)->key, *b_key = (*n)->key;
	int order = strcmp(a_key->text, b_key->text);

	if (!order && a_key->line == b_key->line)
		return a_key->column < b_key->column ? -1 : a_key->column > b_key->column;
	return order ? order : a_key->line < b_key->line ? -1 : 1;
}

/* A key that stands twice is told; then only the first one is there. */
static void check_keys(struct ps_reader *r, struct ps_node *map)
{
	struct ps_node **sorted, *n;
	size_t count = 0, first = 0;

	for (n = map->first; n; n = n->next)
		count++;
	sorted = ps_arena_zalloc(&r->graph->arena, count * sizeof(*sorted));
	for (n = map->first, count = 0; n; n = n->next)
		sorted[count++] = n;
	qsort(sorted, count, sizeof(*sorted), by_key);
	for (size_t i = 1; i < count; i++)
		if (strcmp(sorted[i]->key->text, sorted[first]->key->text) != 0) {
			first = i;
		} else {
			ps_graph_wrong(r->graph, sorted[i]->key,
				"'%s' is here a second time; the first: line %u", sorted[i]->key->text,
				sorted[first]->key->line);
			sorted[i]->key = NULL;
		}
	for (struct ps_node **e = &map->first; *e;)
		if ((*e)->key)
			e = &(*e)->next;
		else
			*e = (*e)->next;
}

/* NULL: the event begins nothing, or something is wrong. */
static struct ps_node *read_node(struct ps_reader *r)
{
	const yaml_event_t *event = &r->event;
	const yaml_mark_t *mark = &event->start_mark;
	struct ps_node *node = NULL;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		check_extras(r, mark, event->data.scalar.anchor, event->data.scalar.tag);
		node = read_value(r, event);
		break;
	case YAML_SEQUENCE_START_EVENT:
		check_extras(r, mark, event->data.sequence_start.anchor, event->data.sequence_start.tag);
		node = new_node(r, PS_NODE_LIST, mark);
		read_entries(r, node, YAML_SEQUENCE_END_EVENT);
		break;
	case YAML_MAPPING_START_EVENT:
		check_extras(r, mark, event->data.mapping_start.anchor, event->data.mapping_start.tag);
		node = new_node(r, PS_NODE_MAP, mark);
		read_entries(r, node, YAML_MAPPING_END_EVENT);
		if (!r->wrong)
			check_keys(r, node);
		break;
	case YAML_ALIAS_EVENT:
		node = new_node(r, PS_NODE_VALUE, mark); /* without a text: of no use, and told */
		ps_graph_wrong(r->graph, node,
			"'*%s': a graph file has no aliases: use a parameter (`parameters:`, $name)",
			(const char *)event->data.alias.anchor);
		break;
	default:
		break;
	}
	return r->wrong ? NULL : node;
}

static struct ps_node *read_document(struct ps_reader *r)
{
	struct ps_node *root = NULL;

	while (next(r) && r->event.type != YAML_STREAM_END_EVENT)
		if (r->event.type == YAML_DOCUMENT_START_EVENT && root)
			WRONG(r, &r->event.start_mark, "a second document: a graph file is one");
		else if (r->event.type != YAML_STREAM_START_EVENT &&
			 r->event.type != YAML_DOCUMENT_START_EVENT &&
			 r->event.type != YAML_DOCUMENT_END_EVENT)
			root = read_node(r);
	return r->wrong ? NULL : root;
}

void ps_node_close(struct pstk_graph *g)
{
	struct ps_reader *r = g->reader;

	g->reader = NULL;
	if (!r)
		return;
	drop(r);
	if (r->parses)
		yaml_parser_delete(&r->parser);
	if (r->stream)
		fclose(r->stream);
}

/* For libyaml, which reads to the end: 0 ends it. */
static int read_some(void *data, unsigned char *buffer, size_t size, size_t *got)
{
	struct ps_reader *r = data;

	errno = 0;
	*got = fread(buffer, 1, size, r->stream);
	r->bytes += *got;
	if (ferror(r->stream))
		r->err = errno ? errno : EIO;
	else if (r->bytes > PS_NODE_BYTES)
		r->err = -1;
	return !r->err;
}

struct ps_node *ps_node_read(struct pstk_graph *g, const char *path, const struct ps_node *named)
{
	struct ps_reader *r = g->reader = ps_arena_zalloc(&g->arena, sizeof *r);
	struct ps_node *root = NULL;

	r->graph = g;
	r->file = path;
	r->stream = fopen(path, "re");
	if (!r->stream) {
		ps_graph_wrong(g, named, "%s: %s", path, strerror(errno));
	} else {
		r->parses = yaml_parser_initialize(&r->parser);
		if (!r->parses)
			longjmp(g->arena.out_of_memory, 1);
		yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
		yaml_parser_set_input(&r->parser, read_some, r);
		root = read_document(r);
		if (r->err > 0)
			ps_graph_wrong(g, named, "%s: %s", path, strerror(r->err));
		else if (r->err)
			ps_graph_wrong(g, named, "%s: more than %d MiB", path, PS_NODE_BYTES >> 20);
	}
	ps_node_close(g);
	return root;
}

struct ps_node *ps_node_find(const struct ps_node *map, const char *key)
{
	struct ps_node *n = map && map->kind == PS_NODE_MAP ? map->first : NULL;

	while (n && strcmp(n->key->text, key) != 0)
		n = n->next;
	return n;
}

const char *ps_node_kind(const struct ps_node *n)
{
	return n->kind == PS_NODE_VALUE ? "a value" : n->kind == PS_NODE_LIST ? "a list" : "a map";
}
