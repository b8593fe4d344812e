/* SPDX-License-Identifier: MIT */
/* From rates in Hz to filters: what follows from --rate, --audio and --deviation. */
#ifndef FM_RECEIVER_PLAN_H
#define FM_RECEIVER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct filter {
	uint32_t taps;
	double cutoff; /* of the rate at which it runs */
};

struct plan {
	uint32_t rate, audio, deviation; /* Hz: of the input, of the output, of a full swing */
	bool stereo;
	uint32_t decimation; /* of the channel's filter; behind it is the discriminator */
	double middle;       /* Hz: rate / decimation */
	uint32_t up, down;   /* audio / middle, without a common factor */
	struct filter channel, sound;
	struct filter pilot; /* of stereo's pilot, shifted to 0 Hz, at the rate in the middle */
	uint32_t block;      /* samples of the input in a firing, a multiple of decimation x down */
};

enum { PLAN_ATTENUATION = 70 }; /* dB, of all filters */
enum { PLAN_PILOT = 19000 };    /* Hz */

/* rate, audio, deviation and stereo are set. 0, or what to exit with; said then. */
int plan_make(struct plan *);

/* The samples of audio that come of so many of the input: none is begun without one. */
uint64_t plan_length(const struct plan *, uint64_t samples);

#endif
