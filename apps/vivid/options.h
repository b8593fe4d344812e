/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef VIVID_OPTIONS_H
#define VIVID_OPTIONS_H

#include "apps/common/staged.h"

/* The program's own. */
struct options {
	const char *filters, *classifier; /* files; NULL: the generated ones */
	uint32_t filter_count, rows;
	float distance;   /* what is nearer is written */
	const char *dump; /* a folder; NULL: none */
};

extern const char options_help[];
extern const struct option options_table[];

void options_init(struct options *);

/* As struct staged_program has them. */
int options_take(struct options *, int option, const char *value);
int options_settle(const struct options *, const struct staged_options *);

#endif
