/* SPDX-License-Identifier: MIT */
#include "dal/xml.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A typing error in a range must not take the machine's memory. */
enum { MAX_STEPS = 65536 };

void *ps_dal_xml_wrong(struct ps_dal_xml *x, unsigned line, int err, const char *format, ...)
{
	va_list args;
	int used;

	if (x->err)
		return NULL;
	x->err = err;
	used = line ? snprintf(x->text, x->text_size, "%s:%u: ", x->file, line)
	            : snprintf(x->text, x->text_size, "%s: ", x->file);
	if (used < 0 || (size_t)used >= x->text_size)
		return NULL;
	va_start(args, format);
	vsnprintf(x->text + used, x->text_size - (size_t)used, format, args);
	va_end(args);
	return NULL;
}

static void *no_memory(struct ps_dal_xml *x, const xmlNode *node)
{
	return ps_dal_xml_wrong(x, ps_dal_xml_line(node), -ENOMEM, "out of memory");
}

unsigned ps_dal_xml_line(const xmlNode *node)
{
	long line = xmlGetLineNo(node);

	return line > 0 ? (unsigned)line : 0;
}

const char *ps_dal_xml_optional(struct ps_dal_xml *x, const xmlNode *node, const char *attribute)
{
	const xmlAttr *attr = xmlHasProp((xmlNode *)(uintptr_t)node, (const xmlChar *)attribute);
	const char *kept;
	xmlChar *text;

	if (!attr)
		return NULL;
	if (!attr->children)
		return "";
	text = xmlNodeListGetString(node->doc, attr->children, 1);
	kept = text ? ps_dal_keep(x->d, (const char *)text) : NULL;
	xmlFree(text);
	return kept ? kept : no_memory(x, node);
}

const char *ps_dal_xml_text(struct ps_dal_xml *x, const xmlNode *node, const char *attribute)
{
	const char *text = ps_dal_xml_optional(x, node, attribute);

	if (!text || !*text)
		return ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL, "<%s> needs %s=\"..\"",
			(const char *)node->name, attribute);
	return text;
}

static int64_t evaluate(struct ps_dal_xml *x, const xmlNode *node, const char *attribute, const char *text)
{
	int64_t value;
	char why[128];

	if (ps_dal_evaluate(text, x->scope, &value, why, sizeof why)) {
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL, "<%s %s=\"%s\">: %s",
			(const char *)node->name, attribute, text, why);
		return 0;
	}
	return value;
}

int64_t ps_dal_xml_number(struct ps_dal_xml *x, const xmlNode *node, const char *attribute, int64_t least,
	int64_t most, int64_t otherwise)
{
	const char *text = otherwise < least ? ps_dal_xml_text(x, node, attribute)
	                                     : ps_dal_xml_optional(x, node, attribute);
	int64_t value;

	if (!text)
		return otherwise;
	value = evaluate(x, node, attribute, text);
	if (value < least || value > most)
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL,
			"<%s %s=\"%s\"> is %" PRId64 ": it must be %" PRId64 " to %" PRId64,
			(const char *)node->name, attribute, text, value, least, most);
	return value;
}

static bool is(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

const char *ps_dal_xml_name(struct ps_dal_xml *x, const xmlNode *node, const char **basename,
	int indices[PS_DAL_DIMENSIONS], unsigned *index_count)
{
	const char *base = ps_dal_xml_text(x, node, "name"), *kept;
	unsigned count = 0;
	char name[128]; /* an actor's has 127 bytes */
	size_t used;

	if (!base)
		return NULL;
	used = (size_t)snprintf(name, sizeof name, "%s", base);
	for (const xmlNode *child = node->children; child && !x->err; child = child->next) {
		int64_t index;

		if (!is(child, "append"))
			continue;
		index = ps_dal_xml_number(x, child, "function", 0, INT32_MAX, -1);
		if (count == PS_DAL_DIMENSIONS)
			return ps_dal_xml_wrong(x, ps_dal_xml_line(child), -EINVAL,
				"more than %d <append>s: take fewer dimensions", PS_DAL_DIMENSIONS);
		if (indices)
			indices[count] = (int)index;
		count++;
		if (used < sizeof name)
			used += (size_t)snprintf(name + used, sizeof name - used, "_%" PRId64, index);
	}
	for (const char *c = base; *c && !x->err; c++)
		if (iscntrl((unsigned char)*c))
			ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL,
				"<%s>: a control character in its name", (const char *)node->name);
	if (used >= sizeof name)
		return ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL, "<%s>: its name is too long",
			(const char *)node->name);
	if (basename)
		*basename = base;
	if (index_count)
		*index_count = count;
	kept = x->err ? NULL : ps_dal_keep(x->d, name);
	return kept ? kept : no_memory(x, node);
}

static void declare(struct ps_dal_xml *x, const xmlNode *node)
{
	struct ps_dal_scope *s = ps_dal_take(x->d, sizeof *s);
	bool function = is(node, "function");
	xmlChar *text = function ? xmlNodeGetContent(node) : NULL;

	if (!s || (function && !text)) {
		xmlFree(text);
		no_memory(x, node);
		return;
	}
	s->name = ps_dal_xml_text(x, node, "name");
	s->outer = x->scope;
	if (function)
		s->function = ps_dal_keep(x->d, (const char *)text);
	else
		s->value = ps_dal_xml_number(x, node, "value", -INT32_MAX, INT32_MAX, -INT64_MAX);
	xmlFree(text);
	if (function && !s->function)
		no_memory(x, node);
	if (!x->err)
		x->scope = s;
}

static void iterate(
	struct ps_dal_xml *x, const xmlNode *node, const struct ps_dal_element *elements, void *into)
{
	struct ps_dal_scope here = { .name = ps_dal_xml_text(x, node, "variable"), .outer = x->scope };
	int64_t range = ps_dal_xml_number(x, node, "range", 0, MAX_STEPS, -1);

	for (here.value = 0; here.value < range && !x->err; here.value++) {
		if (x->steps++ == MAX_STEPS)
			ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL,
				"iterators make more than %d steps", MAX_STEPS);
		x->scope = &here;
		ps_dal_xml_children(x, node, elements, into);
	}
	x->scope = here.outer;
}

static void unknown(struct ps_dal_xml *x, const xmlNode *node, const struct ps_dal_element *elements)
{
	char list[160] = "";
	size_t used = 0;

	for (; elements->name && used < sizeof list; elements++)
		used += (size_t)snprintf(list + used, sizeof list - used, "<%s>, ", elements->name);
	ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL,
		"<%s> is not known here: %s<variable>, <function>, <iterator> are", (const char *)node->name,
		list);
}

void ps_dal_xml_children(
	struct ps_dal_xml *x, const xmlNode *parent, const struct ps_dal_element *elements, void *into)
{
	const struct ps_dal_scope *outer = x->scope;

	for (const xmlNode *node = parent->children; node && !x->err; node = node->next) {
		const struct ps_dal_element *e = elements;

		if (node->type != XML_ELEMENT_NODE || is(node, "append"))
			continue;
		while (e->name && !is(node, e->name))
			e++;
		if (e->name)
			e->read(x, node, into);
		else if (is(node, "iterator"))
			iterate(x, node, elements, into);
		else if (is(node, "variable") || is(node, "function"))
			declare(x, node);
		else
			unknown(x, node, elements);
	}
	x->scope = outer;
}
