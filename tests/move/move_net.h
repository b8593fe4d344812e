/* SPDX-License-Identifier: MIT */
/*
 * A chain whose middle actor moves: source -> mover -> sink, of 32-bit tokens. The mover gives 3 x + 1; one with a
 * state adds how often it has fired, which is in its state. It runs on the cores and as a kernel.
 */
#ifndef PENSTOCK_TESTS_MOVE_NET_H
#define PENSTOCK_TESTS_MOVE_NET_H

#include "tests/fake_cl/fake_cl.h"
#include "tests/opencl/cl_chain.h"

struct move_net {
	struct cl_chain chain;
	bool keeps;                /* the mover has a state */
	_Atomic unsigned on_cores; /* firings of fire() */
};

/* Selectors of two halves of PoCL's device, or of the fake driver's two. */
extern const char *move_places[2];

/* false: says that there is no device. memory: PENSTOCK_MEMORY. */
bool move_open(const char *pocl, const char *memory);

/* The fake driver with these settings and its two devices as places. At the end: no object is left, no rule broken. */
const struct fake_cl *move_fake(const char *driver, const char *settings, const char *memory);
void move_settle(const struct fake_cl *);

/* What there is, and has been made, of all that a move could take. */
struct move_taken {
	long objects[FAKE_CL_KIND_COUNT]; /* but events, which come and go */
	uint64_t made;                    /* calls that make such objects */
	long allocations;                 /* of the library; LONG_MAX less so many */
	unsigned threads, descriptors;
	size_t bytes; /* the library's word */
};

/* The first look begins to count the library's allocations. The other one fails the test if anything was taken since
 * `before`, which it may bring up to date. */
struct move_taken move_look(const struct fake_cl *, const struct pstk_network *);
void move_takes_nothing(const struct fake_cl *, const struct pstk_network *, struct move_taken *before);

/* first: where the mover is mapped to, NULL: the cores. */
void move_make(struct move_net *, const char *first);

/* The same, and it may move to the cores and to both places. */
void move_build(struct move_net *, const char *first);

/* Fails the test unless the run ends with 0 and every token is as it must be; destroys the network unless `keep`. */
void move_expect(struct move_net *, bool keep);
void move_check_tokens(const struct move_net *);

/* The first token that is wrong, or lacks, or is too many; -1: none is. */
long move_find_wrong(const struct move_net *);

/* What is known of a move. */
struct pstk_move move_of(const struct move_net *, unsigned number);

/* The lines of pstk_network_print_stats() about moves, which it ends with; "": none. The caller frees it. */
char *move_stats(const struct move_net *);

#endif
