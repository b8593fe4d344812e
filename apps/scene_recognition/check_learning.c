/* SPDX-License-Identifier: MIT */
/* k-means and ridge regression by examples that are worked out by hand. */
#include "config.h"

#include "apps/scene_recognition/learning.h"
#include "tests/common/common.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = LEARNING_NUMBERS };

/* Two heaps on a line: 0, 1, 2 and 10, 12; the words begin at 0 and 2, and end in the heaps' middles. */
START_TEST(two_heaps)
{
	static const float at[] = { 0, 1, 2, 10, 12 };
	float descriptors[5 * NUMBERS] = { 0 }, words[2 * NUMBERS];
	double hist[2];

	for (unsigned i = 0; i < 5; i++)
		descriptors[i * NUMBERS] = at[i];
	ck_assert_int_eq(learning_make_words(words, 2, descriptors, 5), 0);
	ck_assert_float_eq_tol(words[0], 1, 1e-6f);
	ck_assert_float_eq_tol(words[NUMBERS], 11, 1e-6f);
	for (unsigned i = 1; i < NUMBERS; i++)
		ck_assert(words[i] == 0 && words[NUMBERS + i] == 0);
	learning_count(hist, words, 2, descriptors, 5);
	ck_assert_double_eq_tol(hist[0], 0.6, 1e-12);
	ck_assert_double_eq_tol(hist[1], 0.4, 1e-12);
}
END_TEST

/* All descriptors are alike: the first word has them all, the second stays where it began. */
START_TEST(an_empty_word)
{
	float descriptors[4 * NUMBERS], words[2 * NUMBERS];
	double hist[2];

	for (unsigned i = 0; i < 4 * NUMBERS; i++)
		descriptors[i] = 0.25f;
	ck_assert_int_eq(learning_make_words(words, 2, descriptors, 4), 0);
	for (unsigned i = 0; i < 2 * NUMBERS; i++)
		ck_assert_float_eq(words[i], 0.25f);
	learning_count(hist, words, 2, descriptors, 4);
	ck_assert(hist[0] == 1 && hist[1] == 0);
	learning_count(hist, words, 2, descriptors, 0);
	ck_assert(hist[0] == 0 && hist[1] == 0);
}
END_TEST

/* The gradient of |X W - Y|^2 + 0.01 |W|^2 is 0. */
START_TEST(weights)
{
	enum { PICTURES = 5, WORDS = 3, CLASSES = 2, ROWS = WORDS + 1 };
	static const double hists[PICTURES * WORDS] = { 1, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0.25, 0.25, 0.5, 0, 0,
		1 };
	static const unsigned class_of[PICTURES] = { 0, 0, 1, 1, 1 };
	float w[ROWS * CLASSES];

	ck_assert_int_eq(learning_make_weights(w, hists, class_of, PICTURES, WORDS, CLASSES), 0);
	for (unsigned c = 0; c < CLASSES; c++)
		for (unsigned k = 0; k < ROWS; k++) {
			double gradient = 0.01 * w[k * CLASSES + c];

			for (unsigned p = 0; p < PICTURES; p++) {
				double score = w[WORDS * CLASSES + c];

				for (unsigned i = 0; i < WORDS; i++)
					score += hists[p * WORDS + i] * w[i * CLASSES + c];
				gradient += (score - (class_of[p] == c ? 1 : -1)) *
				            (k < WORDS ? hists[p * WORDS + k] : 1);
			}
			ck_assert_double_eq_tol(gradient, 0, 1e-6);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("learning");
	TCase *c = test_case(suite, "learning");

	tcase_add_test(c, two_heaps);
	tcase_add_test(c, an_empty_word);
	tcase_add_test(c, weights);
	return test_main(suite);
}
