/* SPDX-License-Identifier: MIT */
#include "tests/random/tasks.h"
#include "lib/mapping/selftimed.h"
#include "lib/plan/machine_flow.h"
#include "tests/random/generator.h"
#include "tests/random/oracle.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOST_LINE = 64, HOST_PAGE = 4096 }; /* page-locked memory begins on a line */

/* -- making one -- */

static bool is_source(const struct net *net, unsigned a)
{
	return net_count(&net->actors[a], true) == 0;
}

/* Does everything end because sources do, and is connected with something? */
static bool all_end(const struct net *net)
{
	bool ends[NET_ACTORS] = { false }, changed = true, all = true;

	for (unsigned a = 0; a < net->actor_count; a++)
		ends[a] = is_source(net, a);
	while (changed) {
		changed = false;
		for (unsigned f = 0; f < net->fifo_count; f++)
			if (ends[net->fifos[f].src] && !ends[net->fifos[f].dst])
				ends[net->fifos[f].dst] = changed = true;
	}
	for (unsigned a = 0; a < net->actor_count; a++)
		all = all && ends[a] && net->actors[a].port_count;
	return all;
}

static void make_graph(struct net *net, struct test_rng *rng, unsigned firings)
{
	enum net_shape shape = (enum net_shape)test_between(rng, 0, NET_CYCLIC);
	unsigned actors = test_between(rng, 2, 9), share = test_between(rng, 0, 100);
	struct net_edges edges;

	for (unsigned a = 0; a < actors; a++)
		net_add_actor(net, 0);
	net_make_edges(&edges, shape, actors, rng);
	for (unsigned e = 0; e < edges.count; e++) {
		struct net_fifo *fifo = &net->fifos[net_add_edge(net, edges.list[e].src, edges.list[e].dst,
			test_chance(rng, share), test_between(rng, 1, 3),
			test_chance(rng, 20) ? test_between(rng, 8, 30) : 8u << test_between(rng, 0, 9))];

		fifo->initial = NET_ZEROS;
		fifo->depth = 0;
		if (test_chance(rng, 20))
			fifo->delay = test_between(rng, 1, 3 * fifo->rate);
	}
	net_enliven(net, rng, true);
	for (unsigned a = 0; a < actors; a++)
		if (is_source(net, a))
			net_end_at(net, a, test_between(rng, 1, firings) - 1);
}

static void choose_place(struct tasks_net *t, unsigned a, struct test_rng *rng)
{
	static const enum pstk_task_mode modes[] = { PSTK_TASK_KERNEL, PSTK_TASK_BUSY, PSTK_TASK_SLEEP };
	bool source = is_source(&t->net, a);

	t->actors[a].place =
		test_chance(rng, source ? 80 : 35) ? TASKS_HOST : test_between(rng, 0, t->devices - 1);
	t->actors[a].mode = modes[test_chance(rng, 25) ? 2 : test_between(rng, 0, 1)];
	t->actors[a].ns = test_chance(rng, 20) ? 0 : test_between(rng, 1, 200) * UINT64_C(1000);
}

bool tasks_make(struct tasks_net *t, uint64_t seed, unsigned firings)
{
	struct test_rng rng = { test_mix(seed) };

	memset(t, 0, sizeof *t);
	net_begin(&t->net, seed);
	make_graph(&t->net, &rng, firings);
	if (!all_end(&t->net))
		return false;
	t->net.threads = (int)test_team(&rng);
	t->devices = test_between(&rng, 1, TASKS_DEVICES);
	t->cores = test_between(&rng, 1, 3);
	t->rate = 1e8 * test_between(&rng, 1, 20);
	t->latency = 1e-6 * test_between(&rng, 0, 50);
	t->half = test_chance(&rng, 30);
	t->no_overlap = test_chance(&rng, 40);
	t->no_merge = test_chance(&rng, 40);
	for (unsigned a = 0; a < t->net.actor_count; a++)
		choose_place(t, a, &rng);
	return true;
}

void tasks_slow_down(struct tasks_net *t, unsigned firings)
{
	for (unsigned a = 0; a < t->net.actor_count; a++) {
		bool host = t->actors[a].place == TASKS_HOST;

		if (is_source(&t->net, a)) {
			t->actors[a].place = TASKS_HOST;
			t->net.actors[a].last = firings - 1;
			host = true;
		}
		t->actors[a].mode = PSTK_TASK_KERNEL;
		t->actors[a].ns = host ? 0 : t->actors[a].ns * 20;
	}
	t->rate /= 1000;
	t->net.threads = 0;
}

/* Into a join from a source, by two devices, with hops of 3 ms. */
void tasks_reconvergent(struct tasks_net *t, bool slack, unsigned firings)
{
	enum { S, X0, X1, J, ACTORS, BYTES = 1000000 };
	struct net *net = &t->net;
	unsigned way;

	memset(t, 0, sizeof *t);
	t->devices = 2;
	t->cores = 1;
	t->rate = BYTES / 3e-3;
	net_begin(net, 0);
	for (unsigned a = 0; a < ACTORS; a++) {
		bool host = a == S || a == J;

		net_add_actor(net, 0);
		t->actors[a].place = host ? TASKS_HOST : a - X0;
		t->actors[a].mode = host ? PSTK_TASK_SLEEP : PSTK_TASK_KERNEL;
		t->actors[a].ns = (host ? 1 : 4) * UINT64_C(1000000);
	}
	net_add_edge(net, S, X0, false, 1, BYTES);
	way = net_add_edge(net, S, J, true, 1, BYTES);
	net_add_edge(net, X0, X1, false, 1, BYTES);
	net_add_edge(net, X1, J, false, 1, BYTES);
	t->depths[way] = slack ? 0 : 2;
	net_end_at(net, S, firings - 1);
}

void tasks_settings(const struct tasks_net *t, char *text, size_t size)
{
	snprintf(text, size,
		"timed=1,races=1,native=1,devices=%u,rate=%.9g,latency=%.9g,duplex=%s,delay=%" PRIu64,
		t->devices, t->rate, t->latency, t->half ? "half" : "full",
		t->net.seed % 3 ? 0 : t->net.seed);
}

/* -- running one -- */

/* What is under way, and the first thing that is wrong. */
static struct {
	const struct tasks_net *t;
	struct pstk_network *net;
	struct pstk_machine *machine;
	struct pstk_plan *plan;
	struct pstk_actor *actors[NET_ACTORS];
	struct pstk_fifo *fifos[NET_FIFOS];
	bool merges[NET_FIFOS]; /* as they said before the run */
	char wrong[700];
} run;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	if (*run.wrong)
		return;
	va_start(args, format);
	vsnprintf(run.wrong, sizeof run.wrong, format, args);
	va_end(args);
}

static void place_name(unsigned place, char text[16])
{
	if (place == TASKS_HOST)
		snprintf(text, 16, "c0");
	else
		snprintf(text, 16, "c0/g%hhu", (unsigned char)place);
}

/* "in2": the second of the actor's inputs. */
static void port_name(unsigned a, unsigned port, char text[16])
{
	const struct net_actor *actor = &run.t->net.actors[a];
	bool input = net_reads(actor->ports[port].kind);
	unsigned number = 1;

	for (unsigned p = 0; p < port; p++)
		number += net_reads(actor->ports[p].kind) == input;
	snprintf(text, 16, "%s%hhu", input ? "in" : "out", (unsigned char)number);
}

static void build_machine(void)
{
	const struct tasks_net *t = run.t;

	run.machine = pstk_machine_create();
	if (pstk_machine_add_host(run.machine, "c0", t->cores, 0) < 0)
		say("%s", pstk_machine_error(run.machine));
	for (unsigned d = 0; d < t->devices; d++) {
		char place[16], selector[24];

		place_name(d, place);
		snprintf(selector, sizeof selector, "pstk:gpu:%u", d);
		if (pstk_machine_add_device(run.machine, "c0", place + 3, selector, 0) < 0 ||
			pstk_machine_add_link(
				run.machine, &(const struct pstk_link){ "c0", place, PSTK_LINK_COPY, t->rate,
						     t->latency, t->half }) < 0)
			say("%s", pstk_machine_error(run.machine));
	}
}

static void add_actor(unsigned a)
{
	const struct net_actor *actor = &run.t->net.actors[a];
	char place[16];

	run.actors[a] = pstk_task_add(run.net, actor->name,
		PSTK_TASK(.inputs = net_count(actor, true), .outputs = net_count(actor, false),
			.mode = run.t->actors[a].mode, .time = (double)run.t->actors[a].ns * 1e-9,
			.count = is_source(&run.t->net, a) ? actor->last + 1 : 0));
	place_name(run.t->actors[a].place, place);
	pstk_actor_place(run.actors[a], place);
	pstk_actor_set_time(run.actors[a], NULL, run.t->actors[a].ns);
}

static void build(void)
{
	const struct net *net = &run.t->net;

	run.net = pstk_network_create("tasks");
	if (net->threads >= 0)
		pstk_network_set_threads(run.net, (unsigned)net->threads);
	for (unsigned a = 0; a < net->actor_count; a++)
		add_actor(a);
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];
		char out[16], in[16];

		port_name(fifo->src, fifo->src_port, out);
		port_name(fifo->dst, fifo->dst_port, in);
		run.fifos[f] = pstk_connect(run.actors[fifo->src], out, run.actors[fifo->dst], in,
			PSTK_FIFO(.rate = fifo->rate, .delay = fifo->delay, .token_size = fifo->token_size,
				.depth = run.t->depths[f]));
	}
}

static void plan(void)
{
	const struct tasks_net *t = run.t;

	run.plan = pstk_plan_create(
		run.net, run.machine, PSTK_PLAN(.no_overlap = t->no_overlap, .no_merge = t->no_merge));
	if (pstk_plan_result(run.plan))
		say("no plan: %s", pstk_plan_error(run.plan));
	else if (pstk_plan_apply(run.net, run.plan))
		say("the plan was refused: %s", pstk_network_error(run.net));
	for (unsigned f = 0; f < t->net.fifo_count; f++) {
		struct pstk_fifo_info info = { 0 };

		pstk_fifo_get_info(run.fifos[f], &info);
		run.merges[f] = info.merged;
	}
}

/* -- comparing -- */

/* The plan's buffer of an output at the writer's place: its number. PSTK_PLAN_NONE: it has none. */
static uint32_t find_buffer(unsigned f, struct pstk_planned_buffer *b)
{
	const struct net_fifo *fifo = &run.t->net.fifos[f];
	const struct net_actor *actor = &run.t->net.actors[fifo->src];
	char name[48], port[16];

	port_name(fifo->src, fifo->src_port, port);
	snprintf(name, sizeof name, net_count(actor, false) > 1 ? "%s.%s" : "%s", actor->name, port);
	for (uint32_t i = 0; !pstk_plan_get_buffer(run.plan, i, b); i++)
		if (b->writer && !strcmp(b->writer, name))
			return i;
	return PSTK_PLAN_NONE;
}

/* Those of the memory that it shares with others: of the deepest one. */
static uint32_t windows_of(const struct pstk_planned_buffer *of)
{
	struct pstk_planned_buffer b;
	uint32_t windows = of->depth;

	for (uint32_t i = 0; !pstk_plan_get_buffer(run.plan, i, &b); i++)
		if (b.group == of->group && b.depth > windows)
			windows = b.depth;
	return windows;
}

/* Within a place a FIFO has as many windows as its buffer in the plan, and is as large. */
static void compare_fifo(unsigned f, struct tasks_totals *totals)
{
	const struct net_fifo *fifo = &run.t->net.fifos[f];
	struct pstk_planned_buffer b;
	struct pstk_fifo_info info;
	uint32_t buffer;
	bool host;

	/* on a device the others of its memory may have turned out to need their own */
	host = run.t->actors[fifo->src].place == TASKS_HOST && run.t->actors[fifo->dst].place == TASKS_HOST;
	if (!pstk_fifo_get_info(run.fifos[f], &info) && info.merged != run.merges[f] && (host || info.merged))
		say("FIFO %u: merged %d, before the run %d", f, info.merged, run.merges[f]);
	totals->hops += run.t->actors[fifo->src].place != run.t->actors[fifo->dst].place;
	if (run.t->actors[fifo->src].place != run.t->actors[fifo->dst].place ||
		pstk_fifo_get_info(run.fifos[f], &info))
		return;
	buffer = find_buffer(f, &b);
	if (buffer == PSTK_PLAN_NONE)
		say("FIFO %u: the plan has no buffer of its output", f);
	else if (info.depth != windows_of(&b) || info.token_size * info.write_rate != b.window_bytes)
		say("FIFO %u: %u windows of %zu bytes, planned %u of %zu", f, info.depth,
			info.token_size * info.write_rate, b.depth, b.window_bytes);
	totals->compared++;
}

static bool is_same_output(unsigned f, unsigned g)
{
	const struct net_fifo *a = &run.t->net.fifos[f], *b = &run.t->net.fifos[g];

	return a->src == b->src && a->src_port == b->src_port;
}

/* The bytes that the plan gives the buffers of an output, whose first one this is; 0: some share memory. */
static size_t planned_bytes(const struct pstk_planned_buffer *first)
{
	struct pstk_planned_buffer b, other, from;
	size_t sum = 0;

	for (unsigned i = 0; !pstk_plan_get_buffer(run.plan, i, &b); i++) {
		for (from = b; from.from != PSTK_PLAN_NONE;)
			pstk_plan_get_buffer(run.plan, from.from, &from);
		if (from.writer != first->writer)
			continue;
		for (unsigned k = 0; !pstk_plan_get_buffer(run.plan, k, &other); k++)
			if (k != i && other.group == b.group)
				return 0;
		sum += b.depth * b.window_bytes;
	}
	return sum;
}

/* An output of which others at other places are readers without delay tokens takes as many bytes as planned, and a line
 * for the host's side, if there is one. f: its first FIFO. */
static void compare_output(unsigned f, struct tasks_totals *totals)
{
	const struct net *net = &run.t->net;
	size_t taken = 0, planned;
	struct pstk_planned_buffer b;
	struct pstk_fifo_info info;
	unsigned readers = 0, hops = 0, place = run.t->actors[net->fifos[f].src].place;

	for (unsigned g = 0; g < net->fifo_count; g++) {
		if (!is_same_output(f, g))
			continue;
		if (g < f || net->fifos[g].delay || pstk_fifo_get_info(run.fifos[g], &info))
			return;
		hops += run.t->actors[net->fifos[g].dst].place != place;
		taken += info.allocated;
		readers++;
	}
	planned = find_buffer(f, &b) ? planned_bytes(&b) : 0;
	if (!planned || (place == TASKS_HOST && !hops))
		return;
	if (taken != planned + (hops ? HOST_LINE : 0))
		say("FIFO %u: its output takes %zu bytes, planned %zu", f, taken, planned);
	totals->outputs++;
	totals->broadcasts += readers > 1;
}

/* Is it from the host to the host, without delay tokens? */
static bool is_on_host(unsigned f)
{
	const struct net_fifo *fifo = &run.t->net.fifos[f];

	return run.t->actors[fifo->src].place == TASKS_HOST && run.t->actors[fifo->dst].place == TASKS_HOST &&
	       !fifo->delay;
}

/* May one on the cores take so much? Each of its slots begins where a token may, the memory where a line does; a large
 * one begins somewhere in a page. */
static bool is_as_large(size_t taken, size_t planned, uint32_t slots)
{
	size_t rounded = planned + (slots + 1) * (HOST_LINE - 1);

	return taken >= planned && taken <= rounded + (rounded < HOST_PAGE ? 0 : HOST_PAGE);
}

/* What shares memory on the cores says so, and takes as many bytes as planned. f: a FIFO of its first output. */
static void compare_host(unsigned f, struct tasks_totals *totals)
{
	struct pstk_planned_buffer b, other;
	uint32_t buffer = find_buffer(f, &b), windows = windows_of(&b), number;
	unsigned fifos = 0, merged = 0, members = 1;
	size_t taken = 0, bytes = 0;
	struct pstk_fifo_info info;

	for (unsigned g = 0; g < run.t->net.fifo_count; g++) {
		number = find_buffer(g, &other);
		if (other.group != b.group)
			continue;
		if (!is_on_host(g) || number < buffer || (number == buffer && g < f) ||
			pstk_fifo_get_info(run.fifos[g], &info))
			return;
		members += number != buffer;
		bytes = other.window_bytes > bytes ? other.window_bytes : bytes;
		taken += info.allocated;
		merged += info.merged;
		fifos++;
	}
	if (merged != (members > 1 ? fifos : 0))
		say("FIFO %u: %u of the %u FIFOs of its memory are merged", f, merged, fifos);
	if (!is_as_large(taken, bytes * windows, windows))
		say("FIFO %u: its memory takes %zu bytes, planned %zu", f, taken, bytes * windows);
	totals->on_host++;
	totals->merged += members > 1;
}

static void compare_actors(const struct oracle *o, struct tasks_totals *totals)
{
	for (unsigned a = 0; a < o->net->actor_count; a++) {
		const struct oracle_actor *is = &o->actors[a];
		struct pstk_actor_stats stats = { 0 };

		pstk_actor_get_stats(run.actors[a], &stats);
		if (is->sure ? stats.firings != is->firings
			     : stats.firings < is->least || stats.firings > is->firings)
			say("'%s' fired %" PRIu64 " times, expected %s%" PRIu64, o->net->actors[a].name,
				stats.firings, is->sure ? "" : "at most ", is->firings);
		totals->actors++;
		totals->exact += is->sure;
		totals->on_devices += run.t->actors[a].place != TASKS_HOST;
		totals->firings += stats.firings;
	}
}

static void compare(struct tasks_totals *totals)
{
	static struct oracle o;
	static const struct net_sequences none;

	if (!oracle_foretell(&o, &run.t->net, &none)) {
		say("the oracle finds a deadlock");
		return;
	}
	oracle_find_bounds(&o);
	compare_actors(&o, totals);
	for (unsigned f = 0; f < run.t->net.fifo_count; f++)
		compare_fifo(f, totals);
	for (unsigned f = 0; f < run.t->net.fifo_count; f++)
		compare_output(f, totals);
	for (unsigned f = 0; f < run.t->net.fifo_count; f++)
		compare_host(f, totals);
}

static void run_begin(const struct tasks_net *t)
{
	memset(&run, 0, sizeof run);
	run.t = t;
	build_machine();
	build();
	plan();
}

static const char *run_end(void)
{
	pstk_plan_destroy(run.plan);
	pstk_network_destroy(run.net);
	pstk_machine_destroy(run.machine);
	return *run.wrong ? run.wrong : NULL;
}

const char *tasks_run(const struct tasks_net *t, struct tasks_totals *totals)
{
	run_begin(t);
	if (!*run.wrong && (pstk_network_start(run.net) || pstk_network_wait(run.net)))
		say("%s", pstk_network_error(run.net));
	if (!*run.wrong)
		compare(totals);
	totals->networks++;
	return run_end();
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The plan's period, with depths that are given instead of its own. */
static double simulate(void)
{
	struct ps_outline outline = { .flow = NULL };
	struct ps_flow flow;
	double period = 0;
	char text[200];
	struct ps_text what = ps_text(text, sizeof text);

	if (ps_machine_flow(&flow, run.net, run.machine, &what) ||
		ps_outline_make(&outline, &flow, !run.t->no_overlap))
		say("no outline");
	for (unsigned i = 0; !*run.wrong && i < flow.reader_count; i++)
		if (run.t->depths[flow.readers[i].order])
			outline.buffers[outline.feeds[i]].depth = run.t->depths[flow.readers[i].order];
	if (!*run.wrong && ps_selftimed(&outline, !run.t->no_merge, &period))
		say("no period");
	if (outline.flow)
		ps_outline_fini(&outline);
	ps_flow_fini(&flow);
	return period;
}

const char *tasks_time(const struct tasks_net *t, double *seconds, double *simulated)
{
	double begin;

	run_begin(t);
	*simulated = *run.wrong ? 0 : simulate();
	if (getenv("PENSTOCK_TEST_PRINT"))
		pstk_plan_print(run.plan, stdout);
	if (!*run.wrong && pstk_network_start(run.net))
		say("%s", pstk_network_error(run.net));
	begin = now();
	if (!*run.wrong && pstk_network_wait(run.net))
		say("%s", pstk_network_error(run.net));
	*seconds = now() - begin;
	return run_end();
}
