/* SPDX-License-Identifier: MIT */
/* Map's overheads: what the trainings of the file of --overhead cost. */
#ifndef PENSTOCK_COMMAND_MAP_OVERHEADS_H
#define PENSTOCK_COMMAND_MAP_OVERHEADS_H

#include <stdbool.h>

/* Reads the file, and writes them to stdout. Returns what to exit with; what is wrong is said. */
int map_overheads_print(const char *path, bool json);

#endif
