/* SPDX-License-Identifier: MIT */
/*
 * Timing: how long an actor's firings take. Reading the clock costs more than a firing that does little, so of short
 * ones only one in about PS_TIMING_EVERY is measured and stands for the others. Which one is left to chance: an actor
 * may work in each n-th firing only.
 *
 * On a loaded machine a firing takes long because its thread is off its core. What of fire_ns was on one is fire_ns
 * less off_ns. The thread's own clock says it, by a system call (PS_TIMING_LONG_NS is some hundreds of them), so it is
 * read
 *   - around firings that have lately been long;
 *   - before a firing, when this thread's firings have taken PS_TIMING_LONG_NS since it was read last;
 *   - after a firing that was long, expected or not: what it was off its core is its time on the clock less what this
 *     thread was on one since the reading before. Where that one is not of this firing's begin, shorter firings before
 *     it count in its time on a core: PS_TIMING_LONG_NS at most, and what the thread did between them.
 * A firing that is not long counts as on its core.
 */
#ifndef PENSTOCK_TIMING_H
#define PENSTOCK_TIMING_H

#include "lib/base/clock.h"
#include "lib/firing/task.h"

enum { PS_TIMING_EVERY = 16, PS_TIMING_SHORT_NS = 1000, PS_TIMING_LONG_NS = 100000 };

/* The clock when this thread has looked at it last: at most PS_TIMING_EVERY short firings ago. */
extern _Thread_local uint64_t ps_timing_now __attribute__((tls_model("initial-exec")));

/* The thread's clock when this thread has read it last, and how long its firings have taken since, with a microsecond
 * each for what is around them. */
struct ps_timing_cpu {
	uint64_t ns, since;
};
extern _Thread_local struct ps_timing_cpu ps_timing_cpu __attribute__((tls_model("initial-exec")));

/* A firing that begins. */
struct ps_timed {
	uint64_t begin; /* 0: not measured */
	uint64_t cpu;   /* the thread's clock then, or a little earlier */
};

static inline bool ps_timing_is_short(const struct ps_task *t)
{
	uint64_t ns = atomic_load_explicit(&t->timing.lately_ns, memory_order_relaxed);

	return ns && ns < PS_TIMING_SHORT_NS;
}

static inline uint64_t ps_timing_look(void)
{
	return ps_timing_now = ps_clock_ns();
}

static inline uint64_t ps_timing_look_cpu(void)
{
	ps_timing_cpu = (struct ps_timing_cpu){ .ns = ps_clock_cpu_ns() };
	return ps_timing_cpu.ns;
}

/* Around a firing: what begin returns is for end. */
static inline struct ps_timed ps_timing_begin(struct ps_task *t)
{
	unsigned unmeasured = atomic_load_explicit(&t->timing.unmeasured, memory_order_relaxed);
	struct ps_timed m = { 0 };

	if (unmeasured < atomic_load_explicit(&t->timing.until, memory_order_relaxed)) {
		atomic_store_explicit(&t->timing.unmeasured, unmeasured + 1, memory_order_relaxed);
	} else {
		if (ps_timing_cpu.since >= PS_TIMING_LONG_NS ||
			atomic_load_explicit(&t->timing.lately_ns, memory_order_relaxed) >= PS_TIMING_LONG_NS)
			ps_timing_look_cpu();
		m.cpu = ps_timing_cpu.ns;
		m.begin = ps_timing_look();
	}
	atomic_store_explicit(&t->since, ps_timing_now, memory_order_relaxed);
	return m;
}

static inline void ps_timing_end(struct ps_task *t, const struct ps_timed *m, uint64_t waited_ns)
{
	uint64_t lately = atomic_load_explicit(&t->timing.lately_ns, memory_order_relaxed), took, ns, cpu;
	unsigned times, until = 0;

	if (!m->begin)
		return;
	took = ps_timing_look() - m->begin;
	ns = took > waited_ns ? took - waited_ns : 1;
	times = atomic_exchange_explicit(&t->timing.unmeasured, 0, memory_order_relaxed) + 1;
	/* one that does little among others that don't makes nothing short */
	lately = ns < lately ? lately - (lately - ns + 3) / 4 : ns;
	atomic_store_explicit(&t->timing.lately_ns, lately, memory_order_relaxed);
	/* the clock's last bits are as good as dice: PS_TIMING_EVERY - 1 on average */
	if (lately < PS_TIMING_SHORT_NS)
		until = PS_TIMING_EVERY / 2 + (unsigned)(ps_timing_now * 0x9e3779b97f4a7c15u >> 60);
	atomic_store_explicit(&t->timing.until, until, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->fire_ns, ns * times, memory_order_relaxed);
	if (took < PS_TIMING_LONG_NS) {
		ps_timing_cpu.since += ns * times + PS_TIMING_SHORT_NS;
		return;
	}
	cpu = ps_timing_look_cpu() - m->cpu;
	if (cpu < ns)
		atomic_fetch_add_explicit(&t->off_ns, (ns - cpu) * times, memory_order_release);
}

#endif
