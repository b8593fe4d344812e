/* SPDX-License-Identifier: MIT */
/*
 * Node: a graph file as a tree of values, lists and maps, each with its place in the file.
 *
 * It is a part of YAML: one document; no anchors, aliases, tags or merge keys; a key stands once in its map.
 */
#ifndef PENSTOCK_GRAPH_NODE_H
#define PENSTOCK_GRAPH_NODE_H

#include <stdbool.h>
#include <stddef.h>

struct pstk_graph;

enum ps_node_kind { PS_NODE_VALUE, PS_NODE_LIST, PS_NODE_MAP };

/* What a file may have at most; an error says which was exceeded. */
enum { PS_NODE_BYTES = 64 << 20, PS_NODE_DEPTH = 32, PS_NODE_COUNT = 4 << 20 };

struct ps_node {
	enum ps_node_kind kind;
	const char *file;
	unsigned line, column;        /* from 1 */
	const char *text;             /* of a value; NULL: it is a problem already */
	bool quoted;                  /* a value in quotes is a text, whatever it looks like */
	const struct ps_node *key;    /* of a map's entry */
	const struct ps_node *in;     /* the list or map that it is an entry of; NULL: none, or in a chain */
	struct ps_node *first, *next; /* of a list and a map: the first entry; of an entry: the next one */
};

/* Reads a file. NULL: it has problems, which the graph knows now. named: where the file is named, NULL: by the program.
 */
struct ps_node *ps_node_read(struct pstk_graph *, const char *path, const struct ps_node *named);

/* Ends a reading that had no more memory. */
void ps_node_close(struct pstk_graph *);

/* A map's entry; NULL: there is none, or the node is NULL. */
struct ps_node *ps_node_find(const struct ps_node *map, const char *key);

/* "a value", "a list", "a map". */
const char *ps_node_kind(const struct ps_node *);

#endif
