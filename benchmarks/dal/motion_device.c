/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/motion_device.h"

#include "actors/common/frame_cl.h"
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/common/rounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = MOTION_DEVICE_RING };

static uint8_t *ring, *maps, *expected; /* constant while anything runs, but for the maps: the sink's */

/* -- frames and maps -- */

/* The second time around: the first frame has one before it. */
static void compute_expected(void)
{
	size_t bytes = motion_frame_bytes();
	uint8_t *memory = rounds_alloc(3 * bytes), *now = memory, *before = now + bytes,
		*moved = before + bytes;

	motion_gauss(before, ring + (RING - 1) * bytes);
	for (size_t i = 0; i < RING; i++) {
		uint8_t *last = before;

		motion_gauss(now, ring + i * bytes);
		motion_threshold(moved, now, before);
		motion_median(expected + i * bytes, moved);
		before = now;
		now = last;
	}
	free(memory);
}

void motion_device_open(void)
{
	size_t bytes = RING * motion_frame_bytes();
	uint32_t seed = 1;

	ring = rounds_alloc(bytes);
	maps = rounds_alloc(bytes);
	expected = rounds_alloc(bytes);
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		ring[i] = (uint8_t)(seed >> 24);
	}
	compute_expected();
}

void motion_device_close(void)
{
	free(ring);
	free(maps);
	free(expected);
}

const uint8_t *motion_device_frame(uint64_t index)
{
	return ring + index % RING * motion_frame_bytes();
}

uint8_t *motion_device_place(uint64_t index)
{
	return maps + index % RING * motion_frame_bytes();
}

void motion_device_verify(const char *who)
{
	size_t bytes = RING * motion_frame_bytes();

	if (memcmp(maps, expected, bytes) != 0)
		rounds_fail("%s: the maps are wrong", who);
	memset(maps, 0x55, bytes); /* the next run has its own to make */
}

/* -- kernels -- */

/* GROUPS x BANDS x FRAMES groups in one dimension. */
static const char sharing[] = "static inline size_t share_id(uint dimension)\n"
			      "{\n"
			      "	size_t group = get_group_id(0);\n"
			      "	if (dimension == 0)\n"
			      "		return group % GROUPS * get_local_size(0) + get_local_id(0);\n"
			      "	return dimension == 1 ? group / GROUPS % BANDS : group / GROUPS / BANDS;\n"
			      "}\n"
			      "static inline size_t share_size(uint dimension)\n"
			      "{\n"
			      "	if (dimension == 0)\n"
			      "		return GROUPS * get_local_size(0);\n"
			      "	return dimension == 1 ? BANDS : get_num_groups(0) / GROUPS / BANDS;\n"
			      "}\n"
			      "#define get_global_id(dimension) share_id(dimension)\n"
			      "#define get_global_size(dimension) share_size(dimension)\n";

static const char gauss[] =
	"static inline void copy_again(__global uchar *d, __global const uchar *s, size_t n)\n"
	"{\n"
	"	size_t x = 0;\n"
	"	for (; x + STRIP <= n; x += STRIP)\n"
	"		STORE(LOAD(s + x), d + x);\n"
	"	for (; x < n; x++)\n"
	"		d[x] = s[x];\n"
	"}\n"
	"__kernel void dal_gauss(\n"
	"	__global const uchar *in, __global uchar *now, __global uchar *before, ulong firing)\n"
	"{\n"
	"	size_t strips = max((size_t)WIDTH / STRIP, (size_t)1), bands = get_global_size(1);\n"
	"	size_t band = (HEIGHT + bands - 1) / bands, from = min(get_global_id(1) * band, "
	"(size_t)HEIGHT),\n"
	"	       end = min(from + band, (size_t)HEIGHT);\n"
	"	gauss5x5(in, now, firing, WIDTH, HEIGHT, FRAMES);\n"
	"	for (size_t f = get_global_id(2); f < FRAMES; f += get_global_size(2))\n"
	"		for (size_t i = get_global_id(0); i < strips; i += get_global_size(0)) {\n"
	"			size_t x = i * STRIP, n = i + 1 < strips ? STRIP : WIDTH - x;\n"
	"			for (size_t y = from; y < end; y++) {\n"
	"				size_t at = (f * HEIGHT + y) * WIDTH + x;\n"
	"				copy_again(before + at, now + at, n);\n"
	"			}\n"
	"		}\n"
	"}\n";

static const char thres[] =
	"__kernel void dal_thres(__global const uchar *now, __global const uchar *before,\n"
	"	__global uchar *out, ulong firing)\n"
	"{\n"
	"	threshold(now, before, out, firing, (ulong)WIDTH * HEIGHT, FRAMES, LEAST_MOTION);\n"
	"}\n";

static const char median[] =
	"__kernel void dal_median(__global const uchar *in, __global uchar *out, ulong firing)\n"
	"{\n"
	"	median5(in, out, firing, WIDTH, HEIGHT, FRAMES);\n"
	"}\n";

static char *join(const char *a, const char *b, const char *c)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = rounds_alloc(size);

	snprintf(text, size, "%s%s%s", a, b, c);
	return text;
}

/* Writes the mapping's two values. */
static struct pstk_kernel wrap(const struct pstk_kernel *kernel, const char *name, const char *wrapper,
	const struct ps_work_size *work, uint32_t rate, struct files_value *values)
{
	enum { OPTIONS = 160 };
	size_t groups = work->global[0] / work->local[0];
	char *options = rounds_alloc(OPTIONS);

	values[0].value = (uint32_t)(groups * work->global[1] * work->global[2]);
	values[1].value = (uint32_t)work->local[0];
	snprintf(options, OPTIONS,
		"-DGROUPS=%zu -DBANDS=%zu -DFRAMES=%" PRIu32 " -DWIDTH=%" PRIu32 " -DHEIGHT=%" PRIu32
		" -DLEAST_MOTION=%d",
		groups, work->global[1], rate, motion_width(), motion_height(), MOTION_THRESHOLD);
	return (struct pstk_kernel){
		.source = join(sharing, kernel->source, wrapper), .name = name, .options = options
	};
}

struct motion_device_kernels *motion_device_kernels_create(uint32_t rate)
{
	static const char *const names[MOTION_DEVICE_VALUES] = { "GAUSS_GROUPS", "GAUSS_ITEMS",
		"THRES_GROUPS", "THRES_ITEMS", "MEDIAN_GROUPS", "MEDIAN_ITEMS" };
	struct motion_device_kernels *k = rounds_alloc(sizeof *k);
	uint32_t w = motion_width(), h = motion_height();
	struct ps_work_size work = ps_gauss5x5_work_size(w, h, rate);

	for (unsigned i = 0; i < MOTION_DEVICE_VALUES; i++)
		k->values[i].name = names[i];
	k->gauss = wrap(&ps_gauss5x5_kernel, "dal_gauss", gauss, &work, rate, k->values);
	work = ps_threshold_work_size(motion_frame_bytes(), rate);
	k->thres = wrap(&ps_threshold_kernel, "dal_thres", thres, &work, rate, k->values + 2);
	work = ps_median5_work_size(w, h, rate);
	k->median = wrap(&ps_median5_kernel, "dal_median", median, &work, rate, k->values + 4);
	return k;
}

void motion_device_kernels_destroy(struct motion_device_kernels *k)
{
	const struct pstk_kernel *all[] = { &k->gauss, &k->thres, &k->median };

	for (unsigned i = 0; i < 3; i++) {
		free((void *)(uintptr_t)all[i]->source);
		free((void *)(uintptr_t)all[i]->options);
	}
	free(k);
}
