/* SPDX-License-Identifier: MIT */
/* The part of a program of rounds.h that answers a driver, and what it shares with the rest of rounds.c. */
#ifndef PENSTOCK_BENCHMARKS_ROUNDS_PROTOCOL_H
#define PENSTOCK_BENCHMARKS_ROUNDS_PROTOCOL_H

#include "benchmarks/common/rounds.h"
#include "benchmarks/common/rounds_print.h"

/* After the options are known. From here on a program that has said nothing to its driver ends with status
 * 2: no table of it has the variant. */
void rounds_protocol_begin(const struct rounds_options *);

/* The program is about to end with an error that it tells itself. */
void rounds_protocol_fails(void);

/* Prints the table's variants, or runs the one that is wanted and prints that. */
void rounds_protocol_table(const struct rounds_options *, const struct rounds_table *);

/* How many items this variant runs in the time, or rounds_enough(); not a multiple of the table's least. */
uint64_t rounds_calibrate(
	const struct rounds_options *, const struct rounds_table *, const struct rounds_variant *);

/* Where the least takes long a run is few of them, and beginning and end count for much: up to 4 times as many items
 * then, 16 times the least at most. */
uint64_t rounds_enough(const struct rounds_table *, uint64_t items);

/* Does `only` leave this variant in? References stay. */
bool rounds_wanted(const struct rounds_options *, const struct rounds_table *, unsigned variant);

/* Have others taken more of so many cores in the time than a twentieth? others: seconds of the processors. */
bool rounds_too_busy(double others, double seconds, double cores);

/* One run, between two probes. For a driver it takes a tenth of a second at least, to tell whether others
 * were busy. */
void rounds_measure(
	const struct rounds_options *, const struct rounds_variant *, uint64_t items, struct rounds_sample *);

#endif
