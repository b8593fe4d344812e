/* SPDX-License-Identifier: MIT */
/* The receiver as a network: source, channel, discriminator, sound, de-emphasis, sink; of stereo, a decoder behind the
 * discriminator, and all behind it for each channel. */
#ifndef FM_RECEIVER_NETWORK_H
#define FM_RECEIVER_NETWORK_H

#include <penstock/iq.h>

#include "apps/common/wav_sink.h"
#include "apps/fm_receiver/demodulator.h"
#include "apps/fm_receiver/options.h"
#include "apps/fm_receiver/stereo.h"

struct receiver {
	struct plan plan;
	struct pstk_iq_input *input;
	struct pstk_iq_info info;
	struct wav_output wav;
	struct wav_sink sink;
	uint32_t channels;
	struct decoder decoder;
	struct deemphasis deemphasis[2];
	struct pstk_network *network;
	struct pstk_actor
		*filters[4]; /* which --device maps: channel, pilot, sounds; NULL: it could not be added */
	unsigned filter_count;
	struct pstk_fifo *first; /* out of the source: its written tokens are the samples of the input */
	struct pstk_actor *end;  /* what the sink is connected to */
	struct pstk_fifo *
		last; /* into the sink, or what joins channels: its written tokens are the samples of audio */
};

/* Opens the input (none for --print-network) and builds the network. 0, or what to exit with; everything has been said
 * then. In both cases receiver_close() follows. */
int receiver_open(struct receiver *, const struct options *);

/* Opens the output, if there is one (none for --print-network), and adds the sink; as receiver_open(), and after it, so
 * that a network that can't be built makes no files. */
int receiver_open_output(struct receiver *, const struct options *);

void receiver_close(struct receiver *);

#endif
