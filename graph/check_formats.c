/* SPDX-License-Identifier: MIT */
/* Formats: a size that is given once reaches all actors that must know it, through chains and cycles of a graph, or
 * what is to be given is said. */
#include "graph/check_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 6, HEIGHT = 5, FRAME = WIDTH * HEIGHT, FRAMES = 7, FRAME_LINE = 6 };

#define HEADER "YUV4MPEG2 W6 H5 F30000:1001 Ip A1:1 Cmono\n"

/* Frames of letters, each unlike the one before in some places. */
static unsigned char frames[FRAMES][FRAME];

/* Of a file in the folder of the test. */
static const char *path_of(const char *name)
{
	return test_file(name, "");
}

static const char *write_clip(void)
{
	char text[sizeof HEADER + FRAMES * (FRAME + FRAME_LINE)] = HEADER, *end = text + strlen(text);
	struct test_rng rng = { 7 };

	for (unsigned n = 0; n < FRAMES; n++) {
		for (unsigned i = 0; i < FRAME; i++)
			frames[n][i] = (unsigned char)('A' + test_between(&rng, 0, 50));
		end = stpcpy(end, "FRAME\n");
		memcpy(end, frames[n], FRAME);
		end += FRAME;
	}
	return test_file("in.y4m", text);
}

/* |now - before| > 20, with zeros in front of the first frame. */
static unsigned char moved(unsigned n, unsigned i)
{
	return abs(frames[n][i] - (n ? frames[n - 1][i] : 0)) > 20 ? 255 : 0;
}

/* A file of Y4M with this header has so many frames; they are in `got`. */
static unsigned char got[4 * FRAMES][FRAME];

static void expect_frames(const char *path, const char *header, unsigned count)
{
	FILE *f = fopen(path, "r");
	char line[128];

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	ck_assert_msg(strstr(line, header) != NULL, "%s", line);
	for (unsigned n = 0; n < count; n++) {
		ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
		ck_assert_str_eq(line, "FRAME\n");
		ck_assert_uint_eq(fread(got[n], 1, FRAME, f), FRAME);
	}
	ck_assert_int_eq(fgetc(f), EOF);
	fclose(f);
}

static const char *const *sets_of(const char *input, const char *output)
{
	static char text[2][160];
	static const char *const sets[] = { text[0], text[1], NULL };

	snprintf(text[0], sizeof text[0], "input=%s", input);
	snprintf(text[1], sizeof text[1], "output=%s", output);
	return sets;
}

#define ENDS                                            \
	"parameters: {input: x, output: x}\nactors:\n"  \
	"  sink: {type: video_sink, output: $output}\n" \
	"  source: {type: video_source, input: $input}\n"

/* The size and the rate of the frames come from the input. The order of the actors in the file is no matter. */
START_TEST(travels)
{
	const char *in = write_clip(), *out = path_of("out.y4m");
	struct pstk_graph *g =
		load_file(ENDS "  med: {type: median5}\n  thres: {type: threshold}\n"
			       "  gauss: {type: gauss5x5}\nfifos:\n"
			       "  - {from: med.out, to: sink.map}\n"
			       "  - {from: thres.out, to: med.in}\n"
			       "  - {from: gauss.out, to: [thres.now, thres.before: {delay: 1}]}\n"
			       "  - {from: source.out, to: gauss.in}\n",
			sets_of(in, out));

	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(load_fifo(g, i).token_size, FRAME);
	load_run(g);
	expect_frames(out, " W6 H5 F30000:1001 ", FRAMES);
}
END_TEST

/* What actors do with the frames, and which number of them comes out: the times of a source's frames are not those of
 * frames that are repeated, or that others stand in front of. */
START_TEST(counts)
{
	const char *in = write_clip(), *out = path_of("out.y4m");

	load_run(load_file(ENDS "  thres: {type: threshold}\nfifos:\n"
				"  - {from: source.out, to: [thres.now, thres.before: {delay: 1}]}\n"
				"  - {from: thres.out, to: sink.map}\n",
		sets_of(in, out)));
	expect_frames(out, " W6 H5 F30000:1001 ", FRAMES);
	for (unsigned n = 0; n < FRAMES; n++)
		for (unsigned i = 0; i < FRAME; i++)
			ck_assert_uint_eq(got[n][i], moved(n, i));
	load_run(load_file(ENDS "  twice: {type: repeat, times: 2}\n  last: {type: skip, count: 3}\nfifos:\n"
				"  - {from: source.out, to: twice.in}\n  - {from: twice.out, to: last.in}\n"
				"  - {from: last.out, to: sink.map}\n",
		sets_of(in, out)));
	expect_frames(out, " W6 H5 F30000:1001 ", 2 * FRAMES - 3);
	for (unsigned n = 0; n < 2 * FRAMES - 3; n++)
		ck_assert_mem_eq(got[n], frames[(n + 3) / 2], FRAME);
	load_run(
		load_file(ENDS "fifos:\n  - {from: source.out, to: sink.map, delay: 2}\n", sets_of(in, out)));
	expect_frames(out, " W6 H5 ", FRAMES + 2);
	ck_assert_mem_eq(got[2], frames[0], FRAME);
}
END_TEST

/* Given ones that agree; a rate that is given instead. */
START_TEST(given)
{
	const char *in = write_clip(), *out = path_of("out.y4m");

	load_run(load_file("parameters: {input: x, output: x}\nactors:\n"
			   "  source: {type: video_source, input: $input, frames: 2}\n"
			   "  gauss: {type: gauss5x5, width: 6, parameters: {height: 5}}\n"
			   "  sink: {type: video_sink, output: $output, frame_rate: 24, width: 6}\nfifos:\n"
			   "  - {from: source.out, to: gauss.in, token: u8}\n"
			   "  - {from: gauss.out, to: sink.map, token_size: 30}\n",
		sets_of(in, out)));
	expect_frames(out, " W6 H5 F24:1 ", 2);
}
END_TEST

/* A map or a spectrum has as many elements as a frame has pixels. */
START_TEST(elements)
{
	static const size_t bytes[] = { 128, 512, 1024, 1024, 512, 512, 512, 512, 128 };
	struct pstk_graph *g = load_chain("video_source size=16x8 ! window ! fft2d ! gabor ! ifft2d ! "
					  "interactions ! normalize ! sum ! grey ! video_sink",
		NULL);

	for (unsigned i = 0; i < TEST_COUNT(bytes); i++)
		ck_assert_uint_eq(load_fifo(g, i).token_size, bytes[i]);
	pstk_graph_destroy(g);
}
END_TEST

/* Of a cycle the actor is built first of which an input is known, wherever it stands. */
START_TEST(cycle)
{
	struct pstk_graph *g =
		load_file("actors:\n  gauss: {type: gauss5x5}\n  thres: {type: threshold}\n"
			  "  source: {type: video_source, size: 16x8}\n  sink: {type: video_sink}\n"
			  "fifos:\n  - {from: thres.out, to: [gauss.in, sink.map]}\n"
			  "  - {from: gauss.out, to: thres.before, delay: 1}\n"
			  "  - {from: source.out, to: thres.now}\n",
			NULL);

	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(load_fifo(g, i).token_size, 128);
	pstk_graph_destroy(g);
}
END_TEST

/* Long chains need no deep stack, in any order. */
START_TEST(long_chain)
{
	enum { ACTORS = 20000, ROOM = ACTORS * 80 };
	char *text = malloc(ROOM);
	struct pstk_graph *g;
	int end = snprintf(text, ROOM, "actors:\n");

	for (unsigned i = ACTORS; i-- > 1;)
		end += snprintf(text + end, (size_t)(ROOM - end), "  a%u: {type: gauss5x5}\n", i);
	end += snprintf(
		text + end, (size_t)(ROOM - end), "  a0: {type: gauss5x5, width: 3, height: 2}\nfifos:\n");
	for (unsigned i = 0; i + 1 < ACTORS; i++)
		end += snprintf(
			text + end, (size_t)(ROOM - end), "  - {from: a%u.out, to: a%u.in}\n", i, i + 1);
	g = load_file(text, NULL);
	ck_assert_uint_eq(load_fifo(g, ACTORS - 2).token_size, 6);
	ck_assert_str_eq(pstk_actor_name(pstk_network_actor(pstk_graph_network(g), 1)), "a1");
	pstk_graph_destroy(g);
	free(text);
}
END_TEST

#define SOURCE "actors:\n  s: {type: video_source, size: 16x8}\n"

static const struct wrong {
	const char *text, *problems[4];
} wrongs[] = {
	{ SOURCE "  a: {type: gauss5x5, width: 8, height: 16}\n  b: {type: gauss5x5}\nfifos:\n"
		 "  - {from: s.out, to: a.in}\n  - {from: a.out, to: b.in}\n",
		{ "g.yaml:6:23: error: a.in takes gray8 8x16, s.out gives gray8 16x8" } },
	{ SOURCE "  t: {type: threshold}\n  u: {type: video_source, size: 8x8}\nfifos:\n"
		 "  - {from: s.out, to: t.now}\n  - {from: u.out, to: t.before}\n",
		{ "g.yaml:7:23: error: t.before takes gray8 16x8, u.out gives gray8 8x8" } },
	{ SOURCE "  a: {type: gauss5x5}\nfifos:\n  - {from: s.out, to: a.in, token_size: 127}\n",
		{ "g.yaml:5:41: error: 'token_size' is 127: gray8 16x8 has 128 bytes; it need not be "
		  "given" } },
	{ SOURCE "  a: {type: window}\n  b: {type: fft2d}\nfifos:\n  - {from: s.out, to: a.in}\n"
		 "  - {from: a.out, to: b.in, token_size: 128}\n",
		{ "g.yaml:7:41: error: 'token_size' is 128: f32 of gray8 16x8 have 512 bytes; it need not be "
		  "given" } },
	{ "actors:\n  a: {type: gauss5x5}\n  b: {type: median5}\n  c: {type: equalize, width: 3}\n"
	  "  d: {type: video_sink, output: x.gray}\nfifos:\n  - {from: a.out, to: b.in}\n",
		{ "g.yaml:2:3: error: 'a' (gauss5x5): no FIFO brings the size of its frames: give width and "
		  "height",
			"g.yaml:4:3: error: 'c' (equalize): no FIFO brings the size of its frames: give "
			"width and "
			"height",
			"g.yaml:5:3: error: 'd': no FIFO brings the size of its frames: give width and "
			"height" } },
	/* a cycle: once, and not of those behind it */
	{ "actors:\n  a: {type: gauss5x5}\n  b: {type: median5}\n  c: {type: median5}\nfifos:\n"
	  "  - {from: a.out, to: [b.in: {delay: 1}, c.in]}\n  - {from: b.out, to: a.in}\n",
		{ "g.yaml:2:3: error: 'a' (gauss5x5): no FIFO brings the size of its frames: give width and "
		  "height" } },
	/* a problem of the source is none of those behind it, but they have others */
	{ "actors:\n  s: {type: video_source, input: none.y4m}\n  t: {type: threshold, threshold: 256}\n"
	  "  a: {type: gauss5x5, hight: 3}\n  d: {type: video_sink, output: x.gray}\nfifos:\n"
	  "  - {from: s.out, to: [t.now, t.before]}\n  - {from: t.out, to: a.in}\n  - {from: a.out, to: "
	  "d.map}\n",
		{ "g.yaml:2:3: error: 's': none.y4m: No such file or directory",
			"g.yaml:3:35: error: 't': parameter 'threshold' is '256': expected u32 in 0..255",
			"g.yaml:4:30: error: 'a' (gauss5x5) has no parameter 'hight'; did you mean 'height'? "
			"It has "
			"width, height" } },
};

START_TEST(problem)
{
	const struct wrong *w = &wrongs[_i];

	load_expect(pstk_graph_load(test_file("g.yaml", w->text),
			    PSTK_GRAPH(.plugins = load_plugins, .unfinished = true)),
		w->problems, TEST_COUNT(w->problems));
}
END_TEST

/* Not to be run: no input need be there where the size is given, and no output is made. */
START_TEST(dry)
{
	const char *text = "parameters: {input: none.y4m, size: 6x5, output: none.gray}\nactors:\n"
			   "  s: {type: video_source, input: $input, size: $size}\n  a: {type: gauss5x5}\n"
			   "  d: {type: video_sink, output: $output}\nfifos:\n"
			   "  - {from: s.out, to: a.in}\n  - {from: a.out, to: d.map}\n";
	struct pstk_graph *g =
		pstk_graph_load(test_file("g.yaml", text), PSTK_GRAPH(.plugins = load_plugins, .dry = true));

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_int_eq(pstk_network_check(pstk_graph_network(g), NULL, NULL), 0);
	ck_assert_uint_eq(load_fifo(g, 1).token_size, FRAME);
	pstk_graph_destroy(g);
	load_expect(pstk_graph_load(test_file("g.yaml", text),
			    PSTK_GRAPH(.plugins = load_plugins, .dry = true,
				    .sets = (const char *const[]){ "size=", NULL })),
		(const char *const[]){
			"g.yaml:3:3: error: 's': the size of its frames is not known, as there is no "
			"file 'none.y4m': give size=WIDTHxHEIGHT" },
		1);
	g = pstk_graph_load(test_file("g.yaml", text),
		PSTK_GRAPH(.plugins = load_plugins, .dry = true,
			.sets = (const char *const[]){ "size=", sets_of(write_clip(), "")[0], NULL }));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_uint_eq(load_fifo(g, 0).token_size, FRAME);
	pstk_graph_destroy(g);
}
END_TEST

/* Pixels that are left of each frame, by openings of size 0 to 2. */
static uint64_t left[FRAMES][3];
static unsigned lefts;

static int keep_left(struct pstk_firing *f)
{
	memcpy(left[lefts++], pstk_fifo_read_start(f, 0), sizeof *left);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* Frames become images of 1 bit a pixel, which are no frames any more: the sizes of tokens follow from parameters. A
 * size that is given is not that of the frames. */
START_TEST(bits)
{
	static const struct pstk_port in = { .name = "in", .token_type = "u64" };
	struct pstk_graph *g =
		load_file("parameters: {input: x}\nactors:\n  source: {type: video_source, input: $input}\n"
			  "  bits: {type: bits, threshold: 90}\n"
			  "  open: {type: openings, width: 6, height: 5, last: 2, element: cross}\nfifos:\n"
			  "  - {from: source.out, to: bits.in}\n  - {from: bits.out, to: open.in}\n",
			(const char *const[]){ sets_of(write_clip(), "")[0], NULL });
	struct pstk_actor *keep = pstk_network_add(pstk_graph_network(g), "keep",
		PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1, .fire = keep_left), NULL);

	pstk_connect(load_actor(g, "open"), "counts", keep, "in", PSTK_FIFO(.rate = 1));
	ck_assert_uint_eq(load_fifo(g, 1).token_size, HEIGHT * sizeof(uint64_t));
	load_run(g);
	ck_assert_uint_eq(lefts, FRAMES);
	for (unsigned n = 0; n < FRAMES; n++) {
		unsigned above = 0;

		for (unsigned i = 0; i < FRAME; i++)
			above += frames[n][i] > 90;
		ck_assert_uint_eq(left[n][0], above);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("formats");
	TCase *c = test_case(suite, "formats");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, travels);
	tcase_add_test(c, counts);
	tcase_add_test(c, given);
	tcase_add_test(c, elements);
	tcase_add_test(c, cycle);
	tcase_add_test(c, long_chain);
	tcase_add_loop_test(c, problem, 0, (int)TEST_COUNT(wrongs));
	tcase_add_test(c, dry);
	tcase_add_test(c, bits);
	return test_main(suite);
}
