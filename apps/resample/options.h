/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef RESAMPLE_OPTIONS_H
#define RESAMPLE_OPTIONS_H

#include "apps/common/moves.h"
#include "apps/common/team.h"

struct options {
	const char *input, *output;
	uint32_t rate; /* of the output, in Hz; 0: p / q times that of the input */
	uint32_t p, q;
	struct team team;
	struct moves moves;
	uint32_t steps; /* of a firing; 0: as many as are good */
	const char *stats, *trace;
	const char *device; /* of all actors but the ends; NULL: the cores */
	bool print_network; /* and end */
};

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);

#endif
