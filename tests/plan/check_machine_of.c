/* SPDX-License-Identifier: MIT */
/*
 * A plan over what a network is mapped to, on the fake driver: the machine, the depths, and that the memory taken is
 * the memory planned.
 *
 * 	source -> one (device 0) -> two (device 1) -> sink, windows of 1 MB
 */
#include "lib/base/memory.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <sched.h>
#include <string.h>

enum { RATE = 262144, FIRINGS = 20, WINDOW = RATE * 4 };

static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };

struct chain {
	struct pstk_network *net;
	struct pstk_actor *actors[4];
	struct pstk_fifo *fifos[3];
	uint32_t sent, came;
};

static int source_fire(struct pstk_firing *f)
{
	struct chain *c = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *out = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < RATE; i++)
		out[i] = c->sent + i % 7;
	pstk_fifo_write_end(f, 0);
	return ++c->sent < FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

static int sink_fire(struct pstk_firing *f)
{
	struct chain *c = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < RATE; i++)
		if (in[i] != c->came + i % 7 + 2)
			return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "token %u", i);
	c->came++;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void run_inc(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0];
	uint32_t *out = l->arg[1];

	for (uint32_t i = 0; i < RATE; i++)
		out[i] = in[i] + 1;
}

static int inc_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

static const struct fake_cl *driver(const char *settings)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel kernel = {
		.name = "inc", .args = args, .arg_count = TEST_COUNT(args), .run = run_inc
	};
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);

	ck_assert_ptr_nonnull(fake);
	ck_assert_int_eq(fake->add_kernel(&kernel), 0);
	return fake;
}

/* NULL: that actor is a kernel nowhere yet. */
static void build(struct chain *c, const char *one, const char *two)
{
	static const struct pstk_kernel kernel = { .source = "kernel void inc(\n", .name = "inc" };
	const struct pstk_actor_type *inc = PSTK_ACTOR_TYPE(.name = "inc", .ports = in_out, .port_count = 2,
		.stateless = true, .init = inc_init, .kernel = &kernel);

	*c = (struct chain){ .net = pstk_network_create("chain") };
	c->actors[0] = pstk_network_add(c->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &in_out[1], .port_count = 1, .fire = source_fire),
		c);
	c->actors[1] = pstk_network_add(c->net, "one", inc, NULL);
	c->actors[2] = pstk_network_add(c->net, "two", inc, NULL);
	c->actors[3] = pstk_network_add(c->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in_out, .port_count = 1, .fire = sink_fire), c);
	for (unsigned i = 0; i < 3; i++)
		c->fifos[i] = pstk_connect(c->actors[i], "out", c->actors[i + 1], "in",
			PSTK_FIFO(.rate = RATE, .token_size = 4));
	ck_assert_int_eq(pstk_actor_map(c->actors[1], one), 0);
	ck_assert_int_eq(pstk_actor_map(c->actors[2], two), 0);
}

static uint64_t planned_bytes(struct chain *c, const struct pstk_plan_options *options)
{
	struct pstk_machine *machine = pstk_network_machine(c->net);
	struct pstk_plan *plan = pstk_plan_create(c->net, machine, options);
	struct pstk_planned_memory memory;
	uint64_t bytes = 0;

	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	for (unsigned i = 0; !pstk_plan_get_memory(plan, i, &memory); i++)
		bytes += memory.merged_bytes;
	pstk_plan_destroy(plan);
	pstk_machine_destroy(machine);
	return bytes;
}

/* The last of several plans counts. Two windows at each of the seven places, then one; a depth that was given stays. */
START_TEST(a_network_is_planned_again)
{
	const struct fake_cl *fake = driver("devices=2,svm=none,unified=0,races=1");
	struct pstk_fifo_info info;
	struct chain c;

	build(&c, "pstk:gpu:0", "pstk:gpu:1");
	for (unsigned round = 0; round < 3; round++) {
		bool one = round != 1;

		ck_assert_int_eq(pstk_network_plan(c.net, PSTK_PLAN(.no_overlap = one)), 0);
		ck_assert_int_eq(pstk_fifo_get_info(c.fifos[1], &info), 0);
		ck_assert_uint_eq(info.depth, one ? 1 : 2);
		ck_assert_uint_eq(info.room, (one ? 3 : 6) * RATE);
	}
	ck_assert_msg(!pstk_network_run(c.net), "%s", pstk_network_error(c.net));
	ck_assert_uint_eq(c.came, FIRINGS);
	ck_assert_uint_ge(pstk_network_allocated_bytes(c.net), 7 * WINDOW);
	ck_assert_uint_le(pstk_network_allocated_bytes(c.net), 7 * WINDOW + 3 * 8192);
	pstk_network_destroy(c.net);
	fake->settle();
	ck_assert_uint_eq(fake->violation_count(), 0);
}
END_TEST

/* _i: without overlap. Two windows at each of the seven places that a transfer touches, or one. */
START_TEST(memory_taken_is_planned)
{
	const struct pstk_plan_options *options = PSTK_PLAN(.no_overlap = _i != 0);
	const struct fake_cl *fake = driver("devices=2,svm=none,unified=0,races=1,delay=3");
	uint64_t taken, windows = 7 * (_i ? 1 : 2);
	struct pstk_fifo_info info;
	struct chain c;

	build(&c, "pstk:gpu:0", "pstk:gpu:1");
	ck_assert_uint_eq(planned_bytes(&c, options), windows * WINDOW);
	ck_assert_int_eq(pstk_network_plan(c.net, options), 0);
	ck_assert_int_eq(pstk_fifo_get_info(c.fifos[1], &info), 0);
	ck_assert_uint_eq(info.depth, _i ? 1 : 2);
	ck_assert_uint_eq(info.room, (_i ? 3 : 6) * RATE);
	ck_assert_msg(!pstk_network_run(c.net), "%s", pstk_network_error(c.net));
	ck_assert_uint_eq(c.came, FIRINGS);
	taken = pstk_network_allocated_bytes(c.net);
	ck_assert_uint_ge(taken, windows * WINDOW);
	ck_assert_uint_le(taken, windows * WINDOW + 3 * 8192); /* where the host's memory begins is chosen */
	pstk_network_destroy(c.net);
	fake->settle();
	ck_assert_uint_eq(fake->violation_count(), 0);
	for (enum fake_cl_kind kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_int_eq(fake->live(kind), 0);
}
END_TEST

static void check_link(struct pstk_machine *m, const char *a, const char *b, enum pstk_link_kind kind)
{
	struct pstk_link l;

	for (unsigned i = 0; !pstk_machine_get_link(m, i, &l); i++)
		if (!strcmp(l.a, a) && !strcmp(l.b, b)) {
			ck_assert_int_eq(l.kind, kind);
			return;
		}
	ck_abort_msg("no link from %s to %s", a, b);
}

/* Devices are named after their first actor. */
START_TEST(copies_and_shares)
{
	static const struct {
		const char *settings, *memory;
		enum pstk_link_kind kind;
	} cases[] = { { "devices=2,unified=0", "", PSTK_LINK_COPY },
		{ "devices=2,unified=1", "", PSTK_LINK_SHARED },
		{ "devices=2,unified=1", "copy", PSTK_LINK_COPY },
		{ "devices=2,unified=0", "map", PSTK_LINK_SHARED } };
	struct pstk_machine *m;
	struct pstk_place place;
	struct chain c;
	cpu_set_t cores;

	setenv("PENSTOCK_MEMORY", cases[_i].memory, 1);
	driver(cases[_i].settings);
	build(&c, "pstk:gpu:0", "pstk:gpu:1");
	m = pstk_network_machine(c.net);
	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(pstk_machine_place_count(m), 3);
	ck_assert_uint_eq(pstk_machine_link_count(m), 2);
	check_link(m, "host", "host/d1", cases[_i].kind);
	check_link(m, "host", "host/d2", cases[_i].kind);
	ck_assert_int_eq(pstk_machine_get_place(m, 0, &place), 0);
	ck_assert_int_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
	ck_assert_uint_eq(place.cores, (unsigned)CPU_COUNT(&cores));
	ck_assert_int_eq(pstk_machine_get_place(m, 2, &place), 0);
	ck_assert_str_eq(place.selector, "pstk:gpu:1");
	ck_assert_str_eq(pstk_actor_given_place(c.actors[0]), "host");
	ck_assert_str_eq(pstk_actor_given_place(c.actors[2]), "host/d2");
	pstk_machine_destroy(m);
	pstk_network_destroy(c.net);
}
END_TEST

/* Parts of one device use one memory; two actors on one device are at one place. */
START_TEST(parts_share)
{
	struct pstk_machine *m;
	struct chain c;

	driver("devices=1,units=4,unified=0");
	build(&c, "pstk:gpu:0/1of2", "pstk:gpu:0/2of2");
	m = pstk_network_machine(c.net);
	ck_assert_ptr_nonnull(m);
	check_link(m, "host/d1", "host/d2", PSTK_LINK_SHARED);
	pstk_machine_destroy(m);
	pstk_network_destroy(c.net);
	build(&c, "fake", "fake");
	m = pstk_network_machine(c.net);
	ck_assert_uint_eq(pstk_machine_place_count(m), 2);
	ck_assert_str_eq(pstk_actor_given_place(c.actors[2]), "host/d1");
	pstk_machine_destroy(m);
	pstk_network_destroy(c.net);
}
END_TEST

START_TEST(refusals)
{
	struct chain c;
	int err = -ENOMEM;

	driver("devices=2,unified=0");
	ck_assert_ptr_null(pstk_network_machine(NULL));
	ck_assert_int_eq(pstk_network_plan(NULL, NULL), -EINVAL);
	build(&c, "pstk:gpu:0", "pstk:gpu:1");
	ck_assert_int_eq(
		pstk_network_plan(c.net, &(struct pstk_plan_options){ .no_overlap = true }), -EINVAL);
	TEST_SAYS(pstk_network_error(c.net), "options without struct_size");
	pstk_network_destroy(c.net);
	build(&c, "pstk:gpu:0", "pstk:gpu:1");
	ck_assert_int_eq(pstk_network_start(c.net), 0);
	ck_assert_ptr_null(pstk_network_machine(c.net));
	ck_assert_int_eq(pstk_network_plan(c.net, NULL), -EBUSY);
	ck_assert_int_eq(pstk_network_wait(c.net), 0);
	pstk_network_destroy(c.net);
	for (long n = 0; err; n++) {
		build(&c, "pstk:gpu:0", "pstk:gpu:1");
		ps_memory_fail_at = n;
		err = pstk_network_plan(c.net, NULL);
		ps_memory_fail_at = -1;
		ck_assert_msg(!err || err == -ENOMEM, "%ld: %d, %s", n, err, pstk_network_error(c.net));
		pstk_network_destroy(c.net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machine_of");
	TCase *tcase = test_case(suite, "machine of a mapping");

	tcase_add_loop_test(tcase, memory_taken_is_planned, 0, 2);
	tcase_add_test(tcase, a_network_is_planned_again);
	tcase_add_loop_test(tcase, copies_and_shares, 0, 4);
	tcase_add_test(tcase, parts_share);
	tcase_add_test(tcase, refusals);
	return test_main(suite);
}
