/* SPDX-License-Identifier: MIT */
#include "tests/mapping/mapper_oracle.h"

#include <math.h>

enum { STAGES = PSTK_MAPPER_STAGES };

/* A configuration, spelt out. */
struct spelt {
	const struct pstk_measurements *m;
	enum pstk_mapper_rule rule;
	bool on[STAGES]; /* the device does it */
	unsigned on_count, n;
	bool mg;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* The time of a stage where it runs, with the transfers at both ends of a run on the device. */
static double stage_time(const struct spelt *c, unsigned k)
{
	const struct pstk_measurements *m = c->m;
	double time;

	if (!c->on[k])
		return c->mg ? m->t_mg[k] : m->t_cg1[k];
	time = m->t_g[k];
	if (m->h2d && (k == 0 || !c->on[k - 1]))
		time += m->h2d[k];
	if (m->d2h && (k + 1 == m->stages || !c->on[k + 1]))
		time += m->d2h[k + 1];
	return time;
}

static double time_on(const struct spelt *c, bool device)
{
	double sum = 0;

	for (unsigned k = 0; k < c->m->stages; k++)
		sum += c->on[k] == device ? stage_time(c, k) : 0;
	return sum;
}

static double all_mg(const struct spelt *c)
{
	double sum = 0;

	for (unsigned k = 0; k < c->m->stages; k++)
		sum += c->m->t_mg[k];
	return sum;
}

/* 1 / the slowest row of neighbouring stages at one place. */
static double slowest_run(const struct spelt *c)
{
	double rate = INFINITY;

	for (unsigned from = 0; from < c->m->stages; from++)
		for (unsigned to = from; to < c->m->stages && c->on[to] == c->on[from]; to++) {
			double sum = 0;

			for (unsigned k = from; k <= to; k++)
				sum += stage_time(c, k);
			rate = least(rate, 1 / sum);
		}
	return rate;
}

static double mu_c(const struct spelt *c, unsigned n)
{
	return n ? 1 / c->m->t_cg[n - 1] : 0;
}

/* Of a part of the stages on the device. */
static void coupled(const struct spelt *c, double *a, double *b)
{
	const double dg = time_on(c, true), dc = time_on(c, false), t1 = c->m->t_cg[0];
	const double cap = t1 / c->m->t_cg[c->n - 1], n = c->mg ? 2 : c->n;

	*a = slowest_run(c);
	*b = c->mg ? 0 : most(0, mu_c(c, c->n) - mu_c(c, 1));
	if (c->rule != PSTK_RULE_PAPER)
		*a = least(least(1 / dg, 1 / dc), n / (dg + dc));
	if (c->rule == PSTK_RULE_CAPACITY && !c->mg) {
		*a = least(1 / dg, least(cap / dc, n / (dg + dc)));
		*b = most(0, least((cap - *a * dc) / t1, (n - *a * (dg + dc)) / t1));
	}
}

/* The time of an item on the device path and on the CPU path; 0: no item takes it. */
static double slowest_path(const struct spelt *c)
{
	double path[2] = { 0, 0 };

	if (c->on_count)
		path[0] = time_on(c, true) + time_on(c, false);
	if (!c->on_count || (c->mg ? c->on_count == c->m->stages : c->n >= 2))
		path[1] = c->mg ? all_mg(c) : c->m->t_cg[0];
	return most(path[0], path[1]);
}

static double part(const struct pstk_joules *e, unsigned which)
{
	return which == 0 ? e->cores : which == 1 ? e->device : e->rest;
}

static double energy(const struct spelt *c, double p, double rate)
{
	const struct pstk_measurements *m = c->m;
	const unsigned w = c->on_count ? c->n - 1 : c->n;
	double sum = 0;

	for (unsigned i = 0; i < 3; i++) {
		double device = 0, cores = 0;

		for (unsigned k = 0; k < m->stages; k++) {
			if (c->on[k])
				device += p * part(&m->e_g[k], i);
			else if (c->on_count)
				cores += p * part(c->mg ? &m->e_mg[k] : &m->e_cg1[k], i);
			if (c->mg)
				cores += (1 - p) * part(&m->e_mg[k], i);
		}
		if (!c->mg && w)
			cores += (1 - p) * part(&m->e_cg[w - 1], i);
		sum += most(device, cores);
	}
	return m->tdp > 0 ? least(sum, m->tdp / rate) : sum;
}

static void predict(const struct spelt *c, uint32_t mask, struct pstk_prediction *out)
{
	double a = 0, b = 0;

	if (!c->on_count)
		b = c->mg ? 1 / all_mg(c) : mu_c(c, c->n);
	else if (c->on_count < c->m->stages)
		coupled(c, &a, &b);
	else {
		a = 1 / time_on(c, true);
		b = c->mg ? 1 / all_mg(c) : mu_c(c, c->n - 1);
	}
	out->configuration = (struct pstk_configuration){ mask, c->n, c->mg };
	out->rate = a + b;
	out->device_share = a / (a + b);
	out->energy = c->m->e_cg ? energy(c, a / (a + b), a + b) : NAN;
	if (c->m->in_flight && c->rule == PSTK_RULE_CAPACITY)
		out->rate = least(out->rate, c->m->in_flight / slowest_path(c));
}

unsigned mapper_oracle_predict(
	const struct pstk_measurements *m, enum pstk_mapper_rule rule, struct pstk_prediction *list)
{
	unsigned count = 0;

	for (uint32_t mask = 0; mask < 1u << m->stages; mask++) {
		struct spelt c = { .m = m, .rule = rule };
		bool allowed = true;

		for (unsigned k = 0; k < m->stages; k++) {
			c.on[k] = mask & 1u << k;
			c.on_count += c.on[k];
			allowed &= c.on[k] ? (m->device_ok & 1u << k) != 0 : !(m->device_must & 1u << k);
		}
		for (c.n = 1; allowed && c.n <= m->cores + 1; c.n++)
			predict(&c, mask, &list[count++]);
		c.mg = true;
		c.n = m->cores + 1;
		if (allowed && m->medium_grain)
			predict(&c, mask, &list[count++]);
	}
	return count;
}

/* What is to be as high as possible. */
static double worth(const struct pstk_prediction *p, const struct pstk_goal *g)
{
	switch (g->objective) {
	case PSTK_OBJECTIVE_ENERGY:
		return 1 / p->energy;
	case PSTK_OBJECTIVE_RATIO:
		return p->rate / p->energy;
	case PSTK_OBJECTIVE_SCORE:
		return g->score(g->data, p->rate, p->energy);
	case PSTK_OBJECTIVE_THROUGHPUT:
	default:
		return p->rate;
	}
}

/* How near it comes to the limits. */
static double nearness(const struct pstk_prediction *p, const struct pstk_goal *g)
{
	double near = INFINITY;

	if (g->min_rate > 0)
		near = p->rate / g->min_rate;
	if (g->max_watts > 0)
		near = least(near, g->max_watts / (p->rate * p->energy));
	return near;
}

static bool meets(const struct pstk_prediction *p, const struct pstk_goal *g)
{
	return (!(g->min_rate > 0) || p->rate >= g->min_rate * (1 - 1e-9)) &&
	       (!(g->max_watts > 0) || p->rate * p->energy <= g->max_watts * (1 + 1e-9));
}

/* Fewest threads, fewest stages on the device, coarse grain, the smallest mask. */
static uint64_t awkwardness(const struct pstk_configuration *c)
{
	unsigned stages = 0;

	for (unsigned k = 0; k < STAGES; k++)
		stages += c->mask >> k & 1;
	return ((c->threads * UINT64_C(64) + stages) * 2 + c->medium_grain) * 65536 + c->mask;
}

/* Leaves those whose value is the highest, or nearly. */
static void leave_highest(bool *left, const double *values, unsigned count)
{
	double highest = -INFINITY;

	for (unsigned k = 0; k < count; k++)
		highest = left[k] ? most(highest, values[k]) : highest;
	for (unsigned k = 0; k < count; k++)
		left[k] &= values[k] >= highest - fabs(highest) * 1e-9;
}

void mapper_oracle_choose(const struct pstk_prediction *list, unsigned count, const struct pstk_goal *g,
	unsigned *best, bool *met, unsigned wanted)
{
	static bool taken[1 << 12], left[1 << 12];
	static double values[1 << 12];

	for (unsigned k = 0; k < count; k++)
		taken[k] = false;
	for (unsigned i = 0; i < wanted; i++) {
		met[i] = false;
		for (unsigned k = 0; k < count; k++)
			met[i] |= !taken[k] && meets(&list[k], g);
		for (unsigned k = 0; k < count; k++) {
			left[k] = !taken[k] && meets(&list[k], g) == met[i];
			values[k] = nearness(&list[k], g);
		}
		if (!met[i])
			leave_highest(left, values, count);
		for (unsigned k = 0; k < count; k++)
			values[k] = worth(&list[k], g);
		leave_highest(left, values, count);
		best[i] = count;
		for (unsigned k = 0; k < count; k++)
			if (left[k] &&
				(best[i] == count || awkwardness(&list[k].configuration) <
							     awkwardness(&list[best[i]].configuration)))
				best[i] = k;
		taken[best[i]] = true;
	}
}
