/* SPDX-License-Identifier: MIT */
/* Suites of random networks: kinds of networks, each on each way of a carrier, from seed 1 or PENSTOCK_TEST_SEED
 * on. */
#ifndef PENSTOCK_TESTS_SUITE_H
#define PENSTOCK_TESTS_SUITE_H

#include "tests/random/carrier.h"
#include "tests/random/generator.h"

/*
 * PENSTOCK_TEST_WAY=n      only this way of the carrier
 * PENSTOCK_TEST_KIND=name  only this kind
 * (and those of tests/common/common.h)
 */
struct suite_kind {
	const char *name;
	struct net_switches switches;
	unsigned rounds;        /* networks that are run in each way */
	const uint64_t *seeds;  /* these, `rounds` of them; NULL: one after the other */
	unsigned least_dead;    /* per cent of the networks deadlock, at least */
	unsigned least_shared;  /* per cent of the FIFOs share memory, at least */
	unsigned least_bundled; /* per cent of the FIFOs are in bundles, at least */
};

/* A test a way of the carrier, which runs all kinds. */
void suite_add(Suite *, const struct carrier *, const struct suite_kind *, unsigned count);

/* Networks with pipelines that end early (ends.c): test cases "errors", "aborts", "stops", a test a way. */
void suite_add_ends(Suite *, const struct carrier *, unsigned rounds);

/* PENSTOCK_TEST_SEED, or another one in each way, so that they run other networks. */
uint64_t suite_first_seed(unsigned way);

/* What PENSTOCK_TEST_WAY says; -1: all. */
int suite_way(const struct carrier *);

/* The command that repeats a network: "PENSTOCK_TEST_KIND=pairs PENSTOCK_TEST_SEED=7 tests/random/check_random_dead".
 * choice: what chooses the kind or the test case; way: -1: none. Until the next call. */
const char *suite_replay(const char *choice, int way, uint64_t seed);
/* The end of that command; NULL: tests/random/ and the program's name. */
extern const char *suite_program;

#endif
