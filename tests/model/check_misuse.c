/* SPDX-License-Identifier: MIT */
/*
 * Wrong calls while a network is built: each gives an errno and a problem that names actor and port, none
 * crashes.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <penstock/plan.h>
#include <stdlib.h>
#include <string.h>

static int idle_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* start() gives the first problem; the text names what it must. */
static void refused(struct pstk_network *net, int err, const char *const *words, size_t count)
{
	const char *first = pstk_network_problem(net, 0);
	bool said = false;

	ck_assert_ptr_nonnull(first);
	ck_assert_str_eq(pstk_network_error(net), first);
	for (unsigned i = 0; pstk_network_problem(net, i); i++) {
		const char *text = pstk_network_problem(net, i);
		size_t found = 0;

		ck_assert_str_ne(text, "");
		for (size_t w = 0; w < count; w++)
			found += !words[w] || strstr(text, words[w]) != NULL;
		said = said || found == count;
	}
	ck_assert_msg(
		said, "'%s' does not say '%s', '%s'", first, words[0], count > 1 && words[1] ? words[1] : "");
	ck_assert_int_eq(pstk_network_start(net), err);
	ck_assert_str_eq(pstk_network_error(net), first);
	ck_assert_str_eq(pstk_network_problem(net, 0), first);
}

#define REFUSED(net, err, ...)                                  \
	refused(net, err, (const char *const[]){ __VA_ARGS__ }, \
		TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

/* -- pstk_connect
 * ----------------------------------------------------------------------------------------------------------
 */

static unsigned char initial[64];

struct connect_case {
	const char *label;
	struct pstk_port out, in;
	const char *out_name, *in_name; /* what connect() is given; "out", "in" unless said otherwise */
	struct pstk_fifo_spec spec;
	bool kahn_source, kahn_sink;
	int err;
	const char *says[4];
};

#define SPEC(...)                                                         \
	{                                                                 \
		.struct_size = sizeof(struct pstk_fifo_spec), __VA_ARGS__ \
	}
#define NAMED .out_name = "out", .in_name = "in"

static const struct connect_case connect_cases[] = {
	{ "fine", .spec = SPEC(.rate = 1, .token_size = 4), NAMED },
	{ "fine: several elements", .out = { .token_type = "f32" }, .in = { .token_type = "f32" },
		.spec = SPEC(.rate = 1, .token_size = 12), NAMED },
	{ "fine: one end does not care", .out = { .token_type = "f32", .token_size = 8 },
		.spec = SPEC(.rate = 1, .token_size = 8), NAMED },
	{ "fine: a type that only its users know", .out = { .token_type = "pixel" },
		.in = { .token_type = "pixel" }, .spec = SPEC(.rate = 1, .token_size = 3), NAMED },
	{ "fine: delay, depth",
		.spec = SPEC(.rate = 2, .delay = 7, .depth = 9, .token_size = 3, .initial = initial), NAMED },
	{ "fine: a ring", .spec = SPEC(.capacity = 5, .delay = 4, .token_size = 3), .kahn_source = true,
		.kahn_sink = true, NAMED },
	{ "fine: a ring that says rate 1", .spec = SPEC(.capacity = 5, .rate = 1, .token_size = 3),
		.kahn_source = true, .kahn_sink = true, NAMED },
	{ "fine: two rates", .spec = SPEC(.write_rate = 3, .read_rate = 2, .token_size = 4), NAMED },
	{ "fine: one of two rates", .spec = SPEC(.read_rate = 2, .token_size = 4), NAMED },
	{ "fine: the rate twice", .spec = SPEC(.rate = 2, .write_rate = 2, .token_size = 4), NAMED },
	{ "rate and another write rate", NAMED, .spec = SPEC(.rate = 2, .write_rate = 3, .token_size = 4),
		.err = -EINVAL,
		.says = { "'alpha'.out -> 'beta'.in: rate is 2, write_rate 3, read_rate 2",
			"leave it out" } },
	{ "rate and another read rate", NAMED, .spec = SPEC(.rate = 2, .read_rate = 1, .token_size = 4),
		.err = -EINVAL, .says = { "rate is 2, write_rate 2, read_rate 1" } },
	{ "two rates overflow", NAMED,
		.spec = SPEC(.write_rate = UINT32_MAX, .read_rate = UINT32_MAX - 1, .depth = UINT32_MAX,
			.token_size = 8),
		.err = -EOVERFLOW, .says = { "alpha", "write rate 4294967295, read rate 4294967294" } },
	{ "a ring with a write rate", NAMED, .spec = SPEC(.capacity = 5, .write_rate = 2, .token_size = 4),
		.kahn_source = true, .kahn_sink = true, .err = -EINVAL, .says = { "alpha", "out", "rate" } },
	{ "a ring with a tail", NAMED, .spec = SPEC(.capacity = 5, .tail = 2, .token_size = 4),
		.kahn_source = true, .kahn_sink = true, .err = -EINVAL,
		.says = { "alpha", "no tail: it is 2" } },
	{ "unknown output", .out_name = "owt", .in_name = "in", .spec = SPEC(.rate = 1, .token_size = 4),
		.err = -ENOENT, .says = { "alpha", "owt", "out" } },
	{ "unknown input", .out_name = "out", .in_name = "im", .spec = SPEC(.rate = 1, .token_size = 4),
		.err = -ENOENT, .says = { "beta", "im", "in" } },
	{ "not an output", .out = { .kind = PSTK_INPUT }, NAMED, .spec = SPEC(.rate = 1, .token_size = 4),
		.err = -EINVAL, .says = { "alpha", "out" } },
	{ "not an input", .in = { .kind = PSTK_OUTPUT }, NAMED, .spec = SPEC(.rate = 1, .token_size = 4),
		.err = -EINVAL, .says = { "beta", "in" } },
	{ "rate 0", NAMED, .spec = SPEC(.token_size = 4), .err = -EINVAL,
		.says = { "alpha", "out", "rate" } },
	{ "token size 0", NAMED, .spec = SPEC(.rate = 1), .err = -EINVAL,
		.says = { "alpha", "out", "token size" } },
	{ "not the output's token size", .out = { .token_size = 8 }, NAMED,
		.spec = SPEC(.rate = 1, .token_size = 4), .err = -EINVAL,
		.says = { "alpha", "out", "8", "4" } },
	{ "not the input's token size", .in = { .token_size = 2 }, NAMED,
		.spec = SPEC(.rate = 1, .token_size = 4), .err = -EINVAL,
		.says = { "beta", "in", "2", "4" } },
	{ "types differ", .out = { .token_type = "f32" }, .in = { .token_type = "u32" }, NAMED,
		.spec = SPEC(.rate = 1, .token_size = 4), .err = -EINVAL,
		.says = { "alpha", "beta", "f32", "u32" } },
	{ "not whole elements", .out = { .token_type = "f32" }, NAMED,
		.spec = SPEC(.rate = 1, .token_size = 6), .err = -EINVAL,
		.says = { "alpha", "out", "f32", "6" } },
	{ "not whole elements of the input", .in = { .token_type = "cf64" }, NAMED,
		.spec = SPEC(.rate = 1, .token_size = 8), .err = -EINVAL,
		.says = { "beta", "in", "cf64", "8" } },
	{ "bytes overflow", NAMED, .spec = SPEC(.rate = UINT32_MAX, .token_size = SIZE_MAX),
		.err = -EOVERFLOW, .says = { "alpha", "out" } },
	{ "bytes overflow by the delay", NAMED,
		.spec = SPEC(.rate = 1, .delay = UINT32_MAX, .token_size = SIZE_MAX / 2), .err = -EOVERFLOW,
		.says = { "alpha", "out" } },
	{ "bytes overflow by the depth", NAMED,
		.spec = SPEC(.rate = UINT32_MAX, .depth = UINT32_MAX, .token_size = 8), .err = -EOVERFLOW,
		.says = { "alpha", "out" } },
	{ "bytes above half of memory", NAMED,
		.spec = SPEC(.rate = 1, .depth = 1, .token_size = SIZE_MAX / 2 + 1), .err = -EOVERFLOW,
		.says = { "alpha", "out" } },
	{ "a ring between others", NAMED, .spec = SPEC(.capacity = 5, .token_size = 4), .err = -EINVAL,
		.says = { "alpha", "out", "capacity" } },
	{ "a ring to another", NAMED, .spec = SPEC(.capacity = 5, .token_size = 4), .kahn_source = true,
		.err = -EINVAL, .says = { "beta", "in", "capacity" } },
	{ "a ring from another", NAMED, .spec = SPEC(.capacity = 5, .token_size = 4), .kahn_sink = true,
		.err = -EINVAL, .says = { "alpha", "out", "capacity" } },
	{ "a ring of rate 2", NAMED, .spec = SPEC(.capacity = 5, .rate = 2, .token_size = 4),
		.kahn_source = true, .kahn_sink = true, .err = -EINVAL, .says = { "alpha", "out", "rate" } },
	{ "a ring of depth 2", NAMED, .spec = SPEC(.capacity = 5, .depth = 2, .token_size = 4),
		.kahn_source = true, .kahn_sink = true, .err = -EINVAL, .says = { "alpha", "out", "depth" } },
	{ "a ring full of delay tokens", NAMED, .spec = SPEC(.capacity = 5, .delay = 5, .token_size = 4),
		.kahn_source = true, .kahn_sink = true, .err = -EINVAL,
		.says = { "alpha", "out", "capacity" } },
	{ "a ring that overflows", NAMED, .spec = SPEC(.capacity = UINT32_MAX, .token_size = SIZE_MAX / 2),
		.kahn_source = true, .kahn_sink = true, .err = -EOVERFLOW, .says = { "alpha", "out" } },
	{ "no struct_size", NAMED, .spec = { .rate = 1, .token_size = 4 }, .err = -EINVAL,
		.says = { "struct_size" } },
};

static struct pstk_actor *add_with(struct pstk_network *net, const char *name, const struct pstk_port *given,
	enum pstk_port_kind kind, bool kahn)
{
	struct pstk_port port = *given;

	/* the tables write only what is wrong: INPUT, the zero, stands for the kind that fits */
	port.name = kind == PSTK_OUTPUT ? "out" : "in";
	port.kind = kind;
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = &port, .port_count = 1, .kahn = kahn,
			.fire = idle_fire),
		NULL);
}

START_TEST(test_connect)
{
	const struct connect_case *c = &connect_cases[_i];
	struct pstk_network *net = pstk_network_create("connect");
	bool turned_out = strcmp(c->label, "not an output") == 0, turned_in = c->in.kind == PSTK_OUTPUT;
	struct pstk_port out_as_in = { .name = "out", .kind = PSTK_INPUT },
			 in_as_out = { .name = "in", .kind = PSTK_OUTPUT };
	struct pstk_actor *alpha, *beta;
	struct pstk_fifo *fifo;

	alpha = turned_out ? pstk_network_add(net, "alpha",
				     PSTK_ACTOR_TYPE(.name = "t", .ports = &out_as_in, .port_count = 1,
					     .fire = idle_fire),
				     NULL)
	                   : add_with(net, "alpha", &c->out, PSTK_OUTPUT, c->kahn_source);
	beta = turned_in ? pstk_network_add(net, "beta",
				   PSTK_ACTOR_TYPE(.name = "t", .ports = &in_as_out, .port_count = 1,
					   .fire = idle_fire),
				   NULL)
	                 : add_with(net, "beta", &c->in, PSTK_INPUT, c->kahn_sink);
	ck_assert_ptr_nonnull(alpha);
	ck_assert_ptr_nonnull(beta);
	fifo = pstk_connect(alpha, c->out_name, beta, c->in_name, &c->spec);
	if (c->err) {
		ck_assert_msg(!fifo, "%s: was accepted", c->label);
		refused(net, c->err, c->says, TEST_COUNT(c->says));
	} else {
		ck_assert_msg(fifo != NULL, "%s: %s", c->label, pstk_network_error(net));
		ck_assert_int_eq(pstk_network_run(net), 0);
	}
	pstk_network_destroy(net);
}
END_TEST

/* -- pstk_network_add
 * -------------------------------------------------------------------------------------------------------- */

static const struct pstk_port twice[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT }, { .name = "in", .kind = PSTK_INPUT } };
static const struct pstk_port nameless[] = { { .name = NULL, .kind = PSTK_INPUT } };
static const struct pstk_port empty_name[] = { { .name = "", .kind = PSTK_INPUT } };
static const struct pstk_port odd_kind[] = { { .name = "in", .kind = (enum pstk_port_kind)7 } };
static const struct pstk_port odd_element[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = 6, .token_type = "f32" }
};

static const struct pstk_port reserved[] = { { .name = "in", .kind = PSTK_INPUT, .reserved = 1 },
	{ .name = "in", .kind = PSTK_INPUT, .reserved = UINT32_MAX } };

struct add_case {
	const char *label;
	struct pstk_actor_type type;
	int err;
	const char *says[3];
};

#define TYPE(...)                                                                          \
	{                                                                                  \
		.struct_size = sizeof(struct pstk_actor_type), .name = "kind", __VA_ARGS__ \
	}

static const struct add_case add_cases[] = {
	{ "fine", TYPE(.fire = idle_fire), .err = 0 },
	{ "no fire()", TYPE(.fire = NULL), -EINVAL, { "alpha", "fire" } },
	{ "two ports of one name", TYPE(.fire = idle_fire, .ports = twice, .port_count = 3), -EINVAL,
		{ "alpha", "in" } },
	{ "a port without a name", TYPE(.fire = idle_fire, .ports = nameless, .port_count = 1), -EINVAL,
		{ "alpha", "port" } },
	{ "a port with an empty name", TYPE(.fire = idle_fire, .ports = empty_name, .port_count = 1), -EINVAL,
		{ "alpha", "port" } },
	{ "a port of no kind", TYPE(.fire = idle_fire, .ports = odd_kind, .port_count = 1), -EINVAL,
		{ "alpha", "in" } },
	{ "a token of 1.5 elements", TYPE(.fire = idle_fire, .ports = odd_element, .port_count = 1), -EINVAL,
		{ "alpha", "in", "f32" } },
	{ "ports missing", TYPE(.fire = idle_fire, .port_count = 1), -EINVAL, { "alpha", "port" } },
	{ "too many ports", TYPE(.fire = idle_fire, .ports = twice, .port_count = 65537), -EINVAL,
		{ "alpha", "port" } },
	{ "params missing", TYPE(.fire = idle_fire, .param_count = 1, .arg_size = 4), -EINVAL,
		{ "alpha", "param" } },
	{ "no struct_size", { .name = "kind", .fire = idle_fire }, -EINVAL, { "alpha", "struct_size" } },
	{ "no type name", { .struct_size = sizeof(struct pstk_actor_type), .fire = idle_fire }, -EINVAL,
		{ "alpha", "name" } },
	{ "an empty type name",
		{ .struct_size = sizeof(struct pstk_actor_type), .name = "", .fire = idle_fire }, -EINVAL,
		{ "alpha", "name" } },
	{ "something reserved", TYPE(.fire = idle_fire, .ports = reserved, .port_count = 1), -EINVAL,
		{ "alpha", "in", "reserved" } },
	{ "something reserved behind", TYPE(.fire = idle_fire, .ports = reserved + 1, .port_count = 1),
		-EINVAL, { "alpha", "in", "reserved" } },
};

START_TEST(test_add)
{
	const struct add_case *c = &add_cases[_i];
	struct pstk_network *net = pstk_network_create("add");
	struct pstk_actor *actor = pstk_network_add(net, "alpha", &c->type, NULL);

	if (c->err) {
		ck_assert_msg(!actor, "%s: was accepted", c->label);
		refused(net, c->err, c->says, TEST_COUNT(c->says));
	} else {
		ck_assert_msg(actor != NULL, "%s: %s", c->label, pstk_network_error(net));
		ck_assert_int_eq(pstk_network_run(net), 0);
	}
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_add_names)
{
	struct pstk_network *net = pstk_network_create("names");

	ck_assert_ptr_nonnull(
		pstk_network_add(net, "alpha", PSTK_ACTOR_TYPE(.name = "t", .fire = idle_fire), NULL));
	ck_assert_ptr_null(
		pstk_network_add(net, "alpha", PSTK_ACTOR_TYPE(.name = "t", .fire = idle_fire), NULL));
	REFUSED(net, -EEXIST, "alpha");
	pstk_network_destroy(net);
	net = pstk_network_create("names");
	ck_assert_ptr_null(pstk_network_add(net, "", PSTK_ACTOR_TYPE(.name = "t", .fire = idle_fire), NULL));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
}
END_TEST

/* -- struct_size
 * ---------------------------------------------------------------------------------------------------------------
 */

/* A program built against a later library: zeros behind what this one knows are fine, anything else is not.
 */
START_TEST(test_larger_structs)
{
	struct {
		struct pstk_actor_type type;
		unsigned char tail[24];
	} type = { .type = { .struct_size = sizeof(type), .name = "later", .fire = idle_fire } };
	struct {
		struct pstk_fifo_spec spec;
		unsigned char tail[24];
	} spec = { .spec = { .struct_size = sizeof(spec), .rate = 1, .token_size = 8 } };
	struct pstk_network *net = pstk_network_create("larger");
	struct simple_count count = { .tokens = 1 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *sink = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	ck_assert_ptr_nonnull(pstk_network_add(net, "alpha", &type.type, NULL));
	ck_assert_ptr_nonnull(pstk_connect(source, "out", sink, "in", &spec.spec));
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
	for (unsigned i = 0; i < sizeof(type.tail); i++) {
		memset(type.tail, 0, sizeof(type.tail));
		memset(spec.tail, 0, sizeof(spec.tail));
		type.tail[i] = spec.tail[i] = 1;
		net = pstk_network_create("larger");
		source = pstk_network_add(net, "count", simple_count_type(), &count);
		sink = pstk_network_add(net, "collect", simple_collect_type(), &collect);
		ck_assert_ptr_null(pstk_connect(source, "out", sink, "in", &spec.spec));
		ck_assert_ptr_null(pstk_network_add(net, "alpha", &type.type, NULL));
		REFUSED(net, -EINVAL, "alpha", "struct_size");
		pstk_network_destroy(net);
	}
}
END_TEST

/* Less than any release had is no size: it is refused, and nothing behind the size is read (AddressSanitizer looks). */
START_TEST(test_smaller_structs)
{
	const struct pstk_actor_type type = *PSTK_ACTOR_TYPE(.name = "smaller", .fire = idle_fire);
	const struct pstk_fifo_spec spec = *PSTK_FIFO(.rate = 1, .token_size = 8);
	struct simple_count count = { .tokens = 1 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };

	for (uint32_t size = 0; size < offsetof(struct pstk_actor_type, unblock) + sizeof type.unblock;
		size++) {
		struct pstk_network *net = pstk_network_create("smaller");
		struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);
		struct pstk_actor *sink = pstk_network_add(net, "collect", simple_collect_type(), &collect);
		size_t there = size < sizeof size ? sizeof size : size;
		uint32_t *copy = malloc(there);
		char is[32];

		memcpy(copy, &type, there);
		*copy = size;
		ck_assert_ptr_null(pstk_network_add(net, "alpha", (struct pstk_actor_type *)copy, NULL));
		snprintf(is, sizeof is, "is %u, expected %zu", size, sizeof type);
		TEST_SAYS(pstk_network_problem(net, 0),
			"pstk_network_add: 'alpha': struct_size of its struct pstk_actor_type ", is,
			"set .struct_size = sizeof(struct pstk_actor_type), as PSTK_ACTOR_TYPE() and "
			"pstk_actor_type_init() do");
		if (size < offsetof(struct pstk_fifo_spec, reserved) + sizeof spec.reserved) {
			memcpy(copy, &spec, there);
			*copy = size;
			ck_assert_ptr_null(
				pstk_connect(source, "out", sink, "in", (struct pstk_fifo_spec *)copy));
			snprintf(is, sizeof is, "is %u, expected %zu", size, sizeof spec);
			TEST_SAYS(pstk_network_problem(net, 1),
				"pstk_connect: 'count'.out -> 'collect'.in: struct_size of its struct "
				"pstk_fifo_spec ",
				is, "set .struct_size = sizeof(struct pstk_fifo_spec), as PSTK_FIFO() and ");
		}
		free(copy);
		pstk_network_destroy(net);
	}
}
END_TEST

/* -- the network as a whole
 * ------------------------------------------------------------------------------------------------------ */

START_TEST(test_connected_twice)
{
	struct pstk_network *net = pstk_network_create("twice");
	struct simple_count count = { .tokens = 1 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *a = pstk_network_add(net, "first", simple_count_type(), &count);
	struct pstk_actor *b = pstk_network_add(net, "second", simple_count_type(), &count);
	struct pstk_actor *sink = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_null(pstk_connect(b, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	REFUSED(net, -EISCONN, "collect", "in");
	ck_assert_uint_eq(pstk_network_fifo_count(net), 1);
	pstk_network_destroy(net);
}
END_TEST

/* Broadcast: the readers of one output agree on rate and token size. */
START_TEST(test_broadcast_differs)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pstk_network *net = pstk_network_create("broadcast");
		const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
		const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
		struct pstk_actor *a = pstk_network_add(net, "alpha",
			PSTK_ACTOR_TYPE(.name = "a", .ports = &out, .port_count = 1, .fire = idle_fire),
			NULL);
		struct pstk_actor *b = pstk_network_add(net, "beta",
			PSTK_ACTOR_TYPE(.name = "b", .ports = &in, .port_count = 1, .fire = idle_fire), NULL);
		struct pstk_actor *c = pstk_network_add(net, "gamma",
			PSTK_ACTOR_TYPE(.name = "c", .ports = &in, .port_count = 1, .fire = idle_fire), NULL);

		ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 2, .token_size = 4)));
		ck_assert_ptr_null(pstk_connect(
			a, "out", c, "in", PSTK_FIFO(.rate = i ? 2 : 3, .token_size = i ? 8 : 4)));
		REFUSED(net, -EINVAL, "alpha", "out");
		pstk_network_destroy(net);
	}
}
END_TEST

START_TEST(test_open_ports)
{
	struct pstk_network *net = pstk_network_create("open");
	struct simple_count count = { .tokens = 1 };
	bool input = false, output = false;

	pstk_network_add(net, "lonely", simple_count_type(), &count);
	pstk_network_add(net, "waiting", simple_join_type(), NULL);
	ck_assert_int_lt(pstk_network_start(net), 0);
	for (unsigned i = 0; pstk_network_problem(net, i); i++) {
		const char *text = pstk_network_problem(net, i);

		output = output || (strstr(text, "lonely") && strstr(text, "out"));
		input = input || (strstr(text, "waiting") && strstr(text, "b"));
	}
	ck_assert(input && output);
	pstk_network_destroy(net);
}
END_TEST

/* Each problem is kept, in order; start() and error() give the first. */
START_TEST(test_all_problems)
{
	static const char *const words[][2] = { { "nofire", "fire" }, { "count", "uot" }, { "collect", "im" },
		{ "count", "rate" }, { "count", "twice" } };
	struct pstk_network *net = pstk_network_create("all");
	struct simple_count count = { .tokens = 1 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *b = pstk_network_add(net, "collect", simple_collect_type(), &collect);
	unsigned found = 0;

	pstk_network_add(net, "lonely", simple_count_type(), &count);
	ck_assert_ptr_null(pstk_network_add(net, "nofire", PSTK_ACTOR_TYPE(.name = "t"), NULL));
	ck_assert_ptr_null(pstk_connect(a, "uot", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_null(pstk_connect(a, "out", b, "im", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 0, .token_size = 8)));
	ck_assert_int_eq(pstk_actor_set_param(a, "twice", "1"), -ENOENT);
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(words); i++)
		TEST_SAYS(pstk_network_problem(net, i), words[i][0], words[i][1]);
	for (unsigned i = 0; pstk_network_problem(net, i); i++)
		found++;
	ck_assert_uint_eq(
		found, TEST_COUNT(words) + 1); /* the other ports are open because of the refused calls */
	TEST_SAYS(pstk_network_problem(net, found - 1), "lonely", "out");
	ck_assert_ptr_null(pstk_network_problem(net, found));
	ck_assert_ptr_null(pstk_network_problem(net, UINT32_MAX));
	ck_assert_str_eq(pstk_network_error(net), pstk_network_problem(net, 0));
	ck_assert_int_eq(pstk_network_wait(net), -EINVAL);
	pstk_network_destroy(net);
}
END_TEST

/* An actor that could not be added is NULL: what is done with it adds no crash. */
START_TEST(test_after_failed_add)
{
	struct pstk_network *net = pstk_network_create("failed");
	struct pstk_actor *a = pstk_network_add(net, "nofire", PSTK_ACTOR_TYPE(.name = "t"), NULL);
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *b = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_null(pstk_connect(b, "out", a, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_int_eq(pstk_actor_pin(a, 0), -EINVAL);
	REFUSED(net, -EINVAL, "nofire", "fire");
	ck_assert_ptr_null(pstk_network_problem(net, 1)); /* what follows from it is no news */
	pstk_network_destroy(net);
}
END_TEST

/* Without a failed add it is the program's mistake. */
START_TEST(test_connect_null)
{
	struct pstk_network *net = pstk_network_create("null");
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *b = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	ck_assert_ptr_null(pstk_connect(NULL, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	REFUSED(net, -EINVAL, "'collect'.in has no actor at its other end (NULL)");
	pstk_network_destroy(net);
}
END_TEST

/* A wrong token size is one problem, unless the ends ask for different ones. */
START_TEST(test_token_size_once)
{
	static const struct pstk_port float_out = { .token_type = "f32" }, float_in = { .token_type = "f32" },
				      three = { .token_size = 3 };
	struct pstk_network *net = pstk_network_create("sizes");
	struct pstk_actor *a = add_with(net, "alpha", &float_out, PSTK_OUTPUT, false),
			  *b = add_with(net, "beta", &float_in, PSTK_INPUT, false),
			  *c = add_with(net, "gamma", &three, PSTK_INPUT, false);

	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 6)));
	TEST_SAYS(
		pstk_network_problem(net, 0), "token size 6 is no multiple of 'alpha'.out's element f32, 4");
	ck_assert_ptr_null(pstk_network_problem(net, 1));
	ck_assert_ptr_null(pstk_connect(a, "out", c, "in", PSTK_FIFO(.rate = 1, .token_size = 6)));
	TEST_SAYS(pstk_network_problem(net, 1), "'alpha'.out's element f32");
	TEST_SAYS(pstk_network_problem(net, 2), "token size is 6, but 'gamma'.in has tokens of 3 bytes");
	ck_assert_ptr_null(pstk_network_problem(net, 3));
	pstk_network_destroy(net);
}
END_TEST

/* The nearest port is suggested, of an actor that has such ports, and which there are. */
START_TEST(test_unknown_ports)
{
	static const struct pstk_port ports[] = { { .name = "before", .kind = PSTK_INPUT },
		{ .name = "now", .kind = PSTK_INPUT }, { .name = "result", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("unknown");
	struct pstk_actor *a = pstk_network_add(net, "alpha",
		PSTK_ACTOR_TYPE(.name = "t", .ports = ports, .port_count = 3, .fire = idle_fire), NULL);
	struct pstk_actor *b =
		pstk_network_add(net, "bare", PSTK_ACTOR_TYPE(.name = "t", .fire = idle_fire), NULL);

	ck_assert_ptr_null(pstk_connect(a, "result", a, "befor", PSTK_FIFO(.rate = 1, .token_size = 1)));
	ck_assert_ptr_null(pstk_connect(a, "reslut", a, "now", PSTK_FIFO(.rate = 1, .token_size = 1)));
	ck_assert_ptr_null(pstk_connect(b, "out", a, "now", PSTK_FIFO(.rate = 1, .token_size = 1)));
	ck_assert_ptr_null(pstk_connect(a, "result", a, "xyz", PSTK_FIFO(.rate = 1, .token_size = 1)));
	ck_assert_str_eq(pstk_network_problem(net, 0),
		"'alpha' (t) has no input 'befor'; did you mean 'before'? It has before, now");
	ck_assert_str_eq(pstk_network_problem(net, 1),
		"'alpha' (t) has no output 'reslut'; did you mean 'result'? It has result");
	ck_assert_str_eq(pstk_network_problem(net, 2), "'bare' (t) has no output 'out': it has none at all");
	ck_assert_str_eq(pstk_network_problem(net, 3), "'alpha' (t) has no input 'xyz': it has before, now");
	ck_assert_int_eq(pstk_network_start(net), -ENOENT);
	pstk_network_destroy(net);
}
END_TEST

/* More than any machine has, though it can be counted: start() refuses it before anything fires. */
START_TEST(test_too_large)
{
	struct pstk_network *net = pstk_network_create("large");
	struct simple_count count = { .tokens = 1 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), &count);
	struct pstk_actor *b = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	ck_assert_ptr_nonnull(pstk_connect(
		a, "out", b, "in", PSTK_FIFO(.rate = UINT32_MAX, .depth = 1 << 20, .token_size = 8)));
	ck_assert_uint_eq(pstk_network_fifo_bytes(net), (size_t)UINT32_MAX << 23);
	ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "large", "MB");
	ck_assert_uint_eq(count.given, 0);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_no_actors)
{
	struct pstk_network *net = pstk_network_create("empty");

	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "actor");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_two_networks)
{
	struct pstk_network *one = pstk_network_create("one"), *two = pstk_network_create("two");
	struct simple_count count = { .tokens = 1 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *a = pstk_network_add(one, "count", simple_count_type(), &count);
	struct pstk_actor *b = pstk_network_add(two, "collect", simple_collect_type(), &collect);

	ck_assert_ptr_null(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	REFUSED(one, -EINVAL, "count", "collect");
	pstk_network_destroy(one);
	pstk_network_destroy(two);
}
END_TEST

START_TEST(test_pin)
{
	struct pstk_network *net = pstk_network_create("pin");
	struct pstk_actor *a =
		pstk_network_add(net, "alpha", PSTK_ACTOR_TYPE(.name = "t", .fire = idle_fire), NULL);

	ck_assert_int_eq(pstk_actor_core(a), -1);
	ck_assert_int_eq(pstk_actor_pin(a, 100000), -EINVAL);
	ck_assert_int_eq(pstk_actor_pin(a, UINT32_MAX), -EINVAL);
	ck_assert_int_eq(pstk_actor_core(a), -1);
	REFUSED(net, -EINVAL, "alpha", "100000");
	pstk_network_destroy(net);
}
END_TEST

/* More state than there is memory: start() says so, nothing fires. */
START_TEST(test_state_size)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 63 };

	for (unsigned i = 0; i < TEST_COUNT(sizes); i++) {
		struct pstk_network *net = pstk_network_create("state");
		struct pstk_actor *a =
			pstk_network_add(net, "alpha", PSTK_ACTOR_TYPE(.name = "t", .fire = idle_fire), NULL);
		int set = pstk_actor_set_state_size(a, sizes[i]);

		ck_assert_int_eq(pstk_network_start(net), set ? set : -ENOMEM);
		TEST_SAYS(pstk_network_error(net), "alpha");
		pstk_network_destroy(net);
	}
}
END_TEST

/* A program's own building functions tell the network what is wrong. */
START_TEST(test_refuse)
{
	struct pstk_network *net = pstk_network_create("refused");

	ck_assert_int_eq(pstk_network_refuse(NULL, -EIO, "x"), -EINVAL);
	ck_assert_int_eq(pstk_network_refuse(net, -EIO, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_refuse(net, 0, "x"), -EINVAL);
	ck_assert_str_eq(pstk_network_error(net), "");
	ck_assert_int_eq(pstk_network_refuse(net, -EIO, "part %d is missing", 7), -EIO);
	ck_assert_str_eq(pstk_network_error(net), "part 7 is missing");
	ck_assert_int_eq(pstk_network_start(net), -EIO);
	ck_assert_int_eq(pstk_network_refuse(net, -EIO, "late"), -EBUSY);
	ck_assert_ptr_null(pstk_network_problem(net, 1));
	pstk_network_destroy(net);
}
END_TEST

/* What a move costs is asked without a network. */
START_TEST(test_migration)
{
	const struct pstk_path path = { 2, 1 }, skewed = { 2, 3 };
	struct pstk_migration m;

	ck_assert_int_eq(pstk_migration_find(NULL, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&path, &skewed, &m), -EINVAL);
	ck_assert_int_eq(pstk_migration_stop(NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_migration_start(NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_migration_predict(NULL, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_plan_get_path(NULL, NULL, NULL), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("misuse");
	TCase *calls = test_case(suite, "calls"), *whole = test_case(suite, "whole");

	tcase_add_checked_fixture(calls, test_log_start, test_log_stop);
	tcase_add_checked_fixture(whole, test_log_start, test_log_stop);
	tcase_add_loop_test(calls, test_connect, 0, (int)TEST_COUNT(connect_cases));
	tcase_add_loop_test(calls, test_add, 0, (int)TEST_COUNT(add_cases));
	tcase_add_test(calls, test_add_names);
	tcase_add_test(calls, test_larger_structs);
	tcase_add_test(calls, test_smaller_structs);
	tcase_add_test(whole, test_connected_twice);
	tcase_add_test(whole, test_broadcast_differs);
	tcase_add_test(whole, test_open_ports);
	tcase_add_test(whole, test_all_problems);
	tcase_add_test(whole, test_after_failed_add);
	tcase_add_test(whole, test_connect_null);
	tcase_add_test(whole, test_token_size_once);
	tcase_add_test(whole, test_unknown_ports);
	tcase_add_test(whole, test_too_large);
	tcase_add_test(whole, test_no_actors);
	tcase_add_test(whole, test_two_networks);
	tcase_add_test(whole, test_pin);
	tcase_add_test(whole, test_state_size);
	tcase_add_test(whole, test_refuse);
	tcase_add_test(whole, test_migration);
	return test_main(suite);
}
