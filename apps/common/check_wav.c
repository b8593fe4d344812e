/* SPDX-License-Identifier: MIT */
#include "apps/common/check_wav.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sound sound_make(uint32_t rate, uint32_t channels, uint32_t bits, size_t frames)
{
	struct sound sound = { .rate = rate, .channels = channels, .bits = bits, .frames = frames };

	sound.samples = calloc(frames * channels + 1, sizeof *sound.samples);
	ck_assert_ptr_nonnull(sound.samples);
	return sound;
}

struct sound sound_tone(uint32_t rate, uint32_t channels, uint32_t bits, size_t frames, double hz)
{
	struct sound sound = sound_make(rate, channels, bits, frames);

	for (size_t i = 0; i < frames * channels; i++)
		sound.samples[i] =
			0.5 * sin(2 * acos(-1) * hz * (double)(i / channels) / rate + (double)(i % channels));
	return sound;
}

void sound_free(struct sound *sound)
{
	free(sound->samples);
	*sound = (struct sound){ 0 };
}

static unsigned char *put(unsigned char *at, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*at++ = (unsigned char)(value >> 8 * i);
	return at;
}

static uint32_t get(const unsigned char *at, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)at[i] << 8 * i;
	return value;
}

static uint32_t coded(double value, uint32_t bits)
{
	float single = (float)value;
	uint32_t code;

	if (bits != 32)
		return (uint32_t)lrint(value * (bits == 16 ? 32768 : 8388608));
	memcpy(&code, &single, 4);
	return code;
}

static double decoded(uint32_t code, uint32_t bits)
{
	double half = bits == 16 ? 32768 : 8388608, value = code;
	float single;

	if (bits != 32)
		return (value >= half ? value - 2 * half : value) / half;
	memcpy(&single, &code, 4);
	return (double)single;
}

unsigned char *sound_bytes(const struct sound *s, size_t *size)
{
	uint32_t width = s->bits / 8, frame = s->channels * width, tag = s->bits == 32 ? 3 : 1;
	size_t data = s->frames * frame, fmt = s->extensible ? 40 : 16;
	unsigned char *bytes = calloc(1, data + 100), *at = bytes;

	ck_assert_ptr_nonnull(bytes);
	memcpy(at, "RIFF", 4);
	at = put(at + 4, (uint32_t)(data + data % 2 + 20 + fmt), 4);
	memcpy(at, "WAVEfmt ", 8);
	at = put(at + 8, (uint32_t)fmt, 4);
	at = put(at, s->extensible ? 0xfffe : tag, 2);
	at = put(put(at, s->channels, 2), s->rate, 4);
	at = put(put(put(at, s->rate * frame, 4), frame, 2), s->bits, 2);
	if (s->extensible) {
		at = put(put(put(put(at, 22, 2), s->bits, 2), 7, 4), tag, 2);
		memcpy(at, "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
		at += 14;
	}
	memcpy(at, "data", 4);
	at = put(at + 4, (uint32_t)data, 4);
	for (size_t i = 0; i < s->frames * s->channels; i++)
		at = put(at, coded(s->samples[i], s->bits), width);
	*size = (size_t)(at - bytes) + data % 2;
	return bytes;
}

void sound_write(const char *path, const struct sound *sound)
{
	size_t size;
	unsigned char *bytes = sound_bytes(sound, &size);

	files_write(path, bytes, size);
	free(bytes);
}

struct sound sound_parse(const unsigned char *bytes, size_t size)
{
	uint32_t fmt = get(bytes + 16, 4), tag = get(bytes + 20, 2), width = get(bytes + 34, 2) / 8;
	struct sound s;
	size_t at = 20 + fmt, data;
	bool unknown;

	ck_assert_uint_ge(size, 44);
	ck_assert(!memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "WAVEfmt ", 8));
	unknown = get(bytes + 4, 4) == UINT32_MAX;
	if (!unknown)
		ck_assert_uint_eq(get(bytes + 4, 4), size - 8);
	tag = tag == 0xfffe ? get(bytes + 44, 2) : tag;
	ck_assert_uint_eq(tag, width == 4 ? 3 : 1);
	if (width == 4) {
		ck_assert(!memcmp(bytes + at, "fact\4\0\0\0", 8));
		at += 12;
	}
	ck_assert(!memcmp(bytes + at, "data", 4));
	data = get(bytes + at + 4, 4);
	at += 8;
	ck_assert(unknown == (data == UINT32_MAX));
	if (unknown)
		data = size - at;
	ck_assert_uint_eq(size, at + data + data % 2);
	s = sound_make(get(bytes + 24, 4), get(bytes + 22, 2), width * 8, data / get(bytes + 32, 2));
	s.extensible = fmt == 40;
	s.unknown = unknown;
	ck_assert_uint_eq(get(bytes + 32, 2), s.channels * width);
	ck_assert_uint_eq(get(bytes + 28, 4), s.rate * s.channels * width);
	ck_assert_uint_eq(data % (s.channels * width), 0);
	if (width == 4)
		ck_assert_uint_eq(get(bytes + at - 12, 4), unknown ? UINT32_MAX : s.frames);
	for (size_t i = 0; i < s.frames * s.channels; i++)
		s.samples[i] = decoded(get(bytes + at + i * width, width), s.bits);
	return s;
}

struct sound sound_read(const char *path)
{
	size_t size;
	unsigned char *bytes = files_read(path, &size);
	struct sound sound = sound_parse(bytes, size);

	ck_assert(!sound.unknown);
	free(bytes);
	return sound;
}

/* Least squares: a sine and a cosine. */
struct sound_fit sound_fit(const struct sound *s, uint32_t channel, double hz, size_t from, size_t to)
{
	double ss = 0, sc = 0, cc = 0, xs = 0, xc = 0, rest = 0, a, b, step = 2 * acos(-1) * hz / s->rate;

	for (size_t i = from; i < to; i++) {
		double x = s->samples[i * s->channels + channel], sine = sin(step * (double)i),
		       cosine = cos(step * (double)i);

		ss += sine * sine;
		sc += sine * cosine;
		cc += cosine * cosine;
		xs += x * sine;
		xc += x * cosine;
	}
	a = (xs * cc - xc * sc) / (ss * cc - sc * sc);
	b = (xc * ss - xs * sc) / (ss * cc - sc * sc);
	for (size_t i = from; i < to; i++) {
		double x = s->samples[i * s->channels + channel];
		double left = x - a * sin(step * (double)i) - b * cos(step * (double)i);

		rest += left * left;
	}
	return (struct sound_fit){ hypot(a, b), atan2(b, a), 10 * log10(rest / (double)(to - from) / 0.125) };
}
