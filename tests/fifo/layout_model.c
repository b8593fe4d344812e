/* SPDX-License-Identifier: MIT */
/*
 * A state is (rp, rs, wp, ws): reads completed and started, writes published and started. Reads rp..rs-1 are held, and
 * writes wp..ws-1 are being written: their windows, and the targets of their copies, hold anything. The memory is a
 * function of (wp, ws). Whether a held read sees the right tokens depends on (wp, ws) alone, so each read is looked at
 * by itself, and held from the first state that admits it to the last.
 *
 * The model's own rules: positions count from 0, initial tokens first. Write w makes positions d + w a ..; read j moves
 * on to o + j b .. and sees h positions more in front. A read starts when its positions are published. A write starts
 * when no more than the room is between it and the reader. Everything else (addresses, copies, sizes) is asked of the
 * layout.
 *
 * Several readers of one memory: they only read, so each is held against every state of the writer that it admits by
 * itself; what all of them admit together are some of these states.
 */
#include "tests/fifo/layout_model.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 512, ANYTHING = -1, ZERO = -2 };

struct model {
	struct ps_layout memory, reader;
	uint64_t room;
	int64_t slots[SLOTS];
	char *text;
	size_t size;
};

static int wrong(struct model *m, const char *what, int64_t a, int64_t b)
{
	const struct ps_layout *l = &m->memory, *r = &m->reader;

	snprintf(m->text, m->size,
		"memory a %u b %u h %u%s d %u k %u; reader b %u h %u%s d %u k %u: %s (%lld, %lld)",
		l->write_rate, l->read_rate, l->history, l->peek ? " peek" : "", l->delay, l->depth,
		r->read_rate, r->history, r->peek ? " peek" : "", r->delay, r->depth, what, (long long)a,
		(long long)b);
	return 1;
}

/* Positions are the memory's. The reader's new tokens begin at this one. */
static int64_t first_of(const struct model *m)
{
	return (int64_t)m->memory.delay - m->reader.delay + (m->reader.peek ? m->reader.history : 0);
}

static int64_t marking(const struct model *m)
{
	return (int64_t)m->memory.delay - first_of(m);
}

static void put(struct model *m, int64_t position, int64_t value)
{
	uint64_t at = ps_layout_slot(&m->memory, position);

	m->slots[at] = value;
	if (at < m->memory.front)
		m->slots[m->memory.ring + at] = value;
}

/* What start() does. */
static void begin(struct model *m)
{
	memset(m->slots, 0xff, sizeof m->slots); /* ANYTHING */
	for (int64_t x = 0; x < (int64_t)m->memory.delay; x++)
		put(m, x, x);
	/* of a reader without delay these may be initial tokens, which then are zeros */
	if (!m->reader.peek)
		for (int64_t x = 1; x <= (int64_t)m->reader.history; x++)
			put(m, first_of(m) - x, ZERO);
}

/* Write w puts its tokens, or anything, into its window and the targets of its copies. valid: behind it zeros. */
static void write_window(struct model *m, uint64_t w, bool done, uint64_t valid)
{
	const struct ps_layout *l = &m->memory;
	uint64_t at = ps_layout_write_slot(l, w);
	struct ps_layout_copy copies[2];
	unsigned count = ps_layout_copies(l, at, l->write_rate, copies);

	for (uint64_t i = 0; i < l->write_rate; i++)
		m->slots[at + i] = !done       ? ANYTHING
		                   : i < valid ? (int64_t)(l->delay + w * l->write_rate + i)
		                               : ZERO;
	for (unsigned c = 0; c < count; c++)
		for (uint64_t i = 0; i < copies[c].count; i++)
			m->slots[copies[c].to + i] = m->slots[copies[c].from + i];
}

/* What position x of the reader's is, of `have` in all. */
static int64_t token_at(const struct model *m, int64_t x, int64_t have)
{
	if (x < 0 || x >= have)
		return ZERO;
	return !m->reader.peek && x < first_of(m) && m->reader.delay != m->memory.delay ? ZERO : x;
}

/* Does read j, of `have` positions in all, see what it must? beyond: also behind these. */
static int check_read(struct model *m, uint64_t j, int64_t have, bool beyond)
{
	uint64_t at = ps_layout_read_slot(&m->memory, &m->reader, j), h = m->reader.history;
	int64_t first = first_of(m) + (int64_t)(j * m->reader.read_rate - h);

	if (at + h + m->reader.read_rate > m->memory.slots)
		return wrong(m, "a read leaves the memory", (int64_t)j, (int64_t)at);
	for (int64_t i = 0; i < (int64_t)(h + m->reader.read_rate); i++) {
		int64_t x = first + i;

		if (x >= have && !beyond)
			break;
		if (m->slots[at + (uint64_t)i] != token_at(m, x, have))
			return wrong(m, "a read sees a wrong token", (int64_t)j, i);
	}
	return 0;
}

static int check_writes(struct model *m, uint64_t wp, uint64_t ws)
{
	const struct ps_layout *l = &m->memory;

	for (uint64_t w = wp; w < ws; w++) {
		uint64_t at = ps_layout_write_slot(l, w);

		if (at + l->write_rate > l->slots)
			return wrong(m, "a write leaves the memory", (int64_t)w, (int64_t)at);
		for (uint64_t v = wp; v < w; v++) {
			uint64_t other = ps_layout_write_slot(l, v);

			if (at < other + l->write_rate && other < at + l->write_rate)
				return wrong(m, "two writes share slots", (int64_t)w, (int64_t)v);
		}
	}
	return 0;
}

/* Reads that must be completed before write w, by the model's rule. */
static uint64_t reads_before(const struct model *m, uint64_t w)
{
	int64_t over = marking(m) + (int64_t)((w + 1) * m->memory.write_rate) - (int64_t)m->room;

	return over <= 0 ? 0 : ((uint64_t)over + m->reader.read_rate - 1) / m->reader.read_rate;
}

/* So many reads have all their tokens after wp writes. */
static uint64_t reads_after(const struct model *m, uint64_t wp)
{
	int64_t have = marking(m) + (int64_t)(wp * m->memory.write_rate);

	return have <= 0 ? 0 : (uint64_t)have / m->reader.read_rate;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The write that has made the last token of a read: looked for one by one. */
static int64_t written_by(const struct model *m, uint64_t j)
{
	int64_t last = (int64_t)((j + 1) * m->reader.read_rate) - 1 - marking(m), w = -1;

	while (last >= 0 && (w + 1) * (int64_t)m->reader.write_rate <= last)
		w++;
	return w;
}

/* The layout admits exactly what the model's rules do, and with nothing held either side can go on. */
static int check_rules(struct model *m, uint64_t wp)
{
	const struct ps_layout *r = &m->reader;
	uint64_t from = wp ? reads_before(m, wp - 1) : 0, until = reads_after(m, wp);

	for (uint64_t rp = from; rp <= until; rp++) {
		bool write = (int64_t)(rp * r->read_rate) >= ps_layout_write_needs(r, wp),
		     read = (int64_t)(wp * r->write_rate) >= ps_layout_read_needs(r, rp);

		if (write != (rp >= reads_before(m, wp)))
			return wrong(m, "a write is admitted wrongly", (int64_t)wp, (int64_t)rp);
		if (read != (rp < until))
			return wrong(m, "a read is admitted wrongly", (int64_t)rp, (int64_t)wp);
		if (read != (ps_layout_valid(r, rp, wp * r->write_rate) == r->read_rate))
			return wrong(m, "a read has other tokens", (int64_t)rp, (int64_t)wp);
		if (most(ps_layout_written_by(r, rp), -1) != written_by(m, rp))
			return wrong(m, "a read's last token is another write's", (int64_t)rp, (int64_t)wp);
		if (!write && !read)
			return wrong(m, "neither side can go on", (int64_t)rp, (int64_t)wp);
	}
	return 0;
}

/* The same in the reader's end, if the read reaches beyond the last token: there lies a copy from `first` on. */
static int check_end_read(struct model *m, uint64_t j, int64_t have, int64_t *first)
{
	const struct ps_layout *r = &m->reader;
	int64_t from = first_of(m) + (int64_t)(j * r->read_rate) - r->history,
		window = r->history + r->read_rate;
	uint64_t copied, at;

	if (from + window <= have)
		return 0;
	at = ps_layout_end_slot(r, j, (uint64_t)(have - (int64_t)m->memory.delay), &copied);
	if (!at)
		*first = from;
	if (at + (uint64_t)window > ps_layout_end_slots(&m->memory, r) ||
		copied > ps_layout_end_slots(&m->memory, r))
		return wrong(m, "a read leaves the end", (int64_t)j, (int64_t)at);
	for (int64_t i = 0; i < window; i++) {
		int64_t x = *first + (int64_t)at + i;
		int64_t found = at + (uint64_t)i < copied ? token_at(m, x, INT64_MAX) : ZERO;

		if (found != token_at(m, from + i, have))
			return wrong(m, "a read sees a wrong token in the end", (int64_t)j, i);
	}
	return 0;
}

/* The writer has ended after wp writes, the last one with `valid` tokens, and `tail` zeros count behind them. Nothing
 * was read before it had to be. Then a reader that is alone starts k windows at once, and puts zeros behind what is
 * there. One that shares the memory finds zeros in the writer's last window. Where all readers have the writer's rate
 * they find those of seal(), too. Else a reader may have an end of its own: its last tokens are still there.
 */
static int check_end(struct model *m, bool alone, uint64_t wp, uint64_t valid, uint64_t tail)
{
	int64_t have =
		(int64_t)m->memory.delay + (wp ? (int64_t)((wp - 1) * m->memory.write_rate + valid) : 0);
	struct model end = *m;
	uint64_t b = m->reader.read_rate, rp = wp ? reads_before(m, wp - 1) : 0, started = rp;
	uint64_t rest = m->memory.delay % m->memory.write_rate;
	int64_t copied_from = -1;
	bool reader_end;

	if (wp)
		write_window(&end, wp - 1, true, valid);
	end.reader.tail = (uint32_t)tail;
	reader_end = !alone && ps_layout_end_slots(&m->memory, &end.reader);
	if (!alone && !m->memory.mixed && rest)
		for (uint64_t i = 0; i < m->memory.write_rate - rest; i++)
			put(&end, (int64_t)(m->memory.delay + wp * m->memory.write_rate + i), ZERO);
	for (; first_of(m) + (int64_t)(rp * b) < have + (int64_t)tail; rp++) {
		for (; started < rp + m->reader.depth &&
			first_of(m) + (int64_t)(started * b) < have + (int64_t)tail;
			started++) {
			int64_t first = first_of(m) + (int64_t)(started * b);

			/* with peek the first window's history, too, may be missing */
			for (int64_t x = first - (started ? 0 : (int64_t)m->reader.history);
				x < first + (int64_t)b; x++)
				if (alone && x >= have)
					put(&end, x, ZERO);
		}
		for (uint64_t j = rp; j < started; j++)
			if (check_read(&end, j, have, !reader_end) ||
				(reader_end && check_end_read(&end, j, have, &copied_from)))
				return 1;
	}
	return 0;
}

static uint64_t lcm(uint64_t a, uint64_t b)
{
	uint64_t n = a;

	while (n % b)
		n += a;
	return n;
}

/* Every state of one reader and the writer. */
static int check_reader(struct model *m, bool alone, uint64_t *states)
{
	const struct ps_layout *l = &m->memory;
	uint64_t rounds = lcm(l->ring, l->write_rate) / l->write_rate + 2 * l->ring / l->write_rate + 2;
	int64_t before[SLOTS];

	begin(m);
	for (uint64_t wp = 0; wp < rounds; wp++) {
		if (check_rules(m, wp))
			return 1;
		memcpy(before, m->slots, sizeof before);
		/* writes are started until no read that is there would make room for one more */
		for (uint64_t ws = wp; ws == wp || reads_before(m, ws - 1) <= reads_after(m, wp); ws++) {
			if (ws > wp)
				write_window(m, ws - 1, false, 0);
			if (check_writes(m, wp, ws))
				return 1;
			for (uint64_t j = ws ? reads_before(m, ws - 1) : 0; j < reads_after(m, wp);
				j++, ++*states)
				if (check_read(m, j, INT64_MAX, true))
					return 1;
		}
		memcpy(m->slots, before, sizeof before);
		write_window(m, wp, true, l->write_rate);
		for (uint64_t valid = 1; valid <= l->write_rate; valid++)
			for (uint64_t tail = alone ? 0 : m->reader.tail;
				tail <= (alone ? 2 * m->reader.read_rate : m->reader.tail);
				tail += 1 + wp % 3, ++*states)
				if (check_end(m, alone, wp + 1, valid, tail))
					return 1;
	}
	return 0;
}

int layout_model_check(
	const struct ps_layout *asked, unsigned readers, char *text, size_t size, uint64_t *states)
{
	struct model m = { .memory = asked[0], .reader = asked[0], .text = text, .size = size };

	if (ps_layout_init(&m.memory))
		return wrong(&m, "refused", 0, 0);
	for (unsigned i = 1; i < readers; i++)
		if (ps_layout_widen(&m.memory, &asked[i]))
			return wrong(&m, "a reader is refused", i, 0);
	for (unsigned i = 0; i < readers; i++)
		if (ps_layout_extend(&m.memory, &asked[i]))
			return wrong(&m, "a reader is refused", i, 1);
	if (m.memory.slots > SLOTS)
		return wrong(&m, "larger than the model", (int64_t)m.memory.slots, SLOTS);
	for (unsigned i = 0; i < readers; i++) {
		m.reader = asked[i];
		if (ps_layout_init(&m.reader))
			return wrong(&m, "refused", i, 0);
		m.room = m.reader.room;
		if (check_reader(&m, readers == 1, states))
			return 1;
	}
	return 0;
}
