/* SPDX-License-Identifier: MIT */
#include "penstock/actors.h"
#include "tests/common/allocation.h"
#include "tests/common/common.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What the sink checks: the numbers 0, 1, 2, .. */
struct sink {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool shut;        /* guarded by lock: fire() waits until it is open */
	uint32_t next;    /* actor's thread, and after wait(): the number that is due */
	uint32_t wrong;   /* as next: tokens that were not */
	uint32_t limit;   /* windows after which the sink has enough, 0: never */
	uint32_t windows; /* as next */
	int fails;        /* what fire() returns instead, negative */
	int init_fails;   /* what init() returns */
};

static const struct sink fresh = { .lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER };

static void sink_open(struct sink *s)
{
	pthread_mutex_lock(&s->lock);
	s->shut = false;
	pthread_cond_broadcast(&s->opened);
	pthread_mutex_unlock(&s->lock);
}

static int sink_init(struct pstk_actor *self)
{
	return ((struct sink *)pstk_actor_arg(self))->init_fails;
}

static void sink_unblock(struct pstk_actor *self)
{
	sink_open(pstk_actor_arg(self));
}

static int sink_fire(struct pstk_firing *f)
{
	struct sink *s = pstk_actor_arg(pstk_firing_actor(f));
	const unsigned char *window = pstk_fifo_read_start(f, 0);
	size_t size = pstk_actor_port_token_size(pstk_firing_actor(f), 0);

	pthread_mutex_lock(&s->lock);
	while (s->shut)
		pthread_cond_wait(&s->opened, &s->lock);
	pthread_mutex_unlock(&s->lock);
	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++) {
		uint32_t number;

		memcpy(&number, window + i * size, sizeof number);
		s->wrong += number != s->next++;
	}
	pstk_fifo_read_end(f, 0);
	s->windows++;
	if (s->fails)
		return s->fails;
	return s->windows == s->limit ? PSTK_DONE : PSTK_AGAIN;
}

/* push -> sink */
struct rig {
	struct pstk_network *net;
	struct pstk_push *push;
	struct sink sink;
	size_t size;
};

static void rig_build(struct rig *r, size_t token_size, uint32_t rate)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_actor *push, *sink;

	*r = (struct rig){ .net = pstk_network_create("rig"),
		.push = pstk_push_create(),
		.sink = fresh,
		.size = token_size };
	push = pstk_push_add(r->net, "camera", r->push);
	sink = pstk_network_add(r->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .blocks = true,
			.init = sink_init, .fire = sink_fire, .unblock = sink_unblock),
		&r->sink);
	ck_assert_ptr_nonnull(pstk_connect(
		push, "out", sink, "in", PSTK_FIFO(.rate = rate, .depth = 2, .token_size = token_size)));
}

static void rig_free(struct rig *r)
{
	pstk_network_destroy(r->net);
	pstk_push_destroy(r->push);
}

/* Pushes the numbers from..to-1 in one call; returns what pstk_push_write() did. */
static int push_numbers(struct rig *r, uint32_t from, uint32_t to, uint64_t ns)
{
	unsigned char *tokens = calloc(to - from + 1, r->size);
	int rc;

	for (uint32_t i = from; i < to; i++)
		memcpy(tokens + (i - from) * r->size, &i, sizeof i);
	rc = pstk_push_write(r->push, tokens, to - from, ns);
	free(tokens);
	return rc;
}

static void push_all(struct rig *r, uint32_t rate, uint32_t count, struct test_rng *rng)
{
	for (uint32_t next = 0; next < count;) {
		uint32_t n = test_between(rng, 1, 2 * rate + 3);

		n = n < count - next ? n : count - next;
		ck_assert_int_eq(push_numbers(r, next, next + n, PSTK_FOREVER), n);
		next += n;
	}
	ck_assert_int_eq(pstk_push_end(r->push), 0);
}

START_TEST(rates_and_counts)
{
	struct test_rng rng = { test_seed() };

	for (uint32_t rate = 1; rate <= 64; rate++)
		for (uint32_t rest = 0; rest < rate; rest += TEST_SANITIZED ? 5 : 1) {
			uint32_t count = test_between(&rng, 0, 3) * rate + rest;
			struct rig r;

			test_guard("push", test_seed());
			rig_build(&r, sizeof(uint32_t) + test_between(&rng, 0, 3), rate);
			ck_assert_int_eq(pstk_network_start(r.net), 0);
			push_all(&r, rate, count, &rng);
			ck_assert_int_eq(pstk_network_wait(r.net), 0);
			ck_assert_uint_eq(r.sink.next, count);
			ck_assert_uint_eq(r.sink.wrong, 0);
			rig_free(&r);
		}
}
END_TEST

/* Two windows of four are all the room there is while the sink is shut. */
enum { RATE = 4, ROOM = 2 * RATE };

static void rig_start_shut(struct rig *r)
{
	rig_build(r, sizeof(uint32_t), RATE);
	r->sink.shut = true;
	ck_assert_int_eq(pstk_network_start(r->net), 0);
	ck_assert_int_eq(push_numbers(r, 0, ROOM, PSTK_FOREVER), ROOM);
}

START_TEST(try_and_time_out)
{
	struct rig r;

	rig_start_shut(&r);
	ck_assert_int_eq(push_numbers(&r, ROOM, ROOM + 1, 0), 0);
	ck_assert_int_eq(push_numbers(&r, ROOM, ROOM + 1, 1000), 0);
	ck_assert_int_eq(push_numbers(&r, ROOM, ROOM + 1, 1000000), 0);
	ck_assert_int_eq(push_numbers(&r, ROOM, ROOM, 0), 0);
	sink_open(&r.sink);
	/* a time-out of more than a 32-bit time_t holds, and one second short of it */
	ck_assert_int_eq(push_numbers(&r, ROOM, 3 * ROOM, PSTK_FOREVER - 1), 2 * ROOM);
	ck_assert_int_eq(push_numbers(&r, 3 * ROOM, 4 * ROOM + 1, UINT64_C(2147483646999999999)), ROOM + 1);
	pstk_push_end(r.push);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	ck_assert_uint_eq(r.sink.next, 4 * ROOM + 1);
	ck_assert_uint_eq(r.sink.wrong, 0);
	rig_free(&r);
}
END_TEST

/* The time runs out when a call has moved some of its tokens. */
START_TEST(time_out_in_the_middle)
{
	struct rig r;
	int rc;

	rig_build(&r, sizeof(uint32_t), RATE);
	r.sink.shut = true;
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	ck_assert_int_eq(push_numbers(&r, 0, ROOM - 1, PSTK_FOREVER), ROOM - 1);
	rc = push_numbers(&r, ROOM - 1, 3 * ROOM, 1000000);
	ck_assert_int_eq(rc, 1);
	sink_open(&r.sink);
	ck_assert_int_eq(push_numbers(&r, ROOM, 3 * ROOM, PSTK_FOREVER), 2 * ROOM);
	pstk_push_end(r.push);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	ck_assert_uint_eq(r.sink.next, 3 * ROOM);
	ck_assert_uint_eq(r.sink.wrong, 0);
	rig_free(&r);
}
END_TEST

/* A thread that pushes numbers from `next` on until it is told -EPIPE. */
struct pusher {
	struct rig *rig;
	uint32_t next, calls, step;
	int last;
	pthread_t thread;
};

static void *pusher_main(void *arg)
{
	struct pusher *p = arg;

	while ((p->last = push_numbers(p->rig, p->next, p->next + p->step, PSTK_FOREVER)) >= 0) {
		p->next += (uint32_t)p->last;
		p->calls++;
	}
	return NULL;
}

static void pusher_start(struct pusher *p, struct rig *r, uint32_t next, uint32_t step)
{
	*p = (struct pusher){ .rig = r, .next = next, .step = step };
	ck_assert_int_eq(pthread_create(&p->thread, NULL, pusher_main, p), 0);
}

/* Returns the number of tokens pushed in all. */
static uint32_t pusher_join(struct pusher *p)
{
	ck_assert_int_eq(pthread_join(p->thread, NULL), 0);
	ck_assert_int_eq(p->last, -EPIPE);
	return p->next;
}

/* Whatever a stop takes by surprise: each token that was taken arrives. */
START_TEST(stop_while_blocked)
{
	for (uint32_t step = 1; step <= 2 * ROOM; step++) {
		struct pusher p;
		struct rig r;
		uint32_t pushed;

		rig_start_shut(&r);
		pusher_start(&p, &r, ROOM, step);
		pstk_network_stop(r.net);
		pushed = pusher_join(&p);
		sink_open(&r.sink);
		ck_assert_int_eq(pstk_network_wait(r.net), 0);
		ck_assert_uint_eq(r.sink.next, pushed);
		ck_assert_uint_eq(r.sink.wrong, 0);
		ck_assert_int_eq(push_numbers(&r, 0, 1, 0), -EPIPE);
		rig_free(&r);
	}
}
END_TEST

/* A stop in the middle of a window publishes what is in it. */
START_TEST(stop_in_a_window)
{
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE);
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	ck_assert_int_eq(push_numbers(&r, 0, RATE + 1, PSTK_FOREVER), RATE + 1);
	pstk_network_stop(r.net);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	ck_assert_uint_eq(r.sink.next, RATE + 1);
	ck_assert_uint_eq(r.sink.wrong, 0);
	rig_free(&r);
}
END_TEST

START_TEST(abort_while_blocked)
{
	for (uint32_t step = 1; step <= 2 * ROOM; step++) {
		struct pusher p;
		struct rig r;

		rig_start_shut(&r);
		pusher_start(&p, &r, ROOM, step);
		pstk_network_abort(r.net);
		pusher_join(&p);
		ck_assert_int_eq(pstk_network_wait(r.net), -ECANCELED);
		ck_assert_int_eq(push_numbers(&r, 0, 1, PSTK_FOREVER), -EPIPE);
		rig_free(&r);
	}
}
END_TEST

START_TEST(destroy_while_blocked)
{
	struct pusher p;
	struct rig r;

	rig_start_shut(&r);
	pusher_start(&p, &r, ROOM, ROOM);
	pstk_network_destroy(r.net);
	pusher_join(&p);
	pstk_push_destroy(r.push);
}
END_TEST

START_TEST(another_actor_fails)
{
	struct pusher p;
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE);
	r.sink.fails = -EIO;
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	pusher_start(&p, &r, 0, 3);
	pusher_join(&p);
	ck_assert_int_eq(pstk_network_wait(r.net), -EIO);
	rig_free(&r);
}
END_TEST

/* A reader that has enough ends the pushing after no more than what the FIFO and the window hold. */
START_TEST(sink_ends_early)
{
	for (uint32_t limit = 1; limit <= 5; limit++)
		for (uint32_t step = 1; step <= 2 * RATE; step++) {
			struct pusher p;
			struct rig r;
			uint32_t pushed;

			rig_build(&r, sizeof(uint32_t), RATE);
			r.sink.limit = limit;
			r.sink.shut = true; /* so that the end comes while the FIFO is full */
			ck_assert_int_eq(pstk_network_start(r.net), 0);
			pusher_start(&p, &r, 0, step);
			sink_open(&r.sink);
			pushed = pusher_join(&p);
			ck_assert_int_eq(pstk_network_wait(r.net), 0);
			ck_assert_uint_eq(r.sink.next, limit * RATE);
			ck_assert_uint_eq(r.sink.wrong, 0);
			/* windows read, those in the FIFO, and one that was lent just before */
			ck_assert_uint_ge(pushed, limit * RATE);
			ck_assert_uint_le(pushed, (limit + 3) * RATE);
			ck_assert_uint_le(p.calls, pushed);
			rig_free(&r);
		}
}
END_TEST

START_TEST(end_wakes_waiters)
{
	struct pusher p[3];
	struct rig r;

	rig_start_shut(&r);
	for (size_t i = 0; i < TEST_COUNT(p); i++)
		pusher_start(&p[i], &r, 0, 1);
	ck_assert_int_eq(pstk_push_end(r.push), 0);
	for (size_t i = 0; i < TEST_COUNT(p); i++)
		ck_assert_uint_eq(pusher_join(&p[i]), 0);
	ck_assert_int_eq(pstk_push_end(r.push), 0);
	sink_open(&r.sink);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	ck_assert_uint_eq(r.sink.next, ROOM);
	ck_assert_int_eq(pstk_push_end(r.push), 0);
	rig_free(&r);
}
END_TEST

static void *push_ten(void *arg)
{
	struct rig *r = arg;

	return push_numbers(r, 0, 10, PSTK_FOREVER) == 10 && !pstk_push_end(r->push) ? r : NULL;
}

START_TEST(push_before_start)
{
	for (uint32_t rate = 1; rate <= 11; rate++) {
		pthread_t thread;
		void *ok;
		struct rig r;

		rig_build(&r, sizeof(uint32_t), rate);
		ck_assert_int_eq(push_numbers(&r, 0, 1, 0), 0);
		ck_assert_int_eq(push_numbers(&r, 0, 1, 1000), 0);
		ck_assert_int_eq(pthread_create(&thread, NULL, push_ten, &r), 0);
		ck_assert_int_eq(pstk_network_start(r.net), 0);
		ck_assert_int_eq(pthread_join(thread, &ok), 0);
		ck_assert_ptr_eq(ok, &r);
		ck_assert_int_eq(pstk_network_wait(r.net), 0);
		ck_assert_uint_eq(r.sink.next, 10);
		ck_assert_uint_eq(r.sink.wrong, 0);
		rig_free(&r);
	}
}
END_TEST

START_TEST(start_fails)
{
	struct pusher p;
	struct rig r;

	/* after push's turn: its finish() tells the callers */
	rig_build(&r, sizeof(uint32_t), RATE);
	r.sink.init_fails = -ENODEV;
	pusher_start(&p, &r, 0, 1);
	ck_assert_int_eq(pstk_network_start(r.net), -ENODEV);
	ck_assert_uint_eq(pusher_join(&p), 0);
	rig_free(&r);

	/* before it, or never: pstk_push_end() does */
	r = (struct rig){
		.net = pstk_network_create("rig"), .push = pstk_push_create(), .size = sizeof(uint32_t)
	};
	ck_assert_ptr_nonnull(pstk_push_add(r.net, "camera", r.push));
	pusher_start(&p, &r, 0, 1);
	ck_assert_int_eq(pstk_network_start(r.net), -EINVAL); /* not connected */
	pstk_push_end(r.push);
	ck_assert_uint_eq(pusher_join(&p), 0);
	rig_free(&r);
}
END_TEST

/* A token of a thread: which one, which of its calls, which token of the call. */
struct mark {
	uint32_t thread, call, index;
};

enum { THREADS = 4, MOST = 7 };

struct marks {
	struct mark last;
	uint32_t calls[THREADS]; /* the last call seen */
	uint32_t seen[THREADS], torn, disordered;
};

static int marks_fire(struct pstk_firing *f)
{
	struct marks *m = pstk_actor_arg(pstk_firing_actor(f));
	const struct mark *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++) {
		const struct mark *k = &in[i];

		/* only tokens that were taken at once have the same call */
		m->torn += k->index && (m->last.thread != k->thread || m->last.call != k->call ||
					       m->last.index + 1 != k->index);
		m->disordered += !k->index && k->call <= m->calls[k->thread];
		m->calls[k->thread] = k->call;
		m->seen[k->thread]++;
		m->last = *k;
	}
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

struct marker {
	struct pstk_push *push;
	uint32_t thread, pushed;
	uint64_t goal;
	int bad;
};

/* Tries several tokens; waits with one when there is no room. */
static void *marker_main(void *arg)
{
	struct marker *m = arg;
	struct test_rng rng = { m->thread };

	for (uint32_t call = 1; m->pushed < m->goal; call++) {
		struct mark marks[MOST];
		uint32_t n = test_between(&rng, 1, MOST);
		int rc;

		for (uint32_t i = 0; i < n; i++)
			marks[i] = (struct mark){ m->thread, call, i };
		rc = pstk_push_write(m->push, marks, n, 0);
		if (!rc)
			rc = pstk_push_write(m->push, marks, 1, PSTK_FOREVER);
		m->bad += rc < 1;
		m->pushed += rc > 0 ? (uint32_t)rc : 0;
		if (rc < 0)
			break;
	}
	return NULL;
}

START_TEST(several_threads)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_network *net = pstk_network_create("threads");
	struct pstk_push *push = pstk_push_create();
	struct pstk_actor *from = pstk_push_add(net, "push", push), *to;
	struct marks marks = { 0 };
	struct marker markers[THREADS];
	pthread_t threads[THREADS];

	to = pstk_network_add(net, "marks",
		PSTK_ACTOR_TYPE(.name = "marks", .ports = &in, .port_count = 1, .fire = marks_fire), &marks);
	pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = 16, .token_size = sizeof(struct mark)));
	ck_assert_int_eq(pstk_network_start(net), 0);
	for (uint32_t t = 0; t < THREADS; t++) {
		markers[t] = (struct marker){ .push = push, .thread = t, .goal = test_rounds(10000) };
		ck_assert_int_eq(pthread_create(&threads[t], NULL, marker_main, &markers[t]), 0);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
	pstk_push_end(push);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	for (uint32_t t = 0; t < THREADS; t++) {
		ck_assert_int_eq(markers[t].bad, 0);
		ck_assert_uint_ge(markers[t].pushed, markers[t].goal);
		ck_assert_uint_eq(marks.seen[t], markers[t].pushed);
	}
	ck_assert_uint_eq(marks.torn, 0);
	ck_assert_uint_eq(marks.disordered, 0);
	pstk_network_destroy(net);
	pstk_push_destroy(push);
}
END_TEST

START_TEST(misuse)
{
	struct pstk_network *net = pstk_network_create("misuse");
	struct pstk_push *push = pstk_push_create();
	int token = 0;

	ck_assert_int_eq(pstk_push_write(NULL, &token, 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_push_write(push, NULL, 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_push_write(push, NULL, 0, 0), -EINVAL);
	ck_assert_int_eq(pstk_push_write(push, &token, (size_t)INT_MAX + 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_push_write(push, &token, 0, PSTK_FOREVER), 0);
	ck_assert_int_eq(pstk_push_end(NULL), -EINVAL);
	pstk_push_destroy(NULL);
	ck_assert_ptr_null(pstk_push_add(NULL, "camera", push));
	ck_assert_ptr_null(pstk_push_add(net, NULL, push));
	ck_assert_ptr_nonnull(pstk_push_add(net, "camera", push)); /* what was refused did not use it up */
	ck_assert_ptr_null(pstk_push_add(net, "none", NULL));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
	pstk_push_end(push);
	ck_assert_int_eq(pstk_push_write(push, &token, 0, PSTK_FOREVER), -EPIPE);
	pstk_push_destroy(push);
}
END_TEST

/* One push for two actors. */
START_TEST(two_actors)
{
	struct rig r;
	struct pstk_network *other = pstk_network_create("other");

	rig_build(&r, sizeof(uint32_t), RATE);
	ck_assert_ptr_null(pstk_push_add(r.net, "second camera", r.push));
	ck_assert_int_eq(pstk_network_start(r.net), -EBUSY);
	TEST_SAYS(pstk_network_error(r.net), "'second camera'", "push", "another actor");
	ck_assert_ptr_null(pstk_push_add(other, "third camera", r.push));
	ck_assert_int_eq(pstk_network_start(other), -EBUSY);
	TEST_SAYS(pstk_network_error(other), "'third camera'");
	pstk_network_destroy(other);
	rig_free(&r);
}
END_TEST

START_TEST(no_memory)
{
	test_fail_allocation(1);
	ck_assert_ptr_null(pstk_push_create());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("push");
	TCase *tcase = test_case(suite, "push");

	tcase_add_test(tcase, rates_and_counts);
	tcase_add_test(tcase, try_and_time_out);
	tcase_add_test(tcase, time_out_in_the_middle);
	tcase_add_test(tcase, stop_while_blocked);
	tcase_add_test(tcase, stop_in_a_window);
	tcase_add_test(tcase, abort_while_blocked);
	tcase_add_test(tcase, destroy_while_blocked);
	tcase_add_test(tcase, another_actor_fails);
	tcase_add_test(tcase, sink_ends_early);
	tcase_add_test(tcase, end_wakes_waiters);
	tcase_add_test(tcase, push_before_start);
	tcase_add_test(tcase, start_fails);
	tcase_add_test(tcase, several_threads);
	tcase_add_test(tcase, misuse);
	tcase_add_test(tcase, two_actors);
	tcase_add_test(tcase, no_memory);
	return test_main(suite);
}
