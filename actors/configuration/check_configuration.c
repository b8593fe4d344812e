/* SPDX-License-Identifier: MIT */
#include "penstock/actors.h"
#include "tests/common/allocation.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, DEPTH = 2 };

/* A reader of tokens as they are. */
struct reader {
	uint32_t rate;
	uint32_t limit;       /* tokens that it takes; 0: no end */
	_Atomic uint64_t got; /* tokens so far */
	uint32_t tokens[MOST];
};

static int reader_fire(struct pstk_firing *f)
{
	struct reader *r = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint64_t got = r->got;

	for (uint32_t i = 0; i < r->rate; i++, got++)
		r->tokens[got % MOST] = in[i];
	pstk_fifo_read_end(f, 0);
	r->got = got;
	return r->limit && got >= r->limit ? PSTK_DONE : PSTK_AGAIN;
}

static struct pstk_actor *add_reader(struct pstk_network *net, const char *name, struct reader *r)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "reader", .ports = &in, .port_count = 1, .fire = reader_fire), r);
}

/* configuration -> reader. */
static struct pstk_network *build(struct pstk_configuration *c, struct reader *r)
{
	struct pstk_network *net = pstk_network_create("configuration");
	struct pstk_actor *from, *to = add_reader(net, "reader", r);

	ck_assert_ptr_nonnull(c);
	from = pstk_configuration_add(net, "sets", c);
	ck_assert_ptr_nonnull(from);
	pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = r->rate, .depth = DEPTH, .token_size = 4));
	return net;
}

static void run(struct pstk_configuration *c, struct reader *r)
{
	struct pstk_network *net = build(c, r);

	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_configuration_destroy(c);
}

/* Each value for its period, the last one for ever; copied. */
START_TEST(values_and_periods)
{
	for (uint32_t count = 1; count <= 9; count++)
		for (uint32_t period = 1; period <= 7; period++) {
			uint32_t values[9], expected[9];
			struct reader r = { .rate = 1 + period % 3, .limit = 100 };
			struct pstk_configuration *c;

			for (uint32_t i = 0; i < count; i++)
				values[i] = expected[i] = i * i * 77 + period;
			values[0] = expected[0] = UINT32_MAX;
			c = pstk_configuration_create(
				PSTK_CONFIGURATION(.period = period, .values = values, .count = count));
			memset(values, 0, sizeof values);
			run(c, &r);
			ck_assert_uint_ge(r.got, 100);
			for (uint32_t i = 0; i < 100; i++)
				ck_assert_uint_eq(
					r.tokens[i], expected[i / period < count ? i / period : count - 1]);
		}
}
END_TEST

struct chosen {
	uint64_t asked, wrong; /* actor's thread, and after wait() */
};

static uint32_t choose(void *data, uint64_t index)
{
	struct chosen *chosen = data;

	chosen->wrong += index != chosen->asked;
	return (uint32_t)(7 * chosen->asked++ + 1);
}

/* Once for each period, in order, and not ahead of what has begun. */
START_TEST(asked_once_a_period)
{
	for (uint32_t period = 1; period <= 40; period += 3) {
		struct chosen chosen = { 0 };
		struct reader r = { .rate = 1, .limit = 1000 };

		run(pstk_configuration_create(
			    PSTK_CONFIGURATION(.period = period, .choose = choose, .data = &chosen)),
			&r);
		ck_assert_uint_eq(chosen.wrong, 0);
		ck_assert_uint_ge(chosen.asked, (1000 + period - 1) / period);
		ck_assert_uint_le(chosen.asked,
			(1000 + DEPTH + 1 + period - 1) / period); /* what the FIFO holds, and one */
		for (uint32_t i = 0; i < 1000; i++)
			ck_assert_uint_eq(r.tokens[i], 7 * (i / period) + 1);
	}
}
END_TEST

/* choose wins where there are values, too. */
START_TEST(choose_beside_values)
{
	const uint32_t values[] = { 1000 };
	struct chosen chosen = { 0 };
	struct reader r = { .rate = 1, .limit = 3 };

	run(pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .values = values, .count = 1,
		    .choose = choose, .data = &chosen)),
		&r);
	ck_assert_uint_eq(r.tokens[2], 15);
}
END_TEST

START_TEST(set_before_the_start)
{
	struct chosen chosen = { 0 };
	struct reader r = { .rate = 1, .limit = 10 };
	struct pstk_configuration *c =
		pstk_configuration_create(PSTK_CONFIGURATION(.period = 3, .choose = choose, .data = &chosen));

	ck_assert_int_eq(pstk_configuration_set(c, 5), 0);
	ck_assert_int_eq(pstk_configuration_set(c, 0), 0); /* 0 is a value, too */
	run(c, &r);
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_uint_eq(r.tokens[i], 0);
	ck_assert_uint_eq(chosen.asked, 0);
}
END_TEST

/* While it runs, again and again: each arrives, at the beginning of a period, in the order in which they
 * were set. */
START_TEST(set_while_it_runs)
{
	enum { PERIOD = 5, SETS = 300 };
	const uint32_t none[] = { 0 };
	static struct reader r;
	struct pstk_configuration *c =
		pstk_configuration_create(PSTK_CONFIGURATION(.period = PERIOD, .values = none, .count = 1));
	struct pstk_network *net;

	r.rate = 1;
	net = build(c, &r);
	ck_assert_int_eq(pstk_network_start(net), 0);
	for (uint32_t i = 1; i <= (TEST_SANITIZED ? SETS / 10 : SETS); i++) {
		ck_assert_int_eq(pstk_configuration_set(c, i), 0);
		test_await(&r.got, r.got + 4 * PERIOD);
	}
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	for (uint64_t i = r.got > MOST ? r.got - MOST + 1 : 1; i < r.got; i++) {
		uint32_t before = r.tokens[(i - 1) % MOST], now = r.tokens[i % MOST];

		ck_assert(now == before || (i % PERIOD == 0 && now == before + 1));
	}
	ck_assert_uint_eq(r.tokens[(r.got - 1) % MOST], TEST_SANITIZED ? SETS / 10 : SETS);
	pstk_network_destroy(net);
	pstk_configuration_destroy(c);
}
END_TEST

/* It ends when the last of its readers has. */
START_TEST(ends_with_its_readers)
{
	const uint32_t values[] = { 3, 4 };
	struct reader one = { .rate = 1, .limit = 10 }, two = { .rate = 1, .limit = 50 };
	struct pstk_configuration *c =
		pstk_configuration_create(PSTK_CONFIGURATION(.period = 20, .values = values, .count = 2));
	struct pstk_network *net = build(c, &one);
	struct pstk_actor_stats stats;

	pstk_connect(pstk_network_actor(net, 1), "out", add_reader(net, "second", &two), "in",
		PSTK_FIFO(.rate = 1, .token_size = 4, .depth = 2));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(one.got, 10);
	ck_assert_uint_eq(two.got, 50);
	ck_assert_uint_eq(two.tokens[19], 3);
	ck_assert_uint_eq(two.tokens[20], 4);
	ck_assert_int_eq(pstk_actor_get_stats(pstk_network_actor(net, 1), &stats), 0);
	ck_assert_uint_le(stats.firings, 50 + 2 + 1);
	pstk_network_destroy(net);
	pstk_configuration_destroy(c);
}
END_TEST

static int never_on(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	return 0;
}

/* A value that the controlled actor does not have is the library's error. */
START_TEST(value_out_of_range)
{
	static const struct pstk_port ports[] = { { .name = "active", .kind = PSTK_CONTROL },
		{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT },
		{ .name = "in", .kind = PSTK_DYNAMIC_INPUT } };
	const uint32_t values[] = { 0, 3, 4 };
	struct pstk_configuration *c =
		pstk_configuration_create(PSTK_CONFIGURATION(.period = 10, .values = values, .count = 3));
	struct pstk_network *net = pstk_network_create("range");
	struct pstk_actor *from = pstk_configuration_add(net, "sets", c);
	struct pstk_actor *to = pstk_network_add(net, "fork",
		PSTK_ACTOR_TYPE(.name = "fork", .ports = ports, .port_count = 3, .control_values = 4,
			.control = never_on, .fire = reader_fire),
		NULL);

	pstk_connect(from, "out", to, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(to, "out", to, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .delay = 1));
	ck_assert_int_eq(pstk_network_run(net), -ERANGE);
	TEST_SAYS(pstk_network_error(net), "'fork'", "'sets'.out sent 4", "0 to 3");
	pstk_network_destroy(net);
	pstk_configuration_destroy(c);
}
END_TEST

START_TEST(wrong_specs)
{
	const uint32_t values[] = { 1 };
	const struct {
		struct pstk_configuration_spec spec;
		uint32_t later;
	} newer = { { (uint32_t)sizeof newer, 1, values, 1, NULL, NULL }, 1 };
	struct pstk_configuration_spec old = pstk_configuration_spec_init();

	ck_assert_ptr_null(pstk_configuration_create(NULL));
	ck_assert_ptr_null(pstk_configuration_create(&old));
	ck_assert_ptr_null(pstk_configuration_create(PSTK_CONFIGURATION(.values = values, .count = 1)));
	ck_assert_ptr_null(pstk_configuration_create(PSTK_CONFIGURATION(.period = 1)));
	ck_assert_ptr_null(pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .count = 1)));
	ck_assert_ptr_null(pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .values = values)));
	if (!TEST_SANITIZED) /* which end a program that asks for so much */
		ck_assert_ptr_null(pstk_configuration_create(
			PSTK_CONFIGURATION(.period = 1, .values = values, .count = SIZE_MAX / 2)));
	ck_assert_ptr_null(pstk_configuration_create(&newer.spec));
	/* no release had a smaller one */
	for (uint32_t size = 0; size < sizeof old; size++) {
		old = (struct pstk_configuration_spec){ size, 1, values, 1, NULL, NULL };
		ck_assert_ptr_null(pstk_configuration_create(&old));
	}
}
END_TEST

START_TEST(misuse)
{
	const uint32_t values[] = { 1 };
	struct pstk_configuration *c =
		pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .values = values, .count = 1));
	struct pstk_network *net = pstk_network_create("misuse"), *other = pstk_network_create("other");

	ck_assert_int_eq(pstk_configuration_set(NULL, 1), -EINVAL);
	pstk_configuration_destroy(NULL);
	ck_assert_ptr_null(pstk_configuration_add(NULL, "sets", c));
	ck_assert_ptr_null(pstk_configuration_add(NULL, "sets", NULL));
	ck_assert_ptr_null(pstk_configuration_add(net, "none", NULL));
	TEST_SAYS(pstk_network_error(net), "'none'", "configuration is NULL");
	ck_assert_ptr_null(pstk_configuration_add(net, NULL, NULL));
	ck_assert_ptr_null(pstk_configuration_add(net, NULL, c));
	ck_assert_ptr_nonnull(
		pstk_configuration_add(net, "sets", c)); /* what was refused did not use it up */
	ck_assert_ptr_null(pstk_configuration_add(net, "second", c));
	ck_assert_ptr_null(pstk_configuration_add(other, "third", c));
	ck_assert_int_eq(pstk_network_start(other), -EBUSY);
	TEST_SAYS(pstk_network_error(other), "'third'", "belongs to another actor", "create one for each");
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
	pstk_network_destroy(other);
	pstk_configuration_destroy(c);
}
END_TEST

START_TEST(no_memory)
{
	const uint32_t values[] = { 1 };

	for (int i = 0; i < 2; i++) {
		test_fail_allocation((unsigned)i + 1);
		ck_assert_ptr_null(pstk_configuration_create(
			PSTK_CONFIGURATION(.period = 1, .values = values, .count = 1)));
	}
	test_fail_allocation(1);
	ck_assert_ptr_null(pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .choose = choose)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("configuration");
	TCase *tcase = test_case(suite, "configuration");

	tcase_add_test(tcase, values_and_periods);
	tcase_add_test(tcase, asked_once_a_period);
	tcase_add_test(tcase, choose_beside_values);
	tcase_add_test(tcase, set_before_the_start);
	tcase_add_test(tcase, set_while_it_runs);
	tcase_add_test(tcase, ends_with_its_readers);
	tcase_add_test(tcase, value_out_of_range);
	tcase_add_test(tcase, wrong_specs);
	tcase_add_test(tcase, misuse);
	tcase_add_test(tcase, no_memory);
	return test_main(suite);
}
