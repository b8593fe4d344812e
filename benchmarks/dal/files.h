/* SPDX-License-Identifier: MIT */
/* Files: process networks and mappings of this folder with other values of their variables. */
#ifndef PENSTOCK_BENCHMARKS_DAL_FILES_H
#define PENSTOCK_BENCHMARKS_DAL_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { FILES_PATH = 256 };

struct files_value {
	const char *name; /* of a <variable> */
	uint32_t value;
};

/* A copy of the file, in which each of the variables has this value, in $TMPDIR; remove it. Ends the program
 * with status 1 when that can't be done, or the file has no such variable. */
void files_copy(char path[FILES_PATH], const char *name, const struct files_value *, size_t count);

/* Removes a copy; NULL: nothing. */
void files_remove(const char *path);

/* Shares the first of the cores that this process may use out over so many places, neighbours together: of
 * two cores the first half of the places is on the first. */
void files_cores(uint32_t *cores, size_t count);

#endif
