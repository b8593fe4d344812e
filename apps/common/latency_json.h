/* SPDX-License-Identifier: MIT */
/* How long windows took from sources to sinks, as JSON. For programs with jansson. */
#ifndef COMMON_LATENCY_JSON_H
#define COMMON_LATENCY_JSON_H

#include <penstock/penstock.h>

#include <jansson.h>

/* Was that asked for? */
bool latency_json_is_there(const struct pstk_network *);

/* An array, with each path's figures and histogram. NULL: out of memory. */
json_t *latency_json(const struct pstk_network *);

#endif
