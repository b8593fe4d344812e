/* SPDX-License-Identifier: MIT */
/*
 * What small tokens cost with 1, 2 and 11 readers, of 8 bytes each: a ring between kahn actors that copy pieces of
 * many tokens ("pieces"), or that take windows of one token ("windows"); and as many windows of one token between
 * actors of which each firing moves one ("firings"). Tokens are counted where they are written. Every reader sums what
 * it gets.
 *
 * Usage: broadcast [-C CAPACITY] [-p PIECE] and the options of all benchmarks (broadcast -h)
 */
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <inttypes.h>
#include <stdio.h>

enum { READERS_MAX = 11, PIECE_MAX = 65536, CAPACITY_MAX = 1 << 24 };

/* tokens: of the ring, and of a read or write */
static struct {
	uint32_t capacity, piece;
} bench = { .capacity = 4096, .piece = 256 };

static const struct pstk_port out_port = { .name = "out", .kind = PSTK_OUTPUT },
			      in_port = { .name = "in", .kind = PSTK_INPUT };

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
	struct pstk_network *net = pstk_network_create("ring");
	struct ring_end writer = { .tokens = items }, readers[READERS_MAX] = { 0 };
	struct pstk_actor *a = add_end(net, way, "writer", &out_port, &writer);
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

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
	static const unsigned counts[] = { 1, 2, READERS_MAX };
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
	if (c == 'C')
		return number_unsigned(arg, 1, CAPACITY_MAX, &bench.capacity);
	return number_unsigned(arg, 1, PIECE_MAX, &bench.piece);
}

int main(int argc, char **argv)
{
	struct rounds_options o = rounds_parse(argc, argv, "C:p:", option,
		"  -C TOKENS   that a ring holds (4096)\n"
		"  -p TOKENS   of a write to a ring, 1 to 65536 (256)\n\n"
		"Rings with 1, 2 and 11 readers, by copies of pieces and in windows of one token.\n");

	measure_rings(&o);
	return 0;
}
