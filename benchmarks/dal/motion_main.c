/* SPDX-License-Identifier: MIT */
/*
 * Motion detection written as DAL processes, run by libpenstock-dal (penstock_motion) or by the baseline
 * (baseline_motion), the same objects in both; in the table of benchmarks/motion, or with -D in that of
 * benchmarks/motion_device. Beside them the library's own network with a thread per actor.
 *
 * capacity: windows that a channel holds. The kernels are the same functions that all variants call, the
 * outputs are compared bit by bit. Source and sink copy between channels and their own memory, as
 * DAL has it, and gauss writes its frame twice.
 *
 * Usage: penstock_motion [-H] [-D] [-m] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/dal/motion_app.h"
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/apps/motion_network.h"
#include "benchmarks/common/device_bench.h"
#include "benchmarks/dal/motion_device.h"

#include <inttypes.h>
#include <stdio.h>

enum { RATE_MOST = 16 };

static bool on_device, memory; /* constant after the options */

static bool option(int c, const char *arg)
{
	on_device = on_device || c == 'D';
	memory = memory || c == 'm';
	return c == 'D' || c == 'm' || motion_option(c, arg);
}

static void measure_cores(const struct rounds_options *o)
{
	static const struct motion_way own[] = { { 0, 1, 2 }, { 0, 1, 8 }, { 0, 1, 16 }, { 0, 4, 8 },
		{ 0, 1, 2, true }, { 0, 1, 8, true }, { 0, 1, 16, true }, { 0, 4, 8, true } };
	static struct rounds_table table = { .unit = "frames/s", .scale = 1, .least = 2 * RATE_MOST };
	struct rounds_variant *v;
	char title[96];

	snprintf(title, sizeof title, "motion detection %s, %" PRIu32 "x%" PRIu32, motion_name(),
		motion_width(), motion_height());
	table.title = title;
	if (!motion_is_light())
		table.expect = motion_run_light;
	v = rounds_add(&table, motion_run_serial, NULL, "serial");
	v->versus = "serial";
	v->one_thread = true;
	for (const struct motion_way *w = own; w < own + sizeof own / sizeof *own; w++) {
		v = rounds_add(&table, motion_run_network, w, "threads%s, r %u, depth %u",
			w->fixed ? ", fixed" : "", w->rate, w->depth);
		v->versus = w == own ? "threads" : NULL;
	}
	app_add(&table, RUNNER_MOTION, motion_app_run, "r");
	app_table(o, &table, motion_app_run, memory);
}

static void measure_device(const struct rounds_options *o)
{
	static struct rounds_table table = { .unit = "frames/s", .scale = 1, .least = MOTION_DEVICE_LEAST };
	struct pstk_device_info info;
	char title[96];

	snprintf(title, sizeof title, "motion detection on a device, %" PRIu32 "x%" PRIu32, motion_width(),
		motion_height());
	table.title = title;
	app_add(&table, RUNNER_MOTION_DEVICE, motion_app_run_device, "r");
	if (pstk_devices(&info, 1) < 1) {
		if (o->mode == ROUNDS_TABLES)
			rounds_fail("there is no OpenCL device");
		app_absent(&table, motion_app_run_device, "there is no OpenCL device");
	} else {
		motion_device_open();
	}
	app_table(o, &table, motion_app_run_device, memory);
	motion_device_close();
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, MOTION_OPTIONS "Dm", option,
		MOTION_HELP "  -D          the filters on a device\n"
			    "  -m          print the channels' memory instead\n" APP_ABOUT);

	motion_open();
	if (on_device)
		measure_device(&o);
	else
		measure_cores(&o);
	motion_close();
	return 0;
}
