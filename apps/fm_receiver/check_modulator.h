/* SPDX-License-Identifier: MIT */
/* A transmitter for tests: tones, frequency-modulated, and what a receiver made of them. */
#ifndef FM_RECEIVER_CHECK_MODULATOR_H
#define FM_RECEIVER_CHECK_MODULATOR_H

#include "apps/common/check_wav.h"

struct modulator {
	double rate, tone, deviation; /* Hz; with a pilot the tone is the left one, and 0 is silence */
	double noise;                 /* of each part of a sample: its largest magnitude; 0: none */
	double offset;                /* Hz: of the carrier */
	double pilot;        /* of stereo: its part of the deviation, the rest is for the sound; 0: mono */
	double right, start; /* Hz: the right tone; radians: the phase of the pilot, or of mono's tone */
};

/* n samples of magnitude 0.7, as cf32_le or cu8; the caller frees them. */
float *modulate(const struct modulator *, size_t n);
unsigned char *modulate_cu8(const struct modulator *, size_t n);

/* A sine of this frequency in a channel, behind its first 50 ms, by least squares: its amplitude, its power above all
 * else in dB. A full swing is 1. */
struct tone {
	double amplitude, mean, snr;
};
struct tone find_tone(const struct sound *, uint32_t channel, double frequency);

#endif
