/* SPDX-License-Identifier: MIT */
/* Pipelines as they are built: what can't be a stage, what is refused later, what a pipeline is to all others. */
#include "config.h"

#include "tests/common/common.h"
#include "tests/pipeline/line.h"

#include <penstock/plan.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SPEC PSTK_PIPELINE(.cores = 2, .in_flight = 3)

/*
 * What can't be a stage.
 */

static int idle(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int idle_control(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	return 0;
}

static void idle_unblock(struct pstk_actor *self)
{
	(void)self;
}

static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };
static const struct pstk_port dynamic[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 8 },
	{ .name = "control", .kind = PSTK_CONTROL } };
static const struct pstk_kernel kernel = { .name = "k", .source = "__kernel void k(void) {}" };

static const struct {
	struct pstk_actor_type type;
	const char *words[3];
} kinds[] = {
	{ { .name = "t", .ports = in_out, .port_count = 2, .fire = idle },
		{ "'x' (t) is not stateless", "if its firings are independent, set stateless in the type" } },
	{ { .name = "t", .ports = in_out + 1, .port_count = 1, .fire = idle, .stateless = true },
		{ "'x' (t) is a source", "a pipeline begins behind one" } },
	{ { .name = "t", .ports = in_out, .port_count = 2, .fire = idle, .kahn = true },
		{ "'x' (t) is a kahn actor", "give its type a fire() with windows" } },
	{ { .name = "t",
		  .ports = dynamic,
		  .port_count = 3,
		  .fire = idle,
		  .control = idle_control,
		  .stateless = true },
		{ "'x' (t) is dynamic", "a stage moves a window at each port in each item" } },
	{ { .name = "t", .ports = in_out, .port_count = 2, .kernel = &kernel, .stateless = true },
		{ "'x' (t) has no fire()", "items that find the device busy need one" } },
	{ { .name = "t",
		  .ports = in_out,
		  .port_count = 2,
		  .fire = idle,
		  .unblock = idle_unblock,
		  .stateless = true },
		{ "'x' (t) has an unblock()", "a stage does not block" } },
};

START_TEST(what_is_no_stage)
{
	struct pstk_actor_type type = kinds[_i].type;
	struct line line;
	struct pstk_actor *stages[2];

	type.struct_size = sizeof type;
	line_begin(&line, 1, 4, 1);
	stages[0] = line.stages[0];
	stages[1] = pstk_network_add(line.net, "x", &type, NULL);
	ck_assert_ptr_nonnull(stages[1]);
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "line", stages, 2, SPEC));
	ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
	TEST_SAYS(pstk_network_error(line.net), "pipeline 'line': ", kinds[_i].words[0], kinds[_i].words[1]);
	pstk_network_destroy(line.net);
}
END_TEST

/* What was said of a stage before: each refusal says what to leave out. */
static void pin(struct pstk_actor *a)
{
	pstk_actor_pin(a, test_core(0));
}

#ifdef HAVE_OPENCL /* else there is nothing that it could be guarded against, and no place to move to */
static void guard(struct pstk_actor *a)
{
	ck_assert_int_eq(pstk_actor_guard(a, true), 0);
}

static void may_move(struct pstk_actor *a)
{
	ck_assert_int_eq(pstk_actor_may_move(a, NULL), 0);
}
#endif

static void concurrency(struct pstk_actor *a)
{
	pstk_actor_set_concurrency(a, 2);
}

/* pstk_actor_map() needs a device: tests/opencl/check_row has that one. */
static const struct {
	void (*say)(struct pstk_actor *);
	const char *words;
} said[] = {
	{ pin, "'stage1' (pass) is pinned to a core: leave out its pstk_actor_pin(), or `pin`: " },
#ifdef HAVE_OPENCL
	{ guard, "'stage1' (pass) is guarded: leave out its pstk_actor_guard(), or `guard`" },
	{ may_move, "'stage1' (pass) may move: leave out its pstk_actor_may_move(), or `may_move`: " },
#endif
	{ concurrency,
		"'stage1' (pass) has a concurrency: leave that out, and give the pipeline `in_flight` " },
};

START_TEST(what_was_said_before)
{
	struct line line;

	line_begin(&line, 3, 4, 1);
	said[_i].say(line.stages[1]);
	ck_assert_ptr_null(line_make(&line, SPEC));
	ck_assert_int_eq(pstk_network_run(line.net), -EINVAL);
	TEST_SAYS(pstk_network_error(line.net), "pipeline 'line': ", said[_i].words);
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Which actors, and how many.
 */

static struct pstk_actor *add_pass(struct pstk_network *net, const char *name)
{
	return pstk_network_add(net, name, line_type(), NULL);
}

static struct pstk_fifo *join(
	struct pstk_actor *src, struct pstk_actor *dst, const struct pstk_fifo_spec *spec)
{
	return pstk_connect(src, "out", dst, "in", spec);
}

/* The network was refused with these words; destroys it. */
#define REFUSED_WITH(err, net, ...)                                       \
	do {                                                              \
		ck_assert_int_lt(pstk_network_check(net, NULL, NULL), 0); \
		ck_assert_int_eq(pstk_network_run(net), err);             \
		TEST_SAYS(pstk_network_error(net), __VA_ARGS__);          \
		pstk_network_destroy(net);                                \
	} while (0)
#define REFUSED(net, ...) REFUSED_WITH(-EINVAL, net, __VA_ARGS__)

START_TEST(how_many)
{
	struct pstk_actor *many[17] = { NULL };
	struct line line;

	for (unsigned i = 0; i < 3; i++) {
		line_begin(&line, 1, 4, 1);
		many[0] = line.stages[0];
		ck_assert_ptr_null(pstk_pipeline_add(line.net, "line", i == 2 ? NULL : many,
			i == 0   ? 0
			: i == 1 ? 17
				 : 1,
			SPEC));
		REFUSED(line.net, "pipeline 'line': ", i == 1 ? "17 stages" : "0 stages", "expected 1 to 16");
	}
	line_begin(&line, 2, 4, 1);
	line.stages[1] = NULL;
	ck_assert_ptr_null(line_make(&line, SPEC));
	REFUSED(line.net, "pipeline 'line': stage 2 is NULL");
	line_begin(&line, 2, 4, 1);
	line.stages[0] = NULL;
	ck_assert_ptr_null(line_make(&line, SPEC));
	REFUSED(line.net, "pipeline 'line': stage 1 is NULL");
}
END_TEST

START_TEST(twice_or_of_others)
{
	struct line line, other;
	struct pstk_actor *mixed[2];

	line_begin(&line, 2, 4, 1);
	line.stages[1] = line.stages[0];
	ck_assert_ptr_null(line_make(&line, SPEC));
	REFUSED(line.net, "pipeline 'line': 'stage0' (pass) is there twice");

	line_begin(&line, 1, 4, 1);
	line_begin(&other, 1, 4, 1);
	mixed[0] = line.stages[0];
	mixed[1] = other.stages[0];
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "line", mixed, 2, SPEC));
	pstk_network_destroy(other.net);
	REFUSED(line.net, "pipeline 'line': 'stage0' (pass) is of another network");

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, SPEC));
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "second", line.stages, 1, SPEC));
	REFUSED(line.net,
		"pipeline 'second': 'stage0' (pass) is a stage of another pipeline: leave it out of one");

	line_begin(&line, 2, 4, 1);
	mixed[0] = pstk_pipeline_actor(line_make(&line, SPEC));
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "second", mixed, 1, SPEC));
	REFUSED(line.net,
		"pipeline 'second': 'line' (pipeline) is a pipeline itself: name its stages instead");
}
END_TEST

START_TEST(a_name_that_is_taken)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "collect", line.stages, 2, SPEC));
	REFUSED_WITH(-EEXIST, line.net,
		"pipeline 'collect': 'collect' (collect) has this name: give the pipeline another one");

	/* a stage keeps its name, too */
	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "stage1", line.stages, 2, SPEC));
	REFUSED_WITH(-EEXIST, line.net,
		"pipeline 'stage1': 'stage1' (pass) has this name: give the pipeline another one");

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_nonnull(pstk_pipeline_add(line.net, "first", line.stages, 1, SPEC));
	ck_assert_ptr_null(pstk_pipeline_add(line.net, "stage0", line.stages + 1, 1, SPEC));
	REFUSED_WITH(-EEXIST, line.net,
		"pipeline 'stage0': 'stage0' (pass) has this name: give the pipeline another one");

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, SPEC));
	ck_assert_ptr_null(add_pass(line.net, "stage0"));
	REFUSED_WITH(-EEXIST, line.net, "'stage0'");
}
END_TEST

START_TEST(a_port_that_leads_nowhere)
{
	struct line line;
	struct pstk_actor *open;

	line_begin(&line, 1, 4, 1);
	open = line.stages[1] = add_pass(line.net, "open");
	line.stage_count = 2;
	ck_assert_ptr_nonnull(open);
	ck_assert_ptr_null(line_make(&line, SPEC));
	REFUSED(line.net, "pipeline 'line': ", "'in' of 'open' (pass) is not connected",
		"connect it before pstk_pipeline_add()");
}
END_TEST

/*
 * Between stages.
 */

/* count, a, b, collect; the FIFO from a to b is this one. */
static struct pstk_network *two_stages(const struct pstk_fifo_spec *between, bool backwards)
{
	static struct simple_count count;
	static struct simple_collect collect;
	struct pstk_network *net = pstk_network_create("net");
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count),
			  *a = add_pass(net, "a"), *b = add_pass(net, "b"),
			  *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	count.tokens = 8;
	join(src, a, PSTK_FIFO(.rate = 2));
	join(a, b, between);
	join(b, dst, PSTK_FIFO(.rate = 2));
	pstk_pipeline_add(
		net, "line", (struct pstk_actor *[]){ backwards ? b : a, backwards ? a : b }, 2, SPEC);
	return net;
}

START_TEST(between_stages)
{
	struct pstk_network *net = two_stages(PSTK_FIFO(.rate = 2, .delay = 2), false);

	REFUSED(net, "pipeline 'line': ", "a", "b",
		"has 2 delay tokens: what lies between stages is of one item alone");
	net = two_stages(PSTK_FIFO(.rate = 2, .delay = 1), false);
	REFUSED(net, "has 1 delay token: ");
	net = two_stages(PSTK_FIFO(.rate = 2, .tail = 3), false);
	REFUSED(net, "has a tail of 3 tokens: what lies between stages is of one item alone");
	net = two_stages(PSTK_FIFO(.write_rate = 2, .read_rate = 4), false);
	REFUSED(net, "has rates 2 and 4: stages of one item move the same tokens");
	net = two_stages(PSTK_FIFO(.rate = 2), true);
	REFUSED(net, "leads backwards: list 'b' behind 'a', or leave one of them out");
}
END_TEST

/* A stage with an input that declares what it moves in a step, and what it sees before that. */
static struct pstk_actor *add_stepping(
	struct pstk_network *net, const char *name, uint32_t in, uint32_t history, uint32_t out)
{
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_size = 8, .rate = in, .history = history },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8, .rate = out },
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "step", .ports = ports, .port_count = 2, .fire = idle,
			.stateless = true),
		NULL);
}

/* What is known only when steps are settled is found by pstk_network_check() and start(). */
START_TEST(found_by_the_check)
{
	static struct simple_count count;
	static struct simple_collect collect;

	for (unsigned i = 0; i < 2; i++) {
		struct pstk_network *net = pstk_network_create("net");
		struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count),
				  *a = add_stepping(net, "a", 1, 0, 2),
				  *b = add_stepping(net, "b", i ? 2 : 1, i, 1),
				  *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);

		count.tokens = 8;
		pstk_actor_set_steps(a, 2);
		pstk_actor_set_steps(b, 2);
		join(src, a, PSTK_FIFO());
		join(a, b, PSTK_FIFO());
		join(b, dst, PSTK_FIFO());
		ck_assert_ptr_nonnull(
			pstk_pipeline_add(net, "line", (struct pstk_actor *[]){ a, b }, 2, SPEC));
		if (i)
			REFUSED(net, "pipeline 'line': ", "has a history of 1 token");
		else
			REFUSED(net, "pipeline 'line': ",
				"has rates 4 and 2: stages of one item move the same tokens",
				"set the steps of one of them");
	}
}
END_TEST

/*
 * Outside.
 */

/* count -> first -> (outside ->) second -> collect, first and second being one pipeline. */
START_TEST(out_and_back_in)
{
	static struct simple_count count;
	static struct simple_collect collect;
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = 1);
	struct pstk_network *net = pstk_network_create("net");
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count),
			  *first = add_pass(net, "first"),
			  *outside = pstk_network_add(net, "outside", simple_relay_type(), NULL),
			  *second = pstk_network_add(net, "second",
				  PSTK_ACTOR_TYPE(.name = "both",
					  .ports = (const struct pstk_port[]){ { .name = "direct",
										       .kind = PSTK_INPUT },
						  { .name = "in", .kind = PSTK_INPUT },
						  { .name = "out", .kind = PSTK_OUTPUT } },
					  .port_count = 3, .fire = idle, .stateless = true),
				  NULL),
			  *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	count.tokens = 8;
	join(src, first, spec);
	pstk_connect(first, "out", second, "direct", spec);
	join(first, outside, spec);
	join(outside, second, spec);
	join(second, dst, spec);
	ck_assert_ptr_nonnull(
		pstk_pipeline_add(net, "line", (struct pstk_actor *[]){ first, second }, 2, SPEC));
	REFUSED(net, "pipeline 'line': a way leads out at ", "outside",
		"and back in: make the actors on it stages, too, or leave 'first' out");
}
END_TEST

START_TEST(too_few_windows)
{
	static struct simple_count count;
	static struct simple_collect collect;

	for (unsigned i = 0; i < 2; i++) {
		struct pstk_network *net = pstk_network_create("net");
		struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count),
				  *a = add_pass(net, "a"),
				  *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);

		join(src, a, PSTK_FIFO(.rate = 1, .depth = i ? 3 : 1));
		join(a, dst, PSTK_FIFO(.rate = 1, .depth = i ? 2 : 0));
		ck_assert_ptr_nonnull(pstk_pipeline_add(net, "line", &a, 1, SPEC));
		REFUSED(net, "pipeline 'line': ", i ? "a" : "count",
			i ? "holds 2 windows" : "holds 1 window,",
			"but 3 items may be in flight: give it a depth of at least 3, or none, or set "
			"`in_flight`");
	}
}
END_TEST

/* FIFOs that were left open get as many windows as items may be in flight; between two pipelines those of the
 * larger one. */
START_TEST(windows_of_open_fifos)
{
	struct pstk_fifo_info info;
	struct line line;

	line_begin(&line, 2, 40, 1);
	pstk_network_set_threads(line.net, 0);
	ck_assert_ptr_nonnull(pstk_pipeline_add(
		line.net, "one", line.stages, 1, PSTK_PIPELINE(.cores = 1, .in_flight = 3)));
	ck_assert_ptr_nonnull(pstk_pipeline_add(
		line.net, "two", line.stages + 1, 1, PSTK_PIPELINE(.cores = 2, .in_flight = 5)));
	line_run(&line);
	for (unsigned k = 0; k < 3; k++) {
		ck_assert_int_eq(pstk_fifo_get_info(line.fifos[k], &info), 0);
		ck_assert_uint_eq(info.depth, k ? 5 : 3);
	}
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Later.
 */

static int connect_later(struct pstk_actor *a)
{
	return join(a, a, PSTK_FIFO(.rate = 1)) ? 0 : -EINVAL;
}

static int pin_later(struct pstk_actor *a)
{
	return pstk_actor_pin(a, test_core(0));
}

static int guard_later(struct pstk_actor *a)
{
	return pstk_actor_guard(a, true);
}

static int move_later(struct pstk_actor *a)
{
	return pstk_actor_may_move(a, NULL);
}

static int map_later(struct pstk_actor *a)
{
	return pstk_actor_map(a, "cpu");
}

static int concurrency_later(struct pstk_actor *a)
{
	return pstk_actor_set_concurrency(a, 2);
}

/* A stage's rate may still be said. */
START_TEST(a_rate_of_its_own)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, SPEC));
	ck_assert_int_eq(pstk_actor_set_rate(pstk_pipeline_actor(line.pipeline), 0, 7), -EINVAL);
	REFUSED(line.net, "pstk_actor_set_rate: 'line' (pipeline) is a pipeline: ");
}
END_TEST

static const struct {
	const char *call;
	int (*make)(struct pstk_actor *);
} later[] = {
	{ "pstk_connect", connect_later },
	{ "pstk_actor_pin", pin_later },
	{ "pstk_actor_guard", guard_later },
	{ "pstk_actor_may_move", move_later },
	{ "pstk_actor_map", map_later },
	{ "pstk_actor_set_concurrency", concurrency_later },
};

/* _i: of which call, of a stage or of the pipeline itself. */
START_TEST(what_comes_too_late)
{
	unsigned n = (unsigned)_i / 2;
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, SPEC));
	ck_assert_int_eq(
		later[n].make(_i % 2 ? pstk_pipeline_actor(line.pipeline) : line.stages[1]), -EINVAL);
	REFUSED(line.net, later[n].call,
		_i % 2 ? "'line' (pipeline) is a pipeline: "
		       : "'stage1' (pass) is a stage of pipeline 'line': ",
		n ? "what fires it, and where, is said in pstk_pipeline_add()"
		  : "connect its stages before pstk_pipeline_add()");
}
END_TEST

/* A parameter of a stage may be set later; one that is missing the check finds. */
START_TEST(parameters_of_stages)
{
	static struct simple_collect collect;
	static const struct pstk_param params[] = { { .name = "gain", .type = "u32" } };

	for (unsigned i = 0; i < 2; i++) {
		struct line line;
		struct pstk_actor *a;

		line_begin(&line, 1, 4, 1);
		a = pstk_network_add(line.net, "x",
			PSTK_ACTOR_TYPE(.name = "t", .ports = in_out, .port_count = 2, .fire = idle,
				.stateless = true, .params = params, .param_count = 1, .arg_size = 4),
			NULL);
		join(line.first, a, PSTK_FIFO(.rate = 1));
		join(a, pstk_network_add(line.net, "y", simple_collect_type(), &collect),
			PSTK_FIFO(.rate = 1));
		ck_assert_msg(
			pstk_pipeline_add(line.net, "line", &a, 1, SPEC), "%s", pstk_network_error(line.net));
		if (!i) {
			REFUSED(line.net, "'x' (t): parameter 'gain' has no default: set it");
			continue;
		}
		ck_assert_int_eq(pstk_actor_set_param(a, "gain", "3"), 0);
		ck_assert_int_eq(pstk_network_check(line.net, NULL, NULL), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

/* A stage does not move by itself, nor does its pipeline. */
START_TEST(moves_of_stages)
{
	for (unsigned i = 0; i < 2; i++) {
		struct line line;

		line_begin(&line, 2, 4, 1);
		ck_assert_ptr_nonnull(line_make(&line, SPEC));
		ck_assert_int_lt(
			pstk_actor_migrate(i ? pstk_pipeline_actor(line.pipeline) : line.stages[1], NULL, 3),
			0);
		REFUSED_WITH(-EBUSY, line.net, i ? "'line' (pipeline)" : "'stage1' (pass)");
	}
}
END_TEST

/*
 * What it is to all others.
 */

START_TEST(in_the_place_of_its_stages)
{
	struct pstk_actor *actor;
	struct line line;

	line_begin(&line, 3, 4, 1);
	actor = pstk_pipeline_actor(line_make(&line, SPEC));
	ck_assert_uint_eq(pstk_network_actor_count(line.net), 3);
	ck_assert_uint_eq(pstk_network_fifo_count(line.net), 2);
	ck_assert_ptr_eq(pstk_network_actor(line.net, 0), line.first);
	ck_assert_ptr_eq(pstk_network_actor(line.net, 1), actor);
	ck_assert_ptr_eq(pstk_network_actor(line.net, 2), line.last);
	ck_assert_ptr_eq(pstk_network_fifo(line.net, 1), line.fifos[3]);
	ck_assert_str_eq(pstk_actor_name(actor), "line");
	ck_assert_uint_eq(pstk_actor_get_type(actor)->port_count, 2);
	ck_assert_str_eq(pstk_actor_get_type(actor)->ports[0].name, "stage0.in");
	ck_assert_str_eq(pstk_actor_get_type(actor)->ports[1].name, "stage2.out");
	ck_assert_ptr_eq(pstk_actor_pipeline(actor), line.pipeline);
	ck_assert_ptr_eq(pstk_actor_pipeline(line.stages[2]), line.pipeline);
	ck_assert_ptr_null(pstk_actor_pipeline(line.first));
	ck_assert_ptr_null(pstk_actor_pipeline(NULL));
	ck_assert_ptr_eq(pstk_pipeline_stage(line.pipeline, 2), line.stages[2]);
	ck_assert_ptr_null(pstk_pipeline_stage(line.pipeline, 3));
	ck_assert_ptr_null(pstk_pipeline_stage(NULL, 0));
	ck_assert_ptr_eq(pstk_pipeline_fifo(line.pipeline, 1), line.fifos[2]);
	ck_assert_ptr_null(pstk_pipeline_fifo(line.pipeline, 2));
	ck_assert_ptr_null(pstk_pipeline_fifo(NULL, 0));
	ck_assert_ptr_eq(pstk_network_pipeline(line.net, 0), line.pipeline);
	ck_assert_ptr_null(pstk_network_pipeline(line.net, 1));
	ck_assert_ptr_null(pstk_network_pipeline(NULL, 0));
	ck_assert_ptr_null(pstk_pipeline_actor(NULL));
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

/* Names that are together longer than a name may be. */
START_TEST(long_names)
{
	static const char *const name = "a_name_of_a_stage_that_is_nearly_as_long_as_any_name_may_ever"
					"_be_and_so_its_port_gets_another_one_for_all_others_but_the_stage";
	static struct simple_count count = { .tokens = 8 };
	static struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("net");
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count),
			  *a = add_pass(net, name),
			  *dst = pstk_network_add(net, "collect", simple_held_type(), &collect);
	struct pstk_pipeline *p;

	join(src, a, PSTK_FIFO(.rate = 1));
	join(a, dst, PSTK_FIFO(.rate = 1));
	p = pstk_pipeline_add(net, "line", &a, 1, SPEC);
	ck_assert_msg(p, "%s", pstk_network_error(net));
	TEST_SAYS(pstk_actor_get_type(pstk_pipeline_actor(p))->ports[1].name, "stage 1, port 1");
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(atomic_load(&collect.tokens), 8);
	pstk_network_destroy(net);
}
END_TEST

/* A stage's place is the pipeline's: both before and afterwards. */
START_TEST(places)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	pstk_actor_place(line.stages[0], "host:cores");
	pstk_actor_place(line.stages[1], "host:gpu");
	ck_assert_ptr_null(line_make(&line, SPEC));
	REFUSED(line.net,
		"'stage0' is at place 'host:cores', but 'stage1' at 'host:gpu': a pipeline has one");

	line_begin(&line, 2, 4, 1);
	pstk_actor_place(line.stages[1], "host:gpu");
	ck_assert_ptr_null(line_make(&line, SPEC));
	REFUSED(line.net, "'stage0' is at place '', but 'stage1' at 'host:gpu': a pipeline has one");

	line_begin(&line, 2, 4, 1);
	pstk_actor_place(line.first, "host:a");
	pstk_actor_place(line.stages[0], "host:b");
	pstk_actor_place(line.stages[1], "host:b");
	pstk_actor_place(line.last, "host:c");
	ck_assert_ptr_nonnull(line_make(&line, SPEC));
	ck_assert_str_eq(pstk_actor_given_place(line.first), "host:a");
	ck_assert_str_eq(pstk_actor_given_place(pstk_pipeline_actor(line.pipeline)), "host:b");
	ck_assert_str_eq(pstk_actor_given_place(line.last), "host:c");
	ck_assert_str_eq(pstk_actor_given_place(line.stages[0]), "host:b");
	ck_assert_str_eq(pstk_actor_given_place(line.stages[1]), "host:b");
	pstk_network_destroy(line.net);
}
END_TEST

/* No stage's own, and no other actor's. */
START_TEST(a_place_of_a_stage_later)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_nonnull(line_make(&line, SPEC));
	ck_assert_int_eq(pstk_actor_place(line.stages[0], "host:b"), -EINVAL);
	ck_assert_ptr_null(pstk_actor_given_place(line.first));
	ck_assert_int_eq(pstk_actor_set_time(line.stages[0], NULL, 1000), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_share(line.stages[0], 0.5), -EINVAL);
	ck_assert_double_eq(pstk_actor_share(line.first), 1);
	REFUSED(line.net, "pstk_actor_place: 'stage0' (pass) is a stage of pipeline 'line': ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipeline");
	TCase *stages = test_case(suite, "stages"), *fifos = test_case(suite, "fifos"),
	      *rest = test_case(suite, "rest");

	tcase_add_loop_test(stages, what_is_no_stage, 0, TEST_COUNT(kinds));
	tcase_add_loop_test(stages, what_was_said_before, 0, TEST_COUNT(said));
	tcase_add_test(stages, how_many);
	tcase_add_test(stages, twice_or_of_others);
	tcase_add_test(stages, a_name_that_is_taken);
	tcase_add_test(stages, a_port_that_leads_nowhere);
	tcase_add_test(fifos, between_stages);
	tcase_add_test(fifos, found_by_the_check);
	tcase_add_test(fifos, out_and_back_in);
	tcase_add_test(fifos, too_few_windows);
	tcase_add_test(fifos, windows_of_open_fifos);
	tcase_add_loop_test(rest, what_comes_too_late, 0, 2 * TEST_COUNT(later));
	tcase_add_test(rest, a_rate_of_its_own);
	tcase_add_test(rest, parameters_of_stages);
	tcase_add_test(rest, moves_of_stages);
	tcase_add_test(rest, in_the_place_of_its_stages);
	tcase_add_test(rest, long_names);
	tcase_add_test(rest, places);
	tcase_add_test(rest, a_place_of_a_stage_later);
	return test_main(suite);
}
