/* SPDX-License-Identifier: MIT */
/* What is left after a run, against the oracle. */
#include "lib/plan/bundles.h"
#include "tests/random/pipes.h"
#include "tests/random/run_actor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Memory.
 */

static bool same_delay(const struct net *net, unsigned f, unsigned o)
{
	unsigned char one[128], other[128];

	if (net->fifos[f].delay != net->fifos[o].delay)
		return false;
	for (uint64_t t = 0; t < net->fifos[f].delay; t++) {
		net_token(net, f, t, one);
		net_token(net, o, t, other);
		if (memcmp(one, other, net->fifos[f].token_size) != 0)
			return false;
	}
	return true;
}

static bool zero_delay(const struct net *net, unsigned f)
{
	unsigned char bytes[128], sum = 0;

	for (uint64_t t = 0; t < net->fifos[f].delay; t++) {
		net_token(net, f, t, bytes);
		for (size_t i = 0; i < net->fifos[f].token_size; i++)
			sum |= bytes[i];
	}
	return !sum;
}

/* Without delay tokens: its reader sees zeros before the stream. */
static bool sees_zeros(const struct net_fifo *fifo)
{
	return !fifo->delay && fifo->history && !fifo->peek;
}

/* Whose buffer a FIFO uses: of the readers of one output the first with the same delay tokens, or, of one without
 * any, the first with some; else the first. Of one that sees zeros there instead: the first with zeros, else the first
 * like itself if there are others with delay tokens. */
static unsigned buffer_of(const struct net *net, unsigned f)
{
	const struct net_fifo *fifo = &net->fifos[f];
	unsigned first = NET_FIFOS, delayed = NET_FIFOS, like = NET_FIFOS;

	for (unsigned o = 0; o < net->fifo_count; o++) {
		const struct net_fifo *other = &net->fifos[o];

		if (other->src != fifo->src || other->src_port != fifo->src_port)
			continue;
		if (fifo->delay ? same_delay(net, f, o)
				: other->delay && (!sees_zeros(fifo) || zero_delay(net, o)))
			return o;
		if (first == NET_FIFOS)
			first = o;
		if (delayed == NET_FIFOS && other->delay)
			delayed = o;
		if (like == NET_FIFOS && sees_zeros(other))
			like = o;
	}
	return delayed < NET_FIFOS ? like : first;
}

/* All buffers: (q + k) r slots, or (q + k + 1) r + rho, with the largest k of those that share it; `otherwise`
 * where none is given. */
static size_t expected_bytes(const struct net *net, uint32_t otherwise, uint64_t *shared)
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
			size_t its = net_depth_or(net, o, otherwise);

			if (buffer_of(net, o) == f && its > depth)
				depth = its;
		}
		sum += ((q + depth + (rho ? 1 : 0)) * fifo->rate + rho) * fifo->token_size;
	}
	return sum;
}

static bool on_cores(const struct net *net)
{
	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_has_kernel(&net->actors[a]))
			return false;
	return true;
}

uint64_t run_check_sharing(struct run *run)
{
	const struct pstk_network *network = run->built.network;
	uint64_t shared, found = 0;
	size_t bytes = pstk_network_shared_bytes(network) - pstk_network_move_bytes(network);
	size_t expected = expected_bytes(run->net, net_default_depth(pstk_network_threads(network)), &shared);

	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		struct pstk_fifo_info info = { 0 };

		pstk_fifo_get_info(run->built.fifos[f], &info);
		found += info.shared && !strcmp(info.memory, "host");
	}
	if (!on_cores(run->net))
		return found;
	if (run->net->rates) /* the layout's own tests know its bytes; here those before and after the run are one */
		expected = run->shared_bytes ? run->shared_bytes : bytes;
	run->shared_bytes = bytes;
	if (bytes != expected || found != shared)
		run_say(run, "%zu bytes, %" PRIu64 " shared FIFOs: not %zu and %" PRIu64, bytes, found,
			expected, shared);
	return shared;
}

/*
 * Bundles: which FIFOs use one pair of counters.
 */

static bool fits(const struct net *net, unsigned f)
{
	const struct net_fifo *fifo = &net->fifos[f];

	return !net_is_control(net, f) && net_readers(net, f) == 1 && fifo->rate == fifo->read_rate &&
	       !fifo->history && !fifo->tail && !net->actors[fifo->src].kahn && !net->actors[fifo->dst].kahn;
}

/* Are both ports on for the same control values? */
static bool on_alike(const struct net *net, unsigned a, unsigned p, unsigned q)
{
	const struct net_port *one = &net->actors[a].ports[p], *other = &net->actors[a].ports[q];

	if (net_is_dynamic(one->kind) != net_is_dynamic(other->kind))
		return false;
	if (!net_is_dynamic(one->kind))
		return true;
	for (uint32_t v = 0; v < net->actors[a].values; v++)
		if (net_on(&net->actors[a], p, v) != net_on(&net->actors[a], q, v))
			return false;
	return !net->undeclared;
}

/* Are both to be in one bundle, if they have the same depth? */
static bool bundled(const struct net *net, unsigned f, unsigned o)
{
	const struct net_fifo *one = &net->fifos[f], *other = &net->fifos[o];

	return fits(net, f) && fits(net, o) && one->src == other->src && one->dst == other->dst &&
	       one->rate == other->rate && one->delay == other->delay &&
	       on_alike(net, one->src, one->src_port, other->src_port) &&
	       on_alike(net, one->dst, one->dst_port, other->dst_port);
}

/* Of a part that runs elsewhere there is no FIFO, or one without an end here. A carrier may have given places. */
static bool stays_here(const struct pstk_fifo *f)
{
	return f && !ps_actor_away(f->src) && !ps_actor_away(f->dst) && !f->src->places && !f->dst->places;
}

static uint32_t depth_of(const struct pstk_fifo *f)
{
	struct pstk_fifo_info info = { 0 };

	pstk_fifo_get_info(f, &info);
	return info.depth;
}

static void check_pair(struct run *run, unsigned f, unsigned o)
{
	const struct pstk_fifo *one = run->built.fifos[f], *other = run->built.fifos[o];
	bool expected = ps_bundles_wanted && bundled(run->net, f, o);

	if (stays_here(other) && (one->lead == other->lead) != (expected && depth_of(one) == depth_of(other)))
		run_say(run, "FIFOs %u and %u: %sone bundle", o, f, one->lead == other->lead ? "" : "not ");
}

uint64_t run_check_bundles(struct run *run)
{
	uint64_t found = 0;

	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		if (!stays_here(run->built.fifos[f]))
			continue;
		found += ps_bundles_count(run->built.fifos[f]) > 1;
		for (unsigned o = 0; o < f && on_cores(run->net); o++)
			check_pair(run, f, o);
	}
	return found;
}

/*
 * Actors.
 */

/* Firings, or control tokens. */
static uint64_t ticks_of(const struct run *run, unsigned a)
{
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(run->built.actors[a], &stats);
	return run->net->actors[a].values ? stats.control_tokens : stats.firings;
}

static const char *where(const struct run_actor *actor)
{
	return actor->spec->place_count ? "several places" : actor->spec->device;
}

/* Kernels of it that were launched: at the start one at each of its devices. */
static uint64_t launches_of(const struct run_actor *actor, uint64_t fired)
{
	const struct net_actor *spec = actor->spec;
	uint64_t devices = spec->device != NULL;

	for (unsigned i = 0; i < spec->place_count; i++) {
		bool known = !spec->places[i] || (spec->device && !strcmp(spec->places[i], spec->device));

		for (unsigned k = 0; k < i; k++)
			known |= spec->places[i] && spec->places[k] &&
			         !strcmp(spec->places[i], spec->places[k]);
		devices += !known;
	}
	return devices + fired - (spec->place_count ? atomic_load(&actor->ran) : 0);
}

/* What the device has left in the state. */
static void check_device(struct run *run, unsigned a, uint64_t ticks, uint64_t firings)
{
	const struct run_actor *actor = &run->actors[a];

	if (actor->left.wrong || (!actor->spec->plain && actor->left.firings != firings))
		run_say(run, "%s on %s: %" PRIu64 " wrong, %" PRIu64 " firings, the statistics say %" PRIu64,
			actor->spec->name, where(actor), actor->left.wrong, actor->left.firings, firings);
	for (unsigned w = 0; w < actor->device.windows && !actor->spec->plain; w++) {
		uint64_t moved = net_moved(run->net, run->oracle.sequences, a, actor->device.port[w], ticks);

		if (actor->left.moved[w] != moved)
			run_say(run, "%s on %s: port %u moved %" PRIu64 " windows, not %" PRIu64,
				actor->spec->name, where(actor), actor->device.port[w], actor->left.moved[w],
				moved);
	}
}

/* A stateless actor that ends may have begun later firings meanwhile, which don't count. */
static void check_core(struct run *run, unsigned a, uint64_t firings)
{
	struct run_actor *actor = &run->actors[a];
	uint64_t ran = atomic_load(&actor->ran), numbers = 0, done = 0;

	if (firings > ran || ran - firings >= actor->most)
		run_say(run, "%s ran %" PRIu64 " times, the statistics say %" PRIu64, actor->spec->name, ran,
			firings);
	for (uint64_t n = 0; done < ran; n++) {
		if (net_fired(run->net, run->oracle.sequences, a, n + 1) == done)
			continue;
		numbers += test_mix(n);
		done++;
	}
	if (numbers != atomic_load(&actor->numbers))
		run_say(run, "%s did not make each of its first %" PRIu64 " firings once", actor->spec->name,
			ran);
}

static void check_actor(struct run *run, unsigned a, struct net_totals *totals)
{
	const struct run_actor *actor = &run->actors[a];
	const struct oracle_actor *expected = &run->oracle.actors[a];
	uint64_t ticks = ticks_of(run, a), fired = net_fired(run->net, run->oracle.sequences, a, ticks);
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(run->built.actors[a], &stats);
	if (ticks < expected->least || ticks > expected->ticks)
		run_say(run, "%s fired %" PRIu64 " times, not %" PRIu64 " to %" PRIu64, actor->spec->name,
			ticks, expected->least, expected->ticks);
	if (stats.firings != fired)
		run_say(run, "%s: %" PRIu64 " firings of %" PRIu64 " control tokens, not %" PRIu64,
			actor->spec->name, stats.firings, ticks, fired);
	if (run->where[a] == RUN_TOLD)
		return;
	if (actor->finished != 1)
		run_say(run, "%s: finish() was called %u times", actor->spec->name, actor->finished);
	if (net_is_pipeline(actor->spec))
		pipes_compare(run, a, ticks, totals);
	else if (net_has_kernel(actor->spec))
		check_device(run, a, ticks, fired);
	else
		check_core(run, a, fired);
	totals->firings += fired;
	totals->on_devices += net_has_kernel(actor->spec);
	totals->launches += net_has_kernel(actor->spec) ? launches_of(actor, fired) : 0;
	totals->exact_actors += expected->least == expected->ticks;
}

/*
 * FIFOs.
 */

/* The tokens that the reader has taken off: whole windows, but for one that its last firing has left open. A
 * control token may be taken for a firing that does not come about. */
static bool reads_as_told(const struct run *run, unsigned f, uint64_t read)
{
	const struct net_fifo *fifo = &run->net->fifos[f];
	const struct net_actor *reader = &run->net->actors[fifo->dst];
	uint64_t ticks = ticks_of(run, fifo->dst);
	uint64_t taken = net_moved(run->net, run->oracle.sequences, fifo->dst, fifo->dst_port, ticks);

	if (net_is_control(run->net, f))
		return read >= ticks && read <= ticks + run->actors[fifo->dst].most;
	if (ticks && ticks - 1 == reader->last && reader->last_valid[fifo->dst_port] == 0)
		taken--;
	return read == taken * fifo->read_rate;
}

static void check_fifo(struct run *run, unsigned f, struct net_totals *totals)
{
	const struct net_fifo *spec = &run->net->fifos[f];
	const struct oracle_fifo *expected = &run->oracle.fifos[f];
	struct pstk_fifo_info info = { 0 };
	uint64_t most = spec->delay + expected->tokens, held;

	if (pstk_fifo_get_info(run->built.fifos[f], &info) != 0)
		run_say(run, "FIFO %u has no information", f);
	held = info.written + spec->delay;
	if (!reads_as_told(run, f, info.read))
		run_say(run, "FIFO %u: %" PRIu64 " tokens were read", f, info.read);
	else if (held > most || (held < info.read && most >= info.read))
		run_say(run, "FIFO %u: %" PRIu64 " tokens were written", f, info.written);
	else if (expected->exact && info.written != expected->tokens)
		run_say(run, "FIFO %u: %" PRIu64 " tokens were written, not %" PRIu64, f, info.written,
			expected->tokens);
	else if (info.fill != (held > info.read ? held - info.read : 0))
		run_say(run, "FIFO %u: %" PRIu64 " tokens are left of %" PRIu64 " written, %" PRIu64 " read",
			f, info.fill, info.written, info.read);
	else if (!info.closed || !info.discards)
		run_say(run, "FIFO %u: an end is open after the run", f);
	totals->tokens += info.read;
	totals->exact_fifos += expected->exact;
}

void run_compare(struct run *run, struct net_totals *totals)
{
	for (unsigned a = 0; a < run->net->actor_count; a++)
		if (run->where[a] != RUN_AWAY)
			check_actor(run, a, totals);
	for (unsigned f = 0; f < run->net->fifo_count; f++)
		if (run->where[run->net->fifos[f].dst] != RUN_AWAY)
			check_fifo(run, f, totals);
}

/*
 * A deadlock. The actors of the circle that is reported can never go on, so they stand where the oracle says.
 * Others may not have come as far.
 */

/* "a3 (firing 7, control 1) waits for tokens on p2 [..": it does so in the oracle, and the statistics agree.
 * decided: its control value; -1: it has none. */
static void check_wait(struct run *run, unsigned a, unsigned long long firing, int decided, const char *rest)
{
	const struct oracle_actor *expected = &run->oracle.actors[a];
	bool room = !strncmp(rest, "room", 4), waits = false;
	unsigned port = NET_PORTS;

	sscanf(rest, "%*s on p%u", &port);
	if (expected->decided != (decided >= 0) || (decided >= 0 && (unsigned)decided != expected->value))
		run_say(run, "the report says that a%u obeys control value %d (-1: none), in the oracle %u",
			a, decided, expected->value);
	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		const struct net_fifo *fifo = &run->net->fifos[f];

		if (room ? fifo->src == a && fifo->src_port == port
			 : fifo->dst == a && fifo->dst_port == port)
			waits = waits || oracle_waits_at(&run->oracle, a, f, room);
	}
	/* a kahn actor's firing ends when the network has failed, and counts */
	if (expected->ended || !waits || firing != expected->ticks ||
		ticks_of(run, a) != expected->ticks + run->net->actors[a].kahn)
		run_say(run,
			"the report says that a%u waits for %s on p%u in firing %llu, the statistics say "
			"%" PRIu64 "; in the oracle it has %s in firing %" PRIu64,
			a, room ? "room" : "tokens", port, firing, ticks_of(run, a),
			expected->ended ? "ended" : "stopped", expected->ticks);
}

/* How many actors the report names with what they wait for. */
static unsigned check_report(struct run *run, const char *text)
{
	static const char waits[] = ") waits for ";
	unsigned named = 0;

	for (const char *at = strstr(text, " (firing "); at; at = strstr(at + 1, " (firing ")) {
		const char *name = at, *rest = strstr(at, waits);
		unsigned a = NET_ACTORS;
		unsigned long long firing;
		int decided = -1;

		while (name > text && name[-1] != ' ')
			name--;
		if (!rest || sscanf(name, "a%u (firing %llu, control %d", &a, &firing, &decided) < 2 ||
			a >= run->net->actor_count)
			continue;
		check_wait(run, a, firing, decided, rest + sizeof waits - 1);
		named++;
	}
	return named;
}

void run_compare_deadlock(struct run *run, struct net_totals *totals)
{
	const char *text = pstk_network_error(run->built.network);

	totals->dead++;
	if (strncmp(text, "deadlock: ", 10) != 0 || !check_report(run, text))
		run_say(run, "the report names no actor that waits: %s", text);
	for (unsigned a = 0; a < run->net->actor_count; a++) {
		const struct run_actor *actor = &run->actors[a];
		uint64_t ticks = ticks_of(run, a);

		if (ticks > run->oracle.actors[a].ticks + actor->spec->kahn)
			run_say(run, "%s fired %" PRIu64 " times, not %" PRIu64, actor->spec->name, ticks,
				run->oracle.actors[a].ticks);
		if (actor->finished != 1)
			run_say(run, "%s: finish() was called %u times", actor->spec->name, actor->finished);
		totals->firings += ticks;
	}
}

/*
 * A failure. It may come at any time. What a device's state says then is of no use: behind a command that has failed
 * others of its queue may have run. Actors on the cores have compared each token that they got.
 */

void run_compare_failed(struct run *run)
{
	for (unsigned a = 0; a < run->net->actor_count; a++) {
		const struct run_actor *actor = &run->actors[a];
		uint64_t ticks = ticks_of(run, a), most = run->oracle.actors[a].ticks + actor->spec->kahn;

		if (ticks > most)
			run_say(run, "%s fired %" PRIu64 " times, not %" PRIu64 " at most", actor->spec->name,
				ticks, most);
		if (actor->finished != 1)
			run_say(run, "%s: finish() was called %u times", actor->spec->name, actor->finished);
	}
	for (unsigned f = 0; f < run->net->fifo_count; f++) {
		const struct net_fifo *spec = &run->net->fifos[f];
		struct pstk_fifo_info info = { 0 };

		if (pstk_fifo_get_info(run->built.fifos[f], &info) != 0)
			run_say(run, "FIFO %u has no information", f);
		if (info.written > run->oracle.fifos[f].tokens || info.read % spec->read_rate)
			run_say(run, "FIFO %u: %" PRIu64 " tokens were written, %" PRIu64 " read", f,
				info.written, info.read);
	}
}
