/* SPDX-License-Identifier: MIT */
/*
 * What the programs of the peers share: both applications' tables. Each table has, beside the peer's own
 * variants, one thread (serial), two that share nothing (ideal) and the library's team of two at its best
 * settings; all call the same functions of motion_frames.h and hammerstein.h for what the actors do, and all
 * outputs are compared. For C++, too: rounds.h is not.
 */
#ifndef PENSTOCK_BENCHMARKS_PEERS_PEER_H
#define PENSTOCK_BENCHMARKS_PEERS_PEER_H

#include <penstock/penstock.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PEER_THREADS = 2,
	PEER_BATCH_MOST = 16 /* runs of motion detection are of a multiple of so many frames */
};

/* As rounds.h has it: runs so many items (frames, samples), gives the output's hash. */
typedef uint64_t (*peer_run)(const void *arg, uint64_t items);

/* The whole of a program: reads the options, calls `add` for each table, runs the tables. The status. */
int peer_motion(int argc, char **argv, void (*add)(void));
int peer_predistortion(int argc, char **argv, void (*add)(void));

/* For `add`. arg is borrowed; of predistortion it begins with a struct predistortion_way, of which `block`
 * is set: blocks of one size give outputs that are equal bit by bit. */
PSTK_PRINTF(3, 4) void peer_add(peer_run run, const void *arg, const char *name, ...);

/* Zeroed memory on cache lines. Ends the program when there is none. */
void *peer_alloc(size_t bytes);

/* Says what is wrong and ends the program with status 1. */
PSTK_PRINTF(1, 2) void peer_fail(const char *format, ...) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
