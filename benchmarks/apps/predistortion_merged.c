/* SPDX-License-Identifier: MIT */
/*
 * source -> polynomial -> filters and adder -> sink, a block of samples a token. What the filters remember of the block
 * before is set aside in order by an actor of its own (past), so that filters, which have no state then, run side by
 * side for several blocks. A token has room for all branches; those that are off are neither written nor read.
 */
#include "benchmarks/apps/predistortion_merged.h"

#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/common/rounds.h"

#include <penstock/penstock.h>

enum { BRANCHES = HAMMERSTEIN_BRANCHES, PERIOD = HAMMERSTEIN_PERIOD, LINE = 64 /* bytes */ };

/* What the actors of a run share. */
struct run {
	uint32_t block;                         /* constant */
	uint64_t samples;                       /* constant */
	uint64_t sum;                           /* sink's */
	struct hammerstein_past past[BRANCHES]; /* past's */
};

/* A token of past. */
struct remembered {
	struct hammerstein_past past[BRANCHES];
};

/* Real parts, then imaginary ones, each a cache line longer: they don't all begin at one place of their pages. */
static size_t signal_bytes(uint32_t block)
{
	return 2 * (block * sizeof(float) + LINE);
}

/* Signal number i of a token. */
static struct hammerstein_signal signal_at(const void *token, unsigned i, uint32_t block)
{
	char *at = (char *)token + i * signal_bytes(block);

	return (struct hammerstein_signal){ (float *)at, (float *)(at + block * sizeof(float) + LINE) };
}

static void branches_at(struct hammerstein_signal branches[BRANCHES], const void *token, uint32_t block)
{
	for (unsigned b = 0; b < BRANCHES; b++)
		branches[b] = signal_at(token, b, block);
}

static uint32_t set_of(const struct pstk_firing *f, const struct run *run)
{
	return hammerstein_set(predistortion_active(), pstk_firing_index(f) * run->block / PERIOD);
}

static int source_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t from = pstk_firing_index(f) * run->block;
	struct hammerstein_signal out = signal_at(pstk_fifo_write_start(f, 0), 0, run->block);

	hammerstein_source(out.re, out.im, from, run->block);
	pstk_fifo_write_end(f, 0);
	return from + run->block == run->samples ? PSTK_DONE : PSTK_AGAIN;
}

static int polynomial_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	struct hammerstein_signal powers[BRANCHES];

	branches_at(powers, pstk_fifo_write_start(f, 1), run->block);
	hammerstein_polynomial(
		powers, set_of(f, run), signal_at(pstk_fifo_read_start(f, 0), 0, run->block), run->block);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int past_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const void *token = pstk_fifo_read_start(f, 0);
	struct remembered *out = pstk_fifo_write_start(f, 1);
	uint32_t set = set_of(f, run);

	for (unsigned b = 0; b < BRANCHES; b++)
		if (set >> b & 1) {
			out->past[b] = run->past[b];
			hammerstein_remember(&run->past[b], signal_at(token, b, run->block), run->block);
		}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* A token of its output: the sum, then room for what is added. */
static int filters_fire(struct pstk_firing *f)
{
	const struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	struct hammerstein_signal powers[BRANCHES], filtered[BRANCHES], sum;
	struct remembered remembered;
	char *out = pstk_fifo_write_start(f, 2);
	uint32_t set = set_of(f, run);

	branches_at(powers, pstk_fifo_read_start(f, 0), run->block);
	remembered = *(const struct remembered *)pstk_fifo_read_start(f, 1);
	sum = signal_at(out, 0, run->block);
	branches_at(filtered, out + signal_bytes(run->block), run->block);
	for (unsigned b = 0; b < BRANCHES; b++)
		if (set >> b & 1)
			hammerstein_filter(b, filtered[b], &remembered.past[b], powers[b], run->block);
	hammerstein_add(sum, filtered, set, run->block);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	pstk_fifo_write_end(f, 2);
	return PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	struct hammerstein_signal in = signal_at(pstk_fifo_read_start(f, 0), 0, run->block);

	run->sum += hammerstein_sink(in.re, in.im, pstk_firing_index(f), run->block);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned inputs, unsigned outputs,
	bool stateless, int (*fire)(struct pstk_firing *), struct run *run)
{
	static const char *const names[] = { "a", "b", "c" };
	struct pstk_port ports[3];

	for (unsigned p = 0; p < inputs + outputs; p++)
		ports[p] =
			(struct pstk_port){ .name = names[p], .kind = p < inputs ? PSTK_INPUT : PSTK_OUTPUT };
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = inputs + outputs,
			.stateless = stateless, .fire = fire),
		run);
}

static void build(struct pstk_network *net, const struct predistortion_way *way, struct run *run)
{
	size_t bytes = signal_bytes(way->block);
	struct pstk_actor *source = add(net, "source", 0, 1, false, source_fire, run),
			  *polynomial = add(net, "polynomial", 1, 1, true, polynomial_fire, run),
			  *past = add(net, "past", 1, 1, false, past_fire, run),
			  *filters = add(net, "filters", 2, 1, true, filters_fire, run),
			  *sink = add(net, "sink", 1, 0, false, sink_fire, run);

	pstk_connect(
		source, "a", polynomial, "a", PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = bytes));
	pstk_connect(polynomial, "b", past, "a",
		PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = BRANCHES * bytes));
	pstk_connect(polynomial, "b", filters, "a",
		PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = BRANCHES * bytes));
	pstk_connect(past, "b", filters, "b",
		PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = sizeof(struct remembered)));
	pstk_connect(filters, "c", sink, "a",
		PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = (1 + BRANCHES) * bytes));
}

uint64_t predistortion_run_merged(const void *arg, uint64_t items)
{
	const struct predistortion_way *way = arg;
	struct run run = { .block = way->block, .samples = items };
	struct pstk_network *net = pstk_network_create("predistortion");

	build(net, way, &run);
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	return run.sum;
}
