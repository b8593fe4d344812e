/* SPDX-License-Identifier: MIT */
/*
 * Quick firings: which tasks have them; and that what a firing does otherwise than usual comes out as with a thread per
 * actor, which takes the general steps. A source counts, an actor adds 1, a sink looks.
 */
#include "lib/firing/task.h"
#include "penstock/penstock.h"
#include "tests/common/common.h"
#include "tests/plan/bundle_net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRINGS = 100, AT = 37 };

enum deed {
	NOTHING,
	ENDS,       /* the actor returns PSTK_DONE in firing AT */
	FAILS,      /* .. an error */
	ABORTS,     /* .. aborts the network, and has filled its window */
	STOPS,      /* .. stops it */
	FORGETS,    /* .. doesn't end its output's window */
	NAMES_NONE, /* .. starts the window of a port that there is not */
	HALF,       /* .. fills half of its window */
	STARTS_TWICE
};

struct net {
	struct pstk_network *net;
	struct pstk_actor *source, *add, *sink;
	enum deed deed, source_deed, sink_deed;
	bool kahn, stateless, two_readers, large, measured;
	unsigned threads;
	uint32_t got, wrong;
};

static int finish(struct pstk_firing *f, enum deed deed, unsigned out)
{
	struct pstk_network *net = pstk_actor_network(pstk_firing_actor(f));
	bool now = pstk_firing_index(f) == AT;

	if (now && deed == STOPS)
		pstk_network_stop(net);
	if (now && deed == ABORTS)
		pstk_network_abort(net);
	if (now && deed == NAMES_NONE)
		pstk_fifo_read_start(f, 9);
	if (now && deed == STARTS_TWICE)
		pstk_fifo_write_start(f, out);
	if (now && deed == HALF)
		pstk_fifo_write_end_partial(f, out, 1);
	else if (!now || deed != FORGETS)
		pstk_fifo_write_end(f, out);
	return now && deed == ENDS ? PSTK_DONE : now && deed == FAILS ? -EIO : PSTK_AGAIN;
}

static int fire_source(struct pstk_firing *f)
{
	struct net *n = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t i = (uint32_t)pstk_firing_index(f), *out = pstk_fifo_write_start(f, 0);
	int rc;

	out[0] = 2 * i;
	out[1] = 2 * i + 1;
	rc = finish(f, n->source_deed, 0);
	return rc == PSTK_AGAIN && i + 1 == FIRINGS ? PSTK_DONE : rc;
}

static int fire_add(struct pstk_firing *f)
{
	struct net *n = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = in ? pstk_fifo_write_start(f, 1) : NULL;

	if (!out)
		return PSTK_DONE; /* kahn */
	out[0] = in[0] + 1;
	out[1] = in[1] + 1;
	pstk_fifo_read_end(f, 0);
	return finish(f, n->deed, 1);
}

static int fire_sink(struct pstk_firing *f)
{
	struct net *n = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t k = 0; k < pstk_port_valid(f, 0); k++)
		n->wrong += in[k] != n->got++ + 1;
	pstk_fifo_read_end(f, 0);
	return n->sink_deed == ENDS && pstk_firing_index(f) == AT ? PSTK_DONE : PSTK_AGAIN;
}

static int fire_drain(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 } };

static struct pstk_actor *add(struct net *n, const char *name, unsigned first, unsigned count,
	int (*fire)(struct pstk_firing *), bool special)
{
	return pstk_network_add(n->net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports + first, .port_count = count, .fire = fire,
			.kahn = special && n->kahn, .stateless = special && n->stateless),
		n);
}

static void start(struct net *n)
{
	const struct pstk_fifo_spec *fifo = PSTK_FIFO(.rate = 2, .depth = 4);

	ps_fifo_warm_least = n->large ? 8 : 4096;
	n->net = pstk_network_create("quick");
	pstk_network_set_threads(n->net, n->threads);
	if (n->measured)
		pstk_network_set_latency(n->net, 1000000);
	n->source = add(n, "source", 1, 1, fire_source, false);
	n->add = add(n, "add", 0, 2, fire_add, true);
	n->sink = add(n, "sink", 0, 1, fire_sink, false);
	pstk_connect(n->source, "out", n->add, "in", fifo);
	if (n->two_readers)
		pstk_connect(n->source, "out", add(n, "drain", 0, 1, fire_drain, false), "in", fifo);
	pstk_connect(n->add, "out", n->sink, "in", fifo);
	ck_assert_int_eq(pstk_network_start(n->net), 0);
}

static void expect_quick(const struct net *n, bool source, bool add, bool sink)
{
	ck_assert_int_eq(n->source->task->quick, source);
	ck_assert_int_eq(n->add->task->quick, add);
	ck_assert_int_eq(n->sink->task->quick, sink);
}

static void end(struct net *n, int result)
{
	ck_assert_int_eq(pstk_network_wait(n->net), result);
	ck_assert_uint_eq(n->wrong, 0);
	pstk_network_destroy(n->net);
}

START_TEST(which)
{
	static const struct {
		struct net net;
		bool source, add, sink;
	} cases[] = {
		{ { .threads = 0 }, false, false, false },
		{ { .threads = 1 }, true, true, true },
		{ { .threads = 2 }, true, true, true },
		{ { .threads = 1, .two_readers = true }, false, true, true },
		/* its neighbours wake its thread */
		{ { .threads = 1, .kahn = true }, false, false, false },
		/* windows that are kept warm */
		{ { .threads = 1, .large = true }, false, false, false },
		{ { .threads = 1, .measured = true }, false, false, false },
		/* several firings in flight */
		{ { .threads = 2, .stateless = true }, true, false, true },
	};
	struct net n = cases[_i].net;

	start(&n);
	expect_quick(&n, cases[_i].source, cases[_i].add, cases[_i].sink);
	end(&n, 0);
	ck_assert_uint_eq(n.got, 2 * FIRINGS);
}
END_TEST

START_TEST(traced)
{
	struct net n = { .threads = 1 };

	setenv("PENSTOCK_TRACE", "quick.json", 1);
	start(&n);
	unsetenv("PENSTOCK_TRACE");
	expect_quick(&n, false, false, false);
	end(&n, 0);
	unlink("quick.json");
}
END_TEST

/* What is as in the general steps. `got`: tokens at the sink; of a network that fails at most. */
static const struct {
	enum deed source, add, sink;
	int result;
	uint32_t got;
	const char *error;
} deeds[] = {
	{ .got = 2 * FIRINGS },
	{ .add = ENDS, .got = 2 * (AT + 1) },
	{ .source = ENDS, .got = 2 * (AT + 1) },
	{ .sink = ENDS, .got = 2 * (AT + 1) },
	{ .source = STOPS, .got = 2 * (AT + 1) },
	{ .add = HALF, .got = 2 * AT + 1 },
	{ .source = HALF, .got = 2 * AT + 1 },
	{ .add = FAILS, .result = -EIO, .got = 2 * AT, .error = "'add'" },
	{ .add = ABORTS, .result = -ECANCELED, .got = 2 * AT },
	{ .add = FORGETS, .result = -EPROTO, .got = 2 * AT, .error = "'out'" },
	{ .add = NAMES_NONE, .result = -EPROTO, .got = 2 * AT, .error = "there is no port 9" },
	{ .add = STARTS_TWICE, .result = -EPROTO, .got = 2 * AT, .error = "'out'" },
};

START_TEST(unusual)
{
	int k = _i / 3;
	struct net n = { .threads = (unsigned)_i % 3,
		.source_deed = deeds[k].source,
		.deed = deeds[k].add,
		.sink_deed = deeds[k].sink };
	const char *error;

	start(&n);
	ck_assert_int_eq(n.add->task->quick, n.threads > 0);
	ck_assert_int_eq(pstk_network_wait(n.net), deeds[k].result);
	error = pstk_network_error(n.net);
	if (deeds[k].error)
		ck_assert_msg(strstr(error, deeds[k].error) && strstr(error, "firing 37"), "%s", error);
	if (deeds[k].result)
		ck_assert_uint_le(n.got, deeds[k].got);
	else
		ck_assert_uint_eq(n.got, deeds[k].got);
	end(&n, deeds[k].result);
}
END_TEST

/* Dynamic actors, two FIFOs in a bundle and one apart: each token, and which ports are on. _i: threads. */
START_TEST(beside)
{
	struct bundle_net n = {
		.fifos = { { .rate = 2, .depth = 2, .token_size = 4, .on = 6 },
			{ .rate = 2, .depth = 2, .token_size = 8, .on = 6 },
			{ .rate = 2, .depth = 2, .token_size = 4, .on = 9 } },
		.count = 3,
		.values = 4,
		.firings = 400,
		.threads = (unsigned)_i,
	};

	bundle_net_build(&n);
	ck_assert_int_eq(pstk_network_start(n.net), 0);
	ck_assert(n.write->task->quick && n.read->task->quick);
	ck_assert_ptr_eq(n.made[1]->lead, n.made[0]);
	ck_assert_int_eq(pstk_network_wait(n.net), 0);
	ck_assert_uint_eq(atomic_load(&n.wrong), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(n.read_windows[i], 200);
	bundle_net_destroy(&n);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("quick");
	TCase *test = test_case(suite, "quick");

	tcase_add_loop_test(test, which, 0, 8);
	tcase_add_loop_test(test, beside, 1, 3);
	tcase_add_test(test, traced);
	tcase_add_loop_test(test, unusual, 0, 3 * TEST_COUNT(deeds));
	return test_main(suite);
}
