/* SPDX-License-Identifier: MIT */
/*
 * Rounds: what the benchmarks on the cores share. The variants of a table run in turn, round after round,
 * each with the same number of items, so that what happens to the machine happens to all. Ratios are of two
 * runs of one round, and the median is taken of the ratios. Before and after each run the state of the
 * cores is probed (probe.h); a run during which it changed, or others used the cores, counts as neither
 * near nor far. Every run gives a hash of its output; two of equally many items that differ end the program
 * with status 1.
 */
#ifndef PENSTOCK_BENCHMARKS_ROUNDS_H
#define PENSTOCK_BENCHMARKS_ROUNDS_H

#include <penstock/penstock.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROUNDS_VARIANTS = 64, ROUNDS_REFERENCES = 3 };

struct rounds_options {
	const char *program;
	unsigned rounds;
	double seconds; /* that a run of the first variant takes */
	bool verbose;   /* print each run */
	/* of variants of one thread the time is the processor's, not the clock's; no ratios to others then */
	bool cpu;
	const char *only; /* of the variants only references and those whose name has this in it; NULL: all */
};

struct rounds_variant {
	char name[48];
	/* Runs so many items; the hash of what came out. Does not return after an error (rounds_fail()). */
	uint64_t (*run)(const void *arg, uint64_t items);
	const void *arg; /* borrowed */
	/* its outputs are compared within this group: of a group they are equal bit by bit */
	unsigned group;
	unsigned divide;    /* runs 1/divide of the items, because it is slow; 0: all */
	bool one_thread;    /* doesn't notice the state of the cores: counts in any */
	const char *versus; /* others are compared with it, under this heading; NULL: with them */
};

struct rounds_table {
	const char *title;
	const char *unit; /* of items, in the plural; times: of one, in the singular */
	double scale;     /* a figure is items per second / scale, or ns an item / scale */
	bool times;       /* figures and ratios are times an item, not items a time */
	uint64_t least;   /* items of a run: a multiple of this */
	/* what run() has to give for so many items, found in another way; NULL: what the first of them gives */
	uint64_t (*expect)(const void *arg, uint64_t items);
	struct rounds_variant variants[ROUNDS_VARIANTS];
	unsigned count;
};

/* The options that all benchmarks have, and the letters of `more` (as getopt() takes them), which are given
 * to `option`; it returns false for a wrong one. Ends the program with status 2 after a wrong one, prints
 * `help` then. */
struct rounds_options rounds_parse(
	int argc, char **argv, const char *more, bool (*option)(int c, const char *arg), const char *help);

/* Adds a variant, which the caller fills further; the name is printed like printf(). */
PSTK_PRINTF(4, 5)
struct rounds_variant *rounds_add(struct rounds_table *, uint64_t (*run)(const void *arg, uint64_t items),
	const void *arg, const char *name, ...);

/* Runs a table and prints it. Ends the program with status 1 if outputs differ. */
void rounds_run(const struct rounds_options *, struct rounds_table *);

/* Runs a network, destroys it. Ends the program with status 1 and the network's error if it fails. */
void rounds_run_network(struct pstk_network *);

/* Says what is wrong and ends the program with status 1. */
PSTK_PRINTF(1, 2) _Noreturn void rounds_fail(const char *format, ...);

/* Memory on cache lines. Ends the program when there is none. */
void *rounds_alloc(size_t bytes);

/* A hash of bytes that vectorises, so that it takes about as long as reading them; n: a multiple of 64. */
uint64_t rounds_hash(const void *bytes, size_t n);

/* Hashes of parts are added up, in any order: (2 index + 1) tells one place from another. */
static inline uint64_t rounds_hash_at(uint64_t hash, uint64_t index)
{
	return hash * (2 * index + 1);
}

#endif
