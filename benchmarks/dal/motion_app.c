/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/motion_app.h"

#include "benchmarks/dal/motion_device.h"
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/common/device_bench.h"
#include "benchmarks/dal/motion_processes.h"

enum { SOURCE, GAUSS, THRES, MEDIAN, SINK, PROCESSES };
enum { PORTS = 3 };

/* An application of one rate. */
struct app {
	struct pstk_dal_port ports[PROCESSES][PORTS];
	struct pstk_dal_process processes[PROCESSES];
};

struct fires {
	uint32_t rate;
	ProcessFire gauss, thres, median;
};

/* The objects of a rate. */
static const struct fires *fires_of(uint32_t rate)
{
#define FIRES(rate)                                                                                 \
	{                                                                                           \
		rate, motion_gauss_fire_##rate, motion_thres_fire_##rate, motion_median_fire_##rate \
	}
	static const struct fires all[] = { FIRES(1), FIRES(4), FIRES(8), FIRES(16), FIRES(32) };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].rate == rate)
			return &all[i];
	rounds_fail("there are no processes of rate %u", (unsigned)rate);
}

/* A filter with `inputs` ports that are read and the others written, all of windows. */
static void add_filter(struct app *a, unsigned process, const char *name, ProcessFire fire, uint32_t rate,
	const char *const names[PORTS], unsigned inputs)
{
	unsigned n = 0;

	for (; n < PORTS && names[n]; n++)
		a->ports[process][n] =
			(struct pstk_dal_port){ names[n], rate, motion_frame_bytes(), n < inputs ? 0 : rate };
	a->processes[process] = (struct pstk_dal_process){
		.name = name, .fire = fire, .ports = a->ports[process], .port_count = n, .stateless = true
	};
}

static void make(struct app *a, uint32_t rate)
{
	static const char *const gauss[PORTS] = { "in", "now", "before" },
				 *const thres[PORTS] = { "now", "before", "out" },
				 *const median[PORTS] = { "in", "out" };
	const struct fires *fires = fires_of(rate);

	*a = (struct app){ 0 };
	a->processes[SOURCE] = (struct pstk_dal_process)PSTK_DAL_PROCESS(
		"source", NULL, motion_source_fire, NULL, MOTION_END_STATE);
	a->processes[SINK] = (struct pstk_dal_process)PSTK_DAL_PROCESS(
		"sink", motion_sink_init, motion_sink_fire, motion_sink_finish, MOTION_END_STATE);
	add_filter(a, GAUSS, "gauss", fires->gauss, rate, gauss, 1);
	add_filter(a, THRES, "thres", fires->thres, rate, thres, 2);
	add_filter(a, MEDIAN, "median", fires->median, rate, median, 1);
}

static void write_network(char path[FILES_PATH], const struct runner_way *way)
{
	const struct files_value values[] = { { "BYTES", (uint32_t)motion_frame_bytes() },
		{ "RATE", way->size }, { "WINDOWS", way->capacity } };

	files_copy(path, "motion.xml", values, sizeof values / sizeof *values);
}

static struct device_moment first_frame, last_map; /* the source's, the sink's */

static void note_first(void)
{
	first_frame = device_now();
}

static void note_last(void)
{
	last_map = device_now();
}

uint64_t motion_app_run(const void *arg, uint64_t frames)
{
	struct app_way *w = (struct app_way *)(uintptr_t)arg;
	char network[FILES_PATH], mapping[FILES_PATH];
	struct app app;

	motion_outside = (struct motion_outside){ .frames = frames,
		.frame = motion_picture,
		.map = motion_sink,
		.first = note_first,
		.last = note_last };
	make(&app, w->way->size);
	write_network(network, w->way);
	if (w->way->mapped)
		app_map_cores(mapping, "motion_mapping.xml");
	app_run_files(w, app.processes, PROCESSES, network, w->way->mapped ? mapping : NULL);
	return motion_outside.hash;
}

uint64_t motion_app_run_device(const void *arg, uint64_t frames)
{
	struct app_way *w = (struct app_way *)(uintptr_t)arg;
	struct motion_device_kernels *kernels = motion_device_kernels_create(w->way->size);
	char network[FILES_PATH], mapping[FILES_PATH];
	struct app app;

	motion_outside = (struct motion_outside){ .frames = frames,
		.frame = motion_device_frame,
		.place = motion_device_place,
		.first = note_first,
		.last = note_last };
	make(&app, w->way->size);
	app.processes[GAUSS].kernel = &kernels->gauss;
	app.processes[THRES].kernel = &kernels->thres;
	app.processes[MEDIAN].kernel = &kernels->median;
	write_network(network, w->way);
	files_copy(mapping, "motion_device_mapping.xml", kernels->values, MOTION_DEVICE_VALUES);
	app_run_files(w, app.processes, PROCESSES, network, mapping);
	motion_device_kernels_destroy(kernels);
	motion_device_verify(w->way->name);
	/* kernels are built before the first frame */
	w->cost = (struct rounds_cost){ .seconds = last_map.seconds - first_frame.seconds,
		.cpu = (last_map.cpu_us - first_frame.cpu_us) * 1e-6,
		.switches = (long)(last_map.sleeps - first_frame.sleeps) };
	return 0;
}
