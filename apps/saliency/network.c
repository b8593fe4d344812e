/* SPDX-License-Identifier: MIT */
/* Saliency as a network: source, the seven steps, what makes frames of maps, sink. */
#include "config.h"

#include "apps/saliency/network.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"

#include <penstock/plan.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { SIDE_LEAST = 8, HALF = 128 };

static int open_input(struct saliency *s, const struct options *options)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_input_open(&s->input,
		PSTK_VIDEO_INPUT(.path = options->input, .width = options->width, .height = options->height,
			.scene_width = options->scene_width, .scene_height = options->scene_height,
			.frames = options->frames),
		error, sizeof(error));

	if (err)
		return app_fail(err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s", error);
	pstk_video_input_get_info(s->input, &s->info);
	if (s->info.width >= SIDE_LEAST && s->info.height >= SIDE_LEAST)
		return 0;
	return app_fail(EXIT_USAGE,
		"frames of %" PRIu32 "x%" PRIu32 " are too small: they have %dx%d pixels at least, --size "
		"scales them",
		s->info.width, s->info.height, SIDE_LEAST, SIDE_LEAST);
}

int saliency_open_output(struct saliency *s, const struct options *options)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err;

	if (!options->output)
		return 0;
	if (map_sink_is_for(options->output))
		return map_sink_open(&s->maps, options->output);
	err = pstk_video_output_open(&s->output,
		PSTK_VIDEO_OUTPUT(.path = options->output, .width = s->info.width, .height = s->info.height,
			.rate_num = s->info.rate_num, .rate_den = s->info.rate_den,
			.overlay = options->overlay, .times = s->input),
		error, sizeof(error));
	if (!err)
		return 0;
	return app_fail(err == -EINVAL || err == -ENOTSUP ? EXIT_USAGE : EXIT_FAILED, "%s", error);
}

static struct pstk_actor *add_sink(struct saliency *s, const struct options *options)
{
	bool waits = options->output && files_may_wait(options->output);
	const struct pstk_actor_type *type;

	if (!options->output || map_sink_is_for(options->output))
		return pstk_network_add(s->network, "sink", map_sink_type(waits), &s->maps);
	/* the output is opened when the network stands */
	if (waits)
		type = options->overlay ? pstk_video_overlay_type() : pstk_video_sink_type();
	else
		type = options->overlay ? pstk_video_overlay_type_for(NULL) : pstk_video_sink_type_for(NULL);
	s->sink = (struct pstk_video_sink_arg){ &s->output, 1 };
	return pstk_network_add(s->network, "sink", type, &s->sink);
}

/* As many windows as the FIFOs of the way round hold, in frames: the direct way never keeps the source waiting. A plan
 * may make those less deep, but not deeper. */
static uint32_t depth_around(const struct saliency *s, const struct pstk_fifo *first)
{
	uint64_t sum = team_depth_of(first) + team_depth_of(s->last);

	for (unsigned i = 0; i + 1 < STEPS; i++)
		sum += team_depth_of(s->steps.fifos[i]);
	return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

static void connect_ends(
	struct saliency *s, const struct options *options, struct pstk_actor *source, struct pstk_actor *sink)
{
	const struct pstk_grey_arg grey_arg = { { s->info.width, s->info.height },
		options->overlay ? HALF : 0 };
	size_t bytes = (size_t)s->info.width * s->info.height;
	bool frames = options->output && !map_sink_is_for(options->output);
	struct pstk_actor *last = s->steps.actors[STEP_SUM], *grey;
	struct pstk_fifo *first;

	first = pstk_connect(
		source, "out", s->steps.actors[STEP_WINDOW], "in", PSTK_FIFO(.token_size = bytes));
	if (frames) {
		grey = pstk_network_add(s->network, "grey", pstk_grey_type(), (void *)(uintptr_t)&grey_arg);
		pstk_connect(last, "out", grey, "in", PSTK_FIFO(.token_size = bytes * sizeof(float)));
		s->last = pstk_connect(grey, "out", sink, "map", PSTK_FIFO(.rate = 1, .token_size = bytes));
	} else {
		s->last =
			pstk_connect(last, "out", sink, "in", PSTK_FIFO(.token_size = bytes * sizeof(float)));
	}
	if (options->overlay)
		pstk_connect(source, "out", sink, "frame",
			PSTK_FIFO(.rate = 1, .token_size = bytes, .depth = depth_around(s, first)));
}

/* Depths and devices by a plan. */
static int apply_plan(struct saliency *s, struct pstk_machine *machine, const struct options *options)
{
	struct pstk_planned_memory memory;
	struct pstk_plan *plan;
	int err = 0;

	for (unsigned i = 0; i < STEPS && !err; i++)
		err = pstk_actor_place(s->steps.actors[i], split_place(&s->places, place_of(&s->places, i)));
	plan = pstk_plan_create(
		s->network, machine, PSTK_PLAN(.no_overlap = options->overlap == OVERLAP_OFF));
	if (!plan)
		return app_out_of_memory();
	err = pstk_plan_result(plan);
	if (!err)
		err = pstk_plan_apply(s->network, plan);
	for (unsigned i = 0; !err && !pstk_plan_get_memory(plan, i, &memory); i++)
		s->planned_bytes += memory.merged_bytes;
	if (err && *pstk_plan_error(plan))
		app_fail(EXIT_FAILED, "--overlap: %s", pstk_plan_error(plan));
	pstk_plan_destroy(plan);
	return err ? devices_status(err) : 0;
}

static int place_steps(struct saliency *s, const struct options *options)
{
	struct pstk_machine *machine;
	int status, err;

	if (options->overlap == OVERLAP_NONE) {
		err = steps_map(&s->steps, &s->places);
		return err && s->steps.actors[STEP_WINDOW] ? devices_status(err) : 0;
	}
	machine = split_machine(&s->places);
	if (!machine)
		return EXIT_FAILED;
	status = apply_plan(s, machine, options);
	pstk_machine_destroy(machine);
	return status;
}

/* In frames. Side by side an actor has no more firings than its FIFOs hold windows, so a team's threads want as many;
 * but a frame's maps are large. 0: a plan says it. */
static uint32_t depth_of_maps(const struct saliency *s, const struct options *options)
{
	enum { LEAST = 2, MOST = 8 };
	unsigned threads = pstk_network_threads(s->network);

	if (places_use_device(&s->places))
		return options->overlap == OVERLAP_NONE ? LEAST : 0;
	return threads < LEAST ? LEAST : threads > MOST ? MOST : threads;
}

static int build(struct saliency *s, const struct options *options)
{
	const struct pstk_window_arg arg = { { s->info.width, s->info.height }, options->window };
	bool on_device = places_use_device(&s->places);
	struct pstk_actor *source, *sink;
	int status;

	s->network = pstk_network_create(app_name);
	if (!s->network)
		return app_out_of_memory();
	source = pstk_network_add(s->network, "source", pstk_video_source_type_for(s->input), s->input);
	steps_add(&s->steps, s->network, &arg, "", on_device);
	sink = add_sink(s, options);
	team_apply(&options->team, s->network);
	steps_connect(&s->steps, &arg, depth_of_maps(s, options));
	connect_ends(s, options, source, sink);
	status = pstk_network_problem(s->network, 0) ? 0 : place_steps(s, options);
	if (!status)
		status = moves_apply(&options->moves, s->network);
	if (app_say_problems(s->network))
		return status ? status : EXIT_FAILED;
	return status;
}

static int choose_split(struct saliency *s, const struct options *options)
{
	const struct pstk_window_arg arg = { { s->info.width, s->info.height }, options->window };

	return split_choose(&s->split, &s->places, &arg, options->overlap != OVERLAP_OFF);
}

int saliency_open(struct saliency *s, const struct options *options)
{
	int status = devices_find(options->places.selectors, options->place_count);

	*s = (struct saliency){ .places = options->places };
	if (!status)
		status = open_input(s, options);
	if (!status && options_choose_split(options))
		status = choose_split(s, options);
	return status ? status : build(s, options);
}

void saliency_close(struct saliency *s)
{
	pstk_network_destroy(s->network);
	pstk_video_output_close(s->output);
	map_sink_close(&s->maps);
	pstk_video_input_close(s->input);
}
