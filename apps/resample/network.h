/* SPDX-License-Identifier: MIT */
/* A change of the rate as a network: source, for each channel the stages and skip, sink. */
#ifndef RESAMPLE_NETWORK_H
#define RESAMPLE_NETWORK_H

#include "apps/common/wav_sink.h"
#include "apps/resample/options.h"
#include "apps/resample/plan.h"
#include "apps/resample/source.h"

struct resample {
	struct wav_input input;
	struct wav_output output;
	struct plan plan;
	struct wav_sink sink;
	uint32_t rate; /* of the output */
	struct pstk_network *network;
	struct pstk_actor *end;  /* what the sink is connected to */
	struct pstk_fifo *first; /* out of the source */
};

/* Opens the input and builds the network but for its sink. 0, or what to exit with; everything has been said then. In
 * both cases resample_close() follows. */
int resample_open(struct resample *, const struct options *);

/* Opens the output (not for --print-network) and adds the sink. As resample_open(), and after it, so that a network
 * that can't be built makes no files. */
int resample_open_output(struct resample *, const struct options *);

void resample_close(struct resample *);

#endif
