/* SPDX-License-Identifier: MIT */
/*
 * Errors of actors: in init(), in any firing, in finish(). The first one wins, everything ends, finish() is
 * called in reverse order after every thread has ended.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 5, PORTS = 3 };

/* The order of events, by actor number. */
struct journal {
	pthread_key_t key; /* its destructor runs when an actor's thread ends */
	_Atomic uint64_t fired, threads_begun, threads_ended;
	unsigned inits[MEMBERS], init_count;
	unsigned finishes[MEMBERS], finish_count;
	uint64_t ended_before_finish;
};

/* One actor of the network: what fails, and when. */
struct member {
	unsigned number;
	uint64_t last;    /* of a source */
	uint64_t fail_at; /* the firing that fails; SIMPLE_ALL: none does */
	int init_result, fire_result, finish_result;
	const char *text; /* for pstk_actor_error() */
	struct journal *journal;
};

static struct journal journal;

static void thread_ends(void *data)
{
	(void)data;
	atomic_fetch_add(&journal.threads_ended, 1);
}

static int give_error(struct pstk_actor *self, int err)
{
	const struct member *member = pstk_actor_arg(self);

	return err && member->text ? pstk_actor_error(self, err, "%s", member->text) : err;
}

static int member_init(struct pstk_actor *self)
{
	struct member *member = pstk_actor_arg(self);

	ck_assert_uint_eq(journal.fired, 0);
	journal.inits[journal.init_count++] = member->number;
	return give_error(self, member->init_result);
}

static int member_finish(struct pstk_actor *self)
{
	struct member *member = pstk_actor_arg(self);

	if (journal.finish_count == 0)
		journal.ended_before_finish = atomic_load(&journal.threads_ended);
	journal.finishes[journal.finish_count++] = member->number;
	return give_error(self, member->finish_result);
}

static int member_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_actor_type *type = pstk_actor_get_type(self);
	struct member *member = pstk_actor_arg(self);
	uint64_t n = pstk_firing_index(f);

	if (!pthread_getspecific(journal.key)) {
		atomic_fetch_add(&journal.threads_begun, 1);
		pthread_setspecific(journal.key, member);
	}
	atomic_fetch_add(&journal.fired, 1);
	for (unsigned p = 0; p < type->port_count; p++) {
		if (type->ports[p].kind == PSTK_OUTPUT)
			memset(pstk_fifo_write_start(f, p), 0, pstk_actor_port_rate(self, p) * 8);
		else
			pstk_fifo_read_start(f, p);
	}
	if (n == member->fail_at)
		return give_error(self, member->fire_result);
	for (unsigned p = 0; p < type->port_count; p++) {
		if (type->ports[p].kind == PSTK_OUTPUT)
			pstk_fifo_write_end(f, p);
		else
			pstk_fifo_read_end(f, p);
	}
	return n == member->last ? PSTK_DONE : PSTK_AGAIN;
}

/* Which ports the members have: a source, two branches of which one loops onto itself, a join, a sink. */
static const struct pstk_port ports[MEMBERS][PORTS] = {
	{ { .name = "out", .kind = PSTK_OUTPUT } },
	{ { .name = "in", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT } },
	{ { .name = "in", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT },
		{ .name = "old", .kind = PSTK_INPUT } },
	{ { .name = "a", .kind = PSTK_INPUT }, { .name = "b", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } },
	{ { .name = "in", .kind = PSTK_INPUT } },
};
static const unsigned port_counts[MEMBERS] = { 1, 2, 3, 3, 1 };
static const char *const names[MEMBERS] = { "source", "upper", "lower", "joiner", "sink" };

static struct member members[MEMBERS];
static struct pstk_network *net;

static void make(uint64_t last)
{
	struct pstk_actor *a[MEMBERS];

	memset(&journal, 0, sizeof(journal));
	ck_assert_int_eq(pthread_key_create(&journal.key, thread_ends), 0);
	net = pstk_network_create("errors");
	for (unsigned i = 0; i < MEMBERS; i++) {
		members[i] = (struct member){ .number = i,
			.last = i == 0 ? last : SIMPLE_ALL,
			.fail_at = SIMPLE_ALL,
			.journal = &journal };
		a[i] = pstk_network_add(net, names[i],
			PSTK_ACTOR_TYPE(.name = "member", .ports = ports[i], .port_count = port_counts[i],
				.init = member_init, .fire = member_fire, .finish = member_finish),
			&members[i]);
	}
	pstk_connect(a[0], "out", a[1], "in", PSTK_FIFO(.rate = 2, .token_size = 8));
	pstk_connect(a[0], "out", a[2], "in", PSTK_FIFO(.rate = 2, .token_size = 8, .depth = 1));
	pstk_connect(a[2], "out", a[2], "old", PSTK_FIFO(.rate = 3, .delay = 4, .token_size = 8));
	pstk_connect(a[1], "out", a[3], "a", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_connect(a[2], "out", a[3], "b", PSTK_FIFO(.rate = 3, .token_size = 8));
	pstk_connect(a[3], "out", a[4], "in", PSTK_FIFO(.rate = 1, .token_size = 8));
}

/* finish() was called for the actors 0 .. count-1, last one first, after the end of all threads. */
static void check_finish(unsigned count)
{
	ck_assert_uint_eq(journal.finish_count, count);
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(journal.finishes[i], count - 1 - i);
	ck_assert_uint_eq(journal.threads_begun, journal.threads_ended);
	ck_assert_uint_eq(journal.ended_before_finish, journal.threads_begun);
}

static void end(void)
{
	pstk_network_destroy(net);
	pthread_key_delete(journal.key);
}

START_TEST(test_no_error)
{
	make(9);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(journal.init_count, MEMBERS);
	for (unsigned i = 0; i < MEMBERS; i++)
		ck_assert_uint_eq(journal.inits[i], i);
	if (pstk_network_threads(net)) {
		ck_assert_uint_ge(journal.threads_begun, 1);
		ck_assert_uint_le(journal.threads_begun, pstk_network_threads(net));
	} else {
		ck_assert_uint_eq(journal.threads_begun, MEMBERS);
	}
	check_finish(MEMBERS);
	end();
}
END_TEST

/* _i: the actor that fails; in firing 0, 1, k and its last one. */
START_TEST(test_fire_fails)
{
	static const uint64_t at[] = { 0, 1, 5, 19 };
	char number[32];

	for (unsigned k = 0; k < TEST_COUNT(at); k++) {
		make(19);
		members[_i].fail_at = at[k];
		members[_i].fire_result = -EIO;
		members[_i].text = "the disk is gone";
		ck_assert_int_eq(pstk_network_run(net), -EIO);
		snprintf(number, sizeof(number), "%" PRIu64, at[k]);
		TEST_SAYS(pstk_network_error(net), names[_i], "the disk is gone", number);
		ck_assert_ptr_null(strchr(pstk_network_error(net), '\n'));
		ck_assert(pstk_network_failed(net));
		ck_assert_int_eq(pstk_network_wait(net), -EIO);
		check_finish(MEMBERS);
		end();
	}
}
END_TEST

/* Without a text of its own the message says the errno. */
START_TEST(test_fire_fails_silently)
{
	make(SIMPLE_ALL);
	members[_i].fail_at = 3;
	members[_i].fire_result = -ENOSPC;
	ck_assert_int_eq(pstk_network_run(net), -ENOSPC);
	TEST_SAYS(pstk_network_error(net), names[_i], "3", strerror(ENOSPC));
	check_finish(MEMBERS);
	end();
}
END_TEST

START_TEST(test_init_fails)
{
	for (unsigned texted = 0; texted < 2; texted++) {
		make(19);
		members[_i].init_result = -EACCES;
		members[_i].text = texted ? "no licence" : NULL;
		ck_assert_int_eq(pstk_network_run(net), -EACCES);
		TEST_SAYS(pstk_network_error(net), names[_i], texted ? "no licence" : strerror(EACCES));
		ck_assert_uint_eq(journal.fired, 0);
		ck_assert_uint_eq(journal.init_count, _i + 1);
		check_finish(_i);
		end();
	}
}
END_TEST

/* start() itself calls finish() when it fails; wait() has nothing to wait for. */
START_TEST(test_init_fails_start)
{
	make(19);
	members[3].init_result = -EACCES;
	ck_assert_int_eq(pstk_network_start(net), -EACCES);
	check_finish(3);
	ck_assert(pstk_network_failed(net));
	ck_assert_int_lt(pstk_network_wait(net), 0);
	check_finish(3);
	end();
	ck_assert_uint_eq(journal.finish_count, 3);
}
END_TEST

START_TEST(test_finish_fails)
{
	make(19);
	members[_i].finish_result = -EIO;
	members[_i].text = "cannot close";
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert_int_eq(pstk_network_wait(net), -EIO);
	TEST_SAYS(pstk_network_error(net), names[_i], "cannot close");
	ck_assert(pstk_network_failed(net));
	ck_assert_int_eq(pstk_network_wait(net), -EIO);
	check_finish(MEMBERS);
	end();
}
END_TEST

/* Of several errors in finish() the first one called wins, which is the last actor's. */
START_TEST(test_finish_first)
{
	make(19);
	for (unsigned i = 0; i < MEMBERS; i++)
		members[i].finish_result = -10 - (int)i;
	ck_assert_int_eq(pstk_network_run(net), -10 - (MEMBERS - 1));
	TEST_SAYS(pstk_network_error(net), names[MEMBERS - 1]);
	check_finish(MEMBERS);
	end();
}
END_TEST

START_TEST(test_fire_before_finish)
{
	make(19);
	members[1].fail_at = 2;
	members[1].fire_result = -EDOM;
	members[1].text = "first";
	members[4].finish_result = -EIO;
	members[4].text = "second";
	ck_assert_int_eq(pstk_network_run(net), -EDOM);
	TEST_SAYS(pstk_network_error(net), names[1], "first");
	ck_assert_ptr_null(strstr(pstk_network_error(net), "second"));
	check_finish(MEMBERS);
	end();
}
END_TEST

START_TEST(test_finish_after_abort)
{
	make(SIMPLE_ALL);
	members[2].finish_result = -EIO;
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&journal.fired, 20);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
	check_finish(MEMBERS);
	end();
}
END_TEST

/* -- the first error wins
 * ------------------------------------------------------------------------------------------------ */

struct late {
	_Atomic uint64_t inside;
};

static int first_fire(struct pstk_firing *f)
{
	struct late *late = pstk_actor_arg(pstk_firing_actor(f));

	test_await(&late->inside, 2);
	return pstk_actor_error(pstk_firing_actor(f), -ENXIO, "the first");
}

static int late_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct late *late = pstk_actor_arg(self);

	atomic_fetch_add(&late->inside, 1);
	while (!pstk_network_failed(pstk_actor_network(self)))
		sched_yield();
	return pstk_actor_error(self, -ENOSPC, "too late");
}

START_TEST(test_first_wins)
{
	struct late late = { 0 };
	const char *error;

	net = pstk_network_create("late");
	pstk_network_add(
		net, "late0", PSTK_ACTOR_TYPE(.name = "late", .blocks = true, .fire = late_fire), &late);
	pstk_network_add(
		net, "first", PSTK_ACTOR_TYPE(.name = "first", .blocks = true, .fire = first_fire), &late);
	pstk_network_add(
		net, "late1", PSTK_ACTOR_TYPE(.name = "late", .blocks = true, .fire = late_fire), &late);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (!pstk_network_failed(net))
		sched_yield();
	error = pstk_network_error(net);
	TEST_SAYS(error, "first", "the first");
	ck_assert_int_eq(pstk_network_wait(net), -ENXIO);
	ck_assert_str_eq(pstk_network_error(net), error);
	ck_assert_ptr_eq(pstk_network_error(net), error); /* valid until destroy */
	ck_assert_ptr_null(strstr(error, "late"));
	pstk_network_destroy(net);
}
END_TEST

/* An abort first: later errors of actors do not count. */
START_TEST(test_error_after_abort)
{
	struct late late = { 0 };

	net = pstk_network_create("late");
	pstk_network_add(
		net, "late", PSTK_ACTOR_TYPE(.name = "late", .blocks = true, .fire = late_fire), &late);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&late.inside, 1);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
	ck_assert_ptr_null(strstr(pstk_network_error(net), "too late"));
	pstk_network_destroy(net);
}
END_TEST

/* All fail in one moment: the result and the message are of one of them. */
START_TEST(test_all_fail)
{
	for (uint64_t round = test_rounds(50) + 1; round > 0; round--) {
		int err;

		make(SIMPLE_ALL);
		for (unsigned i = 0; i < MEMBERS; i++) {
			members[i].fail_at = round % 3;
			members[i].fire_result = -20 - (int)i;
		}
		err = pstk_network_run(net);
		ck_assert_int_le(err, -20);
		ck_assert_int_gt(err, -20 - MEMBERS);
		TEST_SAYS(pstk_network_error(net), names[-20 - err]);
		check_finish(MEMBERS);
		end();
	}
}
END_TEST

/* -- the text
 * ------------------------------------------------------------------------------------------------------------
 */

static int text_fire(struct pstk_firing *f)
{
	const char *text = pstk_actor_arg(pstk_firing_actor(f));

	ck_assert_int_eq(pstk_actor_error(pstk_firing_actor(f), -EIO, "%s", text), -EIO);
	return -EIO;
}

static void run_text(const char *text, size_t least, size_t most)
{
	net = pstk_network_create("text");
	pstk_network_add(
		net, "talker", PSTK_ACTOR_TYPE(.name = "talker", .fire = text_fire), (void *)(uintptr_t)text);
	ck_assert_int_eq(pstk_network_run(net), -EIO);
	TEST_SAYS(pstk_network_error(net), "talker");
	ck_assert_ptr_null(strchr(pstk_network_error(net), '\n'));
	ck_assert_uint_ge(strlen(pstk_network_error(net)), least);
	ck_assert_uint_le(strlen(pstk_network_error(net)), most);
	pstk_network_destroy(net);
}

START_TEST(test_texts)
{
	char text[1001];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	run_text(text, 255, 600);
	text[255] = '\0';
	run_text(text, 255, 600);
	run_text("", 1, 600);
	run_text("two\nlines", 9, 600);
}
END_TEST

/* A text of a firing that does not fail is not kept. */
static int harmless_fire(struct pstk_firing *f)
{
	if (pstk_firing_index(f) == 0)
		pstk_actor_error(pstk_firing_actor(f), -EIO, "only a try");
	return pstk_firing_index(f) == 1 ? -ENOENT : PSTK_AGAIN;
}

START_TEST(test_text_without_error)
{
	net = pstk_network_create("harmless");
	pstk_network_add(net, "tries", PSTK_ACTOR_TYPE(.name = "tries", .fire = harmless_fire), NULL);
	ck_assert_int_eq(pstk_network_run(net), -ENOENT);
	TEST_SAYS(pstk_network_error(net), "tries");
	ck_assert_ptr_null(strstr(pstk_network_error(net), "only a try"));
	pstk_network_destroy(net);
}
END_TEST

static int least_fire(struct pstk_firing *f)
{
	(void)f;
	return INT_MIN;
}

/* No errno, but negative: an error all the same. */
START_TEST(test_least_int)
{
	struct pstk_network *least = pstk_network_create("least");

	pstk_network_add(least, "a", PSTK_ACTOR_TYPE(.name = "t", .fire = least_fire), NULL);
	ck_assert_int_eq(pstk_network_run(least), INT_MIN);
	TEST_SAYS(pstk_network_error(least), "'a'", "fire()");
	pstk_network_destroy(least);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("errors");
	TCase *each = test_case(suite, "each actor"), *first = test_case(suite, "first");
	TCase *texts = test_case(suite, "texts");

	tcase_add_test(each, test_no_error);
	tcase_add_loop_test(each, test_fire_fails, 0, MEMBERS);
	tcase_add_loop_test(each, test_fire_fails_silently, 0, MEMBERS);
	tcase_add_loop_test(each, test_init_fails, 0, MEMBERS);
	tcase_add_test(each, test_init_fails_start);
	tcase_add_loop_test(each, test_finish_fails, 0, MEMBERS);
	tcase_add_test(first, test_finish_first);
	tcase_add_test(first, test_fire_before_finish);
	tcase_add_test(first, test_finish_after_abort);
	tcase_add_test(first, test_first_wins);
	tcase_add_test(first, test_error_after_abort);
	tcase_add_test(first, test_all_fail);
	tcase_add_test(texts, test_texts);
	tcase_add_test(texts, test_text_without_error);
	tcase_add_test(texts, test_least_int);
	return test_main(suite);
}
