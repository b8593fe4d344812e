/* SPDX-License-Identifier: MIT */
/* Motion detection as a network: source, gauss, thres, med, sink. */
#ifndef MOTION_DETECTION_NETWORK_H
#define MOTION_DETECTION_NETWORK_H

#include <penstock/media.h>

#include "apps/motion_detection/options.h"

enum { WAY = 4 };

struct motion {
	struct pstk_video_input *input;
	struct pstk_video_output **outputs; /* as many as there are in the options */
	struct pstk_video_sink_arg sink;
	struct pstk_video_info info;
	struct pstk_network *network;
	bool uses_device;
	struct pstk_fifo *way[WAY]; /* from source to gauss, thres, med, sink; NULL: could not be made */
	struct pstk_fifo *last;     /* into the sink: its written tokens are the frames */
};

/* Opens the input and builds the network. 0, or what to exit with; everything has been said then. In both
 * cases motion_close() follows. */
int motion_open(struct motion *, const struct options *);

/* Opens the outputs that are not open yet, or only those of them that are FIFOs, which may wait for their
 * reader. After motion_open(), so that a network that can't be built makes no files. As motion_open(). */
int motion_open_outputs(struct motion *, const struct options *, bool fifos);

void motion_close(struct motion *, const struct options *);

#endif
