/* SPDX-License-Identifier: MIT */
#include "graph/parameters.h"
#include "graph/values.h"
#include "lib/base/near_name.h"

#include <ctype.h>
#include <limits.h>
#include <search.h>
#include <string.h>

enum { PS_PARAMETERS_BYTES = 64 << 20 };

static int by_name(const void *a, const void *b)
{
	const struct ps_parameter *m = a, *n = b;

	if (m->length != n->length)
		return m->length < n->length ? -1 : 1;
	return memcmp(m->name, n->name, m->length);
}

static struct ps_parameter *find(const struct pstk_graph *g, const char *name, size_t length)
{
	const struct ps_parameter wanted = { .name = name, .length = length };
	struct ps_parameter **found = tfind(&wanted, &g->parameter_names, by_name);

	return found ? *found : NULL;
}

static struct ps_parameter *add(struct pstk_graph *g, const char *name)
{
	struct ps_parameter *p = ps_arena_zalloc(&g->arena, sizeof *p);

	*p = (struct ps_parameter){ .name = name, .length = strlen(name), .next = g->parameters };
	if (!tsearch(p, &g->parameter_names, by_name))
		longjmp(g->arena.out_of_memory, 1);
	g->parameters = p;
	return p;
}

static void keep_parameter(void *parameter)
{
	(void)parameter; /* the arena has it */
}

void ps_parameters_free(struct pstk_graph *g)
{
	tdestroy(g->parameter_names, keep_parameter);
}

static void say_unknown(struct pstk_graph *g, const struct ps_node *at, const char *name)
{
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];

	ps_near_name_begin(&near, name);
	for (const struct ps_parameter *p = ps_graph_listens(g) ? g->parameters : NULL; p; p = p->next)
		ps_near_name_offer(&near, p->name);
	ps_graph_wrong(g, at, "the graph has no parameter '%s'%s", name, ps_near_name_hint(&near, hint));
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

void ps_parameters_read(struct pstk_graph *g, const struct ps_node *section, bool overlay)
{
	if (section->kind != PS_NODE_MAP) {
		ps_graph_wrong(g, section, "'parameters' is %s: expected a map, {name: value}",
			ps_node_kind(section));
		return;
	}
	for (const struct ps_node *n = section->first; n; n = n->next) {
		const char *name = n->key->text, *value = ps_value_text(g, n);
		struct ps_parameter *p = find(g, name, strlen(name));

		if (!*name || name[name_length(name)])
			ps_graph_wrong(
				g, n->key, "'%s' as a parameter: a name has letters, digits and _", name);
		else if (p && !overlay)
			ps_graph_wrong(g, n->key, "the parameter '%s' is in another file, too", name);
		if (!p)
			p = add(g, name);
		p->value = value ? value : "";
	}
}

const char *pstk_graph_parameter(const struct pstk_graph *g, const char *name)
{
	const struct ps_parameter *p = g && name ? find(g, name, strlen(name)) : NULL;

	return p ? p->value : NULL;
}

void ps_parameters_set(struct pstk_graph *g, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);
	struct ps_parameter *p = find(g, text, length);

	if (!equals)
		ps_graph_wrong(g, NULL, "'%s': expected name=value, of a parameter of the graph", text);
	else if (!p)
		say_unknown(g, NULL, ps_arena_text(&g->arena, text, length));
	else
		p->value = ps_arena_text(&g->arena, equals + 1, strlen(equals + 1));
}

/* Of the dollar at `at`: the text instead of it, and how many letters that replaces. NULL: that is a problem. */
static const char *value_at(struct pstk_graph *g, const struct ps_node *n, const char *at, size_t *length)
{
	bool braces = at[1] == '{';
	const char *name = at + 1 + braces;
	size_t letters = name_length(name);
	const struct ps_parameter *p = find(g, name, letters);

	*length = 1 + letters + 2 * braces;
	if (at[1] == '$') {
		*length = 2;
		return "$";
	}
	if (!letters || (braces && name[letters] != '}')) {
		ps_graph_wrong(g, n, "'%s': a $ is the beginning of $name or ${name}; a dollar itself is $$",
			n->text);
		return NULL;
	}
	if (!p)
		say_unknown(g, n, ps_arena_text(&g->arena, name, letters));
	return p ? p->value : NULL;
}

/* Goes through a text and its dollars: how long it is with the values, which with `to` is put there. -1: that was a
 * problem. A value is not looked at again. */
static long put_values(struct pstk_graph *g, const struct ps_node *n, char *to)
{
	const char *rest = n->text;
	size_t length = 0;

	for (const char *dollar; (dollar = strchr(rest, '$'));) {
		size_t before = (size_t)(dollar - rest), replaced, bytes;
		const char *value = value_at(g, n, dollar, &replaced);

		if (!value)
			return -1;
		bytes = strlen(value);
		if (to) {
			memcpy(to + length, rest, before);
			memcpy(to + length + before, value, bytes);
		}
		length += before + bytes;
		rest = dollar + replaced;
	}
	if (to)
		memcpy(to + length, rest, strlen(rest) + 1);
	length += strlen(rest);
	return length > LONG_MAX / 2 ? -1 : (long)length;
}

static void expand_value(struct pstk_graph *g, struct ps_node *n)
{
	long length = strchr(n->text, '$') ? put_values(g, n, NULL) : 0;
	char *text = NULL;

	if (length > PS_PARAMETERS_BYTES) {
		ps_graph_wrong(
			g, n, "with its parameters it has more than %d MiB", PS_PARAMETERS_BYTES >> 20);
		length = -1;
	}
	if (!strchr(n->text, '$'))
		return;
	if (length >= 0) {
		text = ps_arena_zalloc(&g->arena, (size_t)length + 1);
		put_values(g, n, text);
	}
	n->text = text;
}

void ps_parameters_expand(struct pstk_graph *g, struct ps_node *n)
{
	if (n->kind == PS_NODE_VALUE && n->text)
		expand_value(g, n);
	else
		for (n = n->first; n; n = n->next)
			ps_parameters_expand(g, n);
}
