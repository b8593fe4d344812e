/* SPDX-License-Identifier: MIT */
/*
 * Plans of networks over a machine: what of a network becomes the numbers that lib/mapping plans with (that has suites
 * of its own), what is refused, and what applying a plan does.
 */
#include "config.h"

#include "lib/base/memory.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/common/file.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two hosts, a device each; copies 100 bytes/s, the net 50 bytes/s. */
static struct pstk_machine *make_machine(void)
{
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "a", 1, 0), 0);
	ck_assert_int_eq(pstk_machine_add_device(m, "a", "g", NULL, 0), 1);
	ck_assert_int_eq(pstk_machine_add_host(m, "b", 2, 0), 2);
	ck_assert_int_eq(
		pstk_machine_add_link(
			m, &(struct pstk_link){ .a = "a", .b = "a/g", .kind = PSTK_LINK_COPY, .rate = 100 }),
		0);
	ck_assert_int_eq(
		pstk_machine_add_link(m,
			&(struct pstk_link){
				.a = "a", .b = "b", .kind = PSTK_LINK_NET, .rate = 50, .half = true }),
		1);
	return m;
}

/* x at the device -> y at host b, whose delay is `delay` tokens; 4 bytes each. */
struct pair {
	struct pstk_machine *machine;
	struct pstk_network *net;
	struct pstk_actor *x, *y;
	struct pstk_fifo *fifo, *entry;
};

static void make_pair(struct pair *p, uint32_t write, uint32_t read, uint32_t delay)
{
	*p = (struct pair){ .machine = make_machine(), .net = pstk_network_create("pair") };
	p->x = plan_add_source(p->net, "x");
	p->y = plan_add_sink(p->net, "y");
	p->fifo = pstk_connect(p->x, "out", p->y, "in",
		PSTK_FIFO(.write_rate = write, .read_rate = read, .token_size = 4, .delay = delay));
	ck_assert_ptr_nonnull(p->fifo);
	ck_assert_int_eq(pstk_actor_place(p->x, "a/g"), 0);
	ck_assert_int_eq(pstk_actor_place(p->y, "b"), 0);
}

static void free_pair(struct pair *p)
{
	pstk_network_destroy(p->net);
	pstk_machine_destroy(p->machine);
}

/* A plan that there is. */
static struct pstk_plan *plan_of(
	struct pstk_network *net, struct pstk_machine *machine, const struct pstk_plan_options *options)
{
	struct pstk_plan *plan = pstk_plan_create(net, machine, options);

	ck_assert_ptr_nonnull(plan);
	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	ck_assert_str_eq(pstk_plan_error(plan), "");
	return plan;
}

static double load_of(const struct pstk_plan *plan, const char *name)
{
	struct pstk_planned_load l;

	for (unsigned i = 0; !pstk_plan_get_load(plan, i, &l); i++)
		if (!strcmp(l.name, name))
			return l.seconds;
	return NAN;
}

/* 6 tokens of x are three of y's windows in an iteration. */
START_TEST(rates_count_iterations)
{
	struct pstk_planned_actor a;
	struct pstk_planned_buffer b;
	struct pstk_plan_summary s;
	struct pstk_plan *plan;
	struct pair p;

	make_pair(&p, 6, 2, 7);
	ck_assert_int_eq(pstk_actor_set_time(p.x, NULL, 1000000), 0);
	ck_assert_int_eq(pstk_actor_set_time(p.y, NULL, 1), 0);
	ck_assert_int_eq(pstk_actor_set_time(p.y, "b", 5000000), 0);
	ck_assert_int_eq(pstk_actor_set_share(p.y, 0.5), 0);
	ck_assert_double_eq(pstk_actor_share(p.y), 0.5);
	ck_assert_double_eq(pstk_actor_share(p.x), 1);
	plan = plan_of(p.net, p.machine, NULL);
	ck_assert_int_eq(pstk_plan_get_actor(plan, 1, &a), 0);
	ck_assert_str_eq(a.name, "y");
	ck_assert_str_eq(a.place, "b");
	ck_assert_uint_eq(a.schedule, 1);
	ck_assert_uint_eq(
		a.latency, 2); /* two hops, three buffers; one whole iteration of 6 initial tokens */
	ck_assert_double_eq_tol(a.seconds, 3 * 0.005 * 0.5, 1e-12);
	ck_assert_double_eq_tol(load_of(plan, "b"), 0.0075 / 2, 1e-12);
	ck_assert_double_eq_tol(load_of(plan, "a/g -> a"), 24.0 / 100, 1e-12);
	ck_assert_double_eq_tol(load_of(plan, "a <-> b"), 24.0 / 50, 1e-12);
	ck_assert_int_eq(pstk_plan_get_buffer(plan, 2, &b), 0);
	ck_assert_ptr_null(b.writer);
	ck_assert_uint_eq(b.from, 1);
	ck_assert_uint_eq(b.window_bytes, 24);
	ck_assert_uint_eq(b.delay_bytes, 28);
	ck_assert_str_eq(pstk_plan_buffer_reader(plan, 2, 0), "y");
	ck_assert_ptr_null(pstk_plan_buffer_reader(plan, 2, 1));
	ck_assert_ptr_null(pstk_plan_buffer_reader(plan, 0, 0));
	ck_assert_int_eq(pstk_plan_get_buffer(plan, 0, &b), 0);
	ck_assert_str_eq(b.writer, "x");
	ck_assert_str_eq(b.place, "a/g");
	ck_assert_int_eq(pstk_plan_get_buffer(plan, 3, &b), -EINVAL);
	ck_assert_int_eq(pstk_plan_get_summary(plan, &s), 0);
	ck_assert(s.overlap);
	ck_assert_double_eq_tol(s.period, 0.48, 1e-12);
	ck_assert_double_eq_tol(s.simulated, 0.48, 1e-9);
	ck_assert_double_eq_tol(s.other, 0.24 + 0.48, 1e-9);
	ck_assert_str_eq(s.limit, "a <-> b");
	ck_assert_ptr_null(s.slow);
	ck_assert_ptr_null(s.untimed);
	pstk_plan_destroy(plan);
	free_pair(&p);
}
END_TEST

static int obey(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value);
	return 0;
}

static const struct pstk_port dynamic_ports[] = { { .name = "ctl", .kind = PSTK_CONTROL },
	{ .name = "in", .kind = PSTK_DYNAMIC_INPUT } };

/* Its control tokens are read on the host, its data on the device. */
START_TEST(control_stays_on_the_host)
{
	struct pstk_machine *m = make_machine();
	struct pstk_network *net = pstk_network_create("dynamic");
	struct pstk_actor *c = plan_add_source(net, "c"), *s = plan_add_source(net, "s"),
			  *d = pstk_network_add(net, "d",
				  PSTK_ACTOR_TYPE(.name = "dynamic", .ports = dynamic_ports, .port_count = 2,
					  .control_values = 2, .control = obey, .fire = plan_copy),
				  NULL);
	struct pstk_planned_buffer b;
	struct pstk_plan *plan;

	ck_assert_ptr_nonnull(pstk_connect(c, "out", d, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_ptr_nonnull(pstk_connect(s, "out", d, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_int_eq(pstk_actor_place(d, "a/g"), 0);
	plan = plan_of(net, m, NULL);
	ck_assert_str_eq(pstk_plan_buffer_reader(plan, 0, 0), "d");
	ck_assert_str_eq(pstk_plan_buffer_reader(plan, 2, 0), "d");
	ck_assert_int_eq(pstk_plan_get_buffer(plan, 0, &b), 0);
	ck_assert_str_eq(b.place, "a");
	ck_assert_int_eq(pstk_plan_get_buffer(plan, 2, &b), 0);
	ck_assert_str_eq(b.place, "a/g");
	ck_assert_uint_eq(b.from, 1);
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

/* Buffers of 1000 bytes in a chain on a device: the third shares the memory of the first, unless a port of a Kahn actor
 * or initial tokens are in the way. */
static uint64_t merged_bytes(bool kahn, uint32_t delay, bool no_merge)
{
	struct pstk_machine *m = make_machine();
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *a[5] = { plan_add_source(net, "a0") };
	struct pstk_planned_memory memory;
	struct pstk_plan *plan;
	uint64_t bytes = 0;

	for (unsigned i = 1; i < 5; i++) {
		char name[8];

		snprintf(name, sizeof name, "a%u", i);
		a[i] = i < 4 ? plan_add(net, name, kahn && i == 3) : plan_add_sink(net, name);
		ck_assert_ptr_nonnull(pstk_connect(a[i - 1], "out", a[i], "in",
			PSTK_FIFO(.rate = 250, .token_size = 4, .delay = i == 3 ? delay : 0)));
	}
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(pstk_actor_place(a[i], "a/g"), 0);
	plan = plan_of(net, m, PSTK_PLAN(.no_merge = no_merge));
	ck_assert_int_eq(pstk_plan_get_memory(plan, 0, &memory), 0);
	ck_assert_str_eq(memory.place, "a/g");
	ck_assert_uint_eq(memory.bytes, 4000 + 4 * delay);
	bytes = memory.merged_bytes;
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
	return bytes;
}

START_TEST(only_regular_ports_merge)
{
	ck_assert_uint_eq(merged_bytes(false, 0, false), 2000);
	ck_assert_uint_eq(merged_bytes(false, 0, true), 4000);
	ck_assert_uint_eq(merged_bytes(false, 1, false), 3004);
	ck_assert_uint_eq(merged_bytes(true, 0, false), 4000);
}
END_TEST

static void refused(struct pair *p, int err, const char *why)
{
	struct pstk_plan *plan = pstk_plan_create(p->net, p->machine, NULL);
	struct pstk_plan_summary s;

	ck_assert_int_eq(pstk_plan_result(plan), err);
	ck_assert_str_eq(pstk_plan_error(plan), why);
	ck_assert_int_eq(pstk_plan_get_summary(plan, &s), -EINVAL);
	ck_assert_int_eq(pstk_plan_print(plan, stdout), -EINVAL);
	ck_assert_int_eq(pstk_plan_apply(p->net, plan), err == -EBUSY ? -EBUSY : -EINVAL);
	pstk_plan_destroy(plan);
	free_pair(p);
}

START_TEST(what_is_refused)
{
	struct pstk_plan *plan;
	struct pair p;

	make_pair(&p, 1, 1, 0);
	pstk_actor_place(p.x, "a/k");
	refused(&p, -ENOENT, "'x': the machine has no place 'a/k'; did you mean 'a/g'? It has a, a/g, b");
	make_pair(&p, 1, 1, 0);
	ck_assert_int_eq(pstk_machine_add_device(p.machine, "b", "h", NULL, 0), 3);
	pstk_actor_place(p.y, "b/h");
	refused(&p, -ENOENT, "no links lead from 'a/g' to 'b/h', but 'y' there reads what 'x' here writes");
	make_pair(&p, 1, 1, 0);
	pstk_machine_destroy(p.machine);
	p.machine = pstk_machine_create();
	pstk_actor_place(p.x, NULL);
	refused(&p, -EINVAL, "the machine has no host");
	make_pair(&p, 1, 1, 0);
	ck_assert_int_eq(pstk_actor_set_share(p.x, 0), -EINVAL);
	refused(&p, -EINVAL, "'x' (source): a share of 0 of its firings: expected above 0, up to 1");
	make_pair(&p, 1, 1, 0);
	plan = pstk_plan_create(p.net, p.machine, &(struct pstk_plan_options){ .no_merge = true });
	ck_assert_int_eq(pstk_plan_result(plan), -EINVAL);
	ck_assert_str_eq(pstk_plan_error(plan), "options without struct_size");
	pstk_plan_destroy(plan);
	free_pair(&p);
	ck_assert_ptr_null(pstk_plan_create(NULL, NULL, NULL));
	ck_assert_int_eq(pstk_plan_result(NULL), -EINVAL);
	ck_assert_str_eq(pstk_plan_error(NULL), "");
	pstk_plan_destroy(NULL);
}
END_TEST

START_TEST(a_cycle_is_named)
{
	struct pair p = { .machine = make_machine(), .net = pstk_network_create("cycle") };

	p.x = plan_add(p.net, "x", false);
	p.y = plan_add(p.net, "y", false);
	pstk_connect(p.x, "out", p.y, "in", PSTK_FIFO(.rate = 4, .token_size = 4, .delay = 3));
	pstk_connect(p.y, "out", p.x, "in", PSTK_FIFO(.rate = 4, .token_size = 4));
	refused(&p, -EDEADLK,
		"a cycle without a whole iteration of initial tokens: 'y' -> 'x' -> 'y': give one of its "
		"FIFOs a delay");
}
END_TEST

/* One window of delay in a cycle of four cycles: it runs, but not a window in each cycle. */
START_TEST(a_slow_cycle_is_named)
{
	struct pair p = { .machine = make_machine(), .net = pstk_network_create("cycle") };
	struct pstk_plan_summary s;
	struct pstk_planned_actor a;
	struct pstk_plan *plan;

	p.x = plan_add(p.net, "x", false);
	p.y = plan_add(p.net, "y", false);
	pstk_connect(p.x, "out", p.y, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .delay = 1));
	pstk_connect(p.y, "out", p.x, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_actor_place(p.x, "a/g");
	plan = plan_of(p.net, p.machine, NULL);
	pstk_plan_get_summary(plan, &s);
	ck_assert_str_eq(s.slow, "'y' -> 'x' -> 'y': 1 window of initial tokens in 4 cycles");
	ck_assert_double_eq_tol(s.period, 0.04, 1e-12);
	ck_assert_double_eq_tol(s.simulated, 0.08, 1e-9); /* there and back for each window */
	pstk_plan_get_actor(plan, 0, &a);
	ck_assert_uint_eq(a.latency, UINT64_MAX);
	pstk_plan_destroy(plan);
	free_pair(&p);
}
END_TEST

START_TEST(rates_must_fit)
{
	struct pair p = { .machine = make_machine(), .net = pstk_network_create("imbalance") };

	p.x = plan_add(p.net, "x", false);
	p.y = plan_add(p.net, "y", false);
	pstk_connect(p.x, "out", p.y, "in",
		PSTK_FIFO(.write_rate = 2, .read_rate = 4, .token_size = 4, .delay = 8));
	pstk_connect(p.y, "out", p.x, "in", PSTK_FIFO(.rate = 4, .token_size = 4, .delay = 8));
	refused(&p, -EINVAL, "the rates of the network do not fit together: 'penstock check' says which");
}
END_TEST

static void not_applied(struct pair *p, int err, const char *why)
{
	struct pstk_plan *plan = plan_of(p->net, p->machine, NULL);

	ck_assert_int_eq(pstk_plan_apply(p->net, plan), err);
	ck_assert_str_eq(pstk_network_error(p->net), why);
	pstk_plan_destroy(plan);
	free_pair(p);
}

START_TEST(what_can_t_be_applied)
{
	struct pair p;

	make_pair(&p, 1, 1, 0);
	not_applied(&p, -ENOTSUP,
		"'x' is at 'a/g', but 'y' at 'b': several hosts need a process each, and "
		"pstk_network_set_hosts() in each");
	make_pair(&p, 1, 1, 0);
	pstk_actor_place(p.y, "a");
	not_applied(&p, -ENODEV,
		"'x': place 'a/g' has no device: it can be planned, but nothing runs there; give it a "
		"selector in the "
		"machine");
	make_pair(&p, 100, 100, 0);
	pstk_machine_destroy(p.machine);
	p.machine = pstk_machine_create();
	pstk_machine_add_host(p.machine, "small", 1, 399);
	pstk_actor_place(p.x, NULL);
	pstk_actor_place(p.y, "");
	not_applied(&p, -ENOMEM, "place 'small' has 399 bytes of memory, the plan needs 400");
}
END_TEST

/* As a table; a network of one actor has none of the rest. */
START_TEST(is_printed)
{
	struct pstk_plan *plan;
	struct pair p;
	char *text = NULL;
	size_t size;
	FILE *out, *full = fopen("/dev/full", "w");

	make_pair(&p, 25, 25, 0);
	pstk_actor_set_time(p.x, "a/g", 2500000);
	plan = plan_of(p.net, p.machine, NULL);
	out = open_memstream(&text, &size);
	ck_assert_int_eq(pstk_plan_print(plan, out), 0);
	fclose(out);
	ck_assert_str_eq(text, "actor  place  schedule  latency  slack       time\n"
			       "x      a/g           0        0      0    2.50 ms\n"
			       "y      b             1        3      0          ?\n"
			       "\n"
			       "buffer  place  filled by  depth  window bytes  group  readers\n"
			       "     0  a/g    x              2           100      0\n"
			       "     1  a      buffer 0       2           100      1\n"
			       "     2  b      buffer 1       2           100      2  y\n"
			       "\n"
			       "memory     bytes apart    bytes merged\n"
			       "a                  200             200\n"
			       "a/g                200             200\n"
			       "b                  200             200\n"
			       "\n"
			       "load      an iteration\n"
			       "a/g            2.50 ms\n"
			       "b                 0 ns\n"
			       "a/g -> a        1.00 s\n"
			       "a <-> b         2.00 s\n"
			       "\n"
			       "period: at least 2.00 s, limited by a <-> b; 2.00 s when each actor fires as "
			       "soon as it can (0.5 "
			       "iterations/s)\n"
			       "overlap is on: with it a run is 1.50 times as fast as without\n"
			       "no time is known of 1 actor, 'y': counted as 0; times: says it\n");
	free(text);
	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(pstk_plan_print(plan, full), -EIO);
	fclose(full);
	ck_assert_int_eq(pstk_plan_print(plan, NULL), -EINVAL);
	pstk_plan_destroy(plan);
	free_pair(&p);
}
END_TEST

START_TEST(memory_may_be_out)
{
	struct pair p;
	int err = -ENOMEM;
	long n;

	make_pair(&p, 1, 1, 0);
	pstk_machine_add_host(p.machine, "c", 1, 0);
	pstk_machine_add_link(
		p.machine, &(struct pstk_link){ .a = "b", .b = "c", .kind = PSTK_LINK_NET, .rate = 1 });
	pstk_actor_place(p.y, "c"); /* over b */
	for (n = 0; err; n++) {
		struct pstk_plan *plan;

		ps_memory_fail_at = n;
		plan = pstk_plan_create(p.net, p.machine, NULL);
		ck_assert(n ? plan != NULL : !plan);
		err = plan ? pstk_plan_result(plan) : -ENOMEM;
		ck_assert(!err || err == -ENOMEM);
		ck_assert_str_eq(pstk_plan_error(plan), err && plan ? "out of memory" : "");
		pstk_plan_destroy(plan);
	}
	ps_memory_fail_at = -1;
	ck_assert_int_gt(n, 50);
	for (n = 0; n < 3; n++) {
		struct pstk_actor *z = plan_add_sink(p.net, n ? n == 1 ? "s" : "t" : "r");

		ps_memory_fail_at = n;
		ck_assert_int_eq(pstk_actor_place(z, "a"), n < 2 ? -ENOMEM : 0);
		ps_memory_fail_at = n;
		ck_assert_int_eq(pstk_actor_set_time(z, "a", 1), n < 2 ? -ENOMEM : 0);
		ps_memory_fail_at = -1;
	}
	free_pair(&p);
}
END_TEST

START_TEST(wishes_are_told)
{
	struct pair p;
	uint64_t ns;

	make_pair(&p, 1, 1, 0);
	ck_assert_str_eq(pstk_actor_given_place(p.x), "a/g");
	ck_assert_int_eq(pstk_actor_place(p.x, ""), 0);
	ck_assert_ptr_null(pstk_actor_given_place(p.x));
	ck_assert_int_eq(pstk_actor_get_time(p.x, "a", &ns), -ENOENT);
	ck_assert_int_eq(pstk_actor_set_time(p.x, "a", 3), 0);
	ck_assert_int_eq(pstk_actor_set_time(p.x, "a", 4), 0);
	ck_assert_int_eq(pstk_actor_get_time(p.x, "a", &ns), 0);
	ck_assert_uint_eq(ns, 4);
	ck_assert_int_eq(pstk_actor_get_time(p.x, "b", &ns), -ENOENT);
	ck_assert_int_eq(pstk_actor_set_time(p.x, NULL, 5), 0);
	ck_assert_int_eq(pstk_actor_get_time(p.x, "b", &ns), 0);
	ck_assert_uint_eq(ns, 5);
	ck_assert_int_eq(pstk_actor_get_time(p.x, "b", NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_place(NULL, "a"), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_time(NULL, "a", 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_share(NULL, 1), -EINVAL);
	ck_assert_double_eq(pstk_actor_share(NULL), 0);
	ck_assert_ptr_null(pstk_actor_given_place(NULL));
	ck_assert_int_eq(pstk_actor_get_time(NULL, "a", &ns), -EINVAL);
	free_pair(&p);
}
END_TEST

/* At the device 1 ms, on the host 5 ms; what stays, and what is refused. */
START_TEST(places_are_chosen)
{
	static const char *const stays[] = { "y", NULL }, *const unknown[] = { "z", NULL };
	struct pstk_plan_summary s;
	struct pstk_plan *plan;
	struct pair p;

	make_pair(&p, 6, 2, 0);
	ck_assert_int_eq(pstk_actor_place(p.x, "a"), 0);
	ck_assert_int_eq(pstk_actor_set_time(p.x, "a", 5000000000), 0);
	ck_assert_int_eq(pstk_actor_set_time(p.x, "a/g", 1000000000), 0);
	plan = plan_of(p.net, p.machine, PSTK_PLAN(.choose = true, .fixed = stays));
	ck_assert_int_eq(pstk_plan_get_summary(plan, &s), 0);
	ck_assert_int_eq(s.choice, PSTK_CHOICE_BEST);
	ck_assert_double_eq_tol(s.period, 1, 1e-12);
	ck_assert_str_eq(pstk_actor_given_place(p.x), "a/g");
	ck_assert_str_eq(pstk_actor_given_place(p.y), "b");
	pstk_plan_destroy(plan);
	plan = pstk_plan_create(p.net, p.machine, PSTK_PLAN(.choose = true, .fixed = unknown));
	ck_assert_int_eq(pstk_plan_result(plan), -EINVAL);
	ck_assert_str_eq(pstk_plan_error(plan), "the network has no actor 'z', which is to stay where it is");
	pstk_plan_destroy(plan);
	plan = pstk_plan_create(p.net, p.machine, PSTK_PLAN(.choose = true));
	ck_assert_int_eq(pstk_plan_result(plan), -EINVAL);
	ck_assert_str_eq(pstk_plan_error(plan), "'y' has no time at any place: times: says where it can be, "
						"or fixed: that it stays where it is");
	pstk_plan_destroy(plan);
	plan = pstk_plan_create(p.net, p.machine, PSTK_PLAN(.choose = true, .fixed = stays, .steps = 1));
	ck_assert_int_eq(pstk_plan_result(plan), -ENOENT);
	ck_assert_str_eq(pstk_plan_error(plan), "no mapping was found in 2 steps");
	pstk_plan_destroy(plan);
	free_pair(&p);
}
END_TEST

/* A pipeline over both places: in one run, though two would be faster. */
START_TEST(places_may_be_contiguous)
{
	static const unsigned seconds[] = { 1, 3, 2 };
	struct pstk_machine *m = pstk_machine_create();
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *a[3] = { plan_add_source(net, "a0"), plan_add(net, "a1", false),
		plan_add_sink(net, "a2") };
	struct pstk_plan_summary s;
	struct pstk_plan *plan;

	pstk_machine_add_host(m, "h", 1, 0);
	pstk_machine_add_device(m, "h", "g", NULL, 0);
	pstk_machine_add_link(m, &(struct pstk_link){ .a = "h", .b = "h/g", .kind = PSTK_LINK_SHARED });
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(pstk_actor_set_time(a[i], NULL, 1000000000ull * seconds[i]), 0);
		ck_assert(!i ||
			  pstk_connect(a[i - 1], "out", a[i], "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	}
	for (int contiguous = 0; contiguous < 2; contiguous++) {
		plan = plan_of(net, m, PSTK_PLAN(.choose = true, .contiguous = contiguous));
		ck_assert_int_eq(pstk_plan_get_summary(plan, &s), 0);
		ck_assert_int_eq(s.choice, PSTK_CHOICE_BEST);
		ck_assert_double_eq_tol(s.period, contiguous ? 4 : 3, 1e-12);
		pstk_plan_destroy(plan);
	}
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

/* A million mappings, of which each has the same period: the one with the fewest bytes over links is found, and it is
 * known that there is no better one. */
START_TEST(ties_are_all_looked_at)
{
	enum { PLACES = 10, MOVE = 6 };
	static const char *const stays[] = { "first", "last", NULL };
	struct pstk_machine *m = pstk_machine_create();
	struct pstk_network *net = pstk_network_create("ties");
	struct pstk_actor *before = plan_add_source(net, "first"), *last;
	struct pstk_plan_summary s;
	struct pstk_plan *plan;
	char name[16];

	pstk_machine_add_host(m, "h", 1, 0);
	for (unsigned i = 1; i < PLACES; i++) {
		snprintf(name, sizeof name, "g%u", i);
		pstk_machine_add_device(m, "h", name, NULL, 0);
		snprintf(name, sizeof name, "h/g%u", i);
		pstk_machine_add_link(
			m, &(struct pstk_link){ .a = "h", .b = name, .kind = PSTK_LINK_COPY, .rate = 1e9 });
	}
	pstk_actor_set_time(before, NULL, 1000000000);
	for (unsigned i = 0; i < MOVE; i++) {
		struct pstk_actor *a;

		snprintf(name, sizeof name, "a%u", i);
		a = plan_add(net, name, false);
		pstk_actor_set_time(a, NULL, 0);
		pstk_connect(before, "out", a, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
		before = a;
	}
	last = plan_add_sink(net, "last");
	pstk_actor_place(last, "h/g7");
	pstk_connect(before, "out", last, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	plan = plan_of(net, m, PSTK_PLAN(.choose = true, .fixed = stays));
	ck_assert_int_eq(pstk_plan_get_summary(plan, &s), 0);
	ck_assert_int_eq(s.choice, PSTK_CHOICE_BEST);
	ck_assert_double_eq_tol(s.period, 1, 1e-9);
	ck_assert(isnan(load_of(plan, "h/g7 -> h")));
	for (unsigned i = 1; i < PLACES; i++) {
		snprintf(name, sizeof name, "h -> h/g%u", i);
		ck_assert_int_eq(isnan(load_of(plan, name)), i != 7);
	}
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

/* A chain of 100,000 actors is planned, all of it; executing it would take too long, and the table says so. */
START_TEST(many_actors_are_planned)
{
	enum { MANY = 100000 };
	struct pstk_machine *m = make_machine();
	struct pstk_network *net = pstk_network_create("many");
	struct pstk_actor *before = plan_add_source(net, "first");
	struct pstk_planned_actor last;
	struct pstk_plan_summary s;
	struct pstk_plan *plan;

	for (unsigned i = 1; i < MANY; i++) {
		char name[16];
		struct pstk_actor *a;

		snprintf(name, sizeof name, "a%u", i);
		a = i + 1 < MANY ? plan_add(net, name, false) : plan_add_sink(net, name);
		ck_assert_ptr_nonnull(
			pstk_connect(before, "out", a, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
		if (i >= MANY / 2)
			pstk_actor_place(a, "a/g");
		pstk_actor_set_time(a, NULL, 1000);
		before = a;
	}
	plan = plan_of(net, m, NULL);
	ck_assert_int_eq(pstk_plan_get_actor(plan, MANY - 1, &last), 0);
	ck_assert_uint_eq(last.schedule, MANY - 1);
	ck_assert_uint_eq(last.latency, 2);
	ck_assert_int_eq(pstk_plan_get_summary(plan, &s), 0);
	ck_assert_double_eq_tol(s.period, 0.05, 1e-9);
	ck_assert(isnan(s.simulated));
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine_plan");
	TCase *c = test_case(s, "plan");

	tcase_add_checked_fixture(c, plan_setup, NULL);
	tcase_add_test(c, rates_count_iterations);
	tcase_add_test(c, control_stays_on_the_host);
	tcase_add_test(c, only_regular_ports_merge);
	tcase_add_test(c, what_is_refused);
	tcase_add_test(c, a_cycle_is_named);
	tcase_add_test(c, a_slow_cycle_is_named);
	tcase_add_test(c, rates_must_fit);
	tcase_add_test(c, what_can_t_be_applied);
	tcase_add_test(c, places_are_chosen);
	tcase_add_test(c, places_may_be_contiguous);
	tcase_add_test(c, ties_are_all_looked_at);
	tcase_add_test(c, many_actors_are_planned);
	tcase_add_test(c, is_printed);
	tcase_add_test(c, memory_may_be_out);
	tcase_add_test(c, wishes_are_told);
	return test_main(s);
}
