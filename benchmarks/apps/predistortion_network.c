/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/predistortion_network.h"

#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"

#include <penstock/actors.h>
#include <stdio.h>

enum { BRANCHES = HAMMERSTEIN_BRANCHES, PERIOD = HAMMERSTEIN_PERIOD };

/* What source and sink of a run share. */
struct run {
	uint64_t samples; /* constant */
	uint64_t sum;     /* sink's */
};

enum { RE, IM };

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct run *run = pstk_actor_arg(self);
	uint32_t block = pstk_actor_port_rate(self, RE);
	uint64_t from = pstk_firing_index(f) * block;

	hammerstein_source(pstk_fifo_write_start(f, RE), pstk_fifo_write_start(f, IM), from, block);
	pstk_fifo_write_end(f, RE);
	pstk_fifo_write_end(f, IM);
	return from + block == run->samples ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, RE), *im = pstk_fifo_read_start(f, IM);

	run->sum += hammerstein_sink(re, im, pstk_firing_index(f), pstk_port_valid(f, RE));
	pstk_fifo_read_end(f, RE);
	pstk_fifo_read_end(f, IM);
	return PSTK_AGAIN;
}

static uint32_t choose(void *data, uint64_t period)
{
	(void)data;
	return hammerstein_set(predistortion_active(), period);
}

static struct pstk_actor *add_end(struct pstk_network *net, const char *name, enum pstk_port_kind kind,
	int (*fire)(struct pstk_firing *), struct run *run)
{
	const struct pstk_port ports[] = {
		{ .name = "re", .kind = kind, .token_size = sizeof(float), .token_type = "f32" },
		{ .name = "im", .kind = kind, .token_size = sizeof(float), .token_type = "f32" }
	};

	return pstk_network_add(
		net, name, PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = 2, .fire = fire), run);
}

static void connect_pair(const struct predistortion_way *way, struct pstk_actor *src, const char *out,
	struct pstk_actor *dst, const char *in)
{
	static const char *const parts[] = { "re", "im" };

	for (unsigned k = 0; k < 2; k++) {
		char from[16], to[16];

		snprintf(from, sizeof from, "%s%s", parts[k], out);
		snprintf(to, sizeof to, "%s%s", parts[k], in);
		pstk_connect(src, from, dst, to,
			PSTK_FIFO(.rate = way->block, .depth = way->depth, .token_size = sizeof(float)));
	}
}

static unsigned count_cores(void)
{
	unsigned cores = 0;

	while (probe_core(cores) >= 0)
		cores++;
	return cores;
}

/* Which filters will be active is not known, so neighbours are on different cores; what is before them is on the
 * first core, what is behind them on the last. */
static void pin(struct pstk_actor *const before[3], struct pstk_actor *const filters[BRANCHES],
	struct pstk_actor *const behind[2])
{
	unsigned cores = count_cores();

	for (unsigned i = 0; i < 3 && cores; i++)
		pstk_actor_pin(before[i], (unsigned)probe_core(0));
	for (unsigned b = 0; b < BRANCHES && cores; b++)
		pstk_actor_pin(filters[b], (unsigned)probe_core(b % cores));
	for (unsigned i = 0; i < 2 && cores; i++)
		pstk_actor_pin(behind[i], (unsigned)probe_core(cores - 1));
}

/* The network between its configuration and its ends, as the program builds it. */
static void build(struct pstk_network *net, const struct predistortion_way *way,
	struct pstk_configuration *configuration, struct run *run)
{
	/* as many as the polynomial may be ahead of the adder */
	struct pstk_fifo_spec control = pstk_fifo_spec_init();
	struct pstk_actor *filters[BRANCHES],
		*source = add_end(net, "source", PSTK_OUTPUT, source_fire, run),
		*conf = pstk_configuration_add(net, "conf", configuration),
		*poly = pstk_polynomial_add(net, "poly", hammerstein_terms, BRANCHES, true),
		*adder = pstk_adder_add(net, "adder", BRANCHES, hammerstein_constant(), true),
		*sink = add_end(net, "sink", PSTK_INPUT, sink_fire, run);

	control.rate = 1;
	control.depth = 2 * way->depth + 2;
	control.token_size = sizeof(uint32_t);
	pstk_connect(conf, "out", poly, "active", &control);
	pstk_connect(conf, "out", adder, "active", &control);
	connect_pair(way, source, "", poly, "");
	for (unsigned b = 0; b < BRANCHES; b++) {
		unsigned count;
		const struct pstk_cf32 *taps = hammerstein_taps(b, &count);
		char number[16], name[24];

		snprintf(number, sizeof number, "%u", b + 1);
		snprintf(name, sizeof name, "fir%s", number);
		filters[b] = pstk_fir_add(net, name, taps, count);
		connect_pair(way, poly, number, filters[b], "");
		connect_pair(way, filters[b], "_out", adder, number);
	}
	connect_pair(way, adder, "", sink, "");
	if (way->fixed)
		pin((struct pstk_actor *const[]){ source, conf, poly }, filters,
			(struct pstk_actor *const[]){ adder, sink });
}

uint64_t predistortion_run_network(const void *arg, uint64_t items)
{
	const struct predistortion_way *way = arg;
	struct run run = { items, 0 };
	struct pstk_network *net = pstk_network_create("predistortion");
	struct pstk_configuration *configuration = pstk_configuration_create(
		PSTK_CONFIGURATION(.period = PERIOD / way->block, .choose = choose));

	build(net, way, configuration, &run);
	pstk_network_set_threads(net, way->team);
	rounds_run_network(net);
	pstk_configuration_destroy(configuration);
	return run.sum;
}
