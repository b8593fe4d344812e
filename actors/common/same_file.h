/* SPDX-License-Identifier: MIT */
/* Same file: what two names stand for, before either is opened. */
#ifndef PENSTOCK_ACTORS_SAME_FILE_H
#define PENSTOCK_ACTORS_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Is there a file of this name, and what is it? "-" is the standard stream that is given. */
bool ps_file_is_there(const char *name, int standard, struct stat *);

/* Do two names stand for the same regular file or FIFO, also by way of links, or for the same one that is yet
 * to be? "-" is the standard stream that is given: the same one, whatever it is. A device may have as many
 * users as it likes. */
bool ps_same_file(const char *a, int standard_a, const char *b, int standard_b);

#endif
