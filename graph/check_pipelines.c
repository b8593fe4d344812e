/* SPDX-License-Identifier: MIT */
/* Pipelines of graph files: what is read, what is refused and where, what is written back, how they run. */
#include "graph/check_load.h"
#include "penstock/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METER "sim:cores=1,core=2,device_idle=0,device=0,rest=1"

/* Two filters between a source and a sink; then what a test has to say of them. */
#define FILTERS                                                     \
	"actors:\n"                                                 \
	"  source: {type: video_source, size: 32x16, frames: 40}\n" \
	"  gauss: {type: gauss5x5}\n"                               \
	"  med: {type: median5}\n"                                  \
	"  sink: {type: video_sink, output: \"\"}\n"                \
	"fifos:\n"                                                  \
	"  - {from: source.out, to: gauss.in}\n"                    \
	"  - {from: gauss.out, to: med.in}\n"                       \
	"  - {from: med.out, to: sink.map}\n"

static struct pstk_pipeline *pipeline(const struct pstk_graph *g, unsigned n)
{
	struct pstk_pipeline *p = pstk_network_pipeline(pstk_graph_network(g), n);

	ck_assert_ptr_nonnull(p);
	return p;
}

/* The graph as text, to be freed. */
static char *written(const struct pstk_graph *g)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_msg(pstk_graph_write(g, file) == 0, "%s", pstk_graph_write_error(g));
	fclose(file);
	return text;
}

/* Writes it, and what was read from that once more: the same. */
static void expect(struct pstk_graph *g, const char *fifos_and_on)
{
	char *first = written(g), *second, *from = strstr(first, "fifos:");
	struct pstk_graph *again = load_file(first, NULL);

	ck_assert_ptr_nonnull(from);
	ck_assert_str_eq(from, fifos_and_on);
	second = written(again);
	ck_assert_str_eq(second, first);
	free(first);
	free(second);
	pstk_graph_destroy(again);
	pstk_graph_destroy(g);
}

START_TEST(keys)
{
	struct pstk_graph *g = load_file(FILTERS
		"pipelines:\n  - {name: filters, stages: [gauss, med], device: cores, configuration: "
		"CPU-CG:00:2, cores: 3, in_flight: 6, objective: energy, min_rate: 0.5, max_watts: 20, "
		"max_overhead: 0.1, once: true, change: 0.3, rule: paper, candidates: 2, repetitions: 5, "
		"granularities: coarse, meter: '" METER "', tdp: 65}\n",
		NULL);
	struct pstk_pipeline *p = pipeline(g, 0);
	struct pstk_pipeline_spec s;

	ck_assert_int_eq(pstk_pipeline_get_spec(p, &s), 0);
	ck_assert_ptr_null(s.device);
	ck_assert_str_eq(s.configuration, "CPU-CG:00:2");
	ck_assert_uint_eq(s.cores, 3);
	ck_assert_uint_eq(s.in_flight, 6);
	ck_assert_int_eq(s.objective, PSTK_OBJECTIVE_ENERGY);
	ck_assert_double_eq(s.min_rate, 0.5);
	ck_assert_double_eq(s.max_watts, 20);
	ck_assert_double_eq(s.max_overhead, 0.1);
	ck_assert(s.once);
	ck_assert_double_eq(s.change, 0.3);
	ck_assert_int_eq(s.rule, PSTK_RULE_PAPER);
	ck_assert_uint_eq(s.candidates, 2);
	ck_assert_uint_eq(s.repetitions, 5);
	ck_assert_int_eq(s.granularities, PSTK_GRAIN_COARSE);
	ck_assert_str_eq(s.meter, METER);
	ck_assert_double_eq(s.tdp, 65);
	ck_assert_str_eq(pstk_actor_name(pstk_pipeline_actor(p)), "filters");
	ck_assert_str_eq(pstk_actor_name(pstk_pipeline_stage(p, 0)), "gauss");
	ck_assert_str_eq(pstk_actor_name(pstk_pipeline_stage(p, 1)), "med");
	ck_assert_ptr_null(pstk_pipeline_stage(p, 2));
	pstk_graph_destroy(g);
}
END_TEST

/* What is not said is as by default; so are `cores`, `adaptive` and 0. */
START_TEST(defaults)
{
	static const char *const texts[] = { FILTERS "pipelines: [{name: p, stages: [gauss, med]}]\n",
		FILTERS "pipelines: [{name: p, stages: [gauss, med], device: cores, configuration: adaptive, "
			"cores: 0, in_flight: 0, objective: throughput, min_rate: 0, once: false}]\n" };
	struct pstk_graph *g = load_file(texts[_i], NULL);
	struct pstk_pipeline_spec s;

	ck_assert_int_eq(pstk_pipeline_get_spec(pipeline(g, 0), &s), 0);
	ck_assert(!s.device && !s.configuration && !s.meter && !s.own_meter && !s.score && !s.once);
	ck_assert(!s.cores && !s.in_flight && !s.objective && !s.rule && !s.granularities);
	ck_assert(!s.candidates && !s.repetitions && !(s.min_rate > 0) && !(s.max_watts > 0));
	ck_assert(!(s.max_overhead > 0) && !(s.change > 0) && !(s.tdp > 0));
	pstk_graph_destroy(g);
}
END_TEST

/* A mapping file has one, with parameters; the FIFO at its border gets its windows. */
START_TEST(overlay)
{
	const char *overlays[] = {
		test_file("m.yaml", "parameters: {grain: CPU-CG:00:2}\n"
				    "pipelines:\n- name: p\n  stages: [gauss, med]\n  configuration: $grain\n"
				    "  cores: 1\n"),
		NULL
	};
	struct pstk_graph *g = pstk_graph_load(
		test_file("g.yaml", FILTERS), PSTK_GRAPH(.plugins = load_plugins, .overlays = overlays,
						      .sets = (const char *const[]){ "grain=MG:00", NULL }));
	struct pstk_pipeline_spec s;

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_int_eq(pstk_pipeline_get_spec(pipeline(g, 0), &s), 0);
	ck_assert_str_eq(s.configuration, "MG:00");
	ck_assert_uint_eq(load_fifo(g, 0).depth, 4);
	ck_assert_uint_eq(pstk_network_actor_count(pstk_graph_network(g)), 3);
	load_run(g);
}
END_TEST

START_TEST(runs)
{
	static const char *const configurations[] = { "CPU-CG:00:1", "CPU-CG:00:2", "MG:00", "adaptive",
		"baseline" };
	char set[64];
	struct pstk_graph *g;
	struct pstk_pipeline_report *report;

	snprintf(set, sizeof set, "c=%s", configurations[_i]);
	g = load_file("parameters: {c: adaptive}\n" FILTERS
		      "pipelines: [{name: p, stages: [gauss, med], configuration: $c}]\n",
		(const char *const[]){ set, NULL });
	ck_assert_msg(pstk_network_run(pstk_graph_network(g)) == 0, "%s",
		pstk_network_error(pstk_graph_network(g)));
	report = pstk_pipeline_get_report(pipeline(g, 0));
	ck_assert_ptr_nonnull(report);
	ck_assert_uint_eq(report->on_cores, 40);
	pstk_pipeline_free_report(report);
	pstk_graph_destroy(g);
}
END_TEST

/*
 * Written back.
 */

/* In the order of the file, in its words. FIFOs between stages are among the others. */
START_TEST(write_file)
{
	expect(load_file(FILTERS
		       "pipelines:\n  - {name: filters, stages: [gauss, med], device: cores, in_flight: "
		       "0x8, rule: bounded}\n",
		       NULL),
		"fifos:\n"
		"- {from: source.out, to: gauss.in, token_size: 512}\n"
		"- {from: gauss.out, to: med.in, token_size: 512}\n"
		"- {from: med.out, to: sink.map, token_size: 512}\n"
		"pipelines:\n"
		"- {name: filters, stages: [gauss, med], device: cores, in_flight: 0x8, rule: bounded}\n"
		"run: {}\n");
}
END_TEST

/* An output that leads to a stage and out of the pipeline, types of tokens, two pipelines. */
START_TEST(write_borders)
{
	expect(load_file("actors:\n"
			 "  a: {type: repeat, times: 1}\n  b: {type: repeat, times: 1}\n"
			 "  c: {type: repeat, times: 1}\n  d: {type: repeat, times: 1}\n"
			 "  e: {type: fir_f32, taps: 1}\n  f: {type: fir_f32, taps: 1}\n"
			 "  s: {type: fir_f32, taps: 1}\nfifos:\n"
			 "  - {from: s.out, to: a.in, depth: 9}\n"
			 "  - {from: a.out, to: [e.in, b.in: {token: u32}], token: f32}\n"
			 "  - {from: b.out, to: c.in, token: f32}\n"
			 "  - {from: c.out, to: d.in, token_size: 4}\n"
			 "  - {from: d.out, to: f.in}\n"
			 "pipelines:\n  - {name: first, stages: [a, b], cores: 1}\n"
			 "  - {name: second, stages: [c, d], cores: 2}\n",
		       NULL),
		"fifos:\n"
		"- {from: s.out, to: a.in, depth: 9}\n"
		"- {from: a.out, to: e.in, token: f32}\n"
		"- {from: a.out, to: b.in, token: u32}\n"
		"- {from: b.out, to: c.in, token: f32}\n"
		"- {from: c.out, to: d.in, token_size: 4}\n"
		"- {from: d.out, to: f.in}\n"
		"pipelines:\n"
		"- {name: first, stages: [a, b], cores: 1}\n"
		"- {name: second, stages: [c, d], cores: 2}\n"
		"run: {}\n");
}
END_TEST

/* What the program has told a pipeline of the file, and one that it has made, behind a chain. */
START_TEST(write_changes)
{
	struct pstk_graph *g = load_file(FILTERS "pipelines: [{name: p, stages: [gauss, med], cores: 1, "
						 "configuration: 'MG:00', min_rate: 3}]\n",
		NULL);
	struct pstk_actor *stages[2];

	ck_assert_int_eq(pstk_pipeline_set_configuration(pipeline(g, 0), "CG:00:02", NULL, 0), 0);
	ck_assert_int_eq(pstk_pipeline_set_goal(pipeline(g, 0), PSTK_GOAL(.min_rate = 12.5), NULL, 0), 0);
	expect(g,
		"fifos:\n"
		"- {from: source.out, to: gauss.in, token_size: 512}\n"
		"- {from: gauss.out, to: med.in, token_size: 512}\n"
		"- {from: med.out, to: sink.map, token_size: 512}\n"
		"pipelines:\n"
		"- {name: p, stages: [gauss, med], cores: 1, configuration: 'CPU-CG:00:2', min_rate: 12.5}\n"
		"run: {}\n");
	g = load_chain("video_source size=32x16 frames=5 ! gauss5x5 ! median5 ! video_sink output=", NULL);
	stages[0] = load_actor(g, "gauss5x5");
	stages[1] = load_actor(g, "median5");
	ck_assert_ptr_nonnull(pstk_pipeline_add(pstk_graph_network(g), "p", stages, 2,
		PSTK_PIPELINE(.cores = 1, .once = true, .change = 0.25, .granularities = PSTK_GRAIN_MEDIUM,
			.meter = "none", .objective = PSTK_OBJECTIVE_THROUGHPUT)));
	expect(g,
		"fifos:\n"
		"- {from: video_source.out, to: gauss5x5.in, token_size: 512}\n"
		"- {from: median5.out, to: video_sink.map, token_size: 512}\n"
		"- {from: gauss5x5.out, to: median5.in, token_size: 512}\n"
		"pipelines:\n"
		"- {name: p, stages: [gauss5x5, median5], cores: 1, once: true, change: 0.25, granularities: "
		"medium, meter: none}\n"
		"run: {}\n");
}
END_TEST

static double score(void *data, double rate, double joules)
{
	(void)data, (void)joules;
	return rate;
}

static int read_meter(void *data, struct pstk_joules *total)
{
	static double joules;

	(void)data;
	*total = (struct pstk_joules){ joules += 1, 0, 0 };
	return 0;
}

/* No key stands for a function of the program. */
START_TEST(write_refused)
{
	static const struct pstk_meter meter = { .struct_size = sizeof meter, .read = read_meter };
	const struct pstk_pipeline_spec *specs[] = {
		PSTK_PIPELINE(.objective = PSTK_OBJECTIVE_SCORE, .score = score),
		PSTK_PIPELINE(.own_meter = &meter),
	};
	static const char *const faults[] = { "a score()", "a meter of the program" };
	struct pstk_graph *g = load_file(FILTERS, NULL);
	struct pstk_actor *stages[] = { load_actor(g, "gauss"), load_actor(g, "med") };
	FILE *out = tmpfile();

	ck_assert_msg(pstk_pipeline_add(pstk_graph_network(g), "p", stages, 2, specs[_i]) != NULL, "%s",
		pstk_network_problem(pstk_graph_network(g), 0));
	ck_assert_int_eq(pstk_graph_write(g, out), -ENOTSUP);
	TEST_SAYS(pstk_graph_write_error(g), "pipeline 'p' has ", faults[_i],
		", which a graph file can't name");
	fclose(out);
	pstk_graph_destroy(g);
}
END_TEST

static int never(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* A stage that the program has added is no actor of the file. */
START_TEST(write_foreign)
{
	struct pstk_graph *g = load_file("actors: {a: {type: repeat, times: 1}}\n", NULL);
	const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 4 } };
	struct pstk_actor *own = pstk_network_add(pstk_graph_network(g), "own",
		PSTK_ACTOR_TYPE(.name = "own", .ports = ports, .port_count = 1, .stateless = true,
			.fire = never),
		NULL);

	ck_assert_ptr_nonnull(pstk_connect(load_actor(g, "a"), "out", own, "in", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(
		pstk_pipeline_add(pstk_graph_network(g), "p", &own, 1, PSTK_PIPELINE(.cores = 1)));
	ck_assert_int_eq(pstk_graph_write(g, stderr), -ENOTSUP);
	TEST_SAYS(pstk_graph_write_error(g), "the program has added 'own'");
	pstk_graph_destroy(g);
}
END_TEST

/*
 * With a machine.
 */

#define MACHINE "machine: {hosts: {h: {devices: {g: \"none:gpu:7\", e: {memory: 1MiB}}}, i: {}}}\n"

/* What is only looked at needs neither the device nor the meter. Its stages' times and places are its own. */
START_TEST(machine)
{
	struct pstk_graph *g = pstk_graph_load(
		test_file("g.yaml", FILTERS MACHINE
			"times: {gauss: 0.5, med: {h: 0.25, i: 1}}\nmapping: {gauss: h, med: h}\n"
			"pipelines: [{name: p, stages: [gauss, med], device: h/g, configuration: "
			"'CP-CG:10:2', "
			"in_flight: 4}]\n"),
		PSTK_GRAPH(.plugins = load_plugins, .dry = true));
	char *text;
	uint64_t ns;

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_str_eq(pstk_actor_given_place(load_actor(g, "p")), "h");
	ck_assert_int_eq(pstk_actor_get_time(load_actor(g, "p"), "h", &ns), 0);
	ck_assert_uint_eq(ns, 750000000);
	ck_assert_int_eq(pstk_actor_get_time(load_actor(g, "p"), "i", &ns), 0);
	ck_assert_uint_eq(ns, 1500000000);
	text = written(g);
	TEST_SAYS(
		text, "  gauss: h\n  med: h\n", "device: h/g, configuration: 'CP-CG:10:2', in_flight: 4}\n");
	free(text);
	pstk_graph_destroy(g);
}
END_TEST

/* Another host's process has neither. */
START_TEST(away)
{
	struct pstk_graph *g = pstk_graph_load(
		test_file("g.yaml", FILTERS MACHINE
			"mapping: {gauss: h, med: h, source: i, sink: i}\n"
			"pipelines: [{name: p, stages: [gauss, med], device: h/g, configuration: "
			"'CP-CG:10:2', "
			"objective: energy, meter: 'powercap:/nowhere', max_watts: 3, in_flight: 4}]\n"),
		PSTK_GRAPH(.plugins = load_plugins, .host = "i"));
	struct pstk_pipeline_spec s;

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_int_eq(pstk_pipeline_get_spec(pipeline(g, 0), &s), 0);
	ck_assert_ptr_null(s.device);
	ck_assert_ptr_null(s.configuration);
	ck_assert_ptr_null(s.meter);
	ck_assert_uint_eq(s.in_flight, 4);
	pstk_graph_destroy(g);
}
END_TEST

/*
 * What is wrong.
 */

#define P "pipelines: ["

static const struct {
	const char *text, *problems[4];
} wrongs[] = {
	{ FILTERS P "x]\n", { "g.yaml:10:13: error: a pipeline is a value: expected a map, {key: value}" } },
	{ FILTERS P "{}]\n",
		{ "g.yaml:10:13: error: the pipeline has no 'name': expected {name: NAME, stages: [ACTOR, "
		  "..]}",
			"g.yaml:10:13: error: the pipeline has no 'stages': expected {name: NAME, stages: "
			"[ACTOR, ..]}" } },
	{ FILTERS P "{name: p, stages: [gauss], objectiv: energy}]\n",
		{ "g.yaml:10:40: error: a pipeline has no key 'objectiv'; did you mean 'objective'? It has "
		  "name, "
		  "stages, device, configuration, cores, in_flight, objective, min_rate, max_watts, "
		  "max_overhead, once, change, rule, candidates, repetitions, granularities, meter, tdp" } },
	{ FILTERS P "{name: a=b, stages: gauss}, {name: '', stages: []}]\n",
		{ "g.yaml:10:20: error: the name of a pipeline, 'a=b', has a =, which no such name may have",
			"g.yaml:10:33: error: 'stages' is a value: expected a list, [ACTOR, ..]",
			"g.yaml:10:48: error: the name of a pipeline is empty: expected 1 to 127 bytes of "
			"text",
			"g.yaml:10:60: error: 'stages' has 0 actors: expected 1 to 16" } },
	{ FILTERS P "{name: p, stages: [gaus, med, med, [a]]}]\n",
		{ "g.yaml:10:32: error: the graph has no actor 'gaus'; did you mean 'gauss'? It has source, "
		  "gauss, "
		  "med, sink",
			"g.yaml:10:43: error: 'med' is a stage here a second time; the first: line 10",
			"g.yaml:10:48: error: an entry of 'stages' is a list: expected a value" } },
	{ FILTERS P "{name: p, stages: [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]}]\n",
		{ "g.yaml:10:31: error: 'stages' has 17 actors: expected 1 to 16" } },
	{ FILTERS P "{name: p, stages: [med], objective: energie, rule: fast, granularities: [a]}]\n",
		{ "g.yaml:10:49: error: 'objective' has no 'energie'; did you mean 'energy'? It has "
		  "throughput, "
		  "energy, ratio",
			"g.yaml:10:64: error: 'rule' has no 'fast': it has capacity, bounded, paper",
			"g.yaml:10:85: error: 'granularities' is a list: expected a value" } },
	{ FILTERS P "{name: p, stages: [med], cores: 256, in_flight: -1, min_rate: fast, once: 1}]\n",
		{ "g.yaml:10:45: error: 'cores' is '256': expected a whole number, 0 to 255",
			"g.yaml:10:61: error: 'in_flight' is '-1': expected a whole number, 0 to 256",
			"g.yaml:10:75: error: 'min_rate' is 'fast': expected items/s, 0 or more",
			"g.yaml:10:87: error: 'once' is '1': expected true or false" } },
	/* what the library finds */
	{ FILTERS P "{name: p, stages: [med, gauss]}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': 'gauss'.out -> 'med'.in leads backwards: " } },
	{ FILTERS P "{name: p, stages: [gauss, sink]}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': 'sink' (video_sink) is not stateless: " } },
	{ FILTERS P "{name: sink, stages: [gauss]}]\n",
		{ "g.yaml:10:13: error: pipeline 'sink': 'sink' (video_sink) has this name: give the "
		  "pipeline another one" } },
	{ "actors:\n  source: {type: video_source, size: 32x16, frames: 4}\n"
	  "  gauss: {type: gauss5x5, pin: 0}\n  sink: {type: video_sink, output: \"\"}\nfifos:\n"
	  "  - {from: source.out, to: gauss.in}\n  - {from: gauss.out, to: sink.map}\n" P
	  "{name: p, stages: [gauss]}]\n",
		{ "g.yaml:8:13: error: pipeline 'p': 'gauss' (gauss5x5) is pinned to a core: leave out its "
		  "pstk_actor_pin(), or `pin`: " } },
	{ FILTERS P "{name: p, stages: [gauss], configuration: adaptiv}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': configuration 'adaptiv': expected adaptive, baseline "
		  "or "
		  "KIND-GRAIN:MASK:N, as CPU-CG:0:2; did you mean 'adaptive'?" } },
	{ FILTERS P "{name: p, stages: [gauss], objective: energy, meter: 'sim:cores=1'}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': its meter: sim: 'core' is missing: " } },
	{ FILTERS P "{name: p, stages: [gauss]}, {name: q, stages: [gauss]}]\n",
		{ "g.yaml:10:41: error: pipeline 'q': 'gauss' (gauss5x5) is a stage of another "
		  "pipeline: " } },
	{ FILTERS P "{name: p, stages: [gauss], configuration: CG:111:1}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': configuration 'CG:111:1': " } },
	{ FILTERS P "{name: p, stages: [gauss], configuration: 'DP-CG:1:1'}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': configuration 'DP-CG:1:1': it needs a device, " } },
	{ FILTERS P "{name: p, stages: [gauss], in_flight: 1, max_overhead: 2}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': in_flight is 1: expected 2 to 256, or 0",
			"g.yaml:10:13: error: pipeline 'p': max_overhead is 2: expected 0 to 1" } },
	{ FILTERS P "{name: p, stages: [gauss], objective: energy, meter: none}]\n",
		{ "g.yaml:10:13: error: pipeline 'p': its goal needs a meter of energy: " } },
	/* the library is not asked where something else is wrong */
	{ FILTERS "moves: [{}]\n" P "{name: p, stages: [gauss, sink]}]\n",
		{ "g.yaml:10:9: error: the move has " } },
	{ FILTERS "pipelines: {}\n", { "g.yaml:10:12: error: 'pipelines' is a map: expected a list, [..]" } },
	/* places of a machine */
	{ FILTERS MACHINE P
		"{name: p, stages: [gauss], device: h/x}, {name: q, stages: [med], device: h/e}]\n",
		{ "g.yaml:11:48: error: 'p': ", "g.yaml:11:87: error: 'q': 'h/e' has no device" } },
	{ FILTERS MACHINE P "{name: p, stages: [gauss], device: i}, {name: q, stages: [med], device: h}]\n",
		{ "g.yaml:11:48: error: 'p': 'i' is at another host than its stages" } },
};

/* Their beginnings, and no others. */
START_TEST(problems)
{
	struct pstk_graph *g =
		pstk_graph_load(test_file("g.yaml", wrongs[_i].text), PSTK_GRAPH(.plugins = load_plugins));
	unsigned i = 0;

	for (; i < 4 && wrongs[_i].problems[i]; i++) {
		ck_assert_msg(pstk_graph_problem(g, i) != NULL, "not said: %s", wrongs[_i].problems[i]);
		TEST_SAYS(pstk_graph_problem(g, i), wrongs[_i].problems[i]);
	}
	ck_assert_msg(!pstk_graph_problem(g, i) || strstr(wrongs[_i].text, "moves"), "also said: %s",
		pstk_graph_problem(g, i));
	ck_assert_ptr_null(pstk_graph_network(g));
	pstk_graph_destroy(g);
}
END_TEST

START_TEST(no_device)
{
	static const char *const devices[] = { "none:gpu:7", "gpuu" };

	for (unsigned i = 0; i < TEST_COUNT(devices); i++) {
		char text[1024];
		struct pstk_graph *g;

		snprintf(text, sizeof text, "%spipelines: [{name: p, stages: [gauss], device: '%s'}]\n",
			FILTERS, devices[i]);
		g = pstk_graph_load(test_file("g.yaml", text), PSTK_GRAPH(.plugins = load_plugins));
		ck_assert_int_eq(pstk_graph_error(g), -ENODEV);
		TEST_SAYS(pstk_graph_problem(g, 0), "g.yaml:10:48: error: pipeline 'p': ");
		if (i)
			TEST_SAYS(pstk_graph_problem(g, 0), "; did you mean 'gpu'?");
		pstk_graph_destroy(g);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipelines");
	TCase *c = test_case(suite, "pipelines");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_test(c, keys);
	tcase_add_loop_test(c, defaults, 0, 2);
	tcase_add_test(c, overlay);
	tcase_add_loop_test(c, runs, 0, 5);
	tcase_add_test(c, write_file);
	tcase_add_test(c, write_borders);
	tcase_add_test(c, write_changes);
	tcase_add_loop_test(c, write_refused, 0, 2);
	tcase_add_test(c, write_foreign);
	tcase_add_test(c, machine);
	tcase_add_test(c, away);
	tcase_add_loop_test(c, problems, 0, (int)TEST_COUNT(wrongs));
	tcase_add_test(c, no_device);
	return test_main(suite);
}
