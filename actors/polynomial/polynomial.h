/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_POLYNOMIAL_H
#define PENSTOCK_ACTORS_POLYNOMIAL_H

#include "actors/common/branches.h"

struct ps_polynomial_term {
	uint16_t branch; /* from 0 */
	uint8_t power;   /* k = (order - 1) / 2 */
	bool conjugate;
};

/* The actor's arg. */
struct ps_polynomial {
	uint32_t count;
	struct ps_polynomial_term terms[]; /* by rising powers */
};

/* n samples of in to each branch; those that are NULL are off. */
void ps_polynomial_block(
	const struct ps_polynomial *, struct ps_branch in, const struct ps_branch *branches, size_t n);

#endif
