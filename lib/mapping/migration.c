/* SPDX-License-Identifier: MIT */
/*
 * Migration: the weights of Algorithm 1 (the paper: <penstock/plan.h>), what stops when, rates and times.
 *
 * 	edges of a path     e_0 = pred -> b_1, .., e_h = b_h -> node, e_(h+1) = node -> b_(h+1), ..,
 * 	                    e_(B+1) = b_B -> succ
 * 	weight of e_j       w0 + j for j <= h, w0 + j - 1 beyond: the node's two edges share one, because it reads and
 * 	                    writes in one iteration
 * 	original path       w0 = 0: it is emptied from its beginning on
 * 	migrated path       w0 = max(0, B_o - B_m): so its first window comes behind the last one of the original path
 * 	B_o > B_m           upstream is stopped for 0 <= t < B_o - B_m
 * 	B_o < B_m           downstream is stopped for B_o <= t < B_m
 *
 * So succ reads the original path while t < B_o, and the migrated one from t = max(B_o, B_m) on.
 */
#include "penstock/plan.h"

#include <errno.h>
#include <math.h>

static bool is_path(const struct pstk_path *p)
{
	return p && p->buffers <= PSTK_PATH_BUFFERS && p->before <= p->buffers;
}

int pstk_migration_find(
	const struct pstk_path *original, const struct pstk_path *migrated, struct pstk_migration *m)
{
	if (!is_path(original) || !is_path(migrated) || !m)
		return -EINVAL;
	*m = (struct pstk_migration){ .original = *original, .migrated = *migrated };
	if (original->buffers > migrated->buffers) {
		m->duration = original->buffers;
		m->difference = original->buffers - migrated->buffers;
		m->upstream.start = m->difference;
		m->longest_gap = 1;
	} else {
		m->duration = migrated->buffers;
		m->difference = migrated->buffers - original->buffers;
		if (m->difference)
			m->downstream = (struct pstk_pause){ original->buffers, migrated->buffers };
		m->longest_gap = m->difference + 1;
	}
	return 0;
}

static int weight(const struct pstk_path *p, uint32_t first, unsigned edge)
{
	if (edge > p->buffers + 1)
		return -EINVAL;
	return (int)(first + edge - (edge > p->before));
}

int pstk_migration_stop(const struct pstk_migration *m, unsigned edge)
{
	return m ? weight(&m->original, 0, edge) : -EINVAL;
}

int pstk_migration_start(const struct pstk_migration *m, unsigned edge)
{
	return m ? weight(&m->migrated, m->upstream.start, edge) : -EINVAL;
}

static bool is_time(double seconds)
{
	return seconds >= PSTK_ITERATION_LEAST && seconds <= PSTK_ITERATION_MOST;
}

int pstk_migration_predict(const struct pstk_migration *m, const struct pstk_migration_run *run,
	struct pstk_migration_prediction *p)
{
	double longer;
	uint64_t left;

	if (!m || !run || !p || !is_time(run->original) || !is_time(run->migrated))
		return -EINVAL;
	longer = run->original > run->migrated ? run->original : run->migrated;
	/* between two windows lie longest_gap iterations, k + 1 of paths that differ by k; the paper divides by k */
	*p = (struct pstk_migration_prediction){ .rate_before = 1 / run->original,
		.rate_during = 1 / (m->longest_gap * longer),
		.rate_after = 1 / run->migrated,
		.before = NAN,
		.during = NAN,
		.after = NAN,
		.total = NAN };
	if (!run->iterations && !run->first)
		return 0;
	if (!run->first || run->first > run->iterations || run->iterations - run->first + 1 < m->duration)
		return -ERANGE;
	left = run->iterations - run->first + 1 - m->duration;
	/* the sums over 1 .. a - 1, a .. a + b - 1, a + b .. n; the paper's second one ends at a + b */
	p->before = (double)(run->first - 1) * run->original;
	p->during = m->duration * longer;
	p->after = (double)left * run->migrated;
	p->total = p->before + p->during + p->after;
	return 0;
}
