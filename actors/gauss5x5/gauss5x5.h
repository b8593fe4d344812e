/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_GAUSS5X5_H
#define PENSTOCK_ACTORS_GAUSS5X5_H

#include <stddef.h>
#include <stdint.h>

/* pstk_gauss5x5_type()'s filter of one frame; w and h at least 1, src and dst apart from each other. */
void ps_gauss5x5_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);

#endif
