/* SPDX-License-Identifier: MIT */
/* What stages of random networks do. */
#include "tests/random/pipes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { LOOP = 300 };

/* One firing of a stage. */
struct one {
	struct pstk_firing *f;
	struct pipe_stage *stage;
	const struct pipe *pipe;
	const struct stage *plan;
	uint64_t item;
	unsigned k;
	struct stages_item expected;
	struct test_rng rng;
	void *window[NET_PORTS];            /* NULL: not started */
	const struct pipes_windows *copies; /* NULL: on the cores */
	bool failed;                        /* one could not be closed */
};

void pipes_foretell(const struct pipe *pipe, uint64_t item, struct stages_item *expected)
{
	const struct run_actor *actor = pipe->actor;
	uint32_t valid[NET_PORTS] = { 0 };

	for (unsigned p = 0; p < actor->spec->port_count; p++)
		if (net_reads(actor->spec->ports[p].kind))
			valid[p] = oracle_window(actor->oracle, actor->fifo[p], item);
	stages_foretell(&pipe->plan, item, valid, expected);
}

/*
 * Tokens.
 */

/* As net_fill() has written it, however large it is. */
static bool is_token(uint64_t key, uint64_t number, const unsigned char *bytes, size_t size)
{
	uint64_t word = test_mix(key + number);

	for (size_t at = 0; at < size; at += 8, word = test_mix(word))
		if (memcmp(bytes + at, &word, size - at < 8 ? size - at : 8) != 0)
			return false;
	return true;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static bool holds_inner(const struct one *one, unsigned p, uint32_t valid)
{
	const struct net_port *port = &one->plan->actor.ports[p];
	const unsigned char *window = one->window[p];

	for (uint32_t i = 0; i < valid; i++)
		if (!is_token(one->plan->ports[p].key, one->item * port->rate + i,
			    window + i * port->token_size, port->token_size))
			return false;
	return is_zero(window + valid * port->token_size, (port->rate - valid) * port->token_size);
}

static const char *check(const struct one *one, unsigned *port)
{
	const uint32_t *told = one->expected.told[one->k];
	unsigned p;

	for (p = *port = 0; p < one->plan->actor.port_count; p++) {
		unsigned border = one->plan->ports[p].border;

		*port = p;
		if (pstk_port_valid(one->f, p) != told[p])
			return "has another number of valid tokens";
		if (!net_reads(one->plan->actor.ports[p].kind) || !one->window[p])
			continue;
		if (border == STAGES_INNER ? !holds_inner(one, p, told[p])
					   : !run_window_holds(one->pipe->actor, border, one->item, told[p],
						     one->window[p]))
			return "reads other tokens";
	}
	return pstk_firing_steps(one->f) == net_steps(&one->plan->actor, told) ? NULL : "has other steps";
}

/*
 * Loops.
 */

struct loop {
	const struct one *one;
	size_t count, grain;
	atomic_uint hits[LOOP], wrong;
	bool nests;
	unsigned port; /* of a loop that fills a window */
};

static void count_one(void *data, size_t from, size_t to)
{
	unsigned *sum = data;

	*sum += (unsigned)(to - from);
}

static void hit(void *data, size_t from, size_t to)
{
	struct loop *loop = data;
	unsigned sum = 0;

	if (from >= to || to > loop->count || (to - from < loop->grain && to != loop->count))
		atomic_fetch_add(&loop->wrong, 1);
	for (size_t i = from; i < to && i < LOOP; i++)
		atomic_fetch_add(&loop->hits[i], 1);
	if (!loop->nests)
		return;
	pstk_parallel_for(
		loop->one->f, to - from, 1, count_one, &sum); /* all in this thread: sum is its own */
	if (sum != to - from)
		atomic_fetch_add(&loop->wrong, 1);
}

static const char *run_loop(struct one *one)
{
	struct loop loop = {
		.one = one, .count = test_between(&one->rng, 0, LOOP), .nests = test_chance(&one->rng, 20)
	};

	loop.grain = test_chance(&one->rng, 30) ? 0 : test_between(&one->rng, 1, 60);
	if (pstk_parallel_for(one->f, loop.count, loop.grain, hit, &loop))
		return "has a loop that fails";
	for (size_t i = 0; i < LOOP; i++)
		if (atomic_load(&loop.hits[i]) != (i < loop.count))
			return "has a loop with an index that was not in one part";
	return atomic_load(&loop.wrong) ? "has a loop with wrong parts" : NULL;
}

static void fill(void *data, size_t from, size_t to)
{
	const struct loop *loop = data;
	const struct one *one = loop->one;
	const struct net_port *port = &one->plan->actor.ports[loop->port];
	unsigned char *window = one->window[loop->port];

	for (size_t i = from; i < to && port->group >= 0; i++)
		((uint32_t *)one->window[loop->port])[i] =
			net_value(one->pipe->plan.net, one->pipe->actor->oracle->sequences,
				(unsigned)port->group, one->item * port->rate + i);
	for (size_t i = from; i < to && port->group < 0; i++)
		net_fill(one->plan->ports[loop->port].key, one->item * port->rate + i,
			window + i * port->token_size, port->token_size);
}

static void fill_output(struct one *one, unsigned p)
{
	struct loop loop = { .one = one, .port = p };
	uint32_t rate = one->plan->actor.ports[p].rate;

	if (!one->copies && test_chance(&one->rng, 50))
		pstk_parallel_for(one->f, rate, test_between(&one->rng, 0, 4), fill, &loop);
	else
		fill(&loop, 0, rate);
}

/*
 * A firing.
 */

static void *start_window(struct one *one, unsigned p)
{
	bool reads = net_reads(one->plan->actor.ports[p].kind);

	if (one->copies)
		return one->copies->open(one->f, p, reads);
	return reads ? (void *)pstk_fifo_read_start(one->f, p) : pstk_fifo_write_start(one->f, p);
}

/* On a device a window that was asked for has at least one token. */
static bool is_left(const struct one *one, unsigned p)
{
	return one->expected.left[one->k][p] ||
	       (!net_reads(one->plan->actor.ports[p].kind) && !one->expected.moved[one->k][p]);
}

static const char *open_window(struct one *one, unsigned p)
{
	const struct net_port *port = &one->plan->actor.ports[p];
	size_t lowest = port->token_size & -port->token_size;
	void *window;

	if (!pstk_port_enabled(one->f, p))
		return "is off";
	if (one->copies ? is_left(one, p) : one->expected.left[one->k][p] && test_chance(&one->rng, 50))
		return NULL; /* not even started */
	window = start_window(one, p);
	if (!window)
		return "gets no window";
	if ((uintptr_t)window % (lowest < 64 ? lowest : 64) != 0)
		return "gets a window that is not aligned";
	one->window[p] = window;
	return NULL;
}

static void close_window(struct one *one, unsigned p)
{
	const struct net_port *port = &one->plan->actor.ports[p];
	uint32_t moved = one->expected.moved[one->k][p];

	if (!one->window[p])
		return;
	if (one->copies)
		one->failed |= one->copies->close(one->f, p, net_reads(port->kind), moved) != 0;
	else if (one->expected.left[one->k][p]) {
		if (!net_reads(port->kind) && test_chance(&one->rng, 50))
			pstk_fifo_write_end_partial(one->f, p, 0);
	} else if (net_reads(port->kind)) {
		pstk_fifo_read_end(one->f, p);
	} else if (moved != one->expected.told[one->k][p] || (moved == port->rate && one->item % 7 == 3)) {
		pstk_fifo_write_end_partial(one->f, p, moved);
	} else {
		pstk_fifo_write_end(one->f, p);
	}
}

static int complain(const struct one *one, unsigned port, const char *what)
{
	return pstk_actor_error(
		pstk_firing_actor(one->f), -EILSEQ, "port %u in item %" PRIu64 " %s", port, one->item, what);
}

static void dawdle(struct one *one)
{
	run_dawdle(&one->rng, one->pipe->actor->spec->dawdle);
}

static int run_windows(struct one *one)
{
	unsigned count = one->plan->actor.port_count, order[NET_PORTS], port = 0;
	const char *what = NULL;

	run_shuffle(&one->rng, order, count);
	for (unsigned i = 0; i < count && !what; i++) {
		port = order[i];
		what = open_window(one, port);
		dawdle(one);
	}
	if (!what)
		what = check(one, &port);
	for (unsigned p = 0; p < count && !what; p++)
		if (one->window[p] && !net_reads(one->plan->actor.ports[p].kind))
			fill_output(one, p);
	dawdle(one);
	if (!what && !one->copies && test_chance(&one->rng, 40))
		what = run_loop(one);
	if (!what)
		what = check(one, &port); /* no thread has touched the windows meanwhile */
	if (what)
		return complain(one, port, what);
	run_shuffle(&one->rng, order, count);
	for (unsigned i = 0; i < count; i++)
		close_window(one, order[i]);
	return one->failed ? complain(one, 0, "has a window that can't be closed") : 0;
}

/* No more items are in a stage than there are threads that carry them, or than may be in flight. */
static uint64_t most(const struct pipe *pipe)
{
	const struct net_actor *spec = pipe->actor->spec;

	return spec->in_flight < spec->cores + 1 ? spec->in_flight : spec->cores + 1;
}

/* A window is left with PSTK_DONE. */
static int result(const struct one *one)
{
	bool done = one->expected.done[one->k];

	for (unsigned p = 0; one->copies && p < one->plan->actor.port_count; p++)
		done |= is_left(one, p);
	return done ? PSTK_DONE : PSTK_AGAIN;
}

int pipes_fire_on(struct pstk_firing *f, const struct pipes_windows *copies)
{
	struct pipe_stage *stage = pstk_actor_arg(pstk_firing_actor(f));
	struct one one = { .f = f,
		.stage = stage,
		.pipe = stage->of,
		.k = stage->number,
		.item = pstk_firing_index(f),
		.copies = copies };
	uint64_t before = atomic_fetch_add(&stage->begun, 1), ran = atomic_load(&stage->ran);
	int err;

	pipes_switch_any(one.pipe->actor);
	one.plan = &one.pipe->plan.list[one.k];
	one.rng.state = test_mix(test_mix(one.pipe->plan.net->seed + one.pipe->plan.number) ^
				 (one.item * STAGES_MOST + one.k));
	pipes_foretell(one.pipe, one.item, &one.expected);
	if (before >= ran + most(one.pipe))
		return complain(&one, 0, "is one item too many side by side");
	if (!one.expected.fired[one.k])
		return complain(&one, 0, "is fired though an input has no token");
	err = run_windows(&one);
	if (err)
		return err;
	atomic_fetch_add(&stage->numbers, test_mix(one.item));
	atomic_fetch_add(&stage->ran, 1);
	if (pipes_fails_at(one.pipe, one.item) == one.k)
		return pstk_actor_error(pstk_firing_actor(f), -EIO, "item %" PRIu64 " fails", one.item);
	return result(&one);
}

int pipes_fire(struct pstk_firing *f)
{
	return pipes_fire_on(f, NULL);
}
