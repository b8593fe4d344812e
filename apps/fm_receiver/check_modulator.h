/* SPDX-License-Identifier: MIT */
/* A transmitter for tests: a tone, frequency-modulated, and what a receiver made of it. */
#ifndef FM_RECEIVER_CHECK_MODULATOR_H
#define FM_RECEIVER_CHECK_MODULATOR_H

#include <stddef.h>
#include <stdint.h>

struct modulator {
	double rate, tone, deviation; /* Hz */
	double noise;                 /* of each part of a sample: its largest magnitude; 0: none */
	double offset;                /* Hz: of the carrier */
};

/* n samples of magnitude 0.7, as cf32_le or cu8; the caller frees them. */
float *modulate(const struct modulator *, size_t n);
unsigned char *modulate_cu8(const struct modulator *, size_t n);

/* The samples of a WAV file in memory, whose header must be right: of a file, or of a pipe, which knows no length. The
 * caller frees them. */
int16_t *wav_samples(const unsigned char *bytes, size_t size, uint32_t rate, int piped, size_t *count);

/* A sine of this frequency in n samples, by least squares: its amplitude, its power above all else in dB. */
struct tone {
	double amplitude, mean, snr;
};
struct tone find_tone(const int16_t *samples, size_t n, double frequency, double rate);

#endif
