/* SPDX-License-Identifier: MIT */
/*
 * Dynamic actors on the cores: what control() decides is what moves, in order, and everything that may go wrong with
 * it. Most networks here are PSTK_UNCHECKED: a source that always writes into a port that is sometimes on is what the
 * analyser is there to refuse, and ends well here because streams end.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <string.h>

enum { CTL, A, B, OUT, PORTS };
enum { ON_A = 1, ON_B = 2, ON_OUT = 4, VALUES = 8, LONGEST = 64 };

/* -- the actors: conf gives control tokens, gate obeys them -- */

struct conf {
	const uint32_t *values;
	unsigned count;
	_Atomic uint64_t given;
};

static int conf_fire(struct pstk_firing *f)
{
	struct conf *conf = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = atomic_load(&conf->given);

	*(uint32_t *)pstk_fifo_write_start(f, 0) = conf->values[i];
	pstk_fifo_write_end(f, 0);
	atomic_store(&conf->given, i + 1);
	return i + 1 == conf->count ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_port conf_port = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };

/* What gate has seen, one entry a firing. */
struct gate {
	unsigned fired;
	uint64_t index[LONGEST];
	unsigned on[LONGEST], asked[VALUES];
	uint64_t sum[LONGEST];
	uint32_t valid[LONGEST][PORTS];
	bool (*control_fault)(struct pstk_firing *f, uint32_t value, int *rc); /* true: has decided */
	void (*fire_fault)(struct pstk_firing *f);
	unsigned done_after;
};

static int gate_control(struct pstk_firing *f, uint32_t value)
{
	struct gate *gate = pstk_actor_arg(pstk_firing_actor(f));
	int rc = 0;

	if (gate->control_fault && gate->control_fault(f, value, &rc))
		return rc;
	for (unsigned p = A; p <= OUT; p++)
		pstk_port_enable(f, p, value >> (p - A) & 1);
	return 0;
}

static uint64_t take(struct pstk_firing *f, unsigned port)
{
	const uint64_t *in = pstk_fifo_read_start(f, port);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < pstk_port_valid(f, port); i++)
		sum += in[i];
	pstk_fifo_read_end(f, port);
	return sum;
}

static int gate_fire(struct pstk_firing *f)
{
	struct gate *gate = pstk_actor_arg(pstk_firing_actor(f));
	unsigned n = gate->fired++;

	gate->index[n] = pstk_firing_index(f);
	for (unsigned p = 0; p < PORTS; p++) {
		gate->valid[n][p] = pstk_port_valid(f, p);
		if (pstk_port_enabled(f, p))
			gate->on[n] |= 1u << p >> A;
	}
	if (gate->fire_fault)
		gate->fire_fault(f);
	for (unsigned p = A; p <= B; p++)
		if (pstk_port_enabled(f, p))
			gate->sum[n] += take(f, p);
	if (pstk_port_enabled(f, OUT)) {
		uint64_t *out = pstk_fifo_write_start(f, OUT);

		for (uint32_t i = 0; i < pstk_port_valid(f, OUT); i++)
			out[i] = n;
		pstk_fifo_write_end(f, OUT);
	}
	return n + 1 == gate->done_after ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_port gate_ports[] = {
	{ .name = "ctl", .kind = PSTK_CONTROL },
	{ .name = "a", .kind = PSTK_DYNAMIC_INPUT, .token_size = 8 },
	{ .name = "b", .kind = PSTK_DYNAMIC_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 8 },
};

/* conf -> gate; two counts -> gate -> collector of bytes, each FIFO with `rate`. */
struct net {
	bool undeclared; /* the gate's values: control() is called in each firing */
	struct pstk_network *net;
	struct conf conf;
	struct gate gate;
	struct simple_count count[2];
	struct pstk_actor *actors[5];
	struct pstk_fifo *fifos[4];
};

static int drain_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port drain_port = { .name = "in", .kind = PSTK_INPUT };

static void build(struct net *n, const uint32_t *values, unsigned count, uint32_t rate)
{
	uint64_t tokens[2] = { n->count[0].tokens, n->count[1].tokens };

	for (unsigned i = 0; i < 2; i++)
		n->count[i].tokens = tokens[i] ? tokens[i] : SIMPLE_ALL;
	n->net = pstk_network_create("control");
	n->conf = (struct conf){ .values = values, .count = count };
	n->actors[0] = pstk_network_add(n->net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &conf_port, .port_count = 1, .fire = conf_fire),
		&n->conf);
	n->actors[1] = pstk_network_add(n->net, "gate",
		PSTK_ACTOR_TYPE(.name = "gate", .ports = gate_ports, .port_count = PORTS,
			.control_values = n->undeclared ? 0 : VALUES, .control = gate_control,
			.fire = gate_fire),
		&n->gate);
	n->actors[2] = pstk_network_add(n->net, "left", simple_count_type(), &n->count[0]);
	n->actors[3] = pstk_network_add(n->net, "right", simple_count_type(), &n->count[1]);
	n->actors[4] = pstk_network_add(n->net, "drain",
		PSTK_ACTOR_TYPE(.name = "drain", .ports = &drain_port, .port_count = 1, .fire = drain_fire),
		NULL);
	n->fifos[0] =
		pstk_connect(n->actors[0], "out", n->actors[1], "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	for (unsigned i = 0; i < 2; i++)
		n->fifos[1 + i] = pstk_connect(n->actors[2 + i], "out", n->actors[1], i ? "b" : "a",
			PSTK_FIFO(.rate = rate, .token_size = 8));
	n->fifos[3] = pstk_connect(
		n->actors[1], "out", n->actors[4], "in", PSTK_FIFO(.rate = rate, .token_size = 8));
	ck_assert_int_eq(pstk_network_set_flags(n->net, PSTK_UNCHECKED), 0);
}

/* -- what moves -- */

/* The sum of count's tokens of its w-th window. */
static uint64_t window_sum(uint64_t w, uint32_t rate)
{
	return rate * (w * rate) + (uint64_t)rate * (rate - 1) / 2;
}

static void check_run(struct net *n, const uint32_t *values, unsigned count, uint32_t rate)
{
	uint64_t taken[2] = { 0, 0 }, written = 0;
	struct pstk_actor_stats stats;
	struct pstk_fifo_info info;
	unsigned fired = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t sum = 0;

		if (!values[i])
			continue;
		for (unsigned p = 0; p < 2; p++)
			if (values[i] >> p & 1)
				sum += window_sum(taken[p]++, rate);
		ck_assert_uint_eq(n->gate.index[fired], i);
		ck_assert_uint_eq(n->gate.on[fired], values[i]);
		ck_assert_uint_eq(n->gate.sum[fired], sum);
		for (unsigned p = A; p <= OUT; p++)
			ck_assert_uint_eq(n->gate.valid[fired][p], values[i] >> (p - A) & 1 ? rate : 0);
		ck_assert_uint_eq(n->gate.valid[fired][CTL], 0);
		written += values[i] >> 2 & 1;
		fired++;
	}
	ck_assert_uint_eq(n->gate.fired, fired);
	ck_assert_int_eq(pstk_actor_get_stats(n->actors[1], &stats), 0);
	ck_assert_uint_eq(stats.firings, fired);
	ck_assert_uint_eq(stats.control_tokens, count);
	for (unsigned p = 0; p < 2; p++) {
		ck_assert_int_eq(pstk_fifo_get_info(n->fifos[1 + p], &info), 0);
		ck_assert_uint_eq(info.read, taken[p] * rate);
	}
	ck_assert_int_eq(pstk_fifo_get_info(n->fifos[3], &info), 0);
	ck_assert_uint_eq(info.written, written * rate);
	ck_assert_uint_eq(info.read, written * rate);
}

/* Random values, all rates. */
START_TEST(moves_what_control_says)
{
	struct test_rng rng = { test_seed() + (uint64_t)_i };
	uint64_t rounds = test_rounds(40);

	for (uint64_t round = 0; round < rounds; round++) {
		uint32_t values[LONGEST], rate = test_between(&rng, 1, 16);
		unsigned count = test_between(&rng, 1, LONGEST);
		struct net n = { 0 };

		for (unsigned i = 0; i < count; i++)
			values[i] = test_between(&rng, 0, VALUES - 1);
		test_guard("random control values", test_seed() + (uint64_t)_i);
		build(&n, values, count, rate);
		ck_assert_int_eq(pstk_network_run(n.net), 0);
		check_run(&n, values, count, rate);
		pstk_network_destroy(n.net);
	}
}
END_TEST

/* Neither fire() nor anything else, and the tokens of the inputs stay where they are. */
START_TEST(all_off_is_no_firing)
{
	static const uint32_t values[LONGEST];
	struct net n = { 0 };

	build(&n, values, LONGEST, 3);
	ck_assert_int_eq(pstk_network_run(n.net), 0);
	check_run(&n, values, LONGEST, 3);
	ck_assert_uint_eq(n.gate.fired, 0);
	pstk_network_destroy(n.net);
}
END_TEST

/* -- how it ends -- */

/* An input that is off has ended long ago; the actor goes on as long as it does not need it. */
START_TEST(closed_input_that_is_off)
{
	static const uint32_t values[] = { ON_A | ON_B | ON_OUT, ON_A | ON_B, ON_B, ON_B | ON_OUT, ON_OUT,
		ON_B, 0, ON_A | ON_B, ON_B, ON_B };
	struct pstk_actor_stats stats;
	struct net n = { .count[0].tokens = 4 };

	build(&n, values, TEST_COUNT(values), 2);
	ck_assert_int_eq(pstk_network_run(n.net), 0);
	/* the eighth wants a third window of a, which never comes: a control token that is not counted */
	ck_assert_uint_eq(n.gate.fired, 6);
	ck_assert_uint_eq(n.gate.index[5], 5);
	ck_assert_int_eq(pstk_actor_get_stats(n.actors[1], &stats), 0);
	ck_assert_uint_eq(stats.control_tokens, 7);
	ck_assert_uint_eq(stats.firings, 6);
	pstk_network_destroy(n.net);
}
END_TEST

/* A last window that is filled partly: of the inputs that are on only; it is the actor's last firing. */
START_TEST(partly_filled_window)
{
	static const uint32_t values[] = { ON_A | ON_OUT, ON_B | ON_OUT, ON_A | ON_B | ON_OUT,
		ON_B | ON_OUT };
	struct net n = { .count[0].tokens = 5 };
	struct pstk_fifo_info info;

	build(&n, values, TEST_COUNT(values), 4);
	ck_assert_int_eq(pstk_network_run(n.net), 0);
	ck_assert_uint_eq(n.gate.fired, 3);
	ck_assert_uint_eq(n.gate.valid[1][A], 0);
	ck_assert_uint_eq(n.gate.valid[1][OUT], 4);
	ck_assert_uint_eq(n.gate.valid[2][A], 1);
	ck_assert_uint_eq(n.gate.valid[2][B], 4);
	ck_assert_uint_eq(n.gate.valid[2][OUT], 1);
	ck_assert_int_eq(pstk_fifo_get_info(n.fifos[3], &info), 0);
	ck_assert_uint_eq(info.written, 9);
	pstk_network_destroy(n.net);
}
END_TEST

START_TEST(done_ends_it)
{
	static const uint32_t values[] = { ON_A, 0, ON_B, ON_A, ON_A };
	struct net n = { .gate.done_after = 2 };

	build(&n, values, TEST_COUNT(values), 1);
	ck_assert_int_eq(pstk_network_run(n.net), 0);
	ck_assert_uint_eq(n.gate.fired, 2);
	ck_assert_uint_eq(n.gate.index[1], 2);
	pstk_network_destroy(n.net);
}
END_TEST

/* One control token that never is followed by another, because the actor that gives it waits for the actor that takes
 * it. A static input that has ended ends the taking actor all the same. */
static int shy_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	*(uint32_t *)pstk_fifo_write_start(f, 1) = 0;
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int follow_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 2, value == 0);
	return 0;
}

static int follow_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 1);
	pstk_fifo_read_end(f, 1);
	*(uint32_t *)pstk_fifo_write_start(f, 2) = 0;
	pstk_fifo_write_end(f, 2);
	return PSTK_AGAIN;
}

START_TEST(static_input_ends_before_control)
{
	static const struct pstk_port shy[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_port follow[] = { { .name = "ctl", .kind = PSTK_CONTROL },
		{ .name = "in", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_DYNAMIC_OUTPUT } };
	struct pstk_network *net = pstk_network_create("shy");
	struct simple_count count = { .tokens = 2 };
	struct pstk_actor_stats stats;
	struct pstk_actor *s = pstk_network_add(net, "shy",
		PSTK_ACTOR_TYPE(.name = "shy", .ports = shy, .port_count = 2, .fire = shy_fire), NULL);
	struct pstk_actor *a = pstk_network_add(net, "follow",
		PSTK_ACTOR_TYPE(.name = "follow", .ports = follow, .port_count = 3, .control_values = 1,
			.control = follow_control, .fire = follow_fire),
		NULL);
	struct pstk_actor *c = pstk_network_add(net, "count", simple_count_type(), &count);

	pstk_connect(c, "out", a, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_connect(s, "out", a, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	/* as many delay tokens as count has: then shy waits for follow, and follow for shy */
	pstk_connect(a, "out", s, "in", PSTK_FIFO(.rate = 3, .delay = 6, .token_size = 4));
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_int_eq(pstk_actor_get_stats(a, &stats), 0);
	ck_assert_uint_eq(stats.firings, 2);
	pstk_network_destroy(net);
}
END_TEST

/* A gate with port a only, any value. */
static bool wide_control(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)rc;
	pstk_port_enable(f, A, value == UINT32_MAX || value == ON_A);
	return true;
}

/* A source of tokens that waits inside fire() until the test lets it go on. */
struct held {
	_Atomic uint64_t allowed;
	uint64_t given;
};

static int held_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct held *held = pstk_actor_arg(self);

	test_await(&held->allowed, ++held->given);
	memset(pstk_fifo_write_start(f, 0), 0, 8 * pstk_actor_port_rate(self, 0));
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port held_port = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 };

/* The control token's slot is free before the actor waits for its windows: the deciding actor gets depth + 1 ahead. */
START_TEST(slot_is_free_before_windows)
{
	static const uint32_t values[] = { ON_A, ON_A, ON_A, ON_A, ON_A, ON_A };
	struct conf conf = { .values = values, .count = TEST_COUNT(values) };
	struct held held = { 0 };
	struct gate gate = { 0 };
	struct pstk_network *net = pstk_network_create("ahead");
	struct pstk_actor *c = pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &conf_port, .port_count = 1, .fire = conf_fire),
		&conf);
	struct pstk_actor *g = pstk_network_add(net, "gate",
		PSTK_ACTOR_TYPE(.name = "gate", .ports = gate_ports, .port_count = B,
			.control_values = VALUES, .control = gate_control, .fire = gate_fire),
		&gate);
	struct pstk_actor *h = pstk_network_add(net, "held",
		PSTK_ACTOR_TYPE(.name = "held", .ports = &held_port, .port_count = 1, .blocks = true,
			.fire = held_fire),
		&held);

	gate.control_fault = wide_control;
	pstk_connect(c, "out", g, "ctl", PSTK_FIFO(.rate = 1, .depth = 3, .token_size = 4));
	pstk_connect(h, "out", g, "a", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&conf.given, 4);
	atomic_store(&held.allowed, UINT64_MAX);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(gate.fired, TEST_COUNT(values));
	pstk_network_destroy(net);
}
END_TEST

/* -- what control() and fire() must not do -- */

static bool returns_error(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)value;
	*rc = pstk_actor_error(pstk_firing_actor(f), -EDOM, "no such mode");
	return true;
}

static bool enables_static(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)value;
	(void)rc;
	pstk_port_enable(f, CTL, true);
	return true;
}

static bool enables_nothing(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)value;
	(void)rc;
	pstk_port_enable(f, 17, true);
	return true;
}

static bool starts_window(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)value;
	(void)rc;
	ck_assert_ptr_null(pstk_fifo_read_start(f, A));
	return true;
}

/* What control() may do, twice: the last word counts. */
static bool changes_its_mind(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)rc;
	ck_assert(!pstk_port_enabled(f, A) && !pstk_port_enabled(f, OUT) && !pstk_port_enabled(f, CTL));
	ck_assert_uint_eq(pstk_actor_port_rate(pstk_firing_actor(f), A), 1);
	pstk_port_enable(f, A, true);
	ck_assert(pstk_port_enabled(f, A));
	pstk_port_enable(f, A, false);
	pstk_port_enable(f, OUT, value & ON_OUT);
	return true;
}

static void fire_enables(struct pstk_firing *f)
{
	pstk_port_enable(f, A, true);
}

static void fire_starts_off(struct pstk_firing *f)
{
	ck_assert_ptr_null(pstk_fifo_read_start(f, B));
}

static void fire_ends_off(struct pstk_firing *f)
{
	pstk_fifo_read_end(f, B);
}

static void fire_partial_off(struct pstk_firing *f)
{
	pstk_fifo_write_end_partial(f, OUT, 1);
}

static void fire_reads_control(struct pstk_firing *f)
{
	ck_assert_ptr_null(pstk_fifo_read_start(f, CTL));
}

static const struct fault {
	bool (*control)(struct pstk_firing *, uint32_t, int *);
	void (*fire)(struct pstk_firing *);
	int err;
	const char *words[3];
} faults[] = {
	{ returns_error, NULL, -EDOM, { "'gate'", "control() in firing 2", "no such mode" } },
	{ enables_static, NULL, -EPROTO,
		{ "'gate'", "firing 2", "port 'ctl' is not dynamic (control port)" } },
	{ enables_nothing, NULL, -EPROTO, { "'gate'", "firing 2", "there is no port 17, only 4" } },
	{ starts_window, NULL, -EPROTO, { "'gate'", "firing 2", "not in control(): port 'a'" } },
	{ NULL, fire_enables, -EPROTO, { "'gate'", "firing 2", "pstk_port_enable: only in control()" } },
	{ NULL, fire_starts_off, -EPROTO, { "'gate'", "firing 2", "port 'b' is off in this firing" } },
	{ NULL, fire_ends_off, -EPROTO, { "'gate'", "firing 2", "port 'b' is off in this firing" } },
	{ NULL, fire_partial_off, -EPROTO, { "'gate'", "firing 2", "port 'out' is off in this firing" } },
	{ NULL, fire_reads_control, -EPROTO, { "'gate'", "firing 2", "port 'ctl'" } },
};

/* The fault, from the third control token on. */
static const struct fault *fault;

static bool fault_control(struct pstk_firing *f, uint32_t value, int *rc)
{
	return pstk_firing_index(f) == 2 && fault->control && fault->control(f, value, rc);
}

static void fault_fire(struct pstk_firing *f)
{
	if (pstk_firing_index(f) == 2 && fault->fire)
		fault->fire(f);
}

START_TEST(faults_are_named)
{
	static const uint32_t values[] = { ON_A, 0, ON_A, ON_A };
	struct net n = { .gate = { .control_fault = fault_control, .fire_fault = fault_fire } };

	fault = &faults[_i];
	n.undeclared = fault->control;
	build(&n, values, TEST_COUNT(values), 2);
	ck_assert_int_eq(pstk_network_run(n.net), fault->err);
	test_says(pstk_network_error(n.net), fault->words, 3);
	ck_assert_uint_eq(n.gate.fired, fault->control ? 1 : 2);
	pstk_network_destroy(n.net);
}
END_TEST

START_TEST(last_word_counts)
{
	static const uint32_t values[] = { ON_A, ON_OUT, ON_B | ON_OUT };
	struct net n = { .gate.control_fault = changes_its_mind };

	build(&n, values, TEST_COUNT(values), 1);
	ck_assert_int_eq(pstk_network_run(n.net), 0);
	ck_assert_uint_eq(n.gate.fired, 2);
	ck_assert_uint_eq(n.gate.on[0], ON_OUT);
	ck_assert_uint_eq(n.gate.on[1], ON_OUT);
	pstk_network_destroy(n.net);
}
END_TEST

START_TEST(value_out_of_range)
{
	static const uint32_t values[] = { ON_A, VALUES - 1, VALUES, 0 };
	struct net n = { 0 };

	build(&n, values, TEST_COUNT(values), 1);
	ck_assert_int_eq(pstk_network_run(n.net), -ERANGE);
	TEST_SAYS(pstk_network_error(n.net), "'gate'", "firing 2",
		"'conf'.out sent 8: its control values are 0 to 7");
	ck_assert_uint_eq(n.gate.fired, 2);
	pstk_network_destroy(n.net);
}
END_TEST

/* Not pure: from the third firing on the value is not all that counts. */
static bool forgets_out(struct pstk_firing *f, uint32_t value, int *rc)
{
	(void)rc;
	if (pstk_firing_index(f) < 2)
		return false;
	pstk_port_enable(f, B, value & ON_B);
	return true;
}

static bool counts_calls(struct pstk_firing *f, uint32_t value, int *rc)
{
	struct gate *gate = pstk_actor_arg(pstk_firing_actor(f));

	(void)rc;
	gate->asked[value]++;
	return false;
}

/* A declared value is decided once, before the start: control() is not called again, so nothing that it may have become
 * counts. */
START_TEST(declared_values_are_decided_once)
{
	static const uint32_t values[] = { ON_OUT, ON_B, ON_B, 0, ON_OUT, ON_B, ON_A | ON_OUT };
	bool (*const controls[])(struct pstk_firing *, uint32_t, int *) = { counts_calls, forgets_out };

	for (unsigned i = 0; i < TEST_COUNT(controls); i++) {
		struct net n = { .gate.control_fault = controls[i] };
		unsigned fired = 0;

		build(&n, values, TEST_COUNT(values), 1);
		ck_assert_int_eq(pstk_network_run(n.net), 0);
		for (unsigned k = 0; k < TEST_COUNT(values); k++)
			if (values[k])
				ck_assert_uint_eq(n.gate.on[fired++], values[k]);
		ck_assert_uint_eq(n.gate.fired, fired);
		for (unsigned value = 0; value < VALUES; value++)
			ck_assert_uint_eq(n.gate.asked[value], !i);
		pstk_network_destroy(n.net);
	}
}
END_TEST

/* control() fails for value 5: the values before it are decided all the same, those from it on are when they come. */
static bool knows_no_five(struct pstk_firing *f, uint32_t value, int *rc)
{
	bool early = pstk_firing_index(f) < 2;

	*rc = value == 5 && early ? -EDOM : 0;
	pstk_port_enable(f, OUT, !early);
	return true;
}

START_TEST(control_that_failed_before)
{
	static const uint32_t values[][5] = { { 2, 2, 6, 3, 6 }, { 4, 4, 5, 7, 4 } };

	for (unsigned i = 0; i < TEST_COUNT(values); i++) {
		struct net n = { .gate.control_fault = knows_no_five };

		build(&n, values[i], TEST_COUNT(values[i]), 1);
		ck_assert_int_eq(pstk_network_run(n.net), 0);
		ck_assert_uint_eq(n.gate.fired, 2);
		ck_assert_uint_eq(n.gate.index[0], 2);
		ck_assert_uint_eq(n.gate.index[1], i ? 3 : 4);
		for (unsigned k = 0; k < 2; k++)
			ck_assert_uint_eq(n.gate.on[k], ON_OUT);
		pstk_network_destroy(n.net);
	}
}
END_TEST

START_TEST(undeclared_values)
{
	static const uint32_t values[] = { UINT32_MAX, 1u << 31, UINT32_MAX, 77 };
	struct pstk_network *net = pstk_network_create("wide");
	struct conf conf = { .values = values, .count = TEST_COUNT(values) };
	struct gate gate = { .control_fault = wide_control };
	struct simple_count count = { .tokens = SIMPLE_ALL };
	struct pstk_actor *c = pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &conf_port, .port_count = 1, .fire = conf_fire),
		&conf);
	struct pstk_actor *g = pstk_network_add(net, "gate",
		PSTK_ACTOR_TYPE(.name = "gate", .ports = gate_ports, .port_count = B, .control = gate_control,
			.fire = gate_fire),
		&gate);

	pstk_connect(c, "out", g, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(pstk_network_add(net, "count", simple_count_type(), &count), "out", g, "a",
		PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(gate.fired, 2);
	ck_assert_uint_eq(gate.index[1], 2);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control");
	TCase *moves = test_case(suite, "moves"), *ends = test_case(suite, "ends"),
	      *wrong = test_case(suite, "wrong");

	tcase_add_loop_test(moves, moves_what_control_says, 0, 8);
	tcase_add_test(moves, all_off_is_no_firing);
	tcase_add_test(moves, slot_is_free_before_windows);
	tcase_add_test(moves, last_word_counts);
	tcase_add_test(moves, undeclared_values);
	tcase_add_test(moves, declared_values_are_decided_once);
	tcase_add_test(ends, closed_input_that_is_off);
	tcase_add_test(ends, partly_filled_window);
	tcase_add_test(ends, done_ends_it);
	tcase_add_test(ends, static_input_ends_before_control);
	tcase_add_loop_test(wrong, faults_are_named, 0, TEST_COUNT(faults));
	tcase_add_test(wrong, value_out_of_range);
	tcase_add_test(wrong, control_that_failed_before);
	return test_main(suite);
}
