/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#include "config.h"

#include "apps/motion_detection/stats.h"

/* What was asked for, or what the library has given the first such FIFO: with one end on the host and one
 * on a device, or not. 0: there is none. */
static uint32_t depth_of(const struct motion *motion, bool between, uint32_t asked)
{
	struct pstk_device_info device;

	for (unsigned i = 0; i < WAY && !asked; i++) {
		struct pstk_fifo_info info = { 0 };

		pstk_fifo_get_info(motion->way[i], &info);
		if ((!pstk_actor_device(info.src, &device) != !pstk_actor_device(info.dst, &device)) ==
			between)
			asked = info.depth;
	}
	return asked;
}

int stats_write(struct report *report, const struct motion *motion, const struct options *options,
	const struct running *running)
{
	report_text(report, "version", pstk_version());
	report_integer(report, "width", motion->info.width);
	report_integer(report, "height", motion->info.height);
	report_integer(report, "rate", options->rate);
	report_integer(report, "team", pstk_network_threads(motion->network));
	report_integer(report, "depth", depth_of(motion, false, options->team.depth));
	report_integer(report, "device_depth", depth_of(motion, true, options->device_depth));
	report_integer(report, "threshold", options->threshold);
	return report_write(report, running);
}
