/* SPDX-License-Identifier: MIT */
/* <mapping>: which process runs on which core or device. */
#include "dal/xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A <binding>, while it is read. */
struct binding {
	const char *process, *processor;
	uint32_t workgroups, workitems;
};

static void read_opencl(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	struct binding *b = into;

	b->workgroups = (uint32_t)ps_dal_xml_number(x, node, "workgroups", 1, INT32_MAX, 0);
	b->workitems = (uint32_t)ps_dal_xml_number(x, node, "workitems", 1, INT32_MAX, 0);
}

static void read_target(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	static const struct ps_dal_element inside[] = { { "opencl", read_opencl }, { NULL, NULL } };

	ps_dal_xml_children(x, node, inside, into);
}

static void read_name(struct ps_dal_xml *x, const xmlNode *node, void *into, const char **name)
{
	static const struct ps_dal_element inside[] = { { "target", read_target }, { NULL, NULL } };

	if (*name)
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL,
			"a second <%s>: take a <binding> for each", (const char *)node->name);
	*name = ps_dal_xml_name(x, node, NULL, NULL, NULL);
	ps_dal_xml_children(x, node, inside, into);
}

static void read_process(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	read_name(x, node, into, &((struct binding *)into)->process);
}

static void read_processor(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	read_name(x, node, into, &((struct binding *)into)->processor);
}

/* core_3, gpu_0 */
static enum ps_dal_place place_of(const char *processor, unsigned *number)
{
	bool core = strncmp(processor, "core_", 5) == 0, device = strncmp(processor, "gpu_", 4) == 0;
	const char *digits = processor + (core ? 5 : 4);
	size_t length;

	if (!core && !device)
		return PS_DAL_ANYWHERE;
	length = strspn(digits, "0123456789");
	if (!length || length > 6 || digits[length])
		return PS_DAL_ANYWHERE;
	*number = (unsigned)strtoul(digits, NULL, 10);
	return core ? PS_DAL_CORE : PS_DAL_DEVICE;
}

static void bind(struct ps_dal_xml *x, unsigned line, const struct binding *b)
{
	struct ps_dal_process *p = ps_dal_find_process(x->d, b->process);

	if (!p) {
		ps_dal_xml_wrong(x, line, -EINVAL, "there is no process '%s' in %s", b->process, x->d->file);
		return;
	}
	if (p->mapping_line)
		ps_dal_xml_wrong(x, line, -EINVAL, "process '%s' is mapped already, in line %u", p->name,
			p->mapping_line);
	p->mapping_line = line;
	p->place = place_of(b->processor, &p->number);
	p->workgroups = b->workgroups;
	p->workitems = b->workitems;
	if (p->place == PS_DAL_ANYWHERE)
		ps_dal_xml_wrong(x, line, -EINVAL, "processor '%s' of '%s': a processor is core_N or gpu_N",
			b->processor, p->name);
	else if (p->place == PS_DAL_DEVICE && !p->workgroups)
		ps_dal_xml_wrong(x, line, -EINVAL,
			"'%s' on %s needs <target><opencl workgroups=\"..\" workitems=\"..\"/></target>",
			p->name, b->processor);
	else if (p->place == PS_DAL_CORE && p->workgroups)
		ps_dal_xml_wrong(
			x, line, -EINVAL, "'%s' on %s: <opencl> is for gpu_N", p->name, b->processor);
}

static void read_binding(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	static const struct ps_dal_element inside[] = { { "process", read_process },
		{ "processor", read_processor }, { "target", read_target }, { NULL, NULL } };
	struct binding b = { 0 };

	(void)into;
	ps_dal_xml_children(x, node, inside, &b);
	if (!b.process || !b.processor)
		ps_dal_xml_wrong(
			x, ps_dal_xml_line(node), -EINVAL, "<binding> needs a <process> and a <processor>");
	if (!x->err)
		bind(x, ps_dal_xml_line(node), &b);
}

void ps_dal_xml_mapping(struct ps_dal_xml *x, const xmlNode *root)
{
	static const struct ps_dal_element inside[] = { { "binding", read_binding }, { NULL, NULL } };
	const char *network = ps_dal_xml_optional(x, root, "processnetwork");

	if (network && strcmp(network, x->d->name) != 0)
		ps_dal_xml_wrong(x, ps_dal_xml_line(root), -EINVAL,
			"this maps the process network '%s', not '%s'", network, x->d->name);
	ps_dal_xml_children(x, root, inside, NULL);
}
