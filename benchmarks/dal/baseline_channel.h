/* SPDX-License-Identifier: MIT */
/*
 * Channel: a blocking FIFO with one writer and one reader. Knows nothing of processes, but that each end
 * gives a wait up when a thread has counted up a `changes` of that end.
 *
 * Windows of `rate` tokens lie contiguously: read window j is at slot (j mod blocks) * rate, write window
 * w at slot behind + ((w + ahead) mod blocks) * rate, where delay = ahead * rate + behind; what a write leaves
 * in the last `behind` slots is copied to the first ones. Streams are windows of one token.
 */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_CHANNEL_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_CHANNEL_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BASELINE_LINE = 64 }; /* bytes that cores hand to each other */

struct baseline_cl;
struct baseline_process;
struct baseline_ring;

/* How threads wait. Constant after create. */
struct baseline_waiting {
	bool locked;      /* counters are moved under the lock only */
	bool deferred;    /* a sleeper is woken for half of the channel, or by baseline_channel_pay() */
	uint64_t spin_ns; /* a look so long before sleeping; 0: none */
};

struct baseline_channel {
	/* constant after create */
	const char *name;
	struct baseline_process *writer, *reader;
	struct baseline_waiting waiting;
	uint32_t rate;
	size_t token_size;
	uint64_t delay, depth, blocks, ahead, behind; /* tokens, but for depth and blocks: windows */
	char *data; /* what [read, written) is in is the reader's, the rest the writer's; NULL: blocks on a device */
	struct baseline_cl *shared_with; /* the device whose memory data is; NULL: the host's */
	struct baseline_ring *ring;      /* only devices use it; NULL: the host does, too */

	/* writer's thread only: tokens begun, and the slot of the next one, without `behind` */
	alignas(BASELINE_LINE) uint64_t put;
	uint64_t put_slot;
	_Atomic uint64_t written; /* tokens, without the initial ones; counted up by the writer */
	atomic_bool closed;       /* the writer has ended */

	/* reader's thread only: tokens begun, and the slot of the next one */
	alignas(BASELINE_LINE) uint64_t got;
	uint64_t got_slot;
	_Atomic uint64_t read; /* tokens; counted up by the reader */
	atomic_bool unwanted;  /* the reader has ended: what is written is dropped */

	alignas(BASELINE_LINE) pthread_mutex_t lock;
	pthread_cond_t has_data, has_room;
	/* set by the waiter, under the lock; cleared by the thread that wakes it */
	atomic_bool reader_waits, writer_waits;
	/* guarded by lock: the `written` or `read` that it needs, and that wakes it */
	uint64_t reader_needs, writer_needs, reader_wants, writer_wants;
};

/* What a wait is given up for: a thread has counted *changes up since it was `seen`. */
struct baseline_patience {
	const _Atomic unsigned *changes;
	unsigned seen;
};

/* Fills c, which is zeroed; elsewhere: but for data. 0, -ENOMEM or -EOVERFLOW. */
int baseline_channel_init(struct baseline_channel *, uint32_t rate, uint64_t delay, uint64_t depth,
	size_t token_size, bool elsewhere);
void baseline_channel_fini(struct baseline_channel *);
uint64_t baseline_channel_slots(const struct baseline_channel *);

/* Reader's thread. Tokens that can be begun, and where the next one is: `span` lie side by side. */
uint64_t baseline_readable(const struct baseline_channel *);
const char *baseline_read_at(const struct baseline_channel *, uint64_t *span);
void baseline_begin_read(struct baseline_channel *, uint64_t tokens);
void baseline_end_read(struct baseline_channel *, uint64_t tokens); /* the oldest ones begun */
void baseline_wait_readable(struct baseline_channel *, uint64_t tokens, struct baseline_patience);
/* Has the writer ended, and all been begun? */
bool baseline_has_ended(const struct baseline_channel *);
/* At least so many can be waited for, however the other end moves tokens. */
uint64_t baseline_reachable(const struct baseline_channel *);

/* Writer's thread, the same. */
uint64_t baseline_writable(const struct baseline_channel *);
char *baseline_write_at(const struct baseline_channel *, uint64_t *span);
void baseline_begin_write(struct baseline_channel *, uint64_t tokens);
void baseline_end_write(struct baseline_channel *, uint64_t tokens);
void baseline_wait_writable(struct baseline_channel *, uint64_t tokens, struct baseline_patience);
/* Copies what of these tokens, from that slot on, a read window has at the beginning of the memory. */
void baseline_mirror(struct baseline_channel *, const char *from, uint64_t tokens);

/* The thread of one end (the writer's, or the reader's): wakes the other one if there is what it needs. */
void baseline_channel_pay(struct baseline_channel *, bool writer);

/* Any thread, after a change of one end's: the thread that waits there looks again. */
void baseline_channel_nudge(struct baseline_channel *, bool writer);

#endif
