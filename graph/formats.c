/* SPDX-License-Identifier: MIT */
#include "graph/formats.h"
#include "graph/actors.h"
#include "graph/element.h"
#include "graph/fifos.h"
#include "graph/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char gray8[] = "gray8";

enum { SIZE_MOST = 1 << 20 }; /* pixels of a row, and rows: so that a frame's bytes are a number */

enum { FORMAT_TEXT = 40 };

static const char *text_of(const struct pstk_plugin_format *f, char text[FORMAT_TEXT])
{
	snprintf(text, FORMAT_TEXT, "%s %" PRIu32 "x%" PRIu32, f->pixels, f->width, f->height);
	return text;
}

static bool is_known(const struct pstk_plugin_format *f)
{
	return f->pixels && f->width && f->height;
}

bool ps_format_is_usable(const struct pstk_plugin_format *f)
{
	return !f->pixels || (!strcmp(f->pixels, gray8) && f->width && f->height);
}

/* "gray8", "gray8 320x240" */
static bool parse(const char *text, struct pstk_plugin_format *f)
{
	int end = 0;

	*f = (struct pstk_plugin_format){ .pixels = gray8 };
	if (!strcmp(text, gray8))
		return true;
	return sscanf(text, "gray8 %7" SCNu32 "x%7" SCNu32 "%n", &f->width, &f->height, &end) == 2 &&
	       !text[end] && f->width && f->height && f->width <= SIZE_MOST && f->height <= SIZE_MOST;
}

bool ps_format_read(struct pstk_graph *g, const struct ps_node *n, struct pstk_plugin_format *f)
{
	const char *text = ps_value_text(g, n);

	if (!text || parse(text, f))
		return text;
	ps_graph_wrong(g, n,
		"'format' is '%s': expected gray8 WIDTHxHEIGHT, or gray8 of the size that comes in", text);
	return false;
}

/* What a kernel's port says; NULL: nothing. */
static const struct ps_node *node_of(const struct ps_entry *e, const char *port)
{
	return ps_node_find(ps_node_find(ps_node_find(e->node, "ports"), port), "format");
}

bool ps_format_is_wanted(const struct ps_entry *e)
{
	const struct ps_node *ports = ps_node_find(e->node, "ports");

	if (e->type)
		return e->type->format;
	for (const struct ps_node *n = ports && ports->kind == PS_NODE_MAP ? ports->first : NULL; n;
		n = n->next)
		if (ps_node_find(n, "format"))
			return true;
	return false;
}

struct pstk_plugin_format ps_format_of(const struct ps_entry *e, const char *port, bool output)
{
	const struct ps_node *n = e->type ? NULL : node_of(e, port);
	struct pstk_plugin_format f = { NULL };

	if (e->type && e->type->format)
		return output ? e->out : e->in;
	if (!n || n->kind != PS_NODE_VALUE || !n->text || !parse(n->text, &f))
		return (struct pstk_plugin_format){ NULL };
	if (!f.width) {
		f.width = e->in.width;
		f.height = e->in.height;
	}
	f.rate_num = e->in.rate_num;
	f.rate_den = e->in.rate_den;
	return f;
}

bool ps_format_is_brought(const struct ps_link *l)
{
	struct pstk_plugin_format f = ps_format_of(l->from.entry, l->from.port, true);

	return is_known(&f);
}

/* Does it move frames without more of them in front or behind? */
static bool is_straight(const struct ps_link *l)
{
	return !ps_fifo_key(l, "delay") && !ps_fifo_key(l, "initial") && !ps_fifo_key(l, "tail");
}

void ps_format_gather(struct ps_entry *e)
{
	e->in = (struct pstk_plugin_format){ NULL };
	for (const struct ps_link *l = ps_format_is_wanted(e) ? e->inputs : NULL; l; l = l->next_input) {
		struct pstk_plugin_format f = ps_format_of(l->from.entry, l->from.port, true);

		e->misses |= l->from.entry != e && l->from.entry->added && !l->from.entry->actor;
		if (!is_known(&f))
			continue;
		if (!is_straight(l))
			f.times = NULL;
		if (!e->in.pixels)
			e->in = f;
		else if (!e->in.times)
			e->in.times = f.times;
	}
}

bool ps_format_is_missing(const struct ps_entry *e)
{
	return e->misses && !is_known(&e->in);
}

/* One of both parameters. false: the graph does not say it. */
static bool fill_one(struct ps_entry *e, struct pstk_actor *of, const struct pstk_param *p, uint32_t *size)
{
	char text[16];

	if (!ps_actor_gives(e->node, p->name) && !*size && !p->default_value)
		return false;
	if (!ps_actor_gives(e->node, p->name) && *size) {
		snprintf(text, sizeof text, "%" PRIu32, *size);
		pstk_actor_set_param(of, p->name, text);
	}
	memcpy(size, (const char *)pstk_actor_arg(of) + p->offset, sizeof *size);
	return true;
}

bool ps_format_fill(struct pstk_graph *g, struct ps_entry *e, struct pstk_actor *of)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(of);
	bool all = true;

	for (unsigned i = 0; i < type->param_count; i++) {
		const struct pstk_param *p = &type->params[i];

		if (pstk_plugin_fills(e->type, p))
			all &= fill_one(e, of, p, *p->name == 'w' ? &e->in.width : &e->in.height);
	}
	if (e->in.width && e->in.height)
		e->in.pixels = gray8;
	if (!all && !ps_format_is_missing(e))
		ps_graph_wrong(g, e->node->key,
			"'%s' (%s): no FIFO brings the size of its frames: give width and height",
			e->node->key->text, type->name);
	return all;
}

bool ps_format_settle(struct pstk_graph *g, const struct ps_entry *e)
{
	const struct ps_node *ports = ps_node_find(e->node, "ports"),
			     *n = ports && ports->kind == PS_NODE_MAP ? ports->first : NULL;
	bool all = true;

	for (; n; n = n->next) {
		const struct ps_node *format = ps_node_find(n, "format");
		struct pstk_plugin_format f = ps_format_of(e, n->key->text, false);

		if (!format || !f.pixels || is_known(&f))
			continue;
		all = false;
		if (!e->misses)
			ps_graph_wrong(g, format,
				"no FIFO brings the size of '%s.%s': give it, as in gray8 320x240",
				e->node->key->text, n->key->text);
	}
	return all;
}

/* What is given of both is one thing, as what is not is no matter. */
static bool agree(struct pstk_graph *g, const struct ps_link *l, const struct pstk_plugin_format *out,
	const struct pstk_plugin_format *in)
{
	char given[FORMAT_TEXT], taken[FORMAT_TEXT];

	if (!is_known(out) || !is_known(in) ||
		(!strcmp(out->pixels, in->pixels) && out->width == in->width && out->height == in->height))
		return true;
	ps_graph_wrong(g, l->to.node, "%s.%s takes %s, %s.%s gives %s", l->to.entry->node->key->text,
		l->to.port, text_of(in, taken), l->from.entry->node->key->text, l->from.port,
		text_of(out, given));
	return false;
}

/* The type of what a port has for a pixel; NULL: it does not say. */
static const char *element_of(const struct ps_end *end)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(end->entry->actor);

	for (unsigned i = 0; i < type->port_count; i++)
		if (!strcmp(type->ports[i].name, end->port))
			return type->ports[i].token_type;
	return NULL;
}

bool ps_format_connect(struct pstk_graph *g, const struct ps_link *l, size_t *token_size)
{
	struct pstk_plugin_format out = ps_format_of(l->from.entry, l->from.port, true),
				  in = ps_format_of(l->to.entry, l->to.port, false),
				  *frame = is_known(&out) ? &out : &in;
	const struct ps_node *size = ps_fifo_key(l, "token_size");
	const char *element = element_of(&l->from) ? element_of(&l->from) : element_of(&l->to);
	size_t known = element ? ps_element_size(element) : 0, each = known ? known : 1;
	size_t bytes = (size_t)frame->width * frame->height * each;
	char text[FORMAT_TEXT];

	if (!agree(g, l, &out, &in))
		return false;
	if (is_known(frame) && size && *token_size != bytes) {
		ps_graph_wrong(g, size, "'token_size' is %zu: %s%s%s ha%s %zu bytes; it need not be given",
			*token_size, each > 1 ? element : "", each > 1 ? " of " : "", text_of(frame, text),
			each > 1 ? "ve" : "s", bytes);
		return false;
	}
	if (is_known(frame))
		*token_size = bytes;
	return true;
}
