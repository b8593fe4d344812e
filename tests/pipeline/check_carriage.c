/* SPDX-License-Identifier: MIT */
/* Pipelines while they run: configurations, loops of stages, errors, ends. Random ones are in tests/random. */
#include "tests/common/common.h"
#include "tests/pipeline/line.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static const char *const configurations[] = { "CG:0000:1", "CG:0000:2", "CG:0000:4", "MG:0000", "baseline" };
enum { CONFIGURATIONS = TEST_COUNT(configurations) };

/* For a line of so many stages. */
static const char *configuration(unsigned i, unsigned stages)
{
	static _Thread_local char text[40];
	const char *mask = strchr(configurations[i], ':');

	snprintf(text, sizeof text, "%.*s%.*s%s", mask ? (int)(mask - configurations[i]) + 1 : 40,
		configurations[i], mask ? (int)stages : 0, "0000", mask ? mask + 5 : "");
	return text;
}

/*
 * Streams.
 */

/* One stage to four, windows that are full at the end or not. */
START_TEST(each_configuration)
{
	for (unsigned stages = 1; stages <= 4; stages++)
		for (unsigned i = 0; i < CONFIGURATIONS; i++) {
			struct line line;

			line_begin(&line, stages, 500 + i, 3);
			ck_assert_msg(line_make(&line, PSTK_PIPELINE(.cores = 3,
							       .configuration = configuration(i, stages))),
				"%s", pstk_network_error(line.net));
			line_run(&line);
			pstk_network_destroy(line.net);
		}
}
END_TEST

static int switch_always(struct pstk_firing *f, struct line_stage *at)
{
	unsigned i = (unsigned)(pstk_firing_index(f) + at->order) % CONFIGURATIONS;

	return pstk_pipeline_set_configuration(
		at->of->pipeline, configuration(i, at->of->stage_count), NULL, 0);
}

/* Each stage of each item asks for another configuration. */
START_TEST(a_switch_in_each_firing)
{
	struct line line;

	line_begin(&line, 3, 5 * test_rounds(400), 1);
	for (unsigned k = 0; k < 3; k++)
		line.at[k].act = switch_always;
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 3, .in_flight = 5)));
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

/* Waits at a gate that the test opens. */
static int wait_at_gate(struct pstk_firing *f, struct line_stage *at)
{
	test_await(at->data, pstk_firing_index(f) + 1);
	return PSTK_AGAIN;
}

/* A switch is asked for while the last items are under way: the stream ends all the same. */
START_TEST(the_end_with_a_switch_due)
{
	for (unsigned i = 0; i < CONFIGURATIONS; i++) {
		_Atomic uint64_t gate = 0;
		struct line line;

		line_begin(&line, 2, 3, 1);
		line.at[1].act = wait_at_gate;
		line.at[1].data = &gate;
		ck_assert_ptr_nonnull(line_make(
			&line, PSTK_PIPELINE(.cores = 3, .in_flight = 4, .configuration = "CG:00:4")));
		ck_assert_int_eq(pstk_network_start(line.net), 0);
		test_await(&line.at[0].firings, 3);
		ck_assert_int_eq(
			pstk_pipeline_set_configuration(line.pipeline, configuration(i, 2), NULL, 0), 0);
		atomic_store(&gate, 100);
		ck_assert_int_eq(pstk_network_wait(line.net), 0);
		ck_assert_uint_eq(atomic_load(&line.collect.tokens), 3);
		pstk_network_destroy(line.net);
	}
}
END_TEST

/* As many stages, and as many cores, as there may be. */
START_TEST(many)
{
	struct line line;

	line_begin(&line, 16, 300, 2);
	ck_assert_ptr_nonnull(
		line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = "MG:0000000000000000")));
	line_run(&line);
	pstk_network_destroy(line.net);
	line_begin(&line, 2, 1000, 1);
	ck_assert_ptr_nonnull(line_make(
		&line, PSTK_PIPELINE(.cores = 255, .in_flight = 256, .configuration = "CG:00:256")));
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

static int use_state(struct pstk_firing *f, struct line_stage *at)
{
	atomic_uint *state = pstk_actor_state(pstk_firing_actor(f));

	if (!state || (uintptr_t)state % 64 || (pstk_firing_index(f) == 0 && atomic_load(state) >= 99))
		return -EILSEQ;
	atomic_fetch_add(state, 1);
	atomic_store((_Atomic uint64_t *)at->data, atomic_load(state));
	return PSTK_AGAIN;
}

/* A stage's state is one for all carriers, begins with zeros, and is aligned. */
START_TEST(state_of_a_stage)
{
	_Atomic uint64_t seen[2] = { 0 };
	struct line line;

	line_begin(&line, 2, 100, 1);
	for (unsigned k = 0; k < 2; k++) {
		line.at[k].act = use_state;
		line.at[k].data = &seen[k];
		ck_assert_int_eq(pstk_actor_set_state_size(line.stages[k], 4 + 100 * k), 0);
	}
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "CG:00:1")));
	line_run(&line);
	ck_assert_uint_eq(atomic_load(&seen[0]), 100);
	ck_assert_uint_eq(atomic_load(&seen[1]), 100);
	pstk_network_destroy(line.net);
}
END_TEST

/* Nothing reads the pipeline any more, then nothing feeds it: it sleeps at a port, and is asked for switches. */
START_TEST(switches_while_it_waits)
{
	struct line line;

	line_begin(&line, 2, 200, 1);
	atomic_store(&line.collect.allowed, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .in_flight = 3)));
	ck_assert_int_eq(pstk_network_start(line.net), 0);
	for (unsigned n = 0; n < 60; n++) {
		test_await(&line.at[0].firings, 3 < n ? 3 : n);
		ck_assert_int_eq(pstk_pipeline_set_configuration(
					 line.pipeline, configuration(n % 4 == 2 ? 3 : n % 2, 2), NULL, 0),
			0);
		sched_yield();
		atomic_store(&line.collect.allowed, 1 + n);
	}
	atomic_store(&line.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(line.net), 0);
	ck_assert_uint_eq(atomic_load(&line.collect.tokens), 200);
	ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Loops.
 */

struct loop {
	struct pstk_firing *f;
	pthread_t thread;
	atomic_uint wrong, sum;
};

static void inner(void *data, size_t from, size_t to)
{
	struct loop *loop = data;
	volatile unsigned spin;

	if (!pthread_equal(pthread_self(), loop->thread))
		atomic_fetch_add(&loop->wrong, 1);
	atomic_fetch_add(&loop->sum, (unsigned)(to - from));
	for (spin = 2000; spin > 0; spin--)
		;
}

static void outer(void *data, size_t from, size_t to)
{
	struct loop *given = data, own = { .f = given->f, .thread = pthread_self() };

	pstk_parallel_for(given->f, 8, 1, inner, &own);
	atomic_fetch_add(&given->wrong, atomic_load(&own.wrong) + (atomic_load(&own.sum) != 8));
	atomic_fetch_add(&given->sum, (unsigned)(to - from));
}

static int run_nested(struct pstk_firing *f, struct line_stage *at)
{
	unsigned count = (unsigned)(pstk_firing_index(f) % 3) * 10 + 1;
	struct loop loop = { .f = f };

	(void)at;
	pstk_parallel_for(f, count, 1, outer, &loop);
	return atomic_load(&loop.wrong) || atomic_load(&loop.sum) != count ? -EILSEQ : PSTK_AGAIN;
}

/* What a body calls runs in its thread, also where the outer loop was one part only. */
START_TEST(loops_in_loops)
{
	for (unsigned i = 0; i < CONFIGURATIONS; i++) {
		struct line line;

		line_begin(&line, 2, test_rounds(300), 1);
		line.at[0].act = line.at[1].act = run_nested;
		ck_assert_ptr_nonnull(
			line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = configuration(i, 2))));
		line_run(&line);
		pstk_network_destroy(line.net);
	}
}
END_TEST

static void body_complains(void *data, size_t from, size_t to)
{
	struct pstk_firing *f = data;

	(void)to;
	pstk_actor_error(pstk_firing_actor(f), -EIO, "part %zu is wrong", from);
}

static int complain_in_body(struct pstk_firing *f, struct line_stage *at)
{
	(void)at;
	pstk_parallel_for(f, 64, 1, body_complains, f);
	return pstk_firing_index(f) == 20 ? -EIO : PSTK_AGAIN;
}

/* Several threads say what is wrong at the same time: one of these texts is the error's. */
START_TEST(errors_in_bodies)
{
	struct line line;
	unsigned part = 64;

	test_log_nothing();
	line_begin(&line, 2, 100, 1);
	line.at[1].act = complain_in_body;
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = "MG:00")));
	ck_assert_int_eq(pstk_network_run(line.net), -EIO);
	TEST_SAYS(pstk_network_error(line.net), "stage 'stage1' (pass) on the cores: part ", " is wrong",
		"firing 20");
	ck_assert_int_eq(sscanf(strstr(pstk_network_error(line.net), "part "), "part %u is wrong", &part), 1);
	ck_assert_uint_lt(part, 64);
	pstk_network_destroy(line.net);
}
END_TEST

static void add_up(void *data, size_t from, size_t to)
{
	atomic_fetch_add((atomic_uint *)data, (unsigned)(to - from));
}

static int loop_outside(struct pstk_firing *f)
{
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	atomic_uint sum = 0;

	(void)in;
	pstk_fifo_read_end(f, 0);
	if (pstk_parallel_for(f, 100, 7, add_up, &sum) || atomic_load(&sum) != 100)
		return -EILSEQ;
	if (pstk_parallel_for(f, 0, 7, add_up, &sum) || atomic_load(&sum) != 100)
		return -EILSEQ;
	return pstk_parallel_for(NULL, 1, 1, add_up, &sum) == -EINVAL &&
	                       pstk_parallel_for(f, 1, 1, NULL, &sum) == -EINVAL
	               ? PSTK_AGAIN
	               : -EILSEQ;
}

/* An actor that is no stage: the calling thread does all. */
START_TEST(loops_of_other_actors)
{
	static struct simple_count count = { .tokens = 20 };
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };
	struct pstk_network *net = pstk_network_create("net");
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *dst = pstk_network_add(net, "loop",
		PSTK_ACTOR_TYPE(.name = "loop", .ports = &in, .port_count = 1, .fire = loop_outside), NULL);

	pstk_connect(src, "out", dst, "in", PSTK_FIFO(.rate = 1));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
}
END_TEST

/*
 * Errors.
 */

static void check_calls(const struct line *line, unsigned prepared)
{
	for (unsigned k = 0; k < line->stage_count; k++) {
		ck_assert_uint_eq(line->at[k].inits, k <= prepared);
		ck_assert_uint_eq(line->at[k].finishes, k < prepared);
		/* in the order of the stages, then back; the one that has failed is not finished */
		if (k < prepared)
			ck_assert_uint_eq(
				line->at[k].order, 2 * prepared - k + (prepared < line->stage_count));
	}
}

/* _i: the stage whose init() fails. */
START_TEST(init_fails)
{
	struct line line;

	test_log_nothing();
	line_begin(&line, 4, 10, 1);
	line.at[_i].init_err = -ENOTTY;
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	ck_assert_int_eq(pstk_network_run(line.net), -ENOTTY);
	TEST_SAYS(pstk_network_error(line.net), "'stage", "(pass)", "init()");
	check_calls(&line, (unsigned)_i);
	ck_assert_uint_eq(atomic_load(&line.collect.tokens), 0);
	pstk_network_destroy(line.net);
}
END_TEST

/* The first error of finish() is the network's; the other stages are finished, too. */
START_TEST(finish_fails)
{
	struct line line;

	test_log_nothing();
	line_begin(&line, 3, 10, 1);
	line.at[2].finish_err = -EPIPE;
	line.at[0].finish_err = -ENOTTY;
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	ck_assert_int_eq(pstk_network_run(line.net), -EPIPE);
	TEST_SAYS(pstk_network_error(line.net), "'stage2' (pass)", "finish()");
	check_calls(&line, 3);
	ck_assert_uint_eq(atomic_load(&line.collect.tokens), 10);
	pstk_network_destroy(line.net);
}
END_TEST

static int fail_without_a_word(struct pstk_firing *f, struct line_stage *at)
{
	return pstk_firing_index(f) == *(unsigned *)at->data ? -ENOSPC : PSTK_AGAIN;
}

static int return_odd(struct pstk_firing *f, struct line_stage *at)
{
	return pstk_firing_index(f) == *(unsigned *)at->data ? 7 : PSTK_AGAIN;
}

static int end_twice(struct pstk_firing *f, struct line_stage *at)
{
	if (pstk_firing_index(f) == *(unsigned *)at->data)
		pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int read_an_output(struct pstk_firing *f, struct line_stage *at)
{
	if (pstk_firing_index(f) == *(unsigned *)at->data)
		pstk_fifo_read_start(f, 1);
	return PSTK_AGAIN;
}

static const struct {
	int (*act)(struct pstk_firing *, struct line_stage *);
	int err;
	const char *words;
} failures[] = {
	{ fail_without_a_word, -ENOSPC, "No space left on device" },
	{ return_odd, -EPROTO, "fire() returned 7: neither PSTK_AGAIN, PSTK_DONE nor a negative errno" },
	{ end_twice, -EPROTO, "port 'in' has ended its window in this firing already" },
	{ read_an_output, -EPROTO, "port 'out' is an output: call pstk_fifo_write_start()" },
};

/* Items before that one have arrived, and no other. */
START_TEST(a_stage_fails)
{
	for (unsigned i = 0; i < CONFIGURATIONS; i++) {
		unsigned at = 17;
		struct line line;

		test_log_nothing();
		line_begin(&line, 3, 100, 1);
		line.at[1].act = failures[_i].act;
		line.at[1].data = &at;
		ck_assert_ptr_nonnull(
			line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = configuration(i, 3))));
		ck_assert_int_eq(pstk_network_run(line.net), failures[_i].err);
		TEST_SAYS(pstk_network_error(line.net), "'line' (pipeline)", "firing 17",
			"stage 'stage1' (pass) on the cores: ", failures[_i].words);
		ck_assert_uint_le(atomic_load(&line.collect.tokens), 17);
		ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

static int be_done(struct pstk_firing *f, struct line_stage *at)
{
	return pstk_firing_index(f) == *(unsigned *)at->data ? PSTK_DONE : PSTK_AGAIN;
}

/* The stages behind one that is done are fired in this item, and it arrives. */
START_TEST(a_stage_is_done)
{
	for (unsigned i = 0; i < 3 * CONFIGURATIONS; i++) {
		unsigned at = 5;
		struct line line;

		line_begin(&line, 3, 100, 2);
		line.at[i % 3].act = be_done;
		line.at[i % 3].data = &at;
		ck_assert_ptr_nonnull(line_make(
			&line, PSTK_PIPELINE(.cores = 3, .configuration = configuration(i / 3, 3))));
		ck_assert_msg(!pstk_network_run(line.net), "%s", pstk_network_error(line.net));
		ck_assert_uint_eq(atomic_load(&line.collect.tokens), 12);
		ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

/*
 * Ends from outside.
 */

/* All that the source has given arrives. */
START_TEST(stop)
{
	for (unsigned i = 0; i < CONFIGURATIONS; i++) {
		struct line line;

		line_begin(&line, 2, SIMPLE_ALL, 2);
		ck_assert_ptr_nonnull(
			line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = configuration(i, 2))));
		ck_assert_int_eq(pstk_network_start(line.net), 0);
		test_await(&line.collect.tokens, 20);
		pstk_network_stop(line.net);
		pstk_pipeline_set_configuration(
			line.pipeline, configuration((i + 1) % CONFIGURATIONS, 2), NULL, 0);
		ck_assert_int_eq(pstk_network_wait(line.net), 0);
		ck_assert_uint_eq(atomic_load(&line.collect.tokens), atomic_load(&line.count.given));
		ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

/* Carriers sleep: those that take no items; one at a port, the others behind it. Then it is switched, and aborted. */
START_TEST(abort_while_it_waits)
{
	test_log_nothing();
	for (unsigned i = 0; i < 2 * CONFIGURATIONS; i++) {
		struct line line;

		line_begin(&line, 2, SIMPLE_ALL, 1);
		atomic_store(&line.collect.allowed, 4);
		ck_assert_ptr_nonnull(line_make(&line,
			PSTK_PIPELINE(.cores = 3, .in_flight = 4, .configuration = configuration(i / 2, 2))));
		ck_assert_int_eq(pstk_network_start(line.net), 0);
		test_await(&line.collect.tokens, 4);
		test_await(&line.at[1].firings, 8);
		if (i % 2)
			pstk_pipeline_set_configuration(line.pipeline, "CG:00:4", NULL, 0);
		pstk_network_abort(line.net);
		atomic_store(&line.collect.allowed, SIMPLE_ALL);
		ck_assert_int_eq(pstk_network_wait(line.net), -ECANCELED);
		check_calls(&line, 2);
		ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

START_TEST(abort_and_stop_before_the_start)
{
	struct line line;

	test_log_nothing();
	line_begin(&line, 2, 100, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	pstk_network_abort(line.net);
	ck_assert_int_eq(pstk_network_run(line.net), -ECANCELED);
	pstk_network_destroy(line.net);
	line_begin(&line, 2, 100, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	pstk_network_stop(line.net);
	ck_assert_int_eq(pstk_network_run(line.net), 0);
	ck_assert_uint_eq(atomic_load(&line.collect.tokens), 0);
	pstk_network_destroy(line.net);
}
END_TEST

/* The reader ends by itself: so does the pipeline, whatever it is asked for. */
START_TEST(the_reader_ends)
{
	for (unsigned i = 0; i < CONFIGURATIONS; i++) {
		struct line line;

		line_begin(&line, 3, SIMPLE_ALL, 1);
		line.collect.wanted = 50;
		line.at[1].act = i % 2 ? switch_always : NULL;
		ck_assert_ptr_nonnull(
			line_make(&line, PSTK_PIPELINE(.cores = 3, .configuration = configuration(i, 3))));
		ck_assert_int_eq(pstk_network_run(line.net), 0);
		ck_assert_uint_eq(atomic_load(&line.collect.tokens), 50);
		ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

/*
 * Kahn actors at the border, which move a token at a time.
 */

enum { KAHN_TOKENS = 203 };

static int kahn_write(struct pstk_firing *f)
{
	uint64_t *next = pstk_actor_arg(pstk_firing_actor(f)), token = (*next)++;

	pstk_fifo_write(f, 0, &token, 1);
	return *next == KAHN_TOKENS ? PSTK_DONE : PSTK_AGAIN;
}

static int kahn_read(struct pstk_firing *f)
{
	uint64_t *next = pstk_actor_arg(pstk_firing_actor(f)), token;

	if (pstk_fifo_read(f, 0, &token, 1) != 1)
		return PSTK_DONE;
	return token == (*next)++ ? PSTK_AGAIN : -EILSEQ;
}

START_TEST(between_kahn_actors)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };

	for (unsigned i = 0; i < CONFIGURATIONS; i++) {
		uint64_t written = 0, read = 0;
		struct pstk_network *net = pstk_network_create("net");
		struct pstk_actor *stages[2], *src, *dst;
		struct line_stage at[2] = { { .of = NULL } };
		struct line line = { .stage_count = 2 };

		src = pstk_network_add(net, "w",
			PSTK_ACTOR_TYPE(.name = "w", .ports = &out, .port_count = 1, .kahn = true,
				.fire = kahn_write),
			&written);
		dst = pstk_network_add(net, "r",
			PSTK_ACTOR_TYPE(.name = "r", .ports = &in, .port_count = 1, .kahn = true,
				.fire = kahn_read),
			&read);
		for (unsigned k = 0; k < 2; k++) {
			at[k].of = &line;
			stages[k] = pstk_network_add(net, k ? "b" : "a", line_type(), &at[k]);
		}
		pstk_connect(src, "out", stages[0], "in", PSTK_FIFO(.rate = 4));
		pstk_connect(stages[0], "out", stages[1], "in", PSTK_FIFO(.rate = 4));
		pstk_connect(stages[1], "out", dst, "in", PSTK_FIFO(.rate = 4));
		ck_assert_ptr_nonnull(pstk_pipeline_add(net, "line", stages, 2,
			PSTK_PIPELINE(.cores = 3, .configuration = configuration(i, 2))));
		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		ck_assert_uint_eq(read, KAHN_TOKENS);
		pstk_network_destroy(net);
	}
}
END_TEST

/*
 * Whole steps: a stage that wants them is not fired in a last item without one. The others are.
 */

static int copy_first(struct pstk_firing *f)
{
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 1); i++)
		out[i] = in[i];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* _i: tokens of the last window, of steps of 3. */
START_TEST(whole_steps)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_size = 8, .rate = 3 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8, .rate = 3 },
	};
	struct simple_count count = { .tokens = 60 + (unsigned)_i };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct line line = { .stage_count = 2 };
	struct line_stage at = { .of = &line };
	struct pstk_network *net = pstk_network_create("net");
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *stages[] = { pstk_network_add(net, "a", line_type(), &at),
		pstk_network_add(net, "b",
			PSTK_ACTOR_TYPE(.name = "whole", .ports = ports, .port_count = 2, .whole_steps = true,
				.fire = copy_first, .stateless = true),
			NULL) };
	struct pstk_actor *dst = pstk_network_add(net, "collect", simple_held_type(), &collect);
	struct pstk_actor_stats stats;

	pstk_actor_set_steps(stages[1], 2);
	pstk_connect(src, "out", stages[0], "in", PSTK_FIFO(.rate = 6));
	pstk_connect(stages[0], "out", stages[1], "in", PSTK_FIFO());
	pstk_connect(stages[1], "out", dst, "in", PSTK_FIFO());
	ck_assert_ptr_nonnull(pstk_pipeline_add(net, "line", stages, 2, PSTK_PIPELINE(.cores = 2)));
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	ck_assert_uint_eq(atomic_load(&collect.tokens), 60 + _i / 3 * 3);
	ck_assert_uint_eq(atomic_load(&collect.wrong), 0);
	ck_assert_int_eq(pstk_actor_get_stats(stages[0], &stats), 0);
	ck_assert_uint_eq(stats.firings, _i ? 11 : 10);
	ck_assert_int_eq(pstk_actor_get_stats(stages[1], &stats), 0);
	ck_assert_uint_eq(stats.firings, _i >= 3 ? 11 : 10);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("carriage");
	TCase *streams = test_case(suite, "streams"), *loops = test_case(suite, "loops"),
	      *errors = test_case(suite, "errors"), *ends = test_case(suite, "ends");

	tcase_add_test(streams, each_configuration);
	tcase_add_test(streams, a_switch_in_each_firing);
	tcase_add_test(streams, the_end_with_a_switch_due);
	tcase_add_test(streams, switches_while_it_waits);
	tcase_add_test(streams, many);
	tcase_add_test(streams, state_of_a_stage);
	tcase_add_test(streams, between_kahn_actors);
	tcase_add_loop_test(streams, whole_steps, 0, 6);
	tcase_add_test(loops, loops_in_loops);
	tcase_add_test(loops, errors_in_bodies);
	tcase_add_test(loops, loops_of_other_actors);
	tcase_add_loop_test(errors, init_fails, 0, 4);
	tcase_add_test(errors, finish_fails);
	tcase_add_loop_test(errors, a_stage_fails, 0, TEST_COUNT(failures));
	tcase_add_test(errors, a_stage_is_done);
	tcase_add_test(ends, stop);
	tcase_add_test(ends, abort_while_it_waits);
	tcase_add_test(ends, abort_and_stop_before_the_start);
	tcase_add_test(ends, the_reader_ends);
	return test_main(suite);
}
