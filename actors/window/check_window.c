/* SPDX-License-Identifier: MIT */
/* window against its definition, in double precision, on the cores and on devices. */
#include "config.h"

#include "actors/common/check_pathway.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const windows[] = { "hann", "flat8", "none" };

START_TEST(refusals)
{
	const struct pstk_window_arg wrong = { { 8, 8 }, "hamming" };
	struct pathway_actor actor = { pstk_window_type(), &wrong };

	pathway_check_refusals(pstk_window_type());
	STREAM_REFUSES(pathway_add, &actor, -ERANGE, "'tested'", "window", "hann|flat8|none");
}
END_TEST

static void compare(
	const float *got, const uint8_t *frame, const struct pstk_window_arg *arg, const char *what)
{
	size_t w = arg->size.width, h = arg->size.height;
	double P, *want = malloc(w * h * sizeof *want);

	ck_assert_ptr_nonnull(want);
	pathway_window(want, frame, w, h, arg->window ? arg->window : "hann", &P);
	for (size_t i = 0; i < w * h; i++)
		ck_assert_msg(fabs(got[i] - (P > 0 ? want[i] / sqrt(P) : 0)) <= 2e-6,
			"%s, %zux%zu, pixel %zu: %g, not %g", what, w, h, i, (double)got[i],
			want[i] / sqrt(P));
	free(want);
}

/* Frames of any kind: dark, bright, of one value, noise. */
static void fill(struct test_rng *rng, uint8_t *frames, size_t pixels, size_t count)
{
	for (size_t f = 0; f < count; f++) {
		uint8_t base = (uint8_t)test_random(rng), mask = (uint8_t)(f % 4 == 3 ? 0 : 255 >> f % 8);

		for (size_t i = 0; i < pixels; i++)
			frames[f * pixels + i] = (uint8_t)(base ^ ((uint8_t)test_random(rng) & mask));
	}
}

static void check_frames(uint64_t rounds, const char *memory)
{
	enum { FRAMES = 9, MOST = 40 };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_window_arg arg = {
			{ test_between(&rng, 8, MOST), test_between(&rng, 8, MOST) }, windows[seed % 3]
		};
		struct pathway_actor actor = { pstk_window_type(), &arg };
		struct stream_way way = stream_way_on(memory, &rng);
		size_t pixels = (size_t)arg.size.width * arg.size.height;
		uint8_t frames[FRAMES * MOST * MOST];
		struct stream_run run;

		test_guard("frames", seed);
		fill(&rng, frames, pixels, FRAMES);
		way.tail = 0;
		run = pathway_run(&actor, &way, frames, FRAMES, pixels, pixels * sizeof(float));
		ck_assert_uint_eq(run.out[0].count, FRAMES);
		for (size_t f = 0; f < FRAMES; f++)
			compare((const float *)(void *)run.out[0].tokens + f * pixels, frames + f * pixels,
				&arg, arg.window);
		stream_free(&run);
	}
}

START_TEST(random_frames)
{
	check_frames(test_rounds(200), NULL);
}
END_TEST

START_TEST(random_frames_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_frames(test_rounds(20), stream_memories[_i]);
}
END_TEST

/* Exactly 0, not only nearly: also where a sum of so many pixels has no exact single-precision number. */
static void check_constant(const char *device)
{
	const struct pstk_window_arg arg = { { 5003, 1021 }, NULL };
	struct pathway_actor actor = { pstk_window_type(), &arg };
	struct stream_way way = pathway_plain();
	size_t pixels = (size_t)arg.size.width * arg.size.height;
	uint8_t *frame = malloc(pixels);

	ck_assert_ptr_nonnull(frame);
	way.device = device;
	for (int value = 0; value < 256; value += 51) {
		struct stream_run run;

		memset(frame, value, pixels);
		run = pathway_run(&actor, &way, frame, 1, pixels, pixels * sizeof(float));
		ck_assert_uint_eq(run.out[0].count, 1);
		for (size_t i = 0; i < pixels; i++)
			if (((const float *)(void *)run.out[0].tokens)[i] != 0)
				ck_abort_msg("value %d, pixel %zu", value, i);
		stream_free(&run);
	}
	free(frame);
}

START_TEST(constant_frames)
{
	check_constant(NULL);
}
END_TEST

START_TEST(constant_frames_on_a_device)
{
	const char *device = stream_device("svm");

	if (device)
		check_constant(device);
}
END_TEST

START_TEST(out_of_memory)
{
	const struct pstk_window_arg arg = { { 8, 8 }, NULL };
	struct pathway_actor actor = { pstk_window_type(), &arg };

	ck_assert_uint_eq(pathway_fail_allocations(&actor, 64, 64 * sizeof(float)), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("window");
	TCase *c = test_case(suite, "window"), *devices = test_case(suite, "devices");

	tcase_add_test(c, refusals);
	tcase_add_test(c, random_frames);
	tcase_add_test(c, constant_frames);
	tcase_add_test(c, out_of_memory);
	tcase_add_loop_test(devices, random_frames_on_devices, 0, STREAM_MEMORIES);
	tcase_add_test(devices, constant_frames_on_a_device);
	return test_main(suite);
}
