/* SPDX-License-Identifier: MIT */
/* gauss and median of `frames` frames by oneTBB's parallel_pipeline; the sum of what the sink had. */
#ifndef PENSTOCK_BENCHMARKS_PEERS_MAPPING_TBB_H
#define PENSTOCK_BENCHMARKS_PEERS_MAPPING_TBB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t mapping_tbb_run(uint64_t frames, unsigned tokens, unsigned threads);

#ifdef __cplusplus
}
#endif

#endif
