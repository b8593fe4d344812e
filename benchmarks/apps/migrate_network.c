/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/migrate_network.h"
#include "config.h"

#include "apps/saliency/steps.h"
#include "benchmarks/common/rounds.h"

#include <penstock/hosts.h>
#include <penstock/plan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIGRATE_HOSTS = 2, DEPTH = 2, TEAM = 0 }; /* a thread an actor: a team of two gives frames in pairs */

const char *const migrate_places[MIGRATE_PLACES] = { "pocl:cpu:0/1of2", "pocl:cpu:0/2of2", NULL };
const struct migrate_scenario migrate_scenarios[MIGRATE_SCENARIOS] = {
	{ "equal", MIGRATE_HALF_1, MIGRATE_HALF_2 },
	{ "shorter", MIGRATE_HALF_1, MIGRATE_CORES },
	{ "longer", MIGRATE_CORES, MIGRATE_HALF_1 },
};

static const char *const hosts[MIGRATE_HOSTS] = { "c0", "c1" };

struct run {
	const struct migrate_way *way;
	struct saliency_frames *frames;
	double *moments;
	uint64_t taken;
	bool equal;
};

const char *migrate_place_name(const struct migrate_way *way, enum migrate_place place)
{
	static const char *const names[MIGRATE_PLACES] = { "c0/g0", "c1/g0", NULL };

	return way->transport ? names[place] : migrate_places[place];
}

static struct run *run_of(struct pstk_firing *f)
{
	return *(struct run *const *)pstk_actor_arg(pstk_firing_actor(f));
}

static int produce(struct pstk_firing *f)
{
	const struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f);

	memcpy(pstk_fifo_write_start(f, 0), r->frames->frames + k % SALIENCY_RING * r->frames->pixels,
		r->frames->pixels);
	pstk_fifo_write_end(f, 0);
	return k + 1 < r->way->frames ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f);
	const float *map = pstk_fifo_read_start(f, 0);

	r->moments[k] = saliency_now();
	if (!r->frames->known)
		saliency_frames_learn(r->frames, k, map);
	else
		r->equal &= !memcmp(map, r->frames->maps + k % SALIENCY_RING * r->frames->pixels,
			r->frames->pixels * sizeof *map);
	r->taken++;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add_end(struct pstk_network *net, struct run *r, bool source)
{
	static const struct pstk_port out = { .name = "out",
		.kind = PSTK_OUTPUT,
		.token_type = "u8",
		.rate = 1 },
				      in = { .name = "in", .token_type = "f32", .rate = 1 };
	const char *name = source ? "source" : "sink";

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = source ? &out : &in, .port_count = 1,
			.arg_size = sizeof r, .fire = source ? produce : consume),
		&r);
}

static void add_moves(struct pstk_network *net, struct pstk_actor *mover, const struct migrate_way *way)
{
	for (unsigned i = 0; i < way->cycle_length; i++)
		pstk_actor_may_move(mover, migrate_place_name(way, way->cycle[i]));
	if (way->moves)
		pstk_network_set_moves(net, way->moves);
	for (unsigned i = 0; i < way->moves; i++)
		pstk_actor_migrate(mover, migrate_place_name(way, way->cycle[i % way->cycle_length]),
			way->begin + (uint64_t)i * way->apart);
}

/* Each of two hosts has a half of a device. */
static struct pstk_machine *new_machine(const struct migrate_way *way)
{
	struct pstk_machine *m = pstk_machine_create();

	for (unsigned i = 0; i < MIGRATE_HOSTS; i++) {
		pstk_machine_add_host(m, hosts[i], 2, 0);
		pstk_machine_add_device(m, hosts[i], "g0", migrate_places[i], 0);
		pstk_machine_add_link(m,
			&(const struct pstk_link){ hosts[i], migrate_place_name(way, (enum migrate_place)i),
				PSTK_LINK_COPY, 5e9, 0, false });
	}
	pstk_machine_add_link(
		m, &(const struct pstk_link){ hosts[0], hosts[1], PSTK_LINK_NET, INFINITY, 0, false });
	return m;
}

static void plan(struct pstk_network *net, struct pstk_actor *mover, const struct migrate_way *way)
{
	struct pstk_machine *m = new_machine(way);
	struct pstk_plan *plan;

	for (unsigned i = 0; i < pstk_network_actor_count(net); i++)
		pstk_actor_place(pstk_network_actor(net, i), hosts[0]);
	pstk_actor_place(mover, migrate_place_name(way, way->first));
	pstk_network_set_hosts(net, way->transport, NULL);
	plan = pstk_plan_create(net, m, NULL);
	if (pstk_plan_result(plan) || pstk_plan_apply(net, plan))
		rounds_fail("%s%s", pstk_plan_error(plan), pstk_network_error(net));
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
}

static struct pstk_network *build(struct run *r)
{
	const struct saliency_frames *f = r->frames;
	const struct pstk_window_arg arg = { { f->width, f->height }, NULL };
	struct pstk_network *net = pstk_network_create("migrate");
	struct pstk_actor *source = add_end(net, r, true), *sink = add_end(net, r, false), *mover;
	struct steps steps;

	pstk_network_set_threads(net, TEAM);
	steps_add(&steps, net, &arg, "", true);
	steps_connect(&steps, &arg, DEPTH);
	pstk_connect(source, "out", steps.actors[STEP_WINDOW], "in",
		PSTK_FIFO(.rate = 1, .token_size = f->pixels));
	pstk_connect(steps.actors[STEP_SUM], "out", sink, "in",
		PSTK_FIFO(.rate = 1, .token_size = f->pixels * sizeof(float)));
	mover = steps.actors[STEP_NORMALIZE];
	if (r->way->transport)
		plan(net, mover, r->way);
	else
		pstk_actor_map(mover, migrate_places[r->way->first]);
	if (r->way->movable)
		add_moves(net, mover, r->way);
	return net;
}

/* Those that are done. */
static void keep_moves(struct pstk_network *net, const struct migrate_way *way, struct migrate_ran *ran)
{
	ran->moves = rounds_alloc((way->moves + 1) * sizeof *ran->moves);
	for (unsigned i = 0; i < way->moves; i++) {
		struct pstk_move move = PSTK_MOVE();

		if (pstk_network_move(net, i, &move) || move.state != PSTK_MOVE_DONE)
			rounds_fail("move %u is not done: %s", i, move.text);
		if (move.gap_ns && move.bound_ns)
			ran->moves[ran->count++] = move;
	}
}

void migrate_run(struct saliency_frames *f, const struct migrate_way *way, struct migrate_ran *ran)
{
	struct run r = { .way = way, .frames = f, .equal = true };
	struct pstk_network *net;

	r.moments = rounds_alloc(way->frames * sizeof *r.moments);
	net = build(&r);
	rounds_run_borrowed(net);
	if (!r.equal || (r.taken != way->frames && !(way->transport && way->transport->rank)))
		rounds_fail("a map is not that of its frame, or is missing");
	*ran = (struct migrate_ran){ .moments = r.moments,
		.move_bytes = pstk_network_move_bytes(net),
		.allocated_bytes = pstk_network_allocated_bytes(net) };
	keep_moves(net, way, ran);
	pstk_network_destroy(net);
}

const char *migrate_absent(void)
{
	static char text[512];
	struct pstk_device_info info;

#ifndef HAVE_KISSFFT
	return "this build has no kissfft, which transforms on the cores";
#endif
	for (unsigned i = 0; i < MIGRATE_CORES; i++)
		if (pstk_device_find(migrate_places[i], &info, text, sizeof text))
			return text;
	return NULL;
}
