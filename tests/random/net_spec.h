/* SPDX-License-Identifier: MIT */
/*
 * A network as a value: what the random generator makes, the oracle simulates and net_run builds with the
 * library.
 */
#ifndef PENSTOCK_TESTS_NET_SPEC_H
#define PENSTOCK_TESTS_NET_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_ACTORS = 32, NET_PORTS = 16, NET_FIFOS = 128, NET_READERS = 4 };

#define NET_NEVER UINT64_MAX

struct net_port {
	bool output;
	uint32_t rate;
	size_t token_size;
};

struct net_actor {
	char name[12];
	unsigned port_count;
	struct net_port ports[NET_PORTS];
	uint64_t seed;                  /* of its function and of its delays */
	uint64_t last;                  /* its last firing by its own choice, from 0; NET_NEVER */
	uint32_t last_valid[NET_PORTS]; /* in that firing: a port's tokens; 0: the window is left open */
	bool last_again; /* that firing returns PSTK_AGAIN: only a partly filled output says it is the last */
	unsigned dawdle; /* how often it delays inside its windows, per cent */
	int core;        /* of those that there are; -1: any */
	bool stateless;  /* its state is 0 before each firing, so that several may run side by side .. */
	unsigned concurrency; /* .. at most so many; 0: what the library makes of it */
	bool blocks;          /* has a thread of its own, beside a team */
	const char *device;   /* NULL: the cores */
};

struct net_fifo {
	unsigned src, src_port, dst, dst_port;
	uint32_t rate, delay, depth;
	size_t token_size;
	unsigned char *initial; /* delay tokens, or NULL for zeros */
};

struct net_spec {
	uint64_t seed;
	unsigned actor_count, fifo_count;
	int threads;    /* of its team; 0: a thread per actor; -1: as the environment says */
	bool unchecked; /* start() may refuse it, and it may end all the same, because its streams end */
	struct net_actor actors[NET_ACTORS];
	struct net_fifo fifos[NET_FIFOS];
};

/* The windows that a FIFO holds when nobody says it, by who runs the network. */
static inline uint32_t net_default_depth(unsigned threads)
{
	return threads ? 2 * threads : 2;
}

/* The windows of one firing, by port number. */
struct net_windows {
	const unsigned char *in[NET_PORTS]; /* NULL: not read in this firing */
	unsigned char *out[NET_PORTS];      /* NULL: not written in this firing */
	uint32_t valid[NET_PORTS];
};

/* What an actor computes: the valid tokens of its inputs go into its state, its outputs come out of the
 * state; a stateless one forgets what it was given. */
void net_function(const struct net_actor *actor, uint64_t *state, const struct net_windows *windows);

/* Tokens that an output's window gets unless the actor says otherwise, from the valid tokens of the inputs.
 */
uint32_t net_default_valid(const struct net_actor *actor, unsigned port, const uint32_t *valid);

unsigned net_input_count(const struct net_actor *actor);
unsigned net_output_count(const struct net_actor *actor);

void net_spec_free(struct net_spec *net);

#endif
