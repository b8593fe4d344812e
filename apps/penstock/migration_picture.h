/* SPDX-License-Identifier: MIT */
/* A migration as text, as JSON, and as a picture in Graphviz's language. What goes wrong in writing is in the stream.
 */
#ifndef PENSTOCK_COMMAND_MIGRATION_PICTURE_H
#define PENSTOCK_COMMAND_MIGRATION_PICTURE_H

#include "apps/penstock/migration.h"

void migration_picture_text(const struct migration *, FILE *);

/* Both paths, with the weights of their edges. */
void migration_picture_dot(const struct migration *, FILE *);

/* 0, -ENOMEM or -EIO; a build without jansson: the options refuse it. */
int migration_picture_json(const struct migration *, FILE *);

#endif
