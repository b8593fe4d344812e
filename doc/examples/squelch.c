/* SPDX-License-Identifier: MIT */
/*
 * Dynamic rates: a squelch. detect looks at each window of samples and says 1 where there is a signal, 0 where there is
 * silence. Only windows with a signal go through the filter; in the others the filter does not fire at all.
 *
 *   samples -+-> detect ---control---+-----------+
 *            |                       v           v
 *            +---------------------> gate ~~~> mute --> print         ~~~> filter ~~~> between gate and mute
 *
 * squelch           says what the analyser thinks of the network, and runs it
 * squelch wrong     the same with a mistake in mute's control function: the start is refused, exit status 4
 * squelch unchecked with the mistake, and without the analyser's word: ends in a deadlock, exit status 4
 * squelch SELECTOR  gate and filter on an OpenCL device
 *
 * To build it:
 *
 *	cc squelch.c -o squelch $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

#include <errno.h>
#include <math.h>
#include <string.h>

enum { SILENCE, SIGNAL, VALUES }; /* the control values */
enum { WINDOW = 4, WINDOWS = 24 };

/* Three windows of signal, three of silence, .. */
static int samples_fire(struct pstk_firing *f)
{
	uint64_t window = pstk_firing_index(f);
	float *out = pstk_fifo_write_start(f, 0);

	for (unsigned i = 0; i < WINDOW; i++)
		out[i] = window / 3 % 2 ? 0.01f : (float)(i + 1);
	pstk_fifo_write_end(f, 0);
	return window + 1 < WINDOWS ? PSTK_AGAIN : PSTK_DONE;
}

/* The configuration actor: one control token for each window. */
static int detect_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);
	uint32_t *control = pstk_fifo_write_start(f, 1);
	float power = 0;

	for (unsigned i = 0; i < WINDOW; i++)
		power += in[i] * in[i];
	*control = power > 1 ? SIGNAL : SILENCE;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* gate reads every window, and hands on those with a signal. */
enum { GATE_CONTROL, GATE_IN, GATE_OUT };

static int gate_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, GATE_OUT, value == SIGNAL);
	return 0;
}

static int gate_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, GATE_IN);

	if (pstk_port_enabled(f, GATE_OUT)) {
		memcpy(pstk_fifo_write_start(f, GATE_OUT), in, WINDOW * sizeof *in);
		pstk_fifo_write_end(f, GATE_OUT);
	}
	pstk_fifo_read_end(f, GATE_IN);
	return PSTK_AGAIN;
}

/* A static actor between two dynamic ports: it fires when there is a window. The mean of two samples that follow one
 * another: in begins with the last one of the window before, its history, so there is no state. */
static int filter_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);

	for (unsigned i = 0; i < WINDOW; i++)
		out[i] = (in[i] + in[i + 1]) / 2;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* mute takes what comes of gate's windows, and gives zeros for the others. */
enum { MUTE_CONTROL, MUTE_IN, MUTE_OUT };

static int mute_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, MUTE_IN, value == SIGNAL);
	return 0;
}

/* The mistake: gate has written nothing for SILENCE. */
static int wrong_control(struct pstk_firing *f, uint32_t value)
{
	(void)value;
	pstk_port_enable(f, MUTE_IN, true);
	return 0;
}

static int mute_fire(struct pstk_firing *f)
{
	float *out = pstk_fifo_write_start(f, MUTE_OUT);

	if (pstk_port_enabled(f, MUTE_IN)) {
		memcpy(out, pstk_fifo_read_start(f, MUTE_IN), WINDOW * sizeof *out);
		pstk_fifo_read_end(f, MUTE_IN);
	} else {
		memset(out, 0, WINDOW * sizeof *out);
	}
	pstk_fifo_write_end(f, MUTE_OUT);
	return PSTK_AGAIN;
}

static int print_fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);

	printf("%4.1f %4.1f %4.1f %4.1f\n", (double)in[0], (double)in[1], (double)in[2], (double)in[3]);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* The same on a device. A port that is off is NULL. */
static const char source[] =
	"__kernel void gate(__global const float *in, __global float *out, ulong firing)\n"
	"{\n"
	"	if (out)\n"
	"		out[get_global_id(0)] = in[get_global_id(0)];\n"
	"}\n"
	"__kernel void filter(__global const float *in, __global float *out, ulong firing)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = (in[i] + in[i + 1]) / 2;\n"
	"}\n";
static const struct pstk_kernel gate_kernel = { .source = source, .name = "gate" };
static const struct pstk_kernel filter_kernel = { .source = source, .name = "filter" };

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};
static const struct pstk_port filter_ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32", .history = 1 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};
static const struct pstk_port detect_ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
	{ .name = "control", .kind = PSTK_OUTPUT, .token_type = "u32" },
};
static const struct pstk_port gate_ports[] = {
	{ .name = "control", .kind = PSTK_CONTROL },
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(float), .token_type = "f32" },
	{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};
static const struct pstk_port mute_ports[] = {
	{ .name = "control", .kind = PSTK_CONTROL },
	{ .name = "in", .kind = PSTK_DYNAMIC_INPUT, .token_size = sizeof(float), .token_type = "f32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(float), .token_type = "f32" },
};

static void map(struct pstk_actor *actor, const char *device)
{
	const size_t items = WINDOW;

	pstk_actor_map(actor, device);
	pstk_actor_set_work_size(actor, 1, &items, NULL);
}

static struct pstk_network *build(bool wrong, const char *device)
{
	struct pstk_network *net = pstk_network_create("squelch");
	struct pstk_actor *samples = pstk_network_add(net, "samples",
		PSTK_ACTOR_TYPE(.name = "samples", .ports = &ports[1], .port_count = 1, .fire = samples_fire),
		NULL);
	struct pstk_actor *detect = pstk_network_add(net, "detect",
		PSTK_ACTOR_TYPE(.name = "detect", .ports = detect_ports, .port_count = 2,
			.fire = detect_fire),
		NULL);
	struct pstk_actor *gate = pstk_network_add(net, "gate",
		PSTK_ACTOR_TYPE(.name = "gate", .ports = gate_ports, .port_count = 3,
			.control_values = VALUES, .control = gate_control, .fire = gate_fire,
			.kernel = &gate_kernel),
		NULL);
	struct pstk_actor *filter = pstk_network_add(net, "filter",
		PSTK_ACTOR_TYPE(.name = "filter", .ports = filter_ports, .port_count = 2, .stateless = true,
			.fire = filter_fire, .kernel = &filter_kernel),
		NULL);
	struct pstk_actor *mute = pstk_network_add(net, "mute",
		PSTK_ACTOR_TYPE(.name = "mute", .ports = mute_ports, .port_count = 3,
			.control_values = VALUES, .control = wrong ? wrong_control : mute_control,
			.fire = mute_fire),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = ports, .port_count = 1, .fire = print_fire), NULL);
	const struct pstk_fifo_spec *window = PSTK_FIFO(.rate = WINDOW, .token_size = sizeof(float));
	const struct pstk_fifo_spec *control = PSTK_FIFO(.rate = 1, .token_size = sizeof(uint32_t));

	pstk_connect(samples, "out", detect, "in", window);
	pstk_connect(samples, "out", gate, "in", window);
	pstk_connect(detect, "control", gate, "control", control);
	pstk_connect(detect, "control", mute, "control", control);
	pstk_connect(gate, "out", filter, "in", window);
	pstk_connect(filter, "out", mute, "in", window);
	pstk_connect(mute, "out", print, "in", window);
	if (device) {
		map(gate, device);
		map(filter, device);
	}
	return net;
}

int main(int argc, char **argv)
{
	bool unchecked = argc > 1 && !strcmp(argv[1], "unchecked");
	bool wrong = unchecked || (argc > 1 && !strcmp(argv[1], "wrong"));
	struct pstk_network *net = build(wrong, argc > 1 && !wrong ? argv[1] : NULL);
	int err;

	pstk_network_check(net, stdout, NULL);
	pstk_network_set_flags(net, unchecked ? PSTK_UNCHECKED : 0);
	err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err == -EDEADLK ? 4 : err != 0;
}
