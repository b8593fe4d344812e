/* SPDX-License-Identifier: MIT */
/* The greatest common divisor. */
#ifndef PENSTOCK_GCD_H
#define PENSTOCK_GCD_H

#include <stdint.h>

/* gcd(0, n) = n. */
static inline uint64_t ps_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
