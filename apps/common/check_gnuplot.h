/* SPDX-License-Identifier: MIT */
/* gnuplots of the tests' own. */
#ifndef COMMON_CHECK_GNUPLOT_H
#define COMMON_CHECK_GNUPLOT_H

#include <stdbool.h>

/* Is there a real one? It says so if not. */
bool gnuplot_is_there(void);

/* From now on gnuplot is a shell script, in a folder that the calling process removes when it ends. NULL: there is none
 * at all, nor any other program. */
void gnuplot_fake(const char *script);

/* What has the place of the real one where that does not matter. */
#define GNUPLOT_DRAWS "[ \"$1\" = --version ] || { cat >/dev/null && echo '<svg></svg>'; }\n"

#endif
