/* SPDX-License-Identifier: MIT */
/* Plug-ins of video and I/Q: sources and sinks by their parameters, what they write, what they refuse. */
#include "config.h"

#include "graph/check_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *bytes = calloc(1, 1 << 20);

	ck_assert_ptr_nonnull(f);
	*size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static void expect_text(const char *path, const char *text)
{
	size_t size;
	char *bytes = read_all(path, &size);

	ck_assert_uint_eq(size, strlen(text));
	ck_assert_mem_eq(bytes, text, size);
	free(bytes);
}

/* The graph of a chain with files in it. */
#define CHAIN(...) (snprintf(chain, sizeof chain, __VA_ARGS__), load_chain(chain, NULL))
static char chain[512];

/* Raw frames need their size. */
START_TEST(raw_frames)
{
	const char *in = test_file("in.gray", "abcdefghijklABCDEFGHIJKLmnopqrstuvwx"),
		   *out = test_file("out.gray", "");

	load_run(CHAIN("video_source input=%s size=4x3 frames=2 ! video_sink output=%s", in, out));
	expect_text(out, "abcdefghijklABCDEFGHIJKL");
}
END_TEST

/* Nothing gets its name in a network that was not run, and what was there stays. */
START_TEST(not_run)
{
	const char *in = test_file("in.gray", "abcdefghijkl"), *out = test_file("out.gray", "former");

	pstk_graph_destroy(CHAIN("video_source input=%s size=4x3 ! video_sink output=%s", in, out));
	expect_text(out, "former");
	in = test_file("in.cf32", "AAAABBBBCCCCDDDD");
	pstk_graph_destroy(CHAIN("iq_source input=%s ! iq_sink output=%s", in, out));
	pstk_graph_destroy(CHAIN("iq_source input=%s ! spectrum output=%s", in, out));
	expect_text(out, "former");
}
END_TEST

/* Two ports, and a picture with 255 of the map in red. */
START_TEST(overlay)
{
	const char *in = test_file("in.y4m", "YUV4MPEG2 W4 H1 F25:1 Cmono\nFRAME\nabcdFRAME\nabzd");
	const char *out = test_file("out.y4m", "");
	char text[512];
	size_t size;
	char *bytes;

	snprintf(text, sizeof text,
		"actors:\n  s: {type: video_source, input: %s}\n  t: {type: threshold, threshold: 10}\n"
		"  d: {type: video_sink, output: %s, overlay: true}\nfifos:\n"
		"  - {from: s.out, to: [t.now, t.before: {delay: 1}, d.frame]}\n  - {from: t.out, to: "
		"d.map}\n",
		in, out);
	load_run(load_file(text, NULL));
	bytes = read_all(out, &size);
	ck_assert_ptr_nonnull(strstr(bytes, "W4 H1 F25:1"));
	ck_assert_ptr_nonnull(strstr(bytes, "C444"));
	free(bytes);
}
END_TEST

/* Samples through a filter of one tap, 1. */
START_TEST(samples)
{
	const char *in = test_file("in.cf32", "AAAABBBBCCCCDDDDEEEEFFFF"), *out = test_file("out.cf32", "");

	load_run(CHAIN("iq_source input=%s ! fir taps=1,0 ! iq_sink output=%s", in, out));
	expect_text(out, "AAAABBBBCCCCDDDDEEEEFFFF");
	load_run(CHAIN("iq_source input=%s samples=1 ! fir taps='0 1' ! iq_sink output=%s", in, out));
	/* times i: minus the imaginary part, the real part */
	expect_text(out, "BBB\xc2"
			 "AAAA");
	load_run(CHAIN("iq_source input=%s format=cu8 samples=2 ! iq_sink", in));
}
END_TEST

#ifdef HAVE_KISSFFT
/* Of a constant v under a Hann window: 2/3 of the power |v|^2 at 0 Hz, 1/6 in each bin beside it. */
START_TEST(spectrum)
{
	static char text[64 * 8 + 1];
	const char *in, *out = test_file("out.txt", "");
	char *rest, *bytes;
	size_t size;
	float v;

	memset(text, 'A', sizeof text - 1);
	memcpy(&v, text, sizeof v);
	in = test_file("in.cf32", text);
	load_run(CHAIN("iq_source input=%s ! spectrum size=16 sample_rate=1600 output=%s", in, out));
	rest = bytes = read_all(out, &size);
	for (int i = 0; i < 16; i++) {
		double power = i == 8 ? 2. / 3 : i == 7 || i == 9 ? 1. / 6 : 0;

		ck_assert_double_eq(strtod(rest, &rest), 100 * i - 800);
		ck_assert_double_eq_tol(strtod(rest, &rest), power * 2 * v * v, 1e-4);
	}
	ck_assert_str_eq(rest, "\n");
	free(bytes);
}
END_TEST

/* What can't be written is the network's error. */
START_TEST(full_disk)
{
	struct pstk_graph *g = CHAIN("iq_source samples=16 ! spectrum size=16 output=/dev/full");

	ck_assert_int_eq(pstk_network_run(pstk_graph_network(g)), -ENOSPC);
	ck_assert_ptr_nonnull(
		strstr(pstk_network_error(pstk_graph_network(g)), "/dev/full: No space left on device"));
	pstk_graph_destroy(g);
}
END_TEST
#endif

static const struct wrong {
	const char *chain, *problem;
} wrongs[] = {
	{ "video_source",
		"chain:1:1: error: 'video_source': give it an input, or the size of the generated scene, "
		"size=WIDTHxHEIGHT" },
	{ "video_source size=3",
		"chain:1:1: error: 'video_source': size is '3': expected WIDTHxHEIGHT, as 320x240" },
	{ "video_source size=0x8",
		"chain:1:1: error: 'video_source': size is '0x8': expected WIDTHxHEIGHT, as 320x240" },
	{ "video_source size=8x8x",
		"chain:1:1: error: 'video_source': size is '8x8x': expected WIDTHxHEIGHT, as 320x240" },
	{ "video_source size=-8x8",
		"chain:1:1: error: 'video_source': size is '-8x8': expected WIDTHxHEIGHT, as 320x240" },
	{ "video_source size=8x-8",
		"chain:1:1: error: 'video_source': size is '8x-8': expected WIDTHxHEIGHT, as 320x240" },
	{ "video_source size=2x2",
		"chain:1:1: error: 'video_source': synthetic scene: wrong size 2x2 (5x5 to 32768x32768)" },
	{ "video_source input=/nowhere/x.y4m",
		"chain:1:1: error: 'video_source': /nowhere/x.y4m: No such file or directory" },
	{ "video_sink output=/nowhere/x.gray width=1 height=1",
		"chain:1:1: error: 'video_sink': /nowhere/x.gray: No such file or directory" },
	{ "video_sink output=x.gray",
		"chain:1:1: error: 'video_sink': no FIFO brings the size of its frames: give width and "
		"height" },
	{ "video_sink frame_rate=25/0", "chain:1:1: error: 'video_sink': frame_rate is '25/0': expected "
					"frames a second, as 25 or 30000/1001" },
	{ "video_sink frame_rate=fast", "chain:1:1: error: 'video_sink': frame_rate is 'fast': expected "
					"frames a second, as 25 or 30000/1001" },
	{ "iq_source input=/nowhere/x.cf32",
		"chain:1:1: error: 'iq_source': /nowhere/x.cf32: No such file or directory" },
	{ "iq_sink output=/nowhere/x.cf32",
		"chain:1:1: error: 'iq_sink': /nowhere/x.cf32: No such file or directory" },
	{ "fir taps=1", "chain:1:1: error: 'fir': taps: expected complex numbers, a real and an imaginary "
			"part each, but the "
			"last one has one part" },
	{ "fir taps='1 x'", "chain:1:1: error: 'fir': taps: expected complex numbers, a real and an "
			    "imaginary part each, but "
			    "there is another text" },
	{ "fir taps=''", "chain:1:1: error: 'fir': a filter without taps: give it at least one" },
#ifdef HAVE_KISSFFT
	{ "spectrum size=17 output=x", "chain:1:1: error: 'spectrum': size is 17: expected a power of two" },
	{ "spectrum output=/nowhere/x",
		"chain:1:1: error: 'spectrum': /nowhere/x: No such file or directory" },
#else
	{ "spectrum output=x", "chain:1:1: error: 'spectrum': this build has no kissfft" },
#endif
	{ "spectrum", "chain:1:1: error: 'spectrum' (spectrum): parameter 'output' is not given: a file, '-' "
		      "for stdout: a line a "
		      "bin, its frequency and its power" },
};

START_TEST(problem)
{
	load_expect(pstk_graph_chain(wrongs[_i].chain, PSTK_GRAPH(.plugins = load_plugins)),
		&wrongs[_i].problem, 1);
}
END_TEST

/* Not to be run: nothing is opened. */
START_TEST(dry)
{
	struct pstk_graph *g =
		pstk_graph_chain("iq_source input=/nowhere/x ! fir taps=1,0 ! iq_sink output=/nowhere/y",
			PSTK_GRAPH(.plugins = load_plugins, .dry = true));

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_int_eq(pstk_network_check(pstk_graph_network(g), NULL, NULL), 0);
	pstk_graph_destroy(g);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sources");
	TCase *c = test_case(suite, "sources");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, raw_frames);
	tcase_add_test(c, not_run);
	tcase_add_test(c, overlay);
	tcase_add_test(c, samples);
#ifdef HAVE_KISSFFT
	tcase_add_test(c, spectrum);
	tcase_add_test(c, full_disk);
#endif
	tcase_add_loop_test(c, problem, 0, (int)TEST_COUNT(wrongs));
	tcase_add_test(c, dry);
	return test_main(suite);
}
