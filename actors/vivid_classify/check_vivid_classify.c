/* SPDX-License-Identifier: MIT */
/* vivid_classify against the definition, and against vectors. */
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
		.in = { { .token_size = vivid_token(v, VIVID_HIST), .count = v->frames, .tokens = v->hist } },
		.out = { { .token_size = vivid_token(v, VIVID_DIST) } } };

	run.way.tail = 0;
	return run;
}

static void check(const struct vivid *v, const struct stream_way *way)
{
	struct stream_run run = stream_of(v, way);

	stream_run(&run, vivid_add_classify, v);
	ck_assert_uint_eq(run.out[0].count, v->frames);
	for (size_t i = 0; i < v->frames; i++)
		vivid_check_classify(
			v, v->hist + i * run.in[0].token_size, run.out[0].tokens + i * run.out[0].token_size);
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
	enum { CELLS = 300, EACH = 20 };
	struct vivid v;
	float *hist = vivid_floats("stage2_hist_300x100.f32", CELLS * 100),
	      *dist = vivid_floats("stage3_dist_21x300.f32", 21 * CELLS);
	const float *got;
	struct stream_run run;

	vivid_begin_vectors(&v);
	v.hist = calloc(1, vivid_token(&v, VIVID_HIST));
	ck_assert_ptr_nonnull(v.hist);
	memcpy(v.hist, v.in, 8);
	memcpy(v.hist + 64, hist, CELLS * 100 * sizeof *hist);
	run = stream_of(&v, &(struct stream_way){ .steps = 1, .depth = 1 });
	stream_run(&run, vivid_add_classify, &v);
	got = (const float *)(void *)(run.out[0].tokens + 64);
	for (size_t i = 0; i < 21 * CELLS; i++)
		ck_assert_float_le(
			fabsf(got[i / CELLS * EACH * CELLS + i % CELLS] - dist[i]), 1e-5f * dist[i]);
	vivid_check_classify(&v, v.hist, run.out[0].tokens);
	stream_free(&run);
	vivid_end(&v);
	free(hist);
	free(dist);
}
END_TEST

/*
 * What is refused.
 */

static struct pstk_actor *add_spec(struct pstk_network *net, const void *spec)
{
	return pstk_vivid_classify_add(net, "tested", spec);
}

START_TEST(wrong_specs)
{
	float row[2] = { 0, INFINITY };
	struct pstk_vivid_spec spec = pstk_vivid_spec_init();

	STREAM_REFUSES(add_spec, NULL, -EINVAL, "'tested'", "vivid_classify", "PSTK_VIVID()");
	spec.width = spec.height = 16;
	spec.filters = 2;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': a classifier without rows");
	spec.rows = UINT32_MAX;
	STREAM_REFUSES(
		add_spec, &spec, -EINVAL, "'tested': a classifier of 4294967295 rows: 1048576 at most");
	spec.rows = 1;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': classifier at NULL");
	spec.coefficients = row;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': number 1 of the classifier is inf");
	row[1] = 0;
	STREAM_REFUSES(add_spec, &spec, -EINVAL,
		"port 'hist' has tokens of 8 bytes, a frame of 16 x 16 pixels", "needs 128",
		"pstk_sized_bytes(32)");
}
END_TEST

START_TEST(frame_too_large)
{
	static const uint32_t side[2] = { 10, 1 };
	struct test_rng rng = { test_seed() };
	struct stream_run run;
	struct vivid v;

	vivid_begin(&v, &rng, 9, 8, 1, 1, 1);
	memcpy(v.hist, side, sizeof side);
	run = stream_of(&v, &(struct stream_way){ .steps = 1, .depth = 1 });
	STREAM_FAILS(&run, vivid_add_classify, &v, -EINVAL, "'tested'",
		"a frame of 10 x 1 pixels: the largest is 9 x 8");
	stream_free(&run);
	vivid_end(&v);
}
END_TEST

START_TEST(out_of_memory)
{
	struct pstk_network *net = pstk_network_create("memory");
	float row = 0;

	test_fail_allocation(1);
	ck_assert_ptr_null(add_spec(
		net, PSTK_VIVID(.width = 8, .height = 8, .filters = 1, .rows = 1, .coefficients = &row)));
	test_fail_allocation(0);
	ck_assert_int_eq(pstk_network_run(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "'tested': out of memory");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vivid_classify");
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
