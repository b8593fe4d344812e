/* SPDX-License-Identifier: MIT */
/* Picture: what a command draws or writes goes to a file, which gets its name when it is whole, or to stdout. */
#ifndef PENSTOCK_COMMAND_PICTURE_H
#define PENSTOCK_COMMAND_PICTURE_H

#include "apps/common/tool.h"

/* Graphviz's dot, which makes an SVG of its language. */
extern const struct tool picture_dot;

/* Writes it; what goes wrong in writing is left in the stream. 0, or what to exit with, said then. */
typedef int picture_draw(const void *data, FILE *, const char *path);

/* Lets it be written to FILE; NULL and "-": to stdout. 0, or what to exit with, said then. */
int picture_write(picture_draw *, const void *data, const char *file);

/* Lets dot draw what this writes: for a picture_draw(). */
int picture_svg(void (*print)(const void *data, FILE *), const void *data, FILE *out, const char *path);

#endif
