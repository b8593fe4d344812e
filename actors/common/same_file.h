/* SPDX-License-Identifier: MIT */
/* Same file: what two names stand for, before either is opened. */
#ifndef PENSTOCK_ACTORS_SAME_FILE_H
#define PENSTOCK_ACTORS_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Is there a file of this name, and what is it? "-" is the standard stream that is given. */
bool ps_file_is_there(const char *name, int standard, struct stat *);

/* What a name stands for, as a text that all names of one regular file or FIFO have in common, also by way of
 * links, and those of one that is yet to be. "-" is the standard stream that is given: the same one, whatever it
 * is. The caller frees it. NULL: a device, which may have as many users as it likes; in no folder; or out of
 * memory. */
char *ps_file_key(const char *name, int standard);

/* Have two names one key? */
bool ps_same_file(const char *a, int standard_a, const char *b, int standard_b);

#endif
