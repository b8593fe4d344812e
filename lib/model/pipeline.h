/* SPDX-License-Identifier: MIT */
/*
 * Pipeline: stateless actors that are one actor to all others (<penstock/pipeline.h>), as it is built.
 *
 *	       net->actors                           a pipeline
 *	                                  +--------------------------------+
 *	source --- a border FIFO -------->| stage --- an inner --> stage   |---- a border FIFO ---> sink
 *	           dst: the pipeline      |            FIFO                |     src: the pipeline
 *	           to: the stage          +--------------------------------+     from: the stage
 *
 * Its actor takes the stages' place in the network's list, and the FIFOs that lead out are its own. So what plans,
 * proves, schedules and reports knows of one stateless actor and of nothing else. The stages, and the inner FIFOs, are
 * in no list of the network: the pipeline has them. Only what settles rates looks at both (steps.h), and at the ends as
 * they were connected.
 */
#ifndef PENSTOCK_MODEL_PIPELINE_H
#define PENSTOCK_MODEL_PIPELINE_H

#include "lib/model/network.h"
#include "penstock/pipeline.h"

enum { PS_STAGES_MAX = PSTK_MAPPER_STAGES };

struct ps_carriage;
struct ps_row;

/* All members: constant after build, where they don't say another time. */
struct pstk_pipeline {
	struct pstk_network *network;
	struct pstk_pipeline *next; /* of the network's */
	struct pstk_actor *actor;   /* that it is to all others */
	struct pstk_actor *stages[PS_STAGES_MAX];
	unsigned stage_count;
	struct pstk_fifo **inner;
	unsigned inner_count;
	struct ps_connected *border;    /* by port of its actor: the stage, and that one's port */
	struct pstk_pipeline_spec spec; /* with defaults filled in, and copies of the strings */
	/* what it was told, without defaults; strings are spec's, or `configured`; both guarded by run's lock */
	struct pstk_pipeline_spec told;
	char configured[PSTK_CONFIGURATION_TEXT];
	uint32_t device_ok;               /* stages that the device can do, as a mask */
	struct ps_carriage *run;          /* lib/pipeline's */
	const struct ps_backend *backend; /* that has its row; NULL: it has none */
	struct ps_row *row;               /* that backend's; constant after start; NULL: none */
};

/* BUILD. A stage, or a pipeline, is told what only an actor of its own can be: makes that a problem. false: it is
 * neither. */
bool ps_pipeline_refuses(const struct pstk_actor *, const char *call);

/* destroy(). Frees what was built, with the stages' own memory gone. */
void ps_pipeline_free(struct pstk_pipeline *);

/* Is the actor a pipeline? Is it a stage of one? */
static inline bool ps_is_pipeline(const struct pstk_actor *a)
{
	return a->pipeline && a->pipeline->actor == a;
}

static inline bool ps_is_stage(const struct pstk_actor *a)
{
	return a->pipeline && a->pipeline->actor != a;
}

/* The number of the stage in its pipeline. */
static inline unsigned ps_stage_index(const struct pstk_actor *a)
{
	unsigned k = 0;

	while (a->pipeline->stages[k] != a)
		k++;
	return k;
}

/* Windows that a FIFO must have because one of its ends is a pipeline's; 0: neither is. */
uint32_t ps_pipeline_windows(const struct pstk_fifo *);

#endif
