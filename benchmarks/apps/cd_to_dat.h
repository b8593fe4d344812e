/* SPDX-License-Identifier: MIT */
/*
 * CD to DAT: 44.1 kHz to 48 kHz as 4/3, 8/7 and 5/7, and behind it transforms of 1024 samples, one each 256. A sample
 * is both channels as one complex number. A filter has 32 taps in a phase, the last one 46; Kaiser's window for 80 dB.
 *
 * All take these taps, and blocks of whole iterations: 1176 samples in, 1280 out, five transforms.
 */
#ifndef PENSTOCK_BENCHMARKS_APPS_CD_TO_DAT_H
#define PENSTOCK_BENCHMARKS_APPS_CD_TO_DAT_H

#include "benchmarks/apps/stages.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CD_FILTERS = 3, CD_FFT = 1024, CD_HOP = 256 };
/* Samples: whole iterations, and whole windows of 64 steps of each filter. */
enum { CD_LEAST = 9408 };

struct cd_filter {
	const char *name;
	uint32_t interpolation, decimation, phase_taps;
	float *taps; /* interpolation x phase_taps */
};

/* Once, before all else, and at the end. NULL, or why it can't run here: then there are no stages. */
const char *cd_open(void);
void cd_close(void);

const struct stages *cd_stages(void);
const struct cd_filter *cd_filters(void);

/*
 * What other code has computed of the first samples, `pieces` spectra, is what the stages give, but for rounding: no
 * bin is off by more than 2e-6 of the largest one. Ends the program otherwise. filled: its filters begin when they
 * have all their samples; else with zeros before the stream.
 */
void cd_check(const char *name, const float *spectra, size_t pieces, bool filled);

/* steps: of the filters; 0: PSTK_STEPS_AUTO. iterations: instead, windows of so many by hand. depth 0: as the library
 * has it. */
struct cd_way {
	uint32_t team, steps, iterations, depth;
};

/* By the library, for rounds.h. arg: struct cd_way. items: samples */
uint64_t cd_run_network(const void *arg, uint64_t items);
uint64_t cd_run_serial(const void *arg, uint64_t items);

#ifdef __cplusplus
}
#endif

#endif
