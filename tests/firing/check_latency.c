/* SPDX-License-Identifier: MIT */
/* Windows followed from sources to sinks: how many arrive, and where, by counting tokens; how late, by the actors' own
 * clock. A source is so slow that each of its windows is followed. */
#include "lib/base/memory.h"
#include "tests/firing/stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain of source, relays, sink. */
struct chain {
	struct stage source, relay, sink;
	struct pstk_network *net;
	struct pstk_actor *actors[8];
	unsigned relays;
};

static void chain_build(struct chain *c, unsigned relays, const struct pstk_fifo_spec *specs)
{
	struct pstk_actor *before;

	c->net = stage_begin();
	before = c->actors[0] = pstk_network_add(c->net, "source", &stage_source, &c->source);
	for (unsigned i = 0; i <= relays; i++) {
		char name[16];
		struct pstk_actor *a;

		snprintf(name, sizeof name, i < relays ? "relay%u" : "sink", i);
		a = c->actors[i + 1] = pstk_network_add(c->net, name, i < relays ? &stage_relay : &stage_sink,
			i < relays ? &c->relay : &c->sink);
		ck_assert_msg(pstk_connect(before, "out", a, "in", &specs[i]) != NULL, "%s",
			pstk_network_error(c->net));
		before = a;
	}
}

/* _i: threads of a team; 0: of their own. The latencies together are between what the sink's actor has measured. */
START_TEST(test_as_the_actors_see_it)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.rate = 2, .depth = 3),
		STAGE_SPEC(.rate = 2, .depth = 2), STAGE_SPEC(.rate = 2, .depth = 4) };
	struct chain c = {
		.source = { .ns = SLOW_NS, .most = 300 }, .relay = { .ns = 20000 }, .sink = { .ns = 30000 }
	};
	struct pstk_latency l;
	struct pstk_latency_bucket buckets[512];
	uint64_t windows = 0, sum, ended;
	int count;

	chain_build(&c, 2, specs);
	ck_assert_int_eq(pstk_network_set_threads(c.net, (unsigned)_i), 0);
	stage_run(c.net);
	ended = stage_now();
	stage_count_before(&c.sink, ended);
	l = stage_path(c.net);
	ck_assert_ptr_eq(l.source, c.actors[0]);
	ck_assert_ptr_eq(l.sink, c.actors[3]);
	ck_assert_uint_eq(l.followed, 300);
	ck_assert_uint_eq(l.arrived, 300);
	sum = l.mean_ns * 300;
	ck_assert_uint_ge(sum + 300, c.sink.least);
	ck_assert_uint_le(sum, c.sink.longest);
	/* two relays and the sink at least */
	ck_assert_uint_ge(l.actors_ns, 2 * 20000 + 30000);
	ck_assert_uint_le(l.actors_ns, l.mean_ns);
	ck_assert(l.p50_ns <= l.p90_ns && l.p90_ns <= l.p99_ns && l.p99_ns <= l.max_ns);
	ck_assert_uint_ge(l.p50_ns, 2 * 20000 + 30000);
	ck_assert_uint_ge(l.max_ns, l.mean_ns);
	count = pstk_network_latency_buckets(c.net, 0, buckets, TEST_COUNT(buckets));
	ck_assert_int_gt(count, 0);
	for (int i = 0; i < count; i++) {
		windows += buckets[i].windows;
		ck_assert_uint_ge(buckets[i].to_ns, buckets[i].from_ns);
		ck_assert(!i || buckets[i].from_ns > buckets[i - 1].to_ns);
	}
	ck_assert_uint_eq(windows, 300);
	ck_assert_int_eq(pstk_network_latency_buckets(c.net, 0, NULL, 0), count);
	pstk_network_destroy(c.net);
}
END_TEST

/* Window i of 4 tokens ends with token 4i + 3, behind 6 of delay; the sink has 5 a firing and ends after the 20th. */
START_TEST(test_rates_and_delay)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.write_rate = 4, .read_rate = 5,
		.delay = 6) };
	struct chain c = { .source = { .ns = SLOW_NS, .most = 1000 }, .sink = { .most = 20 } };
	uint64_t expected = 0;

	chain_build(&c, 0, specs);
	stage_run(c.net);
	for (uint64_t i = 0; 4 * i + 3 + 6 < 20 * 5; i++)
		expected++;
	ck_assert_uint_eq(stage_path(c.net).arrived, expected);
	pstk_network_destroy(c.net);
}
END_TEST

/* 1 to 6 tokens and back: six windows are in one firing, and all of them go on. */
START_TEST(test_many_in_a_firing)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.write_rate = 1, .read_rate = 6),
		STAGE_SPEC(.write_rate = 6, .read_rate = 1) };
	struct chain c = { .source = { .ns = SLOW_NS, .most = 60 } };

	chain_build(&c, 1, specs);
	stage_run(c.net);
	ck_assert_uint_eq(stage_path(c.net).followed, 60);
	ck_assert_uint_eq(stage_path(c.net).arrived, 60);
	pstk_network_destroy(c.net);
}
END_TEST

/* More windows in one firing than it has room to carry: those that are followed to the end are drawn by lot, so they
 * are not those that have waited longest. One thread: the sink fires as soon as the last window is there. */
START_TEST(test_too_many_in_a_firing)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.write_rate = 1, .read_rate = 100) };
	struct chain c = { .source = { .ns = 5 * SLOW_NS, .most = 2000 } };

	chain_build(&c, 0, specs);
	ck_assert_int_eq(pstk_network_set_threads(c.net, 1), 0);
	stage_run(c.net);
	ck_assert_uint_eq(stage_path(c.net).followed, 2000);
	ck_assert_uint_eq(stage_path(c.net).arrived, 20 * (32 + 1));
	ck_assert_uint_lt(stage_path(c.net).mean_ns, stage_path(c.net).max_ns * 9 / 10);
	pstk_network_destroy(c.net);
}
END_TEST

/* Each of 40 sources has its window in one firing. */
START_TEST(test_many_sources)
{
	enum { SOURCES = 40 };
	static struct stage from[SOURCES], to;
	static char names[SOURCES][8];
	struct pstk_port ports[SOURCES];
	struct pstk_actor_type type = STAGE_TYPE("sink", stage_sink_ports, stage_read_all);
	struct pstk_network *net = stage_begin();
	struct pstk_latency l[SOURCES + 1];
	struct pstk_actor *z;

	for (unsigned i = 0; i < SOURCES; i++) {
		snprintf(names[i], sizeof names[i], "i%u", i);
		ports[i] = (struct pstk_port)STAGE_PORT(names[i], PSTK_INPUT);
		from[i] = (struct stage){ .ns = SLOW_NS, .most = 20 };
	}
	type.ports = ports;
	type.port_count = SOURCES;
	to = (struct stage){ 0 };
	z = pstk_network_add(net, "sink", &type, &to);
	for (unsigned i = 0; i < SOURCES; i++)
		ck_assert_ptr_nonnull(pstk_connect(pstk_network_add(net, names[i], &stage_source, &from[i]),
			"out", z, names[i], PSTK_FIFO(.rate = 1)));
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	stage_run(net);
	ck_assert_int_eq(pstk_network_latencies(net, l, SOURCES + 1), SOURCES);
	for (unsigned i = 0; i < SOURCES; i++)
		ck_assert_uint_eq(l[i].arrived, 20);
	pstk_network_destroy(net);
}
END_TEST

static int empty_end_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));

	return s->fired == s->most ? PSTK_DONE : (stage_source_fire(f), PSTK_AGAIN);
}

/* A source that ends without a window has none that could be followed. */
START_TEST(test_empty_end)
{
	static const struct pstk_actor_type type = STAGE_TYPE("source", stage_source_ports, empty_end_fire);
	struct stage from = { .ns = SLOW_NS, .most = 100 }, to = { 0 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "source", &type, &from);
	struct pstk_actor *z = pstk_network_add(net, "sink", &stage_sink, &to);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", z, "in", PSTK_FIFO(.rate = 1)));
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).followed, 100);
	ck_assert_uint_eq(stage_path(net).arrived, 100);
	pstk_network_destroy(net);
}
END_TEST

static int held_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));
	struct pstk_fifo_info info;
	const struct pstk_network *net = pstk_actor_network(pstk_firing_actor(f));

	do
		pstk_fifo_get_info(pstk_network_fifo(net, 0), &info);
	while (info.written < s->most);
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}
static const struct pstk_actor_type held = STAGE_TYPE("held", stage_sink_ports, held_fire);

/* A FIFO with more windows than marks find room beside it. */
START_TEST(test_too_many_beside_a_fifo)
{
	struct stage from = { .ns = SLOW_NS, .most = 3000 }, to = { .most = 3000 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "source", &stage_source, &from);
	struct pstk_actor *b = pstk_network_add(net, "held", &held, &to);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .depth = 4000)));
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).followed, 3000);
	ck_assert_uint_ge(stage_path(net).arrived, 1024);
	ck_assert_uint_le(stage_path(net).arrived, 1024 + 1);
	pstk_network_destroy(net);
}
END_TEST

/* Both branches of a diamond, one of them later: each window counts once. _i: the delay. */
START_TEST(test_diamond)
{
	struct stage from = { .ns = SLOW_NS, .most = 200 }, work = { .ns = 1000 }, to = { 0 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "source", &stage_source, &from);
	struct pstk_actor *b = pstk_network_add(net, "b", &stage_relay, &work);
	struct pstk_actor *j = pstk_network_add(net, "join", &stage_join, &work);
	struct pstk_actor *z = pstk_network_add(net, "sink", &stage_sink, &to);
	struct pstk_fifo_spec late = *PSTK_FIFO(.rate = 1, .delay = (uint32_t)_i);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(a, "out", j, "a", &late));
	ck_assert_ptr_nonnull(pstk_connect(b, "out", j, "b", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(j, "out", z, "in", PSTK_FIFO(.rate = 1)));
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).followed, 200);
	ck_assert_uint_eq(stage_path(net).arrived, 200);
	pstk_network_destroy(net);
}
END_TEST

/* What goes around a cycle has been there before. The source within the cycle is none of its own. */
START_TEST(test_cycle)
{
	struct stage from = { .ns = SLOW_NS, .most = 200 }, work = { .ns = 1000 }, to = { 0 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "source", &stage_source, &from);
	struct pstk_actor *j = pstk_network_add(net, "join", &stage_join, &work);
	struct pstk_actor *z = pstk_network_add(net, "sink", &stage_sink, &to);
	struct pstk_fifo_spec one = *PSTK_FIFO(.rate = 1), back = *PSTK_FIFO(.rate = 1, .delay = 1);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", j, "a", &one));
	ck_assert_ptr_nonnull(pstk_connect(j, "out", z, "in", &one));
	ck_assert_ptr_nonnull(pstk_connect(j, "out", j, "b", &back));
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).arrived, 200);
	pstk_network_destroy(net);
}
END_TEST

/*
 * A gate that lets each third window through, and what says so.
 */

static int decide(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 2, value);
	return 0;
}

static int say(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *out = pstk_fifo_write_start(f, 0);

	*out = s->fired % 3 == 2;
	pstk_fifo_write_end(f, 0);
	return ++s->fired == s->most ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_port say_ports[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 } };
static const struct pstk_actor_type sayer = STAGE_TYPE("say", say_ports, say);
static const struct pstk_port gate_ports[] = { { .name = "control", .kind = PSTK_CONTROL },
	STAGE_PORT("in", PSTK_INPUT), STAGE_PORT("out", PSTK_DYNAMIC_OUTPUT) };

/* The control's source has no path: control tokens carry no marks. */
START_TEST(test_gate)
{
	struct pstk_actor_type gate = STAGE_TYPE("gate", gate_ports, stage_relay_fire);
	struct stage from = { .ns = SLOW_NS, .most = 300 }, says = { .most = 300 }, work = { 0 }, to = { 0 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *c = pstk_network_add(net, "say", &sayer, &says), *a, *g, *z;
	struct pstk_latency l;

	gate.control = decide;
	gate.control_values = 2;
	a = pstk_network_add(net, "source", &stage_source, &from);
	g = pstk_network_add(net, "gate", &gate, &work);
	z = pstk_network_add(net, "sink", &stage_sink, &to);
	ck_assert_ptr_nonnull(pstk_connect(c, "out", g, "control", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(a, "out", g, "in", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(g, "out", z, "in", PSTK_FIFO(.rate = 1)));
	stage_run(net);
	l = stage_path(net);
	ck_assert_ptr_eq(l.source, a);
	ck_assert_uint_eq(l.followed, 300);
	ck_assert_uint_eq(l.arrived, 100);
	pstk_network_destroy(net);
}
END_TEST

/* Firings side by side are carried apart. */
START_TEST(test_side_by_side)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.rate = 1, .depth = 16),
		STAGE_SPEC(.rate = 1, .depth = 16) };
	struct pstk_actor_type stateless = stage_relay;
	struct stage from = { .ns = SLOW_NS, .most = 500 }, work = { .ns = 10000 }, to = { 0 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "source", &stage_source, &from), *b, *z;

	stateless.stateless = true;
	b = pstk_network_add(net, "relay", &stateless, &work);
	z = pstk_network_add(net, "sink", &stage_sink, &to);
	ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", &specs[0]));
	ck_assert_ptr_nonnull(pstk_connect(b, "out", z, "in", &specs[1]));
	ck_assert_int_eq(pstk_network_set_threads(net, 4), 0);
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).arrived, 500);
	ck_assert_uint_ge(stage_path(net).actors_ns, 10000);
	pstk_network_destroy(net);
}
END_TEST

/* Two sources, a sink that both reach and one that only the second does. */
START_TEST(test_paths)
{
	struct stage from[2] = { { .ns = SLOW_NS, .most = 20 }, { .ns = SLOW_NS, .most = 20 } }, work = { 0 },
		     to[2] = { { 0 } };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "a", &stage_source, &from[0]);
	struct pstk_actor *y = pstk_network_add(net, "y", &stage_sink, &to[0]);
	struct pstk_actor *j = pstk_network_add(net, "join", &stage_join, &work);
	struct pstk_actor *b = pstk_network_add(net, "b", &stage_source, &from[1]);
	struct pstk_actor *z = pstk_network_add(net, "z", &stage_sink, &to[1]);
	struct pstk_fifo_spec one = *PSTK_FIFO(.rate = 1);
	struct pstk_latency l[4];

	ck_assert_ptr_nonnull(pstk_connect(a, "out", j, "a", &one));
	ck_assert_ptr_nonnull(pstk_connect(b, "out", j, "b", &one));
	ck_assert_ptr_nonnull(pstk_connect(b, "out", y, "in", &one));
	ck_assert_ptr_nonnull(pstk_connect(j, "out", z, "in", &one));
	stage_run(net);
	ck_assert_int_eq(pstk_network_latencies(net, l, 4), 3);
	ck_assert(l[0].source == a && l[0].sink == z);
	ck_assert(l[1].source == b && l[2].source == b && l[1].sink != l[2].sink);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(l[i].arrived, 20);
	ck_assert_int_eq(pstk_network_latencies(net, NULL, 0), 3);
	pstk_network_destroy(net);
}
END_TEST

/* The time in FIFOs and the time in actors are all there is. */
START_TEST(test_in_fifos)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.rate = 1, .depth = 1),
		STAGE_SPEC(.rate = 1, .depth = 8) };
	struct chain c = { .source = { .ns = SLOW_NS, .most = 200 }, .sink = { .ns = 20000 } };
	struct pstk_latency l;
	uint64_t windows[2], ns[2], between;

	chain_build(&c, 1, specs);
	ck_assert_uint_eq(pstk_fifo_latency_ns(pstk_network_fifo(c.net, 0), NULL), 0);
	stage_run(c.net);
	l = stage_path(c.net);
	for (unsigned i = 0; i < 2; i++) {
		ns[i] = pstk_fifo_latency_ns(pstk_network_fifo(c.net, i), &windows[i]);
		ck_assert_uint_eq(windows[i], 200);
	}
	between = l.mean_ns - l.actors_ns;
	ck_assert_uint_le(ns[0] + ns[1], between + 4); /* each mean is rounded */
	ck_assert_uint_ge(ns[0] + ns[1] + 4, between);
	ck_assert_uint_eq(pstk_fifo_latency_ns(NULL, &windows[0]), 0);
	ck_assert_uint_eq(windows[0], 0);
	pstk_network_destroy(c.net);
}
END_TEST

START_TEST(test_prints)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.rate = 1) };
	struct chain c = { .source = { .ns = SLOW_NS, .most = 50 } };
	char text[1024];
	FILE *out = fmemopen(text, sizeof text, "w"), *full = fopen("/dev/full", "w");

	chain_build(&c, 0, specs);
	ck_assert_int_eq(pstk_network_print_latencies(c.net, out), -EINVAL);
	stage_run(c.net);
	ck_assert_int_eq(pstk_network_print_latencies(c.net, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "network 'late': latency of 1 path from a source to a sink\n"));
	ck_assert_ptr_nonnull(strstr(text, "  source -> sink: p50 "));
	ck_assert_ptr_nonnull(strstr(text, " % in actors, "));
	ck_assert_ptr_nonnull(strstr(text, "50 of 50 followed windows arrived\n"));
	ck_assert_ptr_nonnull(strstr(text, "  in source.out -> sink.in: "));
	ck_assert_int_eq(pstk_network_print_latencies(c.net, full), -EIO);
	fclose(full);
	ck_assert_int_eq(pstk_network_print_latencies(c.net, NULL), -EINVAL);
	pstk_network_destroy(c.net);
}
END_TEST

START_TEST(test_misuse)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.rate = 1) };
	struct chain c = { .source = { .ns = SLOW_NS, .most = 50 } };
	struct pstk_latency l;

	chain_build(&c, 0, specs);
	ck_assert_int_eq(pstk_network_set_latency(NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_latencies(NULL, &l, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_latencies(c.net, &l, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_latency_buckets(c.net, 0, NULL, 0), -EINVAL);
	stage_run(c.net);
	ck_assert_int_eq(pstk_network_set_latency(c.net, 1), -EBUSY);
	ck_assert_int_eq(pstk_network_latencies(c.net, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_latency_buckets(c.net, 1, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_network_latency_buckets(c.net, 0, NULL, 1), -EINVAL);
	pstk_network_destroy(c.net);
	/* without it there is nothing */
	c.source.fired = 0;
	chain_build(&c, 0, specs);
	ck_assert_int_eq(pstk_network_set_latency(c.net, 0), 0);
	stage_run(c.net);
	ck_assert_int_eq(pstk_network_latencies(c.net, &l, 1), -EINVAL);
	pstk_network_destroy(c.net);
}
END_TEST

/* Each allocation of the start fails once; nothing is leaked. */
START_TEST(test_memory)
{
	static const struct pstk_fifo_spec specs[] = { STAGE_SPEC(.rate = 1), STAGE_SPEC(.rate = 1) };
	bool said = false;
	int err = -ENOMEM;

	for (long n = 0; err; n++) {
		struct chain c = { .source = { .ns = SLOW_NS, .most = 5 } };

		chain_build(&c, 1, specs);
		ps_memory_fail_at = n;
		err = pstk_network_start(c.net);
		ps_memory_fail_at = -1;
		ck_assert(err == 0 || err == -ENOMEM);
		said |= strstr(pstk_network_error(c.net), "no memory to follow windows") != NULL;
		ck_assert_int_eq(pstk_network_wait(c.net), err);
		pstk_network_destroy(c.net);
	}
	ck_assert(said);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("latency");
	TCase *tc = test_case(suite, "latency");

	tcase_add_loop_test(tc, test_as_the_actors_see_it, 0, 3);
	tcase_add_test(tc, test_rates_and_delay);
	tcase_add_test(tc, test_many_in_a_firing);
	tcase_add_test(tc, test_too_many_in_a_firing);
	tcase_add_test(tc, test_too_many_beside_a_fifo);
	tcase_add_loop_test(tc, test_diamond, 0, 3);
	tcase_add_test(tc, test_cycle);
	tcase_add_test(tc, test_gate);
	tcase_add_test(tc, test_many_sources);
	tcase_add_test(tc, test_empty_end);
	tcase_add_test(tc, test_side_by_side);
	tcase_add_test(tc, test_paths);
	tcase_add_test(tc, test_in_fifos);
	tcase_add_test(tc, test_prints);
	tcase_add_test(tc, test_misuse);
	tcase_add_test(tc, test_memory);
	return test_main(suite);
}
