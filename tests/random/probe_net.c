/* SPDX-License-Identifier: MIT */
#include "tests/random/probe_net.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NO_SIGNAL = PROBE_SIGNALS };

/* Their first signal of two; NO_SIGNAL: none. */
static const struct {
	const char *name;
	unsigned in, out;
} plan[PROBE_ACTORS] = { { "source", NO_SIGNAL, 0 }, { "tap0", 0, NO_SIGNAL }, { "probe1", 0, 2 },
	{ "tap1", 2, NO_SIGNAL }, { "probe2", 2, 4 }, { "sink2", 4, NO_SIGNAL }, { "probe3", 2, 6 },
	{ "sink3", 6, NO_SIGNAL } };

static const char source[] =
	"struct probe_state { ulong launches, wrong, sum; };\n"
	"void look(__global struct probe_state *s, __global const uint *in, uint rate, uint valid, uint "
	"factor)\n"
	"{\n"
	"	if (!in) { s->wrong += valid != 0; return; }\n"
	"	s->wrong += !valid || valid > rate;\n"
	"	for (uint i = 0; i < rate; i++)\n"
	"		if (i < valid) s->sum = s->sum * 31 + in[i] * factor; else s->wrong += in[i] != 0;\n"
	"}\n"
	"void put(__global struct probe_state *s, __global uint *out, uint rate, uint valid, uint salt)\n"
	"{\n"
	"	if (!out) { s->wrong += valid != 0; return; }\n"
	"	s->wrong += !valid || valid > rate;\n"
	"	for (uint i = 0; i < rate; i++) out[i] = i < valid ? (uint)(s->sum >> 3) + i * salt : "
	"0xbad;\n"
	"}\n"
	"__kernel void probe(__global const uint *x, __global const uint *y, __global uint *p, __global uint "
	"*q,\n"
	"	__global struct probe_state *s, ulong firing, uint rx, uint vx, uint ry, uint vy, uint rp, "
	"uint vp,\n"
	"	uint rq, uint vq)\n"
	"{\n"
	"	s->wrong += s->launches++ != firing || !(x || y || p || q);\n"
	"	look(s, x, rx, vx, 5);\n"
	"	look(s, y, ry, vy, 7);\n"
	"	put(s, p, rp, vp, 11);\n"
	"	put(s, q, rq, vq, 13);\n"
	"}\n"
	"__kernel void probe_control(__global const uint *raw, __global uint *out, ulong firing)\n"
	"{\n"
	"	*out = *raw ^ (uint)firing & 255;\n"
	"}\n";

void probe_run(struct probe_state *s, const struct probe_windows *w, uint64_t firing)
{
	static const uint32_t factor[] = { 5, 7, 11, 13 };

	s->wrong += s->launches++ != firing;
	for (unsigned p = 0; p < 4; p++) {
		if (!w->at[p]) {
			s->wrong += w->valid[p] != 0;
			continue;
		}
		s->wrong += !w->valid[p] || w->valid[p] > w->rate[p];
		for (uint32_t i = 0; i < w->rate[p]; i++)
			if (p >= 2)
				w->at[p][i] =
					i < w->valid[p] ? (uint32_t)(s->sum >> 3) + i * factor[p] : 0xbad;
			else if (i < w->valid[p])
				s->sum = s->sum * 31 + (uint32_t)(w->at[p][i] * factor[p]);
			else
				s->wrong += w->at[p][i] != 0;
	}
}

static uint32_t source_token(unsigned signal, uint64_t i)
{
	return (uint32_t)test_mix(i * 2 + signal);
}

/* -- what it is -- */

static void add_fifos(struct probe_net *net, struct test_rng *rng)
{
	unsigned count = 0;

	for (unsigned a = 0; a < PROBE_ACTORS; a++)
		for (unsigned i = 0; i < 2 && plan[a].in != NO_SIGNAL; i++, count++) {
			struct probe_fifo *f = &net->fifos[count];
			bool checks = plan[a].out == NO_SIGNAL;

			*f = (struct probe_fifo){
				.signal = plan[a].in + i, .reader = a, .depth = test_between(rng, 1, 3)
			};
			if (test_chance(rng, 50))
				f->delay = test_between(
					rng, 0, (checks ? 1 : 3) * net->rates[f->signal] + (checks ? 0 : 2));
			if (checks && f->delay)
				f->delay--;
			f->count = f->delay;
			for (uint32_t d = 0; d < f->delay; d++)
				f->tokens[d] = 100 + d;
		}
}

void probe_random(struct probe_net *net, uint64_t seed, const char *const *devices, unsigned count)
{
	struct test_rng rng = { test_mix(seed) };
	uint32_t rarely = test_chance(&rng, 30) ? (uint32_t)test_random(&rng) : UINT32_MAX;

	memset(net, 0, sizeof *net);
	net->seed = seed;
	net->firings = test_between(&rng, 1, PROBE_FIRINGS);
	for (unsigned k = 0; k < net->firings; k++)
		net->values[k] =
			test_chance(&rng, 20) ? 0 : (uint32_t)test_random(&rng) & rarely & (PROBE_VALUES - 1);
	for (unsigned s = 0; s < PROBE_SIGNALS;
		s += 2) /* so that no tap or sink ends before the last firings */
		net->values[net->firings - 1] |= test_between(&rng, 1, 3) << s;
	for (unsigned s = 0; s < PROBE_SIGNALS; s++)
		net->rates[s] = test_between(&rng, 1, PROBE_RATE);
	for (unsigned i = 0; i < 2; i++)
		net->last_valid[i] =
			test_chance(&rng, 50) ? net->rates[i] : test_between(&rng, 1, net->rates[i]);
	net->control_depth = test_between(&rng, 1, 3);
	for (unsigned a = PROBE_1; a < PROBE_ACTORS; a++)
		if (plan[a].in != NO_SIGNAL && plan[a].out != NO_SIGNAL && test_chance(&rng, 80))
			net->device[a] = devices[test_between(&rng, 0, count - 1)];
	if (test_chance(&rng, 30))
		net->control_device = devices[test_between(&rng, 0, count - 1)];
	add_fifos(net, &rng);
}

/* -- the oracle -- */

static struct probe_fifo *fifo_into(struct probe_net *net, unsigned actor, unsigned signal)
{
	for (unsigned f = 0; f < PROBE_FIFOS; f++)
		if (net->fifos[f].reader == actor && net->fifos[f].signal == signal)
			return &net->fifos[f];
	return NULL;
}

static void take(struct probe_net *net, unsigned a, uint32_t value, struct probe_windows *w)
{
	for (unsigned i = 0; i < 2 && plan[a].in != NO_SIGNAL; i++) {
		struct probe_fifo *f = fifo_into(net, a, plan[a].in + i);
		uint32_t rate = net->rates[f->signal], left = f->count - f->taken;

		if (!(value >> f->signal & 1))
			continue;
		w->rate[i] = rate;
		w->valid[i] = left < rate ? left : rate;
		w->at[i] = f->tokens + f->taken; /* zeros are behind the last */
		f->taken += w->valid[i];
		f->windows++;
	}
}

static uint32_t default_valid(const struct probe_windows *w, uint32_t rate)
{
	uint32_t least = rate;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t valid = w->at[i] ? (rate * w->valid[i] + w->rate[i] - 1) / w->rate[i] : rate;

		least = valid < least ? valid : least;
	}
	return least;
}

static void give(struct probe_net *net, unsigned signal, const uint32_t *tokens, uint32_t valid)
{
	for (unsigned f = 0; f < PROBE_FIFOS; f++)
		if (net->fifos[f].signal == signal) {
			memcpy(net->fifos[f].tokens + net->fifos[f].count, tokens, valid * sizeof *tokens);
			net->fifos[f].count += valid;
		}
}

static void oracle_fire(struct probe_net *net, unsigned a, unsigned k)
{
	struct probe_state *s = &net->states[a];
	struct probe_windows w = { 0 };
	uint32_t value = net->values[k], out[2][PROBE_RATE];
	bool any;

	take(net, a, value, &w);
	any = w.at[0] || w.at[1];
	for (unsigned i = 0; i < 2 && plan[a].out != NO_SIGNAL; i++)
		if (value >> (plan[a].out + i) & 1) {
			any = true;
			w.at[2 + i] = out[i];
			w.rate[2 + i] = net->rates[plan[a].out + i];
			w.valid[2 + i] = default_valid(&w, w.rate[2 + i]);
		}
	if (a == PROBE_SOURCE && k + 1 == net->firings)
		memcpy(&w.valid[2], net->last_valid, sizeof net->last_valid);
	if (any)
		probe_run(s, &w, s->launches);
	for (unsigned i = 0; i < 2; i++) {
		if (!w.at[2 + i])
			continue;
		for (uint32_t t = 0; a == PROBE_SOURCE && t < w.valid[2 + i]; t++)
			out[i][t] = source_token(i, (uint64_t)k * PROBE_RATE + t);
		give(net, plan[a].out + i, out[i], w.valid[2 + i]);
	}
}

/* -- the actors -- */

struct run_actor {
	struct probe_net *net;
	unsigned number;
	uint64_t tokens[2], firings, wrong;
};

struct run {
	struct probe_net *net;
	bool stateless; /* the actors that may be so: the sources */
	struct run_actor args[PROBE_ACTORS];
	struct pstk_network *network;
	struct pstk_actor *control, *actors[PROBE_ACTORS];
	struct pstk_fifo *fifos[PROBE_FIFOS];
	char message[512];
};

PSTK_PRINTF(2, 3) static void say(struct run *run, const char *format, ...)
{
	va_list list;

	if (run->message[0])
		return;
	va_start(list, format);
	vsnprintf(run->message, sizeof run->message, format, list);
	va_end(list);
}

/* The control port is in the middle of the probes' ports: x, control, y, p, q. */
static unsigned port_number(unsigned window)
{
	return window ? window + 1 : 0;
}

enum { CONTROL = 1 };

/* Ports of all actors are numbered as a probe's, of which some have only the inputs, the source only the outputs. */
static const struct pstk_port probe_ports[] = {
	{ .name = "x", .kind = PSTK_DYNAMIC_INPUT, .token_type = "u32" },
	{ .name = "control", .kind = PSTK_CONTROL },
	{ .name = "y", .kind = PSTK_DYNAMIC_INPUT, .token_type = "u32" },
	{ .name = "p", .kind = PSTK_DYNAMIC_OUTPUT, .token_type = "u32" },
	{ .name = "q", .kind = PSTK_DYNAMIC_OUTPUT, .token_type = "u32" }
};
static const struct pstk_port source_ports[] = { { .name = "p", .kind = PSTK_DYNAMIC_OUTPUT },
	{ .name = "control", .kind = PSTK_CONTROL }, { .name = "q", .kind = PSTK_DYNAMIC_OUTPUT } };

static int decide(struct pstk_firing *f, uint32_t value)
{
	const struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	unsigned in = plan[actor->number].in, out = plan[actor->number].out;

	for (unsigned i = 0; i < 2; i++) {
		if (in != NO_SIGNAL)
			pstk_port_enable(f, port_number(i), value >> (in + i) & 1);
		if (out != NO_SIGNAL)
			pstk_port_enable(f, port_number(in == NO_SIGNAL ? i : 2 + i), value >> (out + i) & 1);
	}
	return 0;
}

/* From the firing's own number: a stateless actor's firings share nothing that changes. */
static void dawdle(const struct run_actor *actor, struct pstk_firing *f)
{
	struct test_rng rng = { test_mix(actor->net->seed + actor->number) ^ pstk_firing_index(f) };

	if (test_chance(&rng, 10))
		sched_yield();
}

static int source_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	const struct probe_net *net = actor->net;
	uint64_t k = pstk_firing_index(f);

	dawdle(actor, f);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t *out;

		if (!pstk_port_enabled(f, port_number(i)))
			continue;
		out = pstk_fifo_write_start(f, port_number(i));
		for (uint32_t t = 0; t < net->rates[i]; t++)
			out[t] = source_token(i, k * PROBE_RATE + t);
		pstk_fifo_write_end_partial(
			f, port_number(i), k + 1 == net->firings ? net->last_valid[i] : net->rates[i]);
	}
	return PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));

	dawdle(actor, f);
	for (unsigned i = 0; i < 2; i++) {
		unsigned port = port_number(i), signal = plan[actor->number].in + i;
		const struct probe_fifo *fifo = fifo_into(actor->net, actor->number, signal);
		uint32_t valid = pstk_port_valid(f, port), rate = actor->net->rates[signal];
		const uint32_t *in;

		if (!pstk_port_enabled(f, port)) {
			actor->wrong += valid != 0;
			continue;
		}
		in = pstk_fifo_read_start(f, port);
		if (actor->tokens[i] + valid > fifo->taken)
			return pstk_actor_error(
				pstk_firing_actor(f), -EILSEQ, "more tokens than the oracle's");
		for (uint32_t t = 0; t < rate; t++)
			actor->wrong += in[t] != (t < valid ? fifo->tokens[actor->tokens[i] + t] : 0);
		actor->tokens[i] += valid;
		pstk_fifo_read_end(f, port);
	}
	return PSTK_AGAIN;
}

static int probe_fire(struct pstk_firing *f)
{
	struct probe_state *s = pstk_actor_state(pstk_firing_actor(f));
	struct probe_windows w = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		w.rate[i] = pstk_actor_port_rate(pstk_firing_actor(f), port_number(i));
		w.valid[i] = pstk_port_valid(f, port_number(i));
		if (pstk_port_enabled(f, port_number(i)))
			w.at[i] = i < 2 ? (void *)pstk_fifo_read_start(f, port_number(i))
			                : pstk_fifo_write_start(f, port_number(i));
	}
	probe_run(s, &w, s->launches);
	for (unsigned i = 0; i < 4; i++)
		if (w.at[i])
			(i < 2 ? pstk_fifo_read_end : pstk_fifo_write_end)(f, port_number(i));
	return PSTK_AGAIN;
}

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

static int probe_init(struct pstk_actor *self)
{
	struct pstk_device_info info;
	int err = pstk_actor_device(self, &info) ? 0 : one_init(self);

	for (unsigned i = 0; i < 4 && !err && !pstk_actor_device(self, &info); i++) {
		err = pstk_actor_set_arg(self, 2 * i, 4, PSTK_ARG_RATE(port_number(i)));
		err = err ? err : pstk_actor_set_arg(self, 2 * i + 1, 4, PSTK_ARG_VALID(port_number(i)));
	}
	return err;
}

static int probe_finish(struct pstk_actor *self)
{
	const struct run_actor *actor = pstk_actor_arg(self);
	const struct probe_state *s = pstk_actor_state(self), *expected = &actor->net->states[actor->number];

	if (pstk_network_failed(pstk_actor_network(self)) ||
		(s->launches == expected->launches && s->sum == expected->sum && !s->wrong))
		return 0;
	return pstk_actor_error(self, -EILSEQ,
		"%" PRIu64 " launches, not %" PRIu64 ", %" PRIu64 " wrong, sum %" PRIx64 ", not %" PRIx64,
		s->launches, expected->launches, s->wrong, s->sum, expected->sum);
}

/* -- control -- */

/* raw values for the kernel probe_control, or the control values themselves. */
static int values_fire(struct pstk_firing *f)
{
	const struct probe_net *net = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t k = pstk_firing_index(f);

	/* a firing behind the last one may run beside it, and is thrown away */
	*(uint32_t *)pstk_fifo_write_start(f, 0) =
		(k < net->firings ? net->values[k] : 0) ^ (net->control_device ? k & 255 : 0);
	pstk_fifo_write_end(f, 0);
	return k + 1 < net->firings ? PSTK_AGAIN : PSTK_DONE;
}

static void add_control(struct run *run)
{
	static const struct pstk_port ports[] = { { .name = "raw", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_kernel kernel = { .source = source, .name = "probe_control" };
	struct pstk_actor *raw;

	run->control = pstk_network_add(run->network, "values",
		PSTK_ACTOR_TYPE(.name = "values", .ports = &ports[1], .port_count = 1,
			.stateless = run->stateless, .fire = values_fire),
		run->net);
	if (!run->net->control_device)
		return;
	raw = run->control;
	run->control = pstk_network_add(run->network, "control",
		PSTK_ACTOR_TYPE(.name = "control", .ports = ports, .port_count = 2, .init = one_init,
			.kernel = &kernel),
		NULL);
	pstk_actor_map(run->control, run->net->control_device);
	pstk_connect(raw, "out", run->control, "raw", PSTK_FIFO(.rate = 1, .token_size = 4));
}

/* -- the run -- */

static void add_actor(struct run *run, unsigned a)
{
	static const struct pstk_kernel kernel = { .source = source, .name = "probe" };
	bool is_source = a == PROBE_SOURCE, is_sink = plan[a].out == NO_SIGNAL;
	struct run_actor *arg = &run->args[a];

	*arg = (struct run_actor){ .net = run->net, .number = a };
	run->actors[a] = pstk_network_add(run->network, plan[a].name,
		PSTK_ACTOR_TYPE(.name = is_source ? "source"
	                                : is_sink ? "sink"
	                                          : "probe",
			.ports = is_source ? source_ports : probe_ports,
			.port_count = is_source || is_sink ? 3 : 5, .control_values = PROBE_VALUES,
			.state_size = is_source || is_sink ? 0 : sizeof(struct probe_state),
			.stateless = is_source && run->stateless, .control = decide,
			.init = is_source || is_sink ? NULL : probe_init,
			.fire = is_source ? source_fire
	                        : is_sink ? sink_fire
	                                  : probe_fire,
			.kernel = is_source || is_sink ? NULL : &kernel,
			.finish = is_source || is_sink ? NULL : probe_finish),
		arg);
	if (run->net->device[a])
		pstk_actor_map(run->actors[a], run->net->device[a]);
	pstk_connect(run->control, "out", run->actors[a], "control",
		PSTK_FIFO(.rate = 1, .token_size = 4, .depth = run->net->control_depth));
}

static void connect(struct run *run, unsigned f)
{
	const struct probe_fifo *fifo = &run->net->fifos[f];
	unsigned writer = PROBE_SOURCE;

	while (plan[writer].out != (fifo->signal & ~1u))
		writer++;
	run->fifos[f] = pstk_connect(run->actors[writer], fifo->signal & 1 ? "q" : "p",
		run->actors[fifo->reader], fifo->signal & 1 ? "y" : "x",
		PSTK_FIFO(.rate = run->net->rates[fifo->signal], .delay = fifo->delay, .depth = fifo->depth,
			.token_size = 4, .initial = fifo->delay ? fifo->tokens : NULL));
}

static void check_actor(struct run *run, unsigned a)
{
	struct pstk_actor_stats stats;

	pstk_actor_get_stats(run->actors[a], &stats);
	if (stats.control_tokens != run->net->firings || stats.firings != run->net->states[a].launches)
		say(run, "%s: %" PRIu64 " firings of %" PRIu64 " control tokens, not %" PRIu64 " of %u",
			plan[a].name, stats.firings, stats.control_tokens, run->net->states[a].launches,
			run->net->firings);
	if (run->args[a].wrong)
		say(run, "%s: %" PRIu64 " wrong tokens", plan[a].name, run->args[a].wrong);
}

/* A reader that had delay tokens enough may end before the last windows are written, which are dropped then. */
static void check_fifo(struct run *run, unsigned f)
{
	const struct probe_fifo *fifo = &run->net->fifos[f];
	uint32_t rate = run->net->rates[fifo->signal];
	uint64_t least = fifo->delay < rate ? fifo->count : fifo->taken, held;
	struct pstk_fifo_info info;

	pstk_fifo_get_info(run->fifos[f], &info);
	held = info.written + fifo->delay;
	if (held < least || held > fifo->count || info.read != fifo->windows * rate)
		say(run,
			"signal %u to %s: %" PRIu64 " tokens written, %" PRIu64
			" read, not %u to %u and %" PRIu64,
			fifo->signal, plan[fifo->reader].name, info.written, info.read,
			(uint32_t)least - fifo->delay, fifo->count - fifo->delay, fifo->windows * rate);
	if (info.fill != (held > info.read ? held - info.read : 0))
		say(run, "signal %u to %s: %" PRIu64 " tokens left", fifo->signal, plan[fifo->reader].name,
			info.fill);
}

const char *probe_check(struct probe_net *net, struct probe_totals *totals)
{
	static _Thread_local struct run run;
	struct test_rng rng = { test_mix(net->seed ^ 0x7ea3) };
	unsigned threads = test_team(&rng);
	int err;

	memset(&run, 0, sizeof run);
	run.net = net;
	run.stateless = test_chance(&rng, 50);
	for (unsigned k = 0; k < net->firings; k++)
		for (unsigned a = 0; a < PROBE_ACTORS; a++)
			oracle_fire(net, a, k);
	run.network = pstk_network_create("probes");
	if (pstk_network_set_threads(run.network, threads))
		say(&run, "%s", pstk_network_error(run.network));
	add_control(&run);
	for (unsigned a = 0; a < PROBE_ACTORS; a++)
		add_actor(&run, a);
	for (unsigned f = 0; f < PROBE_FIFOS; f++)
		connect(&run, f);
	err = pstk_network_run(run.network);
	if (err)
		say(&run, "error %d: %s", err, pstk_network_error(run.network));
	for (unsigned a = 0; a < PROBE_ACTORS; a++) {
		check_actor(&run, a);
		totals->firings += net->states[a].launches;
	}
	for (unsigned f = 0; f < PROBE_FIFOS; f++) {
		check_fifo(&run, f);
		totals->tokens += net->fifos[f].taken;
	}
	pstk_network_destroy(run.network);
	totals->networks++;
	return run.message[0] ? run.message : NULL;
}

uint64_t probe_launches(const struct probe_net *net)
{
	uint64_t count = net->control_device ? 1 + net->firings : 0;

	for (unsigned a = 0; a < PROBE_ACTORS; a++)
		if (net->device[a])
			count += 1 + net->states[a].launches;
	return count;
}
