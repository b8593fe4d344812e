/* SPDX-License-Identifier: MIT */
/*
 * Rounds: what the benchmarks on the cores share. The variants of a table run in turn, round after round,
 * each with the same number of items, so that what happens to the machine happens to all. Ratios are of two
 * runs of one round, and the median is taken of the ratios. Before and after each run the state of the
 * cores is probed (probe.h); a run during which it changed, or others used the cores, counts as neither
 * near nor far. Every run gives a hash of its output; two of equally many items that differ end the program
 * with status 1.
 *
 * Not all fits into one process: runtimes disturb each other. So a driver (benchmarks/run) may take the part
 * of the rounds, over the variants of many programs, by a protocol that each program here has:
 *
 *	PROGRAM --list                  a line of JSON for each variant
 *	PROGRAM --run NAME [--table TITLE] --seconds S | --items N [--round R] [--expect]
 *	                                one run of one variant, as one line of JSON
 *
 * benchmarks/README.md says what is in them. C++ may include this.
 */
#ifndef PENSTOCK_BENCHMARKS_ROUNDS_H
#define PENSTOCK_BENCHMARKS_ROUNDS_H

#include <penstock/penstock.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ROUNDS_VARIANTS = 64, ROUNDS_REFERENCES = 3, ROUNDS_WORDS = 4, ROUNDS_WORD = 32, ROUNDS_NAME = 80 };

/* What a variant is in a comparison, for the driver. */
enum rounds_role {
	ROUNDS_UNSAID, /* serial or ideal if that is its `versus`, else the library */
	ROUNDS_LIBRARY,
	ROUNDS_SERIAL,   /* one thread that calls one kernel after the other */
	ROUNDS_IDEAL,    /* threads that share nothing: no variant can be faster */
	ROUNDS_PEER,     /* another system */
	ROUNDS_LIMIT,    /* written by hand for this machine */
	ROUNDS_BASELINE, /* the paper's: our own runtime behind DAL's functions */
	ROUNDS_ROLES
};

/* Which program takes the part of the rounds. */
enum rounds_mode {
	ROUNDS_TABLES, /* this program: it prints tables */
	ROUNDS_LIST,   /* a driver, which asks what there is */
	ROUNDS_ONE     /* a driver, which wants one run */
};

struct rounds_options {
	const char *program;
	unsigned rounds;
	double seconds; /* that a run of the first variant takes */
	bool verbose;   /* print each run */
	/* of variants of one thread the time is the processor's, not the clock's; no ratios to others then */
	bool cpu;
	/* of the variants only references and those whose name has this in it, or one of several between bars;
	 * also in a driver's list. A table that has none of these is not run; if that goes for all tables the
	 * program ends with status 2. NULL: all */
	const char *only;
	/* for a driver */
	enum rounds_mode mode;
	const char *variant, *table; /* of ROUNDS_ONE; table NULL: the first that has the variant */
	uint64_t items;              /* 0: as many as take the seconds */
	unsigned round;              /* is told back */
	bool expect;                 /* compute what is expected, too */
};

/* What a run has cost by a clock of its own. */
struct rounds_cost {
	double seconds, cpu; /* cpu: seconds of all threads */
	long switches;
};

struct rounds_variant {
	/* Parts between commas that are a word and a number ("depth 4", "8 tokens") are parameters: the driver
	 * draws a curve over those that differ. */
	char name[ROUNDS_NAME];
	/* Runs so many items; the hash of what came out. Does not return after an error (rounds_fail()). */
	uint64_t (*run)(const void *arg, uint64_t items);
	const void *arg; /* borrowed */
	/* its outputs are compared within this group: of a group they are equal bit by bit */
	unsigned group;
	unsigned divide;    /* runs 1/divide of the items, because it is slow; 0: all */
	bool one_thread;    /* doesn't notice the state of the cores: counts in any */
	const char *versus; /* others are compared with it, under this heading; NULL: with them */
	enum rounds_role role;
	/* run() leaves there what counts, where it begins with what doesn't (kernels are built); NULL: all counts */
	const struct rounds_cost *cost;
	const char *absent; /* why it can't run here: it is not run, and that is said; NULL: it can */
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
	/* Tables of one family are points of a curve, at `at` of what `sweep` says ("pixels"); NULL: of none. */
	const char *family, *sweep;
	double at;
	char again[ROUNDS_WORDS][ROUNDS_WORD]; /* rounds_again() */
	unsigned again_count;
};

/* The options that all benchmarks have, and the letters of `more` (as getopt() takes them), which are
 * given to `option`; it returns false for a wrong one. If `more` begins with '=' all letters are the
 * program's own, and only -k, a driver's options and -h come to them. Ends the program with status 2 after a
 * wrong one, with 0 after -h; prints `help` then: a line for each of its options, and behind an empty line
 * what it measures. */
struct rounds_options rounds_parse(
	int argc, char **argv, const char *more, bool (*option)(int c, const char *arg), const char *help);

/*
 * Does -k, if it is there, leave a variant of this name in? Where it leaves none in it must be misspelt: the program
 * then ends with status 2 and lists the names that were asked for here, at its end, or when rounds_require_choice() is
 * called.
 */
bool rounds_chosen(const struct rounds_options *, const char *name);
void rounds_require_choice(const struct rounds_options *);

/* Whether rounds_run() will do anything with this table: what takes time to prepare may wait until then. */
bool rounds_has_chosen(const struct rounds_options *, const struct rounds_table *);

/* For what only shows when all options are known: says what is wrong and the usage, ends the program with
 * status 2. */
PSTK_PRINTF(1, 2) __attribute__((noreturn)) void rounds_refuse(const char *format, ...);

/* Adds a variant, which the caller fills further; the name is printed like printf(). */
PSTK_PRINTF(4, 5)
struct rounds_variant *rounds_add(struct rounds_table *, uint64_t (*run)(const void *arg, uint64_t items),
	const void *arg, const char *name, ...);

/* What this program has found out by measuring, as the option that tells it to another process of it, so
 * that both run the same. The value is printed like printf(). */
PSTK_PRINTF(3, 4)
void rounds_again(struct rounds_table *, const char *option, const char *value, ...);

/* Runs a table and prints it. Ends the program with status 1 if outputs differ. For a driver it prints what
 * there is, or runs the one variant, if this table has it. */
void rounds_run(const struct rounds_options *, struct rounds_table *);

/* What the channels of the run that is under way are, in bytes: each for itself, which is what papers count;
 * and what was taken from the system, which is less where readers share. The last call before the run ends
 * counts; a driver is told. */
void rounds_channels(uint64_t bytes, uint64_t taken);

/* Runs a network, tells of its channels, destroys it. Ends the program with status 1 and the network's error if
 * it fails. */
void rounds_run_network(struct pstk_network *);

/* The same, but does not destroy it. */
void rounds_run_borrowed(struct pstk_network *);

/* Processor time of all that has run on the machine, and what its host has kept from it; 0: not known. */
double rounds_machine_seconds(void);

/* Says what is wrong and ends the program with status 1. */
PSTK_PRINTF(1, 2) __attribute__((noreturn)) void rounds_fail(const char *format, ...);

/* Memory on cache lines. Ends the program when there is none. */
void *rounds_alloc(size_t bytes);

/* A hash of bytes that vectorises, so that it takes about as long as reading them; n: a multiple of 64. */
uint64_t rounds_hash(const void *bytes, size_t n);

/* Hashes of parts are added up, in any order: (2 index + 1) tells one place from another. */
static inline uint64_t rounds_hash_at(uint64_t hash, uint64_t index)
{
	return hash * (2 * index + 1);
}

#ifdef __cplusplus
}
#endif

#endif
