/* SPDX-License-Identifier: MIT */
/*
 * Vision: stages of video applications, of libpenstock-actors. Each of them is stateless, has a form for the cores,
 * which a pipeline may spread over all of them, and one for devices where nothing else is said.
 *
 * The applications are those of Vilches, Navarro, Asenjo, Corbera, Gran and Garzaran, "Mapping Streaming Applications
 * on Commodity Multi-CPU and GPU On-Chip Processors" (IEEE TPDS 2016).
 *
 * Frames of several sizes in one stream
 *   A token holds the largest frame. It begins with the size of its own frame, a struct pstk_frame_size,
 *   PSTK_SIZED_HEAD bytes before what belongs to that frame, row after row without padding. What lies behind that is
 *   not defined. A token that an actor makes of a frame, of whatever elements, begins with the frame's size, too.
 *   So a frame costs what its own size costs.
 *   The width and height of an actor are the largest of the stream, each by itself; a frame with a larger one is
 *   refused, with -EINVAL, on the cores; a device takes no more of it than that.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_VISION_H
#define PENSTOCK_VISION_H

#include <penstock/actors.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- Sized frames -----------------------------------------------------------------------------------------------------
 */

#define PSTK_SIZED_HEAD 64

/* Returns the bytes of a token with so many bytes behind its size: a multiple of 64. Context: ANY. */
static inline size_t pstk_sized_bytes(size_t bytes)
{
	return PSTK_SIZED_HEAD + (bytes + 63) / 64 * 64;
}

/* Returns the size of a token's frame. Context: ANY. */
static inline struct pstk_frame_size pstk_sized_get(const void *token)
{
	return *(const struct pstk_frame_size *)token;
}

/* Says the size of a token's frame. Context: ANY. */
static inline void pstk_sized_set(void *token, uint32_t width, uint32_t height)
{
	struct pstk_frame_size *size = (struct pstk_frame_size *)token;

	size->width = width;
	size->height = height;
}

#ifdef __cplusplus
}
#endif

#endif
