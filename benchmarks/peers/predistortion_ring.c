/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/predistortion_ring.h"

#include "benchmarks/apps/predistortion_plain.h"

#include <stdlib.h>

enum { BRANCHES = HAMMERSTEIN_BRANCHES, LINE = 16 /* floats */ };

/* Blocks begin one cache line more apart, so that they don't lie at one place of their pages all. */
static struct hammerstein_signal take_memory(float **at, uint32_t block)
{
	struct hammerstein_signal s = { *at, *at + block + LINE };

	*at += 2 * ((size_t)block + LINE);
	return s;
}

void predistortion_ring_open(struct predistortion_ring *r, uint32_t tokens, uint32_t block)
{
	size_t signals = (size_t)tokens * (2 + 2 * BRANCHES);
	float *at;

	*r = (struct predistortion_ring){ .tokens = tokens, .block = block };
	at = r->memory = peer_alloc(signals * 2 * ((size_t)block + LINE) * sizeof(float));
	r->slots = peer_alloc(tokens * sizeof *r->slots);
	for (struct predistortion_slot *s = r->slots; s < r->slots + tokens; s++) {
		s->in = take_memory(&at, block);
		s->sum = take_memory(&at, block);
		for (unsigned b = 0; b < BRANCHES; b++) {
			s->powers[b] = take_memory(&at, block);
			s->filtered[b] = take_memory(&at, block);
		}
	}
}

void predistortion_ring_close(struct predistortion_ring *r)
{
	free(r->memory);
	free(r->slots);
}

uint32_t predistortion_ring_set(const struct predistortion_ring *r, uint64_t token)
{
	return hammerstein_set(predistortion_active(), token * r->block / HAMMERSTEIN_PERIOD);
}

struct predistortion_slot *predistortion_ring_slot(const struct predistortion_ring *r, uint64_t token)
{
	return &r->slots[token % r->tokens];
}

void predistortion_ring_source(const struct predistortion_ring *r, uint64_t token)
{
	struct predistortion_slot *s = predistortion_ring_slot(r, token);

	s->set = predistortion_ring_set(r, token);
	hammerstein_source(s->in.re, s->in.im, token * r->block, r->block);
}

void predistortion_ring_polynomial(const struct predistortion_ring *r, uint64_t token)
{
	const struct predistortion_slot *s = predistortion_ring_slot(r, token);

	hammerstein_polynomial(s->powers, s->set, s->in, r->block);
}

void predistortion_ring_filter(struct predistortion_ring *r, uint64_t token, unsigned branch)
{
	const struct predistortion_slot *s = predistortion_ring_slot(r, token);

	hammerstein_filter(branch, s->filtered[branch], &r->past[branch], s->powers[branch], r->block);
}

void predistortion_ring_past(struct predistortion_ring *r, uint64_t token)
{
	struct predistortion_slot *s = predistortion_ring_slot(r, token);

	for (unsigned b = 0; b < BRANCHES; b++)
		if (s->set >> b & 1) {
			s->past[b] = r->past[b];
			hammerstein_remember(&r->past[b], s->powers[b], r->block);
		}
}

void predistortion_ring_filters(const struct predistortion_ring *r, uint64_t token)
{
	struct predistortion_slot *s = predistortion_ring_slot(r, token);

	for (unsigned b = 0; b < BRANCHES; b++)
		if (s->set >> b & 1)
			hammerstein_filter(b, s->filtered[b], &s->past[b], s->powers[b], r->block);
}

void predistortion_ring_add(const struct predistortion_ring *r, uint64_t token)
{
	const struct predistortion_slot *s = predistortion_ring_slot(r, token);

	hammerstein_add(s->sum, s->filtered, s->set, r->block);
}

uint64_t predistortion_ring_sink(const struct predistortion_ring *r, uint64_t token)
{
	const struct predistortion_slot *s = predistortion_ring_slot(r, token);

	return hammerstein_sink(s->sum.re, s->sum.im, token, r->block);
}
