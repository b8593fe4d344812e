/* SPDX-License-Identifier: MIT */
/* What rounds.c has measured, as tables. */
#ifndef PENSTOCK_BENCHMARKS_ROUNDS_PRINT_H
#define PENSTOCK_BENCHMARKS_ROUNDS_PRINT_H

#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"

/* One run of one variant. */
struct rounds_sample {
	bool ran;
	double seconds, cpu; /* cpu: of all threads */
	double counted;      /* the one of them that figures are made of */
	uint64_t items;
	enum probe_state state;
	double probe_ns[2]; /* before and after */
	double others;      /* processor time that others took meanwhile, as a share of the machine */
	bool busy;          /* it is too much */
	uint64_t hash;      /* of the output */
	long voluntary, involuntary; /* switches of all threads */
};

void rounds_print_run(
	const struct rounds_table *, unsigned variant, unsigned round, const struct rounds_sample *);

/* samples: those of a variant after those of the one before, a round each. Runs in neither state are printed
 * if there are no others, or if the options say verbose. */
void rounds_print(
	const struct rounds_options *, const struct rounds_table *, const struct rounds_sample *samples);

#endif
