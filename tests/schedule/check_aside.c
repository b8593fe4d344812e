/* SPDX-License-Identifier: MIT */
/*
 * An actor on several threads of its own, whose firings run side by side: order, its end by an error, by abort() and by
 * stop(), and what a snapshot says of it. Streams that end by themselves and deadlocks: check_random,
 * check_random_dead.
 */
#include "lib/firing/task.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct aside {
	uint64_t seed;
	uint64_t fails;          /* the firing that fails; SIMPLE_ALL: none */
	_Atomic uint64_t inside; /* firings under way */
	_Atomic uint64_t entered;
	_Atomic uint64_t too_many; /* firings that found more under way than allowed */
	uint64_t most;
	_Atomic uint64_t open; /* firings that may go on */
};

/* Takes a random while, so that later firings are through before earlier ones. */
static int aside_fire(struct pstk_firing *f)
{
	struct aside *a = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t index = pstk_firing_index(f), r = test_mix(a->seed ^ index);
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	if (atomic_fetch_add(&a->inside, 1) >= a->most)
		atomic_fetch_add(&a->too_many, 1);
	atomic_fetch_add(&a->entered, 1);
	while (atomic_load(&a->open) <= index)
		sched_yield();
	for (volatile uint64_t i = 0; i < r % 3000; i++)
		;
	if (r % 5 == 0)
		sched_yield();
	*out = *in;
	atomic_fetch_sub(&a->inside, 1);
	if (index == a->fails)
		return pstk_actor_error(pstk_firing_actor(f), -EILSEQ, "on purpose");
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static const struct pstk_port aside_ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

struct chain {
	struct pstk_network *net;
	struct simple_count count;
	struct aside aside;
	struct simple_collect collect;
	struct pstk_actor *actor;
};

/* count -> aside -> collect */
static void make(struct chain *c, uint64_t seed, uint64_t tokens, unsigned concurrency)
{
	struct pstk_actor *count, *collect;
	uint32_t depth = concurrency + (uint32_t)(seed % 8);

	*c = (struct chain){ .count = { .tokens = tokens },
		.aside = { .seed = seed, .fails = SIMPLE_ALL, .most = concurrency, .open = SIMPLE_ALL },
		.collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL } };
	c->net = pstk_network_create("aside");
	pstk_network_set_threads(c->net, 0);
	count = pstk_network_add(c->net, "count", simple_count_type(), &c->count);
	c->actor = pstk_network_add(c->net, "aside",
		PSTK_ACTOR_TYPE(.name = "aside", .ports = aside_ports, .port_count = 2, .fire = aside_fire,
			.stateless = true),
		&c->aside);
	collect = pstk_network_add(c->net, "collect", simple_collect_type(), &c->collect);
	pstk_actor_set_concurrency(c->actor, concurrency);
	pstk_connect(count, "out", c->actor, "in", PSTK_FIFO(.rate = 1, .depth = depth, .token_size = 8));
	pstk_connect(c->actor, "out", collect, "in", PSTK_FIFO(.rate = 1, .depth = depth, .token_size = 8));
}

/* What came out is the beginning of the stream, whatever happened. */
static void check(struct chain *c, uint64_t least, uint64_t most)
{
	ck_assert_uint_eq(atomic_load(&c->collect.wrong), 0);
	ck_assert_uint_eq(atomic_load(&c->aside.too_many), 0);
	ck_assert_uint_ge(atomic_load(&c->collect.tokens), least);
	ck_assert_uint_le(atomic_load(&c->collect.tokens), most);
	pstk_network_destroy(c->net);
}

START_TEST(order_is_kept)
{
	uint64_t first = test_seed();

	for (uint64_t seed = first; seed < first + test_rounds(40); seed++) {
		struct chain c;

		test_guard("firings side by side", seed);
		make(&c, seed, 500, 2 + (unsigned)(seed % 4));
		ck_assert_int_eq(pstk_network_run(c.net), 0);
		check(&c, 500, 500);
	}
}
END_TEST

START_TEST(an_error_ends_it)
{
	uint64_t first = test_seed();

	for (uint64_t seed = first; seed < first + test_rounds(150); seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct chain c;
		char firing[40];

		test_guard("a failing firing among others", seed);
		make(&c, seed, 200, 2 + (unsigned)(seed % 4));
		c.aside.fails = test_between(&rng, 0, 199);
		snprintf(firing, sizeof firing, "firing %" PRIu64 ":", c.aside.fails);
		ck_assert_int_eq(pstk_network_run(c.net), -EILSEQ);
		TEST_SAYS(pstk_network_error(c.net), "'aside'", firing, "on purpose");
		check(&c, 0, c.aside.fails);
	}
}
END_TEST

START_TEST(an_abort_ends_it)
{
	uint64_t first = test_seed();

	for (uint64_t seed = first; seed < first + test_rounds(150); seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct chain c;

		test_guard("an abort among firings", seed);
		make(&c, seed, SIMPLE_ALL, 2 + (unsigned)(seed % 4));
		ck_assert_int_eq(pstk_network_start(c.net), 0);
		test_await(&c.aside.entered, test_between(&rng, 0, 100));
		pstk_network_abort(c.net);
		ck_assert_int_eq(pstk_network_wait(c.net), -ECANCELED);
		check(&c, 0, SIMPLE_ALL);
	}
}
END_TEST

START_TEST(a_stop_ends_it)
{
	uint64_t first = test_seed();

	for (uint64_t seed = first; seed < first + test_rounds(150); seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct chain c;

		test_guard("a stop among firings", seed);
		make(&c, seed, SIMPLE_ALL, 2 + (unsigned)(seed % 4));
		ck_assert_int_eq(pstk_network_start(c.net), 0);
		test_await(&c.aside.entered, test_between(&rng, 0, 100));
		pstk_network_stop(c.net);
		ck_assert_int_eq(pstk_network_wait(c.net), 0);
		check(&c, atomic_load(&c.count.given), atomic_load(&c.count.given)); /* all that came */
	}
}
END_TEST

static _Atomic uint64_t more;

/* One token, then none until it may end. */
static int one_fire(struct pstk_firing *f)
{
	if (pstk_firing_index(f)) {
		test_await(&more, 1);
		return PSTK_DONE;
	}
	*(uint64_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int drop_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* One thread waits at the input while another one is in fire(): the actor is. */
START_TEST(a_snapshot_tells_who_fires)
{
	struct pstk_network *net = pstk_network_create("aside");
	struct aside aside = { .fails = SIMPLE_ALL, .most = 3 };
	struct pstk_actor *one, *actor, *drop;
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	pstk_network_set_threads(net, 0);
	one = pstk_network_add(net, "one",
		PSTK_ACTOR_TYPE(.name = "one", .ports = aside_ports + 1, .port_count = 1, .fire = one_fire),
		NULL);
	actor = pstk_network_add(net, "aside",
		PSTK_ACTOR_TYPE(.name = "aside", .ports = aside_ports, .port_count = 2, .fire = aside_fire,
			.stateless = true),
		&aside);
	drop = pstk_network_add(net, "drop",
		PSTK_ACTOR_TYPE(.name = "drop", .ports = aside_ports, .port_count = 1, .fire = drop_fire),
		NULL);
	pstk_actor_set_concurrency(actor, 3);
	pstk_connect(one, "out", actor, "in", PSTK_FIFO(.rate = 1, .depth = 4, .token_size = 8));
	pstk_connect(actor, "out", drop, "in", PSTK_FIFO(.rate = 1, .depth = 4, .token_size = 8));
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&aside.entered, 1);
	while (!atomic_load(&actor->task->waits_for) || !atomic_load(&drop->task->waits_for))
		sched_yield();
	file = open_memstream(&text, &size);
	pstk_network_snapshot(net, file);
	fclose(file);
	ck_assert_msg(strstr(text, "waits for tokens at in <- aside"), "%s", text); /* drop */
	ck_assert_msg(!strstr(text, "waits for tokens at in <- one"), "%s", text);
	free(text);
	atomic_store(&more, 1);
	atomic_store(&aside.open, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(atomic_load(&aside.entered), 1);
	pstk_network_destroy(net);
}
END_TEST

/*
 * A thread whose firing ends the actor, between its publishing and its word to the actor's other thread, which waits.
 */

static pthread_cond_t *_Atomic slow_at; /* the thread that signals this one waits before, once */
static struct pstk_actor *asks, *answers;

int __real_pthread_cond_signal(pthread_cond_t *);
int __wrap_pthread_cond_signal(pthread_cond_t *);

/* Until the asking actor has had its answer and waits for the next one; then it has looked for a deadlock. */
int __wrap_pthread_cond_signal(pthread_cond_t *changed)
{
	pthread_cond_t *at = changed;

	if (atomic_compare_exchange_strong(&slow_at, &at, NULL)) {
		while (asks->task->waits_for != &asks->ports[1].fifo->fifo.reader ||
			!answers->task->waits_for)
			sched_yield();
		for (unsigned looks = 0; looks < 10000; looks++)
			sched_yield();
	}
	return __real_pthread_cond_signal(changed);
}

/* A kahn actor: asks once, and waits for a second answer, which will not come. */
static int ask_fire(struct pstk_firing *f)
{
	uint64_t question = 7, got[2];

	ck_assert_int_eq(pstk_fifo_write(f, 0, &question, 1), 1);
	ck_assert_int_eq(pstk_fifo_read(f, 1, got, 2), 1);
	return PSTK_DONE;
}

/* Answers once, as its last firing; its other thread waits for another question meanwhile. */
static int answer_fire(struct pstk_firing *f)
{
	while (!answers->task->waits_for)
		sched_yield();
	*(uint64_t *)pstk_fifo_write_start(f, 1) = *(const uint64_t *)pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	atomic_store(&slow_at, &pstk_firing_actor(f)->task->order_changed);
	return PSTK_DONE;
}

START_TEST(an_end_is_no_deadlock)
{
	static const struct pstk_port ask_ports[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
		{ .name = "in", .kind = PSTK_INPUT, .token_size = 8 } };
	struct pstk_network *net = pstk_network_create("end");

	test_guard("an end beside a wait", 0);
	asks = pstk_network_add(net, "asks",
		PSTK_ACTOR_TYPE(.name = "asks", .ports = ask_ports, .port_count = 2, .fire = ask_fire,
			.kahn = true),
		NULL);
	answers = pstk_network_add(net, "answers",
		PSTK_ACTOR_TYPE(.name = "answers", .ports = aside_ports, .port_count = 2, .fire = answer_fire,
			.stateless = true),
		NULL);
	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0);
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_UNCHECKED), 0);
	ck_assert_int_eq(pstk_actor_set_concurrency(answers, 2), 0);
	pstk_connect(asks, "out", answers, "in", PSTK_FIFO(.rate = 1, .depth = 4, .token_size = 8));
	pstk_connect(answers, "out", asks, "in", PSTK_FIFO(.rate = 1, .depth = 4, .token_size = 8));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aside");
	TCase *c = test_case(suite, "aside");

	tcase_add_test(c, order_is_kept);
	tcase_add_test(c, an_error_ends_it);
	tcase_add_test(c, an_abort_ends_it);
	tcase_add_test(c, a_stop_ends_it);
	tcase_add_test(c, a_snapshot_tells_who_fires);
	tcase_add_test(c, an_end_is_no_deadlock);
	return test_main(suite);
}
