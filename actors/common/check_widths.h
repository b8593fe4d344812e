/* SPDX-License-Identifier: MIT */
/* What the tests of actors with streams of given widths have in common: interleave and deinterleave. */
#ifndef PENSTOCK_ACTORS_CHECK_WIDTHS_H
#define PENSTOCK_ACTORS_CHECK_WIDTHS_H

#include "actors/common/check_stream.h"

enum { WIDTHS_MOST = 200, WIDTHS_BYTES = 40 }; /* tokens of a stream, bytes of a token */

struct widths {
	uint32_t widths[STREAM_PORTS];
	unsigned count;
};

struct widths widths_draw(struct test_rng *);
void widths_fill(struct test_rng *, unsigned char *bytes, size_t n);

/* Of stream_run(): what widths_main() was given, by struct widths. */
struct pstk_actor *widths_add(struct pstk_network *, const void *data);

/* Runs a suite: what the tested function refuses, and streams of random widths, also by kind of a device's memory. */
typedef struct pstk_actor *(*widths_tested)(
	struct pstk_network *, const char *name, const uint32_t *widths, unsigned count);
int widths_main(const char *suite, widths_tested, const TTest *random_widths, const TTest *on_devices);

#endif
