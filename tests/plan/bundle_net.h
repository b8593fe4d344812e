/* SPDX-License-Identifier: MIT */
/*
 * Two actors, `write` and `read`, with FIFOs beside each other. The writer says in each token which one it is; the
 * reader looks at each token, and at the zeros behind the last one. With control values both are dynamic, and a third
 * actor tells them these in turn.
 */
#ifndef PENSTOCK_TESTS_BUNDLE_NET_H
#define PENSTOCK_TESTS_BUNDLE_NET_H

#include <penstock/penstock.h>

#include <stdatomic.h>
#include <stdbool.h>

enum { BUNDLE_MOST = 80 };
#define BUNDLE_OPEN UINT32_MAX

struct bundle_fifo {
	uint32_t rate, delay, depth;
	size_t token_size; /* 4 or 8 */
	uint32_t last; /* static: valid tokens of the writer's last window; BUNDLE_OPEN: it does not end it */
	bool left;     /* static: the reader does not end its last window */
	uint32_t on;   /* dynamic: bit v: on for control value v; 0: it is a static port */
};

struct bundle_net {
	/* What it is. */
	struct bundle_fifo fifos[BUNDLE_MOST];
	unsigned count;
	unsigned values;  /* control values; 0: both actors are static */
	bool undeclared;  /* their number is not declared */
	uint64_t firings; /* of the writer, the last one with it; dynamic: control values */
	uint64_t reads;   /* firings after which the reader ends by itself; 0: with its inputs */
	unsigned threads; /* of the team; 0: a thread per actor */
	void (*fired)(
		const struct bundle_net *, bool writer, uint64_t firing); /* in fire(), at its end; or NULL */

	/* What it has become. */
	struct pstk_network *net;
	struct pstk_actor *write, *read;
	struct pstk_fifo *made[BUNDLE_MOST];
	uint64_t written[BUNDLE_MOST], read_windows[BUNDLE_MOST];
	atomic_uint reads_last; /* firings of the reader that had a window which is not whole */
	atomic_uint wrong;      /* tokens and windows that are not what they should be */
};

/* Makes it from what it is. */
void bundle_net_build(struct bundle_net *);

/* Builds and runs it: what pstk_network_run() says. The network stays. */
int bundle_net_run(struct bundle_net *);
void bundle_net_destroy(struct bundle_net *);

/* By arithmetic: the tokens that the writer puts into a FIFO of a static network. */
uint64_t bundle_net_total(const struct bundle_net *, unsigned fifo);

#endif
