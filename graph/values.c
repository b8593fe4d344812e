/* SPDX-License-Identifier: MIT */
#include "graph/values.h"
#include "lib/base/near_name.h"
#include "lib/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the node is called in messages: 'key', or of which key's list it is an entry. */
static const char *name_of(struct pstk_graph *g, const struct ps_node *n)
{
	const struct ps_node *list = n->in;

	if (n->key)
		return ps_arena_printf(&g->arena, "'%s'", n->key->text);
	while (list && !list->key)
		list = list->in;
	return list ? ps_arena_printf(&g->arena, "an entry of '%s'", list->key->text) : "an entry";
}

const char *ps_value_text(struct pstk_graph *g, const struct ps_node *n)
{
	if (n->kind == PS_NODE_VALUE)
		return n->text; /* NULL: that it has no value is a problem already */
	ps_graph_wrong(g, n, "%s is %s: expected a value", name_of(g, n), ps_node_kind(n));
	return NULL;
}

/* Decimal digits, or 0x and hexadecimal ones. */
static bool parse(const char *text, char **end, uint64_t *number)
{
	errno = 0;
	*number = strtoull(text, end, !strncmp(text, "0x", 2) ? 16 : 10);
	return isdigit((unsigned char)*text) && !errno;
}

bool ps_value_u64(
	struct pstk_graph *g, const struct ps_node *n, uint64_t least, uint64_t most, uint64_t *number)
{
	const char *text = ps_value_text(g, n);
	char *end;

	if (!text)
		return false;
	if (parse(text, &end, number) && !*end && *number >= least && *number <= most)
		return true;
	ps_graph_wrong(g, n, "%s is '%s': expected a whole number, %" PRIu64 " to %" PRIu64, name_of(g, n),
		text, least, most);
	return false;
}

bool ps_value_u32(struct pstk_graph *g, const struct ps_node *n, uint32_t least, uint32_t *number)
{
	uint64_t wide;
	bool good = ps_value_u64(g, n, least, UINT32_MAX, &wide);

	if (good)
		*number = (uint32_t)wide;
	return good;
}

bool ps_value_bytes(struct pstk_graph *g, const struct ps_node *n, uint64_t least, size_t *bytes)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = { { "", 1 }, { "B", 1 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 } };
	const char *text = ps_value_text(g, n);
	uint64_t number, all;
	char *end;

	if (!text)
		return false;
	for (unsigned i = 0; parse(text, &end, &number) && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end + (*end == ' '), units[i].name) &&
			!__builtin_mul_overflow(number, units[i].factor, &all) && all >= least &&
			all <= PS_VALUE_BYTES && all <= SIZE_MAX) {
			*bytes = (size_t)all;
			return true;
		}
	ps_graph_wrong(g, n,
		"%s is '%s': expected bytes: a whole number, also with KiB, MiB or GiB, from %" PRIu64
		" to %" PRIu64 " GiB",
		name_of(g, n), text, least, PS_VALUE_BYTES >> 30);
	return false;
}

bool ps_value_seconds(struct pstk_graph *g, const struct ps_node *n, const char *unit, double *value)
{
	const char *text = ps_value_text(g, n);
	struct ps_number number;

	if (!text)
		return false;
	*value = ps_number_parse(PS_FLOAT, 8, text, &number) ? number.f : -1;
	if (isfinite(*value) && *value >= 0)
		return true;
	ps_graph_wrong(g, n, "%s is '%s': expected %s, 0 or more", name_of(g, n), text, unit);
	return false;
}

bool ps_value_bool(struct pstk_graph *g, const struct ps_node *n, bool *value)
{
	const char *text = ps_value_text(g, n);

	if (!text)
		return false;
	*value = !strcmp(text, "true");
	if (*value || !strcmp(text, "false"))
		return true;
	ps_graph_wrong(g, n, "%s is '%s': expected true or false", name_of(g, n), text);
	return false;
}

void ps_value_unknown(struct pstk_graph *g, const struct ps_node *at, const char *what, const char *name,
	const char *const *names)
{
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];

	ps_near_name_begin(&near, name);
	while (ps_graph_listens(g) && *names)
		ps_near_name_offer(&near, *names++);
	ps_graph_wrong(g, at, "%s '%s'%s", what, name, ps_near_name_hint(&near, hint));
}

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

bool ps_value_map(struct pstk_graph *g, const struct ps_node *n, const char *of, const char *const *keys)
{
	char what[80];
	bool good = n->kind == PS_NODE_MAP;

	if (!good && n->key)
		ps_graph_wrong(
			g, n, "%s is %s: expected a map, {key: value}", name_of(g, n), ps_node_kind(n));
	else if (!good)
		ps_graph_wrong(g, n, "%s is %s: expected a map, {key: value}", of, ps_node_kind(n));
	snprintf(what, sizeof what, "%s has no key", of);
	for (const struct ps_node *e = good ? n->first : NULL; e; e = e->next)
		if (!is_among(keys, e->key->text)) {
			ps_value_unknown(g, e->key, what, e->key->text, keys);
			good = false;
		}
	return good;
}

/* Bytes of the UTF-8 character at the beginning of a text (RFC 3629), 0: there is none. */
static size_t character_size(const unsigned char *text)
{
	/* what the second byte can be, by the first one */
	unsigned char low = text[0] == 0xe0   ? 0xa0
	                    : text[0] == 0xf0 ? 0x90
	                                      : 0x80,
		      high = text[0] == 0xed   ? 0x9f
	                     : text[0] == 0xf4 ? 0x8f
	                                       : 0xbf;
	size_t size = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;

	if (size > 1 && (text[0] < 0xc2 || text[0] > 0xf4 || text[1] < low || text[1] > high))
		return 0;
	for (size_t i = 2; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

static bool is_utf8(const char *text)
{
	size_t size = 1;

	for (; *text && size; text += size)
		size = character_size((const unsigned char *)text);
	return size;
}

static bool has_control(const char *text)
{
	while (*text && ((unsigned char)*text >= ' ' && *text != 0x7f))
		text++;
	return *text;
}

bool ps_value_name(
	struct pstk_graph *g, const struct ps_node *at, const char *name, const char *of, const char *without)
{
	const char *letter = strpbrk(name, without), *fault = NULL;

	if (!*name)
		fault = "is empty";
	else if (strlen(name) > PS_VALUE_NAME)
		fault = "has more than 127 bytes";
	else if (!is_utf8(name))
		fault = "is not UTF-8";
	else if (has_control(name))
		fault = "has a tab or another control character";
	if (fault)
		ps_graph_wrong(
			g, at, "the name of %s %s: expected 1 to %d bytes of text", of, fault, PS_VALUE_NAME);
	else if (letter)
		ps_graph_wrong(g, at, "the name of %s, '%s', has a %c, which no such name may have", of, name,
			*letter);
	return !fault && !letter;
}

const char *ps_value_path(struct pstk_graph *g, const struct ps_node *n)
{
	const char *text = ps_value_text(g, n), *slash = strrchr(n->file, '/');

	if (!text || *text == '/' || !slash)
		return text;
	return ps_arena_printf(&g->arena, "%.*s/%s", (int)(slash - n->file), n->file, text);
}
