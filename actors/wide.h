/* SPDX-License-Identifier: MIT */
/* Hot loops that gain from wider vectors than the baseline's are compiled for both; the loader chooses.
 * After config.h. */
#ifndef PENSTOCK_ACTORS_WIDE_H
#define PENSTOCK_ACTORS_WIDE_H

#ifdef PENSTOCK_TARGET_CLONES
#define PS_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PS_WIDE
#endif

#endif
