/* SPDX-License-Identifier: MIT */
/* Learning: a vocabulary and weights from descriptors. One thread, one order: the same each time. */
#ifndef SCENE_RECOGNITION_LEARNING_H
#define SCENE_RECOGNITION_LEARNING_H

#include <stdbool.h>
#include <stddef.h>

enum { LEARNING_NUMBERS = 128 /* of a descriptor */, LEARNING_ROUNDS = 10 };

/* Learning may take minutes: many times in a second it asks whether to go on. */
struct learning_watch {
	/* round: of the words, from 1; LEARNING_ROUNDS + 1: the weights. false: it ends */
	bool (*go_on)(void *data, unsigned round);
	void *data;
};

/*
 * Makes `words` words of `count` descriptors, at least as many, by Lloyd's k-means: each (count / words)-th descriptor
 * is one at first; ten times each descriptor goes to its nearest word, the first one of several, and each word becomes
 * the mean of its descriptors. A word without any stays. 0, -ENOMEM, or -ECANCELED: it was not to go on.
 */
int learning_make_words(float *words, size_t word_count, const float *descriptors, size_t count,
	const struct learning_watch *);

/* Counts the descriptors of a picture by their nearest words: shares, hist[word_count]. 0 or -ECANCELED, as above. */
int learning_count(double *hist, const float *words, size_t word_count, const float *descriptors,
	size_t count, const struct learning_watch *);

/*
 * Makes weights of the hists of pictures, by ridge regression, one class against all: with X the rows (hist, 1) and Y
 * +1 for a picture's own class and -1 for all others, the W that makes |X W - Y|^2 + 0.01 |W|^2 least. weights:
 * (word_count + 1) x classes. As learning_make_words().
 */
int learning_make_weights(float *weights, const double *hists, const unsigned *class_of, size_t pictures,
	size_t word_count, size_t classes, const struct learning_watch *);

#endif
