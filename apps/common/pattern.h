/* SPDX-License-Identifier: MIT */
/* Pattern: a name that stands for numbered pictures, p%03d.png, as FFmpeg's image2 reads them. */
#ifndef COMMON_PATTERN_H
#define COMMON_PATTERN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Writes a name with the number in place of its one %d or %0Nd, and with % for %%. false: it has not one of these, or
 * the name would be too long. */
bool pattern_name(char to[PATH_MAX], const char *pattern, uint64_t number);

/* The name of picture `number` of an input, from 0: the first one's own number is 0 to 4. false: the input is a file,
 * or no pattern with pictures. */
bool pattern_picture(char to[PATH_MAX], const char *input, uint64_t number);

#endif
