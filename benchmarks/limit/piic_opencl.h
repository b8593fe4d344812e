/* SPDX-License-Identifier: MIT */
/*
 * P-I-I-C by hand: a producer on the host, one or two devices that each add to every element, a consumer on the host.
 * As the paper's runtime does it (PACCO, sections 3, 4.3 and 5.1): a thread for each device, cycles with barriers, host
 * memory that is page-locked where the driver has that. Over two hosts each has a device and one end of the network
 * between them. What a token is, is in benchmarks/apps/piic_token.h.
 */
#ifndef PENSTOCK_BENCHMARKS_PIIC_OPENCL_H
#define PENSTOCK_BENCHMARKS_PIIC_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIIC_DEVICES = 2 };

/* What is in a cycle, between two barriers. */
enum piic_way {
	PIIC_SERIAL, /* of each device: to it, kernel, from it, one after the other (fig. 2) */
	PIIC_PHASES, /* all transfers, a barrier, all kernels: without overlap (fig. 15) */
	PIIC_OVERLAP /* everything at once, on double buffers: with overlap (figs. 3, 15) */
};

/* A host of two: what carries tokens between them, and the barrier of both. The thread that calls piic_by_hand() makes
 * these calls. Memory is one of two, and the same each time for the same half. */
struct piic_net {
	void *self;
	bool first; /* the host of the producer, which sends; the other one has the consumer */
	void (*open)(void *self, float *const memory[2], size_t bytes);
	void (*start)(void *self, unsigned half); /* begins to send, or to receive, a token .. */
	void (*wait)(void *self);                 /* .. and waits until it has left, or has come */
	void (*barrier)(void *self);
	void (*close)(void *self);
};

struct piic_devices {
	cl_context context;
	cl_device_id devices[PIIC_DEVICES];
	unsigned count;
	bool parts; /* of one device: to be released */
};

struct piic_by_hand {
	size_t bytes; /* of a token */
	unsigned loops;
	uint64_t tokens, first; /* is timed from token `first` on */
	const struct piic_net
		*net; /* NULL: one host. Else this one has one device, and the way is no PIIC_SERIAL */
};

/* The first `count` devices of this type of the first platform whose name has `platform` in it and that has as many;
 * or, if it has one of a type that can be parted, that many parts of it. False: there are none. */
bool piic_open(struct piic_devices *, const char *platform, cl_device_type type, unsigned count);
void piic_close(struct piic_devices *);

/* Seconds a token; 0 where the consumer is on another host. Ends the program when a token is wrong. */
double piic_by_hand(const struct piic_devices *, const struct piic_by_hand *, enum piic_way);

/* Seconds that the first device takes: for a kernel; to bring a token there from the host's page-locked memory. By its
 * profile, the median of some. */
double piic_kernel_seconds(const struct piic_devices *, const struct piic_by_hand *);
double piic_hop_seconds(const struct piic_devices *, const struct piic_by_hand *);

#endif
