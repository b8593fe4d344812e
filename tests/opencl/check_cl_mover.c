/* SPDX-License-Identifier: MIT */
/*
 * Windows that are moved on through the host, and staged ones: every token with random rates, delays and ends, whatever
 * ends or fails on the way; and the thread that moves them.
 */
#include "lib/opencl/device.h"
#include "tests/common/common.h"
#include "tests/opencl/way_net.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* -- every token -- */

static void draw(struct way_plan *plan, struct test_rng *rng)
{
	static const unsigned teams[] = { 0, 1, 2, 4 };

	*plan = (struct way_plan){ .depth = test_between(rng, 1, 3),
		.one = "pstk:gpu:0",
		.two = test_chance(rng, 80) ? "pstk:gpu:1" : "pstk:gpu:0",
		.team = teams[test_between(rng, 0, 3)] };
	plan->tokens = test_between(rng, 1, 30 * WAY_RATE);
	if (test_chance(rng, 50)) {
		plan->out = test_between(rng, 1, WAY_RATE);
		plan->in = test_between(rng, 1, WAY_RATE);
	}
	if (test_chance(rng, 40))
		plan->delay = test_between(rng, 1, 20);
	if (test_chance(rng, 30))
		plan->history = test_between(rng, 1, 5);
	if (test_chance(rng, 25))
		plan->sink_ends = test_between(rng, 1, 12);
}

enum { PLAIN, POCL, CASCADE, LAZY, UNIFIED, NVIDIA, DRIVERS };

static const char *const drivers[DRIVERS] = { "", ",pocl=1", ",cascade=1", ",lazy=1", ",unified=1",
	",nvidia=1" };

static const struct fake_cl *draw_driver(struct test_rng *rng, uint64_t seed, unsigned kind)
{
	char settings[128];

	ps_device_grace_ns = 20000000;
	setenv("PENSTOCK_MEMORY", "copy", 1);
	snprintf(settings, sizeof settings, WAY_TWO_DEVICES ",delay=%" PRIu64 "%s",
		test_chance(rng, 70) ? seed : 0, drivers[kind]);
	return way_driver(settings);
}

START_TEST(every_token)
{
	uint64_t rounds = test_rounds(400);

	for (uint64_t i = 0, seed = test_seed(); i < rounds; i++, seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct fake_cl *fake = draw_driver(&rng, seed, test_between(&rng, 0, DRIVERS - 1));
		struct way_plan plan;
		struct way_net c;

		test_guard("every token", seed);
		draw(&plan, &rng);
		way_build(&c, &plan);
		way_start(&c);
		if (test_chance(&rng, 50))
			sched_yield();
		way_end_well(&c, fake, "every token");
	}
}
END_TEST

/* Aborts and stops at any time: what has come is right, nothing is left. */
START_TEST(ends_at_any_time)
{
	uint64_t rounds = test_rounds(200);

	for (uint64_t i = 0, seed = test_seed(); i < rounds; i++, seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct fake_cl *fake = draw_driver(&rng, seed, test_between(&rng, 0, DRIVERS - 1));
		unsigned yields = test_between(&rng, 0, 300);
		bool stop = test_chance(&rng, 30);
		struct way_plan plan;
		struct way_net c;
		int err;

		test_guard("ends at any time", seed);
		draw(&plan, &rng);
		way_build(&c, &plan);
		atomic_store(&c.gate, test_chance(&rng, 70));
		way_start(&c);
		while (yields-- > 0)
			sched_yield();
		if (stop)
			pstk_network_stop(c.net);
		else
			pstk_network_abort(c.net);
		way_open_gates(&c);
		err = pstk_network_wait(c.net);
		ck_assert_uint_eq(atomic_load(&way_wrong), 0);
		ck_assert_msg(!err || (!stop && err == -ECANCELED), "%d: %s", err, pstk_network_error(c.net));
		pstk_network_destroy(c.net);
		way_check_left(fake, false, "ends at any time");
	}
}
END_TEST

/* -- what fails -- */

static const struct failing {
	cl_command_type type;
	const char *function;
} failing[] = { { CL_COMMAND_READ_BUFFER, "clEnqueueReadBuffer" },
	{ CL_COMMAND_WRITE_BUFFER, "clEnqueueWriteBuffer" }, { CL_COMMAND_NDRANGE_KERNEL, NULL } };

/* The text names the FIFO, the hop, the device, and what has failed, whichever actor waited for it. Of a kernel it may
 * be that an actor's command waited for it. */
static void check_text(const struct failing *what, bool call, const char *text)
{
	bool transfer = what->function && !strstr(text, "clEnqueueWriteBuffer for the delay tokens");

	ck_assert_msg(strchr(text, '\'') && strstr(text, "pstk:gpu:"), "%s", text);
	ck_assert_msg(!transfer || (strstr(text, " -> '") && strstr(text, ", hop ") && strstr(text, " of ")),
		"%s", text);
	ck_assert_msg(
		strstr(text, "CL_OUT_OF_RESOURCES (-5)") || (!transfer && strstr(text, "WAIT_LIST (-14)")),
		"%s", text);
	if (call)
		TEST_SAYS(text, what->function);
}

/* The n-th transfer, or kernel, fails, or can't be enqueued: the error says what and where. */
static bool fail_one(const struct failing *what, unsigned n, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };
	unsigned kind = test_between(&rng, PLAIN, LAZY);
	const struct fake_cl *fake = draw_driver(&rng, seed, kind);
	bool call = what->function && test_chance(&rng, 40), lost;
	struct way_plan plan;
	struct way_net c;
	int err;

	draw(&plan, &rng);
	plan.two = "pstk:gpu:1";
	plan.tokens = 8 * WAY_RATE;
	plan.sink_ends = 0;
	way_build(&c, &plan);
	way_open_gates(&c);
	if (call)
		fake->fail_calls(what->function, n, 1, CL_OUT_OF_RESOURCES);
	else
		fake->fail_command(what->type, n, CL_OUT_OF_RESOURCES);
	test_log_start();
	err = pstk_network_run(c.net);
	if (err) {
		check_text(what, call, pstk_network_error(c.net));
		/* behind a window that has failed kernels may see anything; no sink does */
		atomic_store(&way_wrong, 0);
	} else {
		way_check_tokens(&c, "what fails");
		ck_assert_uint_gt(n, call ? fake->calls(what->function) : fake->commands(what->type));
	}
	pstk_network_destroy(c.net);
	lost = test_log_has("commands have not ended");
	test_log_stop();
	ck_assert(!lost || kind == POCL);
	way_check_left(fake, lost, "what fails");
	return err;
}

START_TEST(transfers_fail)
{
	uint64_t rounds = test_rounds(150);
	unsigned failed = 0;

	for (uint64_t i = 0, seed = test_seed(); i < rounds; i++, seed++) {
		test_guard("transfers fail", seed);
		failed += fail_one(&failing[_i], 1 + (unsigned)(test_mix(seed) % 20), seed);
	}
	ck_assert_uint_gt(failed, 0);
}
END_TEST

/* An end has asked that the mover be called back, and PoCL calls back for no transfer that has failed. */
START_TEST(no_callback)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES ",pocl=1");
	struct way_plan plan = { .depth = 1,
		.one = "pstk:gpu:0",
		.two = "pstk:gpu:1",
		.late = true,
		.tokens = WAY_RATE,
		.team = (unsigned)_i };
	struct way_net c;

	way_build(&c, &plan);
	way_start(&c);
	fake->hold(true);
	ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, 1, CL_OUT_OF_RESOURCES), 0);
	way_open_gates(&c);
	way_await_written(c.to_two, 1);
	fake->hold(false);
	ck_assert_int_lt(pstk_network_wait(c.net), 0);
	TEST_SAYS(pstk_network_error(c.net), "'", "on pstk:gpu:");
	pstk_network_destroy(c.net);
	way_check_left(fake, false, "no callback");
}
END_TEST

/* Of two contexts: the device whose command could not be enqueued. Host and devices share memory, so that all transfers
 * are of the way between the devices. */
START_TEST(device_that_refuses)
{
	static const char *const devices[] = {
		"'one'.out -> 'two'.in, hop 1 of 2, a transfer from pstk:gpu:0: ",
		"'one'.out -> 'two'.in, hop 2 of 2, a transfer to pstk:gpu:1: "
	};
	const struct fake_cl *fake = way_driver("devices=2,svm=fine,unified=1,races=1");
	struct way_plan plan = { .depth = 2, .one = "pstk:gpu:0", .two = "pstk:gpu:1" };
	struct way_net c;

	way_build(&c, &plan);
	way_open_gates(&c);
	fake->fail_calls(failing[_i].function, 3, 1, CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(pstk_network_run(c.net), -ENOMEM);
	TEST_SAYS(pstk_network_error(c.net), failing[_i].function, devices[_i]);
	pstk_network_destroy(c.net);
	way_check_left(fake, false, failing[_i].function);
}
END_TEST

/* -- the mover -- */

/* The n-th thread from now on can't be had; 0: all can. */
static _Atomic unsigned refused, created;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*main)(void *), void *arg)
{
	unsigned n = atomic_fetch_add(&created, 1) + 1;

	return n == atomic_load(&refused) ? EAGAIN : __real_pthread_create(t, attr, main, arg);
}

/* Threads of this process with that name. */
static unsigned movers(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned count = 0;

	ck_assert_ptr_nonnull(tasks);
	for (const struct dirent *d; (d = readdir(tasks));) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof path, "/proc/self/task/%s/comm", d->d_name);
		file = d->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (file && fgets(name, sizeof name, file))
			count += !strcmp(name, "pstk-mover\n");
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return count;
}

/* A thread gets its name once it runs, and the system lists it for a moment after it was joined. */
static void await_movers(unsigned count)
{
	while (movers() != count)
		sched_yield();
}

START_TEST(one_mover)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	struct way_plan relayed = { .depth = 2,
		.one = "pstk:gpu:0",
		.two = "pstk:gpu:1",
		.team = (unsigned)_i },
			staged = { .depth = 2, .one = "pstk:gpu:0", .team = (unsigned)_i };
	struct way_net c;

	way_build(&c, &relayed);
	way_start(&c);
	way_await_written(c.to_sink, 4); /* the sink has a window that came that way */
	await_movers(1);
	way_open_gates(&c);
	ck_assert_int_eq(pstk_network_wait(c.net), 0);
	await_movers(0);
	pstk_network_destroy(c.net);
	way_check_left(fake, false, "relayed");

	way_build(&c, &staged);
	way_start(&c);
	way_await_written(c.to_sink, 4);
	ck_assert_uint_eq(movers(), 0);
	way_end_well(&c, fake, "staged");
}
END_TEST

/* Each thread in turn can't be had, the mover once: start() says so, and leaves nothing. */
START_TEST(no_thread)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	struct way_plan plan = { .depth = 2, .one = "pstk:gpu:0", .two = "pstk:gpu:1", .team = (unsigned)_i };
	unsigned no_mover = 0, others = 0;

	for (unsigned n = 1;; n++) {
		struct way_net c;
		int err;
		bool last;

		way_build(&c, &plan);
		way_open_gates(&c);
		atomic_store(&created, 0);
		atomic_store(&refused, n);
		err = pstk_network_start(c.net);
		atomic_store(&refused, 0);
		last = atomic_load(&created) < n;
		if (err) {
			ck_assert_int_eq(err, -EAGAIN);
			await_movers(0); /* not only once the network is destroyed */
			if (strstr(pstk_network_error(c.net), "no thread to move windows between devices"))
				no_mover++;
			else
				others++;
		} else {
			ck_assert_int_eq(pstk_network_wait(c.net), 0);
		}
		pstk_network_destroy(c.net);
		await_movers(0);
		way_check_left(fake, false, "no thread");
		if (last)
			break;
	}
	ck_assert_uint_eq(no_mover, 1);
	ck_assert_uint_gt(others, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_mover");
	TCase *tcase = test_case(suite, "tokens");

	tcase_add_test(tcase, every_token);
	tcase_add_test(tcase, ends_at_any_time);
	tcase_add_loop_test(tcase, transfers_fail, 0, TEST_COUNT(failing));
	tcase_add_loop_test(tcase, no_callback, 0, 3);
	tcase_add_loop_test(tcase, device_that_refuses, 0, 2);
	tcase = test_case(suite, "mover");
	tcase_add_loop_test(tcase, one_mover, 0, 3);
	tcase_add_loop_test(tcase, no_thread, 0, 3);
	return test_main(suite);
}
