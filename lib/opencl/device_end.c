/* SPDX-License-Identifier: MIT */
/* Device: what wait() and destroy() do for the actors on devices. */
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/place.h"
#include "lib/opencl/cl_row.h"
#include "lib/opencl/cl_serial.h"
#include "lib/opencl/device.h"
#include "lib/opencl/guard.h"

uint64_t ps_device_grace_ns = 2000000000u, ps_device_abort_ns = 10000000000u;

struct flight {
	unsigned pending;
	cl_event one; /* borrowed: one of the pending */
	bool failed;
};

static void look_at_actor(struct pstk_actor *a, struct flight *flight)
{
	struct ps_cl_actor *c;

	for (unsigned i = 0; (c = ps_device_part(a, i)); i++) {
		struct ps_cl_fault fault = { 0 };

		flight->pending += ps_cl_actor_pending(c, &flight->one, &fault);
		if (!fault.err)
			continue;
		if (a->guarded) { /* each of its firings was through: it costs the place */
			c->dead = true;
			continue;
		}
		flight->failed = true;
		ps_device_tell_actor(a, &fault);
	}
}

static void look_at_fifo(struct pstk_fifo *f, struct flight *flight)
{
	struct ps_cl_fault fault = { 0 };

	if (!f->cl)
		return;
	flight->pending += ps_cl_fifo_pending(f->cl, &flight->one, &fault);
	if (!fault.err)
		return;
	flight->failed = true;
	ps_device_tell_fifo(f, &fault);
}

/* Its transfers; its stages' firings are looked at with the actors. */
static void look_at_row(struct ps_row *r, struct flight *flight)
{
	struct ps_cl_fault fault = { 0 };
	unsigned stage = 0;

	flight->pending += ps_cl_row_pending(r, &flight->one, &stage, &fault);
	if (!fault.err)
		return;
	flight->failed = true;
	ps_device_tell_actor(r->pipeline->stages[stage], &fault);
}

/* The actors first: a FIFO's commands fail because theirs have. */
static struct flight look(struct pstk_network *net)
{
	struct flight flight = { 0 };
	struct pstk_actor *a;

	for (unsigned i = 0; (a = ps_device_actor(net, i)); i++)
		look_at_actor(a, &flight);
	for (struct ps_row *r = net->cl->rows; r; r = r->next)
		look_at_row(r, &flight);
	for (unsigned i = 0; i < net->fifo_count; i++)
		look_at_fifo(net->fifos[i], &flight);
	return flight;
}

static struct ps_eventcount *any_eventcount(const struct pstk_network *net)
{
	struct pstk_actor *a;
	struct ps_cl_actor *c;

	for (unsigned i = 0; (a = ps_device_actor(net, i)); i++)
		if ((c = ps_device_part(a, 0)))
			return c->eventcount;
	return NULL;
}

/* How long without any command's end until they are given up. What fails for another reason, or ends, has nothing in
 * flight that does not end. */
static uint64_t patience(struct pstk_network *net, bool failed)
{
	if (failed || atomic_load(&net->cl->commands_failed))
		return ps_device_grace_ns;
	return atomic_load(&net->fate) == PS_FATE_ABORTED ? ps_device_abort_ns : UINT64_MAX;
}

static void flush_rest(struct pstk_network *net)
{
	struct pstk_actor *a;
	struct ps_cl_actor *c;

	ps_cl_serial_lock();
	for (unsigned i = 0; (a = ps_device_actor(net, i)); i++)
		for (unsigned k = 0; (c = ps_device_part(a, k)); k++)
			ps_cl_actor_flush_rest(c);
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (net->fifos[i]->cl)
			ps_cl_fifo_flush_rest(net->fifos[i]->cl);
	ps_cl_serial_unlock();
}

static void wait_for_commands(struct pstk_network *net)
{
	struct ps_eventcount *eventcount = any_eventcount(net);
	unsigned least = ~0u;
	uint64_t since = ps_clock_ns();

	while (eventcount) {
		unsigned seen = ps_eventcount_count(eventcount);
		struct flight flight = look(net);
		uint64_t now = ps_clock_ns();

		if (!flight.pending)
			return;
		if (flight.pending < least) {
			least = flight.pending;
			since = now;
		}
		if (now - since > patience(net, flight.failed)) {
			net->cl->commands_lost = true;
			ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING,
				"%s: %u commands have not ended after the %s; their memory is left to them",
				net->name, flight.pending, ps_network_err(net) ? "failure" : "abort");
			return;
		}
		ps_cl_event_wait(flight.one, eventcount, seen);
	}
}

/* Memory of FIFOs on the cores that a row's transfers may still touch: it is never freed. The row has its address. */
static void leave_windows(struct pstk_network *net)
{
	for (const struct ps_row *r = net->cl->rows; r && net->cl->commands_lost; r = r->next)
		for (unsigned i = 0; i < net->fifo_count; i++) {
			struct ps_fifo *f = &net->fifos[i]->fifo;

			if (f->allocation && ps_row_keeps(r, f->allocation, f->allocated))
				f->allocation = NULL;
		}
}

/* A driver calls back by a thread of its own, perhaps later than now. */
static void end_arrivals(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (net->fifos[i]->cl)
			ps_cl_fifo_arrived(net->fifos[i]->cl);
}

static void end_traces(struct pstk_network *net)
{
	struct ps_cl_actor *c;

	for (unsigned i = 0; i < net->actor_count; i++)
		for (unsigned k = 0; (c = ps_device_part(net->actors[i], k)); k++)
			ps_cl_trace_end(c->trace);
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (net->fifos[i]->cl)
			ps_cl_fifo_end_traces(net->fifos[i]->cl);
}

void ps_device_drain(struct pstk_network *net)
{
	if (!net->cl)
		return;
	ps_cl_mover_end(&net->cl->mover); /* no reader is left */
	atomic_store(&net->cl->draining, true);
	if (ps_network_err(net))
		flush_rest(net);
	wait_for_commands(net);
	leave_windows(net);
	atomic_store(&net->cl->draining, false);
	ps_cl_serial_lock();
	for (struct ps_row *r = net->cl->rows; r && !net->cl->commands_lost; r = r->next)
		ps_cl_row_give_windows(r);
	end_arrivals(net);
	end_traces(net);
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		/* after a failure a queue may be stuck: the state stays what init() has made of it */
		if (!ps_device_of(a) || net->cl->commands_lost || ps_network_err(net))
			continue;
		if (ps_cl_actor_read_state(a->cl, a->state))
			ps_network_fail(net, a->cl->fault.err, "'%s' (%s): %s", a->name, a->type.name,
				a->cl->fault.text);
	}
	ps_cl_serial_unlock();
}

void ps_device_close_fifo(struct pstk_fifo *f)
{
	if (!f->cl)
		return;
	ps_cl_serial_lock();
	ps_cl_fifo_destroy(f->cl, f->src->network->cl->commands_lost);
	ps_cl_serial_unlock();
	f->cl = NULL;
	ps_fifo_end_put(&f->fifo.writer, NULL, NULL);
	ps_fifo_end_put(&f->fifo.reader, NULL, NULL);
}

/* What commands that never end may still touch; never freed, and kept where a leak checker sees it. */
static _Atomic(struct ps_cl_actor *) dead_parts;

static void close_part(struct ps_cl_actor *c)
{
	if (c && c->dead) {
		struct ps_cl_actor *first = atomic_load(&dead_parts);

		do
			c->next_dead = first;
		while (!atomic_compare_exchange_weak(&dead_parts, &first, c));
		return;
	}
	if (c)
		ps_guard_free(c);
	ps_cl_actor_destroy(c);
}

void ps_device_close_actor(struct pstk_actor *a)
{
	ps_cl_serial_lock();
	for (unsigned i = 0; i < a->place_count; i++)
		if (a->places[i].cl && a->places[i].cl != a->cl)
			close_part(a->places[i].cl);
	close_part(a->cl);
	ps_cl_serial_unlock();
	a->cl = NULL;
	ps_place_forget(a);
}

void ps_device_close(struct pstk_network *net)
{
	if (!net->cl)
		return;
	ps_cl_mover_free(&net->cl->mover);
	ps_cl_serial_lock();
	for (struct ps_merged *m = net->cl->merging.first; m; m = m->next)
		ps_cl_merged_free(m, net->cl->commands_lost);
	ps_merging_free(&net->cl->merging);
	while (net->cl->rows) {
		struct ps_row *r = net->cl->rows;

		net->cl->rows = r->next;
		ps_cl_row_free(r, net->cl->commands_lost);
	}
	ps_cl_programs_free(&net->cl->programs);
	ps_cl_devices_close(&net->cl->devices);
	ps_cl_serial_unlock();
	ps_memory_free(net->cl);
	net->cl = NULL;
}
