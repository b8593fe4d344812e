/* SPDX-License-Identifier: MIT */
#include "graph/element.h"
#include "graph/values.h"
#include "lib/base/text.h"

#include <string.h>

static const struct element {
	const char *name;
	size_t size;      /* of a number */
	unsigned numbers; /* of an element */
	enum ps_number_kind kind;
} elements[] = { { "u8", 1, 1, PS_UNSIGNED }, { "i8", 1, 1, PS_SIGNED }, { "u16", 2, 1, PS_UNSIGNED },
	{ "i16", 2, 1, PS_SIGNED }, { "u32", 4, 1, PS_UNSIGNED }, { "i32", 4, 1, PS_SIGNED },
	{ "u64", 8, 1, PS_UNSIGNED }, { "i64", 8, 1, PS_SIGNED }, { "f32", 4, 1, PS_FLOAT },
	{ "f64", 8, 1, PS_FLOAT }, { "cf32", 4, 2, PS_FLOAT }, { "cf64", 8, 2, PS_FLOAT } };

enum { ELEMENTS = sizeof elements / sizeof *elements };

static const struct element *find(struct pstk_graph *g, const struct ps_node *at, const char *name)
{
	const char *names[ELEMENTS + 1] = { NULL };

	for (unsigned i = 0; i < ELEMENTS; i++) {
		names[i] = elements[i].name;
		if (!strcmp(names[i], name))
			return &elements[i];
	}
	ps_value_unknown(g, at, "there is no type", name, names);
	return NULL;
}

const void *ps_element_read(struct pstk_graph *g, const struct ps_node *n, const char *type, size_t *bytes)
{
	const struct ps_node *first = n->kind == PS_NODE_LIST ? n->first : n;
	const struct element *e = find(g, n, type);
	size_t count = 0;
	unsigned char *data, *to;

	if (!e)
		return NULL;
	for (const struct ps_node *v = first; v; v = v == n ? NULL : v->next)
		count++;
	data = to = ps_arena_zalloc(&g->arena, count * e->size);
	for (const struct ps_node *v = first; v; v = v == n ? NULL : v->next, to += e->size) {
		const char *text = ps_value_text(g, v);
		struct ps_number number;

		if (!text)
			return NULL;
		if (!ps_number_parse(e->kind, e->size, text, &number)) {
			ps_graph_wrong(g, v, "'%s' is no %s", text, e->name);
			return NULL;
		}
		ps_number_store(e->kind, e->size, &number, to);
	}
	if (count % e->numbers) {
		ps_graph_wrong(
			g, n, "%zu number%s: a %s has %u", count, ps_plural(count), e->name, e->numbers);
		return NULL;
	}
	*bytes = count * e->size;
	return data;
}

static const struct element *of_name(const char *type)
{
	for (unsigned i = 0; type && i < ELEMENTS; i++)
		if (!strcmp(elements[i].name, type))
			return &elements[i];
	return NULL;
}

size_t ps_element_size(const char *type)
{
	const struct element *e = of_name(type);

	return e ? e->size * e->numbers : 0;
}

size_t ps_element_step(const char *type)
{
	const struct element *e = of_name(type);

	return e ? e->size : 0;
}

void ps_element_number(const char *type, const void *from, char text[PS_NUMBER_TEXT])
{
	const struct element *e = of_name(type);

	ps_number_format(e->kind, e->size, from, text);
}

bool ps_element_is(const char *type, const char *text, const void *bytes)
{
	const struct element *e = of_name(type);
	struct ps_number number;
	unsigned char is[8];

	if (!ps_number_parse(e->kind, e->size, text, &number))
		return false;
	ps_number_store(e->kind, e->size, &number, is);
	return !memcmp(is, bytes, e->size);
}
