/* SPDX-License-Identifier: MIT */
/*
 * A state is (rp, rs, wp, ws): reads taken off and started, writes published and started. Reads rp..rs-1 are
 * held, and writes wp..ws-1 are being written: their windows, and the target of their wrap copy, hold
 * anything. Which of the held windows are through with and only wait for their turn doesn't matter: taking
 * them as held is the stricter case. The memory is a function of (wp, ws), because the windows that are held
 * at the same time are checked to be disjoint.
 *
 * The model's own rules: token numbers count from 0, initial tokens first; write w makes tokens d + w r ..;
 * read j takes j r ..; a read starts when its tokens are published; a write starts when fewer than k windows
 * are between it and the reader. Everything else (addresses, copies, sizes) is asked of the layout.
 *
 * Several readers of one memory: they only read, so each is held against every state of the writer that it admits by
 * itself; what all of them admit together are some of these states.
 */
#include "tests/fifo/layout_model.h"
#include "lib/fifo/layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 256, ANYTHING = -1, ZERO = -2 };

struct model {
	struct ps_layout l; /* of the memory */
	/* the reader that is looked at: its own */
	uint32_t delay, depth;
	uint64_t q;
	int64_t memory[SLOTS];
	char *text;
	size_t size;
};

static int wrong(struct model *m, const char *what, uint64_t a, uint64_t b)
{
	snprintf(m->text, m->size, "r %u d %u k %u, reader's d %u k %u: %s (%llu, %llu)", m->l.rate,
		m->l.delay, m->l.depth, m->delay, m->depth, what, (unsigned long long)a,
		(unsigned long long)b);
	return 1;
}

/* Tokens are numbered as the memory has them, its delay tokens first: read j begins with this one. */
static uint64_t first_token(const struct model *m, uint64_t j)
{
	return m->l.delay - m->delay + j * m->l.rate;
}

static bool overlap(uint64_t a, uint64_t an, uint64_t b, uint64_t bn)
{
	return a < b + bn && b < a + an;
}

/* The memory after writes 0..wp-1, while wp..ws-1 are being written. */
static void fill_memory(struct model *m, uint64_t wp, uint64_t ws)
{
	const struct ps_layout *l = &m->l;

	memset(m->memory, 0xff, sizeof m->memory); /* ANYTHING */
	for (uint64_t t = 0; t < l->delay; t++)
		m->memory[t] = (int64_t)t;
	for (uint64_t w = 0; w < ws; w++) {
		uint64_t at = ps_layout_write_slot(l, w);

		for (uint64_t i = 0; i < l->rate; i++)
			m->memory[at + i] = w < wp ? (int64_t)(l->delay + w * l->rate + i) : ANYTHING;
		if (ps_layout_wraps(l, w))
			for (uint64_t i = 0; i < l->rho; i++)
				m->memory[i] = m->memory[l->blocks * l->rate + i];
	}
}

static int check_held(struct model *m, uint64_t rp, uint64_t rs, uint64_t wp, uint64_t ws)
{
	const struct ps_layout *l = &m->l;

	for (uint64_t j = rp; j < rs; j++) {
		uint64_t at = ps_layout_shared_read_slot(l, m->delay, j);

		if (at + l->rate > l->slots)
			return wrong(m, "a read leaves the memory", j, at);
		for (uint64_t i = 0; i < l->rate; i++)
			if (m->memory[at + i] != (int64_t)(first_token(m, j) + i))
				return wrong(m, "a read sees a wrong token", j, i);
		for (uint64_t w = wp; w < ws; w++)
			if (overlap(at, l->rate, ps_layout_write_slot(l, w), l->rate) ||
				(ps_layout_wraps(l, w) && overlap(at, l->rate, 0, l->rho)))
				return wrong(m, "a write runs into a read that is held", w, j);
	}
	for (uint64_t w = wp; w < ws; w++)
		for (uint64_t v = wp; v < w; v++)
			if (overlap(ps_layout_write_slot(l, w), l->rate, ps_layout_write_slot(l, v), l->rate))
				return wrong(m, "two writes share slots", w, v);
	return 0;
}

/* The layout admits exactly what the model's rules do, and with nothing held either side can go on. */
static int check_rules(struct model *m, uint64_t rp, uint64_t wp)
{
	const struct ps_layout *l = &m->l;
	bool write = ps_layout_may_write(l, wp, rp), read = ps_layout_valid(l, rp, wp * l->rate) == l->rate;

	if (write != (wp < rp + l->depth))
		return wrong(m, "a write is admitted wrongly", wp, rp);
	if (read != (l->delay + wp * l->rate >= (rp + 1) * l->rate))
		return wrong(m, "a read is admitted wrongly", rp, wp);
	if (!write && !read)
		return wrong(m, "neither side can go on", rp, wp);
	if (l->delay + wp * l->rate - rp * l->rate > (uint64_t)l->delay + (uint64_t)l->depth * l->rate)
		return wrong(m, "more tokens than d + k r", rp, wp);
	return 0;
}

static int check_writes(struct model *m, uint64_t wp, uint64_t ws, uint64_t *states)
{
	uint64_t rp = ws > m->depth ? ws - m->depth : 0;

	fill_memory(m, wp, ws);
	for (; rp <= wp + m->q; rp++)
		for (uint64_t rs = rp; rs <= wp + m->q; rs++, ++*states)
			if (check_held(m, rp, rs, wp, ws))
				return 1;
	return 0;
}

/* The writer has ended after wp writes, the last one with `valid` tokens; nothing was read before it had to be. All
 * that is left is there, and zeros behind it. */
static int check_end(struct model *m, uint64_t wp, uint64_t valid)
{
	const struct ps_layout *l = &m->l;
	uint64_t have = l->delay + (wp ? (wp - 1) * l->rate + valid : 0),
		 j = wp > m->depth ? wp - m->depth : 0;

	fill_memory(m, wp, wp);
	for (uint64_t i = valid; wp && i < l->rate; i++) {
		uint64_t at = ps_layout_write_slot(l, wp - 1) + i;

		m->memory[at] = ZERO;
		if (ps_layout_wraps(l, wp - 1) && at >= l->blocks * l->rate)
			m->memory[at - l->blocks * l->rate] = ZERO;
	}
	for (uint64_t i = 0; i < ps_layout_beyond(l); i++)
		m->memory[ps_layout_write_slot(l, wp) + i] = ZERO;
	for (; first_token(m, j) < have; j++) {
		uint64_t at = ps_layout_shared_read_slot(l, m->delay, j);

		for (uint64_t t = first_token(m, j); t < first_token(m, j + 1); t++, at++)
			if (m->memory[at] != (t < have ? (int64_t)t : ZERO))
				return wrong(m, "a wrong token at the end", j, t);
	}
	return 0;
}

/* Every state of one reader and the writer. */
static int check_reader(struct model *m, uint64_t *states)
{
	uint64_t rounds = 3 * m->l.blocks + 3;

	for (uint64_t wp = 0; wp < rounds; wp++) {
		/* ws - k <= rp <= rs <= wp + q */
		for (uint64_t ws = wp; ws <= wp + m->q + m->depth; ws++)
			if (check_writes(m, wp, ws, states))
				return 1;
		for (uint64_t valid = 1; valid <= m->l.rate; valid++, ++*states)
			if (check_end(m, wp, valid))
				return 1;
	}
	return 0;
}

int layout_model_check_shared(uint32_t rate, uint32_t delay, uint32_t depth, uint32_t plain_depth, char *text,
	size_t size, uint64_t *states)
{
	struct model m = { .delay = delay, .depth = depth, .q = delay / rate, .text = text, .size = size };
	uint32_t most = depth > plain_depth ? depth : plain_depth;
	struct ps_layout plain;

	if (ps_layout_init(&m.l, rate, delay, depth, 1) || ps_layout_init(&plain, rate, 0, plain_depth, 1) ||
		ps_layout_share(&m.l, &plain))
		return wrong(&m, "refused", 0, 0);
	if (m.l.slots > SLOTS)
		return wrong(&m, "larger than the model", m.l.slots, SLOTS);
	if (m.l.slots != (uint64_t)delay + (uint64_t)most * rate + (delay % rate ? rate : 0))
		return wrong(&m, "the shared memory's size is not that of the deepest", m.l.slots, 0);
	if (check_reader(&m, states))
		return 1;
	m.delay = 0;
	m.depth = plain_depth;
	m.q = 0;
	return check_reader(&m, states);
}

int layout_model_check(
	uint32_t rate, uint32_t delay, uint32_t depth, char *text, size_t size, uint64_t *states)
{
	struct model m = { .delay = delay, .depth = depth, .q = delay / rate, .text = text, .size = size };
	uint64_t rounds;

	if (ps_layout_init(&m.l, rate, delay, depth, 1))
		return wrong(&m, "refused", 0, 0);
	if (m.l.slots > SLOTS)
		return wrong(&m, "larger than the model", m.l.slots, SLOTS);
	if (m.l.slots != (uint64_t)delay + (uint64_t)depth * rate + (delay % rate ? rate : 0))
		return wrong(&m, "the memory's size is not the paper's", m.l.slots, 0);
	rounds = 3 * m.l.blocks + 3;
	for (uint64_t wp = 0; wp < rounds; wp++) {
		for (uint64_t rp = wp > depth ? wp - depth : 0; rp <= wp + m.q; rp++)
			if (check_rules(&m, rp, wp))
				return 1;
	}
	return check_reader(&m, states);
}
