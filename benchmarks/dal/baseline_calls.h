/* SPDX-License-Identifier: MIT */
/* Calls: what the DAL_ functions share. In the process's own calls only. */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_CALLS_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_CALLS_H

#include "benchmarks/dal/baseline_process.h"

/* The process that calls; NULL: none of ours. */
struct baseline_process *baseline_process_of(const DALProcess *);

/* The port of a call; NULL: the process ends with an error that says what is wrong, or has done so before. */
struct baseline_port *baseline_port_of(
	struct baseline_process *, const char *call, const void *port, bool input);

#endif
