/* SPDX-License-Identifier: MIT */
/* Saliency as a network: source, the seven steps, what makes frames of maps, sink. */
#ifndef SALIENCY_NETWORK_H
#define SALIENCY_NETWORK_H

#include <penstock/media.h>

#include "apps/saliency/map_sink.h"
#include "apps/saliency/options.h"
#include "apps/saliency/split.h"

struct saliency {
	struct pstk_video_input *input;
	struct pstk_video_info info;
	struct pstk_video_output *output; /* NULL: none, or maps */
	struct pstk_video_sink_arg sink;
	struct map_sink maps;
	struct places places; /* with the split that was chosen */
	struct split split;   /* how */
	struct pstk_network *network;
	struct steps steps;
	struct pstk_fifo *last; /* into the sink: its written tokens are the frames */
	uint64_t planned_bytes; /* of the plan's places together; 0: there was no plan */
};

/* Opens the input and builds the network. 0, or what to exit with; everything has been said then. In both cases
 * saliency_close() follows. */
int saliency_open(struct saliency *, const struct options *);

/* Opens the output, after saliency_open(), so that a network that can't be built makes no file. As saliency_open(). */
int saliency_open_output(struct saliency *, const struct options *);

void saliency_close(struct saliency *);

#endif
