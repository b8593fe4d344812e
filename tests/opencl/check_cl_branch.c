/* SPDX-License-Identifier: MIT */
/*
 * Broadcasts over hops, on the fake driver: a window crosses each link once and lies at each place once, whichever
 * readers it has. The expected transfers and bytes are counted by hand from where writer and readers are.
 *
 * 	source --> (writer, on a device; may be missing) --> readers: sinks, or on devices, each with a sink behind it
 */
#include "lib/model/network.h"
#include "tests/common/common.h"
#include "tests/opencl/way_net.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

enum { READERS = 5, REST = 5, TOKENS = WAY_FIRINGS * WAY_RATE + REST, FIRINGS = WAY_FIRINGS + 1 };

#define THREE_DEVICES "devices=3,svm=none,unified=0,races=1"

struct reader {
	const char *device; /* "": the host; NULL: there is no such reader */
	uint32_t depth, delay, history;
	uint64_t ends; /* its sink's firings; 0: never */
	bool held;     /* its sink waits for the gate */
};

struct branch_case {
	const char *writer; /* NULL: the source itself */
	struct reader readers[READERS];
	unsigned down, up; /* transfers of a window from the writer's device, and to those of the readers */
	unsigned windows;  /* of all places */
	unsigned locked;   /* host sides, which begin on a line */
	unsigned shared;   /* FIFOs whose reader reads the memory of another one's */
	unsigned team;
};

static struct {
	const struct branch_case *of;
	struct pstk_network *net;
	struct pstk_fifo *fifos[READERS];
	_Atomic uint64_t gate;
	uint32_t sent, came[READERS];
	const struct pstk_fifo
		*closes; /* the source waits in firing CLOSES_IN until its reader ends; NULL: it doesn't */
	_Atomic uint64_t inside; /* it is in that firing */
} run;

enum { CLOSES_IN = 3 };

static int source_fire(struct pstk_firing *f)
{
	uint32_t *out = pstk_fifo_write_start(f, 0), left = TOKENS - run.sent,
		 count = left < WAY_RATE ? left : WAY_RATE;

	if (run.closes && pstk_firing_index(f) == CLOSES_IN) {
		atomic_store(&run.inside, 1);
		while (!atomic_load(&run.closes->fifo.discards))
			sched_yield();
	}
	for (uint32_t i = 0; i < WAY_RATE; i++)
		out[i] = i < count ? ++run.sent : 0xbad;
	pstk_fifo_write_end_partial(f, 0, count);
	return run.sent < TOKENS ? PSTK_AGAIN : PSTK_DONE;
}

/* Tokens are zeros as far as there is delay, then 1, 2, .., then zeros behind what is valid. */
static int sink_fire(struct pstk_firing *f)
{
	unsigned r = *(const unsigned *)pstk_actor_arg(pstk_firing_actor(f));
	const struct reader *reader = &run.of->readers[r];
	const uint32_t *in =
		(const uint32_t *)pstk_fifo_read_start(f, 0) + (*reader->device ? 0 : reader->history);
	uint32_t valid = pstk_port_valid(f, 0);

	if (reader->held)
		test_await(&run.gate, 1);
	if (reader->ends && run.closes)
		test_await(&run.inside, 1);
	for (uint32_t i = 0; i < WAY_RATE; i++) {
		uint32_t n = run.came[r] + i, expected = n < reader->delay ? 0 : n - reader->delay + 1;

		if (in[i] != (i < valid ? expected : 0))
			return pstk_actor_error(
				pstk_firing_actor(f), -EPROTO, "%u instead of %u", in[i], expected);
	}
	run.came[r] += valid;
	pstk_fifo_read_end(f, 0);
	return reader->ends && pstk_firing_index(f) + 1 == reader->ends ? PSTK_DONE : PSTK_AGAIN;
}

static int copy_init(struct pstk_actor *self)
{
	const size_t one = 1;
	uint32_t history = pstk_actor_port_history(self, 0);
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	err = err ? err : pstk_actor_set_arg(self, 0, 4, PSTK_ARG_RATE(0));
	err = err ? err : pstk_actor_set_arg(self, 1, 4, &history);
	return err ? err : pstk_actor_set_arg(self, 2, 4, PSTK_ARG_VALID(0));
}

static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };

static struct pstk_actor *add_copy(const char *name, const char *device)
{
	static const struct pstk_kernel copy = { .source = "kernel void way_copy(\n", .name = "way_copy" };
	struct pstk_actor *a = pstk_network_add(run.net, name,
		PSTK_ACTOR_TYPE(.name = "copy", .ports = in_out, .port_count = 2, .init = copy_init,
			.kernel = &copy),
		NULL);

	ck_assert_int_eq(pstk_actor_map(a, device), 0);
	return a;
}

static struct pstk_fifo *join(struct pstk_actor *from, struct pstk_actor *to, uint32_t depth, uint32_t delay)
{
	return pstk_connect(from, "out", to, "in",
		PSTK_FIFO(.rate = WAY_RATE, .token_size = 4, .depth = depth, .delay = delay));
}

static void add_reader(struct pstk_actor *writer, unsigned r)
{
	static unsigned numbers[READERS] = { 0, 1, 2, 3, 4 };
	const struct reader *reader = &run.of->readers[r];
	char name[] = "reader0", sink_name[] = "sink0";
	struct pstk_actor *sink, *at;

	name[6] = sink_name[4] = (char)('0' + r);
	sink = pstk_network_add(run.net, sink_name,
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in_out, .port_count = 1, .fire = sink_fire,
			.blocks = reader->held, .arg_size = sizeof(unsigned)),
		&numbers[r]);
	at = *reader->device ? add_copy(name, reader->device) : sink;
	pstk_actor_set_history(at, 0, reader->history);
	run.fifos[r] = join(writer, at, reader->depth, reader->delay);
	if (at != sink)
		join(at, sink, 2, 0);
}

static void build(const struct branch_case *of)
{
	struct pstk_actor *source, *writer;

	memset(&run, 0, sizeof run);
	run.of = of;
	run.net = pstk_network_create("branch");
	source = pstk_network_add(run.net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &in_out[1], .port_count = 1, .fire = source_fire),
		NULL);
	writer = source;
	if (of->writer) {
		writer = add_copy("writer", of->writer);
		join(source, writer, 2, 0);
	}
	for (unsigned r = 0; r < READERS && of->readers[r].device; r++)
		add_reader(writer, r);
	ck_assert_int_eq(pstk_network_set_threads(run.net, of->team), 0);
}

static void check_memory(const char *what)
{
	size_t allocated = 0;
	unsigned shared = 0;

	for (unsigned r = 0; r < READERS && run.fifos[r]; r++) {
		struct pstk_fifo_info info;

		ck_assert_int_eq(pstk_fifo_get_info(run.fifos[r], &info), 0);
		allocated += info.allocated;
		shared += info.shared;
	}
	ck_assert_msg(allocated == (run.of->windows + run.of->locked) * (size_t)WAY_LINE, "%s: %zu bytes",
		what, allocated);
	ck_assert_msg(shared == run.of->shared, "%s: %u share", what, shared);
}

/* Each reader that does not end by itself gets all tokens. */
static void check_tokens(const char *what)
{
	ck_assert_msg(!atomic_load(&way_wrong), "%s: wrong windows at a kernel", what);
	for (unsigned r = 0; r < READERS && run.fifos[r]; r++)
		ck_assert_msg(run.of->readers[r].ends || run.came[r] == TOKENS + run.of->readers[r].delay,
			"%s: reader %u got %u tokens", what, r, run.came[r]);
}

static void run_well(const struct branch_case *of, const struct fake_cl *fake, const char *what)
{
	build(of);
	ck_assert_msg(!pstk_network_start(run.net), "%s: %s", what, pstk_network_error(run.net));
	check_memory(what);
	if (of->readers[0].held) {
		for (unsigned i = 0; i < 2000; i++)
			sched_yield();
		atomic_store(&run.gate, 1);
	}
	ck_assert_msg(!pstk_network_wait(run.net), "%s: %s", what, pstk_network_error(run.net));
	check_tokens(what);
	pstk_network_destroy(run.net);
	way_check_left(fake, false, what);
}

#define ON(d, k)                        \
	{                               \
		.device = d, .depth = k \
	}

/* Of depth k each place but the sinks' has k windows. */
static const struct branch_case cases[] = {
	/* all at one place: 0 1 2 */
	{ NULL, { ON("pstk:gpu:0", 2), ON("pstk:gpu:0", 2) }, 0, 1, 2 + 2, 1, 1, 0 },
	{ "pstk:gpu:0", { ON("", 2), ON("", 2), ON("", 2) }, 1, 0, 2 + 2, 1, 2, 0 },
	{ "pstk:gpu:0", { ON("pstk:gpu:1", 2), ON("pstk:gpu:1", 2) }, 1, 1, 2 + 2 + 2, 1, 1, 0 },
	/* one place more for each: 3 4 5 */
	{ NULL, { ON("pstk:gpu:0", 2), ON("pstk:gpu:1", 2), ON("pstk:gpu:2", 2) }, 0, 3, 2 + 3 * 2, 1, 0, 0 },
	{ "pstk:gpu:0", { ON("", 2), ON("pstk:gpu:1", 2) }, 1, 1, 2 + 2 + 2, 1, 0, 0 },
	{ "pstk:gpu:0",
		{ ON("pstk:gpu:1", 2), ON("", 2), ON("pstk:gpu:2", 2), ON("pstk:gpu:1", 2), ON("", 2) }, 1, 2,
		2 + 2 + 2 + 2, 1, 2, 0 },
	/* windows as the deepest wants them, 1 of each and many: 6 7 8 */
	{ NULL, { ON("pstk:gpu:0", 1), ON("pstk:gpu:0", 5), ON("pstk:gpu:1", 3) }, 0, 2, 5 + 5 + 3, 1, 1, 0 },
	{ "pstk:gpu:0", { ON("", 1), ON("pstk:gpu:1", 3), ON("", 4) }, 1, 1, 4 + 4 + 3, 1, 1, 0 },
	{ "pstk:gpu:0", { ON("", 1), ON("pstk:gpu:1", 1), ON("pstk:gpu:1", 1) }, 1, 1, 3, 1, 1, 0 },
	/* one stands still for a while: 9 10 11 */
	{ NULL, { { "pstk:gpu:0", 2, .held = true }, ON("pstk:gpu:0", 2), ON("pstk:gpu:1", 2) }, 0, 2, 6, 1,
		1, 0 },
	{ "pstk:gpu:0", { { "", 2, .held = true }, ON("pstk:gpu:1", 2), ON("", 2) }, 1, 1, 6, 1, 1, 0 },
	{ "pstk:gpu:0", { { "pstk:gpu:1", 2, .held = true }, ON("", 2), ON("pstk:gpu:2", 2) }, 1, 2, 8, 1, 0,
		0 },
	/* readers beside the writer, on the host, deep enough or not: 12 13 14 15 16 */
	{ NULL, { ON("", 2), ON("pstk:gpu:0", 2), ON("pstk:gpu:0", 2) }, 0, 1, 2 + 2, 1, 2, 0 },
	{ NULL, { ON("pstk:gpu:0", 2), ON("", 2), ON("pstk:gpu:1", 2), ON("", 2) }, 0, 2, 2 + 2 + 2, 1, 2,
		0 },
	{ NULL, { ON("", 3), ON("pstk:gpu:0", 2), ON("pstk:gpu:0", 2) }, 0, 1, 3 + 2, 1, 2, 0 },
	{ NULL, { ON("pstk:gpu:0", 2), ON("pstk:gpu:0", 2), ON("", 1) }, 0, 1, 2 + 2 + 1, 1, 1, 0 },
	{ NULL, { ON("pstk:gpu:0", 2), ON("", 9) }, 0, 1, 9 + 2, 1, 1, 0 },
	/* the same, copied from the way of one before them, which keeps its own: 17 */
	{ NULL, { { "pstk:gpu:0", 2, .delay = WAY_RATE }, ON("pstk:gpu:0", 2), ON("", 2) }, 0, 2,
		2 + 3 + 2 + 2, 2, 1, 0 },
	/* readers on the writer's device, too, deep enough or not: 18 19 20 21 */
	{ "pstk:gpu:0", { ON("pstk:gpu:0", 2), ON("", 2) }, 1, 0, 2 + 2, 1, 0, 0 },
	{ "pstk:gpu:0", { ON("pstk:gpu:1", 2), ON("pstk:gpu:0", 4), ON("", 2), ON("pstk:gpu:0", 4) }, 1, 1,
		4 + 2 + 2, 1, 1, 0 },
	{ "pstk:gpu:0", { { "", 1, .held = true }, ON("pstk:gpu:0", 1), ON("pstk:gpu:0", 1) }, 1, 0, 1 + 1, 1,
		1, 0 },
	{ "pstk:gpu:0", { ON("pstk:gpu:0", 1), ON("", 2) }, 1, 0, 1 + 2 + 2, 1, 0, 0 },
	/* those that can't share keep ways of their own: 22 23 */
	{ NULL, { ON("pstk:gpu:0", 2), { "pstk:gpu:0", 2, .delay = WAY_RATE }, ON("pstk:gpu:0", 2) }, 0, 2,
		2 + 2 + 2 + 3, 2, 1, 0 },
	{ "pstk:gpu:0", { ON("", 2), { "", 2, .delay = 3 * WAY_RATE } }, 2, 0, 2 + 2 + 2 + 5, 2, 0, 0 },
};

static struct branch_case with_team(int i)
{
	struct branch_case c = cases[(size_t)i % TEST_COUNT(cases)];

	c.team = (size_t)i < TEST_COUNT(cases) ? 0 : 2;
	return c;
}

START_TEST(crosses_once)
{
	const struct fake_cl *fake = way_driver(THREE_DEVICES);
	struct branch_case c = with_team(_i);
	unsigned devices = 0, initial = 0;
	char what[40];

	snprintf(what, sizeof what, "case %d", _i);
	for (unsigned r = 0; r < READERS && c.readers[r].device; r++) {
		devices += *c.readers[r].device != 0;
		initial += *c.readers[r].device && c.readers[r].delay;
	}
	run_well(&c, fake, what);
	/* besides: from the source to a writer on a device, to the sinks of readers on devices, initial tokens */
	ck_assert_uint_eq(fake->commands(CL_COMMAND_WRITE_BUFFER),
		FIRINGS * (uint64_t)(c.up + (c.writer != NULL)) + initial);
	ck_assert_uint_eq(
		fake->commands(CL_COMMAND_READ_BUFFER), FIRINGS * (uint64_t)(c.down + devices) + initial);
}
END_TEST

/* One thread at a time calls OpenCL: no lock is taken in another order. The second half is on a driver that begins
 * nothing before a flush. */
START_TEST(one_by_one)
{
	bool lazy = _i >= 2 * (int)TEST_COUNT(cases);
	const struct fake_cl *fake;
	struct branch_case c = with_team(_i % (2 * (int)TEST_COUNT(cases)));

	setenv("PENSTOCK_SERIAL", "1", 1);
	fake = way_driver(lazy ? THREE_DEVICES ",lazy=1" : THREE_DEVICES);
	run_well(&c, fake, "one by one");
}
END_TEST

/* Where windows overlap anywhere in the network, each FIFO has a way of its own. */
START_TEST(not_where_windows_overlap)
{
	const struct fake_cl *fake = way_driver(THREE_DEVICES);
	struct branch_case c = { "pstk:gpu:0", { ON("", 2), ON("", 2), { "", 2, .history = 3 } } };
	struct pstk_fifo_info info;

	build(&c);
	ck_assert_msg(!pstk_network_start(run.net), "%s", pstk_network_error(run.net));
	for (unsigned r = 0; r < 3; r++) {
		ck_assert_int_eq(pstk_fifo_get_info(run.fifos[r], &info), 0);
		ck_assert(!info.shared && info.allocated >= (size_t)4 * WAY_LINE);
	}
	ck_assert_msg(!pstk_network_wait(run.net), "%s", pstk_network_error(run.net));
	check_tokens("history");
	pstk_network_destroy(run.net);
	way_check_left(fake, false, "history");
	ck_assert_uint_ge(fake->commands(CL_COMMAND_READ_BUFFER), FIRINGS * (uint64_t)3);
}
END_TEST

/* Any of the readers ends early, at several places of the stream; then all of them, one after the other. */
START_TEST(readers_end)
{
	const struct fake_cl *fake = way_driver(THREE_DEVICES);

	/* a sanitizer sees enough in an eighth of them: with a team in others than without */
	for (unsigned of = TEST_SANITIZED && _i >= (int)TEST_COUNT(cases); of < 1u << 3;
		of += TEST_SANITIZED ? 2 : 1)
		for (uint64_t at = TEST_SANITIZED && _i % 2 ? 10 : 1; at < 12;
			at += TEST_SANITIZED ? 11 : 3) {
			struct branch_case c = with_team(_i);
			char what[60];

			for (unsigned r = 0; r < 3; r++)
				if (c.readers[r].device && (of & (1u << r)))
					c.readers[r].ends = at + r;
			snprintf(what, sizeof what, "case %d, readers %u end at %u", _i, of, (unsigned)at);
			run_well(&c, fake, what);
		}
}
END_TEST

/* A transfer takes its time, and its reader ends meanwhile. Another one goes on, in the same windows: on the writer's
 * device, or on the cores beside it. */
START_TEST(readers_end_while_windows_move)
{
	static const struct branch_case beside[] = {
		{ "pstk:gpu:0", { ON("pstk:gpu:0", 2), { "", 2, .ends = 3 } }, 0, 0, 2 + 2, 1, 0, 0 },
		{ NULL, { ON("", 2), { "pstk:gpu:0", 2, .ends = 1 } }, 0, 0, 2 + 2, 1, 1, 0 },
	};
	const struct fake_cl *fake = way_driver(THREE_DEVICES ",timed=1,rate=2e4");
	struct branch_case c = beside[(size_t)_i % TEST_COUNT(beside)];

	c.team = (size_t)_i < TEST_COUNT(beside) ? 0 : 2;
	for (unsigned i = 0; i < 5; i++)
		run_well(&c, fake, "ends while windows move");
}
END_TEST

/* Readers far apart, or that are to have buffers of their own (PENSTOCK_SHARE=0). */
START_TEST(the_cores_keep_their_own)
{
	static const struct branch_case own[] = {
		{ NULL, { ON("pstk:gpu:0", 1), ON("", 17) }, 0, 0, 1 + 1 + 17, 1, 0, 0 },
		{ NULL, { ON("pstk:gpu:0", 2), ON("", 2) }, 0, 0, 2 + 2 + 2, 1, 0, 0 },
	};
	const struct fake_cl *fake;

	if (_i)
		setenv("PENSTOCK_SHARE", "0", 1);
	fake = way_driver(THREE_DEVICES);
	run_well(&own[_i], fake, "buffers of their own");
}
END_TEST

/* A reader on a device ends between the moment when a host's writer takes its windows and that when it hands them over:
 * the writer is as many windows ahead of its sink. */
START_TEST(reader_ends_in_a_firing)
{
	const struct fake_cl *fake = way_driver(THREE_DEVICES);

	for (unsigned r = 0; r < 3; r++) {
		struct branch_case c = with_team(_i);

		if (c.writer || !c.readers[r].device || !*c.readers[r].device || c.readers[r].depth < 2)
			continue;
		c.readers[r].ends = 1;
		build(&c);
		run.closes = run.fifos[r];
		atomic_store(&run.gate, 1);
		ck_assert_msg(!pstk_network_run(run.net), "case %d, reader %u: %s", _i, r,
			pstk_network_error(run.net));
		check_tokens("ends in a firing");
		pstk_network_destroy(run.net);
		way_check_left(fake, false, "ends in a firing");
	}
}
END_TEST

/* Each transfer fails in turn, and each command that a transfer waits for. */
START_TEST(commands_fail)
{
	static const cl_command_type types[] = { CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER,
		CL_COMMAND_NDRANGE_KERNEL };
	const struct fake_cl *fake = way_driver(THREE_DEVICES);
	struct branch_case c = with_team(_i);

	for (unsigned t = 0; t < TEST_COUNT(types); t++)
		for (unsigned n = 5; n < 60; n += TEST_SANITIZED ? 27 : 11) {
			way_driver(THREE_DEVICES); /* counts from 0 */
			build(&c);
			atomic_store(&run.gate, 1);
			ck_assert_int_eq(fake->fail_command(types[t], n, CL_OUT_OF_RESOURCES), 0);
			test_log_start();
			ck_assert_msg(pstk_network_run(run.net), "case %d: command %u did not fail", _i, n);
			test_log_stop();
			TEST_SAYS(pstk_network_error(run.net), "CL_", "pstk:gpu:");
			pstk_network_destroy(run.net);
			way_check_left(fake, true, "a command that fails");
		}
}
END_TEST

/* start() takes nothing for good if any of its calls fails. */
START_TEST(starts_fail)
{
	static const char *const functions[] = { "clCreateBuffer", "clCreateCommandQueue" };
	const struct fake_cl *fake = way_driver(THREE_DEVICES);
	struct branch_case c = cases[5];

	for (unsigned n = 1;; n++) {
		int err;

		way_driver(THREE_DEVICES);
		build(&c);
		ck_assert_int_eq(fake->fail_calls(functions[_i], n, 1, CL_OUT_OF_HOST_MEMORY), 0);
		test_log_start();
		err = pstk_network_run(run.net);
		test_log_stop();
		pstk_network_destroy(run.net);
		way_check_left(fake, false, functions[_i]);
		if (!err && n > fake->calls(functions[_i]))
			break;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_branch");
	TCase *tcase = test_case(suite, "branches");

	tcase_add_loop_test(tcase, crosses_once, 0, 2 * TEST_COUNT(cases));
	tcase_add_loop_test(tcase, one_by_one, 0, 4 * TEST_COUNT(cases));
	tcase_add_test(tcase, not_where_windows_overlap);
	tcase_add_loop_test(tcase, readers_end, 0, 2 * TEST_COUNT(cases));
	tcase_add_loop_test(tcase, readers_end_while_windows_move, 0, 4);
	tcase_add_loop_test(tcase, the_cores_keep_their_own, 0, 2);
	tcase_add_loop_test(tcase, reader_ends_in_a_firing, 0, 2 * TEST_COUNT(cases));
	tcase_add_loop_test(tcase, commands_fail, 0, 2 * TEST_COUNT(cases));
	tcase_add_loop_test(tcase, starts_fail, 0, 2);
	return test_main(suite);
}
