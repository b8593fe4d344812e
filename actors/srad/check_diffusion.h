/* SPDX-License-Identifier: MIT */
/* SRAD in double precision, from its formulas alone, pixel by pixel. */
#ifndef PENSTOCK_ACTORS_CHECK_DIFFUSION_H
#define PENSTOCK_ACTORS_CHECK_DIFFUSION_H

#include <stddef.h>
#include <stdint.h>

struct diffusion {
	size_t w, h;
	double mean, variance, q0;
};

void diffusion_extract(double *to, const uint8_t *frame, const struct diffusion *);
/* Sets what is in the struct. A picture of one grey level has q0 0. */
void diffusion_measure(struct diffusion *, const double *map);
void diffusion_coefficients(double *to, const double *map, const struct diffusion *);
void diffusion_step(double *to, const double *map, const double *c, double lambda, const struct diffusion *);
/* In place. */
void diffusion_iterate(double *map, double lambda, unsigned iterations, struct diffusion *);

#endif
