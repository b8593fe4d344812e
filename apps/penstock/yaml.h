/* SPDX-License-Identifier: MIT */
/* YAML: what is written for graph files. */
#ifndef PENSTOCK_COMMAND_YAML_H
#define PENSTOCK_COMMAND_YAML_H

#include <stdio.h>

/* A text in double quotes, of which a graph file reads the same. */
void yaml_text(const char *text, FILE *);

#endif
