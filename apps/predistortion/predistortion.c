/* SPDX-License-Identifier: MIT */
/* Dynamic predistortion of I/Q signals: the program. */
#include "config.h"

#include "apps/common/app.h"
#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/signals.h"
#include "apps/predistortion/network.h"
#include "apps/predistortion/options.h"
#include "apps/predistortion/stats.h"

#include <inttypes.h>
#include <string.h>

/* Opens everything; what may wait, the input and FIFOs, first, the files last. */
static int open_all(struct predistortion *p, const struct options *options, struct stats *stats)
{
	bool fifo = options->output && files_is_fifo(options->output);
	int status = predistortion_open(p, options);

	if (!status && fifo)
		status = predistortion_open_output(p, options);
	if (!status)
		status = stats_open(stats, options, true);
	signals_block();
	if (!status && !fifo)
		status = predistortion_open_output(p, options);
	if (!status)
		status = stats_open(stats, options, false);
	return status;
}

/* A file's name for a message. */
static const char *called(const char *name, const char *standard)
{
	return strcmp(name, "-") ? name : standard;
}

static void warn_not_finite(const char *name, uint64_t count)
{
	if (count)
		app_fail(EXIT_DONE, "warning: %s: %" PRIu64 " sample%s not finite (NaN or infinite)", name,
			count, count == 1 ? " is" : "s are");
}

/* Samples pass whatever they are; the warnings explain an odd output. The ninth power of samples that have not
 * been scaled, or of bytes that are no floats, overflows. */
static void warn_of_samples(const struct predistortion *p, const struct options *options)
{
	/* a little above 1 still makes sense with some coefficients; beyond 32-bit integers it is a mistake */
	const double most = 2, no_signal = 1e10;
	const char *input = options->input ? called(options->input, "stdin") : "the signal";
	double peak = pstk_iq_input_peak(p->input);

	warn_not_finite(input, pstk_iq_input_not_finite(p->input));
	if (peak > most)
		app_fail(EXIT_DONE, "warning: %s: the largest magnitude is %.3g, about 1 is expected: %s",
			input, peak, peak > no_signal ? "are these cf32_le samples?" : "scale it");
	if (p->output)
		warn_not_finite(called(options->output, "stdout"), pstk_iq_output_not_finite(p->output));
}

static int run(struct predistortion *p, const struct options *options, struct stats *stats)
{
	struct running running = { .network = p->network,
		.last = p->last,
		.unit = "samples",
		.expected = p->info.samples == UINT64_MAX ? 0 : p->info.samples,
		.uses_device = p->uses_device,
		.listed_by = "--print-network",
		.trace = { options->trace } };
	int status;

	if (!options->output)
		app_fail(EXIT_DONE, "no --output: the samples are not kept");
	status = running_run(&running);
	if (status == EXIT_FAILED && running.err == -ENOMEM)
		app_fail(status, "smaller --block, --rate or --depth take less memory");
	if (status)
		return status;
	warn_of_samples(p, options);
	return running_status(&running, stats_write(stats, p, options, &running));
}

int main(int argc, char **argv)
{
	struct options options;
	struct predistortion p = { 0 };
	struct stats stats = { 0 };
	int status;

	files_fill_standard();
	signals_handle();
	if (options_parse(&options, argc, argv, &status)) {
		if (options.print_network) {
			status = predistortion_open(&p, &options);
			if (!status)
				status = predistortion_open_output(&p, &options);
			if (!status)
				status = running_print_network(p.network);
		} else {
			status = open_all(&p, &options, &stats);
			if (!status)
				status = run(&p, &options, &stats);
		}
		stats_drop(&stats);
		predistortion_close(&p);
	}
	options_free(&options);
	return status;
}
