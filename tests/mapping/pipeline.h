/* SPDX-License-Identifier: MIT */
/* Pipeline: measurements with the arrays that they point to: made up, random, or of a vector. */
#ifndef PENSTOCK_TESTS_PIPELINE_H
#define PENSTOCK_TESTS_PIPELINE_H

#include "penstock/mapper.h"
#include "tests/common/common.h"

enum { PIPELINE_CORES = 8, PIPELINE_CONFIGURATIONS = 4096 };

struct pipeline {
	struct pstk_measurements m;
	double t_cg1[PSTK_MAPPER_STAGES], t_cg[PIPELINE_CORES + 1], t_g[PSTK_MAPPER_STAGES],
		t_mg[PSTK_MAPPER_STAGES], h2d[PSTK_MAPPER_STAGES + 1], d2h[PSTK_MAPPER_STAGES + 1];
	struct pstk_joules e_cg1[PSTK_MAPPER_STAGES], e_cg[PIPELINE_CORES + 1], e_g[PSTK_MAPPER_STAGES],
		e_mg[PSTK_MAPPER_STAGES];
};

/* Stages of 1 s on a core that scale ideally, and of half of it on the device; with a meter. All masks are allowed. */
void pipeline_make(struct pipeline *, unsigned stages, unsigned cores);

/* A random one: some have masks, bounds, transfers, a TDP; some lack a meter or medium grain. */
void pipeline_random(struct pipeline *, struct test_rng *);

/* Lets the measurements point to these arrays; they did to those of a copy. */
void pipeline_link(struct pipeline *);

/* Predicts all configurations, or fails the test. Returns how many. */
unsigned pipeline_predict(
	const struct pipeline *, enum pstk_mapper_rule, struct pstk_prediction list[PIPELINE_CONFIGURATIONS]);

/* The configuration with this notation; fails the test if it is none. */
struct pstk_configuration pipeline_configuration(const struct pipeline *, const char *text);

#endif
