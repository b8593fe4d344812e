/* SPDX-License-Identifier: MIT */
/* What the tests of the program share: what it should write, per pixel, from the definition alone. */
#ifndef MOTION_DETECTION_CHECK_MOTION_H
#define MOTION_DETECTION_CHECK_MOTION_H

#include "actors/common/check_media.h"
#include "apps/common/check_program.h"

/* program_find() of motion_detection. */
void motion_find(void);

/* The maps of `count` frames, with a frame of zeros before the first one. The caller frees them. */
unsigned char *oracle_maps(const unsigned char *frames, unsigned w, unsigned h, size_t count, int threshold);

#endif
