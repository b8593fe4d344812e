/* SPDX-License-Identifier: MIT */
/* The watchdog: while nothing moves, it names the actor that is inside something, once. On demand the network ends. */
#include "lib/observe/watchdog.h"
#include "lib/firing/task.h"
#include "tests/common/common.h"
#include "tests/random/node.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* LONG: where an actor that a busy machine holds up, before or inside of fire(), must not be taken for the one that is
 * meant */
enum { PATIENCE_NS = 20000000, LONG_PATIENCE_NS = 60 * PATIENCE_NS };

/* Counts warnings; the callback is called by one thread at a time. */
static struct {
	const char *of;
	_Atomic uint64_t count;
	char last[1024];
} warnings;

static void count_warning(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data;
	(void)topic;
	if (level > PSTK_LOG_WARNING || !strstr(message, warnings.of))
		return;
	snprintf(warnings.last, sizeof warnings.last, "%s", message);
	atomic_fetch_add(&warnings.count, 1);
}

static void watch_for(const char *text)
{
	warnings.of = text;
	atomic_store(&warnings.count, 0);
	pstk_set_log(count_warning, NULL);
}

/* A source that reads from a pipe. */
struct camera {
	int pipe[2];
	_Atomic uint64_t read;
};

static int camera_fire(struct pstk_firing *f)
{
	struct camera *c = pstk_actor_arg(pstk_firing_actor(f));
	unsigned char *out = pstk_fifo_write_start(f, 0);

	if (read(c->pipe[0], out, 1) != 1)
		return pstk_actor_error(pstk_firing_actor(f), -EIO, "no frame");
	atomic_fetch_add(&c->read, 1);
	if (*out == 'e')
		return PSTK_DONE;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static void camera_unblock(struct pstk_actor *self)
{
	struct camera *c = pstk_actor_arg(self);

	ck_assert_int_eq(write(c->pipe[1], "e", 1), 1);
}

static int sink_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_network *make_camera(struct camera *c)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
				      in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_network *net = pstk_network_create("live");
	struct pstk_actor *camera, *sink;

	atomic_store(&c->read, 0);
	ck_assert_int_eq(pipe(c->pipe), 0);
	camera = pstk_network_add(net, "cam",
		PSTK_ACTOR_TYPE(.name = "camera", .ports = &out, .port_count = 1, .blocks = true,
			.fire = camera_fire, .unblock = camera_unblock),
		c);
	sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "show", .ports = &in, .port_count = 1, .fire = sink_fire), NULL);
	pstk_connect(camera, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	return net;
}

static void close_camera(struct camera *c)
{
	close(c->pipe[0]);
	close(c->pipe[1]);
}

/* It blocks again and again, for many times the watchdog's patience: one report, and nothing is harmed. */
START_TEST(test_idle_source)
{
	struct camera c;
	struct pstk_network *net = make_camera(&c);

	watch_for(
		"'cam' (camera) is in fire()"); /* the sink is in its own where a busy machine holds it up */
	ck_assert_int_eq(pstk_network_set_watchdog(net, PATIENCE_NS, false), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&warnings.count, 1);
	for (uint64_t frames = 1; frames < 5; frames++) {
		ck_assert_int_eq(write(c.pipe[1], "f", 1), 1);
		test_await(&c.read, frames);
		ck_assert_int_eq(pstk_network_wait_for(net, 5 * PATIENCE_NS), -ETIMEDOUT);
	}
	ck_assert_int_eq(write(c.pipe[1], "e", 1), 1);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
	pstk_set_log(NULL, NULL);
	ck_assert_uint_eq(warnings.count, 1);
	TEST_SAYS(warnings.last, "live: nothing has moved for ", "s: 'cam' (camera) is in fire() for ",
		", 0 firings");
	close_camera(&c);
}
END_TEST

START_TEST(test_abort)
{
	struct camera c;
	struct pstk_network *net = make_camera(&c);

	watch_for("nothing has moved");
	ck_assert_int_eq(write(c.pipe[1], "fff", 3), 3);
	ck_assert_int_eq(pstk_network_set_watchdog(net, LONG_PATIENCE_NS, true), 0);
	ck_assert_int_eq(pstk_network_run(net), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(net), "'cam' (camera): nothing has moved for ", "it is in fire() for",
		", 3 firings");
	pstk_network_destroy(net);
	pstk_set_log(NULL, NULL);
	ck_assert_uint_eq(warnings.count, 1);
	close_camera(&c);
}
END_TEST

/* An actor that moves is not named, however slowly it moves. Without a watchdog no actor is. */
START_TEST(test_quiet)
{
	struct camera c;
	struct pstk_network *net = make_camera(&c);

	watch_for("nothing has moved");
	ck_assert_int_eq(pstk_network_set_watchdog(net, _i ? 0 : UINT64_MAX, true), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert_int_eq(pstk_network_wait_for(net, 5 * PATIENCE_NS), -ETIMEDOUT);
	ck_assert_int_eq(write(c.pipe[1], "ffe", 3), 3);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
	pstk_set_log(NULL, NULL);
	ck_assert_uint_eq(warnings.count, 0);
	close_camera(&c);
}
END_TEST

/* The end waits for code that no thread can wake, and says so. */
START_TEST(test_no_unblock)
{
	static _Atomic uint64_t open;
	struct node nodes[] = { { .name = "stuck", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "too", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "sink", .ports = _i ? "<in <more" : "<in" } };
	struct pstk_network *net = pstk_network_create("blocked");

	watch_for(" unblock()");
	for (unsigned i = 0; i < 3; i++)
		if (_i || i != 1)
			node_add(net, &nodes[i]);
	node_connect(&nodes[0], "out", &nodes[2], "in", 1, 0, 0);
	if (_i)
		node_connect(&nodes[1], "out", &nodes[2], "more", 1, 0, 0);
	ck_assert_int_eq(pstk_network_set_watchdog(net, LONG_PATIENCE_NS, true), 0);
	ck_assert_int_eq(pstk_network_run(net), -ETIMEDOUT);
	pstk_network_destroy(net);
	pstk_set_log(NULL, NULL);
	ck_assert_uint_eq(warnings.count, 1);
	ck_assert_str_eq(warnings.last,
		_i ? "blocked: ends the network; waits for fire() of 'stuck' and 1 more, which have no "
		     "unblock()"
		   : "blocked: ends the network; waits for fire() of 'stuck', which has no unblock()");
}
END_TEST

static void *wait_for_end(void *net)
{
	return (void *)(intptr_t)pstk_network_wait(net);
}

static int endless_fire(struct pstk_firing *f)
{
	const _Atomic uint64_t *open = pstk_actor_arg(pstk_firing_actor(f));

	test_await(open, 1); /* whatever becomes of the network */
	return PSTK_DONE;
}

/* A fire() that does not return after the watchdog, or an abort, has ended the network: wait() names its actor again
 * and again, wait_for() comes back. */
START_TEST(test_endless_fire)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	static _Atomic uint64_t open;
	struct node sink = { .name = "sink", .ports = "<in" };
	struct pstk_network *net = pstk_network_create("endless");
	struct pstk_actor *spin = pstk_network_add(net, "spin",
		PSTK_ACTOR_TYPE(.name = "spinner", .ports = &out, .port_count = 1, .fire = endless_fire),
		&open);
	pthread_t waiter;
	void *result;

	atomic_store(&open, 0);
	ps_watchdog_remind_ns = PATIENCE_NS;
	node_add(net, &sink);
	pstk_connect(spin, "out", sink.actor, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_set_watchdog(net, _i ? LONG_PATIENCE_NS : 0, true), 0);
	watch_for("pstk_network_wait() still waits for ");
	ck_assert_int_eq(pstk_network_start(net), 0);
	/* while nothing is wrong nothing is said */
	ck_assert_int_eq(pstk_network_wait_for(net, 5 * PATIENCE_NS), -ETIMEDOUT);
	ck_assert_uint_eq(warnings.count, 0);
	if (!_i)
		pstk_network_abort(net);
	while (!pstk_network_failed(net))
		sched_yield();
	ck_assert_int_eq(pstk_network_wait_for(net, 1), -ETIMEDOUT);
	ck_assert_int_eq(pthread_create(&waiter, NULL, wait_for_end, net), 0);
	test_await(&warnings.count, 3);
	ck_assert_int_eq(pstk_network_wait_for(net, PATIENCE_NS), -ETIMEDOUT);
	atomic_store(&open, 1);
	pthread_join(waiter, &result);
	ck_assert_int_eq((int)(intptr_t)result, _i ? -ETIMEDOUT : -ECANCELED);
	pstk_set_log(NULL, NULL);
	TEST_SAYS(warnings.last, _i ? "endless: has failed, and " : "endless: has been aborted, and ",
		"still waits for 'spin' (spinner): it is in fire() for ", "; its type has no unblock()");
	pstk_network_destroy(net);
}
END_TEST

/* Every actor has ended, and the program waits for that much later: nothing is wrong. */
START_TEST(test_late_wait)
{
	struct camera c;
	struct pstk_network *net = make_camera(&c);
	struct ps_watchdog dog;

	watch_for("nothing has moved");
	ck_assert_int_eq(write(c.pipe[1], "ffe", 3), 3);
	ck_assert_int_eq(pstk_network_set_watchdog(net, LONG_PATIENCE_NS, true), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (!atomic_load(&pstk_network_actor(net, 1)->task->ended))
		sched_yield();
	ps_watchdog_begin(&dog, net);
	for (unsigned i = 0; i < 6; i++)
		ps_watchdog_wait(&dog);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
	pstk_set_log(NULL, NULL);
	ck_assert_uint_eq(warnings.count, 0);
	close_camera(&c);
}
END_TEST

static uint64_t latest_since(const struct pstk_actor *a, const struct pstk_actor *b)
{
	uint64_t one = a->task->since, other = b->task->since;

	return one > other ? one : other;
}

/* What is told is the time since the last movement, not since it was noticed. */
START_TEST(test_last_movement)
{
	struct camera c;
	struct pstk_network *net = make_camera(&c);
	const struct pstk_actor *camera = pstk_network_actor(net, 0), *sink = pstk_network_actor(net, 1);
	struct ps_watchdog dog;

	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0); /* the sink waits by itself */
	ck_assert_int_eq(pstk_network_set_watchdog(net, 100 * PATIENCE_NS, false), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (!camera->task->since || !atomic_load(&sink->task->waits_for))
		sched_yield();
	ps_watchdog_begin(&dog, net); /* as late as a watcher's thread may be */
	dog.commits = UINT64_MAX;
	ps_watchdog_wait(&dog); /* long enough for the sink to say when it began to wait */
	ck_assert_uint_eq(dog.since, latest_since(sink, camera));
	ck_assert_int_eq(write(c.pipe[1], "f", 1), 1);
	while (!atomic_load(&sink->task->firings) || !atomic_load(&camera->task->firings) ||
		!atomic_load(&sink->task->waits_for) || sink->task->since < dog.looked ||
		camera->task->since < dog.looked)
		sched_yield();
	ps_watchdog_wait(&dog);
	ck_assert_uint_eq(dog.since, latest_since(sink, camera));
	ck_assert_int_eq(write(c.pipe[1], "e", 1), 1);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
	close_camera(&c);
}
END_TEST

START_TEST(test_environment)
{
	struct camera c;
	struct pstk_network *net;

	setenv("PENSTOCK_WATCHDOG", "1,abort", 1);
	net = make_camera(&c);
	watch_for("nothing has moved");
	ck_assert_int_eq(pstk_network_run(net), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(net), "'cam' (camera): nothing has moved for ");
	ck_assert_int_eq(pstk_network_set_watchdog(net, 1, false), -EBUSY);
	pstk_network_destroy(net);
	close_camera(&c);

	setenv("PENSTOCK_WATCHDOG", "soon", 1);
	watch_for("PENSTOCK_WATCHDOG='soon' is ignored: expected seconds");
	net = make_camera(&c);
	ck_assert_int_eq(write(c.pipe[1], "e", 1), 1);
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
	pstk_set_log(NULL, NULL);
	ck_assert_uint_ge(warnings.count, 1);
	close_camera(&c);
	ck_assert_int_eq(pstk_network_set_watchdog(NULL, 1, false), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watchdog");
	TCase *fire = test_case(suite, "fire");

	tcase_add_test(fire, test_idle_source);
	tcase_add_test(fire, test_abort);
	tcase_add_loop_test(fire, test_no_unblock, 0, 2);
	tcase_add_loop_test(fire, test_endless_fire, 0, 2);
	tcase_add_test(fire, test_late_wait);
	tcase_add_test(fire, test_last_movement);
	tcase_add_loop_test(fire, test_quiet, 0, 2);
	tcase_add_test(fire, test_environment);
	return test_main(suite);
}
