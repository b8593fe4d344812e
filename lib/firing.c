/* SPDX-License-Identifier: MIT */
#include "lib/firing.h"
#include "lib/actor.h"
#include "lib/clock.h"
#include "lib/control.h"
#include "lib/device.h"
#include "lib/error.h"
#include "lib/launch.h"
#include "lib/memory.h"
#include "lib/type.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int ps_firing_init(struct pstk_actor *a)
{
	a->firing = (struct pstk_firing){ .actor = a };
	a->firing.windows = ps_memory_zalloc(a->type.port_count, sizeof *a->firing.windows);
	if (!a->firing.windows)
		return -ENOMEM;
	ps_control_reset(&a->firing);
	return 0;
}

void ps_actor_nudge(struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind))
			ps_fifo_nudge(&f->fifo.reader);
		else
			for (; f; f = f->next)
				ps_fifo_nudge(&f->fifo.writer);
	}
	ps_device_nudge(a);
}

/* Have all readers of all outputs ended? Not for an actor without outputs. */
static bool unwanted(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct pstk_fifo *f = !ps_port_reads(a->type.ports[p].kind) ? a->ports[p].fifo : NULL;

		for (; f; f = f->next)
			if (!atomic_load(&f->fifo.discards))
				return false;
	}
	return a->has_outputs;
}

bool ps_firing_over(const struct pstk_actor *a)
{
	return pstk_network_failed(a->network) || (a->is_source && atomic_load(&a->network->stopping)) ||
	       unwanted(a);
}

struct pstk_fifo *ps_firing_primary(const struct ps_port *port)
{
	struct pstk_fifo *f = port->fifo;

	while (f && atomic_load(&f->fifo.discards))
		f = f->next;
	return f ? f : port->fifo;
}

enum ps_fifo_state ps_firing_peek(struct pstk_fifo *f, bool writer)
{
	enum ps_fifo_state state = writer ? ps_fifo_write_peek(&f->fifo) : ps_fifo_read_peek(&f->fifo);

	if (state != PS_FIFO_FAILED)
		return state;
	ps_device_fifo_failed(f, writer);
	return PS_FIFO_ENDED;
}

/* The end at which a window of this port is missing, NULL: none is. *ended: an input will not get one any
 * more. */
static struct ps_fifo_end *missing(const struct pstk_actor *a, unsigned p, bool *ended)
{
	struct pstk_fifo *f = a->ports[p].fifo;

	if (ps_port_reads(a->type.ports[p].kind)) {
		enum ps_fifo_state state = ps_firing_peek(f, false);

		*ended = *ended || state == PS_FIFO_ENDED;
		return state == PS_FIFO_WAIT ? &f->fifo.reader : NULL;
	}
	for (; f; f = f->next)
		if (ps_firing_peek(f, true) == PS_FIFO_WAIT)
			return &f->fifo.writer;
	return NULL;
}

/* Output tokens that come of partly filled inputs: rate x min(valid / rate of the input), rounded up (facts
 * of the model: every token in gives its token out, whatever the rates). Of those that are on. */
static uint32_t default_valid(const struct pstk_firing *firing, unsigned out)
{
	const struct pstk_actor *a = firing->actor;
	uint64_t rate = a->ports[out].fifo->fifo.layout.rate, least = rate;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		uint64_t in_rate, valid;

		if (!ps_port_reads(a->type.ports[p].kind) || !firing->windows[p].on)
			continue;
		in_rate = a->ports[p].fifo->fifo.layout.rate;
		valid = (rate * firing->windows[p].valid + in_rate - 1) / in_rate;
		if (valid < least)
			least = valid;
	}
	return (uint32_t)least;
}

static void take_input(struct pstk_actor *a, struct ps_window *w, struct ps_fifo *f)
{
	if (a->device)
		w->number = ps_fifo_read_take(f, &w->valid);
	else
		w->data = (void *)ps_fifo_read_start(f, &w->valid);
}

static void take_output(struct pstk_actor *a, struct ps_window *w, const struct ps_port *port)
{
	w->primary = ps_firing_primary(port);
	if (a->device)
		w->number = ps_fifo_write_take(&w->primary->fifo);
	else
		w->data = ps_fifo_write_start(&w->primary->fifo);
}

static void take_windows(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	firing->last = false;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct ps_window *w = &firing->windows[p];

		if (!w->on)
			continue;
		*w = (struct ps_window){ .state = PS_WINDOW_TAKEN, .on = true };
		if (ps_port_reads(a->type.ports[p].kind)) {
			take_input(a, w, &a->ports[p].fifo->fifo);
			if (w->valid < a->ports[p].fifo->fifo.layout.rate)
				firing->last = true;
		} else {
			take_output(a, w, &a->ports[p]);
		}
	}
	for (unsigned p = 0; p < a->type.port_count; p++) /* now that all inputs are known */
		if (!ps_port_reads(a->type.ports[p].kind) && firing->windows[p].on)
			firing->windows[p].valid = default_valid(firing, p);
}

/* Does any port move a window in this firing? */
static bool any_on(const struct pstk_firing *firing)
{
	for (unsigned p = 0; p < firing->actor->type.port_count; p++)
		if (firing->windows[p].on)
			return true;
	return !firing->actor->type.port_count;
}

enum ps_firing_state ps_firing_take(struct pstk_firing *firing, struct ps_fifo_end **end, unsigned *port)
{
	struct pstk_actor *a = firing->actor;
	enum ps_firing_state state;
	bool ended = false;

	*end = NULL;
	if (ps_firing_over(a))
		return PS_FIRING_ENDED;
	state = ps_control_take(firing, end, port);
	if (state != PS_FIRING_READY)
		return state;
	/* all ports, also behind one that waits: an input that has ended ends the actor */
	for (unsigned p = 0; p < a->type.port_count && !ended; p++) {
		struct ps_fifo_end *e = firing->windows[p].on ? missing(a, p, &ended) : NULL;

		if (e && !*end) {
			*end = e;
			*port = p;
		}
	}
	if (ended)
		return PS_FIRING_ENDED;
	if (*end)
		return PS_FIRING_WAIT;
	state = a->device && any_on(firing) ? ps_device_room(a) : PS_FIRING_READY;
	if (state != PS_FIRING_READY)
		return state;
	/* just now: a writer's FIFO has failed, or the last reader has ended, which says ENDED where there is no room */
	if (ps_firing_over(a))
		return PS_FIRING_ENDED;
	take_windows(firing);
	return PS_FIRING_READY;
}

static void end_write(struct pstk_fifo *f, uint32_t valid)
{
	if (ps_fifo_write_end(&f->fifo, valid))
		ps_device_fifo_failed(f, true);
}

void ps_firing_release(struct pstk_firing *firing, unsigned port)
{
	struct pstk_fifo *f = firing->actor->ports[port].fifo;

	if (ps_fifo_read_end(&f->fifo))
		ps_device_fifo_failed(f, false);
}

void ps_firing_publish(struct pstk_firing *firing, unsigned port)
{
	struct ps_window *w = &firing->windows[port];
	struct pstk_fifo *first = firing->actor->ports[port].fifo, *f;
	size_t bytes = w->valid * first->fifo.layout.token_size;

	/* the others first, one copy for all that share memory: once the primary is published, its reader may be
	 * through with it */
	for (f = first; f; f = f->next) {
		if (f->fifo.owner != &f->fifo || f->fifo.owner == w->primary->fifo.owner ||
			!ps_fifo_wanted(&f->fifo))
			continue;
		memcpy(ps_fifo_write_start(&f->fifo), w->data, bytes);
		ps_fifo_count_copy(&f->fifo, bytes);
		end_write(f, w->valid);
	}
	end_write(w->primary, w->valid);
	for (f = first; f && w->valid < first->fifo.layout.rate; f = f->next)
		if (!atomic_load(&f->fifo.closed)) /* the port's end, whoever still reads */
			ps_fifo_write_close(&f->fifo);
}

void ps_firing_help(struct pstk_actor *a, unsigned port)
{
	struct pstk_fifo *f = a->ports[port].fifo;

	if (ps_port_reads(a->type.ports[port].kind)) {
		ps_launch_help(f->src);
		return;
	}
	for (; f; f = f->next)
		ps_launch_help(f->dst);
}

/* Publishes what fire() has ended; the rest is given back when the actor closes. */
static void publish_all(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (firing->windows[p].state == PS_WINDOW_ENDED && !ps_port_reads(a->type.ports[p].kind))
			(a->device ? ps_device_publish : ps_firing_publish)(firing, p);
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (firing->windows[p].state == PS_WINDOW_ENDED && ps_port_reads(a->type.ports[p].kind))
			(a->device ? ps_device_release : ps_firing_release)(firing, p);
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (firing->windows[p].state == PS_WINDOW_ENDED)
			ps_firing_help(a, p);
}

/* What fire() must have done if it wants to be called again. */
static void check_windows(struct pstk_firing *firing)
{
	const struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		enum ps_window_state state = firing->windows[p].state;

		if (a->device && state == PS_WINDOW_TAKEN)
			ps_firing_misuse(firing,
				"port '%s' was not asked for before PSTK_AGAIN: call pstk_cl_window()",
				a->type.ports[p].name);
		else if (state == PS_WINDOW_STARTED || state == PS_WINDOW_TAKEN)
			ps_firing_misuse(firing,
				"port '%s' was not %s before PSTK_AGAIN: call pstk_fifo_%s_%s()",
				a->type.ports[p].name,
				state == PS_WINDOW_TAKEN ? "started and ended" : "ended",
				ps_port_reads(a->type.ports[p].kind) ? "read" : "write",
				state == PS_WINDOW_TAKEN ? "start() and _end" : "end");
	}
}

static bool failed_firing(struct pstk_firing *firing, int rc)
{
	struct pstk_actor *a = firing->actor;
	char where[48];

	if (rc < 0) {
		snprintf(where, sizeof where, "%s in firing %llu",
			!a->device        ? "fire()"
			: a->type.fire_cl ? "fire_cl()"
					  : "its kernel",
			(unsigned long long)firing->index);
		ps_actor_fail(a, rc, where);
		return true;
	}
	if (rc > PSTK_DONE)
		ps_firing_misuse(firing,
			"fire%s() returned %d: neither PSTK_AGAIN, PSTK_DONE nor a negative errno",
			a->device ? "_cl" : "", rc);
	else if (rc == PSTK_AGAIN)
		check_windows(firing);
	if (!firing->misuse[0])
		return false;
	ps_network_fail(a->network, -EPROTO, "'%s' (%s), firing %llu: %s", a->name, a->type.name,
		(unsigned long long)firing->index, firing->misuse);
	return true;
}

/* The control token has been obeyed, or there is none. */
static void count(struct pstk_firing *firing, bool ran)
{
	struct pstk_actor *a = firing->actor;

	firing->index++;
	if (firing->decided) {
		atomic_store_explicit(&a->control_tokens, firing->index, memory_order_relaxed);
		atomic_store_explicit(&a->decision, 0, memory_order_relaxed);
	}
	firing->decided = false;
	firing->ran += ran;
	atomic_store_explicit(&a->firings, firing->ran, memory_order_relaxed);
}

bool ps_firing_run(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;
	uint64_t begin;
	int rc;

	if (!any_on(firing)) { /* nothing to read, nothing to write: no firing */
		count(firing, false);
		return true;
	}
	begin = ps_clock_ns();
	atomic_store_explicit(&a->since, begin, memory_order_relaxed);
	a->text[0] = 0;
	firing->waited_ns = 0;
	rc = a->device ? ps_device_fire(firing) : a->type.fire(firing);
	atomic_fetch_add_explicit(
		&a->fire_ns, ps_clock_ns() - begin - firing->waited_ns, memory_order_relaxed);
	/* a failed network hands a kahn actor NULL: it shall see that */
	if (failed_firing(firing, rc) || (!a->type.kahn && pstk_network_failed(a->network)))
		return false;
	if (!a->type.kahn)
		publish_all(firing);
	count(firing, true);
	return rc == PSTK_AGAIN && !firing->last && !firing->saw_end;
}

/* A reader has ended: its writer ends too if nobody else wants it. */
static void close_input(struct pstk_fifo *f)
{
	struct pstk_actor *src = f->src;

	ps_fifo_read_close(&f->fifo);
	ps_launch_help(src); /* its thread may wait elsewhere */
	if (!unwanted(src) || atomic_load(&src->ended))
		return;
	ps_actor_nudge(src); /* it may wait at an input */
	if (!atomic_flag_test_and_set(&src->told_unwanted))
		ps_actor_unblock(src);
}

void ps_firing_close(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	atomic_store(&a->ended, true);
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind)) {
			close_input(f);
			continue;
		}
		for (; f; f = f->next) {
			ps_fifo_write_close(&f->fifo);
			ps_actor_nudge(f->dst); /* it may wait at another port */
		}
	}
}

void ps_firing_misuse(struct pstk_firing *firing, const char *format, ...)
{
	va_list ap;

	if (firing->misuse[0])
		return;
	va_start(ap, format);
	vsnprintf(firing->misuse, sizeof firing->misuse, format, ap);
	va_end(ap);
}
