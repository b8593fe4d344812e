/* SPDX-License-Identifier: MIT */
/* A receiver for frequency modulation: the program. */
#include "config.h"

#include "apps/common/app.h"
#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/signals.h"
#include "apps/fm_receiver/network.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Opens everything; what may wait, the input and FIFOs, first, the files last. */
static int open_all(struct receiver *r, const struct options *options, struct report **report)
{
	bool output_fifo = options->output && files_is_fifo(options->output),
	     stats_fifo = options->stats && files_is_fifo(options->stats);
	int status = receiver_open(r, options);

	if (!status && output_fifo)
		status = receiver_open_output(r, options);
	if (!status && stats_fifo)
		status = report_open(report, options->stats);
	signals_block();
	if (!status && !output_fifo)
		status = receiver_open_output(r, options);
	if (!status && !stats_fifo)
		status = report_open(report, options->stats);
	return status;
}

static uint64_t samples_of(const struct receiver *r)
{
	struct pstk_fifo_info info = { 0 };

	pstk_fifo_get_info(r->first, &info);
	return info.written;
}

/* Of the time; the filter's rise at the start is not noted. */
static unsigned pilot_percent(const struct receiver *r)
{
	const struct decoder *d = &r->decoder;

	return d->samples ? (unsigned)lrint(100. * (double)d->with_pilot / (double)d->samples) : 0;
}

static void say_stereo(const struct receiver *r)
{
	unsigned percent = pilot_percent(r);

	if (!percent)
		app_fail(EXIT_DONE, "warning: no pilot tone at 19 kHz: both channels have the same sound");
	else if (percent < 98)
		app_fail(EXIT_DONE, "warning: a pilot tone in %u %% of the time: the rest is mono", percent);
}

static void say_length(const struct receiver *r, const struct options *options, const struct running *running)
{
	uint64_t count = pstk_iq_input_not_finite(r->input), clipped = r->wav.clipped;

	fprintf(stderr,
		"%.3f s of audio, %" PRIu64 " samples at %" PRIu32 " Hz, from %" PRIu64 " at %" PRIu32
		" Hz\n",
		(double)running_count(running) / r->plan.audio, running_count(running), r->plan.audio,
		samples_of(r), r->plan.rate);
	if (options->stereo)
		say_stereo(r);
	if (count)
		app_fail(EXIT_DONE, "warning: %s: %" PRIu64 " sample%s not finite (NaN or infinite)",
			strcmp(options->input, "-") ? options->input : "stdin", count,
			count == 1 ? " is" : "s are");
	if (clipped)
		app_fail(EXIT_DONE,
			"warning: %" PRIu64
			" sample%s of audio %s clipped: a larger --deviation makes it quieter",
			clipped, clipped == 1 ? "" : "s", clipped == 1 ? "is" : "are");
}

static int write_report(struct report **report, const struct receiver *r, const struct options *options,
	const struct running *running)
{
	report_text(*report, "version", pstk_version());
	report_integer(*report, "rate", r->plan.rate);
	report_integer(*report, "input_samples", samples_of(r));
	report_integer(*report, "decimation", r->plan.decimation);
	report_integer(*report, "channel_taps", r->plan.channel.taps);
	report_integer(*report, "sound_taps", r->plan.sound.taps);
	report_integer(*report, "block", r->plan.block);
	report_integer(*report, "audio", r->plan.audio);
	report_integer(*report, "deviation", r->plan.deviation);
	report_integer(*report, "deemphasis", options->deemphasis);
	report_integer(*report, "channels", r->channels);
	if (options->stereo)
		report_integer(*report, "pilot_percent", pilot_percent(r));
	report_integer(*report, "team", pstk_network_threads(r->network));
	report_integer(*report, "not_finite", pstk_iq_input_not_finite(r->input));
	report_integer(*report, "clipped", r->wav.clipped);
	struct report *given = *report;
	*report = NULL; /* it frees it */
	return report_write(given, running);
}

static int run(struct receiver *r, const struct options *options, struct report **report)
{
	struct running running = { .network = r->network,
		.last = r->last,
		.unit = "samples",
		.expected = r->info.samples == UINT64_MAX ? 0 : plan_length(&r->plan, r->info.samples),
		.listed_by = "--print-network",
		.uses_device = options->device,
		.trace = { options->trace } };
	int status;

	if (!options->output)
		app_fail(EXIT_DONE, "no --output: the sound is not kept");
	status = running_run(&running);
	if (status)
		return status;
	say_length(r, options, &running);
	return running_status(&running, write_report(report, r, options, &running));
}

int main(int argc, char **argv)
{
	struct options options;
	struct receiver r = { 0 };
	struct report *report = NULL;
	int status;

	files_fill_standard();
	signals_handle();
	if (options_parse(&options, argc, argv, &status)) {
		if (options.print_network) {
			status = receiver_open(&r, &options);
			if (!status)
				status = receiver_open_output(&r, &options);
			if (!status)
				status = running_print_network(r.network);
		} else {
			status = open_all(&r, &options, &report);
			if (!status)
				status = run(&r, &options, &report);
		}
		report_drop(report);
		receiver_close(&r);
	}
	return status;
}
