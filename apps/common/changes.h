/* SPDX-License-Identifier: MIT */
/* Changes: a line on the terminal whenever a pipeline has another configuration. */
#ifndef COMMON_CHANGES_H
#define COMMON_CHANGES_H

#include <penstock/penstock.h>

#include <stdio.h>

struct changes;

/* NULL: the network has no pipeline, or there is no memory: then nothing is said. */
struct changes *changes_create(const struct pstk_network *);

/* Says what has changed since the last call: the first line of a pipeline's report, in place of the line that the
 * terminal shows. NULL is allowed. */
void changes_print(struct changes *, FILE *);

void changes_free(struct changes *);

#endif
