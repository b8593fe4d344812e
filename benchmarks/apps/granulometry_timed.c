/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/granulometry_timed.h"
#include "actors/openings/openings.h"
#include "tests/fake_cl/fake_cl.h"

#include <stdlib.h>
#include <string.h>

/* Parameters, as in actors/openings/openings.cl. A gate is for less work: it is not looked at. */
enum { SRC, DST, FLIP = 3, SIZE = 7, LAST, WORDS, HEIGHT, DEPTH, CROSS };
enum { ONES_SRC, ONES_PARTIAL, ONES_SIZE = 5 };
enum { TOTAL_PARTIAL, TOTAL_COUNTS, TOTAL_GROUPS, TOTAL_RESULTS, TOTAL_RESULT };

static uint64_t unit_ns; /* constant after timed_start() */

static uint64_t ulong_of(const struct fake_cl_launch *l, unsigned arg)
{
	return *(const cl_ulong *)l->arg[arg];
}

static uint32_t uint_of(const struct fake_cl_launch *l, unsigned arg)
{
	return *(const cl_uint *)l->arg[arg];
}

static uint64_t unit_time(const struct fake_cl_launch *l)
{
	(void)l;
	return unit_ns;
}

static void unit(const struct fake_cl_launch *l)
{
	const struct ps_openings o = { .volume = { .width = 0,
					       .height = uint_of(l, HEIGHT),
					       .depth = uint_of(l, DEPTH),
					       .words = uint_of(l, WORDS),
					       .size = ulong_of(l, SIZE),
					       .last = ulong_of(l, LAST) },
		.cross = uint_of(l, CROSS) };
	uint64_t *room = malloc(2 * (o.volume.words + 2) * sizeof *room);

	for (size_t i = 0; i < l->global[2] && room; i++)
		ps_openings_unit(&o, (uint64_t *)l->arg[DST] + i * o.volume.size,
			(const uint64_t *)l->arg[SRC] + i * o.volume.size, ulong_of(l, FLIP), room);
	free(room);
}

/* The first group has it all. */
static void ones(const struct fake_cl_launch *l)
{
	const size_t size = ulong_of(l, ONES_SIZE), groups = l->global[0] / l->local[0];
	const uint64_t *src = l->arg[ONES_SRC];
	uint64_t *partial = l->arg[ONES_PARTIAL];

	memset(partial, 0, groups * l->global[1] * sizeof *partial);
	for (size_t i = 0; i < l->global[1]; i++)
		for (size_t k = 0; k < size; k++)
			partial[i * groups] += (unsigned)__builtin_popcountll(src[i * size + k]);
}

static void total(const struct fake_cl_launch *l)
{
	const uint64_t *partial = l->arg[TOTAL_PARTIAL];
	uint64_t *counts = l->arg[TOTAL_COUNTS];

	for (size_t i = 0; i < l->global[1]; i++)
		counts[i * uint_of(l, TOTAL_RESULTS) + uint_of(l, TOTAL_RESULT)] =
			partial[i * uint_of(l, TOTAL_GROUPS)];
}

#define ULONG(n) FAKE_CL_VALUE(n, "ulong", sizeof(cl_ulong))
#define UINT(n) FAKE_CL_VALUE(n, "uint", sizeof(cl_uint))

static const struct fake_cl_arg unit_args[] = { FAKE_CL_IN("src", "ulong"), FAKE_CL_OUT("dst", "ulong"),
	FAKE_CL_IN("counts", "ulong"), ULONG("flip"), UINT("gate"), UINT("clears"), UINT("results"),
	ULONG("size"), ULONG("last"), UINT("words"), UINT("height"), UINT("depth"), UINT("cross"),
	UINT("strip") };
static const struct fake_cl_arg ones_args[] = { FAKE_CL_IN("src", "ulong"), FAKE_CL_OUT("partial", "ulong"),
	FAKE_CL_IN("counts", "ulong"), UINT("gate"), UINT("results"), ULONG("size") };
static const struct fake_cl_arg total_args[] = { FAKE_CL_IN("partial", "ulong"),
	FAKE_CL_OUT("counts", "ulong"), UINT("groups"), UINT("results"), UINT("result") };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct fake_cl_kernel kernels[] = {
	{ .name = "unit", .args = unit_args, .arg_count = COUNT(unit_args), .run = unit, .time = unit_time },
	{ .name = "ones", .args = ones_args, .arg_count = COUNT(ones_args), .run = ones },
	{ .name = "total", .args = total_args, .arg_count = COUNT(total_args), .run = total },
};

bool timed_start(const char *driver, double unit_s)
{
	const struct fake_cl *fake = fake_cl_start(driver, "timed=1,devices=2,rate=1e18,latency=0", NULL);

	unit_ns = (uint64_t)(unit_s * 1e9 + 0.5);
	for (unsigned i = 0; fake && i < COUNT(kernels); i++)
		if (fake->add_kernel(&kernels[i]))
			return false;
	return fake;
}
