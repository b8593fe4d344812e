/* SPDX-License-Identifier: MIT */
/*
 * What readers that share one buffer save: a broadcast of frames to several readers, and motion detection on the
 * cores, with shared buffers and with a copy a reader (PENSTOCK_SHARE=0), under a thread an actor and a team of two.
 * Nothing else differs, so "x copies" is what sharing gives. How the runs are made, -c, near and far: rounds.h.
 *
 * And what small tokens cost with 1, 2 and 11 readers, of 8 bytes each: a ring between kahn actors that copy pieces of
 * many tokens ("pieces"), or that take windows of one token ("windows"); and as many windows of one token between
 * actors of which each firing moves one ("firings"). Tokens are counted where they are written. Every reader sums what
 * it gets.
 *
 * Usage: broadcast [-S WxH] [-r RATE] [-R READERS] [-C CAPACITY] [-p PIECE] and the options of all benchmarks
 * (broadcast -h)
 */
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <penstock/actors.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	READERS_MAX = 64,
	SIDE_MAX = 1 << 14,
	RATE_MAX = 1024,
	LINE = 64,
	THRESHOLD = 20,
	PIECE_MAX = 65536,
	CAPACITY_MAX = 1 << 24
};

struct bench {
	uint32_t w, h, rate;
	unsigned readers;
	uint32_t capacity, piece; /* tokens: of the ring, and of a read or write */
};

static struct bench bench = { .w = 320, .h = 240, .rate = 1, .readers = 4, .capacity = 4096, .piece = 256 };

/* What the actors of a run share; each counter is its own actor's. */
struct run {
	const struct bench *bench;
	uint64_t windows;
	uint64_t wrong[READERS_MAX], sum;
};

static size_t window_bytes(const struct bench *b)
{
	return (size_t)b->w * b->h * b->rate;
}

/* Frames of one grey, another one in each window. */
static int source_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	memset(pstk_fifo_write_start(f, 0), (uint8_t)(i * 37), window_bytes(run->bench));
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->windows ? PSTK_DONE : PSTK_AGAIN;
}

struct reader {
	struct run *run;
	unsigned number;
};

/* Looks at each cache line. */
static int reader_fire(struct pstk_firing *f)
{
	const struct reader *r = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *in = pstk_fifo_read_start(f, 0), expected = (uint8_t)(pstk_firing_index(f) * 37);
	uint64_t wrong = 0;

	for (size_t i = 0; i < window_bytes(r->run->bench); i += LINE)
		wrong += in[i] != expected;
	r->run->wrong[r->number] += wrong;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int sum_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *in = pstk_fifo_read_start(f, 0);

	for (size_t i = 0; i < window_bytes(run->bench); i += LINE)
		run->sum = run->sum * 31 + in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port out_port = { .name = "out", .kind = PSTK_OUTPUT },
			      in_port = { .name = "in", .kind = PSTK_INPUT };

static struct pstk_actor *add_source(struct pstk_network *net, struct run *run)
{
	return pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out_port, .port_count = 1, .fire = source_fire),
		run);
}

static void build_broadcast(struct pstk_network *net, struct run *run)
{
	static struct reader readers[READERS_MAX];
	const struct bench *b = run->bench;
	struct pstk_actor *source = add_source(net, run);

	for (unsigned i = 0; i < b->readers; i++) {
		char name[24];

		snprintf(name, sizeof name, "reader%u", i);
		readers[i] = (struct reader){ run, i };
		pstk_connect(source, "out",
			pstk_network_add(net, name,
				PSTK_ACTOR_TYPE(.name = "reader", .ports = &in_port, .port_count = 1,
					.fire = reader_fire),
				&readers[i]),
			"in", PSTK_FIFO(.rate = b->rate, .token_size = (size_t)b->w * b->h));
	}
}

static void build_motion(struct pstk_network *net, struct run *run)
{
	const struct bench *b = run->bench;
	struct pstk_frame_size size = { b->w, b->h };
	struct pstk_threshold_arg threshold = { THRESHOLD };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *source = add_source(net, run),
			  *gauss = pstk_network_add(net, "gauss", pstk_gauss5x5_type(), &size),
			  *thres = pstk_network_add(net, "thres", pstk_threshold_type(), &threshold),
			  *med = pstk_network_add(net, "med", pstk_median5_type(), &size),
			  *sink = pstk_network_add(net, "sink",
				  PSTK_ACTOR_TYPE(.name = "sink", .ports = &in_port, .port_count = 1,
					  .fire = sum_fire),
				  run);

	spec.rate = b->rate;
	spec.token_size = (size_t)b->w * b->h;
	pstk_connect(source, "out", gauss, "in", &spec);
	pstk_connect(gauss, "out", thres, "now", &spec);
	pstk_connect(thres, "out", med, "in", &spec);
	pstk_connect(med, "out", sink, "in", &spec);
	spec.delay = 1;
	pstk_connect(gauss, "out", thres, "before", &spec);
}

/* One variant. */
struct way {
	void (*build)(struct pstk_network *, struct run *);
	bool share;
	unsigned team;
};

static uint64_t run_way(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { .bench = &bench, .windows = items / bench.rate };
	struct pstk_network *net;

	setenv("PENSTOCK_SHARE", way->share ? "1" : "0", 1);
	net = pstk_network_create("broadcast");
	pstk_network_set_threads(net, way->team);
	way->build(net, &run);
	rounds_run_network(net);
	for (unsigned i = 0; i < bench.readers; i++)
		if (run.wrong[i])
			rounds_fail("reader %u saw %" PRIu64 " wrong bytes", i, run.wrong[i]);
	return run.sum;
}

static void measure(
	const struct rounds_options *o, const char *title, void (*build)(struct pstk_network *, struct run *))
{
	static const unsigned teams[] = { 0, 2 };
	struct rounds_table table = { .title = title, .unit = "frames/s", .scale = 1, .least = bench.rate };
	struct way ways[4];
	unsigned count = 0;

	for (unsigned t = 0; t < 2; t++)
		for (unsigned share = 0; share < 2; share++) {
			struct way *way = &ways[count++];
			struct rounds_variant *v;

			*way = (struct way){ build, share, teams[t] };
			v = rounds_add(&table, run_way, way, "%s, %s", teams[t] ? "team 2" : "threads",
				share ? "shared" : "copies");
			if (!share)
				v->versus = teams[t] ? "team's copies" : "threads' copies";
		}
	rounds_run(o, &table);
}

/*
 * Rings.
 */

enum ring_form { RING_PIECES, RING_WINDOWS, RING_FIRINGS };

/* The writer's, and each reader's own. */
struct ring_end {
	uint64_t tokens, sum;
};

static int pieces_write(struct pstk_firing *f)
{
	static uint64_t piece[PIECE_MAX]; /* there is one writer */
	const struct ring_end *end = pstk_actor_arg(pstk_firing_actor(f));

	for (uint64_t t = 0, n; t < end->tokens; t += n) {
		n = end->tokens - t < bench.piece ? end->tokens - t : bench.piece;
		for (uint64_t i = 0; i < n; i++)
			piece[i] = t + i;
		pstk_fifo_write(f, 0, piece, n);
	}
	return PSTK_DONE;
}

static int pieces_read(struct pstk_firing *f)
{
	struct ring_end *end = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t piece[1024];
	int got;

	while ((got = pstk_fifo_read(f, 0, piece, sizeof piece / sizeof *piece)) > 0)
		for (int i = 0; i < got; i++)
			end->sum += rounds_hash_at(piece[i], end->tokens++);
	return PSTK_DONE;
}

static int windows_write(struct pstk_firing *f)
{
	const struct ring_end *end = pstk_actor_arg(pstk_firing_actor(f));

	for (uint64_t t = 0; t < end->tokens; t++) {
		*(uint64_t *)pstk_fifo_write_start(f, 0) = t;
		pstk_fifo_write_end(f, 0);
	}
	return PSTK_DONE;
}

static int windows_read(struct pstk_firing *f)
{
	struct ring_end *end = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *token;

	while ((token = pstk_fifo_read_start(f, 0))) {
		end->sum += rounds_hash_at(*token, end->tokens++);
		pstk_fifo_read_end(f, 0);
	}
	return PSTK_DONE;
}

static int firings_write(struct pstk_firing *f)
{
	const struct ring_end *end = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t t = pstk_firing_index(f);

	*(uint64_t *)pstk_fifo_write_start(f, 0) = t;
	pstk_fifo_write_end(f, 0);
	return t + 1 == end->tokens ? PSTK_DONE : PSTK_AGAIN;
}

static int firings_read(struct pstk_firing *f)
{
	struct ring_end *end = pstk_actor_arg(pstk_firing_actor(f));

	end->sum += rounds_hash_at(*(const uint64_t *)pstk_fifo_read_start(f, 0), end->tokens++);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct ring_type {
	const char *name;
	int (*write)(struct pstk_firing *), (*read)(struct pstk_firing *);
	unsigned slower; /* about so many times as slow as pieces */
} ring_types[] = { { "pieces", pieces_write, pieces_read, 1 }, { "windows", windows_write, windows_read, 16 },
	{ "firings", firings_write, firings_read, 16 } };

struct ring_way {
	enum ring_form form;
	unsigned readers;
};

static struct pstk_actor *add_end(struct pstk_network *net, const struct ring_way *way, const char *name,
	const struct pstk_port *port, struct ring_end *end)
{
	const struct ring_type *t = &ring_types[way->form];

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "end", .ports = port, .port_count = 1,
			.kahn = way->form != RING_FIRINGS, .fire = port == &out_port ? t->write : t->read),
		end);
}

static uint64_t run_ring(const void *arg, uint64_t items)
{
	const struct ring_way *way = arg;
	struct ring_end writer = { .tokens = items }, readers[READERS_MAX] = { 0 };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_network *net;
	struct pstk_actor *a;

	setenv("PENSTOCK_SHARE", "1", 1);
	net = pstk_network_create("ring");
	a = add_end(net, way, "writer", &out_port, &writer);
	pstk_network_set_threads(net, 0);
	spec.token_size = sizeof(uint64_t);
	if (way->form == RING_FIRINGS) {
		spec.rate = 1;
		spec.depth = bench.capacity;
	} else {
		spec.capacity = bench.capacity;
	}
	for (unsigned i = 0; i < way->readers; i++) {
		char name[24];

		snprintf(name, sizeof name, "reader%u", i);
		pstk_connect(a, "out", add_end(net, way, name, &in_port, &readers[i]), "in", &spec);
	}
	rounds_run_network(net);
	for (unsigned i = 0; i < way->readers; i++)
		if (readers[i].tokens != items || readers[i].sum != readers[0].sum)
			rounds_fail("reader %u saw %" PRIu64 " tokens of %" PRIu64 ", or wrong ones", i,
				readers[i].tokens, items);
	return readers[0].sum;
}

static uint64_t expected_ring(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	(void)arg;
	for (uint64_t t = 0; t < items; t++)
		sum += rounds_hash_at(t, t);
	return sum;
}

static void measure_rings(const struct rounds_options *o)
{
	static const unsigned counts[] = { 1, 2, 11 };
	struct ring_way ways[3 * 3];
	char title[48];
	struct rounds_table table = {
		.title = title, .unit = "million tokens/s", .scale = 1e6, .least = 1, .expect = expected_ring
	};

	snprintf(title, sizeof title, "rings of %" PRIu32 " tokens", bench.capacity);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct ring_way *way = &ways[i];
		struct rounds_variant *v;

		*way = (struct ring_way){ i / 3, counts[i % 3] };
		v = rounds_add(
			&table, run_ring, way, "%s, readers %u", ring_types[way->form].name, way->readers);
		v->divide = ring_types[way->form].slower * way->readers;
		if (way->readers == 1)
			v->versus = way->form == RING_PIECES    ? "pieces, 1"
			            : way->form == RING_WINDOWS ? "windows, 1"
			                                        : "firings, 1";
	}
	rounds_run(o, &table);
}

static bool option(int c, const char *arg)
{
	switch (c) {
	case 'S':
		return number_size(arg, SIDE_MAX, &bench.w, &bench.h);
	case 'r':
		return number_unsigned(arg, 1, RATE_MAX, &bench.rate);
	case 'C':
		return number_unsigned(arg, 1, CAPACITY_MAX, &bench.capacity);
	case 'p':
		return number_unsigned(arg, 1, PIECE_MAX, &bench.piece);
	default:
		return number_unsigned(arg, 1, READERS_MAX, &bench.readers);
	}
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "S:r:R:C:p:", option,
		"  -S WxH      size of a frame (320x240)\n"
		"  -r RATE     frames in a window (1)\n"
		"  -R READERS  of the broadcast, 1 to 64 (4)\n"
		"  -C TOKENS   that a ring holds (4096)\n"
		"  -p TOKENS   of a write to a ring, 1 to 65536 (256)\n\n"
		"What readers that share one buffer save: frames a second with shared buffers and with a "
		"copy for\n"
		"each reader, by a thread for each actor (\"threads\") and a team of two. And rings with 1, "
		"2 and 11\n"
		"readers, by copies of pieces and in windows of one token.\n");
	char title[48];

	snprintf(title, sizeof title, "a broadcast to %u readers", bench.readers);
	measure(&o, title, build_broadcast);
	measure(&o, "motion detection", build_motion);
	measure_rings(&o);
	return 0;
}
