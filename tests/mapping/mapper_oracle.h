/* SPDX-License-Identifier: MIT */
/* Mapper's oracle: the model and the choice once more, by plain loops over sets of stages. It shares no code with the
 * library. */
#ifndef PENSTOCK_TESTS_MAPPER_ORACLE_H
#define PENSTOCK_TESTS_MAPPER_ORACLE_H

#include "penstock/mapper.h"

/* All configurations, in the library's order. Returns how many. */
unsigned mapper_oracle_predict(
	const struct pstk_measurements *, enum pstk_mapper_rule, struct pstk_prediction *list);

/* The best `wanted` of them by their indices, the best first; met: do they meet the limits? */
void mapper_oracle_choose(const struct pstk_prediction *list, unsigned count, const struct pstk_goal *,
	unsigned *best, bool *met, unsigned wanted);

#endif
