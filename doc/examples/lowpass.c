/* SPDX-License-Identifier: MIT */
/*
 * A low-pass filter for I/Q samples, and what it does to their spectrum:
 *
 *	lowpass [INPUT [OUTPUT]]
 *
 * Files as <penstock/iq.h> has them, cf32 or SigMF; without an input a generated signal.
 *
 * To build it:
 *
 *	cc lowpass.c -o lowpass $(pkg-config --cflags --libs penstock-iq penstock-actors) -lm
 */
#include <errno.h>
#include <math.h>
#include <penstock/actors.h>
#include <penstock/iq.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096, TAPS = 63, BINS = 256, SAMPLES = 500000 };

/* Everything above this fraction of the sample rate goes. */
#define CUT 0.05

/* A sinc in a Hann window, whose sum is 1. */
static void design(struct pstk_cf32 taps[TAPS])
{
	const double pi = acos(-1);
	double sum = 0, tap[TAPS];

	for (int k = 0; k < TAPS; k++) {
		double t = k - (TAPS - 1) / 2, hann = 0.5 + 0.5 * cos(2 * pi * t / (TAPS + 1));

		tap[k] = hann * (k == (TAPS - 1) / 2 ? 2 * CUT : sin(2 * pi * CUT * t) / (pi * t));
		sum += tap[k];
	}
	for (int k = 0; k < TAPS; k++)
		taps[k] = (struct pstk_cf32){ (float)(tap[k] / sum), 0 };
}

/* A signal is two streams of floats. */
static void connect_signal(struct pstk_actor *src, const char *re, const char *im, struct pstk_actor *dst)
{
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = BLOCK, .token_size = sizeof(float));

	pstk_connect(src, re, dst, "re", spec);
	pstk_connect(src, im, dst, "im", spec);
}

/* dB, below and above the cut-off frequency. */
static void print_power(const char *name, const struct pstk_spectrum *spectrum)
{
	double power[BINS], below = 0, above = 0;

	pstk_spectrum_get(spectrum, power);
	for (int i = 0; i < BINS; i++)
		*(abs(i - BINS / 2) < CUT * BINS ? &below : &above) += power[i];
	printf("%s: %.0f dB below the cut-off, %.0f dB above\n", name, 10 * log10(below), 10 * log10(above));
}

static int run(struct pstk_iq_input *input, struct pstk_iq_output *output, struct pstk_spectrum *before,
	struct pstk_spectrum *after)
{
	struct pstk_network *net = pstk_network_create("lowpass");
	struct pstk_cf32 taps[TAPS];
	struct pstk_actor *source, *filter;
	int err;

	design(taps);
	source = pstk_network_add(net, "source", pstk_iq_source_type(), input);
	filter = pstk_fir_add(net, "filter", taps, TAPS);
	connect_signal(source, "re", "im", filter);
	connect_signal(
		filter, "re_out", "im_out", pstk_network_add(net, "sink", pstk_iq_sink_type(), output));
	/* the spectra look on: their FIFOs share the buffers of those above */
	connect_signal(source, "re", "im", pstk_network_add(net, "before", pstk_spectrum_type(), before));
	connect_signal(
		filter, "re_out", "im_out", pstk_network_add(net, "after", pstk_spectrum_type(), after));
	err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "lowpass: %s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}

int main(int argc, char **argv)
{
	struct pstk_spectrum *before = NULL, *after = NULL;
	struct pstk_iq_input *input = NULL;
	struct pstk_iq_output *output = NULL;
	char error[PSTK_IQ_ERROR_SIZE] = "out of memory";
	int err = pstk_iq_input_open(&input,
		PSTK_IQ_INPUT(.path = argv[1], .samples = argc > 1 ? 0 : SAMPLES), error, sizeof error);

	if (!err && argc > 2)
		err = pstk_iq_output_open(&output, PSTK_IQ_OUTPUT(.path = argv[2]), error, sizeof error);
	if (!err)
		err = pstk_spectrum_create(&before, BINS);
	if (!err)
		err = pstk_spectrum_create(&after, BINS);
	if (err) {
		fprintf(stderr, "lowpass: %s\n", err == -ENOTSUP ? "this build has no kissfft" : error);
	} else {
		err = run(input, output, before, after);
		if (!err) {
			print_power("before", before);
			print_power("after", after);
		}
	}
	pstk_spectrum_destroy(before);
	pstk_spectrum_destroy(after);
	pstk_iq_output_close(output);
	pstk_iq_input_close(input);
	return err == -ENOTSUP ? 77 : err != 0;
}
