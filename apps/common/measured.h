/* SPDX-License-Identifier: MIT */
/* --save-measurements: what a pipeline has measured, as the file that `penstock map --model` reads. */
#ifndef COMMON_MEASURED_H
#define COMMON_MEASURED_H

#include <penstock/penstock.h>

struct whole;

/* Zero: not wanted. The texts are borrowed. */
struct measured {
	const char *text; /* FILE or NAME=FILE */
	const char *path; /* NULL: not wanted */
	struct whole *file;
};

/* For a program's help. */
#define MEASURED_HELP                                                                                     \
	"  --save-measurements [NAME=]FILE.json\n"                                                        \
	"                           writes what a pipeline, the first one without NAME, has measured of " \
	"its\n"                                                                                           \
	"                           stages: for 'penstock map --model'\n"

/* 0 or EXIT_USAGE, said then. */
int measured_take(struct measured *, const char *text);

/* Opens the file once the network is there. 0, or what to exit with: it has no such pipeline; said then. */
int measured_open(struct measured *, const struct pstk_network *);

/* Writes it behind the run. 0, or what to exit with: nothing was measured; said then. */
int measured_write(struct measured *, const struct pstk_network *);

/* Removes what was begun. */
void measured_drop(struct measured *);

#endif
