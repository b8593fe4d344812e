/* SPDX-License-Identifier: MIT */
/*
 * Item 7 fails on the device while item 6 is still on its way there. The error is item 7's, and its text says at which
 * stage and where; item 6 is carried on the cores.
 */
#include "lib/pipeline/carriage.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"
#include "tests/opencl/row_net.h"

#include <penstock/opencl.h>
#include <penstock/pipeline.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { STAGES = 3, BAD = 7, TOKENS = 40 };

/* What becomes of item 7 in its stage. */
enum way_to_fail { BY_ITSELF, ITS_COMMAND, DEVICE_LOST, DEVICE_REFUSES, WAYS_TO_FAIL };

/* Item 6 waits in a stage on the cores until item 7 has failed in another one, on the device. */
static const struct {
	const char *configuration;
	unsigned waits, fails; /* stages */
} cases[] = { { "CG:001:3", 0, 2 }, { "CG:011:3", 0, 1 }, { "CG:011:3", 0, 2 }, { "CG:101:3", 1, 0 },
	{ "MG:101", 1, 0 } };
enum { CASES = TEST_COUNT(cases) };

/* Windows are copied, or used in place. */
static const char *const drivers[] = { "svm=none,unified=0", "svm=none,unified=1" };

static const unsigned teams[] = { 0, 2 };

static struct {
	const struct fake_cl *fake;
	enum way_to_fail how;
	unsigned waits, fails;
	struct pstk_network *net;
	struct pstk_pipeline *pipeline;
	atomic_bool is_waiting, has_failed;
	_Atomic uint64_t come, wrong;
} t;

static unsigned number_of(const struct pstk_actor *stage)
{
	return *(const unsigned *)pstk_actor_arg(stage);
}

/* A thread that waits for what another one does. */
static bool waits_on(void)
{
	sched_yield();
	return !pstk_network_failed(t.net);
}

/*
 * Actors. Stages pass tokens on.
 */

/* May this item come? Item 6 alone, item 7 when that one waits, all others when item 7 has failed. */
static bool may_come(uint64_t item)
{
	if (item == BAD - 1)
		return atomic_load(&t.come) == BAD - 1;
	if (item == BAD)
		return atomic_load(&t.is_waiting);
	return item < BAD || atomic_load(&t.has_failed);
}

static int source_fire(struct pstk_firing *f)
{
	uint64_t k = pstk_firing_index(f);

	while (!may_come(k) && waits_on())
		;
	*(uint64_t *)pstk_fifo_write_start(f, 0) = k;
	pstk_fifo_write_end(f, 0);
	return k + 1 < TOKENS ? PSTK_AGAIN : PSTK_DONE;
}

/* Until item 7 has failed, and its thread has given the device back. */
static void wait_for_failure(void)
{
	struct ps_token *device = t.pipeline->run->device;

	atomic_store(&t.is_waiting, true);
	while (!atomic_load(&t.has_failed) && waits_on())
		;
	while (!ps_token_try(device))
		sched_yield();
	ps_token_give(device);
}

static int fire(struct pstk_firing *f)
{
	unsigned k = number_of(pstk_firing_actor(f));
	uint64_t item = pstk_firing_index(f);

	if (item == BAD - 1 && k == t.waits)
		wait_for_failure();
	if (item == BAD && k == t.fails) {
		atomic_store(&t.has_failed, true);
		return pstk_actor_error(pstk_firing_actor(f), -EDOM, "on the cores");
	}
	*(uint64_t *)pstk_fifo_write_start(f, 1) = *(const uint64_t *)pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* The commands that this stage is to enqueue. */
static void spoil(void)
{
	if (t.how == ITS_COMMAND)
		ck_assert_int_eq(t.fake->fail_command(CL_COMMAND_COPY_BUFFER, 1, CL_OUT_OF_RESOURCES), 0);
	else
		t.fake->lose_device(1, CL_DEVICE_NOT_AVAILABLE, t.how == DEVICE_REFUSES);
}

static int fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct pstk_cl_window in, out;
	cl_event event;
	cl_int code;
	int err;

	if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
		return -EPROTO;
	if (pstk_firing_index(f) == BAD && number_of(self) == t.fails) {
		atomic_store(&t.has_failed, true);
		if (t.how == BY_ITSELF)
			return pstk_actor_error(self, -EIO, "item %u is bad", BAD);
		spoil();
	}
	code = clEnqueueCopyBuffer(pstk_cl_queue(f), in.buffer, out.buffer, 0, 0, in.bytes, 0, NULL, &event);
	if (code)
		return pstk_actor_error(self, -EIO, "the copy: %s", pstk_cl_error_name(code));
	/* a stage behind the bad one: the cause is that one's command, also if this one's is seen to fail first */
	if (pstk_firing_index(f) == BAD && number_of(self) > t.fails) {
		clFlush(pstk_cl_queue(f));
		t.fake->settle();
	}
	err = pstk_cl_depend(f, event);
	clReleaseEvent(event);
	return err ? err : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	if (*(const uint64_t *)pstk_fifo_read_start(f, 0) != atomic_load(&t.come))
		atomic_fetch_add(&t.wrong, 1);
	pstk_fifo_read_end(f, 0);
	atomic_fetch_add(&t.come, 1);
	return PSTK_AGAIN;
}

/*
 * The network.
 */

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

static struct pstk_actor *add_end(const char *name, bool source)
{
	return pstk_network_add(t.net, name,
		PSTK_ACTOR_TYPE(.name = "end", .ports = &ports[source], .port_count = 1, .blocks = true,
			.fire = source ? source_fire : sink_fire),
		NULL);
}

static void connect(struct pstk_actor *from, struct pstk_actor *to)
{
	pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
}

static void build(const char *configuration, unsigned team)
{
	struct pstk_actor *stages[STAGES], *from;

	atomic_store(&t.is_waiting, false);
	atomic_store(&t.has_failed, false);
	atomic_store(&t.come, 0);
	atomic_store(&t.wrong, 0);
	t.net = pstk_network_create("errors");
	from = add_end("source", true);
	for (unsigned k = 0; k < STAGES; k++) {
		static const char *const names[] = { "first", "second", "third" };

		stages[k] = pstk_network_add(t.net, names[k],
			PSTK_ACTOR_TYPE(.name = "stage", .ports = ports, .port_count = 2, .stateless = true,
				.fire = fire, .fire_cl = fire_cl, .arg_size = sizeof k),
			&k);
		connect(from, stages[k]);
		from = stages[k];
	}
	connect(from, add_end("sink", false));
	ck_assert_int_eq(pstk_network_set_threads(t.net, team), 0);
	t.pipeline = pstk_pipeline_add(t.net, "line", stages, STAGES,
		PSTK_PIPELINE(.device = "pstk:gpu:0", .cores = 2, .configuration = configuration));
	ck_assert_msg(t.pipeline != NULL, "%s", pstk_network_error(t.net));
}

static void expect(const char *what)
{
	static const char *const says[WAYS_TO_FAIL] = { "fire_cl(): item 7 is bad", "CL_OUT_OF_RESOURCES",
		"CL_DEVICE_NOT_AVAILABLE", "CL_DEVICE_NOT_AVAILABLE" };
	static const char *const stages[] = { "stage 'first' (stage) on pstk:gpu:0: ",
		"stage 'second' (stage) on pstk:gpu:0: ", "stage 'third' (stage) on pstk:gpu:0: " };
	const char *text = pstk_network_error(t.net);
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(pstk_pipeline_actor(t.pipeline), &stats);
	ck_assert_msg(
		stats.firings == BAD, "%s: %llu items: %s", what, (unsigned long long)stats.firings, text);
	ck_assert_msg(strstr(text, says[t.how]) && strstr(text, stages[t.fails]) && strstr(text, "firing 7"),
		"%s: %s", what, text);
	ck_assert_uint_le(atomic_load(&t.come), BAD);
	ck_assert_uint_eq(atomic_load(&t.wrong), 0);
}

/* _i: how item 7 fails, and the driver. */
START_TEST(lowest_item)
{
	const char *driver = drivers[_i / WAYS_TO_FAIL];
	char what[100];

	t.how = (enum way_to_fail)(_i % WAYS_TO_FAIL);
	t.fake = row_net_driver(driver, NULL);
	for (unsigned i = 0; i < CASES * TEST_COUNT(teams) * test_rounds(5); i++) {
		const unsigned c = i % CASES, team = teams[i / CASES % TEST_COUNT(teams)];

		snprintf(what, sizeof what, "%s, %s, stage %u, team of %u", driver, cases[c].configuration,
			cases[c].fails, team);
		test_guard(what, i);
		row_net_reset(t.fake);
		t.waits = cases[c].waits;
		t.fails = cases[c].fails;
		build(cases[c].configuration, team);
		ck_assert_msg(pstk_network_run(t.net) < 0, "%s", what);
		expect(what);
		pstk_network_destroy(t.net);
		if (t.how >=
			DEVICE_LOST) /* what could not be unmapped any more is no mistake of the library's */
			t.fake->reset();
		fault_check_left(t.fake, false, what);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_errors");
	TCase *tcase = test_case(suite, "errors");

	tcase_add_loop_test(tcase, lowest_item, 0, WAYS_TO_FAIL * (int)TEST_COUNT(drivers));
	return test_main(suite);
}
