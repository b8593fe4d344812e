/* SPDX-License-Identifier: MIT */
/*
 * Pipelines of simulated stages: how long each stage takes on a core, spread over all cores, and on the device. They
 * come from a file (tests/data/mapping/simulated.json has the form), or are drawn.
 */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_PIPELINE_H
#define PENSTOCK_BENCHMARKS_MAPPING_PIPELINE_H

#include <penstock/mapper.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	MAPPING_STAGES = 6,
	MAPPING_CORES = 8,
	MAPPING_CONFIGURATIONS = (1 << MAPPING_STAGES) * (MAPPING_CORES + 2)
};

struct mapping_pipeline {
	char name[48];
	unsigned stages, cores;
	double core[MAPPING_STAGES], medium[MAPPING_STAGES], device[MAPPING_STAGES]; /* s */
	uint32_t no_kernel; /* stages that the device can't do, as a mask */
	bool coarse;        /* it has no medium grain */
};

/* Rates of all configurations, items/s, in the order of mapping_list(); 0: not known. */
struct mapping_rates {
	double rate[MAPPING_CONFIGURATIONS];
};

/* How many configurations it has. */
unsigned mapping_count(const struct mapping_pipeline *);

/* All of them, as pstk_mapper_predict_all() orders them. Returns how many. */
unsigned mapping_list(
	const struct mapping_pipeline *, struct pstk_configuration list[MAPPING_CONFIGURATIONS]);

/* Where one is in that list. */
unsigned mapping_index(const struct mapping_pipeline *, const struct pstk_configuration *);

/* What the mapper would measure of it if nothing was in the way. The arrays are the two structs' own. */
struct mapping_ideal {
	double t_cg[MAPPING_CORES + 1];
};
struct pstk_measurements mapping_measurements(
	const struct mapping_pipeline *, struct mapping_ideal *, unsigned in_flight);

/* Reads a file. What of a pipeline may lack is called as in a file of measurements (`penstock map`): device_ok,
 * medium_grain. expected: gets what it says of each configuration; NULL: it is not wanted. Ends the program when it
 * can't be read, or is wrong. Returns how many there are, room at most. */
unsigned mapping_read(
	const char *path, struct mapping_pipeline *, struct mapping_rates *expected, unsigned room);

/* Draws one: 1 to 4 stages, 1, 2 or 4 cores. An item takes 8 to 20 ms of a core. A device is from a quarter to six
 * times as fast as a core, and all cores together reach half to all of what they could. */
void mapping_draw(struct mapping_pipeline *, uint64_t seed, unsigned number);

/* A number from 0 to 1, and the state behind it. */
double mapping_random(uint64_t *state);

#endif
