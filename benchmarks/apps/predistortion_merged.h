/* SPDX-License-Identifier: MIT */
/* Predistortion by the library in few large steps: the network that oneTBB's pipeline of the same table is. */
#ifndef PENSTOCK_BENCHMARKS_PREDISTORTION_MERGED_H
#define PENSTOCK_BENCHMARKS_PREDISTORTION_MERGED_H

#include <stdint.h>

/* For tables of rounds.h; arg: a way (predistortion_plain.h). items: a multiple of the period. */
uint64_t predistortion_run_merged(const void *arg, uint64_t items);

#endif
