/* SPDX-License-Identifier: MIT */
/* What is left of a run beside the signal: its figures as JSON, its spectra as a picture. */
#include "config.h"

#include "apps/predistortion/stats.h"
#include "apps/common/files.h"
#include "apps/predistortion/spectra.h"

static bool is_now(const char *path, bool fifos)
{
	return path && (!fifos || files_is_fifo(path));
}

int stats_open(struct stats *stats, const struct options *options, bool fifos)
{
	int status = 0;

	if (!stats->report && is_now(options->stats, fifos))
		status = report_open(&stats->report, options->stats);
	if (!status && !stats->plot && is_now(options->plot, fifos))
		status = plot_open(&stats->plot, options->plot, SPECTRA_WIDTH, SPECTRA_HEIGHT);
	return status;
}

/* Periods whose set is another one than that before. */
static uint64_t reconfigurations(const struct predistortion *p, uint64_t samples)
{
	uint64_t periods = samples / p->period + (samples % p->period != 0), count = 0;
	uint32_t before = active_set(&p->active, 0);

	/* the last set of a list holds */
	if (p->active.sets && periods > p->active.count)
		periods = p->active.count;
	for (uint64_t i = 1; i < periods; i++) {
		uint32_t set = active_set(&p->active, i);

		count += set != before;
		before = set;
	}
	return count;
}

static int write_report(struct stats *stats, const struct predistortion *p, const struct options *options,
	const struct running *running)
{
	struct report *report = stats->report;

	report_text(report, "version", pstk_version());
	report_real(report, "sample_rate", p->info.sample_rate); /* 0: unknown */
	report_integer(report, "block", options->block);
	report_integer(report, "rate", options->rate);
	report_integer(report, "period", p->period);
	report_integer(report, "team", pstk_network_threads(p->network));
	report_integer(report, "depth", team_depth_of(p->first));
	report_integer(report, "branches", p->coefficients.count);
	report_text(report, "active", options->active ? options->active : "all");
	report_integer(report, "reconfigurations", reconfigurations(p, running_count(running)));
	report_integer(report, "not_finite", pstk_iq_input_not_finite(p->input));
	stats->report = NULL; /* it frees it */
	return report_write(report, running);
}

static int write_plot(struct stats *stats, const struct predistortion *p)
{
	const struct spectra spectra = { p->before, p->after, p->sent_before, p->sent_after };
	struct plot *plot = stats->plot;

	spectra_write(plot_script(plot), &spectra, &p->info);
	stats->plot = NULL; /* it frees it */
	return plot_complete(plot);
}

int stats_write(struct stats *stats, const struct predistortion *p, const struct options *options,
	const struct running *running)
{
	int status = 0;

	if (stats->plot && !running->err)
		status = write_plot(stats, p);
	return status ? status : write_report(stats, p, options, running);
}

void stats_drop(struct stats *stats)
{
	report_drop(stats->report);
	plot_drop(stats->plot);
	*stats = (struct stats){ 0 };
}
