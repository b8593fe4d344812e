/* SPDX-License-Identifier: MIT */
/* Video: what programs say of the videos that they read and write. */
#ifndef COMMON_VIDEO_H
#define COMMON_VIDEO_H

#include <penstock/media.h>

/* What is wrong with an input that is a file (input) or a scene (synthetic). sized: there is a --size. NULL: nothing
 * is. */
const char *video_contradiction(const char *input, bool synthetic, bool sized);

/* Warns if this output has not the sound of the input, of that name. Has it? */
bool video_warn_audio(const struct pstk_video_output *, const char *input);

/* After the run: why the file has more or fewer frames than the input had. name: the output's. */
void video_warn_rate(const struct pstk_video_output *, const char *name, const struct pstk_video_info *input);

#endif
