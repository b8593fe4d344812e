/* SPDX-License-Identifier: MIT */
#include "tests/mapping/pipeline.h"

#include <string.h>

void pipeline_link(struct pipeline *p)
{
	struct pstk_measurements *m = &p->m;

	m->t_cg1 = p->t_cg1;
	m->t_cg = p->t_cg;
	m->t_g = p->t_g;
	m->t_mg = p->t_mg;
	m->h2d = m->h2d ? p->h2d : NULL;
	m->d2h = m->d2h ? p->d2h : NULL;
	m->e_cg1 = m->e_cg1 ? p->e_cg1 : NULL;
	m->e_cg = m->e_cg ? p->e_cg : NULL;
	m->e_g = m->e_g ? p->e_g : NULL;
	m->e_mg = m->e_mg ? p->e_mg : NULL;
}

void pipeline_make(struct pipeline *p, unsigned stages, unsigned cores)
{
	*p = (struct pipeline){ .m = PSTK_MEASUREMENTS(.stages = stages, .cores = cores,
					.device_ok = (UINT32_C(1) << stages) - 1, .medium_grain = true,
					.e_cg1 = p->e_cg1, .e_cg = p->e_cg, .e_g = p->e_g, .e_mg = p->e_mg) };
	for (unsigned k = 0; k < stages; k++) {
		p->t_cg1[k] = 1;
		p->t_g[k] = 0.5;
		p->t_mg[k] = 1.0 / cores;
		p->e_cg1[k] = p->e_mg[k] = (struct pstk_joules){ 4, 1, 2 };
		p->e_g[k] = (struct pstk_joules){ 1, 3, 1 };
	}
	for (unsigned n = 1; n <= cores + 1; n++) {
		p->t_cg[n - 1] = 1.0 * stages / (n < cores ? n : cores);
		p->e_cg[n - 1] = (struct pstk_joules){ 4.0 * stages, 1.0 * stages, 2.0 * stages };
	}
	pipeline_link(p);
}

static double random_number(struct test_rng *rng, double least, double most)
{
	return least + (most - least) * test_between(rng, 0, 1000000) / 1e6;
}

static void random_times(struct test_rng *rng, double *times, unsigned count, double most)
{
	for (unsigned i = 0; i < count; i++)
		times[i] = random_number(rng, most / 100, most);
}

static void random_joules(struct test_rng *rng, struct pstk_joules *joules, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		joules[i] = (struct pstk_joules){ random_number(rng, 0, 1), random_number(rng, 0, 1),
			random_number(rng, 0, 1) };
}

void pipeline_random(struct pipeline *p, struct test_rng *rng)
{
	const unsigned stages = test_between(rng, 1, 6), cores = test_between(rng, 1, PIPELINE_CORES);
	const uint32_t all = (UINT32_C(1) << stages) - 1;

	pipeline_make(p, stages, cores);
	random_times(rng, p->t_cg1, stages, 0.02);
	random_times(rng, p->t_g, stages, test_chance(rng, 50) ? 0.01 : 0.1);
	random_times(rng, p->t_mg, stages, 0.02);
	random_times(rng, p->h2d, stages + 1, 0.005);
	random_times(rng, p->d2h, stages + 1, 0.005);
	p->t_cg[0] = 0;
	for (unsigned k = 0; k < stages; k++)
		p->t_cg[0] += p->t_cg1[k];
	for (unsigned n = 2; n <= cores + 1; n++)
		p->t_cg[n - 1] = p->t_cg[0] / (1 + (n - 1) * random_number(rng, 0, 1));
	random_joules(rng, p->e_cg1, stages);
	random_joules(rng, p->e_cg, cores + 1);
	random_joules(rng, p->e_g, stages);
	random_joules(rng, p->e_mg, stages);
	p->m.in_flight = test_chance(rng, 50) ? 0 : test_between(rng, 1, 2 * cores + 2);
	p->m.tdp = test_chance(rng, 50) ? 0 : random_number(rng, 5, 100);
	p->m.h2d = test_chance(rng, 50) ? p->h2d : NULL;
	p->m.d2h = test_chance(rng, 50) ? p->d2h : NULL;
	p->m.medium_grain = test_chance(rng, 80);
	if (test_chance(rng, 30))
		p->m.device_ok = test_between(rng, 0, all);
	if (test_chance(rng, 20))
		p->m.device_must = p->m.device_ok & test_between(rng, 0, all);
	if (test_chance(rng, 25))
		p->m.e_cg1 = p->m.e_cg = p->m.e_g = p->m.e_mg = NULL;
}

unsigned pipeline_predict(const struct pipeline *p, enum pstk_mapper_rule rule,
	struct pstk_prediction list[PIPELINE_CONFIGURATIONS])
{
	const int count = pstk_mapper_predict_all(&p->m, rule, list, PIPELINE_CONFIGURATIONS);

	ck_assert_int_gt(count, 0);
	ck_assert_int_eq(count, pstk_mapper_count(&p->m));
	return (unsigned)count;
}

struct pstk_configuration pipeline_configuration(const struct pipeline *p, const char *text)
{
	struct pstk_configuration c;
	char error[256] = "";

	ck_assert_msg(!pstk_configuration_parse(text, p->m.stages, p->m.cores, &c, error, sizeof error), "%s",
		error);
	return c;
}
