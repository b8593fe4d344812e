/* SPDX-License-Identifier: MIT */
/* Coefficients from a JSON file. */
#ifndef PREDISTORTION_COEFFICIENTS_FILE_H
#define PREDISTORTION_COEFFICIENTS_FILE_H

#include "apps/predistortion/coefficients.h"

enum { COEFFICIENTS_TAPS_MOST = 65536 }; /* what a filter takes */

/* Fills branches, count and lo of zeroed coefficients. 0, or what to exit with; everything has been said
 * then. Taps that were read before something wrong are the caller's, too. */
int coefficients_read(struct coefficients *, const char *path);

#endif
