/* SPDX-License-Identifier: MIT */
#include "tests/firing/stage.h"

#include <time.h>

uint64_t stage_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void stage_spin(uint64_t ns)
{
	uint64_t until = stage_now() + ns;

	while (stage_now() < until)
		;
}

int stage_source_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t valid = pstk_port_valid(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 0);

	stage_spin(s->ns);
	for (uint32_t i = 0; i < valid; i++)
		out[i] = stage_now();
	pstk_fifo_write_end(f, 0);
	return ++s->fired == s->most ? PSTK_DONE : PSTK_AGAIN;
}

int stage_relay_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));
	const struct pstk_actor_type *type = pstk_actor_get_type(pstk_firing_actor(f));
	const uint64_t *in = NULL;

	for (unsigned p = 0; p < type->port_count; p++)
		if (type->ports[p].kind == PSTK_INPUT) {
			in = pstk_fifo_read_start(f, p);
			pstk_fifo_read_end(f, p);
		}
	stage_spin(s->ns);
	for (unsigned p = 0; p < type->port_count; p++) {
		uint64_t *out;

		if (type->ports[p].kind == PSTK_INPUT || type->ports[p].kind == PSTK_CONTROL ||
			!pstk_port_enabled(f, p))
			continue;
		out = pstk_fifo_write_start(f, p);
		for (uint32_t i = 0; i < pstk_port_valid(f, p); i++)
			out[i] = in ? in[0] : 0;
		pstk_fifo_write_end(f, p);
	}
	return PSTK_AGAIN;
}

/* Of the firing before: it arrived after its fire() was through and before this one began. */
void stage_count_before(struct stage *s, uint64_t begin)
{
	if (s->stamp)
		s->longest += begin - s->stamp;
	s->stamp = 0;
}

static int sink_fire(struct pstk_firing *f)
{
	struct stage *s = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t begin = stage_now();

	stage_count_before(s, begin);
	s->stamp = in[0];
	stage_spin(s->ns);
	pstk_fifo_read_end(f, 0);
	s->least += stage_now() - begin;
	return ++s->fired == s->most ? PSTK_DONE : PSTK_AGAIN;
}

int stage_read_all(struct pstk_firing *f)
{
	for (unsigned p = 0; p < pstk_actor_get_type(pstk_firing_actor(f))->port_count; p++) {
		pstk_fifo_read_start(f, p);
		pstk_fifo_read_end(f, p);
	}
	return PSTK_AGAIN;
}

const struct pstk_port stage_source_ports[] = { STAGE_PORT("out", PSTK_OUTPUT) };
const struct pstk_port stage_relay_ports[] = { STAGE_PORT("in", PSTK_INPUT), STAGE_PORT("out", PSTK_OUTPUT) };
static const struct pstk_port stage_join_ports[] = { STAGE_PORT("a", PSTK_INPUT), STAGE_PORT("b", PSTK_INPUT),
	STAGE_PORT("out", PSTK_OUTPUT) };
const struct pstk_port stage_sink_ports[] = { STAGE_PORT("in", PSTK_INPUT) };
const struct pstk_actor_type stage_source = STAGE_TYPE("source", stage_source_ports, stage_source_fire);
const struct pstk_actor_type stage_relay = STAGE_TYPE("relay", stage_relay_ports, stage_relay_fire);
const struct pstk_actor_type stage_join = STAGE_TYPE("join", stage_join_ports, stage_relay_fire);
const struct pstk_actor_type stage_sink = STAGE_TYPE("sink", stage_sink_ports, sink_fire);

struct pstk_network *stage_begin(void)
{
	struct pstk_network *net = pstk_network_create("late");

	ck_assert_int_eq(pstk_network_set_latency(net, 1), 0);
	return net;
}

void stage_run(struct pstk_network *net)
{
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
}

struct pstk_latency stage_path(const struct pstk_network *net)
{
	struct pstk_latency l = { 0 };

	ck_assert_int_eq(pstk_network_latencies(net, &l, 1), 1);
	return l;
}
