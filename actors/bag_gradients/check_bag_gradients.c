/* SPDX-License-Identifier: MIT */
/* bag_gradients against the definition. */
#include "config.h"

#include "actors/common/check_bag.h"
#include "actors/common/wide.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* No patch, one, one and a bit, rows and columns of them; no multiples of 8. */
static const struct pstk_frame_size sizes[] = { { 1, 1 }, { 15, 40 }, { 16, 16 }, { 17, 25 }, { 63, 24 },
	{ 63, 129 }, { 3, 2 } };

static struct stream_run stream_of(const struct bag *b, const struct stream_way *way)
{
	struct stream_run run = { .way = *way,
		.in = { { .token_size = bag_token(b, BAG_IN), .count = b->frames, .tokens = b->in } },
		.out = { { .token_size = bag_token(b, BAG_MAGNITUDE) },
			{ .token_size = bag_token(b, BAG_BIN) } } };

	run.way.tail = 0;
	return run;
}

static void check(const struct bag *b, const struct stream_way *way)
{
	struct stream_run run = stream_of(b, way);

	stream_run(&run, bag_add_gradients, b);
	for (size_t i = 0; i < b->frames; i++)
		bag_check_gradients(b->in + i * run.in[0].token_size,
			run.out[0].tokens + i * run.out[0].token_size,
			run.out[1].tokens + i * run.out[1].token_size);
	stream_free(&run);
}

static void check_random(const char *memory, uint64_t rounds)
{
	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_frame_size *size = &sizes[test_between(&rng, 0, TEST_COUNT(sizes) - 1)];
		struct stream_way way = stream_way_on(memory, &rng);
		struct bag b;

		test_guard("frames", seed);
		bag_begin(&b, &rng, size->width, size->height, test_between(&rng, 1, 70),
			test_between(&rng, 1, 5), 7);
		check(&b, &way);
		bag_end(&b);
	}
}

START_TEST(random_frames)
{
	check_random(NULL, test_rounds(40));
}
END_TEST

/* Without the longer vectors. */
START_TEST(plain_frames)
{
	ps_wide_limit(PS_WIDE_ANY);
	check_random(NULL, test_rounds(20));
}
END_TEST

START_TEST(random_frames_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_random(stream_memories[_i], test_rounds(15));
}
END_TEST

/*
 * What is refused.
 */

static struct pstk_actor *add_spec(struct pstk_network *net, const void *spec)
{
	return pstk_bag_gradients_add(net, "tested", spec);
}

START_TEST(wrong_specs)
{
	struct pstk_bag_spec spec = pstk_bag_spec_init();

	STREAM_REFUSES(add_spec, NULL, -EINVAL, "'tested'", "bag_gradients", "PSTK_BAG()");
	spec.width = 16;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "'tested': frames of 16 x 0 pixels", "1 to 32768");
	spec.height = 16;
	STREAM_REFUSES(add_spec, &spec, -EINVAL, "port 'in' has tokens of 8 bytes, a frame needs 320",
		"pstk_sized_bytes(256)");
}
END_TEST

START_TEST(frame_too_large)
{
	static const uint32_t side[2] = { 19, 17 };
	struct test_rng rng = { test_seed() };
	struct stream_run run;
	struct bag b;

	bag_begin(&b, &rng, 18, 17, 2, 1, 1);
	memcpy(b.in, side, sizeof side);
	run = stream_of(&b, &(struct stream_way){ .steps = 1, .depth = 1 });
	STREAM_FAILS(&run, bag_add_gradients, &b, -EINVAL, "'tested'",
		"a frame of 19 x 17 pixels: the largest is 18 x 17");
	stream_free(&run);
	bag_end(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bag_gradients");
	TCase *c = test_case(suite, "cores");

	tcase_add_test(c, random_frames);
	tcase_add_test(c, wrong_specs);
	tcase_add_test(c, frame_too_large);
	tcase_add_test(c, plain_frames);
	c = test_case(suite, "devices");
	tcase_add_loop_test(c, random_frames_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
