/* SPDX-License-Identifier: MIT */
/* Visual saliency of video: the program. */
#include "config.h"

#include "apps/common/files.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/common/video.h"
#include "apps/saliency/network.h"
#include "apps/saliency/options.h"
#include "apps/saliency/stats.h"

static void say_split(const struct saliency *s)
{
	if (s->split.chosen)
		app_fail(EXIT_DONE, "split after %s: a frame each %.2f ms at best",
			step_names[s->places.split], s->split.period * 1e3);
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
	video_warn_audio(s->output, options->input);
	status = running_run(&running);
	if (status) {
		report_drop(report);
		return status;
	}
	if (!running.err)
		video_warn_rate(s->output, options->output, &s->info);
	return running_status(&running, stats_write(report, s, options, &running));
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
			status = options.check ? running_check(saliency.network)
			                       : run(&saliency, &options, report);
		saliency_close(&saliency);
	}
	options_free(&options);
	return status;
}
