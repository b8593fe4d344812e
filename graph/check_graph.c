/* SPDX-License-Identifier: MIT */
/* Networks from graph files: what is built, what comes out, and no memory at any place. */
#include "graph/arena.h"
#include "graph/check_load.h"
#include "penstock/actors.h"
#include "penstock/plugin.h"

#include <errno.h>
#include <sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "actors/.libs/actors.so"

static struct pstk_graph *load(const char *path, const char *const *sets, const char *const *overlays)
{
	struct pstk_graph *g =
		pstk_graph_load(path, PSTK_GRAPH(.sets = sets, .overlays = overlays, .unfinished = true,
					      .plugins = (const char *const[]){ PLUGIN, NULL }));

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_ptr_null(pstk_graph_problem(g, 0));
	return g;
}

/* A program adds a source and a sink to what the file has. */
static float sums[64];
static unsigned sum_count;

static int count_up(struct pstk_firing *f)
{
	float *out = pstk_fifo_write_start(f, 0);
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0);

	for (uint32_t i = 0; i < rate; i++)
		out[i] = (float)(pstk_firing_index(f) * rate + i);
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) == 3 ? PSTK_DONE : PSTK_AGAIN;
}

static int keep(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0) && sum_count < 64; i++)
		sums[sum_count++] = in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add_end(struct pstk_graph *g, const char *name, bool source)
{
	const struct pstk_port port = {
		.name = "x", .kind = source ? PSTK_OUTPUT : PSTK_INPUT, .token_type = "f32"
	};

	return pstk_network_add(pstk_graph_network(g), name,
		PSTK_ACTOR_TYPE(.name = "end", .ports = &port, .port_count = 1,
			.fire = source ? count_up : keep),
		NULL);
}

/* y[n] = x[n] + 2 x[n - 1], of 4 x 4 numbers, behind two initial tokens 7 and -1. */
START_TEST(values)
{
	struct pstk_graph *g = load(
		test_file("g.yaml", "parameters: {second: 1, file: k}\nnetwork: values\nactors:\n"
				    "  f: {type: fir_f32, taps: [1, $second]}\n"
				    "  r: {type: repeat, times: 1}\nfifos:\n"
				    "  - {from: r.out, to: f.in, token: f32, delay: 2, initial: [7, -1]}\n"
				    "run: {team: 2, unchecked: true, watchdog: 0.5}\n"),
		(const char *const[]){ "second=2", NULL }, NULL);

	ck_assert_str_eq(pstk_network_name(pstk_graph_network(g)), "values");
	ck_assert_uint_eq(pstk_network_threads(pstk_graph_network(g)), 2);
	ck_assert_ptr_nonnull(pstk_connect(
		add_end(g, "source", true), "x", load_actor(g, "r"), "in", PSTK_FIFO(.rate = 4)));
	ck_assert_ptr_nonnull(pstk_connect(
		load_actor(g, "f"), "out", add_end(g, "sink", false), "x", PSTK_FIFO(.rate = 3)));
	sum_count = 0;
	ck_assert_int_eq(pstk_network_run(pstk_graph_network(g)), 0);
	ck_assert_uint_eq(sum_count, 18);
	for (unsigned i = 0; i < 18; i++) {
		float now = i == 0 ? 7.F : i == 1 ? -1.F : (float)(i - 2);
		float before = i == 0 ? 0.F : i == 1 ? 7.F : i == 2 ? -1.F : (float)(i - 3);

		ck_assert_float_eq(sums[i], now + 2 * before);
	}
	pstk_graph_destroy(g);
}
END_TEST

/* Every key of a FIFO, for all of its readers and for one. */
START_TEST(fifos)
{
	struct pstk_graph *g =
		load(test_file("g.yaml",
			     "actors:\n  a: {type: repeat, times: 2, steps: 3, concurrency: 2}\n"
			     "  b: {type: repeat, times: 1}\n  c: {type: deinterleave, widths: [1, 2]}\n"
			     "fifos:\n  - {from: a.out, to: [b.in, c.in: {depth: 5, tail: 4}], token_size: "
			     "2KiB, depth: 3}\n"),
			NULL, NULL);

	ck_assert_uint_eq(load_fifo(g, 0).write_rate, 6);
	ck_assert_uint_eq(load_fifo(g, 0).depth, 3);
	ck_assert_uint_eq(load_fifo(g, 0).token_size, 2048);
	ck_assert_uint_eq(load_fifo(g, 0).tail, 0);
	ck_assert_uint_eq(load_fifo(g, 1).depth, 5);
	ck_assert_uint_eq(load_fifo(g, 1).tail, 4);
	ck_assert_uint_eq(load_fifo(g, 1).rate, 3);
	ck_assert_uint_eq(pstk_actor_concurrency(load_actor(g, "a"), NULL, 0), 2);
	pstk_graph_destroy(g);
}
END_TEST

/* A port alone says how many numbers a token has. */
START_TEST(initial)
{
	static const uint16_t numbers[] = { 1, 2, 3, 4, 5, 6 };
	struct pstk_graph *g;
	struct pstk_fifo_spec spec;

	test_file("k.cl", "");
	g = load(test_file("g.yaml", "actors:\n  k: {kernel: k.cl, name: k, ports: {i: {input: u16, "
				     "token_size: 6}, o: {output: u16}}, work_size: 1}\n"
				     "fifos: [{from: k.o, to: k.i, rate: 1, initial: [1, 2, 3, 4, 5, 6]}]\n"),
		NULL, NULL);
	ck_assert_int_eq(pstk_fifo_get_spec(pstk_network_fifo(pstk_graph_network(g), 0), &spec), 0);
	ck_assert_uint_eq(spec.token_size, 6);
	ck_assert_uint_eq(spec.delay, 2);
	ck_assert_mem_eq(spec.initial, numbers, sizeof numbers);
	pstk_graph_destroy(g);
}
END_TEST

/* Files that include files, relative to their own folder. */
START_TEST(includes)
{
	const char *path = test_file(
		"g.yaml", "include: [actors.yaml]\nfifos:\n  - {from: a.out, to: b.in, token: u8}\n");
	struct pstk_graph *g;

	test_file("actors.yaml",
		"parameters: {times: 5}\ninclude: more.yaml\nactors: {a: {type: repeat, times: $times}}\n");
	test_file("more.yaml", "actors: {b: {type: skip, count: $times}}\n");
	g = load(path, NULL, (const char *const[]){ test_file("run.yaml", "run: {team: 3}\n"), NULL });
	ck_assert_uint_eq(pstk_network_actor_count(pstk_graph_network(g)), 2);
	ck_assert_uint_eq(load_fifo(g, 0).write_rate, 5);
	ck_assert_uint_eq(pstk_network_threads(pstk_graph_network(g)), 3);
	pstk_graph_destroy(g);
}
END_TEST

/* What overlays and the program say comes before what the graph says. */
START_TEST(overlays)
{
	static const char *const twice[] = { "a", "b", "c" };
	const char *path = test_file("g.yaml",
		"parameters: {rate: 3}\nactors:\n  a: {type: repeat, times: 1}\n  b: {type: repeat, times: "
		"1}\n"
		"  c: {type: repeat, times: 1}\nmapping: {a: nonsense, b: nonsense, c: nonsense}\n"
		"fifos:\n  - {from: a.out, to: b.in, token: u8, rate: $rate}\nrun: {team: 3}\n");
	const char *first = test_file("1.yaml", "mapping: {a: nonsense, b: cores}\nrun: {team: 5}\n");
	const char *second =
		test_file("2.yaml", "parameters: {rate: 7}\nmapping: {a: cores}\nrun: {team: 6}\n");
	struct pstk_graph *g = pstk_graph_load(
		path, PSTK_GRAPH(.overlays = (const char *const[]){ first, second, NULL },
			      .places = (const char *const[]){ "c=cores", NULL },
			      .plugins = (const char *const[]){ PLUGIN, NULL }, .unfinished = true));

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_int_eq(pstk_graph_error(g), 0);
	ck_assert_uint_eq(load_fifo(g, 0).rate, 7);
	ck_assert_str_eq(pstk_graph_parameter(g, "rate"), "7");
	ck_assert_ptr_null(pstk_graph_parameter(g, "rat"));
	ck_assert_ptr_null(pstk_graph_parameter(NULL, "rate"));
	ck_assert_uint_eq(pstk_network_threads(pstk_graph_network(g)), 6);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_str_eq(pstk_actor_name(load_actor(g, twice[i])), twice[i]);
	pstk_graph_destroy(g);
}
END_TEST

/* Places that are no places, and which error it is then. */
START_TEST(places)
{
	static const struct {
		const char *place, *problem;
	} wrong[] = {
		{ "a", "error: 'a': expected actor=selector, or actor=cores" },
		{ "=gpu", "error: '=gpu': expected actor=selector, or actor=cores" },
		{ "a=", "error: 'a=': expected actor=selector, or actor=cores" },
		{ "filter=gpu",
			"error: the graph has no actor 'filter'; did you mean 'filter1'? It has filter1, a" },
	};
	const char *path = test_file(
		"g.yaml", "actors:\n  filter1: {type: repeat, times: 1}\n  a: {type: repeat, times: 1}\n");

	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct pstk_graph *g = pstk_graph_load(
			path, PSTK_GRAPH(.places = (const char *const[]){ wrong[i].place, NULL },
				      .plugins = (const char *const[]){ PLUGIN, NULL }, .unfinished = true));

		ck_assert_str_eq(pstk_graph_problem(g, 0), wrong[i].problem);
		ck_assert_int_eq(pstk_graph_error(g), -EINVAL);
		pstk_graph_destroy(g);
	}
}
END_TEST

#ifdef HAVE_OPENCL
/* A graph whose only fault is a device tells so. */
START_TEST(no_device)
{
	const char *path = test_file("g.yaml", "actors:\n  a: {type: repeat, times: 1}\n");
	struct pstk_graph *g = pstk_graph_load(
		path, PSTK_GRAPH(.places = (const char *const[]){ "a=no such device", NULL },
			      .plugins = (const char *const[]){ PLUGIN, NULL }, .unfinished = true));

	TEST_SAYS(pstk_graph_problem(g, 0), "no such device");
	ck_assert_ptr_null(pstk_graph_problem(g, 1));
	ck_assert_int_eq(pstk_graph_error(g), -ENODEV);
	pstk_graph_destroy(g);
	g = pstk_graph_load(
		path, PSTK_GRAPH(.places = (const char *const[]){ "a=no such device", "b=cpu", NULL },
			      .plugins = (const char *const[]){ PLUGIN, NULL }, .unfinished = true));
	ck_assert_int_eq(pstk_graph_error(g), -EINVAL);
	pstk_graph_destroy(g);
}
END_TEST

/* A word that is nearly one of a selector's. */
START_TEST(near_places)
{
	static const struct {
		const char *place, *meant;
	} words[] = { { "a=coers", "; did you mean 'cores'?" }, { "a=cpus", "; did you mean 'cpu'?" },
		{ "a=gpux", "; did you mean 'gpu'?" }, { "a=acelerator", "; did you mean 'accelerator'?" },
		{ "a=corsica", NULL }, { "a=custom", NULL } };
	const char *path = test_file("g.yaml", "actors:\n  a: {type: repeat, times: 1}\n");

	for (unsigned i = 0; i < TEST_COUNT(words); i++) {
		struct pstk_graph *g = pstk_graph_load(
			path, PSTK_GRAPH(.places = (const char *const[]){ words[i].place, NULL },
				      .unfinished = true, .plugins = (const char *const[]){ PLUGIN, NULL }));

		ck_assert_int_eq(pstk_graph_error(g), -ENODEV);
		if (words[i].meant)
			TEST_SAYS(pstk_graph_problem(g, 0), words[i].meant);
		else
			ck_assert_ptr_null(strstr(pstk_graph_problem(g, 0), "did you mean"));
		pstk_graph_destroy(g);
	}
}
END_TEST
#endif

/* A graph that says nothing of threads has what suits; the environment comes first. */
START_TEST(threads)
{
	const char *path = test_file(
		"g.yaml", "actors:\n  a: {type: repeat, times: 1}\n  b: {type: repeat, times: 1}\n");
	cpu_set_t former, one;
	struct pstk_graph *g;

	ck_assert_int_eq(sched_getaffinity(0, sizeof former, &former), 0);
	CPU_ZERO(&one);
	for (unsigned i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &former))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof one, &one);
	unsetenv("PENSTOCK_TEAM");
	g = load(path, NULL, NULL);
	ck_assert_uint_eq(pstk_network_threads(pstk_graph_network(g)), 1);
	pstk_graph_destroy(g);
	setenv("PENSTOCK_TEAM", "3", 1);
	g = load(path, NULL, NULL);
	ck_assert_uint_eq(pstk_network_threads(pstk_graph_network(g)), 3);
	pstk_graph_destroy(g);
	g = pstk_graph_load(
		test_file("one.yaml", "actors: {a: {type: repeat, times: 1}}\nrun: {team: auto}\n"),
		PSTK_GRAPH(.plugins = (const char *const[]){ PLUGIN, NULL }, .unfinished = true));
	ck_assert_uint_eq(pstk_network_threads(pstk_graph_network(g)), 0);
	pstk_graph_destroy(g);
	sched_setaffinity(0, sizeof former, &former);
}
END_TEST

/* Without a file: the plug-ins alone. */
START_TEST(plugins_alone)
{
	struct pstk_graph *g = load(NULL, NULL, NULL);
	const char *file = NULL;
	const struct pstk_plugin *p = pstk_graph_plugin(g, 0, &file);

	ck_assert_str_eq(p->name, "actors");
	ck_assert_str_eq(file, PLUGIN);
	ck_assert_ptr_eq(pstk_graph_plugin(g, 0, NULL), p);
	ck_assert_ptr_null(pstk_graph_plugin(g, 1, &file));
	ck_assert_ptr_null(pstk_graph_plugin(NULL, 0, &file));
	ck_assert_uint_eq(pstk_network_actor_count(pstk_graph_network(g)), 0);
	pstk_graph_destroy(g);
}
END_TEST

/* A file is the same one by whatever path. */
START_TEST(included_again)
{
	char link_path[4096];
	const char *path = test_file("again.yaml", "include: ./again.yaml\n");
	struct pstk_graph *g = pstk_graph_load(path, NULL);

	ck_assert_msg(strstr(pstk_graph_problem(g, 0), "again.yaml is included a second time"), "%s",
		pstk_graph_problem(g, 0));
	ck_assert_ptr_null(pstk_graph_problem(g, 1));
	pstk_graph_destroy(g);
	snprintf(link_path, sizeof link_path, "%s", test_file("link.yaml", ""));
	ck_assert_int_eq(remove(link_path) | symlink(path, link_path), 0);
	test_file("again.yaml", "include: link.yaml\n");
	g = pstk_graph_load(path, NULL);
	ck_assert_msg(strstr(pstk_graph_problem(g, 0), "link.yaml is included a second time"), "%s",
		pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
}
END_TEST

/* What is no file of a graph: a folder, a stream without end. */
START_TEST(no_end)
{
	struct pstk_graph *g = pstk_graph_load("/", NULL);

	ck_assert_str_eq(pstk_graph_problem(g, 0), "error: /: Is a directory");
	ck_assert_ptr_null(pstk_graph_problem(g, 1));
	pstk_graph_destroy(g);
	if (access("/dev/zero", R_OK))
		return;
	g = pstk_graph_load("/dev/zero", NULL);
	ck_assert_ptr_nonnull(pstk_graph_problem(g, 0));
	ck_assert_ptr_null(pstk_graph_problem(g, 1));
	pstk_graph_destroy(g);
}
END_TEST

/* A pipe tells no size. */
static void *fill_pipe(void *arg)
{
	static char text[1 << 16];
	ssize_t n = 0;

	memset(text, 'a', sizeof text);
	for (unsigned i = 0; i < (65 << 20) / sizeof text && n >= 0; i++)
		n = write(*(int *)arg, text, sizeof text);
	close(*(int *)arg);
	return NULL;
}

START_TEST(large_pipe)
{
	struct pstk_graph *g;
	pthread_t thread;
	char path[64];
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends) | pthread_create(&thread, NULL, fill_pipe, &ends[1]), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	g = pstk_graph_load(path, NULL);
	close(ends[0]);
	pthread_join(thread, NULL);
	ck_assert_msg(strstr(pstk_graph_problem(g, 0), ": more than 64 MiB"), "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
}
END_TEST

/* A value of many dollars is as long as it must be, not each of its beginnings. */
START_TEST(many_dollars)
{
	enum { DOLLARS = 20000 };
	static char text[4 * DOLLARS + 200];
	size_t length = (size_t)snprintf(
		text, sizeof text, "parameters: {a: '12'}\nactors:\n  f: {type: fir_f32, taps: \"");
	struct pstk_graph *g;

	for (unsigned i = 0; i < DOLLARS; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "$a ");
	snprintf(text + length, sizeof text - length, "\"}\n");
	g = load(test_file("g.yaml", text), NULL, NULL);
	ck_assert_uint_eq(pstk_network_actor_count(pstk_graph_network(g)), 1);
	pstk_graph_destroy(g);
}
END_TEST

START_TEST(nothing)
{
	struct pstk_graph *g;

	g = pstk_graph_load("/nowhere/g.yaml", &(struct pstk_graph_spec){ 0 });
	ck_assert_str_eq(pstk_graph_problem(g, 0), "error: a spec without struct_size");
	pstk_graph_destroy(g);
	g = pstk_graph_load("/nowhere/g.yaml", NULL);
	ck_assert_str_eq(pstk_graph_problem(g, 0), "error: /nowhere/g.yaml: No such file or directory");
	pstk_graph_destroy(g);
	pstk_graph_destroy(NULL);
	ck_assert_ptr_null(pstk_graph_network(NULL));
	ck_assert_str_eq(pstk_graph_problem(NULL, 0), "error: out of memory");
	ck_assert_ptr_null(pstk_graph_problem(NULL, 1));
	ck_assert_int_eq(pstk_graph_error(NULL), -ENOMEM);
	g = pstk_graph_load(test_file("g.yaml", "run: {}\n"),
		PSTK_GRAPH(.sets = (const char *const[]){ "x", "y=1", NULL }));
	ck_assert_str_eq(
		pstk_graph_problem(g, 0), "error: 'x': expected name=value, of a parameter of the graph");
	ck_assert_str_eq(
		pstk_graph_problem(g, 1), "error: the graph has no parameter 'y': it has none at all");
	pstk_graph_destroy(g);
}
END_TEST

/* A hundred problems and no more, the last of which says so. */
START_TEST(many_problems)
{
	char text[4000] = "run: {";
	struct pstk_graph *g;
	unsigned count = 0;

	for (unsigned i = 0; i < 150; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "x%u: 1, ", i);
	snprintf(text + strlen(text), sizeof text - strlen(text), "}\n");
	g = pstk_graph_load(test_file("g.yaml", text), NULL);
	while (pstk_graph_problem(g, count))
		count++;
	ck_assert_uint_eq(count, 100);
	ck_assert_str_eq(pstk_graph_problem(g, 99), "error: there may be more; these are the first 99");
	pstk_graph_destroy(g);
}
END_TEST

/* Beyond the last problem that is kept no builder is asked for what is not given. */
START_TEST(many_builders)
{
	static char text[8000] = "actors:\n";
	struct pstk_graph *g;

	for (unsigned i = 0; i < 150; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "  p%u: {type: polynomial}\n", i);
	g = pstk_graph_load(test_file("g.yaml", text), PSTK_GRAPH(.plugins = load_plugins));
	TEST_SAYS(pstk_graph_problem(g, 98), "'p98' (polynomial): parameter 'branches' is not given");
	ck_assert_str_eq(pstk_graph_problem(g, 99), "error: there may be more; these are the first 99");
	pstk_graph_destroy(g);
}
END_TEST

/* Each of very many parameters is found, and each that there is not, though few of these are told. */
START_TEST(many_parameters)
{
	enum { COUNT = 20000 };
	FILE *file = fopen(test_file("g.yaml", ""), "w");
	struct pstk_graph *g;
	char name[32];

	fprintf(file, "parameters:\n");
	for (unsigned i = 0; i < COUNT; i++)
		fprintf(file, "  p%u: %u\n", i * 7919 % COUNT, i * 7919 % COUNT + 1);
	fprintf(file, "actors:\n");
	for (unsigned i = 0; i < COUNT; i += 1000)
		fprintf(file, "  a%u: {type: repeat, times: $p%u}\n", i, i);
	fclose(file);
	g = load(test_file("end.yaml", "include: g.yaml\n"), NULL, NULL);
	ck_assert_ptr_null(pstk_graph_parameter(g, "p20000"));
	ck_assert_ptr_null(pstk_graph_parameter(g, ""));
	for (unsigned i = 0; i < COUNT; i += 1000) {
		snprintf(name, sizeof name, "a%u", i);
		ck_assert_uint_eq(*(const uint32_t *)pstk_actor_arg(load_actor(g, name)), i + 1);
		*name = 'p';
		ck_assert_uint_eq(strtoul(pstk_graph_parameter(g, name), NULL, 10), i + 1);
	}
	pstk_graph_destroy(g);
	file = fopen(test_file("wrong.yaml", ""), "w");
	fprintf(file, "include: g.yaml\nfifos:\n");
	for (unsigned i = 0; i < COUNT; i++)
		fprintf(file, "  - {from: $q%u, to: [$r%u, b%u.in]}\n", i, i, i);
	fclose(file);
	g = pstk_graph_load(test_file("last.yaml", "include: wrong.yaml\n"), NULL);
	TEST_SAYS(pstk_graph_problem(g, 0), "error: ");
	ck_assert_str_eq(pstk_graph_problem(g, 99), "error: there may be more; these are the first 99");
	ck_assert_ptr_null(pstk_graph_problem(g, 100));
	pstk_graph_destroy(g);
}
END_TEST

/* What two files say is one problem, at the second one. */
START_TEST(twice)
{
	static const char *const problems[] = {
		"more.yaml:1:15: error: the parameter 'p' is in another file, too",
		"more.yaml:2:11: error: the actor 'a' is in g.yaml, too, in line 3",
		"more.yaml:3:12: error: the place of 'a' is in g.yaml, too, in line 4",
		"more.yaml:4:7: error: the setting 'team' is in g.yaml, too, in line 5"
	};

	test_file("more.yaml",
		"parameters: { p: 2}\nactors: { a: {type: skip, count: 1}}\nmapping: { a: cores}\n"
		"run: {team: 2}\n");
	load_expect(pstk_graph_load(test_file("g.yaml", "parameters: {p: 1}\ninclude: more.yaml\nactors: {a: "
							"{type: skip, count: 1}}\nmapping: {a: cores}\n"
							"run: {team: 2}\n"),
			    PSTK_GRAPH(.plugins = load_plugins, .unfinished = true)),
		problems, TEST_COUNT(problems));
}
END_TEST

/* A FIFO that the team makes too deep has the problem at its own place. */
START_TEST(too_deep)
{
	static const char *const problem[] = { "g.yaml:5:23: error: 'a'.out -> 'b'.in: write rate 1048576, "
					       "read rate 1048576, delay 0, depth 512, "
					       "token size 1099511627776: more bytes than memory can have" };

	load_expect(
		pstk_graph_load(test_file("g.yaml", "actors:\n  a: {type: repeat, times: 1}\n"
						    "  b: {type: skip, count: 0}\nfifos:\n"
						    "  - {from: a.out, to: b.in, token_size: 1024GiB, rate: "
						    "1048576}\nrun: {team: 256}\n"),
			PSTK_GRAPH(.plugins = load_plugins, .unfinished = true)),
		problem, 1);
}
END_TEST

static int setjmp_alloc(struct ps_arena *arena, size_t bytes)
{
	return setjmp(arena->out_of_memory) ? -1 : !ps_arena_zalloc(arena, bytes);
}

/* More than a block, and none. */
START_TEST(arena)
{
	struct ps_arena a = { NULL };

	ck_assert_int_eq(setjmp_alloc(&a, 1), 0);
	ck_assert_int_eq(setjmp_alloc(&a, 100000), 0);
	ps_arena_fail_at = 0;
	ck_assert_int_eq(setjmp_alloc(&a, 100000), -1);
	ps_arena_fail_at = -1;
	ps_arena_free(&a);
}
END_TEST

/* Each block of memory in turn can't be had: that is the problem, and nothing is left. */
START_TEST(no_memory)
{
	static char text[40000];
	const char *path;
	bool loaded = false;
	long at = 0;

	snprintf(text, sizeof text, "parameters: {n: 2}\nactors:\n");
	for (unsigned i = 0; i < 300; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			"  a%u: {type: repeat, times: $n}\n", i);
	snprintf(text + strlen(text), sizeof text - strlen(text), "fifos:\n");
	for (unsigned i = 0; i + 1 < 300; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			"  - {from: a%u.out, to: a%u.in, token: f32, delay: 1, initial: [%u]}\n", i, i + 1,
			i);
	path = test_file("g.yaml", text);
	for (; !loaded; at++) {
		struct pstk_graph *g;

		ps_arena_fail_at = at;
		g = pstk_graph_load(path,
			PSTK_GRAPH(.plugins = (const char *const[]){ PLUGIN, NULL }, .unfinished = true));
		loaded = ps_arena_fail_at >= 0;
		if (!loaded)
			ck_assert_str_eq(pstk_graph_problem(g, 0), "error: out of memory");
		ck_assert_ptr_null(pstk_graph_problem(g, 1));
		ck_assert_int_eq(pstk_graph_network(g) != NULL, loaded);
		pstk_graph_destroy(g);
	}
	ps_arena_fail_at = -1;
	ck_assert_int_gt(at, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("graph");
	TCase *c = test_case(suite, "graphs");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, values);
	tcase_add_test(c, fifos);
	tcase_add_test(c, initial);
	tcase_add_test(c, includes);
	tcase_add_test(c, overlays);
	tcase_add_test(c, places);
#ifdef HAVE_OPENCL
	tcase_add_test(c, no_device);
	tcase_add_test(c, near_places);
#endif
	tcase_add_test(c, threads);
	tcase_add_test(c, plugins_alone);
	tcase_add_test(c, included_again);
	tcase_add_test(c, no_end);
	tcase_add_test(c, large_pipe);
	tcase_add_test(c, many_dollars);
	tcase_add_test(c, nothing);
	tcase_add_test(c, many_problems);
	tcase_add_test(c, many_builders);
	tcase_add_test(c, many_parameters);
	tcase_add_test(c, twice);
	tcase_add_test(c, too_deep);
	tcase_add_test(c, arena);
	tcase_add_test(c, no_memory);
	return test_main(suite);
}
