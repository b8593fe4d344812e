/* SPDX-License-Identifier: MIT */
#include "tests/random/oracle.h"

#include <stdlib.h>
#include <string.h>

static void *grow(void *memory, size_t bytes)
{
	void *larger = realloc(memory, bytes);

	if (!larger)
		abort();
	return larger;
}

static void append(struct oracle_fifo *fifo, size_t token_size, const unsigned char *tokens, uint64_t count)
{
	if (fifo->count + count > fifo->room) {
		fifo->room = 2 * (fifo->count + count);
		fifo->tokens = grow(fifo->tokens, fifo->room * token_size);
	}
	if (count > 0 && tokens)
		memcpy(fifo->tokens + fifo->count * token_size, tokens, count * token_size);
	else if (count > 0)
		memset(fifo->tokens + fifo->count * token_size, 0, count * token_size);
	fifo->count += count;
}

unsigned oracle_into(const struct net_spec *net, unsigned actor, unsigned port)
{
	unsigned f = 0;

	while (net->fifos[f].dst != actor || net->fifos[f].dst_port != port)
		f++;
	return f;
}

uint32_t oracle_window(const struct oracle *oracle, unsigned f, uint64_t n)
{
	uint64_t rate = oracle->net->fifos[f].rate, count = oracle->fifos[f].count;

	if (n * rate >= count)
		return 0;
	return (uint32_t)(count - n * rate < rate ? count - n * rate : rate);
}

/* An actor gives up its outputs when it ends; nobody looks at what its inputs still get. */
static void end_actor(struct oracle *oracle, unsigned a, bool starved)
{
	const struct net_spec *net = oracle->net;

	oracle->actors[a].ended = true;
	oracle->actors[a].starved = starved;
	for (unsigned f = 0; f < net->fifo_count; f++)
		if (net->fifos[f].src == a)
			oracle->fifos[f].closed = true;
}

/* 1: it can fire, 0: it must wait, -1: it ends. */
static int readiness(const struct oracle *oracle, unsigned a)
{
	const struct net_spec *net = oracle->net;
	int ready = 1;

	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct oracle_fifo *fifo = &oracle->fifos[f];
		uint64_t left = fifo->count - fifo->taken;

		if (net->fifos[f].dst != a || left >= net->fifos[f].rate)
			continue;
		if (fifo->closed && left == 0)
			return -1;
		if (!fifo->closed)
			ready = 0;
	}
	return ready;
}

/* Fills windows->valid of the outputs, and gets memory for what is written. Is any window partly filled? */
static bool open_outputs(const struct net_actor *actor, uint64_t n, struct net_windows *windows)
{
	bool partly = false;

	for (unsigned p = 0; p < actor->port_count; p++) {
		uint32_t valid;

		if (!actor->ports[p].output)
			continue;
		valid = net_default_valid(actor, p, windows->valid);
		if (n == actor->last && actor->last_valid[p] < actor->ports[p].rate)
			valid = actor->last_valid[p];
		windows->valid[p] = valid;
		windows->out[p] = valid ? grow(NULL, valid * actor->ports[p].token_size) : NULL;
		partly = partly || (valid && valid < actor->ports[p].rate);
	}
	return partly;
}

static bool open_inputs(struct oracle *oracle, unsigned a, struct net_windows *windows)
{
	const struct net_spec *net = oracle->net;
	const struct net_actor *actor = &net->actors[a];
	bool partly = false;

	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *spec = &net->fifos[f];
		struct oracle_fifo *fifo = &oracle->fifos[f];
		uint32_t valid;

		if (spec->dst != a)
			continue;
		valid = oracle_window(oracle, f, oracle->actors[a].firings);
		if (oracle->actors[a].firings != actor->last || actor->last_valid[spec->dst_port] > 0)
			windows->in[spec->dst_port] = fifo->tokens + fifo->taken * spec->token_size;
		windows->valid[spec->dst_port] = valid;
		fifo->taken += valid;
		partly = partly || valid < spec->rate;
	}
	return partly;
}

static void fire(struct oracle *oracle, unsigned a)
{
	const struct net_spec *net = oracle->net;
	const struct net_actor *actor = &net->actors[a];
	struct oracle_actor *state = &oracle->actors[a];
	struct net_windows windows = { 0 };
	bool last = state->firings == actor->last;

	last = open_inputs(oracle, a, &windows) || last;
	last = open_outputs(actor, state->firings, &windows) || last;
	net_function(actor, &state->state, &windows);
	for (unsigned f = 0; f < net->fifo_count; f++) {
		const struct net_fifo *spec = &net->fifos[f];

		if (spec->src == a && windows.out[spec->src_port])
			append(&oracle->fifos[f], spec->token_size, windows.out[spec->src_port],
				windows.valid[spec->src_port]);
	}
	for (unsigned p = 0; p < actor->port_count; p++)
		free(windows.out[p]);
	state->firings++;
	if (last)
		end_actor(oracle, a, false);
}

/* Does the reader of FIFO f, in the firings that it makes at least, see its last, partly filled window? The
 * window is only there once the writer has ended. */
static bool saw_close(const struct oracle *oracle, unsigned f)
{
	const struct net_fifo *spec = &oracle->net->fifos[f];
	uint64_t n = oracle->actors[spec->dst].least;

	return n > 0 && oracle_window(oracle, f, n - 1) < spec->rate;
}

/* Did the reader of FIFO f end because this FIFO, and no other, was closed and empty? */
static bool starved_by(const struct oracle *oracle, unsigned f)
{
	unsigned y = oracle->net->fifos[f].dst;
	const struct oracle_actor *reader = &oracle->actors[y];

	if (!reader->sure || !reader->starved)
		return false;
	for (unsigned g = 0; g < oracle->net->fifo_count; g++)
		if (oracle->net->fifos[g].dst == y &&
			(oracle_window(oracle, g, reader->firings) == 0) != (g == f))
			return false;
	return true;
}

/* What the writer of FIFO f must have done, from what its reader must have done. */
static bool raise_least(struct oracle *oracle, unsigned f)
{
	const struct net_fifo *spec = &oracle->net->fifos[f];
	struct oracle_actor *writer = &oracle->actors[spec->src];
	uint64_t read = oracle->actors[spec->dst].least, initial = spec->delay / spec->rate, least;

	if (!writer->sure && (saw_close(oracle, f) || starved_by(oracle, f))) {
		writer->sure = true;
		writer->least = writer->firings;
		return true;
	}
	least = read > initial ? read - initial : 0;
	if (writer->sure || least <= writer->least)
		return false;
	writer->least = least;
	return true;
}

/* Raises the lower bounds from the sinks, which fire all they can, until nothing changes. */
static void find_least(struct oracle *oracle)
{
	const struct net_spec *net = oracle->net;
	bool changed = true;

	for (unsigned a = 0; a < net->actor_count; a++) {
		oracle->actors[a].sure = net_output_count(&net->actors[a]) == 0;
		oracle->actors[a].least = oracle->actors[a].sure ? oracle->actors[a].firings : 0;
	}
	while (changed) {
		changed = false;
		for (unsigned f = 0; f < net->fifo_count; f++)
			changed = raise_least(oracle, f) || changed;
	}
}

bool oracle_run(struct oracle *oracle, const struct net_spec *net)
{
	bool moved = true;

	memset(oracle, 0, sizeof(*oracle));
	oracle->net = net;
	for (unsigned f = 0; f < net->fifo_count; f++)
		append(&oracle->fifos[f], net->fifos[f].token_size, net->fifos[f].initial,
			net->fifos[f].delay);
	while (moved) {
		moved = false;
		for (unsigned a = 0; a < net->actor_count; a++) {
			int ready = oracle->actors[a].ended ? 0 : readiness(oracle, a);

			if (ready > 0)
				fire(oracle, a);
			else if (ready < 0)
				end_actor(oracle, a, true);
			moved = moved || ready != 0;
		}
	}
	find_least(oracle);
	for (unsigned a = 0; a < net->actor_count; a++)
		if (!oracle->actors[a].ended)
			return false;
	return true;
}

void oracle_free(struct oracle *oracle)
{
	for (unsigned f = 0; f < NET_FIFOS; f++)
		free(oracle->fifos[f].tokens);
	memset(oracle, 0, sizeof(*oracle));
}
