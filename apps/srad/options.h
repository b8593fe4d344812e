/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef SRAD_OPTIONS_H
#define SRAD_OPTIONS_H

#include "apps/common/staged.h"

/* The most iterations that stand in a row: a pipeline has 16 stages. */
enum { OPTIONS_ROW_MOST = 3 };

/* The program's own. */
struct options {
	uint32_t iterations;
	float lambda;
	enum { LOOP_BY_COUNT, LOOP_FUSED, LOOP_STAGES } loop;
};

extern const char options_help[];
extern const struct option options_table[];

void options_init(struct options *);

/* As struct staged_program has them. */
int options_take(struct options *, int option, const char *value);
int options_settle(const struct options *, const struct staged_options *);

/* Is one stage all iterations? */
bool options_fused(const struct options *);

#endif
