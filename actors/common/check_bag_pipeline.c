/* SPDX-License-Identifier: MIT */
/*
 * The two stages of scene recognition as a pipeline: each configuration of coarse grain, on cores, devices and the fake
 * driver, frame by frame against the definitions; those without the device against each other bit for bit.
 */
#include "config.h"

#include "actors/common/check_bag.h"
#include "actors/common/check_chain.h"
#ifdef HAVE_OPENCL
#include "tests/fake_cl/fake_cl.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 2, MAGNITUDE = 0, BIN, HIST, SCORES };

static void build(struct chain *c, const void *data)
{
	const struct bag *b = data;
	const struct pstk_bag_spec spec = *PSTK_BAG(.width = b->width, .height = b->height, .words = b->words,
		.classes = b->classes, .vocabulary = b->vocabulary, .weights = b->weights);

	c->stage_count = 2;
	c->stages[0] = pstk_bag_gradients_add(c->net, "gradients", &spec);
	c->stages[1] = pstk_bag_words_add(c->net, "words", &spec);
	pstk_connect(c->stages[0], "magnitude", c->stages[1], "magnitude",
		PSTK_FIFO(.token_size = bag_token(b, BAG_MAGNITUDE)));
	pstk_connect(
		c->stages[0], "bin", c->stages[1], "bin", PSTK_FIFO(.token_size = bag_token(b, BAG_BIN)));
	c->in = (struct chain_end){ 0, "in", bag_token(b, BAG_IN), b->frames, 0, b->in };
	c->out_count = 4;
	c->outs[MAGNITUDE] = (struct chain_end){ 0, "magnitude", .token_size = bag_token(b, BAG_MAGNITUDE) };
	c->outs[BIN] = (struct chain_end){ 0, "bin", .token_size = bag_token(b, BAG_BIN) };
	c->outs[HIST] = (struct chain_end){ 1, "hist", .token_size = bag_token(b, BAG_HIST) };
	c->outs[SCORES] = (struct chain_end){ 1, "scores", .token_size = bag_token(b, BAG_SCORES) };
}

static void check(const struct chain *c, const struct bag *b)
{
	for (size_t i = 0; i < b->frames; i++) {
		bag_check_gradients(
			chain_token(c, -1, i), chain_token(c, MAGNITUDE, i), chain_token(c, BIN, i));
		bag_check_words(b, chain_token(c, MAGNITUDE, i), chain_token(c, BIN, i),
			chain_token(c, HIST, i), chain_token(c, SCORES, i));
	}
}

static void compare(
	const struct chain *a, const struct chain *c, const struct bag *b, const char *configuration)
{
	static const enum bag_kind kinds[] = { BAG_MAGNITUDE, BAG_BIN, BAG_HIST, BAG_SCORES };

	for (int out = 0; out < 4; out++)
		for (size_t i = 0; i < b->frames; i++) {
			const unsigned char *x = chain_token(a, out, i), *y = chain_token(c, out, i);
			size_t bytes = bag_bytes(b, kinds[out], x);

			ck_assert_mem_eq(x, y, 8);
			ck_assert_msg(!memcmp(x + 64, y + 64, bytes), "%s: output %d of frame %zu differs",
				configuration, out, i);
		}
}

/* Medium grain, too, which the program leaves out. */
static void check_all(const struct bag *b, const char *device)
{
	struct chain first, other;
	char text[32];

	chain_run(&first, build, b, PSTK_PIPELINE(.configuration = "CG:00:1", .cores = 1));
	check(&first, b);
	for (unsigned cores = 1; cores <= CORES; cores++)
		for (unsigned i = 0; chain_configuration(text, i, cores, 2, device ? 1 : 0, true); i++) {
			test_guard(text, test_seed());
			chain_run(&other, build, b,
				PSTK_PIPELINE(.device = device, .configuration = text, .cores = cores));
			if (i < cores + 2)
				compare(&first, &other, b, text);
			else
				check(&other, b);
			chain_free(&other);
		}
	chain_free(&first);
}

static void check_sizes(const char *device)
{
	static const struct pstk_frame_size sizes[] = { { 63, 129 }, { 16, 16 } };
	struct test_rng rng = { test_mix(test_seed()) };

	for (unsigned i = 0; i < TEST_COUNT(sizes); i++) {
		struct chain c;
		struct bag b;

		bag_begin(&b, &rng, sizes[i].width, sizes[i].height, 33, 3, 8);
		check_all(&b, device);
		bag_end(&b);
		bag_begin(&b, &rng, sizes[i].width, sizes[i].height, 33, 3, 60);
		chain_run(&c, build, &b,
			PSTK_PIPELINE(.device = device, .cores = CORES, .repetitions = 1,
				.granularities = PSTK_GRAIN_COARSE));
		check(&c, &b);
		chain_free(&c);
		bag_end(&b);
	}
}

START_TEST(on_cores)
{
	check_sizes(NULL);
}
END_TEST

#ifdef HAVE_OPENCL
START_TEST(on_pocl)
{
	static const char *const drivers[] = { "pthread", "basic" };

	setenv("POCL_DEVICES", drivers[_i], 1);
	if (!pstk_device_find("pocl:cpu:0", &(struct pstk_device_info){ .selector = "" }, NULL, 0))
		check_sizes("pocl:cpu:0");
	else
		printf("no PoCL device\n");
}
END_TEST

START_TEST(on_a_half)
{
	if (!pstk_device_find("pocl:cpu:0/1of2", &(struct pstk_device_info){ .selector = "" }, NULL, 0))
		check_sizes("pocl:cpu:0/1of2");
	else
		printf("no PoCL device that can be divided\n");
}
END_TEST

/* The kernel as C, on a driver whose device has its own memory. */
static void run_gradients(const struct fake_cl_launch *l)
{
	const uint32_t *size = l->arg[0];
	const unsigned char *in = (const unsigned char *)l->arg[0] + 64;
	float *magnitude = (float *)l->arg[1] + 16;
	unsigned char *bin = (unsigned char *)l->arg[2] + 64;
	const size_t w = size[0], h = size[1];
	const double eighth = acos(-1) / 4;

	memcpy(l->arg[1], size, 8);
	memcpy(l->arg[2], size, 8);
	for (size_t i = 0; i < w * h; i++) {
		int dx = i % w && i % w + 1 < w ? in[i + 1] - in[i - 1] : 0,
		    dy = i / w && i / w + 1 < h ? in[i + w] - in[i - w] : 0;
		double angle = atan2(dy, dx);

		magnitude[i] = (float)(sqrt(dx * dx + dy * dy) / 2);
		bin[i] = (unsigned char)((unsigned)floor((angle < 0 ? angle + 8 * eighth : angle) / eighth) %
					 8);
	}
}

START_TEST(on_the_fake_driver)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uchar"),
		FAKE_CL_OUT("magnitude", "float"), FAKE_CL_OUT("bin", "uchar"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("width", "uint", 4),
		FAKE_CL_VALUE("height", "uint", 4), FAKE_CL_VALUE("steps", "uint", 4) };
	static const struct fake_cl_kernel kernel = {
		.name = "bag_gradients", .args = args, .arg_count = TEST_COUNT(args), .run = run_gradients
	};
	static const char *const settings[] = { "svm=none,races=1", "svm=coarse,guard=1",
		"unified=1,delay=3" };
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings[_i], NULL);

	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(settings[_i]), 0);
	ck_assert_int_eq(fake->add_kernel(&kernel), 0);
	check_sizes("gpu");
	fake->settle();
	ck_assert_msg(fake->violation_count() == 0, "%s", fake->violation(0));
	ck_assert_int_eq(fake->live(FAKE_CL_BUFFER), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_KERNEL), 0);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("bag pipeline");
	TCase *c = test_case(suite, "bag");

	tcase_add_test(c, on_cores);
#ifdef HAVE_OPENCL
	tcase_add_loop_test(c, on_pocl, 0, 2);
	tcase_add_test(c, on_a_half);
	tcase_add_loop_test(c, on_the_fake_driver, 0, 3);
#endif
	return test_main(suite);
}
