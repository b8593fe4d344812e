/* SPDX-License-Identifier: MIT */
/* Two rates at the ends of a FIFO: repetitions, rooms, figures, which readers share; and every token arrives. */
#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct pstk_fifo *join(struct pstk_actor *src, const char *out, struct pstk_actor *dst, const char *in,
	uint32_t write_rate, uint32_t read_rate)
{
	struct pstk_fifo *f = pstk_connect(src, out, dst, in,
		PSTK_FIFO(.write_rate = write_rate, .read_rate = read_rate, .token_size = 8));

	ck_assert_ptr_nonnull(f);
	return f;
}

/* count -> collect, which ends with a window that is not full. Many rates, threads and teams. */
START_TEST(every_token_arrives)
{
	for (uint32_t a = 1; a <= 7; a++)
		for (uint32_t b = 1; b <= 7; b++) {
			struct pstk_network *net = pstk_network_create("two");
			struct simple_count count = { .tokens = 1000 + a };
			struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
			struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
			struct pstk_actor *dst =
				pstk_network_add(net, "collect", simple_collect_type(), &collect);
			struct pstk_fifo *f = join(src, "out", dst, "in", a, b);
			struct pstk_fifo_info info;

			ck_assert_int_eq(pstk_network_set_threads(net, (a + b) % 3), 0);
			ck_assert_int_eq(pstk_network_run(net), 0);
			info = plan_info(f);
			ck_assert_uint_eq(collect.wrong, 0);
			ck_assert_uint_eq(collect.tokens, 1000 + a);
			ck_assert_uint_eq(collect.firings, (1000 + a + b - 1) / b);
			ck_assert_uint_eq(info.write_rate, a);
			ck_assert_uint_eq(info.rate, b);
			ck_assert_uint_eq(info.written, 1000 + a);
			ck_assert_uint_eq(info.read, (1000 + a + b - 1) / b * b);
			ck_assert_uint_eq(info.fill, 0);
			pstk_network_destroy(net);
		}
}
END_TEST

/* A stateless relay between two rates runs side by side: it copies 6 of 4 + 4 + .. tokens. */
START_TEST(side_by_side)
{
	for (unsigned threads = 0; threads <= 4; threads++) {
		struct pstk_actor_type type = *simple_relay_type();
		struct pstk_network *net = pstk_network_create("aside");
		struct simple_count count = { .tokens = 5003 };
		struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
		struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count), *relay;
		struct pstk_actor *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);

		type.stateless = true;
		relay = pstk_network_add(net, "relay", &type, NULL);
		join(src, "out", relay, "in", 4, 6);
		join(relay, "out", dst, "in", 6, 5);
		ck_assert_int_eq(pstk_actor_set_concurrency(relay, 2), 0);
		ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
		ck_assert_uint_eq(pstk_actor_repetitions(src), 15);
		ck_assert_uint_eq(pstk_actor_repetitions(relay), 10);
		ck_assert_uint_eq(pstk_actor_repetitions(dst), 12);
		ck_assert_int_eq(pstk_network_run(net), 0);
		ck_assert_uint_eq(collect.wrong, 0);
		ck_assert_uint_eq(collect.tokens, 5003);
		pstk_network_destroy(net);
	}
}
END_TEST

/* One output, readers of three rates: all read one memory. Rings of 8, 12 and 30 slots: C = 30. In a ring of 30 the
 * writes, and the reads of 4, begin at even slots: a margin of 2. Rates 3 and 10 have an end of one window each. */
START_TEST(a_broadcast)
{
	static const uint32_t rates[] = { 4, 3, 4, 10 };
	struct pstk_network *net = pstk_network_create("broadcast");
	struct simple_count count = { .tokens = 1201 };
	struct simple_collect collect[4];
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_fifo *f[4];

	for (unsigned i = 0; i < 4; i++) {
		char name[8] = { 'c', (char)('0' + i) };

		collect[i] = (struct simple_collect){ .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
		f[i] = join(src, "out", pstk_network_add(net, name, simple_collect_type(), &collect[i]), "in",
			4, rates[i]);
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(plan_info(f[i]).shared, i > 0);
	ck_assert_uint_eq(pstk_network_shared_bytes(net), (30 + 2 + 3 + 10) * 8);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(pstk_network_shared_bytes(net), (30 + 2 + 3 + 10) * 8);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(collect[i].wrong, 0);
		ck_assert_uint_eq(collect[i].tokens, 1201);
		ck_assert_int_eq(plan_info(f[i]).shared, i > 0);
	}
	/* of 301 writes the ones at slots 0 and 28, 2 tokens each; and the last token of the rates with an end */
	ck_assert_uint_eq(plan_info(f[0]).bytes_copied, (21 + 20) * 2 * 8);
	ck_assert_uint_eq(plan_info(f[1]).bytes_copied, 8);
	ck_assert_uint_eq(plan_info(f[2]).bytes_copied, 0);
	ck_assert_uint_eq(plan_info(f[3]).bytes_copied, 8);
	pstk_network_destroy(net);
}
END_TEST

/* A split, a slow way that takes 64 tokens at a time, a join: the fast way grows to 64, and only as long as it must. */
START_TEST(rooms_grow)
{
	struct pstk_network *net = pstk_network_create("grow");
	struct simple_count count = { .tokens = 64 * 20 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *slow = pstk_network_add(net, "slow", simple_relay_type(), NULL);
	struct pstk_actor *both = pstk_network_add(net, "join", simple_join_type(), NULL);
	struct pstk_actor *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);
	struct pstk_fifo *fast = join(src, "out", both, "a", 1, 1);
	char text[4000];

	ck_assert_uint_eq(plan_info(fast).room, 2);
	join(src, "out", slow, "in", 1, 64);
	ck_assert_uint_eq(plan_info(fast).room, 2);
	join(slow, "out", both, "b", 64, 1);
	ck_assert_uint_eq(plan_info(fast).room, 64);
	ck_assert_uint_eq(plan_info(fast).bytes, 64 * 8);
	ck_assert_uint_eq(plan_info(fast).depth, 2);
	join(both, "out", dst, "in", 1, 1);
	ck_assert_uint_eq(plan_info(fast).room, 64);
	ck_assert_uint_eq(pstk_actor_repetitions(slow), 1);
	ck_assert_uint_eq(pstk_actor_repetitions(both), 64);
	plan_printed(net, text, sizeof text);
	TEST_SAYS(text, "rates 1 and 64, delay 0, depth 2, room 128, token 8 B: 1024 B");
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(collect.tokens, 64 * 20);
	ck_assert_uint_eq(plan_info(fast).written, 64 * 20);
	pstk_network_destroy(net);
}
END_TEST

/* The same with a depth that is too small: refused; started all the same it deadlocks, and the message has both rates.
 * */
START_TEST(a_room_that_is_too_small)
{
	struct simple_count count = { .tokens = 64 * 20 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };

	for (unsigned unchecked = 0; unchecked < 4; unchecked++) {
		struct pstk_network *net = pstk_network_create("small");
		struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
		struct pstk_actor *slow = pstk_network_add(net, "slow", simple_relay_type(), NULL);
		struct pstk_actor *both = pstk_network_add(net, "join", simple_join_type(), NULL);
		struct pstk_actor *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);

		pstk_connect(src, "out", both, "a", PSTK_FIFO(.rate = 1, .depth = 5, .token_size = 8));
		join(src, "out", slow, "in", 1, 64);
		join(slow, "out", both, "b", 64, 1);
		join(both, "out", dst, "in", 1, 1);
		if (unchecked)
			ck_assert_int_eq(pstk_network_set_flags(net, PSTK_UNCHECKED), 0);
		if (unchecked > 1)
			ck_assert_int_eq(pstk_network_set_threads(net, unchecked - 1), 0);
		atomic_store(&count.given, 0);
		ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
		TEST_SAYS(pstk_network_error(net), "a depth of 64 or more");
		if (unchecked)
			TEST_SAYS(pstk_network_error(net), "waits for room on out [rate 1, 5/5] <- join",
				"slow (firing 0) waits for tokens on in [rates 1 and 64, 5/",
				" <- count; before the start: give ");
		pstk_network_destroy(net);
	}
}
END_TEST

enum { KAHN_TOKENS = 1000 };

static int kahn_write(struct pstk_firing *f)
{
	uint64_t tokens[7];

	for (uint64_t n = 0; n < KAHN_TOKENS; n += 7) {
		uint32_t count = KAHN_TOKENS - n < 7 ? (uint32_t)(KAHN_TOKENS - n) : 7;

		for (uint32_t i = 0; i < count; i++)
			tokens[i] = n + i;
		ck_assert_int_eq(pstk_fifo_write(f, 0, tokens, count), count);
	}
	return PSTK_DONE;
}

static int kahn_read(struct pstk_firing *f)
{
	uint64_t *next = pstk_actor_arg(pstk_firing_actor(f)), tokens[11];
	int64_t count = pstk_fifo_read(f, 0, tokens, 11);

	for (int64_t i = 0; i < count; i++)
		ck_assert_uint_eq(tokens[i], (*next)++);
	return count < 11 ? PSTK_DONE : PSTK_AGAIN;
}

/* Kahn actors move as many tokens as they like, whatever the windows are. */
START_TEST(kahn_actors)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };

	for (uint32_t a = 1; a <= 4; a++)
		for (uint32_t b = 1; b <= 4; b++) {
			uint64_t next = 0;
			struct pstk_network *net = pstk_network_create("kahn");
			struct pstk_actor *src = pstk_network_add(net, "src",
				PSTK_ACTOR_TYPE(.name = "src", .ports = &out, .port_count = 1, .kahn = true,
					.fire = kahn_write),
				NULL);
			struct pstk_actor *dst = pstk_network_add(net, "dst",
				PSTK_ACTOR_TYPE(.name = "dst", .ports = &in, .port_count = 1, .kahn = true,
					.fire = kahn_read),
				&next);

			join(src, "out", dst, "in", a, b);
			ck_assert_int_eq(pstk_network_run(net), 0);
			ck_assert_uint_eq(next, KAHN_TOKENS);
			pstk_network_destroy(net);
		}
}
END_TEST

static int check_twice(struct pstk_firing *f)
{
	uint64_t *next = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		ck_assert_uint_eq(in[i], 2 * (*next)++);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* A reader with delay tokens and one that has grown share the writer's memory: the zeros behind the last token lie
 * where neither of them still holds a window. */
START_TEST(zeros_behind_a_grown_room)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };

	for (unsigned tokens = 8; tokens <= 40; tokens++)
		for (unsigned threads = 0; threads <= 2; threads++) {
			uint64_t next = 0;
			struct pstk_network *net = pstk_network_create("seal");
			struct simple_count count = { .tokens = tokens };
			struct simple_collect collect = {
				.delay = 2, .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL
			};
			struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
			struct pstk_actor *late =
				pstk_network_add(net, "late", simple_collect_type(), &collect);
			/* before the way of another rate: its readers have no zeros of the writer's */
			struct pstk_actor *plain = pstk_network_add(net, "plain", simple_relay_type(), NULL);
			struct pstk_actor *slow = pstk_network_add(net, "slow", simple_relay_type(), NULL);
			struct pstk_actor *both = pstk_network_add(net, "join", simple_join_type(), NULL);
			struct pstk_actor *twice = pstk_network_add(net, "twice",
				PSTK_ACTOR_TYPE(.name = "twice", .ports = &in, .port_count = 1,
					.fire = check_twice),
				&next);
			struct pstk_fifo *fast;

			ck_assert_ptr_nonnull(pstk_connect(
				src, "out", late, "in", PSTK_FIFO(.rate = 4, .delay = 2, .token_size = 8)));
			fast = join(src, "out", both, "a", 4, 4);
			join(src, "out", plain, "in", 4, 4);
			join(plain, "out", slow, "in", 4, 12);
			join(slow, "out", both, "b", 12, 4);
			join(both, "out", twice, "in", 4, 4);
			pstk_network_set_threads(net, threads);
			ck_assert_uint_ge(plan_info(fast).room, 12);
			ck_assert_int_eq(pstk_network_run(net), 0);
			ck_assert(plan_info(fast).shared);
			ck_assert_uint_eq(next, tokens);
			ck_assert_uint_eq(collect.wrong, 0);
			ck_assert_uint_eq(collect.tokens, tokens + 2);
			pstk_network_destroy(net);
		}
}
END_TEST

static int conf_fire(struct pstk_firing *f)
{
	uint32_t *out = pstk_fifo_write_start(f, 0);

	for (uint64_t i = 0; i < 4; i++)
		out[i] = test_mix(4 * pstk_firing_index(f) + i) % 4 == 0;
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) < 500 ? PSTK_AGAIN : PSTK_DONE;
}

static int obey(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value);
	return 0;
}

static int give(struct pstk_firing *f)
{
	if (!pstk_port_enabled(f, 1))
		return PSTK_AGAIN;
	*(uint64_t *)pstk_fifo_write_start(f, 1) = pstk_firing_index(f);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int take(struct pstk_firing *f)
{
	if (!pstk_port_enabled(f, 1))
		return PSTK_AGAIN;
	ck_assert_uint_eq(*(const uint64_t *)pstk_fifo_read_start(f, 1), pstk_firing_index(f));
	pstk_fifo_read_end(f, 1);
	return PSTK_AGAIN;
}

/* Several control tokens a firing; members whose values are not declared compare what each of them turns on. */
START_TEST(control_tokens_by_the_window)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };
	static const struct pstk_port m1[] = { { .name = "ctl", .kind = PSTK_CONTROL },
		{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 8 } };
	static const struct pstk_port m2[] = { { .name = "ctl", .kind = PSTK_CONTROL },
		{ .name = "in", .kind = PSTK_DYNAMIC_INPUT, .token_size = 8 } };

	for (unsigned way = 0; way < 6; way++) {
		uint32_t values = way % 2 ? 2 : 0;
		struct pstk_network *net = pstk_network_create("conf");
		struct pstk_actor *conf = pstk_network_add(net, "conf",
			PSTK_ACTOR_TYPE(.name = "conf", .ports = &out, .port_count = 1, .fire = conf_fire),
			NULL);
		struct pstk_actor *a = pstk_network_add(net, "a",
			PSTK_ACTOR_TYPE(.name = "give", .ports = m1, .port_count = 2,
				.control_values = values, .control = obey, .fire = give),
			NULL);
		struct pstk_actor *b = pstk_network_add(net, "b",
			PSTK_ACTOR_TYPE(.name = "take", .ports = m2, .port_count = 2,
				.control_values = values, .control = obey, .fire = take),
			NULL);

		pstk_connect(conf, "out", a, "ctl", PSTK_FIFO(.write_rate = 4, .read_rate = 1));
		pstk_connect(conf, "out", b, "ctl", PSTK_FIFO(.write_rate = 4, .read_rate = 1));
		pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .depth = 8));
		pstk_network_set_threads(net, way / 2);
		ck_assert_int_eq(pstk_network_check(net, NULL, NULL), values ? 0 : 1);
		ck_assert_uint_eq(pstk_actor_repetitions(b), 4);
		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		pstk_network_destroy(net);
	}
}
END_TEST

/* Nothing to say of rates that contradict each other; of Kahn actors, whose rates say nothing; of no actor. */
START_TEST(repetitions)
{
	struct pstk_network *net = pstk_network_create("none");
	struct pstk_actor *a = plan_add(net, "a", false), *b = plan_add(net, "b", false),
			  *k = plan_add(net, "k", true);

	ck_assert_uint_eq(pstk_actor_repetitions(NULL), 0);
	ck_assert_uint_eq(pstk_actor_repetitions(a), 1);
	pstk_connect(a, "out", k, "in", PSTK_FIFO(.write_rate = 3, .read_rate = 2, .token_size = 4));
	ck_assert_uint_eq(pstk_actor_repetitions(a), 1);
	ck_assert_uint_eq(pstk_actor_repetitions(k), 1);
	pstk_connect(a, "out", b, "in", PSTK_FIFO(.write_rate = 3, .read_rate = 6, .token_size = 4));
	ck_assert_uint_eq(pstk_actor_repetitions(a), 2);
	ck_assert_uint_eq(pstk_actor_repetitions(b), 1);
	pstk_connect(b, "out", a, "in", PSTK_FIFO(.rate = 5, .token_size = 4));
	ck_assert_uint_eq(pstk_actor_repetitions(a), 0);
	ck_assert_uint_eq(pstk_actor_repetitions(b), 0);
	pstk_network_destroy(net);
}
END_TEST

/* A program that was built with an older library has no write_rate and read_rate; nothing behind its spec is read. */
START_TEST(an_older_spec)
{
	const struct pstk_fifo_spec spec = *PSTK_FIFO(.rate = 2, .token_size = 8);
	size_t size = offsetof(struct pstk_fifo_spec, write_rate);
	struct simple_count count = { .tokens = 9 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("older");
	struct pstk_actor *src = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *dst = pstk_network_add(net, "collect", simple_collect_type(), &collect);
	uint32_t *older = malloc(size);

	memcpy(older, &spec, size);
	*older = (uint32_t)size;
	ck_assert_ptr_nonnull(pstk_connect(src, "out", dst, "in", (struct pstk_fifo_spec *)older));
	free(older);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(collect.tokens, 9);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rates");
	TCase *c = test_case(suite, "rates");

	tcase_add_checked_fixture(c, plan_setup, NULL);
	tcase_add_test(c, every_token_arrives);
	tcase_add_test(c, side_by_side);
	tcase_add_test(c, a_broadcast);
	tcase_add_test(c, rooms_grow);
	tcase_add_test(c, a_room_that_is_too_small);
	tcase_add_test(c, zeros_behind_a_grown_room);
	tcase_add_test(c, control_tokens_by_the_window);
	tcase_add_test(c, kahn_actors);
	tcase_add_test(c, repetitions);
	tcase_add_test(c, an_older_spec);
	return test_main(suite);
}
