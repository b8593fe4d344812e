/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/scene_recognition/network.h"
#include "apps/common/numbers.h"

enum { GRADIENTS, WORDS, STAGES };

static int read_files(struct scene *scene)
{
	const struct options *o = &scene->options;
	struct numbers vocabulary = { "vocabulary", o->vocabulary, "words", 0, PSTK_BAG_NUMBERS },
		       weights = { "weights", o->weights, "rows (one for each word, one more)", 0,
			       o->class_count };
	int status = numbers_read_up_to(&vocabulary, PSTK_BAG_WORDS, &scene->vocabulary);

	if (status)
		return status;
	scene->words = (uint32_t)vocabulary.count;
	weights.count = vocabulary.count + 1;
	return numbers_read(&weights, &scene->weights);
}

/* Bytes of the tokens behind gradients. */
struct sizes {
	size_t magnitude, bin;
};

static struct sizes sizes_of(const struct staged *s)
{
	size_t pixels = (size_t)s->inputs.size.width * s->inputs.size.height;

	return (struct sizes){ pstk_sized_bytes(pixels * sizeof(float)), pstk_sized_bytes(pixels) };
}

static void connect_gradients(const struct staged *s, struct pstk_actor *const stages[STAGES])
{
	struct pstk_fifo_spec frame = pstk_fifo_spec_init(), magnitude = frame, bin = frame;

	frame.token_size = s->token_size;
	magnitude.token_size = sizes_of(s).magnitude;
	bin.token_size = sizes_of(s).bin;
	pstk_connect(s->source, "out", stages[GRADIENTS], "in", &frame);
	pstk_connect(stages[GRADIENTS], "magnitude", stages[WORDS], "magnitude", &magnitude);
	pstk_connect(stages[GRADIENTS], "bin", stages[WORDS], "bin", &bin);
}

static void build_recognition(
	struct scene *scene, struct staged *s, struct pstk_actor *stages[STAGES], struct pstk_bag_spec *spec)
{
	struct pstk_fifo_spec hist = pstk_fifo_spec_init(), scores = hist;
	struct pstk_actor *sink;

	spec->words = scene->words;
	spec->classes = scene->options.class_count;
	spec->vocabulary = scene->vocabulary;
	spec->weights = scene->weights;
	stages[WORDS] = pstk_bag_words_add(s->network, "words", spec);
	results_init(&scene->results, &scene->options, s);
	sink = results_add(&scene->results, s->network);
	connect_gradients(s, stages);
	hist.token_size = pstk_sized_bytes(spec->words * sizeof(float));
	scores.token_size = pstk_sized_bytes(spec->classes * sizeof(float));
	pstk_connect(stages[WORDS], "hist", sink, "hist", &hist);
	s->last = pstk_connect(stages[WORDS], "scores", sink, "scores", &scores);
}

static void build_training(struct scene *scene, struct staged *s, struct pstk_actor *stages[STAGES],
	const struct pstk_bag_spec *spec)
{
	struct pstk_fifo_spec descriptors = pstk_fifo_spec_init();
	struct pstk_actor *sink = training_add(&scene->training, s, s->network);

	stages[WORDS] = pstk_bag_descriptors_add(s->network, "descriptors", spec);
	connect_gradients(s, stages);
	descriptors.token_size = pstk_sized_bytes(
		pstk_bag_patches(spec->width, spec->height) * PSTK_BAG_NUMBERS * sizeof(float));
	s->last = pstk_connect(stages[WORDS], "descriptors", sink, "descriptors", &descriptors);
}

int scene_build(struct scene *scene, struct staged *s)
{
	struct pstk_bag_spec spec = pstk_bag_spec_init();
	struct pstk_actor *stages[STAGES];
	bool trains = scene->options.train;
	int status = staged_check_sizes(s, PSTK_BAG_PATCH, PSTK_BAG_PATCH, "no patch of 16x16 pixels");

	if (!status && !trains)
		status = read_files(scene);
	if (status)
		return status;
	spec.width = s->inputs.size.width;
	spec.height = s->inputs.size.height;
	stages[GRADIENTS] = pstk_bag_gradients_add(s->network, "gradients", &spec);
	if (trains)
		build_training(scene, s, stages, &spec);
	else
		build_recognition(scene, s, stages, &spec);
	/* as the paper has it: a picture is small, and the second stage has no other form */
	s->options.mapping.spec.granularities = PSTK_GRAIN_COARSE;
	return staged_map(s, stages, STAGES);
}
