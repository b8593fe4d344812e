/* SPDX-License-Identifier: MIT */
/* What the pipelines of a network have measured, chosen and done, as JSON. For programs with jansson. */
#ifndef COMMON_PIPELINES_JSON_H
#define COMMON_PIPELINES_JSON_H

#include <penstock/penstock.h>
#include <penstock/pipeline.h>

#include <jansson.h>

/* A list of an object for each; what is not known is null. NULL: no memory. */
json_t *pipelines_json(const struct pstk_network *);

/* Which stages a pipeline has, and where it may run, of a network that is only looked at. NULL: no memory. */
json_t *pipelines_json_built(const struct pstk_network *);

#endif
