/* SPDX-License-Identifier: MIT */
/* What the names on the command line stand for. */
#ifndef COMMON_FILES_H
#define COMMON_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Opens /dev/null in place of standard streams that are closed, so that no file takes their place; the wrong
 * way round, so that reading "-" or writing to it fails. Before anything else is opened. */
void files_fill_standard(void);

/* A file that an option names. */
struct files_named {
	const char *option; /* without its "--" */
	const char *name;   /* NULL: not given */
	int standard;       /* what "-" stands for */
	bool more;          /* of the recording that the option names: one file of it may be named twice */
};

/* Is each name one, and stands for a file of its own? What is read would be overwritten, what is written mixed. 0, or
 * what to exit with; said then. */
int files_check_names(const struct files_named *names, size_t count);

/* Is it a FIFO, whose opening may wait for its other end? */
bool files_is_fifo(const char *name);

/* May writing to it wait for its other end: is it a pipe, a socket or a terminal? */
bool files_may_wait(const char *name);

#endif
