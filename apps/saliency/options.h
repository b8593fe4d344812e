/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef SALIENCY_OPTIONS_H
#define SALIENCY_OPTIONS_H

#include "apps/common/moves.h"
#include "apps/common/team.h"
#include "apps/saliency/steps.h"

enum overlap { OVERLAP_NONE, OVERLAP_ON, OVERLAP_OFF }; /* none: FIFOs have the library's depths */

struct options {
	const char *input;                  /* NULL: the scene */
	uint32_t scene_width, scene_height; /* 0: no scene */
	uint32_t width, height;             /* 0: as the input is */
	uint64_t frames;                    /* 0: all */
	const char *window;                 /* NULL: hann */
	const char *output;                 /* NULL: nothing is written */
	bool overlay;
	struct team team;
	struct moves moves;
	struct places places; /* split: STEPS: one place, or it is to be chosen */
	unsigned place_count; /* that --device names; 0: it is not given */
	bool split_given, split_auto;
	char *device_list; /* --device, cut at its comma */
	enum overlap overlap;
	const char *stats, *trace;
	bool check; /* says whether the network can deadlock, and ends */
};

/* Is the split to be chosen? */
bool options_choose_split(const struct options *);

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);
void options_free(struct options *);

#endif
