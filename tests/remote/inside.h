/* SPDX-License-Identifier: MIT */
/*
 * A transport inside of one process, for tests: each rank is a struct pstk_transport. Messages take a random number of
 * looks to arrive, and to be told, so channels overtake each other. It fails on demand.
 *
 * It also watches: a message without its receive, a slot used twice, too many bytes, a cancel with one on its way,
 * and what is still posted at the end, are violations, unless a fault is planted.
 */
#ifndef PENSTOCK_TESTS_REMOTE_INSIDE_H
#define PENSTOCK_TESTS_REMOTE_INSIDE_H

#include "penstock/transport.h"

struct inside;

enum inside_fault {
	INSIDE_OPEN,     /* open() fails */
	INSIDE_RECEIVE,  /* receive() fails */
	INSIDE_SEND,     /* send() fails */
	INSIDE_RECEIVED, /* a message does not come */
	INSIDE_SENT,     /* a message does not go */
	INSIDE_CANCEL,   /* cancel() fails */
	INSIDE_TEST,     /* test() fails */
	INSIDE_SILENT,   /* nothing comes or goes any more; counts looks */
	INSIDE_CUT,      /* a message of windows comes with a byte less */
	INSIDE_FAULTS
};

/* delay: looks that a message takes at most. */
struct inside *inside_new(uint32_t ranks, uint64_t seed, uint32_t delay);
void inside_free(struct inside *);
struct pstk_transport *inside_rank(struct inside *, uint32_t rank);

/* The fault happens once at this rank, when it could for the n-th time (from 0); SILENT, TEST: from then on. */
void inside_fail(struct inside *, uint32_t rank, enum inside_fault, uint32_t n);

/* Has it happened? */
bool inside_failed(struct inside *, uint32_t rank, enum inside_fault);

/* Looks (test()) of a rank so far. */
uint64_t inside_looks(struct inside *, uint32_t rank);

/* Control messages from a rank that another one was told. */
uint64_t inside_heard(struct inside *, uint32_t from, uint32_t to);

/* What was wrong first; NULL: nothing. */
const char *inside_violation(struct inside *);

#endif
