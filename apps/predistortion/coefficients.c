/* SPDX-License-Identifier: MIT */
/* What a predistorter is: built in, or of a file. */
#include "config.h"

#include "apps/predistortion/coefficients.h"
#include "apps/common/app.h"
#include "apps/predistortion/coefficients_built_in.h"
#include "apps/predistortion/coefficients_file.h"

#include <stdlib.h>
#include <string.h>

enum {
	BUILT_IN = sizeof(built_in_taps) / sizeof(*built_in_taps),
	BUILT_IN_TAPS = sizeof(*built_in_taps) / sizeof(**built_in_taps),
	BUILT_IN_LEAST = 2 /* active branches */
};

/* A copy, so that there is one way to free them all. */
static int load_built_in(struct coefficients *coefficients)
{
	coefficients->built_in = true;
	coefficients->lo = built_in_lo;
	for (unsigned b = 0; b < BUILT_IN; b++) {
		struct branch *branch = &coefficients->branches[b];

		branch->term.order = 2 * (b % (BUILT_IN / 2)) + 1;
		branch->term.conjugate = b >= BUILT_IN / 2;
		branch->taps = malloc(sizeof(built_in_taps[b]));
		if (!branch->taps)
			return app_out_of_memory();
		memcpy(branch->taps, built_in_taps[b], sizeof(built_in_taps[b]));
		branch->tap_count = BUILT_IN_TAPS;
	}
	coefficients->count = BUILT_IN;
	return 0;
}

int coefficients_load(struct coefficients *coefficients, const char *path)
{
	int status;

	*coefficients = (struct coefficients){ 0 };
	status = path ? coefficients_read(coefficients, path) : load_built_in(coefficients);
	coefficients->least = path ? 1 : BUILT_IN_LEAST;
	coefficients->most = coefficients->count;
	return status;
}

void coefficients_free(struct coefficients *coefficients)
{
	for (unsigned b = 0; b < PSTK_MAX_BRANCHES; b++) {
		free(coefficients->branches[b].taps);
		coefficients->branches[b].taps = NULL;
	}
}
