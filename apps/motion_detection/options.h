/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef MOTION_DETECTION_OPTIONS_H
#define MOTION_DETECTION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What the program exits with. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_DEVICE = 3,
	EXIT_DEADLOCKED = 4,
	EXIT_INTERRUPTED = 130
};

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
	uint32_t depth, device_depth;       /* windows; between host and device the latter */
	const char *devices[DEVICE_ACTORS]; /* selectors, of device_list; NULL: on the cores */
	char *device_list;                  /* --device, cut at its commas */
	unsigned *cores;                    /* core_count of them */
	unsigned core_count;
	const char *stats;
	bool check; /* says whether the network can deadlock, and ends */
};

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);
void options_free(struct options *);

#endif
