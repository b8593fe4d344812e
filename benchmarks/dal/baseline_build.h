/* SPDX-License-Identifier: MIT */
/* Build: processes and channels of a description. */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_BUILD_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_BUILD_H

#include "benchmarks/dal/baseline_process.h"

/* What is being built, and where errors are told. */
struct baseline_build {
	struct baseline *b;
	const struct ps_dal_description *d;
	const struct pstk_dal_process *processes;
	unsigned count;
	char *text;
	size_t size;
};

/* Text of an error. Returns err. */
int baseline_refuse(const struct baseline_build *, const char *file, unsigned line, int err,
	const char *format, ...) PSTK_DAL_PRINTF(5, 6);

/* What the program says of a port's windows; NULL: its process reads and writes when it likes. */
const struct pstk_dal_port *baseline_windows_of(const struct baseline_build *, const struct ps_dal_port *);

/* Do the program's processes and the network's fit? Fills the definitions. */
int baseline_check(const struct baseline_build *);

/* Processes, then channels. 0, or a negative errno: baseline_destroy() frees what there is. */
int baseline_build(const struct baseline_build *);

#endif
