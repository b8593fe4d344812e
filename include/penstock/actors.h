/* SPDX-License-Identifier: MIT */
/*
 * The reusable actors of libpenstock-actors. Units, errors and contexts as in penstock.h. Each type is
 * static: the pointer is valid for ever. Image actors take frames of 8-bit grey, one frame a token, row after
 * row without padding; any rate: they loop over the window's tokens. Their arg is copied by
 * pstk_network_add().
 */
#ifndef PENSTOCK_ACTORS_H
#define PENSTOCK_ACTORS_H

#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* pixels; both at least 1; the FIFOs' token size is width x height, which init() checks */
struct pstk_frame_size {
	uint32_t width, height;
};

/* ANY. Ports in, out. 5x5 binomial (Gaussian) filter: weights outer([1 4 6 4 1], [1 4 6 4 1]), (sum + 128) >>
 * 8; rows 0, 1, h-2 and h-1 are copied, columns are clamped to the edge. arg: struct pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_gauss5x5_type(void);

/* ANY. Ports in, out. Histogram equalisation as OpenCV's equalizeHist(), each frame for itself: 255 (H(pixel) - m) / n
 * rounded to the nearest integer, halves up; H(v): the frame's pixels of value v or below, m: H of its lowest value,
 * n = width x height - m; a frame of one value is copied. arg: struct pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_equalize_type(void);

/* ANY. Ports now, before, out. |now - before| > threshold ? 255 : 0, byte by byte, any token size. */
struct pstk_threshold_arg {
	uint32_t threshold; /* 0..255 */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_threshold_type(void);

/* ANY. Ports in, out. Median of the plus (centre, north, south, east, west); the first and last row and
 * column are copied. arg: struct pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_median5_type(void);

/*
 * push: a program with a loop of its own feeds a network. Port out, any token size and rate.
 *
 *	struct pstk_push *push = pstk_push_create();
 *	struct pstk_actor *a = pstk_push_add(net, "camera", push);
 *	.. pstk_connect(), pstk_network_start() ..
 *	while (grab(frame))
 *		if (pstk_push_write(push, frame, 1, PSTK_FOREVER) != 1)
 *			break;
 *	pstk_push_end(push);
 *	pstk_network_wait(net);
 *	pstk_network_destroy(net);
 *	pstk_push_destroy(push);
 */
#define PSTK_FOREVER UINT64_MAX

struct pstk_push;

/* ANY. NULL: out of memory. */
PSTK_PUBLIC struct pstk_push *pstk_push_create(void);

/* BUILD. Adds the actor. A push belongs to one actor: -EBUSY. push is borrowed until the network's destroy.
 */
PSTK_PUBLIC struct pstk_actor *pstk_push_add(struct pstk_network *, const char *name, struct pstk_push *);

/* Any thread that is not an actor's of this network. Copies n tokens into the network; waits for room for at
 * most ns (0: try; PSTK_FOREVER). Returns the tokens taken: fewer than n after the time-out, or if the
 * network ends meanwhile; -EPIPE: nothing will be taken any more (stopped, failed, all readers gone, or after
 * pstk_push_end()); -EINVAL. Several threads may push; the tokens of one call stay together if all are taken
 * at once. */
PSTK_PUBLIC int pstk_push_write(struct pstk_push *, const void *tokens, size_t n, uint64_t ns);

/* As pstk_push_write(). The end of the stream: a partly filled window is published, the actor ends. */
PSTK_PUBLIC int pstk_push_end(struct pstk_push *);

/* After the network's destroy. */
PSTK_PUBLIC void pstk_push_destroy(struct pstk_push *);

/*
 * pull: a program with a loop of its own takes results. Port in, any token size and rate.
 */
struct pstk_pull;

/* ANY. NULL: out of memory. */
PSTK_PUBLIC struct pstk_pull *pstk_pull_create(void);

/* BUILD. Adds the actor. A pull belongs to one actor: -EBUSY. pull is borrowed until the network's destroy.
 */
PSTK_PUBLIC struct pstk_actor *pstk_pull_add(struct pstk_network *, const char *name, struct pstk_pull *);

/* Any thread that is not an actor's of this network. Copies up to n tokens out; waits for them for at most ns
 * (0: try; PSTK_FOREVER). Returns the tokens copied: fewer than n after the time-out or at the end; -EPIPE:
 * the stream has ended and nothing is left; -EINVAL. */
PSTK_PUBLIC int pstk_pull_read(struct pstk_pull *, void *tokens, size_t n, uint64_t ns);

/* As pstk_pull_read(). Wants no more: the actor ends, its FIFO discards. */
PSTK_PUBLIC int pstk_pull_end(struct pstk_pull *);

/* After the network's destroy. */
PSTK_PUBLIC void pstk_pull_destroy(struct pstk_pull *);

#ifdef __cplusplus
}
#endif

#endif
