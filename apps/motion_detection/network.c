/* SPDX-License-Identifier: MIT */
/* Motion detection as a network: source, gauss, thres, med, sink. */
#include "config.h"

#include "apps/motion_detection/network.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"

#include <errno.h>
#include <penstock/actors.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE, GAUSS, THRES, MED, SINK, ACTORS };

static int open_input(struct motion *motion, const struct options *options)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_input_open(&motion->input,
		PSTK_VIDEO_INPUT(.path = options->input, .width = options->width, .height = options->height,
			.scene_width = options->scene_width, .scene_height = options->scene_height,
			.frames = options->frames),
		error, sizeof(error));

	if (err)
		return app_fail(err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s", error);
	pstk_video_input_get_info(motion->input, &motion->info);
	return 0;
}

static int open_output(struct motion *motion, const struct options *options, unsigned i)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_output_open(&motion->outputs[i],
		PSTK_VIDEO_OUTPUT(.path = options->outputs[i], .width = motion->info.width,
			.height = motion->info.height, .rate_num = motion->info.rate_num,
			.rate_den = motion->info.rate_den, .overlay = options->overlay,
			.times = motion->input),
		error, sizeof(error));

	if (!err)
		return 0;
	return app_fail(err == -EINVAL || err == -ENOTSUP ? EXIT_USAGE : EXIT_FAILED, "%s", error);
}

int motion_open_outputs(struct motion *motion, const struct options *options, bool fifos)
{
	int status = 0;

	for (unsigned i = 0; i < options->output_count && !status; i++) {
		if (!motion->outputs[i] && (!fifos || files_is_fifo(options->outputs[i])))
			status = open_output(motion, options, i);
	}
	return status;
}

/* Where an actor runs; NULL: on the cores. */
static const char *device_of(const struct options *options, unsigned actor)
{
	return actor >= GAUSS && actor <= MED ? options->devices[actor - GAUSS] : NULL;
}

static uint32_t depth_between(const struct options *options, unsigned from, unsigned to)
{
	bool between = !device_of(options, from) != !device_of(options, to);

	return between ? options->device_depth : options->team.depth;
}

/* gauss has one output, connected twice: thres sees each frame and, one delay token later, the one before. */
static void connect_actors(struct motion *motion, const struct options *options, struct pstk_actor *a[ACTORS])
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init(), before;

	spec.rate = options->rate;
	spec.token_size = (size_t)motion->info.width * motion->info.height;
	spec.depth = depth_between(options, SOURCE, GAUSS);
	motion->way[0] = pstk_connect(a[SOURCE], "out", a[GAUSS], "in", &spec);
	spec.depth = depth_between(options, GAUSS, THRES);
	motion->way[1] = pstk_connect(a[GAUSS], "out", a[THRES], "now", &spec);
	before = spec;
	before.delay = 1; /* an all-zero frame */
	pstk_connect(a[GAUSS], "out", a[THRES], "before", &before);
	spec.depth = depth_between(options, THRES, MED);
	motion->way[2] = pstk_connect(a[THRES], "out", a[MED], "in", &spec);
	spec.depth = depth_between(options, MED, SINK);
	motion->way[3] = motion->last = pstk_connect(a[MED], "out", a[SINK], "map", &spec);
}

/* As many windows as the four FIFOs of the way round hold: the direct way never keeps the source waiting.
 * When the library chooses, this one takes some of what it may use; then the others may end up with fewer,
 * and this one is deep enough. */
static void connect_around(struct motion *motion, const struct options *options, struct pstk_actor *a[ACTORS])
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	uint64_t sum = 0;

	for (unsigned i = 0; i < WAY; i++)
		sum += team_depth_of(motion->way[i]);
	spec.rate = options->rate;
	spec.token_size = (size_t)motion->info.width * motion->info.height;
	spec.depth = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
	pstk_connect(a[SOURCE], "out", a[SINK], "frame", &spec);
}

/* The outputs are opened when the network stands. */
static const struct pstk_actor_type *sink_type(const struct options *options)
{
	bool waits = false;

	for (unsigned i = 0; i < options->output_count; i++)
		waits |= files_may_wait(options->outputs[i]);
	if (waits)
		return options->overlay ? pstk_video_overlay_type() : pstk_video_sink_type();
	return options->overlay ? pstk_video_overlay_type_for(NULL) : pstk_video_sink_type_for(NULL);
}

static void add_actors(struct motion *motion, const struct options *options, struct pstk_actor *a[ACTORS])
{
	struct pstk_frame_size size = { motion->info.width, motion->info.height };
	struct pstk_threshold_arg threshold = { options->threshold };
	struct pstk_network *network = motion->network;

	a[SOURCE] =
		pstk_network_add(network, "source", pstk_video_source_type_for(motion->input), motion->input);
	a[GAUSS] = pstk_network_add(network, "gauss", pstk_gauss5x5_type(), &size);
	a[THRES] = pstk_network_add(network, "thres", pstk_threshold_type(), &threshold);
	a[MED] = pstk_network_add(network, "med", pstk_median5_type(), &size);
	a[SINK] = pstk_network_add(network, "sink", sink_type(options), &motion->sink);
}

static int pin_actors(const struct options *options, struct pstk_actor *a[ACTORS])
{
	for (unsigned i = 0; options->core_count && i < ACTORS; i++) {
		unsigned core = options->cores[i % options->core_count];

		if (a[i] && pstk_actor_pin(a[i], core) == -EINVAL)
			return app_fail(EXIT_USAGE, "--pin: there is no core %u for this program", core);
	}
	return 0;
}

/* What fails here is among the network's problems, too. */
static int map_actors(struct motion *motion, const struct options *options, struct pstk_actor *a[ACTORS])
{
	int err = 0;

	for (unsigned i = GAUSS; i <= MED && !err; i++) {
		err = pstk_actor_map(a[i], device_of(options, i));
		if (device_of(options, i))
			motion->uses_device = true;
	}
	return err && a[GAUSS] && a[THRES] && a[MED] ? devices_status(err) : 0;
}

static int build(struct motion *motion, const struct options *options)
{
	struct pstk_actor *actors[ACTORS];
	int status;

	motion->network = pstk_network_create(app_name);
	if (!motion->network)
		return app_out_of_memory();
	add_actors(motion, options, actors);
	team_apply(&options->team, motion->network);
	connect_actors(motion, options, actors);
	status = pin_actors(options, actors);
	if (status)
		return status;
	status = map_actors(motion, options, actors);
	if (options->overlay)
		connect_around(motion, options, actors);
	if (!status)
		team_plan(&options->team, motion->network);
	if (!status)
		status = moves_apply(&options->moves, motion->network);
	if (app_say_problems(motion->network))
		return status ? status : EXIT_FAILED;
	return status;
}

int motion_open(struct motion *motion, const struct options *options)
{
	int status;

	*motion = (struct motion){ 0 };
	motion->outputs = calloc(options->output_count + 1u, sizeof(struct pstk_video_output *));
	if (!motion->outputs)
		return app_out_of_memory();
	motion->sink = (struct pstk_video_sink_arg){ motion->outputs, options->output_count };
	status = devices_find(options->devices, DEVICE_ACTORS);
	if (!status)
		status = open_input(motion, options);
	if (!status)
		status = build(motion, options);
	return status;
}

void motion_close(struct motion *motion, const struct options *options)
{
	pstk_network_destroy(motion->network);
	for (unsigned i = 0; motion->outputs && i < options->output_count; i++)
		pstk_video_output_close(motion->outputs[i]);
	free(motion->outputs);
	pstk_video_input_close(motion->input);
}
