/* SPDX-License-Identifier: MIT */
/* Map's predictions: what follows from the measurements of the file of --model. */
#ifndef PENSTOCK_COMMAND_MAP_PREDICTIONS_H
#define PENSTOCK_COMMAND_MAP_PREDICTIONS_H

#include <penstock/mapper.h>

struct map_rule {
	const char *name;
	enum pstk_mapper_rule rule;
};

struct map_objective {
	const char *name, *words; /* "the highest rate" */
	enum pstk_objective objective;
};

/* What is asked for. */
struct map_question {
	const char *path;
	const struct map_rule *rule;
	const struct map_objective *objective;
	double min_rate, max_watts; /* 0: not said */
	bool json;
	/* Where no objective was said and there is a limit to the rate: the least energy, if there is a meter. NULL: it
	 * was said, or there is no such limit. */
	const struct map_objective *instead;
};

/* Reads the file, and writes the predictions and the choice to stdout. Returns what to exit with; what is wrong is
 * said. */
int map_predictions_print(const struct map_question *);

#endif
