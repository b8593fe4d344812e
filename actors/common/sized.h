/* SPDX-License-Identifier: MIT */
/* Sized: what the actors of <penstock/vision.h> share, whose tokens begin with the size of their frame. */
#ifndef PENSTOCK_ACTORS_SIZED_H
#define PENSTOCK_ACTORS_SIZED_H

#include "penstock/vision.h"

/* ACTOR, in init(). Has the port tokens of pstk_sized_bytes(bytes)? 0, or -EINVAL and the actor's error. what: of the
 * message, "a frame of 8x8 pixels". */
int ps_sized_check(struct pstk_actor *, unsigned port, size_t bytes, const char *what);

/* ACTOR, in fire(): the size of a token's frame. Is it larger than the largest one? -EINVAL and the actor's error. */
int ps_sized_read(struct pstk_actor *, const void *token, const struct pstk_frame_size *largest,
	struct pstk_frame_size *size);

/* BUILD. What is wrong with a spec: 0, or -EINVAL, and the network has the problem. Sides are 1 to 32768, so that bytes
 * of a frame are far below what a size_t has. what: the numbers, for the message, "filters". */
int ps_sized_check_sides(struct pstk_network *, const char *name, uint32_t width, uint32_t height);
int ps_sized_check_numbers(
	struct pstk_network *, const char *name, const char *what, const float *numbers, size_t count);

/* ACTOR, in init(), of an actor with a kernel: its arguments from `index` on, uint numbers and behind them the steps;
 * and its work size: `items` in groups of at most 256, `lines`, and steps. */
int ps_sized_set_kernel(struct pstk_actor *, unsigned index, const uint32_t *numbers, unsigned count,
	size_t items, size_t lines);

/* For token_bytes() of a type: those of a token of the frame that came in, with so many bytes for each pixel. */
static inline size_t ps_sized_pixels(const void *came_in, size_t bytes)
{
	struct pstk_frame_size size = pstk_sized_get(came_in);

	return PSTK_SIZED_HEAD + bytes * size.width * size.height;
}

/* What lies behind the size. */
static inline const void *ps_sized_data(const void *token)
{
	return (const char *)token + PSTK_SIZED_HEAD;
}

static inline void *ps_sized_room(void *token)
{
	return (char *)token + PSTK_SIZED_HEAD;
}

#endif
