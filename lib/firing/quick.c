/* SPDX-License-Identifier: MIT */
#include "lib/firing/quick.h"
#include "lib/base/probe.h"
#include "lib/fifo/bundle.h"
#include "lib/fifo/fifo_quick.h"
#include "lib/firing/control.h"
#include "lib/firing/firing.h"
#include "lib/firing/firing_rule.h"
#include "lib/firing/timing.h"
#include "lib/firing/windows.h"
#include "lib/model/type.h"

static bool output_may(const struct pstk_fifo *f)
{
	return !f->next && f->fifo.alone && !f->fifo.warm && !f->fifo.margin && !f->fifo.writer_away &&
	       f->fifo.reader_polled;
}

static bool input_may(const struct pstk_fifo *f)
{
	return !f->fifo.warm && !f->fifo.reader_away && f->fifo.writer_polled;
}

static bool may(const struct ps_task *t)
{
	const struct pstk_actor *a = t->actor;

	if (!t->polled || !t->plain || t->slot_count != 1 || t->followed || t->trace || t->delegate ||
		a->guarded || a->type.kahn || !a->type.port_count)
		return false;
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (p != a->control_port &&
			!(a->ports[p].reads ? input_may : output_may)(a->ports[p].fifo->lead))
			return false;
	return true;
}

void ps_quick_settle(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;

	t->quick = may(t);
	for (unsigned p = 0; t->quick && p < a->type.port_count; p++)
		t->slots->windows[p].primary = a->ports[p].fifo;
}

/* Does anything but a window decide whether it fires? */
static inline bool is_unusual(const struct ps_task *t)
{
	return ps_network_over(t->network) || (t->is_source && atomic_load(&t->network->stopping)) ||
	       atomic_load(&t->reader_ended) || atomic_load(&t->writer_ended);
}

/* Is a window there? `other`: the counter of the other side, whose line is read only where the last look is too old. */
static inline bool has_window(struct ps_fifo_end *end, const _Atomic uint64_t *other)
{
	int64_t needs = atomic_load_explicit(&end->needs, memory_order_relaxed), seen;

	if (atomic_load_explicit(&end->seen, memory_order_relaxed) >= needs)
		return true;
	seen = (int64_t)atomic_load_explicit(other, memory_order_acquire);
	atomic_store_explicit(&end->seen, seen, memory_order_relaxed);
	return seen >= needs;
}

/* The first term at which no window is there; NULL: there are all. */
static inline const struct ps_rule_term *missing(const struct ps_decision *on)
{
	for (unsigned i = 0; i < on->term_count; i++) {
		const struct ps_rule_term *g = on->terms[i];
		struct ps_fifo *f = &g->fifo->fifo;

		if (!(g->writer ? has_window(&f->writer, &f->read) : has_window(&f->reader, &f->written)))
			return g;
	}
	return NULL;
}

static inline void hand_out(struct ps_window *w, void *data, uint32_t valid)
{
	w->data = data;
	w->valid = valid;
	w->state = PS_WINDOW_TAKEN;
}

/* Takes the term's window, and those beside it in its bundle. */
static inline void take(struct pstk_firing *firing, const struct ps_rule_term *g)
{
	const struct ps_port *ports = firing->actor->ports, *port = &ports[g->port];
	struct ps_fifo *f = &g->fifo->fifo;
	void *window = ps_fifo_quick_pass(f, g->writer ? &f->writer : &f->reader);

	hand_out(&firing->windows[g->port], window, port->rate);
	for (unsigned p = port->along; p != PS_NO_PORT; p = ports[p].along)
		hand_out(&firing->windows[p], ps_bundle_window(&ports[p].fifo->fifo, f, window),
			ports[p].rate);
}

static inline void fire(struct pstk_firing *firing)
{
	struct ps_task *t = firing->task;
	struct pstk_actor *a = firing->actor;
	struct ps_timed begin;

	PS_PROBE2(fire_begin, a->name, firing->ran);
	begin = ps_timing_begin(t);
	if (a->text[0])
		a->text[0] = 0;
	firing->rc = a->type.fire(firing);
	ps_timing_end(t, &begin, 0);
	PS_PROBE3(fire_end, a->name, firing->ran, firing->rc);
}

/* Has it ended all windows, filled them, and may they be seen? */
static inline bool went_well(const struct pstk_firing *firing)
{
	const struct ps_task *t = firing->task;

	/* what a reader that has ended gets is not counted */
	return firing->rc == PSTK_AGAIN && !firing->open && !firing->last && !firing->misuse[0] &&
	       !ps_network_over(t->network) && !atomic_load(&t->reader_ended);
}

static inline void probe(const struct pstk_actor *a, unsigned port)
{
	for (unsigned p = port; p != PS_NO_PORT; p = a->ports[p].along)
		PS_PROBE3(publish, a->name, a->ports[p].declared->name, a->ports[p].rate);
}

/* Outputs first, as always. */
static inline void publish(struct pstk_firing *firing, const struct ps_decision *on)
{
	for (unsigned i = 0; i < on->term_count; i++)
		if (on->terms[i]->writer) {
			ps_fifo_quick_publish(&on->terms[i]->fifo->fifo);
			probe(firing->actor, on->terms[i]->port);
		}
	for (unsigned i = 0; i < on->term_count; i++)
		if (!on->terms[i]->writer)
			ps_fifo_quick_release(&on->terms[i]->fifo->fifo);
	for (unsigned i = 0; firing->task->helps && i < on->term_count; i++)
		ps_windows_help(firing->actor, on->terms[i]->port);
	ps_firing_count(firing, true);
	ps_firing_drop(firing);
}

static inline enum ps_quick fire_once(struct ps_task *t)
{
	struct pstk_firing *firing = t->slots;
	const struct ps_rule_term *g;
	const struct ps_decision *on;

	if (is_unusual(t))
		return PS_QUICK_UNSURE;
	if (t->dynamic && !firing->decided) {
		struct ps_fifo_end *end;
		unsigned port;

		firing->index = t->next_index;
		if (ps_control_take(firing, &end, &port) != PS_FIRING_READY)
			return PS_QUICK_UNSURE;
	}
	on = firing->on;
	if (!on->port_count)
		return PS_QUICK_UNSURE;
	g = missing(on);
	if (g) {
		atomic_store_explicit(&t->missing, (unsigned)(g - t->terms), memory_order_relaxed);
		/* an end that is closed later is looked at again after a nudge */
		return is_unusual(t) ? PS_QUICK_UNSURE : PS_QUICK_WAITS;
	}
	for (unsigned i = 0; i < on->term_count; i++)
		take(firing, on->terms[i]);
	firing->last = false;
	firing->open = on->port_count;
	firing->steps = t->actor->steps;
	ps_firing_number(firing, true);
	fire(firing);
	if (!went_well(firing))
		return ps_firing_publish(firing) ? PS_QUICK_FIRED : PS_QUICK_OVER;
	publish(firing, on);
	return PS_QUICK_FIRED;
}

enum ps_quick ps_quick_fire(struct ps_task *t, struct ps_eventcount *waiters, unsigned most, unsigned *fired)
{
	enum ps_quick state;

	do {
		state = fire_once(t);
		*fired += state == PS_QUICK_FIRED || state == PS_QUICK_OVER;
	} while (state == PS_QUICK_FIRED && *fired < most && ps_timing_is_short(t) &&
		 !(waiters && ps_eventcount_hint(waiters)));
	return state;
}
