/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef TRACKING_OPTIONS_H
#define TRACKING_OPTIONS_H

#include <penstock/vision.h>

#include "apps/common/staged.h"

/* The program's own. */
struct options {
	struct pstk_tracking_spec spec; /* but for the frames' size */
};

extern const char options_help[];
extern const struct option options_table[];

void options_init(struct options *);

/* As struct staged_program has them. */
int options_take(struct options *, int option, const char *value);
int options_settle(const struct options *, const struct staged_options *);

#endif
