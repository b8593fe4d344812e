/* SPDX-License-Identifier: MIT */
/*
 * Carson's rule: a signal with this deviation and sound up to 15 kHz lies within deviation + 15 kHz on each side; of
 * stereo, whose multiplex reaches up to 53 kHz, within deviation + 53 kHz. The discriminator works at the lowest rate
 * that leaves room for that and for the edge of a filter. A filter to the rate of the output keeps what is heard, so
 * neither the pilot of stereo at 19 kHz nor what lies above it.
 *
 * The number of taps: J. F. Kaiser's formula (A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, third
 * edition, section 7.5.3).
 */
#include "config.h"

#include "apps/fm_receiver/plan.h"
#include "apps/common/app.h"

#include <inttypes.h>
#include <math.h>

enum { SOUND = 15000, MULTIPLEX = 53000 };        /* Hz: what ends there */
enum { STEREO_RATE = 128000 };                    /* Hz: leaves room for the multiplex */
enum { PILOT_PASSES = 500, PILOT_STOPS = 4000 };  /* Hz: sound is 4 kHz away from it, on both sides */
enum { MOST_TAPS = 1 << 22, MOST_RATIO = 65536 }; /* of pstk_fir_f32_add() */
enum { BLOCKS = 100 };                            /* a second: what is live comes out so much later .. */
enum { MOST_BLOCK = 1 << 24 };                    /* .. or the least that the ratio allows; samples */

static uint64_t common_factor(uint64_t a, uint64_t b)
{
	return b ? common_factor(b, a % b) : a;
}

/* From the edge of what passes to that of what does not, in parts of the rate at which it runs. */
static struct filter design(double pass, double stop)
{
	double taps = (PLAN_ATTENUATION - 7.95) / (14.36 * (stop - pass)) + 1;

	return (struct filter){ taps < MOST_TAPS ? (uint32_t)taps | 1 : UINT32_MAX, (pass + stop) / 2 };
}

static void plan_channel(struct plan *plan)
{
	double half = plan->deviation + (plan->stereo ? MULTIPLEX : fmin(SOUND, plan->audio / 2.));
	double decimation = floor(plan->rate / (2.5 * half));

	plan->decimation = decimation < 1 ? 1 : (uint32_t)decimation;
	plan->middle = (double)plan->rate / plan->decimation;
	plan->channel = design(fmin(half, 0.4 * plan->middle) / plan->rate, 0.5 * plan->middle / plan->rate);
	if (plan->stereo)
		plan->pilot = design(PILOT_PASSES / plan->middle, PILOT_STOPS / plan->middle);
}

static int plan_sound(struct plan *plan)
{
	uint64_t up = (uint64_t)plan->audio * plan->decimation, down = plan->rate;
	uint64_t factor = common_factor(up, down), whole = common_factor(plan->audio, plan->rate);
	double low = fmin(plan->audio, plan->middle), high;

	up /= factor;
	down /= factor;
	high = plan->middle * (double)up;
	plan->sound = design(fmin(SOUND, 0.4 * low) / high, fmin(PLAN_PILOT, 0.5 * low) / high);
	if (up > MOST_RATIO || down > MOST_RATIO || plan->sound.taps > MOST_TAPS)
		return app_fail(EXIT_USAGE,
			"--audio %" PRIu32 " of --rate %" PRIu32 ": a ratio of %" PRIu64 " / %" PRIu64
			" is too fine; one with a larger common factor is needed",
			plan->audio, plan->rate, plan->audio / whole, plan->rate / whole);
	if (plan->decimation > MOST_RATIO || plan->decimation * down > MOST_BLOCK)
		return app_fail(EXIT_USAGE,
			"--rate %" PRIu32 " with --deviation %" PRIu32 " and --audio %" PRIu32
			": one of %" PRIu32 " samples would be kept, in windows of %" PRIu64
			": a lower --rate or a larger --deviation is needed",
			plan->rate, plan->deviation, plan->audio, plan->decimation, plan->decimation * down);
	plan->up = (uint32_t)up;
	plan->down = (uint32_t)down;
	return 0;
}

int plan_make(struct plan *plan)
{
	uint32_t step, steps;
	int status;

	if (plan->rate <= 2 * (uint64_t)plan->deviation)
		return app_fail(EXIT_USAGE,
			"--rate %" PRIu32 " is too low for --deviation %" PRIu32 ": more than %" PRIu64
			" is needed",
			plan->rate, plan->deviation, 2 * (uint64_t)plan->deviation);
	if (plan->stereo && plan->rate < STEREO_RATE)
		return app_fail(EXIT_USAGE,
			"--rate %" PRIu32 " is too low for --stereo, which reaches up to 53 kHz: %d or more "
			"is needed",
			plan->rate, STEREO_RATE);
	plan_channel(plan);
	status = plan_sound(plan);
	if (status)
		return status;
	step = plan->decimation * plan->down;
	steps = plan->rate / BLOCKS / step;
	plan->block = step * (steps ? steps : 1);
	return 0;
}

uint64_t plan_length(const struct plan *plan, uint64_t samples)
{
	uint64_t step = (uint64_t)plan->decimation * plan->down, rest = samples % step;

	return samples / step * plan->up + (rest * plan->up + step - 1) / step;
}
