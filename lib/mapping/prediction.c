/* SPDX-License-Identifier: MIT */
/*
 * Prediction: rate, energy and device share of configurations (the paper: <penstock/mapper.h>).
 *
 * 	w = n - 1           threads beside the one that has the device
 * 	DP                  a = 1 / sum T_G; b = 1 / T_CG(w), 0 for w = 0; medium grain: 1 / sum T_MG
 * 	CP                  D_G, D_C: the time of an item on the device path, there and on the cores (T_CG1 or T_MG)
 * 	  paper             a = min over its runs of 1 / time; b = max(0, 1 / T_CG(n) - 1 / T_CG(1)); medium grain: 0
 * 	  bounded           a = min(1 / D_G, 1 / D_C, n / (D_G + D_C)); b as above
 * 	  capacity, CG      cap = T_CG(1) / T_CG(n), the cores that n threads are worth
 * 	                    a = min(1 / D_G, cap / D_C, n / (D_G + D_C))
 * 	                    b = max(0, min(cap - a D_C, n - a (D_G + D_C)) / T_CG(1))
 * 	CPU                 a = 0; b = 1 / T_CG(n); medium grain: 1 / sum T_MG
 * 	rate, share         a + b, p = a / (a + b)
 * 	energy              of cores, device and rest each the larger of p E_device and p E_others + (1 - p) E_alone, at
 * 	                    most TDP / rate together; E_alone: E_CG(w), of CPU E_CG(n), of medium grain E_MG
 *
 * A run is a row of neighbouring stages of the mask, or of neighbouring others. A run on the device takes h2d in front
 * of it and d2h behind it, too.
 *
 * Outputs leave in the order of the inputs, so an item on a slow path holds up all behind it: under `capacity`, with a
 * bound R on items in flight, the rate is at most R / (the time of an item on its slowest path). The other rules know
 * nothing of it. With one thread no item takes the CPU path beside a device.
 */
#include "penstock/mapper.h"

#include <math.h>

/* What a mask needs, whatever the number of threads. [0]: coarse grain, [1]: medium grain. */
struct path {
	uint32_t mask;
	double device;     /* s: of its stages, with what is moved */
	double others[2];  /* s: of the other ones, on the cores */
	double longest[2]; /* s: of a run, on either side */
	struct pstk_joules e_device, e_others[2];
};

/* What all masks need. */
struct model {
	const struct pstk_measurements *m;
	enum pstk_mapper_rule rule;
	bool has_meter;
	double t_mg; /* s: of all stages */
	struct pstk_joules e_mg;
};

/* Items/s on the device path and beside it. */
struct rates {
	double a, b;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static void add(struct pstk_joules *sum, const struct pstk_joules *e, double times)
{
	sum->cores += times * e->cores;
	sum->device += times * e->device;
	sum->rest += times * e->rest;
}

static void model_begin(struct model *model, const struct pstk_measurements *m, enum pstk_mapper_rule rule)
{
	*model = (struct model){ .m = m, .rule = rule, .has_meter = m->e_cg };
	for (unsigned k = 0; k < m->stages && m->medium_grain; k++) {
		model->t_mg += m->t_mg[k];
		if (model->has_meter)
			add(&model->e_mg, &m->e_mg[k], 1);
	}
}

/* The run on the device that begins with stage k, up to `end`. */
static void add_device_run(const struct model *model, unsigned k, unsigned end, struct path *p)
{
	const struct pstk_measurements *m = model->m;
	double run = (m->h2d ? m->h2d[k] : 0) + (m->d2h ? m->d2h[end] : 0);

	for (; k < end; k++) {
		run += m->t_g[k];
		if (model->has_meter)
			add(&p->e_device, &m->e_g[k], 1);
	}
	p->device += run;
	p->longest[0] = larger(p->longest[0], run);
	p->longest[1] = larger(p->longest[1], run);
}

static void add_core_run(const struct model *model, unsigned k, unsigned end, struct path *p)
{
	const struct pstk_measurements *m = model->m;
	double run[2] = { 0, 0 };

	for (; k < end; k++) {
		run[0] += m->t_cg1[k];
		run[1] += m->medium_grain ? m->t_mg[k] : 0;
		if (!model->has_meter)
			continue;
		add(&p->e_others[0], &m->e_cg1[k], 1);
		if (m->medium_grain)
			add(&p->e_others[1], &m->e_mg[k], 1);
	}
	for (unsigned grain = 0; grain < 2; grain++) {
		p->others[grain] += run[grain];
		p->longest[grain] = larger(p->longest[grain], run[grain]);
	}
}

static void path_begin(const struct model *model, uint32_t mask, struct path *p)
{
	const unsigned stages = model->m->stages;

	*p = (struct path){ .mask = mask };
	for (unsigned k = 0, end; mask && k < stages; k = end) {
		const bool is_device = mask >> k & 1;

		for (end = k + 1; end < stages && (mask >> end & 1) == is_device;)
			end++;
		(is_device ? add_device_run : add_core_run)(model, k, end, p);
	}
}

/* Of a configuration whose mask has some of the stages. */
static struct rates coupled_rates(const struct model *model, const struct path *p, bool medium, uint32_t n)
{
	const double *t_cg = model->m->t_cg;
	const double device = p->device, others = p->others[medium], whole = device + others;
	struct rates r;

	if (model->rule == PSTK_RULE_CAPACITY && !medium) {
		const double cap = t_cg[0] / t_cg[n - 1];

		r.a = smaller(smaller(1 / device, cap / others), n / whole);
		r.b = larger(0, smaller(cap - r.a * others, n - r.a * whole) / t_cg[0]);
		return r;
	}
	r.a = 1 / p->longest[medium];
	if (model->rule != PSTK_RULE_PAPER) {
		r.a = 1 / larger(device, others);
		if (!medium)
			r.a = smaller(r.a, n / whole);
	}
	r.b = medium ? 0 : larger(0, 1 / t_cg[n - 1] - 1 / t_cg[0]);
	return r;
}

static bool is_decoupled(const struct model *model, const struct path *p)
{
	return p->mask == (UINT32_C(1) << model->m->stages) - 1;
}

static struct rates rates_of(const struct model *model, const struct path *p, bool medium, uint32_t n)
{
	const double *t_cg = model->m->t_cg;

	if (!p->mask)
		return (struct rates){ 0, medium ? 1 / model->t_mg : 1 / t_cg[n - 1] };
	if (!is_decoupled(model, p))
		return coupled_rates(model, p, medium, n);
	return (struct rates){ 1 / p->device, medium ? 1 / model->t_mg : n > 1 ? 1 / t_cg[n - 2] : 0 };
}

/* s: of an item on the slowest path that items take. */
static double slowest(const struct model *model, const struct path *p, bool medium, uint32_t n)
{
	const double alone = medium ? model->t_mg : model->m->t_cg[0], path = p->device + p->others[medium];
	/* with medium grain the parts of a coupled item wait for each other */
	const bool has_cpu_path = medium ? is_decoupled(model, p) : n > 1;

	if (!p->mask)
		return alone;
	return has_cpu_path ? larger(alone, path) : path;
}

static double energy_of(
	const struct model *model, const struct path *p, bool medium, uint32_t n, double share, double rate)
{
	const struct pstk_measurements *m = model->m;
	const uint32_t beside = p->mask ? n - 1 : n; /* threads that only the cores do */
	struct pstk_joules device = { 0 }, cores = { 0 };
	double sum;

	add(&device, &p->e_device, share);
	add(&cores, &p->e_others[medium], share);
	if (medium)
		add(&cores, &model->e_mg, 1 - share);
	else if (beside)
		add(&cores, &m->e_cg[beside - 1], 1 - share);
	sum = larger(device.cores, cores.cores) + larger(device.device, cores.device) +
	      larger(device.rest, cores.rest);
	return m->tdp > 0 ? smaller(sum, m->tdp / rate) : sum;
}

static void predict(
	const struct model *model, const struct path *p, bool medium, uint32_t n, struct pstk_prediction *out)
{
	const struct pstk_measurements *m = model->m;
	const struct rates r = rates_of(model, p, medium, n);

	out->configuration = (struct pstk_configuration){ p->mask, n, medium };
	out->rate = r.a + r.b;
	out->device_share = r.a / out->rate;
	out->energy = model->has_meter ? energy_of(model, p, medium, n, out->device_share, out->rate) : NAN;
	if (m->in_flight && model->rule == PSTK_RULE_CAPACITY)
		out->rate = smaller(out->rate, m->in_flight / slowest(model, p, medium, n));
}

static bool is_allowed(const struct pstk_measurements *m, uint32_t mask)
{
	return !(mask & ~m->device_ok) && !(m->device_must & ~mask);
}

static bool is_rule(enum pstk_mapper_rule rule)
{
	return rule == PSTK_RULE_CAPACITY || rule == PSTK_RULE_BOUNDED || rule == PSTK_RULE_PAPER;
}

/* Of measurements that are right. */
static unsigned count_of(const struct pstk_measurements *m)
{
	unsigned count = m->cores + 1 + m->medium_grain;

	for (uint32_t free = m->device_ok & ~m->device_must; free; free &= free - 1)
		count *= 2;
	return count;
}

int pstk_mapper_count(const struct pstk_measurements *m)
{
	const int err = pstk_measurements_check(m, NULL, 0);

	return err ? err : (int)count_of(m);
}

int pstk_mapper_predict(const struct pstk_measurements *m, enum pstk_mapper_rule rule,
	const struct pstk_configuration *c, struct pstk_prediction *prediction)
{
	struct model model;
	struct path path;
	const int err = pstk_measurements_check(m, NULL, 0);

	if (err)
		return err;
	if (!c || !prediction || !is_rule(rule) || c->mask >> m->stages || !c->threads ||
		c->threads > m->cores + 1 || (c->medium_grain && c->threads != m->cores + 1))
		return -EINVAL;
	if (!is_allowed(m, c->mask) || (c->medium_grain && !m->medium_grain))
		return -ENOENT;
	model_begin(&model, m, rule);
	path_begin(&model, c->mask, &path);
	predict(&model, &path, c->medium_grain, c->threads, prediction);
	return 0;
}

int pstk_mapper_predict_all(const struct pstk_measurements *m, enum pstk_mapper_rule rule,
	struct pstk_prediction *list, unsigned room)
{
	struct model model;
	struct path path;
	unsigned count = 0;
	const int err = pstk_measurements_check(m, NULL, 0);

	if (err)
		return err;
	if (!list || !is_rule(rule))
		return -EINVAL;
	if (room < count_of(m))
		return -ENOSPC;
	model_begin(&model, m, rule);
	for (uint32_t mask = 0; mask < UINT32_C(1) << m->stages; mask++) {
		if (!is_allowed(m, mask))
			continue;
		path_begin(&model, mask, &path);
		for (uint32_t n = 1; n <= m->cores + 1; n++)
			predict(&model, &path, false, n, &list[count++]);
		if (m->medium_grain)
			predict(&model, &path, true, m->cores + 1, &list[count++]);
	}
	return (int)count;
}
