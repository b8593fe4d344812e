/* SPDX-License-Identifier: MIT */
#include "lib/firing/firing.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/base/probe.h"
#include "lib/firing/arrival.h"
#include "lib/firing/backend.h"
#include "lib/firing/control.h"
#include "lib/firing/delegate.h"
#include "lib/firing/firing_error.h"
#include "lib/firing/firing_rule.h"
#include "lib/firing/latency.h"
#include "lib/firing/mover.h"
#include "lib/firing/partial.h"
#include "lib/firing/quick.h"
#include "lib/firing/runner.h"
#include "lib/firing/timing.h"
#include "lib/firing/tracing.h"
#include "lib/firing/windows.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Before its first control token a dynamic actor's static ports are on. */
static int first_decision(struct pstk_firing *firing)
{
	const struct ps_task *t = firing->task;

	if (t->actor->control_port == PS_NO_PORT) {
		firing->on = t->decisions[0];
		return 0;
	}
	firing->on = firing->own = ps_decision_create(t->actor, t->term_count);
	return firing->on ? 0 : -ENOMEM;
}

int ps_firing_make(struct pstk_firing *firing, struct pstk_actor *a)
{
	firing->actor = a;
	firing->port_count = a->type.port_count;
	firing->kahn = a->type.kahn;
	firing->windows =
		ps_memory_zalloc_lines((firing->port_count + !firing->port_count) * sizeof *firing->windows);
	if (!firing->windows)
		return -ENOMEM;
	for (unsigned p = 0; p < firing->port_count; p++)
		firing->windows[p].reads = ps_port_reads(a->type.ports[p].kind);
	return 0;
}

int ps_firing_init(struct ps_task *t, unsigned side_by_side)
{
	struct pstk_actor *a = t->actor;

	atomic_store(&t->most, a->backend ? 1 : side_by_side);
	atomic_store(&t->move_at, UINT64_MAX);
	t->terms = ps_memory_zalloc(ps_rule_list(a, NULL), sizeof *t->terms);
	t->slots = ps_memory_zalloc_lines(side_by_side * sizeof *t->slots);
	t->on = ps_memory_zalloc(ps_mask_words(a->type.port_count), sizeof *t->on);
	if (!t->terms || !t->slots || !t->on)
		return -ENOMEM;
	t->term_count = ps_rule_list(a, t->terms);
	if (ps_decisions_make(t))
		return -ENOMEM;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		a->ports[p].reads = ps_port_reads(a->type.ports[p].kind);
		a->ports[p].rate = pstk_actor_port_rate(a, p);
		for (struct pstk_fifo *f = a->ports[p].reads ? NULL : a->ports[p].fifo; f; f = f->next)
			f->fifo.closes_late = side_by_side > 1;
	}
	while (t->slot_count < side_by_side) {
		struct pstk_firing *firing = &t->slots[t->slot_count++];

		firing->task = t;
		firing->steps = a->steps;
		if (ps_firing_make(firing, a) || first_decision(firing))
			return -ENOMEM;
	}
	return 0;
}

static bool wants_help(const struct ps_task *t, const struct ps_task *by)
{
	return t->runner->help && t->runner->wants_help(t, by);
}

void ps_firing_settle(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;

	t->small = ps_rule_bytes(t) < PS_RULE_FEW_BYTES;
	t->plain = !a->backend && !t->mover;
	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		t->plain &= !ps_term_end(g)->ops;
	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		t->helps |= wants_help(g->other, t);
	if (a->control_port != PS_NO_PORT)
		t->helps |= wants_help(a->ports[a->control_port].fifo->src->task, t);
	ps_quick_settle(t);
}

void ps_firing_fini(struct ps_task *t)
{
	for (unsigned i = 0; i < t->slot_count; i++) {
		ps_memory_free(t->slots[i].windows);
		ps_memory_free(t->slots[i].own);
	}
	ps_decisions_free(t);
	ps_memory_free(t->slots);
	ps_memory_free(t->on);
	ps_memory_free(t->terms);
}

struct pstk_firing *ps_firing_next(const struct ps_task *t)
{
	if (t->slot_count == 1)
		return t->slots;
	return &t->slots[atomic_load_explicit(&t->taken, memory_order_relaxed) % t->slot_count];
}

void ps_task_nudge(struct ps_task *t)
{
	t->runner->nudge(t);
	if (t->delegate)
		t->delegate->nudge(t);
}

void ps_actor_unblock(struct pstk_actor *a)
{
	struct pstk_actor *former;

	if (!a->type.unblock || atomic_load(&a->task->ended))
		return;
	former = ps_actor_enter(a);
	a->type.unblock(a);
	ps_actor_leave(former);
}

bool ps_firing_unwanted(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct pstk_fifo *f = !ps_port_reads(a->type.ports[p].kind) ? a->ports[p].fifo : NULL;

		for (; f; f = f->next)
			if (!atomic_load(&ps_counters(f)->discards))
				return false;
	}
	return a->has_outputs;
}

bool ps_firing_over(const struct ps_task *t)
{
	return ps_network_over(t->network) || (t->is_source && atomic_load(&t->network->stopping)) ||
	       (atomic_load(&t->reader_ended) && ps_firing_unwanted(t->actor));
}

enum ps_fifo_state ps_firing_peek(struct pstk_fifo *f, bool writer)
{
	struct ps_fifo *counters = ps_counters(f);
	enum ps_fifo_state state = ps_fifo_peek(writer ? &counters->writer : &counters->reader);

	if (state != PS_FIFO_FAILED)
		return state;
	ps_backend_of(f)->fifo_failed(f, writer);
	return PS_FIFO_ENDED;
}

/* Is a window there? Of plain memory without a call. */
static enum ps_fifo_state term_state(const struct ps_rule_term *g)
{
	struct ps_fifo *f = &g->fifo->fifo;

	if (ps_term_end(g)->ops)
		return ps_firing_peek(g->fifo, g->writer);
	if (g->writer)
		return ps_fifo_may_write(f) ? PS_FIFO_READY : PS_FIFO_WAIT;
	return ps_fifo_may_read(f) ? ps_fifo_peek(&f->reader) : PS_FIFO_WAIT;
}

/* Has the writer of this input closed it, and is less than a whole step left, of an actor that takes only whole
 * ones? */
static bool lacks_step(const struct pstk_actor *a, const struct ps_rule_term *g)
{
	const struct ps_fifo *f = &g->fifo->fifo;

	return a->type.whole_steps && a->steps && !g->writer && !ps_fifo_has_whole(f) &&
	       atomic_load_explicit(&f->closed, memory_order_acquire) &&
	       !ps_partial_steps(a, g->port, ps_fifo_left(f));
}

/* All terms, also behind one that waits: an input that has ended ends the actor. WAIT: *missing is the first. */
static enum ps_firing_state look_at_terms(
	const struct ps_task *t, const struct pstk_firing *firing, const struct ps_rule_term **missing)
{
	*missing = NULL;
	for (unsigned i = 0; i < firing->on->term_count; i++) {
		const struct ps_rule_term *g = firing->on->terms[i];
		enum ps_fifo_state state = term_state(g);

		if (state == PS_FIFO_READY && lacks_step(t->actor, g))
			return PS_FIRING_ENDED;
		if (state == PS_FIFO_ENDED && !g->writer)
			return PS_FIRING_ENDED;
		if (state == PS_FIFO_WAIT && !*missing)
			*missing = g;
	}
	return *missing ? PS_FIRING_WAIT : PS_FIRING_READY;
}

/* Has an input ended that the next firing needs? Then it ends, whatever it still waits for. */
static bool input_has_ended(const struct ps_task *t)
{
	const struct pstk_actor *a = t->actor;
	bool decided =
		a->control_port == PS_NO_PORT || atomic_load_explicit(&t->decision, memory_order_relaxed);

	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		if (!g->writer && (ps_fifo_has_ended(&g->fifo->fifo) || lacks_step(a, g)) &&
			(decided ? ps_term_is_on(t, g) : a->type.ports[g->port].kind == PSTK_INPUT))
			return true;
	return false;
}

bool ps_firing_all_in_flight(const struct ps_task *t)
{
	return atomic_load_explicit(&t->taken, memory_order_relaxed) -
	               atomic_load_explicit(&t->published, memory_order_acquire) >=
	       atomic_load_explicit(&t->most, memory_order_relaxed);
}

bool ps_firing_may_take(struct ps_task *t)
{
	unsigned missing = atomic_load_explicit(&t->missing, memory_order_relaxed);

	if (atomic_load_explicit(&t->again, memory_order_acquire) ||
		(t->quick && !t->dynamic && ps_term_has_whole(&t->terms[missing]) && ps_rule_have_whole(t)))
		return true;
	/* the thread that publishes the last one nudges */
	if (atomic_load_explicit(&t->last_taken, memory_order_relaxed))
		return false;
	if (t->slot_count > 1 && ps_firing_all_in_flight(t))
		return false;
	if (__builtin_expect(ps_mover_is_due(t), 0))
		return true;
	if (atomic_load_explicit(&t->writer_ended, memory_order_acquire) && input_has_ended(t))
		return true;
	if (t->dynamic && !atomic_load_explicit(&t->decision, memory_order_relaxed))
		return ps_fifo_may_read(&t->actor->ports[t->actor->control_port].fifo->fifo);
	/* where it failed last it mostly fails again */
	if (missing < t->term_count && ps_term_is_on(t, &t->terms[missing]) &&
		!ps_term_open(&t->terms[missing]))
		return false;
	for (unsigned i = 0; i < t->term_count; i++)
		if (ps_term_is_on(t, &t->terms[i]) && !ps_term_open(&t->terms[i])) {
			atomic_store_explicit(&t->missing, i, memory_order_relaxed);
			return false;
		}
	return true;
}

/* As ps_rule_have_whole(), but of this firing. */
static bool have_whole(const struct pstk_firing *firing)
{
	for (unsigned i = 0; i < firing->on->term_count; i++)
		if (!ps_term_has_whole(firing->on->terms[i]))
			return false;
	return true;
}

/* Does any port move a window in this firing? */
static bool any_on(const struct pstk_firing *firing)
{
	return firing->on->port_count || !firing->actor->type.port_count;
}

/* Is no further firing to be taken, whatever its windows are? */
static bool will_end(const struct ps_task *t)
{
	return ps_firing_over(t) || atomic_load_explicit(&t->over, memory_order_relaxed) ||
	       atomic_load_explicit(&t->last_taken, memory_order_relaxed);
}

enum ps_firing_state ps_firing_take(
	struct ps_task *t, struct pstk_firing **next, struct ps_fifo_end **end, unsigned *port)
{
	struct pstk_actor *a = t->actor;
	struct pstk_firing *firing = *next = ps_firing_next(t);
	const struct ps_rule_term *missing;
	enum ps_firing_state state;

	*end = NULL;
	if (will_end(t))
		return PS_FIRING_ENDED;
	if (__builtin_expect(ps_mover_is_due(t), 0)) {
		state = t->mover->step(t);
		if (state != PS_FIRING_READY)
			return state;
	}
	if (ps_firing_all_in_flight(t))
		return PS_FIRING_WAIT;
	firing->index = t->next_index;
	state = t->dynamic ? ps_control_take(firing, end, port) : PS_FIRING_READY;
	if (state != PS_FIRING_READY)
		return state;
	if (t->plain && !atomic_load(&t->reader_ended) && have_whole(firing)) {
		ps_windows_take(firing);
		if (__builtin_expect(t->latency != NULL, 0))
			ps_latency_took(firing);
		ps_firing_number(firing, any_on(firing));
		return PS_FIRING_READY;
	}
	state = look_at_terms(t, firing, &missing);
	if (state == PS_FIRING_WAIT) {
		*end = ps_term_end(missing);
		*port = missing->port;
		atomic_store_explicit(&t->missing, (unsigned)(missing - t->terms), memory_order_relaxed);
	}
	if (state == PS_FIRING_READY && a->backend && any_on(firing))
		state = a->backend->room(a);
	if (state != PS_FIRING_READY)
		return state;
	/* just now: a writer's FIFO has failed, or the last reader has ended, which says ENDED where there is no
	 * room */
	if (ps_firing_over(t))
		return PS_FIRING_ENDED;
	ps_windows_take(firing);
	if (t->latency)
		ps_latency_took(firing);
	if (t->mover)
		t->mover->took(firing);
	if (firing->last)
		atomic_store_explicit(&t->last_taken, true, memory_order_relaxed);
	ps_firing_number(firing, any_on(firing));
	return PS_FIRING_READY;
}

struct ps_fifo_end *ps_firing_awaits(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	struct pstk_firing *firing = ps_firing_next(t);
	const struct ps_rule_term *missing;

	if (will_end(t) || ps_firing_all_in_flight(t) || ps_mover_is_due(t))
		return NULL;
	if (a->control_port != PS_NO_PORT && !firing->decided)
		return ps_control_awaits(a);
	if (look_at_terms(t, firing, &missing) != PS_FIRING_WAIT)
		return NULL;
	return ps_term_end(missing);
}

/* A kahn actor's firing is through; it was not taken. */
static void count_kahn(struct pstk_firing *firing)
{
	firing->index = ++firing->task->next_index;
	ps_firing_count(firing, true);
	firing->ran++;
}

/* Of one whose ends are the host's, wherever it fires. */
static int fire_guarded(struct pstk_firing *firing)
{
	const struct pstk_actor *a = firing->actor;
	const struct ps_backend *b = ps_place_backend(a);

	if (b)
		return b->fire_guarded(firing);
	return ps_place_is_elsewhere(a, &a->places[atomic_load_explicit(&a->place, memory_order_relaxed)])
	               ? firing->task->mover->fire_far(firing)
	               : a->type.fire(firing);
}

/* The firing itself; its caller measures the time around it. */
static void call_fire(struct pstk_firing *firing)
{
	struct ps_task *t = firing->task;
	struct pstk_actor *a = firing->actor;

	if (t->slot_count > 1) {
		ps_firing_current = firing;
		firing->text[0] = 0;
	} else if (a->text[0]) {
		a->text[0] = 0;
	}
	firing->waited_ns = 0;
	firing->rc = a->backend   ? a->backend->fire(firing)
	             : a->guarded ? fire_guarded(firing)
	                          : a->type.fire(firing);
	if (t->slot_count > 1)
		ps_firing_current = NULL;
}

/* The same, recorded. */
static void call_fire_traced(struct pstk_firing *firing)
{
	uint64_t begin = ps_clock_ns();

	call_fire(firing);
	ps_tracing_fired(firing, begin, ps_clock_ns());
}

void ps_firing_fire(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;
	struct ps_timed begin;

	firing->rc = PSTK_AGAIN;
	if (a->control_port != PS_NO_PORT &&
		!any_on(firing)) /* nothing to read, nothing to write: no firing */
		return;
	PS_PROBE2(fire_begin, a->name, firing->ran);
	begin = ps_timing_begin(firing->task);
	if (__builtin_expect(firing->task->trace != NULL, 0))
		call_fire_traced(firing);
	else
		call_fire(firing);
	ps_timing_end(firing->task, &begin, firing->waited_ns);
	PS_PROBE3(fire_end, a->name, firing->ran, firing->rc);
}

/* What nearly all firings are, without a call. */
static bool went_well(const struct pstk_firing *firing)
{
	return (firing->rc == PSTK_DONE ||
		       (firing->rc == PSTK_AGAIN && !firing->open && !firing->actor->type.kahn)) &&
	       !firing->misuse[0];
}

static bool publish(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	if (a->control_port != PS_NO_PORT && !any_on(firing)) {
		ps_firing_count(firing, false);
		return true;
	}
	/* several cache lines, which are another core's */
	if (firing->task->slot_count > 1 && (firing->text[0] || a->text[0]))
		memcpy(a->text, firing->text, sizeof a->text);
	/* a failed network hands a kahn actor NULL: it shall see that */
	if ((!went_well(firing) && ps_firing_failed(firing)) ||
		(!a->type.kahn && ps_network_over(a->network))) {
		if (firing->task->trace)
			ps_tracing_dropped(firing);
		return false;
	}
	if (__builtin_expect(firing->task->followed, 0) && !a->type.kahn) {
		if (firing->task->latency)
			ps_latency_publish(firing);
		if (firing->task->arrivals)
			ps_arrival_publish(firing);
	}
	if (!a->type.kahn)
		ps_windows_publish(firing);
	if (__builtin_expect(firing->task->mover != NULL, 0))
		firing->task->mover->published(firing);
	if (a->type.kahn)
		count_kahn(firing);
	else
		ps_firing_count(firing, true);
	return firing->rc == PSTK_AGAIN && !firing->last && !firing->saw_end;
}

void ps_firing_drop(struct pstk_firing *firing)
{
	struct ps_task *t = firing->task;

	uint64_t through = atomic_load_explicit(&t->published, memory_order_relaxed) + 1;

	/* its slot may be taken again from now on; side by side others look at once whether all are through */
	if (t->slot_count > 1)
		atomic_store(&t->published, through);
	else
		atomic_store_explicit(&t->published, through, memory_order_release);
}

bool ps_firing_publish(struct pstk_firing *firing)
{
	bool on = publish(firing);

	if (!on)
		atomic_store(&firing->task->over, true);
	ps_firing_drop(firing);
	return on;
}

bool ps_firing_run(struct pstk_firing *firing)
{
	ps_firing_fire(firing);
	return ps_firing_publish(firing);
}
