/* SPDX-License-Identifier: MIT */
/* A tool: a program that makes a picture of a text. It is found when this program runs: a build needs none. */
#ifndef COMMON_TOOL_H
#define COMMON_TOOL_H

#include <stdbool.h>
#include <stdio.h>

struct tool {
	const char *name;
	const char *package;  /* Debian's, for messages */
	const char *asked;    /* with this argument it only says that it is there */
	const char *argument; /* with this one it reads the text on stdin and writes the picture to stdout */
};

/* Is it here, and can be started? */
bool tool_is_here(const struct tool *);

/* Is it here, so that a run is not for nothing? option: without its dashes. 0, or what to exit with; said then. */
int tool_check(const struct tool *, const char *option);

/* Lets it draw what the text says. What goes wrong in writing the picture stays in its stream. path: for messages.
 * 0, or what to exit with; said then, with the last line that the tool has said. */
int tool_draw(const struct tool *, FILE *text, FILE *picture, const char *path);

#endif
