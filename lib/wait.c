/* SPDX-License-Identifier: MIT */
#include "lib/wait.h"
#include "lib/clock.h"
#include "lib/detector.h"
#include "lib/firing.h"
#include "lib/log.h"
#include "lib/meter.h"

void ps_wait_note(struct pstk_actor *a, const struct ps_fifo_end *end)
{
	struct ps_latest_wait *w = &a->wait;

	/* waking and finding nothing is no news: rings and nudges come for other reasons too */
	if (w->end != end || w->window != atomic_load(&end->started))
		*w = (struct ps_latest_wait){ end, atomic_load(&end->started), ps_clock_ns() };
	atomic_store_explicit(&a->since, w->began, memory_order_relaxed);
}

uint64_t ps_wait(struct pstk_actor *a, unsigned port, struct ps_fifo_end *end)
{
	uint64_t begin = ps_clock_ns(), ns;

	if (ps_log_on(PS_TOPIC_THREAD, PSTK_LOG_DEBUG))
		ps_log(PS_TOPIC_THREAD, PSTK_LOG_DEBUG, "%s: firing %llu waits at %s", a->name,
			(unsigned long long)ps_firing_next(a)->index, a->type.ports[port].name);
	if (!a->launched) /* else whoever fires it has said so */
		ps_wait_note(a, end);
	ps_detector_wait(a, end);
	ps_fifo_wait(end);
	ns = ps_meter_look() - begin;
	if (!a->launched)
		atomic_store_explicit(&a->since, begin + ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&a->ports[port].wait_ns, ns, memory_order_relaxed);
	return ns;
}
