/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/motion_frames.h"

#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/threshold/threshold.h"
#include "benchmarks/apps/motion_kernels.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFTS = 16, LINE = 64, MOST = 16384 };

static const struct motion_kernels light = { "light", ps_gauss5x5_frame, ps_threshold_bytes,
	ps_median5_frame };

/* Constant while anything runs. */
static const struct motion_kernels *kernels = &light;
static uint32_t width = 320, height = 240;
static uint8_t *picture; /* SHIFTS rows more than a frame */

bool motion_option(int c, const char *arg)
{
	if (c == 'H') {
		kernels = &motion_heavy;
		return true;
	}
	return c == 'S' && number_size(arg, MOST, &width, &height);
}

bool motion_is_light(void)
{
	return kernels == &light;
}

const char *motion_name(void)
{
	return kernels->name;
}

uint32_t motion_width(void)
{
	return width;
}

uint32_t motion_height(void)
{
	return height;
}

size_t motion_frame_bytes(void)
{
	return (size_t)width * height;
}

void motion_open(void)
{
	size_t bytes = (size_t)width * (height + SHIFTS);
	uint32_t seed = 1;

	picture = rounds_alloc(bytes);
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		picture[i] = (uint8_t)((i % width / 8 * 16 + i / width / 8 * 32) % 200 + (seed >> 27));
	}
}

void motion_close(void)
{
	free(picture);
}

/* -- what all call -- */

const uint8_t *motion_picture(uint64_t index)
{
	return picture + (size_t)(index * 7 % SHIFTS) * width;
}

void motion_source(uint8_t *frame, uint64_t index)
{
	memcpy(frame, motion_picture(index), motion_frame_bytes());
}

void motion_gauss(uint8_t *frame, const uint8_t *in)
{
	kernels->gauss(frame, in, width, height);
}

void motion_threshold(uint8_t *frame, const uint8_t *now, const uint8_t *before)
{
	kernels->threshold(frame, now, before, MOTION_THRESHOLD, motion_frame_bytes());
}

void motion_median(uint8_t *frame, const uint8_t *in)
{
	kernels->median(frame, in, width, height);
}

uint64_t motion_sink(const uint8_t *frame, uint64_t index)
{
	return rounds_hash_at(rounds_hash(frame, motion_frame_bytes() / LINE * LINE), index);
}

/* -- one thread, and two that share nothing -- */

/* Frames first .. end - 1 of one thread. */
struct part {
	uint64_t first, end, hash;
};

static void *run_part(void *arg)
{
	struct part *p = arg;
	/* not at one place of a page all */
	size_t bytes = (motion_frame_bytes() + LINE - 1) / LINE * LINE + LINE;
	uint8_t *memory = rounds_alloc(5 * bytes), *frame = memory, *now = frame + bytes,
		*before = now + bytes, *moved = before + bytes, *clean = moved + bytes;

	if (p->first) {
		motion_source(frame, p->first - 1);
		motion_gauss(before, frame);
	}
	for (uint64_t i = p->first; i < p->end; i++) {
		uint8_t *last = before;

		motion_source(frame, i);
		motion_gauss(now, frame);
		motion_threshold(moved, now, before);
		motion_median(clean, moved);
		p->hash += motion_sink(clean, i);
		before = now;
		now = last;
	}
	free(memory);
	return NULL;
}

uint64_t motion_run_serial(const void *arg, uint64_t items)
{
	struct part all = { 0, items, 0 };

	(void)arg;
	run_part(&all);
	return all.hash;
}

uint64_t motion_run_light(const void *arg, uint64_t items)
{
	const struct motion_kernels *chosen = kernels;
	uint64_t hash;

	kernels = &light;
	hash = motion_run_serial(arg, items);
	kernels = chosen;
	return hash;
}

uint64_t motion_run_ideal(const void *arg, uint64_t items)
{
	struct part parts[2] = { { 0, items / 2, 0 }, { items / 2, items, 0 } };
	pthread_t other;

	(void)arg;
	if (pthread_create(&other, NULL, run_part, &parts[1]))
		rounds_fail("no thread");
	run_part(&parts[0]);
	pthread_join(other, NULL);
	return parts[0].hash + parts[1].hash;
}
