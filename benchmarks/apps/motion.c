/* SPDX-License-Identifier: MIT */
/*
 * Motion detection on the cores: frames a second of the library, a thread per actor and a team, against the
 * same kernels called by one thread and by two that share nothing (the ideal).
 *
 *	source -> gauss -> thres -> median -> sink,  gauss also -> thres one frame later
 *
 * serial  one thread calls one kernel after the other for each frame, on four buffers that stay in its cache.
 * ideal   two threads do so for one half of the frames each; the second begins with one gauss more than it
 *         has frames, for the frame before its first. They wait for nothing but the end: no program can
 *         be faster with these kernels.
 * fixed   each actor's thread is pinned to a core, neighbours to one, as the paper's fixed mapping; else the
 *         system chooses, its free mapping.
 * in turn two threads take r frames of one stream each in turn, as a network's must: what threshold needs of
 *         the frame before the first of them comes from the other core. Own buffers, no library; they wait
 *         by spinning.
 *
 * Why it is fair: all call the same kernels, the library's own actors (or with -H scalar ones of about 1.5
 * ms a frame, of which the library knows nothing). The source copies a frame out of a picture that stays in
 * the cache, the sink reads each byte; all do. The time of a network is from its start to its end, threads
 * and memory included; that of the ideal includes its threads'. Outputs are compared bit by bit.
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: motion [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/apps/motion_network.h"
#include "benchmarks/common/rounds.h"
#include "lib/base/relax.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 64, RATE_MOST = 16 };

/* -- two threads that take the frames of one stream in turn -- */

enum { TURNS = 4 }; /* groups of frames that gauss may have ready */

struct relay {
	uint32_t rate; /* frames of a group */
	uint64_t groups;
	uint8_t *gauss;          /* TURNS groups, one after the other */
	_Atomic uint64_t made;   /* groups that gauss has made, in order */
	_Atomic uint64_t unread; /* the first that threshold may still read, or its last frame */
};

struct runner {
	struct relay *relay;
	unsigned index;
	uint64_t hash;
	uint8_t *frames, *moved, *clean; /* a group each */
};

static void await(const _Atomic uint64_t *count, uint64_t least)
{
	while (atomic_load_explicit(count, memory_order_acquire) < least)
		ps_relax();
}

static void run_group(struct runner *me, uint64_t group)
{
	struct relay *r = me->relay;
	size_t bytes = motion_frame_bytes(), all = TURNS * r->rate;
	uint64_t first = group * r->rate;

	for (uint32_t i = 0; i < r->rate; i++)
		motion_source(me->frames + i * bytes, first + i);
	if (group >= TURNS - 1) /* the group whose place this is, and its last frame, have been read */
		await(&r->unread, group - (TURNS - 2));
	for (uint32_t i = 0; i < r->rate; i++)
		motion_gauss(r->gauss + (first + i) % all * bytes, me->frames + i * bytes);
	await(&r->made, group);
	atomic_store_explicit(&r->made, group + 1, memory_order_release);
	for (uint32_t i = 0; i < r->rate; i++)
		motion_threshold(me->moved + i * bytes, r->gauss + (first + i) % all * bytes,
			r->gauss + (first + i + all - 1) % all * bytes);
	await(&r->unread, group);
	atomic_store_explicit(&r->unread, group + 1, memory_order_release);
	for (uint32_t i = 0; i < r->rate; i++) {
		motion_median(me->clean + i * bytes, me->moved + i * bytes);
		me->hash += motion_sink(me->clean + i * bytes, first + i);
	}
}

static void *run_groups(void *arg)
{
	struct runner *me = arg;
	size_t bytes = me->relay->rate * motion_frame_bytes() / LINE * LINE + 2 * LINE;
	uint8_t *memory = rounds_alloc(3 * bytes);

	me->frames = memory;
	me->moved = memory + bytes;
	me->clean = memory + 2 * bytes;
	for (uint64_t group = me->index; group < me->relay->groups; group += 2)
		run_group(me, group);
	free(memory);
	return NULL;
}

static uint64_t run_in_turn(const void *arg, uint64_t items)
{
	const uint32_t *rate = arg;
	struct relay relay = { .rate = *rate, .groups = items / *rate };
	struct runner runners[2] = { { .relay = &relay }, { .relay = &relay, .index = 1 } };
	pthread_t other;

	relay.gauss = rounds_alloc(
		TURNS * relay.rate * motion_frame_bytes()); /* zeros: the frame before the first */
	if (pthread_create(&other, NULL, run_groups, &runners[1]))
		rounds_fail("no thread");
	run_groups(&runners[0]);
	pthread_join(other, NULL);
	free(relay.gauss);
	return runners[0].hash + runners[1].hash;
}

/* -- the table -- */

int main(int argc, char **argv)
{
	/* windows of more frames than these leave every cache */
	static const struct motion_way ways[] = { { 0, 1, 2 }, { 0, 1, 8 }, { 0, 1, 16 }, { 0, 4, 2 },
		{ 0, 4, 8 }, { 0, 8, 2 }, { 0, 8, 8 }, { 0, 16, 2 }, { 0, 1, 2, true }, { 0, 1, 8, true },
		{ 0, 1, 16, true }, { 0, 4, 8, true }, { 1, 1, 2 }, { 1, 1, 4 }, { 1, 4, 2 }, { 2, 1, 2 },
		{ 2, 1, 4 }, { 2, 1, 8 }, { 2, 2, 2 }, { 2, 2, 4 }, { 2, 4, 2 }, { 2, 4, 4 }, { 2, 4, 8 } };
	static const uint32_t turns[] = { 1, 2, 4 };
	static struct rounds_table table = { .unit = "frames/s", .scale = 1, .least = 2 * RATE_MOST };
	struct rounds_options o =
		rounds_parse(argc, argv, MOTION_OPTIONS, motion_option, MOTION_HELP MOTION_ABOUT);
	struct rounds_variant *v;
	char title[96], family[64];

	motion_open();
	if (!motion_is_light())
		table.expect = motion_run_light;
	snprintf(title, sizeof title, "motion detection %s, %" PRIu32 "x%" PRIu32, motion_name(),
		motion_width(), motion_height());
	snprintf(family, sizeof family, "motion detection %s", motion_name());
	table.title = title;
	table.family = family;
	table.sweep = "pixels";
	table.at = (double)motion_width() * motion_height();
	v = rounds_add(&table, motion_run_serial, NULL, "serial");
	v->versus = "serial";
	v->one_thread = true;
	rounds_add(&table, motion_run_ideal, NULL, "ideal, two threads")->versus = "ideal";
	for (const uint32_t *r = turns; r < turns + sizeof turns / sizeof *turns; r++)
		rounds_add(&table, run_in_turn, r, "in turn, two threads, r %" PRIu32, *r)->role =
			ROUNDS_LIMIT;
	for (const struct motion_way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
		if (w->team)
			v = rounds_add(&table, motion_run_network, w, "team %u, r %u, depth %u", w->team,
				w->rate, w->depth);
		else
			v = rounds_add(&table, motion_run_network, w, "threads%s, r %u, depth %u",
				w->fixed ? ", fixed" : "", w->rate, w->depth);
		v->one_thread = w->team == 1;
	}
	rounds_run(&o, &table);
	motion_close();
	return 0;
}
