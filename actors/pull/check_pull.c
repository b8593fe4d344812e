/* SPDX-License-Identifier: MIT */
#include "penstock/actors.h"
#include "tests/common/allocation.h"
#include "tests/common/common.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Gives the numbers 0, 1, 2, .. */
struct source {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	uint32_t shut_at; /* guarded by lock: fire() waits before this number; UINT32_MAX: never */
	uint32_t next;    /* actor's thread, and after wait() */
	uint32_t count;   /* numbers in all */
	int fails;        /* what fire() returns in the end instead of PSTK_DONE */
	int init_fails;   /* what init() returns */
};

static const struct source fresh = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.opened = PTHREAD_COND_INITIALIZER,
	.shut_at = UINT32_MAX,
	.count = UINT32_MAX };

static void source_open(struct source *s)
{
	pthread_mutex_lock(&s->lock);
	s->shut_at = UINT32_MAX;
	pthread_cond_broadcast(&s->opened);
	pthread_mutex_unlock(&s->lock);
}

static int source_init(struct pstk_actor *self)
{
	return ((struct source *)pstk_actor_arg(self))->init_fails;
}

static void source_unblock(struct pstk_actor *self)
{
	source_open(pstk_actor_arg(self));
}

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct source *s = pstk_actor_arg(self);
	uint32_t rate = pstk_actor_port_rate(self, 0), left = s->count - s->next,
		 n = left < rate ? left : rate;
	size_t size = pstk_actor_port_token_size(self, 0);
	unsigned char *window = pstk_fifo_write_start(f, 0);

	pthread_mutex_lock(&s->lock);
	while (s->next >= s->shut_at)
		pthread_cond_wait(&s->opened, &s->lock);
	pthread_mutex_unlock(&s->lock);
	memset(window, 0xa5, rate * size);
	for (uint32_t i = 0; i < n; i++, s->next++)
		memcpy(window + i * size, &s->next, sizeof s->next);
	if (n)
		pstk_fifo_write_end_partial(f, 0, n);
	if (s->next < s->count)
		return PSTK_AGAIN;
	return s->fails ? s->fails : PSTK_DONE;
}

/* source -> pull */
struct rig {
	struct pstk_network *net;
	struct pstk_pull *pull;
	struct source source;
	size_t size;
};

static void rig_build(struct rig *r, size_t token_size, uint32_t rate, uint32_t count)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_actor *pull, *source;

	*r = (struct rig){ .net = pstk_network_create("rig"),
		.pull = pstk_pull_create(),
		.source = fresh,
		.size = token_size };
	r->source.count = count;
	pull = pstk_pull_add(r->net, "screen", r->pull);
	source = pstk_network_add(r->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .blocks = true,
			.init = source_init, .fire = source_fire, .unblock = source_unblock),
		&r->source);
	ck_assert_ptr_nonnull(pstk_connect(
		source, "out", pull, "in", PSTK_FIFO(.rate = rate, .depth = 2, .token_size = token_size)));
}

static void rig_free(struct rig *r)
{
	pstk_network_destroy(r->net);
	pstk_pull_destroy(r->pull);
}

/* Pulls up to n numbers in one call; returns what pstk_pull_read() did, or -EILSEQ: they did not go on from *next.
 */
static int pull_numbers(struct rig *r, uint32_t *next, uint32_t n, uint64_t ns)
{
	unsigned char *tokens = calloc(n + 1, r->size);
	int rc = pstk_pull_read(r->pull, tokens, n, ns);

	for (int i = 0; i < rc; i++) {
		uint32_t number;

		memcpy(&number, tokens + (size_t)i * r->size, sizeof number);
		if (number != (*next)++)
			rc = -EILSEQ;
	}
	free(tokens);
	return rc;
}

START_TEST(rates_and_counts)
{
	struct test_rng rng = { test_seed() };

	for (uint32_t rate = 1; rate <= 64; rate++)
		for (uint32_t rest = 0; rest < rate; rest += TEST_SANITIZED ? 5 : 1) {
			uint32_t count = test_between(&rng, 0, 3) * rate + rest, next = 0, n;
			struct rig r;

			test_guard("pull", test_seed());
			rig_build(&r, sizeof(uint32_t) + test_between(&rng, 0, 3), rate, count);
			ck_assert_int_eq(pstk_network_start(r.net), 0);
			while (next < count) {
				uint32_t due = count - next;

				n = test_between(&rng, 1, 2 * rate + 3);
				ck_assert_int_eq(pull_numbers(&r, &next, n, PSTK_FOREVER), n < due ? n : due);
			}
			ck_assert_int_eq(pull_numbers(&r, &next, 1, PSTK_FOREVER), -EPIPE);
			ck_assert_int_eq(pull_numbers(&r, &next, 0, 0), -EPIPE);
			ck_assert_int_eq(pstk_network_wait(r.net), 0);
			rig_free(&r);
		}
}
END_TEST

enum { RATE = 4, MANY = 10 * RATE };

START_TEST(try_and_time_out)
{
	uint32_t next = 0;
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE, MANY + 1);
	r.source.shut_at = 0;
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	ck_assert_int_eq(pull_numbers(&r, &next, 1, 0), 0);
	ck_assert_int_eq(pull_numbers(&r, &next, 1, 1000), 0);
	ck_assert_int_eq(pull_numbers(&r, &next, 1, 1000000), 0);
	ck_assert_int_eq(pull_numbers(&r, &next, 0, PSTK_FOREVER), 0);
	source_open(&r.source);
	ck_assert_int_eq(pull_numbers(&r, &next, MANY / 2, PSTK_FOREVER - 1), MANY / 2);
	ck_assert_int_eq(pull_numbers(&r, &next, MANY, UINT64_C(2147483646999999999)), MANY / 2 + 1);
	ck_assert_int_eq(pull_numbers(&r, &next, 1, 0), -EPIPE);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	rig_free(&r);
}
END_TEST

/* The time runs out when a call has moved some of its tokens. */
START_TEST(time_out_in_the_middle)
{
	uint32_t next = 0;
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE, MANY);
	r.source.shut_at = RATE;
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	ck_assert_int_eq(pull_numbers(&r, &next, 1, PSTK_FOREVER), 1); /* the window is there */
	ck_assert_int_eq(pull_numbers(&r, &next, MANY, 1000000), RATE - 1);
	source_open(&r.source);
	ck_assert_int_eq(pull_numbers(&r, &next, MANY, PSTK_FOREVER), MANY - RATE);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	rig_free(&r);
}
END_TEST

/* What the source has given can be pulled after a stop. */
START_TEST(stop_drains)
{
	for (uint32_t before = 0; before < 3 * RATE; before++) {
		uint32_t next = 0;
		struct rig r;
		int rc;

		rig_build(&r, sizeof(uint32_t), RATE, UINT32_MAX);
		ck_assert_int_eq(pstk_network_start(r.net), 0);
		ck_assert_int_eq(pull_numbers(&r, &next, before, PSTK_FOREVER), before);
		pstk_network_stop(r.net);
		do
			rc = pull_numbers(&r, &next, 3, PSTK_FOREVER);
		while (rc > 0);
		ck_assert_int_eq(rc, -EPIPE);
		ck_assert_int_eq(pstk_network_wait(r.net), 0);
		ck_assert_uint_eq(r.source.next, next);
		rig_free(&r);
	}
}
END_TEST

/* A thread that pulls until it is told -EPIPE. */
struct puller {
	struct rig *rig;
	uint32_t next, step;
	int last;
	pthread_t thread;
};

static void *puller_main(void *arg)
{
	struct puller *p = arg;

	do
		p->last = pull_numbers(p->rig, &p->next, p->step, PSTK_FOREVER);
	while (p->last >= 0);
	return NULL;
}

static void puller_start(struct puller *p, struct rig *r, uint32_t step)
{
	*p = (struct puller){ .rig = r, .step = step };
	ck_assert_int_eq(pthread_create(&p->thread, NULL, puller_main, p), 0);
}

static void puller_join(struct puller *p)
{
	ck_assert_int_eq(pthread_join(p->thread, NULL), 0);
	ck_assert_int_eq(p->last, -EPIPE);
}

/* The source waits in its third window. */
static void rig_start_shut(struct rig *r)
{
	rig_build(r, sizeof(uint32_t), RATE, UINT32_MAX);
	r->source.shut_at = 2 * RATE;
	ck_assert_int_eq(pstk_network_start(r->net), 0);
}

START_TEST(abort_while_blocked)
{
	for (uint32_t step = 1; step <= 3 * RATE; step++) {
		struct puller p;
		struct rig r;

		rig_start_shut(&r);
		puller_start(&p, &r, step);
		pstk_network_abort(r.net);
		puller_join(&p);
		ck_assert_int_eq(pstk_network_wait(r.net), -ECANCELED);
		rig_free(&r);
	}
}
END_TEST

START_TEST(destroy_while_blocked)
{
	struct puller p;
	struct rig r;

	rig_start_shut(&r);
	puller_start(&p, &r, 3 * RATE);
	pstk_network_destroy(r.net);
	puller_join(&p);
	pstk_pull_destroy(r.pull);
}
END_TEST

START_TEST(another_actor_fails)
{
	for (uint32_t count = 0; count < 3 * RATE; count++) {
		struct puller p;
		struct rig r;

		rig_build(&r, sizeof(uint32_t), RATE, count);
		r.source.fails = -EIO;
		ck_assert_int_eq(pstk_network_start(r.net), 0);
		puller_start(&p, &r, 3);
		puller_join(&p);
		ck_assert_uint_le(p.next, count);
		ck_assert_int_eq(pstk_network_wait(r.net), -EIO);
		rig_free(&r);
	}
}
END_TEST

/* The program wants no more, at any point of a window: the endless source ends. */
START_TEST(end_ends_the_network)
{
	for (uint32_t wanted = 0; wanted < 3 * RATE; wanted++) {
		uint32_t next = 0;
		struct rig r;

		rig_build(&r, sizeof(uint32_t), RATE, UINT32_MAX);
		ck_assert_int_eq(pstk_network_start(r.net), 0);
		ck_assert_int_eq(pull_numbers(&r, &next, wanted, PSTK_FOREVER), wanted);
		ck_assert_int_eq(pstk_pull_end(r.pull), 0);
		ck_assert_int_eq(pull_numbers(&r, &next, 1, PSTK_FOREVER), -EPIPE);
		ck_assert_int_eq(pstk_pull_end(r.pull), 0);
		ck_assert_int_eq(pstk_network_wait(r.net), 0);
		ck_assert_uint_le(r.source.next, (wanted / RATE + 3) * RATE);
		ck_assert_int_eq(pstk_pull_end(r.pull), 0);
		rig_free(&r);
	}
}
END_TEST

START_TEST(end_before_start)
{
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE, UINT32_MAX);
	ck_assert_int_eq(pstk_pull_end(r.pull), 0);
	ck_assert_int_eq(pstk_network_run(r.net), 0);
	rig_free(&r);
}
END_TEST

START_TEST(end_wakes_waiters)
{
	struct puller p[3];
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE, MANY);
	r.source.shut_at = 0;
	ck_assert_int_eq(pstk_network_start(r.net), 0);
	for (size_t i = 0; i < TEST_COUNT(p); i++)
		puller_start(&p[i], &r, 1);
	ck_assert_int_eq(pstk_pull_end(r.pull), 0);
	for (size_t i = 0; i < TEST_COUNT(p); i++)
		puller_join(&p[i]);
	source_open(&r.source);
	ck_assert_int_eq(pstk_network_wait(r.net), 0);
	rig_free(&r);
}
END_TEST

START_TEST(pull_before_start)
{
	for (uint32_t rate = 1; rate <= 11; rate++) {
		uint32_t next = 0;
		struct puller p;
		struct rig r;

		rig_build(&r, sizeof(uint32_t), rate, 10);
		ck_assert_int_eq(pull_numbers(&r, &next, 1, 0), 0);
		ck_assert_int_eq(pull_numbers(&r, &next, 1, 1000), 0);
		puller_start(&p, &r, 3);
		ck_assert_int_eq(pstk_network_run(r.net), 0);
		puller_join(&p);
		ck_assert_uint_eq(p.next, 10);
		rig_free(&r);
	}
}
END_TEST

START_TEST(start_fails)
{
	struct puller p;
	struct rig r;

	/* after pull's turn: its finish() tells the callers */
	rig_build(&r, sizeof(uint32_t), RATE, MANY);
	r.source.init_fails = -ENODEV;
	puller_start(&p, &r, 1);
	ck_assert_int_eq(pstk_network_start(r.net), -ENODEV);
	puller_join(&p);
	rig_free(&r);

	/* before it, or never: pstk_pull_end() does */
	r = (struct rig){
		.net = pstk_network_create("rig"), .pull = pstk_pull_create(), .size = sizeof(uint32_t)
	};
	ck_assert_ptr_nonnull(pstk_pull_add(r.net, "screen", r.pull));
	puller_start(&p, &r, 1);
	ck_assert_int_eq(pstk_network_start(r.net), -EINVAL); /* not connected */
	pstk_pull_end(r.pull);
	puller_join(&p);
	rig_free(&r);
}
END_TEST

enum { THREADS = 4, MOST = 7 };

struct taker {
	struct pstk_pull *pull;
	uint64_t sum, count, seed;
	int disordered, last;
};

/* Takes some numbers at a time: each thread's go up. */
static void *taker_main(void *arg)
{
	struct taker *t = arg;
	struct test_rng rng = { t->seed };
	int64_t before = -1;

	for (;;) {
		uint32_t numbers[MOST];

		t->last = pstk_pull_read(t->pull, numbers, test_between(&rng, 1, MOST), PSTK_FOREVER);
		if (t->last < 0)
			return NULL;
		for (int i = 0; i < t->last; i++) {
			t->disordered += numbers[i] <= before;
			before = numbers[i];
			t->sum += numbers[i];
			t->count++;
		}
	}
}

START_TEST(several_threads)
{
	uint64_t count = test_rounds(40000) + 5, total = 0, sum = 0;
	struct taker takers[THREADS];
	pthread_t threads[THREADS];
	struct rig r;

	rig_build(&r, sizeof(uint32_t), 16, (uint32_t)count);
	for (uint32_t t = 0; t < THREADS; t++) {
		takers[t] = (struct taker){ .pull = r.pull, .seed = t };
		ck_assert_int_eq(pthread_create(&threads[t], NULL, taker_main, &takers[t]), 0);
	}
	ck_assert_int_eq(pstk_network_run(r.net), 0);
	for (uint32_t t = 0; t < THREADS; t++) {
		ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
		ck_assert_int_eq(takers[t].last, -EPIPE);
		ck_assert_int_eq(takers[t].disordered, 0);
		total += takers[t].count;
		sum += takers[t].sum;
	}
	ck_assert_uint_eq(total, count);
	ck_assert_uint_eq(sum, count * (count - 1) / 2);
	rig_free(&r);
}
END_TEST

/* A thread pushes numbers, this one pulls them, in calls of many sizes. */
struct loop {
	struct pstk_push *push;
	uint32_t count, most;
	int last;
};

static void *loop_main(void *arg)
{
	struct loop *l = arg;
	struct test_rng rng = { 1 };
	uint32_t numbers[100];

	for (uint32_t next = 0; next < l->count;) {
		uint32_t n = test_between(&rng, 1, l->most);

		n = n < l->count - next ? n : l->count - next;
		for (uint32_t i = 0; i < n; i++)
			numbers[i] = next + i;
		l->last = pstk_push_write(l->push, numbers, n, PSTK_FOREVER);
		if (l->last != (int)n)
			return NULL;
		next += n;
	}
	l->last = pstk_push_end(l->push);
	return NULL;
}

static void run_loop(const struct pstk_fifo_spec *spec, uint32_t count, uint32_t most)
{
	struct pstk_network *net = pstk_network_create("loop");
	struct loop l = { pstk_push_create(), count, most, 0 };
	struct pstk_pull *pull = pstk_pull_create();
	struct test_rng rng = { 2 };
	uint32_t next = 0, numbers[100], wrong = 0;
	pthread_t thread;
	int rc;

	pstk_connect(pstk_push_add(net, "push", l.push), "out", pstk_pull_add(net, "pull", pull), "in", spec);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, loop_main, &l), 0);
	while ((rc = pstk_pull_read(pull, numbers, test_between(&rng, 1, most), PSTK_FOREVER)) > 0)
		for (int i = 0; i < rc; i++)
			wrong += numbers[i] != next++;
	ck_assert_int_eq(rc, -EPIPE);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(l.last, 0);
	ck_assert_uint_eq(next, count);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
	pstk_push_destroy(l.push);
	pstk_pull_destroy(pull);
}

START_TEST(million_tokens)
{
	run_loop(PSTK_FIFO(.rate = 64, .token_size = sizeof(uint32_t)), (uint32_t)test_rounds(1000000), 100);
}
END_TEST

START_TEST(token_by_token)
{
	uint32_t count = (uint32_t)test_rounds(10000);

	run_loop(PSTK_FIFO(.rate = 1, .token_size = sizeof(uint32_t)), count, 1);
	run_loop(PSTK_FIFO(.rate = 3, .depth = 1, .token_size = sizeof(uint32_t)), count, 7);
	run_loop(PSTK_FIFO(.capacity = 100, .token_size = sizeof(uint32_t)), count, 20);
}
END_TEST

START_TEST(misuse)
{
	struct pstk_network *net = pstk_network_create("misuse");
	struct pstk_pull *pull = pstk_pull_create();
	int token;

	ck_assert_int_eq(pstk_pull_read(NULL, &token, 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_pull_read(pull, NULL, 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_pull_read(pull, NULL, 0, 0), -EINVAL);
	ck_assert_int_eq(pstk_pull_read(pull, &token, (size_t)INT_MAX + 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_pull_end(NULL), -EINVAL);
	pstk_pull_destroy(NULL);
	ck_assert_ptr_null(pstk_pull_add(NULL, "screen", pull));
	ck_assert_ptr_null(pstk_pull_add(net, NULL, pull));
	ck_assert_ptr_nonnull(pstk_pull_add(net, "screen", pull)); /* what was refused did not use it up */
	ck_assert_ptr_null(pstk_pull_add(net, "none", NULL));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
	pstk_pull_end(pull);
	ck_assert_int_eq(pstk_pull_read(pull, &token, 1, PSTK_FOREVER), -EPIPE);
	pstk_pull_destroy(pull);
}
END_TEST

/* One pull for two actors. */
START_TEST(two_actors)
{
	struct rig r;

	rig_build(&r, sizeof(uint32_t), RATE, MANY);
	ck_assert_ptr_null(pstk_pull_add(r.net, "second screen", r.pull));
	ck_assert_int_eq(pstk_network_start(r.net), -EBUSY);
	TEST_SAYS(pstk_network_error(r.net), "'second screen'", "pull", "another actor");
	rig_free(&r);
}
END_TEST

START_TEST(no_memory)
{
	test_fail_allocation(1);
	ck_assert_ptr_null(pstk_pull_create());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pull");
	TCase *tcase = test_case(suite, "pull");

	tcase_add_test(tcase, rates_and_counts);
	tcase_add_test(tcase, try_and_time_out);
	tcase_add_test(tcase, time_out_in_the_middle);
	tcase_add_test(tcase, stop_drains);
	tcase_add_test(tcase, abort_while_blocked);
	tcase_add_test(tcase, destroy_while_blocked);
	tcase_add_test(tcase, another_actor_fails);
	tcase_add_test(tcase, end_ends_the_network);
	tcase_add_test(tcase, end_before_start);
	tcase_add_test(tcase, end_wakes_waiters);
	tcase_add_test(tcase, pull_before_start);
	tcase_add_test(tcase, start_fails);
	tcase_add_test(tcase, several_threads);
	tcase_add_test(tcase, million_tokens);
	tcase_add_test(tcase, token_by_token);
	tcase_add_test(tcase, misuse);
	tcase_add_test(tcase, two_actors);
	tcase_add_test(tcase, no_memory);
	return test_main(suite);
}
