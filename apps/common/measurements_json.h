/* SPDX-License-Identifier: MIT */
/* Measurements of a pipeline as JSON: the file that `penstock map --model` reads. For programs with jansson. */
#ifndef COMMON_MEASUREMENTS_JSON_H
#define COMMON_MEASUREMENTS_JSON_H

#include <penstock/mapper.h>

#include <jansson.h>
#include <stdio.h>

/* An object; numbers are read back exactly. name: what was measured; NULL: is not said. What no configuration needs and
 * is no number is written as 0. NULL: out of memory, or pstk_measurements_check() refuses them. */
json_t *measurements_json(const struct pstk_measurements *, const char *name);

/* Writes it. 0, -EINVAL: they are refused; -ENOMEM; -EIO. */
int measurements_json_write(const struct pstk_measurements *, const char *name, FILE *);

#endif
