/* SPDX-License-Identifier: MIT */
#include "tests/random/run.h"
#include "tests/common/common.h"
#include "tests/common/simulator.h"
#include "tests/random/pipes.h"
#include "tests/random/run_actor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct run_exchange *run_exchange;

void run_say(struct run *run, const char *format, ...)
{
	va_list list;

	if (run->message[0])
		return;
	va_start(list, format);
	vsnprintf(run->message, sizeof run->message, format, list);
	va_end(list);
}

/*
 * The ways of running it.
 */

static int choose_threads(struct pstk_network *network, const struct net *net)
{
	return pstk_network_set_threads(network, (unsigned)net->threads);
}

static int run_whole(struct pstk_network *network, const struct net *net)
{
	(void)net;
	return pstk_network_run(network);
}

/* All but kahn actors, actors that block and actors on devices: in an order that the network's seed draws. */
static int choose_simulator(struct pstk_network *network, const struct net *net)
{
	return net->threads < 0 ? 0 : choose_threads(network, net);
}

static int run_simulated(struct pstk_network *network, const struct net *net)
{
	int err;

	simulator_begin(net->seed);
	err = pstk_network_run(network);
	simulator_end();
	return err;
}

static const struct net_runner runners[] = {
	{ "the environment says", NULL, run_whole },
	{ "a thread per actor", choose_threads, run_whole },
	{ "a team", choose_threads, run_whole },
	{ "the simulator", choose_simulator, run_simulated },
};

static const struct net_runner *runner_of(const struct net *net)
{
	if (getenv("PENSTOCK_TEST_SIMULATOR"))
		return &runners[3];
	return &runners[net->threads < 0 ? 0 : net->threads ? 2 : 1];
}

/*
 * Building it.
 */

struct net_declared run_declared(const struct net *net, unsigned a, unsigned p)
{
	const struct net_actor *spec = &net->actors[a];
	struct net_declared d = { .rate = spec->steps ? spec->ports[p].rate / spec->steps : 0 };
	const struct net_fifo *fifo;

	if (!net_reads(spec->ports[p].kind))
		return d;
	fifo = &net->fifos[net_into(net, a, p)];
	if (fifo->peek)
		d.peek = d.rate + fifo->history;
	else
		d.history = fifo->history;
	return d;
}

static int call_setters(struct pstk_actor *actor, const struct net *net, unsigned a)
{
	int err = 0;

	for (unsigned p = 0; p < net->actors[a].port_count && !err; p++) {
		const struct net_declared d = run_declared(net, a, p);

		err = pstk_actor_set_rate(actor, p, d.rate);
		if (!err && d.history)
			err = pstk_actor_set_history(actor, p, d.history);
		if (!err && d.peek)
			err = pstk_actor_set_peek(actor, p, d.peek);
	}
	return err;
}

static int run_rates(struct pstk_actor *self)
{
	const struct run_actor *actor = pstk_actor_arg(self);

	return call_setters(self, actor->net, actor->number);
}

bool run_sets_steps(const struct net_actor *spec)
{
	return spec->steps && !spec->given;
}

/* data: a run, or NULL where nothing shall run. */
static void fill_type(struct pstk_actor_type *type, const struct net *net, unsigned a, struct run *run)
{
	const struct net_actor *spec = &net->actors[a];

	type->name = "random";
	type->control_values = net->undeclared ? 0 : spec->values;
	type->control = spec->values ? run_control : NULL;
	type->kahn = spec->kahn;
	type->stateless = spec->stateless;
	type->blocks = spec->blocks;
	type->fire = run_fire;
	type->whole_steps = spec->whole_steps;
	type->rates = spec->steps && spec->declares == NET_BY_RATES ? run_rates : NULL;
	if (!run)
		return;
	type->init = run_init;
	type->finish = run_finish;
	if (!net_has_kernel(spec))
		return;
	if (spec->place_count)
		type->fire = run_fire_moving;
	type->portable_state = spec->place_count && !spec->plain;
	device_prepare(&run->actors[a].device, net, &run->oracle, a);
	type->kernel = &run->actors[a].device.kernel;
	type->state_size = run->actors[a].device.state_size;
}

/* Ports say their tokens' sizes or types, or leave that to the connection. */
static struct pstk_actor *add_actor(
	struct pstk_network *network, const struct net *net, unsigned a, struct run *run, void *arg)
{
	static const enum pstk_port_kind kinds[] = { PSTK_INPUT, PSTK_OUTPUT, PSTK_DYNAMIC_INPUT,
		PSTK_DYNAMIC_OUTPUT, PSTK_CONTROL };
	const struct net_actor *spec = &net->actors[a];
	struct pstk_actor_type type = pstk_actor_type_init();
	struct pstk_port ports[NET_PORTS];
	char names[NET_PORTS][16];
	struct pstk_actor *actor;

	for (unsigned p = 0; p < spec->port_count; p++) {
		bool plain = spec->ports[p].kind != NET_CONTROL && spec->ports[p].group < 0;

		snprintf(names[p], sizeof names[p], "p%u", p);
		ports[p] = (struct pstk_port){ .name = names[p], .kind = kinds[spec->ports[p].kind] };
		if (plain && p % 2)
			ports[p].token_size = spec->ports[p].token_size;
		else if (plain && p % 4 == 0 && spec->ports[p].token_size == 4 && !net_has_kernel(spec))
			ports[p].token_type = "u32";
	}
	for (unsigned p = 0; p < spec->port_count && (spec->declares == NET_BY_TYPE || !spec->steps); p++) {
		const struct net_declared d = run_declared(net, a, p);

		ports[p].rate = d.rate;
		ports[p].history = d.history;
		ports[p].peek = d.peek;
	}
	type.ports = ports;
	type.port_count = spec->port_count;
	fill_type(&type, net, a, run);
	actor = pstk_network_add(network, spec->name, &type, arg);
	if (actor && spec->steps && spec->declares == NET_BY_CALL && call_setters(actor, net, a))
		return NULL;
	return actor;
}

struct pstk_actor *run_add_actor(struct run *run, struct pstk_network *network, unsigned a)
{
	return add_actor(network, run->net, a, run, &run->actors[a]);
}

struct pstk_fifo_spec run_fifo_spec(const struct net *net, unsigned f)
{
	const struct net_fifo *fifo = &net->fifos[f];
	bool write = !net->actors[fifo->src].steps || net->actors[fifo->src].given,
	     read = !net->actors[fifo->dst].steps || net->actors[fifo->dst].given,
	     both = write && read && fifo->rate == fifo->read_rate;
	unsigned char *initial = NULL;

	if (fifo->delay && fifo->initial != NET_ZEROS) {
		initial = malloc(fifo->delay * fifo->token_size);
		if (!initial)
			abort();
		for (unsigned t = 0; t < fifo->delay; t++)
			net_token(net, f, t, initial + t * fifo->token_size);
	}
	return *PSTK_FIFO(.rate = both ? fifo->rate : 0, .write_rate = write && !both ? fifo->rate : 0,
		.read_rate = read && !both ? fifo->read_rate : 0, .tail = fifo->tail, .delay = fifo->delay,
		.depth = fifo->depth, .token_size = fifo->token_size, .initial = initial);
}

/* A pipeline's port is that of a stage. */
static struct pstk_actor *end_of(const struct net_built *built, unsigned a, unsigned p)
{
	return built->stages[a][p] ? built->stages[a][p] : built->actors[a];
}

static struct pstk_fifo *connect(const struct net_built *built, const struct net *net, unsigned f)
{
	const struct net_fifo *fifo = &net->fifos[f];
	struct pstk_fifo_spec spec = run_fifo_spec(net, f);
	struct pstk_fifo *made;
	char out[16], in[16];

	snprintf(out, sizeof out, "p%u", fifo->src_port);
	snprintf(in, sizeof in, "p%u", fifo->dst_port);
	made = pstk_connect(end_of(built, fifo->src, fifo->src_port), out,
		end_of(built, fifo->dst, fifo->dst_port), in, &spec);
	free((void *)(uintptr_t)spec.initial);
	return made;
}

void net_build(struct net_built *built, const struct net *net)
{
	static struct run_actor args[NET_ACTORS];

	*built = (struct net_built){ .network = pstk_network_create("random") };
	for (unsigned a = 0; a < net->actor_count; a++) {
		args[a].spec = &net->actors[a];
		args[a].net = net;
		args[a].number = a;
		built->actors[a] = add_actor(built->network, net, a, NULL, &args[a]);
		if (run_sets_steps(&net->actors[a]))
			pstk_actor_set_steps(built->actors[a], net->actors[a].steps);
	}
	for (unsigned f = 0; f < net->fifo_count; f++)
		built->fifos[f] = connect(built, net, f);
}

/* No more of its firings may be under way. */
static uint64_t side_by_side(const struct net_actor *spec, unsigned threads)
{
	if (!spec->stateless)
		return 1;
	if (!spec->concurrency)
		return threads ? threads : 1;
	return threads && !spec->blocks && spec->concurrency > threads ? threads : spec->concurrency;
}

static void prepare_actor(struct run *run, struct net_built *built, unsigned a)
{
	struct run_actor *actor = &run->actors[a];
	const struct net *net = run->net;
	const struct net_actor *spec = &net->actors[a];
	struct pstk_actor *handle;

	memset(actor, 0, sizeof *actor);
	actor->net = net;
	actor->spec = spec;
	actor->oracle = &run->oracle;
	actor->number = a;
	actor->group = net_group_of(net, a);
	actor->most = side_by_side(spec, pstk_network_threads(built->network));
	for (unsigned p = 0; p < spec->port_count; p++)
		actor->fifo[p] = net_at(net, a, p);
	if (net_is_pipeline(spec)) {
		pipes_add_stages(run, built, a);
		return;
	}
	handle = built->actors[a] = run_add_actor(run, built->network, a);
	if (run_sets_steps(spec) && pstk_actor_set_steps(handle, spec->steps))
		run_say(run, "%s", pstk_network_error(built->network));
	if (spec->device && pstk_actor_map(handle, spec->device))
		run_say(run, "%s", pstk_network_error(built->network));
	for (unsigned i = 0; i < spec->place_count; i++)
		if (pstk_actor_may_move(handle, spec->places[i]))
			run_say(run, "%s", pstk_network_error(built->network));
	if (spec->guarded && pstk_actor_guard(handle, true))
		run_say(run, "%s", pstk_network_error(built->network));
	if (spec->concurrency && pstk_actor_set_concurrency(handle, spec->concurrency))
		run_say(run, "%s", pstk_network_error(built->network));
	if (spec->core >= 0 && pstk_actor_pin(handle, test_core((unsigned)spec->core)))
		run_say(run, "%s cannot be pinned to core %d", spec->name, spec->core);
}

void run_build(struct run *run, struct net_built *built)
{
	const struct net *net = run->net;
	struct pstk_network *network = pstk_network_create("random");

	*built = (struct net_built){ .network = network };
	if (net->unchecked)
		pstk_network_set_flags(network, PSTK_UNCHECKED);
	if (runner_of(net)->choose && runner_of(net)->choose(network, net))
		run_say(run, "%s", pstk_network_error(network));
	for (unsigned a = 0; a < net->actor_count; a++)
		prepare_actor(run, built, a);
	pipes_connect(run, built, true);
	for (unsigned f = 0; f < net->fifo_count; f++)
		built->fifos[f] = connect(built, net, f);
	pipes_connect(run, built, false);
	pipes_make(run, built);
	if (pstk_network_problem(network, 0))
		run_say(run, "%s", pstk_network_problem(network, 0));
}

/*
 * Running it.
 */

/* What the analyser proves does not deadlock. What it refuses need not come so far before it ends. */
static void check_verdict(struct run *run)
{
	if (!run->ends && pstk_network_check(run->built.network, NULL, NULL) == 0)
		run_say(run, "proven, but in the oracle it deadlocks");
}

static void run_built(struct run *run, struct net_totals *totals)
{
	struct pstk_network *network = run->built.network;
	unsigned threads = pstk_network_threads(network);
	uint64_t before = totals->firings;
	bool whole = !run_exchange || !run_exchange->run;
	int err, expected = run->ends ? 0 : -EDEADLK;

	run_moves_begin(run);
	pipes_begin(run);
	err = whole ? runner_of(run->net)->run(network, run->net) : run_exchange->run(run);
	run_moves_end(run, totals);
	if (pipes_end(run, err, totals))
		return; /* something was to break it */
	if (err != expected)
		run_say(run, "run by %s it ends with %d where the oracle %s: %s", runner_of(run->net)->name,
			err, run->ends ? "ends" : "deadlocks", pstk_network_error(network));
	else if (run->ends)
		run_compare(run, totals);
	else
		run_compare_deadlock(run, totals);
	totals->shared += whole ? run_check_sharing(run) : 0;
	totals->bundled += whole ? run_check_bundles(run) : 0;
	totals->team_firings[threads < NET_TEAMS ? threads : NET_TEAMS - 1] += totals->firings - before;
}

/*
 * Windows that are followed, of each second network.
 */

static bool follows(const struct net *net)
{
	return net->seed % 2;
}

/* Each window arrives once at most; the histogram has it; time in actors is a part of it. */
static void check_latency(struct run *run)
{
	static struct pstk_latency_bucket buckets[2048];
	static struct pstk_latency found[NET_ACTORS * NET_ACTORS];
	int count = pstk_network_latencies(run->built.network, found, TEST_COUNT(found));

	for (int i = 0; i < count; i++) {
		int used = pstk_network_latency_buckets(
			run->built.network, (unsigned)i, buckets, TEST_COUNT(buckets));
		uint64_t windows = 0;

		for (int k = 0; k < used; k++)
			windows += buckets[k].windows;
		if (windows != found[i].arrived || windows > found[i].followed ||
			found[i].actors_ns > found[i].mean_ns || found[i].mean_ns > found[i].max_ns ||
			found[i].p50_ns > found[i].p99_ns || found[i].p99_ns > found[i].max_ns)
			run_say(run, "latency %d: %llu in buckets, %llu arrived, %llu followed", i,
				(unsigned long long)windows, (unsigned long long)found[i].arrived,
				(unsigned long long)found[i].followed);
	}
	if (count < 0)
		run_say(run, "no latencies: %d", count);
}

/* Between two devices, or a device and the host, windows wait at each place that they cross. Where that is so the
 * library knows: what follows from it the oracle says. */
void run_find_hops(struct run *run, struct net *net)
{
	bool on_devices = false;

	for (unsigned a = 0; a < net->actor_count; a++)
		on_devices = on_devices || net_has_kernel(&net->actors[a]);
	if (!on_devices)
		return;
	run_build(run, &run->built);
	for (unsigned f = 0; f < net->fifo_count && !run->message[0]; f++) {
		struct pstk_fifo_info info = { .memory = "" };

		pstk_fifo_get_info(run->built.fifos[f], &info);
		net->fifos[f].hops = !strcmp(info.memory, "staged")                    ? 1
		                     : !strcmp(info.memory, "staged through the host") ? 2
		                                                                       : 0;
	}
	pstk_network_destroy(run->built.network);
}

const char *net_run(const struct net *given, struct net_totals *totals)
{
	static struct run run;
	static struct net known;
	const struct net *net = &known;

	known = *given;
	if (oracle_never_ends(net)) {
		totals->endless++;
		return NULL;
	}
	run.net = net;
	run.message[0] = 0;
	run_find_hops(&run, &known);
	run.shared_bytes = 0;
	run.ends = oracle_foretell(&run.oracle, net, &net->values);
	if (run.ends)
		oracle_find_bounds(&run.oracle);
	run_build(&run, &run.built);
	if (!run.message[0] && run_exchange)
		run_exchange->exchange(&run);
	if (!run.message[0] && follows(net))
		pstk_network_set_latency(run.built.network, 1);
	if (!run.message[0])
		run_check_sharing(&run);
	if (!run.message[0])
		check_verdict(&run);
	if (!run.message[0])
		run_built(&run, totals);
	if (!run.message[0] && follows(net))
		check_latency(&run);
	if (run_exchange)
		run_exchange->destroy(&run);
	else
		pstk_network_destroy(run.built.network);
	totals->networks++;
	totals->actors += net->actor_count;
	totals->fifos += net->fifo_count;
	return run.message[0] ? run.message : NULL;
}
