/* SPDX-License-Identifier: MIT */
/*
 * Frames for the benchmark of saliency, over and over the same few, and what watches their maps: is each the map of the
 * frame that is due, and when does it come? So few frames that two devices never get the same ones in turn.
 */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_FRAMES_H
#define PENSTOCK_BENCHMARKS_SALIENCY_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SALIENCY_RING = 3 };

/* Maps agree to so much of the largest value: cores, devices, by hand. */
#define SALIENCY_TOLERANCE 1e-3

struct saliency_frames {
	uint32_t width, height;
	size_t pixels;
	uint8_t *frames;            /* SALIENCY_RING, one behind the other */
	float *maps;                /* theirs */
	double most[SALIENCY_RING]; /* their largest values */
	bool known;                 /* the maps are */
};

/* Ends the program when there is no memory. */
void saliency_frames_open(struct saliency_frames *, uint32_t width, uint32_t height);
void saliency_frames_close(struct saliency_frames *);

/* Keeps the map of frame k. */
void saliency_frames_learn(struct saliency_frames *, uint64_t k, const float *map);

/* The largest difference to the known map of frame k, by that map's largest value. */
double saliency_frames_apart(const struct saliency_frames *, uint64_t k, const float *map);

/* Which frame of the ring a map is of, as one value in each page tells; if it may be frame k, that. -1: none. */
int saliency_frames_which(const struct saliency_frames *, uint64_t k, const float *map);

/* Seconds of the clock. */
double saliency_now(void);

struct saliency_watch {
	struct saliency_frames *frames;
	uint64_t count;  /* of maps that will come */
	double *moments; /* s: when they came */
	uint64_t taken;
	bool in_order; /* no map was that of another frame of the ring */
	bool equal;    /* none was of no frame */
	double apart;  /* of the first ring of maps, that are compared as a whole: the largest difference */
};

/* Maps are compared with those that frames know; if they don't know them they keep the first ones. */
void saliency_watch_open(struct saliency_watch *, struct saliency_frames *, uint64_t count);
void saliency_watch_close(struct saliency_watch *);
void saliency_watch_take(void *watch, uint64_t k, const float *map);

/* How even things came, at these moments: the 10th by the 90th percentile of the intervals. */
double saliency_evenness(const double *moments, uint64_t count);

#endif
