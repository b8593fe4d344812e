/* SPDX-License-Identifier: MIT */
/*
 * An actor that moves while data flow: its sums run on the cores, from firing 2 on on a device, from firing 4 on on the
 * cores again. moving [SELECTOR]
 *
 * To build it:
 *
 *	cc moving.c -o moving $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

enum { RATE = 4, WINDOWS = 6 };

static const struct pstk_port in = {
	.name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32"
};
static const struct pstk_port out = {
	.name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32"
};

/* The sum of all tokens so far is the state: a float, for fire() and for the kernel alike. */
static const struct pstk_kernel kernel = {
	.name = "sum",
	.source = "__kernel void sum(__global const float *in, __global float *out,\n"
		  "                  __global float *sum, ulong firing)\n"
		  "{\n"
		  "	for (int i = 0; i < 4; i++) out[i] = *sum += in[i];\n"
		  "}\n",
};

static int sum_fire(struct pstk_firing *f)
{
	float *sum = pstk_actor_state(pstk_firing_actor(f)), *to = pstk_fifo_write_start(f, 1);
	const float *from = pstk_fifo_read_start(f, 0);

	for (int i = 0; i < RATE; i++)
		to[i] = *sum += from[i];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int sum_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, NULL);
}

static int ramp_fire(struct pstk_firing *f)
{
	float *window = pstk_fifo_write_start(f, 0);

	for (uint64_t i = 0; i < RATE; i++)
		window[i] = (float)(RATE * pstk_firing_index(f) + i);
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 < WINDOWS ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	const float *window = pstk_fifo_read_start(f, 0);

	for (int i = 0; i < RATE; i++)
		printf("%g%c", (double)window[i], i + 1 < RATE ? ' ' : '\n');
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(int argc, char **argv)
{
	struct pstk_device_info first;
	const char *device = argc > 1 ? argv[1] : first.selector;
	struct pstk_network *net = pstk_network_create("moving");
	struct pstk_actor *ramp, *sums, *print;
	const struct pstk_port ports[] = { in, out };
	int err;

	if (argc == 1 && pstk_devices(&first, 1) < 1) {
		pstk_devices_print(stderr);
		pstk_network_destroy(net);
		return 77;
	}
	ramp = pstk_network_add(net, "ramp",
		PSTK_ACTOR_TYPE(.name = "ramp", .ports = &out, .port_count = 1, .fire = ramp_fire), NULL);
	sums = pstk_network_add(net, "sums",
		PSTK_ACTOR_TYPE(.name = "sum", .ports = ports, .port_count = 2, .state_size = sizeof(float),
			.portable_state = true, .init = sum_init, .fire = sum_fire, .kernel = &kernel),
		NULL);
	print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &in, .port_count = 1, .fire = print_fire), NULL);
	pstk_connect(ramp, "out", sums, "in", PSTK_FIFO(.rate = RATE));
	pstk_connect(sums, "out", print, "in", PSTK_FIFO(.rate = RATE));

	/* it is on the cores at first: these are its two places */
	pstk_actor_may_move(sums, device);
	pstk_actor_migrate(sums, device, 2);
	pstk_actor_migrate(sums, NULL, 4);

	err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "moving: %s\n", pstk_network_error(net));
	for (unsigned i = 0; i < pstk_network_move_count(net); i++) {
		struct pstk_move move = PSTK_MOVE();

		if (!pstk_network_move(net, i, &move) && move.state == PSTK_MOVE_DONE)
			printf("move %u: from firing %u on\n", i, (unsigned)move.firing);
	}
	pstk_network_destroy(net);
	return err < 0;
}
