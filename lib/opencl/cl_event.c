/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_event.h"
#include "lib/base/clock.h"
#include "lib/base/environment.h"
#include "lib/opencl/cl_poll.h"
#include "lib/opencl/cl_serial.h"

#include <sched.h>

/* adaptive: how long it looks before it waits; about what waking a thread costs */
#define SPIN_NS 20000u

enum ps_cl_event_state ps_cl_event_state(
	cl_event event, const char *what, const char *on, struct ps_cl_fault *fault)
{
	cl_int status, err;

	if (!event)
		return PS_CL_EVENT_DONE;
	ps_cl_serial_lock();
	err = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	ps_cl_serial_unlock();
	if (err) {
		ps_cl_fail(fault, err, "clGetEventInfo", on);
		return PS_CL_EVENT_FAILED;
	}
	if (status == CL_COMPLETE)
		return PS_CL_EVENT_DONE;
	if (status > 0)
		return PS_CL_EVENT_PENDING;
	ps_cl_fail(fault, status, what, on);
	return PS_CL_EVENT_FAILED;
}

cl_int ps_cl_event_code(cl_event event)
{
	cl_int status = CL_SUCCESS, err = CL_SUCCESS;

	ps_cl_serial_lock();
	if (event)
		err = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	ps_cl_serial_unlock();
	return !err && status < 0 ? status : CL_SUCCESS;
}

int ps_cl_event_check(cl_uint count, const cl_event *events, const char *on, struct ps_cl_fault *fault)
{
	for (cl_uint i = 0; i < count; i++)
		if (ps_cl_event_state(events[i], "a command that it waits for", on, fault) ==
			PS_CL_EVENT_FAILED)
			return fault->err;
	return 0;
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *eventcount)
{
	(void)event;
	(void)status; /* PoCL 3.1 says 0 also of an event that has failed: the waiter looks for itself */
	ps_eventcount_notify(eventcount);
}

void ps_cl_event_announce(cl_event event, struct ps_eventcount *eventcount)
{
	cl_int err = CL_SUCCESS;

	if (event && ps_cl_poll_add(event, on_complete, eventcount))
		return;
	ps_cl_serial_lock();
	if (event) /* the callback may be called in here if it is complete already */
		err = clSetEventCallback(event, CL_COMPLETE, on_complete, eventcount);
	ps_cl_serial_unlock();
	if (!event || err)
		ps_eventcount_notify(eventcount); /* the waiter looks for itself */
}

static void CL_CALLBACK on_arrival(cl_event event, cl_int status, void *arrival)
{
	(void)event;
	if (status == CL_COMPLETE)
		ps_arrival_came(arrival);
	ps_arrival_done(arrival);
}

void ps_cl_event_arrives(cl_event event, struct ps_arrival *arrival)
{
	if (!event) {
		ps_arrival_came(arrival);
		return;
	}
	if (ps_cl_event_code(event) < CL_COMPLETE) /* PoCL 3.1 would call back as if it were through */
		return;
	ps_arrival_await(arrival);
	if (ps_cl_poll_add(event, on_arrival, arrival))
		return;
	ps_cl_serial_lock();
	if (clSetEventCallback(event, CL_COMPLETE, on_arrival, arrival)) /* then nothing is known of it */
		ps_arrival_done(arrival);
	ps_cl_serial_unlock();
}

static void CL_CALLBACK on_there(cl_event event, cl_int status, void *user)
{
	struct ps_awaited *awaited = user;

	(void)event;
	(void)status;
	awaited->there(awaited);
}

void ps_cl_event_await(cl_event event, struct ps_awaited *awaited)
{
	cl_int err = CL_SUCCESS;

	if (event && ps_cl_poll_add(event, on_there, awaited))
		return;
	ps_cl_serial_lock();
	if (event)
		err = clSetEventCallback(event, CL_COMPLETE, on_there, awaited);
	ps_cl_serial_unlock();
	if (!event || err)
		awaited->there(awaited);
}

static bool pending(cl_event event)
{
	cl_int status, err;

	ps_cl_serial_lock();
	err = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	ps_cl_serial_unlock();
	return !err && status > CL_COMPLETE;
}

void ps_cl_event_wait(cl_event event, struct ps_eventcount *eventcount, unsigned seen)
{
	unsigned how = ps_environment_process()->wait;
	uint64_t begin;

	if (how == PS_EVENT_WAIT_SPIN || how == PS_EVENT_WAIT_ADAPTIVE) {
		begin = ps_clock_ns();
		while (pending(event) && ps_eventcount_count(eventcount) == seen) {
			if (ps_clock_ns() - begin >
				(how == PS_EVENT_WAIT_SPIN ? PS_EVENTCOUNT_LOOK_AGAIN_NS : SPIN_NS))
				break;
			sched_yield();
		}
		if (how == PS_EVENT_WAIT_SPIN || !pending(event))
			return;
	}
	ps_cl_event_announce(event, eventcount);
	ps_eventcount_wait(eventcount, seen, PS_EVENTCOUNT_LOOK_AGAIN_NS);
}

cl_int ps_cl_event_first_code(const cl_event *events, unsigned count)
{
	cl_int code = CL_SUCCESS;

	for (unsigned i = 0; events && i < count && code == CL_SUCCESS; i++) {
		code = ps_cl_event_code(events[i]);
		if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
			code = CL_SUCCESS;
	}
	return code;
}

void ps_cl_event_put(cl_event *slot, cl_event event)
{
	if (*slot) {
		ps_cl_serial_lock();
		clReleaseEvent(*slot);
		ps_cl_serial_unlock();
	}
	*slot = event;
}

void ps_cl_event_hand_over(cl_event *slot, cl_event *event)
{
	if (*slot || !*event)
		return;
	*slot = *event;
	*event = NULL;
}

cl_int ps_cl_event_keep(cl_event *slot, cl_event event)
{
	cl_int err = event ? clRetainEvent(event) : CL_SUCCESS;

	ps_cl_event_put(slot, err ? NULL : event);
	return err;
}
