/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/motion_ring.h"

#include "benchmarks/apps/motion_frames.h"

#include <stdlib.h>

enum { LINE = 64 };

void motion_ring_open(struct motion_ring *r, uint32_t tokens, uint32_t batch)
{
	size_t stride = (motion_frame_bytes() * batch + LINE - 1) / LINE * LINE + LINE;

	r->tokens = tokens;
	r->batch = batch;
	r->stride = stride;
	r->memory = peer_alloc((4 * (size_t)tokens + 1) * stride);
	r->frames = r->memory;
	r->moved = r->frames + tokens * stride;
	r->clean = r->moved + tokens * stride;
	r->gauss = r->clean + tokens * stride;
}

void motion_ring_close(struct motion_ring *r)
{
	free(r->memory);
}

static size_t place(const struct motion_ring *r, uint64_t token)
{
	return token % r->tokens * r->stride;
}

/* The last place is that of the token before the first: zeros. */
static uint8_t *gauss_of(const struct motion_ring *r, uint64_t token)
{
	return r->gauss + token % (r->tokens + 1) * r->stride;
}

void motion_ring_source(const struct motion_ring *r, uint64_t token)
{
	for (uint32_t i = 0; i < r->batch; i++)
		motion_source(r->frames + place(r, token) + i * motion_frame_bytes(), token * r->batch + i);
}

void motion_ring_gauss(const struct motion_ring *r, uint64_t token)
{
	size_t bytes = motion_frame_bytes();

	for (uint32_t i = 0; i < r->batch; i++)
		motion_gauss(gauss_of(r, token) + i * bytes, r->frames + place(r, token) + i * bytes);
}

void motion_ring_threshold(const struct motion_ring *r, uint64_t token)
{
	size_t bytes = motion_frame_bytes();
	const uint8_t *before = gauss_of(r, token + r->tokens) + (r->batch - 1) * bytes;

	for (uint32_t i = 0; i < r->batch; i++) {
		const uint8_t *now = gauss_of(r, token) + i * bytes;

		motion_threshold(r->moved + place(r, token) + i * bytes, now, before);
		before = now;
	}
}

void motion_ring_median(const struct motion_ring *r, uint64_t token)
{
	size_t bytes = motion_frame_bytes();

	for (uint32_t i = 0; i < r->batch; i++)
		motion_median(r->clean + place(r, token) + i * bytes, r->moved + place(r, token) + i * bytes);
}

uint64_t motion_ring_sink(const struct motion_ring *r, uint64_t token)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < r->batch; i++)
		hash += motion_sink(
			r->clean + place(r, token) + i * motion_frame_bytes(), token * r->batch + i);
	return hash;
}
