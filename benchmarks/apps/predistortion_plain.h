/* SPDX-License-Identifier: MIT */
/*
 * Predistortion without the library: by one thread, and by two for one half of the periods each. And what
 * all its programs share: the options, a table for each number of active branches.
 */
#ifndef PENSTOCK_BENCHMARKS_PREDISTORTION_PLAIN_H
#define PENSTOCK_BENCHMARKS_PREDISTORTION_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the arg of every variant begins with. */
struct predistortion_way {
	unsigned team;  /* threads; 0: one for each actor; plain runs know their own */
	uint32_t block; /* samples */
	uint32_t depth;
	bool fixed; /* each actor's thread on one core */
};

/* For rounds_parse(): -a ACTIVE and -b BLOCK. */
#define PREDISTORTION_OPTIONS "a:b:"
#define PREDISTORTION_HELP                                                \
	"  -a ACTIVE   branches, 1 to 10, or random (2, 6, 10, random)\n" \
	"  -b BLOCK    of serial and ideal, 64, 128, .. 65536 (the fastest)\n"
/* Behind the last option. */
#define PREDISTORTION_ABOUT                                                                                 \
	"\n"                                                                                                \
	"Predistortion on the cores, ten branches of which so many are active: millions of samples a "      \
	"second.\n"                                                                                         \
	"serial is one thread that calls the same kernels, ideal two that share nothing. \"threads\" (one " \
	"for each\n"                                                                                        \
	"actor) and \"team N\" are the library, with windows of a block of samples and FIFOs of so many "   \
	"windows.\n"                                                                                        \
	"\"merged\": fewer and larger actors, all filters with the adder in one.\n"                         \
	"Others are the system in the program's name.\n"
bool predistortion_option(int c, const char *arg);

/* Calls f for each number of active branches that the options name. */
void predistortion_each(void (*f)(void *data), void *data);

/* Of the table that is being run: how many branches are active (HAMMERSTEIN_RANDOM), its title. */
unsigned predistortion_active(void);
const char *predistortion_title(void);

/* The block that -b gave, else the one that is fastest for one thread: small ones cost calls, large ones
 * leave the cache. */
struct predistortion_way predistortion_plain_way(void);

/* For tables of rounds.h; arg: a way. items: a multiple of the period. */
uint64_t predistortion_run_serial(const void *arg, uint64_t items);
uint64_t predistortion_run_ideal(const void *arg, uint64_t items);

#ifdef __cplusplus
}
#endif

#endif
