/* SPDX-License-Identifier: MIT */
/*
 * What is said of an actor's time, on the clock and on a core. The threads' clocks are this program's (the linker
 * puts them in the library's place): they show the machine's time and what firings add to it, on a core or off it.
 * What is compared is far more than what a machine adds, and what it adds on its cores is known.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static _Thread_local uint64_t on_core_ns, off_core_ns;
static _Atomic uint64_t cpu_looks;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int err = __real_clock_gettime(clock, t);
	uint64_t ns = (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec + on_core_ns;

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		atomic_fetch_add(&cpu_looks, 1);
	else
		ns += off_core_ns;
	*t = (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
	return err;
}

/* What the machine's cores have done for this program. */
static uint64_t real_cpu(void)
{
	struct timespec t;

	__real_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Firings of `on` ns on a core, each n-th of which is off its core for a time, too. */
struct work {
	uint64_t firings, on, off, every;
	uint64_t before; /* on a core, of its source */
	_Atomic uint64_t fired;
};

static int work(struct work *w)
{
	uint64_t n = atomic_fetch_add(&w->fired, 1);

	on_core_ns += w->on;
	if (n % w->every == w->every - 1)
		off_core_ns += w->off;
	return n + 1 < w->firings ? PSTK_AGAIN : PSTK_DONE;
}

static int lone_fire(struct pstk_firing *f)
{
	return work(pstk_actor_arg(pstk_firing_actor(f)));
}

static void run(struct pstk_network *net, struct pstk_actor *a, const struct work *w)
{
	struct pstk_actor_stats stats;
	uint64_t on = w->firings * w->on, off = w->firings / w->every * w->off, real = real_cpu(), cpu;

	ck_assert_uint_eq(pstk_actor_cpu_ns(a), 0);
	atomic_store(&cpu_looks, 0);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	real = real_cpu() - real;
	cpu = pstk_actor_cpu_ns(a);
	ck_assert_int_eq(pstk_actor_get_stats(a, &stats), 0);
	ck_assert_uint_eq(stats.firings, w->firings);
	if (w->on > US) { /* else it is a sample */
		ck_assert_uint_ge(stats.fire_ns, on + off);
		ck_assert_uint_ge(cpu, on);
	}
	ck_assert_uint_le(cpu, stats.fire_ns);
	ck_assert_msg(cpu <= (on + real) * 5 / 4 + (w->on > US ? 5 : 100) * MS,
		"%llu of %llu ns on a core, which were %llu", (unsigned long long)cpu,
		(unsigned long long)stats.fire_ns, (unsigned long long)(on + real));
	/* 1 % at 250 ns a look; and some after each time off a core */
	ck_assert_msg(atomic_load(&cpu_looks) <= 10 + (on + real) / (50 * US) + off / MS,
		"%llu looks in %llu ns", (unsigned long long)atomic_load(&cpu_looks),
		(unsigned long long)(on + real));
	pstk_network_destroy(net);
}

static const struct work works[] = {
	/* long ones, each measured: off their core always, now and then, never */
	{ 100, 1 * MS, 9 * MS, 1 },
	{ 100, 91 * US, 19 * MS, 10 },
	{ 1000, 100 * US, 0, 1 },
	/* short ones, now and then off their core */
	{ 4000, 5 * US, 36 * MS, 400 },
	/* very short ones, of which one in 16 is measured */
	{ 320000, 100, 4 * MS, 1001 },
};

START_TEST(on_a_core)
{
	for (unsigned threads = 0; threads <= 1; threads++) {
		struct work w = works[_i];
		struct pstk_network *net = pstk_network_create("lone");
		struct pstk_actor *a =
			pstk_network_add(net, "a", PSTK_ACTOR_TYPE(.name = "lone", .fire = lone_fire), &w);

		pstk_network_set_threads(net, threads);
		run(net, a, &w);
	}
}
END_TEST

static const struct pstk_port out_port = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 },
			      in_port = { .name = "in", .kind = PSTK_INPUT, .token_size = 4 };

static int source_fire(struct pstk_firing *f)
{
	const struct work *w = pstk_actor_arg(pstk_firing_actor(f));

	on_core_ns += w->before;
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 < w->firings ? PSTK_AGAIN : PSTK_DONE;
}

static int reader_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	work(pstk_actor_arg(pstk_firing_actor(f)));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void run_behind_source(struct work *w, unsigned concurrency, unsigned threads)
{
	struct pstk_network *net = pstk_network_create("behind");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out_port, .port_count = 1, .fire = source_fire),
		w);
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "reader", .ports = &in_port, .port_count = 1, .stateless = true,
			.fire = reader_fire),
		w);

	pstk_connect(source, "out", a, "in", PSTK_FIFO(.rate = 1, .depth = 6));
	ck_assert_int_eq(pstk_actor_set_concurrency(a, concurrency), 0);
	pstk_network_set_threads(net, threads);
	run(net, a, w);
}

/* Several threads fire one actor: each has its own clock, and all of them count. */
START_TEST(side_by_side)
{
	struct work w = { 100, 1 * MS, 9 * MS, 1 };

	run_behind_source(&w, 3, _i ? 3 : 0);
}
END_TEST

/* What a team's thread does for another actor in between is not this one's. */
START_TEST(between_others)
{
	struct work w = { 1000, 100 * US, 80 * US, 1, .before = 90 * US };

	run_behind_source(&w, 1, 1);
}
END_TEST

static int kahn_fire(struct pstk_firing *f)
{
	struct work *w = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t token;

	while (pstk_fifo_read(f, 0, &token, 1) == 1)
		work(w);
	return PSTK_DONE;
}

/* One firing of a kahn actor, which waits at its port in between: that is no time of its own. */
START_TEST(kahn)
{
	struct work w = { 100, 1 * MS, 9 * MS, 1 };
	struct pstk_network *net = pstk_network_create("kahn");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out_port, .port_count = 1, .fire = source_fire),
		&w);
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "kahn", .ports = &in_port, .port_count = 1, .kahn = true,
			.fire = kahn_fire),
		&w);
	struct pstk_actor_stats stats;
	uint64_t real = real_cpu(), cpu;

	pstk_connect(source, "out", a, "in", PSTK_FIFO(.rate = 1));
	ck_assert_int_eq(pstk_network_run(net), 0);
	real = real_cpu() - real;
	cpu = pstk_actor_cpu_ns(a);
	ck_assert_int_eq(pstk_actor_get_stats(a, &stats), 0);
	ck_assert_uint_ge(stats.fire_ns, 100 * 10 * MS);
	ck_assert_uint_ge(cpu, 100 * MS);
	ck_assert_uint_le(cpu, 100 * MS + real + 50 * MS);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("meter");
	TCase *tcase = test_case(suite, "meter");

	tcase_add_loop_test(tcase, on_a_core, 0, TEST_COUNT(works));
	tcase_add_loop_test(tcase, side_by_side, 0, 2);
	tcase_add_test(tcase, between_others);
	tcase_add_test(tcase, kahn);
	return test_main(suite);
}
