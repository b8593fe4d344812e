/* SPDX-License-Identifier: MIT */
/*
 * Bed: a pipeline of simulated stages, run by the library. A stage's C form works on a simulated core
 * (mapping_cores.h) for T_CG1. In medium grain each of nC parts of its loop does for T_MG. Its kernel is a C function
 * of the tests' driver, whose device is busy for T_G by the clock. Items are numbers, of which each stage makes another
 * one; the sink checks each of them, and their order.
 */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_BED_H
#define PENSTOCK_BENCHMARKS_MAPPING_BED_H

#include "benchmarks/apps/mapping_pipeline.h"

#include <penstock/penstock.h>
#include <penstock/pipeline.h>

#include <stdatomic.h>

/* Before the first OpenCL call of the process. false: there is no such driver. */
bool mapping_bed_driver(void);

struct mapping_bed_options {
	double stretch; /* mapping_cores_open() */
	bool permits;
	bool first; /* its threads come before those of other processes */
};

struct mapping_bed {
	struct pstk_network *net;
	struct pstk_pipeline *pipeline;
	struct mapping_bed_options how;
	unsigned stages;
	atomic_bool over;        /* the source ends */
	uint64_t next, expected; /* the source's; the sink's */
};

/* Starts it. Stages that have no other name are those of *p. Ends the program if it can't. */
void mapping_bed_open(struct mapping_bed *, const struct mapping_pipeline *,
	const struct pstk_pipeline_spec *, const struct mapping_bed_options *);

/* Stages take these times from now on. As many stages, cores, kernels as before. *p: borrowed. */
void mapping_bed_change(const struct mapping_pipeline *);

/* Items that are through, in any order. */
uint64_t mapping_bed_count(const struct mapping_bed *);

/* Waits until one more is through, or `most` s are over. Returns how many are; *now: when that was seen, ns. */
uint64_t mapping_bed_next(const struct mapping_bed *, double most, uint64_t *now);

/* Items/s, from an item on that comes when `settle` s are over, to one that comes when `seconds` more are. */
double mapping_bed_rate(const struct mapping_bed *, double settle, double seconds);

/* Waits until it has chosen a configuration and stays with it. The caller gives the report back. */
struct pstk_pipeline_report *mapping_bed_chosen(const struct mapping_bed *);

/* Ends it. Ends the program if it has failed. */
void mapping_bed_close(struct mapping_bed *);

#endif
