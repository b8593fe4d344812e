/* SPDX-License-Identifier: MIT */
/* What ports declare: by the type, by calls, by rates(); and what of that is refused. */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <string.h>

static int idle(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int decide(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 2, value);
	return 0;
}

enum { IN, OUT, DYNAMIC, CONTROL, PORTS };

/* Of a dynamic actor; a static one has the first two. */
static struct pstk_actor_type type_with(const struct pstk_port *ports, unsigned count)
{
	struct pstk_actor_type type = pstk_actor_type_init();

	type.name = "kind";
	type.ports = ports;
	type.port_count = count;
	type.fire = idle;
	type.control = count > CONTROL ? decide : NULL;
	return type;
}

static const struct pstk_port plain[PORTS] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 },
	{ .name = "maybe", .kind = PSTK_DYNAMIC_INPUT, .token_size = 4 },
	{ .name = "control", .kind = PSTK_CONTROL },
};

static const struct wrong {
	unsigned port;
	uint32_t rate, history, peek;
	bool kahn;
	const char *says;
} wrongs[] = {
	{ OUT, .history = 3, .says = "only an input looks back" },
	{ OUT, .rate = 1, .peek = 3, .says = "only an input looks back" },
	{ CONTROL, .history = 3, .says = "a control port does not look back" },
	{ CONTROL, .rate = 1, .peek = 2, .says = "a control port does not look back" },
	{ CONTROL, .rate = 2, .says = "control tokens are read one by one" },
	{ IN, .history = 1, .kahn = true, .says = "a kahn actor keeps by itself what it has read" },
	{ IN, .rate = 2, .peek = 4, .kahn = true, .says = "a kahn actor keeps by itself what it has read" },
};

START_TEST(a_type_is_refused)
{
	const struct wrong *w = &wrongs[_i];
	struct pstk_network *net = pstk_network_create("wrong");
	struct pstk_port ports[PORTS];
	struct pstk_actor_type type = type_with(ports, w->kahn ? OUT + 1 : PORTS);

	memcpy(ports, plain, sizeof ports);
	ports[w->port].rate = w->rate;
	ports[w->port].history = w->history;
	ports[w->port].peek = w->peek;
	type.kahn = w->kahn;
	ck_assert_ptr_null(pstk_network_add(net, "a", &type, NULL));
	TEST_SAYS(pstk_network_error(net), "'a': port '", ports[w->port].name, w->says);
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(a_call_is_refused)
{
	const struct wrong *w = &wrongs[_i];
	struct pstk_network *net = pstk_network_create("wrong");
	struct pstk_actor_type type = type_with(plain, w->kahn ? OUT + 1 : PORTS);
	struct pstk_actor *a;
	int err;

	type.kahn = w->kahn;
	a = pstk_network_add(net, "a", &type, NULL);
	ck_assert_ptr_nonnull(a);
	if (w->peek && w->rate)
		ck_assert_int_eq(pstk_actor_set_rate(a, w->port, w->rate), 0);
	err = w->history ? pstk_actor_set_history(a, w->port, w->history)
	      : w->peek  ? pstk_actor_set_peek(a, w->port, w->peek)
	                 : pstk_actor_set_rate(a, w->port, w->rate);
	ck_assert_int_eq(err, -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'a' (kind): pstk_actor_set_", plain[w->port].name, w->says);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(whole_steps_of_a_kahn_type)
{
	struct pstk_network *net = pstk_network_create("wrong");
	struct pstk_actor_type type = type_with(plain, OUT + 1);

	type.kahn = type.whole_steps = true;
	ck_assert_ptr_null(pstk_network_add(net, "a", &type, NULL));
	TEST_SAYS(pstk_network_error(net), "'a' (kind)", "kahn", "whole_steps");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(calls_without_a_port)
{
	struct pstk_network *net = pstk_network_create("none");
	struct pstk_actor_type type = type_with(plain, OUT + 1);
	struct pstk_actor *a = pstk_network_add(net, "a", &type, NULL);

	ck_assert_int_eq(pstk_actor_set_rate(NULL, 0, 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_history(NULL, 0, 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_peek(NULL, 0, 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_steps(NULL, 1), -EINVAL);
	ck_assert_uint_eq(pstk_actor_steps(NULL), 0);
	ck_assert_uint_eq(pstk_actor_port_history(NULL, 0), 0);
	ck_assert_int_eq(pstk_actor_set_rate(a, 2, 1), -ERANGE);
	TEST_SAYS(
		pstk_network_problem(net, 0), "'a' (kind): pstk_actor_set_rate: there is no port 2, only 2");
	ck_assert_int_eq(pstk_actor_set_history(a, UINT32_MAX, 1), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_peek(a, 7, 1), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_steps(a, 0), -EINVAL);
	TEST_SAYS(pstk_network_problem(net, 3), "'a' (kind): a firing of 0 steps: at least 1");
	ck_assert_int_eq(pstk_network_start(net), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_rate(a, 0, 1), -EBUSY);
	ck_assert_int_eq(pstk_actor_set_steps(a, 1), -EBUSY);
	pstk_network_destroy(net);
}
END_TEST

/*
 * rates(), which does what the test wants.
 */

struct told {
	uint32_t rate, history;
	int returns;
	enum { TELLS, TELLS_MORE, BUILDS, ASKS, OTHERS, NO_PORT, LOOKS_BACK } what;
	struct pstk_actor *other;
	unsigned calls;
};

static int tell(struct pstk_actor *self)
{
	struct told *told = pstk_actor_arg(self);

	told->calls++;
	ck_assert_str_eq(pstk_actor_name(self), "b");
	switch (told->what) {
	case TELLS:
		break;
	case TELLS_MORE:
		pstk_actor_set_rate(self, IN, told->calls);
		break;
	case BUILDS:
		ck_assert_int_eq(pstk_actor_set_steps(self, 2), -EBUSY);
		ck_assert_ptr_null(
			pstk_network_add(pstk_actor_network(self), "c", pstk_actor_get_type(self), NULL));
		break;
	case ASKS:
		ck_assert_uint_eq(pstk_network_fifo_bytes(pstk_actor_network(self)) % 4, 0);
		break;
	case OTHERS:
		ck_assert_int_eq(pstk_actor_set_rate(told->other, IN, 3), -EBUSY);
		break;
	case NO_PORT:
		ck_assert_int_eq(pstk_actor_set_rate(self, 9, 3), -ERANGE);
		break;
	case LOOKS_BACK:
		ck_assert_int_eq(pstk_actor_set_history(self, OUT, 3), -EINVAL);
		break;
	}
	if (told->returns)
		return told->returns == -EDOM ? pstk_actor_error(self, -EDOM, "no taps") : told->returns;
	pstk_actor_set_rate(self, OUT, 1);
	return told->what == TELLS && (pstk_actor_set_rate(self, IN, told->rate) ||
					      pstk_actor_set_history(self, IN, told->history))
	               ? -ENXIO
	               : 0;
}

/* a -> b -> c; b tells. */
static struct pstk_network *chain(struct told *told, struct pstk_actor **b)
{
	struct pstk_network *net = pstk_network_create("told");
	struct pstk_actor_type source = type_with(plain + OUT, 1), relay = type_with(plain, 2),
			       sink = type_with(plain, 1);
	struct pstk_actor *a, *c;

	relay.rates = tell;
	a = pstk_network_add(net, "a", &source, NULL);
	*b = pstk_network_add(net, "b", &relay, told);
	c = pstk_network_add(net, "c", &sink, NULL);
	told->other = c;
	ck_assert_ptr_nonnull(pstk_connect(a, "out", *b, "in", PSTK_FIFO(.depth = 2)));
	ck_assert_ptr_nonnull(pstk_connect(*b, "out", c, "in", PSTK_FIFO(.rate = 0)));
	return net;
}

START_TEST(rates_are_told)
{
	struct told told = { .rate = 5, .history = 63 };
	struct pstk_actor *b;
	struct pstk_network *net = chain(&told, &b);
	struct pstk_fifo_info info;

	ck_assert_uint_eq(told.calls, 0);
	ck_assert_uint_eq(pstk_actor_port_rate(b, IN), 0); /* not known yet */
	pstk_fifo_get_info(pstk_network_fifo(net, 0), &info);
	ck_assert_uint_eq(info.write_rate, 5);
	ck_assert_uint_eq(info.rate, 5);
	ck_assert_uint_eq(info.history, 63);
	ck_assert_uint_eq(info.bytes, (2 * 5 + 63 + 2 + 63) * 4); /* ring up to a multiple of 5, margin */
	ck_assert_uint_eq(pstk_actor_port_rate(b, IN), 5);
	ck_assert_uint_eq(pstk_actor_port_history(b, IN), 63);
	ck_assert_uint_eq(pstk_actor_port_history(b, OUT), 0);
	ck_assert_uint_eq(pstk_actor_steps(b), 1);
	ck_assert_int_eq(pstk_actor_set_steps(b, 4), 0);
	told.rate = 3; /* a parameter was changed */
	told.history = 0;
	pstk_fifo_get_info(pstk_network_fifo(net, 0), &info);
	ck_assert_uint_eq(info.rate, 12);
	ck_assert_uint_eq(info.history, 0);
	ck_assert_uint_eq(pstk_actor_port_rate(b, OUT), 4);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_ge(told.calls, 3);
	pstk_network_destroy(net);
}
END_TEST

static const struct {
	struct told told;
	int err;
	const char *says;
} told_wrongs[] = {
	{ { .rate = 1, .returns = -EIO }, -EIO, "'b' (kind): rates() failed: Input/output error" },
	{ { .rate = 1, .returns = -EDOM }, -EDOM, "rates() failed: no taps" },
	{ { .rate = 1, .returns = 7 }, -EINVAL, "rates() failed: " },
	{ { .what = TELLS_MORE }, -EINVAL, "rates() does not say the same each time it is called" },
	{ { .what = BUILDS }, -EINVAL,
		"rates() failed: it calls pstk_actor_set_steps(): it may only declare" },
	{ { .what = ASKS }, -EINVAL, "rates() failed: it asks for what follows from it" },
	{ { .what = OTHERS }, -EINVAL, "rates() failed: it calls pstk_actor_set_rate()" },
	{ { .what = NO_PORT }, -ERANGE, "rates() failed: pstk_actor_set_rate: there is no port 9, only 2" },
	{ { .what = LOOKS_BACK }, -EINVAL, "port 'out' can't have a history of 3: only an input looks back" },
};

START_TEST(rates_are_told_wrongly)
{
	struct told told = told_wrongs[_i].told;
	struct pstk_actor *b;
	struct pstk_network *net = chain(&told, &b);

	pstk_network_shared_bytes(net); /* a question is no refusal */
	ck_assert_str_eq(pstk_network_error(net), "");
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_start(net), told_wrongs[_i].err);
	TEST_SAYS(pstk_network_error(net), told_wrongs[_i].says);
	ck_assert_ptr_null(pstk_network_problem(net, 1)); /* nothing that only follows from it */
	pstk_network_destroy(net);
}
END_TEST

static int rate_of_parameter(struct pstk_actor *self)
{
	return pstk_actor_set_rate(self, 0, *(const uint32_t *)pstk_actor_arg(self));
}

/* What BUILD calls say counts until rates() says something else. */
START_TEST(calls_and_rates)
{
	struct told told = { .rate = 2 };
	struct pstk_actor *b;
	struct pstk_network *net = chain(&told, &b);

	ck_assert_int_eq(pstk_actor_set_rate(b, OUT, 5), 0);
	ck_assert_int_eq(pstk_actor_set_rate(b, IN, 7), 0);
	pstk_network_fifo_bytes(net);
	ck_assert_uint_eq(pstk_actor_port_rate(b, IN), 2);
	ck_assert_uint_eq(pstk_actor_port_rate(b, OUT), 1);
	ck_assert_uint_eq(pstk_actor_get_type(b)->ports[IN].rate, 7);
	pstk_network_destroy(net);
}
END_TEST

/* A parameter that is missing is the cause of a rate that is: it is told first. */
START_TEST(a_parameter_is_missing)
{
	const struct pstk_param times = { .name = "times", .type = "u32", .offset = 0 };
	struct pstk_network *net = pstk_network_create("missing");
	struct pstk_actor_type repeat = type_with(plain, 2), sink = type_with(plain, 1);
	struct pstk_actor *a;

	repeat.params = &times;
	repeat.param_count = 1;
	repeat.arg_size = sizeof(uint32_t);
	repeat.rates = rate_of_parameter;
	repeat.ports = plain + OUT;
	repeat.port_count = 1;
	a = pstk_network_add(net, "a", &repeat, NULL);
	ck_assert_ptr_nonnull(
		pstk_connect(a, "out", pstk_network_add(net, "b", &sink, NULL), "in", PSTK_FIFO(.rate = 0)));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'a' (kind): parameter 'times' has no default: set it");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("declare");
	TCase *test = test_case(suite, "ports");

	tcase_add_loop_test(test, a_type_is_refused, 0, TEST_COUNT(wrongs));
	tcase_add_loop_test(test, a_call_is_refused, 0, TEST_COUNT(wrongs));
	tcase_add_test(test, whole_steps_of_a_kahn_type);
	tcase_add_test(test, calls_without_a_port);
	tcase_add_test(test, rates_are_told);
	tcase_add_loop_test(test, rates_are_told_wrongly, 0, TEST_COUNT(told_wrongs));
	tcase_add_test(test, calls_and_rates);
	tcase_add_test(test, a_parameter_is_missing);
	return test_main(suite);
}
