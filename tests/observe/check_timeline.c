/* SPDX-License-Identifier: MIT */
/* The file of a trace, and how it ends: well, by an error, an abort, a signal, a full disk. */
#include "lib/observe/timeline.h"
#include "tests/common/child.h"
#include "tests/common/common.h"
#include "tests/common/file.h"
#include "tests/common/simple.h"
#include "tests/observe/trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A chain that is traced. */
static const char *build(struct simple_chain *chain, uint64_t tokens, size_t bytes, enum pstk_trace_keep keep)
{
	const char *path = test_file("a.trace", "{\"displayTimeUnit\":\"ns\",what was there before");

	simple_chain(chain, 2, tokens, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain->net, path, bytes, keep), 0);
	return path;
}

/* The file says what the network did. */
static void check_file(const char *path, struct pstk_network *net, bool exact, struct trace_sums *sums)
{
	const char *what = trace_check(path, net, exact, NULL, sums);

	ck_assert_msg(!what, "%s: %s", path, what);
}

START_TEST(a_run)
{
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	const char *path = build(&chain, 1000, PSTK_TRACE_BYTES, PSTK_TRACE_LAST);

	pstk_network_set_threads(chain.net, (unsigned)_i);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	check_file(path, chain.net, true, &sums);
	if (trace_reader_is_there()) {
		/* 250 windows; then the source has no more, and 2 to 6 delay tokens are left of the others' */
		ck_assert_uint_eq(sums.fires, 4 * 250 + 4);
		ck_assert_uint_gt(sums.arrows, 3 * 250);
		ck_assert_uint_eq(sums.lost, 0);
	}
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

/* What is lost is counted: all firings are those in the file, and those that are not. */
START_TEST(little_memory)
{
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	const char *path = build(&chain, 40000, (size_t)300 << 10, (enum pstk_trace_keep)(_i % 2));

	pstk_network_set_threads(chain.net, _i / 2 ? 2 : 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert(test_log_has(_i % 2 ? "has the first" : "has the last"));
	test_log_stop();
	check_file(path, chain.net, true, &sums);
	if (trace_reader_is_there()) {
		ck_assert_uint_eq(sums.fires + sums.lost, 4 * 10000 + 4);
		ck_assert_uint_gt(sums.lost, 20000);
		ck_assert_uint_gt(sums.fires, 1000);
		ck_assert_uint_gt(sums.arrows, 500);
	}
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

/* Words of its message; NULL: none. The file is not there if it was not there before. */
static void start_fails(const char *path, size_t bytes, int err, const char *word)
{
	struct simple_chain chain;
	bool was_there = !access(path, F_OK);

	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain.net, path, bytes, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), err);
	TEST_SAYS(pstk_network_error(chain.net), word, "trace");
	pstk_network_destroy(chain.net);
	ck_assert_int_eq(!access(path, F_OK), was_there);
}

START_TEST(files_that_cannot_be_had)
{
	char path[300];

	snprintf(path, sizeof path, "%s/no/such/folder", test_file("there", ""));
	start_fails(path, PSTK_TRACE_BYTES, -ENOTDIR, "Not a directory");
	start_fails("/nowhere/a.trace", PSTK_TRACE_BYTES, -ENOENT, "/nowhere/a.trace");
	start_fails("/tmp", PSTK_TRACE_BYTES, -EISDIR, "/tmp");
	start_fails(test_file("precious", "a graph, or a video"), PSTK_TRACE_BYTES, -EEXIST, "is no trace");
	snprintf(path, sizeof path, "%s.new", test_file("there", ""));
	start_fails(path, 1000, -EINVAL, "1000 bytes");
	test_files_remove();
}
END_TEST

/* A pipe: with nobody at its other end; with a reader that goes away. */
START_TEST(pipes)
{
	struct simple_chain chain;
	char path[300];
	int fd;

	snprintf(path, sizeof path, "%s.pipe", test_file("there", ""));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	start_fails(path, PSTK_TRACE_BYTES, -ENXIO, "nobody reads");
	fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	simple_chain_held(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain.net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	close(fd);
	atomic_store(&chain.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(chain.net), -EPIPE);
	TEST_SAYS(pstk_network_error(chain.net), path, "Broken pipe");
	pstk_network_destroy(chain.net);
	unlink(path);
	test_files_remove();
}
END_TEST

/* The environment's trace breaks off, or is replaced by an output: a warning, and no error of the network's. */
START_TEST(the_environment_s_trace_is_lost)
{
	const char *path = test_file("a.trace", ""), *words[] = { "No space left", "another file has taken" };
	struct simple_chain chain;

	setenv("PENSTOCK_TRACE", _i ? path : "/dev/full", 1);
	test_log_start();
	simple_chain_held(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	if (_i) {
		ck_assert_int_eq(unlink(path), 0);
		test_file("a.trace", "an output");
	}
	atomic_store(&chain.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	ck_assert(test_log_has("PENSTOCK_TRACE"));
	ck_assert(test_log_has(words[_i]));
	test_log_stop();
	unsetenv("PENSTOCK_TRACE");
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

/*
 * What lasts longer than the memory: a source's first firing until the others have fired so often that records are
 * lost. Then they fire no more until the end, or the memory would forget that firing, too.
 */

enum { MEANWHILE = 20000 };

static _Atomic uint64_t *fired_meanwhile;

static int fire_late(struct pstk_firing *f)
{
	uint64_t *out = pstk_fifo_write_start(f, 0);

	test_await(fired_meanwhile, MEANWHILE);
	*out = 0;
	pstk_fifo_write_end(f, 0);
	return PSTK_DONE;
}

START_TEST(what_lasts_longer)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 };
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	struct simple_collect waits = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *late, *waiter;
	const char *path;

	/* threads of their own: a thread of a team fires others afterwards, and no actor waits there */
	unsetenv("PENSTOCK_TEAM");
	path = build(&chain, SIMPLE_ALL, (size_t)300 << 10, _i ? PSTK_TRACE_FIRST : PSTK_TRACE_LAST);
	late = pstk_network_add(chain.net, "late",
		PSTK_ACTOR_TYPE(.name = "late", .ports = &out, .port_count = 1, .fire = fire_late), NULL);
	waiter = pstk_network_add(chain.net, "waiter", simple_collect_type(), &waits);
	pstk_connect(late, "out", waiter, "in", PSTK_FIFO(.rate = 1));
	fired_meanwhile = &chain.collect.firings;
	atomic_store(&chain.collect.allowed, MEANWHILE);
	test_log_start();
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	test_await(&waits.firings, 1);
	pstk_network_stop(chain.net);
	atomic_store(&chain.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	test_log_stop();
	check_file(path, chain.net, true, &sums);
	if (trace_reader_is_there()) {
		ck_assert_uint_gt(sums.lost, MEANWHILE);
		ck_assert_uint_gt(sums.fires, 1000);
		ck_assert(trace_has_span(path, "late"));
		ck_assert(trace_has_span(path, "wait-in: in <- late"));
	}
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

/* A reader that ends early is given no more windows than it had: the others' numbers go on. _i: kahn; little memory. */

static int write_kahn(struct pstk_firing *f)
{
	struct simple_count *count = pstk_actor_arg(pstk_firing_actor(f));

	for (uint64_t n = 0; n < count->tokens; n++)
		if (pstk_fifo_write(f, 0, &n, 1) != 1)
			break;
	return PSTK_DONE;
}

START_TEST(a_reader_that_ends_early)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 };
	struct simple_count count = { .tokens = 20000 };
	struct simple_collect early = { .wanted = 10, .allowed = SIMPLE_ALL },
			      late = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	const char *path = test_file("a.trace", "");
	struct trace_sums sums = { 0 };
	struct pstk_network *net;
	struct pstk_actor *source, *readers[2];

	setenv("PENSTOCK_SHARE", _i & 4 ? "1" : "0", 1);
	net = pstk_network_create("early");
	source = _i & 1 ? pstk_network_add(net, "source",
				  PSTK_ACTOR_TYPE(.name = "writer", .ports = &out, .port_count = 1,
					  .kahn = true, .fire = write_kahn),
				  &count)
	                : pstk_network_add(net, "source", simple_count_type(), &count);
	readers[0] = pstk_network_add(net, "early", simple_collect_type(), &early);
	readers[1] = pstk_network_add(net, "late", simple_collect_type(), &late);
	for (unsigned i = 0; i < 2; i++)
		pstk_connect(source, "out", readers[i], "in", PSTK_FIFO(.rate = 2, .depth = 3));
	ck_assert_int_eq(pstk_network_set_trace(
				 net, path, _i & 2 ? (size_t)200 << 10 : PSTK_TRACE_BYTES, PSTK_TRACE_LAST),
		0);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(net), 0);
	test_log_stop();
	check_file(path, net, true, &sums);
	if (trace_reader_is_there()) {
		ck_assert_uint_gt(sums.arrows, 100);
		ck_assert_int_eq(sums.lost > 0, (_i & 2) != 0);
	}
	pstk_network_destroy(net);
	unsetenv("PENSTOCK_SHARE");
	test_files_remove();
}
END_TEST

/* A start that fails behind it leaves no file. */
START_TEST(a_start_that_fails)
{
	char path[300];
	struct simple_chain chain;

	snprintf(path, sizeof path, "%s.new", test_file("there", ""));
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain.net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 2), 0);
	ck_assert_int_eq(pstk_actor_pin(chain.actors[0], 1000), -EINVAL);
	ck_assert_int_lt(pstk_network_run(chain.net), 0);
	pstk_network_destroy(chain.net);
	ck_assert_int_ne(access(path, F_OK), 0);
	test_files_remove();
}
END_TEST

/* As many bytes as the message asks for are enough. */
START_TEST(the_least_memory)
{
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	unsigned long bytes = 0;
	const char *path = build(&chain, 1000, 1, PSTK_TRACE_FIRST);

	ck_assert_int_eq(pstk_network_run(chain.net), -EINVAL);
	ck_assert_int_eq(sscanf(strstr(pstk_network_error(chain.net), "needs "), "needs %lu", &bytes), 1);
	pstk_network_destroy(chain.net);
	path = build(&chain, 1000, bytes - 1, PSTK_TRACE_FIRST);
	ck_assert_int_eq(pstk_network_run(chain.net), -EINVAL);
	pstk_network_destroy(chain.net);
	path = build(&chain, 1000, bytes, PSTK_TRACE_FIRST);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	check_file(path, chain.net, true, &sums);
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

START_TEST(wrong_calls)
{
	struct simple_chain chain;

	ck_assert_int_eq(pstk_network_set_trace(NULL, "a", 1, PSTK_TRACE_LAST), -EINVAL);
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain.net, "", PSTK_TRACE_BYTES, PSTK_TRACE_LAST), -EINVAL);
	ck_assert_int_eq(pstk_network_start(chain.net), -EINVAL);
	TEST_SAYS(pstk_network_error(chain.net), "trace", "no name");
	pstk_network_destroy(chain.net);
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain.net, "a.trace", 0, PSTK_TRACE_LAST), -EINVAL);
	TEST_SAYS(pstk_network_problem(chain.net, 0), "a.trace", "0 bytes");
	pstk_network_destroy(chain.net);
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(
		pstk_network_set_trace(chain.net, "a.trace", PSTK_TRACE_BYTES, (enum pstk_trace_keep)2),
		-EINVAL);
	pstk_network_destroy(chain.net);
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_int_eq(
		pstk_network_set_trace(chain.net, "a.trace", PSTK_TRACE_BYTES, PSTK_TRACE_LAST), -EBUSY);
	pstk_network_destroy(chain.net);
}
END_TEST

/* Into one file: one network at a time. */
START_TEST(two_networks)
{
	struct trace_sums sums = { 0 };
	struct simple_chain first, second;
	const char *path;

	simple_chain_held(&first, 2, 1000, 4, 2, 3);
	path = test_file("a.trace", "");
	ck_assert_int_eq(pstk_network_set_trace(first.net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_start(first.net), 0);
	simple_chain(&second, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(second.net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_run(second.net), -EBUSY);
	TEST_SAYS(pstk_network_error(second.net), path, "another network");
	pstk_network_destroy(second.net);
	atomic_store(&first.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(first.net), 0);
	check_file(path, first.net, true, &sums);
	simple_chain(&second, 2, 1000, 4, 2, 3); /* now it can have it */
	ck_assert_int_eq(pstk_network_set_trace(second.net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_run(second.net), 0);
	check_file(path, second.net, true, &sums);
	pstk_network_destroy(second.net);
	pstk_network_destroy(first.net);
	test_files_remove();
}
END_TEST

/* PENSTOCK_TRACE: FILE, FILE.2, ..; a call wins; a file that can't be had is said, and no more. */
START_TEST(the_environment)
{
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	const char *path = test_file("a.trace", "");
	char second[300];

	setenv("PENSTOCK_TRACE", path, 1);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(second, sizeof second, i ? "%s.2" : "%s", path);
		pstk_network_destroy(pstk_network_create("never starts"));
		simple_chain(&chain, 2, 1000, 4, 2, 3);
		ck_assert_int_eq(pstk_network_run(chain.net), 0);
		check_file(second, chain.net, true, &sums);
		pstk_network_destroy(chain.net);
	}
	snprintf(second, sizeof second, "%s.3", path);
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_set_trace(chain.net, NULL, 0, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	pstk_network_destroy(chain.net);
	ck_assert_int_ne(access(second, F_OK), 0);

	setenv("PENSTOCK_TRACE", "/nowhere/a.trace", 1);
	test_log_start();
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert(test_log_has("PENSTOCK_TRACE"));
	ck_assert(test_log_has("/nowhere/a.trace"));
	test_log_stop();
	pstk_network_destroy(chain.net);
	unsetenv("PENSTOCK_TRACE");
	snprintf(second, sizeof second, "%s.2", path);
	unlink(second);
	test_files_remove();
}
END_TEST

static off_t size_of(const char *path)
{
	struct stat s;

	ck_assert_int_eq(stat(path, &s), 0);
	return s.st_size;
}

/* No file may grow beyond so many bytes meanwhile. Nothing is asserted in between: Check would write to a file. */
static int run_limited(struct pstk_network *net, rlim_t bytes)
{
	struct rlimit former, limit;
	int err;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &former), 0);
	limit = (struct rlimit){ bytes, former.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	err = pstk_network_run(net);
	setrlimit(RLIMIT_FSIZE, &former);
	return err;
}

/* The file ends before the disk is full, and is JSON all the same. */
START_TEST(a_full_disk)
{
	struct simple_chain chain;
	const char *path;

	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t bytes = 700; bytes < 40000; bytes = bytes * 5 / 4 + 1) {
		path = build(&chain, 1000, PSTK_TRACE_BYTES, PSTK_TRACE_LAST);
		ck_assert_int_eq(run_limited(chain.net, bytes), -EFBIG);
		TEST_SAYS(pstk_network_error(chain.net), path, "too large", "ends early");
		ck_assert_int_le(size_of(path), (off_t)bytes);
		ck_assert_int_gt(size_of(path), (off_t)bytes - 500);
		ck_assert_msg(trace_is_json(path), "%lu bytes", (unsigned long)bytes);
		pstk_network_destroy(chain.net);
	}
	simple_chain(&chain, 2, 1000, 4, 2, 3);
	ck_assert_int_eq(
		pstk_network_set_trace(chain.net, "/dev/full", PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), -ENOSPC);
	TEST_SAYS(pstk_network_error(chain.net), "/dev/full");
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

/*
 * Ends that are not as they were meant.
 */

static int fire_badly(struct pstk_firing *f)
{
	(void)pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return pstk_actor_error(pstk_firing_actor(f), -EIO, "the sink is broken");
}

START_TEST(an_error)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };
	struct pstk_network *net = pstk_network_create("a \"name\" with \\ and \xc3\xa9 and \xff");
	struct simple_count count = { .tokens = SIMPLE_ALL };
	const char *path = test_file("a.trace", "");
	struct pstk_actor *source = pstk_network_add(net, "a \"count\"\\\xff", simple_count_type(), &count);
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "bad", .ports = &in, .port_count = 1, .fire = fire_badly), NULL);

	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1));
	pstk_network_set_threads(net, (unsigned)_i);
	ck_assert_int_eq(pstk_network_set_trace(net, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(pstk_network_run(net), -EIO);
	ck_assert(trace_is_json(path));
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

START_TEST(an_abort)
{
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	const char *path = build(&chain, SIMPLE_ALL, PSTK_TRACE_BYTES, PSTK_TRACE_LAST);

	pstk_network_set_threads(chain.net, (unsigned)_i);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	test_await(&chain.collect.firings, 100);
	pstk_network_abort(chain.net);
	ck_assert_int_eq(pstk_network_wait(chain.net), -ECANCELED);
	check_file(path, chain.net, false, &sums);
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

/* The first signal lets all tokens drain: nothing is missing in the file. A process that was forked meanwhile does no
 * harm, however it ends. */
START_TEST(a_signal)
{
	struct trace_sums sums = { 0 };
	struct simple_chain chain;
	const char *path = build(&chain, SIMPLE_ALL, PSTK_TRACE_BYTES, PSTK_TRACE_LAST);
	pid_t other;

	pstk_network_handle_signals(chain.net);
	pstk_network_set_threads(chain.net, (unsigned)_i);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	test_await(&chain.collect.firings, 100);
	other = fork();
	if (!other)
		_exit(0);
	ck_assert_int_eq(waitpid(other, NULL, 0), other);
	raise(SIGINT);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	check_file(path, chain.net, true, &sums);
	pstk_network_destroy(chain.net);
	test_files_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("timeline");
	TCase *tcase = test_case(suite, "file");

	tcase_add_loop_test(tcase, a_run, 0, 4);
	tcase_add_loop_test(tcase, little_memory, 0, 4);
	tcase_add_test(tcase, files_that_cannot_be_had);
	tcase_add_test(tcase, a_start_that_fails);
	tcase_add_test(tcase, pipes);
	tcase_add_loop_test(tcase, the_environment_s_trace_is_lost, 0, 2);
	tcase_add_loop_test(tcase, what_lasts_longer, 0, 2);
	tcase_add_loop_test(tcase, a_reader_that_ends_early, 0, 8);
	tcase_add_test(tcase, the_least_memory);
	tcase_add_test(tcase, wrong_calls);
	tcase_add_test(tcase, two_networks);
	tcase_add_test(tcase, the_environment);
	tcase_add_test(tcase, a_full_disk);
	tcase = test_case(suite, "ends");
	tcase_add_loop_test(tcase, an_error, 0, 3);
	tcase_add_loop_test(tcase, an_abort, 0, 3);
	tcase_add_loop_test(tcase, a_signal, 0, 3);
	return test_main(suite);
}
