/* SPDX-License-Identifier: MIT */
/* Another sampling rate for WAV files: the program. */
#include "config.h"

#include "apps/common/app.h"
#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/signals.h"
#include "apps/resample/network.h"
#include "apps/resample/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Opens everything; what may wait, the input and FIFOs, first, the files last. */
static int open_all(struct resample *r, const struct options *options, struct report **report)
{
	bool fifo = files_is_fifo(options->output);
	int status = resample_open(r, options);

	if (!status && fifo)
		status = resample_open_output(r, options);
	if (!status && options->stats && files_is_fifo(options->stats))
		status = report_open(report, options->stats);
	signals_block();
	if (!status && !fifo)
		status = resample_open_output(r, options);
	if (!status && !*report)
		status = report_open(report, options->stats);
	return status;
}

static void warn_of_input(const struct wav_input *in)
{
	uint64_t given = atomic_load(&in->given);

	if (in->is_cut && in->said != UINT64_MAX && in->said > given)
		app_fail(EXIT_DONE,
			"warning: %s: is cut off: its header says %" PRIu64 " frames, %" PRIu64
			" are there; the output is of these",
			in->label, in->said, given);
	else if (in->is_cut)
		app_fail(EXIT_DONE, "warning: %s: ends within a frame, which is dropped", in->label);
}

static void warn_of_output(const struct wav_output *out)
{
	if (out->clipped)
		app_fail(EXIT_DONE,
			"warning: %s: %" PRIu64
			" sample%s beyond what PCM can have and clipped: make the input "
			"a little quieter, or floats",
			out->label, out->clipped, out->clipped == 1 ? " was" : "s were");
	if (wav_output_header_is_wrong(out))
		app_fail(EXIT_DONE,
			"warning: %s: its header, which was written before the end was known, says %" PRIu64
			" frames, and %" PRIu64 " came",
			out->label, out->expected, out->frames);
}

static int write_report(struct report *report, const struct resample *r, const struct running *running)
{
	char stages[512] = "";
	size_t used = 0;

	for (unsigned i = 0; i < r->plan.count && used < sizeof stages; i++)
		used += (size_t)snprintf(stages + used, sizeof stages - used, "%s%" PRIu32 "/%" PRIu32,
			i ? " " : "", r->plan.stages[i].p, r->plan.stages[i].q);
	report_text(report, "version", pstk_version());
	report_integer(report, "input_rate", r->input.format.rate);
	report_integer(report, "output_rate", r->rate);
	report_integer(report, "channels", r->input.format.channels);
	report_integer(report, "bits", r->input.format.bytes * 8);
	report_integer(report, "input_frames", atomic_load(&r->input.given));
	report_integer(report, "output_frames", r->output.frames);
	report_integer(report, "clipped", r->output.clipped);
	report_text(report, "stages", stages);
	report_integer(report, "team", pstk_network_threads(r->network));
	return report_write(report, running);
}

static int run(struct resample *r, const struct options *options, struct report *report)
{
	const struct wav_input *in = &r->input;
	struct running running = { .network = r->network,
		.last = r->first,
		.unit = "samples",
		.expected = in->frames == UINT64_MAX ? 0 : in->frames * in->format.channels,
		.listed_by = "--print-network",
		.uses_device = options->device,
		.trace = { options->trace } };
	int status = running_run(&running);

	if (status == EXIT_FAILED && running.err == -ENOMEM && options->steps)
		app_fail(status, "smaller --steps take less memory");
	if (status) {
		report_drop(report);
		return status;
	}
	warn_of_input(in);
	warn_of_output(&r->output);
	return running_status(&running, write_report(report, r, &running));
}

int main(int argc, char **argv)
{
	struct options options;
	struct resample r = { 0 };
	struct report *report = NULL;
	int status;

	files_fill_standard();
	signals_handle();
	if (options_parse(&options, argc, argv, &status)) {
		if (options.print_network) {
			status = resample_open(&r, &options);
			if (!status)
				status = resample_open_output(&r, &options);
			if (!status)
				status = running_print_network(r.network);
		} else {
			status = open_all(&r, &options, &report);
			if (status)
				report_drop(report);
			else
				status = run(&r, &options, report);
		}
		resample_close(&r);
	}
	return status;
}
