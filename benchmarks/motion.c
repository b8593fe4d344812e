/* SPDX-License-Identifier: MIT */
/*
 * Motion detection on the cores: frames a second of the library, a thread per actor and a team, against the
 * same kernels called by one thread and by two that share nothing (the ideal).
 *
 *	source -> gauss -> thres -> median -> sink,  gauss also -> thres one frame later
 *
 * serial  one thread calls one kernel after the other for each frame, on four buffers that stay in its cache.
 * ideal   two threads do so for one half of the frames each; the second begins with one gauss more than it
 *         has frames, for the frame before its first. They wait for nothing but the end: nobody can be
 *         faster with these kernels.
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
#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/threshold/threshold.h"
#include "benchmarks/motion_kernels.h"
#include "benchmarks/rounds.h"
#include "lib/relax.h"

#include <inttypes.h>
#include <penstock/actors.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFTS = 16, THRESHOLD = 20, LINE = 64, RATE_MOST = 16, MOST = 16384 };

static const struct motion_kernels light = { "light", ps_gauss5x5_frame, ps_threshold_bytes,
	ps_median5_frame };

/* Constant while anything runs. */
static const struct motion_kernels *kernels = &light;
static uint32_t width = 320, height = 240;
static uint8_t *picture; /* SHIFTS rows more than a frame */

static size_t frame_bytes(void)
{
	return (size_t)width * height;
}

/* -- what all do -- */

static void make_picture(void)
{
	size_t bytes = (size_t)width * (height + SHIFTS);
	uint32_t seed = 1;

	picture = rounds_alloc(bytes);
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		picture[i] = (uint8_t)((i % width / 8 * 16 + i / width / 8 * 32) % 200 + (seed >> 27));
	}
}

/* A picture that moves up by another number of rows in each frame. */
static void make_frame(uint8_t *frame, uint64_t index)
{
	memcpy(frame, picture + (size_t)(index * 7 % SHIFTS) * width, frame_bytes());
}

static uint64_t look_at(const uint8_t *frame, uint64_t index)
{
	return rounds_hash_at(rounds_hash(frame, frame_bytes() / LINE * LINE), index);
}

/* -- without the library -- */

/* Frames first .. end - 1 of one thread. */
struct part {
	uint64_t first, end, hash;
};

static void *run_part(void *arg)
{
	struct part *p = arg;
	size_t bytes = (frame_bytes() + LINE - 1) / LINE * LINE + LINE; /* not at one place of a page all */
	uint8_t *memory = rounds_alloc(5 * bytes), *frame = memory, *now = frame + bytes,
		*before = now + bytes, *moved = before + bytes, *clean = moved + bytes;

	if (p->first) {
		make_frame(frame, p->first - 1);
		kernels->gauss(before, frame, width, height);
	}
	for (uint64_t i = p->first; i < p->end; i++) {
		uint8_t *last = before;

		make_frame(frame, i);
		kernels->gauss(now, frame, width, height);
		kernels->threshold(moved, now, before, THRESHOLD, frame_bytes());
		kernels->median(clean, moved, width, height);
		p->hash += look_at(clean, i);
		before = now;
		now = last;
	}
	free(memory);
	return NULL;
}

static uint64_t run_serial(const void *arg, uint64_t items)
{
	struct part all = { 0, items, 0 };

	(void)arg;
	run_part(&all);
	return all.hash;
}

/* The library's kernels and the heavy ones give the same pixels. */
static uint64_t run_light(const void *arg, uint64_t items)
{
	const struct motion_kernels *chosen = kernels;
	uint64_t hash;

	kernels = &light;
	hash = run_serial(arg, items);
	kernels = chosen;
	return hash;
}

static uint64_t run_ideal(const void *arg, uint64_t items)
{
	struct part parts[2] = { { 0, items / 2, 0 }, { items / 2, items, 0 } };
	pthread_t other;

	(void)arg;
	if (pthread_create(&other, NULL, run_part, &parts[1]))
		rounds_fail("no thread");
	run_part(&parts[0]);
	pthread_join(other, NULL);
	return parts[0].hash + parts[1].hash;
}

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
	size_t bytes = frame_bytes(), all = TURNS * r->rate;
	uint64_t first = group * r->rate;

	for (uint32_t i = 0; i < r->rate; i++)
		make_frame(me->frames + i * bytes, first + i);
	if (group >= TURNS - 1) /* the group whose place this is, and its last frame, have been read */
		await(&r->unread, group - (TURNS - 2));
	for (uint32_t i = 0; i < r->rate; i++)
		kernels->gauss(r->gauss + (first + i) % all * bytes, me->frames + i * bytes, width, height);
	await(&r->made, group);
	atomic_store_explicit(&r->made, group + 1, memory_order_release);
	for (uint32_t i = 0; i < r->rate; i++)
		kernels->threshold(me->moved + i * bytes, r->gauss + (first + i) % all * bytes,
			r->gauss + (first + i + all - 1) % all * bytes, THRESHOLD, bytes);
	await(&r->unread, group);
	atomic_store_explicit(&r->unread, group + 1, memory_order_release);
	for (uint32_t i = 0; i < r->rate; i++) {
		kernels->median(me->clean + i * bytes, me->moved + i * bytes, width, height);
		me->hash += look_at(me->clean + i * bytes, first + i);
	}
}

static void *run_groups(void *arg)
{
	struct runner *me = arg;
	size_t bytes = me->relay->rate * frame_bytes() / LINE * LINE + 2 * LINE;
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

	relay.gauss =
		rounds_alloc(TURNS * relay.rate * frame_bytes()); /* zeros: the frame before the first */
	if (pthread_create(&other, NULL, run_groups, &runners[1]))
		rounds_fail("no thread");
	run_groups(&runners[0]);
	pthread_join(other, NULL);
	free(relay.gauss);
	return runners[0].hash + runners[1].hash;
}

/* -- with the library -- */

struct way {
	unsigned team;
	uint32_t rate, depth;
};

/* What source and sink of a run share; each member belongs to one of them. */
struct run {
	uint64_t frames; /* constant */
	uint64_t hash;   /* sink's */
};

enum { IN, NOW = IN, BEFORE, OUT1 = 1, OUT2 };

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct run *run = pstk_actor_arg(self);
	uint32_t rate = pstk_actor_port_rate(self, 0);
	uint64_t first = pstk_firing_index(f) * rate;
	uint8_t *out = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < rate; i++)
		make_frame(out + i * frame_bytes(), first + i);
	pstk_fifo_write_end(f, 0);
	return first + rate == run->frames ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *in = pstk_fifo_read_start(f, 0);
	uint32_t rate = pstk_port_valid(f, 0);

	for (uint32_t i = 0; i < rate; i++)
		run->hash += look_at(in + i * frame_bytes(), pstk_firing_index(f) * rate + i);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void filter_window(struct pstk_firing *f,
	void (*filter)(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h))
{
	const uint8_t *in = pstk_fifo_read_start(f, IN);
	uint8_t *out = pstk_fifo_write_start(f, OUT1);

	for (uint32_t i = 0; i < pstk_port_valid(f, IN); i++)
		filter(out + i * frame_bytes(), in + i * frame_bytes(), width, height);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT1);
}

static int gauss_fire(struct pstk_firing *f)
{
	filter_window(f, kernels->gauss);
	return PSTK_AGAIN;
}

static int median_fire(struct pstk_firing *f)
{
	filter_window(f, kernels->median);
	return PSTK_AGAIN;
}

static int threshold_fire(struct pstk_firing *f)
{
	const uint8_t *now = pstk_fifo_read_start(f, NOW), *before = pstk_fifo_read_start(f, BEFORE);
	uint8_t *out = pstk_fifo_write_start(f, OUT2);

	kernels->threshold(out, now, before, THRESHOLD, pstk_port_valid(f, NOW) * frame_bytes());
	pstk_fifo_read_end(f, NOW);
	pstk_fifo_read_end(f, BEFORE);
	pstk_fifo_write_end(f, OUT2);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, const struct pstk_port *ports,
	unsigned port_count, int (*fire)(struct pstk_firing *), struct run *run)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = port_count, .fire = fire,
			.stateless = !run),
		run);
}

static const struct pstk_port filter_ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };
static const struct pstk_port threshold_ports[] = { { .name = "now", .kind = PSTK_INPUT },
	{ .name = "before", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT } };

/* gauss, thres, median */
static void add_filters(struct pstk_network *net, struct pstk_actor *filters[3])
{
	struct pstk_frame_size size = { width, height };
	struct pstk_threshold_arg threshold = { THRESHOLD };

	if (kernels == &light) {
		filters[0] = pstk_network_add(net, "gauss", pstk_gauss5x5_type(), &size);
		filters[1] = pstk_network_add(net, "thres", pstk_threshold_type(), &threshold);
		filters[2] = pstk_network_add(net, "median", pstk_median5_type(), &size);
	} else {
		filters[0] = add(net, "gauss", filter_ports, 2, gauss_fire, NULL);
		filters[1] = add(net, "thres", threshold_ports, 3, threshold_fire, NULL);
		filters[2] = add(net, "median", filter_ports, 2, median_fire, NULL);
	}
}

static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { items, 0 };
	struct pstk_network *net = pstk_network_create("motion");
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_actor *filters[3], *source = add(net, "source", &filter_ports[1], 1, source_fire, &run),
				       *sink = add(net, "sink", &filter_ports[0], 1, sink_fire, &run);

	add_filters(net, filters);
	pstk_network_set_threads(net, way->team);
	spec.rate = way->rate;
	spec.depth = way->depth;
	spec.token_size = frame_bytes();
	pstk_connect(source, "out", filters[0], "in", &spec);
	pstk_connect(filters[0], "out", filters[1], "now", &spec);
	pstk_connect(filters[1], "out", filters[2], "in", &spec);
	pstk_connect(filters[2], "out", sink, "in", &spec);
	spec.delay = 1;
	pstk_connect(filters[0], "out", filters[1], "before", &spec);
	rounds_run_network(net);
	return run.hash;
}

/* -- the table -- */

static bool option(int c, const char *arg)
{
	char more;

	if (c == 'H')
		kernels = &motion_heavy;
	else
		return sscanf(arg, "%" SCNu32 "x%" SCNu32 "%c", &width, &height, &more) == 2 && width &&
		       height && width <= MOST && height <= MOST;
	return true;
}

int main(int argc, char **argv)
{
	/* windows of more frames than these leave every cache */
	static const struct way ways[] = { { 0, 1, 2 }, { 0, 1, 8 }, { 0, 1, 16 }, { 0, 4, 2 }, { 0, 4, 8 },
		{ 0, 8, 2 }, { 0, 8, 8 }, { 0, 16, 2 }, { 1, 1, 2 }, { 1, 1, 4 }, { 1, 4, 2 }, { 2, 1, 2 },
		{ 2, 1, 4 }, { 2, 1, 8 }, { 2, 2, 2 }, { 2, 2, 4 }, { 2, 4, 2 }, { 2, 4, 4 }, { 2, 4, 8 } };
	static const uint32_t turns[] = { 1, 2, 4 };
	static struct rounds_table table = { .unit = "frames/s", .scale = 1, .least = 2 * RATE_MOST };
	struct rounds_options o = rounds_parse(argc, argv, "HS:", option,
		"  -H          heavy: scalar kernels of about 1.5 ms a frame\n"
		"  -S WxH      size of a frame (320x240)\n");
	struct rounds_variant *v;
	char title[96], family[64];

	make_picture();
	if (kernels != &light)
		table.expect = run_light;
	snprintf(title, sizeof title, "motion detection %s, %" PRIu32 "x%" PRIu32, kernels->name, width,
		height);
	snprintf(family, sizeof family, "motion detection %s", kernels->name);
	table.title = title;
	table.family = family;
	table.sweep = "pixels";
	table.at = (double)frame_bytes();
	v = rounds_add(&table, run_serial, NULL, "serial");
	v->versus = "serial";
	v->one_thread = true;
	rounds_add(&table, run_ideal, NULL, "ideal, two threads")->versus = "ideal";
	for (const uint32_t *r = turns; r < turns + sizeof turns / sizeof *turns; r++)
		rounds_add(&table, run_in_turn, r, "in turn, two threads, r %" PRIu32, *r)->role =
			ROUNDS_LIMIT;
	for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
		if (w->team)
			v = rounds_add(&table, run_library, w, "team %u, r %u, depth %u", w->team, w->rate,
				w->depth);
		else
			v = rounds_add(&table, run_library, w, "threads, r %u, depth %u", w->rate, w->depth);
		v->one_thread = w->team == 1;
	}
	rounds_run(&o, &table);
	free(picture);
	return 0;
}
