/* SPDX-License-Identifier: MIT */
/*
 * Runs an actor with branches in a network of its own: a source of random samples, the actor, a sink that
 * keeps what comes out, and, for a dynamic one, a source of control values that source or sink obey too.
 */
#ifndef PENSTOCK_ACTORS_CHECK_BRANCHES_H
#define PENSTOCK_ACTORS_CHECK_BRANCHES_H

#include "penstock/actors.h"
#include "tests/common/common.h"

enum { BRANCHES_MAX = 2047 };

/* The samples of a source, or those that came to a sink. */
struct branch_side {
	unsigned ports;                 /* but the control port */
	float *data[2 * BRANCHES_MAX];  /* re, im, re, im, .. */
	size_t count[2 * BRANCHES_MAX]; /* of a source's data; of those that came */
	size_t next[2 * BRANCHES_MAX];  /* of a source */
	size_t room;                    /* floats at each data */
	bool endless;                   /* a source: control() ends it */
};

struct branch_run {
	/* set these, then build; the others are 0 then */
	bool inputs; /* the branches are: adder */
	bool dynamic;
	unsigned count;         /* branches */
	uint32_t rate;          /* of all FIFOs */
	uint32_t one_rate;      /* of the one signal's im instead; 0: rate */
	size_t samples;         /* of the one signal; in windows of rate */
	const uint32_t *values; /* dynamic: one a firing, from the first on again after the last */
	size_t value_count;
	const char *device;  /* of the tested actor, or moving_device(); NULL: cores */
	size_t local;        /* another work-group's size, on the device; 0: the actor's own */
	const char *options; /* for its kernel's compiler; NULL: its own */

	struct pstk_network *net;
	struct pstk_actor *tested;
	struct branch_side one, branches;
	uint32_t tokens, limit; /* control source: given, to be given */
	char error[512];
};

/* Adds the tested actor to a network, by the name "tested". */
typedef struct pstk_actor *(*branch_add)(struct pstk_network *, const struct branch_run *, const void *data);

/* Random samples, of magnitudes up to 1, in the source's arrays. */
void branch_run_fill(struct branch_run *, struct test_rng *);

/* The network, not yet started. */
void branch_run_build(struct branch_run *, branch_add, const void *data);

/* Runs and destroys it; returns pstk_network_run()'s result, error is the network's. */
int branch_run_end(struct branch_run *);

/* All of it; fails the test unless the result is 0. */
void branch_run(struct branch_run *, struct test_rng *, branch_add, const void *data);
void branch_run_free(struct branch_run *);

/* Firings, and samples in the i-th. */
size_t branch_firings(const struct branch_run *);
size_t branch_window(const struct branch_run *, size_t firing);

/* Is this branch on in the i-th firing? */
bool branch_on(const struct branch_run *, unsigned branch, size_t firing);

/* Fails the test unless got is expected, but for 1e-5 of the largest expected magnitude, or of `least` if
 * that is less. */
void branch_compare(const struct branch_run *, const char *what, const float *got, const double *expected,
	size_t count, double least);

/* The first OpenCL device's selector; NULL, and it says so: there is none. */
const char *branch_device(void);

/* PENSTOCK_MEMORY's values, and the library's own choice. */
enum { BRANCH_MEMORIES = 4 };
extern const char *const branch_memories[BRANCH_MEMORIES];

#endif
