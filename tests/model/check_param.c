/* SPDX-License-Identifier: MIT */
/*
 * Parameters of actors: defaults, types, ranges; the arg and its copy; the state.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct knobs {
	bool loud;
	int32_t i32;
	uint32_t u32;
	int64_t i64;
	uint64_t u64;
	float f32;
	double f64;
	const char *text;
	const char *choice;
};

static const struct pstk_param params[] = {
	{ .name = "loud", .type = "bool", .default_value = "false", .offset = offsetof(struct knobs, loud) },
	{ .name = "i32",
		.type = "i32",
		.default_value = "-7",
		.range = "-10..10",
		.offset = offsetof(struct knobs, i32) },
	{ .name = "u32",
		.type = "u32",
		.default_value = "200",
		.range = "0..255",
		.offset = offsetof(struct knobs, u32) },
	{ .name = "i64",
		.type = "i64",
		.default_value = "-9223372036854775808",
		.offset = offsetof(struct knobs, i64) },
	{ .name = "u64",
		.type = "u64",
		.default_value = "18446744073709551615",
		.range = "1..",
		.offset = offsetof(struct knobs, u64) },
	{ .name = "f32",
		.type = "f32",
		.default_value = "0.25",
		.range = "..0.5",
		.offset = offsetof(struct knobs, f32) },
	{ .name = "f64", .type = "f64", .default_value = "1e300", .offset = offsetof(struct knobs, f64) },
	{ .name = "text",
		.type = "string",
		.default_value = "as it is",
		.help = "any words",
		.offset = offsetof(struct knobs, text) },
	{ .name = "choice",
		.type = "string",
		.default_value = "two",
		.range = "one|two|three",
		.offset = offsetof(struct knobs, choice) },
};

/* What fire() saw; the actor has no ports. */
static struct knobs seen;
static char seen_text[64], seen_choice[64];
static unsigned fired;

static int look_fire(struct pstk_firing *f)
{
	const struct knobs *knobs = pstk_actor_arg(pstk_firing_actor(f));

	seen = *knobs;
	snprintf(seen_text, sizeof(seen_text), "%s", knobs->text ? knobs->text : "(null)");
	snprintf(seen_choice, sizeof(seen_choice), "%s", knobs->choice ? knobs->choice : "(null)");
	fired++;
	return PSTK_DONE;
}

static struct pstk_network *net;

static void set_up(void)
{
	net = pstk_network_create("params");
	test_log_start();
	memset(&seen, 0xa5, sizeof(seen));
	fired = 0;
}

static void tear_down(void)
{
	pstk_network_destroy(net);
	test_log_stop();
}

static struct pstk_actor *add(struct knobs *arg)
{
	return pstk_network_add(net, "alpha",
		PSTK_ACTOR_TYPE(.name = "knobs", .params = params, .param_count = TEST_COUNT(params),
			.arg_size = sizeof(struct knobs), .fire = look_fire),
		arg);
}

START_TEST(test_defaults)
{
	ck_assert_ptr_nonnull(add(NULL));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(fired, 1);
	ck_assert(!seen.loud);
	ck_assert_int_eq(seen.i32, -7);
	ck_assert_uint_eq(seen.u32, 200);
	ck_assert(seen.i64 == INT64_MIN);
	ck_assert(seen.u64 == UINT64_MAX);
	ck_assert(seen.f32 == 0.25f);
	ck_assert(seen.f64 == 1e300);
	ck_assert_str_eq(seen_text, "as it is");
	ck_assert_str_eq(seen_choice, "two");
}
END_TEST

struct setting {
	const char *name, *value;
	int err;
	int64_t number; /* what is stored if it is a whole number */
};

static const struct setting settings[] = {
	{ "loud", "true", 0, 1 },
	{ "loud", "false", 0, 0 },
	{ "loud", "1", 0, 1 },
	{ "loud", "0", 0, 0 },
	{ "loud", "2", -EINVAL, 0 },
	{ "loud", "maybe", -EINVAL, 0 },
	{ "loud", "", -EINVAL, 0 },
	{ "i32", "10", 0, 10 },
	{ "i32", "-10", 0, -10 },
	{ "i32", "11", -ERANGE, 0 },
	{ "i32", "-11", -ERANGE, 0 },
	{ "i32", "2147483648", -EINVAL, 0 },
	{ "i32", "99999999999999999999", -EINVAL, 0 },
	{ "i32", "1.5", -EINVAL, 0 },
	{ "i32", "3x", -EINVAL, 0 },
	{ "i32", "", -EINVAL, 0 },
	{ "i32", " 3", -EINVAL, 0 },
	{ "i32", "3 ", -EINVAL, 0 },
	{ "u32", "0", 0, 0 },
	{ "u32", "255", 0, 255 },
	{ "u32", "256", -ERANGE, 0 },
	{ "u32", "-1", -EINVAL, 0 },
	{ "u32", "4294967296", -EINVAL, 0 },
	{ "i64", "-1", 0, -1 },
	{ "i64", "9223372036854775807", 0, INT64_MAX },
	{ "i64", "9223372036854775808", -EINVAL, 0 },
	{ "u64", "1", 0, 1 },
	{ "u64", "0", -ERANGE, 0 },
	{ "u64", "-1", -EINVAL, 0 },
	{ "u64", "\f-5", -EINVAL, 0 },
	{ "u64", " 5", -EINVAL, 0 },
	{ "u64", "18446744073709551616", -EINVAL, 0 },
	{ "f32", "0.5", 0, 0 },
	{ "f32", "-3e38", 0, 0 },
	{ "f32", "0.6", -ERANGE, 0 },
	{ "f32", "1e39", -EINVAL, 0 },
	{ "f32", "nan", -ERANGE, 0 },
	{ "f32", "half", -EINVAL, 0 },
	{ "f64", "-1e308", 0, 0 },
	{ "f64", "1e309", -EINVAL, 0 },
	{ "f64", "1e-400", 0, 0 }, /* too small is zero */
	{ "f64", "1,5", -EINVAL, 0 },
	{ "text", "", 0, 0 },
	{ "text", "a|b ..", 0, 0 },
	{ "choice", "one", 0, 0 },
	{ "choice", "three", 0, 0 },
	{ "choice", "four", -ERANGE, 0 },
	{ "choice", "", -ERANGE, 0 },
	{ "choice", "one|two", -ERANGE, 0 },
	{ "choice", "thre", -ERANGE, 0 },
	{ "nothing", "1", -ENOENT, 0 },
	{ "", "1", -ENOENT, 0 },
};

static void check_stored(const struct setting *s)
{
	if (strcmp(s->name, "loud") == 0)
		ck_assert_int_eq(seen.loud, s->number);
	else if (strcmp(s->name, "i32") == 0)
		ck_assert_int_eq(seen.i32, s->number);
	else if (strcmp(s->name, "u32") == 0)
		ck_assert_int_eq(seen.u32, s->number);
	else if (strcmp(s->name, "i64") == 0)
		ck_assert_int_eq(seen.i64, s->number);
	else if (strcmp(s->name, "u64") == 0)
		ck_assert_uint_eq(seen.u64, (uint64_t)s->number);
	else if (strcmp(s->name, "f32") == 0)
		ck_assert(seen.f32 == strtof(s->value, NULL));
	else if (strcmp(s->name, "f64") == 0)
		ck_assert(seen.f64 == strtod(s->value, NULL));
	else if (strcmp(s->name, "text") == 0)
		ck_assert_str_eq(seen_text, s->value);
	else
		ck_assert_str_eq(seen_choice, s->value);
}

START_TEST(test_set)
{
	const struct setting *s = &settings[_i];
	struct pstk_actor *actor = add(NULL);
	int err = pstk_actor_set_param(actor, s->name, s->value);

	ck_assert_msg(err == s->err, "%s = '%s': %d, not %d", s->name, s->value, err, s->err);
	if (err) {
		TEST_SAYS(pstk_network_error(net), "alpha", s->name, err == -ENOENT ? "" : s->value);
		ck_assert_int_eq(pstk_network_start(net), err);
		return;
	}
	ck_assert_int_eq(pstk_network_run(net), 0);
	check_stored(s);
}
END_TEST

START_TEST(test_set_twice)
{
	struct pstk_actor *actor = add(NULL);
	char value[] = "the second";

	ck_assert_int_eq(pstk_actor_set_param(actor, "text", "the first"), 0);
	ck_assert_int_eq(pstk_actor_set_param(actor, "text", value), 0);
	memset(value, 'x', sizeof(value) - 1); /* the string was copied */
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(seen_text, "the second");
}
END_TEST

START_TEST(test_arg_is_copied)
{
	char text[] = "given", choice[] = "one";
	struct knobs knobs = { .loud = true,
		.i32 = 1,
		.u32 = 2,
		.i64 = 3,
		.u64 = 4,
		.f32 = 0.5f,
		.f64 = 6,
		.text = text,
		.choice = choice };
	struct pstk_actor *actor = add(&knobs);

	ck_assert_ptr_nonnull(actor);
	ck_assert_ptr_ne(pstk_actor_arg(actor), &knobs);
	knobs.u32 = 99;
	memset(text, 'x', sizeof(text) - 1);
	memset(choice, 'x', sizeof(choice) - 1);
	ck_assert_int_eq(pstk_actor_set_param(actor, "i64", "33"), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert(seen.loud);
	ck_assert_int_eq(seen.i32, 1);
	ck_assert_uint_eq(seen.u32, 2);
	ck_assert_int_eq(seen.i64, 33);
	ck_assert_uint_eq(seen.u64, 4);
	ck_assert(seen.f32 == 0.5f && seen.f64 == 6);
	ck_assert_str_eq(seen_text, "given");
	ck_assert_str_eq(seen_choice, "one");
}
END_TEST

/* A string of a given arg may be missing: the actor sees NULL. */
START_TEST(test_arg_without_string)
{
	struct knobs knobs = { .i32 = 1, .u64 = 4 };

	ck_assert_ptr_nonnull(add(&knobs));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(seen_text, "(null)");
	ck_assert_str_eq(seen_choice, "(null)");
}
END_TEST

START_TEST(test_arg_out_of_range)
{
	struct knobs good = { .i32 = 1, .u32 = 2, .u64 = 4, .text = "t", .choice = "one" };

	for (unsigned i = 0; i < 5; i++) {
		struct knobs bad = good;

		bad.i32 = i == 0 ? 11 : bad.i32;
		bad.u32 = i == 1 ? 256 : bad.u32;
		bad.u64 = i == 2 ? 0 : bad.u64;
		bad.f32 = i == 3 ? 0.75f : bad.f32;
		bad.choice = i == 4 ? "four" : bad.choice;
		ck_assert_ptr_null(add(&bad));
		TEST_SAYS(pstk_network_problem(net, 0), "alpha",
			i == 0   ? "i32"
			: i == 1 ? "u32"
			: i == 2 ? "u64"
			: i == 3 ? "f32"
				 : "choice");
		pstk_network_destroy(net);
		net = pstk_network_create("params");
	}
}
END_TEST

/* A bound that no float hits exactly: the nearest float is in the range. */
START_TEST(test_float_bound)
{
	static const struct pstk_param level[] = {
		{ .name = "level", .type = "f32", .default_value = "0.1", .range = "0..0.1" }
	};
	float value = 0.1f;

	ck_assert_ptr_nonnull(pstk_network_add(net, "beta",
		PSTK_ACTOR_TYPE(.name = "t", .params = level, .param_count = 1, .arg_size = sizeof(float),
			.fire = look_fire),
		&value));
}
END_TEST

/* -- what must be given
 * ------------------------------------------------------------------------------------------------ */

static const struct pstk_param needed[] = {
	{ .name = "path", .type = "string", .help = "of the file", .offset = offsetof(struct knobs, text) },
};

static struct pstk_actor *add_needing(void *arg)
{
	return pstk_network_add(net, "reader",
		PSTK_ACTOR_TYPE(.name = "reads", .params = needed, .param_count = 1,
			.arg_size = sizeof(struct knobs), .fire = look_fire),
		arg);
}

START_TEST(test_needed_missing)
{
	ck_assert_ptr_nonnull(add_needing(NULL));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "reader", "path");
	ck_assert_uint_eq(fired, 0);
}
END_TEST

START_TEST(test_needed_set)
{
	ck_assert_int_eq(pstk_actor_set_param(add_needing(NULL), "path", "/there"), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(seen_text, "/there");
	ck_assert_uint_eq(seen.u32, 0); /* members that are no parameter are zero */
}
END_TEST

START_TEST(test_needed_given)
{
	struct knobs knobs = { .text = "given" };

	ck_assert_ptr_nonnull(add_needing(&knobs));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(seen_text, "given");
}
END_TEST

/* -- wrong declarations
 * -------------------------------------------------------------------------------------------------- */

static const struct {
	int err;
	struct pstk_param params[2];
} wrong[] = {
	{ -EINVAL, { { .name = "p", .type = "i16", .default_value = "1" } } },
	{ -EINVAL, { { .name = "p", .type = NULL, .default_value = "1" } } },
	{ -EINVAL, { { .name = NULL, .type = "i32", .default_value = "1" } } },
	{ -EINVAL, { { .name = "", .type = "i32", .default_value = "1" } } },
	{ -EINVAL,
		{ { .name = "p",
			.type = "i32",
			.default_value = "1",
			.range = "0.."
				 "1000000000000000000000000000000000000000000000000000000000000000000" } } },
	{ -EINVAL, { { .name = "p", .type = "i32", .default_value = "one" } } },
	{ -ERANGE, { { .name = "p", .type = "i32", .default_value = "9", .range = "0..8" } } },
	{ -EINVAL, { { .name = "p", .type = "i32", .default_value = "9", .range = "any" } } },
	{ -EINVAL, { { .name = "p", .type = "i32", .default_value = "9", .range = "a..b" } } },
	{ -ERANGE, { { .name = "p", .type = "string", .default_value = "c", .range = "a|b" } } },
	{ -EINVAL, { { .name = "p", .type = "i64", .default_value = "1", .offset = 1 } } },
	{ -EINVAL, { { .name = "p", .type = "i32", .default_value = "1", .offset = 8 } } },
	{ -EINVAL, { { .name = "p", .type = "i32", .default_value = "1", .offset = SIZE_MAX - 3 } } },
	{ -EINVAL, { { .name = "p", .type = "i32", .default_value = "1" },
			   { .name = "p", .type = "i32", .default_value = "1", .offset = 4 } } },
};

START_TEST(test_wrong_param)
{
	struct pstk_actor *actor = pstk_network_add(net, "alpha",
		PSTK_ACTOR_TYPE(.name = "t", .params = wrong[_i].params,
			.param_count = wrong[_i].params[1].name ? 2 : 1, .arg_size = 8, .fire = look_fire),
		NULL);

	ck_assert_ptr_null(actor);
	TEST_SAYS(pstk_network_problem(net, 0), "alpha", wrong[_i].params[0].name ? "p" : "param");
	ck_assert_int_eq(pstk_network_start(net), wrong[_i].err);
	ck_assert_uint_eq(fired, 0);
}
END_TEST

/* Parameters need an arg that is copied. */
START_TEST(test_no_arg_size)
{
	struct knobs knobs = { 0 };

	ck_assert_ptr_null(pstk_network_add(net, "alpha",
		PSTK_ACTOR_TYPE(.name = "t", .params = params, .param_count = 1, .fire = look_fire), &knobs));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
}
END_TEST

START_TEST(test_no_params)
{
	struct knobs knobs = { 0 };
	struct pstk_actor *actor =
		pstk_network_add(net, "alpha", PSTK_ACTOR_TYPE(.name = "t", .fire = look_fire), &knobs);

	ck_assert_ptr_eq(pstk_actor_arg(actor), &knobs); /* borrowed */
	ck_assert_int_eq(pstk_actor_set_param(actor, "i32", "1"), -ENOENT);
	ck_assert_str_eq(pstk_network_error(net), "'alpha' (t) has no parameter 'i32': it has none at all");
}
END_TEST

/* The nearest one and all there are, as for ports. */
START_TEST(test_unknown_param)
{
	static const struct {
		const char *given, *says;
	} unknown[] = {
		{ "choise",
			"'; did you mean 'choice'? It has loud, i32, u32, i64, u64, f32, f64, text, choice" },
		{ "txet", "'; did you mean 'text'? It has loud, i32, " },
		{ "Loud", "'; did you mean 'loud'? It has loud, i32, " },
		{ "", "': it has loud, i32, u32, " },
		{ "frequency", "': it has loud, i32, u32, " },
	};
	struct pstk_actor *actor = add(NULL);
	char says[256];

	for (unsigned i = 0; i < TEST_COUNT(unknown); i++) {
		const char *problem;

		ck_assert_int_eq(pstk_actor_set_param(actor, unknown[i].given, "1"), -ENOENT);
		problem = pstk_network_problem(net, i);
		snprintf(says, sizeof says, "'alpha' (knobs) has no parameter '%s%s", unknown[i].given,
			unknown[i].says);
		ck_assert_msg(problem && !strncmp(problem, says, strlen(says)), "%s", problem);
	}
}
END_TEST

/* More than a line holds: the nearest one is said all the same. */
START_TEST(test_many_params)
{
	enum { MANY = 300 };
	static char names[MANY][24];
	static struct pstk_param many[MANY];
	struct pstk_actor *actor;
	const char *problem;

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "parameter_%u", i);
		many[i] = (struct pstk_param){ .name = names[i], .type = "u32", .default_value = "1" };
	}
	actor = pstk_network_add(net, "alpha",
		PSTK_ACTOR_TYPE(.name = "t", .params = many, .param_count = MANY, .arg_size = 4,
			.fire = look_fire),
		NULL);
	ck_assert_int_eq(pstk_actor_set_param(actor, "paramter_287", "1"), -ENOENT);
	problem = pstk_network_error(net);
	TEST_SAYS(problem, "no parameter 'paramter_287'; did you mean 'parameter_287'? It has parameter_0, ");
	ck_assert_str_eq(problem + strlen(problem) - 2, "..");
	ck_assert_uint_lt(strlen(problem), 512);
}
END_TEST

/* -- the state and the type
 * ------------------------------------------------------------------------------------------------ */

struct state_check {
	size_t size; /* that the state is said to have */
	unsigned calls;
	const unsigned char *state;
};

static int state_init(struct pstk_actor *self)
{
	struct state_check *check = pstk_actor_arg(self);
	unsigned char *state = pstk_actor_state(self);

	check->state = state;
	check->calls++;
	for (size_t i = 0; i < check->size; i++)
		if (state[i] != 0)
			return pstk_actor_error(self, -EILSEQ, "the state is not zero");
	if (check->size && (uintptr_t)state % _Alignof(max_align_t) != 0)
		return pstk_actor_error(self, -EILSEQ, "the state is not aligned");
	if ((check->size == 0) != (state == NULL))
		return pstk_actor_error(self, -EILSEQ, "there is a state although its size is 0, or none");
	if (check->size)
		memset(state, 0x5a, check->size);
	return 0;
}

static int state_fire(struct pstk_firing *f)
{
	struct state_check *check = pstk_actor_arg(pstk_firing_actor(f));

	if (check->state != pstk_actor_state(pstk_firing_actor(f)))
		return -EILSEQ;
	check->calls++;
	return PSTK_DONE;
}

START_TEST(test_state)
{
	struct state_check checks[] = { { .size = 0 }, { .size = 1 }, { .size = 1000 }, { .size = 100000 } };
	static const char *const names[] = { "none", "one", "more", "much" };

	for (unsigned i = 0; i < TEST_COUNT(checks); i++) {
		/* half of them say it in the type, half for the actor alone */
		struct pstk_actor *actor = pstk_network_add(net, names[i],
			PSTK_ACTOR_TYPE(.name = "t", .state_size = i % 2 ? checks[i].size : 7,
				.init = state_init, .fire = state_fire),
			&checks[i]);

		if (i % 2 == 0)
			ck_assert_int_eq(pstk_actor_set_state_size(actor, checks[i].size), 0);
	}
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(pstk_network_error(net), "");
	for (unsigned i = 0; i < TEST_COUNT(checks); i++)
		ck_assert_uint_eq(checks[i].calls, 2);
}
END_TEST

/* The type is copied with all it points to. */
START_TEST(test_type_is_copied)
{
	char port_name[] = "in", type_name[] = "kind", param_name[] = "p", param_type[] = "i32",
	     value[] = "5";
	char range[] = "1..9", help[] = "helps", element[] = "u16", actor_name[] = "alpha";
	struct pstk_port port = {
		.name = port_name, .kind = PSTK_INPUT, .token_size = 4, .token_type = element
	};
	struct pstk_param param = {
		.name = param_name, .type = param_type, .default_value = value, .range = range, .help = help
	};
	struct pstk_actor_type type = { .struct_size = sizeof(type),
		.name = type_name,
		.ports = &port,
		.port_count = 1,
		.params = &param,
		.param_count = 1,
		.arg_size = 4,
		.fire = look_fire };
	struct pstk_actor *actor = pstk_network_add(net, actor_name, &type, NULL);
	char *const texts[] = { port_name, type_name, param_name, param_type, value, range, help, element,
		actor_name };
	const struct pstk_actor_type *copy = pstk_actor_get_type(actor);

	for (unsigned i = 0; i < TEST_COUNT(texts); i++)
		memset(texts[i], 'x', strlen(texts[i]));
	memset(&port, 0xff, sizeof(port));
	memset(&param, 0xff, sizeof(param));
	memset(&type, 0xff, sizeof(type));
	ck_assert_str_eq(pstk_actor_name(actor), "alpha");
	ck_assert_str_eq(copy->name, "kind");
	ck_assert_uint_eq(copy->port_count, 1);
	ck_assert_str_eq(copy->ports[0].name, "in");
	ck_assert_str_eq(copy->ports[0].token_type, "u16");
	ck_assert_uint_eq(copy->ports[0].token_size, 4);
	ck_assert_str_eq(copy->params[0].name, "p");
	ck_assert_str_eq(copy->params[0].type, "i32");
	ck_assert_str_eq(copy->params[0].default_value, "5");
	ck_assert_str_eq(copy->params[0].range, "1..9");
	ck_assert_str_eq(copy->params[0].help, "helps");
	ck_assert_int_eq(*(int32_t *)pstk_actor_arg(actor), 5);
	ck_assert_ptr_eq(pstk_actor_network(actor), net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("params");
	TCase *values = test_case(suite, "values"), *others = test_case(suite, "others");

	tcase_add_checked_fixture(values, set_up, tear_down);
	tcase_add_checked_fixture(others, set_up, tear_down);
	tcase_add_test(values, test_defaults);
	tcase_add_loop_test(values, test_set, 0, (int)TEST_COUNT(settings));
	tcase_add_test(values, test_set_twice);
	tcase_add_test(values, test_arg_is_copied);
	tcase_add_test(values, test_arg_without_string);
	tcase_add_test(values, test_arg_out_of_range);
	tcase_add_test(values, test_float_bound);
	tcase_add_test(values, test_needed_missing);
	tcase_add_test(values, test_needed_set);
	tcase_add_test(values, test_needed_given);
	tcase_add_loop_test(others, test_wrong_param, 0, (int)TEST_COUNT(wrong));
	tcase_add_test(others, test_no_arg_size);
	tcase_add_test(others, test_no_params);
	tcase_add_test(others, test_unknown_param);
	tcase_add_test(others, test_many_params);
	tcase_add_test(others, test_state);
	tcase_add_test(others, test_type_is_copied);
	return test_main(suite);
}
