/* SPDX-License-Identifier: MIT */
/* What inputs and outputs say of a path. */
#ifndef PENSTOCK_ACTORS_MESSAGE_H
#define PENSTOCK_ACTORS_MESSAGE_H

#include "lib/base/text.h"

#include <stdbool.h>

#define PS_LABEL_SIZE 104 /* the end of a path, as messages show it: leaves room for the cause */

/* The end of a long path says more than its beginning; it starts with a whole UTF-8 character. */
void ps_label(char label[PS_LABEL_SIZE], const char *path);

/* Does a path end so? */
bool ps_ends_with(const char *path, const char *ending);

/* "label: text" into a buffer of so many bytes, more than PS_LABEL_SIZE + 2. It is one line, whatever a
 * path or a file says: control characters are written as \x1b. */
void ps_message(char *error, size_t size, const char *label, const char *format, va_list args)
	PSTK_PRINTF(4, 0);

#endif
