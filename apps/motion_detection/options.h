/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef MOTION_DETECTION_OPTIONS_H
#define MOTION_DETECTION_OPTIONS_H

#include "apps/common/moves.h"
#include "apps/common/team.h"

enum { DEVICE_ACTORS = 3 }; /* gauss, thres, med: what can run on a device */

struct options {
	const char *input;                  /* NULL: the scene */
	uint32_t scene_width, scene_height; /* 0: no scene */
	uint32_t width, height;             /* 0: as the input is */
	uint64_t frames;                    /* 0: all */
	const char **outputs;               /* output_count of them, of argv */
	unsigned output_count;
	bool overlay;
	uint32_t rate, threshold;
	struct team team;
	struct moves moves;
	uint32_t device_depth;              /* windows between host and device; 0: the library's default */
	const char *devices[DEVICE_ACTORS]; /* selectors, of device_list; NULL: on the cores */
	char *device_list;                  /* --device, cut at its commas */
	unsigned *cores;                    /* core_count of them */
	unsigned core_count;
	const char *stats, *trace;
	bool check; /* says whether the network can deadlock, and ends */
};

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);
void options_free(struct options *);

#endif
