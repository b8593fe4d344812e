/* SPDX-License-Identifier: MIT */
#include "actors/common/check_bag.h"
#include "benchmarks/apps/video_inputs.h"

#include <string.h>

enum { WORDS = 32, CLASSES = 3 };

static struct bag frames;
static double *magnitudes; /* what the loops write */
static uint8_t *bins;
static uint32_t *nearest;

static size_t pixels(void)
{
	return (size_t)frames.width * frames.height;
}

static void plain_gradients(const void *data)
{
	(void)data;
	bag_plain_gradients(magnitudes, bins, frames.in + PSTK_SIZED_HEAD, frames.width, frames.height);
}

static void plain_words(const void *data)
{
	(void)data;
	bag_plain_words(nearest, (const float *)(const void *)(frames.magnitude + PSTK_SIZED_HEAD),
		frames.bin + PSTK_SIZED_HEAD, frames.width, frames.height, frames.vocabulary, WORDS);
}

static struct video_subject *add(const char *title, stream_add actor, void (*plain)(const void *))
{
	struct video_subject *s = video_new(title, &(struct pstk_frame_size){ frames.width, frames.height });

	s->stage.add = actor;
	s->stage.data = &frames;
	s->plain = plain;
	return s;
}

unsigned video_add_scene(
	const struct video_subject **list, unsigned count, const struct pstk_frame_size *size)
{
	struct test_rng rng = { 1 };
	struct video_subject *gradients, *words;

	bag_begin(&frames, &rng, size->width, size->height, WORDS, CLASSES, 1);
	magnitudes = rounds_alloc(pixels() * sizeof *magnitudes);
	bins = rounds_alloc(pixels());
	nearest = rounds_alloc(pixels() * sizeof *nearest);
	gradients = add("Scene S1, gradients", bag_add_gradients, plain_gradients);
	gradients->on_device = true;
	gradients->stage.in[0] = video_port("in", pixels(), frames.in);
	gradients->stage.out[0] = video_port("magnitude", pixels() * sizeof(float), NULL);
	gradients->stage.out[1] = video_port("bin", pixels(), NULL);
	words = add("Scene S2, words and scores", bag_add_words, plain_words);
	words->stage.in[0] = video_port("magnitude", pixels() * sizeof(float), frames.magnitude);
	words->stage.in[1] = video_port("bin", pixels(), frames.bin);
	words->stage.out[0] = video_port("hist", WORDS * sizeof(float), NULL);
	words->stage.out[1] = video_port("scores", CLASSES * sizeof(float), NULL);
	list[count++] = gradients;
	list[count++] = words;
	return count;
}
