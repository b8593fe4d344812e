/* SPDX-License-Identifier: MIT */
/* Samples as files hold them, side by side, and as networks do, apart. cf32_le: two little-endian floats; cu8: two
 * unsigned bytes. */
#ifndef PENSTOCK_ACTORS_CF32_H
#define PENSTOCK_ACTORS_CF32_H

#include <stddef.h>
#include <stdint.h>

#define PS_CF32_BYTES 8u
#define PS_CU8_BYTES 2u
/* Samples that are moved at once: long reads and writes that stay in a core's cache. */
#define PS_CF32_CHUNK 16384u

/* n samples apart, bit by bit, also of a NaN; how many of them are not finite. words is changed where
 * the machine is big-endian. n is at most PS_CF32_CHUNK. */
uint32_t ps_cf32_split(float *restrict re, float *restrict im, uint32_t *restrict words, size_t n);
/* n samples side by side; how many of them are not finite. n is at most PS_CF32_CHUNK. */
uint32_t ps_cf32_join(uint32_t *restrict words, const float *restrict re, const float *restrict im, size_t n);

/* n samples of bytes apart: 0 .. 255 is -1 .. 1, so that 127.5, which no byte is, is the middle. */
void ps_cu8_split(float *restrict re, float *restrict im, const unsigned char *restrict bytes, size_t n);

/* The largest squared magnitude of `squared` and of those of n samples that are finite, to a float's
 * precision. */
double ps_cf32_peak(double squared, const float *re, const float *im, size_t n);

/* The four bytes of each of n words the other way round. */
void ps_words_swap(uint32_t *words, size_t n);

#endif
