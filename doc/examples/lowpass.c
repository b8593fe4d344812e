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

/* A signal is two streams of floats. */
struct signal {
	struct pstk_actor *re, *im;
	const char *re_port, *im_port;
};

static void connect_signal(struct signal from, struct signal to)
{
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = BLOCK, .token_size = sizeof(float));

	pstk_connect(from.re, from.re_port, to.re, to.re_port, spec);
	pstk_connect(from.im, from.im_port, to.im, to.im_port, spec);
}

static struct signal end_of(struct pstk_actor *actor)
{
	return (struct signal){ actor, actor, "re", "im" };
}

/* Its taps are real, so each part has a filter of its own. The samples that it sees again are the history of its port:
 * it keeps no state, and a team fires several windows side by side. */
static struct pstk_actor *add_filter(struct pstk_network *net, const char *name)
{
	return pstk_fir_f32_add(net, name, PSTK_FIR(.count = TAPS, .cutoff = CUT, .attenuation = 40));
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
	struct signal source, in, out;
	int err;

	source = end_of(pstk_network_add(net, "source", pstk_iq_source_type(), input));
	in = (struct signal){ add_filter(net, "filter_re"), add_filter(net, "filter_im"), "in", "in" };
	out = (struct signal){ in.re, in.im, "out", "out" };
	connect_signal(source, in);
	connect_signal(out, end_of(pstk_network_add(net, "sink", pstk_iq_sink_type(), output)));
	/* the spectra look on: their FIFOs share the buffers of those above */
	connect_signal(source, end_of(pstk_network_add(net, "before", pstk_spectrum_type(), before)));
	connect_signal(out, end_of(pstk_network_add(net, "after", pstk_spectrum_type(), after)));
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
