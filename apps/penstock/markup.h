/* SPDX-License-Identifier: MIT */
/* Text in HTML and SVG. */
#ifndef PENSTOCK_COMMAND_MARKUP_H
#define PENSTOCK_COMMAND_MARKUP_H

#include <stdio.h>

/* As it is seen: what would be markup is escaped, and so is what XML has no characters for. */
void markup_text(FILE *, const char *text);

/* "#rrggbb", from white, 0, over orange to red, 1. What is beyond counts as the nearer of them. */
enum { MARKUP_COLOUR = 8 };
const char *markup_heat(double share, char colour[MARKUP_COLOUR]);

#endif
