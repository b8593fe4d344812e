/* SPDX-License-Identifier: MIT */
/* Trial: one short run of the network as an attempt would have it, and how fast it is. */
#ifndef PENSTOCK_COMMAND_TRIAL_H
#define PENSTOCK_COMMAND_TRIAL_H

#include "apps/penstock/loading.h"

/* What an attempt says besides the command line; ends with NULL each. */
struct trial {
	const char **sets;   /* "name=value" */
	const char **places; /* "actor=selector" */
	const char *team;    /* NULL: as the command line says */
};

/*
 * Loads the network anew, runs it for so many seconds, or to its end, and lets it drain.
 *
 * tokens: those a second that come to all actors without outputs.
 * Returns 0, or what to exit with; said then.
 */
int trial_run(struct loading *, const struct trial *, double seconds, double *tokens);

#endif
