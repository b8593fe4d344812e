/* SPDX-License-Identifier: MIT */
/*
 * The three stages of ViVid as a pipeline: each configuration, on cores, devices and the fake driver, frame by frame
 * against the definitions; those without the device against each other bit for bit.
 */
#include "config.h"

#include "actors/common/check_chain.h"
#include "actors/common/check_vivid.h"
#ifdef HAVE_OPENCL
#include "tests/fake_cl/fake_cl.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 2, ALL = 7 };

/* Outputs, in the order of enum vivid_kind behind the frames. */
static void build(struct chain *c, const void *data)
{
	const struct vivid *v = data;
	struct pstk_vivid_spec spec = *PSTK_VIVID(.width = v->width, .height = v->height,
		.filters = v->filters, .rows = v->rows, .coefficients = v->filter);

	c->stage_count = 3;
	c->stages[0] = pstk_vivid_filters_add(c->net, "filters", &spec);
	c->stages[1] = pstk_vivid_histogram_add(c->net, "histogram", &spec);
	spec.coefficients = v->classifier;
	c->stages[2] = pstk_vivid_classify_add(c->net, "classify", &spec);
	pstk_connect(c->stages[0], "value", c->stages[1], "value",
		PSTK_FIFO(.token_size = vivid_token(v, VIVID_VALUE)));
	pstk_connect(c->stages[0], "index", c->stages[1], "index",
		PSTK_FIFO(.token_size = vivid_token(v, VIVID_INDEX)));
	pstk_connect(c->stages[1], "hist", c->stages[2], "hist",
		PSTK_FIFO(.token_size = vivid_token(v, VIVID_HIST)));
	c->in = (struct chain_end){ 0, "in", vivid_token(v, VIVID_IN), v->frames, 0, v->in };
	c->out_count = 4;
	c->outs[0] = (struct chain_end){ 0, "value", .token_size = vivid_token(v, VIVID_VALUE) };
	c->outs[1] = (struct chain_end){ 0, "index", .token_size = vivid_token(v, VIVID_INDEX) };
	c->outs[2] = (struct chain_end){ 1, "hist", .token_size = vivid_token(v, VIVID_HIST) };
	c->outs[3] = (struct chain_end){ 2, "dist", .token_size = vivid_token(v, VIVID_DIST) };
}

static const void *token(const struct chain *c, enum vivid_kind kind, size_t frame)
{
	return chain_token(c, (int)kind - 1, frame);
}

/* Each stage by what it got. */
static void check(const struct chain *c, const struct vivid *v)
{
	for (size_t i = 0; i < v->frames; i++) {
		vivid_check_filters(
			v, token(c, VIVID_IN, i), token(c, VIVID_VALUE, i), token(c, VIVID_INDEX, i));
		vivid_check_histogram(
			v, token(c, VIVID_VALUE, i), token(c, VIVID_INDEX, i), token(c, VIVID_HIST, i));
		vivid_check_classify(v, token(c, VIVID_HIST, i), token(c, VIVID_DIST, i));
	}
}

/* Are they the same, bit for bit? What lies behind a frame's own does not count. */
static void compare(
	const struct chain *a, const struct chain *b, const struct vivid *v, const char *configuration)
{
	for (unsigned kind = VIVID_VALUE; kind < VIVID_KINDS; kind++)
		for (size_t i = 0; i < v->frames; i++) {
			const unsigned char *x = token(a, kind, i), *y = token(b, kind, i);
			size_t bytes = vivid_bytes(v, kind, token(a, VIVID_IN, i));

			ck_assert_mem_eq(x, y, 8);
			ck_assert_msg(!memcmp(x + 64, y + 64, bytes), "%s: output %u of frame %zu differs",
				configuration, kind, i);
		}
}

static void check_all(const struct vivid *v, const char *device)
{
	struct chain first, other;
	char text[32];

	chain_run(&first, build, v, PSTK_PIPELINE(.configuration = "CG:000:1", .cores = 1));
	check(&first, v);
	for (unsigned cores = 1; cores <= CORES; cores++)
		for (unsigned i = 0; chain_configuration(text, i, cores, 3, device ? ALL : 0, true); i++) {
			test_guard(text, test_seed());
			chain_run(&other, build, v,
				PSTK_PIPELINE(.device = device, .configuration = text, .cores = cores));
			if (i < cores + 2)
				compare(&first, &other, v, text);
			else
				check(&other, v);
			chain_free(&other);
		}
	chain_free(&first);
}

static void check_chosen(const struct vivid *v, const char *device)
{
	static const char *const configurations[] = { NULL, "baseline" };

	for (unsigned i = 0; i < TEST_COUNT(configurations); i++) {
		struct chain c;

		chain_run(&c, build, v,
			PSTK_PIPELINE(.device = device, .configuration = configurations[i], .cores = CORES,
				.repetitions = 1));
		check(&c, v);
		chain_free(&c);
	}
}

/* One with a rest, the smallest. Frames are of any size up to these. */
static const struct pstk_frame_size sizes[] = { { 63, 129 }, { 8, 8 } };

static void check_sizes(const char *device)
{
	struct test_rng rng = { test_mix(test_seed()) };

	for (unsigned i = 0; i < TEST_COUNT(sizes); i++) {
		struct vivid v;

		/* building kernels takes most of the time */
		if (!i || !device) {
			vivid_begin(&v, &rng, sizes[i].width, sizes[i].height, 12, 21, 6);
			check_all(&v, device);
			vivid_end(&v);
		}
		vivid_begin(&v, &rng, sizes[i].width, sizes[i].height, 12, 21, 60);
		check_chosen(&v, device);
		vivid_end(&v);
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

/*
 * On a driver whose device has its own memory, the kernels as C.
 */

static uint32_t value_of(const struct fake_cl_launch *l, unsigned arg)
{
	uint32_t value;

	memcpy(&value, l->arg[arg], sizeof value);
	return value;
}

static void run_filters(const struct fake_cl_launch *l)
{
	const uint32_t *size = l->arg[0];
	const unsigned char *in = (const unsigned char *)l->arg[0] + 64;
	float *value = (float *)l->arg[1] + 16;
	unsigned char *index = (unsigned char *)l->arg[2] + 64;
	const float *filters = l->arg[4];
	const size_t w = size[0], h = size[1];

	memcpy(l->arg[1], size, 8);
	memcpy(l->arg[2], size, 8);
	for (size_t i = 0; i < w * h; i++) {
		bool inner = i % w && i % w + 1 < w && i / w && i / w + 1 < h;

		value[i] = inner ? -1 : 0;
		index[i] = 0;
		for (uint32_t f = 0; inner && f < value_of(l, 7); f++) {
			float sum = 0;

			for (size_t k = 0; k < 9; k++)
				sum += filters[9 * f + k] * in[i - w - 1 + k / 3 * w + k % 3];
			sum = sum < 0 ? -sum : sum;
			if (sum > value[i]) {
				value[i] = sum;
				index[i] = (unsigned char)f;
			}
		}
	}
}

static void run_histogram(const struct fake_cl_launch *l)
{
	const uint32_t *size = l->arg[0], filters = value_of(l, 6);
	const float *value = (const float *)l->arg[0] + 16;
	const unsigned char *index = (const unsigned char *)l->arg[1] + 64;
	float *hist = (float *)l->arg[2] + 16;
	const size_t w = size[0], across = w / 8, cells = across * (size[1] / 8);

	memcpy(l->arg[2], size, 8);
	memset(hist, 0, cells * filters * sizeof *hist);
	for (size_t c = 0; c < cells; c++)
		for (size_t i = 0; i < 64; i++) {
			size_t at = (c / across * 8 + i / 8) * w + c % across * 8 + i % 8;

			if (index[at] < filters)
				hist[c * filters + index[at]] += value[at];
		}
}

static void run_classify(const struct fake_cl_launch *l)
{
	const uint32_t *size = l->arg[0], filters = value_of(l, 6), rows = value_of(l, 7);
	const float *hist = (const float *)l->arg[0] + 16, *coefficients = l->arg[3];
	float *dist = (float *)l->arg[1] + 16;
	const size_t cells = (size_t)(size[0] / 8) * (size[1] / 8);

	memcpy(l->arg[1], size, 8);
	for (size_t row = 0; row < rows; row++)
		for (size_t c = 0; c < cells; c++) {
			const float *group = coefficients + row / 8 * 8 * filters + row % 8;
			double sum = 0;

			for (size_t k = 0; k < filters; k++) {
				double d = (double)hist[c * filters + k] - group[k * 8];

				sum += d * d;
			}
			dist[row * cells + c] = (float)sum;
		}
}

#define NUMBERS                                                                        \
	FAKE_CL_VALUE("width", "uint", 4), FAKE_CL_VALUE("height", "uint", 4),         \
		FAKE_CL_VALUE("filters", "uint", 4), FAKE_CL_VALUE("rows", "uint", 4), \
		FAKE_CL_VALUE("steps", "uint", 4)

START_TEST(on_the_fake_driver)
{
	static const struct fake_cl_arg filters[] = { FAKE_CL_IN("in", "uchar"),
		FAKE_CL_OUT("value", "float"), FAKE_CL_OUT("index", "uchar"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_CONSTANT("coefficients", "float"), NUMBERS },
					histogram[] = { FAKE_CL_IN("value", "float"),
						FAKE_CL_IN("index", "uchar"), FAKE_CL_OUT("hist", "float"),
						FAKE_CL_VALUE("firing", "ulong", 8), NUMBERS },
					classify[] = { FAKE_CL_IN("hist", "float"),
						FAKE_CL_OUT("dist", "float"),
						FAKE_CL_VALUE("firing", "ulong", 8),
						FAKE_CL_IN("coefficients", "float"), NUMBERS };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "vivid_filters",
			.args = filters,
			.arg_count = TEST_COUNT(filters),
			.run = run_filters },
		{ .name = "vivid_histogram",
			.args = histogram,
			.arg_count = TEST_COUNT(histogram),
			.run = run_histogram },
		{ .name = "vivid_classify",
			.args = classify,
			.arg_count = TEST_COUNT(classify),
			.run = run_classify },
	};
	static const char *const settings[] = { "svm=none,races=1", "svm=coarse,guard=1",
		"unified=1,delay=3" };
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings[_i], NULL);

	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(settings[_i]), 0);
	for (unsigned i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
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
	Suite *suite = suite_create("vivid pipeline");
	TCase *c = test_case(suite, "vivid");

	tcase_add_test(c, on_cores);
#ifdef HAVE_OPENCL
	tcase_add_loop_test(c, on_pocl, 0, 2);
	tcase_add_test(c, on_a_half);
	tcase_add_loop_test(c, on_the_fake_driver, 0, 3);
#endif
	return test_main(suite);
}
