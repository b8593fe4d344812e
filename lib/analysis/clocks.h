/* SPDX-License-Identifier: MIT */
/* Clocks: rule R1, both ends of every FIFO have the same clock. */
#ifndef PENSTOCK_CLOCKS_H
#define PENSTOCK_CLOCKS_H

#include "lib/analysis/state.h"

/* 0, -ENOMEM, or -EDEADLK: R1 is broken, and the analysis says by which FIFO. */
int ps_analysis_clocks(struct ps_analysis *);

/* The clock of one end of a FIFO: PS_TERM_.. or a set. */
unsigned ps_analysis_term(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* The same when the clocks of classes are known: a base clock is PS_TERM_ACTOR; else PS_TERM_UNKNOWN or a set. */
unsigned ps_analysis_clock(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* The FIFO that gives the class at this end its clock; NULL: a base clock, or the port has its own. */
const struct pstk_fifo *ps_analysis_why(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* Of an end whose class gets its clock from a port of undeclared values: the FIFO to that port. NULL: there is none, or
 * more is known of the clock. */
const struct pstk_fifo *ps_analysis_unknown(
	const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* The class of an end of a FIFO that is always on: the actor's index; for an output of a kahn actor the number of
 * actors plus the index of its first FIFO. */
unsigned ps_analysis_node(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* Does this end, which is always on, belong to the class of this group's members? */
bool ps_analysis_in_group_class(
	const struct ps_analysis *, const struct pstk_fifo *, bool writer, unsigned group);

/* The clock of a group's control tokens. */
unsigned ps_analysis_group_clock(const struct ps_analysis *, unsigned group);

#endif
