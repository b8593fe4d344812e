/* SPDX-License-Identifier: MIT */
#include "tests/random/dynamic_run.h"
#include "lib/fifo/fifo.h"

#include "tests/random/dynamic_build.h"
#include "tests/random/dynamic_device.h"
#include "tests/random/dynamic_oracle.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The arg of an actor. */
struct run_actor {
	struct dyn_arg arg;
	const struct dyn_net *net;
	const struct dyn_sequences *sequences;
	unsigned number, group;
	unsigned fifo[DYN_PORTS]; /* of an input; of an output any, for its rate */
	uint64_t
		moved[DYN_PORTS]; /* windows, if it is not stateless; its firings only, one after the other */
	_Atomic uint64_t ran;     /* firings; those of a stateless actor that were thrown away too */
	uint64_t limit;
	bool stateless, blocks;
	unsigned concurrency; /* of a stateless one; 0: what the library makes of it */
};

/* One firing. Several of a stateless actor may be under way. */
struct one {
	struct run_actor *actor;
	struct pstk_firing *f;
	struct test_rng rng;
	uint64_t moved[DYN_PORTS]; /* windows before this firing */
};

struct run {
	const struct dyn_net *net;
	struct dyn_sim sim;
	struct dyn_sure sure;
	struct dyn_built built;
	struct run_actor actors[DYN_ACTORS];
	unsigned threads;                /* of its team; 0: a thread per actor */
	unsigned stateless, blocks;      /* of the actors on cores, per cent */
	unsigned pinned;                 /* of the actors, per cent */
	bool unproven;                   /* start() may refuse it, but is told not to look */
	bool undeclared;                 /* types say nothing of their control values */
	const char *devices[DYN_ACTORS]; /* NULL: it runs on a core */
	struct dyn_device_actor on_device[DYN_ACTORS];
	char message[512];
};

static void dawdle(struct one *one)
{
	volatile uint32_t spin;

	if (!test_chance(&one->rng, 15))
		return;
	if (test_chance(&one->rng, 50))
		sched_yield();
	for (spin = test_between(&one->rng, 0, 500); spin > 0; spin--)
		;
}

/* How many windows port p has moved before the firing, from the control values alone. */
static uint64_t moved_before(const struct run_actor *actor, unsigned p, uint64_t firing)
{
	uint64_t moved = 0;

	if (!dyn_is_dynamic(actor->arg.actor->ports[p].kind))
		return firing;
	for (uint64_t i = 0; i < firing; i++)
		moved +=
			dyn_on(actor->arg.actor, p, dyn_value(actor->net, actor->sequences, actor->group, i));
	return moved;
}

static bool same(const struct one *one, unsigned p, const uint64_t *window, uint32_t valid)
{
	const struct run_actor *actor = one->actor;
	const struct dyn_fifo *fifo = &actor->net->fifos[actor->fifo[p]];

	for (uint32_t i = 0; i < fifo->rate; i++)
		if (window[i] !=
			(i < valid ? dyn_token(actor->net, actor->fifo[p], one->moved[p] * fifo->rate + i)
				   : 0))
			return false;
	return true;
}

static bool read_window(struct one *one, unsigned p)
{
	uint32_t valid = pstk_port_valid(one->f, p);
	const uint64_t *window = pstk_fifo_read_start(one->f, p);
	bool good = window && valid && same(one, p, window, valid);

	dawdle(one);
	good = good && same(one, p, window, valid); /* nobody has written into it meanwhile */
	pstk_fifo_read_end(one->f, p);
	return good;
}

static bool write_window(struct one *one, unsigned p)
{
	const struct run_actor *actor = one->actor;
	const struct dyn_fifo *fifo = &actor->net->fifos[actor->fifo[p]];
	int group = actor->arg.actor->ports[p].group;
	uint32_t valid = pstk_port_valid(one->f, p);
	void *window = pstk_fifo_write_start(one->f, p);
	uint64_t *tokens = window;

	if (!window || !valid)
		return false;
	if (group >= 0)
		*(uint32_t *)window = dyn_value(actor->net, actor->sequences, (unsigned)group, one->moved[p]);
	for (uint32_t i = 0; group < 0 && i < fifo->rate; i++) {
		tokens[i] = dyn_written_token(actor->net, actor->number, p, one->moved[p] * fifo->rate + i);
		dawdle(one);
	}
	pstk_fifo_write_end(one->f, p);
	return true;
}

static int complain(struct pstk_firing *f, unsigned port, const char *what)
{
	return pstk_actor_error(pstk_firing_actor(f), -EILSEQ, "port %u in firing %" PRIu64 " %s", port,
		pstk_firing_index(f), what);
}

static int run_ports(struct one *one, uint32_t value)
{
	const struct dyn_actor *spec = one->actor->arg.actor;
	unsigned first = spec->port_count ? test_between(&one->rng, 0, spec->port_count - 1) : 0;

	for (unsigned i = 0; i < spec->port_count; i++) {
		unsigned p = (first + i) % spec->port_count;

		if (pstk_port_enabled(one->f, p) != dyn_on(spec, p, value))
			return complain(one->f, p, "is not as its control token says");
		if (!pstk_port_enabled(one->f, p))
			continue;
		if (!(dyn_reads(spec->ports[p].kind) ? read_window : write_window)(one, p))
			return complain(one->f, p, "has other tokens than the oracle");
		one->moved[p]++;
	}
	return 0;
}

static int run_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	const struct dyn_actor *spec = actor->arg.actor;
	uint64_t index = pstk_firing_index(f);
	struct one one = { .actor = actor,
		.f = f,
		.rng = { test_mix(test_mix(actor->net->seed + actor->number) ^ index) } };
	uint32_t value = 0;
	int err;

	for (unsigned p = 0; p < spec->port_count; p++)
		one.moved[p] = actor->stateless ? moved_before(actor, p, index) : actor->moved[p];
	if (spec->values)
		value = dyn_value(actor->net, actor->sequences, actor->group, index);
	err = run_ports(&one, value);
	if (err)
		return err;
	if (!actor->stateless)
		memcpy(actor->moved, one.moved, sizeof actor->moved);
	atomic_fetch_add(&actor->ran, 1);
	return index + 1 == actor->limit ? PSTK_DONE : PSTK_AGAIN;
}

PSTK_PRINTF(2, 3) static void say(struct run *run, const char *format, ...)
{
	va_list list;

	if (run->message[0])
		return;
	va_start(list, format);
	vsnprintf(run->message, sizeof run->message, format, list);
	va_end(list);
}

/* Who runs the network. */
static void choose_mode(struct run *run)
{
	struct test_rng rng = { test_mix(run->net->seed ^ 0x7ea3) };

	run->threads = test_team(&rng);
	run->stateless = test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 100);
	run->blocks = test_chance(&rng, 70) ? 0 : test_between(&rng, 1, 100);
	ps_fifo_warm_least = test_chance(&rng, 50) ? 1 : 4096;
}

/* What an actor on the cores is like. */
static void choose_actor(struct run *run, unsigned a)
{
	struct run_actor *actor = &run->actors[a];
	struct test_rng rng = { test_mix(run->net->seed + a) };
	uint32_t least = 256;

	actor->stateless = test_chance(&rng, run->stateless);
	actor->blocks = test_chance(&rng, run->blocks);
	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		const struct dyn_fifo *fifo = &run->net->fifos[f];
		uint32_t depth = fifo->depth ? fifo->depth : run->threads ? 2 * run->threads : 2;

		if ((fifo->src == a || fifo->dst == a) && depth < least)
			least = depth;
	}
	if (actor->stateless && test_chance(&rng, 50))
		actor->concurrency = test_between(&rng, 1, least);
}

static void *describe(void *data, unsigned a, struct pstk_actor_type *type)
{
	struct run *run = data;
	struct run_actor *actor = &run->actors[a];

	*actor = (struct run_actor){ .arg = { &run->net->actors[a] },
		.net = run->net,
		.sequences = run->sim.sequences,
		.number = a,
		.group = dyn_group_of(run->net, a),
		.limit = run->sim.actors[a].limit };
	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		if (run->net->fifos[f].src == a)
			actor->fifo[run->net->fifos[f].src_port] = f;
		if (run->net->fifos[f].dst == a)
			actor->fifo[run->net->fifos[f].dst_port] = f;
	}
	type->fire = run_fire;
	if (run->undeclared)
		type->control_values = 0;
	if (!run->devices[a]) {
		choose_actor(run, a);
		type->stateless = actor->stateless;
		type->blocks = actor->blocks;
		return actor;
	}
	dyn_device_describe(&run->on_device[a], run->net, run->sim.sequences, a, type);
	return &run->on_device[a];
}

/* Who does not end by its own choice can run on a device. */
static void choose_devices(struct run *run, const char *const *devices)
{
	for (unsigned a = 0; a < run->net->actor_count && devices; a++)
		if (run->sim.actors[a].limit == DYN_SIM_ENDLESS && dyn_device_can(run->net, a))
			run->devices[a] = devices[a];
}

static void map_actors(struct run *run, struct dyn_totals *totals)
{
	for (unsigned a = 0; a < run->net->actor_count; a++) {
		if (!run->devices[a])
			continue;
		if (pstk_actor_map(run->built.actors[a], run->devices[a]))
			say(run, "%s", pstk_network_error(run->built.network));
		totals->on_devices++;
	}
}

static void set_mode(struct run *run, struct dyn_totals *totals)
{
	int err = pstk_network_set_threads(run->built.network, run->threads);

	for (unsigned a = 0; a < run->net->actor_count && !err; a++)
		if (run->actors[a].concurrency)
			err = pstk_actor_set_concurrency(run->built.actors[a], run->actors[a].concurrency);
	for (unsigned a = 0; a < run->net->actor_count && !err; a++) {
		struct test_rng rng = { test_mix(run->net->seed ^ 0x9139 ^ a << 16) };

		if (test_chance(&rng, run->pinned))
			err = pstk_actor_pin(
				run->built.actors[a], test_core(test_between(&rng, 0, run->threads)));
	}
	if (err)
		say(run, "%s", pstk_network_error(run->built.network));
	totals->teams += run->threads > 0;
}

/* What the device has left in the state. */
static void check_device_actor(struct run *run, unsigned a, uint64_t firings)
{
	const struct dyn_device_actor *d = &run->on_device[a];

	if (d->left.wrong || d->left.firings != firings)
		say(run, "a%u on %s: %" PRIu64 " wrong, %" PRIu64 " firings, the statistics say %" PRIu64, a,
			run->devices[a], d->left.wrong, d->left.firings, firings);
	for (unsigned w = 0; w < d->windows; w++)
		run->actors[a].moved[d->port[w]] = d->left.moved[w];
	atomic_store(&run->actors[a].ran, d->left.firings);
}

/* A stateless actor that ends may have begun later firings meanwhile, which don't count. */
static uint64_t most_unpublished(const struct run *run, unsigned a)
{
	const struct run_actor *actor = &run->actors[a];

	if (!actor->stateless)
		return 0;
	return (actor->concurrency ? actor->concurrency : run->threads ? run->threads : 1) - 1;
}

static bool is_sure(const struct run *run, unsigned a)
{
	return run->sure.actors >> a & 1;
}

static void check_actor(struct run *run, unsigned a, struct dyn_totals *totals)
{
	struct pstk_actor_stats stats;
	uint64_t ran;

	ck_assert_int_eq(pstk_actor_get_stats(run->built.actors[a], &stats), 0);
	if (run->devices[a])
		check_device_actor(run, a, stats.firings);
	ran = atomic_load(&run->actors[a].ran);
	if (stats.firings > ran || ran - stats.firings > most_unpublished(run, a))
		say(run, "a%u: the statistics say %" PRIu64 " firings, not %" PRIu64, a, stats.firings, ran);
	totals->firings += stats.firings;
	if (!is_sure(run, a))
		return;
	totals->sure_actors++;
	if (stats.firings != run->sim.actors[a].firings)
		say(run, "a%u fired %" PRIu64 " times, in the oracle %" PRIu64, a, stats.firings,
			run->sim.actors[a].firings);
	if (run->net->actors[a].values && stats.control_tokens != run->sim.actors[a].ticks)
		say(run, "a%u obeyed %" PRIu64 " control tokens, in the oracle %" PRIu64, a,
			stats.control_tokens, run->sim.actors[a].ticks);
}

static void check_fifo(struct run *run, unsigned f, struct dyn_totals *totals)
{
	const struct dyn_fifo *fifo = &run->net->fifos[f];
	const struct dyn_sim_fifo *sim = &run->sim.fifos[f];
	struct pstk_fifo_info info;
	uint64_t left;
	bool control = run->net->actors[fifo->dst].ports[fifo->dst_port].kind == DYN_CONTROL;

	ck_assert_int_eq(pstk_fifo_get_info(run->built.fifos[f], &info), 0);
	totals->tokens += info.read;
	/* read counts whole windows, also a last one that was filled partly */
	left = info.read < fifo->delay + info.written ? fifo->delay + info.written - info.read : 0;
	if (info.read >= fifo->delay + info.written + fifo->rate ||
		info.written > info.read + (uint64_t)fifo->depth * fifo->rate || info.fill != left)
		say(run, "FIFO %u: %" PRIu64 " written, %" PRIu64 " read, %" PRIu64 " left", f, info.written,
			info.read, info.fill);
	if (!info.closed || !info.discards)
		say(run, "FIFO %u: an end is open after the run", f);
	if (!is_sure(run, fifo->dst) || control)
		return; /* a control token may be taken for a firing that does not come about */
	if (info.read != sim->read * fifo->rate)
		say(run, "FIFO %u: %" PRIu64 " tokens were read, in the oracle %" PRIu64, f, info.read,
			sim->read * fifo->rate);
	if (!run->sure.written[f])
		return;
	totals->exact_fifos++;
	if (info.written != sim->tokens)
		say(run, "FIFO %u: %" PRIu64 " tokens were written, in the oracle %" PRIu64, f, info.written,
			sim->tokens);
	if (info.written == info.read && info.fill != fifo->delay)
		say(run, "FIFO %u holds %" PRIu64 " tokens, not its delay", f, info.fill);
}

/* Returns whether all actors end. */
static bool simulate(struct run *run, const struct dyn_net *net, const struct dyn_verdict *v,
	const struct dyn_sequences *s, uint64_t ticks)
{
	bool all = true;

	memset(run, 0, sizeof *run);
	run->net = net;
	dyn_sim_init(&run->sim, net, s, 1, net->seed);
	for (unsigned a = 0; a < net->actor_count; a++)
		dyn_sim_end_at(&run->sim, a, dyn_is_free(net, v, a) ? ticks : DYN_SIM_ENDLESS);
	dyn_sim_run(&run->sim);
	for (unsigned a = 0; a < net->actor_count; a++)
		all &= run->sim.actors[a].ended;
	return all;
}

/* Builds what was simulated, runs it, destroys it. */
static void run_built(struct run *run, int expected, struct dyn_totals *totals)
{
	const struct dyn_net *net = run->net;
	int err;

	dyn_build(&run->built, net, describe, run);
	map_actors(run, totals);
	set_mode(run, totals);
	if (run->unproven)
		pstk_network_set_flags(run->built.network, PSTK_UNCHECKED);
	err = pstk_network_run(run->built.network);
	if (err != expected)
		say(run, "error %d, not %d: %s", err, expected, pstk_network_error(run->built.network));
	for (unsigned a = 0; a < net->actor_count && !err; a++)
		check_actor(run, a, totals);
	for (unsigned f = 0; f < net->fifo_count && !err; f++)
		check_fifo(run, f, totals);
	pstk_network_destroy(run->built.network);
	totals->networks++;
	totals->actors += net->actor_count;
	totals->fifos += net->fifo_count;
	totals->dead += expected != 0;
}

const char *dyn_run(const struct dyn_net *net, const struct dyn_verdict *v, const struct dyn_sequences *s,
	uint64_t ticks, const char *const *devices, struct dyn_totals *totals)
{
	static struct run run;

	if (!simulate(&run, net, v, s, ticks))
		return "it does not end in the simulation";
	if (dyn_sim_endless(&run.sim)) {
		totals->endless++;
		return NULL;
	}
	dyn_sim_sure(&run.sim, &run.sure);
	choose_devices(&run, devices);
	choose_mode(&run);
	run_built(&run, 0, totals);
	return run.message[0] ? run.message : NULL;
}

const char *dyn_run_unproven(const struct dyn_net *net, const struct dyn_sequences *s, uint64_t ticks,
	unsigned threads, struct dyn_totals *totals)
{
	struct test_rng rng = { test_mix(net->seed ^ 0xdead) };
	static struct run run;
	struct dyn_verdict v;
	bool ends;

	dyn_judge(net, &v);
	ends = simulate(&run, net, &v, s, ticks);
	if (dyn_sim_endless(&run.sim)) {
		totals->endless++;
		return NULL;
	}
	if (ends)
		dyn_sim_sure(&run.sim, &run.sure);
	choose_mode(&run);
	run.threads = threads;
	run.unproven = true;
	run.pinned = test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 100);
	run.undeclared = test_chance(&rng, 50);
	run_built(&run, ends ? 0 : -EDEADLK, totals);
	return run.message[0] ? run.message : NULL;
}

const char *dyn_run_random(uint64_t seed, uint64_t ticks, const char *const *devices, unsigned device_count,
	struct dyn_totals *totals)
{
	static struct dyn_net net;
	struct test_rng rng = { test_mix(seed) };
	const char *chosen[DYN_ACTORS] = { NULL };
	unsigned share = test_between(&rng, 30, 100);
	struct dyn_sequences s;
	struct dyn_verdict v;

	dyn_make_random(&net, seed);
	dyn_judge(&net, &v);
	if (v.rule != DYN_PROVEN || !net.group_count)
		return NULL;
	dyn_random_sequences(&net, &s, DYN_SEQUENCE, &rng);
	for (unsigned a = 0; a < net.actor_count; a++)
		if (test_chance(&rng, share))
			chosen[a] = devices[test_between(&rng, 0, device_count - 1)];
	return dyn_run(&net, &v, &s, test_between(&rng, 1, (uint32_t)ticks), chosen, totals);
}

void dyn_print_totals(const char *what, const struct dyn_totals *totals)
{
	printf("%s: %" PRIu64 " networks (%" PRIu64 " by teams), %" PRIu64 " actors (%" PRIu64
	       " on devices, %" PRIu64 " compared exactly), %" PRIu64 " FIFOs (%" PRIu64 "), %" PRIu64
	       " firings, %" PRIu64 " tokens; %" PRIu64 " networks have loops that never end\n",
		what, totals->networks, totals->teams, totals->actors, totals->on_devices,
		totals->sure_actors, totals->fifos, totals->exact_fifos, totals->firings, totals->tokens,
		totals->endless);
}
