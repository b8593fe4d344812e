/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_EQUALIZE_H
#define PENSTOCK_ACTORS_EQUALIZE_H

#include <stddef.h>
#include <stdint.h>

/* pstk_equalize_type()'s work on one frame; w and h at least 1, src and dst apart from each other. */
void ps_equalize_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);

#endif
