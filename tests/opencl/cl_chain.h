/* SPDX-License-Identifier: MIT */
/* A source of 1, 2, 3, .., an actor on a device that is tested, a sink that keeps what comes: of 32-bit tokens. */
#ifndef PENSTOCK_TESTS_CL_CHAIN_H
#define PENSTOCK_TESTS_CL_CHAIN_H

#include <penstock/penstock.h>

#include <stdatomic.h>

enum { CL_CHAIN_MAX = 4096 };

#define CL_CHAIN_ALL UINT32_MAX

struct cl_chain {
	/* set these, then build */
	uint32_t tokens; /* of the source; 0: 32; CL_CHAIN_ALL: for ever, and the sink keeps only the first */
	uint32_t rate;   /* 0: 1 */
	uint32_t delay;  /* of both FIFOs */
	uint32_t depths[2]; /* of the one in, the one out; 0: what the library makes of it */
	uint32_t wanted;    /* the sink ends after so many firings; 0: never */
	uint32_t hold_at;   /* the source waits before this token until `go` is set; 0: never */
	atomic_bool go;

	struct pstk_network *net;
	struct pstk_actor *source, *tested, *sink;
	struct pstk_fifo *in, *out;
	uint32_t next;              /* source only */
	_Atomic uint32_t count;     /* sink only: tokens that came */
	uint32_t got[CL_CHAIN_MAX]; /* sink only, until wait() */
};

/* Ports in, out: two of a tested actor's. */
extern const struct pstk_port cl_chain_ports[2];

/* For actors beside the chain; arg: struct cl_chain */
int cl_chain_source_fire(struct pstk_firing *);
int cl_chain_sink_fire(struct pstk_firing *);

/* The selector of the first device with these POCL_DEVICES and this PENSTOCK_MEMORY; NULL: says that there is none. */
const char *cl_chain_device(const char *pocl, const char *memory);

/* tested is mapped to the device (NULL: not). The caller destroys c->net. */
void cl_chain_build(struct cl_chain *c, const struct pstk_actor_type *type, void *arg, const char *device);

/* Runs and destroys it; fails the test unless that ends with 0 and token i is a * i + b, i from 1 (delay zeros
 * first). */
void cl_chain_expect(struct cl_chain *c, uint32_t a, uint32_t b);

/* Runs and destroys it; fails the test unless that ends with err and the error says these words. */
void cl_chain_fails(struct cl_chain *c, int err, const char *const *words, size_t count);
#define CL_CHAIN_FAILS(c, err, ...)                                  \
	cl_chain_fails(c, err, (const char *const[]){ __VA_ARGS__ }, \
		TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

#endif
