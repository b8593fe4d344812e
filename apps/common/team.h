/* SPDX-License-Identifier: MIT */
/* Which threads run the actors, and how deep FIFOs are: --team and --depth. */
#ifndef COMMON_TEAM_H
#define COMMON_TEAM_H

#include <stdint.h>

#include "apps/common/app.h"

/* Zero: what the library does without being told. */
struct team {
	bool given; /* --team: whatever the environment says */
	uint32_t threads;
	uint32_t depth; /* windows; 0: the library's default */
	bool automatic; /* as many as fit into the library's budget */
};

/* --team: 0 or EXIT_USAGE, said then. */
int team_parse_threads(struct team *, const char *text);

/* --depth: a number or "auto"; the last one counts. */
int team_parse_depth(struct team *, const char *text);

/* Before anything is connected. Errors are among the network's problems. */
void team_apply(const struct team *, struct pstk_network *);

/* The windows that a FIFO holds; 0: there is none. */
uint32_t team_depth_of(const struct pstk_fifo *);

#endif
