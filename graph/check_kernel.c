/* SPDX-License-Identifier: MIT */
/* Actors that a graph file defines by a kernel: every kind of argument, ports by control value. On PoCL. */
#include "graph/check_load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 4, FIRINGS = 5 };

static const char kernels[] =
	"__kernel void ramp(__global float *out, __global uint *count, ulong firing, uint rate)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = firing * rate + i + STEP * *count;\n"
	"}\n"
	"__kernel void line(__global const float *in, __global float *out, ulong firing, float gain,\n"
	"	__global const float *offsets, uint valid, uint steps, __local float *scratch)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	scratch[get_local_id(0)] = gain * in[i + 1] + in[i];\n"
	"	out[i] = scratch[get_local_id(0)] + offsets[i % 2] + 1000 * valid + 100 * steps;\n"
	"}\n"
	"__kernel void flip(__global const uchar *in, __global uchar *out, ulong firing, uint width, uint "
	"height)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1);\n"
	"	out[y * width + x] = in[(height - 1 - y) * width + x];\n"
	"}\n"
	"__kernel void gate(__global const uint *active, __global const float *in, __global float *a,\n"
	"	__global float *b, ulong firing)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (a) a[i] = in[i];\n"
	"	if (b) b[i] = -in[i];\n"
	"}\n";

static float got[2][RATE * FIRINGS];
static unsigned counts[2];

static int keep(struct pstk_firing *f)
{
	const unsigned *which = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);

	memcpy(&got[*which][counts[*which]], in, RATE * sizeof *in);
	counts[*which] += RATE;
	pstk_fifo_read_end(f, 0);
	return *which == 0 && counts[0] == RATE * FIRINGS ? PSTK_DONE : PSTK_AGAIN;
}

static void add_sink(struct pstk_graph *g, const char *from, const char *port, unsigned which)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_type = "f32" };
	static unsigned numbers[2] = { 0, 1 };
	struct pstk_actor *sink = pstk_network_add(pstk_graph_network(g), which ? "second" : "first",
		PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1, .fire = keep),
		&numbers[which]);

	counts[which] = 0;
	ck_assert_ptr_nonnull(pstk_connect(load_actor(g, from), port, sink, "in", PSTK_FIFO(.rate = RATE)));
}

START_TEST(arguments)
{
	struct pstk_graph *g;

	test_file("k.cl", kernels);
	g = pstk_graph_load(test_file("g.yaml", "actors:\n"
						"  ramp: {kernel: k.cl, name: ramp, options: -DSTEP=0, "
						"ports: {out: {output: f32}}, work_size: "
						"[rate(out)],\n    state_size: 4, args: [{rate: out}]}\n"
						"  line: {kernel: k.cl, name: line, options: -DSTEP=0, "
						"ports: {in: {input: f32, rate: 1, history: "
						"1},\n    out: {output: f32, rate: 1}}, work_size: "
						"[rate(in)], args: [{f32: 0.5}, {f32: [0.25, -1]}, "
						"{valid: in},\n    {steps: true}, {local: 64B}]}\n"
						"fifos:\n  - {from: ramp.out, to: line.in, rate: "
						"4}\nmapping: {ramp: pocl, line: pocl}\n"),
		PSTK_GRAPH(.unfinished = true));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	add_sink(g, "line", "out", 0);
	ck_assert_msg(pstk_network_run(pstk_graph_network(g)) == 0, "%s",
		pstk_network_error(pstk_graph_network(g)));
	for (unsigned i = 0; i < RATE * FIRINGS; i++) {
		float before = i ? (float)(i - 1) : 0.F;

		ck_assert_float_eq(got[0][i],
			0.5F * (float)i + before + (i % 2 ? -1.F : 0.25F) + 1000 * RATE + 100 * RATE);
	}
	pstk_graph_destroy(g);
}
END_TEST

/* control: the ports that are on, by value. Values 0 1 2 3: none, in and a, in and b, all. */
START_TEST(control)
{
	struct pstk_graph *g;

	test_file("k.cl", kernels);
	g = pstk_graph_load(
		test_file("g.yaml", "actors:\n"
				    "  values: {type: configuration, values: [1, 2, 3, 0, 3]}\n"
				    "  ramp: {kernel: k.cl, name: ramp, options: -DSTEP=0, ports: {out: "
				    "{output: f32}}, work_size: [4], "
				    "state_size: 4,\n    args: [{rate: out}]}\n"
				    "  gate: {kernel: k.cl, name: gate, options: -DSTEP=0, ports: {active: "
				    "{control: u32}, in: "
				    "{dynamic_input: f32},\n    a: {dynamic_output: f32}, b: "
				    "{dynamic_output: f32}}, work_size: "
				    "[rate(in)],\n    control: [[], [in, a], [in, b], [in, a, b]]}\n"
				    "fifos:\n  - {from: values.out, to: gate.active, rate: 1}\n  - {from: "
				    "ramp.out, to: gate.in, rate: 4}\n"
				    "run: {unchecked: true}\n"),
		PSTK_GRAPH(.plugins = load_plugins, .unfinished = true));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_uint_eq(pstk_actor_get_type(load_actor(g, "gate"))->control_values, 4);
	pstk_graph_destroy(g);
}
END_TEST

/* A work size that a driver can't count is known when the rates are. */
START_TEST(too_many_items)
{
	struct pstk_graph *g;

	test_file("k.cl", kernels);
	g = pstk_graph_load(
		test_file("g.yaml",
			"actors:\n  ramp: {kernel: k.cl, name: ramp, options: -DSTEP=0, ports: {out: "
			"{output: f32}}, work_size: [1073741824, rate(out)],\n    state_size: 4, args: "
			"[{rate: out}]}\nmapping: {ramp: pocl}\n"),
		PSTK_GRAPH(.unfinished = true));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	add_sink(g, "ramp", "out", 0);
	ck_assert_int_eq(pstk_network_run(pstk_graph_network(g)), -EINVAL);
	TEST_SAYS(pstk_network_error(pstk_graph_network(g)),
		"its work_size is more than 2147483647 work-items: give its FIFOs a lower rate");
	pstk_graph_destroy(g);
}
END_TEST

/* As many arguments as the library takes, and one more. */
START_TEST(many_args)
{
	static const char *const problem[] = { "g.yaml:2:653: error: 'args' has more than 64 arguments" };
	char text[1000];
	struct pstk_graph *g;

	test_file("k.cl", "");
	for (unsigned more = 0; more < 2; more++) {
		size_t length = (size_t)snprintf(text, sizeof text,
			"actors:\n  k: {kernel: k.cl, name: k, ports: {in: {input: u8}}, work_size: 1, args: "
			"[");

		for (unsigned i = 0; i < 64 + more; i++)
			length += (size_t)snprintf(text + length, sizeof text - length, "{u8: 1}, ");
		snprintf(text + length, sizeof text - length, "]}\n");
		g = pstk_graph_load(test_file("g.yaml", text), PSTK_GRAPH(.unfinished = true));
		if (more) {
			load_expect(g, problem, 1);
		} else {
			ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
			pstk_graph_destroy(g);
		}
	}
}
END_TEST

/* Frames that a kernel turns upside down, whose size only the file has that the source reads. */
START_TEST(frames)
{
	const char *in =
		test_file("in.y4m", "YUV4MPEG2 W3 H4 F25:1 Cmono\nFRAME\nabcdefghijklFRAME\nABCDEFGHIJKL");
	const char *out = test_file("out.gray", "");
	char text[1024], pixels[25] = "";
	FILE *f;

	test_file("k.cl", kernels);
	snprintf(text, sizeof text,
		"actors:\n  flip: {kernel: k.cl, name: flip, options: -DSTEP=0, ports: {in: {input: u8, "
		"format: gray8},\n"
		"    out: {output: u8, format: gray8}}, work_size: [width(in), height(out)],\n"
		"    args: [{width: in}, {height: in}]}\n"
		"  source: {type: video_source, input: %s}\n"
		"  sink: {type: video_sink, output: %s}\nfifos:\n"
		"  - {from: source.out, to: flip.in, rate: 1}\n  - {from: flip.out, to: sink.map, rate: 1}\n"
		"mapping: {flip: pocl}\n",
		in, out);
	load_run(load_file(text, NULL));
	f = fopen(out, "r");
	ck_assert_uint_eq(fread(pixels, 1, 24, f), 24);
	ck_assert_str_eq(pixels, "jklghidefabcJKLGHIDEFABC");
	ck_assert_int_eq(fgetc(f), EOF);
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel");
	TCase *c = test_case(suite, "kernels");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, arguments);
	tcase_add_test(c, control);
	tcase_add_test(c, too_many_items);
	tcase_add_test(c, many_args);
	tcase_add_test(c, frames);
	return test_main(suite);
}
