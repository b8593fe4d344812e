/* SPDX-License-Identifier: MIT */
/* A part of a timeline as a picture. */
#ifndef PENSTOCK_COMMAND_EXCERPT_H
#define PENSTOCK_COMMAND_EXCERPT_H

#include <stdio.h>

/* Reads a file that --trace has written, and draws the spans in the middle of it as SVG: a row a thread, a firing in
 * its actor's colour, what waits in grey. How many spans it has drawn; 0: there are none; a negative errno. What goes
 * wrong in writing stays in the stream. */
int excerpt_draw(FILE *trace, FILE *svg);

#endif
