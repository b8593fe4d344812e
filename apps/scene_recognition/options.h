/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef SCENE_RECOGNITION_OPTIONS_H
#define SCENE_RECOGNITION_OPTIONS_H

#include "apps/common/staged.h"

/* The program's own. */
struct options {
	const char *vocabulary, *weights; /* files */
	const char *train;                /* a folder; NULL: none */
	uint32_t words;                   /* of --train */
	bool words_given;
	char *class_list;     /* --classes, cut at its commas */
	const char **classes; /* class_count of them */
	unsigned class_count;
};

extern const char options_help[];
extern const struct option options_table[];

void options_init(struct options *);

/* As struct staged_program has them. */
int options_take(struct options *, int option, const char *value);
int options_settle(const struct options *, const struct staged_options *);

void options_free(struct options *);

#endif
