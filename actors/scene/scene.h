/* SPDX-License-Identifier: MIT */
/* The synthetic scene: people walking through a still street. Integer arithmetic only: the same on every
 * machine. */
#ifndef PS_SCENE_H
#define PS_SCENE_H

#include <stdint.h>

#define PS_SCENE_MIN_SIDE 5u
#define PS_SCENE_NOISE 3u /* a pixel of the still street differs from its mean by at most this */

struct ps_scene;

/* 0, -EINVAL (smaller than 5x5 or larger than 32768x32768) or -ENOMEM. */
int ps_scene_create(struct ps_scene **, uint32_t width, uint32_t height);

/* Frame n, whatever was asked for before. */
void ps_scene_frame(const struct ps_scene *, uint64_t n, unsigned char *frame);

void ps_scene_destroy(struct ps_scene *);

/* Parts of scene.c that have files of their own. Sides in pixels. */
void ps_street_paint(unsigned char *frame, int width, int height);
/* Where the ground meets the houses, in pixels from the top. */
int ps_street_horizon(int height);
void ps_walkers_paint(unsigned char *frame, int width, int height, uint64_t n);

#endif
