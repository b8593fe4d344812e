/* SPDX-License-Identifier: MIT */
#include "lib/remote/figures.h"
#include "lib/remote/state.h"

static uint64_t get(const _Atomic uint64_t *figure)
{
	return atomic_load_explicit(figure, memory_order_relaxed);
}

bool ps_remote_sent(const struct ps_remote *r, uint32_t n, struct ps_sent *sent)
{
	for (uint32_t i = 0; i < r->count; i++) {
		const struct ps_channel *c = &r->channels[i];

		if (!c->sends || n--)
			continue;
		*sent = (struct ps_sent){ .rank = c->rank,
			.number = c->number,
			.windows = get(&c->sent),
			.bytes = get(&c->bytes_sent),
			.starved_ns = get(&c->starved_ns) };
		return true;
	}
	return false;
}
