/* SPDX-License-Identifier: MIT */
#include "dal/description.h"
#include "dal/xml.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct ps_dal_chunk {
	struct ps_dal_chunk *next;
	alignas(max_align_t) char data[];
};

void *ps_dal_take(struct ps_dal_description *d, size_t size)
{
	struct ps_dal_chunk *chunk = calloc(1, sizeof *chunk + size);

	if (!chunk)
		return NULL;
	chunk->next = d->memory;
	d->memory = chunk;
	return chunk->data;
}

const char *ps_dal_keep(struct ps_dal_description *d, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = ps_dal_take(d, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

void ps_dal_free(struct ps_dal_description *d)
{
	if (!d)
		return;
	while (d->memory) {
		struct ps_dal_chunk *chunk = d->memory;

		d->memory = chunk->next;
		free(chunk);
	}
	free(d);
}

struct ps_dal_process *ps_dal_find_process(const struct ps_dal_description *d, const char *name)
{
	struct ps_dal_process *p = d->processes;

	while (p && strcmp(p->name, name) != 0)
		p = p->next;
	return p;
}

struct ps_dal_channel *ps_dal_find_channel(const struct ps_dal_description *d, const char *name)
{
	struct ps_dal_channel *c = d->channels;

	while (c && strcmp(c->name, name) != 0)
		c = c->next;
	return c;
}

struct ps_dal_port *ps_dal_find_port(const struct ps_dal_process *p, const char *name)
{
	struct ps_dal_port *port = p->ports;

	while (port && strcmp(port->name, name) != 0)
		port = port->next;
	return port;
}
