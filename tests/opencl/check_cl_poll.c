/* SPDX-License-Identifier: MIT */
/* The thread that looks at events, on user events of the fake driver; check_cl_mover and check_random_fake run networks
 * with it. */
#include "lib/base/memory.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_poll.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EVENTS = 200 }; /* more than it has room for at first */

static const struct fake_cl *fake;
static cl_context context;
static struct ps_eventcount *eventcount;

/* -- no thread, when told so -- */

static atomic_bool no_thread;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*entry)(void *), void *arg)
{
	return atomic_load(&no_thread) ? EAGAIN : __real_pthread_create(t, attr, entry, arg);
}

/* -- the driver -- */

static cl_context new_context(cl_platform_id platform)
{
	cl_device_id device;
	cl_int code;
	cl_context made;

	ck_assert_int_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), 0);
	made = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	ck_assert_int_eq(code, 0);
	return made;
}

static cl_platform_id platform;

static void setup(void)
{
	fake = fake_cl_start(FAKE_CL_DRIVER, "nvidia=1", &platform);
	ck_assert_ptr_nonnull(fake);
	context = new_context(platform);
	eventcount = ps_eventcount_get();
	ck_assert_ptr_nonnull(eventcount);
}

static void teardown(void)
{
	clReleaseContext(context);
	ck_assert_int_eq(fake->live(FAKE_CL_EVENT), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_CONTEXT), 0);
	ck_assert_uint_eq(fake->violation_count(), 0);
}

static cl_event new_event(cl_context of)
{
	cl_int code;
	cl_event event = clCreateUserEvent(of, &code);

	ck_assert_int_eq(code, 0);
	return event;
}

static cl_uint references(cl_event event)
{
	cl_uint count;

	ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL), 0);
	return count;
}

/* Until the thread has given the event back: a hang is test_guard()'s. */
static void await_references(cl_event event, cl_uint count)
{
	while (references(event) != count)
		sched_yield();
}

/* -- tests -- */

static _Atomic cl_int last_status;

static void CL_CALLBACK notify(cl_event event, cl_int status, void *of)
{
	(void)event;
	atomic_store(&last_status, status);
	ps_eventcount_notify(of);
}

/* Each is notified when its event is through, failed ones too, and no other. */
START_TEST(each_is_notified)
{
	cl_event events[EVENTS];
	struct ps_eventcount *counts[EVENTS];

	test_guard("each is notified", 0);
	ps_cl_poll_begin();
	ps_cl_poll_begin(); /* again does nothing */
	for (unsigned i = 0; i < EVENTS; i++) {
		events[i] = new_event(context);
		counts[i] = ps_eventcount_get();
		ck_assert(ps_cl_poll_add(events[i], notify, counts[i]));
		ck_assert(ps_cl_poll_add(events[i], notify, counts[i])); /* is awaited already */
		ck_assert_uint_eq(references(events[i]), 2);
	}
	for (unsigned k = 0; k < EVENTS; k++) {
		unsigned i = k * 7 % EVENTS, before = ps_eventcount_count(counts[i]);

		ck_assert_int_eq(clSetUserEventStatus(events[i], k % 3 ? CL_COMPLETE : -5), 0);
		ps_eventcount_wait(counts[i], before, PS_EVENTCOUNT_FOR_EVER);
		ck_assert_uint_eq(ps_eventcount_count(counts[i]), before + 1);
		ck_assert_int_eq(atomic_load(&last_status), k % 3 ? CL_COMPLETE : -5);
		await_references(events[i], 1);
		clReleaseEvent(events[i]);
	}
	for (unsigned i = 0; i < EVENTS; i++)
		ps_eventcount_put(counts[i]);
}
END_TEST

/* One that is through when it is announced. */
START_TEST(through_already)
{
	cl_event event = new_event(context);
	unsigned seen = ps_eventcount_count(eventcount);

	test_guard("through already", 0);
	ps_cl_poll_begin();
	clSetUserEventStatus(event, CL_COMPLETE);
	ps_cl_event_announce(event, eventcount);
	ps_eventcount_wait(eventcount, seen, PS_EVENTCOUNT_FOR_EVER);
	await_references(event, 1);
	clReleaseEvent(event);
	ck_assert_uint_eq(fake->calls("clSetEventCallback"), 0);
}
END_TEST

/* Those of a context that goes are given back, with a call; others are not. */
START_TEST(forgotten)
{
	cl_context other = new_context(platform);
	cl_event goes = new_event(context), stays = new_event(other);
	unsigned seen = ps_eventcount_count(eventcount);

	test_guard("forgotten", 0);
	ps_cl_poll_begin();
	ck_assert(ps_cl_poll_add(goes, notify, eventcount));
	ck_assert(ps_cl_poll_add(stays, notify, eventcount));
	ps_cl_poll_forget(context);
	ck_assert_uint_eq(references(goes), 1);
	ck_assert_uint_eq(references(stays), 2);
	ck_assert_uint_eq(ps_eventcount_count(eventcount), seen + 1);
	ck_assert_int_eq(atomic_load(&last_status), -1);
	ps_cl_poll_forget(other);
	ck_assert_uint_eq(references(stays), 1);
	clReleaseEvent(goes);
	clReleaseEvent(stays);
	clReleaseContext(other);
}
END_TEST

/* Without a thread, or a reference, there are callbacks. */
START_TEST(no_thread_no_poll)
{
	cl_event event = new_event(context);

	atomic_store(&no_thread, true);
	ps_cl_poll_begin();
	ck_assert(!ps_cl_poll_add(event, notify, eventcount));
	ps_cl_event_announce(event, eventcount);
	ck_assert_uint_eq(fake->calls("clSetEventCallback"), 1);
	atomic_store(&no_thread, false);
	ps_cl_poll_begin(); /* is tried again */
	fake->fail_calls("clRetainEvent", 1, 1, CL_OUT_OF_RESOURCES);
	ck_assert(!ps_cl_poll_add(event, notify, eventcount));
	ck_assert(ps_cl_poll_add(event, notify, eventcount));
	ps_cl_poll_forget(context);
	clReleaseEvent(event);
}
END_TEST

START_TEST(no_memory)
{
	cl_event events[EVENTS];
	unsigned added = 0;

	ps_memory_fail_at = 0;
	ps_cl_poll_begin(); /* has no room */
	events[0] = new_event(context);
	ck_assert(!ps_cl_poll_add(events[0], notify, eventcount));
	clReleaseEvent(events[0]);
	ps_memory_fail_at = -1;
	ps_cl_poll_begin();
	for (;; added++) {
		events[added] = new_event(context);
		ps_memory_fail_at = 0;
		if (!ps_cl_poll_add(events[added], notify, eventcount))
			break;
		ps_memory_fail_at = -1;
		ck_assert_uint_lt(added, EVENTS - 1);
	}
	ps_memory_fail_at = -1;
	ck_assert_uint_gt(added, 0);
	ck_assert_uint_eq(references(events[added]), 1);
	ck_assert(ps_cl_poll_add(events[added], notify, eventcount));
	ps_cl_poll_forget(context);
	for (unsigned i = 0; i <= added; i++)
		clReleaseEvent(events[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_poll");
	TCase *c = tcase_create("cl_poll");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, each_is_notified);
	tcase_add_test(c, through_already);
	tcase_add_test(c, forgotten);
	tcase_add_test(c, no_thread_no_poll);
	tcase_add_test(c, no_memory);
	suite_add_tcase(suite, c);
	return test_main(suite);
}
