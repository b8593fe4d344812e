/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/granulometry_run.h"
#include "apps/granulometry/cost.h"
#include "apps/granulometry/measure.h"
#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char app_name[] = "granulometry";

enum { DIFFERENT = 4 }; /* images, one after the other */

/* A run, as its actors see it. */
struct run {
	const struct sieve *is;
	bool in_turn;
	size_t bytes; /* of an image */
	uint64_t *images[DIFFERENT], *counts[DIFFERENT];
	uint64_t come;
	double begin, end; /* the sink's */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_for(double s)
{
	const struct timespec t = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) };

	if (s > 0)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static struct run *run_of(struct pstk_firing *f)
{
	return pstk_actor_arg(pstk_firing_actor(f));
}

/* Ports: out, and in turn go. It ends when the last image is through: without a reader of its go the sink would end
 * before. */
static int give(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f);

	if (k == r->is->count)
		return PSTK_DONE;
	sleep_for(r->is->reading_s);
	memcpy(pstk_fifo_write_start(f, 0), r->images[k % DIFFERENT], r->bytes);
	pstk_fifo_write_end(f, 0);
	if (r->in_turn) {
		pstk_fifo_read_start(f, 1);
		pstk_fifo_read_end(f, 1);
	}
	return PSTK_AGAIN;
}

/* Ports: small, with a second part large, and in turn go. */
static int take(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	const uint32_t split = r->is->split, openings = r->is->images.openings;
	const uint64_t *right = r->counts[r->come % DIFFERENT];
	unsigned port = split < openings ? 2 : 1;
	bool same = !memcmp(pstk_fifo_read_start(f, 0), right, (split + (size_t)1) * sizeof *right);

	if (split < openings)
		same &= !memcmp(pstk_fifo_read_start(f, 1), right + split + 1,
			(openings - (size_t)split) * sizeof *right);
	if (!same)
		return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "the counts of image %llu are wrong",
			(unsigned long long)r->come);
	for (unsigned i = 0; i < port; i++)
		pstk_fifo_read_end(f, i);
	r->end = now();
	if (r->come++ == r->is->first)
		r->begin = r->end;
	if (r->in_turn) {
		memset(pstk_fifo_write_start(f, port), 0, 1);
		pstk_fifo_write_end(f, port);
	}
	return PSTK_AGAIN;
}

static const struct pstk_port source_ports[] = {
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u64", .rate = 1 },
	{ .name = "go", .token_size = 1, .rate = 1 }
};

/* -- images -- */

static void make_images(struct run *r)
{
	const struct squares *images = &r->is->images;
	uint8_t *grey = rounds_alloc((size_t)images->side * images->side);

	r->bytes = pstk_bits_size(images->side, images->side, 1);
	for (unsigned i = 0; i < DIFFERENT; i++) {
		r->images[i] = rounds_alloc(r->bytes);
		r->counts[i] = rounds_alloc((images->openings + (size_t)1) * sizeof(uint64_t));
		squares_draw(images, i, grey);
		squares_counts(images, i, r->counts[i]);
		pstk_bits_pack(r->images[i], grey, images->side, images->side, 1, 0);
	}
	free(grey);
}

static void free_images(struct run *r)
{
	for (unsigned i = 0; i < DIFFERENT; i++) {
		free(r->images[i]);
		free(r->counts[i]);
	}
}

/* -- the network -- */

static struct granulometry_spec spec_of(const struct sieve *is)
{
	struct granulometry_spec spec = { .size = { is->images.side, is->images.side, 1 },
		.openings = is->images.openings,
		.split = is->split,
		.overlap = GRANULOMETRY_ON,
		.team = { .given = true },
		.source_ns = is->reading_s * 1e9 };

	for (unsigned i = 0; i < GRANULOMETRY_PARTS; i++) {
		spec.devices[i] = is->devices[i];
		spec.unit_ns[i] = is->unit_ns[i];
	}
	return spec;
}

static struct pstk_actor *find(struct pstk_network *net, const char *name)
{
	unsigned i = 0;

	while (strcmp(pstk_actor_name(pstk_network_actor(net, i)), name) != 0)
		i++;
	return pstk_network_actor(net, i);
}

static void build(struct granulometry *g, struct run *r)
{
	const bool two = r->is->split < r->is->images.openings;
	const struct pstk_port small = { .name = "small", .token_type = "u64", .rate = 1 },
			       large = { .name = "large", .token_type = "u64", .rate = 1 },
			       go = { .name = "go", .kind = PSTK_OUTPUT, .token_size = 1, .rate = 1 },
			       ports[] = { small, two ? large : go, go };
	struct granulometry_spec spec = spec_of(r->is);

	spec.source = PSTK_ACTOR_TYPE(.name = "images", .ports = source_ports, .port_count = 1u + r->in_turn,
		.fire = give);
	spec.source_arg = r;
	spec.sink = PSTK_ACTOR_TYPE(.name = "counts", .ports = ports, .port_count = 1u + two + r->in_turn,
		.fire = take);
	spec.sink_arg = r;
	if (r->in_turn)
		spec.overlap = GRANULOMETRY_UNPLANNED;
	if (granulometry_build(g, &spec))
		rounds_fail("split %u does not run", r->is->split);
	if (r->in_turn)
		pstk_connect(find(g->network, "sink"), "go", find(g->network, "source"), "go",
			PSTK_FIFO(.token_size = 1, .rate = 1, .delay = 1));
}

struct sieved sieve_run(const struct sieve *is, bool in_turn)
{
	struct run r = { .is = is, .in_turn = in_turn };
	struct granulometry g;
	struct sieved result;

	make_images(&r);
	build(&g, &r);
	rounds_run_borrowed(g.network);
	if (r.come != is->count)
		rounds_fail("%llu images of %llu have come", (unsigned long long)r.come,
			(unsigned long long)is->count);
	/* the planner shares a host's time among its cores; one source needs one */
	result = (struct sieved){ (r.end - r.begin) / (double)(is->count - 1 - is->first),
		fmax(g.period, is->reading_s) };
	granulometry_destroy(&g);
	free_images(&r);
	return result;
}

uint32_t sieve_auto(const struct sieve *is, double unit_ns[GRANULOMETRY_PARTS])
{
	struct granulometry_spec spec = spec_of(is);
	struct cost cost = { .together = granulometry_is_together(spec.devices) };

	if (measure_units(&spec))
		rounds_fail("the times of an opening could not be measured");
	cost.first = unit_ns[0] = spec.unit_ns[0];
	cost.second = unit_ns[1] = spec.unit_ns[1];
	return cost_split(&cost, spec.openings);
}
