/* SPDX-License-Identifier: MIT */
/*
 * Moves of a tested actor, by a script: from firing to firing between the cores and both halves of a device. Helpers
 * that run actors take a name for that in place of a device's selector.
 */
#ifndef PENSTOCK_ACTORS_CHECK_MOVING_H
#define PENSTOCK_ACTORS_CHECK_MOVING_H

#include "tests/common/common.h"

#include <penstock/penstock.h>

/* PENSTOCK_MEMORY's values: a test each, which is a process of its own. */
enum { MOVING_MEMORIES = 2 };
extern const char *const moving_memories[MOVING_MEMORIES];

/* The name of a script, until the next call; NULL: says that there is no device. */
const char *moving_device(const char *memory, struct test_rng *);
bool moving_is(const char *device);

/* BUILD. As pstk_actor_map(). The name of a script: the actor gets a first place and all others, and moves at every or
 * every second firing. A device that can't be divided stands for its halves. */
void moving_map(struct pstk_actor *, const char *device);

/* After the run. Fails the test unless each move was done at the firing that it was asked for, or its actor had ended
 * before. */
void moving_check(struct pstk_network *);

#endif
