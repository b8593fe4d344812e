/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#include "config.h"

#include "apps/saliency/stats.h"

#include <stdio.h>

/* What was measured before the run: "ifft_0_ns", "ifft_1_ns", at the first and the second place. */
static void add_split(struct report *report, const struct saliency *s)
{
	char key[64];

	report_text(report, "split", s->places.split < STEP_SUM ? step_names[s->places.split] : "none");
	if (!s->split.chosen)
		return;
	report_real(report, "split_seconds_per_frame", s->split.period);
	for (unsigned place = 0; place < 2; place++)
		for (unsigned i = 0; i < STEPS; i++) {
			snprintf(key, sizeof key, "%s_%u_ns", step_names[i], place);
			report_integer(report, key, s->split.ns[place][i]);
		}
}

int stats_write(struct report *report, const struct saliency *s, const struct options *options,
	const struct running *running)
{
	static const char *const overlaps[] = { "none", "on", "off" };

	report_text(report, "version", pstk_version());
	report_integer(report, "width", s->info.width);
	report_integer(report, "height", s->info.height);
	report_text(report, "window", options->window ? options->window : "hann");
	report_text(report, "overlap", overlaps[options->overlap]);
	report_integer(report, "team", pstk_network_threads(s->network));
	if (options->overlap != OVERLAP_NONE)
		report_integer(report, "planned_bytes", s->planned_bytes);
	add_split(report, s);
	return report_write(report, running);
}
