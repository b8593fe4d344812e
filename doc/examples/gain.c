/* SPDX-License-Identifier: MIT */
/*
 * An actor with a parameter that works at any rate, errors with a message, a state, a last window partly filled.
 *
 * To build it:
 *
 *	cc gain.c -o gain $(pkg-config --cflags --libs penstock)
 */
#include <errno.h>
#include <penstock/penstock.h>

#define SAMPLES 10

struct gain_arg {
	float gain;
};

/* What fire() relies on: as much room at the output as there is at the input. */
static int gain_init(struct pstk_actor *self)
{
	uint32_t in = pstk_actor_port_rate(self, 0), out = pstk_actor_port_rate(self, 1);

	return in == out ? 0 : pstk_actor_error(self, -EINVAL, "rates differ: %u in, %u out", in, out);
}

/* One window of tokens in, one out: the rate is the FIFOs', the actor asks for it. */
static int gain_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct gain_arg *arg = pstk_actor_arg(self);
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);
	uint32_t valid = pstk_port_valid(f, 0);

	for (uint32_t i = 0; i < valid; i++) {
		if (in[i] < 0)
			return pstk_actor_error(self, -EDOM, "sample %u is negative: %g", i, (double)in[i]);
		out[i] = arg->gain * in[i];
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static const struct pstk_port gain_ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};

static const struct pstk_param gain_params[] = {
	{ .name = "gain",
		.type = "f32",
		.default_value = "1",
		.range = "0..100",
		.help = "factor for each sample",
		.offset = offsetof(struct gain_arg, gain) },
};

/* The source: 0, 1, .. 9 in windows of `rate` samples; the last window may hold fewer. */
static int ramp_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	unsigned *next = pstk_actor_state(self);
	float *out = pstk_fifo_write_start(f, 0);
	uint32_t rate = pstk_actor_port_rate(self, 0), n = 0;

	while (n < rate && *next < SAMPLES)
		out[n++] = (float)(*next)++;
	pstk_fifo_write_end_partial(f, 0, n);
	return *next < SAMPLES ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		printf("%g%c", (double)in[i], i + 1 < pstk_port_valid(f, 0) ? ' ' : '\n');
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	struct pstk_network *net = pstk_network_create("gain");
	struct pstk_actor *ramp = pstk_network_add(net, "ramp",
		PSTK_ACTOR_TYPE(.name = "ramp", .ports = &gain_ports[1], .port_count = 1,
			.state_size = sizeof(unsigned), .fire = ramp_fire),
		NULL);
	struct pstk_actor *gain = pstk_network_add(net, "gain",
		PSTK_ACTOR_TYPE(.name = "gain", .ports = gain_ports, .port_count = 2, .params = gain_params,
			.param_count = 1, .arg_size = sizeof(struct gain_arg), .init = gain_init,
			.fire = gain_fire),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &gain_ports[0], .port_count = 1,
			.fire = print_fire),
		NULL);

	pstk_actor_set_param(gain, "gain", "2.5");
	pstk_connect(ramp, "out", gain, "in", PSTK_FIFO(.rate = 4));
	pstk_connect(gain, "out", print, "in", PSTK_FIFO(.rate = 4));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
