/* SPDX-License-Identifier: MIT */
/*
 * Energy: what a meter of a chip counts.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_ENERGY_H
#define PENSTOCK_ENERGY_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joules of the parts of a chip. */
struct pstk_joules {
	double cores;  /* C */
	double device; /* G: the GPU, or another OpenCL device */
	double rest;   /* U: the package less both */
};

#ifdef __cplusplus
}
#endif

#endif
