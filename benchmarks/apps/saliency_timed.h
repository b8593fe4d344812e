/* SPDX-License-Identifier: MIT */
/*
 * Saliency on two GPUs as PACCO, table 2 (b), has timed it, at 720x576: on the tests' driver, whose kernels and
 * transfers take time by the clock. A sixteenth of the bytes at a sixteenth of the rate takes as long, and leaves the
 * cores free. What the steps compute is left out: a token carries its frame's number, which the sink looks at.
 */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_TIMED_H
#define PENSTOCK_BENCHMARKS_SALIENCY_TIMED_H

#include <stdbool.h>
#include <stdint.h>

enum saliency_timed_way {
	TIMED_SPLIT, /* where the plan has the least period */
	TIMED_PAPER, /* after the interactions */
	TIMED_DEALT, /* frames go to both devices in turn, all steps at each */
	TIMED_WAYS
};

struct saliency_timed {
	double seconds, planned; /* a frame; planned: as the plan simulates it */
	double evenness;         /* of the frames' intervals */
	double loads;            /* of the places: the lesser by the greater */
	uint64_t bytes;          /* of FIFOs, as they would be whole */
	bool in_order;
};

/* The driver is for the whole process, so no other is used in it. False: it is not there. */
bool saliency_timed_open(const char *driver);

/* Runs so many frames, timed from the first third on. trace: a file; NULL: none. */
void saliency_timed_run(enum saliency_timed_way, uint64_t count, const char *trace, struct saliency_timed *);

#endif
