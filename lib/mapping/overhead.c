/* SPDX-License-Identifier: MIT */
/* Overhead: what a training costs, how often it may come, when it has paid (section III.B of the paper, mapper.h). */
#include "penstock/mapper.h"

#include <math.h>

static bool is_measured(double value)
{
	return value >= PSTK_MEASURED_LEAST && value <= PSTK_MEASURED_MOST;
}

static bool is_measured_or_none(double value)
{
	return value == 0 || is_measured(value);
}

static bool is_seconds(double value)
{
	return value >= 0 && isfinite(value);
}

/* n items with n = 1 .. nC + 1 threads, one with medium grain, one on the device. */
int pstk_training_items(unsigned cores)
{
	if (!cores || cores > PSTK_MAPPER_CORES)
		return -EINVAL;
	return (int)((cores + 2) * (cores + 1) / 2 + 2);
}

int pstk_training_overhead(const struct pstk_training *t, double *dt)
{
	double sum, items;

	if (!t || !dt || t->struct_size != sizeof *t || pstk_training_items(t->cores) < 0 || !t->t_cgn ||
		!is_measured(t->t_cg) || !is_measured_or_none(t->t_mg) || !is_measured_or_none(t->t_g) ||
		!is_measured(t->rate) || !(t->trying >= 0 && t->trying <= PSTK_MEASURED_MOST))
		return -EINVAL;
	sum = t->t_cg + t->t_mg + t->t_g;
	for (unsigned n = 0; n < t->cores; n++) {
		if (!is_measured(t->t_cgn[n]))
			return -EINVAL;
		sum += t->t_cgn[n];
	}
	items = t->items ? (double)t->items : pstk_training_items(t->cores) - (t->t_mg == 0) - (t->t_g == 0);
	sum -= items / t->rate;
	*dt = (sum > 0 ? sum : 0) + t->trying;
	return 0;
}

int pstk_training_interval(double dt, double max_overhead, double *seconds)
{
	if (!seconds || !is_seconds(dt) || !(max_overhead >= PSTK_MEASURED_LEAST && max_overhead <= 1))
		return -EINVAL;
	*seconds = dt * (1 - max_overhead) / max_overhead;
	return 0;
}

int pstk_training_break_even(double dt, double gain, double *seconds)
{
	if (!seconds || !is_seconds(dt) || !(gain > 1 && isfinite(gain)))
		return -EINVAL;
	*seconds = dt / (1 - 1 / gain);
	return 0;
}
