/* SPDX-License-Identifier: MIT */
/* vivid_filters against the definition, and against vectors. */
#include "config.h"

#include "actors/common/check_vivid.h"
#include "actors/common/wide.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The smallest, rows and columns of one, no strip, one, one and a bit; no multiples of 8. */
static const struct pstk_frame_size sizes[] = { { 1, 1 }, { 1, 9 }, { 2, 5 }, { 3, 3 }, { 9, 3 }, { 10, 4 },
	{ 11, 5 }, { 40, 1 }, { 63, 29 }, { 17, 40 } };

static struct stream_run stream_of(const struct vivid *v, const struct stream_way *way)
{
	struct stream_run run = { .way = *way,
		.in = { { .token_size = vivid_token(v, VIVID_IN), .count = v->frames, .tokens = v->in } },
		.out = { { .token_size = vivid_token(v, VIVID_VALUE) },
			{ .token_size = vivid_token(v, VIVID_INDEX) } } };

	run.way.tail = 0;
	return run;
}

static struct stream_run filter(const struct vivid *v, const struct stream_way *way)
{
	struct stream_run run = stream_of(v, way);

	stream_run(&run, vivid_add_filters, v);
	ck_assert_uint_eq(run.out[0].count, v->frames);
	ck_assert_uint_eq(run.out[1].count, v->frames);
	return run;
}

static void check(const struct vivid *v, const struct stream_way *way)
{
	struct stream_run run = filter(v, way);

	for (size_t i = 0; i < v->frames; i++)
		vivid_check_filters(v, v->in + i * run.in[0].token_size,
			run.out[0].tokens + i * run.out[0].token_size,
			run.out[1].tokens + i * run.out[1].token_size);
	stream_free(&run);
}

static void check_random(const char *memory, uint64_t rounds)
{
	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_frame_size *size = &sizes[test_between(&rng, 0, TEST_COUNT(sizes) - 1)];
		uint32_t filters = test_chance(&rng, 20) ? 256 : test_between(&rng, 1, 20);
		struct stream_way way = stream_way_on(memory, &rng);
		struct vivid v;

		test_guard("frames", seed);
		vivid_begin(&v, &rng, size->width, size->height, filters, 1, 7);
		check(&v, &way);
		vivid_end(&v);
	}
}

START_TEST(random_frames)
{
	check_random(NULL, test_rounds(60));
}
END_TEST

/* Without the longer vectors. */
START_TEST(plain_frames)
{
	ps_wide_limit(PS_WIDE_ANY);
	check_random(NULL, test_rounds(60));
}
END_TEST

START_TEST(random_frames_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_random(stream_memories[_i], test_rounds(15));
}
END_TEST

START_TEST(vectors)
{
	const size_t pixels = 160 * 120;
	struct vivid v;
	struct stream_run run;
	float *value = vivid_floats("stage1_value.f32", pixels);
	unsigned char *index = vivid_file("stage1_index.u8", 0, pixels);
	const float *got;

	vivid_begin_vectors(&v);
	run = filter(&v, &(struct stream_way){ .steps = 1, .depth = 1 });
	got = (const float *)(void *)(run.out[0].tokens + 64);
	for (size_t i = 0; i < pixels; i++) {
		ck_assert_float_le(fabsf(got[i] - value[i]), 1e-3f);
		ck_assert_msg(run.out[1].tokens[64 + i] == index[i] || value[i] <= 1e-3f, "pixel %zu", i);
	}
	vivid_check_filters(&v, v.in, run.out[0].tokens, run.out[1].tokens);
	stream_free(&run);
	vivid_end(&v);
	free(value);
	free(index);
}
END_TEST

/*
 * What is refused.
 */

static struct pstk_actor *add_spec(struct pstk_network *net, const void *spec)
{
	return pstk_vivid_filters_add(net, "tested", spec);
}

START_TEST(wrong_specs)
{
	float filter[18] = { 0 };
	struct pstk_vivid_spec spec = pstk_vivid_spec_init();

	STREAM_REFUSES(add_spec, NULL, -EINVAL, "'tested'", "vivid_filters", "PSTK_VIVID()");
	STREAM_REFUSES(add_spec, &(struct pstk_vivid_spec){ 0 }, -EINVAL, "PSTK_VIVID()");
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': frames of 0 x 0 pixels", "1 to 32768");
	spec.width = 8;
	spec.height = 32769;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "frames of 8 x 32769 pixels");
	spec.height = 8;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': 0 filters: there are 1 to 256");
	spec.filters = 257;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "257 filters");
	spec.filters = 2;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': filters at NULL: give the numbers");
	spec.coefficients = filter;
	filter[17] = NAN;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': number 17 of the filters is nan");
	filter[17] = 0;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "port 'in' has tokens of 8 bytes, a frame of 8 x 8 pixels",
		"needs 128", "pstk_sized_bytes(64)");
}
END_TEST

START_TEST(frame_too_large)
{
	static const uint32_t sides[][2] = { { 10, 8 }, { 9, 9 }, { UINT32_MAX, 1 } };
	struct test_rng rng = { test_seed() };
	struct vivid v;

	vivid_begin(&v, &rng, 9, 8, 1, 1, 1);
	for (size_t i = 0; i < TEST_COUNT(sides); i++) {
		struct stream_run run = stream_of(&v, &(struct stream_way){ .steps = 1, .depth = 1 });

		memcpy(v.in, sides[i], sizeof *sides);
		STREAM_FAILS(&run, vivid_add_filters, &v, -EINVAL, "'tested'", "a frame of ",
			" pixels: the largest is 9 x 8");
		stream_free(&run);
	}
	vivid_end(&v);
}
END_TEST

START_TEST(out_of_memory)
{
	struct pstk_network *net = pstk_network_create("memory");
	float filter[9] = { 0 };

	test_fail_allocation(1);
	ck_assert_ptr_null(pstk_vivid_filters_add(
		net, "tested", PSTK_VIVID(.width = 8, .height = 8, .filters = 1, .coefficients = filter)));
	test_fail_allocation(0);
	ck_assert_int_eq(pstk_network_run(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "'tested': out of memory");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vivid_filters");
	TCase *c = test_case(suite, "cores"), *devices = test_case(suite, "devices");

	tcase_add_test(c, random_frames);
	tcase_add_test(c, plain_frames);
	tcase_add_test(c, vectors);
	tcase_add_test(c, wrong_specs);
	tcase_add_test(c, frame_too_large);
	tcase_add_test(c, out_of_memory);
	tcase_add_loop_test(devices, random_frames_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
