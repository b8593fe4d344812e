/* SPDX-License-Identifier: MIT */
/* A deadlock over hosts: what all ranks have told becomes waits of actors, as the detector would have found them. */
#include "lib/model/error.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/detector_state.h"
#include "lib/schedule/still.h"

#include <errno.h>

/* What the other end of a channel says of it. NULL: nothing. */
static const struct ps_still_wait *find_full(
	const struct ps_still_wait *waits, unsigned count, uint32_t fifo, const struct pstk_network *net)
{
	for (unsigned i = 0; i < count; i++)
		if (waits[i].actor == PS_STILL_NO_ACTOR && waits[i].fifo == fifo &&
			waits[i].full < net->fifo_count)
			return &waits[i];
	return NULL;
}

/* An output that leads to another host has windows at both. It is the reader's FIFO that needs more of them. */
static void take_wait(
	struct pstk_network *net, const struct ps_still_wait *w, const struct ps_still_wait *full)
{
	struct pstk_actor *a = net->actors[w->actor];

	ps_judged(a)->dead = (struct ps_dead_wait){ .fifo = net->fifos[full ? full->full : w->fifo],
		.writes = w->flags & PS_STILL_WRITES,
		.rate = w->rate,
		.layout = full ? full->layout : w->layout,
		.other = net->actors[full ? full->other : w->other],
		.merged = w->flags & PS_STILL_MERGED,
		.firing = w->firing,
		.decided = w->flags & PS_STILL_DECIDED,
		.value = w->value,
		.fill = w->fill + (full ? full->fill : 0),
		.capacity = w->capacity + (full ? full->capacity : 0),
		.lacks = w->lacks };
	ps_judged(a)->stuck = true;
}

static void take_all(struct pstk_network *net, const struct ps_still_wait *waits, unsigned count)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		ps_judged(net->actors[i])->stuck = false;
	for (unsigned i = 0; i < count; i++) {
		const struct ps_still_wait *w = &waits[i], *full = NULL;

		if (w->actor >= net->actor_count || w->fifo >= net->fifo_count ||
			w->other >= net->actor_count)
			continue;
		if (w->flags & PS_STILL_CROSSES)
			full = find_full(waits, count, w->fifo, net);
		if (!full || full->other < net->actor_count)
			take_wait(net, w, full);
	}
}

/* The actor of least index in the cycle to which the waits lead. NULL: they lead nowhere. */
static struct pstk_actor *find_cycle(struct pstk_network *net, unsigned *count)
{
	struct pstk_actor *a = NULL, *first, *b;

	for (unsigned i = 0; i < net->actor_count && !a; i++)
		a = ps_judged(net->actors[i])->stuck ? net->actors[i] : NULL;
	for (unsigned i = 0; i < net->actor_count && a; i++) /* so many steps lead to the cycle */
		a = ps_judged(a)->stuck ? ps_judged(a)->dead.other : NULL;
	if (!a || !ps_judged(a)->stuck)
		return NULL;
	*count = 0;
	first = b = a;
	do {
		first = b->index < first->index ? b : first;
		++*count;
		b = ps_judged(b)->dead.other;
	} while (b != a);
	return first;
}

void ps_still_report(struct pstk_network *net, const struct ps_still_wait *waits, unsigned count)
{
	struct ps_detector *d = net->schedule->detector;
	struct pstk_actor *first = NULL;
	bool known;
	unsigned actors = 0;

	pthread_mutex_lock(&ps_judging);
	known = d->deadlocked;
	d->deadlocked = true;
	if (!known) {
		d->over_hosts = true;
		take_all(net, waits, count);
		first = find_cycle(net, &actors);
	}
	pthread_mutex_unlock(&ps_judging);
	if (first)
		ps_deadlock_report(first, actors);
	else if (!known)
		ps_network_fail_elsewhere(
			net, -EDEADLK, "deadlock: all actors of all hosts wait for each other");
}
