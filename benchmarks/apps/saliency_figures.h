/* SPDX-License-Identifier: MIT */
/* What the benchmark of saliency has measured, as tables and as JSON. */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_FIGURES_H
#define PENSTOCK_BENCHMARKS_SALIENCY_FIGURES_H

#include "benchmarks/apps/saliency_network.h"
#include "benchmarks/apps/saliency_timed.h"

#include <stdio.h>

enum { SALIENCY_SIZES = 2 };

/* Of one size; seconds, those of runs a frame. */
struct saliency_size {
	struct saliency_frames frames;
	char name[24];
	double cores[STEPS], device[STEPS];
	double one, team, team_ratio;
	double library, by_hand, hand_ratio;
	double apart;   /* library and by hand on the device: from the first maps */
	unsigned lanes; /* of the faster one by hand */
};

/* Two devices: the split, and frames dealt. */
enum { SALIENCY_SPLIT, SALIENCY_DEALT, SALIENCY_MANNERS };

struct saliency_two {
	const char *after; /* the split's last step at the first device */
	struct saliency_ran ran[SALIENCY_MANNERS];
	double loads[SALIENCY_MANNERS]; /* of the devices: the lesser by the greater */
};

/* no_..: why it was left out; "": it was not. */
struct saliency_figures {
	const char *driver;
	unsigned rounds;
	uint64_t frames; /* of a run */
	struct saliency_size sizes[SALIENCY_SIZES];
	unsigned count;
	char no_cores[256], no_device[512], no_two[512], no_timed[256];
	struct saliency_two two; /* at the last size */
	struct saliency_timed timed[TIMED_WAYS];
	const char *filters, *trace; /* files; NULL: none */
};

/* Tables: of a size once it is measured, and of two devices, with what was left out. */
void saliency_figures_print_size(const struct saliency_figures *, const struct saliency_size *);
void saliency_figures_print_two(const struct saliency_figures *);

void saliency_figures_write(const struct saliency_figures *, FILE *);

#endif
