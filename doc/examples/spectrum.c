/* SPDX-License-Identifier: MIT */
/*
 * A spectrum over time: transforms of 1024 samples, a new one each 256 samples. Two tones go in, one of which goes up
 * in the middle; of each block the peaks are printed.
 *
 * To build it:
 *
 *	cc spectrum.c -o spectrum $(pkg-config --cflags --libs penstock-iq) -lm
 */
#include <errno.h>
#include <math.h>
#include <penstock/actors.h>
#include <penstock/iq.h>

enum { SIZE = 1024, SAMPLES = 5120, BLOCK = 500, SKIPPED = 77 };

/* The frequencies are in bins: parts of SIZE in a sample. */
static int tones_fire(struct pstk_firing *f)
{
	const double turn = 2 * acos(-1) / SIZE;
	uint64_t first = BLOCK * pstk_firing_index(f);
	struct pstk_cf32 *out = pstk_fifo_write_start(f, 0);
	uint32_t n = 0;

	for (; n < BLOCK && first + n < SAMPLES; n++) {
		double a = turn * 64 * (double)(first + n);
		double b = turn * (first + n < SAMPLES / 2 ? -200 : 300) * (double)(first + n);

		out[n] = (struct pstk_cf32){ (float)(cos(a) + cos(b) / 2), (float)(sin(a) + sin(b) / 2) };
	}
	pstk_fifo_write_end_partial(f, 0, n);
	return n < BLOCK ? PSTK_DONE : PSTK_AGAIN;
}

static double power(const struct pstk_cf32 *bins, int k)
{
	const struct pstk_cf32 bin = bins[(k + SIZE) % SIZE];

	return (double)bin.re * (double)bin.re + (double)bin.im * (double)bin.im;
}

/* Bins that are larger than both neighbours, and not too small. */
static int peaks_fire(struct pstk_firing *f)
{
	const struct pstk_cf32 *bins = pstk_fifo_read_start(f, 0);

	printf("block %2d:", (int)pstk_firing_index(f));
	for (int k = -SIZE / 2; k < SIZE / 2; k++) {
		double p = power(bins, k);

		if (p > power(bins, k - 1) && p > power(bins, k + 1) && p > 60. * 60)
			printf(" %d", k);
	}
	printf("\n");
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port x = { .name = "x", .kind = PSTK_OUTPUT, .token_type = "cf32", .rate = 1 },
			       bins = { .name = "bins", .kind = PSTK_INPUT, .token_type = "cf32" };
	struct pstk_network *net = pstk_network_create("spectrum");
	struct pstk_actor *tones = pstk_network_add(net, "tones",
		PSTK_ACTOR_TYPE(.name = "tones", .ports = &x, .port_count = 1, .fire = tones_fire), NULL);
	struct pstk_actor *fft = pstk_network_add(net, "fft", pstk_fft_type(), NULL);
	struct pstk_actor *peaks = pstk_network_add(net, "peaks",
		PSTK_ACTOR_TYPE(.name = "peaks", .ports = &bins, .port_count = 1, .fire = peaks_fire), NULL);

	pstk_actor_set_param(fft, "size", "1024");
	pstk_actor_set_param(fft, "hop", "256"); /* a step's samples; the 768 before them are history */
	pstk_actor_set_param(fft, "window", "hann");
	pstk_actor_set_steps(tones, BLOCK);
	pstk_connect(tones, "x", fft, "in", PSTK_FIFO());
	pstk_connect(fft, "out", peaks, "bins", PSTK_FIFO());
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err == -ENOTSUP ? SKIPPED : err != 0;
}
