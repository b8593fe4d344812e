/* SPDX-License-Identifier: MIT */
#include "lib/pipeline/training.h"
#include "lib/energy/repetition.h"
#include "lib/pipeline/samples.h"

/* A thread that waits for a larger share of a window than this was fed too slowly, or could not get rid of items. */
#define WAITS_MOST 0.1

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

bool ps_training_waited(uint64_t waited_ns, uint64_t ns)
{
	return (double)waited_ns > WAITS_MOST * (double)ns;
}

double ps_training_ideal_side(const struct ps_conductor *c, unsigned n)
{
	unsigned cores = n < c->spec->cores ? n : c->spec->cores;

	return ps_training_item_seconds(c) / cores;
}

/* A thread's first items touch memory and code that were never touched, and can take several times as long. */
bool ps_training_warms_up(const struct ps_conductor *c)
{
	return !c->trainings && !c->repetition && c->spec->repetitions > 1;
}

/* s that an item takes of n side by side. Items of more threads than there are cores take turns, and end in bunches: a
 * median would leave out some turns. A round of them counts as twice the median at most. */
static double side_seconds(const struct ps_conductor *c, double *rounds, unsigned count)
{
	double median = ps_median(rounds, count), sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += rounds[i] < 2 * median ? rounds[i] : 2 * median;
	return (c->side > c->spec->cores ? sum / count : median) / c->side;
}

/* Rounds of n items side by side. false: the threads are warm now. */
static bool take_side(struct ps_conductor *c, const struct ps_phase_end *end)
{
	const struct ps_samples *s = end->samples;
	struct ps_training *t = &c->training;
	unsigned n = c->side, count = 0;
	double rounds[PS_SAMPLES];

	if (ps_training_warms_up(c)) {
		c->repetition++;
		return false;
	}
	for (unsigned i = 0; i < s->round_count; i++) {
		uint64_t ns = s->rounds[i] - (i ? s->rounds[i - 1] : end->first),
			 waited = s->waits[i] - (i ? s->waits[i - 1] : 0);

		if (!ps_training_waited(waited, ns))
			rounds[count++] = ps_seconds(ns ? ns : 1);
	}
	t->estimated |= !count;
	t->t_cg[n - 1] = count ? side_seconds(c, rounds, count) : ps_training_ideal_side(c, n);
	if (end->joules)
		t->e_cg[n - 1] = (struct pstk_joules){ end->joules->cores / (double)end->items,
			end->joules->device / (double)end->items, end->joules->rest / (double)end->items };
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
