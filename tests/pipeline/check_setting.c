/* SPDX-License-Identifier: MIT */
/* What carriers do under a setting, and when it changes. That a stream stays whole is in check_carriage. */
#include "tests/common/common.h"
#include "tests/pipeline/line.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

/* The setting changes late enough for all carriers to have found their places, also such as sleep. */
enum { CORES = 3, TAKERS = CORES + 1, CHANGES = 2000, MEETS = CHANGES + 30, ITEMS = MEETS + 30 };

/* Threads that meet: none goes on before so many have been there at the same time. */
struct meeting {
	_Atomic uint64_t inside, met;
	uint64_t wanted;
	uint64_t from; /* this item on */
};

static void meet(struct meeting *m)
{
	if (atomic_fetch_add(&m->inside, 1) + 1 >= m->wanted)
		atomic_store(&m->met, 1);
	test_await(&m->met, 1);
	atomic_fetch_sub(&m->inside, 1);
}

static int meet_in_items(struct pstk_firing *f, struct line_stage *at)
{
	struct meeting *m = at->data;

	if (pstk_firing_index(f) >= m->from)
		meet(m);
	return PSTK_AGAIN;
}

static void meet_in_part(void *data, size_t from, size_t to)
{
	(void)from;
	(void)to;
	meet(data);
}

/* Each part is another thread's. */
static int meet_in_loops(struct pstk_firing *f, struct line_stage *at)
{
	struct meeting *m = at->data;

	if (pstk_firing_index(f) >= m->from)
		pstk_parallel_for(f, m->wanted, 1, meet_in_part, m);
	return PSTK_AGAIN;
}

static int ask_late(struct pstk_firing *f, struct line_stage *at)
{
	if (pstk_firing_index(f) != CHANGES)
		return PSTK_AGAIN;
	return pstk_pipeline_set_configuration(at->of->pipeline, at->data, NULL, 0);
}

/* Runs a line whose first stage asks for `later`; "": nothing. The second one meets behind that. */
static void run_line(const char *first, const char *later,
	int (*act)(struct pstk_firing *, struct line_stage *), uint64_t wanted)
{
	struct meeting meeting = { .wanted = wanted, .from = MEETS };
	struct line line;

	line_begin(&line, 2, ITEMS, 1);
	if (*later) {
		line.at[0].act = ask_late;
		line.at[0].data = (void *)(uintptr_t)later;
	}
	line.at[1].act = act;
	line.at[1].data = &meeting;
	ck_assert_ptr_nonnull(
		line_make(&line, PSTK_PIPELINE(.cores = CORES, .in_flight = 6, .configuration = first)));
	line_run(&line);
	ck_assert_uint_eq(atomic_load(&meeting.met), 1);
	pstk_network_destroy(line.net);
}

/* As many items as a configuration says are in a stage at the same time, whatever was before. */
START_TEST(items_side_by_side)
{
	run_line("CG:00:4", "", meet_in_items, TAKERS);
	run_line("CG:00:2", "", meet_in_items, 2);
	run_line("CG:00:1", "CG:00:4", meet_in_items, TAKERS);
	run_line("CG:00:4", "CG:00:2", meet_in_items, 2);
	run_line("MG:00", "CG:00:4", meet_in_items, TAKERS);
}
END_TEST

/* In medium grain all cores are in one loop. */
START_TEST(cores_in_a_loop)
{
	run_line("MG:00", "", meet_in_loops, CORES);
	run_line("CG:00:1", "MG:00", meet_in_loops, CORES);
	run_line("CG:00:4", "MG:00", meet_in_loops, CORES);
}
END_TEST

/* The most items that were in either stage at the same time. */
struct crowd {
	_Atomic uint64_t inside, most;
	uint64_t from;
};

static int count_inside(struct pstk_firing *f, struct line_stage *at)
{
	struct crowd *c = at->data;
	uint64_t inside = atomic_fetch_add(&c->inside, 1) + 1;

	sched_yield();
	if (pstk_firing_index(f) >= c->from && inside > atomic_load(&c->most))
		atomic_store(&c->most, inside);
	atomic_fetch_sub(&c->inside, 1);
	return PSTK_AGAIN;
}

/* One item at a time is on the cores: in medium grain, and with one carrier. */
START_TEST(one_item_at_a_time)
{
	static const char *const one[] = { "MG:000", "CG:000:1" };

	for (unsigned i = 0; i < 4; i++) {
		struct crowd crowd = { .from = i < 2 ? 0 : MEETS };
		const char *later = one[i % 2];
		struct line line;

		line_begin(&line, 3, ITEMS, 1);
		line.at[0].act = i < 2 ? NULL : ask_late;
		line.at[0].data = (void *)(uintptr_t)later;
		line.at[1].act = line.at[2].act = count_inside;
		line.at[1].data = line.at[2].data = &crowd;
		ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = CORES, .in_flight = 6)));
		if (i < 2)
			ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, later, NULL, 0), 0);
		line_run(&line);
		ck_assert_uint_eq(atomic_load(&crowd.most), 1);
		pstk_network_destroy(line.net);
	}
}
END_TEST

static int wait_for_turn(struct pstk_firing *f, struct line_stage *at)
{
	test_await(at->data, pstk_firing_index(f) + 1);
	return PSTK_AGAIN;
}

/* Four items are under way when another setting is asked for: none is taken before the last of them is published,
 * though there is room. No more may be in flight: a team takes items ahead of the carriers that fire them. */
START_TEST(none_is_taken_meanwhile)
{
	static const char *const later[] = { "MG:00", "CG:00:1", "CG:00:3", "baseline" };

	for (unsigned i = 0; i < TEST_COUNT(later); i++) {
		_Atomic uint64_t turn = 0;
		struct line line;

		line_begin(&line, 2, 100, 1);
		line.at[1].act = wait_for_turn;
		line.at[1].data = &turn;
		ck_assert_ptr_nonnull(line_make(&line,
			PSTK_PIPELINE(.cores = CORES, .in_flight = TAKERS, .configuration = "CG:00:4")));
		ck_assert_int_eq(pstk_network_start(line.net), 0);
		test_await(&line.at[0].firings, TAKERS);
		ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, later[i], NULL, 0), 0);
		for (uint64_t n = 1; n < TAKERS; n++) {
			atomic_store(&turn, n);
			test_await(&line.collect.tokens, n);
			for (unsigned k = 0; k < 200; k++)
				sched_yield();
			ck_assert_uint_eq(atomic_load(&line.at[0].firings), TAKERS);
		}
		atomic_store(&turn, UINT64_MAX);
		ck_assert_int_eq(pstk_network_wait(line.net), 0);
		ck_assert_uint_eq(atomic_load(&line.collect.tokens), 100);
		ck_assert_uint_eq(atomic_load(&line.collect.wrong), 0);
		pstk_network_destroy(line.net);
	}
}
END_TEST

/* Of several calls the last one counts, also before the start. */
START_TEST(the_last_call_counts)
{
	struct meeting meeting = { .wanted = TAKERS };
	struct line line;

	line_begin(&line, 2, 60, 1);
	line.at[1].act = meet_in_items;
	line.at[1].data = &meeting;
	ck_assert_ptr_nonnull(
		line_make(&line, PSTK_PIPELINE(.cores = CORES, .in_flight = 6, .configuration = "CG:00:1")));
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "MG:00", NULL, 0), 0);
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "CG:00:4", NULL, 0), 0);
	ck_assert_int_ne(pstk_pipeline_set_configuration(line.pipeline, "CG:00:5", NULL, 0), 0);
	line_run(&line);
	pstk_network_destroy(line.net);
}
END_TEST

struct asker {
	struct meeting meeting;
	struct line line;
	_Atomic uint64_t asked;
	unsigned delay;
};

static void *ask_now(void *data)
{
	struct asker *a = data;
	volatile unsigned spin;

	for (spin = a->delay; spin > 0; spin--)
		;
	if (!pstk_pipeline_set_configuration(a->line.pipeline, "CG:00:4", NULL, 0))
		atomic_store(&a->asked, 1);
	return NULL;
}

/* The first item waits until it has been asked: later ones meet. */
static int meet_when_asked(struct pstk_firing *f, struct line_stage *at)
{
	struct asker *a = at->data;

	test_await(&a->asked, 1);
	if (pstk_firing_index(f) >= 30)
		meet(&a->meeting);
	return PSTK_AGAIN;
}

/* What another thread asks for at any moment of the start is done. */
START_TEST(asked_around_the_start)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t n = test_rounds(500); n > 0; n--) {
		struct asker a = { .meeting = { .wanted = TAKERS }, .delay = test_between(&rng, 0, 40000) };
		pthread_t thread;

		line_begin(&a.line, 2, 60, 1);
		a.line.at[1].act = meet_when_asked;
		a.line.at[1].data = &a;
		ck_assert_ptr_nonnull(line_make(
			&a.line, PSTK_PIPELINE(.cores = CORES, .in_flight = 6, .configuration = "CG:00:1")));
		ck_assert_int_eq(pthread_create(&thread, NULL, ask_now, &a), 0);
		line_run(&a.line);
		pthread_join(thread, NULL);
		pstk_network_destroy(a.line.net);
	}
}
END_TEST

/* The clock, s. */
static double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { LATE_ITEMS = 2000 };
#define LATE 0.2 /* s: longer than all items take, or the test sees nothing */

struct late {
	uint64_t given;
	double given_at; /* the clock, before the first token is given */
};

/* A source that takes its time before it begins. */
static int late_fire(struct pstk_firing *f)
{
	struct late *late = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t *out = pstk_fifo_write_start(f, 0);

	if (!late->given)
		for (double from = clock_now(); late->given_at < from + LATE;)
			late->given_at = clock_now();
	*out = late->given++;
	pstk_fifo_write_end(f, 0);
	return late->given < LATE_ITEMS ? PSTK_AGAIN : PSTK_DONE;
}

/* Joules that are counted before the first item is there are no item's: with 1 W all the time an experiment's are at
 * most as many as there are seconds behind that. */
START_TEST(joules_before_the_first_item)
{
	static const struct pstk_port ports[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type, .name = "late", .ports = ports, .port_count = 1, .fire = late_fire
	};
	struct late late = { 0 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("late");
	struct pstk_actor *source = pstk_network_add(net, "source", &type, &late),
			  *stage = pstk_network_add(net, "stage", line_type(), NULL),
			  *sink = pstk_network_add(net, "sink", simple_collect_type(), &collect);
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct pstk_pipeline_report *r;
	struct pstk_pipeline *p;

	spec.token_size = 8;
	spec.rate = 1;
	ck_assert_ptr_nonnull(pstk_connect(source, "out", stage, "in", &spec));
	ck_assert_ptr_nonnull(pstk_connect(stage, "out", sink, "in", &spec));
	p = pstk_pipeline_add(net, "line", &stage, 1,
		PSTK_PIPELINE(.cores = 1, .candidates = 1,
			.meter = "sim:cores=0,core=0,device_idle=0,device=0,rest=1"));
	ck_assert_msg(p != NULL, "%s", pstk_network_error(net));
	ck_assert_int_eq(pstk_network_run(net), 0);
	r = pstk_pipeline_get_report(p);
	ck_assert(r && r->has_measurements && r->measurements.e_cg1);
	ck_assert_double_le(3 * r->measurements.e_cg1[0].rest, clock_now() - late.given_at);
	pstk_pipeline_free_report(r);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting");
	TCase *tcase = test_case(suite, "setting");

	tcase_add_test(tcase, items_side_by_side);
	tcase_add_test(tcase, cores_in_a_loop);
	tcase_add_test(tcase, one_item_at_a_time);
	tcase_add_test(tcase, none_is_taken_meanwhile);
	tcase_add_test(tcase, the_last_call_counts);
	tcase_add_test(tcase, asked_around_the_start);
	tcase_add_test(tcase, joules_before_the_first_item);
	return test_main(suite);
}
