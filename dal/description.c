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

/* FNV-1a */
static unsigned bucket_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash % PS_DAL_BUCKETS;
}

void ps_dal_add_process(struct ps_dal_description *d, struct ps_dal_process *p)
{
	struct ps_dal_process **bucket = &d->process_buckets[bucket_of(p->name)];

	p->order = d->process_count++;
	p->same = *bucket;
	*bucket = p;
	*(d->last_process ? &d->last_process->next : &d->processes) = p;
	d->last_process = p;
}

void ps_dal_add_channel(struct ps_dal_description *d, struct ps_dal_channel *c)
{
	struct ps_dal_channel **bucket = &d->channel_buckets[bucket_of(c->name)];

	d->channel_count++;
	c->same = *bucket;
	*bucket = c;
	*(d->last_channel ? &d->last_channel->next : &d->channels) = c;
	d->last_channel = c;
}

struct ps_dal_process *ps_dal_find_process(const struct ps_dal_description *d, const char *name)
{
	struct ps_dal_process *p = d->process_buckets[bucket_of(name)];

	while (p && strcmp(p->name, name) != 0)
		p = p->same;
	return p;
}

struct ps_dal_channel *ps_dal_find_channel(const struct ps_dal_description *d, const char *name)
{
	struct ps_dal_channel *c = d->channel_buckets[bucket_of(name)];

	while (c && strcmp(c->name, name) != 0)
		c = c->same;
	return c;
}

struct ps_dal_port *ps_dal_find_port(const struct ps_dal_process *p, const char *name)
{
	struct ps_dal_port *port = p->ports;

	while (port && strcmp(port->name, name) != 0)
		port = port->next;
	return port;
}
