/* SPDX-License-Identifier: MIT */
/* The path through an actor as planned, against counts by hand. */
#include "lib/base/memory.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <stdio.h>

static void link_places(struct pstk_machine *m, const char *a, const char *b, enum pstk_link_kind kind)
{
	struct pstk_link link = { .a = a, .b = b, .kind = kind, .rate = kind == PSTK_LINK_SHARED ? 0 : 100 };

	ck_assert_int_ge(pstk_machine_add_link(m, &link), 0);
}

/* Two hosts; each has a device with memory of its own, the first one also one that shares its memory. */
static struct pstk_machine *make_machine(void)
{
	struct pstk_machine *m = pstk_machine_create();

	pstk_machine_add_host(m, "a", 1, 0);
	pstk_machine_add_device(m, "a", "g", NULL, 0);
	pstk_machine_add_device(m, "a", "s", NULL, 0);
	pstk_machine_add_host(m, "b", 1, 0);
	pstk_machine_add_device(m, "b", "g", NULL, 0);
	link_places(m, "a", "a/g", PSTK_LINK_COPY);
	link_places(m, "a", "a/s", PSTK_LINK_SHARED);
	link_places(m, "b", "b/g", PSTK_LINK_COPY);
	link_places(m, "a", "b", PSTK_LINK_NET);
	return m;
}

/* x -> m -> y */
struct chain {
	struct pstk_machine *machine;
	struct pstk_network *net;
	struct pstk_actor *x, *m, *y;
};

static void join(struct pstk_actor *from, struct pstk_actor *to, uint32_t delay)
{
	ck_assert_ptr_nonnull(
		pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .delay = delay)));
}

static void make_chain(struct chain *c, uint32_t delay)
{
	*c = (struct chain){ .machine = make_machine(), .net = pstk_network_create("chain") };
	c->x = plan_add_source(c->net, "x");
	c->m = plan_add(c->net, "m", false);
	c->y = plan_add_sink(c->net, "y");
	join(c->x, c->m, delay);
	join(c->m, c->y, 0);
}

static void free_chain(struct chain *c)
{
	pstk_network_destroy(c->net);
	pstk_machine_destroy(c->machine);
}

static int path_of(const struct chain *c, const char *actor, bool no_overlap, struct pstk_path *path)
{
	struct pstk_plan *plan = pstk_plan_create(c->net, c->machine, PSTK_PLAN(.no_overlap = no_overlap));
	int err;

	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	err = pstk_plan_get_path(plan, actor, path);
	pstk_plan_destroy(plan);
	return err;
}

static void expect(const struct chain *c, bool no_overlap, uint32_t buffers, uint32_t before)
{
	struct pstk_path path;

	ck_assert_int_eq(path_of(c, "m", no_overlap, &path), 0);
	ck_assert_uint_eq(path.buffers, buffers);
	ck_assert_uint_eq(path.before, before);
}

/* A hop fills a buffer from another one: h + 1 of h hops. Without overlap the hops count, but for a copy right behind
 * a network's. */
START_TEST(buffers_are_counted)
{
	static const struct {
		const char *x, *m, *y;
		uint32_t buffers[2], before[2]; /* with overlap, without */
	} cases[] = { { "a", "a", "a", { 0, 0 }, { 0, 0 } }, { "a", "a/s", "a", { 0, 0 }, { 0, 0 } },
		{ "a", "a/g", "a", { 4, 2 }, { 2, 1 } }, { "a", "b", "a", { 4, 2 }, { 2, 1 } },
		{ "a", "b/g", "a", { 6, 3 }, { 3, 1 } }, { "a", "a/g", "b", { 5, 3 }, { 2, 1 } },
		{ "a/g", "a/g", "a", { 2, 1 }, { 0, 0 } } };

	for (uint32_t delay = 0; delay < 3; delay++) { /* which shortens no way */
		struct chain c;

		make_chain(&c, delay);
		for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
			pstk_actor_place(c.x, cases[i].x);
			pstk_actor_place(c.m, cases[i].m);
			pstk_actor_place(c.y, cases[i].y);
			expect(&c, false, cases[i].buffers[0], cases[i].before[0]);
			expect(&c, true, cases[i].buffers[1], cases[i].before[1]);
		}
		free_chain(&c);
	}
}
END_TEST

/* A transfer to another reader empties the buffer that m reads: it is a double one. */
START_TEST(another_reader_s_transfer_counts)
{
	struct chain c;
	struct pstk_actor *z;

	make_chain(&c, 0);
	z = plan_add_sink(c.net, "z");
	join(c.x, z, 0);
	expect(&c, false, 0, 0);
	pstk_actor_place(z, "a/g");
	expect(&c, false, 1, 1);
	free_chain(&c);
}
END_TEST

static void refused(const struct chain *c, const char *actor, int err)
{
	struct pstk_path path = { 77, 77 };

	ck_assert_int_eq(path_of(c, actor, false, &path), err);
	ck_assert_uint_eq(path.buffers, 77);
}

START_TEST(what_has_no_path)
{
	static const struct pstk_port two[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "in2", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT } };
	struct chain c;
	struct pstk_actor *j, *z;

	make_chain(&c, 0);
	refused(&c, "x", -ENOTSUP);
	refused(&c, "y", -ENOTSUP);
	refused(&c, "z", -ENOENT);
	refused(&c, "", -ENOENT);
	z = plan_add_sink(c.net, "z");
	join(c.m, z, 0); /* two readers */
	refused(&c, "m", -ENOTSUP);
	j = pstk_network_add(c.net, "j",
		PSTK_ACTOR_TYPE(.name = "join", .ports = two, .port_count = 3, .fire = plan_copy), NULL);
	join(c.x, j, 0);
	ck_assert_ptr_nonnull(pstk_connect(c.m, "out", j, "in2", PSTK_FIFO(.rate = 1, .token_size = 4)));
	join(j, plan_add_sink(c.net, "w"), 0);
	refused(&c, "j", -ENOTSUP);
	free_chain(&c);
}
END_TEST

START_TEST(cycles_have_no_path)
{
	struct chain c = { .machine = make_machine(), .net = pstk_network_create("cycle") };
	struct pstk_actor *p, *q;

	c.m = plan_add(c.net, "m", false);
	join(c.m, c.m, 1);
	refused(&c, "m", -ELOOP);
	p = plan_add(c.net, "p", false);
	q = plan_add(c.net, "q", false);
	join(q, plan_add_sink(c.net, "z"), 0);
	join(p, q, 0);
	join(q, p, 4);
	refused(&c, "p", -ELOOP);
	free_chain(&c);
}
END_TEST

/* Its buffers are more than a migration counts. */
START_TEST(a_path_may_be_too_long)
{
	struct chain c;
	char last[16] = "a", next[16];

	make_chain(&c, 0);
	for (unsigned i = 0; i < PSTK_PATH_BUFFERS / 2; i++) {
		snprintf(next, sizeof next, "c%u", i);
		pstk_machine_add_host(c.machine, next, 1, 0);
		link_places(c.machine, last, next, PSTK_LINK_NET);
		snprintf(last, sizeof last, "%s", next);
	}
	pstk_actor_place(c.m, last);
	refused(&c, "m", -EOVERFLOW);
	expect(&c, true, PSTK_PATH_BUFFERS, PSTK_PATH_BUFFERS / 2);
	free_chain(&c);
}
END_TEST

START_TEST(wrong_calls)
{
	struct chain c;
	struct pstk_path path;
	struct pstk_plan *plan;

	make_chain(&c, 0);
	plan = pstk_plan_create(c.net, c.machine, NULL);
	ck_assert_int_eq(pstk_plan_get_path(plan, "m", &path), 0);
	ck_assert_int_eq(pstk_plan_get_path(NULL, "m", &path), -EINVAL);
	ck_assert_int_eq(pstk_plan_get_path(plan, NULL, &path), -EINVAL);
	ck_assert_int_eq(pstk_plan_get_path(plan, "m", NULL), -EINVAL);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(pstk_plan_get_path(plan, "m", &path), -ENOMEM);
	ps_memory_fail_at = -1;
	pstk_plan_destroy(plan);
	pstk_actor_place(c.m, "nowhere");
	plan = pstk_plan_create(c.net, c.machine, NULL);
	ck_assert_int_eq(pstk_plan_result(plan), -ENOENT);
	ck_assert_int_eq(pstk_plan_get_path(plan, "m", &path), -EINVAL);
	pstk_plan_destroy(plan);
	free_chain(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machine_path");
	TCase *c = test_case(suite, "path");

	tcase_add_test(c, buffers_are_counted);
	tcase_add_test(c, another_reader_s_transfer_counts);
	tcase_add_test(c, what_has_no_path);
	tcase_add_test(c, cycles_have_no_path);
	tcase_add_test(c, a_path_may_be_too_long);
	tcase_add_test(c, wrong_calls);
	return test_main(suite);
}
