/* SPDX-License-Identifier: MIT */
/* Values: what a node of a graph file says, as C has it. A wrong one becomes a problem; then false or NULL. */
#ifndef PENSTOCK_GRAPH_VALUES_H
#define PENSTOCK_GRAPH_VALUES_H

#include "graph/graph.h"

/* The text of a value, of a list or a map an error. */
const char *ps_value_text(struct pstk_graph *, const struct ps_node *);

/* A whole number, least .. most. */
bool ps_value_u64(struct pstk_graph *, const struct ps_node *, uint64_t least, uint64_t most, uint64_t *);
bool ps_value_u32(struct pstk_graph *, const struct ps_node *, uint32_t least, uint32_t *);

/* Bytes, also with KiB, MiB, GiB; so few that sums of some of them are numbers. */
#define PS_VALUE_BYTES ((uint64_t)1 << 40)
bool ps_value_bytes(struct pstk_graph *, const struct ps_node *, uint64_t least, size_t *);

/* A number with a point, 0 or more; unit: "seconds", for messages. */
bool ps_value_seconds(struct pstk_graph *, const struct ps_node *, const char *unit, double *);

/* true or false. */
bool ps_value_bool(struct pstk_graph *, const struct ps_node *, bool *);

/* Is it a map, and are all its keys among these? keys: ends with NULL. of: "a FIFO", for messages. */
bool ps_value_map(struct pstk_graph *, const struct ps_node *, const char *of, const char *const *keys);

/* What names are, which messages and reports have to name again: 1 to 127 bytes of UTF-8 without control characters and
 * without the letters of `without`. of: "an actor". */
enum { PS_VALUE_NAME = 127 };
bool ps_value_name(
	struct pstk_graph *, const struct ps_node *at, const char *name, const char *of, const char *without);

/* A path: one that is not absolute begins at the folder of the node's file. */
const char *ps_value_path(struct pstk_graph *, const struct ps_node *);

/* "'x' is not known" with what may have been meant. names: ends with NULL. */
void ps_value_unknown(struct pstk_graph *, const struct ps_node *at, const char *what, const char *name,
	const char *const *names);

#endif
