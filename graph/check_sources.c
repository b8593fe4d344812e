/* SPDX-License-Identifier: MIT */
/* Plug-ins of video and I/Q: sources and sinks by their parameters, what they write, what they refuse. */
#include "config.h"

#include "graph/check_load.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	{ "video_source size=16x16 frames=abc ! video_sink",
		"chain:1:32: error: 'video_source': parameter 'frames' is 'abc': expected u64" },
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

#ifdef HAVE_JANSSON
/* Both files of a recording belong to the actor that names one; what it calls its data, too. */
static const struct recording {
	const char *graph, *problems[3];
} recordings[] = {
#define META                                                                             \
	"{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": \"1.0.0\"%s}, " \
	"\"captures\": [], \"annotations\": []}"
#define READS(in, out)                                                      \
	"parameters: {f: .}\nactors:\n  s: {type: iq_source, input: $f/" in \
	"}\n  d: {type: iq_sink, output: $f/" out "}\n"                     \
	"fifos:\n  - {from: s.re, to: d.re, rate: 1}\n  - {from: s.im, to: d.im, rate: 1}\n"
#define WRITES(one, other)                                                                               \
	"parameters: {f: .}\nactors:\n  s: {type: iq_source, samples: 8}\n  c: {type: iq_sink, output: " \
	"$f/" one "}\n"                                                                                  \
	"  d: {type: iq_sink, output: $f/" other "}\n"                                                   \
	"fifos:\n  - {from: s.re, to: [c.re, d.re], rate: 1}\n  - {from: s.im, to: [c.im, d.im], rate: " \
	"1}\n"
	{ READS("x.sigmf-meta", "x.sigmf-data"),
		{ "g.yaml:4:3: error: 'd' writes x.sigmf-data, which 's' reads",
			"g.yaml:4:3: error: 'd' writes x.sigmf-meta, which 's' reads" } },
	{ READS("x.sigmf-data", "x.sigmf-meta"),
		{ "g.yaml:4:3: error: 'd' writes x.sigmf-data, which 's' reads",
			"g.yaml:4:3: error: 'd' writes x.sigmf-meta, which 's' reads" } },
	{ READS("y.sigmf-meta", "own.bin"), { "g.yaml:4:3: error: 'd' writes own.bin, which 's' reads" } },
	{ READS("y.sigmf-meta", "./own.bin"),
		{ "g.yaml:4:3: error: 'd' writes ./own.bin, which 's' reads" } },
	{ WRITES("z.sigmf-meta", "z.sigmf-data"),
		{ "g.yaml:5:3: error: 'd' writes z.sigmf-data, which 'c' writes",
			"g.yaml:5:3: error: 'd' writes z.sigmf-meta, which 'c' writes" } },
	{ WRITES("z.sigmf-meta", "./z.sigmf-meta"),
		{ "g.yaml:5:3: error: 'd' writes ./z.sigmf-data, which 'c' writes",
			"g.yaml:5:3: error: 'd' writes ./z.sigmf-meta, which 'c' writes" } },
};

START_TEST(one_recording)
{
	const struct recording *r = &recordings[_i];
	const char *data = test_file("x.sigmf-data", "AAAABBBBCCCCDDDD"), *sets[] = { NULL, NULL };
	char set[512], meta[256];

	snprintf(set, sizeof set, "f=%.*s", (int)(strrchr(data, '/') - data), data);
	sets[0] = set;
	snprintf(meta, sizeof meta, META, "");
	test_file("x.sigmf-meta", meta);
	snprintf(meta, sizeof meta, META, ", \"core:dataset\": \"own.bin\"");
	test_file("y.sigmf-meta", meta);
	test_file("own.bin", "AAAABBBBCCCCDDDD");
	for (unsigned looks = 0; looks < 2; looks++)
		load_expect(pstk_graph_load(test_file("g.yaml", r->graph),
				    PSTK_GRAPH(.sets = sets, .plugins = load_plugins, .dry = looks)),
			r->problems, TEST_COUNT(r->problems));
	expect_text(data, "AAAABBBBCCCCDDDD");
}
END_TEST
#endif

static struct pstk_graph *load_dry(const char *text)
{
	return pstk_graph_chain(text, PSTK_GRAPH(.plugins = load_plugins, .dry = true));
}

/* Not to be run: no input need be there, and no output is made. */
START_TEST(dry)
{
	static const char *const outputs[] = {
		"y.cf32",
		"y.y4m",
		"y.gray",
#ifdef HAVE_PNG
		"y.png",
#endif
#ifdef HAVE_FFMPEG
		"y.mp4",
#endif
#ifdef HAVE_JANSSON
		"y.sigmf-meta",
#endif
	};
	const char *old = test_file("y.cf32", "old");

	for (unsigned i = 0; i < TEST_COUNT(outputs); i++) {
		struct pstk_graph *g;

		snprintf(chain, sizeof chain,
			strstr(outputs[i], "f")
				? "iq_source input=/nowhere/x ! fir taps=1,0 ! iq_sink output=%.*s%s"
				: "video_source input=/nowhere/x size=8x6 ! video_sink output=%.*s%s",
			(int)strlen(old) - 6, old, outputs[i]);
		g = load_dry(chain);
		ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
		ck_assert_int_eq(pstk_network_check(pstk_graph_network(g), NULL, NULL), 0);
		pstk_graph_destroy(g);
	}
	/* that there is no other file is what the folder's removal says */
	expect_text(old, "old");
}
END_TEST

/* A pipe is not opened, which would wait for its other end. */
START_TEST(dry_pipe)
{
	const char *path = test_file("pipe", "");
	struct pstk_graph *g;

	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(chain, sizeof chain, "video_source size=8x6 ! video_sink output=%s", path);
	g = load_dry(chain);
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
	snprintf(chain, sizeof chain, "iq_source input=%s ! iq_sink", path);
	g = load_dry(chain);
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
}
END_TEST

/* What is known before the run is known without it, too, in the same words. */
static const char *const known[][2] = {
	{ "iq_source input=/nowhere/x ! iq_sink output=/nowhere/y",
		"chain:1:30: error: 'iq_sink': /nowhere/y: No such file or directory" },
	{ "iq_source input=/nowhere/x ! iq_sink output=/",
		"chain:1:30: error: 'iq_sink': /: Is a directory" },
	{ "iq_source input=/nowhere/x ! iq_sink output=/dev/fd/999",
		"chain:1:30: error: 'iq_sink': /dev/fd/999: Bad file descriptor" },
	{ "iq_source input=/nowhere/x ! iq_sink output=y.sigmf",
		"chain:1:30: error: 'iq_sink': y.sigmf: a SigMF recording is written as NAME.sigmf-meta, no "
		"other way" },
	{ "video_source size=8x6 ! video_sink output=/nowhere/y.y4m",
		"chain:1:25: error: 'video_sink': /nowhere/y.y4m: No such file or directory" },
	{ "video_source size=8x6 ! video_sink output=y.gray overlay=true ",
		"chain:1:25: error: 'video_sink': y.gray: no overlay with raw maps: it needs .y4m, .png or a "
		"container such as .mp4" },
#ifdef HAVE_FFMPEG
	{ "video_source size=8x6 ! video_sink output=motion.xyz",
		"chain:1:25: error: 'video_sink': motion.xyz: '.xyz' is no ending of a video that can be "
		"written" },
#endif
	{ "video_source size=4x4 ! video_sink", "chain:1:1: error: 'video_source': synthetic scene: "
						"wrong size 4x4 (5x5 to 32768x32768)" },
};

START_TEST(known_before)
{
	for (unsigned looks = 0; looks < 2; looks++) {
		const char *const *k = known[_i];
		struct pstk_graph *g =
			dry ? load_dry(k[0]) : pstk_graph_chain(k[0], PSTK_GRAPH(.plugins = load_plugins));
		unsigned last = 0;

		ck_assert_ptr_null(pstk_graph_network(g));
		while (pstk_graph_problem(g, last + 1))
			last++;
		ck_assert_str_eq(pstk_graph_problem(g, last), k[1]);
		pstk_graph_destroy(g);
	}
}
END_TEST

static unsigned files_beside(const char *path)
{
	char folder[512];
	unsigned count = 0;
	DIR *d;

	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
	d = opendir(folder);
	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* Of a process that is one host of several: files of actors at the others are not opened. */
START_TEST(files_of_other_hosts)
{
	static const struct {
		const char *host, *places[2];
		bool reads, writes;
	} loads[] = { { "a", { NULL }, true, false }, { "b", { NULL }, false, true },
		{ "c", { NULL }, false, false }, { NULL, { NULL }, true, true },
		{ "a", { "s=b/g" }, false, false }, { "b", { "s=b/g" }, true, true },
		{ "b/g", { NULL }, false, false } };
	const char *out = test_file("out.cf32", "");
	unsigned files;
	char text[1024];
	bool writes;

	snprintf(text, sizeof text,
		"actors: {s: {type: iq_source, input: %s.missing}, k: {type: iq_sink, output: %s}}\n"
		"fifos: [{from: s.re, to: k.re, rate: 1}, {from: s.im, to: k.im, rate: 1}]\nmapping: {k: b}\n"
		"machine: {hosts: {a: {}, b: {devices: {g: {}}}, c: {}}}\n",
		out, out);
	test_file("g.yaml", text);
	files = files_beside(out);
	for (unsigned i = 0; i < TEST_COUNT(loads); i++) {
		struct pstk_graph *g = pstk_graph_load(
			test_file("g.yaml", text), PSTK_GRAPH(.plugins = load_plugins, .host = loads[i].host,
							   .places = loads[i].places));

		ck_assert_msg(
			!pstk_graph_problem(g, 0) == !loads[i].reads, "%u: %s", i, pstk_graph_problem(g, 0));
		ck_assert_msg((files_beside(out) != files) == loads[i].writes, "%u: writes", i);
		for (unsigned f = 0; pstk_graph_file(g, f, &writes); f++)
			if (pstk_graph_file_actor(g, f))
				ck_assert_str_eq(pstk_graph_file_actor(g, f), writes ? "k" : "s");
		ck_assert_ptr_null(pstk_graph_file_actor(g, 1000));
		pstk_graph_destroy(g);
	}
	ck_assert_ptr_null(pstk_graph_file_actor(NULL, 0));
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
	tcase_add_test(c, dry_pipe);
	tcase_add_test(c, files_of_other_hosts);
#ifdef HAVE_JANSSON
	tcase_add_loop_test(c, one_recording, 0, (int)TEST_COUNT(recordings));
#endif
	tcase_add_loop_test(c, known_before, 0, (int)TEST_COUNT(known));
	return test_main(suite);
}
