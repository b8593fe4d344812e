/* SPDX-License-Identifier: MIT */
/*
 * The stages of the video applications one by one: their C form on one core against the plain loops in double precision
 * with which the tests compare them, spread over two cores, and on OpenCL's first device. And SRAD's loop against
 * OpenMP over rows.
 *
 * Usage: video_kernels [-S WxH] [-b] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "actors/common/wide.h"
#include "benchmarks/apps/video_inputs.h"
#include "benchmarks/apps/video_stage.h"
#include "benchmarks/common/number.h"
#include "benchmarks/peers/srad_openmp.h"
#ifdef HAVE_OPENCL
#include "benchmarks/apps/video_launch.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 2, LIMIT = 8192, ITERATIONS = 100 };
enum { PLAIN, CORE, SPREAD, KERNEL, DEVICE, WAYS };

static struct pstk_frame_size wanted; /* by -S; 0: each its own */

static bool option(int c, const char *arg)
{
	if (c == 'b') {
		ps_wide_limit(PS_WIDE_ANY);
		return true;
	}
	return number_size(arg, LIMIT, &wanted.width, &wanted.height);
}

/* -- a table for each stage -- */

static uint64_t run_plain(const void *arg, uint64_t items)
{
	const struct video_subject *s = arg;

	for (uint64_t i = 0; i < items; i++)
		s->plain(s->data);
	return 0;
}

/* The first one's selector; NULL: there is none. */
static const char *find_device(void)
{
	static struct pstk_device_info info;

	return pstk_devices(&info, 1) > 0 ? info.selector : NULL;
}

static void add_stage(struct rounds_table *t, struct video_way *ways, struct rounds_cost *costs, unsigned way,
	const char *name)
{
	struct rounds_variant *v;

	ways[way].cost = &costs[way];
	v = rounds_add(t, video_stage_run, &ways[way], "%s", name);
	v->cost = &costs[way];
	v->group = way == DEVICE ? DEVICE : CORE;
	if (way == CORE)
		v->one_thread = true;
	if (way == SPREAD)
		v->versus = "two cores";
	if (way == DEVICE && !find_device())
		v->absent = "there is no OpenCL device";
}

static void run_subject(const struct rounds_options *o, const struct video_subject *s)
{
	struct rounds_cost costs[WAYS];
	struct video_way ways[WAYS] = { [CORE] = { &s->stage, NULL, NULL, 1, NULL },
		[SPREAD] = { &s->stage, "MG:0", NULL, CORES, NULL },
		[DEVICE] = { &s->stage, "DP-CG:1:1", find_device(), CORES, NULL } };
	struct rounds_table t = { .title = s->title, .unit = "items/s", .scale = 1, .least = 1 };
	struct rounds_variant *v;

	if (s->plain) {
		v = rounds_add(&t, run_plain, s, "plain loops");
		v->one_thread = true;
		v->versus = "plain";
		v->group = PLAIN;
	}
	add_stage(&t, ways, costs, CORE, "C, one core");
	add_stage(&t, ways, costs, SPREAD, "C, two cores");
#ifdef HAVE_OPENCL
	if (s->launch) {
		v = rounds_add(&t, video_launch_run, s->launch, "kernel");
		v->cost = &s->launch->cost;
		v->group = KERNEL;
		if (!find_device())
			v->absent = "there is no OpenCL device";
	}
#endif
	if (s->on_device)
		add_stage(&t, ways, costs, DEVICE, "stage on the device");
	rounds_run(o, &t);
}

/* -- SRAD's loop -- */

static uint64_t run_openmp(const void *arg, uint64_t items)
{
	struct srad_openmp s = *(const struct srad_openmp *)arg;
	const float *picture = s.maps[0];
	size_t bytes = s.w * s.h * sizeof(float);

	s.maps[0] = rounds_alloc(bytes);
	s.maps[1] = rounds_alloc(bytes);
	s.c = rounds_alloc(bytes);
	for (uint64_t i = 0; i < items; i++) {
		memcpy(s.maps[0], picture, bytes);
		srad_openmp(&s);
	}
	free(s.maps[0]);
	free(s.maps[1]);
	free(s.c);
	return 0;
}

static void run_loop(const struct rounds_options *o, const struct pstk_frame_size *size)
{
	const struct video_subject *s = video_srad_loop(size, ITERATIONS);
	struct srad_openmp openmp = { { (float *)(uintptr_t)((const char *)s->stage.in[0].tokens +
							     PSTK_SIZED_HEAD) },
		NULL, size->width, size->height, VIDEO_LAMBDA, ITERATIONS, CORES },
			   none = { .w = 0 };
	struct rounds_cost costs[2];
	struct video_way ways[] = { { &s->stage, NULL, NULL, 1, &costs[0] },
		{ &s->stage, "MG:0", NULL, CORES, &costs[1] } };
	struct rounds_table t = { .title = s->title, .unit = "pictures/s", .scale = 1, .least = 1 };
	struct rounds_variant *v;

	v = rounds_add(&t, video_stage_run, &ways[0], "loop, one core");
	v->cost = &costs[0];
	v->one_thread = true;
	v->versus = "one core";
	v = rounds_add(&t, run_openmp, &openmp, "OpenMP, %d threads", CORES);
	v->versus = "OpenMP";
	v->role = ROUNDS_PEER;
	v->group = 1;
	if (!srad_openmp(&none))
		v->absent = "this build has no OpenMP";
	v = rounds_add(&t, video_stage_run, &ways[1], "loop, two cores");
	v->cost = &costs[1];
	rounds_run(o, &t);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "S:b", option,
		"  -S WxH      size of all frames (ViVid 600x416, SRAD 458x502, tracking 352x288, scene "
		"256x256)\n"
		"  -b          the stages without vectors that are chosen at run time: the build's own\n"
		"\nThe stages of the video applications one by one: plain loops in double precision, the C "
		"form "
		"on one core\nand on two (medium grain), the kernel by itself, launched many times, and the "
		"stage in a pipeline on the\nfirst device, one item after the other. SRAD's 100 iterations "
		"against OpenMP.\n"
		"Columns: items a second, and by those of the variant above the column.\n");
	struct pstk_frame_size srad = wanted.width ? wanted : (struct pstk_frame_size){ 458, 502 };
	unsigned count;
	const struct video_subject *const *subjects = video_subjects(&wanted, &count);

	for (unsigned i = 0; i < count; i++)
		run_subject(&o, subjects[i]);
	run_loop(&o, &srad);
	rounds_require_choice(&o);
	return 0;
}
