/* SPDX-License-Identifier: MIT */
/* Clocks: rule R1, both ends of every FIFO have the same clock. */
#ifndef PENSTOCK_CLOCKS_H
#define PENSTOCK_CLOCKS_H

#include "lib/analysis/state.h"

/* 0, -ENOMEM, or -EDEADLK: R1 is broken, and the analysis says by which FIFO. */
int ps_analysis_clocks(struct ps_analysis *);

/* What the clock is of one end of a FIFO: PS_TERM_.. or a set. */
unsigned ps_analysis_term(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* With the clocks known: a base clock is PS_TERM_ACTOR, else PS_TERM_UNKNOWN or a set. */
unsigned ps_analysis_clock(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* The FIFO that gives the class at this end its clock; NULL: a base clock, or the port has its own. */
const struct pstk_fifo *ps_analysis_why(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* An end whose class has no clock of its own making: the FIFO to a port of undeclared values that says when it
 * is on; NULL: there is none, or more is known. */
const struct pstk_fifo *ps_analysis_unknown(
	const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* The class that an end of a FIFO belongs to if it is always on: an actor's index, or for an output of a kahn
 * actor the number of actors + that of its first FIFO. */
unsigned ps_analysis_node(const struct ps_analysis *, const struct pstk_fifo *, bool writer);

/* Is this end, which is always on, of the class of this group's members? */
bool ps_analysis_in_group_class(
	const struct ps_analysis *, const struct pstk_fifo *, bool writer, unsigned group);

/* The clock of a group's control tokens. */
unsigned ps_analysis_group_clock(const struct ps_analysis *, unsigned group);

#endif
