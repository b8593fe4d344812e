/* SPDX-License-Identifier: MIT */
/* Visual saliency of video: the program. */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/saliency/network.h"
#include "apps/saliency/options.h"
#include "apps/saliency/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void say_audio(const struct saliency *s, const struct options *options)
{
	struct pstk_video_output_info info = { 0 };

	pstk_video_output_get_info(s->output, &info);
	if (info.loses_audio)
		app_fail(EXIT_DONE, "%s: its audio is not written",
			strcmp(options->input, "-") != 0 ? options->input : "stdin");
}

static void say_split(const struct saliency *s)
{
	if (s->split.chosen)
		app_fail(EXIT_DONE, "split after %s: a frame each %.2f ms at best",
			step_names[s->places.split], s->split.period * 1e3);
}

/* Says why the count of the file's frames differs from the input's. */
static void say_rates(const struct saliency *s, const struct options *options)
{
	struct pstk_video_output_info info = { 0 };

	pstk_video_output_get_info(s->output, &info);
	if (info.repeated || info.left_out)
		app_fail(EXIT_DONE,
			"%s: has a constant rate, %.4g frames/s: to keep the input's time stamps %" PRIu64
			" frame%s repeated, %" PRIu64 " left out",
			strcmp(options->output, "-") != 0 ? options->output : "stdout",
			(double)s->info.rate_num / s->info.rate_den, info.repeated,
			info.repeated == 1 ? " is" : "s are", info.left_out);
}

static int run(struct saliency *s, const struct options *options, struct report *report)
{
	struct running running = { .network = s->network,
		.last = s->last,
		.unit = "frames",
		.expected = options->frames,
		.uses_device = places_use_device(&s->places),
		.trace = { options->trace } };
	int status;

	say_split(s);
	say_audio(s, options);
	status = running_run(&running);
	if (status) {
		report_drop(report);
		return status;
	}
	if (!running.err)
		say_rates(s, options);
	return running_status(&running, stats_write(report, s, options, &running));
}

/* --check: the analyser's word, and no file is touched but the input. */
static int check(const struct saliency *s)
{
	int err = pstk_network_check(s->network, stdout, NULL);

	if (ferror(stdout) | fflush(stdout))
		return arguments_stdout_failed();
	if (err < 0 && err != -EDEADLK)
		app_fail(EXIT_FAILED, "--check: %s", strerror(-err));
	return err == -EDEADLK ? EXIT_DEADLOCKED : err < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Opens everything; the files last. */
static int open_all(struct saliency *s, const struct options *options, struct report **report)
{
	bool fifo = options->output && files_is_fifo(options->output);
	int status = saliency_open(s, options);

	if (!status && fifo)
		status = saliency_open_output(s, options);
	if (!status && options->stats && files_is_fifo(options->stats))
		status = report_open(report, options->stats);
	signals_block();
	if (!status && !fifo)
		status = saliency_open_output(s, options);
	if (!status && !*report)
		status = report_open(report, options->stats);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct saliency saliency = { 0 };
	struct report *report = NULL;
	int status;

	files_fill_standard();
	signals_handle();
	if (options_parse(&options, argc, argv, &status)) {
		status = options.check ? saliency_open(&saliency, &options)
		                       : open_all(&saliency, &options, &report);
		if (status)
			report_drop(report);
		else
			status = options.check ? check(&saliency) : run(&saliency, &options, report);
		saliency_close(&saliency);
	}
	options_free(&options);
	return status;
}
