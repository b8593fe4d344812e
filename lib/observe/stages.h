/* SPDX-License-Identifier: MIT */
/* Stages: what tables say of pipelines, and of their stages below them. */
#ifndef PENSTOCK_STAGES_H
#define PENSTOCK_STAGES_H

#include "lib/base/text.h"
#include "lib/model/pipeline.h"

#include <stdio.h>

/* "cores and pocl:cpu:0 (NAME; ..), CP-CG:101:4, 10 items in flight" */
void ps_stages_print_place(const struct pstk_pipeline *, FILE *);

/* A line for each stage, indented: its name and type in columns that are so wide, and which forms it has. */
void ps_stages_print(const struct pstk_pipeline *, int name, int type, FILE *);

/* Was any item on the device? */
bool ps_stages_on_device(const struct pstk_pipeline *);

/* Threads that carry its items now. */
unsigned ps_stages_threads(const struct pstk_pipeline *);

/* The stage whose latest firing on the cores took longest, and its share of all stages' time; NULL: not known. */
const struct pstk_actor *ps_stages_longest(const struct pstk_pipeline *, double *share);

/* Adds the stages in which its threads are: " of gauss, med on the device". */
void ps_stages_say(const struct pstk_pipeline *, struct ps_text *);

/* Any thread. Does a member of a team fire an item? */
bool ps_stages_on_team(const struct pstk_pipeline *);

/* The reports of all pipelines that this process has run. */
void ps_stages_print_reports(const struct pstk_network *, FILE *);

#endif
