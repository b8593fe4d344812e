/* SPDX-License-Identifier: MIT */
/* Predistortion by the library, as the program of that name builds its network. */
#ifndef PENSTOCK_BENCHMARKS_PREDISTORTION_NETWORK_H
#define PENSTOCK_BENCHMARKS_PREDISTORTION_NETWORK_H

#include <stdint.h>

/* For tables of rounds.h; arg: a way (predistortion_plain.h). items: a multiple of the period. */
uint64_t predistortion_run_network(const void *arg, uint64_t items);

#endif
