/* SPDX-License-Identifier: MIT */
/*
 * What a firing on a device asks of the driver: arguments are set when they have changed, and only then;
 * what the kernel sees is right all the same.
 *
 * feed -> mix (device) -> sink, feed's last window partly filled
 */
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <string.h>

enum { RATE = 3, FIRINGS_MAX = 64 };

static struct {
	uint32_t firings, last; /* of feed; tokens of the last one */
	uint32_t next;          /* feed only */
	uint32_t count, got[FIRINGS_MAX * RATE];
} run;

static int feed_fire(struct pstk_firing *f)
{
	uint32_t *out = pstk_fifo_write_start(f, 0);
	bool last = pstk_firing_index(f) + 1 == run.firings;

	for (unsigned i = 0; i < RATE; i++)
		out[i] = ++run.next;
	pstk_fifo_write_end_partial(f, 0, last ? run.last : RATE);
	return last ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (unsigned i = 0; i < pstk_port_valid(f, 0); i++)
		run.got[run.count++] = in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* Each token with all that the kernel is told. */
static uint32_t mix(uint32_t token, uint64_t firing, uint32_t rate, uint32_t valid, uint32_t user)
{
	return token + 1000 * (uint32_t)firing + 100000 * rate + 1000000 * valid + 10000000 * user;
}

static void run_mix(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0];
	uint32_t *out = l->arg[1];
	uint64_t firing;
	uint32_t rate, valid, user;

	memcpy(&firing, l->arg[2], sizeof firing);
	memcpy(&rate, l->arg[3], sizeof rate);
	memcpy(&valid, l->arg[4], sizeof valid);
	memcpy(&user, l->arg[5], sizeof user);
	for (unsigned i = 0; i < RATE; i++)
		out[i] = mix(in[i], firing, rate, valid, user);
}

static int mix_init(struct pstk_actor *self)
{
	const size_t one = 1;
	const uint32_t seven = 7;
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	if (!err)
		err = pstk_actor_set_arg(self, 0, sizeof(uint32_t), PSTK_ARG_RATE(0));
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof(uint32_t), PSTK_ARG_VALID(0));
	return err ? err : pstk_actor_set_arg(self, 2, sizeof seven, &seven);
}

static void add_kernel(const struct fake_cl *fake)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("rate", "uint", 4),
		FAKE_CL_VALUE("valid", "uint", 4), FAKE_CL_VALUE("user", "uint", 4) };
	static const struct fake_cl_kernel kernel = {
		.name = "mix", .args = args, .arg_count = TEST_COUNT(args), .run = run_mix
	};

	ck_assert_int_eq(fake->add_kernel(&kernel), 0);
}

static struct pstk_network *build(uint32_t depth)
{
	static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_kernel kernel = { .source = "kernel void mix(\n", .name = "mix" };
	struct pstk_network *net = pstk_network_create("economy");
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *feed, *tested, *sink;

	feed = pstk_network_add(net, "feed",
		PSTK_ACTOR_TYPE(.name = "feed", .ports = &in_out[1], .port_count = 1, .fire = feed_fire),
		NULL);
	tested = pstk_network_add(net, "mix",
		PSTK_ACTOR_TYPE(.name = "mix", .ports = in_out, .port_count = 2, .init = mix_init,
			.kernel = &kernel),
		NULL);
	sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in_out, .port_count = 1, .fire = sink_fire), NULL);
	ck_assert_int_eq(pstk_actor_map(tested, "fake"), 0);
	spec.rate = RATE;
	spec.token_size = sizeof(uint32_t);
	spec.depth = depth;
	pstk_connect(feed, "out", tested, "in", &spec);
	pstk_connect(tested, "out", sink, "in", &spec);
	return net;
}

/* So many firings, the last one with so many tokens: all arrive; how often an argument was set. */
static uint64_t sets_of(const struct fake_cl *fake, uint32_t depth, uint32_t firings, uint32_t last)
{
	uint64_t before = fake->calls("clSetKernelArg");
	struct pstk_network *net;

	memset(&run, 0, sizeof run);
	run.firings = firings;
	run.last = last;
	net = build(depth);
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
	ck_assert_uint_eq(run.count, (firings - 1) * RATE + last);
	for (uint32_t i = 0; i < run.count; i++)
		ck_assert_uint_eq(
			run.got[i], mix(i + 1, i / RATE, RATE, i / RATE + 1 == firings ? last : RATE, 7));
	fake->settle();
	ck_assert_uint_eq(fake->violation_count(), 0);
	return fake->calls("clSetKernelArg") - before;
}

/* With one window each, buffers are always the same: a firing more is an argument more, its number. A last
 * one that is not full is one more, its tokens. With two windows the buffers change, too. */
START_TEST(what_has_changed)
{
	static const struct {
		uint32_t depth, a_firing;
	} cases[] = { { 1, 1 }, { 2, 3 }, { 5, 3 } };
	cl_platform_id platform;
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, "svm=none", &platform);

	add_kernel(fake);
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		uint64_t two = sets_of(fake, cases[i].depth, 2, RATE);
		uint64_t many = sets_of(fake, cases[i].depth, FIRINGS_MAX, RATE);
		uint64_t partly = sets_of(fake, cases[i].depth, FIRINGS_MAX, 1);

		ck_assert_uint_eq(many - two, (FIRINGS_MAX - 2) * cases[i].a_firing);
		ck_assert_uint_eq(partly, many + 1);
	}
}
END_TEST

/* Each call that sets an argument fails once, in the warm-up, in the first firing, in later ones. */
START_TEST(setting_fails)
{
	cl_platform_id platform;
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, "svm=none", &platform);
	uint64_t calls;

	add_kernel(fake);
	calls = sets_of(fake, 2, 4, 2);
	for (unsigned n = 1; n <= calls; n++) {
		struct pstk_network *net = build(2);

		memset(&run, 0, sizeof run);
		run.firings = 4;
		run.last = 2;
		ck_assert_int_eq(fake->fail_calls("clSetKernelArg", n, 1, CL_OUT_OF_RESOURCES), 0);
		ck_assert_int_eq(pstk_network_run(net), -ENOMEM);
		TEST_SAYS(pstk_network_error(net), "'mix'", "clSetKernelArg", "CL_OUT_OF_RESOURCES");
		pstk_network_destroy(net);
		ck_assert_uint_le(run.count, 3 * RATE + 2);
		for (uint32_t i = 0; i < run.count; i++)
			ck_assert_uint_eq(
				run.got[i], mix(i + 1, i / RATE, RATE, i / RATE == 3 ? 2 : RATE, 7));
		fake->settle();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("economy");
	TCase *tcase = test_case(suite, "arguments");

	tcase_add_test(tcase, what_has_changed);
	tcase_add_test(tcase, setting_fails);
	return test_main(suite);
}
