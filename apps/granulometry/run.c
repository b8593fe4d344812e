/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/run.h"
#include "apps/common/devices.h"
#include "apps/granulometry/cost.h"
#include "apps/granulometry/measure.h"

#include <inttypes.h>
#include <stdlib.h>

static void describe(struct granulometry_run *run, const struct options *options)
{
	struct granulometry_spec *spec = &run->spec;

	spec->size = run->inputs.size;
	spec->element = options->element;
	spec->openings = options->openings;
	for (unsigned i = 0; i < GRANULOMETRY_PARTS; i++)
		spec->devices[i] = options->devices[i];
	spec->overlap = options->overlap;
	if (options->measures && spec->overlap == GRANULOMETRY_UNPLANNED)
		spec->overlap = GRANULOMETRY_ON;
	spec->team = options->team;
	spec->moves = &options->moves;
}

/* As many openings before as behind, by their times: those that were measured, or equal ones. */
static int choose_split(struct granulometry_run *run, const struct options *options)
{
	struct granulometry_spec *spec = &run->spec;
	struct cost cost = { 1, 1, granulometry_is_together(spec->devices) };

	spec->split = options->split;
	if (spec->split)
		return 0;
	if (options->measures) {
		int status = measure_units(spec);

		if (status)
			return status;
		cost.first = spec->unit_ns[0];
		cost.second = spec->unit_ns[1];
	}
	spec->split = cost_split(&cost, spec->openings);
	if (options->measures)
		fprintf(stderr,
			"split %" PRIu32 " of %" PRIu32
			": small takes %.3f ms an image, large %.3f ms, as measured\n",
			spec->split, spec->openings, cost.first * (double)cost_first(spec->split) / 1e6,
			cost.second * (double)cost_second(spec->split, spec->openings) / 1e6);
	return 0;
}

static int make_ends(struct granulometry_run *run, const struct options *options)
{
	const struct size *size = &run->inputs.size;
	int status = results_init(&run->results, options->output, run->spec.openings, run->spec.split);

	if (status)
		return status;
	run->source = (struct source){ .inputs = &run->inputs,
		.threshold = options->threshold,
		.grey = malloc((size_t)size->width * size->height * size->depth) };
	if (!run->source.grey)
		return app_out_of_memory();
	run->spec.source = source_type(&run->source);
	run->spec.source_arg = &run->source;
	run->spec.sink = results_type(&run->results);
	run->spec.sink_arg = &run->results;
	return 0;
}

int granulometry_run_open(struct granulometry_run *run, const struct options *options)
{
	int status = devices_find(options->devices, GRANULOMETRY_PARTS);

	if (!status)
		status = inputs_open(&run->inputs, options->inputs, options->input_count, &options->size,
			false, options->repeat);
	if (status)
		return status;
	describe(run, options);
	status = choose_split(run, options);
	if (!status)
		status = make_ends(run, options);
	return status ? status : granulometry_build(&run->g, &run->spec);
}

static const char *overlap_name(enum granulometry_overlap overlap)
{
	return overlap == GRANULOMETRY_ON ? "on" : overlap == GRANULOMETRY_OFF ? "off" : "not planned";
}

int granulometry_run_report(struct report *report, const struct granulometry_run *run,
	const struct options *options, const struct running *running)
{
	const struct granulometry_spec *spec = &run->spec;

	report_text(report, "version", pstk_version());
	report_integer(report, "width", spec->size.width);
	report_integer(report, "height", spec->size.height);
	report_integer(report, "depth", spec->size.depth);
	report_integer(report, "threshold", options->threshold);
	report_text(report, "element", spec->element == PSTK_ELEMENT_CROSS ? "cross" : "square");
	report_integer(report, "openings", spec->openings);
	report_integer(report, "split", spec->split);
	report_text(report, "overlap", overlap_name(spec->overlap));
	if (options->measures) {
		report_real(report, "small_unit_ns", spec->unit_ns[0]);
		report_real(report, "large_unit_ns", spec->unit_ns[1]);
		report_real(report, "planned_period_s", run->g.period);
	}
	report_integer(report, "team", pstk_network_threads(run->g.network));
	return report_write(report, running);
}

void granulometry_run_close(struct granulometry_run *run)
{
	granulometry_destroy(&run->g);
	results_close(&run->results);
	free(run->source.grey);
	inputs_close(&run->inputs);
}
