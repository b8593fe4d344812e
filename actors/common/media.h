/* SPDX-License-Identifier: MIT */
/* Media: what video inputs and outputs share. */
#ifndef PENSTOCK_ACTORS_MEDIA_H
#define PENSTOCK_ACTORS_MEDIA_H

#include <penstock/media.h>

#define PS_VIDEO_MAX_SIDE 32768u

#endif
