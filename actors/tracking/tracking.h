/* SPDX-License-Identifier: MIT */
/* Tracking: what its stages share. */
#ifndef PENSTOCK_ACTORS_TRACKING_H
#define PENSTOCK_ACTORS_TRACKING_H

#include "config.h"

#include "actors/common/scratch.h"
#include "actors/common/sized.h"
#include "actors/tracking/levels.h"
#ifdef HAVE_OPENCL
#include "actors/common/launch.h"
#endif

/* Pixels, where a spec says none. The arg of features and track is a spec, preprocess has a struct pstk_frame_size. */
enum { PS_TRACKING_RADIUS = 10 };

/* Ports. */
enum { PS_PREPROCESS_IN, PS_PREPROCESS_OUT };
enum { PS_FEATURES_IN, PS_FEATURES_OUT };
enum { PS_TRACK_LEVELS, PS_TRACK_FEATURES, PS_TRACK_OUT, PS_TRACK_POSITIONS, PS_TRACK_POSITIONS_OUT };

struct ps_tracking_state {
#ifdef HAVE_OPENCL
	struct ps_launches on_devices; /* constant after the start */
#endif
	struct ps_scratch firing;     /* features: strengths and candidates. track: what is lost */
	struct ps_scratch part;       /* of a thread in a loop. features: sums of columns; track: patches */
	struct pstk_frame_size first; /* features that are found once: of the last frame; its only thread */
};

/* Bytes of a token of levels. */
static inline size_t ps_tracking_levels_bytes(const struct pstk_tracking_spec *s)
{
	return pstk_sized_bytes(sizeof(float) * pstk_levels_count(s->width, s->height));
}

/* From one pair to the next, in tokens. */
static inline size_t ps_tracking_stride(const struct pstk_tracking_spec *s)
{
	return s->chained ? 1 : 2;
}

/* The most features of any frame. */
uint32_t ps_tracking_most(const struct pstk_tracking_spec *);

/* BUILD. Copies a spec and checks it. 0, or a negative errno, and the network has the problem. */
int ps_tracking_read(struct pstk_tracking_spec *, struct pstk_network *, const char *name,
	const struct pstk_tracking_spec *given);

/* ACTOR, in init(): has a port tokens of so many bytes? */
int ps_tracking_check(struct pstk_actor *, unsigned port, size_t bytes);

int ps_tracking_finish(struct pstk_actor *);

#ifdef HAVE_OPENCL
int ps_preprocess_open(struct pstk_actor *, unsigned place);
int ps_preprocess_fire_cl(struct pstk_firing *);
int ps_features_open(struct pstk_actor *, unsigned place);
int ps_features_fire_cl(struct pstk_firing *);
int ps_track_open(struct pstk_actor *, unsigned place);
int ps_track_fire_cl(struct pstk_firing *);
#endif

#endif
