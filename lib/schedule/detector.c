/* SPDX-License-Identifier: MIT */
#include "lib/schedule/detector.h"
#include "lib/base/memory.h"
#include "lib/firing/firing.h"
#include "lib/firing/reorder.h"
#include "lib/firing/runner.h"
#include "lib/model/type.h"
#include "lib/schedule/detector_state.h"
#include "lib/schedule/schedule.h"

/* Taken when a chain returns to itself, which is rare. */
pthread_mutex_t ps_judging = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(offsetof(struct pstk_fifo, fifo) == 0, "fifo_of() casts");

static struct pstk_fifo *fifo_of(const struct ps_fifo_end *end)
{
	return (struct pstk_fifo *)end->fifo;
}

static struct ps_judged_fifo *judged_fifo(const struct pstk_fifo *f)
{
	return &f->src->network->schedule->detector->fifos[f->index];
}

struct pstk_actor *ps_detector_other(const struct ps_fifo_end *end)
{
	return end->writes ? fifo_of(end)->dst : fifo_of(end)->src;
}

struct pstk_actor *ps_detector_awaited(const struct ps_fifo_end *end)
{
	const struct ps_fifo_end *blocker;

	if (!end->ops || !end->ops->blocker)
		return ps_fifo_look(end) == PS_FIFO_WAIT ? ps_detector_other(end) : NULL;
	blocker = ps_fifo_blocker(end);
	return !blocker ? NULL : blocker->writes ? fifo_of(blocker)->src : fifo_of(blocker)->dst;
}

int ps_detector_prepare(struct pstk_network *net)
{
	struct ps_detector *d = net->schedule->detector = ps_memory_zalloc(1, sizeof *d);

	if (!d)
		return -ENOMEM;
	d->actors = ps_memory_zalloc(net->actor_count, sizeof *d->actors);
	d->fifos = ps_memory_zalloc(net->fifo_count, sizeof *d->fifos);
	if (!d->actors || !d->fifos)
		return -ENOMEM;
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];

		f->fifo.writer.waits_for = &f->src->task->waits_for;
		f->fifo.reader.waits_for = &f->dst->task->waits_for;
	}
	return 0;
}

void ps_detector_free(struct pstk_network *net)
{
	if (!net->schedule || !net->schedule->detector)
		return;
	ps_memory_free(net->schedule->detector->actors);
	ps_memory_free(net->schedule->detector->fifos);
	ps_memory_free(net->schedule->detector);
}

/*
 * Which actors are held where they are.
 */

/* Keeps the runner that polls from firing it, and says where it waits. *all: false if another thread has it, which may
 * only be looking. */
static bool hold_polled(struct pstk_actor *a, bool *all)
{
	if (atomic_load(&a->task->ended))
		return false;
	ps_judged(a)->claimed = a->task->runner->hold(a->task);
	*all &= ps_judged(a)->claimed || atomic_load(&a->task->ended);
	/* with firings in flight it waits for no other actor */
	if (ps_judged(a)->claimed && !ps_reorder_in_flight(a->task))
		atomic_store(&a->task->waits_for, ps_firing_awaits(a->task));
	return ps_judged(a)->claimed;
}

/* By the locks under which no actor that waits can go on; for one of a team `taking` is enough. A launched actor whose
 * claim is taken is firing, or the thread that fires it looks afterwards. */
bool ps_detector_hold(struct pstk_network *net)
{
	bool all = true;

	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];
		struct ps_fifo_end *end;

		ps_judged(a)->waits = ps_judged(a)->claimed = false;
		if (a->task->polled && !hold_polled(a, &all))
			continue;
		if (!atomic_load(&a->task->waits_for))
			continue;
		if (!a->task->polled && a->task->runner->hold) {
			ps_judged(a)->claimed = a->task->runner->hold(a->task);
			if (!ps_judged(a)->claimed)
				continue;
		}
		end = atomic_load(&a->task->waits_for);
		ps_judged(a)->waits = end;
		if (end && !a->task->polled)
			judged_fifo(fifo_of(end))->held = true;
	}
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (net->schedule->detector->fifos[i].held)
			pthread_mutex_lock(&net->fifos[i]->fifo.lock);
	/* an actor may have gone on before its FIFO's lock was taken */
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];
		struct ps_fifo_end *end = atomic_load(&a->task->waits_for);

		ps_judged(a)->waits =
			ps_judged(a)->waits && end && (a->task->polled || judged_fifo(fifo_of(end))->held);
	}
	return all;
}

void ps_detector_let_go(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++) {
		if (net->schedule->detector->fifos[i].held)
			pthread_mutex_unlock(&net->fifos[i]->fifo.lock);
		net->schedule->detector->fifos[i].held = false;
	}
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		if (!ps_judged(a)->claimed)
			continue;
		if (a->task->polled)
			atomic_store(&a->task->waits_for, NULL);
		a->task->runner->let_go(a->task);
	}
}

/*
 * Which may still go on. All of it for actors that are held.
 */

/* Does the actor end when this input does, before it fires again? */
static bool needs(const struct pstk_actor *a, unsigned p)
{
	const struct pstk_actor_type *t = &a->type;

	if (t->kahn || !ps_port_reads(t->ports[p].kind))
		return false;
	if (a->control_port == PS_NO_PORT || ps_firing_next(a->task)->decided)
		return ps_firing_has(ps_firing_next(a->task), p);
	return p == a->control_port || t->ports[p].kind == PSTK_INPUT;
}

/* An input without a window, that its writer may end. Such an input decides whether those that wait for each other are
 * dead; that is noted by the same look: a later one could find a window there, and no thread would look again. */
static bool input_may_end(const struct pstk_actor *a, bool writers_dead)
{
	bool may = false;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo->lead;
		enum ps_fifo_state state = needs(a, p) ? ps_fifo_look(&f->fifo.reader) : PS_FIFO_READY;

		if (state == PS_FIFO_ENDED)
			return true;
		if (state != PS_FIFO_WAIT || !writers_dead || ps_judged(f->src)->stuck)
			continue;
		/* of an actor that must be held: whatever fires it looks whenever something has moved */
		if (!a->task->runner->hold && !judged_fifo(f)->held)
			judged_fifo(f)->curious = atomic_load(&a->task->waits_for);
		may = true;
	}
	return may;
}

/* Its outputs keep one reader that can't end, or it has none. */
static bool stays_wanted(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++)
		for (const struct pstk_fifo *f = ps_port_reads(a->type.ports[p].kind) ? NULL
		                                                                      : a->ports[p].fifo;
			f; f = f->next)
			if (!atomic_load(&ps_counters(f)->discards) && ps_judged(f->dst)->stuck)
				return true;
	return !a->has_outputs;
}

/* Does it look at its ports again, whatever others do? */
static bool looks_again(const struct pstk_actor *a, const struct ps_fifo_end *end)
{
	if (a->task->runner->hold ? atomic_load(&a->task->again)
				  : end->nudged) /* it will look at its ports again, and say so */
		return true;
	/* of several threads one waits while another may fire */
	if (a->task->slot_count > 1 && ps_reorder_in_flight(a->task))
		return true;
	/* its last firing is through, and is about to say so to the thread that waits */
	return atomic_load(&a->task->over);
}

/* May it go on though all that are stuck stay where they are? all: also by ending. */
static bool may_go_on(const struct pstk_actor *a, bool all)
{
	const struct ps_fifo_end *end = atomic_load(&a->task->waits_for);
	const struct pstk_actor *other;

	if (looks_again(a, end))
		return true;
	other = ps_detector_awaited(end);
	if (!other || !ps_judged(other)->stuck)
		return true;
	if (ps_firing_over(a->task) || input_may_end(a, all))
		return true;
	return all && !stays_wanted(a);
}

bool ps_detector_stays(const struct pstk_actor *a)
{
	const struct ps_fifo_end *end = atomic_load(&a->task->waits_for);

	return ps_judged(a)->waits && !looks_again(a, end) && ps_detector_awaited(end) &&
	       !ps_firing_over(a->task) && !input_may_end(a, false);
}

/* Leaves `stuck` those that only one of them could let go on. Are there any? */
static bool sift(struct pstk_network *net, bool all)
{
	bool any, again;

	do {
		any = again = false;
		for (unsigned i = 0; i < net->actor_count; i++) {
			struct pstk_actor *a = net->actors[i];

			if (ps_judged(a)->stuck && may_go_on(a, all)) {
				ps_judged(a)->stuck = false;
				again = true;
			}
			any |= ps_judged(a)->stuck;
		}
	} while (again);
	return any;
}

/* Such a reader looks again once there is a window. Call without a FIFO's lock. */
static void set_relays(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];
		struct ps_fifo_end *end = judged_fifo(f)->curious;

		if (!end)
			continue;
		judged_fifo(f)->curious = NULL;
		ps_fifo_relay(&f->fifo.reader, end);
	}
}

/*
 * The verdict.
 */

void ps_detector_remember(struct pstk_actor *a)
{
	const struct ps_fifo_end *end = atomic_load(&a->task->waits_for);
	const struct ps_fifo *f = end->fifo;
	uint64_t taken = atomic_load(&f->read), have = f->layout.delay + atomic_load(&f->written);
	/* a call that writes many tokens waits until the last of them has room */
	uint64_t unwritten = ps_firing_next(a->task)->unwritten,
		 windows = unwritten / f->layout.write_rate + (unwritten % f->layout.write_rate != 0);

	ps_judged(a)->dead = (struct ps_dead_wait){ .fifo = fifo_of(end),
		.writes = end->writes,
		.rate = end->rate,
		.layout = f->layout,
		.other = ps_detector_awaited(end),
		.merged = ps_fifo_look(end) != PS_FIFO_WAIT,
		.firing = a->task->next_index,
		.decided = ps_firing_next(a->task)->decided,
		.value = ps_firing_next(a->task)->value,
		.fill = have > taken ? have - taken : 0,
		.capacity = ps_fifo_capacity(f),
		.lacks = windows ? windows : 1 };
}

/* A cycle of those that are stuck, from the one of least index on. */
static struct pstk_actor *find_cycle(struct pstk_network *net, struct pstk_actor *a, unsigned *count)
{
	struct pstk_actor *first, *b;

	for (unsigned i = 0; !ps_judged(a)->stuck; i++)
		a = net->actors[i];
	for (unsigned i = 0; i < net->actor_count; i++) /* so many steps lead to the cycle */
		a = ps_detector_awaited(atomic_load(&a->task->waits_for));
	first = b = a;
	*count = 0;
	do {
		ps_detector_remember(b);
		first = b->index < first->index ? b : first;
		++*count;
		b = ps_judged(b)->dead.other;
	} while (b != a);
	return first;
}

static bool judge(struct pstk_actor *a)
{
	struct pstk_network *net = a->network;
	struct pstk_actor *first = NULL;
	bool undecided = false, all;
	unsigned count = 0;

	pthread_mutex_lock(&ps_judging);
	if (net->schedule->detector->deadlocked) {
		pthread_mutex_unlock(&ps_judging);
		return true;
	}
	all = ps_detector_hold(net);
	for (unsigned i = 0; i < net->actor_count; i++)
		ps_judged(net->actors[i])->stuck = ps_judged(net->actors[i])->waits;
	if (sift(net, false)) {
		for (unsigned i = 0; i < net->actor_count; i++)
			ps_judged(net->actors[i])->waits = ps_judged(net->actors[i])->stuck;
		if (sift(net, true))
			first = find_cycle(net, a, &count);
		undecided = !first;
	}
	net->schedule->detector->deadlocked = first;
	ps_detector_let_go(net);
	if (undecided)
		set_relays(net);
	pthread_mutex_unlock(&ps_judging);
	if (first)
		ps_deadlock_report(first, count);
	return all;
}

bool ps_detector_judge(struct pstk_network *net)
{
	return judge(net->actors[0]);
}

/* Does the chain of actors that it waits for end? The other way is back to one that it has passed, and would need at
 * most as many steps as there are actors. */
static bool chain_ends(const struct pstk_actor *a)
{
	const struct pstk_actor *passed = a;

	for (unsigned step = 1, next = 2; step <= 2 * a->network->actor_count + 2; step++) {
		const struct ps_fifo_end *end;

		if (a->task->polled) { /* where that one waits is known only while some thread judges */
			a->task->runner->suspect(a->network);
			return true;
		}
		end = atomic_load(&a->task->waits_for);
		if (!end)
			return true;
		/* whether there is a window all_blocked() sees */
		a = end->ops ? ps_detector_awaited(end) : ps_detector_other(end);
		if (!a)
			return true;
		if (a == passed)
			return false;
		if (step == next) { /* Brent's: from where on to look for a return, ever farther */
			passed = a;
			next *= 2;
		}
	}
	return false;
}

/* Has each actor from here on, once round the cycle, nothing to go on with? One that was woken and did not run yet
 * still says that it waits; so most chains that return end here, without a lock. Counters that an actor of a deadlock
 * has changed are seen: it has said afterwards that it waits, and that was seen. */
static bool all_blocked(const struct pstk_actor *a)
{
	for (unsigned step = 0; step < 2 * a->network->actor_count; step++) {
		const struct ps_fifo_end *end = atomic_load(&a->task->waits_for);

		if (!end)
			return false;
		a = ps_detector_awaited(end);
		if (!a)
			return false;
	}
	return true;
}

void ps_detector_look(struct pstk_actor *a)
{
	if (chain_ends(a))
		return;
	if (all_blocked(a) &&
		!judge(a)) /* an actor of the runner that polls, which judges when it has nothing to do */
		a->network->schedule->poller->suspect(a->network);
}

void ps_detector_wait(struct pstk_actor *a, struct ps_fifo_end *end)
{
	if (a->task->runner->hold) { /* the thread that has looked at its ports says so */
		ps_detector_look(a);
		return;
	}
	atomic_store(&a->task->waits_for, end);
	ps_detector_look(a);
}
