/* SPDX-License-Identifier: MIT */
#include "lib/schedule/thread_wait.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/relax.h"
#include "lib/firing/backend.h"
#include "lib/firing/firing.h"
#include "lib/firing/timing.h"
#include "lib/firing/tracing.h"
#include "lib/model/type.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/thread.h"

#include <sched.h>

/* How long a thread looks again, which is what waking it would take; and how short the other side's firings must be for
 * a thread to be left asleep during some of them. */
enum { SPIN_NS = 20000, PATIENT_BELOW_NS = 20000 };

/* So many looks before the clock is asked, which costs as much as a short wait: about a microsecond. The first ones
 * without a rest, which takes longer on some processors than a token on its way. */
enum { EAGER = 64, BRIEF = 16 };

void ps_thread_wait_note(struct ps_task *t, const struct ps_fifo_end *end)
{
	struct ps_latest_wait *w = &t->wait;

	/* waking and finding nothing is no news: signals and nudges come for other reasons too */
	if (w->end != end || w->window != atomic_load(&end->started)) {
		w->end = end;
		w->window = atomic_load(&end->started);
		w->began = ps_clock_ns();
	}
	atomic_store_explicit(&t->since, w->began, memory_order_relaxed);
}

/*
 * Spinning.
 */

/* Each of them can have a core: no more than there are, none of them is pinned to one core with another one, and
 * nothing else that the network starts needs any. */
void ps_thread_wait_prepare(struct pstk_network *net)
{
	unsigned threads = 0;
	cpu_set_t cores, pinned;

	net->schedule->spins = false;
	CPU_ZERO(&cores);
	CPU_ZERO(&pinned);
	if (net->schedule->team || sched_getaffinity(0, sizeof cores, &cores))
		return;
	for (unsigned i = 0; i < net->task_count; i++) {
		const struct pstk_actor *a = net->tasks[i]->actor;

		threads += ps_thread_count(a->task);
		if (ps_backend_anywhere(a) ||
			(a->core >= 0 &&
				(ps_thread_count(a->task) > 1 || CPU_ISSET((unsigned)a->core, &pinned))))
			return;
		if (a->core >= 0)
			CPU_SET((unsigned)a->core, &pinned);
	}
	net->schedule->spins = threads <= (unsigned)CPU_COUNT(&cores);
}

/* A nudge is not looked for: the thread finds it when it goes to sleep. */
static bool comes_at_once(const struct ps_fifo_end *end)
{
	for (unsigned looks = EAGER; looks; looks--)
		if (ps_fifo_may(end))
			return true;
	return false;
}

static bool comes_soon(const struct ps_fifo_end *end)
{
	for (unsigned looks = BRIEF; looks; looks--) {
		if (ps_fifo_may(end))
			return true;
		ps_relax();
	}
	return false;
}

static bool spin_for_long(const struct ps_fifo_end *end, uint64_t begin)
{
	do {
		if (comes_soon(end))
			return true;
	} while (ps_clock_ns() - begin < SPIN_NS);
	return false;
}

/* false: nothing came since *begin. *ns: what it took; of brief waits only one in PS_TIMING_EVERY is measured and
 * stands for the others, but a kahn actor's, which are taken off the time of one call. */
static bool spin(struct ps_task *t, const struct ps_fifo_end *end, uint64_t *begin, uint64_t *ns)
{
	struct pstk_actor *a = t->actor;
	struct ps_latest_wait *w = &t->wait;
	bool measured = a->type.kahn || ++w->unmeasured >= PS_TIMING_EVERY;

	*begin = measured ? ps_clock_ns() : 0;
	*ns = 0;
	if (comes_at_once(end) || comes_soon(end)) {
		if (measured)
			*ns = (ps_timing_look() - *begin) * (a->type.kahn ? 1 : w->unmeasured);
		w->unmeasured = measured ? 0 : w->unmeasured;
		return true;
	}
	if (!*begin)
		*begin = ps_clock_ns();
	if (!spin_for_long(end, *begin))
		return false;
	*ns = ps_timing_look() - *begin;
	return true;
}

/*
 * Sleeping.
 */

/* Wakes what this actor has left asleep. */
static void pay_debts(const struct ps_task *t)
{
	const struct pstk_actor *a = t->actor;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind))
			ps_fifo_pay(&ps_counters(f)->reader);
		else
			for (; f; f = f->next)
				ps_fifo_pay(&ps_counters(f)->writer);
	}
}

/* May it be left asleep for some firings of the actor at the other end? That one must be a thread that comes by
 * ps_thread_wait() or ends, and its firings so short that waking costs more. */
static bool is_patient(const struct ps_task *t, const struct ps_fifo_end *end)
{
	const struct pstk_actor *other = ps_detector_other(end);
	uint64_t lately = atomic_load_explicit(&other->task->timing.lately_ns, memory_order_relaxed);

	return !end->ops && t->runner == &ps_thread_runner && other->task->runner == &ps_thread_runner &&
	       !ps_backend_anywhere(other) && !other->type.kahn && !other->type.blocks &&
	       other->task->slot_count == 1 && lately && lately < PATIENT_BELOW_NS;
}

static void sleep_at(struct ps_task *t, unsigned port, struct ps_fifo_end *end)
{
	struct pstk_actor *a = t->actor;

	if (ps_log_on(PS_TOPIC_THREAD, PSTK_LOG_DEBUG))
		ps_log(PS_TOPIC_THREAD, PSTK_LOG_DEBUG, "%s: firing %llu waits at %s", a->name,
			(unsigned long long)ps_firing_next(t)->index, a->type.ports[port].name);
	if (!t->runner->hold) /* else the thread that has looked at its ports has said so */
		ps_thread_wait_note(t, end);
	ps_detector_wait(t->actor, end);
	if (is_patient(t, end))
		ps_fifo_wait_patiently(end);
	else
		ps_fifo_wait(end);
}

void ps_thread_wait_room(struct ps_task *t)
{
	uint64_t begin = t->trace ? ps_clock_ns() : 0;

	t->actor->backend->wait_room(t->actor);
	if (t->trace)
		ps_tracing_waited(t, PS_NO_PORT, NULL, begin, ps_clock_ns() - begin);
}

static uint64_t wait_at(struct ps_task *t, unsigned port, struct ps_fifo_end *end)
{
	struct pstk_actor *a = t->actor;
	bool spins = a->network->schedule->spins && !end->ops;
	uint64_t begin, ns;

	pay_debts(t);
	if (!spins)
		begin = ps_clock_ns();
	if (!spins || !spin(t, end, &begin, &ns)) {
		sleep_at(t, port, end);
		ns = ps_timing_look() - begin;
		if (!t->runner->hold)
			atomic_store_explicit(&t->since, begin + ns, memory_order_relaxed);
	}
	atomic_fetch_add_explicit(&a->ports[port].wait_ns, ns, memory_order_relaxed);
	return ns;
}

uint64_t ps_thread_wait(struct ps_task *t, unsigned port, struct ps_fifo_end *end)
{
	uint64_t begin = t->trace ? ps_clock_ns() : 0, ns = wait_at(t, port, end);

	if (t->trace)
		ps_tracing_waited(t, port, (const struct pstk_fifo *)end->fifo, begin, ps_clock_ns() - begin);
	return ns;
}
