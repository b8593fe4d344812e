/* SPDX-License-Identifier: MIT */
/* Events: status, callbacks, waiting. */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>

static cl_ulong on_device(uint64_t host_ns)
{
	return fake.settings.skew ? fake_cl_skewed(host_ns) : host_ns;
}

cl_event fake_event_new(cl_context context, cl_command_queue queue, cl_command_type type, bool owned)
{
	cl_event event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	fake_init(event, FAKE_CL_EVENT, owned);
	fake_hold(context);
	event->context = context;
	fake_hold(queue);
	event->queue = queue;
	event->type = type;
	event->status = queue ? CL_QUEUED : CL_SUBMITTED;
	event->times[0] = on_device(fake_clock());
	return event;
}

void fake_event_destroy(cl_event event)
{
	while (event->callbacks) {
		struct fake_callback *c = event->callbacks;

		event->callbacks = c->next;
		free(c);
	}
	fake_drop(event->queue);
	fake_drop(event->context);
}

/* PoCL never calls the callbacks of an event that fails. */
static bool wants_call(const struct fake_callback *c, cl_int status)
{
	return status >= 0 ? status <= c->type : !fake.settings.pocl;
}

static struct fake_callback *take_due(cl_event event)
{
	struct fake_callback *due = NULL, **end = &due, **link = &event->callbacks;

	while (*link) {
		struct fake_callback *c = *link;

		if (!wants_call(c, event->status)) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		c->next = NULL;
		*end = c;
		end = &c->next;
	}
	return due;
}

static void call_due(cl_event event, struct fake_callback *due)
{
	cl_int status = event->status;

	if (!due)
		return;
	fake.live[FAKE_CL_EVENT] += !event->o.refs; /* it lives while the callback has it */
	event->o.refs++;
	pthread_mutex_unlock(&fake.lock);
	while (due) {
		struct fake_callback *c = due;

		due = c->next;
		c->call(event, status < 0 ? status : c->type, c->data);
		free(c);
	}
	pthread_mutex_lock(&fake.lock);
	fake_release(event, FAKE_CL_EVENT, CL_INVALID_EVENT);
}

void fake_event_set(cl_event event, cl_int status)
{
	fake_event_set_at(event, status, fake_clock());
}

void fake_event_set_at(cl_event event, cl_int status, uint64_t host_ns)
{
	event->status = status;
	if (status >= 0)
		event->times[CL_QUEUED - status] = on_device(host_ns);
	if (status <= CL_COMPLETE) {
		event->ended = host_ns;
		event->times[3] = on_device(host_ns);
		fake_queues_wake(event);
		pthread_cond_broadcast(&fake.changed);
	}
	call_due(event, take_due(event));
}

void fake_event_wait(cl_event event)
{
	while (event->status > CL_COMPLETE)
		pthread_cond_wait(&fake.changed, &fake.lock);
}

cl_int fake_check_waits(cl_context context, cl_uint count, const cl_event *list)
{
	if (!count != !list)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < count; i++) {
		if (!fake_valid(list[i], FAKE_CL_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (list[i]->context != context) {
			fake_violation("an event of another context is in the wait list");
			return CL_INVALID_CONTEXT;
		}
	}
	return CL_SUCCESS;
}

cl_int fake_clWaitForEvents(cl_uint count, const cl_event *list)
{
	cl_int err = fake_enter(FAKE_clWaitForEvents), failed = CL_SUCCESS;

	if (!err && (!count || !list))
		err = CL_INVALID_VALUE;
	for (cl_uint i = 0; !err && i < count; i++) {
		if (!fake_valid(list[i], FAKE_CL_EVENT))
			err = CL_INVALID_EVENT;
		else if (list[i]->context != list[0]->context)
			err = CL_INVALID_CONTEXT;
	}
	for (cl_uint i = 0; !err && i < count; i++)
		fake_hold(list[i]);
	for (cl_uint i = 0; !err && i < count; i++) {
		if (list[i]->queue)
			fake_queue_flush(list[i]->queue);
		fake_event_wait(list[i]);
		if (list[i]->status < 0)
			failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	for (cl_uint i = 0; !err && i < count; i++)
		fake_drop(list[i]);
	return fake_leave(err ? err : failed);
}

cl_int fake_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetEventInfo);

	if (!err && !fake_valid(event, FAKE_CL_EVENT))
		err = CL_INVALID_EVENT;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_EVENT_COMMAND_QUEUE:
		return fake_leave(FAKE_INFO(cl_command_queue, event->queue));
	case CL_EVENT_CONTEXT:
		return fake_leave(FAKE_INFO(cl_context, event->context));
	case CL_EVENT_COMMAND_TYPE:
		return fake_leave(FAKE_INFO(cl_command_type, event->type));
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		return fake_leave(FAKE_INFO(cl_int, event->status));
	case CL_EVENT_REFERENCE_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, event->o.refs));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

/* NVIDIA's driver has no times of what is no work. */
static bool has_times(cl_event event)
{
	bool is_mark = event->type == CL_COMMAND_MARKER || event->type == CL_COMMAND_BARRIER;

	return event->queue && (event->queue->properties & CL_QUEUE_PROFILING_ENABLE) &&
	       event->status == CL_COMPLETE && !(is_mark && fake.settings.nvidia);
}

cl_int fake_clGetEventProfilingInfo(
	cl_event event, cl_profiling_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetEventProfilingInfo);

	if (!err && !fake_valid(event, FAKE_CL_EVENT))
		err = CL_INVALID_EVENT;
	if (err)
		return fake_leave(err);
	if (!has_times(event))
		return fake_leave(CL_PROFILING_INFO_NOT_AVAILABLE);
	if (what == CL_PROFILING_COMMAND_COMPLETE)
		what = CL_PROFILING_COMMAND_END;
	if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_END)
		return fake_leave(CL_INVALID_VALUE);
	return fake_leave(FAKE_INFO(cl_ulong, event->times[what - CL_PROFILING_COMMAND_QUEUED]));
}

cl_int fake_clRetainEvent(cl_event event)
{
	cl_int err = fake_enter(FAKE_clRetainEvent);

	return fake_leave(err ? err : fake_retain(event, FAKE_CL_EVENT, CL_INVALID_EVENT));
}

cl_int fake_clReleaseEvent(cl_event event)
{
	cl_int err = fake_enter(FAKE_clReleaseEvent);

	/* after the last reference to a user's event no thread is left that could end it */
	if (!err && event->type == CL_COMMAND_USER && event->o.refs == 1 && event->status > CL_COMPLETE) {
		event->never = true;
		fake_queues_wake(event);
	}
	return fake_leave(err ? err : fake_release(event, FAKE_CL_EVENT, CL_INVALID_EVENT));
}

cl_int fake_clSetEventCallback(
	cl_event event, cl_int type, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
	cl_int err = fake_enter(FAKE_clSetEventCallback);
	struct fake_callback *c, **end;

	if (!err && !fake_valid(event, FAKE_CL_EVENT))
		err = CL_INVALID_EVENT;
	if (!err && (!call || type < CL_COMPLETE || type > CL_SUBMITTED))
		err = CL_INVALID_VALUE;
	if (err)
		return fake_leave(err);
	if (event->status < 0 || event->status <= type) { /* too late to be called by the worker */
		cl_int status = event->status < 0 && !fake.settings.pocl ? event->status : type;

		fake_leave(CL_SUCCESS);
		call(event, status, data);
		return CL_SUCCESS;
	}
	if (fake.settings.nvidia) /* it comes, 20 ms too late */
		return fake_leave(CL_SUCCESS);
	c = calloc(1, sizeof(*c));
	if (!c)
		return fake_leave(CL_OUT_OF_HOST_MEMORY);
	*c = (struct fake_callback){ NULL, type, call, data };
	for (end = &event->callbacks; *end; end = &(*end)->next)
		;
	*end = c;
	return fake_leave(CL_SUCCESS);
}

cl_event fake_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateUserEvent);
	cl_event event = NULL;

	if (!err && !fake_valid(context, FAKE_CL_CONTEXT))
		err = CL_INVALID_CONTEXT;
	if (!err && !(event = fake_event_new(context, NULL, CL_COMMAND_USER, true)))
		err = CL_OUT_OF_HOST_MEMORY;
	return fake_leave_with(event, err, errcode_ret);
}

cl_int fake_clSetUserEventStatus(cl_event event, cl_int status)
{
	cl_int err = fake_enter(FAKE_clSetUserEventStatus);

	if (!err && !fake_valid(event, FAKE_CL_EVENT))
		err = CL_INVALID_EVENT;
	if (!err && status > CL_COMPLETE)
		err = CL_INVALID_VALUE;
	if (!err && event->type != CL_COMMAND_USER)
		err = CL_INVALID_EVENT;
	if (!err && event->status <= CL_COMPLETE)
		err = CL_INVALID_OPERATION;
	if (!err)
		fake_event_set(event, status);
	return fake_leave(err);
}
