/* SPDX-License-Identifier: MIT */
/* Coefficients: generated ones of the filters and the classifier. */
#ifndef VIVID_COEFFICIENTS_H
#define VIVID_COEFFICIENTS_H

#include <stddef.h>
#include <stdint.h>

enum { COEFFICIENTS_TAPS = 9 }; /* of a filter, row after row */

/*
 * Generates filters, and a classifier: learned ones were never published. From x = 1664525 x + 1013904223 mod 2^32
 * come u = (x >> 8) / 2^24, from 0 to 1. A filter is nine u without their mean, of length 1, a row of the classifier
 * 200 u. The first ones are the same however many there are; but a row is as long as there are filters. The caller
 * frees *to. 0, or what to exit with; said then.
 */
int coefficients_make_filters(size_t count, float **to);
int coefficients_make_classifier(size_t rows, size_t filters, float **to);

#endif
