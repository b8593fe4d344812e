/* SPDX-License-Identifier: MIT */
#include "lib/firing/partial.h"
#include "lib/firing/texts.h"
#include "lib/model/type.h"

uint32_t ps_partial_steps(const struct pstk_actor *a, unsigned port, uint32_t valid)
{
	uint64_t tokens = (uint64_t)valid * a->steps, rate = a->ports[port].rate;

	return (uint32_t)(a->type.whole_steps ? tokens / rate : (tokens + rate - 1) / rate);
}

uint32_t ps_partial_default(const struct pstk_firing *firing, unsigned out)
{
	const struct pstk_actor *a = firing->actor;
	uint64_t rate = a->ports[out].rate, least = rate;

	if (a->steps)
		return (uint32_t)((rate * firing->steps + a->steps - 1) / a->steps);
	for (unsigned i = 0; i < firing->on->port_count; i++) {
		unsigned p = firing->on->ports[i];
		uint64_t in_rate, valid;

		if (!ps_port_reads(a->type.ports[p].kind))
			continue;
		in_rate = a->ports[p].rate;
		valid = (rate * firing->windows[p].valid + in_rate - 1) / in_rate;
		if (valid < least)
			least = valid;
	}
	return (uint32_t)least;
}

void ps_partial_take(struct pstk_firing *firing, unsigned port)
{
	struct pstk_actor *a = firing->actor;
	uint32_t valid = firing->windows[port].valid, steps = ps_partial_steps(a, port, valid);

	firing->last = true;
	if (a->steps && a->type.whole_steps && a->ports[port].rate % a->steps == 0)
		a->ports[port].dropped = valid - steps * (a->ports[port].rate / a->steps);
	if (steps < firing->steps)
		firing->steps = steps;
}

void ps_partial_take_stage(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;
	unsigned ports = a->type.port_count;

	firing->last = false;
	firing->open = ports;
	firing->steps = a->steps;
	ps_texts_forget(firing);
	for (unsigned p = 0; p < ports; p++) {
		struct ps_window *w = &firing->windows[p];

		w->state = PS_WINDOW_TAKEN;
		if (!a->ports[p].reads)
			w->valid = a->ports[p].rate;
		else if (w->valid < a->ports[p].rate)
			ps_partial_take(firing, p);
	}
	for (unsigned p = 0; p < ports && firing->last; p++)
		if (!a->ports[p].reads)
			firing->windows[p].valid = ps_partial_default(firing, p);
}
