/* SPDX-License-Identifier: MIT */
/*
 * Buffers on the cores that share memory as planned: random networks of actors that write and read slowly. Each token
 * is a hash of its output, window and place, and is looked at twice: when a window is taken, and before it is given
 * back. Each actor also looks whether what it has written is still there.
 */
#include "lib/base/memory.h"
#include "lib/model/network.h"
#include "penstock/plan.h"
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ACTORS = 10, INPUTS = 2, OUTPUTS = 2, FIRINGS = 60, NETWORKS = 300, LOOP_FIRINGS = 40 };

/* How a run ends, besides by its source. */
enum end { BY_SOURCE, EARLY, STOPPED, ABORTED, FAILED, ENDS };

struct node {
	struct graph *graph;
	unsigned index, inputs, from[INPUTS];
	uint32_t rate;        /* of its output */
	bool writes[OUTPUTS]; /* the first one is for first inputs, the second one for second inputs */
	bool stateless;
	atomic_uint fired;
};

struct graph {
	struct pstk_network *net;
	struct node nodes[ACTORS];
	unsigned actors;
	uint32_t last; /* valid tokens of the source's last window */
	enum end end;
	unsigned by, at; /* that actor ends it, in that firing */
	atomic_uint wrong;
};

/* Above 0: what is not written is zeros. */
static uint32_t token(unsigned output, uint64_t window, uint32_t i)
{
	return (uint32_t)test_mix(output * UINT64_C(1000003) + window * 4099 + i) | 1;
}

/* Lets others run, for a while that differs. */
static void linger(const struct node *n, uint64_t window, unsigned where)
{
	uint64_t rounds = test_mix(n->index * 77 + window * 13 + where) % 12;

	for (uint64_t i = rounds < 4 ? rounds : 0; i; i--)
		sched_yield();
}

static bool is_right(const uint32_t *tokens, unsigned output, uint64_t window, uint32_t valid)
{
	for (uint32_t i = 0; i < valid; i++)
		if (tokens[i] != token(output, window, i))
			return false;
	return true;
}

static void look(struct node *n, struct pstk_firing *f, const uint32_t *const in[INPUTS])
{
	uint64_t window = pstk_firing_index(f);

	for (unsigned i = 0; i < n->inputs; i++) {
		const struct node *from = &n->graph->nodes[n->from[i]];
		uint32_t valid = pstk_port_valid(f, i);
		bool zeros = true;

		for (uint32_t k = valid; k < from->rate; k++)
			zeros = zeros && !in[i][k];
		if (!zeros || !is_right(in[i], n->from[i] + i * ACTORS, window, valid))
			atomic_fetch_add(&n->graph->wrong, 1);
	}
}

static unsigned port_of(const struct node *n, unsigned output)
{
	return n->inputs + (output ? n->writes[0] : 0);
}

static void write_tokens(struct node *n, struct pstk_firing *f, unsigned output)
{
	uint64_t window = pstk_firing_index(f);
	uint32_t *out = pstk_fifo_write_start(f, port_of(n, output));
	unsigned number = n->index + output * ACTORS;

	for (uint32_t i = 0; i < n->rate; i++) {
		out[i] = token(number, window, i);
		if (i == n->rate / 2)
			linger(n, window, 1 + output);
	}
	linger(n, window, 3 + output);
	if (!is_right(out, number, window, n->rate))
		atomic_fetch_add(&n->graph->wrong, 1);
}

static void end_output(const struct node *n, struct pstk_firing *f, unsigned output, bool last)
{
	uint32_t left = n->graph->last < n->rate ? n->graph->last : n->rate;

	if (last)
		pstk_fifo_write_end_partial(f, port_of(n, output), left);
	else
		pstk_fifo_write_end(f, port_of(n, output));
}

/* What ends the run, by this actor; 0: nothing yet. */
static int end_it(struct node *n, struct pstk_firing *f)
{
	struct graph *g = n->graph;

	if (n->index != g->by || pstk_firing_index(f) != g->at)
		return 0;
	switch (g->end) {
	case STOPPED:
		pstk_network_stop(g->net);
		return 0;
	case ABORTED:
		pstk_network_abort(g->net);
		return 0;
	case FAILED:
		return -EPROTO;
	case EARLY:
		return PSTK_DONE;
	default:
		return 0;
	}
}

static int fire(struct pstk_firing *f)
{
	struct node *n = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in[INPUTS] = { 0 };
	bool last = !n->inputs && n->graph->end != STOPPED && pstk_firing_index(f) + 1 == FIRINGS;
	int rc = end_it(n, f);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < n->inputs; i++)
		in[i] = pstk_fifo_read_start(f, i);
	look(n, f, in);
	for (unsigned o = 0; o < OUTPUTS; o++)
		if (n->writes[o])
			write_tokens(n, f, o);
	linger(n, pstk_firing_index(f), 5);
	look(n, f, in);
	for (unsigned o = 0; o < OUTPUTS; o++)
		if (n->writes[o])
			end_output(n, f, o, last);
	for (unsigned i = 0; i < n->inputs; i++)
		pstk_fifo_read_end(f, i);
	atomic_fetch_add(&n->fired, 1);
	return rc || last ? PSTK_DONE : PSTK_AGAIN;
}

static struct pstk_actor *add(struct graph *g, unsigned index, struct test_rng *rng)
{
	static const struct pstk_port ports[] = { { .name = "in0", .kind = PSTK_INPUT },
		{ .name = "in1", .kind = PSTK_INPUT }, { .name = "out0", .kind = PSTK_OUTPUT },
		{ .name = "out1", .kind = PSTK_OUTPUT } };
	struct node *n = &g->nodes[index];
	struct pstk_port own[INPUTS + OUTPUTS];
	char name[16];

	memcpy(own, ports, n->inputs * sizeof *own);
	for (unsigned o = 0; o < OUTPUTS; o++)
		if (n->writes[o])
			own[port_of(n, o)] = ports[INPUTS + o];
	snprintf(name, sizeof name, "a%u", index);
	n->stateless = index && test_chance(rng, 40);
	return pstk_network_add(g->net, name,
		PSTK_ACTOR_TYPE(.name = "node", .ports = own,
			.port_count = n->inputs + n->writes[0] + n->writes[1], .fire = fire,
			.stateless = n->stateless, .blocks = test_chance(rng, 10)),
		n);
}

/* Each actor but the first reads one before it, often the one just before, and perhaps another. */
static void draw(struct graph *g, struct test_rng *rng)
{
	g->actors = test_between(rng, 3, ACTORS);
	for (unsigned a = 0; a < g->actors; a++) {
		struct node *n = &g->nodes[a];

		n->graph = g;
		n->index = a;
		n->rate = 8 * test_between(rng, 1, 5);
		if (!a)
			continue;
		n->from[n->inputs++] = test_chance(rng, 70) ? a - 1 : test_between(rng, 0, a - 1);
		if (a > 1 && test_chance(rng, 30)) {
			n->from[1] = test_between(rng, 0, a - 1);
			n->inputs++;
		}
		for (unsigned i = 0; i < n->inputs; i++)
			g->nodes[n->from[i]].writes[i] = true;
	}
}

static void build(struct graph *g, uint64_t seed, enum end end)
{
	struct test_rng rng = { test_mix(seed) };
	struct pstk_actor *actors[ACTORS];

	*g = (struct graph){ .net = pstk_network_create("merges"), .end = end };
	draw(g, &rng);
	g->last = test_between(&rng, 1, 40);
	g->by = test_between(&rng, 0, g->actors - 1);
	g->at = test_between(&rng, 0, FIRINGS / 2);
	for (unsigned a = 0; a < g->actors; a++) {
		const struct node *n = &g->nodes[a];

		actors[a] = add(g, a, &rng);
		for (unsigned i = 0; i < n->inputs; i++)
			ck_assert_ptr_nonnull(pstk_connect(actors[n->from[i]], i ? "out1" : "out0", actors[a],
				i ? "in1" : "in0",
				PSTK_FIFO(.rate = g->nodes[n->from[i]].rate, .token_size = 4)));
	}
}

/* What the memory of the plan's groups takes: whole cache lines each. *merged: groups of several buffers. */
static size_t planned_bytes(const struct pstk_plan *plan, unsigned *merged)
{
	size_t bytes[ACTORS * 2] = { 0 }, sum = 0;
	uint32_t depths[ACTORS * 2] = { 0 };
	unsigned members[ACTORS * 2] = { 0 };
	struct pstk_planned_buffer b;

	for (unsigned i = 0; !pstk_plan_get_buffer(plan, i, &b); i++) {
		ck_assert_uint_lt(b.group, ACTORS * 2);
		bytes[b.group] = b.window_bytes > bytes[b.group] ? b.window_bytes : bytes[b.group];
		depths[b.group] = b.depth > depths[b.group] ? b.depth : depths[b.group];
		members[b.group]++;
	}
	*merged = 0;
	for (unsigned g = 0; g < ACTORS * 2; g++) {
		sum += (bytes[g] * depths[g] + 63) / 64 * 64;
		*merged += members[g] > 1;
	}
	return sum;
}

/* Plans it for one host. Returns the bytes that it is to take. */
static size_t plan(struct graph *g, unsigned cores, bool no_merge, unsigned *merged)
{
	struct pstk_machine *machine = pstk_machine_create();
	struct pstk_plan *plan;
	size_t bytes;

	ck_assert_int_ge(pstk_machine_add_host(machine, "c0", cores, 0), 0);
	plan = pstk_plan_create(g->net, machine, PSTK_PLAN(.no_merge = no_merge));
	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	bytes = planned_bytes(plan, merged);
	ck_assert_int_eq(pstk_plan_apply(g->net, plan), 0);
	pstk_plan_destroy(plan);
	pstk_machine_destroy(machine);
	return bytes;
}

static unsigned merged_fifos(const struct graph *g)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pstk_network_fifo_count(g->net); i++) {
		struct pstk_fifo_info info;

		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(g->net, i), &info), 0);
		count += info.merged;
	}
	return count;
}

static void check_result(const struct graph *g, int err, uint64_t seed)
{
	if (g->end == FAILED && err)
		ck_assert_int_eq(err, -EPROTO);
	else if (g->end == ABORTED && err)
		ck_assert_int_eq(err, -ECANCELED);
	else
		ck_assert_msg(!err, "seed %" PRIu64 ": %s", seed, pstk_network_error(g->net));
	ck_assert_msg(!atomic_load(&g->wrong), "seed %" PRIu64 ": %u windows are wrong", seed,
		atomic_load(&g->wrong));
	for (unsigned a = 0; a < g->actors && g->end == BY_SOURCE; a++)
		ck_assert_msg(atomic_load(&g->nodes[a].fired) == FIRINGS,
			"seed %" PRIu64 ": a%u fired %u times", seed, a, atomic_load(&g->nodes[a].fired));
}

/* _i: how it ends. A thread an actor, teams of 1 to 4. One core, where the plan has one window, or two. */
START_TEST(random_networks)
{
	uint64_t seed = test_seed(), end = seed + test_rounds(NETWORKS);
	unsigned shared = 0;

	for (; seed < end; seed++) {
		static struct graph g;
		unsigned merged, said;
		size_t bytes;
		int err;

		test_guard("merged on the cores", seed);
		build(&g, seed, (enum end)_i);
		ck_assert_int_eq(pstk_network_set_threads(g.net, (unsigned)(seed % 5)), 0);
		bytes = plan(&g, 1 + seed / 5 % 2, seed % 17 == 0, &merged);
		said = merged_fifos(&g);
		test_log_start();
		err = pstk_network_run(g.net);
		test_log_stop();
		check_result(&g, err, seed);
		ck_assert_uint_eq(pstk_network_allocated_bytes(g.net), bytes);
		ck_assert_msg(
			merged ? merged_fifos(&g) >= 2 * merged : !merged_fifos(&g), "seed %" PRIu64, seed);
		ck_assert_uint_eq(merged_fifos(&g), said);
		shared += merged;
		pstk_network_destroy(g.net);
	}
	ck_assert_uint_gt(shared, 0);
}
END_TEST

/* A row of n actors on one core. */
static struct graph *build_row(unsigned actors, bool no_merge)
{
	static struct graph g;
	unsigned merged;

	g = (struct graph){ .net = pstk_network_create("row"), .actors = actors };
	for (unsigned a = 0; a < actors; a++) {
		struct test_rng rng = { 1 };

		g.nodes[a] =
			(struct node){ .graph = &g, .index = a, .rate = 16, .writes = { a + 1 < actors } };
		if (a)
			g.nodes[a].from[g.nodes[a].inputs++] = a - 1;
		add(&g, a, &rng);
		if (a)
			pstk_connect(pstk_network_actor(g.net, a - 1), "out0", pstk_network_actor(g.net, a),
				"in0", PSTK_FIFO(.rate = 16, .token_size = 4));
	}
	plan(&g, 1, no_merge, &merged);
	return &g;
}

/* again: it was planned the other way before */
static size_t row_bytes(unsigned actors, bool no_merge, bool again)
{
	struct graph *g = build_row(actors, no_merge != again);
	unsigned merged;
	size_t bytes;

	if (again)
		plan(g, 1, no_merge, &merged);
	ck_assert_int_eq(pstk_network_note_arrivals(g->net), 0);
	ck_assert_int_eq(pstk_network_run(g->net), 0);
	ck_assert_uint_eq(atomic_load(&g->wrong), 0);
	for (unsigned i = 0; i < pstk_network_fifo_count(g->net); i++) {
		struct pstk_arrival arrival;

		ck_assert_int_eq(pstk_fifo_get_arrival(pstk_network_fifo(g->net, i), &arrival), 0);
		ck_assert_uint_ne(arrival.came, PSTK_NO_CYCLE);
	}
	bytes = pstk_network_allocated_bytes(g->net);
	pstk_network_destroy(g->net);
	return bytes;
}

/* The memory of two buffers, or of all of them. */
START_TEST(what_is_saved)
{
	for (unsigned again = 0; again < 2; again++) {
		ck_assert_uint_eq(row_bytes(9, true, again), 8 * 64);
		ck_assert_uint_eq(row_bytes(9, false, again), 2 * 64);
	}
}
END_TEST

/* Whichever allocation of the start fails: it says so, and nothing is left. */
START_TEST(out_of_memory)
{
	int err = -ENOMEM;
	long failed = 0;

	for (; err; failed++) {
		struct graph *g = build_row(5, false);

		test_log_start();
		ps_memory_fail_at = failed;
		err = pstk_network_start(g->net);
		ps_memory_fail_at = -1;
		test_log_stop();
		ck_assert(!err || err == -ENOMEM);
		pstk_network_destroy(g->net);
	}
	ck_assert_int_gt(failed, 10);
}
END_TEST

/*
 * A window that a dynamic actor drops keeps w's reader behind x. Then x waits for memory that only r can give back:
 *
 * 	s -+-> w ----------------> r -> sink
 * 	   +-> x -> drops -(1)-> r
 *
 * r takes w's window n with window n - 1 of drops, which drops its first one. Apart they run: r stays one behind.
 */
struct loop {
	struct pstk_network *net;
	atomic_uint came;
};

struct copy {
	struct loop *loop;
	unsigned first, inputs; /* behind the control port */
	bool writes;
};

static int copy_fire(struct pstk_firing *f)
{
	const struct copy *c = pstk_actor_arg(pstk_firing_actor(f));
	unsigned out = c->first + c->inputs;

	for (unsigned p = c->first; p < out; p++) {
		pstk_fifo_read_start(f, p);
		pstk_fifo_read_end(f, p);
	}
	if (c->writes && pstk_port_enabled(f, out)) {
		uint32_t *value = pstk_fifo_write_start(f, out);

		*value = pstk_firing_index(f) > 0;
		pstk_fifo_write_end(f, out);
	}
	atomic_fetch_add(&c->loop->came, !c->writes);
	return !c->inputs && pstk_firing_index(f) + 1 == LOOP_FIRINGS ? PSTK_DONE : PSTK_AGAIN;
}

static int drop_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 2, value);
	return 0;
}

static struct pstk_actor *add_copy(struct loop *l, const char *name, unsigned inputs, bool writes)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "in1", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT } };
	struct copy copy = { .loop = l, .inputs = inputs, .writes = writes };
	struct pstk_port own[3];

	memcpy(own, ports, inputs * sizeof *own);
	own[inputs] = ports[2];
	return pstk_network_add(l->net, name,
		PSTK_ACTOR_TYPE(.name = "copy", .ports = own, .port_count = inputs + writes,
			.fire = copy_fire, .arg_size = sizeof copy),
		&copy);
}

static void build_loop(struct loop *l)
{
	static const struct pstk_port dynamic[] = { { .name = "control", .kind = PSTK_CONTROL },
		{ .name = "in", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_DYNAMIC_OUTPUT } };
	const struct pstk_fifo_spec *plain = PSTK_FIFO(.rate = 1, .token_size = 4),
				    *late = PSTK_FIFO(.rate = 1, .token_size = 4, .delay = 1);
	struct pstk_actor *s, *w, *r, *x, *drops;

	*l = (struct loop){ .net = pstk_network_create("loop") };
	pstk_network_set_flags(l->net, PSTK_UNCHECKED);
	s = add_copy(l, "s", 0, true);
	w = add_copy(l, "w", 1, true);
	r = add_copy(l, "r", 2, true);
	x = add_copy(l, "x", 1, true);
	drops = pstk_network_add(l->net, "drops",
		PSTK_ACTOR_TYPE(.name = "drops", .ports = dynamic, .port_count = 3, .fire = copy_fire,
			.control = drop_control, .arg_size = sizeof(struct copy)),
		&(struct copy){ .loop = l, .first = 1, .inputs = 1, .writes = true });
	pstk_connect(s, "out", w, "in", plain);
	pstk_connect(s, "out", x, "in", plain);
	pstk_connect(w, "out", r, "in", plain);
	pstk_connect(x, "out", drops, "in", plain);
	pstk_connect(drops, "out", r, "in1", late);
	pstk_connect(add_copy(l, "c", 0, true), "out", drops, "control", plain);
	pstk_connect(r, "out", add_copy(l, "sink", 1, false), "in", plain);
}

/* As a plan would have it that did not look for dynamic actors. */
static void merge_by_hand(struct pstk_network *net)
{
	pstk_network_fifo(net, 2)->merge =
		(struct ps_merge){ .group = 1, .order = 0, .slots = 1 }; /* w -> r */
	pstk_network_fifo(net, 3)->merge = (struct ps_merge){ .group = 1, .order = 1, .slots = 1 };
}

/* _i: threads. A plan merges nothing there; were it otherwise, the detector would say what waits. */
START_TEST(deadlock)
{
	for (unsigned merge = 0; merge < 2; merge++) {
		struct pstk_machine *machine = pstk_machine_create();
		struct pstk_plan *plan;
		struct loop l;
		int err;

		build_loop(&l);
		ck_assert_int_eq(pstk_network_set_threads(l.net, (unsigned)_i), 0);
		ck_assert_int_ge(pstk_machine_add_host(machine, "c0", 1, 0), 0);
		plan = pstk_plan_create(l.net, machine, NULL);
		ck_assert_msg(!pstk_plan_apply(l.net, plan), "%s", pstk_plan_error(plan));
		pstk_plan_destroy(plan);
		pstk_machine_destroy(machine);
		if (merge)
			merge_by_hand(l.net);
		test_log_start();
		err = pstk_network_run(l.net);
		test_log_stop();
		ck_assert_int_eq(err, merge ? -EDEADLK : 0);
		ck_assert_uint_eq(atomic_load(&l.came), merge ? 1 : LOOP_FIRINGS);
		if (merge)
			ck_assert_msg(
				strstr(pstk_network_error(l.net), "x (firing 1) waits for merged memory") &&
					strstr(pstk_network_error(l.net), "--merge off"),
				"%s", pstk_network_error(l.net));
		pstk_network_destroy(l.net);
	}
}
END_TEST

/*
 * 	s -> a -> b -> c     s -> a and b -> c have one memory of one window, as planned. Added behind the plan:
 * 	     a -(2)-> z -> c
 *
 * c's first firing needs two of a, so two windows of s. The second one waits until c has read the first one of b.
 */
static void build_late(struct loop *l, bool all)
{
	const struct pstk_fifo_spec *plain = PSTK_FIFO(.rate = 1, .token_size = 4);
	struct pstk_actor *s, *a, *b, *c;

	*l = (struct loop){ .net = pstk_network_create("late") };
	s = add_copy(l, "s", 0, true);
	a = add_copy(l, "a", 1, true);
	b = add_copy(l, "b", 1, true);
	c = add_copy(l, "c", all ? 2 : 1, false);
	pstk_connect(s, "out", a, "in", plain);
	pstk_connect(a, "out", b, "in", plain);
	pstk_connect(b, "out", c, "in", plain);
}

static void add_late(struct loop *l)
{
	struct pstk_actor *z = add_copy(l, "z", 1, true);

	ck_assert_ptr_nonnull(pstk_connect(pstk_network_actor(l->net, 1), "out", z, "in",
		PSTK_FIFO(.write_rate = 1, .read_rate = 2, .token_size = 4)));
	ck_assert_ptr_nonnull(pstk_connect(z, "out", pstk_network_actor(l->net, 3), "in1",
		PSTK_FIFO(.write_rate = 2, .read_rate = 1, .token_size = 4)));
}

static void plan_late(struct loop *l)
{
	struct pstk_machine *machine = pstk_machine_create();
	struct pstk_plan *plan;

	ck_assert_int_ge(pstk_machine_add_host(machine, "c0", 1, 0), 0);
	plan = pstk_plan_create(l->net, machine, NULL);
	ck_assert_msg(!pstk_plan_apply(l->net, plan), "%s", pstk_plan_error(plan));
	pstk_plan_destroy(plan);
	pstk_machine_destroy(machine);
}

/* _i: 0: the plan knows all of the network; 1: an actor and its FIFOs came later: start() merges nothing then, and says
 * so; 2: it was planned again. */
START_TEST(an_old_plan_merges_nothing)
{
	struct pstk_fifo_info info;
	struct loop l;

	build_late(&l, _i > 0);
	plan_late(&l);
	if (_i)
		add_late(&l);
	if (_i == 2)
		plan_late(&l);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(l.net, 0), &info), 0);
	ck_assert_int_eq(info.merged, !_i);
	test_log_start();
	ck_assert_msg(!pstk_network_run(l.net), "%s", pstk_network_error(l.net));
	ck_assert_int_eq(test_log_has("late: built on after its plan: no buffers share memory"), _i == 1);
	test_log_stop();
	ck_assert_uint_eq(atomic_load(&l.came), LOOP_FIRINGS);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(l.net, 0), &info), 0);
	ck_assert_int_eq(info.merged, !_i);
	pstk_network_destroy(l.net);
}
END_TEST

/* The same if a rate is another one than the plan knew: of the last actor, which is told later to take two steps. */
START_TEST(other_rates_merge_nothing)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .rate = 1 } };
	struct pstk_fifo_info info;
	struct pstk_actor *last;
	struct copy copy;
	struct loop l;

	build_late(&l, false);
	copy = (struct copy){ .loop = &l, .inputs = 1 };
	last = pstk_network_add(l.net, "last",
		PSTK_ACTOR_TYPE(.name = "copy", .ports = ports, .port_count = 1, .fire = copy_fire,
			.arg_size = sizeof copy),
		&copy);
	pstk_connect(add_copy(&l, "first", 0, true), "out", last, "in",
		PSTK_FIFO(.write_rate = 1, .token_size = 4));
	plan_late(&l);
	ck_assert_int_eq(pstk_actor_set_steps(last, 2), 0);
	test_log_start();
	ck_assert_msg(!pstk_network_run(l.net), "%s", pstk_network_error(l.net));
	ck_assert(test_log_has("late: built on after its plan: no buffers share memory"));
	test_log_stop();
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(l.net, 0), &info), 0);
	ck_assert(!info.merged);
	pstk_network_destroy(l.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merges");
	TCase *tcase = test_case(suite, "on the cores");

	tcase_add_loop_test(tcase, random_networks, 0, ENDS);
	tcase_add_test(tcase, what_is_saved);
	tcase_add_test(tcase, out_of_memory);
	tcase_add_loop_test(tcase, deadlock, 0, 4);
	tcase_add_loop_test(tcase, an_old_plan_merges_nothing, 0, 3);
	tcase_add_test(tcase, other_rates_merge_nothing);
	return test_main(suite);
}
