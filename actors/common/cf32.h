/* SPDX-License-Identifier: MIT */
/* cf32_le: samples as files hold them, two little-endian floats side by side, and as networks do, apart. */
#ifndef PENSTOCK_ACTORS_CF32_H
#define PENSTOCK_ACTORS_CF32_H

#include <stddef.h>
#include <stdint.h>

#define PS_CF32_BYTES 8u
/* Samples that are moved at once: long reads and writes that stay in a core's cache. */
#define PS_CF32_CHUNK 16384u

/* n samples apart, bit by bit, also of a NaN; how many of them are not finite. words is changed where
 * the machine is big-endian. n is at most PS_CF32_CHUNK. */
uint32_t ps_cf32_split(float *restrict re, float *restrict im, uint32_t *restrict words, size_t n);
/* n samples side by side; how many of them are not finite. n is at most PS_CF32_CHUNK. */
uint32_t ps_cf32_join(uint32_t *restrict words, const float *restrict re, const float *restrict im, size_t n);

/* The largest squared magnitude of `squared` and of those of n samples that are finite, to a float's
 * precision. */
double ps_cf32_peak(double squared, const float *re, const float *im, size_t n);

/* The four bytes of each of n words the other way round. */
void ps_words_swap(uint32_t *words, size_t n);

#endif
