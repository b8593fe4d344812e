/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/stages.h"

#include "benchmarks/common/rounds.h"

#include <stdlib.h>
#include <string.h>

uint32_t stages_tokens(const struct stages *s)
{
	return s->stage[0].units * s->stage[0].in;
}

void stages_source(const struct stages *s, void *out, uint64_t first, size_t n)
{
	size_t bytes = s->stage[0].in_bytes;
	unsigned char *to = out;

	while (n) {
		size_t at = first % s->signal_tokens, part = s->signal_tokens - at;

		part = part < n ? part : n;
		memcpy(to, (const unsigned char *)s->signal + at * bytes, part * bytes);
		to += part * bytes;
		first += part;
		n -= part;
	}
}

uint64_t stages_sink(const struct stages *s, const void *tokens, uint64_t first, size_t pieces)
{
	size_t bytes = s->piece * s->stage[s->count - 1].out_bytes;
	uint64_t hash = 0;

	for (size_t i = 0; i < pieces; i++)
		hash += rounds_hash_at(
			rounds_hash((const unsigned char *)tokens + i * bytes, bytes), first + i);
	return hash;
}

/* -- the ring -- */

/* What stage i reads of a block, or writes, by number of tokens. */
static size_t reads(const struct stages_ring *r, unsigned i)
{
	const struct stage *s = &r->stages->stage[i];

	return (size_t)r->iterations * s->units * s->in;
}

static size_t writes(const struct stages_ring *r, unsigned i)
{
	const struct stage *s = &r->stages->stage[i];

	return (size_t)r->iterations * s->units * s->out;
}

/* What stage i reads first of a block; behind the last stage: what the sink reads. */
static unsigned char *place(const struct stages_ring *r, unsigned i, uint64_t block)
{
	const struct stages *s = r->stages;
	size_t at = block % r->places;

	if (i == s->count)
		return r->memory[i] + at * writes(r, i - 1) * s->stage[i - 1].out_bytes;
	return r->memory[i] + at * reads(r, i) * s->stage[i].in_bytes;
}

void stages_ring_open(
	struct stages_ring *r, const struct stages *stages, uint32_t in_flight, uint32_t iterations)
{
	*r = (struct stages_ring){ .stages = stages, .places = in_flight + 1, .iterations = iterations };
	for (unsigned i = 0; i <= stages->count; i++) {
		const struct stage *s = &stages->stage[i < stages->count ? i : i - 1];
		size_t tokens = i < stages->count ? s->history + r->places * reads(r, i)
		                                  : r->places * writes(r, i - 1);

		r->memory[i] = rounds_alloc(tokens * (i < stages->count ? s->in_bytes : s->out_bytes));
		if (i < stages->count)
			memset(r->memory[i], 0, s->history * s->in_bytes);
	}
}

void stages_ring_close(struct stages_ring *r)
{
	for (unsigned i = 0; i <= r->stages->count; i++)
		free(r->memory[i]);
}

/* What stage i will read has been written, of this block. */
static void wrap(const struct stages_ring *r, unsigned i, uint64_t block)
{
	const struct stage *s = &r->stages->stage[i];

	if (i < r->stages->count && (block + 1) % r->places == 0)
		memcpy(r->memory[i], place(r, i, block) + reads(r, i) * s->in_bytes,
			s->history * s->in_bytes);
}

void stages_ring_source(const struct stages_ring *r, uint64_t block)
{
	const struct stage *s = &r->stages->stage[0];

	stages_source(
		r->stages, place(r, 0, block) + s->history * s->in_bytes, block * reads(r, 0), reads(r, 0));
	wrap(r, 0, block);
}

void stages_ring_run(const struct stages_ring *r, unsigned i, uint64_t block)
{
	const struct stage *s = &r->stages->stage[i];
	size_t behind = i + 1 < r->stages->count ? s[1].history * s[1].in_bytes : 0;

	s->run(s, place(r, i + 1, block) + behind, place(r, i, block), (size_t)r->iterations * s->units);
	wrap(r, i + 1, block);
}

uint64_t stages_ring_sink(const struct stages_ring *r, uint64_t block)
{
	unsigned last = r->stages->count;
	size_t pieces = writes(r, last - 1) / r->stages->piece;

	return stages_sink(r->stages, place(r, last, block), block * pieces, pieces);
}

uint64_t stages_run_serial(const struct stages *s, uint32_t iterations, uint64_t tokens)
{
	uint64_t blocks = tokens / stages_tokens(s) / iterations, hash = 0;
	struct stages_ring r;

	stages_ring_open(&r, s, 1, iterations);
	for (uint64_t block = 0; block < blocks; block++) {
		stages_ring_source(&r, block);
		for (unsigned i = 0; i < s->count; i++)
			stages_ring_run(&r, i, block);
		hash += stages_ring_sink(&r, block);
	}
	stages_ring_close(&r);
	return hash;
}

/* -- as actors -- */

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct stages_run *run = pstk_actor_arg(self);
	uint32_t window = pstk_actor_port_rate(self, 0), n = window;
	uint64_t first = pstk_firing_index(f) * window;

	if (first + n > run->tokens)
		n = first < run->tokens ? (uint32_t)(run->tokens - first) : 0;
	stages_source(run->stages, pstk_fifo_write_start(f, 0), first, n);
	pstk_fifo_write_end_partial(f, 0, n);
	return first + n < run->tokens ? PSTK_AGAIN : PSTK_DONE;
}

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct stages_run *run = pstk_actor_arg(self);
	uint64_t first = pstk_firing_index(f) * pstk_actor_steps(self);

	run->hash += stages_sink(run->stages, pstk_fifo_read_start(f, 0), first, pstk_firing_steps(f));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

struct pstk_actor *stages_source_add(struct pstk_network *net, struct stages_run *run)
{
	const struct pstk_port out = {
		.name = "out", .kind = PSTK_OUTPUT, .rate = 1, .token_size = run->stages->stage[0].in_bytes
	};

	return pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = source_fire), run);
}

struct pstk_actor *stages_sink_add(struct pstk_network *net, struct stages_run *run)
{
	const struct pstk_port in = { .name = "in",
		.kind = PSTK_INPUT,
		.rate = run->stages->piece,
		.token_size = run->stages->stage[run->stages->count - 1].out_bytes };

	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = sink_fire), run);
}
