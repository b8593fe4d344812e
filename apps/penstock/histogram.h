/* SPDX-License-Identifier: MIT */
/* A histogram of times as SVG: bars over a logarithmic scale. */
#ifndef PENSTOCK_COMMAND_HISTOGRAM_H
#define PENSTOCK_COMMAND_HISTOGRAM_H

#include <stdio.h>

struct json_t;

/* path: as apps/common/latency_json.h makes it, with windows that have arrived. */
void histogram_draw(const struct json_t *path, FILE *svg);

#endif
