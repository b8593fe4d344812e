/* SPDX-License-Identifier: MIT */
/*
 * What the programs of networks with several rates share: the tables, of which each has one thread (serial) and what a
 * program adds. Outputs are compared bit by bit; those of other loops are of groups of their own, and cd_check() looks
 * at them.
 */
#ifndef PENSTOCK_BENCHMARKS_APPS_MULTIRATE_H
#define PENSTOCK_BENCHMARKS_APPS_MULTIRATE_H

#include "benchmarks/common/rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

enum multirate_table { MULTIRATE_FM, MULTIRATE_CD, MULTIRATE_CD_CPU, MULTIRATE_TABLES };

/* The whole of a program: reads the options, fills each table by `add`, runs those that got anything. The status. */
int multirate_main(int argc, char **argv, void (*add)(enum multirate_table, struct rounds_table *));

/* As rounds_add(). In the table of processor time that is what counts. */
struct rounds_variant *multirate_add(struct rounds_table *, enum rounds_role,
	uint64_t (*run)(const void *arg, uint64_t items), const void *arg, const char *name);

#ifdef __cplusplus
}
#endif

#endif
