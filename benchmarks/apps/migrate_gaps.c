/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/migrate_gaps.h"
#include "benchmarks/common/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 12, APART = 3 }; /* a gap is of the firings before the move, of it, and after it */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double migrate_quantile(double *values, unsigned n, double share)
{
	qsort(values, n, sizeof *values, compare);
	return n ? values[(unsigned)(share * (n - 1) + 0.5)] : 0;
}

static bool is_control(const struct pstk_move *move)
{
	return !strcmp(move->from, move->to);
}

/* to: NULL: wherever it goes. */
static bool is_of(const struct pstk_move *move, const char *to)
{
	return !is_control(move) && (!to || !strcmp(move->to, to));
}

static double seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

static void find_excess(const struct migrate_ran *ran, double *values, struct migrate_gaps *g)
{
	for (unsigned i = 0; i < ran->count; i++)
		if (is_control(&ran->moves[i]))
			values[g->controls++] =
				seconds(ran->moves[i].gap_ns) - seconds(ran->moves[i].period_ns);
	g->excess = migrate_quantile(values, g->controls, 0.5);
	g->excess_95 = migrate_quantile(values, g->controls, 0.95);
}

enum column { GAP, PERIOD, BOUND, OF_PERIODS, BEFORE, AFTER, SWITCHED };

static double value_of(const struct pstk_move *move, const struct migrate_gaps *g, enum column column)
{
	switch (column) {
	case GAP:
		return seconds(move->gap_ns);
	case PERIOD:
		return seconds(move->period_ns);
	case BOUND:
		return seconds(move->bound_ns);
	case OF_PERIODS:
		return (seconds(move->gap_ns) - g->excess) / ((g->k + 1) * seconds(move->period_ns));
	case BEFORE:
		return seconds(move->latency_before_ns);
	case AFTER:
		return seconds(move->latency_after_ns);
	default:
		return seconds(move->switched_ns - move->began_ns);
	}
}

void migrate_gaps_measure(const struct migrate_ran *ran, const char *to, struct migrate_gaps *g)
{
	double *values = rounds_alloc((ran->count + 1) * sizeof *values);
	double *const medians[] = { &g->gap, &g->period, &g->bound, &g->of_periods, &g->before, &g->after,
		&g->switched };
	unsigned within = 0, within_median = 0;

	*g = (struct migrate_gaps){ 0 };
	find_excess(ran, values, g);
	for (unsigned i = 0; i < ran->count; i++) {
		const struct pstk_move *move = &ran->moves[i];
		double rest = seconds(move->gap_ns) - 1.1 * seconds(move->bound_ns);

		if (!is_of(move, to))
			continue;
		g->moves++;
		g->k = move->buffers_after > move->buffers_before ? move->buffers_after - move->buffers_before
		                                                  : 0;
		within += rest <= g->excess_95;
		within_median += rest <= g->excess;
	}
	for (enum column c = GAP; c <= SWITCHED; c++) {
		unsigned n = 0;

		for (unsigned i = 0; i < ran->count; i++)
			if (is_of(&ran->moves[i], to))
				values[n++] = value_of(&ran->moves[i], g, c);
		*medians[c] = migrate_quantile(values, n, 0.5);
	}
	g->within = g->moves ? (double)within / g->moves : 0;
	g->within_median = g->moves ? (double)within_median / g->moves : 0;
	free(values);
}

void migrate_gaps_run(struct saliency_frames *f, bool equal, unsigned moves, struct migrate_gaps *gaps)
{
	enum migrate_place other = equal ? MIGRATE_HALF_2 : MIGRATE_CORES;
	/* a control behind each move; of "equal" each of both moves is one, of the others one of two */
	unsigned all = equal ? 2 * moves : 4 * moves;
	const struct migrate_way way = { .first = MIGRATE_HALF_1,
		.movable = true,
		.frames = BEGIN + (uint64_t)APART * all + 2,
		.moves = all,
		.begin = BEGIN,
		.apart = APART,
		.cycle = { other, other, MIGRATE_HALF_1, MIGRATE_HALF_1 },
		.cycle_length = 4 };
	struct migrate_ran ran;

	migrate_run(f, &way, &ran);
	if (equal) {
		migrate_gaps_measure(&ran, NULL, &gaps[MIGRATE_EQUAL]);
	} else {
		migrate_gaps_measure(&ran, "cores", &gaps[MIGRATE_SHORTER]);
		migrate_gaps_measure(&ran, migrate_places[MIGRATE_HALF_1], &gaps[MIGRATE_LONGER]);
	}
	free(ran.moments);
	free(ran.moves);
}

void migrate_gaps_print_head(void)
{
	printf("  %-8s %5s %5s %2s %8s %8s %8s %8s %8s %9s %8s %8s %8s %8s %9s %9s %8s\n", "", "moves",
		"contr", "k", "period", "gap ms", "bound", "excess", "of 95 %", "by (k+1)", "within",
		"(median)", "before", "after ms", "switch us", "lock-step", "by it");
}

void migrate_gaps_print(const char *name, const struct migrate_gaps *g, double lockstep)
{
	printf("  %-8s %5u %5u %2u %8.2f %8.2f %8.2f %8.2f %8.2f %9.3f %8.3f %8.3f %8.2f %8.2f %9.2f", name,
		g->moves, g->controls, g->k, g->period * 1e3, g->gap * 1e3, g->bound * 1e3, g->excess * 1e3,
		g->excess_95 * 1e3, g->of_periods, g->within, g->within_median, g->before * 1e3,
		g->after * 1e3, g->switched * 1e6);
	if (lockstep > 0)
		printf(" %9.2f %8.3f", lockstep * 1e3, g->gap / lockstep);
	printf("\n");
	fflush(stdout);
}
