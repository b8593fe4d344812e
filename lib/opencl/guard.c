/* SPDX-License-Identifier: MIT */
#include "lib/opencl/guard.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/firing/mover.h"
#include "lib/firing/texts.h"
#include "lib/model/place.h"
#include "lib/model/type.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <string.h>

/* At one place. The thread that fires; start() before. */
struct ps_guard {
	cl_mem *buffers;       /* one a port */
	unsigned char **hosts; /* what is uploaded, or was downloaded */
	unsigned char *state;  /* on its way */
	uint64_t state_of;     /* the firing, and 1, behind which the place's state is that one's; 0: none */
	cl_event waits;        /* the transfer that is waited for */
};

/*
 * Its memory.
 */

static size_t window_bytes(const struct pstk_actor *a, unsigned p)
{
	return p == a->control_port ? 0
	                            : ((size_t)pstk_actor_port_rate(a, p) + pstk_actor_port_history(a, p)) *
	                                      pstk_actor_port_token_size(a, p);
}

size_t ps_guard_bytes(const struct pstk_actor *a)
{
	size_t sum = a->type.fire_cl ? 0 : 2 * a->state_size;

	for (unsigned p = 0; p < a->type.port_count; p++)
		sum += 2 * window_bytes(a, p);
	return sum;
}

static int make_window(const struct pstk_actor *a, struct ps_cl_actor *c, unsigned p)
{
	size_t bytes = window_bytes(a, p), allocated;
	cl_int code = CL_SUCCESS;

	if (!bytes)
		return 0;
	c->windows[p].bytes = bytes;
	c->guard->hosts[p] = ps_memory_windows(bytes, 0, &allocated);
	if (!c->guard->hosts[p])
		return ps_cl_refuse(&c->fault, -ENOMEM, "out of memory");
	c->guard->buffers[p] = clCreateBuffer(c->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	if (!code)
		return 0;
	c->guard->buffers[p] = NULL;
	return ps_cl_fail(&c->fault, code, "clCreateBuffer", c->device->info.selector);
}

int ps_guard_prepare(const struct pstk_actor *a, struct ps_cl_actor *c)
{
	unsigned ports = a->type.port_count;
	int err = 0;

	c->guard = ps_memory_zalloc(1, sizeof *c->guard);
	if (!c->guard)
		return ps_cl_refuse(&c->fault, -ENOMEM, "out of memory");
	c->guard->buffers = ps_memory_zalloc(ports, sizeof *c->guard->buffers);
	c->guard->hosts = ps_memory_zalloc(ports, sizeof *c->guard->hosts);
	c->guard->state = ps_memory_zalloc(1, a->state_size + 1);
	if (!c->guard->buffers || !c->guard->hosts || !c->guard->state)
		return ps_cl_refuse(&c->fault, -ENOMEM, "out of memory");
	for (unsigned p = 0; p < ports && !err; p++)
		err = make_window(a, c, p);
	return err;
}

void ps_guard_free(struct ps_cl_actor *c)
{
	struct ps_guard *g = c->guard;

	for (unsigned p = 0; g && p < c->port_count; p++) {
		if (g->buffers && g->buffers[p])
			clReleaseMemObject(g->buffers[p]);
		if (g->hosts)
			ps_memory_free(g->hosts[p]);
	}
	if (!g)
		return;
	ps_cl_event_put(&g->waits, NULL);
	ps_memory_free(g->buffers);
	ps_memory_free(g->hosts);
	ps_memory_free(g->state);
	ps_memory_free(g);
	c->guard = NULL;
}

/*
 * One firing at one place.
 */

/* Until the command is through. -ECANCELED: the network is over. */
static int wait_for(const struct pstk_firing *f, struct ps_cl_actor *c, cl_event event, const char *what)
{
	for (;;) {
		unsigned seen = ps_eventcount_count(c->eventcount);
		enum ps_cl_event_state state =
			ps_cl_event_state(event, what, c->device->info.selector, &c->fault);

		if (state != PS_CL_EVENT_PENDING)
			return state == PS_CL_EVENT_DONE ? 0 : c->fault.err;
		if (ps_network_over(f->actor->network))
			return -ECANCELED;
		ps_cl_event_wait(event, c->eventcount, seen);
	}
}

/* To the buffer, or from there, and waits. */
static int transfer(
	const struct pstk_firing *f, struct ps_cl_actor *c, bool up, cl_mem buffer, void *host, size_t bytes)
{
	const char *call = up ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer";
	cl_event event = NULL;
	cl_int code;

	if (!bytes)
		return 0;
	ps_cl_serial_lock();
	code = up ? clEnqueueWriteBuffer(c->queue, buffer, CL_FALSE, 0, bytes, host, 0, NULL, &event)
	          : clEnqueueReadBuffer(c->queue, buffer, CL_FALSE, 0, bytes, host, 0, NULL, &event);
	if (!code)
		ps_cl_event_put(&c->guard->waits, event); /* if it can't be waited for, the end does */
	if (!code && ps_cl_actor_flush(c))
		code = CL_OUT_OF_HOST_MEMORY;
	ps_cl_serial_unlock();
	if (code)
		return ps_cl_fail(&c->fault, code, call, c->device->info.selector);
	return wait_for(f, c, event, up ? "an upload" : "a download");
}

static bool reads(const struct pstk_firing *f, unsigned p)
{
	return ps_port_reads(f->actor->type.ports[p].kind);
}

static int upload(struct pstk_firing *f, struct ps_cl_actor *c)
{
	struct pstk_actor *a = f->actor;
	int err = 0;

	for (unsigned p = 0; p < a->type.port_count && !err; p++) {
		size_t bytes = c->windows[p].bytes;

		c->windows[p] = (struct ps_cl_window){ .bytes = bytes,
			.buffer = ps_firing_has(f, p) ? c->guard->buffers[p] : NULL };
		if (!ps_firing_has(f, p) || !reads(f, p))
			continue;
		memcpy(c->guard->hosts[p], f->windows[p].data, bytes);
		err = transfer(f, c, true, c->guard->buffers[p], c->guard->hosts[p], bytes);
	}
	if (err || !c->state || c->guard->state_of == f->index + 1)
		return err;
	memcpy(c->guard->state, a->state, a->state_size);
	return transfer(f, c, true, c->state, c->guard->state, a->state_size);
}

static int download(struct pstk_firing *f, struct ps_cl_actor *c)
{
	struct pstk_actor *a = f->actor;
	int err = 0;

	for (unsigned p = 0; p < a->type.port_count && !err; p++)
		if (ps_firing_has(f, p) && !reads(f, p) && f->windows[p].state == PS_WINDOW_ENDED)
			err = transfer(f, c, false, c->guard->buffers[p], c->guard->hosts[p],
				f->windows[p].valid * pstk_actor_port_token_size(a, p));
	c->guard->state_of = 0;
	return err || !c->state ? err : transfer(f, c, false, c->state, c->guard->state, a->state_size);
}

static int launch(struct pstk_firing *f, struct ps_cl_actor *c, cl_event *event)
{
	for (unsigned p = 0; p < f->actor->type.port_count; p++) {
		c->valids[p] = f->windows[p].valid;
		if (ps_firing_has(f, p))
			f->windows[p].state = PS_WINDOW_ENDED;
	}
	f->open = 0;
	c->steps = f->steps;
	return ps_cl_actor_launch(c, f->ran, event) ? c->fault.err : PSTK_AGAIN;
}

/* What fire_cl() returns below 0 is an error of the actor's own, not one of the place: *own. */
static int run_host_code(struct pstk_firing *f, struct ps_cl_actor *c, cl_event *event, bool *own)
{
	int rc;

	if (ps_cl_actor_enter(c))
		return c->fault.err;
	f->actor->cl = c; /* of an actor that is away, too */
	f->in_fire_cl = true;
	rc = f->actor->type.fire_cl(f);
	f->in_fire_cl = false;
	*own = rc < 0;
	return ps_cl_actor_leave(c, f->ran, event) && rc >= 0 ? c->fault.err : rc;
}

static int compute(struct pstk_firing *f, struct ps_cl_actor *c, bool *own)
{
	cl_event event = NULL;
	int rc, err;

	ps_cl_serial_lock();
	ps_cl_actor_begin(c);
	rc = f->actor->type.fire_cl ? run_host_code(f, c, &event, own) : launch(f, c, &event);
	if (ps_cl_actor_flush(c) && rc >= 0)
		rc = c->fault.err;
	ps_cl_serial_unlock();
	if (rc < 0)
		return rc;
	err = wait_for(f, c, event, "a firing's command");
	return err ? err : rc;
}

/* As one step of the host. */
static void commit(struct pstk_firing *f, struct ps_cl_actor *c)
{
	struct pstk_actor *a = f->actor;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (ps_firing_has(f, p) && !reads(f, p) && f->windows[p].state == PS_WINDOW_ENDED)
			memcpy(f->windows[p].data, c->guard->hosts[p],
				f->windows[p].valid * pstk_actor_port_token_size(a, p));
	if (!c->state)
		return;
	memcpy(a->state, c->guard->state, a->state_size);
	c->guard->state_of = f->index + 2; /* that of the next firing */
}

/* What fire_cl() has changed, for a firing that is fired again. */
static void take_back(struct pstk_firing *f, bool last)
{
	f->open = 0;
	f->last = last;
	ps_texts_forget(f);
	for (unsigned p = 0; p < f->actor->type.port_count; p++)
		if (ps_firing_has(f, p)) {
			f->windows[p].state = PS_WINDOW_TAKEN;
			f->open++;
		}
}

/* *own: the error is the actor's own. */
static int fire_at(struct pstk_firing *f, struct ps_cl_actor *c, bool *own)
{
	int err = upload(f, c), rc = err;

	*own = false;
	if (!err)
		rc = compute(f, c, own);
	if (rc < 0 || rc > PSTK_DONE)
		return rc;
	err = download(f, c);
	if (!err)
		commit(f, c);
	return err ? err : rc;
}

/*
 * Which place.
 */

/* The next one that lives, in their order; place_count: there is none. */
static unsigned next_living(const struct pstk_actor *a, unsigned place)
{
	for (unsigned i = 1; i < a->place_count; i++) {
		unsigned at = (place + i) % a->place_count;

		if (!atomic_load(&a->places[at].dead))
			return at;
	}
	return a->place_count;
}

/* 0: it goes on at another place; else what fire() returns. */
static int fail_over(struct pstk_firing *f, unsigned place, const struct ps_cl_fault *fault)
{
	struct pstk_actor *a = f->actor;
	unsigned next;

	atomic_store(&a->places[place].dead, true);
	a->places[place].cl->dead = true;
	next = next_living(a, place);
	if (!a->fails_over || ps_actor_away(a)) /* its own host knows of no failure here but by an error */
		return pstk_actor_error(a, fault->err, "%s", fault->text);
	if (next == a->place_count)
		return pstk_actor_error(a, fault->err, "%s; no other place is left", fault->text);
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: '%s' (%s): firing %llu goes on at %s: %s",
		a->network->name, a->name, a->type.name, (unsigned long long)f->index, a->places[next].name,
		fault->text);
	f->task->mover->failed_over(f, next, fault->err, fault->text);
	if (a->places[next].cl)
		a->cl = a->places[next].cl;
	atomic_store(&a->place, next);
	return 0;
}

int ps_guard_fire(struct pstk_firing *f)
{
	struct pstk_actor *a = f->actor;
	bool last = f->last, own;

	for (;;) {
		unsigned place = atomic_load_explicit(&a->place, memory_order_relaxed);
		struct ps_cl_actor *c = a->places[place].cl;
		int rc;

		if (ps_place_is_elsewhere(a, &a->places[place]))
			return f->task->mover->fire_far(f);
		if (!c)
			return a->type.fire(f);
		rc = fire_at(f, c, &own);
		if (rc >= 0 || own)
			return rc;
		if (rc == -ECANCELED && ps_network_over(a->network))
			return PSTK_AGAIN; /* it is dropped */
		take_back(f, last);
		rc = fail_over(f, place, &c->fault);
		if (rc)
			return rc;
	}
}
