/* SPDX-License-Identifier: MIT */
/*
 * What fire() sees where its type declares steps: the history, the tail, a last firing. A source numbers its tokens
 * from 1; a map takes `rate` of them a step and writes their sum, that of what it sees, and the first of it; a sink
 * keeps all. A serial program says what comes out: it depends on nothing else, such as steps, depths or which threads
 * fire.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, OUT = 3 };

struct source {
	uint32_t tokens, given;
	bool nothing; /* says so in a firing of its own: ends its last window with 0 tokens */
	uint32_t firings;
};

static int give(struct pstk_firing *f)
{
	struct source *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t window = pstk_actor_port_rate(pstk_firing_actor(f), 0), left = s->tokens - s->given;
	uint32_t count = left < window ? left : window, *out = pstk_fifo_write_start(f, 0);

	if (!out) /* a kahn one */
		return PSTK_DONE;
	s->firings++;
	for (uint32_t i = 0; i < count; i++)
		out[i] = ++s->given;
	if (count < window && (count || s->nothing))
		pstk_fifo_write_end_partial(f, 0, count);
	else if (count == window)
		pstk_fifo_write_end(f, 0);
	return count == window || s->nothing ? PSTK_AGAIN : PSTK_DONE;
}

struct map {
	uint32_t rate, history;
	bool peek, whole;
};

static int declare(struct pstk_actor *self)
{
	const struct map *m = pstk_actor_arg(self);

	pstk_actor_set_rate(self, 1, OUT);
	if (m->peek)
		pstk_actor_set_peek(self, 0, m->rate + m->history);
	else
		pstk_actor_set_history(self, 0, m->history);
	return pstk_actor_set_rate(self, 0, m->rate);
}

/* One step: what lies before its new tokens, and these. */
static void map_step(const struct map *m, const uint32_t *seen, uint32_t out[OUT])
{
	out[0] = out[1] = 0;
	for (uint32_t i = 0; i < m->history + m->rate; i++) {
		out[1] += seen[i];
		out[0] += i < m->history ? 0 : seen[i];
	}
	out[2] = seen[0];
}

static int map(struct pstk_firing *f)
{
	const struct map *m = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	ck_assert_uint_eq(pstk_actor_port_history(pstk_firing_actor(f), 0), m->history);
	ck_assert_uint_ge(pstk_firing_steps(f), 1);
	ck_assert_uint_eq(pstk_port_valid(f, 1), pstk_firing_steps(f) * OUT);
	for (uint32_t step = 0; step < pstk_actor_steps(pstk_firing_actor(f)); step++)
		map_step(m, in + (size_t)step * m->rate, out + step * OUT);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

struct sink {
	uint32_t count, tokens[MOST];
};

static int keep(struct pstk_firing *f)
{
	struct sink *s = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t valid = pstk_port_valid(f, 0);

	ck_assert_uint_eq(pstk_firing_steps(f), 0); /* it declares nothing */
	ck_assert_uint_le(s->count + valid, MOST);
	memcpy(s->tokens + s->count, in, valid * sizeof *in);
	s->count += valid;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };

/* What the sink should get: zeros lie before the stream, or behind it. */
static void expect(const struct map *m, uint32_t tokens, uint32_t tail, struct sink *sink)
{
	uint32_t stream[2 * MOST] = { 0 }, origin = m->peek ? m->history : 0;
	uint64_t fresh = (uint64_t)tokens + tail;

	for (uint32_t i = 0; i < tokens; i++)
		stream[MOST + i] = i + 1;
	fresh = fresh > origin ? fresh - origin : 0;
	sink->count = 0;
	for (uint64_t step = 0; m->whole ? (step + 1) * m->rate <= fresh : step * m->rate < fresh; step++) {
		map_step(m, stream + MOST + origin + step * m->rate - m->history, sink->tokens + sink->count);
		sink->count += OUT;
	}
}

/* How it is run. */
struct way {
	uint32_t steps, write_rate, depth, tail; /* steps 0: PSTK_STEPS_AUTO */
	unsigned threads, aside;                 /* aside: firings side by side */
	bool kahn, nothing;
};

static void run_chain(const struct map *m, uint32_t tokens, const struct way *way, struct sink *sink)
{
	struct pstk_network *net = pstk_network_create("steps");
	struct source source = { .tokens = tokens, .nothing = way->nothing };
	struct map arg = *m;
	struct pstk_actor *a = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "give", .ports = ports + 1, .port_count = 1, .fire = give,
			.kahn = way->kahn),
		&source);
	struct pstk_actor *b = pstk_network_add(net, "map",
		PSTK_ACTOR_TYPE(.name = "map", .ports = ports, .port_count = 2, .fire = map, .rates = declare,
			.stateless = true, .whole_steps = m->whole),
		&arg);
	struct pstk_actor *c = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "keep", .ports = ports, .port_count = 1, .fire = keep), sink);

	sink->count = 0;
	if (way->steps)
		ck_assert_int_eq(pstk_actor_set_steps(b, way->steps), 0);
	else
		ck_assert_int_eq(pstk_network_set_flags(net, PSTK_STEPS_AUTO), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, way->threads), 0);
	pstk_connect(a, "out", b, "in",
		PSTK_FIFO(.write_rate = way->write_rate, .depth = way->depth, .tail = way->tail));
	pstk_connect(b, "out", c, "in", PSTK_FIFO(.depth = way->depth));
	ck_assert_int_eq(pstk_actor_set_concurrency(b, way->aside), 0);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
}

static struct way random_way(struct test_rng *rng)
{
	struct way way = { .steps = test_between(rng, 0, 9),
		.write_rate = test_between(rng, 1, 12),
		.depth = test_between(rng, 1, 4),
		.tail = test_chance(rng, 50) ? 0 : test_between(rng, 1, 40),
		.threads = test_between(rng, 0, 3),
		.kahn = test_chance(rng, 20),
		.nothing = test_chance(rng, 50) };

	way.aside = test_between(rng, 1, way.depth);
	return way;
}

/* Streams that are empty, shorter than a window, than the history, than a peek, and longer; each in a random way. */
START_TEST(what_comes_out)
{
	static struct sink expected, got;
	uint64_t rounds = test_rounds(3000);

	for (uint64_t seed = test_seed(); seed < test_seed() + rounds; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct map m = { .rate = test_between(&rng, 1, 7),
			.history = test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 20),
			.whole = test_chance(&rng, 40) };
		struct way way = random_way(&rng);
		uint32_t tokens =
			test_chance(&rng, 50) ? test_between(&rng, 0, 30) : test_between(&rng, 30, 300);

		m.peek = test_chance(&rng, 40);
		test_guard("steps", seed);
		expect(&m, tokens, way.tail, &expected);
		run_chain(&m, tokens, &way, &got);
		ck_assert_msg(
			got.count == expected.count && !memcmp(got.tokens, expected.tokens, got.count * 4),
			"PENSTOCK_TEST_SEED=%llu: %u tokens, not %u", (unsigned long long)seed, got.count,
			expected.count);
	}
}
END_TEST

/* A 5:1 decimator and 13 tokens: 3 steps, of which the last one sees 2 zeros; or 2, and what is left is told. */
START_TEST(whole_steps)
{
	static struct sink sink;
	const struct map rounded = { .rate = 5 }, whole = { .rate = 5, .whole = true };
	const struct way way = { .steps = 4, .write_rate = 4, .depth = 2, .aside = 1 };

	setenv("PENSTOCK_DEBUG", "fifo:info", 1); /* read once in this test's process */
	test_log_start();
	run_chain(&rounded, 13, &way, &sink);
	ck_assert_uint_eq(sink.count, 3 * OUT);
	ck_assert_uint_eq(sink.tokens[2 * OUT], 11 + 12 + 13);
	ck_assert(!test_log_has("dropped"));
	run_chain(&whole, 13, &way, &sink);
	ck_assert_uint_eq(sink.count, 2 * OUT);
	ck_assert_uint_eq(sink.tokens[OUT], 6 + 7 + 8 + 9 + 10);
	ck_assert(test_log_has("'source'.out -> 'map'.in: 3 tokens were dropped: no whole step"));
	run_chain(&whole, 4, &way, &sink); /* no step at all: fire() is not called */
	ck_assert_uint_eq(sink.count, 0);
	ck_assert(test_log_has("'source'.out -> 'map'.in: 4 tokens are left"));
	test_log_stop();
}
END_TEST

/* A last firing that publishes nothing at one port, and the rest at another. */
static int give_two(struct pstk_firing *f)
{
	uint32_t *first = pstk_fifo_write_start(f, 0), *second = pstk_fifo_write_start(f, 1);
	bool last = pstk_firing_index(f) == 5;

	for (uint32_t i = 0; i < 4; i++)
		first[i] = second[i] = (uint32_t)pstk_firing_index(f) * 4 + i + 1;
	pstk_fifo_write_end_partial(f, 0, last ? 0 : 4);
	pstk_fifo_write_end_partial(f, 1, last ? 3 : 4);
	return PSTK_AGAIN;
}

static const struct pstk_port two[] = { { .name = "a", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = 4 },
	{ .name = "b", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = 4 } };

/* Each output has a reader that shares its memory and one that has a copy; _i threads. */
START_TEST(nothing_at_one_port)
{
	static struct sink sinks[4];
	struct pstk_network *net = pstk_network_create("nothing");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "two", .ports = two, .port_count = 2, .fire = give_two,
			.stateless = _i % 2 != 0),
		NULL);

	for (unsigned i = 0; i < 4; i++) {
		char name[8] = { 's', (char)('0' + i) };
		struct pstk_actor *sink = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "keep", .ports = ports, .port_count = 1, .fire = keep),
			&sinks[i]);

		sinks[i].count = 0;
		pstk_connect(source, i % 2 ? "b" : "a", sink, "in",
			PSTK_FIFO(.read_rate = i < 2 ? 4 : 3, .depth = 4));
	}
	ck_assert_int_eq(pstk_network_set_threads(net, (unsigned)_i), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(sinks[i].count, i % 2 ? 23 : 20);
		for (uint32_t t = 0; t < sinks[i].count; t++)
			ck_assert_uint_eq(sinks[i].tokens[t], t + 1);
	}
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("last steps");
	TCase *test = test_case(suite, "steps");

	tcase_add_test(test, what_comes_out);
	tcase_add_test(test, whole_steps);
	tcase_add_loop_test(test, nothing_at_one_port, 0, 5);
	return test_main(suite);
}
