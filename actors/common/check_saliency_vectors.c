/* SPDX-License-Identifier: MIT */
/* The vectors of tests/data/pacco-saliency.json: energies of cosines behind fft2d, gabor and ifft2d (S1), what
 * interactions (S2) and normalize (S3) make of some values. */
#include "config.h"

#include "actors/common/check_pathway.h"
#include "actors/normalize/normalize.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512, PIXELS = SIDE * SIDE };

static json_t *data;

static void load(void)
{
	data = json_load_file(TEST_DATA "/pacco-saliency.json", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(data);
}

static void unload(void)
{
	json_decref(data);
}

static const json_t *at(const char *vector, const char *key)
{
	const json_t *value = json_object_get(json_object_get(data, vector), key);

	ck_assert_msg(value != NULL, "no %s.%s", vector, key);
	return value;
}

/* The maps of an image. The caller frees the run. */
static struct stream_run energies(const float *image)
{
	const struct pstk_frame_size size = { SIDE, SIDE };
	const struct pathway_actor fft = { pstk_fft2d_type(), &size }, gabor = { pstk_gabor_type(), &size },
				   ifft = { pstk_ifft2d_type(), &size };
	const size_t spectrum = PIXELS * sizeof(struct pstk_cf32), map = PIXELS * sizeof(float);
	struct stream_way way = pathway_plain();
	struct stream_run first = pathway_run(&fft, &way, image, 1, map, spectrum), second, third;

	second = pathway_run(&gabor, &way, first.out[0].tokens, 1, spectrum, spectrum);
	stream_free(&first);
	third = pathway_run(&ifft, &way, second.out[0].tokens, PATHWAY_MAPS, spectrum, map);
	stream_free(&second);
	ck_assert_uint_eq(third.out[0].count, PATHWAY_MAPS);
	return third;
}

static double mean_of(const struct stream_run *run, unsigned orientation, unsigned band)
{
	const float *map =
		(const float *)(void *)run->out[0].tokens + (4 * orientation + band) * (size_t)PIXELS;
	double sum = 0;

	for (size_t i = 0; i < PIXELS; i++)
		sum += map[i];
	return sum / PIXELS;
}

static void expect(const struct stream_run *run, unsigned orientation, unsigned band, double want)
{
	double got = mean_of(run, orientation, band);

	ck_assert_msg(fabs(got - want) <= 1e-3 * want + 1e-11, "orientation %u, band %u: %g, not %g",
		orientation, band, got, want);
}

/* Frequency 1/8 down. All pixels of its map have the same energy. */
START_TEST(cosine_down)
{
	float *image = malloc(PIXELS * sizeof *image);
	const json_t *bands = at("S1", "energy_mean_band"),
		     *orientations = at("S1", "energy_mean_orientation");
	struct stream_run run;

	ck_assert_ptr_nonnull(image);
	for (size_t i = 0; i < PIXELS; i++)
		image[i] = (float)cos(2 * acos(-1) * 0.125 * (double)(i / SIDE));
	run = energies(image);
	for (unsigned band = 0; band < 4; band++)
		expect(&run, 0, band, json_real_value(json_array_get(bands, band)));
	for (unsigned j = 0; j < 6; j++)
		expect(&run, j, 2, json_real_value(json_array_get(orientations, j)));
	for (size_t i = 0; i < PIXELS; i++)
		ck_assert_float_eq_tol(
			((const float *)(void *)run.out[0].tokens)[2 * PIXELS + i], 0.25f, 1e-5f);
	stream_free(&run);
	free(image);
}
END_TEST

/* .. and to the right: another orientation. */
START_TEST(cosine_to_the_right)
{
	float *image = malloc(PIXELS * sizeof *image);
	struct stream_run run;

	ck_assert_ptr_nonnull(image);
	for (size_t i = 0; i < PIXELS; i++)
		image[i] = (float)cos(2 * acos(-1) / 8 * (double)(i % SIDE));
	run = energies(image);
	expect(&run, 3, 2, 0.25);
	expect(&run, 0, 2, 3.54498e-09);
	stream_free(&run);
	free(image);
}
END_TEST

START_TEST(interactions)
{
	enum { SMALL = 64 };
	const struct pstk_frame_size size = { 8, 8 };
	const struct pathway_actor actor = { pstk_interactions_type(), &size };
	const json_t *impulse = at("S2", "impulse"), *out = at("S2", "out");
	size_t j = (size_t)json_integer_value(json_array_get(impulse, 0)),
	       i = (size_t)json_integer_value(json_array_get(impulse, 1));
	float maps[PATHWAY_MAPS * SMALL] = { 0 };
	struct stream_way way = pathway_plain();
	struct stream_run run;

	for (size_t p = 0; p < SMALL; p++)
		maps[(4 * j + i) * SMALL + p] = 1;
	run = pathway_run(&actor, &way, maps, PATHWAY_MAPS, SMALL * sizeof(float), SMALL * sizeof(float));
	for (size_t m = 0; m < PATHWAY_MAPS; m++) {
		char key[16];

		snprintf(key, sizeof key, "%zu,%zu", m / 4, m % 4);
		/* of a key that is not there it is 0 */
		ck_assert_double_eq(((const float *)(void *)run.out[0].tokens)[m * SMALL],
			json_number_value(json_object_get(out, key)));
	}
	stream_free(&run);
}
END_TEST

START_TEST(normalize)
{
	const struct pstk_normalize_arg arg = { { 8, 8 }, 1e-9f };
	const json_t *map = at("S3", "map"), *out = at("S3", "out");
	float from[64], to[64];

	for (size_t i = 0; i < 64; i++)
		from[i] = (float)json_number_value(json_array_get(map, i % 4));
	ps_normalize_map(to, from, &arg);
	for (size_t i = 0; i < 64; i++)
		ck_assert_double_eq_tol(to[i], json_number_value(json_array_get(out, i % 4)), 1e-7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("saliency_vectors");
	TCase *c = test_case(suite, "vectors");

	tcase_add_checked_fixture(c, load, unload);
#ifdef HAVE_KISSFFT
	tcase_add_test(c, cosine_down);
	tcase_add_test(c, cosine_to_the_right);
#endif
	tcase_add_test(c, interactions);
	tcase_add_test(c, normalize);
	return test_main(suite);
}
