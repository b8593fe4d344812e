/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/saliency/steps.h"

#include <stdio.h>

const char *const step_names[STEPS] = { "window", "fft", "gabor", "ifft", "interactions", "normalize",
	"sum" };

unsigned place_of(const struct places *places, unsigned step)
{
	return step > places->split;
}

bool places_use_device(const struct places *places)
{
	return places->selectors[0] || (places->split < STEP_SUM && places->selectors[1]);
}

void steps_add(struct steps *steps, struct pstk_network *network, const struct pstk_window_arg *arg,
	const char *suffix, bool whole)
{
	const struct pstk_frame_size *size = &arg->size;
	const struct pstk_normalize_arg normalize = { *size, 1e-9f };
	const struct {
		const struct pstk_actor_type *type;
		const void *arg;
	} all[STEPS] = {
		{ pstk_window_type(), arg },
		{ pstk_fft2d_type(), size },
		{ pstk_gabor_type(), size },
		{ pstk_ifft2d_type(), size },
		{ pstk_interactions_type(), size },
		{ pstk_normalize_type(), &normalize },
		{ pstk_sum_type(), size },
	};

	*steps = (struct steps){ 0 };
	for (unsigned i = 0; i < STEPS; i++) {
		char name[32];

		snprintf(name, sizeof name, "%s%s", step_names[i], suffix);
		steps->actors[i] =
			pstk_network_add(network, name, all[i].type, (void *)(uintptr_t)all[i].arg);
	}
	if (whole) {
		pstk_actor_set_steps(steps->actors[STEP_IFFT], PSTK_SALIENCY_MAPS);
		pstk_actor_set_steps(steps->actors[STEP_NORMALIZE], PSTK_SALIENCY_MAPS);
	}
}

/* Does the FIFO behind a step carry maps or spectra of orientations and bands? */
static bool carries_all(unsigned step)
{
	return step >= STEP_GABOR && step < STEP_SUM;
}

static bool carries_spectra(unsigned step)
{
	return step == STEP_FFT || step == STEP_GABOR;
}

void steps_connect(struct steps *steps, const struct pstk_window_arg *arg, uint32_t depth)
{
	size_t pixels = (size_t)arg->size.width * arg->size.height;

	for (unsigned i = 0; i + 1 < STEPS; i++) {
		struct pstk_fifo_spec spec = pstk_fifo_spec_init();

		spec.token_size = pixels * (carries_spectra(i) ? sizeof(struct pstk_cf32) : sizeof(float));
		spec.depth = carries_all(i) ? depth : 0;
		steps->fifos[i] = pstk_connect(steps->actors[i], "out", steps->actors[i + 1], "in", &spec);
	}
}

int steps_map(const struct steps *steps, const struct places *places)
{
	int first = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		int err = pstk_actor_map(steps->actors[i], places->selectors[place_of(places, i)]);

		first = first ? first : err;
	}
	return first;
}
