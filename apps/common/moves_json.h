/* SPDX-License-Identifier: MIT */
/* What became of the moves of actors, as JSON. For programs with jansson. */
#ifndef COMMON_MOVES_JSON_H
#define COMMON_MOVES_JSON_H

#include <penstock/penstock.h>

#include <jansson.h>

/* May any actor move, or was any asked to? */
bool moves_json_is_there(const struct pstk_network *);

/* An array, with an object for each move that is kept. NULL: out of memory. */
json_t *moves_json(const struct pstk_network *);

#endif
