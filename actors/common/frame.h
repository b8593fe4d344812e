/* SPDX-License-Identifier: MIT */
/* Frame: what the image actors share. A frame is one token: 8-bit grey, row after row. */
#ifndef PENSTOCK_ACTORS_FRAME_H
#define PENSTOCK_ACTORS_FRAME_H

#include "actors/common/frame_cl.h"
#include "penstock/actors.h"

/* dst = filtered src; both w x h pixels, apart from each other. */
typedef void (*ps_frame_filter)(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);

/* width and height, of struct pstk_frame_size. */
enum { PS_FRAME_PARAMS = 2 };
extern const struct pstk_param ps_frame_params[PS_FRAME_PARAMS];

/* init() of an actor whose arg is a struct pstk_frame_size: also compares the token size with it. */
int ps_frame_init(struct pstk_actor *);

/* The same, and what the kernel of such an actor needs on a device: its work size, and as arguments width, height and
 * the frames of `out` that are data. */
typedef struct ps_work_size (*ps_frame_work_size)(uint32_t width, uint32_t height, uint32_t rate);
int ps_frame_init_kernel(struct pstk_actor *, ps_frame_work_size);

/* fire() of an actor with the ports in, out: filters each frame of the window. */
int ps_frame_fire(struct pstk_firing *, ps_frame_filter);

#endif
