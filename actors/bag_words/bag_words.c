/* SPDX-License-Identifier: MIT */
/*
 * The words lie side by side, number after number, in blocks: so a descriptor's distances to a block are sums of
 * vectors, which stay in registers. A sum goes on from the first number to the last.
 *
 * Patches are counted by their word, in whole numbers, so that it does not matter which thread has counted which.
 */
#include "config.h"

#include "actors/common/bag.h"
#include "actors/common/wide.h"
#include "penstock/pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { HIST = PS_BAG_INPUTS, SCORES };
enum { BLOCK = 32 };

/* Stands where a block has no word: no descriptor is near. */
#define FAR 1e15f

/* The actor's arg. Behind it are the words in blocks, and the weights. */
struct bag {
	struct pstk_frame_size largest;
	uint32_t words, classes;
	float window[PS_BAG_PIXELS];
	float numbers[];
};

#define LANES 4
#include "actors/bag_words/nearest.h"
#define LANES 8
#include "actors/bag_words/nearest.h"

static size_t blocks_of(uint32_t words)
{
	return ((size_t)words + BLOCK - 1) / BLOCK;
}

static const float *weights_of(const struct bag *b)
{
	return b->numbers + blocks_of(b->words) * BLOCK * PSTK_BAG_NUMBERS;
}

struct frame {
	const struct bag *bag;
	struct ps_bag_frame frame;
	atomic_uint *counts; /* of each word */
};

/* The first one of several. */
PS_WIDE_BODY static size_t find_nearest(const struct bag *b, const float *descriptor, int lanes)
{
	float distance[BLOCK], least = 0;
	size_t best = b->words;

	for (size_t block = 0; block < blocks_of(b->words); block++) {
		const float *words = b->numbers + block * BLOCK * PSTK_BAG_NUMBERS;

		if (lanes == 8)
			measure8(distance, descriptor, words);
		else
			measure4(distance, descriptor, words);
		for (size_t i = 0; i < BLOCK; i++)
			if (best == b->words || distance[i] < least) {
				best = block * BLOCK + i;
				least = distance[i];
			}
	}
	return best;
}

PS_WIDE_BODY static void count_row_body(const struct frame *f, size_t row, int lanes)
{
	for (size_t i = row * f->frame.across; i < (row + 1) * f->frame.across; i++) {
		float descriptor[PSTK_BAG_NUMBERS];

		ps_bag_describe(descriptor, &f->frame, i);
		atomic_fetch_add_explicit(
			&f->counts[find_nearest(f->bag, descriptor, lanes)], 1, memory_order_relaxed);
	}
}

PS_WIDE_LANES(count_row, (const struct frame *f, size_t row), f, row)

/* Rows of patches. */
static void count_rows(void *data, size_t from, size_t to)
{
	for (size_t row = from; row < to; row++)
		count_row(data, row);
}

static void score(float *scores, const float *hist, const struct bag *b)
{
	const float *weights = weights_of(b);

	for (size_t c = 0; c < b->classes; c++) {
		float sum = 0;

		for (size_t i = 0; i < b->words; i++)
			sum += hist[i] * weights[i * b->classes + c];
		scores[c] = sum + weights[(size_t)b->words * b->classes + c];
	}
}

static int score_frame(
	struct pstk_firing *firing, const void *magnitude, const void *bin, void *hist, void *scores)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	const struct bag *b = pstk_actor_arg(self);
	const struct pstk_frame_size size = pstk_sized_get(magnitude);
	atomic_uint counts[PSTK_BAG_WORDS];
	struct frame f = { .bag = b, .counts = counts };
	float *to = ps_sized_room(hist);
	size_t patches;
	int err = ps_bag_start(&f.frame, self, &b->largest, magnitude, bin, b->window);

	if (err)
		return err;
	for (uint32_t i = 0; i < b->words; i++)
		atomic_init(&counts[i], 0);
	err = pstk_parallel_for(firing, f.frame.down, 0, count_rows, &f);
	patches = f.frame.across * f.frame.down;
	for (uint32_t i = 0; i < b->words; i++)
		to[i] = patches ? (float)atomic_load_explicit(&counts[i], memory_order_relaxed) /
		                          (float)patches
		                : 0;
	score(ps_sized_room(scores), to, b);
	pstk_sized_set(hist, size.width, size.height);
	pstk_sized_set(scores, size.width, size.height);
	return err;
}

static int fire(struct pstk_firing *f)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const char *magnitude = pstk_fifo_read_start(f, PS_BAG_MAGNITUDE),
		   *bin = pstk_fifo_read_start(f, PS_BAG_BIN);
	char *hist = pstk_fifo_write_start(f, HIST), *scores = pstk_fifo_write_start(f, SCORES);
	int err = 0;

	for (size_t i = 0; i < pstk_firing_steps(f) && !err; i++)
		err = score_frame(f, magnitude + i * pstk_actor_port_token_size(self, PS_BAG_MAGNITUDE),
			bin + i * pstk_actor_port_token_size(self, PS_BAG_BIN),
			hist + i * pstk_actor_port_token_size(self, HIST),
			scores + i * pstk_actor_port_token_size(self, SCORES));
	if (err)
		return err;
	pstk_fifo_read_end(f, PS_BAG_MAGNITUDE);
	pstk_fifo_read_end(f, PS_BAG_BIN);
	pstk_fifo_write_end(f, HIST);
	pstk_fifo_write_end(f, SCORES);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct bag *b = pstk_actor_arg(self);
	int err = ps_bag_check_gradients(self, &b->largest, PS_BAG_MAGNITUDE, PS_BAG_BIN);

	if (!err)
		err = ps_sized_check(self, HIST, b->words * sizeof(float), "a number for each word");
	return err ? err
	           : ps_sized_check(self, SCORES, b->classes * sizeof(float), "a number for each class");
}

static int check(struct pstk_network *net, const char *name, const struct pstk_bag_spec *spec)
{
	int err = ps_bag_check(net, name, "bag_words", spec);

	name = name ? name : "";
	if (err)
		return err;
	if (!spec->words || spec->words > PSTK_BAG_WORDS || !spec->classes ||
		spec->classes > PSTK_BAG_CLASSES)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': %" PRIu32 " words, %" PRIu32 " classes: of each there are 1 to %d", name,
			spec->words, spec->classes, PSTK_BAG_WORDS);
	err = ps_sized_check_numbers(
		net, name, "vocabulary", spec->vocabulary, (size_t)spec->words * PSTK_BAG_NUMBERS);
	return err ? err
	           : ps_sized_check_numbers(
			     net, name, "weights", spec->weights, ((size_t)spec->words + 1) * spec->classes);
}

static void lay(struct bag *b, const struct pstk_bag_spec *spec)
{
	const size_t room = blocks_of(spec->words) * BLOCK;

	*b = (struct bag){ { spec->width, spec->height }, spec->words, spec->classes, { 0 } };
	ps_bag_make_window(b->window);
	for (size_t w = 0; w < room; w++)
		for (size_t k = 0; k < PSTK_BAG_NUMBERS; k++)
			b->numbers[(w / BLOCK * PSTK_BAG_NUMBERS + k) * BLOCK + w % BLOCK] =
				w < spec->words ? spec->vocabulary[w * PSTK_BAG_NUMBERS + k] : FAR;
	memcpy(b->numbers + room * PSTK_BAG_NUMBERS, spec->weights,
		((size_t)spec->words + 1) * spec->classes * sizeof *b->numbers);
}

struct pstk_actor *pstk_bag_words_add(
	struct pstk_network *net, const char *name, const struct pstk_bag_spec *spec)
{
	static const struct pstk_port ports[] = {
		[PS_BAG_MAGNITUDE] = { .name = "magnitude",
			.kind = PSTK_INPUT,
			.token_type = "f32",
			.rate = 1 },
		[PS_BAG_BIN] = { .name = "bin", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		[HIST] = { .name = "hist", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		[SCORES] = { .name = "scores", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	struct pstk_actor *actor;
	struct bag *b;
	size_t size;

	if (check(net, name, spec))
		return NULL;
	size = sizeof *b + (blocks_of(spec->words) * BLOCK * PSTK_BAG_NUMBERS +
				   ((size_t)spec->words + 1) * spec->classes) *
	                           sizeof *b->numbers;
	b = calloc(1, size);
	if (!b) {
		pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name ? name : "");
		return NULL;
	}
	lay(b, spec);
	actor = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "bag_words", .ports = ports,
			.port_count = sizeof ports / sizeof *ports, .arg_size = size, .stateless = true,
			.init = init, .fire = fire),
		b);
	free(b);
	return actor;
}
