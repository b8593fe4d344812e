/* SPDX-License-Identifier: MIT */
/* Sounds for tests, as WAV files, which are made and read by code of their own; and the program, run inside of the
 * test. */
#ifndef RESAMPLE_CHECK_WAV_H
#define RESAMPLE_CHECK_WAV_H

#include "actors/common/check_files.h"

struct sound {
	uint32_t rate, channels, bits; /* 16, 24: PCM; 32: floats */
	bool extensible;               /* the long form of the fmt chunk */
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

/* Runs main(); what it says on stderr, and its exit status. Allocation `wav_fail_allocation` of it fails; 0: none. */
extern unsigned wav_fail_allocation;
extern bool wav_allocation_failed;
int wav_run(char *err, size_t size, const char *const *arguments);
#define WAV_RUN(err, ...) wav_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

#endif
