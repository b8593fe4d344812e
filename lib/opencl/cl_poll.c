/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_poll.h"
#include "lib/base/clock.h"
#include "lib/base/eventcount.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_serial.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#define LEAST_PAUSE_NS 5000u
#define MOST_PAUSE_NS 1000000u

enum { FIRST_ROOM = 64, PART = 16 };

struct awaited {
	cl_event event; /* a reference of ours */
	ps_cl_poll_call call;
	void *data;
	uint64_t since;
};

static struct {
	pthread_mutex_t lock; /* none is taken under it */
	struct awaited *awaited;
	unsigned count, room;             /* guarded by lock, as awaited */
	struct ps_eventcount *eventcount; /* the thread sleeps on it; constant once runs is set */
	atomic_bool runs;                 /* set under lock */
} poll = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Call with the lock held. */
static bool make_room(void)
{
	unsigned room = poll.room ? 2 * poll.room : FIRST_ROOM;
	struct awaited *more;

	if (poll.count < poll.room)
		return true;
	more = ps_memory_resize(poll.awaited, room, sizeof *more);
	if (!more)
		return false;
	poll.awaited = more;
	poll.room = room;
	return true;
}

/* Above CL_COMPLETE: it is pending; below: it has failed, or can't be asked. */
static cl_int status_of(cl_event event)
{
	cl_int status, err;

	err = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	return err ? err : status;
}

/* Call with the lock held. The last one takes its place. */
static void call_and_remove(unsigned i, cl_int status)
{
	struct awaited a = poll.awaited[i];

	poll.awaited[i] = poll.awaited[--poll.count];
	a.call(a.event, status, a.data);
	clReleaseEvent(a.event);
}

/* Until the next look. */
static uint64_t look_at_all(void)
{
	uint64_t now = ps_clock_ns(), latest = 0, pause = PS_EVENTCOUNT_FOR_EVER;

	ps_cl_serial_lock();
	pthread_mutex_lock(&poll.lock);
	for (unsigned i = 0; i < poll.count;) {
		const struct awaited *a = &poll.awaited[i];
		cl_int status = status_of(a->event);

		if (status <= CL_COMPLETE) {
			call_and_remove(i, status);
			continue;
		}
		latest = a->since > latest ? a->since : latest;
		i++;
	}
	if (poll.count) {
		pause = now > latest ? (now - latest) / PART : 0;
		pause = pause < LEAST_PAUSE_NS ? LEAST_PAUSE_NS : pause;
		pause = pause > MOST_PAUSE_NS ? MOST_PAUSE_NS : pause;
	}
	pthread_mutex_unlock(&poll.lock);
	ps_cl_serial_unlock();
	return pause;
}

static void *main_of_poll(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "pstk-poll");
	prctl(PR_SET_TIMERSLACK, 1000ul); /* ns; the system's 50000 are longer than many a kernel */
	for (;;) {
		unsigned seen = ps_eventcount_count(poll.eventcount);

		ps_eventcount_wait(poll.eventcount, seen, look_at_all());
	}
	return NULL;
}

static bool begin_thread(void)
{
	sigset_t every, former;
	pthread_t thread;
	bool began;

	sigfillset(&every); /* signals are for the program's own threads */
	pthread_sigmask(SIG_SETMASK, &every, &former);
	began = !pthread_create(&thread, NULL, main_of_poll, NULL);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	if (began)
		pthread_detach(thread); /* it ends with the process */
	return began;
}

void ps_cl_poll_begin(void)
{
	pthread_mutex_lock(&poll.lock);
	if (!poll.eventcount)
		poll.eventcount = ps_eventcount_get();
	if (!atomic_load(&poll.runs) && poll.eventcount && make_room())
		atomic_store(&poll.runs, begin_thread());
	pthread_mutex_unlock(&poll.lock);
}

/* Call with the lock held. A thread that looks again after a while asks again. */
static bool is_awaited(cl_event event, const void *data)
{
	for (unsigned i = 0; i < poll.count; i++)
		if (poll.awaited[i].event == event && poll.awaited[i].data == data)
			return true;
	return false;
}

bool ps_cl_poll_add(cl_event event, ps_cl_poll_call call, void *data)
{
	bool added = false, known;

	if (!atomic_load_explicit(&poll.runs, memory_order_acquire))
		return false;
	ps_cl_serial_lock();
	pthread_mutex_lock(&poll.lock);
	known = is_awaited(event, data);
	if (!known && make_room() && !clRetainEvent(event)) {
		poll.awaited[poll.count++] = (struct awaited){ event, call, data, ps_clock_ns() };
		added = true;
	}
	pthread_mutex_unlock(&poll.lock);
	ps_cl_serial_unlock();
	if (added)
		ps_eventcount_notify(poll.eventcount);
	return known || added;
}

void ps_cl_poll_forget(cl_context context)
{
	ps_cl_serial_lock();
	pthread_mutex_lock(&poll.lock);
	for (unsigned i = 0; i < poll.count;) {
		cl_event event = poll.awaited[i].event;
		cl_context its = NULL;
		cl_int status;

		clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof its, &its, NULL);
		if (its != context) {
			i++;
			continue;
		}
		status = status_of(event);
		call_and_remove(i, status > CL_COMPLETE ? -1 : status);
	}
	pthread_mutex_unlock(&poll.lock);
	ps_cl_serial_unlock();
}
