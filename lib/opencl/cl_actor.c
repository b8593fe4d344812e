/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_actor.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* Held for the change of a flying event, by the actor, and while others take references to them. The serial lock comes
 * before it. */
static pthread_mutex_t flights = PTHREAD_MUTEX_INITIALIZER;

static int fail(struct ps_cl_actor *a, cl_int code, const char *function)
{
	return ps_cl_fail(&a->fault, code, function, a->device->info.selector);
}

struct ps_cl_actor *ps_cl_actor_create(void)
{
	return ps_memory_zalloc(1, sizeof(struct ps_cl_actor));
}

/* Of the last firing's fire_cl(). */
static void forget_events(struct ps_cl_actor *a)
{
	ps_cl_event_put(&a->entered, NULL);
	while (a->extra_count)
		ps_cl_event_put(&a->extra[--a->extra_count], NULL);
}

void ps_cl_actor_destroy(struct ps_cl_actor *a)
{
	if (!a)
		return;
	forget_events(a);
	for (unsigned i = 0; i < PS_CL_FLYING; i++) {
		ps_cl_event_put(&a->flying[i], NULL);
		ps_cl_event_put(&a->began[i], NULL);
	}
	ps_cl_args_release(a->args, a->arg_count);
	for (unsigned i = 0; i < a->arg_count; i++)
		ps_memory_free(a->args[i].value);
	if (a->has_kernel)
		ps_cl_kernel_destroy(&a->kernel);
	if (a->state)
		clReleaseMemObject(a->state);
	ps_cl_trace_free(a->trace);
	ps_cl_stamp_close(&a->stamp);
	if (a->queue && !a->of_row)
		clReleaseCommandQueue(a->queue);
	ps_eventcount_put(a->eventcount);
	ps_memory_free(a->selector);
	ps_memory_free(a->windows);
	ps_memory_free(a->waits);
	ps_memory_free(a->rates);
	ps_memory_free(a->valids);
	ps_memory_free(a->given);
	ps_memory_free(a->given_valids);
	ps_memory_free(a);
}

int ps_cl_actor_open(struct ps_cl_actor *a, unsigned ports, unsigned control_port, unsigned waits,
	bool profile, bool traced)
{
	cl_command_queue_properties properties = profile || traced ? CL_QUEUE_PROFILING_ENABLE : 0;
	cl_int code;

	a->profile = profile;
	a->port_count = ports;
	a->control_port = control_port;
	a->windows = ps_memory_zalloc(ports, sizeof *a->windows);
	a->waits = ps_memory_zalloc(waits, sizeof(cl_event));
	a->rates = ps_memory_zalloc(ports, sizeof *a->rates);
	a->valids = ps_memory_zalloc(ports, sizeof *a->valids);
	a->given = ps_memory_zalloc(ports, sizeof *a->given);
	a->given_valids = ps_memory_zalloc(ports, sizeof *a->given_valids);
	a->eventcount = ps_eventcount_get();
	if (!a->windows || !a->waits || !a->rates || !a->valids || !a->given || !a->given_valids ||
		!a->eventcount)
		return ps_cl_refuse(&a->fault, -ENOMEM, "out of memory");
	code = CL_SUCCESS;
	if (!a->of_row)
		a->queue = clCreateCommandQueue(a->device->context, a->device->id, properties, &code);
	if (!code)
		return properties ? ps_cl_stamp_open(&a->stamp, a->device, &a->fault) : 0;
	a->queue = NULL;
	return fail(a, code, "clCreateCommandQueue");
}

int ps_cl_actor_configure(struct ps_cl_actor *a, const struct ps_cl_actor *from)
{
	if (a == from)
		return 0;
	a->dims = from->dims;
	memcpy(a->global, from->global, sizeof a->global);
	memcpy(a->local, from->local, sizeof a->local);
	a->has_local_size = from->has_local_size;
	for (; a->arg_count < from->arg_count; a->arg_count++) {
		const struct ps_cl_arg *given = &from->args[a->arg_count];
		void *value = given->value ? ps_memory_dup(given->value, given->size) : NULL;

		if (given->value && !value)
			return ps_cl_refuse(&a->fault, -ENOMEM, "out of memory");
		a->args[a->arg_count] = (struct ps_cl_arg){
			.kind = given->kind, .port = given->port, .size = given->size, .value = value
		};
	}
	return 0;
}

/* The kernel's pointers to windows, behind which its other arguments begin: one a port but the control port. */
static unsigned after_ports(const struct ps_cl_actor *a)
{
	return a->port_count - (a->control_port < a->port_count);
}

static unsigned first_arg(const struct ps_cl_actor *a)
{
	return after_ports(a) + (a->state ? 2 : 1);
}

int ps_cl_actor_prepare(struct ps_cl_actor *a, const void *state, size_t state_size)
{
	cl_int code = CL_SUCCESS;

	a->state_size = state_size;
	if (state_size)
		a->state = clCreateBuffer(a->device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			state_size, (void *)state, &code);
	if (code) {
		a->state = NULL;
		return fail(a, code, "clCreateBuffer for the state");
	}
	if (!a->has_kernel)
		return 0;
	return ps_cl_kernel_bind(&a->kernel, a->args, a->arg_count, first_arg(a), &a->fault);
}

static bool same_window(const struct ps_cl_window *a, const struct ps_cl_window *b)
{
	return a->svm == b->svm && a->buffer == b->buffer;
}

static bool is_null(const struct ps_cl_window *w)
{
	return !w->svm && !w->buffer;
}

/* A port goes off whose argument was memory: what NVIDIA's driver does not launch. */
static bool needs_new_kernel(const struct ps_cl_actor *a)
{
	for (unsigned p = 0; p < a->port_count && a->device->nvidia; p++)
		if (p != a->control_port && is_null(&a->windows[p]) && !is_null(&a->given[p]))
			return true;
	return false;
}

static int renew_kernel(struct ps_cl_actor *a)
{
	int err = ps_cl_kernel_renew(&a->kernel, &a->fault);

	memset(a->given, 0, a->port_count * sizeof *a->given);
	a->has_given = false;
	return err ? err : ps_cl_kernel_bind(&a->kernel, a->args, a->arg_count, first_arg(a), &a->fault);
}

/* The windows; *next: the argument behind them. */
static int set_windows(struct ps_cl_actor *a, unsigned *next)
{
	cl_kernel kernel = a->kernel.id;
	cl_int err = CL_SUCCESS;

	for (unsigned p = 0; p < a->port_count; p++) {
		const struct ps_cl_window *w = &a->windows[p];

		if (p == a->control_port)
			continue;
		if (!a->has_given || !same_window(w, &a->given[p])) {
			if (w->svm)
				err = clSetKernelArgSVMPointer(kernel, *next, w->svm);
			else
				err = clSetKernelArg(kernel, *next, sizeof(cl_mem), &w->buffer);
			if (err)
				return fail(a, err, w->svm ? "clSetKernelArgSVMPointer" : "clSetKernelArg");
			a->given[p] = *w;
		}
		++*next;
	}
	return 0;
}

/* The user's arguments that are numbers of tokens, the first of all at `first`. */
static cl_int set_numbers(struct ps_cl_actor *a, unsigned first)
{
	cl_int err = CL_SUCCESS;

	for (unsigned i = 0; i < a->arg_count && !err; i++) {
		const struct ps_cl_arg *arg = &a->args[i];
		unsigned p = arg->port;

		if (arg->kind == PS_CL_ARG_RATE && !a->has_given)
			err = clSetKernelArg(a->kernel.id, first + i, sizeof(uint32_t), &a->rates[p]);
		else if (arg->kind == PS_CL_ARG_VALID &&
			 (!a->has_given || a->valids[p] != a->given_valids[p]))
			err = clSetKernelArg(a->kernel.id, first + i, sizeof(uint32_t), &a->valids[p]);
		else if (arg->kind == PS_CL_ARG_STEPS && (!a->has_given || a->steps != a->given_steps))
			err = clSetKernelArg(a->kernel.id, first + i, sizeof(uint32_t), &a->steps);
	}
	return err;
}

/* The arguments that have changed since the last firing; state: the actor's own, or a warm-up's. */
static int set_args(struct ps_cl_actor *a, const cl_mem *state, cl_ulong firing)
{
	cl_kernel kernel;
	unsigned next = 0;
	cl_int err;

	if ((needs_new_kernel(a) && renew_kernel(a)) || set_windows(a, &next))
		return a->fault.err;
	kernel = a->kernel.id;
	err = *state && !a->has_given ? clSetKernelArg(kernel, next, sizeof(cl_mem), state) : CL_SUCCESS;
	next += *state != NULL;
	if (!err)
		err = clSetKernelArg(kernel, next++, sizeof firing, &firing);
	if (!err)
		err = set_numbers(a, next);
	if (err)
		return fail(a, err, "clSetKernelArg");
	memcpy(a->given_valids, a->valids, a->port_count * sizeof *a->valids);
	a->given_steps = a->steps;
	a->has_given = true;
	return 0;
}

static int enqueue(struct ps_cl_actor *a, cl_event *event)
{
	cl_int err = clEnqueueNDRangeKernel(a->queue, a->kernel.id, a->dims, NULL, a->global,
		a->has_local_size ? a->local : NULL, a->wait_count, a->wait_count ? a->waits : NULL, event);

	return err ? fail(a, err, "clEnqueueNDRangeKernel") : 0;
}

/* A zeroed buffer for the warm-up. */
static int make_scratch(struct ps_cl_actor *a, size_t bytes, cl_mem *buffer)
{
	static const unsigned char zero = 0;
	cl_int err;

	*buffer = clCreateBuffer(a->device->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
	if (err) {
		*buffer = NULL;
		return fail(a, err, "clCreateBuffer for the first launch");
	}
	err = clEnqueueFillBuffer(a->queue, *buffer, &zero, 1, 0, bytes, 0, NULL, NULL);
	return err ? fail(a, err, "clEnqueueFillBuffer") : 0;
}

static int launch_and_wait(struct ps_cl_actor *a, const cl_mem *state)
{
	cl_event event;
	cl_int code;
	int err;

	memcpy(a->valids, a->rates, a->port_count * sizeof *a->valids);
	err = set_args(a, state, 0);
	a->wait_count = 0;
	if (!err)
		err = enqueue(a, &event);
	if (err)
		return err;
	code = clWaitForEvents(1, &event);
	if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof code, &code, NULL);
	clReleaseEvent(event);
	return code ? fail(a, code, "clWaitForEvents for the kernel's first launch") : 0;
}

int ps_cl_actor_warm_up(struct ps_cl_actor *a)
{
	cl_mem state = NULL;
	unsigned made = 0;
	int err = 0;

	if (!a->has_kernel)
		return 0;
	while (made < a->port_count && !err) {
		if (made != a->control_port)
			err = make_scratch(a, a->windows[made].bytes, &a->windows[made].buffer);
		made++;
	}
	if (!err && a->state)
		err = make_scratch(a, a->state_size, &state);
	if (!err)
		err = launch_and_wait(a, &state);
	a->has_given = false; /* the scratch goes, and another buffer may get its handle */
	while (made-- > 0)
		if (a->windows[made].buffer)
			clReleaseMemObject(a->windows[made].buffer);
	if (state)
		clReleaseMemObject(state);
	return err;
}

/* Takes the time of a command that is through. */
static void take_time(struct ps_cl_actor *a, unsigned i)
{
	/* of fire_cl(): from when its windows were there */
	cl_event first = a->began[i] ? a->began[i] : a->flying[i];
	cl_profiling_info from = a->began[i] ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START;
	cl_ulong begin, end;

	if (!a->timed[i])
		return;
	a->timed[i] = false;
	ps_cl_serial_lock();
	if (!clGetEventProfilingInfo(first, from, sizeof begin, &begin, NULL) &&
		!clGetEventProfilingInfo(a->flying[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) &&
		end > begin)
		atomic_fetch_add_explicit(&a->device_ns, end - begin, memory_order_relaxed);
	ps_cl_serial_unlock();
}

enum ps_cl_event_state ps_cl_actor_room(struct ps_cl_actor *a)
{
	unsigned i = a->fired % PS_CL_FLYING;
	enum ps_cl_event_state state =
		ps_cl_event_state(a->flying[i], "a firing's command", a->device->info.selector, &a->fault);

	if (state == PS_CL_EVENT_DONE)
		take_time(a, i);
	return state;
}

void ps_cl_actor_time(struct ps_cl_actor *a)
{
	if (a->profile && a->fired)
		take_time(a, (a->fired - 1) % PS_CL_FLYING);
}

cl_event ps_cl_actor_busy(const struct ps_cl_actor *a)
{
	cl_event event = NULL;
	uint64_t at;

	/* where other threads fire the actor too, they change that meanwhile: so a reference */
	pthread_mutex_lock(&flights);
	at = a->fired + (a->drains ? PS_CL_FLYING - 1 : PS_CL_FLYING / 2 - 1);
	ps_cl_event_keep(&event, a->flying[at % PS_CL_FLYING]);
	pthread_mutex_unlock(&flights);
	return event;
}

enum ps_cl_event_state ps_cl_actor_idle(struct ps_cl_actor *a)
{
	enum ps_cl_event_state state = PS_CL_EVENT_DONE;

	for (unsigned i = 0; i < PS_CL_FLYING && state == PS_CL_EVENT_DONE; i++) {
		state = ps_cl_event_state(
			a->flying[i], "a firing's command", a->device->info.selector, &a->fault);
		if (state == PS_CL_EVENT_DONE)
			take_time(a, i);
	}
	a->drains = state == PS_CL_EVENT_PENDING;
	return state;
}

void ps_cl_actor_begin(struct ps_cl_actor *a)
{
	a->wait_count = 0;
	forget_events(a);
}

int ps_cl_actor_depend(struct ps_cl_actor *a, cl_event event)
{
	/* one firing of a neighbour may stand for several windows: to ask a driver takes its lock */
	for (unsigned i = a->wait_count; i-- > 0;)
		if (a->waits[i] == event)
			return 0;
	switch (ps_cl_event_state(
		event, "a command that it waits for", a->device->info.selector, &a->fault)) {
	case PS_CL_EVENT_DONE:
		return 0;
	case PS_CL_EVENT_FAILED:
		return a->fault.err;
	case PS_CL_EVENT_PENDING:
		break;
	}
	a->waits[a->wait_count++] = event;
	return 0;
}

/* The firing's event, whose reference is taken over. */
static void keep_flying(struct ps_cl_actor *a, cl_event event)
{
	unsigned i = a->fired % PS_CL_FLYING;

	pthread_mutex_lock(&flights);
	ps_cl_event_put(&a->flying[i], event);
	a->fired++;
	pthread_mutex_unlock(&flights);
	a->timed[i] = a->profile;
}

unsigned ps_cl_actor_flights(const struct ps_cl_actor *a, bool *runs)
{
	cl_event events[PS_CL_FLYING] = { NULL };
	unsigned count = 0;
	cl_int status;

	*runs = false;
	ps_cl_serial_lock();
	pthread_mutex_lock(&flights);
	for (unsigned i = 0; i < PS_CL_FLYING; i++)
		ps_cl_event_keep(&events[i], a->flying[i]);
	pthread_mutex_unlock(&flights);
	for (unsigned i = 0; i < PS_CL_FLYING; i++) {
		if (events[i] && !clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
					 &status, NULL)) {
			count += status > CL_COMPLETE;
			*runs |= status == CL_RUNNING;
		}
		ps_cl_event_put(&events[i], NULL);
	}
	ps_cl_serial_unlock();
	return count;
}

static int check_waits(struct ps_cl_actor *a, cl_uint count, const cl_event *waits)
{
	return ps_cl_event_check(count, waits, a->device->info.selector, &a->fault);
}

int ps_cl_actor_launch(struct ps_cl_actor *a, uint64_t firing, cl_event *event)
{
	int err = set_args(a, &a->state, firing);

	if (!err)
		err = enqueue(a, event);
	if (err)
		return err;
	keep_flying(a, *event);
	ps_cl_trace_add(a->trace, NULL, *event, firing);
	return check_waits(a, a->wait_count, a->waits);
}

int ps_cl_actor_enter(struct ps_cl_actor *a)
{
	const cl_event *waits = a->wait_count ? a->waits : NULL;
	bool stamps = a->stamp.bytes; /* in an in-order queue it holds back what follows, too */
	cl_int err = stamps ? ps_cl_stamp_enqueue(&a->stamp, a->queue, a->wait_count, waits, &a->entered)
	                    : clEnqueueBarrierWithWaitList(a->queue, a->wait_count, waits, &a->entered);

	if (err)
		return fail(a, err, stamps ? ps_cl_stamp_call(&a->stamp) : "clEnqueueBarrierWithWaitList");
	return check_waits(a, a->wait_count, a->waits);
}

/* What is enqueued on an event that has failed already may stay queued for ever: such events are left out. */
static int drop_failed_events(struct ps_cl_actor *a)
{
	int err = 0;

	for (unsigned i = 0; i < a->extra_count;) {
		if (ps_cl_event_state(a->extra[i], "an event of pstk_cl_depend()", a->device->info.selector,
			    &a->fault) != PS_CL_EVENT_FAILED) {
			i++;
			continue;
		}
		err = a->fault.err;
		ps_cl_event_put(&a->extra[i], a->extra[--a->extra_count]);
		a->extra[a->extra_count] = NULL;
	}
	return err;
}

int ps_cl_actor_leave(struct ps_cl_actor *a, uint64_t firing, cl_event *event)
{
	unsigned i = a->fired % PS_CL_FLYING;
	int failed = drop_failed_events(a);
	cl_event waits[PS_CL_EXTRA + 1];
	cl_uint count = a->extra_count;
	cl_int err;

	memcpy(waits, a->extra, count * sizeof *waits);
	waits[count++] = a->entered; /* the queue goes on when that has failed */
	err = ps_cl_stamp_enqueue(&a->stamp, a->queue, count, waits, event);
	if (err)
		return fail(a, err, ps_cl_stamp_call(&a->stamp));
	keep_flying(a, *event);
	ps_cl_trace_add(a->trace, a->entered, *event, firing);
	if (a->profile)
		ps_cl_event_keep(&a->began[i], a->entered);
	return failed ? failed : check_waits(a, count, waits);
}

int ps_cl_actor_flush(struct ps_cl_actor *a)
{
	cl_int err = ps_cl_serial_flush(a->queue);

	return err ? fail(a, err, "clFlush") : 0;
}

unsigned ps_cl_actor_pending(struct ps_cl_actor *a, cl_event *one, struct ps_cl_fault *fault)
{
	unsigned count = 0;

	if (a->dead)
		return 0;

	for (unsigned i = 0; i < PS_CL_FLYING; i++)
		switch (ps_cl_event_state(
			a->flying[i], "a firing's command", a->device->info.selector, fault)) {
		case PS_CL_EVENT_DONE:
			take_time(a, i);
			break;
		case PS_CL_EVENT_PENDING:
			*one = a->flying[i];
			count++;
			break;
		case PS_CL_EVENT_FAILED:
			break;
		}
	return count;
}

void ps_cl_actor_flush_rest(const struct ps_cl_actor *a)
{
	if (a->queue)
		clFlush(a->queue);
}

int ps_cl_actor_write_state(struct ps_cl_actor *a, const void *state)
{
	cl_int err;

	if (!a->state)
		return 0;
	err = clEnqueueWriteBuffer(a->queue, a->state, CL_TRUE, 0, a->state_size, state, 0, NULL, NULL);
	return err ? fail(a, err, "clEnqueueWriteBuffer for the state") : 0;
}

int ps_cl_actor_read_state(struct ps_cl_actor *a, void *state)
{
	cl_int err;

	if (!a->state)
		return 0;
	err = clEnqueueReadBuffer(a->queue, a->state, CL_TRUE, 0, a->state_size, state, 0, NULL, NULL);
	return err ? fail(a, err, "clEnqueueReadBuffer for the state") : 0;
}
