/* SPDX-License-Identifier: MIT */
/* vivid_histogram against the definition, and against vectors. */
#include "config.h"

#include "actors/common/check_vivid.h"
#include "actors/common/wide.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No cell, one, one and a bit, a row of them, some; no multiples of 8. */
static const struct pstk_frame_size sizes[] = { { 1, 1 }, { 7, 20 }, { 8, 8 }, { 9, 17 }, { 63, 9 },
	{ 63, 129 }, { 130, 70 } };

static struct stream_run stream_of(const struct vivid *v, const struct stream_way *way)
{
	struct stream_run run = { .way = *way,
		.in = { { .token_size = vivid_token(v, VIVID_VALUE), .count = v->frames, .tokens = v->value },
			{ .token_size = vivid_token(v, VIVID_INDEX),
				.count = v->frames,
				.tokens = v->index } },
		.out = { { .token_size = vivid_token(v, VIVID_HIST) } } };

	run.way.tail = 0;
	return run;
}

static void check(const struct vivid *v, const struct stream_way *way)
{
	struct stream_run run = stream_of(v, way);

	stream_run(&run, vivid_add_histogram, v);
	ck_assert_uint_eq(run.out[0].count, v->frames);
	for (size_t i = 0; i < v->frames; i++)
		vivid_check_histogram(v, v->value + i * run.in[0].token_size,
			v->index + i * run.in[1].token_size, run.out[0].tokens + i * run.out[0].token_size);
	stream_free(&run);
}

static void check_random(const char *memory, uint64_t rounds)
{
	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_frame_size *size = &sizes[test_between(&rng, 0, TEST_COUNT(sizes) - 1)];
		uint32_t filters = test_chance(&rng, 20) ? 256 : test_between(&rng, 1, 120);
		struct stream_way way = stream_way_on(memory, &rng);
		struct vivid v;

		test_guard("frames", seed);
		vivid_begin(&v, &rng, size->width, size->height, filters, test_between(&rng, 1, 40), 7);
		check(&v, &way);
		vivid_end(&v);
	}
}

START_TEST(random_frames)
{
	check_random(NULL, test_rounds(60));
}
END_TEST

START_TEST(random_frames_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_random(stream_memories[_i], test_rounds(15));
}
END_TEST

/* A token of a file's bytes. */
static unsigned char *token_of(const struct vivid *v, enum vivid_kind kind, const void *bytes)
{
	unsigned char *token = malloc(vivid_token(v, kind));

	ck_assert_ptr_nonnull(token);
	memcpy(token, v->in, 8);
	memcpy(token + 64, bytes, vivid_bytes(v, kind, v->in));
	return token;
}

START_TEST(vectors)
{
	enum { PIXELS = 160 * 120, SUMS = 300 * 100 };
	struct vivid v;
	float *value = vivid_floats("stage1_value.f32", PIXELS),
	      *hist = vivid_floats("stage2_hist_300x100.f32", SUMS);
	unsigned char *index = vivid_file("stage1_index.u8", 0, PIXELS);
	const float *got;
	struct stream_run run;
	double sum = 0;

	vivid_begin_vectors(&v);
	v.value = token_of(&v, VIVID_VALUE, value);
	v.index = token_of(&v, VIVID_INDEX, index);
	run = stream_of(&v, &(struct stream_way){ .steps = 1, .depth = 1 });
	stream_run(&run, vivid_add_histogram, &v);
	got = (const float *)(void *)(run.out[0].tokens + 64);
	for (size_t i = 0; i < SUMS; i++)
		sum += hist[i];
	ck_assert_double_eq_tol(sum, 432528.38, 1);
	for (size_t i = 0; i < SUMS; i++)
		ck_assert_float_le(fabsf(got[i] - hist[i]), 1e-3f * (hist[i] + 1));
	stream_free(&run);
	vivid_end(&v);
	free(value);
	free(index);
	free(hist);
}
END_TEST

/*
 * What is refused.
 */

static struct pstk_actor *add_spec(struct pstk_network *net, const void *spec)
{
	return pstk_vivid_histogram_add(net, "tested", spec);
}

START_TEST(wrong_specs)
{
	struct pstk_vivid_spec spec = pstk_vivid_spec_init();

	STREAM_REFUSES(add_spec, NULL, -EINVAL, "'tested'", "vivid_histogram", "PSTK_VIVID()");
	spec.width = spec.height = 16;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': 0 filters");
	spec.filters = 3;
	STREAM_REFUSES(add_spec, &spec, -EINVAL,
		"port 'value' has tokens of 8 bytes, a frame of 16 x 16 pixels", "needs 1088",
		"pstk_sized_bytes(1024)");
}
END_TEST

START_TEST(frame_too_large)
{
	static const uint32_t side[2] = { 9, 9 };
	struct test_rng rng = { test_seed() };
	struct stream_run run;
	struct vivid v;

	vivid_begin(&v, &rng, 9, 8, 1, 1, 1);
	memcpy(v.value, side, sizeof side);
	run = stream_of(&v, &(struct stream_way){ .steps = 1, .depth = 1 });
	STREAM_FAILS(&run, vivid_add_histogram, &v, -EINVAL, "'tested'",
		"a frame of 9 x 9 pixels: the largest is 9 x 8");
	stream_free(&run);
	vivid_end(&v);
}
END_TEST

START_TEST(out_of_memory)
{
	struct pstk_network *net = pstk_network_create("memory");

	test_fail_allocation(1);
	ck_assert_ptr_null(add_spec(net, PSTK_VIVID(.width = 8, .height = 8, .filters = 1)));
	test_fail_allocation(0);
	ck_assert_int_eq(pstk_network_run(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "'tested': out of memory");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vivid_histogram");
	TCase *c = test_case(suite, "cores"), *devices = test_case(suite, "devices");

	tcase_add_test(c, random_frames);
	tcase_add_test(c, vectors);
	tcase_add_test(c, wrong_specs);
	tcase_add_test(c, frame_too_large);
	tcase_add_test(c, out_of_memory);
	tcase_add_loop_test(devices, random_frames_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
