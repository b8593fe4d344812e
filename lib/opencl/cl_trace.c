/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_trace.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_serial.h"

#include <pthread.h>

/* Commands that are waited for; of more in flight the oldest are lost. */
enum { WAITING = 32 };

struct command {
	cl_event from, event; /* references; from may be NULL */
	uint64_t number;
};

struct ps_cl_trace {
	struct ps_trace *trace;      /* constant */
	struct ps_cl_clock *clock;   /* constant */
	struct ps_trace_record like; /* constant */
	pthread_mutex_t lock;        /* two actors' threads may use a FIFO's queue */
	/* guarded by lock */
	unsigned first, count;
	struct command waiting[WAITING];
	uint64_t ended; /* the host's clock, when the command before was through */
};

struct ps_cl_trace *ps_cl_trace_create(
	struct ps_trace *trace, struct ps_cl_clock *clock, const struct ps_trace_record *like)
{
	struct ps_cl_trace *t = ps_memory_zalloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->trace = trace;
	t->clock = clock;
	t->like = *like;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

/* With the lock. */
static void drop_first(struct ps_cl_trace *t)
{
	struct command *c = &t->waiting[t->first];

	ps_cl_event_put(&c->from, NULL);
	ps_cl_event_put(&c->event, NULL);
	t->first = (t->first + 1) % WAITING;
	t->count--;
}

void ps_cl_trace_free(struct ps_cl_trace *t)
{
	if (!t)
		return;
	while (t->count)
		drop_first(t);
	pthread_mutex_destroy(&t->lock);
	ps_memory_free(t);
}

/* The queue is in order: where two clocks' looks make spans cross, the later one begins later. */
static void put(struct ps_cl_trace *t, const struct command *c)
{
	struct ps_trace_record r = t->like;
	cl_ulong begin = 0, end = 0;
	uint64_t ended, error, ended_error;
	cl_int err;

	ps_cl_serial_lock();
	err = clGetEventProfilingInfo(c->from ? c->from : c->event,
		c->from ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
	if (!err)
		err = clGetEventProfilingInfo(c->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
	ps_cl_serial_unlock();
	if (err)
		return;
	r.number |= c->number;
	r.begin = ps_cl_clock_host(t->clock, begin, &error);
	ended = ps_cl_clock_host(t->clock, end, &ended_error);
	if (r.kind == PS_TRACE_KERNEL)
		r.value = error > ended_error ? error : ended_error;
	if (r.begin < t->ended)
		r.begin = t->ended;
	if (ended < r.begin)
		ended = r.begin;
	t->ended = ended;
	ps_trace_took(&r, ended - r.begin);
	ps_trace_put(t->trace, &r);
}

/* With the lock. */
static void take_ended(struct ps_cl_trace *t)
{
	struct ps_cl_fault fault = { 0 };

	while (t->count) {
		const struct command *c = &t->waiting[t->first];
		enum ps_cl_event_state state = ps_cl_event_state(c->event, "", "", &fault);

		if (state == PS_CL_EVENT_PENDING)
			return;
		if (state == PS_CL_EVENT_DONE)
			put(t, c);
		drop_first(t);
	}
}

void ps_cl_trace_add(struct ps_cl_trace *t, cl_event from, cl_event event, uint64_t number)
{
	struct command c = { .number = number };

	if (!t || ps_cl_event_keep(&c.event, event))
		return;
	ps_cl_event_keep(&c.from, from);
	pthread_mutex_lock(&t->lock);
	take_ended(t);
	if (t->count == WAITING)
		drop_first(t);
	t->waiting[(t->first + t->count++) % WAITING] = c;
	pthread_mutex_unlock(&t->lock);
}

void ps_cl_trace_end(struct ps_cl_trace *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	take_ended(t);
	while (t->count)
		drop_first(t);
	pthread_mutex_unlock(&t->lock);
}
