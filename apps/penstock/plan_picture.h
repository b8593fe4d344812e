/* SPDX-License-Identifier: MIT */
/* A plan as a picture in Graphviz's language, as JSON, and as a mapping file. */
#ifndef PENSTOCK_COMMAND_PLAN_PICTURE_H
#define PENSTOCK_COMMAND_PLAN_PICTURE_H

#include "apps/penstock/measure.h"

#include <penstock/plan.h>

/* Places are boxes; buffers lie on the ways; those that share memory have one colour. */
void plan_picture_dot(const struct pstk_plan *, FILE *);

/* With the times that were measured, if any were. 0, -ENOMEM or -EIO; a build without jansson: the options refuse it.
 */
int plan_picture_json(const struct pstk_plan *, const struct measure *, FILE *);

/* mapping: {ACTOR: PLACE}, for --mapping. */
void plan_picture_yaml(const struct pstk_plan *, FILE *);

#endif
