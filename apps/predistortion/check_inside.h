/* SPDX-License-Identifier: MIT */
/* Runs the program inside of the test: a process for each run, and OpenCL's drivers in each, would take long.
 */
#ifndef PREDISTORTION_CHECK_INSIDE_H
#define PREDISTORTION_CHECK_INSIDE_H

#include "apps/common/check_main.h"
#include "apps/predistortion/check_model.h"

enum { SETS_MOST = 64 };

/* What a run is given and what it should write. */
struct setup {
	const struct coefficients *coefficients;
	const char *coefficients_file; /* NULL: the built-in ten */
	const char *active;            /* --active; NULL: left out */
	uint32_t sets[SETS_MOST]; /* what it stands for: one a period, count of them, the last one holds */
	size_t count;
	const char *block, *rate;          /* NULL: left out, 32768 and 1 */
	size_t period;                     /* 0: left out: 65536 rounded up to a multiple of block x rate */
	const char *team;                  /* --team; NULL: left out */
	const char *depth, *device, *seed; /* seed: only said when the run fails */
};

/* Runs it with the first n samples of `in`, expects the model's output. */
void inside_expect(const struct setup *, const float *in, size_t n);

/* Runs it; what it writes to stdout and stderr is kept up to its last size - 1 bytes (NULL: not at all).
 * Returns the exit status. Arguments up to NULL. */
int inside_run(const char *const *arguments, char *out, char *err, size_t size);
#define INSIDE(out, err, size, ...) inside_run((const char *const[]){ __VA_ARGS__, NULL }, out, err, size)

/* Writes sets as a file for --active. */
void inside_write_sets(const char *path, const uint32_t *sets, size_t count, unsigned branches);

/* The number as text; the eighth call reuses the first one's place. */
const char *inside_text(size_t number);

#endif
