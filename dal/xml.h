/* SPDX-License-Identifier: MIT */
/* XML: what the readers of process networks and mappings share: files, attributes, names, iterators, errors
 * with lines. */
#ifndef PENSTOCK_DAL_XML_H
#define PENSTOCK_DAL_XML_H

#include "dal/description.h"
#include "dal/expression.h"

#include <libxml/tree.h>

/* One file that is being read. */
struct ps_dal_xml {
	struct ps_dal_description *d;
	const char *file;
	const struct ps_dal_scope *scope; /* names that are known at this place */
	unsigned steps;                   /* of iterators, so far */
	int err;                          /* the first error, and its text */
	char *text;
	size_t text_size;
};

/* An element that may stand at a place: read() is called for each, with the iterators around it in the
 * scope. */
struct ps_dal_element {
	const char *name; /* NULL: the end of the list */
	void (*read)(struct ps_dal_xml *, const xmlNode *, void *into);
};

/* Reads a file and hands its root, which is called so, to read(). 0 or the error. */
int ps_dal_xml_file(
	struct ps_dal_xml *, const char *root, void (*read)(struct ps_dal_xml *, const xmlNode *));

/* Says what is wrong at a line, unless something was already. Returns NULL. */
void *ps_dal_xml_wrong(struct ps_dal_xml *, unsigned line, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
unsigned ps_dal_xml_line(const xmlNode *);

/* The children of an element, iterators unrolled; <append> is ps_dal_xml_name()'s. What is not in the list
 * is an error. */
void ps_dal_xml_children(
	struct ps_dal_xml *, const xmlNode *parent, const struct ps_dal_element *, void *into);

/* An attribute; NULL: an error has been said. The other form: NULL where it isn't there. */
const char *ps_dal_xml_text(struct ps_dal_xml *, const xmlNode *, const char *attribute);
const char *ps_dal_xml_optional(struct ps_dal_xml *, const xmlNode *, const char *attribute);

/* An attribute that is an expression, least .. most. Not there: otherwise, or, where that is below least,
 * an error. */
int64_t ps_dal_xml_number(struct ps_dal_xml *, const xmlNode *, const char *attribute, int64_t least,
	int64_t most, int64_t otherwise);

/* An element's name with what its <append>s say. basename: without; indices: what was appended (both may be
 * NULL). */
const char *ps_dal_xml_name(struct ps_dal_xml *, const xmlNode *, const char **basename,
	int indices[PS_DAL_DIMENSIONS], unsigned *index_count);

/* The readers of the two files, and what connects processes and channels. */
void ps_dal_xml_network(struct ps_dal_xml *, const xmlNode *root);
void ps_dal_xml_mapping(struct ps_dal_xml *, const xmlNode *root);
void ps_dal_xml_connect(struct ps_dal_xml *);

#endif
