/* SPDX-License-Identifier: MIT */
/* Connections: which port of which process is at which end of which channel. */
#include "dal/xml.h"

#include <errno.h>
#include <string.h>

static void join(struct ps_dal_xml *x, unsigned line, struct ps_dal_port *port, struct ps_dal_channel *c)
{
	struct ps_dal_port **end = port->input ? &c->reader : &c->writer;

	if (port->channel)
		ps_dal_xml_wrong(x, line, -EINVAL, "port '%s' of '%s' is connected to '%s' already",
			port->name, port->process->name, port->channel->name);
	else if (*end)
		ps_dal_xml_wrong(x, line, -EINVAL,
			"channel '%s' has a %s already, '%s': a channel has one, take one channel for each",
			c->name, port->input ? "reader" : "writer", (*end)->process->name);
	port->channel = c;
	*end = port;
}

/* The process's end and the channel's: what is written must fit what was declared. */
static void connect_port(struct ps_dal_xml *x, const struct ps_dal_connection *k, bool input,
	struct ps_dal_process *p, struct ps_dal_channel *c)
{
	const char *name = input ? k->target_port : k->origin_port;
	const char *other = input ? k->origin_port : k->target_port, *end = input ? c->out : c->in;
	struct ps_dal_port *port = ps_dal_find_port(p, name);

	if (!port)
		ps_dal_xml_wrong(x, k->line, -EINVAL,
			"process '%s' has no port '%s': a <port> in its element, line %u, says the ones it "
			"has",
			p->name, name, p->line);
	else if (port->input != input)
		ps_dal_xml_wrong(x, k->line, -EINVAL,
			"port '%s' of '%s' is an %s: it can't be a connection's %s", name, p->name,
			port->input ? "input" : "output", input ? "target" : "origin");
	else if (strcmp(other, end) != 0)
		ps_dal_xml_wrong(x, k->line, -EINVAL, "port '%s' of channel '%s' is not its %s: that is '%s'",
			other, c->name, input ? "output" : "input", end);
	else
		join(x, k->line, port, c);
}

static void connect_one(struct ps_dal_xml *x, const struct ps_dal_connection *k)
{
	struct ps_dal_process *from = ps_dal_find_process(x->d, k->origin);
	struct ps_dal_process *to = ps_dal_find_process(x->d, k->target);
	struct ps_dal_channel *into = ps_dal_find_channel(x->d, k->target);
	struct ps_dal_channel *out_of = ps_dal_find_channel(x->d, k->origin);

	if (!from && !out_of)
		ps_dal_xml_wrong(x, k->line, -EINVAL, "there is no process or channel '%s'", k->origin);
	else if (!to && !into)
		ps_dal_xml_wrong(x, k->line, -EINVAL, "there is no process or channel '%s'", k->target);
	else if (from && into)
		connect_port(x, k, false, from, into);
	else if (out_of && to)
		connect_port(x, k, true, to, out_of);
	else
		ps_dal_xml_wrong(x, k->line, -EINVAL,
			"'%s' and '%s' are both %s: a connection is between a process and a channel",
			k->origin, k->target, from ? "processes" : "channels");
}

void ps_dal_xml_connect(struct ps_dal_xml *x)
{
	for (const struct ps_dal_connection *k = x->d->connections; k && !x->err; k = k->next)
		connect_one(x, k);
	for (const struct ps_dal_process *p = x->d->processes; p && !x->err; p = p->next) {
		for (const struct ps_dal_port *port = p->ports; port; port = port->next) {
			if (!port->channel)
				ps_dal_xml_wrong(x, port->line, -EINVAL,
					"port '%s' of '%s' is not connected: it needs a <connection>",
					port->name, p->name);
		}
	}
	for (const struct ps_dal_channel *c = x->d->channels; c && !x->err; c = c->next) {
		if (!c->writer || !c->reader)
			ps_dal_xml_wrong(x, c->line, -EINVAL,
				"channel '%s' has no %s: it needs a <connection>", c->name,
				c->writer ? "reader" : "writer");
	}
}
