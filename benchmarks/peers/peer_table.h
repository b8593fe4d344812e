/* SPDX-License-Identifier: MIT */
/* The table behind peer_add(). */
#ifndef PENSTOCK_BENCHMARKS_PEERS_PEER_TABLE_H
#define PENSTOCK_BENCHMARKS_PEERS_PEER_TABLE_H

#include "benchmarks/common/rounds.h"

/* The group of outputs of a variant with this arg; NULL: all are of one. */
typedef unsigned (*peer_group)(const void *arg);

void peer_begin(const struct rounds_table *empty, peer_group);
struct rounds_table *peer_table(void);

#endif
