/* SPDX-License-Identifier: MIT */
#include "lib/firing/windows.h"
#include "lib/base/probe.h"
#include "lib/fifo/bundle.h"
#include "lib/fifo/fifo_quick.h"
#include "lib/firing/backend.h"
#include "lib/firing/partial.h"
#include "lib/firing/runner.h"
#include "lib/model/type.h"

#include <string.h>

/* Whose window the firing writes; the others get copies. The first whose reader is there. If none is, the one of the
 * firing before: of any other no window was taken for the firings in flight. */
static struct pstk_fifo *primary_of(struct ps_port *port)
{
	struct pstk_fifo *f = port->fifo;

	if (!f->next)
		return f;
	while (f && atomic_load(&f->fifo.discards))
		f = f->next;
	if (!f)
		f = port->primary ? port->primary : port->fifo;
	if (f != port->primary)
		port->primary = f;
	return f;
}

static void take_input(struct pstk_actor *a, struct ps_window *w, struct ps_fifo *f)
{
	if (a->backend)
		w->number = ps_fifo_read_take(f, &w->valid);
	else
		w->data = (void *)ps_fifo_quick_read_start(f, &w->valid);
}

/* Has f a memory of its own, in which the window of another reader's is copied? */
static bool is_copy_of(const struct pstk_fifo *f, const struct pstk_fifo *primary)
{
	return f->fifo.owner == &f->fifo && f->fifo.owner != primary->fifo.owner;
}

void ps_windows_take_output(struct ps_window *w, struct ps_port *port)
{
	w->primary = primary_of(port);
	w->data = ps_fifo_quick_write_start(&w->primary->fifo);
	/* the copies' windows too: the next firing may be taken before this one is published */
	for (struct pstk_fifo *f = port->fifo->next ? port->fifo : NULL; f; f = f->next)
		if (is_copy_of(f, w->primary) && ps_fifo_wanted(&f->fifo))
			ps_fifo_write_start(&f->fifo);
}

static void take_output(struct pstk_actor *a, struct ps_window *w, struct ps_port *port)
{
	if (!a->backend) {
		ps_windows_take_output(w, port);
		return;
	}
	w->primary = primary_of(port);
	w->number = ps_fifo_write_take(&w->primary->fifo);
}

static void take_in(struct pstk_firing *firing, unsigned p)
{
	struct pstk_actor *a = firing->actor;
	struct ps_window *w = &firing->windows[p];
	struct ps_port *port = &a->ports[p];

	w->state = PS_WINDOW_TAKEN;
	take_input(a, w, &port->fifo->fifo);
	if (w->valid < port->rate)
		ps_partial_take(firing, p);
}

static void take_out(struct pstk_firing *firing, unsigned p)
{
	struct pstk_actor *a = firing->actor;
	struct ps_window *w = &firing->windows[p];
	struct ps_port *port = &a->ports[p];

	w->state = PS_WINDOW_TAKEN;
	w->valid = port->rate;
	take_output(a, w, port);
}

/* The windows of the ports that follow the lead's in a bundle. */
static void take_beside(struct pstk_firing *firing, unsigned lead)
{
	struct pstk_actor *a = firing->actor;
	const struct ps_fifo *counters = ps_counters(a->ports[lead].fifo);
	/* else each window is whole */
	bool closed = a->ports[lead].reads && atomic_load_explicit(&counters->closed, memory_order_acquire);
	const void *window = firing->windows[lead].data;

	for (unsigned p = a->ports[lead].along; p != PS_NO_PORT; p = a->ports[p].along) {
		struct ps_fifo *f = &a->ports[p].fifo->fifo;
		struct ps_window *w = &firing->windows[p];

		w->state = PS_WINDOW_TAKEN;
		w->valid = a->ports[p].rate;
		w->data = ps_bundle_window(f, counters, window);
		if (!closed)
			continue;
		w->data = (void *)ps_bundle_finish(f, counters, w->data, &w->valid);
		if (w->valid < a->ports[p].rate)
			ps_partial_take(firing, p);
	}
}

void ps_windows_take(struct pstk_firing *firing)
{
	const struct ps_decision *on = firing->on;
	struct pstk_actor *a = firing->actor;

	firing->last = false;
	firing->open = on->port_count;
	firing->steps = a->steps;
	for (unsigned i = 0; i < on->lead_count; i++) {
		unsigned lead = on->leads[i];

		(i < on->out_count ? take_out : take_in)(firing, lead);
		if (a->ports[lead].along != PS_NO_PORT)
			take_beside(firing, lead);
	}
	for (unsigned i = 0; i < on->port_count && firing->last; i++) /* now that all inputs are known */
		if (!a->ports[on->ports[i]].reads)
			firing->windows[on->ports[i]].valid = ps_partial_default(firing, on->ports[i]);
}

static void end_write(struct pstk_fifo *f, uint32_t valid)
{
	if (ps_fifo_quick_write_end(&f->fifo, valid))
		ps_backend_of(f)->fifo_failed(f, true);
}

void ps_windows_release_input(struct pstk_firing *firing, unsigned port)
{
	struct pstk_fifo *f = firing->actor->ports[port].fifo;

	if (ps_fifo_quick_read_end(&f->fifo))
		ps_backend_of(f)->fifo_failed(f, false);
}

/* Is the window that is published a copy in f, too? No, if no reader of f wanted it when it was taken. */
static bool has_copy(const struct pstk_fifo *f, const struct ps_window *w)
{
	return is_copy_of(f, w->primary) &&
	       atomic_load_explicit(&f->fifo.writer.started, memory_order_relaxed) != f->fifo.writer.ended;
}

/* *last: where the one before lies. Those at one place are mostly neighbours; to write there again does no harm yet. */
static void copy_window(const struct ps_window *w, struct pstk_fifo *f, void **last)
{
	size_t bytes = w->valid * f->fifo.layout.token_size;
	void *to = ps_fifo_write_oldest(&f->fifo);

	if (!to || to == w->data || to == *last) /* it is there already */
		return;
	memcpy(to, w->data, bytes);
	ps_fifo_count_copy(&f->fifo, bytes);
	*last = to;
}

/* One copy for all that share memory. All of them first: a FIFO on the cores may lie where another one's way begins
 * (ps_fifo_borrow()), and once one of them is published nothing may be written there. */
static void publish_copies(const struct ps_window *w, struct pstk_fifo *first)
{
	void *last = NULL;

	for (struct pstk_fifo *f = first; f; f = f->next)
		if (has_copy(f, w) && ps_fifo_wanted(&f->fifo))
			copy_window(w, f, &last);
	for (struct pstk_fifo *f = first; f; f = f->next)
		if (has_copy(f, w))
			end_write(f, w->valid);
}

void ps_windows_publish_output(struct pstk_firing *firing, unsigned port)
{
	struct ps_window *w = &firing->windows[port];
	struct pstk_fifo *first = firing->actor->ports[port].fifo;

	/* the others first: once the primary is published, its reader may be through with it */
	if (first->next && w->valid)
		publish_copies(w, first);
	if (w->valid) /* else the windows are given back when the port is closed */
		end_write(w->primary, w->valid);
	for (struct pstk_fifo *f = first; f && w->valid < first->fifo.layout.write_rate; f = f->next)
		/* the port's end, whichever readers are left */
		if (!f->fifo.closes_late && !atomic_load(&f->fifo.closed))
			ps_fifo_write_close(&f->fifo);
}

static void help(struct ps_task *t)
{
	if (t->runner->help)
		t->runner->help(t);
}

void ps_windows_help(struct pstk_actor *a, unsigned port)
{
	struct pstk_fifo *f = a->ports[port].fifo;

	if (ps_port_reads(a->type.ports[port].kind)) {
		help(f->src->task);
		return;
	}
	for (; f; f = f->next)
		help(f->dst->task);
}

/* Tokens that fire() has put into its window of this port, as it has ended. */
static uint32_t ended_with(const struct pstk_firing *firing, unsigned p)
{
	return firing->windows[p].state == PS_WINDOW_ENDED ? firing->windows[p].valid : 0;
}

/* The last windows of a bundle, some of which are filled partly or were not ended. */
static void publish_last(struct pstk_firing *firing, unsigned lead)
{
	const struct pstk_actor *a = firing->actor;
	struct ps_fifo *counters = ps_counters(a->ports[lead].fifo);
	uint32_t common = ended_with(firing, lead);

	for (unsigned p = a->ports[lead].along; p != PS_NO_PORT; p = a->ports[p].along)
		if (ended_with(firing, p) < common)
			common = ended_with(firing, p);
	for (unsigned p = lead; p != PS_NO_PORT; p = a->ports[p].along) {
		uint32_t valid = ended_with(firing, p);

		ps_bundle_end_last(&a->ports[p].fifo->fifo, counters, firing->windows[p].data, valid, common);
		if (valid)
			PS_PROBE3(publish, a->name, a->type.ports[p].name, valid);
	}
	if (common)
		ps_fifo_write_publish(counters, common);
	if (!counters->closes_late && common < counters->layout.write_rate && !atomic_load(&counters->closed))
		ps_fifo_write_close(counters);
}

static void publish_bundle(struct pstk_firing *firing, unsigned lead, bool whole)
{
	const struct pstk_actor *a = firing->actor;

	if (!whole) {
		publish_last(firing, lead);
		return;
	}
	for (unsigned p = a->ports[lead].along; p != PS_NO_PORT; p = a->ports[p].along) {
		ps_bundle_end_whole(&a->ports[p].fifo->fifo, ps_counters(a->ports[p].fifo));
		PS_PROBE3(publish, a->name, a->type.ports[p].name, firing->windows[p].valid);
	}
	ps_windows_publish_output(firing, lead);
	PS_PROBE3(publish, a->name, a->type.ports[lead].name, firing->windows[lead].valid);
}

static void publish(struct pstk_firing *firing, unsigned p, bool whole)
{
	struct pstk_actor *a = firing->actor;

	if (a->ports[p].along != PS_NO_PORT) {
		publish_bundle(firing, p, whole);
		return;
	}
	if (firing->windows[p].state != PS_WINDOW_ENDED)
		return;
	(a->backend ? a->backend->publish : ps_windows_publish_output)(firing, p);
	PS_PROBE3(publish, a->name, a->type.ports[p].name, firing->windows[p].valid);
}

/* Of the last firing: fire() may have ended some windows of a bundle only. Then the writer gets no room of any. */
static void release_last(struct pstk_firing *firing, unsigned lead)
{
	const struct pstk_actor *a = firing->actor;
	bool all = true;

	for (unsigned p = lead; p != PS_NO_PORT; p = a->ports[p].along)
		all &= firing->windows[p].state == PS_WINDOW_ENDED;
	if (all) {
		ps_windows_release_input(firing, lead);
		return;
	}
	for (unsigned p = lead; p != PS_NO_PORT; p = a->ports[p].along)
		if (firing->windows[p].state == PS_WINDOW_ENDED)
			a->ports[p].fifo->fifo.took = a->ports[p].rate;
}

static void release(struct pstk_firing *firing, unsigned p, bool whole)
{
	struct pstk_actor *a = firing->actor;

	if (a->ports[p].along != PS_NO_PORT && !whole)
		release_last(firing, p);
	else if (firing->windows[p].state == PS_WINDOW_ENDED)
		(a->backend ? a->backend->release : ps_windows_release_input)(firing, p);
}

/* The same of a firing that has ended all windows, and filled them: nearly all are. */
static void publish_whole(struct pstk_firing *firing, unsigned p)
{
	struct ps_port *port = &firing->actor->ports[p];

	if (port->fifo->next || port->along != PS_NO_PORT) {
		publish(firing, p, true);
		return;
	}
	end_write(port->fifo, port->rate);
	PS_PROBE3(publish, firing->actor->name, port->declared->name, port->rate);
}

void ps_windows_publish(struct pstk_firing *firing)
{
	const struct ps_decision *on = firing->on;
	struct pstk_actor *a = firing->actor;
	bool whole = !firing->open && !firing->last, quick = whole && !a->backend;

	for (unsigned i = 0; i < on->out_count; i++)
		if (quick)
			publish_whole(firing, on->leads[i]);
		else
			publish(firing, on->leads[i], whole);
	for (unsigned i = on->out_count; i < on->lead_count; i++)
		if (quick)
			ps_windows_release_input(firing, on->leads[i]);
		else
			release(firing, on->leads[i], whole);
	for (unsigned i = 0; i < on->lead_count && firing->task->helps; i++)
		if (firing->windows[on->leads[i]].state == PS_WINDOW_ENDED)
			ps_windows_help(a, on->leads[i]);
}
