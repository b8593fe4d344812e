/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/apps/motion_network.h"
#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/peer_table.h"

#include <inttypes.h>
#include <stdio.h>

int peer_motion(int argc, char **argv, void (*add)(void))
{
	static const struct motion_way small[] = { { 2, 1, 2 }, { 2, 4, 2 }, { 2, 4, 4 } },
				       large[] = { { 2, 1, 2 }, { 2, 1, 4 }, { 2, 1, 8 } };
	struct rounds_options o =
		rounds_parse(argc, argv, MOTION_OPTIONS, motion_option, MOTION_HELP MOTION_ABOUT);
	struct rounds_table *table = peer_table();
	const struct motion_way *best;
	struct rounds_variant *v;
	char title[96];

	motion_open();
	/* several large frames a window are hundreds of megabytes, and no faster */
	best = motion_frame_bytes() < 1 << 20 ? small : large;
	snprintf(title, sizeof title, "motion detection %s, %" PRIu32 "x%" PRIu32, motion_name(),
		motion_width(), motion_height());
	peer_begin(&(struct rounds_table){ .title = title,
			   .unit = "frames/s",
			   .scale = 1,
			   .least = 2 * PEER_BATCH_MOST,
			   .expect = motion_is_light() ? NULL : motion_run_light },
		NULL);
	v = rounds_add(table, motion_run_serial, NULL, "serial");
	v->versus = "serial";
	v->one_thread = true;
	rounds_add(table, motion_run_ideal, NULL, "ideal, two threads")->versus = "ideal";
	for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
		v = rounds_add(table, motion_run_network, &best[i], "team %u, r %u, depth %u", best[i].team,
			best[i].rate, best[i].depth);
		v->versus = i ? "team" : NULL;
	}
	add();
	rounds_run(&o, table);
	motion_close();
	return 0;
}
