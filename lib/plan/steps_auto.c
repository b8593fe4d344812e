/* SPDX-License-Identifier: MIT */
#include "lib/plan/steps_auto.h"
#include "lib/base/memory.h"
#include "lib/model/declare.h"
#include "lib/model/graph.h"
#include "lib/model/steps.h"
#include "lib/model/type.h"
#include "lib/plan/depth.h"
#include "lib/plan/rates.h"
#include "lib/plan/sharing.h"

#include <errno.h>

struct search {
	struct pstk_network *net;
	size_t budget;
	bool *keeps;    /* of each actor: its steps */
	unsigned *part; /* of each actor: strongly connected */
	uint64_t *q;    /* of each actor: firings of an iteration, of one step or as many as it keeps */
};

/* Does some port not say how many tokens it moves, so that others say it? More steps would not be more of it. */
static bool is_mixed(const struct pstk_actor *a)
{
	bool silent = false;

	for (unsigned p = 0; p < a->type.port_count; p++)
		silent |= a->ports[p].fifo && !ps_declared(a, p).rate && p != a->control_port;
	return silent && a->type.port_count > 1;
}

static bool is_dynamic(const struct pstk_actor *a, unsigned port)
{
	return ps_port_is_dynamic(a->type.ports[port].kind);
}

/* Those that keep theirs whatever their neighbours do. */
static void mark_actors(struct search *s)
{
	for (unsigned i = 0; i < s->net->actor_count; i++) {
		const struct pstk_actor *a = s->net->actors[i];

		s->keeps[i] = !a->steps || a->steps_asked || a->type.kahn || is_mixed(a) ||
		              a->control_port != PS_NO_PORT;
		for (unsigned p = 0; p < a->type.port_count; p++)
			s->keeps[i] |= ps_steps_given(a, p) && ps_declared(a, p).rate;
	}
	for (unsigned i = 0; i < s->net->fifo_count; i++) {
		const struct pstk_fifo *f = s->net->fifos[i];
		unsigned src = f->src->index, dst = f->dst->index;

		if (s->part[src] == s->part[dst])
			s->keeps[src] = s->keeps[dst] = true;
		s->keeps[src] |= is_mixed(f->dst) || is_dynamic(f->dst, f->dst_port) ||
		                 f->dst_port == f->dst->control_port;
		s->keeps[dst] |= is_mixed(f->src) || is_dynamic(f->src, f->src_port);
	}
}

/* A static actor fires when its neighbours at static ports do: if these depend on control tokens, so does it. */
static void mark_conditional(struct search *s, bool *conditional)
{
	bool changed = true;

	for (unsigned i = 0; i < s->net->fifo_count; i++) {
		const struct pstk_fifo *f = s->net->fifos[i];

		conditional[f->dst->index] |= is_dynamic(f->src, f->src_port);
		conditional[f->src->index] |= is_dynamic(f->dst, f->dst_port);
	}
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < s->net->fifo_count; i++) {
			const struct pstk_fifo *f = s->net->fifos[i];
			bool *src = &conditional[f->src->index], *dst = &conditional[f->dst->index];

			if (is_dynamic(f->src, f->src_port) || is_dynamic(f->dst, f->dst_port) ||
				*src == *dst)
				continue;
			*src = *dst = changed = true;
		}
	}
	for (unsigned i = 0; i < s->net->actor_count; i++)
		s->keeps[i] |= conditional[i];
}

static int begin(struct search *s, struct pstk_network *net)
{
	unsigned count, n = net->actor_count;
	bool *conditional = ps_memory_zalloc(n, sizeof *conditional);
	int err;

	*s = (struct search){ .net = net,
		.keeps = ps_memory_zalloc(n, sizeof *s->keeps),
		.part = ps_memory_zalloc(n, sizeof *s->part),
		.q = ps_memory_zalloc(n, sizeof *s->q) };
	err = s->keeps && s->part && s->q && conditional ? ps_graph_components(net, s->part, &count)
	                                                 : -ENOMEM;
	if (!err) {
		mark_actors(s);
		mark_conditional(s, conditional);
	}
	ps_memory_free(conditional);
	return err;
}

static void end(struct search *s)
{
	ps_memory_free(s->keeps);
	ps_memory_free(s->part);
	ps_memory_free(s->q);
}

/* The bytes that a firing of an iteration's steps moves, of the actor that moves least. q: relative to one another. */
static uint64_t least_bytes(struct search *s)
{
	uint64_t common = 0, least = UINT64_MAX;

	for (unsigned i = 0; i < s->net->actor_count; i++)
		common = s->keeps[i] ? common : ps_gcd(common, s->q[i]);
	for (unsigned i = 0; i < s->net->actor_count; i++) {
		const struct pstk_actor *a = s->net->actors[i];
		double bytes = 0;

		if (s->keeps[i])
			continue;
		s->q[i] /= common;
		for (unsigned p = 0; p < a->type.port_count; p++)
			bytes +=
				(double)pstk_actor_port_rate(a, p) * (double)pstk_actor_port_token_size(a, p);
		bytes *= (double)s->q[i];
		if (bytes < (double)least)
			least = (uint64_t)bytes;
	}
	return least;
}

/* With the rooms that these steps ask for. SIZE_MAX: a FIFO of a given depth would be too small for them (R3). */
static size_t bytes_with_rooms(struct pstk_network *net)
{
	ps_rates_settle(net);
	return ps_rates_of(net)->err == -ENOSPC ? SIZE_MAX : ps_sharing_bytes(net);
}

/* Each gets so many times its q / parts, one at least. Returns whether that fits. *one: each has got one. */
static bool try(struct search *s, uint64_t times, uint64_t parts, bool *one)
{
	struct pstk_network *net = s->net;

	*one = true;
	for (unsigned i = 0; i < net->actor_count; i++) {
		uint64_t steps = 1;

		if (s->keeps[i])
			continue;
		if (__builtin_mul_overflow(s->q[i], times, &steps) || steps / parts > UINT32_MAX) {
			*one = false;
			return false;
		}
		net->actors[i]->steps_auto = steps / parts ? (uint32_t)(steps / parts) : 1;
		*one &= net->actors[i]->steps_auto == 1;
	}
	ps_steps_settle(net);
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (!net->fifos[i]->rates_known)
			return false;
	return ps_sharing_bytes(net) <= s->budget && bytes_with_rooms(net) <= s->budget;
}

static void choose(struct search *s)
{
	uint64_t bytes = least_bytes(s), times, parts;
	bool one = false;

	/* what one step of each takes can't be made smaller: the budget is for what comes on top */
	if (__builtin_add_overflow(ps_depth_budget(s->net), bytes_with_rooms(s->net), &s->budget))
		return;
	if (!bytes || bytes == UINT64_MAX) /* an actor without FIFOs; no actor */
		return;
	for (times = (PS_STEPS_WORTH + bytes - 1) / bytes; times; times /= 2)
		if (try(s, times, 1, &one))
			return;
	for (parts = 2; !one && parts; parts *= 2)
		if (try(s, 1, parts, &one))
			return;
}

int ps_steps_auto(struct pstk_network *net)
{
	struct search s;
	int err = begin(&s, net);

	/* rates that contradict each other are refused later */
	if (!err && !ps_rates_repetitions(net, s.q))
		choose(&s);
	end(&s);
	return err;
}
