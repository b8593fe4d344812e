/* SPDX-License-Identifier: MIT */
/*
 * Runs an actor in a network of its own: a source for each input, a sink for each output. Tests say what should come
 * out; it depends on nothing else, such as steps, rates at the other ends, depths or which threads fire.
 */
#ifndef PENSTOCK_ACTORS_CHECK_STREAM_H
#define PENSTOCK_ACTORS_CHECK_STREAM_H

#include "penstock/actors.h"
#include "tests/common/common.h"

enum { STREAM_PORTS = 8 };

/* The tokens of a source, or those that came to a sink. */
struct stream {
	size_t token_size;
	size_t count;
	unsigned char *tokens; /* a sink's: stream_free() frees them */
	size_t next;           /* source only */
};

/* How it is run. */
struct stream_way {
	uint32_t steps;                                               /* 0: PSTK_STEPS_AUTO */
	uint32_t write_rates[STREAM_PORTS], read_rates[STREAM_PORTS]; /* of sources, of sinks */
	uint32_t depth;
	uint32_t tail;           /* of each input */
	unsigned threads, aside; /* aside: firings side by side */
	const char *device;      /* the tested actor's, or moving_device(); NULL: the cores */
};

struct stream_run {
	struct stream in[STREAM_PORTS], out[STREAM_PORTS]; /* in the order of the type's ports */
	struct stream_way way;
};

/* Adds the tested actor to a network, by the name "tested". */
typedef struct pstk_actor *(*stream_add)(struct pstk_network *, const void *data);

struct stream_way stream_way(struct test_rng *);

/* How host and device share memory, and that with an actor that moves: one way a test, each test a process of its
 * own. */
enum { STREAM_MEMORIES = 5 };
extern const char *const stream_memories[STREAM_MEMORIES];

/* The first device; NULL: says that there is none. */
const char *stream_device(const char *memory);

/* As stream_way(), on that device or on a half of it, or moving from firing to firing. memory NULL, or where there is
 * no device: on the cores. */
struct stream_way stream_way_on(const char *memory, struct test_rng *);

/* Builds, runs and destroys it, and asserts that all is well. The sinks' streams are empty before, and the caller
 * frees them. */
void stream_run(struct stream_run *, stream_add, const void *data);
void stream_free(struct stream_run *);

/* The same of a run that fails: with this error, and a message that has all words. */
void stream_fails(
	struct stream_run *, stream_add, const void *data, int err, const char *const *words, size_t count);
#define STREAM_FAILS(run, add, data, err, ...)                                  \
	stream_fails(run, add, data, err, (const char *const[]){ __VA_ARGS__ }, \
		TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

/* Fails the test unless this came out of a port. */
void stream_check(const struct stream_run *, unsigned port, const void *tokens, size_t count, uint64_t seed);

/* Fails the test unless the network refuses the actor: at once, or at its start, when an input gets one token of
 * 8 bytes and an output gives such. The message has all words. */
void stream_refuses(stream_add, const void *data, int err, const char *const *words, size_t count);
#define STREAM_REFUSES(add, data, err, ...)                                  \
	stream_refuses(add, data, err, (const char *const[]){ __VA_ARGS__ }, \
		TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

/* Fails the test unless tokens of 8 bytes at the inputs and of 4 at the outputs are refused at the start. */
void stream_refuses_sizes(stream_add, const void *data);

#endif
