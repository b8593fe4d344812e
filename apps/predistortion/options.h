/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef PREDISTORTION_OPTIONS_H
#define PREDISTORTION_OPTIONS_H

#include <penstock/actors.h>

#include "apps/common/moves.h"
#include "apps/common/team.h"

enum {
	PREDISTORTION_DEVICES = PSTK_MAX_BRANCHES + 2
}; /* the polynomial, the filters, the adder: what can run on a device */

struct options {
	const char *input;                 /* NULL: the generated signal */
	uint64_t synthetic;                /* samples; 0: none */
	const char *output;                /* NULL: none */
	const char *coefficients, *active; /* NULL: the built-in ones; all */
	uint32_t period;                   /* samples; a multiple of block x rate */
	uint32_t block, rate;
	struct team team;
	struct moves moves;
	/* --device, cut at its commas: none, one for all, three for polynomial, filters, adder, or one for
	 * each; NULL: on the cores */
	const char *devices[PREDISTORTION_DEVICES];
	unsigned device_count; /* as many as were said: may be too many, then none is in devices */
	char *device_list;
	const char *plot, *stats, *trace;
	bool print_network; /* and end */
};

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);
void options_free(struct options *);

/* Does each name stand for a file of its own? samples: the file that a recording's metadata name, NULL: not
 * known yet, or none. 0, or what to exit with; said then. */
int options_check_names(const struct options *, const char *samples);

#endif
