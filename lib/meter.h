/* SPDX-License-Identifier: MIT */
/*
 * Meter: how long an actor's firings take. Reading the clock costs more than a firing that does little, so of short ones
 * only one in about PS_METER_EVERY is measured and stands for the others. Which one is left to chance: an actor may work
 * in each n-th firing only.
 */
#ifndef PENSTOCK_METER_H
#define PENSTOCK_METER_H

#include "lib/clock.h"
#include "lib/network.h"

enum { PS_METER_EVERY = 16, PS_METER_SHORT_NS = 1000 };

/* The clock when this thread has looked at it last: at most PS_METER_EVERY short firings ago. */
extern _Thread_local uint64_t ps_meter_now __attribute__((tls_model("initial-exec")));

static inline bool ps_meter_is_short(const struct pstk_actor *a)
{
	uint64_t ns = atomic_load_explicit(&a->meter.lately_ns, memory_order_relaxed);

	return ns && ns < PS_METER_SHORT_NS;
}

static inline uint64_t ps_meter_look(void)
{
	return ps_meter_now = ps_clock_ns();
}

/* Around a firing: what begin returns (0: not measured) is for end. */
static inline uint64_t ps_meter_begin(struct pstk_actor *a)
{
	unsigned unmeasured = atomic_load_explicit(&a->meter.unmeasured, memory_order_relaxed);
	uint64_t begin = 0;

	if (ps_meter_is_short(a) && unmeasured < atomic_load_explicit(&a->meter.until, memory_order_relaxed))
		atomic_store_explicit(&a->meter.unmeasured, unmeasured + 1, memory_order_relaxed);
	else
		begin = ps_meter_look();
	atomic_store_explicit(&a->since, ps_meter_now, memory_order_relaxed);
	return begin;
}

static inline void ps_meter_end(struct pstk_actor *a, uint64_t begin, uint64_t waited_ns)
{
	uint64_t lately = atomic_load_explicit(&a->meter.lately_ns, memory_order_relaxed), ns;
	unsigned unmeasured;

	if (!begin)
		return;
	ns = ps_meter_look() - begin;
	ns = ns > waited_ns ? ns - waited_ns : 1;
	unmeasured = atomic_exchange_explicit(&a->meter.unmeasured, 0, memory_order_relaxed);
	/* one that does little among others that don't makes nothing short */
	lately = ns < lately ? lately - (lately - ns + 3) / 4 : ns;
	atomic_store_explicit(&a->meter.lately_ns, lately, memory_order_relaxed);
	/* the clock's last bits are as good as dice: PS_METER_EVERY - 1 on average */
	atomic_store_explicit(&a->meter.until,
		PS_METER_EVERY / 2 + (unsigned)(ps_meter_now * 0x9e3779b97f4a7c15u >> 60),
		memory_order_relaxed);
	atomic_fetch_add_explicit(&a->fire_ns, ns * (unmeasured + 1u), memory_order_relaxed);
}

#endif
