/* SPDX-License-Identifier: MIT */
/* Pipelines in tables, snapshots, loads and causes, with the names of their stages. */
#include "lib/model/pipeline.h"
#include "penstock/pipeline.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/observe/made_load.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 40, RATE = 4, CORES = 2, IN_FLIGHT = 6 };

/* count, first and second, which are a pipeline, collect. */
struct piped {
	struct pstk_network *net;
	struct simple_count count;
	struct simple_collect collect;
	struct pstk_actor *stages[2];
	struct pstk_pipeline *pipeline;
	atomic_bool holds; /* second's fire() */
	_Atomic uint64_t inside;
};

static struct piped piped;

static int held_fire(struct pstk_firing *f)
{
	atomic_fetch_add(&piped.inside, 1);
	while (atomic_load(&piped.holds) && !pstk_network_failed(piped.net))
		sched_yield();
	return simple_relay_type()->fire(f);
}

static void build(const char *configuration, uint64_t tokens)
{
	struct pstk_actor_type relay = *simple_relay_type(), held = relay;
	struct pstk_actor *count, *collect;

	piped = (struct piped){ .count.tokens = tokens,
		.collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL } };
	relay.stateless = held.stateless = true;
	relay.name = "first_type";
	held.name = "second_type";
	held.fire = held_fire;
	piped.net = pstk_network_create("piped");
	count = pstk_network_add(piped.net, "count", simple_count_type(), &piped.count);
	piped.stages[0] = pstk_network_add(piped.net, "first", &relay, NULL);
	piped.stages[1] = pstk_network_add(piped.net, "second", &held, NULL);
	collect = pstk_network_add(piped.net, "collect", simple_collect_type(), &piped.collect);
	pstk_connect(count, "out", piped.stages[0], "in", PSTK_FIFO(.rate = RATE));
	pstk_connect(piped.stages[0], "out", piped.stages[1], "in", PSTK_FIFO(.rate = RATE));
	pstk_connect(piped.stages[1], "out", collect, "in", PSTK_FIFO(.rate = RATE));
	piped.pipeline = pstk_pipeline_add(piped.net, "both", piped.stages, 2,
		PSTK_PIPELINE(.cores = CORES, .in_flight = IN_FLIGHT, .configuration = configuration));
	ck_assert_msg(piped.pipeline != NULL, "%s", pstk_network_problem(piped.net, 0));
}

static char *print(int (*table)(const struct pstk_network *, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(table(piped.net, out), 0);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

/* Before it runs: what it was told, and its stages below it. */
START_TEST(mapping)
{
	static const char *const told[][2] = { { "CG:00:2", "CPU-CG:00:2" }, { "baseline", "baseline" },
		{ NULL, "adaptive" } };
	char line[120], *text;

	build(told[_i][0], TOKENS);
	text = print(pstk_network_print);
	snprintf(line, sizeof line, "     both  pipeline     on cores, %s, 6 items in flight\n", told[_i][1]);
	TEST_SAYS(text, "network 'piped': 3 actors, 2 FIFOs", line, "      first  first_type   core\n",
		"     second  second_type  core\n");
	free(text);
	ck_assert_int_eq(pstk_pipeline_set_configuration(piped.pipeline, "MG:00", NULL, 0), 0);
	text = print(pstk_network_print);
	TEST_SAYS(text, "on cores, CPU-MG:00:3, 6 items in flight\n");
	free(text);
	pstk_network_destroy(piped.net);
}
END_TEST

/* What a pipeline that was refused is told of. */
START_TEST(refused)
{
	struct pstk_pipeline_spec spec;
	char *text;

	build(NULL, TOKENS);
	ck_assert_ptr_null(pstk_pipeline_add(piped.net, "more",
		(struct pstk_actor *[]){ pstk_network_actor(piped.net, 2) }, 1, PSTK_PIPELINE(.cores = 1)));
	free(print(pstk_network_print));
	pstk_network_destroy(piped.net);
	build(NULL, TOKENS);
	pstk_network_destroy(piped.net);
	setenv("PENSTOCK_PIPELINE", "CG:0:1", 1); /* of one stage: folded, then refused */
	piped.net = pstk_network_create("piped");
	unsetenv("PENSTOCK_PIPELINE");
	{
		struct pstk_actor_type relay = *simple_relay_type();
		struct pstk_actor *a, *b;

		relay.stateless = true;
		a = pstk_network_add(piped.net, "count", simple_count_type(), &piped.count);
		piped.stages[0] = pstk_network_add(piped.net, "first", &relay, NULL);
		piped.stages[1] = pstk_network_add(piped.net, "second", &relay, NULL);
		b = pstk_network_add(piped.net, "collect", simple_collect_type(), &piped.collect);
		pstk_connect(a, "out", piped.stages[0], "in", PSTK_FIFO(.rate = RATE));
		pstk_connect(piped.stages[0], "out", piped.stages[1], "in", PSTK_FIFO(.rate = RATE));
		pstk_connect(piped.stages[1], "out", b, "in", PSTK_FIFO(.rate = RATE));
	}
	ck_assert_ptr_null(pstk_pipeline_add(piped.net, "both", piped.stages, 2, PSTK_PIPELINE(.cores = 1)));
	ck_assert_int_eq(pstk_pipeline_get_spec(pstk_network_pipeline(piped.net, 0), &spec), 0);
	ck_assert_uint_eq(spec.cores, 1);
	text = print(pstk_network_print);
	TEST_SAYS(text, "both  pipeline  ", " on cores\n", "first ", "second ");
	free(text);
	free(print(pstk_network_print_stats));
	pstk_network_destroy(piped.net);
}
END_TEST

/* Behind a run: each stage has fired once an item, and the pipeline's report is behind the tables. */
START_TEST(stats)
{
	char *text;
	const char *report;

	build("CG:00:2", TOKENS);
	ck_assert_int_eq(pstk_network_run(piped.net), 0);
	text = print(pstk_network_print_stats);
	TEST_SAYS(text, "     both          10  ", "      first        10  ", "     second        10  ",
		"pipeline 'both': CPU-CG:00:2, it was given\n",
		"items      0 over the device, 10 on the cores alone\n");
	report = strstr(text, "pipeline 'both'");
	ck_assert(report > strstr(text, "tokens written"));
	free(text);
	pstk_network_destroy(piped.net);
}
END_TEST

/* What a stage does is its pipeline's: it has no looks of its own, whatever its number. */
START_TEST(looks)
{
	struct pstk_actor_load load;
	struct pstk_fifo_load fill;

	build("CG:00:2", TOKENS);
	ck_assert_int_eq(pstk_network_set_sampling(piped.net, 100000), 0);
	ck_assert_int_eq(pstk_network_run(piped.net), 0);
	for (unsigned k = 0; k < 2; k++) {
		ck_assert_int_eq(pstk_actor_get_load(piped.stages[k], &load), -EINVAL);
		ck_assert_uint_eq(pstk_actor_port_waits(piped.stages[k], 0), 0);
	}
	ck_assert_int_eq(pstk_fifo_get_load(pstk_pipeline_fifo(piped.pipeline, 0), &fill), -EINVAL);
	ck_assert_int_eq(pstk_actor_get_load(pstk_pipeline_actor(piped.pipeline), &load), 0);
	ck_assert_uint_eq(load.side_by_side, 2); /* threads that carry items, not those in flight */
	ck_assert_uint_eq(load.firings, 10);
	pstk_network_destroy(piped.net);
}
END_TEST

/* A stage that does not come back is named. */
START_TEST(snapshot)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	build("CG:00:1", SIMPLE_ALL);
	atomic_store(&piped.holds, true);
	ck_assert_int_eq(pstk_network_start(piped.net), 0);
	test_await(&piped.inside, 1);
	ck_assert_int_eq(pstk_network_snapshot(piped.net, out), 0);
	fclose(out);
	TEST_SAYS(text, "  both (pipeline) is in fire() of second for ");
	free(text);
	atomic_store(&piped.holds, false);
	pstk_network_stop(piped.net);
	ck_assert_int_eq(pstk_network_wait(piped.net), 0);
	pstk_network_destroy(piped.net);
}
END_TEST

/* Its longest stage is what could be faster; where all cores are busy that is the cause. */
START_TEST(causes)
{
	struct ps_load load;
	struct pstk_cause found[PS_CAUSES_MOST];

	build("CG:00:2", TOKENS);
	ck_assert_int_eq(pstk_network_set_sampling(piped.net, 100000), 0);
	ck_assert_int_eq(pstk_network_run(piped.net), 0);
	made_load(&load, piped.net);
	made_load_busy(&load, "both", 0.95, 1.9);
	ck_assert_uint_ge(ps_causes_find(&load, found), 1);
	ck_assert_int_eq(found[0].kind, PSTK_CAUSE_ACTOR);
	ck_assert_str_eq(found[0].evidence, "both is in fire() with 1.9 of 2 threads");
	TEST_SAYS(found[0].advice, "make its stage ", " faster, which takes ",
		"pstk_pipeline_print() says why");
	load.cores = 4;
	ck_assert_uint_ge(ps_causes_find(&load, found), 1);
	ck_assert_int_eq(found[0].kind, PSTK_CAUSE_CORES);
	ps_load_free(&load);
	pstk_network_destroy(piped.net);
}
END_TEST

/* What the network is made of: a border's port is a stage's. */
START_TEST(made_of)
{
	struct pstk_actor *stage = NULL;
	struct pstk_pipeline_spec spec;
	unsigned port = 9;

	build("CG:00:2", TOKENS);
	ck_assert_int_eq(pstk_pipeline_port(piped.pipeline, 0, &stage, &port), 0);
	ck_assert_ptr_eq(stage, piped.stages[0]);
	ck_assert_uint_eq(port, 0);
	ck_assert_int_eq(pstk_pipeline_port(piped.pipeline, 1, &stage, &port), 0);
	ck_assert_ptr_eq(stage, piped.stages[1]);
	ck_assert_uint_eq(port, 1);
	ck_assert_int_eq(pstk_pipeline_port(piped.pipeline, 1, NULL, NULL), 0);
	ck_assert_int_eq(pstk_pipeline_port(piped.pipeline, 2, &stage, &port), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_port(NULL, 0, &stage, &port), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_get_spec(NULL, &spec), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_get_spec(piped.pipeline, NULL), -EINVAL);
	ck_assert_int_eq(pstk_pipeline_get_spec(piped.pipeline, &spec), 0);
	ck_assert_str_eq(spec.configuration, "CG:00:2");
	ck_assert_int_eq(pstk_pipeline_set_configuration(piped.pipeline, "baseline", NULL, 0), 0);
	ck_assert_int_eq(pstk_pipeline_get_spec(piped.pipeline, &spec), 0);
	ck_assert_str_eq(spec.configuration, "baseline");
	ck_assert_int_eq(pstk_pipeline_set_configuration(piped.pipeline, NULL, NULL, 0), 0);
	ck_assert_int_eq(pstk_pipeline_get_spec(piped.pipeline, &spec), 0);
	ck_assert_ptr_null(spec.configuration);
	ck_assert_uint_eq(spec.in_flight, IN_FLIGHT);
	ck_assert(!spec.candidates); /* without defaults */
	pstk_network_destroy(piped.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stages");
	TCase *c = test_case(suite, "stages");

	tcase_add_loop_test(c, mapping, 0, 3);
	tcase_add_test(c, refused);
	tcase_add_test(c, stats);
	tcase_add_test(c, looks);
	tcase_add_test(c, snapshot);
	tcase_add_test(c, causes);
	tcase_add_test(c, made_of);
	return test_main(suite);
}
