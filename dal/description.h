/* SPDX-License-Identifier: MIT */
/* Description: what an application's process network and mapping say. Knows nothing of the runtime. */
#ifndef PENSTOCK_DAL_DESCRIPTION_H
#define PENSTOCK_DAL_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Dimensions of iterators around a process. */
enum { PS_DAL_DIMENSIONS = 8 };

struct ps_dal_channel;
struct ps_dal_process;

/* All of it is constant once it has been read. */
struct ps_dal_port {
	const char *name, *basename; /* basename: without what iterators have appended */
	bool input;
	unsigned number; /* 0, 1, .. in its process */
	unsigned line;
	struct ps_dal_process *process;
	struct ps_dal_channel *channel; /* what it is connected to */
	struct ps_dal_port *next;
};

enum ps_dal_place { PS_DAL_ANYWHERE, PS_DAL_CORE, PS_DAL_DEVICE };

struct ps_dal_process {
	const char *name, *basename;
	const char *location; /* its source file; NULL: not said */
	unsigned line;
	struct ps_dal_port *ports;
	unsigned port_count;
	int indices[PS_DAL_DIMENSIONS]; /* outermost first */
	unsigned index_count;
	/* the mapping: core_N, or gpu_N and its work-groups of so many work-items (0: not said) */
	enum ps_dal_place place;
	unsigned number;
	unsigned mapping_line;
	uint32_t workgroups, workitems;
	unsigned order; /* 0, 1, .. in the file */
	struct ps_dal_process *next;
	struct ps_dal_process *same; /* in its bucket */
};

struct ps_dal_channel {
	const char *name;
	const char *in, *out; /* names of the ports that the writer and the reader are connected to */
	uint32_t size;        /* tokens, or bytes if token_size is 0 */
	uint32_t token_size;  /* bytes; 0: not said */
	uint32_t initial;     /* tokens */
	struct ps_dal_port *writer, *reader;
	unsigned line;
	struct ps_dal_channel *next;
	struct ps_dal_channel *same; /* in its bucket */
};

/* A connection as it is written; resolving it fills the ends of ports and channels. */
struct ps_dal_connection {
	const char *origin, *origin_port, *target, *target_port;
	unsigned line;
	struct ps_dal_connection *next;
};

struct ps_dal_chunk;

enum { PS_DAL_BUCKETS = 1024 };

struct ps_dal_description {
	const char *name;
	const char *file, *mapping_file; /* mapping_file: NULL: there is none */
	struct ps_dal_process *processes, *last_process;
	struct ps_dal_channel *channels, *last_channel;
	struct ps_dal_connection *connections;
	unsigned process_count, channel_count;
	struct ps_dal_process *process_buckets[PS_DAL_BUCKETS]; /* by name */
	struct ps_dal_channel *channel_buckets[PS_DAL_BUCKETS];
	struct ps_dal_chunk *memory; /* everything that it points to */
};

/* Reads both files (mapping NULL: none). 0, or a negative errno with one line of text, "file:line: ..";
 * then *d is NULL. */
int ps_dal_read(
	struct ps_dal_description **d, const char *network, const char *mapping, char *text, size_t size);
void ps_dal_free(struct ps_dal_description *);

/* Memory that lives as long as the description, zeroed; NULL: out of memory. */
void *ps_dal_take(struct ps_dal_description *, size_t size);
const char *ps_dal_keep(struct ps_dal_description *, const char *text);

/* While it is read: behind the others. */
void ps_dal_add_process(struct ps_dal_description *, struct ps_dal_process *);
void ps_dal_add_channel(struct ps_dal_description *, struct ps_dal_channel *);

/* By name; NULL: there is none. */
struct ps_dal_process *ps_dal_find_process(const struct ps_dal_description *, const char *name);
struct ps_dal_channel *ps_dal_find_channel(const struct ps_dal_description *, const char *name);
struct ps_dal_port *ps_dal_find_port(const struct ps_dal_process *, const char *name);

#endif
