/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/migrate_lockstep.h"
#include "benchmarks/apps/migrate_gaps.h"
#include "apps/saliency/steps.h"
#include "benchmarks/common/rounds.h"

#include <penstock/penstock.h>

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2, TEAM = 0 };                   /* a thread an actor: a team of two gives frames in pairs */
enum { RUNS = 9, FIRST = 10, ITERATIONS = 18 }; /* of a gap: the move is through long before the end */

struct run {
	struct saliency_frames *frames;
	uint64_t count, taken;
	float *to; /* where the next maps go */
	sem_t wanted, there;
	float *map;
};

static struct run *run_of(struct pstk_firing *f)
{
	return *(struct run *const *)pstk_actor_arg(pstk_firing_actor(f));
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

static int produce(struct pstk_firing *f)
{
	const struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f);

	memcpy(pstk_fifo_write_start(f, 0), r->frames->frames + k % SALIENCY_RING * r->frames->pixels,
		r->frames->pixels);
	pstk_fifo_write_end(f, 0);
	return k + 1 < r->count ? PSTK_AGAIN : PSTK_DONE;
}

static int hand_over(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	const float *maps = pstk_fifo_read_start(f, 0);
	float *to;

	wait_for(&r->wanted);
	to = r->to; /* behind the post it may be another one */
	if (to)     /* NULL: the rest is not wanted */
		memcpy(to, maps, r->frames->pixels * PSTK_SALIENCY_MAPS * sizeof *maps);
	pstk_fifo_read_end(f, 0);
	sem_post(&r->there);
	return to ? PSTK_AGAIN : PSTK_DONE;
}

static struct pstk_network *build(struct run *r)
{
	static const struct pstk_port out = { .name = "out",
		.kind = PSTK_OUTPUT,
		.token_type = "u8",
		.rate = 1 },
				      in = { .name = "in", .token_type = "f32", .rate = PSTK_SALIENCY_MAPS };
	const struct saliency_frames *frames = r->frames;
	const struct pstk_frame_size size = { frames->width, frames->height };
	const struct pstk_window_arg window = { size, NULL };
	struct pstk_network *net = pstk_network_create("upstream");
	struct pstk_actor *before = pstk_network_add(net, "source",
				  PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1,
					  .arg_size = sizeof r, .fire = produce),
				  &r),
			  *behind;
	const struct {
		const struct pstk_actor_type *type;
		const void *arg;
		size_t token;
	} steps[] = { { pstk_window_type(), &window, 1 }, { pstk_fft2d_type(), &size, sizeof(float) },
		{ pstk_gabor_type(), &size, sizeof(struct pstk_cf32) },
		{ pstk_ifft2d_type(), &size, sizeof(struct pstk_cf32) },
		{ pstk_interactions_type(), &size, sizeof(float) } };

	for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
		behind = pstk_network_add(net, step_names[i], steps[i].type, (void *)(uintptr_t)steps[i].arg);
		if (i == STEP_IFFT)
			pstk_actor_set_steps(behind, PSTK_SALIENCY_MAPS);
		pstk_connect(before, "out", behind, "in",
			PSTK_FIFO(.token_size = frames->pixels * steps[i].token,
				.depth = i > STEP_GABOR ? DEPTH : 0));
		before = behind;
	}
	behind = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .arg_size = sizeof r,
			.blocks = true, .fire = hand_over),
		&r);
	pstk_connect(before, "out", behind, "in",
		PSTK_FIFO(.token_size = frames->pixels * sizeof(float), .depth = DEPTH));
	pstk_network_set_threads(net, TEAM);
	return net;
}

static void next(void *self, float *maps)
{
	struct run *r = self;

	r->to = maps;
	sem_post(&r->wanted);
	wait_for(&r->there);
}

/* The step `sum`, in its order. */
static void take(void *self, const float *maps)
{
	struct run *r = self;
	size_t pixels = r->frames->pixels;

	memcpy(r->map, maps, pixels * sizeof *maps);
	for (unsigned m = 1; m < PSTK_SALIENCY_MAPS; m++)
		for (size_t i = 0; i < pixels; i++)
			r->map[i] += maps[m * pixels + i];
	if (memcmp(r->map, r->frames->maps + r->taken++ % SALIENCY_RING * pixels, pixels * sizeof *maps) != 0)
		rounds_fail("lock-step: a map is not that of its frame");
}

void migrate_lockstep_run(
	struct saliency_frames *f, struct lockstep_run is, struct lockstep_iteration *iterations)
{
	struct run r = {
		.frames = f, .count = lockstep_frames(&is) + 1, .map = rounds_alloc(f->pixels * sizeof(float))
	};
	struct pstk_network *net = build(&r);

	sem_init(&r.wanted, 0, 0);
	sem_init(&r.there, 0, 0);
	is.width = f->width;
	is.height = f->height;
	is.next = next;
	is.take = take;
	is.self = &r;
	if (pstk_network_start(net))
		rounds_fail("%s", pstk_network_error(net));
	lockstep_run(&is, iterations);
	next(&r, NULL);
	if (pstk_network_wait(net))
		rounds_fail("%s", pstk_network_error(net));
	pstk_network_destroy(net);
	sem_destroy(&r.wanted);
	sem_destroy(&r.there);
	free(r.map);
}

struct lockstep_path migrate_lockstep_path(enum migrate_place place)
{
	return place == MIGRATE_CORES ? (struct lockstep_path){ 2, 1, LOCKSTEP_CORES }
	                              : (struct lockstep_path){ 4, 2, place };
}

double migrate_lockstep_gap(struct saliency_frames *f, const struct migrate_scenario *scenario)
{
	const struct lockstep_run is = { .original = migrate_lockstep_path(scenario->from),
		.migrated = migrate_lockstep_path(scenario->to),
		.way = LOCKSTEP_PREPARED,
		.iterations = ITERATIONS,
		.first = FIRST };
	struct lockstep_iteration iterations[ITERATIONS];
	double gaps[RUNS] = { 0 };

	for (unsigned run = 0; run < RUNS; run++) {
		migrate_lockstep_run(f, is, iterations);
		for (unsigned i = FIRST - 1; i < ITERATIONS; i++)
			if (iterations[i].gave && iterations[i].since > gaps[run])
				gaps[run] = iterations[i].since;
	}
	return migrate_quantile(gaps, RUNS, 0.5);
}
