/* SPDX-License-Identifier: MIT */
/* The plug-in random_types.c: what the program sets in it. */
#ifndef PENSTOCK_TESTS_RANDOM_TYPES_H
#define PENSTOCK_TESTS_RANDOM_TYPES_H

#include <penstock/penstock.h>

typedef struct pstk_actor *random_types_adder(struct pstk_network *, uint32_t number);

/* NULL: no actor can be added. */
PSTK_PUBLIC extern random_types_adder *random_types_add;

#endif
