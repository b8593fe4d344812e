/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/motion_network.h"

#include "benchmarks/apps/motion_frames.h"
#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"

#include <penstock/actors.h>

#include <time.h>

enum { IN, NOW = IN, BEFORE, OUT1 = 1, OUT2 };

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct motion_run *run = pstk_actor_arg(self);
	uint32_t rate = pstk_actor_port_rate(self, 0);
	uint64_t first = pstk_firing_index(f) * rate;
	uint8_t *out = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < rate; i++)
		motion_source(out + i * motion_frame_bytes(), first + i);
	pstk_fifo_write_end(f, 0);
	return first + rate == run->frames ? PSTK_DONE : PSTK_AGAIN;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int sink_fire(struct pstk_firing *f)
{
	struct motion_run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *in = pstk_fifo_read_start(f, 0);
	uint32_t rate = pstk_port_valid(f, 0);

	if (!pstk_firing_index(f))
		run->first = now();
	for (uint32_t i = 0; i < rate; i++)
		run->hash += motion_sink(in + i * motion_frame_bytes(), pstk_firing_index(f) * rate + i);
	pstk_fifo_read_end(f, 0);
	if ((pstk_firing_index(f) + 1) * rate == run->frames)
		run->last = now();
	return PSTK_AGAIN;
}

static int sink_finish(struct pstk_actor *self)
{
	struct motion_run *run = pstk_actor_arg(self);

	run->ended = now();
	return 0;
}

static void filter_window(struct pstk_firing *f, void (*filter)(uint8_t *frame, const uint8_t *in))
{
	const uint8_t *in = pstk_fifo_read_start(f, IN);
	uint8_t *out = pstk_fifo_write_start(f, OUT1);

	for (uint32_t i = 0; i < pstk_port_valid(f, IN); i++)
		filter(out + i * motion_frame_bytes(), in + i * motion_frame_bytes());
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT1);
}

static int gauss_fire(struct pstk_firing *f)
{
	filter_window(f, motion_gauss);
	return PSTK_AGAIN;
}

static int median_fire(struct pstk_firing *f)
{
	filter_window(f, motion_median);
	return PSTK_AGAIN;
}

static int threshold_fire(struct pstk_firing *f)
{
	const uint8_t *now = pstk_fifo_read_start(f, NOW), *before = pstk_fifo_read_start(f, BEFORE);
	uint8_t *out = pstk_fifo_write_start(f, OUT2);

	for (size_t i = 0; i < pstk_port_valid(f, NOW); i++)
		motion_threshold(out + i * motion_frame_bytes(), now + i * motion_frame_bytes(),
			before + i * motion_frame_bytes());
	pstk_fifo_read_end(f, NOW);
	pstk_fifo_read_end(f, BEFORE);
	pstk_fifo_write_end(f, OUT2);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, const struct pstk_port *ports,
	unsigned port_count, int (*fire)(struct pstk_firing *), struct motion_run *run)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = port_count, .fire = fire,
			.stateless = !run, .finish = fire == sink_fire ? sink_finish : NULL),
		run);
}

static const struct pstk_port filter_ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };
static const struct pstk_port threshold_ports[] = { { .name = "now", .kind = PSTK_INPUT },
	{ .name = "before", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT } };

/* gauss, thres, median */
static void add_filters(struct pstk_network *net, struct pstk_actor *filters[3])
{
	struct pstk_frame_size size = { motion_width(), motion_height() };
	struct pstk_threshold_arg threshold = { MOTION_THRESHOLD };

	if (motion_is_light()) {
		filters[0] = pstk_network_add(net, "gauss", pstk_gauss5x5_type(), &size);
		filters[1] = pstk_network_add(net, "thres", pstk_threshold_type(), &threshold);
		filters[2] = pstk_network_add(net, "median", pstk_median5_type(), &size);
	} else {
		filters[0] = add(net, "gauss", filter_ports, 2, gauss_fire, NULL);
		filters[1] = add(net, "thres", threshold_ports, 3, threshold_fire, NULL);
		filters[2] = add(net, "median", filter_ports, 2, median_fire, NULL);
	}
}

/* Neighbours on one core, cut where the halves, thirds, .. of the work meet: a frame goes to another core as
 * seldom as can be. The work is that of the light kernels; of the heavy ones gauss has nearly all, and its core
 * has none of what follows then, too. */
static void pin_in_parts(struct pstk_actor *const actors[5])
{
	static const unsigned work[5] = { 2, 11, 2, 10, 2 }, all = 27; /* microseconds */
	unsigned cores = 0, before = 0;

	while (cores < 5 && probe_core(cores) >= 0)
		cores++;
	for (unsigned i = 0; i < 5 && cores; i++) {
		pstk_actor_pin(actors[i], (unsigned)probe_core((2 * before + work[i]) * cores / (2 * all)));
		before += work[i];
	}
}

void motion_add_ends(struct pstk_network *net, struct motion_run *run, struct pstk_actor *ends[2])
{
	ends[0] = add(net, "source", &filter_ports[1], 1, source_fire, run);
	ends[1] = add(net, "sink", &filter_ports[0], 1, sink_fire, run);
}

struct pstk_network *motion_build(const struct motion_way *way, struct motion_run *run)
{
	struct pstk_network *net = pstk_network_create("motion");
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *filters[3], *ends[2];

	motion_add_ends(net, run, ends);
	add_filters(net, filters);
	pstk_network_set_threads(net, way->team);
	if (way->fixed)
		pin_in_parts(
			(struct pstk_actor *const[]){ ends[0], filters[0], filters[1], filters[2], ends[1] });
	spec.rate = way->rate;
	spec.depth = way->depth;
	spec.token_size = motion_frame_bytes();
	pstk_connect(ends[0], "out", filters[0], "in", &spec);
	pstk_connect(filters[0], "out", filters[1], "now", &spec);
	pstk_connect(filters[1], "out", filters[2], "in", &spec);
	pstk_connect(filters[2], "out", ends[1], "in", &spec);
	spec.delay = 1;
	pstk_connect(filters[0], "out", filters[1], "before", &spec);
	return net;
}

uint64_t motion_run_network(const void *arg, uint64_t items)
{
	struct motion_run run = { .frames = items };

	rounds_run_network(motion_build(arg, &run));
	return run.hash;
}
