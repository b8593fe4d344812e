/* SPDX-License-Identifier: MIT */
/* P-I-I-C by the library, as planned on a machine of one host and its devices, or of two hosts with a device each. */
#ifndef PENSTOCK_BENCHMARKS_PIIC_NETWORK_H
#define PENSTOCK_BENCHMARKS_PIIC_NETWORK_H

#include <penstock/penstock.h>
#include <penstock/plan.h>
#include <penstock/transport.h>

enum { PIIC_INCREMENTERS = 2, PIIC_ACTORS = PIIC_INCREMENTERS + 2, PIIC_PLACES = PIIC_INCREMENTERS + 2 };

/* What runs, and on what; seconds and rate as the plan knows them. */
struct piic {
	unsigned incrementers; /* 1 or 2, each at a device of its own */
	char selectors[PIIC_INCREMENTERS][64];
	bool shared; /* the devices share memory with the host */
	double rate, latency, kernel_s;
	bool half;
	size_t bytes; /* of a token */
	unsigned loops;
	uint64_t tokens, first; /* is timed from token `first` on */
	bool overlap;
	/* two hosts: P and I1 at c0 and its device, I2 and C at those of c1 */
	bool two_hosts;
	double net_rate, net_latency;
	struct pstk_transport *transport; /* of piic_library(): between two ranks, of which the first is c0 */
};

struct piic_planned {
	char names[PIIC_ACTORS][8];
	uint64_t latency[PIIC_ACTORS]; /* cycles */
	uint64_t bytes;                /* of all places, without merging */
	unsigned places;
	char place[PIIC_PLACES][8];
	uint64_t place_bytes[PIIC_PLACES];
	double period, simulated; /* s */
};

/* Only plans. Ends the program if it can't. */
void piic_plan(const struct piic *, struct piic_planned *);

/* Seconds a token, 0 where the consumer is elsewhere; *taken: the bytes of FIFOs that the run took, of all hosts on
 * rank 0. Ends the program when a token is wrong. */
double piic_library(const struct piic *, uint64_t *taken);

#endif
