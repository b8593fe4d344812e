/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#include "config.h"

#include "apps/motion_detection/stats.h"

int stats_write(struct report *report, const struct motion *motion, const struct options *options,
	const struct running *running)
{
	report_text(report, "version", pstk_version());
	report_integer(report, "width", motion->info.width);
	report_integer(report, "height", motion->info.height);
	report_integer(report, "rate", options->rate);
	report_integer(report, "depth", options->depth);
	report_integer(report, "device_depth", options->device_depth);
	report_integer(report, "threshold", options->threshold);
	return report_write(report, running);
}
