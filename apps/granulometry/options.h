/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef GRANULOMETRY_OPTIONS_H
#define GRANULOMETRY_OPTIONS_H

#include "apps/granulometry/network.h"

struct options {
	const char **inputs; /* input_count of them, of argv */
	unsigned input_count;
	struct size size; /* width 0: as the images are */
	uint32_t threshold, element, openings;
	uint32_t split;                          /* 0: it was not given */
	bool measures;                           /* --split auto */
	const char *devices[GRANULOMETRY_PARTS]; /* selectors, of device_list; NULL: on the cores */
	char *device_list;                       /* --device, cut at its comma */
	enum granulometry_overlap overlap;
	struct moves moves;
	uint64_t repeat;
	const char *output, *stats, *trace; /* NULL: none */
	struct team team;
	bool check; /* says whether the network can deadlock, and ends */
};

/* True: run with these. False: *status is what to exit with; everything has been said. */
bool options_parse(struct options *, int argc, char **argv, int *status);
void options_free(struct options *);

#endif
