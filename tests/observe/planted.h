/* SPDX-License-Identifier: MIT */
/* Networks with one bottleneck each that was put there on purpose. Work is time, not instructions: a loaded machine
 * changes little. */
#ifndef PENSTOCK_TESTS_PLANTED_H
#define PENSTOCK_TESTS_PLANTED_H

#include <penstock/penstock.h>

enum planted_kind {
	PLANTED_SOURCE,    /* a source waits for the world */
	PLANTED_ACTOR,     /* a stage without a state is slow */
	PLANTED_SERIAL,    /* a stage with a state is */
	PLANTED_IMBALANCE, /* nine of ten windows go to one of two branches */
	PLANTED_SWITCHING, /* firings of next to nothing */
	PLANTED_DEPTH,     /* the slow ends of a FIFO of one window */
	PLANTED_TRANSFER,  /* large windows to a device and back, of which it reads next to nothing */
	PLANTED_KINDS
};

struct planted_work {
	uint64_t ns;
	bool waits;       /* off its core */
	uint64_t firings; /* of a source, before it ends */
	uint64_t fired;
};

enum { PLANTED_ACTORS = 8 };

struct planted {
	enum planted_kind kind;
	struct pstk_network *net;
	struct planted_work work[PLANTED_ACTORS];
	unsigned count;
	struct pstk_actor *culprit; /* NULL: none is */
	struct pstk_fifo *fifo;     /* that is too shallow */
	struct pstk_device_info device;
};

/* Can it be planted here? A transfer needs a device. */
bool planted_is_here(enum planted_kind);

/* seed: sizes, and how long the others' firings take. advised: what pstk_network_explain() says was followed. The
 * caller runs it, and destroys net. */
void planted_build(struct planted *, enum planted_kind, unsigned seed, uint64_t windows, bool advised);

#endif
