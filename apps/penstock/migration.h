/* SPDX-License-Identifier: MIT */
/*
 * Migration: what penstock plan says of an actor that moves while data flow: of two paths that are given (--migration),
 * or of those that the planner finds (--move).
 */
#ifndef PENSTOCK_COMMAND_MIGRATION_H
#define PENSTOCK_COMMAND_MIGRATION_H

#include "apps/penstock/loading.h"

#include <penstock/plan.h>

/* Of a run, at most: a double and JSON have each number up to here. */
#define MIGRATION_ITERATIONS (UINT64_C(1) << 53)

struct migration {
	/* what was given; NULL, 0: not */
	const char *paths, *move, *times;
	uint64_t iterations, at;
	struct pstk_path original, migrated;
	/* of a move */
	char *actor;             /* owned */
	const char *from, *to;   /* places; from is the plan's */
	const char *pred, *succ; /* the actors beside it; NULL: not known */
	const char *untimed;     /* an actor without a time at its place; NULL: none. The plans' .. */
	struct pstk_plan *plan;  /* .. of which this is with the actor at its new place; owned */
	/* the result */
	struct pstk_migration result;
	struct pstk_migration_run run; /* original 0: no times are known */
	struct pstk_migration_prediction prediction;
};

/* The options' values. -1, or what to exit with, said then. */
int migration_take_paths(struct migration *, const char *value);
int migration_take_move(struct migration *, const char *value);
int migration_take_times(struct migration *, const char *value);
int migration_take_count(const char *option, const char *value, uint64_t *count);

static inline bool migration_is_asked(const struct migration *m)
{
	return m->paths || m->move;
}

/* Do the options go together? 0, or what to exit with, said then. */
int migration_settle(const struct migration *);

/* What follows from paths that were given. 0, or what to exit with, said then. */
int migration_find(struct migration *);

/* The same of a move: the plan is of the network as it is, and another one is made with the actor at its new place,
 * which it stays at. The plan is to be there as long. 0, or what to exit with, said then. */
int migration_plan(struct migration *, const struct loading *, const struct pstk_plan *);

void migration_free(struct migration *);

#endif
