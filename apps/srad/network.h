/* SPDX-License-Identifier: MIT */
/* SRAD as a network: source, the stages, sink; the stages are a pipeline. */
#ifndef SRAD_NETWORK_H
#define SRAD_NETWORK_H

#include "apps/srad/options.h"
#include "apps/srad/pictures.h"

/* All that a run of the program needs. */
struct srad {
	struct options options;
	struct pictures pictures;
};

/* As struct staged_program has it. */
int srad_build(struct srad *, struct staged *);

#endif
