/* SPDX-License-Identifier: MIT */
/* <processnetwork>: processes, channels and connections as they are written. */
#include "dal/xml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A typing error must not take the machine's memory or time; ports are looked up one after the other. */
enum { MAX_ELEMENTS = 16384, MAX_PORTS = 4096 };

static void *take(struct ps_dal_xml *x, const xmlNode *node, size_t size)
{
	void *memory = ps_dal_take(x->d, size);

	return memory ? memory : ps_dal_xml_wrong(x, ps_dal_xml_line(node), -ENOMEM, "out of memory");
}

/* 1: input, 0: output, -1: an error. */
static int direction(struct ps_dal_xml *x, const xmlNode *node)
{
	const char *type = ps_dal_xml_text(x, node, "type");

	if (!type)
		return -1;
	if (strcmp(type, "input") == 0)
		return 1;
	if (strcmp(type, "output") == 0)
		return 0;
	ps_dal_xml_wrong(
		x, ps_dal_xml_line(node), -EINVAL, "<port type=\"%s\">: a port is input or output", type);
	return -1;
}

static void read_port(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	struct ps_dal_process *p = into;
	struct ps_dal_port *port = take(x, node, sizeof *port), **last = &p->ports;
	const char *given = ps_dal_xml_optional(x, node, "basename");
	int input = direction(x, node);

	if (!port || input < 0)
		return;
	port->name = ps_dal_xml_name(x, node, &port->basename, NULL, NULL);
	if (x->err)
		return;
	port->basename = given ? given : port->basename;
	port->input = input;
	port->line = ps_dal_xml_line(node);
	port->process = p;
	port->number = p->port_count++;
	if (ps_dal_find_port(p, port->name))
		ps_dal_xml_wrong(
			x, port->line, -EINVAL, "process '%s' has two ports '%s'", p->name, port->name);
	if (p->port_count > MAX_PORTS)
		ps_dal_xml_wrong(
			x, port->line, -EINVAL, "process '%s' has more than %d ports", p->name, MAX_PORTS);
	while (*last)
		last = &(*last)->next;
	*last = port;
}

static void read_source(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	struct ps_dal_process *p = into;

	p->location = ps_dal_xml_text(x, node, "location");
}

/* A flattened network says basename="square" name="square_1_2". */
static void indices_of_name(struct ps_dal_process *p)
{
	size_t length = strlen(p->basename);
	char *rest = strncmp(p->name, p->basename, length) == 0 ? (char *)(uintptr_t)p->name + length : NULL;

	while (rest && *rest == '_' && p->index_count < PS_DAL_DIMENSIONS)
		p->indices[p->index_count++] = (int)strtol(rest + 1, &rest, 10);
}

static void read_process(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	static const struct ps_dal_element inside[] = { { "port", read_port }, { "source", read_source },
		{ NULL, NULL } };
	struct ps_dal_process *p = take(x, node, sizeof *p);
	const char *basename = ps_dal_xml_optional(x, node, "basename");

	(void)into;
	if (!p)
		return;
	p->name = ps_dal_xml_name(x, node, &p->basename, p->indices, &p->index_count);
	p->line = ps_dal_xml_line(node);
	if (x->err)
		return;
	if (basename) {
		p->basename = basename;
		if (!p->index_count)
			indices_of_name(p);
	}
	if (ps_dal_find_process(x->d, p->name) || ps_dal_find_channel(x->d, p->name)) {
		ps_dal_xml_wrong(x, p->line, -EINVAL,
			"there are two '%s': <append> makes names of an iterator's", p->name);
		return;
	}
	ps_dal_xml_children(x, node, inside, p);
	ps_dal_add_process(x->d, p);
	if (x->d->process_count > MAX_ELEMENTS)
		ps_dal_xml_wrong(x, p->line, -EINVAL, "more than %d processes", MAX_ELEMENTS);
}

static void read_channel_port(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	struct ps_dal_channel *c = into;
	int input = direction(x, node);
	const char *name = ps_dal_xml_name(x, node, NULL, NULL, NULL), **end = input > 0 ? &c->in : &c->out;

	if (x->err)
		return;
	if (*end)
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL,
			"channel '%s' has two %s ports: it has one of each", c->name,
			input ? "input" : "output");
	*end = name;
}

static void read_channel_values(struct ps_dal_xml *x, const xmlNode *node, struct ps_dal_channel *c)
{
	const char *type = ps_dal_xml_optional(x, node, "type");

	c->line = ps_dal_xml_line(node);
	if (type && strcmp(type, "fifo") != 0)
		ps_dal_xml_wrong(x, c->line, -EINVAL, "<sw_channel type=\"%s\">: a channel is a fifo", type);
	c->size = (uint32_t)ps_dal_xml_number(x, node, "size", 1, INT32_MAX, 0);
	c->token_size = (uint32_t)ps_dal_xml_number(x, node, "tokensize", 1, INT32_MAX, 1);
	c->initial = (uint32_t)ps_dal_xml_number(x, node, "initialtokens", 0, INT32_MAX, 0);
	if (!ps_dal_xml_optional(x, node, "tokensize"))
		c->token_size = 0;
	if (!x->err && c->token_size && c->initial > c->size)
		ps_dal_xml_wrong(x, c->line, -EINVAL,
			"channel '%s': its %u initial tokens need a size of %u, not %u", c->name, c->initial,
			c->initial, c->size);
}

static void read_channel(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	static const struct ps_dal_element inside[] = { { "port", read_channel_port }, { NULL, NULL } };
	struct ps_dal_channel *c = take(x, node, sizeof *c);

	(void)into;
	if (!c)
		return;
	c->name = ps_dal_xml_name(x, node, NULL, NULL, NULL);
	if (x->err)
		return;
	read_channel_values(x, node, c);
	if (ps_dal_find_process(x->d, c->name) || ps_dal_find_channel(x->d, c->name))
		ps_dal_xml_wrong(x, c->line, -EINVAL,
			"there are two '%s': <append> makes names of an iterator's", c->name);
	ps_dal_xml_children(x, node, inside, c);
	c->in = c->in ? c->in : "0";
	c->out = c->out ? c->out : "1";
	ps_dal_add_channel(x->d, c);
	if (x->d->channel_count > MAX_ELEMENTS)
		ps_dal_xml_wrong(x, c->line, -EINVAL, "more than %d channels", MAX_ELEMENTS);
}

static void read_end_port(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	const char **port = into;

	if (*port)
		ps_dal_xml_wrong(
			x, ps_dal_xml_line(node), -EINVAL, "a second <port>: an end of a connection has one");
	*port = ps_dal_xml_name(x, node, NULL, NULL, NULL);
}

static void read_end(struct ps_dal_xml *x, const xmlNode *node, const char **name, const char **port)
{
	static const struct ps_dal_element inside[] = { { "port", read_end_port }, { NULL, NULL } };

	if (*name)
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL, "a second <%s> in this connection",
			(const char *)node->name);
	*name = ps_dal_xml_name(x, node, NULL, NULL, NULL);
	ps_dal_xml_children(x, node, inside, port);
	if (!*port)
		ps_dal_xml_wrong(x, ps_dal_xml_line(node), -EINVAL, "<%s> needs a <port name=\"..\"/> inside",
			(const char *)node->name);
}

static void read_origin(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	struct ps_dal_connection *c = into;

	read_end(x, node, &c->origin, &c->origin_port);
}

static void read_target(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	struct ps_dal_connection *c = into;

	read_end(x, node, &c->target, &c->target_port);
}

static void read_connection(struct ps_dal_xml *x, const xmlNode *node, void *into)
{
	static const struct ps_dal_element inside[] = { { "origin", read_origin }, { "target", read_target },
		{ NULL, NULL } };
	struct ps_dal_connection *c = take(x, node, sizeof *c);

	(void)into;
	if (!c)
		return;
	c->line = ps_dal_xml_line(node);
	ps_dal_xml_children(x, node, inside, c);
	if (!c->origin || !c->target)
		ps_dal_xml_wrong(x, c->line, -EINVAL, "<connection> needs an <origin> and a <target>");
	c->next = x->d->connections;
	x->d->connections = c;
}

void ps_dal_xml_network(struct ps_dal_xml *x, const xmlNode *root)
{
	static const struct ps_dal_element inside[] = { { "process", read_process },
		{ "sw_channel", read_channel }, { "connection", read_connection }, { NULL, NULL } };

	x->d->name = ps_dal_xml_optional(x, root, "name");
	if (!x->d->name)
		x->d->name = "network";
	ps_dal_xml_children(x, root, inside, NULL);
	if (!x->err && !x->d->processes)
		ps_dal_xml_wrong(x, ps_dal_xml_line(root), -EINVAL, "there is no <process> in it");
}
