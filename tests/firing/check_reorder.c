/* SPDX-License-Identifier: MIT */
/*
 * Firings of one stateless actor side by side, by a team and by threads of its own: what comes out is
 * what one firing after the other would have given. A source numbers tokens, a worker mixes them.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, READERS = 3, DEPTH = 16, MANY_TOKENS = 2000 };
#define ENDLESS UINT64_MAX

/* What a firing of the worker does after its work. */
enum outcome { GOES_ON, IS_DONE, FAILS, FORGETS, IS_PARTIAL };

/* The worker's, read only for its firings but for the counters that the test looks at. */
struct work {
	uint64_t seed;
	unsigned delay;              /* gives the processor away so often at most; 0: never */
	uint64_t special;            /* from this firing on outcomes[firing - special] */
	enum outcome outcomes[MOST]; /* what is behind them goes on */
	uint64_t waits;              /* this firing waits until `others` later ones are through */
	uint64_t others;
	uint32_t partial; /* tokens of IS_PARTIAL */
	uint64_t leads; /* this one waits until `others` are beside it, and they wait until it is published */
	uint64_t meets; /* the first so many firings wait for each other */
	_Atomic uint64_t *open; /* all wait until it is 1. NULL: they don't */
	_Atomic uint64_t inside, most, passed, met;
};

struct source {
	uint64_t tokens;
	_Atomic uint64_t given;
};

struct sink {
	uint64_t seed;
	uint64_t before;       /* delay tokens */
	const struct work *of; /* its last firing waits until all of this one's are through. NULL: not */
	unsigned delay;
	uint64_t ends; /* firings; 0: as many as it can */
	_Atomic uint64_t tokens, wrong;
};

struct rig {
	struct pstk_network *net;
	struct source source;
	struct work work;
	struct sink sinks[READERS];
	struct pstk_actor *worker;
	struct pstk_fifo *in, *out[READERS];
	uint32_t rate;
};

static void dawdle(uint64_t seed, uint64_t index, unsigned most)
{
	for (uint64_t n = most ? test_mix(seed ^ test_mix(index)) % (most + 1) : 0; n; n--)
		sched_yield();
}

static uint64_t firings(const struct pstk_actor *a)
{
	struct pstk_actor_stats stats;

	ck_assert_int_eq(pstk_actor_get_stats(a, &stats), 0);
	return stats.firings;
}

static int source_fire(struct pstk_firing *f)
{
	struct source *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), valid;
	uint64_t given = atomic_load(&s->given), left = s->tokens - given, *out = pstk_fifo_write_start(f, 0);

	if (!left)
		return PSTK_DONE;
	valid = left < rate ? (uint32_t)left : rate;
	for (uint32_t i = 0; i < valid; i++)
		out[i] = given + i;
	atomic_store(&s->given, given + valid);
	pstk_fifo_write_end_partial(f, 0, valid);
	return PSTK_AGAIN;
}

static void note_most(struct work *w)
{
	uint64_t inside = atomic_fetch_add(&w->inside, 1) + 1, most = atomic_load(&w->most);

	while (inside > most && !atomic_compare_exchange_weak(&w->most, &most, inside))
		;
}

static void await_others(struct pstk_firing *f, struct work *w, uint64_t index)
{
	if (index < w->meets) {
		atomic_fetch_add(&w->met, 1);
		test_await(&w->met, w->meets);
	}
	if (index == w->waits)
		test_await(&w->passed, w->others);
	if (index == w->leads)
		test_await(&w->inside, w->others + 1);
	while (index > w->leads && firings(pstk_firing_actor(f)) <= w->leads)
		sched_yield();
	while (w->open && !atomic_load(w->open) &&
		!pstk_network_failed(pstk_actor_network(pstk_firing_actor(f))))
		sched_yield();
}

static enum outcome outcome_of(const struct work *w, uint64_t index)
{
	return index >= w->special && index - w->special < MOST ? w->outcomes[index - w->special] : GOES_ON;
}

static int end_work(struct pstk_firing *f, const struct work *w, enum outcome what, uint64_t index)
{
	if (what == FAILS)
		return pstk_actor_error(pstk_firing_actor(f), -EIO, "the text of firing %u", (unsigned)index);
	if (what == FORGETS)
		return PSTK_AGAIN;
	if (what == IS_PARTIAL)
		pstk_fifo_write_end_partial(f, 1, w->partial);
	else
		pstk_fifo_write_end(f, 1);
	return what == IS_DONE ? PSTK_DONE : PSTK_AGAIN;
}

static int work_fire(struct pstk_firing *f)
{
	struct work *w = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t index = pstk_firing_index(f), *out = pstk_fifo_write_start(f, 1);
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	int rc;

	note_most(w);
	await_others(f, w, index);
	dawdle(w->seed, index, w->delay);
	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		out[i] = test_mix(in[i]);
	pstk_fifo_read_end(f, 0);
	rc = end_work(f, w, outcome_of(w, index), index);
	atomic_fetch_sub(&w->inside, 1);
	if (index > w->waits || index > w->leads)
		atomic_fetch_add(&w->passed, 1);
	return rc;
}

static int sink_fire(struct pstk_firing *f)
{
	struct sink *s = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t tokens = atomic_load(&s->tokens);
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	dawdle(s->seed, pstk_firing_index(f), s->delay);
	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++, tokens++)
		if (in[i] != (tokens < s->before ? 0 : test_mix(tokens - s->before)))
			atomic_fetch_add(&s->wrong, 1);
	for (uint32_t i = pstk_port_valid(f, 0); i < pstk_actor_port_rate(pstk_firing_actor(f), 0); i++) {
		if (s->of)
			test_await(&s->of->passed, s->of->others);
		if (in[i] != 0)
			atomic_fetch_add(&s->wrong, 1);
	}
	atomic_store(&s->tokens, tokens);
	pstk_fifo_read_end(f, 0);
	return s->ends && pstk_firing_index(f) + 1 == s->ends ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_port work_ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

static uint32_t delay_behind; /* tokens between the worker and its sinks */

/* n firings side by side: by a team of n, or by n threads of its own. */
static void build(struct rig *r, unsigned n, bool team, uint64_t tokens, uint32_t rate, unsigned readers)
{
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = rate, .depth = DEPTH, .token_size = 8);
	const struct pstk_fifo_spec *behind =
		PSTK_FIFO(.rate = rate, .delay = delay_behind, .depth = DEPTH, .token_size = 8);
	struct pstk_actor *source;

	memset(r, 0, sizeof *r);
	r->rate = rate;
	r->source.tokens = tokens;
	r->work.partial = 1;
	r->work.special = r->work.waits = r->work.leads = ENDLESS;
	r->net = pstk_network_create("order");
	ck_assert_int_eq(pstk_network_set_threads(r->net, team ? n : 0), 0);
	source = pstk_network_add(r->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &work_ports[1], .port_count = 1,
			.fire = source_fire),
		&r->source);
	r->worker = pstk_network_add(r->net, "work",
		PSTK_ACTOR_TYPE(.name = "worker", .ports = work_ports, .port_count = 2, .stateless = true,
			.fire = work_fire),
		&r->work);
	if (!team)
		ck_assert_int_eq(pstk_actor_set_concurrency(r->worker, n), 0);
	r->in = pstk_connect(source, "out", r->worker, "in", spec);
	for (unsigned i = 0; i < readers; i++) {
		char name[16];
		struct pstk_actor *sink;

		snprintf(name, sizeof name, "sink%u", i);
		sink = pstk_network_add(r->net, name,
			PSTK_ACTOR_TYPE(.name = "sink", .ports = work_ports, .port_count = 1,
				.fire = sink_fire),
			&r->sinks[i]);
		r->sinks[i].before = delay_behind;
		r->out[i] = pstk_connect(r->worker, "out", sink, "in", behind);
	}
	ck_assert_uint_eq(pstk_actor_concurrency(r->worker, NULL, 0), n);
}

static uint64_t written(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	return info.written;
}

static uint64_t taken(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	return info.read;
}

/* Both ways, 2 to 8 side by side: _i. */
static unsigned count_of(int i)
{
	return 2 + (unsigned)i % (MOST - 1);
}

static bool team_of(int i)
{
	return i < MOST - 1;
}

enum { WAYS = 2 * (MOST - 1) };

START_TEST(order_and_values)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };
	unsigned n = count_of(_i);

	for (uint64_t round = 0; round < test_rounds(6); round++) {
		uint64_t tokens = test_between(&rng, 0, MANY_TOKENS);
		struct rig r;

		test_guard("order_and_values", round);
		build(&r, n, team_of(_i), tokens, test_between(&rng, 1, 5), 1);
		r.work.seed = test_random(&rng);
		r.work.delay = test_between(&rng, 0, 8);
		r.sinks[0].delay = test_between(&rng, 0, 3);
		ck_assert_int_eq(pstk_network_run(r.net), 0);
		ck_assert_uint_eq(r.sinks[0].tokens, tokens);
		ck_assert_uint_eq(r.sinks[0].wrong, 0);
		ck_assert_uint_le(r.work.most, n);
		ck_assert_uint_eq(firings(r.worker), (tokens + r.rate - 1) / r.rate);
		ck_assert_uint_eq(written(r.out[0]), tokens);
		pstk_network_destroy(r.net);
	}
}
END_TEST

/* n firings wait for each other inside of fire(): fewer would hang, and more than n there never are. */
START_TEST(so_many_at_once)
{
	unsigned n = count_of(_i);
	struct rig r;

	build(&r, n, team_of(_i), MANY_TOKENS, 1, 1);
	r.work.meets = n;
	r.work.delay = 1;
	ck_assert_int_eq(pstk_network_run(r.net), 0);
	ck_assert_uint_eq(r.work.met, n);
	ck_assert_uint_eq(r.work.most, n);
	ck_assert_uint_eq(r.sinks[0].tokens, MANY_TOKENS);
	ck_assert_uint_eq(r.sinks[0].wrong, 0);
	pstk_network_destroy(r.net);
}
END_TEST

/* -- what ends it -- */

static const struct {
	enum outcome outcomes[MOST];
	unsigned firings; /* that count, from the special one on */
	unsigned tokens;  /* at rate 3 */
	int result;
	unsigned says; /* whose error it is, from the special one on */
} ends[] = {
	{ { IS_DONE }, 1, 3, 0, 0 },
	{ { IS_DONE, IS_DONE, FAILS, FORGETS }, 1, 3, 0, 0 },
	{ { GOES_ON, IS_DONE, FAILS, FAILS, FAILS, FAILS, FAILS, FAILS }, 2, 6, 0, 0 },
	{ { IS_PARTIAL, FAILS }, 1, 1, 0, 0 },
	{ { GOES_ON, IS_PARTIAL, IS_DONE, FORGETS }, 2, 4, 0, 0 },
	{ { FAILS }, 0, 0, -EIO, 0 },
	{ { FAILS, FAILS, FAILS, FAILS, FAILS, FAILS, FAILS, FAILS }, 0, 0, -EIO, 0 },
	{ { GOES_ON, FAILS, FAILS, IS_DONE, FORGETS }, 1, 3, -EIO, 1 },
	{ { FORGETS, FAILS, IS_DONE }, 0, 0, -EPROTO, 0 },
};

/* Firing k is the slowest: the n - 1 behind it, all that may be in flight, are through before, in vain. */
static void end_at(unsigned n, bool team, uint64_t k, size_t e)
{
	char firing[32], text[48];
	struct rig r;

	build(&r, n, team, MANY_TOKENS, 3, 1);
	r.work.special = r.work.waits = k;
	r.work.others = n - 1;
	memcpy(r.work.outcomes, ends[e].outcomes, sizeof r.work.outcomes);
	ck_assert_int_eq(pstk_network_run(r.net), ends[e].result);
	ck_assert_uint_le(r.work.most, n);
	ck_assert_uint_eq(firings(r.worker), k + ends[e].firings);
	ck_assert_uint_eq(taken(r.in), 3 * (k + ends[e].firings));
	ck_assert_uint_eq(written(r.out[0]), 3 * k + ends[e].tokens);
	ck_assert_uint_eq(r.sinks[0].wrong, 0);
	if (!ends[e].result)
		ck_assert_uint_eq(r.sinks[0].tokens, 3 * k + ends[e].tokens);
	snprintf(firing, sizeof firing, "firing %u", (unsigned)k + ends[e].says);
	snprintf(text, sizeof text, "the text of %s", firing);
	if (ends[e].result == -EIO)
		TEST_SAYS(pstk_network_error(r.net), "'work' (worker)", firing, text);
	else if (ends[e].result)
		TEST_SAYS(pstk_network_error(r.net), "'work' (worker), ", firing, "'out'");
	pstk_network_destroy(r.net);
}

START_TEST(the_first_that_ends_it_wins)
{
	static const uint64_t firsts[] = { 0, 1, 37 };

	test_log_start();
	for (size_t e = 0; e < TEST_COUNT(ends); e++)
		for (size_t k = 0; k < TEST_COUNT(firsts); k++)
			end_at(count_of(_i), team_of(_i), firsts[k], e);
	test_log_stop();
}
END_TEST

/* A reader with delay tokens looks behind the last one: there are zeros, though a firing that is dropped writes
 * there after the last one has been published. */
START_TEST(nothing_behind_the_end)
{
	unsigned n = count_of(_i);

	for (delay_behind = 1; delay_behind < 9; delay_behind++) {
		struct rig r;

		build(&r, n, team_of(_i), MANY_TOKENS, 4, 2);
		r.work.special = r.work.leads = delay_behind * 5;
		r.work.others = n - 1;
		r.work.outcomes[0] = IS_PARTIAL;
		r.work.partial = 3; /* so a window may begin behind it and end behind the next */
		r.sinks[0].of = &r.work;
		ck_assert_int_eq(pstk_network_run(r.net), 0);
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_uint_eq(r.sinks[i].wrong, 0);
			ck_assert_uint_eq(r.sinks[i].tokens, delay_behind + 4 * r.work.special + 3);
		}
		pstk_network_destroy(r.net);
	}
	delay_behind = 0;
}
END_TEST

/* With delays in any order: which one wins is what one after the other would have given. */
START_TEST(ends_at_random)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };

	test_log_start();
	for (uint64_t round = 0; round < test_rounds(20); round++) {
		size_t e = test_between(&rng, 0, TEST_COUNT(ends) - 1);
		struct rig r;

		test_guard("ends_at_random", round);
		build(&r, count_of(_i), team_of(_i), MANY_TOKENS, 3, 1);
		r.work.special = test_between(&rng, 0, 100);
		r.work.seed = test_random(&rng);
		r.work.delay = test_between(&rng, 0, 8);
		memcpy(r.work.outcomes, ends[e].outcomes, sizeof r.work.outcomes);
		ck_assert_int_eq(pstk_network_run(r.net), ends[e].result);
		ck_assert_uint_eq(firings(r.worker), r.work.special + ends[e].firings);
		ck_assert_uint_eq(written(r.out[0]), 3 * r.work.special + ends[e].tokens);
		ck_assert_uint_eq(r.sinks[0].wrong, 0);
		pstk_network_destroy(r.net);
	}
	test_log_stop();
}
END_TEST

/* Stop drains what is in flight, abort drops it; both while n firings are inside of fire(). */
static void end_from_outside(unsigned n, bool team, bool aborts)
{
	static _Atomic uint64_t open;
	struct rig r;

	atomic_store(&open, 0);
	build(&r, n, team, ENDLESS, 1, 1);
	r.work.open = &open;
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	test_await(&r.work.inside, n);
	(aborts ? pstk_network_abort : pstk_network_stop)(r.net);
	atomic_store(&open, 1);
	ck_assert_int_eq(pstk_network_wait(r.net), aborts ? -ECANCELED : 0);
	ck_assert_uint_eq(r.work.most, n);
	ck_assert_uint_eq(r.sinks[0].wrong, 0);
	ck_assert_uint_ge(r.source.given, n);
	ck_assert_uint_eq(r.sinks[0].tokens, aborts ? 0 : r.source.given);
	ck_assert_uint_eq(written(r.out[0]), aborts ? 0 : r.source.given);
	pstk_network_destroy(r.net);
}

START_TEST(stop_and_abort)
{
	end_from_outside(count_of(_i), team_of(_i), false);
	end_from_outside(count_of(_i), team_of(_i), true);
}
END_TEST

/* -- a broadcast, each reader with memory of its own -- */

START_TEST(copies)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };

	setenv("PENSTOCK_SHARE", "0", 1);
	for (uint64_t round = 0; round < test_rounds(6); round++) {
		uint64_t tokens = test_between(&rng, 100, MANY_TOKENS);
		struct pstk_fifo_info info;
		struct rig r;

		test_guard("copies", round);
		build(&r, count_of(_i), team_of(_i), tokens, test_between(&rng, 1, 3), READERS);
		r.work.seed = test_random(&rng);
		r.work.delay = test_between(&rng, 0, 4);
		for (unsigned i = 0; i < READERS; i++)
			r.sinks[i].delay = test_between(&rng, 0, 3);
		r.sinks[round % READERS].ends = round % 2 ? test_between(&rng, 1, 20) : 0;
		ck_assert_int_eq(pstk_network_run(r.net), 0);
		for (unsigned i = 0; i < READERS; i++) {
			ck_assert_uint_eq(r.sinks[i].wrong, 0);
			ck_assert_uint_eq(
				r.sinks[i].tokens, r.sinks[i].ends ? r.sinks[i].ends * r.rate : tokens);
			ck_assert_int_eq(pstk_fifo_get_info(r.out[i], &info), 0);
			ck_assert_uint_gt(info.allocated, 0);
		}
		ck_assert_uint_gt(info.bytes_copied, 0);
		ck_assert_uint_le(r.work.most, count_of(_i));
		pstk_network_destroy(r.net);
	}
	unsetenv("PENSTOCK_SHARE");
}
END_TEST

/* -- dynamic rates: bit 0 of the control value lets the worker read, bit 1 lets it write -- */

struct dynamic {
	uint64_t seed, values;
	unsigned delay;
	uint64_t first,
		meets; /* of the first so many firings those that move something wait for each other */
	_Atomic uint64_t given, taken, wrong, met;
};

/* The last value lets all three move tokens. Else `take` could be through and end the worker before the worker has
 * read. */
static uint32_t value_at(const struct dynamic *d, uint64_t index)
{
	return index + 1 == d->values ? 3 : (uint32_t)(test_mix(d->seed ^ index) % 4);
}

static int config_fire(struct pstk_firing *f)
{
	const struct dynamic *d = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t index = pstk_firing_index(f);

	if (index == d->values)
		return PSTK_DONE;
	*(uint32_t *)pstk_fifo_write_start(f, 0) = value_at(d, index);
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int obey(struct pstk_firing *f, uint32_t value)
{
	const struct pstk_actor_type *t = pstk_actor_get_type(pstk_firing_actor(f));

	for (unsigned p = 1; p < t->port_count; p++)
		if (strcmp(t->ports[p].name, "x") ? value & 2 : value & 1)
			pstk_port_enable(f, p, true);
	return 0;
}

static int give_fire(struct pstk_firing *f)
{
	struct dynamic *d = pstk_actor_arg(pstk_firing_actor(f));

	*(uint64_t *)pstk_fifo_write_start(f, 1) = test_mix(pstk_firing_index(f));
	pstk_fifo_write_end(f, 1);
	atomic_fetch_add(&d->given, 1);
	return PSTK_AGAIN;
}

static int change_fire(struct pstk_firing *f)
{
	struct dynamic *d = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t index = pstk_firing_index(f), token = 0;

	if (index < d->first) {
		atomic_fetch_add(&d->met, 1);
		test_await(&d->met, d->meets);
	}
	dawdle(d->seed, index, d->delay);
	if (pstk_port_enabled(f, 1)) {
		token = *(const uint64_t *)pstk_fifo_read_start(f, 1);
		pstk_fifo_read_end(f, 1);
	}
	if (pstk_port_enabled(f, 2)) {
		*(uint64_t *)pstk_fifo_write_start(f, 2) = token + index;
		pstk_fifo_write_end(f, 2);
	}
	return PSTK_AGAIN;
}

static int take_fire(struct pstk_firing *f)
{
	struct dynamic *d = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t index = pstk_firing_index(f);
	uint64_t expected = (value_at(d, index) & 1 ? test_mix(index) : 0) + index;

	if (*(const uint64_t *)pstk_fifo_read_start(f, 1) != expected)
		atomic_fetch_add(&d->wrong, 1);
	pstk_fifo_read_end(f, 1);
	atomic_fetch_add(&d->taken, 1);
	return PSTK_AGAIN;
}

static struct pstk_actor *add_dynamic(struct pstk_network *net, const char *name, bool reads, bool writes,
	int (*fire)(struct pstk_firing *), struct dynamic *d)
{
	struct pstk_port ports[] = { { .name = "ctl", .kind = PSTK_CONTROL, .token_size = 4 }, { 0 }, { 0 } };
	unsigned count = 1;

	/* x leads to the worker, y from it */
	if (reads)
		ports[count++] = (struct pstk_port){
			.name = writes ? "x" : "y", .kind = PSTK_DYNAMIC_INPUT, .token_size = 8
		};
	if (writes)
		ports[count++] = (struct pstk_port){
			.name = reads ? "y" : "x", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 8
		};
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = count, .control_values = 4,
			.stateless = reads && writes, .control = obey, .fire = fire),
		d);
}

static struct pstk_network *build_dynamic(
	struct dynamic *d, unsigned n, bool team, struct pstk_actor **worker)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 };
	struct pstk_network *net = pstk_network_create("dynamic");
	struct pstk_actor *config, *all[3];

	ck_assert_int_eq(pstk_network_set_threads(net, team ? n : 0), 0);
	config = pstk_network_add(net, "config",
		PSTK_ACTOR_TYPE(.name = "config", .ports = &out, .port_count = 1, .fire = config_fire), d);
	all[0] = add_dynamic(net, "give", false, true, give_fire, d);
	all[1] = *worker = add_dynamic(net, "change", true, true, change_fire, d);
	all[2] = add_dynamic(net, "take", true, false, take_fire, d);
	if (!team)
		ck_assert_int_eq(pstk_actor_set_concurrency(all[1], n), 0);
	for (unsigned i = 0; i < 3; i++)
		pstk_connect(
			config, "out", all[i], "ctl", PSTK_FIFO(.rate = 1, .depth = DEPTH, .token_size = 4));
	for (unsigned i = 0; i < 2; i++)
		pstk_connect(all[i], i ? "y" : "x", all[i + 1], i ? "y" : "x",
			PSTK_FIFO(.rate = 1, .depth = DEPTH, .token_size = 8));
	ck_assert_uint_eq(pstk_actor_concurrency(all[1], NULL, 0), n);
	return net;
}

START_TEST(dynamic_rates)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };
	unsigned n = count_of(_i);

	for (uint64_t round = 0; round < test_rounds(6); round++) {
		struct dynamic d = { .seed = test_random(&rng),
			.values = test_between(&rng, 200, 1000),
			.delay = test_between(&rng, 0, 4),
			.first = round % 2 ? n : 0 };
		uint64_t reads = 0, writes = 0, moves = 0;
		struct pstk_actor *worker;
		struct pstk_network *net = build_dynamic(&d, n, team_of(_i), &worker);

		test_guard("dynamic_rates", round);
		for (uint64_t i = 0; i < d.values; i++) {
			reads += value_at(&d, i) & 1;
			writes += value_at(&d, i) >> 1;
			moves += value_at(&d, i) != 0;
			d.meets = i < d.first ? moves : d.meets;
		}
		ck_assert_int_eq(pstk_network_run(net), 0);
		ck_assert_uint_eq(d.wrong, 0);
		ck_assert_uint_eq(d.given, reads);
		ck_assert_uint_eq(d.taken, writes);
		ck_assert_uint_eq(firings(worker), moves);
		ck_assert_uint_eq(d.met, d.meets);
		pstk_network_destroy(net);
	}
}
END_TEST

static void setup(void)
{
	unsetenv("PENSTOCK_TEAM"); /* each test says which threads run its networks */
}

int main(void)
{
	Suite *suite = suite_create("order");
	TCase *c = test_case(suite, "order");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_loop_test(c, order_and_values, 0, WAYS);
	tcase_add_loop_test(c, so_many_at_once, 0, WAYS);
	tcase_add_loop_test(c, the_first_that_ends_it_wins, 0, WAYS);
	tcase_add_loop_test(c, nothing_behind_the_end, 0, WAYS);
	tcase_add_loop_test(c, ends_at_random, 0, WAYS);
	tcase_add_loop_test(c, stop_and_abort, 0, WAYS);
	tcase_add_loop_test(c, copies, 0, WAYS);
	tcase_add_loop_test(c, dynamic_rates, 0, WAYS);
	return test_main(suite);
}
