/* SPDX-License-Identifier: MIT */
/* Scene recognition: which scene a picture shows; a pipeline that maps itself: the program. */
#include "config.h"

#include "apps/scene_recognition/network.h"

#include <stdlib.h>

static int take(void *own, int option, const char *value)
{
	return options_take(&((struct scene *)own)->options, option, value);
}

static int find_inputs(void *own, struct staged_options *shared)
{
	struct scene *scene = own;

	return scene->options.train ? training_find(&scene->training, &scene->options, shared) : 0;
}

static int settle(void *own, const struct staged_options *shared)
{
	return options_settle(&((struct scene *)own)->options, shared);
}

static int build(void *own, struct staged *s)
{
	return scene_build(own, s);
}

static int open_outputs(void *own, struct staged *s, bool fifos)
{
	struct scene *scene = own;

	(void)s;
	if (scene->options.train)
		return fifos ? 0 : training_open(&scene->training);
	return results_open(&scene->results, fifos);
}

static int complete(void *own, struct staged *s)
{
	struct scene *scene = own;

	(void)s;
	return scene->options.train ? training_complete(&scene->training) : results_complete(&scene->results);
}

static void report(void *own, struct report *r)
{
	const struct scene *scene = own;

	report_integer(r, "words", scene->options.train ? scene->options.words : scene->words);
	report_integer(r, "classes",
		scene->options.train ? scene->training.class_count : scene->options.class_count);
}

static void close_all(void *own)
{
	struct scene *scene = own;

	results_close(&scene->results);
	training_close(&scene->training);
	options_free(&scene->options);
	free(scene->vocabulary);
	free(scene->weights);
}

int main(int argc, char **argv)
{
	static const struct staged_program program = { .help = options_help,
		.table = options_table,
		.take = take,
		.find_inputs = find_inputs,
		.settle = settle,
		.build = build,
		.open = open_outputs,
		.complete = complete,
		.report = report,
		.close = close_all };
	struct scene scene = { .vocabulary = NULL };

	options_init(&scene.options);
	return staged_main(&program, &scene, argc, argv);
}
