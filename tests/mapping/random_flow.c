/* SPDX-License-Identifier: MIT */
#include "tests/mapping/random_flow.h"

#include <stdio.h>

struct pstk_machine *flow_random_machine(struct test_rng *rng)
{
	struct pstk_machine *m = pstk_machine_create();
	unsigned hosts = test_between(rng, 1, 3), tries;

	for (unsigned h = 0; h < hosts; h++) {
		unsigned devices = test_between(rng, 0, 3);
		char host[16], device[16];

		snprintf(host, sizeof host, "h%u", h);
		pstk_machine_add_host(m, host, test_between(rng, 1, 3), 0);
		for (unsigned d = 0; d < devices; d++) {
			snprintf(device, sizeof device, "d%u", d);
			pstk_machine_add_device(m, host, device, NULL, 0);
		}
	}
	for (tries = 0; tries < 3 * m->place_count; tries++) {
		unsigned a = test_between(rng, 0, m->place_count - 1),
			 b = test_between(rng, 0, m->place_count - 1);
		bool net = m->places[a].host != m->places[b].host, shared = !net && test_chance(rng, 20);
		struct pstk_link l = { m->places[net ? m->places[a].host : a].name,
			m->places[net ? m->places[b].host : b].name,
			net      ? PSTK_LINK_NET
			: shared ? PSTK_LINK_SHARED
				 : PSTK_LINK_COPY,
			shared ? 0 : test_between(rng, 1, 9), shared ? 0 : 0.5 * test_between(rng, 0, 2),
			!shared && test_chance(rng, 25) };

		pstk_machine_add_link(m, &l); /* what is there already is refused */
	}
	return m;
}

static void random_readers(struct ps_flow *f, unsigned actor, unsigned most, struct test_rng *rng)
{
	unsigned count = test_between(rng, 1, 3);

	ps_flow_add_output(f, actor, test_between(rng, 1, 20));
	f->outputs[f->output_count - 1].merges = test_chance(rng, 90);
	while (count-- && f->reader_count < FLOW_READERS) {
		bool forward = test_chance(rng, 85);
		unsigned reader = test_between(rng, forward && actor + 1 < most ? actor + 1 : 0, most - 1);
		uint64_t delay = reader > actor         ? test_chance(rng, 12) ? test_between(rng, 1, 3) : 0
		                 : test_chance(rng, 95) ? test_between(rng, 1, 12)
		                                        : 0;

		ps_flow_add_reader(f, reader, delay);
		if (test_chance(rng, 10)) { /* what was given a depth is merged with nothing */
			f->readers[f->reader_count - 1].depth = test_between(rng, 1, 6);
			f->outputs[f->output_count - 1].merges = false;
		}
	}
}

/* FIFOs in another order than the outputs'. */
static void shuffle_orders(struct ps_flow *f, struct test_rng *rng)
{
	for (unsigned i = f->reader_count; i > 1; i--) {
		unsigned j = test_between(rng, 0, i - 1), order = f->readers[i - 1].order;

		f->readers[i - 1].order = f->readers[j].order;
		f->readers[j].order = order;
	}
}

void flow_random(struct ps_flow *f, const struct pstk_machine *m, struct test_rng *rng)
{
	static const char *const names[FLOW_ACTORS] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	unsigned actors = test_between(rng, 1, FLOW_ACTORS), few = test_between(rng, 1, m->place_count);

	ck_assert_int_eq(ps_flow_init(f, m, actors, FLOW_OUTPUTS, FLOW_READERS), 0);
	f->core_depth = test_between(rng, 2, 4);
	for (unsigned i = 0; i < actors; i++)
		ps_flow_add_actor(f, names[i], test_between(rng, 0, few - 1), test_between(rng, 0, 8) / 4.0);
	for (unsigned i = 0; i < actors && f->output_count < FLOW_OUTPUTS; i++)
		for (unsigned k = test_between(rng, 0, 2);
			k > 0 && f->output_count < FLOW_OUTPUTS && f->reader_count < FLOW_READERS; k--)
			random_readers(f, i, actors, rng);
	if (test_chance(rng, 50))
		shuffle_orders(f, rng);
	ps_flow_index(f);
}
