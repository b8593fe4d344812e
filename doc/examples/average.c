/* SPDX-License-Identifier: MIT */
/*
 * A moving average that keeps each second value: it declares what a step is, and the library finds windows and memory.
 *
 * To build it:
 *
 *	cc average.c -o average $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

#include <stddef.h>

/* The average of the last `taps` samples, for each `keep`-th of them. */
struct average {
	uint32_t taps, keep;
};

static const struct pstk_param average_params[] = {
	{ .name = "taps", .type = "u32", .range = "1..1024", .offset = offsetof(struct average, taps) },
	{ .name = "keep", .type = "u32", .range = "1..1024", .offset = offsetof(struct average, keep) },
};

/* A step takes `keep` samples, sees the taps - 1 before the first of them, and writes one. */
static int average_rates(struct pstk_actor *self)
{
	const struct average *a = pstk_actor_arg(self);

	pstk_actor_set_history(self, 0, a->taps - 1);
	return pstk_actor_set_rate(self, 0, a->keep);
}

/* in: the history, then as many new samples as the firing has steps, times `keep` */
static int average_fire(struct pstk_firing *f)
{
	const struct average *a = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (uint32_t step = 0; step < pstk_firing_steps(f); step++) {
		const float *seen = in + (size_t)step * a->keep;
		float sum = 0;

		for (uint32_t i = 0; i < a->taps; i++)
			sum += seen[i];
		out[step] = sum / (float)a->taps;
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* Nothing but its arg is kept from firing to firing, so several may run side by side. */
static const struct pstk_port average_ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
};

/* 1, 2, .. 21 */
static int ramp_fire(struct pstk_firing *f)
{
	uint32_t window = pstk_actor_port_rate(pstk_firing_actor(f), 0), n = 0;
	float *out = pstk_fifo_write_start(f, 0);
	uint64_t first = pstk_firing_index(f) * window;

	for (; n < window && first + n < 21; n++)
		out[n] = (float)(first + n + 1);
	pstk_fifo_write_end_partial(f, 0, n); /* fewer than a window, or none: the stream's end */
	return PSTK_AGAIN;
}

static int print_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		printf("%s%g", i ? " " : "", (double)in[i]);
	printf("\n");
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port x = { .name = "x", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
			       y = { .name = "y", .kind = PSTK_INPUT, .token_type = "f32" };
	struct pstk_network *net = pstk_network_create("average");
	struct pstk_actor *ramp = pstk_network_add(net, "ramp",
		PSTK_ACTOR_TYPE(.name = "ramp", .ports = &x, .port_count = 1, .fire = ramp_fire), NULL);
	struct pstk_actor *average = pstk_network_add(net, "average",
		PSTK_ACTOR_TYPE(.name = "average", .ports = average_ports, .port_count = 2,
			.params = average_params, .param_count = 2, .arg_size = sizeof(struct average),
			.stateless = true, .rates = average_rates, .fire = average_fire),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &y, .port_count = 1, .fire = print_fire), NULL);

	pstk_actor_set_param(average, "taps", "4");
	pstk_actor_set_param(average, "keep", "2");
	pstk_actor_set_steps(average, 5); /* windows of 10 and 5 samples */
	pstk_actor_set_steps(ramp, 8);    /* windows of 8: the FIFO's two ends differ */
	pstk_connect(ramp, "x", average, "in", PSTK_FIFO(.tail = 3));
	pstk_connect(average, "out", print, "y", PSTK_FIFO(.depth = 2));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
