/* SPDX-License-Identifier: MIT */
/* Which threads run the actors, and how deep FIFOs are: --team, --depth and --overlap. */
#ifndef COMMON_TEAM_H
#define COMMON_TEAM_H

#include <stdint.h>

#include "apps/common/app.h"

/* Zero: as many threads as suit the network, unless the environment says how many; the library's depth. */
struct team {
	bool given; /* --team: whatever the environment says */
	bool suits; /* auto: as many threads as suit the network */
	uint32_t threads;
	uint32_t depth;           /* windows; 0: the library's default */
	bool automatic;           /* as many as fit into the library's budget */
	bool planned, no_overlap; /* --overlap: depths are those of a plan, with or without overlap */
};

/* --team: a number or "auto". 0 or EXIT_USAGE, said then. */
int team_parse_threads(struct team *, const char *text);

/* --depth: a number or "auto"; the last one counts. */
int team_parse_depth(struct team *, const char *text);

/* --overlap: "on" or "off". */
int team_parse_overlap(struct team *, const char *text);

/* Once all actors are added, and, of --overlap, once all is built and mapped. Errors are among the network's
 * problems. */
void team_apply(const struct team *, struct pstk_network *);
void team_plan(const struct team *, struct pstk_network *);

/* For a program's help. */
#define TEAM_OVERLAP_HELP                                                                                 \
	"  --overlap on|off    depths as planned: two windows at each place that a transfer touches, so " \
	"that\n"                                                                                          \
	"                      it goes on beside what is computed; off: one, half of the memory there\n"

/* The windows that a FIFO holds; 0: there is none. */
uint32_t team_depth_of(const struct pstk_fifo *);

#endif
