/* SPDX-License-Identifier: MIT */
/* Granulometry of images and volumes: the program. */
#include "config.h"

#include "apps/common/files.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/granulometry/run.h"

static int run(struct granulometry_run *r, const struct options *options, struct report *report)
{
	struct running running = { .network = r->g.network,
		.last = r->g.last,
		.unit = "images",
		.uses_device = r->g.uses_device,
		.trace = { options->trace } };
	int status = running_run(&running);

	/* of a run that was aborted there is no file: it would be of a part */
	if (!status && !running.err)
		status = results_complete(&r->results);
	if (status) {
		report_drop(report);
		return status;
	}
	return running_status(&running, granulometry_run_report(report, r, options, &running));
}

/* Opens everything; what may wait, the inputs and FIFOs, first, the files last. */
static int open_all(struct granulometry_run *r, const struct options *options, struct report **report)
{
	bool fifo = options->output && files_is_fifo(options->output);
	int status = granulometry_run_open(r, options);

	if (!status && fifo)
		status = results_open(&r->results);
	if (!status && options->stats && files_is_fifo(options->stats))
		status = report_open(report, options->stats);
	signals_block();
	if (!status && !fifo)
		status = results_open(&r->results);
	if (!status && !*report)
		status = report_open(report, options->stats);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct granulometry_run r = { .inputs = { .count = 0 } };
	struct report *report = NULL;
	int status;

	files_fill_standard();
	signals_handle();
	if (options_parse(&options, argc, argv, &status)) {
		status =
			options.check ? granulometry_run_open(&r, &options) : open_all(&r, &options, &report);
		if (status)
			report_drop(report);
		else
			status = options.check ? running_check(r.g.network) : run(&r, &options, report);
		granulometry_run_close(&r);
	}
	options_free(&options);
	return status;
}
