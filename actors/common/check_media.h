/* SPDX-License-Identifier: MIT */
/* What the tests of video in and out share. */
#ifndef PENSTOCK_ACTORS_CHECK_MEDIA_H
#define PENSTOCK_ACTORS_CHECK_MEDIA_H

#include "actors/common/check_files.h"
#include "penstock/media.h"

/* Opens, expects success. */
struct pstk_video_input *media_open(const struct pstk_video_input_spec *);
/* Opens, expects this error and text. */
void media_refuses(const struct pstk_video_input_spec *, int err, const char *text);
/* Reads frames until the end; the last result. Appends them to `to` if it is not NULL; *count: frames. */
int media_drain(struct pstk_video_input *, unsigned char *to, size_t room, size_t *count);

#endif
