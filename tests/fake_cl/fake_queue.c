/* SPDX-License-Identifier: MIT */
/*
 * Command queues. Each has a thread that runs its commands in order. The thread ends by itself after the queue's
 * release, when nothing is left that can run; no thread waits for it, since the release may come from a callback.
 */
#include "tests/fake_cl/fake.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* -- commands -- */

struct fake_command *fake_command_new(cl_command_queue queue, cl_command_type type, unsigned uses)
{
	struct fake_command *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->queue = queue;
	c->type = type;
	c->uses = uses ? calloc(uses, sizeof(*c->uses)) : NULL;
	if (uses && !c->uses) {
		free(c);
		return NULL;
	}
	return c;
}

void fake_command_use(struct fake_command *c, cl_mem mem, bool writes, size_t offset, size_t size)
{
	fake_hold(mem);
	fake_memory_root(mem)->uses++;
	c->uses[c->use_count++] = (struct fake_use){ mem, writes, offset, size };
}

void fake_command_free(struct fake_command *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->use_count; i++) {
		fake_memory_root(c->uses[i].mem)->uses--;
		fake_drop(c->uses[i].mem);
	}
	for (cl_uint i = 0; i < c->wait_count; i++)
		fake_drop(c->waits[i]);
	fake_drop(c->event);
	fake_map_put(c->map);
	fake_drop(c->map_mem);
	fake_launch_free(c->launch);
	fake_native_free(c->native);
	free(c->pointers);
	free(c->waits);
	free(c->uses);
	free(c);
}

cl_int fake_check_enqueue(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	if (!fake_valid(queue, FAKE_CL_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return fake_check_waits(queue->context, count, list);
}

static bool has_ended(cl_event event)
{
	return event->status <= CL_COMPLETE;
}

/* PoCL forgets a command that is enqueued behind an event that has failed already, and what is behind that. */
static bool never_runs(const struct fake_command *c)
{
	bool never = c->queue->stuck;

	for (cl_uint i = 0; i < c->wait_count; i++) {
		never |= c->waits[i]->never;
		never |= fake.settings.pocl && c->waits[i]->status < 0;
	}
	return never;
}

static void append(struct fake_command *c)
{
	cl_command_queue queue = c->queue;

	c->stuck = never_runs(c);
	if (c->stuck)
		queue->stuck = c->event->never = true;
	*queue->last = c;
	queue->last = &c->next;
	if (!fake.settings.lazy)
		fake_queue_flush(queue);
}

static cl_int prepare(struct fake_command *c, cl_uint count, const cl_event *list, bool owned)
{
	c->fault = fake_take_command_fault(c->type);
	if (fake.lost && fake.lose_refuses)
		return c->fault;
	c->event = fake_event_new(c->queue->context, c->queue, c->type, owned);
	c->waits = calloc(count + 1, sizeof(cl_event));
	if (!c->event || !c->waits)
		return CL_OUT_OF_HOST_MEMORY;
	for (c->wait_count = 0; c->wait_count < count; c->wait_count++) {
		c->waits[c->wait_count] = list[c->wait_count];
		fake_hold(list[c->wait_count]);
	}
	return CL_SUCCESS;
}

cl_int fake_enqueue(
	struct fake_command *c, cl_uint count, const cl_event *list, cl_event *event, bool blocking)
{
	cl_int err = CL_SUCCESS;
	cl_event own;

	for (unsigned i = 0; !err && i < c->use_count; i++)
		err = fake_memory_ready(c->uses[i].mem);
	if (!err)
		err = prepare(c, count, list, event != NULL);
	if (c->event)
		c->event->o.holds++; /* the command's */
	if (err) {
		if (c->event && event)
			fake_release(c->event, FAKE_CL_EVENT, CL_INVALID_EVENT);
		if (c->cancel)
			c->cancel(c);
		fake_command_free(c);
		return err;
	}
	own = c->event;
	if (event)
		*event = own;
	fake_hold(own);
	append(c);
	if (blocking) {
		fake_queue_flush(own->queue);
		fake_event_wait(own);
		err = own->status < 0 ? own->status : CL_SUCCESS;
	}
	fake_drop(own);
	return err;
}

/* -- the worker -- */

void fake_queues_wake(cl_event event)
{
	for (cl_command_queue q = fake.queues; q; q = q->next) {
		if (!event || q->blocked_on == event)
			pthread_cond_signal(&q->work);
	}
}

void fake_queue_flush(cl_command_queue queue)
{
	for (struct fake_command *c = queue->first; c; c = c->next) {
		if (c->submitted)
			continue;
		c->submitted = true;
		c->since = fake_clock();
		if (c->event->status == CL_QUEUED) {
			c->event->status = CL_SUBMITTED;
			c->event->times[1] = c->event->times[0];
		}
	}
	pthread_cond_signal(&queue->work);
}

static struct fake_command *pop(cl_command_queue queue)
{
	struct fake_command *c = queue->first;

	queue->first = c->next;
	if (!queue->first)
		queue->last = &queue->first;
	return c;
}

/* A queue that is closing drops what can never run. */
static void drop_never(cl_command_queue queue)
{
	while (queue->first) {
		struct fake_command *c = pop(queue);

		c->event->never = true;
		fake_queues_wake(c->event);
		fake_command_free(c);
	}
	pthread_cond_broadcast(&fake.changed);
}

static bool is_ready(cl_command_queue queue)
{
	struct fake_command *c = queue->first;

	queue->blocked_on = NULL;
	if (!c || !c->submitted || c->stuck)
		return false;
	for (cl_uint i = 0; i < c->wait_count; i++) {
		if (!has_ended(c->waits[i])) {
			queue->blocked_on = c->waits[i];
			return false;
		}
	}
	if (!fake.held)
		return true;
	if (!fake.steps)
		return false;
	fake.steps--;
	return true;
}

/* NULL: the queue is closing and nothing is left that can run. */
static struct fake_command *next_command(cl_command_queue queue)
{
	while (!is_ready(queue)) {
		struct fake_command *c = queue->first;

		if (queue->closing && c && (c->stuck || (queue->blocked_on && queue->blocked_on->never)))
			drop_never(queue);
		if (queue->closing && !queue->first)
			return NULL;
		pthread_cond_wait(&queue->work, &fake.lock);
	}
	return queue->first;
}

/* Some commands at once, some after others had the core, some late. Called without the lock. */
static void delay(uint64_t random)
{
	struct timespec t = { 0, (long)(random >> 8) % 300000 };

	if (random % 4 == 1)
		sched_yield();
	else if (random % 4 == 2)
		ppoll(NULL, 0, &t, NULL);
}

static cl_int fate(const struct fake_command *c)
{
	for (cl_uint i = 0; i < c->wait_count; i++) {
		if (c->waits[i]->status < 0)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	if (c->queue->broken && fake.settings.cascade)
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return c->fault;
}

static bool collide(const struct fake_use *a, const struct fake_use *b)
{
	size_t from = a->mem->origin + a->offset, other = b->mem->origin + b->offset;

	return fake_memory_root(a->mem) == fake_memory_root(b->mem) && (a->writes || b->writes) &&
	       from < other + b->size && other < from + a->size;
}

static void note_races(const struct fake_command *c, const struct fake_command *other)
{
	for (unsigned i = 0; i < c->use_count; i++) {
		for (unsigned j = 0; j < other->use_count; j++) {
			if (collide(&c->uses[i], &other->uses[j]))
				fake_violation("two commands (types 0x%x and 0x%x) are in buffer %lu at "
					       "once, and one "
					       "writes",
					other->type, c->type, c->uses[i].mem->serial);
		}
	}
}

static void execute(cl_command_queue queue, struct fake_command *c)
{
	for (cl_command_queue q = fake.queues; fake.settings.races && q; q = q->next) {
		if (q->running)
			note_races(c, q->running);
	}
	queue->running = c;
	pthread_mutex_unlock(&fake.lock);
	c->execute(c);
	pthread_mutex_lock(&fake.lock);
}

static void run(cl_command_queue queue, struct fake_command *c)
{
	uint64_t random = fake.settings.delay ? fake_random() : 0;
	cl_int status = fate(c);

	if (!status)
		fake_engine_begin(c);
	fake_event_set_at(c->event, CL_RUNNING, c->start ? c->start : fake_clock());
	if (random) {
		pthread_mutex_unlock(&fake.lock);
		delay(random);
		pthread_mutex_lock(&fake.lock);
	}
	if (!status && c->begin)
		c->begin(c);
	if (!status && c->execute)
		execute(queue, c);
	if (!status)
		fake_engine_end(c);
	queue->running = NULL;
	if (c->end)
		c->end(c); /* also after a failure: a map that failed is none */
	if (!status)
		fake_count_command(c->type);
	queue->broken |= status < 0;
	for (unsigned i = 0; i < c->use_count; i++) {
		fake_memory_root(c->uses[i].mem)->uses--;
		fake_drop(c->uses[i].mem);
	}
	c->use_count = 0; /* before the event ends: a thread that waits for it may count */
	queue->ended = c->due ? c->due : fake_clock();
	fake_event_set_at(c->event, status, queue->ended);
	pop(queue); /* after the callbacks: settle() waits for them too */
	fake_command_free(c);
	if (!queue->first || queue->first->event->never)
		pthread_cond_broadcast(&fake.changed);
}

static void unlink_queue(cl_command_queue queue)
{
	cl_command_queue *link = &fake.queues;

	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
}

static void *work(void *arg)
{
	cl_command_queue queue = arg;
	struct fake_command *c;

	fake_engine_thread();
	pthread_mutex_lock(&fake.lock);
	while ((c = next_command(queue)))
		run(queue, c);
	unlink_queue(queue);
	fake.threads--;
	fake_drop(queue);
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
	return NULL;
}

/* -- queues -- */

void fake_queue_close(cl_command_queue queue)
{
	queue->closing = true;
	fake_queue_flush(queue);
}

void fake_queue_destroy(cl_command_queue queue)
{
	pthread_cond_destroy(&queue->work);
	fake_drop(queue->device);
	fake_drop(queue->context);
}

static bool start_worker(cl_command_queue queue)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = !pthread_create(&thread, &attributes, work, queue);
	pthread_attr_destroy(&attributes);
	return started;
}

static cl_command_queue create(cl_context context, cl_device_id device,
	cl_command_queue_properties properties, const cl_queue_properties *given, size_t given_size)
{
	cl_command_queue queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->last = &queue->first;
	queue->context = context;
	queue->device = device;
	queue->properties = properties;
	queue->given_size = given_size;
	if (given_size)
		memcpy(queue->given, given, given_size);
	pthread_cond_init(&queue->work, NULL);
	if (!start_worker(queue)) {
		pthread_cond_destroy(&queue->work);
		free(queue);
		return NULL;
	}
	fake_init(queue, FAKE_CL_QUEUE, true);
	fake_hold(context);
	fake_hold(device);
	fake_hold(queue); /* the worker's */
	queue->next = fake.queues;
	fake.queues = queue;
	fake.threads++;
	return queue;
}

static cl_int check(cl_context context, cl_device_id device, cl_command_queue_properties properties)
{
	if (!fake_valid(context, FAKE_CL_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!fake_valid(device, FAKE_CL_SUB_DEVICE) || !fake_context_has(context, device))
		return CL_INVALID_DEVICE;
	return properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE
	               ? CL_INVALID_QUEUE_PROPERTIES
	               : CL_SUCCESS;
}

cl_command_queue fake_clCreateCommandQueue(
	cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateCommandQueue);
	cl_command_queue queue = NULL;

	if (!err)
		err = check(context, device, properties);
	if (!err && !(queue = create(context, device, properties, NULL, 0)))
		err = CL_OUT_OF_HOST_MEMORY;
	return fake_leave_with(queue, err, errcode_ret);
}

cl_command_queue fake_clCreateCommandQueueWithProperties(
	cl_context context, cl_device_id device, const cl_queue_properties *given, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateCommandQueueWithProperties);
	cl_command_queue_properties properties = 0;
	cl_command_queue queue = NULL;
	unsigned n = 0;

	if (!err && fake.settings.version < 20)
		err = CL_INVALID_OPERATION;
	while (!err && given && given[n]) {
		if (given[n] != CL_QUEUE_PROPERTIES || n > 4)
			err = CL_INVALID_VALUE;
		else
			properties = given[n + 1];
		n += 2;
	}
	if (!err)
		err = check(context, device, properties);
	if (!err &&
		!(queue = create(context, device, properties, given, given ? (n + 1) * sizeof(*given) : 0)))
		err = CL_OUT_OF_HOST_MEMORY;
	return fake_leave_with(queue, err, errcode_ret);
}

cl_int fake_clRetainCommandQueue(cl_command_queue queue)
{
	cl_int err = fake_enter(FAKE_clRetainCommandQueue);

	return fake_leave(err ? err : fake_retain(queue, FAKE_CL_QUEUE, CL_INVALID_COMMAND_QUEUE));
}

cl_int fake_clReleaseCommandQueue(cl_command_queue queue)
{
	cl_int err = fake_enter(FAKE_clReleaseCommandQueue);

	return fake_leave(err ? err : fake_release(queue, FAKE_CL_QUEUE, CL_INVALID_COMMAND_QUEUE));
}

cl_int fake_clGetCommandQueueInfo(
	cl_command_queue queue, cl_command_queue_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetCommandQueueInfo);

	if (!err && !fake_valid(queue, FAKE_CL_QUEUE))
		err = CL_INVALID_COMMAND_QUEUE;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_QUEUE_CONTEXT:
		return fake_leave(FAKE_INFO(cl_context, queue->context));
	case CL_QUEUE_DEVICE:
		return fake_leave(FAKE_INFO(cl_device_id, queue->device));
	case CL_QUEUE_REFERENCE_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, queue->o.refs));
	case CL_QUEUE_PROPERTIES:
		return fake_leave(FAKE_INFO(cl_command_queue_properties, queue->properties));
	case CL_QUEUE_PROPERTIES_ARRAY:
		return fake_leave(fake_info(queue->given, queue->given_size, size, value, size_ret));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

cl_int fake_clFlush(cl_command_queue queue)
{
	cl_int err = fake_enter(FAKE_clFlush);

	if (!err && !fake_valid(queue, FAKE_CL_QUEUE))
		err = CL_INVALID_COMMAND_QUEUE;
	if (!err)
		fake_queue_flush(queue);
	return fake_leave(err);
}

/* As the real ones: 0 also when commands have failed. Waits in vain behind one that never runs. */
cl_int fake_clFinish(cl_command_queue queue)
{
	cl_int err = fake_enter(FAKE_clFinish);
	struct fake_command *c;

	if (!err && !fake_valid(queue, FAKE_CL_QUEUE))
		err = CL_INVALID_COMMAND_QUEUE;
	if (err)
		return fake_leave(err);
	fake_queue_flush(queue);
	if ((c = queue->first)) {
		cl_event last;

		while (c->next)
			c = c->next;
		last = c->event;
		fake_hold(last);
		fake_event_wait(last);
		fake_drop(last);
	}
	return fake_leave(CL_SUCCESS);
}

/* -- markers and barriers: in an in-order queue both are commands that do nothing -- */

static cl_int mark(
	cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_check_enqueue(queue, count, list);
	struct fake_command *c;

	if (err)
		return err;
	c = fake_command_new(queue, type, 0);
	return c ? fake_enqueue(c, count, list, event, false) : CL_OUT_OF_HOST_MEMORY;
}

cl_int fake_clEnqueueMarkerWithWaitList(
	cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueMarkerWithWaitList);

	return fake_leave(err ? err : mark(queue, CL_COMMAND_MARKER, count, list, event));
}

cl_int fake_clEnqueueBarrierWithWaitList(
	cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueBarrierWithWaitList);

	return fake_leave(err ? err : mark(queue, CL_COMMAND_BARRIER, count, list, event));
}

cl_int fake_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
	cl_int err = fake_enter(FAKE_clEnqueueMarker);

	return fake_leave(err     ? err
			  : event ? mark(queue, CL_COMMAND_MARKER, 0, NULL, event)
				  : CL_INVALID_VALUE);
}

cl_int fake_clEnqueueBarrier(cl_command_queue queue)
{
	cl_int err = fake_enter(FAKE_clEnqueueBarrier);

	return fake_leave(err ? err : mark(queue, CL_COMMAND_BARRIER, 0, NULL, NULL));
}
