/* SPDX-License-Identifier: MIT */
/* A picture that gnuplot draws. gnuplot is found when the program runs: a build needs none. */
#ifndef COMMON_PLOT_H
#define COMMON_PLOT_H

#include <stdio.h>

struct plot;

/* Can a picture be written under this name? It may end in .svg or .png, or as no picture does: that is written as SVG.
 * option: without its dashes, for the message. 0, or what to exit with; said then. */
int plot_check_name(const char *option, const char *path);

/* Is gnuplot here, so that a run is not for nothing? 0, or what to exit with; said then. */
int plot_check_gnuplot(const char *option);

/* Opens the file as whole_open() does, which borrows the path until the end, and begins a script: the kind of the
 * picture by the name's ending, its size in pixels, the font. 0, or what to exit with; said then, and *plot is NULL. */
int plot_open(struct plot **, const char *path, unsigned width, unsigned height);

/* Takes gnuplot's commands, and data between "$NAME << EOD" and "EOD". */
FILE *plot_script(struct plot *);

/* Lets gnuplot draw what the script says, gives the file its name, and frees the plot. 0, or what to exit with; what
 * gnuplot said of its failure is said then, and no file is left. */
int plot_complete(struct plot *);

/* Frees it and removes what was begun. NULL is allowed. */
void plot_drop(struct plot *);

#endif
