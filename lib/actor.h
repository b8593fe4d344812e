/* SPDX-License-Identifier: MIT */
/* Actor: helpers that the network's building shares with it. */
#ifndef PENSTOCK_ACTOR_H
#define PENSTOCK_ACTOR_H

#include "lib/network.h"

#include <stdbool.h>
#include <stddef.h>

/* May a struct of `given` bytes be read as one of `known` bytes? Not if its tail beyond what is known is set.
 */
bool ps_struct_fits(const void *data, size_t given, size_t known);

/* Bytes of an element type ("u8", "f32", ..), 0: not one that the library knows. */
size_t ps_token_type_size(const char *type);

/* The actor whose callback this thread is in; NULL: none. */
extern _Thread_local struct pstk_actor *ps_actor_current;

#endif
