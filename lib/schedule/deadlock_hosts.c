/* SPDX-License-Identifier: MIT */
/* A deadlock over hosts: what all ranks have told becomes waits of actors, as the detector would have found them. */
#include "lib/model/error.h"
#include "lib/plan/ways.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/detector_state.h"
#include "lib/schedule/still.h"

#include <errno.h>

struct told {
	struct pstk_network *net;
	const struct ps_still_wait *waits;
	unsigned count;
};

/* What the host to which a FIFO carries windows says of it. NULL: it has room. */
static const struct ps_still_wait *find_full(const struct told *t, const struct pstk_fifo *f, unsigned host)
{
	for (unsigned i = 0; i < t->count; i++) {
		const struct ps_still_wait *w = &t->waits[i];

		if (w->actor == PS_STILL_NO_ACTOR && w->fifo == f->index && w->host == host &&
			w->full < t->net->fifo_count && w->other < t->net->actor_count)
			return w;
	}
	return NULL;
}

/* Where the windows that a FIFO carries to a host end up: there, or further on where that host passes them on. With the
 * tokens and the room of all these places. false: the host has room. */
static bool find_last_full(
	const struct told *t, const struct pstk_fifo *f, unsigned host, struct ps_still_wait *last)
{
	const struct ps_still_wait *full = find_full(t, f, host);

	*last = (struct ps_still_wait){ 0 };
	for (; full; full = find_full(t, f, host)) {
		uint64_t fill = last->fill, capacity = last->capacity;

		*last = *full;
		last->fill += fill;
		last->capacity += capacity;
		f = t->net->fifos[full->full];
		if (f->dst->host == host)
			break;
		host = ps_way_next(f, host);
	}
	return last->capacity;
}

/* For tokens of another host an actor waits as long as there is no room for them at another reader, on their way. */
static unsigned awaited_by(const struct told *t, const struct ps_still_wait *w)
{
	const struct pstk_fifo *f = t->net->fifos[w->fifo];
	struct ps_still_wait full;

	for (unsigned host = f->src->host; !(w->flags & PS_STILL_WRITES) && host != f->dst->host;) {
		host = ps_way_next(f, host);
		if (find_last_full(t, ps_way_channel(f, host), host, &full))
			return full.other;
	}
	return w->other;
}

/* An output that leads to another host has windows at all hosts on the way. It is the reader's FIFO that needs more. */
static void take_wait(const struct told *t, const struct ps_still_wait *w)
{
	struct pstk_actor *a = t->net->actors[w->actor];
	const struct pstk_fifo *f = t->net->fifos[w->fifo];
	struct ps_still_wait full;
	bool crosses =
		w->flags & PS_STILL_CROSSES && find_last_full(t, f, ps_way_next(f, f->src->host), &full);

	ps_judged(a)->dead = (struct ps_dead_wait){ .fifo = crosses ? t->net->fifos[full.full] : f,
		.writes = w->flags & PS_STILL_WRITES,
		.rate = w->rate,
		.layout = crosses ? full.layout : w->layout,
		.other = t->net->actors[crosses ? full.other : awaited_by(t, w)],
		.merged = w->flags & PS_STILL_MERGED,
		.firing = w->firing,
		.decided = w->flags & PS_STILL_DECIDED,
		.value = w->value,
		.fill = w->fill + (crosses ? full.fill : 0),
		.capacity = w->capacity + (crosses ? full.capacity : 0),
		.lacks = w->lacks };
	ps_judged(a)->stuck = true;
}

static void take_all(const struct told *t)
{
	for (unsigned i = 0; i < t->net->actor_count; i++)
		ps_judged(t->net->actors[i])->stuck = false;
	for (unsigned i = 0; i < t->count; i++) {
		const struct ps_still_wait *w = &t->waits[i];

		if (w->actor < t->net->actor_count && w->fifo < t->net->fifo_count &&
			w->other < t->net->actor_count)
			take_wait(t, w);
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
		take_all(&(struct told){ net, waits, count });
		first = find_cycle(net, &actors);
	}
	pthread_mutex_unlock(&ps_judging);
	if (first)
		ps_deadlock_report(first, actors);
	else if (!known)
		ps_network_fail_elsewhere(
			net, -EDEADLK, "deadlock: all actors of all hosts wait for each other");
}
