/* SPDX-License-Identifier: MIT */
/* Windows followed to and from kahn actors, which have no firings: by what they read and write. */
#include "tests/firing/stage.h"

#include <stdlib.h>

/* One token after the other, or, with kept, by windows. */
static int kahn_source_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));

	for (; s->fired < s->most; s->fired++) {
		uint64_t token = stage_now();

		stage_spin(s->ns);
		if (s->kept) {
			*(uint64_t *)pstk_fifo_write_start(f, 0) = token;
			pstk_fifo_write_end(f, 0);
		} else {
			pstk_fifo_write(f, 0, &token, 1);
		}
	}
	return PSTK_DONE;
}

/* Reads two, writes one to each output. */
static int kahn_halve_fire(struct pstk_firing *f)
{
	uint64_t tokens[2];

	while (pstk_fifo_read(f, 0, tokens, 2) == 2) {
		pstk_fifo_write(f, 1, tokens, 1);
		pstk_fifo_write(f, 2, tokens, 1);
	}
	return PSTK_DONE;
}

static int kahn_sink_fire(struct pstk_firing *f)
{
	uint64_t token;

	while (pstk_fifo_read(f, 0, &token, 1) == 1)
		;
	return PSTK_DONE;
}

static const struct pstk_port halve_ports[] = { STAGE_PORT("in", PSTK_INPUT), STAGE_PORT("a", PSTK_OUTPUT),
	STAGE_PORT("b", PSTK_OUTPUT) };

/* Of each two windows the newer one goes on, to both outputs. _i: how the source writes. */
START_TEST(test_kahn)
{
	struct pstk_actor_type source_type = STAGE_TYPE("source", stage_source_ports, kahn_source_fire);
	struct pstk_actor_type halve_type = STAGE_TYPE("halve", halve_ports, kahn_halve_fire);
	struct pstk_actor_type sink_type = STAGE_TYPE("sink", stage_sink_ports, kahn_sink_fire);
	struct stage from = { .ns = SLOW_NS, .most = 200, .kept = (uint64_t)_i };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a, *h, *sinks[2];
	struct pstk_latency l[2];

	source_type.kahn = halve_type.kahn = sink_type.kahn = true;
	a = pstk_network_add(net, "source", &source_type, &from);
	h = pstk_network_add(net, "halve", &halve_type, NULL);
	sinks[0] = pstk_network_add(net, "a", &sink_type, NULL);
	sinks[1] = pstk_network_add(net, "b", &sink_type, NULL);
	ck_assert_ptr_nonnull(pstk_connect(a, "out", h, "in", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(h, "a", sinks[0], "in", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(h, "b", sinks[1], "in", PSTK_FIFO(.rate = 1)));
	stage_run(net);
	ck_assert_int_eq(pstk_network_latencies(net, l, 2), 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_ptr_eq(l[i].sink, sinks[i]);
		ck_assert_uint_eq(l[i].followed, 200);
		ck_assert_uint_eq(l[i].arrived, 100);
		ck_assert_uint_le(l[i].actors_ns, l[i].mean_ns);
	}
	pstk_network_destroy(net);
}
END_TEST

/* To both outputs, one after the other. kept: the second one first. */
static int kahn_both_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));

	for (; s->fired < s->most; s->fired++) {
		uint64_t token = stage_now();

		stage_spin(s->ns);
		pstk_fifo_write(f, s->kept ? 1 : 0, &token, 1);
		pstk_fifo_write(f, s->kept ? 0 : 1, &token, 1);
	}
	return PSTK_DONE;
}

static const struct pstk_port both_ports[] = { STAGE_PORT("a", PSTK_OUTPUT), STAGE_PORT("b", PSTK_OUTPUT) };

/* A window is what is written to one output; both sinks see it, also where the second write follows at once. */
START_TEST(test_kahn_outputs)
{
	struct pstk_actor_type source_type = STAGE_TYPE("source", both_ports, kahn_both_fire);
	struct stage from = { .ns = SLOW_NS, .most = 200 }, to[2] = { { 0 } };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a, *sinks[2];
	struct pstk_latency l[2];

	source_type.kahn = true;
	ck_assert_int_eq(
		pstk_network_set_latency(net, 1000), 0); /* a pair of writes takes less time, or once */
	a = pstk_network_add(net, "source", &source_type, &from);
	for (unsigned i = 0; i < 2; i++) {
		sinks[i] = pstk_network_add(net, i ? "z" : "y", &stage_sink, &to[i]);
		ck_assert_ptr_nonnull(pstk_connect(a, i ? "b" : "a", sinks[i], "in", PSTK_FIFO(.rate = 1)));
	}
	stage_run(net);
	ck_assert_int_eq(pstk_network_latencies(net, l, 2), 2);
	ck_assert_uint_ge(l[0].followed, 200);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_ge(l[i].arrived, 200);
	pstk_network_destroy(net);
}
END_TEST

/* Windows of one source that come by two ports into one firing, the newer one by either. _i: by the first one. */
START_TEST(test_ports_in_any_order)
{
	static const struct pstk_port two[] = { STAGE_PORT("a", PSTK_INPUT), STAGE_PORT("b", PSTK_INPUT) };
	struct pstk_actor_type source_type = STAGE_TYPE("source", both_ports, kahn_both_fire);
	struct pstk_actor_type sink_type = STAGE_TYPE("sink", two, stage_read_all);
	struct stage from = { .ns = SLOW_NS, .most = 200, .kept = (uint64_t)_i };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a, *z;

	source_type.kahn = true;
	a = pstk_network_add(net, "source", &source_type, &from);
	z = pstk_network_add(net, "sink", &sink_type, NULL);
	ck_assert_ptr_nonnull(pstk_connect(a, "a", z, "a", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(a, "b", z, "b", PSTK_FIFO(.rate = 1)));
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).followed, 400);
	ck_assert_uint_eq(stage_path(net).arrived, 400);
	pstk_network_destroy(net);
}
END_TEST

static int kahn_window_fire(struct pstk_firing *f)
{
	while (pstk_fifo_read_start(f, 0))
		pstk_fifo_read_end(f, 0);
	return PSTK_DONE;
}

/* A sink sees all of them, also as a kahn actor. */
START_TEST(test_kahn_sink)
{
	struct pstk_actor_type type = STAGE_TYPE("sink", stage_sink_ports, kahn_window_fire);
	struct stage from = { .ns = SLOW_NS, .most = 400 };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *a = pstk_network_add(net, "source", &stage_source, &from), *z;

	type.kahn = true;
	z = pstk_network_add(net, "sink", &type, NULL);
	ck_assert_ptr_nonnull(pstk_connect(a, "out", z, "in", PSTK_FIFO(.write_rate = 1, .read_rate = 20)));
	stage_run(net);
	ck_assert_uint_eq(stage_path(net).arrived, 400);
	pstk_network_destroy(net);
}
END_TEST

enum { HELD_NS = 200000 };

/* Holds its window of a while it is through with that of b. */
static int kahn_hold_fire(struct pstk_firing *f)
{
	while (pstk_fifo_read_start(f, 0) && pstk_fifo_read_start(f, 1)) {
		pstk_fifo_read_end(f, 1);
		stage_spin(HELD_NS);
		pstk_fifo_read_end(f, 0);
	}
	return PSTK_DONE;
}

START_TEST(test_kahn_sink_of_two)
{
	static const struct pstk_port two[] = { STAGE_PORT("a", PSTK_INPUT), STAGE_PORT("b", PSTK_INPUT) };
	struct pstk_actor_type type = STAGE_TYPE("sink", two, kahn_hold_fire);
	struct stage from[2] = { { .ns = SLOW_NS, .most = 20 }, { .ns = SLOW_NS, .most = 20 } };
	struct pstk_network *net = stage_begin();
	struct pstk_actor *x = pstk_network_add(net, "x", &stage_source, &from[0]);
	struct pstk_actor *y = pstk_network_add(net, "y", &stage_source, &from[1]), *z;
	struct pstk_latency l[2];

	type.kahn = true;
	z = pstk_network_add(net, "sink", &type, NULL);
	ck_assert_ptr_nonnull(pstk_connect(x, "out", z, "a", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_nonnull(pstk_connect(y, "out", z, "b", PSTK_FIFO(.rate = 1)));
	stage_run(net);
	ck_assert_int_eq(pstk_network_latencies(net, l, 2), 2);
	ck_assert_ptr_eq(l[0].source, x);
	ck_assert_uint_eq(l[0].arrived, 20);
	ck_assert_uint_eq(l[1].arrived, 20);
	ck_assert_uint_ge(l[0].actors_ns, HELD_NS);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("latency_kahn");
	TCase *tc = test_case(suite, "latency_kahn");

	tcase_add_loop_test(tc, test_kahn, 0, 2);
	tcase_add_test(tc, test_kahn_outputs);
	tcase_add_loop_test(tc, test_ports_in_any_order, 0, 2);
	tcase_add_test(tc, test_kahn_sink);
	tcase_add_test(tc, test_kahn_sink_of_two);
	return test_main(suite);
}
