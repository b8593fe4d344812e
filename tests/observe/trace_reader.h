/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace's file back, and compares it with the network that has run. It knows Chrome's format and the public
 * figures of the network, and shares no code with lib/.
 */
#ifndef PENSTOCK_TESTS_TRACE_READER_H
#define PENSTOCK_TESTS_TRACE_READER_H

#include <penstock/penstock.h>

/* Is there a span of this name, which lasts? Yes, where this build can't read one. */
bool trace_has_span(const char *path, const char *name);

/* A move of this number. false: the file has none, or this build can't read one. */
struct trace_move {
	char name[64], from[64], to[64], state[16], text[256];
	uint64_t wanted, firing, took_ns, state_bytes;
};
bool trace_find_move(const char *path, unsigned number, struct trace_move *);

struct trace_sums {
	uint64_t files, moves, spans, fires, waits, sleeps, controls, kernels, transfers, fills, arrows, lost;
};

/* Can this build read one? (jansson) */
bool trace_reader_is_there(void);

/* Is it JSON, with a list of events? Yes, where this build can't read one. */
bool trace_is_json(const char *path);

/*
 * NULL: all is as it must be; else what is wrong, until the next call. The network has ended.
 *   - it is JSON, each event has what its kind needs, and tracks have names
 *   - a move has one begin, and behind that one end
 *   - on a track spans come by time, and nest
 *   - firings: as many as the actors' figures say (exact: of a network that did not fail), less those that were lost
 *   - a FIFO's counter comes by time, is never below 0 nor above what the FIFO holds, and ends with the tokens that are
 *     in it (exact, or nothing lost)
 *   - an arrow has both ends, goes forward in time, from a firing to a firing; of two actors that are not kahn actors,
 *     where nothing was lost, there is one for each window and window of which tokens were taken
 * peeks: by FIFO, is its history a peek? No public figure says so. NULL: none is.
 */
const char *trace_check(
	const char *path, struct pstk_network *, bool exact, const bool *peeks, struct trace_sums *);

#endif
