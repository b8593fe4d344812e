/* SPDX-License-Identifier: MIT */
/* A file as a tree, and both files as a description. */
#include "dal/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libxml2 has something to say: the first thing that is wrong counts, without its end of line. */
static void hear(void *data, xmlErrorPtr e)
{
	struct ps_dal_xml *x = data;
	const char *message = e && e->message ? e->message : "";

	if (!e || e->level < XML_ERR_ERROR)
		return;
	if (e->code == XML_ERR_NO_MEMORY)
		ps_dal_xml_wrong(x, 0, -ENOMEM, "out of memory");
	else
		ps_dal_xml_wrong(x, e->line > 0 ? (unsigned)e->line : 0, -EINVAL, "not well-formed XML: %.*s",
			(int)strcspn(message, "\n"), message);
}

/* Applications under a finite state machine; what their elements are called is documented nowhere. */
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

static void read_open_file(
	struct ps_dal_xml *x, int fd, const char *root, void (*read)(struct ps_dal_xml *, const xmlNode *))
{
	const int options = XML_PARSE_NONET | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
	xmlParserCtxt *context = xmlNewParserCtxt();
	xmlDoc *doc = context ? xmlCtxtReadFd(context, fd, x->file, NULL, options) : NULL;
	const xmlNode *node = doc ? xmlDocGetRootElement(doc) : NULL;

	if (!node)
		ps_dal_xml_wrong(x, 0, -ENOMEM, "out of memory");
	if (!x->err)
		read_root(x, node, root, read);
	xmlFreeDoc(doc);
	xmlFreeParserCtxt(context);
}

int ps_dal_xml_file(
	struct ps_dal_xml *x, const char *root, void (*read)(struct ps_dal_xml *, const xmlNode *))
{
	xmlStructuredErrorFunc program =
		xmlStructuredError; /* this thread's; else libxml2 writes to stderr */
	void *program_data = xmlStructuredErrorContext;
	int fd = open(x->file, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		int err = errno;

		ps_dal_xml_wrong(x, 0, -err, "it cannot be opened: %s", strerror(err));
		return x->err;
	}
	xmlSetStructuredErrorFunc(x, hear);
	read_open_file(x, fd, root, read);
	xmlSetStructuredErrorFunc(program_data, program);
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
