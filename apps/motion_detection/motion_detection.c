/* SPDX-License-Identifier: MIT */
/* Motion detection on video: the program. */
#include "config.h"

#include "apps/common/files.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/common/video.h"
#include "apps/motion_detection/network.h"
#include "apps/motion_detection/options.h"
#include "apps/motion_detection/stats.h"

/* Once, however many outputs are without it. */
static void say_audio(const struct motion *motion, const struct options *options)
{
	unsigned i = 0;

	while (i < options->output_count && !video_warn_audio(motion->outputs[i], options->input))
		i++;
}

static void say_rates(const struct motion *motion, const struct options *options)
{
	for (unsigned i = 0; i < options->output_count; i++)
		video_warn_rate(motion->outputs[i], options->outputs[i], &motion->info);
}

static int run(struct motion *motion, const struct options *options, struct report *report)
{
	struct running running = { .network = motion->network,
		.last = motion->last,
		.unit = "frames",
		.expected = options->frames,
		.uses_device = motion->uses_device,
		.trace = { options->trace } };
	int status;

	say_audio(motion, options);
	status = running_run(&running);
	if (status) {
		report_drop(report);
		return status;
	}
	if (!running.err)
		say_rates(motion, options);
	return running_status(&running, stats_write(report, motion, options, &running));
}

/* Opens everything; the files last. */
static int open_all(struct motion *motion, const struct options *options, struct report **report)
{
	int status = motion_open(motion, options);

	if (!status)
		status = motion_open_outputs(motion, options, true);
	if (!status && options->stats && files_is_fifo(options->stats))
		status = report_open(report, options->stats);
	signals_block();
	if (!status)
		status = motion_open_outputs(motion, options, false);
	if (!status && !*report)
		status = report_open(report, options->stats);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct motion motion = { 0 };
	struct report *report = NULL;
	int status;

	files_fill_standard();
	signals_handle();
	if (options_parse(&options, argc, argv, &status)) {
		status =
			options.check ? motion_open(&motion, &options) : open_all(&motion, &options, &report);
		if (status)
			report_drop(report);
		else
			status = options.check ? running_check(motion.network)
			                       : run(&motion, &options, report);
		motion_close(&motion, &options);
	}
	options_free(&options);
	return status;
}
