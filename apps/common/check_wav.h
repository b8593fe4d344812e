/* SPDX-License-Identifier: MIT */
/* Sounds for tests, as WAV files, which are made and read by code of their own. */
#ifndef COMMON_CHECK_WAV_H
#define COMMON_CHECK_WAV_H

#include "actors/common/check_files.h"

struct sound {
	uint32_t rate, channels, bits; /* 16, 24: PCM; 32: floats */
	bool extensible;               /* the long form of the fmt chunk */
	bool unknown;                  /* its header does not know the length */
	size_t frames;
	double *samples; /* channels in turn */
};

/* Silence. sound_free() frees it. */
struct sound sound_make(uint32_t rate, uint32_t channels, uint32_t bits, size_t frames);
/* A tone of amplitude 0.5 in each channel; the phase of channel c is c radians. */
struct sound sound_tone(uint32_t rate, uint32_t channels, uint32_t bits, size_t frames, double hz);
void sound_free(struct sound *);

/* A whole WAV file; the caller frees it. */
unsigned char *sound_bytes(const struct sound *, size_t *size);
void sound_write(const char *path, const struct sound *);

/* Asserts that all of the header fits the rest. */
struct sound sound_parse(const unsigned char *bytes, size_t size);
struct sound sound_read(const char *path);

/* A channel from frame `from` to `to`: the tone of this frequency that is in it, and the power of all else in dB of the
 * tone that sound_tone() makes. phase: radians; of sound_tone()'s channel 0 it is 0. */
struct sound_fit {
	double amplitude, phase, rest;
};
struct sound_fit sound_fit(const struct sound *, uint32_t channel, double hz, size_t from, size_t to);

#endif
