/* SPDX-License-Identifier: MIT */
#include "actors/common/frame_cl.h"

const struct pstk_kernel ps_gauss5x5_kernel = {
	.source =
#include "actors/gauss5x5/gauss5x5.clh"
		, .name = "gauss5x5",
};

const struct pstk_kernel ps_median5_kernel = {
	.source =
#include "actors/median5/median5.clh"
		, .name = "median5",
};

const struct pstk_kernel ps_threshold_kernel = {
	.source =
#include "actors/threshold/threshold.clh"
		, .name = "threshold",
};

/*
 * A group is a band of rows. Bands are as high as they can be, because gauss5x5 makes four rows for each band in vain,
 * while a frame still has enough of them for several cores.
 */
enum { GAUSS_BAND = 24, GAUSS_STRIP = 32, MEDIAN_BAND = 16, MEDIAN_STRIP = 64, GROUP_MAX = 16 };

static struct ps_work_size in_strips(size_t columns, size_t strip, size_t rows, size_t band, size_t frames)
{
	size_t strips = columns / strip ? columns / strip : 1,
	       group = strips < GROUP_MAX ? strips : GROUP_MAX;
	size_t groups = (strips + group - 1) / group;

	return (struct ps_work_size){
		.global = { groups * group, (rows + band - 1) / band, frames },
		.local = { group, 1, 1 },
	};
}

struct ps_work_size ps_gauss5x5_work_size(uint32_t width, uint32_t height, uint32_t rate)
{
	return in_strips(width, GAUSS_STRIP, height, GAUSS_BAND, rate);
}

struct ps_work_size ps_median5_work_size(uint32_t width, uint32_t height, uint32_t rate)
{
	return in_strips(width, MEDIAN_STRIP, height, MEDIAN_BAND, rate);
}

enum { THRESHOLD_PIECE = 256, THRESHOLD_GROUP = 32 };

struct ps_work_size ps_threshold_work_size(size_t token_bytes, uint32_t rate)
{
	size_t bytes = token_bytes * rate, group_bytes = (size_t)THRESHOLD_PIECE * THRESHOLD_GROUP;
	size_t groups = (bytes + group_bytes - 1) / group_bytes;

	return (struct ps_work_size){
		.global = { groups * THRESHOLD_GROUP, 1, 1 },
		.local = { THRESHOLD_GROUP, 1, 1 },
	};
}
