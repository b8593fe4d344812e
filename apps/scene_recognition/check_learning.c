/* SPDX-License-Identifier: MIT */
/* k-means and ridge regression by examples that are worked out by hand. */
#include "config.h"

#include "apps/scene_recognition/learning.h"
#include "tests/common/common.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { NUMBERS = LEARNING_NUMBERS };

static bool go_on(void *data, unsigned round)
{
	(void)data;
	(void)round;
	return true;
}

static const struct learning_watch quiet = { go_on, NULL };

/* Two heaps on a line: 0, 1, 2 and 10, 12; the words begin at 0 and 2, and end in the heaps' middles. */
START_TEST(two_heaps)
{
	static const float at[] = { 0, 1, 2, 10, 12 };
	float descriptors[5 * NUMBERS] = { 0 }, words[2 * NUMBERS];
	double hist[2];

	for (unsigned i = 0; i < 5; i++)
		descriptors[i * NUMBERS] = at[i];
	ck_assert_int_eq(learning_make_words(words, 2, descriptors, 5, &quiet), 0);
	ck_assert_float_eq_tol(words[0], 1, 1e-6f);
	ck_assert_float_eq_tol(words[NUMBERS], 11, 1e-6f);
	for (unsigned i = 1; i < NUMBERS; i++)
		ck_assert(words[i] == 0 && words[NUMBERS + i] == 0);
	ck_assert_int_eq(learning_count(hist, words, 2, descriptors, 5, &quiet), 0);
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
	ck_assert_int_eq(learning_make_words(words, 2, descriptors, 4, &quiet), 0);
	for (unsigned i = 0; i < 2 * NUMBERS; i++)
		ck_assert_float_eq(words[i], 0.25f);
	ck_assert_int_eq(learning_count(hist, words, 2, descriptors, 4, &quiet), 0);
	ck_assert(hist[0] == 1 && hist[1] == 0);
	ck_assert_int_eq(learning_count(hist, words, 2, descriptors, 0, &quiet), 0);
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

	ck_assert_int_eq(learning_make_weights(w, hists, class_of, PICTURES, WORDS, CLASSES, &quiet), 0);
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

/* Ends at this question, from 1; each is of a round that the last one was of, or of the next. */
struct ending {
	unsigned at, asked, round;
};

static bool end(void *data, unsigned round)
{
	struct ending *e = data;

	ck_assert_msg(round == e->round || round == e->round + 1, "round %u behind %u", round, e->round);
	e->round = round;
	return ++e->asked < e->at;
}

/* It ends at each question; there are several in a round of many descriptors. */
START_TEST(ended)
{
	enum { COUNT = 200, WORDS = 2 };
	static float descriptors[COUNT * NUMBERS];
	float words[WORDS * NUMBERS];
	double hist[WORDS];
	struct ending e = { .at = UINT_MAX };
	const struct learning_watch watch = { end, &e };
	unsigned questions;

	ck_assert_int_eq(learning_make_words(words, WORDS, descriptors, COUNT, &watch), 0);
	ck_assert_uint_eq(e.round, LEARNING_ROUNDS);
	questions = e.asked;
	ck_assert_uint_ge(questions, 2 * LEARNING_ROUNDS);
	for (unsigned at = 1; at <= questions; at++) {
		e = (struct ending){ .at = at };
		ck_assert_int_eq(learning_make_words(words, WORDS, descriptors, COUNT, &watch), -ECANCELED);
		ck_assert_uint_eq(e.asked, at);
	}
	for (unsigned at = 1; at <= 2; at++) {
		e = (struct ending){ .at = at, .round = LEARNING_ROUNDS };
		ck_assert_int_eq(learning_count(hist, words, WORDS, descriptors, COUNT, &watch), -ECANCELED);
	}
}
END_TEST

START_TEST(weights_ended)
{
	static const double hists[4] = { 1, 0, 0, 1 };
	static const unsigned class_of[2] = { 0, 1 };
	struct ending e = { .at = UINT_MAX, .round = LEARNING_ROUNDS };
	const struct learning_watch watch = { end, &e };
	unsigned questions;
	float w[6];

	ck_assert_int_eq(learning_make_weights(w, hists, class_of, 2, 2, 2, &watch), 0);
	questions = e.asked;
	ck_assert_uint_eq(questions, 5); /* two pictures, three rows of the equations */
	for (unsigned at = 1; at <= questions; at++) {
		e = (struct ending){ .at = at, .round = LEARNING_ROUNDS };
		ck_assert_int_eq(learning_make_weights(w, hists, class_of, 2, 2, 2, &watch), -ECANCELED);
		ck_assert_uint_eq(e.asked, at);
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
	tcase_add_test(c, ended);
	tcase_add_test(c, weights_ended);
	return test_main(suite);
}
