/* SPDX-License-Identifier: MIT */
/* Graphs written back: all that a file can say, what a program has changed, files that can't be written. */
#include "config.h"

#include "penstock/actors.h"
#include "penstock/graph.h"
#include "tests/common/allocation.h"
#include "tests/common/common.h"
#include "tests/common/file.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static struct pstk_graph *load(const char *path, const char *const *sets)
{
	static const char *const plugins[] = { "actors/.libs/actors.so", "actors/.libs/iq.so",
		"actors/.libs/media.so", "actors/.libs/saliency.so", NULL };
	struct pstk_graph *g = pstk_graph_load(
		path, PSTK_GRAPH(.sets = sets, .plugins = plugins, .dry = true, .unfinished = true));

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	return g;
}

static struct pstk_actor *actor(const struct pstk_graph *g, const char *name)
{
	struct pstk_network *net = pstk_graph_network(g);

	for (unsigned i = 0; i < pstk_network_actor_count(net); i++)
		if (!strcmp(pstk_actor_name(pstk_network_actor(net, i)), name))
			return pstk_network_actor(net, i);
	ck_abort_msg("no actor %s", name);
}

/* The graph as text, to be freed. */
static char *written(const struct pstk_graph *g)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(pstk_graph_write(g, file), 0);
	ck_assert_str_eq(pstk_graph_write_error(g), "");
	fclose(file);
	return text;
}

/* Writes it, and what was read from that once more: the same. */
static void expect(struct pstk_graph *g, const char *text)
{
	char *first = written(g), *second;
	struct pstk_graph *again = load(test_file("written.yaml", first), NULL);

	ck_assert_str_eq(first, text);
	second = written(again);
	ck_assert_str_eq(second, first);
	free(first);
	free(second);
	pstk_graph_destroy(again);
	pstk_graph_destroy(g);
}

/* The includes are put in, parameters have their values, and both ways to say it are one. */
START_TEST(parameters)
{
	const char *path = test_file("g.yaml",
		"parameters: {second: 1, dollar: a$b, n: 3}\nnetwork: \"${dollar}\"\ninclude: more.yaml\n"
		"actors:\n  f: {type: fir_f32, taps: [1, $second]}\n"
		"  r: {type: repeat, times: $n, steps: 2, pin: 0}\n");

	test_file("more.yaml", "actors: {s: {type: skip, parameters: {count: 0x10}, concurrency: 2}}\n"
			       "mapping: {f: cores, s: {core: 0}}\n");
	expect(load(path, (const char *const[]){ "second=0.5", NULL }),
		"network: 'a$$b'\n"
		"actors:\n"
		"  f: {type: fir_f32, taps: [1, 0.5]}\n"
		"  r: {type: repeat, times: 3, steps: 2, pin: 0}\n"
		"  s: {type: skip, parameters: {count: 0x10}, pin: 0, concurrency: 2}\n"
		"fifos: []\nrun: {}\n");
}
END_TEST

START_TEST(fifos)
{
	const char *path = test_file("g.yaml",
		"actors:\n  a: {type: repeat, times: 2}\n  b: {type: repeat, times: 1}\n"
		"  c: {type: interleave, widths: 1 2 1}\n  d: {type: skip, count: 0}\n"
		"  f: {type: fir_f32, taps: 1}\n  g: {type: fir_f32, taps: 1}\nfifos:\n"
		"  - {from: a.out, to: [b.in, c.in1: {depth: 5, tail: 4}, c.in2: {delay: 2, initial: [1, "
		"-2.5]}], token: f32, depth: 3}\n"
		"  - {from: b.out, to: []}\n  - {from: b.out, to: [d.in, c.in3], token_size: 4}\n"
		"  - {from: f.out, to: g.in, delay: 3, write_rate: 4, read_rate: 4, initial: [0.1, 1e-9, "
		"nan]}\n"
		"  - {from: d.out, to: a.in, token: u16, token_size: 4, initial: {file: two.bin}, "
		"read_rate: 3}\n"
		"  - {from: c.out, to: f.in, delay: 1, depth: 0}\n");

	test_file("two.bin", "abcdefgh");
	expect(load(path, NULL),
		"actors:\n"
		"  a: {type: repeat, times: 2}\n"
		"  b: {type: repeat, times: 1}\n"
		"  c: {type: interleave, widths: 1 2 1}\n"
		"  d: {type: skip, count: 0}\n"
		"  f: {type: fir_f32, taps: 1}\n"
		"  g: {type: fir_f32, taps: 1}\n"
		"fifos:\n"
		"- {from: a.out, to: b.in, depth: 3, token: f32}\n"
		"- {from: a.out, to: c.in1, depth: 5, tail: 4, token: f32}\n"
		"- {from: a.out, to: c.in2, depth: 3, delay: 2, token: f32, initial: [1, -2.5]}\n"
		"- {from: b.out, to: d.in, token_size: 4}\n"
		"- {from: b.out, to: c.in3, token_size: 4}\n"
		"- {from: f.out, to: g.in, rate: 4, delay: 3, initial: [0.1, 1e-09, nan]}\n"
		"- {from: d.out, to: a.in, read_rate: 3, delay: 2, token: u16, token_size: 4, initial: "
		"[25185, "
		"25699, 26213, 26727]}\n"
		"- {from: c.out, to: f.in, delay: 1}\n"
		"run: {}\n");
}
END_TEST

#ifdef HAVE_OPENCL
/* Places, guards and moves of the file, and behind them those that the program has added. */
START_TEST(moves)
{
	struct pstk_graph *g =
		load(test_file("g.yaml", "actors:\n  a: {type: repeat, times: 1, may_move: cores}\n"
					 "  b: {type: repeat, times: 1}\n"
					 "  c: {type: repeat, times: 1, guard: false}\n"
					 "  d: {type: repeat, times: 1, guard: true}\n"
					 "  e: {type: repeat, times: 1, guard: false}\n"
					 "moves: [{actor: a, at: 0x5, to: cores}]\n"),
			NULL);

	ck_assert_int_eq(pstk_actor_may_move(actor(g, "b"), NULL), 0);
	ck_assert_int_eq(pstk_actor_migrate(actor(g, "b"), NULL, 9), 1);
	ck_assert_int_eq(pstk_actor_guard(actor(g, "b"), true), 0);
	ck_assert_int_eq(pstk_actor_guard(actor(g, "e"), true), 0);
	expect(g, "actors:\n"
		  "  a: {type: repeat, times: 1, may_move: [cores]}\n"
		  "  b: {type: repeat, times: 1, may_move: [cores], guard: true}\n"
		  "  c: {type: repeat, times: 1, guard: false}\n"
		  "  d: {type: repeat, times: 1, guard: true}\n"
		  "  e: {type: repeat, times: 1, guard: true}\n"
		  "fifos: []\n"
		  "moves:\n- {actor: a, at: 0x5, to: cores}\n- {actor: b, at: 9, to: cores}\nrun: {}\n");
}
END_TEST
#endif

/* Of a comma for a point nothing is seen in a file. */
START_TEST(run)
{
	setlocale(LC_ALL, "de_DE.UTF-8");
	expect(load(test_file("g.yaml", "run: {team: 3, watchdog: 0.25, depth_budget: 1KiB, unchecked: true, "
					"depth_auto: true, steps_auto: false, profile: true}\n"),
		       NULL),
		"actors: {}\nfifos: []\nrun:\n  team: 3\n  watchdog: 0.25\n  depth_budget: 1024\n"
		"  unchecked: true\n  depth_auto: true\n  profile: true\n");
	expect(load(test_file("g.yaml", "run: {team: auto, watchdog: 100}\n"), NULL),
		"actors: {}\nfifos: []\nrun:\n  team: auto\n  watchdog: 100\n");
	expect(load(test_file("g.yaml", "run: {watchdog: 0}\n"), NULL),
		"actors: {}\nfifos: []\nrun:\n  watchdog: 0\n");
}
END_TEST

static const char kernel[] =
	"actors:\n  k: {name: line, options: '-D A=1', kernel: k.cl, ports: {in: {input: f32, rate: 1}, out: "
	"{output: f32}}, work_size: [rate(in)], args: [{f32: [0.5, 1]}, {local: 1KiB}], steps: 4}\n";

/* A path of its own folder, and one of a file that is gone. */
START_TEST(kernels)
{
	const char *path = test_file("g.yaml", kernel), *cl = test_file("k.cl", "");
	struct pstk_graph *g = load(path, NULL);
	char *text = written(g), *absolute = realpath(cl, NULL);

	/* where rows end depends on the length of the path */
	TEST_SAYS(text, absolute, "options: '-D A=1'", "steps: 4", "{local: 1KiB}");
	expect(g, text);
	free(text);
	free(absolute);
	g = load(path, NULL);
	remove(cl);
	text = written(g);
	TEST_SAYS(text, cl);
	free(text);
	pstk_graph_destroy(g);
}
END_TEST

/* A value that gets its quotes by a parameter keeps them. */
START_TEST(quotes)
{
	struct pstk_graph *g = load(test_file("g.yaml", "parameters: {p: 'x: \\'}\nnetwork: a$p\n"), NULL);

	expect(g, "network: 'ax: \\'\nactors: {}\nfifos: []\nrun: {}\n");
}
END_TEST

/* The applications. Sizes that travel are written where they have come to. */
START_TEST(examples)
{
	static const char *const names[] = { "motion", "predistortion" };
	struct pstk_graph *g, *again;
	char path[300], *text, *second;

	snprintf(path, sizeof path, TEST_SOURCE "/examples/%s.yaml", names[_i]);
	g = load(path, NULL);
	text = written(g);
	again = load(test_file("written.yaml", text), NULL);
	second = written(again);
	ck_assert_str_eq(second, text);
	ck_assert_uint_eq(pstk_network_fifo_bytes(pstk_graph_network(again)),
		pstk_network_fifo_bytes(pstk_graph_network(g)));
	if (_i == 0)
		TEST_SAYS(text, "gauss: {type: gauss5x5, parameters: {width: 320, height: 240}}");
	free(text);
	free(second);
	pstk_graph_destroy(g);
	pstk_graph_destroy(again);
}
END_TEST

/* What the program has changed is written as it is now. */
START_TEST(changes)
{
	struct pstk_graph *g = load(test_file("g.yaml", "actors:\n  t: {type: threshold}\n"
							"  u: {type: threshold, threshold: 3, steps: 3}\n"),
		NULL);
	struct pstk_network *net = pstk_graph_network(g);
	struct pstk_actor *t = actor(g, "t"), *u = actor(g, "u");

	ck_assert_int_eq(pstk_actor_set_param(t, "threshold", "77"), 0);
	ck_assert_int_eq(pstk_actor_set_param(u, "threshold", "4"), 0);
	ck_assert_ptr_nonnull(pstk_connect(t, "out", u, "now", PSTK_FIFO(.delay = 1)));
	pstk_actor_set_steps(u, 2);
	pstk_actor_set_concurrency(u, 2);
	pstk_actor_pin(u, 0);
	pstk_network_set_threads(net, 5);
	pstk_network_set_watchdog(net, 1500000001, false);
	pstk_network_set_flags(net, PSTK_STEPS_AUTO);
	expect(g, "actors:\n"
		  "  t: {type: threshold, parameters: {threshold: 77}}\n"
		  "  u: {type: threshold, threshold: 4, steps: 2, pin: 0, "
		  "concurrency: 2}\n"
		  "fifos:\n"
		  "- {from: t.out, to: u.now, delay: 1}\n"
		  "run:\n  team: 5\n  watchdog: 1.500000001\n  steps_auto: true\n");
}
END_TEST

/* No type is told, or the values are no numbers of it: bytes. */
START_TEST(bytes)
{
	struct pstk_graph *g = load(test_file("g.yaml", "actors:\n  a: {type: repeat, times: 1}\n"
							"  f: {type: fir_f32, taps: 1}\n"
							"  g: {type: fir_f32, taps: 1}\n"),
		NULL);

	ck_assert_ptr_nonnull(pstk_connect(actor(g, "a"), "out", actor(g, "a"), "in",
		PSTK_FIFO(.delay = 2, .initial = "abcdef", .token_size = 3)));
	ck_assert_ptr_nonnull(pstk_connect(
		actor(g, "f"), "out", actor(g, "g"), "in", PSTK_FIFO(.delay = 1, .initial = "\1\2\300\377")));
	expect(g, "actors:\n  a: {type: repeat, times: 1}\n  f: {type: fir_f32, taps: 1}\n"
		  "  g: {type: fir_f32, taps: 1}\nfifos:\n"
		  "- {from: a.out, to: a.in, delay: 2, token: u8, token_size: 3, initial: [97, 98, 99, 100, "
		  "101, 102]}\n"
		  "- {from: f.out, to: g.in, delay: 1, token: u8, token_size: 4, initial: [1, 2, 192, "
		  "255]}\nrun: {}\n");
}
END_TEST

/*
 * What can't be written.
 */

static void refuse(const struct pstk_graph *g, FILE *file, int err, const char *text)
{
	ck_assert_int_eq(pstk_graph_write(g, file), err);
	ck_assert_str_eq(pstk_graph_write_error(g), text);
}

static int fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

START_TEST(refused)
{
	struct pstk_graph *g = load(test_file("g.yaml", "parameters: {x: 1}\nactors: {a: {type: repeat, "
							"times: 1}, s: {type: iq_sink, output: $x}}\n"),
		(const char *const[]){ "x=\xff", NULL });
	struct pstk_network *net = pstk_graph_network(g);
	FILE *file = fopen("/dev/null", "w"), *full = fopen("/dev/full", "w"),
	     *read = fopen("/dev/null", "r");

	refuse(g, file, -EILSEQ, "not a text in UTF-8: \xff");
	pstk_network_add(net, "mine", PSTK_ACTOR_TYPE(.name = "t", .fire = fire), NULL);
	pstk_network_add(net, "my own", PSTK_ACTOR_TYPE(.name = "t", .fire = fire), NULL);
	refuse(g, file, -ENOTSUP,
		"a graph file has actors of types and kernels that it names; the program has added 'mine', "
		"'my own'");
	ck_assert_int_eq(pstk_graph_write(g, NULL), -EINVAL);
	ck_assert_int_eq(pstk_graph_write(NULL, file), -EINVAL);
	ck_assert_str_eq(pstk_graph_write_error(NULL), "");
	pstk_graph_destroy(g);
	g = pstk_graph_load(test_file("g.yaml", "x: 1\n"), NULL);
	ck_assert_int_eq(pstk_graph_write(g, file), -EINVAL);
	TEST_SAYS(pstk_graph_write_error(g), "the graph has problems, the first: ", "no key 'x'");
	pstk_graph_destroy(g);
	g = load(test_file("g.yaml", "network: none\n"), NULL);
	refuse(g, full, -ENOSPC, "the file can't be written: No space left on device");
	refuse(g, read, -EBADF, "the file can't be written: Bad file descriptor");
	pstk_graph_destroy(g);
	fclose(file);
	fclose(read);
	ck_assert_int_eq(fclose(full), 0);
}
END_TEST

/* Larger than what stdio keeps: the emitter itself is told. */
START_TEST(full)
{
	static char text[60000] = "actors: {a: {type: fir_f32, taps: [1";
	FILE *file = fopen("/dev/full", "w");
	struct pstk_graph *g;

	for (size_t i = strlen(text); i + 20 < sizeof text; i += 3)
		memcpy(text + i, ", 2", 4);
	memcpy(text + strlen(text), "]}}\n", 5);
	g = load(test_file("g.yaml", text), NULL);
	refuse(g, file, -ENOSPC, "the file can't be written: No space left on device");
	pstk_graph_destroy(g);
	fclose(file);
}
END_TEST

START_TEST(started)
{
	struct pstk_graph *g =
		load(test_file("g.yaml", "actors: {a: {type: repeat, times: 1}}\nfifos: [{from: a.out, to: "
					 "a.in, token: u8, delay: 1}]\n"),
			NULL);
	FILE *file = tmpfile();

	pstk_network_start(pstk_graph_network(g));
	refuse(g, file, -EBUSY, "the network was started: write it before");
	ck_assert_int_eq(ftell(file), 0); /* not even a beginning */
	pstk_network_abort(pstk_graph_network(g));
	pstk_graph_destroy(g);
	fclose(file);
}
END_TEST

/* libyaml's calls, of which the n-th fails for want of memory, or is never reached. */
static unsigned calls, fails_at;

static bool fails(void)
{
	return fails_at && ++calls == fails_at;
}

int __real_yaml_emitter_initialize(yaml_emitter_t *);
int __wrap_yaml_emitter_initialize(yaml_emitter_t *);
int __real_yaml_emitter_emit(yaml_emitter_t *, yaml_event_t *);
int __wrap_yaml_emitter_emit(yaml_emitter_t *, yaml_event_t *);
int __real_yaml_mapping_start_event_initialize(
	yaml_event_t *, const yaml_char_t *, const yaml_char_t *, int, yaml_mapping_style_t);
int __wrap_yaml_mapping_start_event_initialize(
	yaml_event_t *, const yaml_char_t *, const yaml_char_t *, int, yaml_mapping_style_t);

int __wrap_yaml_emitter_initialize(yaml_emitter_t *emitter)
{
	memset(emitter, 0, sizeof *emitter);
	return fails() ? 0 : __real_yaml_emitter_initialize(emitter);
}

int __wrap_yaml_emitter_emit(yaml_emitter_t *emitter, yaml_event_t *event)
{
	if (!fails())
		return __real_yaml_emitter_emit(emitter, event);
	yaml_event_delete(event);
	return 0;
}

int __wrap_yaml_mapping_start_event_initialize(yaml_event_t *event, const yaml_char_t *anchor,
	const yaml_char_t *tag, int implicit, yaml_mapping_style_t style)
{
	return fails() ? 0 : __real_yaml_mapping_start_event_initialize(event, anchor, tag, implicit, style);
}

START_TEST(no_memory)
{
	char text[1000];
	struct pstk_graph *g;
	unsigned n;

	snprintf(text, sizeof text,
		"%s  a: {type: repeat, times: 1}\nnetwork: $$\nfifos: [{from: a.out, to: a.in, token: u8, "
		"initial: [1]}]\n",
		kernel);
	test_file("k.cl", "");
	g = load(test_file("g.yaml", text), NULL);
	for (n = 1;; n++) {
		FILE *file = fopen("/dev/null", "w");
		int err;

		calls = 0;
		fails_at = n;
		err = pstk_graph_write(g, file);
		fclose(file);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_str_eq(
			pstk_graph_write_error(g), "the file can't be written: Cannot allocate memory");
	}
	ck_assert_uint_gt(n, 80);
	fails_at = 0;
	for (n = 1;; n++) {
		FILE *file = fopen("/dev/null", "w");
		int err;

		test_fail_allocation(n);
		err = pstk_graph_write(g, file);
		if (!test_allocation_failed())
			break;
		ck_assert_int_eq(err, -ENOMEM);
		fclose(file);
	}
	ck_assert_uint_gt(n, 4);
	pstk_graph_destroy(g);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("write");
	TCase *c = test_case(suite, "graphs");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, parameters);
	tcase_add_test(c, fifos);
#ifdef HAVE_OPENCL
	tcase_add_test(c, moves);
#endif
	tcase_add_test(c, run);
	tcase_add_test(c, kernels);
	tcase_add_test(c, quotes);
	tcase_add_loop_test(c, examples, 0, 2);
	tcase_add_test(c, changes);
	tcase_add_test(c, bytes);
	tcase_add_test(c, refused);
	tcase_add_test(c, full);
	tcase_add_test(c, started);
	tcase_add_test(c, no_memory);
	return test_main(suite);
}
