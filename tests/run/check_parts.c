/* SPDX-License-Identifier: MIT */
/*
 * Networks of which only a part runs in this process: what each part has, how it ends, what reports say. The courier
 * carries windows between the parts. That they do what the whole does: tests/random/check_random_parts.
 */
#include "lib/base/memory.h"
#include "lib/plan/parts.h"
#include "lib/schedule/away.h"
#include "lib/schedule/schedule.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/common/courier.h"
#include "tests/common/simple.h"
#include "tests/random/node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A source at host 0, whose output is read by here at host 0, by b1 and c1 at host 1, and by d2 at host 2.
 */

enum { READERS = 4, RATE = 3, WINDOWS = 20 };

static const uint32_t delays[READERS] = { 0, 2, 0, 5 }, rates[READERS] = { 3, 2, 6, 3 };
static const unsigned hosts[READERS] = { 0, 1, 1, 2 };

struct sink {
	uint32_t tokens[RATE * WINDOWS + 16];
	unsigned count, inits, finishes;
	size_t state; /* bytes */
};

struct star {
	struct pstk_network *net;
	struct pstk_actor *source, *readers[READERS];
	struct pstk_fifo *fifos[READERS];
	unsigned given;
};

static struct star stars[COURIER_PARTS];
static struct sink sinks[READERS]; /* of all parts: each reader runs in one of them */

static int give(struct pstk_firing *f)
{
	struct star *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *out = pstk_fifo_write_start(f, 0);
	uint32_t valid = s->given + RATE > RATE * WINDOWS - 1 ? RATE - 1 : RATE;

	for (uint32_t i = 0; i < valid; i++)
		out[i] = 100 + s->given++;
	pstk_fifo_write_end_partial(f, 0, valid);
	return PSTK_AGAIN;
}

static int keep(struct pstk_firing *f)
{
	struct sink *s = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		s->tokens[s->count++] = in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int begin_sink(struct pstk_actor *a)
{
	struct sink *s = pstk_actor_arg(a);

	s->inits++;
	s->state += pstk_actor_state(a) != NULL;
	return 0;
}

static int finish_sink(struct pstk_actor *a)
{
	((struct sink *)pstk_actor_arg(a))->finishes++;
	return 0;
}

static void make_star(struct star *s)
{
	static const struct pstk_port out[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } },
				      in[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" } };
	static const uint32_t initial[] = { 1, 2, 3, 4, 5 };
	static const char *const names[READERS] = { "here", "b1", "c1", "d2" };

	*s = (struct star){ .net = pstk_network_create("star") };
	s->source = pstk_network_add(s->net, "source",
		PSTK_ACTOR_TYPE(.name = "give", .ports = out, .port_count = 1, .fire = give), s);
	ck_assert_int_eq(ps_parts_place(s->source, 0), 0);
	for (unsigned i = 0; i < READERS; i++) {
		s->readers[i] = pstk_network_add(s->net, names[i],
			PSTK_ACTOR_TYPE(.name = "keep", .ports = in, .port_count = 1, .fire = keep,
				.init = begin_sink, .finish = finish_sink, .state_size = 8),
			&sinks[i]);
		s->fifos[i] = pstk_connect(s->source, "out", s->readers[i], "in",
			PSTK_FIFO(.write_rate = RATE, .read_rate = rates[i], .delay = delays[i],
				.initial = delays[i] ? initial : NULL, .depth = 2 + i));
		ck_assert_ptr_nonnull(s->fifos[i]);
		ck_assert_int_eq(ps_parts_place(s->readers[i], hosts[i]), 0);
	}
}

static void make_stars(struct courier *c, unsigned count)
{
	*c = (struct courier){ .count = count, .seed = test_seed() };
	memset(sinks, 0, sizeof sinks);
	for (unsigned i = 0; i < count; i++) {
		make_star(&stars[i]);
		c->parts[i] = stars[i].net;
	}
	courier_name(c);
}

static void destroy(const struct courier *c)
{
	for (unsigned i = 0; i < c->count; i++)
		pstk_network_destroy(c->parts[i]);
}

static void check_sinks(void)
{
	for (unsigned i = 0; i < READERS; i++) {
		ck_assert_uint_eq(sinks[i].count, delays[i] + RATE * WINDOWS - 1);
		for (unsigned k = 0; k < sinks[i].count; k++)
			ck_assert_uint_eq(sinks[i].tokens[k], k < delays[i] ? k + 1 : 100 + k - delays[i]);
		ck_assert_uint_eq(sinks[i].inits, 1);
		ck_assert_uint_eq(sinks[i].finishes, 1);
		ck_assert_uint_eq(sinks[i].state, 1);
	}
}

/* So many channels; the sink of each reader has its delay tokens, and all that the source has given. */
START_TEST(a_broadcast_crosses_once_to_each_host)
{
	struct courier c;

	make_stars(&c, 3);
	ck_assert_int_eq(courier_run(&c), 0);
	ck_assert_uint_eq(c.channels, 2);
	ck_assert_uint_eq(c.windows, 2 * WINDOWS);
	check_sinks();
	destroy(&c);
}
END_TEST

START_TEST(each_part_has_memory_for_its_own)
{
	static const enum ps_crossing crossings[3][READERS] = {
		{ PS_CROSSES_NOT, PS_CROSSES_OUT, PS_CROSSES_ELSEWHERE, PS_CROSSES_OUT },
		{ PS_CROSSES_ELSEWHERE, PS_CROSSES_IN, PS_CROSSES_IN, PS_CROSSES_ELSEWHERE },
		{ PS_CROSSES_ELSEWHERE, PS_CROSSES_ELSEWHERE, PS_CROSSES_ELSEWHERE, PS_CROSSES_IN },
	};
	struct courier c;

	make_stars(&c, 3);
	ck_assert_int_eq(courier_run(&c), 0);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < READERS; k++) {
			struct pstk_fifo_info info;

			ck_assert_int_eq(stars[i].fifos[k]->crossing, crossings[i][k]);
			ck_assert_int_eq(pstk_fifo_get_info(stars[i].fifos[k], &info), 0);
			if (crossings[i][k] == PS_CROSSES_ELSEWHERE) {
				ck_assert_uint_eq(info.allocated, 0);
				ck_assert_str_eq(info.memory, "elsewhere");
				ck_assert(!info.shared && !info.merged);
			} else if (crossings[i][k] == PS_CROSSES_OUT) {
				ck_assert_uint_eq(info.rate, RATE);
				ck_assert_uint_eq(info.write_rate, RATE);
				ck_assert_uint_eq(info.delay, 0);
				/* of b1 and c1 the deeper one */
				ck_assert_uint_eq(info.depth, k == 1 ? 4 : 5);
			} else {
				ck_assert_uint_eq(info.rate, rates[k]);
				ck_assert_uint_eq(info.delay, delays[k]);
				ck_assert_uint_eq(info.depth, 2 + k);
			}
		}
	ck_assert_ptr_null(pstk_actor_state(stars[0].readers[1]));
	ck_assert_ptr_nonnull(pstk_actor_state(stars[0].readers[0]));
	destroy(&c);
}
END_TEST

/* A host without actors is through at once; the whole runs on another one. */
START_TEST(a_host_without_actors)
{
	struct courier c;

	make_stars(&c, 4);
	ck_assert_int_eq(courier_run(&c), 0);
	ck_assert_int_eq(c.results[3], 0);
	check_sinks();
	destroy(&c);
}
END_TEST

/*
 * Ends. count at host 0 -> relay at host 1 -> collect at host 0.
 */

enum { CHAIN = 2 };

static struct simple_chain chains[CHAIN];

static void make_chains(struct courier *c, uint64_t tokens)
{
	*c = (struct courier){ .count = CHAIN, .seed = test_seed() };
	for (unsigned i = 0; i < CHAIN; i++) {
		simple_chain(&chains[i], 1, tokens, 4, 1, 3);
		c->parts[i] = chains[i].net;
		for (unsigned a = 0; a < 3; a++)
			ck_assert_int_eq(ps_parts_place(chains[i].actors[a], a == 1), 0);
	}
	courier_name(c);
}

static void check_chain(uint64_t tokens)
{
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	ck_assert_uint_eq(chains[0].collect.tokens, tokens + chains[0].collect.delay);
	ck_assert_uint_eq(chains[1].collect.tokens, 0);
	ck_assert_uint_eq(chains[1].count.given, 0);
	ck_assert_uint_eq(chains[0].relay[0].firings, 0);
}

START_TEST(a_way_there_and_back)
{
	struct courier c;

	make_chains(&c, 1001);
	ck_assert_int_eq(courier_run(&c), 0);
	check_chain(1001);
	destroy(&c);
}
END_TEST

/* The last reader ends: so do the others, to the source. */
START_TEST(a_reader_that_ends_early)
{
	struct courier c;

	make_chains(&c, SIMPLE_ALL);
	chains[0].collect.wanted = 50;
	ck_assert_int_eq(courier_run(&c), 0);
	ck_assert_uint_eq(chains[0].collect.wrong, 0);
	ck_assert_uint_eq(chains[0].collect.firings, 50);
	destroy(&c);
}
END_TEST

static void stop_one(void *data)
{
	pstk_network_stop(data);
}

/* Sources stop, the rest drains. */
START_TEST(a_stop)
{
	struct courier c;

	make_chains(&c, SIMPLE_ALL);
	c.carried = stop_one;
	c.data = c.parts[0];
	ck_assert_int_eq(courier_run(&c), 0);
	check_chain(chains[0].count.given);
	destroy(&c);
}
END_TEST

/* It has no sources: whether an actor is one the whole network tells. */
START_TEST(a_stop_of_a_part_without_sources)
{
	struct courier c;

	make_chains(&c, 1001);
	c.carried = stop_one;
	c.data = c.parts[1];
	ck_assert_int_eq(courier_run(&c), 0);
	check_chain(1001);
	destroy(&c);
}
END_TEST

static void abort_one(void *data)
{
	pstk_network_abort(data);
}

START_TEST(an_abort)
{
	struct courier c;

	make_chains(&c, SIMPLE_ALL);
	c.carried = abort_one;
	c.data = c.parts[_i];
	ck_assert_int_eq(courier_run(&c), -ECANCELED);
	ck_assert_int_eq(c.results[0], -ECANCELED);
	ck_assert_int_eq(c.results[1], -ECANCELED);
	destroy(&c);
}
END_TEST

static int fail_in_fire(struct pstk_firing *f)
{
	return pstk_actor_error(pstk_firing_actor(f), -EILSEQ, "no more");
}

static int fail_in_init(struct pstk_actor *a)
{
	return pstk_actor_error(a, -EPERM, "not today");
}

/* The relay at host 1. */
static void make_failing(struct courier *c, bool in_init)
{
	make_chains(c, SIMPLE_ALL);
	for (unsigned i = 0; i < CHAIN; i++) {
		if (in_init)
			chains[i].actors[1]->type.init = fail_in_init;
		else
			chains[i].actors[1]->type.fire = fail_in_fire;
	}
}

START_TEST(an_error)
{
	struct courier c;

	make_failing(&c, false);
	ck_assert_int_eq(courier_run(&c), -EILSEQ);
	ck_assert_int_eq(c.results[0], -ECANCELED);
	ck_assert_int_eq(c.results[1], -EILSEQ);
	TEST_SAYS(pstk_network_error(c.parts[1]), "'relay0'", "no more");
	destroy(&c);
}
END_TEST

/* init() of an actor that is away is not called, so the first part starts. */
START_TEST(a_start_that_fails)
{
	struct courier c;

	make_failing(&c, true);
	ck_assert_int_eq(courier_run(&c), -EPERM);
	ck_assert_int_eq(c.results[0], -ECANCELED);
	ck_assert_int_eq(c.results[1], -EPERM);
	destroy(&c);
}
END_TEST

/* The threads of this part have ended; the owner of its away end has not closed it. */
START_TEST(wait_waits_for_away_ends)
{
	struct simple_chain chain;
	struct pstk_fifo *out;
	uint32_t valid;

	simple_chain(&chain, 0, 8, 4, 0, 2);
	out = chain.fifos[0];
	ck_assert_int_eq(ps_parts_place(chain.actors[1], 1), 0);
	ck_assert_int_eq(ps_parts_set_host(chain.net, 0), 0);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	for (uint64_t first = 0; first < 8; first += 4) {
		const uint64_t *window;

		while (ps_fifo_peek(&out->fifo.reader) == PS_FIFO_WAIT)
			ps_fifo_wait(&out->fifo.reader);
		window = ps_fifo_read_start(&out->fifo, &valid);
		ck_assert_uint_eq(valid, 4);
		for (unsigned i = 0; i < 4; i++)
			ck_assert_uint_eq(window[i], first + i);
		ck_assert_int_eq(ps_fifo_read_end(&out->fifo), 0);
	}
	while (ps_fifo_peek(&out->fifo.reader) == PS_FIFO_WAIT)
		ps_fifo_wait(&out->fifo.reader);
	ck_assert_int_eq(ps_fifo_peek(&out->fifo.reader), PS_FIFO_ENDED);
	ck_assert_int_eq(pstk_network_wait_for(chain.net, 0), -ETIMEDOUT);
	ps_away_close(out, false);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	pstk_network_destroy(chain.net);
}
END_TEST

/* The owner waits for room at the end, where nothing reads. */
START_TEST(an_abort_wakes_the_owner)
{
	struct simple_chain chain;
	struct pstk_fifo *in;

	simple_chain_held(&chain, 0, SIMPLE_ALL, 4, 0, 2);
	chain.collect.allowed = 0;
	in = chain.fifos[0];
	ck_assert_int_eq(ps_parts_place(chain.actors[0], 1), 0);
	ck_assert_int_eq(ps_parts_set_host(chain.net, 0), 0);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	for (unsigned i = 0; i < 3; i++) {
		if (ps_fifo_peek(&in->fifo.writer) != PS_FIFO_READY)
			break;
		memset(ps_fifo_write_start(&in->fifo), 0, 4 * sizeof(uint64_t));
		ck_assert_int_eq(ps_fifo_write_end(&in->fifo, 4), 0);
	}
	pstk_network_abort(chain.net);
	do
		ps_fifo_wait(&in->fifo.writer); /* also after the abort: only its nudge ends this wait */
	while (!ps_network_over(chain.net));
	ps_away_close(in, true);
	ck_assert_int_eq(pstk_network_wait(chain.net), -ECANCELED);
	pstk_network_destroy(chain.net);
}
END_TEST

/*
 * Refusals.
 */

START_TEST(build_calls_after_the_start)
{
	struct courier c;

	make_chains(&c, 10);
	ck_assert_int_eq(courier_run(&c), 0);
	ck_assert_int_eq(ps_parts_set_host(c.parts[0], 1), -EBUSY);
	ck_assert_int_eq(ps_parts_place(chains[0].actors[0], 1), -EBUSY);
	destroy(&c);
}
END_TEST

/* More windows at the host's place than at the reader's, as a plan may say. */
START_TEST(a_channel_with_too_many_bytes)
{
	struct pstk_network *net = pstk_network_create("large");
	struct node source = { .name = "source", .ports = ">out" }, sink = { .name = "sink", .ports = "<in" };
	struct pstk_fifo *f;

	node_add(net, &source);
	node_add(net, &sink);
	f = pstk_connect(source.actor, "out", sink.actor, "in",
		PSTK_FIFO(.rate = 1, .token_size = (size_t)1 << 40, .depth = 1));
	ck_assert_ptr_nonnull(f);
	f->depth_before = UINT32_MAX;
	ck_assert_int_eq(ps_parts_place(sink.actor, 1), 0);
	ck_assert_int_eq(ps_parts_set_host(net, 0), 0);
	ck_assert_int_eq(pstk_network_start(net), -EOVERFLOW);
	TEST_SAYS(pstk_network_error(net), "'source'.out -> 'sink'.in", "4294967295 windows", "more bytes");
	pstk_network_destroy(net);
}
END_TEST

static bool start_short_of_memory(long n)
{
	struct star *s = &stars[0];
	bool failed;
	int err;

	make_star(s);
	ck_assert_int_eq(ps_parts_set_host(s->net, 0), 0);
	ps_memory_fail_at = n;
	err = pstk_network_start(s->net);
	failed = ps_memory_fail_at == -1;
	ps_memory_fail_at = -1;
	ck_assert_int_eq(err, failed ? -ENOMEM : 0);
	if (failed) {
		TEST_SAYS(pstk_network_error(s->net), "memory");
	} else {
		pstk_network_abort(s->net);
		ps_away_close(s->fifos[1], false);
		ps_away_close(s->fifos[3], false);
	}
	pstk_network_destroy(s->net);
	return failed;
}

START_TEST(each_allocation_of_a_start_fails)
{
	long n = 0;

	while (start_short_of_memory(n))
		n++;
	ck_assert_int_gt(n, 10);
}
END_TEST

/* A deadlock of this part is found; the owner of the away end learns that the network has failed. */
START_TEST(a_deadlock_of_one_part)
{
	struct pstk_network *net = pstk_network_create("dead");
	struct node a = { .name = "a", .ports = "<in >out >far" }, b = { .name = "b", .ports = "<in >out" },
		    far = { .name = "far", .ports = "<in" };
	struct pstk_fifo *out;

	pstk_network_set_flags(net, PSTK_UNCHECKED);
	node_add(net, &a);
	node_add(net, &b);
	node_add(net, &far);
	node_connect(&a, "out", &b, "in", 1, 0, 2);
	node_connect(&b, "out", &a, "in", 1, 0, 2);
	out = node_connect(&a, "far", &far, "in", 1, 0, 2);
	ck_assert_int_eq(ps_parts_place(far.actor, 1), 0);
	ck_assert_int_eq(ps_parts_set_host(net, 0), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (!ps_network_over(net))
		ps_fifo_wait(&out->fifo.reader);
	ps_away_close(out, false);
	ck_assert_int_eq(pstk_network_wait(net), -EDEADLK);
	pstk_network_destroy(net);
}
END_TEST

/*
 * Reports.
 */

static void prints(const struct pstk_network *net, int (*print)(const struct pstk_network *, FILE *),
	const char *const *words, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(print(net, out), 0);
	fclose(out);
	test_says(text, words, count);
	free(text);
}
#define PRINTS(net, print, ...)                                  \
	prints(net, print, (const char *const[]){ __VA_ARGS__ }, \
		TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

static int snapshot(const struct pstk_network *net, FILE *out)
{
	return pstk_network_snapshot((struct pstk_network *)net, out);
}

/* With all that can be measured. */
START_TEST(reports_say_the_host)
{
	struct courier c;
	struct pstk_cause causes[8];

	make_stars(&c, 3);
	for (unsigned i = 0; i < c.count; i++) {
		ck_assert_int_eq(pstk_network_set_sampling(c.parts[i], 1000000), 0);
		ck_assert_int_eq(pstk_network_set_latency(c.parts[i], 1), 0);
		ck_assert_int_eq(pstk_network_note_arrivals(c.parts[i]), 0);
		ck_assert_int_eq(
			pstk_network_set_trace(c.parts[i], "/dev/null", PSTK_TRACE_BYTES, PSTK_TRACE_LAST),
			0);
	}
	PRINTS(c.parts[0], pstk_network_print, "b1  keep   on host 1\n", "d2  keep   on host 2\n");
	ck_assert_int_eq(courier_run(&c), 0);
	check_sinks();
	PRINTS(c.parts[0], pstk_network_print, "here  keep   on any core", "b1  keep   on host 1\n",
		"c1.in  elsewhere\n");
	PRINTS(c.parts[1], pstk_network_print_stats, "source  on host 0\n", "here  on host 0\n");
	PRINTS(c.parts[1], snapshot, "source (give) is on host 0\n", "b1 (keep) has ended");
	for (unsigned i = 0; i < c.count; i++) {
		PRINTS(c.parts[i], pstk_network_explain, "looks");
		PRINTS(c.parts[i], pstk_network_print_latencies, "latency of");
		PRINTS(c.parts[i], pstk_network_print_arrivals, "b1.in from source.out");
		ck_assert_int_ge(pstk_network_causes(c.parts[i], causes, TEST_COUNT(causes)), 1);
	}
	destroy(&c);
}
END_TEST

/*
 * Plans.
 */

static struct pstk_machine *make_machine(void)
{
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "a", 1, 0), 0);
	ck_assert_int_eq(pstk_machine_add_device(m, "a", "g", NULL, 0), 1);
	ck_assert_int_eq(pstk_machine_add_host(m, "b", 2, 0), 2);
	ck_assert_int_eq(
		pstk_machine_add_link(
			m, &(struct pstk_link){ .a = "a", .b = "a/g", .kind = PSTK_LINK_COPY, .rate = 100 }),
		0);
	ck_assert_int_eq(
		pstk_machine_add_link(
			m, &(struct pstk_link){ .a = "a", .b = "b", .kind = PSTK_LINK_NET, .rate = 50 }),
		1);
	return m;
}

/* A plan over two hosts, the relay at a device of the other one that is not here. The hosts' numbers are 0 and 2. */
START_TEST(a_plan_over_two_hosts)
{
	struct pstk_machine *m = make_machine();
	struct simple_chain chain;
	struct pstk_plan *plan;
	struct pstk_fifo_info info;

	simple_chain(&chain, 1, 8, 4, 0, 0);
	pstk_actor_place(chain.actors[0], "b");
	pstk_actor_place(chain.actors[1], "a/g");
	pstk_actor_place(chain.actors[2], "b");
	plan = pstk_plan_create(chain.net, m, NULL);
	ck_assert_int_eq(pstk_plan_result(plan), 0);
	ck_assert_int_eq(pstk_plan_apply(chain.net, plan), -ENOTSUP);
	pstk_network_destroy(chain.net);
	pstk_plan_destroy(plan);

	simple_chain(&chain, 1, 8, 4, 0, 0);
	pstk_actor_place(chain.actors[0], "b");
	pstk_actor_place(chain.actors[1], "a/g");
	pstk_actor_place(chain.actors[2], "b");
	ck_assert_int_eq(ps_parts_set_host(chain.net, 2), 0);
	plan = pstk_plan_create(chain.net, m, NULL);
	ck_assert_int_eq(pstk_plan_apply(chain.net, plan), 0);
	ck_assert_uint_eq(chain.actors[0]->host, 2);
	ck_assert_uint_eq(chain.actors[1]->host, 0);
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	ck_assert_int_eq(chain.fifos[0]->crossing, PS_CROSSES_OUT);
	ck_assert_int_eq(chain.fifos[1]->crossing, PS_CROSSES_IN);
	pstk_fifo_get_info(chain.fifos[0], &info);
	ck_assert_str_eq(info.memory, "host");
	ck_assert_uint_eq(info.depth, ps_parts_windows(chain.fifos[0]));
	pstk_network_abort(chain.net);
	ps_away_close(chain.fifos[0], false);
	ps_away_close(chain.fifos[1], true);
	ck_assert_int_eq(pstk_network_wait(chain.net), -ECANCELED);
	pstk_network_destroy(chain.net);
}
END_TEST

/* An actor that has a form for devices only, of another host: nothing is missing here. */
START_TEST(a_device_of_another_host)
{
	static const struct pstk_kernel kernel = { .source = "none", .name = "none" };
	static const struct pstk_port in[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" } };
	struct pstk_network *net = pstk_network_create("far");
	struct node source = { .name = "source", .ports = ">out" };
	struct pstk_actor *far;
	struct pstk_fifo *f;

	node_add(net, &source);
	far = pstk_network_add(net, "far",
		PSTK_ACTOR_TYPE(.name = "far", .ports = in, .port_count = 1, .kernel = &kernel), NULL);
	f = pstk_connect(source.actor, "out", far, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .depth = 2));
	ck_assert_int_eq(ps_parts_place(far, 1), 0);
	ck_assert_int_eq(ps_parts_set_host(net, 0), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ps_away_close(f, false); /* the reader has ended: so does the source */
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parts");
	TCase *what = test_case(suite, "what"), *ends = test_case(suite, "ends"),
	      *rest = test_case(suite, "rest");

	tcase_add_test(what, a_broadcast_crosses_once_to_each_host);
	tcase_add_test(what, each_part_has_memory_for_its_own);
	tcase_add_test(what, a_host_without_actors);
	tcase_add_test(ends, a_way_there_and_back);
	tcase_add_test(ends, a_reader_that_ends_early);
	tcase_add_test(ends, a_stop);
	tcase_add_test(ends, a_stop_of_a_part_without_sources);
	tcase_add_loop_test(ends, an_abort, 0, CHAIN);
	tcase_add_test(ends, an_error);
	tcase_add_test(ends, a_start_that_fails);
	tcase_add_test(ends, wait_waits_for_away_ends);
	tcase_add_test(ends, an_abort_wakes_the_owner);
	tcase_add_test(rest, build_calls_after_the_start);
	tcase_add_test(rest, a_channel_with_too_many_bytes);
	tcase_add_test(rest, each_allocation_of_a_start_fails);
	tcase_add_test(rest, a_deadlock_of_one_part);
	tcase_add_test(rest, reports_say_the_host);
	tcase_add_test(rest, a_plan_over_two_hosts);
	tcase_add_test(rest, a_device_of_another_host);
	return test_main(suite);
}
