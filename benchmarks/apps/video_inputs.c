/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/video_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct video_subject *video_new(const char *title, const struct pstk_frame_size *size)
{
	struct video_subject *s = rounds_alloc(sizeof *s);

	memset(s, 0, sizeof *s);
	snprintf(s->title, sizeof s->title, "%s, %" PRIu32 "x%" PRIu32, title, size->width, size->height);
	return s;
}

void *video_token(const struct pstk_frame_size *size, size_t data)
{
	void *token = rounds_alloc(pstk_sized_bytes(data));

	memset(token, 0, pstk_sized_bytes(data));
	pstk_sized_set(token, size->width, size->height);
	return token;
}

void video_draw(uint8_t *frame, const struct pstk_frame_size *size)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < (size_t)size->width * size->height; i++) {
		size_t x = i % size->width, y = i / size->width;

		seed = seed * 1664525 + 1013904223;
		frame[i] = (uint8_t)(60 + 90 * ((x / 9 + y / 7) % 2) + (seed >> 24) % 60);
	}
}

const struct video_subject *const *video_subjects(const struct pstk_frame_size *wanted, unsigned *count)
{
	enum { MOST = 32 };
	static const struct video_subject *list[MOST];
	static const struct {
		unsigned (*add)(
			const struct video_subject **, unsigned count, const struct pstk_frame_size *);
		struct pstk_frame_size size;
	} applications[] = { { video_add_vivid, { 600, 416 } }, { video_add_srad, { 458, 502 } },
		{ video_add_tracking, { 352, 288 } }, { video_add_scene, { 256, 256 } } };

	*count = 0;
	for (size_t i = 0; i < sizeof applications / sizeof *applications; i++)
		*count = applications[i].add(list, *count, wanted->width ? wanted : &applications[i].size);
	return list;
}
