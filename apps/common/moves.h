/* SPDX-License-Identifier: MIT */
/* Moves: --move, which moves an actor to another place while the network runs. */
#ifndef COMMON_MOVES_H
#define COMMON_MOVES_H

#include "apps/common/app.h"

#include <penstock/penstock.h>

enum { MOVES_MOST = 64 };

/* Zero: none. The texts are borrowed. */
struct moves {
	const char *list[MOVES_MOST];
	unsigned count;
};

/* For a program's help. */
#define MOVES_HELP                                                                                         \
	"  --move ACTOR@FIRING=SELECTOR\n"                                                                 \
	"                      the actor goes to this device while data flow, ACTOR@FIRING=cores to the\n" \
	"                      cores: its firing of this number is the first one there, 1 or later:\n"     \
	"                      firings count from 0; may be given several times\n"

/* --move: 0 or EXIT_USAGE, said then. */
int moves_take(struct moves *, const char *text);

/* Once all is mapped: each actor may move where it is to. Returns 0 or what to exit with; what is wrong is among the
 * network's problems, or said. */
int moves_allow(const struct moves *, struct pstk_network *);

/* Then each is asked to move. skips: of which actors nothing is wanted, because another process runs them; NULL: of
 * none. Returns as moves_allow(). */
int moves_ask(const struct moves *, struct pstk_network *,
	bool (*skips)(const void *data, const struct pstk_actor *), const void *data);

/* Both, where one process runs all. */
int moves_apply(const struct moves *, struct pstk_network *);

#endif
