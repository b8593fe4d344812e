/* SPDX-License-Identifier: MIT */
/*
 * A token from one actor to another on the other core, in the steady state: nanoseconds for one of 4 bytes to
 * 1 MiB, and as a ratio to one thread that only copies it twice and to hand-written double buffers, whose two
 * sides spin or sleep. oneTBB does the same where configure has found it.
 *
 * Why it is fair: in all of them the writer copies a token of its own in and the reader copies it out to a
 * place of its own; the sum of what arrived is checked. The double buffers are two slots with a flag a
 * slot, each on cache lines of their own (spin), or one mutex and two conditions, the copies outside of it
 * (mutex: what DAL's channels are said to be). Spinning holds two cores for nothing and is as fast as it
 * can be; after 10,000 looks it yields, which doesn't happen when nothing else runs. A thread per actor
 * sleeps, and so do mutex and condition: these run a part of the tokens. A team need not move the token to
 * the other core at all: that is why it is there; nor need oneTBB, whose two filters or nodes are serial
 * and share as many slots as there are tokens in flight.
 *
 * Tables: "near" and "far" are the two states of the cores (probe.h); a run in neither, or beside others'
 * work, is in no table. "-" is where no runs can be compared. -c: of one thread the processor's time, for
 * busy machines.
 *
 * Usage: handover [-b BYTES] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "benchmarks/common/number.h"
#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/peers/hop_tbb.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, SPINS = 10000, SLOTS_MOST = 16 };

static size_t token_bytes; /* constant while anything runs */

/* One side's own token. */
struct side {
	uint8_t *token;
	uint64_t sum; /* reader's */
};

static void make_token(struct side *s, void *to, uint64_t index)
{
	uint32_t number = (uint32_t)index;

	memcpy(s->token, &number, sizeof number);
	memcpy(to, s->token, token_bytes);
}

static void take_token(struct side *s, const void *from, uint64_t index)
{
	uint32_t number;

	memcpy(s->token, from, token_bytes);
	memcpy(&number, s->token, sizeof number);
	s->sum += rounds_hash_at(number + UINT64_C(1), index) + s->token[token_bytes - 1];
}

static void open_side(struct side *s)
{
	*s = (struct side){ rounds_alloc(token_bytes), 0 };
	memset(s->token, 'p', token_bytes);
}

static uint64_t expected(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	(void)arg;
	for (uint64_t i = 0; i < items; i++)
		sum += rounds_hash_at((uint32_t)i + UINT64_C(1), i) +
		       (token_bytes > sizeof(uint32_t) ? 'p' : (uint32_t)i >> 24);
	return sum;
}

/* -- one thread, which hands nothing over -- */

static uint64_t run_serial(const void *arg, uint64_t items)
{
	struct side writer, reader;
	uint8_t *slot = rounds_alloc(token_bytes);

	(void)arg;
	open_side(&writer);
	open_side(&reader);
	for (uint64_t i = 0; i < items; i++) {
		make_token(&writer, slot, i);
		take_token(&reader, slot, i);
	}
	free(slot);
	free(writer.token);
	free(reader.token);
	return reader.sum;
}

/* -- by hand -- */

struct slot {
	_Alignas(2 * LINE) atomic_bool full;
	_Alignas(2 * LINE) uint8_t *token;
};

struct hand {
	struct slot slots[2];
	uint64_t items; /* constant */
	struct side writer, reader;
	pthread_mutex_t lock;
	pthread_cond_t changed[2]; /* written, read */
	uint64_t counts[2];        /* guarded by lock: tokens written, read */
};

/* What a thread of it gets. */
struct hand_arg {
	struct hand *hand;
	int core; /* -1: free */
};

static void stay_on(int core)
{
	cpu_set_t set;

	if (core < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void spin_until(const atomic_bool *flag, bool value)
{
	for (unsigned spins = 1; atomic_load_explicit(flag, memory_order_acquire) != value; spins++)
		if (spins % SPINS == 0)
			sched_yield();
}

static void *spin_write(void *arg)
{
	const struct hand_arg *a = arg;
	struct hand *h = a->hand;

	stay_on(a->core);
	for (uint64_t i = 0; i < h->items; i++) {
		struct slot *s = &h->slots[i % 2];

		spin_until(&s->full, false);
		make_token(&h->writer, s->token, i);
		atomic_store_explicit(&s->full, true, memory_order_release);
	}
	return NULL;
}

static void *spin_read(void *arg)
{
	const struct hand_arg *a = arg;
	struct hand *h = a->hand;

	stay_on(a->core);
	for (uint64_t i = 0; i < h->items; i++) {
		struct slot *s = &h->slots[i % 2];

		spin_until(&s->full, true);
		take_token(&h->reader, s->token, i);
		atomic_store_explicit(&s->full, false, memory_order_release);
	}
	return NULL;
}

enum { WRITTEN, READ };

/* Until a token can be written, or read. */
static void mutex_wait(struct hand *h, int what)
{
	pthread_mutex_lock(&h->lock);
	while (what == READ ? h->counts[WRITTEN] == h->counts[READ]
			    : h->counts[WRITTEN] - h->counts[READ] == 2)
		pthread_cond_wait(&h->changed[!what], &h->lock);
	pthread_mutex_unlock(&h->lock);
}

static void mutex_tell(struct hand *h, int what)
{
	pthread_mutex_lock(&h->lock);
	h->counts[what]++;
	pthread_mutex_unlock(&h->lock);
	pthread_cond_signal(&h->changed[what]);
}

static void *mutex_write(void *arg)
{
	const struct hand_arg *a = arg;
	struct hand *h = a->hand;

	stay_on(a->core);
	for (uint64_t i = 0; i < h->items; i++) {
		mutex_wait(h, WRITTEN);
		make_token(&h->writer, h->slots[i % 2].token, i);
		mutex_tell(h, WRITTEN);
	}
	return NULL;
}

static void *mutex_read(void *arg)
{
	const struct hand_arg *a = arg;
	struct hand *h = a->hand;

	stay_on(a->core);
	for (uint64_t i = 0; i < h->items; i++) {
		mutex_wait(h, READ);
		take_token(&h->reader, h->slots[i % 2].token, i);
		mutex_tell(h, READ);
	}
	return NULL;
}

struct way {
	const char *name;
	bool pinned;
	/* about what handing over costs, nanoseconds: of slow ways a run has fewer tokens */
	double ns;
	void *(*write)(void *), *(*read)(void *); /* by hand */
	unsigned team, depth;                     /* by the library */
	unsigned threads, tokens;                 /* by oneTBB */
};

static uint64_t run_hand(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct hand h = { .items = items,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER } };
	struct hand_arg writer = { &h, way->pinned ? probe_core(0) : -1 },
			reader = { &h, way->pinned ? probe_core(1) : -1 };
	pthread_t threads[2];

	open_side(&h.writer);
	open_side(&h.reader);
	h.slots[0].token = rounds_alloc(token_bytes);
	h.slots[1].token = rounds_alloc(token_bytes);
	if (pthread_create(&threads[0], NULL, way->write, &writer) ||
		pthread_create(&threads[1], NULL, way->read, &reader))
		rounds_fail("no thread");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	free(h.slots[0].token);
	free(h.slots[1].token);
	free(h.writer.token);
	free(h.reader.token);
	return h.reader.sum;
}

/* -- by the library -- */

struct run {
	uint64_t items;       /* constant */
	struct side sides[2]; /* the writer's, the reader's */
};

static int write_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	make_token(&run->sides[0], pstk_fifo_write_start(f, 0), i);
	pstk_fifo_write_end(f, 0);
	return i + 1 == run->items ? PSTK_DONE : PSTK_AGAIN;
}

static int read_fire(struct pstk_firing *f)
{
	struct run *run = pstk_actor_arg(pstk_firing_actor(f));

	take_token(&run->sides[1], pstk_fifo_read_start(f, 0), pstk_firing_index(f));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, enum pstk_port_kind kind,
	int (*fire)(struct pstk_firing *), struct run *run)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name,
			.ports = &(const struct pstk_port){ .name = "port", .kind = kind }, .port_count = 1,
			.fire = fire),
		run);
}

static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *way = arg;
	struct run run = { .items = items };
	struct pstk_network *net = pstk_network_create("handover");
	struct pstk_actor *writer = add(net, "writer", PSTK_OUTPUT, write_fire, &run),
			  *reader = add(net, "reader", PSTK_INPUT, read_fire, &run);

	open_side(&run.sides[0]);
	open_side(&run.sides[1]);
	pstk_connect(writer, "port", reader, "port",
		PSTK_FIFO(.rate = 1, .depth = way->depth, .token_size = token_bytes));
	pstk_network_set_threads(net, way->team);
	if (way->pinned) {
		pstk_actor_pin(writer, (unsigned)probe_core(0));
		pstk_actor_pin(reader, (unsigned)probe_core(1));
	}
	rounds_run_network(net);
	free(run.sides[0].token);
	free(run.sides[1].token);
	return run.sides[1].sum;
}

/* -- by oneTBB -- */

#ifdef HOP_TBB
struct slots {
	uint8_t *tokens[SLOTS_MOST];
	unsigned count;
	struct side sides[2];
};

static void tbb_make(void *arg, uint64_t index)
{
	struct slots *s = arg;

	make_token(&s->sides[0], s->tokens[index % s->count], index);
}

static void tbb_take(void *arg, uint64_t index)
{
	struct slots *s = arg;

	take_token(&s->sides[1], s->tokens[index % s->count], index);
}

typedef void tbb_run(const struct hop_tbb *, const struct hop_tbb_pair *, uint64_t items);

static uint64_t run_tbb(const struct way *way, tbb_run *run, uint64_t items)
{
	struct slots s = { .count = way->tokens };
	struct hop_tbb hop = { .actors = 2, .threads = way->threads, .tokens = way->tokens };

	open_side(&s.sides[0]);
	open_side(&s.sides[1]);
	for (unsigned i = 0; i < s.count; i++)
		s.tokens[i] = rounds_alloc(token_bytes);
	run(&hop, &(struct hop_tbb_pair){ tbb_make, tbb_take, &s }, items);
	for (unsigned i = 0; i < s.count; i++)
		free(s.tokens[i]);
	free(s.sides[0].token);
	free(s.sides[1].token);
	return s.sides[1].sum;
}

static uint64_t run_pipeline(const void *arg, uint64_t items)
{
	return run_tbb(arg, hop_tbb_pair_pipeline, items);
}

static uint64_t run_flow(const void *arg, uint64_t items)
{
	return run_tbb(arg, hop_tbb_pair_flow, items);
}

/* As many tokens in flight as windows for the library's team. */
static const struct way tbb_ways[] = {
	{ .name = "pipeline, tokens 4, 2 threads", .ns = 200, .threads = 2, .tokens = 4 },
	{ .name = "pipeline, tokens 16, 2 threads", .ns = 200, .threads = 2, .tokens = 16 },
	{ .name = "flow_graph, tokens 4, 2 threads", .ns = 500, .threads = 2, .tokens = 4 },
};
#endif

/* -- the tables -- */

static const struct way ways[] = {
	{ .name = "spin, pinned", .pinned = true, .ns = 300, .write = spin_write, .read = spin_read },
	{ .name = "spin, free", .ns = 300, .write = spin_write, .read = spin_read },
	{ .name = "mutex, pinned", .pinned = true, .ns = 2e4, .write = mutex_write, .read = mutex_read },
	{ .name = "mutex, free", .ns = 2e4, .write = mutex_write, .read = mutex_read },
	{ .name = "threads, pinned, depth 2", .pinned = true, .ns = 6e3, .depth = 2 },
	{ .name = "threads, pinned, depth 16", .pinned = true, .ns = 1e3, .depth = 16 },
	{ .name = "threads, free, depth 2", .ns = 6e3, .depth = 2 },
	{ .name = "threads, free, depth 16", .ns = 1e3, .depth = 16 },
	{ .name = "team 2, pinned, depth 4", .pinned = true, .ns = 200, .team = 2, .depth = 4 },
	{ .name = "team 2, free, depth 4", .ns = 100, .team = 2, .depth = 4 },
	{ .name = "team 2, free, depth 16", .ns = 100, .team = 2, .depth = 16 },
	{ .name = "team 1, depth 2", .ns = 60, .team = 1, .depth = 2 },
};

static unsigned divide_of(const struct way *w)
{
	double copies_ns = 10 + (double)token_bytes * 0.04;

	return (unsigned)(w->ns / copies_ns) + 1;
}

static void add_way(struct rounds_table *t, const struct way *w)
{
	struct rounds_variant *v;

	if (w->pinned && probe_core(1) < 0)
		return;
	v = rounds_add(t, w->write ? run_hand : run_library, w, "%s", w->name);
	v->one_thread = w->team == 1;
	v->divide = divide_of(w);
	if (w->write)
		v->role = ROUNDS_LIMIT;
	if (w->write == spin_write && t->count == 2)
		v->versus = "spin";
	else if (w->write == mutex_write && w->pinned)
		v->versus = "mutex";
}

static void add_peers(struct rounds_table *t)
{
#ifdef HOP_TBB
	for (const struct way *w = tbb_ways; w < tbb_ways + sizeof tbb_ways / sizeof *tbb_ways; w++) {
		struct rounds_variant *v =
			rounds_add(t, *w->name == 'p' ? run_pipeline : run_flow, w, "%s", w->name);

		v->divide = divide_of(w);
		v->role = ROUNDS_PEER;
	}
#else
	(void)t;
#endif
}

static void measure(const struct rounds_options *o, size_t bytes)
{
	static struct rounds_table table;
	struct rounds_variant *v;
	char title[64];

	token_bytes = bytes;
	snprintf(title, sizeof title, "hand-over of %zu bytes", bytes);
	table = (struct rounds_table){ .title = title,
		.unit = "ns a token",
		.scale = 1,
		.times = true,
		.least = 2,
		.expect = expected,
		.family = "hand-over of a token",
		.sweep = "bytes",
		.at = (double)bytes };
	v = rounds_add(&table, run_serial, NULL, "two copies, one thread");
	v->versus = "copies";
	v->role = ROUNDS_SERIAL;
	v->one_thread = true;
	for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++)
		add_way(&table, w);
	add_peers(&table);
	rounds_run(o, &table);
}

static size_t only_bytes;

static bool option(int c, const char *arg)
{
	uint64_t bytes;

	if (c != 'b' || !number_whole(arg, sizeof(uint32_t), 1 << 28, &bytes))
		return false;
	only_bytes = (size_t)bytes;
	return true;
}

int main(int argc, char **argv)
{
	/* 76800 is a frame of 320x240 */
	static const size_t sizes[] = { 4, 256, 4096, 16384, 76800, 1 << 20 };
	struct rounds_options o = rounds_parse(argc, argv, "b:", option,
		"  -b BYTES    of a token, from 4 on (4, 256, 4096, 16384, 76800, 1048576)\n\n"
		"What it takes to hand a token from one actor to another: ns a token, the copies in and out\n"
		"included. \"spin\" and \"mutex\" are double buffers by hand, \"threads\" and \"team N\" the "
		"library,\n"
		"pipeline and flow_graph oneTBB.\n");

	if (only_bytes) {
		measure(&o, only_bytes);
		return 0;
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		measure(&o, sizes[i]);
	return 0;
}
