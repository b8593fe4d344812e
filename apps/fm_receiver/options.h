/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef FM_RECEIVER_OPTIONS_H
#define FM_RECEIVER_OPTIONS_H

#include "apps/common/moves.h"
#include "apps/common/team.h"

struct options {
	const char *input;
	const char *format; /* of the input, as struct pstk_iq_input_spec has it; NULL: by the name */
	uint32_t rate;      /* Hz; 0: what the input says */
	uint32_t audio, deviation;
	uint32_t deemphasis; /* microseconds; 0: none */
	bool stereo;
	const char *output; /* NULL: none */
	const char *stats, *trace;
	const char *device; /* of the filters; NULL: the cores */
	struct team team;
	struct moves moves;
	bool print_network; /* and end */
};

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);

/* Does each name stand for a file of its own? samples: the file that a recording's metadata name, NULL: not known yet,
 * or none. 0, or what to exit with; said then. */
int options_check_names(const struct options *, const char *samples);

#endif
