/* SPDX-License-Identifier: MIT */
/* Dynamic predistortion as a network: source, configuration, polynomial, filters, adder, sink. */
#ifndef PREDISTORTION_NETWORK_H
#define PREDISTORTION_NETWORK_H

#include <penstock/iq.h>

#include "apps/predistortion/active.h"
#include "apps/predistortion/options.h"

struct predistortion {
	struct coefficients coefficients;
	struct active active;
	struct pstk_iq_input *input;
	struct pstk_iq_output *output;        /* NULL: none */
	struct pstk_spectrum *before, *after; /* NULL: no plot */
	struct pstk_spectrum *sent_before,
		*sent_after; /* what the transmitter sends; NULL: it is not known */
	struct pstk_configuration *configuration;
	struct pstk_iq_info info;
	struct pstk_network *network;
	struct pstk_actor *source, *adder; /* what the sink and the spectra are connected to */
	struct pstk_actor *conf, *poly;
	uint32_t period; /* samples */
	bool uses_device;
	struct pstk_fifo *first; /* into the polynomial */
	struct pstk_fifo *last;  /* into the sink: its written tokens are the samples */
};

/* Loads, opens the input (none for --print-network) and builds the network. 0, or what to exit with;
 * everything has been said then. In both cases predistortion_close() follows. */
int predistortion_open(struct predistortion *, const struct options *);

/* Opens the output, if there is one (none for --print-network), and adds the sink; as predistortion_open(),
 * and after it, so that a network that can't be built makes no files. */
int predistortion_open_output(struct predistortion *, const struct options *);

void predistortion_close(struct predistortion *);

#endif
