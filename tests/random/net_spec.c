/* SPDX-License-Identifier: MIT */
#include "tests/random/net_spec.h"

#include "tests/common/common.h"

#include <stdlib.h>
#include <string.h>

static uint64_t absorb(uint64_t state, const unsigned char *bytes, size_t count)
{
	while (count > 0) {
		size_t part = count < 8 ? count : 8;
		uint64_t word = 0;

		memcpy(&word, bytes, part);
		state = test_mix(state ^ word);
		bytes += part;
		count -= part;
	}
	return state;
}

static void squeeze(uint64_t state, unsigned char *bytes, size_t count)
{
	struct test_rng rng = { state };

	while (count > 0) {
		size_t part = count < 8 ? count : 8;
		uint64_t word = test_random(&rng);

		memcpy(bytes, &word, part);
		bytes += part;
		count -= part;
	}
}

void net_function(const struct net_actor *actor, uint64_t *state, const struct net_windows *windows)
{
	*state = test_mix((actor->stateless ? 0 : *state) ^ actor->seed);
	for (unsigned p = 0; p < actor->port_count; p++) {
		const struct net_port *port = &actor->ports[p];

		if (!port->output && windows->in[p])
			*state = absorb(*state + p, windows->in[p], windows->valid[p] * port->token_size);
	}
	for (unsigned p = 0; p < actor->port_count; p++) {
		const struct net_port *port = &actor->ports[p];

		if (port->output && windows->out[p])
			squeeze(test_mix(*state + p), windows->out[p], windows->valid[p] * port->token_size);
	}
}

/* rate x min over the inputs of valid / rate, rounded up; the minimum is found by comparing fractions
 * exactly. */
uint32_t net_default_valid(const struct net_actor *actor, unsigned port, const uint32_t *valid)
{
	uint64_t numerator = 1, denominator = 1;

	for (unsigned p = 0; p < actor->port_count; p++) {
		if (actor->ports[p].output)
			continue;
		if (valid[p] * denominator < numerator * actor->ports[p].rate) {
			numerator = valid[p];
			denominator = actor->ports[p].rate;
		}
	}
	return (uint32_t)((actor->ports[port].rate * numerator + denominator - 1) / denominator);
}

unsigned net_output_count(const struct net_actor *actor)
{
	unsigned count = 0;

	for (unsigned p = 0; p < actor->port_count; p++)
		count += actor->ports[p].output;
	return count;
}

unsigned net_input_count(const struct net_actor *actor)
{
	return actor->port_count - net_output_count(actor);
}

void net_spec_free(struct net_spec *net)
{
	for (unsigned f = 0; f < net->fifo_count; f++)
		free(net->fifos[f].initial);
	net->fifo_count = 0;
	net->actor_count = 0;
}
