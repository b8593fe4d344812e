/* SPDX-License-Identifier: MIT */
/* Changes: a line on the terminal for each configuration that a pipeline has. */
#ifndef COMMON_CHANGES_H
#define COMMON_CHANGES_H

#include <penstock/penstock.h>

#include <stdio.h>

struct changes;

/* NULL: the network has no pipeline, or there is no memory: then nothing is said. */
struct changes *changes_create(const struct pstk_network *);

/* Says what has changed since the last call: a line for each configuration that a pipeline had since, also for a moment
 * only, in place of the line that the terminal shows. NULL is allowed. */
void changes_print(struct changes *, FILE *);

void changes_free(struct changes *);

#endif
