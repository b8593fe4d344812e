/* SPDX-License-Identifier: MIT */
#include "lib/observe/sampling.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/fifo/bundle.h"
#include "lib/firing/task.h"
#include "lib/model/error.h"
#include "lib/observe/watch.h"

#include <errno.h>

/* A look is about a microsecond an actor: a fiftieth of a core. */
enum { LEAST_NS = 100000, NS_AN_ACTOR = 50000 };
#define MOST_NS ((uint64_t)10000000000u)

int pstk_network_set_sampling(struct pstk_network *net, uint64_t ns)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	if (ns && (ns < LEAST_NS || ns > MOST_NS))
		return ps_network_problem(net, -EINVAL,
			"network '%s': it cannot be looked at every %llu ns: 100 us to 10 s, or 0 for never",
			net->name, (unsigned long long)ns);
	net->watch->sampling.asked = ns;
	return 0;
}

int ps_sampling_prepare(struct pstk_network *net)
{
	struct ps_sampling *s = &net->watch->sampling;
	_Atomic uint64_t *waits;
	size_t ports = 0;

	if (!s->asked)
		return 0;
	s->period = s->asked;
	if (s->period < (uint64_t)net->actor_count * NS_AN_ACTOR)
		s->period = (uint64_t)net->actor_count * NS_AN_ACTOR;
	for (unsigned i = 0; i < net->actor_count; i++)
		ports += net->actors[i]->type.port_count;
	s->actors = ps_memory_zalloc(net->actor_count, sizeof *s->actors);
	s->fifos = ps_memory_zalloc(net->fifo_count, sizeof *s->fifos);
	waits = ps_memory_zalloc(ports, sizeof *waits);
	if (!s->actors || !s->fifos || !waits) {
		ps_memory_free(waits);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < net->actor_count; i++) {
		s->actors[i].waits = waits;
		waits += net->actors[i]->type.port_count;
	}
	return 0;
}

void ps_sampling_free(struct pstk_network *net)
{
	struct ps_sampling *s = &net->watch->sampling;

	if (s->actors && net->actor_count)
		ps_memory_free((void *)s->actors[0].waits);
	ps_memory_free(s->actors);
	ps_memory_free(s->fifos);
}

static void add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(
		counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

/* Is there no whole window at the port, or no room? Else its thread was told so, and is not on a core yet. */
static bool is_missing(const struct pstk_actor *a, unsigned port)
{
	const struct pstk_fifo *f = a->ports[port].fifo;

	if (a->ports[port].reads)
		return ps_bundle_fill(&f->fifo, ps_counters(f)) < f->fifo.layout.read_rate;
	for (; f; f = f->next)
		if (ps_bundle_fill(&f->fifo, ps_counters(f)) + f->fifo.layout.write_rate >
			ps_fifo_capacity(&f->fifo))
			return true;
	return false;
}

/* false: it has ended, or is away. */
static bool look_at_actor(struct pstk_actor *a, struct ps_actor_samples *samples)
{
	struct ps_state s = ps_state_of(a);

	if (s.runs)
		add(&samples->runs, 1);
	switch (s.doing) {
	case PS_WAITS_FOR_TOKENS:
	case PS_WAITS_FOR_ROOM:
		add(is_missing(a, s.port) ? &samples->waits[s.port] : &samples->for_core, 1);
		break;
	case PS_WAITS_FOR_MERGED:
		add(&samples->waits[s.port], 1);
		break;
	case PS_WAITS_FOR_DEVICE:
	case PS_WAITS_FOR_COMMANDS:
		add(&samples->for_device, 1);
		break;
	case PS_MAY_FIRE:
		add(&samples->may_fire, 1);
		break;
	case PS_IN_FIRE:
		add(&samples->fires, 1);
		break;
	case PS_NOT_BEGUN:
	case PS_HAS_ENDED:
	case PS_IS_AWAY:
		break;
	}
	return (s.doing != PS_HAS_ENDED && s.doing != PS_IS_AWAY) || s.flights;
}

static void look_at_fifo(struct pstk_fifo *f, struct ps_fifo_samples *samples)
{
	const struct ps_layout *l = &f->fifo.layout;
	uint64_t fill = ps_bundle_fill(&f->fifo, ps_counters(f));

	add(&samples->fill, fill);
	if (fill < l->read_rate)
		add(&samples->empty, 1);
	if (fill + l->write_rate > ps_fifo_capacity(&f->fifo))
		add(&samples->full, 1);
}

void ps_sampling_begin(struct pstk_network *net)
{
	struct ps_sampling *s = &net->watch->sampling;

	atomic_store(&s->began, ps_clock_ns());
	s->next = s->actors ? s->began + s->period : UINT64_MAX;
}

uint64_t ps_sampling_look(struct pstk_network *net, uint64_t now)
{
	struct ps_sampling *s = &net->watch->sampling;
	bool lives = false;

	if (now < s->next)
		return s->next;
	for (unsigned i = 0; i < net->actor_count; i++)
		lives |= look_at_actor(net->actors[i], &s->actors[i]);
	if (!lives) {
		ps_sampling_end(net);
		return s->next = UINT64_MAX;
	}
	for (unsigned i = 0; i < net->fifo_count; i++)
		look_at_fifo(net->fifos[i], &s->fifos[i]);
	add(&s->looks, 1);
	/* never in step with what it looks at: up to an eighth later, by the clock's last bits */
	s->next = now + s->period + (s->period >> 7) * (now & 15);
	return s->next;
}

void ps_sampling_end(struct pstk_network *net)
{
	struct ps_sampling *s = &net->watch->sampling;

	if (!atomic_load(&s->ended))
		atomic_store(&s->ended, ps_clock_ns());
}
