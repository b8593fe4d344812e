/* SPDX-License-Identifier: MIT */
/*
 * Writer: a graph file being written, value by value.
 *
 * What goes wrong is kept, and all calls behind it do nothing: ps_writer_end() tells.
 */
#ifndef PENSTOCK_GRAPH_WRITER_H
#define PENSTOCK_GRAPH_WRITER_H

#include "graph/node.h"

#include <stdint.h>
#include <stdio.h>
#include <yaml.h>

struct ps_writer {
	yaml_emitter_t emitter;
	FILE *file;
	int err;       /* the first one */
	char text[64]; /* the beginning of what is no UTF-8 */
};

void ps_writer_begin(struct ps_writer *, FILE *);

/* 0; -EILSEQ: a text is no UTF-8; -ENOMEM; or what the file's calls say, a negative errno. */
int ps_writer_end(struct ps_writer *);

/* Entries of a map have a key, those of a list NULL. A text is the value as it is: its dollars are doubled. What is not
 * quoted gets quotes where YAML needs them. */
void ps_writer_text(struct ps_writer *, const char *key, const char *text, bool quoted);
void ps_writer_number(struct ps_writer *, const char *key, uint64_t);
void ps_writer_node(struct ps_writer *, const char *key, const struct ps_node *);

/* Up to its close. rows: a row for each entry, else all in one row. */
void ps_writer_map(struct ps_writer *, const char *key, bool rows);
void ps_writer_list(struct ps_writer *, const char *key, bool rows);
void ps_writer_close_map(struct ps_writer *);
void ps_writer_close_list(struct ps_writer *);

#endif
