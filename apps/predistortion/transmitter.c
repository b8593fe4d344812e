/* SPDX-License-Identifier: MIT */
/* The transmitter that the built-in predistorter is made for, as a model in double precision. */
#include "config.h"

#include "apps/predistortion/transmitter.h"

#include <string.h>

enum { ORDERS = 3 };

/* The modulator: x + image * conj(x), the image's filter two taps long because the two branches differ in
 * delay, too. */
static const double complex image[] = { 0.030 - 0.024 * I, -0.006 + 0.003 * I };
static const double complex leakage = 0.012 - 0.009 * I;

/*
 * The amplifier: a memory polynomial, sum over k and m of amplifier[k][m] v[n - m] |v[n - m]|^(2k) of v = u /
 * 2, twice that. Such as L. Ding et al., "A Robust Digital Baseband Predistorter Constructed Using Memory
 * Polynomials", IEEE Trans. Communications 52 (1), 2004, use for a class AB amplifier: it compresses and
 * turns the phase towards the end of its range, |u| = 1.
 */
static const double complex amplifier[ORDERS][TRANSMITTER_MEMORY] = {
	{ 1.0513 + 0.0904 * I, -0.0680 - 0.0023 * I, 0.0289 - 0.0054 * I },
	{ -0.0542 - 0.2900 * I, 0.2234 + 0.2317 * I, -0.0621 - 0.0932 * I },
	{ -0.9657 - 0.7028 * I, -0.2451 - 0.3735 * I, 0.1229 + 0.1508 * I },
};

double complex transmitter_next(struct transmitter *transmitter, double complex sample)
{
	double complex *u = transmitter->amplified, sum = 0;

	memmove(u + 1, u, (TRANSMITTER_MEMORY - 1) * sizeof(*u));
	u[0] = sample + image[0] * conj(sample) + image[1] * conj(transmitter->before) + leakage;
	transmitter->before = sample;
	for (size_t m = 0; m < TRANSMITTER_MEMORY; m++) {
		double power = (creal(u[m]) * creal(u[m]) + cimag(u[m]) * cimag(u[m])) / 4;

		sum += u[m] * (amplifier[0][m] + power * (amplifier[1][m] + power * amplifier[2][m]));
	}
	return sum;
}

double complex transmitter_gain(void)
{
	double complex sum = 0;

	for (size_t m = 0; m < TRANSMITTER_MEMORY; m++)
		sum += amplifier[0][m];
	return sum;
}

enum { RE, IM, RE_OUT, IM_OUT };

static int fire(struct pstk_firing *firing)
{
	struct transmitter *state = pstk_actor_state(pstk_firing_actor(firing));
	const float *re = pstk_fifo_read_start(firing, RE), *im = pstk_fifo_read_start(firing, IM);
	float *re_out = pstk_fifo_write_start(firing, RE_OUT),
	      *im_out = pstk_fifo_write_start(firing, IM_OUT);
	double complex scale = 1 / transmitter_gain();

	for (uint32_t n = 0; n < pstk_port_valid(firing, RE); n++) {
		double complex y = scale * transmitter_next(state, re[n] + I * (double)im[n]);

		re_out[n] = (float)creal(y);
		im_out[n] = (float)cimag(y);
	}
	pstk_fifo_read_end(firing, RE);
	pstk_fifo_read_end(firing, IM);
	pstk_fifo_write_end(firing, RE_OUT);
	pstk_fifo_write_end(firing, IM_OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *transmitter_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "re", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
		{ .name = "im", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
		{ .name = "re_out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
		{ .name = "im_out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
	};
	static const struct pstk_actor_type type = {
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type),
		.name = "transmitter",
		.ports = ports,
		.port_count = sizeof(ports) / sizeof(*ports),
		.state_size = sizeof(struct transmitter),
		.fire = fire,
	};

	return &type;
}
