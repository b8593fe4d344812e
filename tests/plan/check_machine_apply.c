/* SPDX-License-Identifier: MIT */
/* What applying a plan does to a network: depths, given and planned, ways over hosts, once and again. */
#include "config.h"

#include "lib/plan/parts.h"
#include "lib/plan/ranks.h"
#include "lib/plan/ways.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <stdio.h>

static struct pstk_plan *plan_of(
	struct pstk_network *net, struct pstk_machine *machine, const struct pstk_plan_options *options)
{
	struct pstk_plan *plan = pstk_plan_create(net, machine, options);

	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	return plan;
}

static struct pstk_machine *host_of(unsigned cores)
{
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "h", cores, 0), 0);
	return m;
}

/* The program gave the second FIFO a depth. */
START_TEST(applying_sets_depths)
{
	struct pstk_machine *m = host_of(1);
	struct pstk_network *net = pstk_network_create("apply");
	struct pstk_actor *x = plan_add_source(net, "x"), *y = plan_add(net, "y", false),
			  *z = plan_add_sink(net, "z");
	struct pstk_fifo *f[2] = { pstk_connect(x, "out", y, "in", PSTK_FIFO(.rate = 1, .token_size = 4)),
		pstk_connect(y, "out", z, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .depth = 5)) };
	struct pstk_fifo_spec spec;
	struct pstk_plan *plan = plan_of(net, m, NULL);

	ck_assert_int_eq(pstk_plan_apply(net, plan), 0);
	ck_assert_uint_eq(plan_info(f[0]).depth, 1);
	ck_assert_uint_eq(plan_info(f[1]).depth, 5);
	ck_assert_int_eq(pstk_fifo_get_spec(f[0], &spec), 0); /* what was given is still told */
	ck_assert_uint_eq(spec.depth, 0);
	ck_assert_int_eq(pstk_fifo_get_spec(f[1], &spec), 0);
	ck_assert_uint_eq(spec.depth, 5);
	ck_assert_int_eq(pstk_plan_apply(NULL, plan), -EINVAL);
	ck_assert_int_eq(pstk_plan_apply(net, NULL), -EINVAL);
	pstk_network_destroy(net);
	net = pstk_network_create("another");
	ck_assert_int_eq(pstk_plan_apply(net, plan), -EINVAL);
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

/* Bytes of the chain's buffers of 1000 each, apart and merged; *depth: that of the third. */
static void plan_chain(struct pstk_network *net, struct pstk_machine *m, uint64_t bytes[2], uint32_t *depth)
{
	struct pstk_plan *plan = plan_of(net, m, NULL);
	struct pstk_planned_memory memory;
	struct pstk_planned_buffer b;

	ck_assert_int_eq(pstk_plan_get_memory(plan, 0, &memory), 0);
	bytes[0] = memory.bytes;
	bytes[1] = memory.merged_bytes;
	ck_assert_int_eq(pstk_plan_get_buffer(plan, 2, &b), 0);
	*depth = b.depth;
	ck_assert_int_eq(pstk_plan_apply(net, plan), 0);
	pstk_plan_destroy(plan);
}

/* A chain on one core, whose third FIFO has three windows: it keeps them, and shares memory with no other. So it is in
 * a second plan, too, whatever depths the first one has given the others. */
START_TEST(own_depths_are_planned)
{
	struct pstk_machine *m = host_of(1);
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *before = plan_add_source(net, "a0");
	struct pstk_fifo *fifos[4];

	for (unsigned i = 0; i < 4; i++) {
		char name[8];
		struct pstk_actor *a;

		snprintf(name, sizeof name, "a%u", i + 1);
		a = i < 3 ? plan_add(net, name, false) : plan_add_sink(net, name);
		fifos[i] = pstk_connect(before, "out", a, "in",
			PSTK_FIFO(.rate = 250, .token_size = 4, .depth = i == 2 ? 3 : 0));
		ck_assert_ptr_nonnull(fifos[i]);
		before = a;
	}
	for (unsigned round = 0; round < 2; round++) {
		uint64_t bytes[2];
		uint32_t depth;

		plan_chain(net, m, bytes, &depth);
		ck_assert_uint_eq(depth, 3);
		ck_assert_uint_eq(bytes[0], 6000);
		ck_assert_uint_eq(bytes[1], 5000); /* the second and the fourth share */
		for (unsigned i = 0; i < 4; i++)
			ck_assert_uint_eq(plan_info(fifos[i]).depth, i == 2 ? 3 : 1);
	}
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

static uint32_t depth_planned(
	struct pstk_network *net, struct pstk_machine *m, const struct pstk_plan_options *options, unsigned i)
{
	struct pstk_plan *plan = plan_of(net, m, options);

	ck_assert_int_eq(pstk_plan_apply(net, plan), 0);
	pstk_plan_destroy(plan);
	return plan_info(pstk_network_fifo(net, i)).depth;
}

/* The last plan counts: on one core after that on three, by another team. */
START_TEST(the_last_plan_counts)
{
	struct pstk_machine *one = host_of(1), *three = host_of(3);
	struct pstk_network *net = pstk_network_create("again");
	struct pstk_actor *x = plan_add_source(net, "x");

	ck_assert_ptr_nonnull(
		pstk_connect(x, "out", plan_add_sink(net, "y"), "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_int_eq(pstk_network_set_threads(net, 3), 0);
	ck_assert_uint_eq(depth_planned(net, three, NULL, 0), 6); /* the default of a team of three */
	ck_assert_uint_eq(depth_planned(net, one, NULL, 0), 1);
	ck_assert_uint_eq(depth_planned(net, three, NULL, 0), 6);
	ck_assert_int_eq(pstk_network_set_threads(net, 1), 0);
	ck_assert_uint_eq(plan_info(pstk_network_fifo(net, 0)).depth, 6); /* as planned */
	ck_assert_uint_eq(depth_planned(net, three, NULL, 0), 2);
	pstk_network_destroy(net);
	pstk_machine_destroy(one);
	pstk_machine_destroy(three);
}
END_TEST

/* A plan that does not know all FIFOs. */
START_TEST(an_old_plan_is_refused)
{
	struct pstk_machine *m = host_of(1);
	struct pstk_network *net = pstk_network_create("old");
	struct pstk_actor *x = plan_add_source(net, "x"), *y = plan_add_sink(net, "y");
	struct pstk_plan *plan = plan_of(net, m, NULL);

	ck_assert_ptr_nonnull(pstk_connect(x, "out", y, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_int_eq(pstk_plan_apply(net, plan), -EINVAL);
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

static void link_hosts(struct pstk_machine *m, const char *a, const char *b)
{
	ck_assert_int_ge(pstk_machine_add_link(
				 m, &(struct pstk_link){ .a = a, .b = b, .kind = PSTK_LINK_NET, .rate = 1 }),
		0);
}

/* Four hosts, of which the first one is linked to the second and the last. */
static struct pstk_machine *chain_of_hosts(void)
{
	struct pstk_machine *m = pstk_machine_create();

	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_ge(
			pstk_machine_add_host(m, (const char *[]){ "a", "b", "c", "d" }[i], 1, 0), 0);
	ck_assert_int_ge(pstk_machine_add_device(m, "a", "g", NULL, 0), 0);
	ck_assert_int_ge(
		pstk_machine_add_link(
			m, &(struct pstk_link){ .a = "a", .b = "a/g", .kind = PSTK_LINK_COPY, .rate = 1 }),
		0);
	link_hosts(m, "a", "b");
	link_hosts(m, "b", "c");
	link_hosts(m, "a", "d");
	return m;
}

static void apply(struct pstk_network *net, struct pstk_machine *m)
{
	struct pstk_plan *plan = plan_of(net, m, NULL);

	ck_assert_int_eq(pstk_plan_apply(net, plan), 0);
	pstk_plan_destroy(plan);
}

/* x at a device of the first host -> y at a host of each number. */
START_TEST(ways_lead_over_hosts)
{
	static const unsigned counts[] = { 0, 0, 1, 0 };
	static const char *const names[] = { "a", "b", "c", "d" };
	struct pstk_machine *m = chain_of_hosts();
	struct pstk_network *net = pstk_network_create("ways");
	struct pstk_actor *x = plan_add_source(net, "x"), *y = plan_add_sink(net, "y");
	struct pstk_fifo *f = pstk_connect(x, "out", y, "in", PSTK_FIFO(.rate = 1, .token_size = 4));

	ck_assert_int_eq(ps_parts_set_host(net, 1), 0);
	ck_assert_int_eq(pstk_actor_place(x, "a/g"), 0);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(pstk_actor_place(y, names[i]), 0);
		apply(net, m);
		ck_assert_uint_eq(f->way ? f->way->count : 0, counts[i]);
		ck_assert_int_eq(ps_way_crosses(f, 1), i == 2);
		ck_assert_uint_eq(ps_way_next(f, 0), i == 2 ? 1 : i);
		ck_assert_uint_eq(ps_way_before(f, i), i == 2);
	}
	ck_assert_int_eq(pstk_actor_place(x, "d"), 0);
	ck_assert_int_eq(pstk_actor_place(y, "c"), 0);
	apply(net, m);
	ck_assert_uint_eq(f->way->count, 2);
	ck_assert_uint_eq(f->way->hosts[0], 0);
	ck_assert_uint_eq(f->way->hosts[1], 1);
	ck_assert_ptr_eq(ps_way_channel(f, 0), f);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

/* Whether a place is of another host is looked up as it is given. */
START_TEST(places_were_given)
{
	const struct ps_planned_host hosts[] = { { 0, "a", NULL }, { 1, "b", NULL } };
	struct pstk_machine *m = pstk_machine_create();
	struct pstk_network *net = pstk_network_create("given");
	struct pstk_actor *x = plan_add_source(net, "x"), *y = plan_add_sink(net, "y");
	struct pstk_plan *plan;

	ck_assert_ptr_nonnull(pstk_connect(x, "out", y, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_ge(pstk_machine_add_host(m, hosts[i].name, 1, 0), 0);
	link_hosts(m, "a", "b");
	ck_assert_int_eq(ps_ranks_set(net, 2, 0), 0);
	for (uint32_t r = 0; r < 2; r++)
		ck_assert_int_eq(ps_ranks_name(net, r, hosts[r].name, "here"), 0);
	plan = plan_of(net, m, NULL);
	for (unsigned again = 0; again < 2; again++)
		ck_assert_int_eq(pstk_plan_apply(net, plan), 0);
	ck_assert_int_eq(pstk_actor_may_move(y, "b"), 0);
	ck_assert_int_eq(pstk_plan_apply(net, plan), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'y'", "apply the plan first");
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine_apply");
	TCase *c = test_case(s, "apply");

	tcase_add_checked_fixture(c, plan_setup, NULL);
	tcase_add_test(c, applying_sets_depths);
	tcase_add_test(c, own_depths_are_planned);
	tcase_add_test(c, the_last_plan_counts);
	tcase_add_test(c, an_old_plan_is_refused);
	tcase_add_test(c, ways_lead_over_hosts);
	tcase_add_test(c, places_were_given);
	return test_main(s);
}
