/* SPDX-License-Identifier: MIT */
/*
 * In which cycle each input has its first window: on a driver whose commands take time by the clock, against the plan;
 * and where only the FIFOs' windows decide, exactly.
 *
 * If the source takes no time and all else the same, T, the source is through with k + 1 windows when k T have gone by:
 * two lie at its place, and each transfer frees one. Those are the plan's cycles. What frees the source's window also
 * fills one at the next place, so the source may be one further on by then. A thread that is late makes a count smaller
 * or larger by one, one that is later than T by more: then the network is run again.
 */
#include "lib/opencl/device.h"
#include "penstock/actors.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { DEVICES = 3, ACTORS = 12, BYTES = 4000, FIRINGS = 14, TRIES = 100 }; /* a busy machine spoils some */

#define T 0.01
#define RATE "400000" /* bytes/s: T for BYTES */

#define TIMED "timed=1,races=1,devices=3,latency=0,rate=" RATE

struct task {
	const char *name, *place;
	double time;
	const char *reads[3]; /* these actors' outputs */
};

static const struct task piic[] = { { "P", "c0", 0, { NULL } }, { "I1", "c0/g0", T, { "P" } },
	{ "I2", "c0/g1", T, { "I1" } }, { "C", "c0", 0, { "I2" } }, { NULL } };

/* Fig. 5, its second host's device being a third one of the first. */
static const struct task fig5[] = { { "p", "c0", 0, { NULL } }, { "a", "c0/g0", T, { "p" } },
	{ "b", "c0/g1", T, { "a" } }, { "c1", "c0", 0, { "b" } }, { "c2", "c0/g2", T / 5, { "b" } },
	{ "d", "c0/g2", T / 5, { "b" } }, { "e", "c0/g2", T / 5, { "d" } }, { "f", "c0/g2", T / 5, { "e" } },
	{ "c3", "c0/g2", T / 5, { "f" } }, { NULL } };

/* A short way and a long one. */
static const struct task reconvergent[] = { { "s", "c0", 0, { NULL } }, { "x0", "c0/g0", T, { "s" } },
	{ "x1", "c0/g1", 10 * T, { "x0" } }, { "j", "c0", 0, { "s", "x1" } }, { NULL } };

struct made {
	const struct task *tasks;
	struct pstk_network *net;
	struct pstk_machine *machine;
	struct pstk_plan *plan;
	unsigned team;
	uint32_t depth_of_s; /* of FIFOs from the first to the last task; 0: as planned */
};

static const struct fake_cl *fake;

static void start(const char *settings)
{
	fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);
	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(settings), 0);
}

static void build_machine(struct made *m)
{
	m->machine = pstk_machine_create();
	ck_assert_int_eq(pstk_machine_add_host(m->machine, "c0", 1, 0), 0);
	for (unsigned d = 0; d < DEVICES; d++) {
		char place[16], selector[16];

		snprintf(place, sizeof place, "c0/g%u", d);
		snprintf(selector, sizeof selector, "pstk:gpu:%u", d);
		ck_assert_int_gt(pstk_machine_add_device(m->machine, "c0", place + 3, selector, 0), 0);
		ck_assert_int_ge(pstk_machine_add_link(
					 m->machine, &(const struct pstk_link){ "c0", place, PSTK_LINK_COPY,
							     strtod(RATE, NULL), 0, false }),
			0);
	}
}

static bool is_read(const struct made *m, const char *name)
{
	for (const struct task *t = m->tasks; t->name; t++)
		for (unsigned i = 0; i < 3 && t->reads[i]; i++)
			if (!strcmp(t->reads[i], name))
				return true;
	return false;
}

static struct pstk_actor *find(const struct made *m, const char *name)
{
	for (unsigned i = 0;; i++)
		if (!strcmp(pstk_actor_name(pstk_network_actor(m->net, i)), name))
			return pstk_network_actor(m->net, i);
}

static void add(struct made *m, const struct task *t)
{
	unsigned inputs = 0;
	struct pstk_actor *a;

	while (inputs < 3 && t->reads[inputs])
		inputs++;
	a = pstk_task_add(m->net, t->name,
		PSTK_TASK(.inputs = inputs, .outputs = is_read(m, t->name), .mode = PSTK_TASK_KERNEL,
			.time = t->time, .count = inputs ? 0 : FIRINGS));
	ck_assert_int_eq(pstk_actor_place(a, t->place), 0);
	ck_assert_int_eq(pstk_actor_set_time(a, NULL, (uint64_t)(t->time * 1e9)), 0);
	for (unsigned i = 0; i < inputs; i++) {
		char port[16];
		bool set = m->depth_of_s && !strcmp(t->reads[i], m->tasks->name) && !t[1].name;

		snprintf(port, sizeof port, "in%u", i + 1);
		ck_assert_ptr_nonnull(pstk_connect(find(m, t->reads[i]), "out1", a, port,
			PSTK_FIFO(.rate = 1, .token_size = BYTES, .depth = set ? m->depth_of_s : 0)));
	}
}

static void build(struct made *m)
{
	m->net = pstk_network_create("made");
	ck_assert_int_eq(pstk_network_set_threads(m->net, m->team), 0);
	for (const struct task *t = m->tasks; t->name; t++)
		add(m, t);
	build_machine(m);
	m->plan = pstk_plan_create(m->net, m->machine, NULL);
	ck_assert_int_eq(pstk_plan_result(m->plan), 0);
	ck_assert_int_eq(pstk_plan_apply(m->net, m->plan), 0);
}

static void destroy(struct made *m)
{
	pstk_plan_destroy(m->plan);
	pstk_network_destroy(m->net);
	pstk_machine_destroy(m->machine);
}

static void end(struct made *m)
{
	destroy(m);
	fake->settle();
	ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
	ck_assert_int_eq(fake->live(FAKE_CL_BUFFER), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_EVENT), 0);
}

static struct pstk_arrival arrival(const struct made *m, unsigned fifo)
{
	struct pstk_arrival a;

	ck_assert_int_eq(pstk_fifo_get_arrival(pstk_network_fifo(m->net, fifo), &a), 0);
	return a;
}

static uint64_t latency(const struct made *m, const struct pstk_actor *of)
{
	struct pstk_planned_actor a;

	for (unsigned i = 0; !pstk_plan_get_actor(m->plan, i, &a); i++)
		if (!strcmp(a.name, pstk_actor_name(of)))
			return a.latency;
	return PSTK_NO_CYCLE;
}

/* Each input's planned cycle is that of its actor, which has no slack here; what came is one off at most, and in the
 * planned order. */
static bool as_planned(const struct made *m)
{
	unsigned count = pstk_network_fifo_count(m->net);
	bool good = true;

	for (unsigned i = 0; i < count; i++) {
		struct pstk_arrival a = arrival(m, i);
		struct pstk_fifo_info info;

		pstk_fifo_get_info(pstk_network_fifo(m->net, i), &info);
		ck_assert_uint_eq(a.planned, latency(m, info.dst));
		ck_assert_uint_ne(a.came, PSTK_NO_CYCLE);
		good = good && a.came + 1 >= a.planned && a.came <= a.planned + 1;
		for (unsigned k = 0; k < count; k++)
			good = good && (arrival(m, k).planned <= a.planned || arrival(m, k).came >= a.came);
	}
	return good;
}

static void check_planned(const struct task *tasks, unsigned team)
{
	bool good = false;

	start(TIMED);
	for (unsigned i = 0; i < TRIES && !good; i++) {
		struct made m = { .tasks = tasks, .team = team };

		build(&m);
		ck_assert_int_eq(pstk_network_note_arrivals(m.net), 0);
		ck_assert_msg(!pstk_network_run(m.net), "%s", pstk_network_error(m.net));
		good = as_planned(&m);
		if (getenv("PENSTOCK_TEST_PRINT"))
			pstk_network_print_arrivals(m.net, stdout);
		end(&m);
	}
	ck_assert(good);
}

START_TEST(p_i_i_c)
{
	check_planned(piic, (unsigned)_i);
}
END_TEST

START_TEST(figure_5)
{
	check_planned(fig5, (unsigned)_i);
}
END_TEST

/* How many windows s is through with when the first one comes to j by the long way: its FIFO to j has room for them. */
static uint64_t through(uint32_t depth)
{
	struct made m = { .tasks = reconvergent, .depth_of_s = depth };
	struct pstk_arrival by_x1, by_s;

	start(TIMED);
	build(&m);
	ck_assert_int_eq(pstk_network_note_arrivals(m.net), 0);
	ck_assert_msg(!pstk_network_run(m.net), "%s", pstk_network_error(m.net));
	by_s = arrival(&m, 2);
	by_x1 = arrival(&m, 3);
	ck_assert_uint_eq(by_s.planned, 1);
	ck_assert_uint_eq(by_x1.planned, 7);
	ck_assert_uint_le(by_s.came, 1);
	end(&m);
	return by_x1.came;
}

/* The slack of 6 windows is what lets s go on while the first one is on the long way: x1 takes so long that s comes to
 * the end of what the plan gave it. Left out, s stands after 2. */
START_TEST(slack_left_out)
{
	ck_assert_uint_eq(through(0), 8);
	ck_assert_uint_eq(through(2), 2);
}
END_TEST

static bool has_none(const struct made *m)
{
	bool none = true;

	for (unsigned i = 0; i < 3; i++)
		none = none && arrival(m, i).came == PSTK_NO_CYCLE;
	return none;
}

/* Where PoCL 3.1 never calls back, because the command has failed, nothing comes, and the network goes all the same. If
 * the callback is set while the command fails, PoCL calls it as if all were well: then the network is run again. */
START_TEST(no_callback)
{
	bool none = false;

	ps_device_grace_ns = 20000000;
	start("devices=3,pocl=1");
	for (unsigned i = 0; i < TRIES && !none; i++) {
		struct made m = { .tasks = piic };

		build(&m);
		ck_assert_int_eq(pstk_network_note_arrivals(m.net), 0);
		ck_assert_int_eq(fake->fail_command(CL_COMMAND_WRITE_BUFFER, 1, CL_OUT_OF_RESOURCES), 0);
		ck_assert_int_eq(pstk_network_start(m.net), 0);
		ck_assert_int_lt(pstk_network_wait(m.net), 0);
		none = has_none(&m);
		destroy(&m);
	}
	ck_assert(none);
}
END_TEST

/* A driver that has not called back by the end of wait(), or never does: each command is through, and so is known to
 * have come, at the latest with the source's last window. */
START_TEST(late_callback)
{
	struct made m = { .tasks = piic, .team = (unsigned)_i };

	start("devices=3");
	build(&m);
	ck_assert_int_eq(pstk_network_note_arrivals(m.net), 0);
	ck_assert_int_eq(fake->fail_calls("clSetEventCallback", 1, 1000000, CL_OUT_OF_RESOURCES), 0);
	ck_assert_msg(!pstk_network_run(m.net), "%s", pstk_network_error(m.net));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_le(arrival(&m, i).came, FIRINGS);
	end(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arrivals");
	TCase *tcase = test_case(suite, "arrivals");

	tcase_add_loop_test(tcase, p_i_i_c, 0, 2);
	tcase_add_loop_test(tcase, figure_5, 0, 2);
	tcase_add_test(tcase, slack_left_out);
	tcase_add_test(tcase, no_callback);
	tcase_add_loop_test(tcase, late_callback, 0, 2);
	return test_main(suite);
}
