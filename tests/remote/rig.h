/* SPDX-License-Identifier: MIT */
/*
 * Ranks inside of one process, streams between them, and a thread at each end of each stream, which checks every token.
 */
#ifndef PENSTOCK_TESTS_REMOTE_RIG_H
#define PENSTOCK_TESTS_REMOTE_RIG_H

#include "lib/remote/remote.h"
#include "tests/common/common.h"
#include "tests/remote/inside.h"

#include <pthread.h>

enum { RIG_RANKS = 4, RIG_STREAMS = 4, RIG_READERS = 3, RIG_ROUTE = 3 };

/* A reader of a stream, at its last rank. */
struct rig_reader {
	/* chosen */
	uint32_t rate, delay, depth, history, tail;
	bool peek, shares;   /* shares: the memory of the reader before it */
	uint64_t ends_after; /* windows, then it ends; UINT64_MAX: it reads all */
	/* what came out */
	uint64_t tokens, wrong;
	struct ps_fifo fifo;
	struct rig_stream *of;
	pthread_t thread;
};

struct rig_stream {
	/* chosen */
	uint32_t route[RIG_ROUTE],
		stops; /* ranks: the first writes, the last reads, between them it is forwarded */
	uint32_t rate, windows, number;
	size_t token_size;
	uint64_t tokens; /* that are written */
	uint32_t readers;
	struct rig_reader reader[RIG_READERS];
	/* what came out */
	uint64_t written;
	bool discarded;                    /* the writer was told that nothing is wanted */
	struct ps_fifo way[RIG_ROUTE - 1]; /* the writer's FIFO, and those of ranks between */
	struct rig *of;
	pthread_t thread;
	struct test_rng rng;
};

struct rig_rank {
	struct rig *of;
	uint32_t rank;
	struct ps_remote *remote;
	pthread_t thread;
	_Atomic uint64_t time; /* what the remotes' clock says */
	pthread_mutex_t lock;
	/* guarded by lock */
	uint32_t faults, blamed; /* calls of fault(), and the rank that the first one names */
	uint64_t changes;        /* calls of changed() */
	char text[256];
	uint64_t messages, wrong_messages; /* of each other rank in order: see rig_tell() */
	uint64_t next_message[RIG_RANKS];
};

struct rig {
	/* chosen */
	uint32_t ranks, count, delay;
	uint64_t seed;
	uint32_t linger; /* one window in so many is held for a while; 0: none */
	struct rig_stream stream[RIG_STREAMS];
	uint64_t (*now)(void *rank); /* struct rig_rank */
	/* NULL, or what each rank does before its remote thread begins, and after it has ended. All ranks at once. */
	void (*before)(struct rig_rank *), (*after)(struct rig_rank *);
	bool eventcounts; /* the remote threads' ends have eventcounts of their own, as a device's host ends have */

	struct inside *inside;
	struct rig_rank rank[RIG_RANKS];
};

/* A stream that a test may change: rate 2, 2 windows, 20 tokens of 4 bytes, one reader of the same rate. */
void rig_stream(struct rig *, uint32_t from, uint32_t to);

/* Makes FIFOs and channels; begins the remote threads. */
void rig_build(struct rig *);
void rig_begin(struct rig *);

/* Writes and reads all, then ends the remote threads, and fails the test if the transport saw a violation. */
void rig_run(struct rig *);
void rig_free(struct rig *);

/* How often fault() was called at a rank. */
uint32_t rig_faults(struct rig *, uint32_t rank);

/* The next message from a rank to another one: its kind counts up. What ps_remote_tell() says. */
int rig_tell(struct rig *, uint32_t from, uint32_t to, uint64_t n);

/* Fails the test unless all readers that read all have read each token, and none found a wrong one. If all have read
 * all, each window and each end was told to changed(). */
void rig_check(struct rig *);

#endif
