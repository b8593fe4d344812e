/* SPDX-License-Identifier: MIT */
/*
 * An actor that looks back: a port's history against the same actor that keeps what it has seen in its state. A source
 * copies a signal, the actor computes, a sink reads everything.
 *   - a filter of 64 taps in windows of 512 samples: it keeps 63 samples;
 *   - frames of 76,800 bytes and the difference to the frame before: it keeps a frame.
 *
 * Why it is fair: the same network, the same inner loop on one piece of memory. By hand the filter moves its 63 samples
 * to the front of a buffer and copies the window behind them; the frame before is copied once. With a history the actor
 * is stateless: a team of two fires two windows of it at once, by hand one after the other. "serial" is the loops
 * alone, on one buffer, without any copy but the source's.
 *
 * Usage: history [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/common/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = 64, SAMPLES = 512, FRAME = 76800, SIGNAL = 64 };

/* What one firing does: `back` elements are in front of the new ones. */
struct work {
	const char *title, *unit;
	size_t element, count, back; /* bytes; elements of a window, and of what it looks back at */
	void (*compute)(const void *seen, void *out);
};

static float taps[TAPS];

static void filter(const void *seen, void *out)
{
	const float *in = seen;
	float *to = out;

	for (unsigned i = 0; i < SAMPLES; i++) {
		float sum = 0;

		for (unsigned k = 0; k < TAPS; k++)
			sum += taps[k] * in[i + k];
		to[i] = sum;
	}
}

static void difference(const void *seen, void *out)
{
	const unsigned char *before = seen, *now = before + FRAME;
	unsigned char *to = out;

	for (unsigned i = 0; i < FRAME; i++)
		to[i] = (unsigned char)(now[i] > before[i] ? now[i] - before[i] : before[i] - now[i]);
}

static const struct work works[] = {
	{ "64 taps, windows of 512 samples", "Msamples/s", sizeof(float), SAMPLES, TAPS - 1, filter },
	{ "the frame before, 76,800 bytes", "frames/s", FRAME, 1, 1, difference },
};

struct way {
	const struct work *work;
	bool by_hand;
	unsigned team; /* 0: threads */
};

/* One run of a network; the actors' arg. */
struct run {
	const struct way *way;
	uint64_t windows;
	_Atomic uint64_t hash;
};

static unsigned char *signal_bytes; /* SIGNAL windows of the table's work */

static size_t window_bytes(const struct work *w)
{
	return w->element * w->count;
}

static size_t back_bytes(const struct work *w)
{
	return w->element * w->back;
}

static const unsigned char *signal_at(const struct work *w, uint64_t window)
{
	return signal_bytes + window % SIGNAL * window_bytes(w);
}

static int give(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t n = pstk_firing_index(f);

	memcpy(pstk_fifo_write_start(f, 0), signal_at(run->way->work, n), window_bytes(run->way->work));
	pstk_fifo_write_end(f, 0);
	return n + 1 < run->windows ? PSTK_AGAIN : PSTK_DONE;
}

static int look_back(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const void *in = pstk_fifo_read_start(f, 0);
	void *out = pstk_fifo_write_start(f, 1);

	run->way->work->compute(in, out);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int keep_by_hand(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct work *w = ((struct run *)pstk_actor_arg(self))->way->work;
	unsigned char *seen = pstk_actor_state(self);
	const void *in = pstk_fifo_read_start(f, 0);
	void *out = pstk_fifo_write_start(f, 1);

	memcpy(seen + back_bytes(w), in, window_bytes(w));
	w->compute(seen, out);
	memmove(seen, seen + window_bytes(w), back_bytes(w));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* The frame before needs no second copy of the new one. */
static int keep_frame_by_hand(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	unsigned char *before = pstk_actor_state(self);
	const unsigned char *now = pstk_fifo_read_start(f, 0);
	unsigned char *to = pstk_fifo_write_start(f, 1);

	for (unsigned i = 0; i < FRAME; i++)
		to[i] = (unsigned char)(now[i] > before[i] ? now[i] - before[i] : before[i] - now[i]);
	memcpy(before, now, FRAME);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int add_up(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t n = pstk_firing_index(f);

	run->hash += rounds_hash_at(rounds_hash(pstk_fifo_read_start(f, 0), window_bytes(run->way->work)), n);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned first, unsigned count,
	int (*fire)(struct pstk_firing *), struct run *run)
{
	const struct way *way = run->way;
	const struct pstk_port ports[] = {
		{ .name = "in",
			.kind = PSTK_INPUT,
			.history = count == 2 && !way->by_hand ? (uint32_t)way->work->back : 0 },
		{ .name = "out", .kind = PSTK_OUTPUT },
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports + first, .port_count = count, .fire = fire,
			.stateless = count == 2 && !way->by_hand,
			.state_size = count == 2 && way->by_hand
	                                      ? back_bytes(way->work) + window_bytes(way->work)
	                                      : 0),
		run);
}

/* items: samples, or frames */
static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	const struct work *w = way->work;
	struct run run = { .way = way, .windows = items / w->count };
	struct pstk_network *net = pstk_network_create("history");
	int (*by_hand)(struct pstk_firing *) = w->compute == difference ? keep_frame_by_hand : keep_by_hand;
	struct pstk_actor *actors[] = { add(net, "source", 1, 1, give, &run),
		add(net, "actor", 0, 2, way->by_hand ? by_hand : look_back, &run),
		add(net, "sink", 0, 1, add_up, &run) };

	pstk_network_set_threads(net, way->team);
	for (unsigned i = 0; i < 2; i++)
		pstk_connect(actors[i], "out", actors[i + 1], "in",
			PSTK_FIFO(.rate = (uint32_t)w->count, .depth = 4, .token_size = w->element));
	rounds_run_network(net);
	return run.hash;
}

static uint64_t run_serial(const void *arg, uint64_t items)
{
	const struct work *w = arg;
	unsigned char *seen = rounds_alloc(back_bytes(w) + window_bytes(w)),
		      *out = rounds_alloc(window_bytes(w));
	uint64_t hash = 0;

	memset(seen, 0, back_bytes(w));
	for (uint64_t n = 0; n < items / w->count; n++) {
		memcpy(seen + back_bytes(w), signal_at(w, n), window_bytes(w));
		w->compute(seen, out);
		memmove(seen, seen + window_bytes(w), back_bytes(w));
		hash += rounds_hash_at(rounds_hash(out, window_bytes(w)), n);
	}
	free(seen);
	free(out);
	return hash;
}

static void make_signal(const struct work *w)
{
	size_t bytes = SIGNAL * window_bytes(w);
	uint32_t x = 1;

	free(signal_bytes);
	signal_bytes = rounds_alloc(bytes);
	for (size_t i = 0; i < bytes / w->element * (w->element == sizeof(float)); i++) {
		x = x * 1664525u + 1013904223u;
		((float *)signal_bytes)[i] = (float)(int32_t)x / 2147483648.0f;
	}
	for (size_t i = 0; i < bytes * (w->element != sizeof(float)); i++) {
		x = x * 1664525u + 1013904223u;
		signal_bytes[i] = (unsigned char)(x >> 24);
	}
	for (unsigned k = 0; k < TAPS; k++)
		taps[k] = 1.0f / (float)(k + 1);
}

static void run_table(const struct rounds_options *o, const struct work *w)
{
	static const unsigned teams[] = { 0, 1, 2 };
	static struct way ways[6];
	struct rounds_table table = {
		.title = w->title, .unit = w->unit, .scale = w->count > 1 ? 1e6 : 1, .least = w->count
	};
	struct rounds_variant *v = rounds_add(&table, run_serial, w, "serial");

	v->role = ROUNDS_SERIAL;
	v->one_thread = true;
	v->versus = "serial";
	for (unsigned i = 0; i < 6; i++) {
		char name[32] = "threads";

		ways[i] = (struct way){ w, i % 2 == 0, teams[i / 2] };
		if (ways[i].team)
			snprintf(name, sizeof name, "team %u", ways[i].team);
		v = rounds_add(&table, run_library, &ways[i], "%s, %s", name,
			ways[i].by_hand ? "by hand" : "history");
		v->one_thread = ways[i].team == 1;
		if (i == 2 || i == 4)
			v->versus = i == 2 ? "team 1, by hand" : "team 2, by hand";
		v->role = ROUNDS_LIBRARY;
	}
	make_signal(w);
	rounds_run(o, &table);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "", NULL,
		"\nAn actor that looks back, by a port's history and by hand: a filter of 64 taps, and the "
		"frame "
		"before.\n");

	for (size_t i = 0; i < sizeof works / sizeof *works; i++)
		run_table(&o, &works[i]);
	free(signal_bytes);
	return 0;
}
