/* SPDX-License-Identifier: MIT */
/* A file as a tree, and both files as a description. */
#include "dal/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libxml2's message, without its end of line. */
static void malformed(struct ps_dal_xml *x, xmlParserCtxt *context)
{
	const xmlError *e = xmlCtxtGetLastError(context);
	int length = e && e->message ? (int)strcspn(e->message, "\n") : 0;

	if (!e || e->code == XML_ERR_NO_MEMORY)
		ps_dal_xml_wrong(x, 0, -ENOMEM, "out of memory");
	else
		ps_dal_xml_wrong(x, e->line > 0 ? (unsigned)e->line : 0, -EINVAL, "not well-formed XML: %.*s",
			length, length ? e->message : "");
}

/* Applications under a finite state machine; what their elements are called nobody has written down. */
static bool is_scenario(const char *name)
{
	return strstr(name, "scenario") || strstr(name, "fsm") || strstr(name, "application");
}

static void read_root(struct ps_dal_xml *x, const xmlNode *node, const char *root,
	void (*read)(struct ps_dal_xml *, const xmlNode *))
{
	const char *name = (const char *)node->name;

	if (strcmp(name, root) == 0)
		read(x, node);
	else if (is_scenario(name))
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -ENOTSUP,
			"<%s>: several applications under a state machine are not offered: give the <%s> of "
			"one",
			name, root);
	else
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL, "this is a <%s>, not a <%s>", name, root);
}

int ps_dal_xml_file(
	struct ps_dal_xml *x, const char *root, void (*read)(struct ps_dal_xml *, const xmlNode *))
{
	int fd = open(x->file, O_RDONLY | O_CLOEXEC);
	xmlParserCtxt *context = fd < 0 ? NULL : xmlNewParserCtxt();
	xmlDoc *doc = NULL;

	if (fd < 0) {
		int err = errno;

		ps_dal_xml_wrong(x, 0, -err, "it cannot be opened: %s", strerror(err));
		return x->err;
	}
	if (context)
		doc = xmlCtxtReadFd(context, fd, x->file, NULL,
			XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES);
	if (doc)
		read_root(x, xmlDocGetRootElement(doc), root, read);
	else
		malformed(x, context);
	xmlFreeDoc(doc);
	xmlFreeParserCtxt(context);
	close(fd);
	return x->err;
}

int ps_dal_read(
	struct ps_dal_description **d, const char *network, const char *mapping, char *text, size_t size)
{
	struct ps_dal_xml x = { .file = network, .text = text, .text_size = size };

	*d = NULL;
	*text = '\0';
	x.d = calloc(1, sizeof *x.d);
	if (!x.d) {
		ps_dal_xml_wrong(&x, 0, -ENOMEM, "out of memory");
		return x.err;
	}
	x.d->file = ps_dal_keep(x.d, network);
	x.d->mapping_file = mapping ? ps_dal_keep(x.d, mapping) : NULL;
	if (!x.d->file || (mapping && !x.d->mapping_file))
		ps_dal_xml_wrong(&x, 0, -ENOMEM, "out of memory");
	if (!x.err)
		ps_dal_xml_file(&x, "processnetwork", ps_dal_xml_network);
	if (!x.err)
		ps_dal_xml_connect(&x);
	x.file = mapping;
	x.scope = NULL;
	if (!x.err && mapping)
		ps_dal_xml_file(&x, "mapping", ps_dal_xml_mapping);
	if (x.err)
		ps_dal_free(x.d);
	else
		*d = x.d;
	return x.err;
}
