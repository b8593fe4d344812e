/* SPDX-License-Identifier: MIT */
/*
 * Search: what may be varied, and what was best.
 *
 * One thing after the other is varied: each of its values runs in turn with the others, round after round, so that what
 * happens to the machine happens to all. The median of the ratios to the first value of the same round decides.
 */
#ifndef PENSTOCK_COMMAND_SEARCH_H
#define PENSTOCK_COMMAND_SEARCH_H

#include "apps/penstock/loading.h"

enum search_kind { SEARCH_TEAM, SEARCH_PARAMETER, SEARCH_DEVICE };

enum { SEARCH_VALUES = 32, SEARCH_VARIED = 16 };

/* One thing that is varied. Value 0 is that of the graph and the command line. */
struct varied {
	enum search_kind kind;
	char *name, *list;                 /* owned; list: the values, cut */
	const char *values[SEARCH_VALUES]; /* [0] is NULL */
	unsigned count;
	unsigned best;
};

struct search {
	struct loading loading;
	const char *output; /* where the best will be written, borrowed; NULL: to stdout */
	uint32_t rounds;
	double seconds;
	struct varied varied[SEARCH_VARIED];
	unsigned count;
	/* found */
	char **actors; /* that can be on a device, or on the cores; ends with NULL */
	double gain;   /* of the best of all to the graph as it is */
};

/* Values apart by commas. 0, or what to exit with; said then. */
int search_add(struct search *, enum search_kind, const char *name, const char *values);

/* --vary: "NAME=VALUE,..". As search_add(). */
int search_vary(struct search *, const char *text);

/* Tries it all, says on stderr what it sees. What was not given is chosen. 0, or what to exit with; said then. */
int search_run(struct search *);

/* Writes the best as a graph file, for --mapping. What goes wrong in writing is in the stream. */
void search_write(const struct search *, FILE *);

void search_free(struct search *);

#endif
