/* SPDX-License-Identifier: MIT */
/*
 * The FM radio of the StreamIt benchmarks: a low-pass filter that decimates, a demodulator, an equaliser. Filters peek:
 * a step sees 64 samples and takes one, or five. The equaliser is a split-join of bands, each one of two filters.
 *
 * The same loops, one after the other over the whole signal, must give the same floats bit by bit.
 *
 * To build it:
 *
 *	cc fmradio.c -o fmradio $(pkg-config --cflags --libs penstock-actors) -lm
 *
 * The graph: W. Thies, M. Karczmarek, S. Amarasinghe, "StreamIt: A Language for Streaming Applications", CC 2002.
 */
#include <math.h>
#include <penstock/actors.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 20000, TAPS = 64, DECIMATION = 4, BANDS = 10, MOST = SAMPLES };

#define RATE 250e3 /* Hz */

/* -- the steps of both programs: what is computed, and in which order -- */

struct lowpass {
	uint32_t pop; /* samples that a step takes */
	float taps[TAPS];
};

/* A sinc in a Hamming window; cutoff in Hz. */
static struct lowpass lowpass(double cutoff, uint32_t pop)
{
	const double pi = acos(-1), w = 2 * pi * cutoff / RATE;
	struct lowpass filter = { .pop = pop };

	for (int i = 0; i < TAPS; i++) {
		double t = i - (TAPS - 1) / 2, hamming = 0.54 - 0.46 * cos(2 * pi * i / (TAPS - 1));

		filter.taps[i] = (float)(t == 0 ? w / pi : sin(w * t) / pi / t * hamming);
	}
	return filter;
}

/* The lower edge of a band; its upper edge is that of the next one. They are 55 Hz .. 1760 Hz, equally far apart to
 * the ear. */
static double edge(int band)
{
	return 55 * pow(1760. / 55, (double)band / BANDS);
}

static float gain(int band)
{
	return 2 - fabsf((float)band - (BANDS - 1) / 2.F) / 5;
}

static float demodulate(float now, float next)
{
	return 8 * atanf(now * next);
}

/* A carrier at 20 kHz; a tone of 440 Hz moves it by up to 5 kHz. */
static float sample(int i)
{
	const double pi = acos(-1), t = i / RATE;

	return (float)cos(2 * pi * 20e3 * t + 5e3 / 440 * sin(2 * pi * 440 * t));
}

/* -- the network -- */

static int source_fire(struct pstk_firing *f)
{
	uint32_t window = pstk_actor_port_rate(pstk_firing_actor(f), 0), n = 0;
	uint64_t first = pstk_firing_index(f) * window;
	float *out = pstk_fifo_write_start(f, 0);

	for (; n < window && first + n < SAMPLES; n++)
		out[n] = sample((int)(first + n));
	pstk_fifo_write_end_partial(f, 0, n);
	return PSTK_AGAIN;
}

/* pop n, push 1, peek 64 */
static int lowpass_rates(struct pstk_actor *self)
{
	const struct lowpass *filter = pstk_actor_arg(self);

	pstk_actor_set_peek(self, 0, TAPS);
	return pstk_actor_set_rate(self, 0, filter->pop);
}

static int lowpass_fire(struct pstk_firing *f)
{
	const struct lowpass *filter = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++, in += filter->pop) {
		float sum = 0;

		for (int i = 0; i < TAPS; i++)
			sum += in[i] * filter->taps[i];
		out[step] = sum;
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int demodulate_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++)
		out[step] = demodulate(in[step], in[step + 1]);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* pop 2, push 1 */
static int subtract_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++, in += 2)
		out[step] = in[1] - in[0];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int amplify_fire(struct pstk_firing *f)
{
	const float *by = pstk_actor_arg(pstk_firing_actor(f)), *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++)
		out[step] = *by * in[step];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* pop 10, push 1 */
static int add_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++, in += BANDS) {
		out[step] = 0;
		for (int band = 0; band < BANDS; band++)
			out[step] += in[band];
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

struct result {
	int count;
	float samples[MOST];
};

static int keep_fire(struct pstk_firing *f)
{
	struct result *result = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t n = pstk_port_valid(f, 0);

	memcpy(result->samples + result->count, pstk_fifo_read_start(f, 0), n * sizeof(float));
	result->count += (int)n;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *chain(struct pstk_actor *from, struct pstk_actor *to)
{
	pstk_connect(from, "out", to, "in", PSTK_FIFO());
	return to;
}

/* An actor of one input and one output that takes `pop` samples in a step, sees `peek` and writes one. */
static struct pstk_actor *add(struct pstk_network *net, const char *name, uint32_t pop, uint32_t peek,
	int (*fire)(struct pstk_firing *), const void *arg, size_t arg_size)
{
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = pop, .peek = peek },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "step", .ports = ports, .port_count = 2, .arg_size = arg_size,
			.stateless = true, .whole_steps = true, .fire = fire,
			.rates = fire == lowpass_fire ? lowpass_rates : NULL),
		(void *)(uintptr_t)arg);
}

static struct pstk_actor *add_lowpass(struct pstk_network *net, const char *name, double cutoff, uint32_t pop)
{
	struct lowpass filter = lowpass(cutoff, pop);

	return add(net, name, pop, 0, lowpass_fire, &filter, sizeof filter);
}

/* Two filters, whose difference is what lies between two edges. */
static struct pstk_actor *add_band(struct pstk_network *net, int band, struct pstk_actor *from)
{
	float by = gain(band);
	char names[5][16];

	for (int i = 0; i < 5; i++)
		snprintf(names[i], sizeof names[i], "%s%d",
			(const char *[]){ "below", "upto", "both", "minus", "gain" }[i], band);

	struct pstk_actor *both = pstk_interleave_add(net, names[2], (const uint32_t[]){ 1, 1 }, 2);
	struct pstk_actor *below = chain(from, add_lowpass(net, names[0], edge(band), 1)),
			  *upto = chain(from, add_lowpass(net, names[1], edge(band + 1), 1));

	pstk_connect(below, "out", both, "in1", PSTK_FIFO());
	pstk_connect(upto, "out", both, "in2", PSTK_FIFO());
	return chain(chain(both, add(net, names[3], 2, 0, subtract_fire, NULL, 0)),
		add(net, names[4], 1, 0, amplify_fire, &by, sizeof by));
}

static int run_network(struct result *result)
{
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
			       in = { .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 };
	struct pstk_network *net = pstk_network_create("fmradio");
	uint32_t ones[BANDS];

	for (int band = 0; band < BANDS; band++)
		ones[band] = 1;
	pstk_network_set_flags(net, PSTK_STEPS_AUTO); /* windows of any size give the same */

	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = source_fire), NULL);
	struct pstk_actor *low = chain(source, add_lowpass(net, "low", 30e3, 1 + DECIMATION));
	struct pstk_actor *demodulated = chain(low, add(net, "fm", 1, 2, demodulate_fire, NULL, 0));
	struct pstk_actor *join = pstk_interleave_add(net, "join", ones, BANDS);

	/* split duplicate, join roundrobin */
	for (int band = 0; band < BANDS; band++) {
		char port[16];

		snprintf(port, sizeof port, "in%d", band + 1);
		pstk_connect(add_band(net, band, demodulated), "out", join, port, PSTK_FIFO());
	}
	chain(chain(join, add(net, "add", BANDS, 0, add_fire, NULL, 0)),
		pstk_network_add(net, "keep",
			PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1, .fire = keep_fire),
			result));
	printf("%u actors, %u FIFOs\n", pstk_network_actor_count(net), pstk_network_fifo_count(net));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}

/* -- the same without a network: one loop after the other -- */

static int serial_lowpass(float *out, const float *in, int n, double cutoff, uint32_t pop)
{
	const struct lowpass filter = lowpass(cutoff, pop);
	int count = 0;

	for (int at = 0; at + TAPS <= n; at += (int)pop) {
		float sum = 0;

		for (int i = 0; i < TAPS; i++)
			sum += in[at + i] * filter.taps[i];
		out[count++] = sum;
	}
	return count;
}

static void run_serial(struct result *result)
{
	static float signal[MOST], low[MOST], sound[MOST], below[MOST], upto[MOST], bands[BANDS][MOST];
	int n;

	for (int i = 0; i < SAMPLES; i++)
		signal[i] = sample(i);
	n = serial_lowpass(low, signal, SAMPLES, 30e3, 1 + DECIMATION) - 1;
	for (int i = 0; i < n; i++)
		sound[i] = demodulate(low[i], low[i + 1]);
	for (int band = 0; band < BANDS; band++) {
		serial_lowpass(below, sound, n, edge(band), 1);
		result->count = serial_lowpass(upto, sound, n, edge(band + 1), 1);
		for (int i = 0; i < result->count; i++)
			bands[band][i] = gain(band) * (upto[i] - below[i]);
	}
	for (int i = 0; i < result->count; i++)
		for (int band = 0; band < BANDS; band++)
			result->samples[i] += bands[band][i];
}

int main(void)
{
	static struct result network, serial;
	double sum = 0;

	if (run_network(&network))
		return 1;
	run_serial(&serial);
	for (int i = 0; i < network.count; i++)
		sum += fabs((double)network.samples[i]);
	printf("%d samples: %.4f, %.4f, %.4f, ..; the mean magnitude is %.4f\n", network.count,
		(double)network.samples[0], (double)network.samples[1], (double)network.samples[2],
		sum / network.count);

	bool equal = network.count == serial.count &&
	             !memcmp(network.samples, serial.samples, (size_t)serial.count * sizeof(float));
	printf("%s\n",
		equal ? "equal to the serial program, bit by bit" : "NOT what the serial program gives");
	return !equal;
}
