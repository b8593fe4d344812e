/* SPDX-License-Identifier: MIT */
#include "lib/pipeline/training.h"
#include "lib/energy/repetition.h"
#include "lib/pipeline/samples.h"

unsigned ps_training_times(const struct ps_conductor *c, double seconds)
{
	unsigned metered = c->splits && seconds > 0 ? ps_energy_repetitions(seconds) : 1;

	return metered > c->spec->repetitions ? metered : c->spec->repetitions;
}

static double sum_of(const struct ps_conductor *c, const double *times)
{
	double sum = 0;

	for (unsigned k = 0; k < c->stages; k++)
		sum += times[k];
	return sum;
}

double ps_training_item_seconds(const struct ps_conductor *c)
{
	return sum_of(c, c->training.t_cg1);
}

/* Times of the stages, and joules. false: it takes more items to tell joules, and now it is known how many. */
static bool take_stages(
	struct ps_conductor *c, const struct ps_phase_end *end, double *times, struct pstk_joules *joules)
{
	uint32_t these = c->phase.kind == PS_PHASE_DEVICE ? c->device_ok : UINT32_MAX;

	for (unsigned k = 0; k < c->stages; k++)
		times[k] = ps_samples_median(&end->samples->stage[0][k], PS_STAGES_MOST, end->samples->count);
	c->item_s = sum_of(c, times);
	if (!c->repetition++ && end->items < ps_training_times(c, c->item_s))
		return false;
	c->item_s = 0;
	if (end->joules && end->items &&
		!ps_energy_split(end->joules, (unsigned)end->items, times, c->stages, joules))
		c->training.split |= c->stages > 1;
	/* what the cores did meanwhile is no time of the device */
	for (unsigned k = 0; k < c->stages; k++)
		times[k] = these >> k & 1 ? times[k] : 0;
	return true;
}

static void take_moves(struct ps_conductor *c, const struct ps_phase_end *end)
{
	for (unsigned k = 0; k <= c->stages; k++) {
		double to = ps_samples_median(
			       &end->samples->to_device[0][k], PS_STAGES_MOST + 1, end->samples->count),
		       from = ps_samples_median(
			       &end->samples->to_host[0][k], PS_STAGES_MOST + 1, end->samples->count);

		c->training.h2d[k] = to > 1e-9 ? to : 0;
		c->training.d2h[k] = from > 1e-9 ? from : 0;
	}
}

static double wall(const struct ps_phase_end *end)
{
	uint64_t waited = end->starved_ns + end->blocked_ns, ns = end->ended - end->began;

	return ps_seconds(ns > waited ? ns - waited : 1);
}

bool ps_training_waited(const struct ps_phase_end *end, uint64_t ns)
{
	return (double)(end->starved_ns + end->blocked_ns) > PS_WAITS_MOST * (double)ns;
}

double ps_training_ideal_side(const struct ps_conductor *c, unsigned n)
{
	unsigned cores = n < c->spec->cores ? n : c->spec->cores;

	return ps_training_item_seconds(c) / cores;
}

/* n items side by side. true: T_CG(n) is known. */
static bool take_side(struct ps_conductor *c, const struct ps_phase_end *end)
{
	struct ps_training *t = &c->training;
	uint64_t ns = end->last - end->first;
	unsigned n = c->side, wanted = (unsigned)ps_training_times(c, ps_training_item_seconds(c));

	if (!ps_training_waited(end, ns) && c->side_count < PS_SAMPLES)
		c->sides[c->side_count++] = ps_seconds(ns ? ns : 1) / n;
	c->repetition++;
	c->side_items += end->items;
	if (end->joules) {
		c->side_joules.cores += end->joules->cores;
		c->side_joules.device += end->joules->device;
		c->side_joules.rest += end->joules->rest;
	}
	if (c->repetition < wanted)
		return false;
	t->estimated |= !c->side_count;
	t->t_cg[n - 1] = c->side_count ? ps_median(c->sides, c->side_count) : ps_training_ideal_side(c, n);
	t->e_cg[n - 1] = (struct pstk_joules){ c->side_joules.cores / (double)c->side_items,
		c->side_joules.device / (double)c->side_items, c->side_joules.rest / (double)c->side_items };
	return true;
}

void ps_training_count_cost(struct ps_conductor *c, const struct ps_phase_end *end)
{
	struct ps_training *t = &c->training;

	if (c->phase.kind == PS_PHASE_STAY)
		return;
	if (c->phase.kind == PS_PHASE_TRY) {
		t->trying += wall(end);
		t->tried_items += end->items;
		return;
	}
	t->items += end->items;
	t->unmetered |= !end->joules;
	if (c->phase.kind == PS_PHASE_DEVICE)
		t->wall_g += wall(end);
	else if (c->phase.kind == PS_PHASE_MEDIUM)
		t->wall_mg += wall(end);
	else
		t->walls[c->phase.setting.configuration.threads - 1] += wall(end);
}

bool ps_training_take(struct ps_conductor *c, const struct ps_phase_end *end)
{
	struct ps_training *t = &c->training;

	switch (c->phase.kind) {
	case PS_PHASE_CORES:
		if (!take_stages(c, end, t->t_cg1, t->e_cg1))
			return false;
		t->t_cg[0] = ps_training_item_seconds(c);
		for (unsigned k = 0; k < c->stages; k++) {
			t->e_cg[0].cores += t->e_cg1[k].cores;
			t->e_cg[0].device += t->e_cg1[k].device;
			t->e_cg[0].rest += t->e_cg1[k].rest;
		}
		return true;
	case PS_PHASE_SIDE:
		return take_side(c, end);
	case PS_PHASE_DEVICE:
		take_moves(c, end);
		return take_stages(c, end, t->t_g, t->e_g);
	default:
		return take_stages(c, end, t->t_mg, t->e_mg);
	}
}
