/* SPDX-License-Identifier: MIT */
/*
 * Moves between hosts in random networks: the ranks are networks of one process (tests/common/crew.h). Actors may move
 * to hosts drawn at random. That is asked for before the start and while they run, on any rank; each move is answered
 * once on each rank that knows of it.
 */
#ifndef PENSTOCK_TESTS_MOVES_HOSTS_H
#define PENSTOCK_TESTS_MOVES_HOSTS_H

#include "tests/common/crew.h"
#include "tests/random/run_actor.h"

/* Behind crew_join(). */
void moves_hosts_prepare(struct run *, struct crew *);

/* Around crew_run(). */
void moves_hosts_begin(void);
void moves_hosts_end(void);

/* Moves that were made, so far, and those that were cancelled. */
extern uint64_t moves_hosts_done, moves_hosts_cancelled;

#endif
