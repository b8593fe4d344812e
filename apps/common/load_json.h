/* SPDX-License-Identifier: MIT */
/* What the looks of pstk_network_set_sampling() saw, as JSON. NULL: no memory. */
#ifndef COMMON_LOAD_JSON_H
#define COMMON_LOAD_JSON_H

#include <penstock/penstock.h>

#include <jansson.h>
#include <stdbool.h>

/* Was it looked at at all? Else there is nothing of what follows. */
bool load_json_is_there(const struct pstk_network *);

/* Shares of the time, 0 to 1: busy; what it waited for. */
json_t *load_json_actor(const struct pstk_actor *);

/* Shares of its room, and of the time. */
json_t *load_json_fifo(const struct pstk_fifo *);

/* "gauss.out -> thres.now", as `fifo` of a cause. */
json_t *load_json_name(const struct pstk_fifo *);

/* What limits the throughput, the first cause first. */
json_t *load_json_causes(const struct pstk_network *);

#endif
