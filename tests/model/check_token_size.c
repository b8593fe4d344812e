/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a FIFO's tokens: what its spec says, what its ports state, or one element of their type.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT "'alpha'.out -> 'beta'.in: "

static const struct size_case {
	const char *label;
	struct pstk_port out, in;
	size_t given, is; /* is 0: refused .. */
	const char *says; /* .. with this as the only problem */
} cases[] = {
	{ "given", { .token_type = "f32" }, { .token_type = "f32" }, 8, 8 },
	{ "one element of both", { .token_type = "f32" }, { .token_type = "f32" }, 0, 4 },
	{ "one element of the output's", { .token_type = "cf64" }, { 0 }, 0, 16 },
	{ "one element of the input's", { 0 }, { .token_type = "u8" }, 0, 1 },
	{ "one element, the other type is not known", { .token_type = "cf32" }, { 0 }, 0, 8 },
	{ "stated by both", { .token_size = 24 }, { .token_size = 24 }, 0, 24 },
	{ "stated by the output", { .token_size = 3 }, { 0 }, 0, 3 },
	{ "stated by the input", { 0 }, { .token_size = 5 }, 0, 5 },
	{ "stated by one, with both types", { .token_type = "f32", .token_size = 8 }, { .token_type = "f32" },
		0, 8 },
	{ "stated, of a type of the program's", { .token_type = "pixel", .token_size = 3 },
		{ .token_type = "pixel" }, 0, 3 },
	{ "stated and given", { .token_size = 8 }, { .token_type = "f32" }, 8, 8 },
	{ "a control port's", { 0 }, { .kind = PSTK_CONTROL }, 0, 4 },
	{ "a control port's, of a u32", { .token_type = "u32" }, { .kind = PSTK_CONTROL }, 0, 4 },
	{ "nothing says it", { 0 }, { 0 }, 0, 0, AT "token size is 0: give the bytes of one token" },
	{ "types of the program's", { .token_type = "pixel" }, { .token_type = "pixel" }, 0, 0,
		AT "token size is 0: give the bytes of one token" },
	{ "two types", { .token_type = "f32" }, { .token_type = "u64" }, 0, 0,
		AT "token types differ: f32 and u64" },
	{ "two stated", { .token_size = 8 }, { .token_size = 4 }, 0, 0,
		AT "token sizes differ: 'alpha'.out has tokens of 8 bytes, 'beta'.in of 4; connect ports of "
		   "one size, "
		   "or put an actor between them that converts" },
	{ "two stated, one given", { .token_size = 8 }, { .token_size = 4 }, 4, 0,
		AT "token sizes differ: " },
	{ "two stated, none given", { .token_size = 8 }, { .token_size = 4 }, 12, 0,
		AT "token sizes differ: " },
	{ "not what the output states", { .token_type = "f32", .token_size = 4 }, { .token_type = "f32" }, 8,
		0, AT "token size is 8, but 'alpha'.out has tokens of 4 bytes: give it 4, or none" },
	{ "not what the input states", { .token_type = "f32" }, { .token_type = "f32", .token_size = 4 }, 8,
		0, AT "token size is 8, but 'beta'.in has tokens of 4 bytes: give it 4, or none" },
	{ "not what both state", { .token_size = 4 }, { .token_size = 4 }, 8, 0,
		AT "token size is 8, but 'alpha'.out has tokens of 4 bytes: give it 4, or none" },
	{ "what one states is no multiple of the other's element", { .token_type = "f32" },
		{ .token_size = 6 }, 0, 0, AT "token size 6 is no multiple of 'alpha'.out's element f32, 4" },
	{ "one states another size than a control token's", { .token_size = 8 }, { .kind = PSTK_CONTROL }, 0,
		0, AT "token sizes differ: 'alpha'.out has tokens of 8 bytes, 'beta'.in of 4; " },
};

static int nothing(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int control(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	return 0;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, const struct pstk_port *like)
{
	bool dynamic = like->kind == PSTK_CONTROL;
	struct pstk_port ports[] = { *like, { .name = "other", .kind = PSTK_OUTPUT } };

	ports[0].name = *name == 'a' ? "out" : "in";
	if (!dynamic)
		ports[0].kind = *name == 'a' ? PSTK_OUTPUT : PSTK_INPUT;
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "t", .ports = ports, .port_count = dynamic ? 2 : 1,
			.control = dynamic ? control : NULL, .fire = nothing),
		NULL);
}

START_TEST(sizes)
{
	const struct size_case *c = &cases[_i];
	struct pstk_network *net = pstk_network_create("sizes");
	struct pstk_actor *a = add(net, "alpha", &c->out), *b = add(net, "beta", &c->in);
	struct pstk_fifo *f = pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = c->given));
	const char *problem = pstk_network_problem(net, 0);
	struct pstk_fifo_info info;

	if (c->is) {
		ck_assert_msg(f && !problem, "%s: %s", c->label, problem);
		ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
		ck_assert_msg(info.token_size == c->is, "%s: %zu", c->label, info.token_size);
	} else {
		ck_assert_msg(!f && problem, "%s", c->label);
		ck_assert_msg(!strncmp(problem, c->says, strlen(c->says)), "%s: %s", c->label, problem);
		ck_assert_ptr_null(pstk_network_problem(net, 1));
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	}
	pstk_network_destroy(net);
}
END_TEST

/* A broadcast has one token size, also where one reader's FIFO leaves it to the ports. */
START_TEST(broadcast)
{
	static const struct pstk_port f32 = { .token_type = "f32" };
	struct pstk_network *net = pstk_network_create("broadcast");
	struct pstk_actor *a = add(net, "alpha", &f32), *b = add(net, "beta", &f32),
			  *c = add(net, "cc", &f32), *d = add(net, "delta", &f32);

	ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_ptr_nonnull(pstk_connect(a, "out", c, "in", PSTK_FIFO(.rate = 1)));
	ck_assert_ptr_null(pstk_connect(a, "out", d, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	TEST_SAYS(
		pstk_network_problem(net, 0), "'alpha'.out -> 'delta'.in: ", "one write rate and token size");
	pstk_network_destroy(net);
}
END_TEST

/* The first reader's size is the others', where they state none. */
START_TEST(broadcast_of_pairs)
{
	static const struct pstk_port f32 = { .token_type = "f32" };
	struct pstk_network *net = pstk_network_create("pairs");
	struct pstk_actor *a = add(net, "alpha", &f32), *b = add(net, "beta", &f32),
			  *c = add(net, "cc", &f32);
	struct pstk_fifo_info info;

	ck_assert_ptr_nonnull(pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_int_eq(pstk_fifo_get_info(pstk_connect(a, "out", c, "in", PSTK_FIFO(.rate = 1)), &info), 0);
	ck_assert_uint_eq(info.token_size, 8);
	pstk_network_destroy(net);
}
END_TEST

enum { TOKENS = 20 };

static int count_up(struct pstk_firing *f)
{
	float *out = pstk_fifo_write_start(f, 0);

	for (unsigned i = 0; i < 4; i++)
		out[i] = (float)(4 * pstk_firing_index(f) + i);
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) == TOKENS / 4 - 1 ? PSTK_DONE : PSTK_AGAIN;
}

static int keep(struct pstk_firing *f)
{
	float *kept = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);

	memcpy(kept + 4 * pstk_firing_index(f), in, 4 * sizeof *in);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* Initial tokens are of the size that the ports have settled, and all data arrives. */
START_TEST(data)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32" },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_type = "f32" };
	static const float before[] = { -4, -3, -2, -1 };
	float kept[4 + TOKENS] = { 0 };
	struct pstk_network *net = pstk_network_create("data");
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &out, .port_count = 1, .fire = count_up), NULL);
	struct pstk_actor *b = pstk_network_add(
		net, "b", PSTK_ACTOR_TYPE(.name = "t", .ports = &in, .port_count = 1, .fire = keep), kept);

	ck_assert_ptr_nonnull(
		pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 4, .delay = 4, .initial = before)));
	ck_assert_int_eq(pstk_network_run(net), 0);
	for (int i = 0; i < 4 + TOKENS; i++)
		ck_assert_float_eq(kept[i], (float)(i - 4));
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("token_size");
	TCase *tcase = test_case(suite, "token_size");

	tcase_add_loop_test(tcase, sizes, 0, TEST_COUNT(cases));
	tcase_add_test(tcase, broadcast);
	tcase_add_test(tcase, broadcast_of_pairs);
	tcase_add_test(tcase, data);
	return test_main(suite);
}
