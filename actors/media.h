/* SPDX-License-Identifier: MIT */
/* Media: what video inputs and outputs share. */
#ifndef PENSTOCK_ACTORS_MEDIA_H
#define PENSTOCK_ACTORS_MEDIA_H

#include <penstock/media.h>

#include <stdarg.h>

#define PS_VIDEO_MAX_SIDE 32768u
#define PS_LABEL_SIZE 104 /* the end of a path, as messages show it: leaves room for the cause */

/* The end of a long path says more than its beginning. */
void ps_media_label(char label[PS_LABEL_SIZE], const char *path);

/* "label: text" into a buffer of PSTK_VIDEO_ERROR_SIZE. */
void ps_media_message(char *error, const char *label, const char *format, va_list args) PSTK_PRINTF(3, 0);

#endif
