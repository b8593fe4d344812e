/* SPDX-License-Identifier: MIT */
/*
 * The paper's figs. 10 to 12, as CSV and SVG: output frames around one move, of the library and in lock-step. CSV:
 * line (library, lock-step, prepared, stop), index (of the frame, or of the iteration), gave (0: an iteration without a
 * frame), iteration_ms, since_ms (since the frame before), rate (frames/s), switch (1: the move is here), bound_ms (in
 * the rows from the switch on to which it applies).
 */
#ifndef PENSTOCK_BENCHMARKS_MIGRATE_FIGURES_H
#define PENSTOCK_BENCHMARKS_MIGRATE_FIGURES_H

#include "benchmarks/apps/migrate_network.h"

/* Prints how long the longest gaps are, too. Ends the program if a file can't be written. */
void migrate_figures_write(struct saliency_frames *, const char *folder, bool staged);

/* The lock-step by itself, for the paper's pairs of path lengths. */
void migrate_figures_write_paper(struct saliency_frames *, const char *folder);

/* The library's, of moves to another host and back. Both processes call it; the first one writes. */
void migrate_figures_write_hosts(
	struct saliency_frames *, const char *folder, bool staged, struct pstk_transport *);

#endif
