/* SPDX-License-Identifier: MIT */
/* Motion detection on video: the program. */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/motion_detection/network.h"
#include "apps/motion_detection/options.h"
#include "apps/motion_detection/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A file's name for a message. */
static const char *called(const char *name, const char *standard)
{
	return strcmp(name, "-") ? name : standard;
}

/* Once, however many outputs are without it. */
static void say_audio(const struct motion *motion, const struct options *options)
{
	struct pstk_video_output_info info = { 0 };

	for (unsigned i = 0; i < options->output_count && !info.loses_audio; i++)
		pstk_video_output_get_info(motion->outputs[i], &info);
	if (info.loses_audio)
		app_fail(EXIT_DONE, "%s: its audio is not written", called(options->input, "stdin"));
}

/* Says why a count of such a file's frames differs from the input's. */
static void say_rates(const struct motion *motion, const struct options *options)
{
	for (unsigned i = 0; i < options->output_count; i++) {
		struct pstk_video_output_info info = { 0 };

		pstk_video_output_get_info(motion->outputs[i], &info);
		if (info.repeated || info.left_out)
			app_fail(EXIT_DONE,
				"%s: has a constant rate, %.4g frames/s: to keep the input's time stamps "
				"%" PRIu64 " frame%s repeated, %" PRIu64 " left out",
				called(options->outputs[i], "stdout"),
				(double)motion->info.rate_num / motion->info.rate_den, info.repeated,
				info.repeated == 1 ? " is" : "s are", info.left_out);
	}
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

/* --check: the analyser's word, and no file is touched but the input. */
static int check(const struct motion *motion)
{
	int err = pstk_network_check(motion->network, stdout, NULL);

	if (ferror(stdout) | fflush(stdout))
		return arguments_stdout_failed();
	if (err < 0 && err != -EDEADLK)
		app_fail(EXIT_FAILED, "--check: %s", strerror(-err));
	return err == -EDEADLK ? EXIT_DEADLOCKED : err < 0 ? EXIT_FAILED : EXIT_DONE;
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
			status = options.check ? check(&motion) : run(&motion, &options, report);
		motion_close(&motion, &options);
	}
	options_free(&options);
	return status;
}
