/* SPDX-License-Identifier: MIT */
/*
 * The FM radio of the StreamIt benchmarks, as doc/examples/fmradio.c has it, but with zeros before the stream: a
 * low-pass filter that decimates by five, a demodulator, an equaliser of ten bands, each the difference of two filters
 * of 64 taps.
 *
 * As stages the equaliser is one: all filters on a part of a block, then their differences and sums. As a network
 * (fm_radio_network.h) it is the split-join.
 */
#ifndef PENSTOCK_BENCHMARKS_APPS_FM_RADIO_H
#define PENSTOCK_BENCHMARKS_APPS_FM_RADIO_H

#include "benchmarks/apps/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FM_TAPS = 64, FM_DECIMATION = 5, FM_BANDS = 10 };
/* Samples: whole windows of 1024 steps of the filter that decimates. */
enum { FM_LEAST = 1024 * FM_DECIMATION };

/* Once, before all else, and at the end. */
void fm_open(void);
void fm_close(void);

const struct stages *fm_stages(void);
uint64_t fm_run_serial(const void *arg, uint64_t items);

/* The filters; those of a band are FM_BELOW + band and FM_UPTO + band. */
enum { FM_LOW, FM_BELOW, FM_UPTO = FM_BELOW + FM_BANDS, FM_FILTERS = FM_UPTO + FM_BANDS };
struct pstk_actor *fm_filter_add(struct pstk_network *, const char *name, unsigned filter);
const void *fm_filter(unsigned filter); /* for ps_polyphase_run() */

/* The loops, n samples of output each. in of the demodulator: the sample before, and n more. */
void fm_demodulate(float *out, const float *in, size_t n);
void fm_subtract(float *out, const float *below, const float *upto, size_t n);
void fm_subtract_pairs(float *out, const float *pairs, size_t n);
void fm_amplify(float *out, const float *in, size_t n, unsigned band);
void fm_add(float *sum, const float *band, size_t n);
void fm_add_rows(float *out, const float *rows, size_t n); /* of a sample of each band */
void fm_equalize(float *out, const float *in, size_t n);   /* all of it; in: 63 samples, and n more */

#ifdef __cplusplus
}
#endif

#endif
