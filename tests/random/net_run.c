/* SPDX-License-Identifier: MIT */
#include "tests/random/net_run.h"

#include "tests/common/common.h"
#include "tests/random/net_device.h"
#include "tests/random/oracle.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One actor of the run: the arg of its callbacks. */
struct run_actor {
	const struct net_actor *spec;
	const struct oracle *oracle;
	unsigned number;
	unsigned into[NET_PORTS];    /* the FIFO of an input */
	_Atomic uint64_t begun, ran; /* firings; those of a stateless actor that were thrown away too */
	_Atomic uint64_t numbers;    /* a sum over all that ran */
	uint64_t most;               /* side by side */
	uint64_t firings;            /* after the run: those that count */
	unsigned finished;
};

/* One firing. Several of a stateless actor may be under way. */
struct one {
	struct pstk_firing *f;
	struct run_actor *actor;
	uint64_t number;
	struct test_rng rng;
	struct net_windows windows;
};

struct run {
	const struct net_spec *net;
	struct pstk_network *network;
	struct oracle oracle;
	struct run_actor actors[NET_ACTORS];
	struct pstk_actor *handles[NET_ACTORS];
	struct pstk_fifo *fifos[NET_FIFOS];
	char message[512];
};

/* A random delay: nothing, some work, or a step back for the other threads. */
static void dawdle(struct one *one)
{
	volatile uint32_t spin;

	if (!test_chance(&one->rng, one->actor->spec->dawdle))
		return;
	if (test_chance(&one->rng, 50))
		sched_yield();
	for (spin = test_between(&one->rng, 0, 500); spin > 0; spin--)
		;
}

static void shuffle(struct test_rng *rng, unsigned *order, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned other = test_between(rng, 0, i);

		order[i] = order[other];
		order[other] = i;
	}
}

static size_t alignment_of(size_t token_size)
{
	size_t lowest = token_size & -token_size;

	return lowest < 64 ? lowest : 64;
}

static bool last_firing(const struct one *one)
{
	return one->number == one->actor->spec->last;
}

/* Does this firing leave the port's window open? */
static bool leaves(const struct one *one, unsigned port)
{
	return last_firing(one) && one->actor->spec->last_valid[port] == 0;
}

static const char *open_window(struct one *one, unsigned p)
{
	const struct net_port *port = &one->actor->spec->ports[p];
	const void *window;

	if (leaves(one, p) && test_chance(&one->rng, 50))
		return NULL; /* not even started */
	if (port->output)
		window = one->windows.out[p] = pstk_fifo_write_start(one->f, p);
	else
		window = one->windows.in[p] = pstk_fifo_read_start(one->f, p);
	if (!window)
		return "gets no window";
	if ((uintptr_t)window % alignment_of(port->token_size) != 0)
		return "gets a window that is not aligned";
	if (leaves(one, p)) {
		one->windows.in[p] = NULL;
		one->windows.out[p] = NULL;
	}
	return NULL;
}

/* The window of an input against the oracle's tokens; zeros follow the valid ones. */
static const char *check_input(const struct one *one, unsigned p)
{
	size_t size = one->actor->spec->ports[p].token_size;
	uint32_t rate = one->actor->spec->ports[p].rate, valid = one->windows.valid[p];
	const struct oracle *oracle = one->actor->oracle;
	const struct oracle_fifo *fifo = &oracle->fifos[one->actor->into[p]];
	const unsigned char *window = one->windows.in[p];

	if (valid != oracle_window(oracle, one->actor->into[p], one->number))
		return "has another number of valid tokens than the oracle";
	if (!window)
		return NULL;
	if (memcmp(window, fifo->tokens + one->number * rate * size, valid * size) != 0)
		return "reads other tokens than the oracle";
	for (size_t i = valid * size; i < rate * size; i++)
		if (window[i] != 0)
			return "reads something after the valid tokens";
	return NULL;
}

static const char *check_valid(struct one *one, unsigned *port)
{
	const struct net_actor *spec = one->actor->spec;
	uint32_t *valid = one->windows.valid;

	for (*port = 0; *port < spec->port_count; ++*port) {
		const char *what;

		valid[*port] = pstk_port_valid(one->f, *port);
		if (spec->ports[*port].output)
			continue;
		what = check_input(one, *port);
		if (what)
			return what;
	}
	for (*port = 0; *port < spec->port_count; ++*port) {
		if (!spec->ports[*port].output)
			continue;
		if (valid[*port] != net_default_valid(spec, *port, valid))
			return "would publish another number of tokens than the oracle";
		if (last_firing(one) && spec->last_valid[*port] < spec->ports[*port].rate)
			valid[*port] = spec->last_valid[*port];
	}
	return NULL;
}

static void close_window(struct one *one, unsigned p)
{
	const struct net_port *port = &one->actor->spec->ports[p];

	if (leaves(one, p))
		return;
	if (!port->output)
		pstk_fifo_read_end(one->f, p);
	else if (last_firing(one) && one->actor->spec->last_valid[p] < port->rate)
		pstk_fifo_write_end_partial(one->f, p, one->actor->spec->last_valid[p]);
	else if (one->number % 7 == 3 && pstk_port_valid(one->f, p) == port->rate)
		pstk_fifo_write_end_partial(one->f, p, port->rate); /* the same as write_end */
	else
		pstk_fifo_write_end(one->f, p);
}

static int complain(const struct one *one, unsigned port, const char *what)
{
	return pstk_actor_error(pstk_firing_actor(one->f), -EILSEQ, "port %u in firing %" PRIu64 " %s", port,
		one->number, what);
}

/* Opens, checks, computes, checks, closes; with delays in between. */
static int run_windows(struct one *one)
{
	struct run_actor *actor = one->actor;
	unsigned order[NET_PORTS], port = 0;
	const char *what = NULL;

	shuffle(&one->rng, order, actor->spec->port_count);
	for (unsigned i = 0; i < actor->spec->port_count; i++) {
		what = open_window(one, order[i]);
		if (what)
			return complain(one, order[i], what);
		dawdle(one);
	}
	what = check_valid(one, &port);
	if (what)
		return complain(one, port, what);
	if (actor->spec->stateless)
		net_function(actor->spec, &(uint64_t){ 0 }, &one->windows);
	else
		net_function(actor->spec, pstk_actor_state(pstk_firing_actor(one->f)), &one->windows);
	dawdle(one);
	what = check_valid(one, &port); /* nobody has touched the windows meanwhile */
	if (what)
		return complain(one, port, what);
	shuffle(&one->rng, order, actor->spec->port_count);
	for (unsigned i = 0; i < actor->spec->port_count; i++)
		close_window(one, order[i]);
	return 0;
}

static int run_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	struct one one = { .f = f, .actor = actor, .number = pstk_firing_index(f) };
	uint64_t before = atomic_fetch_add(&actor->begun, 1), ran = atomic_load(&actor->ran);
	int err;

	one.rng.state = test_mix(actor->spec->seed ^ one.number);
	if (!actor->spec->stateless && (before != one.number || ran != one.number))
		return complain(&one, 0, "is not the next firing");
	if (before >= ran + actor->most) /* others that have begun later may be through */
		return complain(&one, 0, "is one firing too many side by side");
	err = run_windows(&one);
	if (err)
		return err;
	atomic_fetch_add(&actor->numbers, test_mix(one.number));
	atomic_fetch_add(&actor->ran, 1);
	return last_firing(&one) && !actor->spec->last_again ? PSTK_DONE : PSTK_AGAIN;
}

static int run_init(struct pstk_actor *self)
{
	struct run_actor *actor = pstk_actor_arg(self);

	return actor->spec->device ? net_device_init(self, actor->spec) : 0;
}

/* What the device has left in the state. */
static int finish_device(struct pstk_actor *self, struct run_actor *actor)
{
	const struct net_device_state *state = pstk_actor_state(self);
	const struct oracle_actor *expected = &actor->oracle->actors[actor->number];
	struct pstk_actor_stats stats;

	pstk_actor_get_stats(self, &stats);
	actor->firings = stats.firings;
	if (pstk_network_failed(pstk_actor_network(self)))
		return 0;
	if (state->firings != stats.firings)
		return pstk_actor_error(self, -EILSEQ,
			"%" PRIu64 " firings were run on the device, not %" PRIu64, state->firings,
			stats.firings);
	if (stats.firings == expected->firings && state->state != expected->state)
		return pstk_actor_error(self, -EILSEQ, "the device's state is not the oracle's");
	return 0;
}

static int run_finish(struct pstk_actor *self)
{
	struct run_actor *actor = pstk_actor_arg(self);

	actor->finished++;
	return actor->spec->device ? finish_device(self, actor) : 0;
}

/* No more of its firings may be under way. */
static uint64_t side_by_side(const struct net_actor *spec, const struct pstk_network *network)
{
	unsigned threads = pstk_network_threads(network);

	if (!spec->stateless)
		return 1;
	if (!spec->concurrency)
		return threads ? threads : 1;
	return threads && !spec->blocks && spec->concurrency > threads ? threads : spec->concurrency;
}

static void add_actor(struct run *run, struct pstk_network *network, unsigned a)
{
	const struct net_actor *spec = &run->net->actors[a];
	struct pstk_port ports[NET_PORTS];
	char names[NET_PORTS][16];

	run->actors[a] = (struct run_actor){
		.spec = spec, .oracle = &run->oracle, .number = a, .most = side_by_side(spec, network)
	};
	for (unsigned p = 0; p < spec->port_count; p++) {
		snprintf(names[p], sizeof(names[p]), "p%u", p);
		ports[p] = (struct pstk_port){ .name = names[p],
			.kind = spec->ports[p].output ? PSTK_OUTPUT : PSTK_INPUT,
			.token_size = p % 2 ? spec->ports[p].token_size : 0 };
		if (!spec->ports[p].output)
			run->actors[a].into[p] = oracle_into(run->net, a, p);
	}
	run->handles[a] = pstk_network_add(network, spec->name,
		PSTK_ACTOR_TYPE(.name = "random", .ports = ports, .port_count = spec->port_count,
			.state_size = spec->stateless ? 0 : sizeof(struct net_device_state),
			.stateless = spec->stateless, .blocks = spec->blocks, .init = run_init,
			.fire = run_fire, .kernel = spec->device ? net_device_kernel(spec) : NULL,
			.finish = run_finish),
		&run->actors[a]);
	if (spec->device && pstk_actor_map(run->handles[a], spec->device) != 0)
		snprintf(run->message, sizeof(run->message), "%s", pstk_network_error(network));
	if (spec->concurrency && pstk_actor_set_concurrency(run->handles[a], spec->concurrency) != 0)
		snprintf(run->message, sizeof(run->message), "%s", pstk_network_error(network));
	if (spec->core >= 0 && pstk_actor_pin(run->handles[a], test_core((unsigned)spec->core)) != 0)
		snprintf(run->message, sizeof(run->message), "%s cannot be pinned to core %d", spec->name,
			spec->core);
}

static void connect(struct run *run, unsigned f)
{
	const struct net_fifo *fifo = &run->net->fifos[f];
	char out[16], in[16];

	snprintf(out, sizeof(out), "p%u", fifo->src_port);
	snprintf(in, sizeof(in), "p%u", fifo->dst_port);
	run->fifos[f] = pstk_connect(run->handles[fifo->src], out, run->handles[fifo->dst], in,
		PSTK_FIFO(.rate = fifo->rate, .delay = fifo->delay, .depth = fifo->depth,
			.token_size = fifo->token_size, .initial = fifo->initial));
}

PSTK_PRINTF(2, 3) static void say(struct run *run, const char *format, ...)
{
	va_list list;

	if (run->message[0])
		return;
	va_start(list, format);
	vsnprintf(run->message, sizeof(run->message), format, list);
	va_end(list);
}

/* Of an actor on the cores. A stateless one that ends may have begun later firings meanwhile, which don't count. */
static void count_firings(struct run *run, unsigned a)
{
	struct run_actor *actor = &run->actors[a];
	struct pstk_actor_stats stats = { 0 };
	uint64_t ran = atomic_load(&actor->ran), numbers = 0;

	pstk_actor_get_stats(run->handles[a], &stats);
	actor->firings = actor->spec->stateless ? stats.firings : ran;
	for (uint64_t n = 0; n < ran; n++)
		numbers += test_mix(n);
	if (pstk_network_failed(run->network))
		return;
	if (stats.firings > ran || ran - stats.firings >= actor->most)
		say(run, "%s ran %" PRIu64 " times, the statistics say %" PRIu64, actor->spec->name, ran,
			stats.firings);
	if (numbers != atomic_load(&actor->numbers))
		say(run, "%s did not make each of its first %" PRIu64 " firings once", actor->spec->name,
			ran);
}

static void check_actor(struct run *run, unsigned a)
{
	const struct run_actor *actor = &run->actors[a];
	const struct oracle_actor *expected = &run->oracle.actors[a];
	struct pstk_actor_stats stats;

	if (actor->firings < expected->least || actor->firings > expected->firings)
		say(run, "%s fired %" PRIu64 " times, not %" PRIu64 " to %" PRIu64, actor->spec->name,
			actor->firings, expected->least, expected->firings);
	if (actor->finished != 1)
		say(run, "%s: finish() was called %u times", actor->spec->name, actor->finished);
	if (pstk_actor_get_stats(run->handles[a], &stats) != 0 || stats.firings != actor->firings)
		say(run, "%s: the statistics say %" PRIu64 " firings, not %" PRIu64, actor->spec->name,
			stats.firings, actor->firings);
}

/* What the reader took off, in whole windows; what the writer gave is between that and all it can have given.
 */
static void check_fifo(struct run *run, unsigned f)
{
	const struct net_fifo *spec = &run->net->fifos[f];
	const struct run_actor *reader = &run->actors[spec->dst];
	uint64_t taken = reader->firings, most = run->oracle.fifos[f].count;
	struct pstk_fifo_info info;

	if (taken > 0 && taken - 1 == reader->spec->last && reader->spec->last_valid[spec->dst_port] == 0)
		taken--;
	if (pstk_fifo_get_info(run->fifos[f], &info) != 0)
		say(run, "FIFO %u has no information", f);
	else if (info.read != taken * spec->rate)
		say(run, "FIFO %u: %" PRIu64 " tokens were read, not %" PRIu64, f, info.read,
			taken * spec->rate);
	else if (info.written + spec->delay > most ||
		 (info.written + spec->delay < info.read && most >= info.read))
		say(run, "FIFO %u: %" PRIu64 " tokens were written", f, info.written);
	else if (!info.closed || !info.discards)
		say(run, "FIFO %u: an end is open after the run", f);
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool same_delay(const struct net_fifo *a, const struct net_fifo *b)
{
	size_t bytes = a->delay * a->token_size;

	if (a->delay != b->delay)
		return false;
	if (!a->initial || !b->initial)
		return is_zero(a->initial ? a->initial : b->initial, a->initial || b->initial ? bytes : 0);
	return !memcmp(a->initial, b->initial, bytes);
}

/* The buffer that FIFO f's reader uses when everything is on the cores, by the number of the first FIFO that has it: with
 * delay tokens the first with equal ones; without, that of the first with delay tokens, or else of the first. */
static unsigned buffer_of(const struct net_spec *net, unsigned f)
{
	const struct net_fifo *fifo = &net->fifos[f];
	unsigned first = NET_FIFOS;

	for (unsigned o = 0; o < net->fifo_count; o++) {
		const struct net_fifo *other = &net->fifos[o];

		if (other->src != fifo->src || other->src_port != fifo->src_port)
			continue;
		if (fifo->delay ? same_delay(fifo, other) : other->delay > 0)
			return o;
		if (first == NET_FIFOS)
			first = o;
	}
	return first;
}

/* All buffers: (q + k) r slots, or (q + k + 1) r + rho, with the largest k of those that share it; `otherwise` where none is given. */
static size_t expected_bytes(const struct net_spec *net, size_t otherwise, uint64_t *shared)
{
	size_t sum = 0;

	*shared = 0;
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *fifo = &net->fifos[f];
		size_t depth = 0, q = fifo->delay / fifo->rate, rho = fifo->delay % fifo->rate;

		if (buffer_of(net, f) != f) {
			++*shared;
			continue;
		}
		for (unsigned o = 0; o < net->fifo_count; o++) {
			size_t its = net->fifos[o].depth ? net->fifos[o].depth : otherwise;

			if (buffer_of(net, o) == f && its > depth)
				depth = its;
		}
		sum += ((q + depth + (rho ? 1 : 0)) * fifo->rate + rho) * fifo->token_size;
	}
	return sum;
}

static bool on_cores(const struct net_spec *net)
{
	for (unsigned a = 0; a < net->actor_count; a++)
		if (net->actors[a].device)
			return false;
	return true;
}

/* Before and after the run. How many readers on the cores share. */
static uint64_t check_sharing(struct run *run, const struct pstk_network *network)
{
	uint64_t shared, found = 0;
	size_t bytes = pstk_network_shared_bytes(network);
	size_t depth = net_default_depth(pstk_network_threads(network));
	size_t expected = expected_bytes(run->net, depth, &shared);

	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		struct pstk_fifo_info info = { 0 };

		pstk_fifo_get_info(run->fifos[f], &info);
		found += info.shared && !strcmp(info.memory, "host");
	}
	if (!on_cores(run->net))
		return found;
	if (bytes != expected || found != shared)
		say(run, "%zu bytes, %" PRIu64 " shared FIFOs: not %zu and %" PRIu64, bytes, found, expected,
			shared);
	return shared;
}

static void compare(struct run *run, struct net_totals *totals)
{
	unsigned threads = pstk_network_threads(run->network);

	threads = threads < NET_TEAMS ? threads : NET_TEAMS - 1;
	for (unsigned a = 0; a < run->net->actor_count; a++) {
		check_actor(run, a);
		totals->firings += run->actors[a].firings;
		totals->team_firings[threads] += run->actors[a].firings;
		for (unsigned p = 0; p < run->net->actors[a].port_count; p++)
			if (!run->net->actors[a].ports[p].output)
				totals->tokens += run->actors[a].firings * run->net->actors[a].ports[p].rate;
	}
	for (unsigned f = 0; f < run->net->fifo_count; f++)
		check_fifo(run, f);
	totals->networks++;
	totals->actors += run->net->actor_count;
	totals->fifos += run->net->fifo_count;
}

/* Nobody has made more than the oracle could, and every finish() was called. */
static void check_dead(struct run *run, int err, const char *error)
{
	if (err != -EDEADLK || strncmp(error, "deadlock: ", 10))
		say(run, "error %d where the oracle deadlocks: %s", err, error);
	for (unsigned a = 0; a < run->net->actor_count; a++) {
		const struct run_actor *actor = &run->actors[a];

		if (actor->firings > run->oracle.actors[a].firings)
			say(run, "%s fired %" PRIu64 " times, not %" PRIu64, actor->spec->name,
				actor->firings, run->oracle.actors[a].firings);
		if (actor->finished != 1)
			say(run, "%s: finish() was called %u times", actor->spec->name, actor->finished);
	}
}

/* totals NULL: it is a dead one. */
static const char *run_one(const struct net_spec *net, struct net_totals *totals)
{
	static _Thread_local struct run run;
	struct pstk_network *network = pstk_network_create("random");
	uint64_t shared;
	int err;

	memset(&run, 0, sizeof(run));
	run.net = net;
	run.network = network;
	if (oracle_run(&run.oracle, net) != !!totals)
		say(&run, "the oracle finds that the network %s", totals ? "never ends" : "ends");
	if (net->unchecked)
		pstk_network_set_flags(network, PSTK_UNCHECKED);
	if (net->threads >= 0 && pstk_network_set_threads(network, (unsigned)net->threads) != 0)
		say(&run, "%s", pstk_network_error(network));
	for (unsigned a = 0; a < net->actor_count; a++)
		add_actor(&run, network, a);
	for (unsigned f = 0; f < net->fifo_count; f++)
		connect(&run, f);
	if (!run.message[0])
		check_sharing(&run, network);
	if (!run.message[0]) {
		err = pstk_network_run(network);
		for (unsigned a = 0; a < net->actor_count; a++)
			if (!net->actors[a].device)
				count_firings(&run, a);
		if (!totals)
			check_dead(&run, err, pstk_network_error(network));
		else if (err)
			say(&run, "error %d: %s", err, pstk_network_error(network));
		else
			compare(&run, totals);
		shared = check_sharing(&run, network);
		if (totals)
			totals->shared += shared;
	}
	pstk_network_destroy(network);
	oracle_free(&run.oracle);
	return run.message[0] ? run.message : NULL;
}

const char *net_run(const struct net_spec *net, struct net_totals *totals)
{
	return run_one(net, totals);
}

const char *net_run_dead(const struct net_spec *net)
{
	return run_one(net, NULL);
}

void net_print_teams(const struct net_totals *totals)
{
	uint64_t teams = totals->firings - totals->team_firings[0];

	printf("firings: %" PRIu64 " by a thread per actor, %" PRIu64 " by teams, of 1 to %d threads:",
		totals->team_firings[0], teams, NET_TEAMS - 1);
	for (unsigned n = 1; n < NET_TEAMS; n++)
		printf(" %" PRIu64, totals->team_firings[n]);
	printf("\n");
}
