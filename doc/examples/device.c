/* SPDX-License-Identifier: MIT */
/*
 * An actor on a device: ramp on the cores, its samples squared by a kernel, print on the cores. device [SELECTOR]
 *
 * To build it:
 *
 *	cc device.c -o device $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

enum { RATE = 4, WINDOWS = 3, SKIPPED = 77 };

static const struct pstk_port in = {
	.name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32"
};
static const struct pstk_port out = {
	.name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32"
};

/* A pointer for each port, the firing's number, then what pstk_actor_set_arg() gives. */
static const struct pstk_kernel square = {
	.name = "square",
	.source = "__kernel void square(__global const float *in, __global float *out,\n"
		  "                     ulong firing, float gain)\n"
		  "{\n"
		  "	size_t i = get_global_id(0);\n"
		  "	out[i] = gain * in[i] * in[i];\n"
		  "}\n",
};

/* Once, before the first firing, when rates are known: a work-item for each token of a window. */
static int square_init(struct pstk_actor *self)
{
	const size_t items = pstk_actor_port_rate(self, 0);
	const float gain = 0.5f;
	int err = pstk_actor_set_work_size(self, 1, &items, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof gain, &gain);
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
	const struct pstk_port ports[] = { in, out };
	struct pstk_device_info first;

	if (argc < 2 && pstk_devices(&first, 1) < 1) {
		pstk_devices_print(stderr); /* says what to install */
		return SKIPPED;
	}

	struct pstk_network *net = pstk_network_create("device");
	struct pstk_actor *ramp = pstk_network_add(net, "ramp",
		PSTK_ACTOR_TYPE(.name = "ramp", .ports = &out, .port_count = 1, .fire = ramp_fire), NULL);
	struct pstk_actor *squares = pstk_network_add(net, "squares",
		PSTK_ACTOR_TYPE(.name = "square", .ports = ports, .port_count = 2, .init = square_init,
			.kernel = &square),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &in, .port_count = 1, .fire = print_fire), NULL);

	pstk_actor_map(squares, argc > 1 ? argv[1] : first.selector);
	pstk_connect(ramp, "out", squares, "in", PSTK_FIFO(.rate = RATE, .token_size = sizeof(float)));
	pstk_connect(squares, "out", print, "in", PSTK_FIFO(.rate = RATE, .token_size = sizeof(float)));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
