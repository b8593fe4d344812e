/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/scene_recognition/learning.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN = 64 }; /* descriptors between two questions: of 4096 words 30 million steps */

static const double ridge = 0.01;

static double distance(const double *word, const float *descriptor)
{
	double sum = 0;

	for (size_t k = 0; k < LEARNING_NUMBERS; k++)
		sum += (word[k] - descriptor[k]) * (word[k] - descriptor[k]);
	return sum;
}

static size_t nearest(const double *words, size_t word_count, const float *descriptor)
{
	double least = distance(words, descriptor);
	size_t best = 0;

	for (size_t w = 1; w < word_count; w++) {
		double d = distance(words + w * LEARNING_NUMBERS, descriptor);

		if (d < least) {
			least = d;
			best = w;
		}
	}
	return best;
}

/* Words while they are learned. */
struct means {
	double *words, *sums; /* one block of memory */
	size_t *counts, word_count;
};

static bool go_on(const struct learning_watch *watch, unsigned round)
{
	return watch->go_on(watch->data, round);
}

static bool go_round(struct means *m, const float *descriptors, size_t count,
	const struct learning_watch *watch, unsigned round)
{
	memset(m->sums, 0, m->word_count * LEARNING_NUMBERS * sizeof *m->sums);
	memset(m->counts, 0, m->word_count * sizeof *m->counts);
	for (size_t i = 0; i < count; i++, descriptors += LEARNING_NUMBERS) {
		size_t w;

		if (i % BETWEEN == 0 && !go_on(watch, round))
			return false;
		w = nearest(m->words, m->word_count, descriptors);
		m->counts[w]++;
		for (size_t k = 0; k < LEARNING_NUMBERS; k++)
			m->sums[w * LEARNING_NUMBERS + k] += descriptors[k];
	}
	for (size_t i = 0; i < m->word_count * LEARNING_NUMBERS; i++)
		if (m->counts[i / LEARNING_NUMBERS])
			m->words[i] = m->sums[i] / (double)m->counts[i / LEARNING_NUMBERS];
	return true;
}

int learning_make_words(float *words, size_t word_count, const float *descriptors, size_t count,
	const struct learning_watch *watch)
{
	const size_t numbers = word_count * LEARNING_NUMBERS;
	struct means m = { .words = calloc(2 * numbers, sizeof *m.words),
		.counts = calloc(word_count, sizeof *m.counts),
		.word_count = word_count };
	bool there = m.words && m.counts, goes_on = there;

	m.sums = m.words ? m.words + numbers : NULL;
	for (size_t i = 0; there && i < numbers; i++)
		m.words[i] = descriptors[i / LEARNING_NUMBERS * (count / word_count) * LEARNING_NUMBERS +
					 i % LEARNING_NUMBERS];
	for (unsigned round = 1; goes_on && round <= LEARNING_ROUNDS; round++)
		goes_on = go_round(&m, descriptors, count, watch, round);
	for (size_t i = 0; there && i < numbers; i++)
		words[i] = (float)m.words[i];
	free(m.words);
	free(m.counts);
	return !there ? -ENOMEM : goes_on ? 0 : -ECANCELED;
}

/* As nearest(), of words in the form of the file. */
static size_t nearest_of(const float *words, size_t word_count, const float *descriptor)
{
	double word[LEARNING_NUMBERS], least = INFINITY;
	size_t best = 0;

	for (size_t w = 0; w < word_count; w++) {
		double d;

		for (size_t k = 0; k < LEARNING_NUMBERS; k++)
			word[k] = words[w * LEARNING_NUMBERS + k];
		d = distance(word, descriptor);
		if (d < least) {
			least = d;
			best = w;
		}
	}
	return best;
}

int learning_count(double *hist, const float *words, size_t word_count, const float *descriptors,
	size_t count, const struct learning_watch *watch)
{
	memset(hist, 0, word_count * sizeof *hist);
	for (size_t i = 0; i < count; i++, descriptors += LEARNING_NUMBERS) {
		if (i % BETWEEN == 0 && !go_on(watch, LEARNING_ROUNDS + 1))
			return -ECANCELED;
		hist[nearest_of(words, word_count, descriptors)] += 1;
	}
	for (size_t w = 0; w < word_count && count; w++)
		hist[w] /= (double)count;
	return 0;
}

/* Solves A W = B by Gauss and Jordan, with the largest pivot; A: n x n, B: n x m, side by side, rows of n + m. A is
 * positive definite. */
static bool solve(double *rows, size_t n, size_t m, const struct learning_watch *watch)
{
	const size_t width = n + m;

	for (size_t i = 0; i < n; i++) {
		size_t best = i;

		if (!go_on(watch, LEARNING_ROUNDS + 1))
			return false;
		for (size_t r = i + 1; r < n; r++)
			if (fabs(rows[r * width + i]) > fabs(rows[best * width + i]))
				best = r;
		for (size_t c = 0; c < width && best != i; c++) {
			double x = rows[i * width + c];

			rows[i * width + c] = rows[best * width + c];
			rows[best * width + c] = x;
		}
		for (size_t c = width; c-- > i;)
			rows[i * width + c] /= rows[i * width + i];
		for (size_t r = 0; r < n; r++) {
			double factor = r == i ? 0 : rows[r * width + i];

			for (size_t c = i; c < width; c++)
				rows[r * width + c] -= factor * rows[i * width + c];
		}
	}
	return true;
}

/* Element i of a picture's row (hist, 1). */
static double element(const double *hist, size_t word_count, size_t i)
{
	return i < word_count ? hist[i] : 1;
}

/* Its part of X^T X and of X^T Y. */
static void add_picture(double *rows, const double *hist, unsigned class, size_t word_count, size_t classes)
{
	const size_t n = word_count + 1, width = n + classes;

	for (size_t i = 0; i < n; i++) {
		const double x = element(hist, word_count, i);

		for (size_t k = 0; k < n; k++)
			rows[i * width + k] += x * element(hist, word_count, k);
		for (size_t c = 0; c < classes; c++)
			rows[i * width + n + c] += class == c ? x : -x;
	}
}

int learning_make_weights(float *weights, const double *hists, const unsigned *class_of, size_t pictures,
	size_t word_count, size_t classes, const struct learning_watch *watch)
{
	const size_t n = word_count + 1, width = n + classes;
	double *rows = calloc(n * width, sizeof *rows);
	bool goes_on = true;

	if (!rows)
		return -ENOMEM;
	for (size_t p = 0; p < pictures && goes_on; p++) {
		add_picture(rows, hists + p * word_count, class_of[p], word_count, classes);
		goes_on = go_on(watch, LEARNING_ROUNDS + 1);
	}
	for (size_t i = 0; i < n; i++)
		rows[i * width + i] += ridge;
	goes_on = goes_on && solve(rows, n, classes, watch);
	for (size_t i = 0; goes_on && i < n * classes; i++)
		weights[i] = (float)rows[i / classes * width + n + i % classes];
	free(rows);
	return goes_on ? 0 : -ECANCELED;
}
