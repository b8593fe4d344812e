/* SPDX-License-Identifier: MIT */
/* Lines: SRAD's stages in a row, for check_staged.h. */
#ifndef PENSTOCK_ACTORS_CHECK_LINES_H
#define PENSTOCK_ACTORS_CHECK_LINES_H

#include "penstock/vision.h"

struct lines {
	struct pstk_frame_size size;
	float lambda;
	uint32_t iterations;
	bool loop; /* one stage for all iterations; else a row of stages for each */
};

/* A staged_build; data: struct lines. */
unsigned lines_build(struct pstk_network *, const void *data, struct pstk_actor **stages);

#endif
