/* SPDX-License-Identifier: MIT */
/*
 * Saliency whose step `normalize` moves between two halves of a device and the cores, while all other steps are on the
 * cores. When each map came, what is known of each move; and is each map, bit for bit, that of its frame.
 */
#ifndef PENSTOCK_BENCHMARKS_MIGRATE_NETWORK_H
#define PENSTOCK_BENCHMARKS_MIGRATE_NETWORK_H

#include "benchmarks/apps/saliency_frames.h"

#include <penstock/hosts.h>
#include <penstock/penstock.h>

/* Places of normalize; the others are on the cores. Over two hosts HALF_1 is the first one's, HALF_2 the other's. */
enum migrate_place { MIGRATE_HALF_1, MIGRATE_HALF_2, MIGRATE_CORES, MIGRATE_PLACES };

/* The paper's scenarios on one host. */
enum { MIGRATE_EQUAL, MIGRATE_SHORTER, MIGRATE_LONGER, MIGRATE_SCENARIOS };

extern const char *const migrate_places[MIGRATE_PLACES]; /* selectors; NULL: the cores */
extern const struct migrate_scenario {
	const char *name;
	enum migrate_place from, to;
} migrate_scenarios[MIGRATE_SCENARIOS];

struct migrate_way {
	enum migrate_place first;
	bool movable; /* to all places of `moves`; false: it is mapped to the first one, and that is all */
	uint64_t frames;
	unsigned moves;              /* so many .. */
	uint64_t begin;              /* .. the first one at this firing .. */
	unsigned apart;              /* .. and so many firings between two of them */
	enum migrate_place cycle[4]; /* where to: these in turn; where it is already: a control */
	unsigned cycle_length;
	struct pstk_transport
		*transport; /* NULL: one process; else two, all but normalize is in the first one */
};

struct migrate_ran {
	double *moments;         /* s: when each map came; freed by the caller */
	struct pstk_move *moves; /* freed by the caller; their actors are gone */
	unsigned count;          /* of moves that are done and have all figures */
	size_t move_bytes, allocated_bytes;
};

/* Why it can't be run here; NULL: it can. */
const char *migrate_absent(void);

/* What a place is called in that way; NULL: the cores. */
const char *migrate_place_name(const struct migrate_way *, enum migrate_place);

/* Ends the program if the network fails, a move is not done or a map is not that of its frame, bit for bit. Frames
 * that don't know their maps learn them. */
void migrate_run(struct saliency_frames *, const struct migrate_way *, struct migrate_ran *);

#endif
