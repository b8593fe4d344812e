/* SPDX-License-Identifier: MIT */
/*
 * Merged memory of a device, on the fake driver: two commands at once in the same bytes are a violation there
 * (races=1), and each token is checked.
 *
 * 	source -> k0 -> k1 -> .. -> kn -> sink, the ki on a device. Of each third one a second reader, side, is on the
 * 	device, too, and is read by the last one.
 *
 * Window n holds n + 7 i at the place of token i; each kernel adds 1 to its first input, and fails where its inputs are
 * of different windows.
 */
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 64, KERNELS = 9, FIRINGS = 60, LAST = 17 };

struct row {
	struct pstk_network *net;
	struct pstk_actor *source, *kernels[KERNELS], *sink;
	unsigned count;
	uint32_t firings, sent, came, ends; /* ends: of the sink, after so many firings; 0: never */
};

static int source_fire(struct pstk_firing *f)
{
	struct row *r = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *out = pstk_fifo_write_start(f, 0);
	bool last = r->sent + 1 == r->firings;

	for (uint32_t i = 0; i < RATE; i++)
		out[i] = r->sent + 7 * i;
	r->sent++;
	pstk_fifo_write_end_partial(f, 0, last ? LAST : RATE);
	return last ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct row *r = pstk_actor_arg(self);
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		if (in[i] != r->came + 7 * i + r->count)
			return pstk_actor_error(self, -EPROTO, "window %u, token %u: %u", r->came, i, in[i]);
	r->came++;
	pstk_fifo_read_end(f, 0);
	return r->came == r->ends ? PSTK_DONE : PSTK_AGAIN;
}

static void run_inc(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0];
	uint32_t *out = l->arg[1];

	for (uint32_t i = 0; i < RATE; i++)
		out[i] = in[i] + 1;
}

/* The side input is `steps` kernels behind; garbage where it is not. */
static void run_join(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0], *side = l->arg[1];
	uint32_t *out = l->arg[2], steps;

	memcpy(&steps, l->arg[4], sizeof steps);
	for (uint32_t i = 0; i < RATE; i++)
		out[i] = in[i] == side[i] + steps || !in[i] ? in[i] + 1 : 0xdead;
}

static const size_t one = 1;

static int inc_init(struct pstk_actor *self)
{
	return pstk_actor_set_work_size(self, 1, &one, &one);
}

static int join_init(struct pstk_actor *self)
{
	const uint32_t *steps = pstk_actor_arg(self);
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof *steps, steps);
}

static const struct fake_cl *driver(const char *settings)
{
	static const struct fake_cl_arg inc[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_arg join[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_IN("side", "uint"),
		FAKE_CL_OUT("out", "uint"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("steps", "uint", 4) };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "inc", .args = inc, .arg_count = TEST_COUNT(inc), .run = run_inc },
		{ .name = "join", .args = join, .arg_count = TEST_COUNT(join), .run = run_join }
	};
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);

	ck_assert_ptr_nonnull(fake);
	ck_assert_int_eq(fake->configure(settings), 0);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
	return fake;
}

static void connect(struct pstk_actor *a, const char *out, struct pstk_actor *b, const char *in)
{
	ck_assert_ptr_nonnull(pstk_connect(a, out, b, in, PSTK_FIFO(.rate = RATE, .token_size = 4)));
}

/* joins: kernel i reads kernel i - 3, too, from the fourth on. */
static void build(struct row *r, unsigned count, bool joins)
{
	static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "side", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_kernel inc = { .source = "kernel void inc(\n", .name = "inc" },
					join = { .source = "kernel void join(\n", .name = "join" };
	const struct pstk_port plain[] = { in_out[0], in_out[2] };
	static const uint32_t steps = 2;
	char name[16];

	*r = (struct row){ .net = pstk_network_create("row"), .count = count, .firings = FIRINGS };
	r->source = pstk_network_add(r->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &in_out[2], .port_count = 1, .fire = source_fire),
		r);
	for (unsigned i = 0; i < count; i++) {
		bool two = joins && i >= 3;

		snprintf(name, sizeof name, "k%u", i);
		r->kernels[i] = pstk_network_add(r->net, name,
			two ? PSTK_ACTOR_TYPE(.name = "join", .ports = in_out, .port_count = 3,
				      .init = join_init, .kernel = &join)
			    : PSTK_ACTOR_TYPE(.name = "inc", .ports = plain, .port_count = 2,
				      .init = inc_init, .kernel = &inc),
			two ? (void *)&steps : NULL);
		ck_assert_int_eq(pstk_actor_map(r->kernels[i], "fake"), 0);
		connect(i ? r->kernels[i - 1] : r->source, "out", r->kernels[i], "in");
		if (two)
			connect(r->kernels[i - 3], "out", r->kernels[i], "side");
	}
	r->sink = pstk_network_add(r->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in_out, .port_count = 1, .fire = sink_fire), r);
	connect(r->kernels[count - 1], "out", r->sink, "in");
}

/* The bytes of the plan at the device, with what is merged or without. */
static uint64_t planned_bytes(struct row *r, const struct pstk_plan_options *options, bool merged)
{
	struct pstk_machine *machine = pstk_network_machine(r->net);
	struct pstk_plan *plan = pstk_plan_create(r->net, machine, options);
	struct pstk_planned_memory memory;
	uint64_t bytes = 0;

	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	for (unsigned i = 0; !pstk_plan_get_memory(plan, i, &memory); i++)
		bytes += strcmp(memory.place, "host") ? (merged ? memory.merged_bytes : memory.bytes) : 0;
	pstk_plan_destroy(plan);
	pstk_machine_destroy(machine);
	return bytes;
}

/* Of the device's windows: all FIFOs' but the host's sides, which are page-locked. */
static uint64_t taken_bytes(const struct row *r)
{
	uint64_t host = 0;

	for (unsigned i = 0; i < pstk_network_fifo_count(r->net); i++) {
		struct pstk_fifo_info info;

		pstk_fifo_get_info(pstk_network_fifo(r->net, i), &info);
		if (!strcmp(info.memory, "staged"))
			host += (info.room / RATE / 2) * RATE * 4 + 64;
	}
	return pstk_network_allocated_bytes(r->net) - host;
}

static const char *const settings[] = { "svm=none,unified=0,races=1,delay=5",
	"svm=none,unified=0,races=1,lazy=1", "svm=none,unified=0,races=1,pocl=1,delay=77" };

/* _i: driver, threads, without overlap. */
START_TEST(every_window)
{
	const struct fake_cl *fake = driver(settings[_i % 3]);
	const struct pstk_plan_options *options = PSTK_PLAN(.no_overlap = _i / 3 % 2 != 0);
	struct row r;

	for (unsigned count = 1; count <= KERNELS; count += TEST_SANITIZED ? 4 : 1)
		for (unsigned way = 0; way < 6; way++) {
			uint64_t planned, taken;

			test_guard("merged", count * 10 + way);
			build(&r, count, way % 2);
			ck_assert_int_eq(pstk_network_set_threads(r.net, way / 2), 0);
			planned = planned_bytes(&r, options, true);
			ck_assert_int_eq(pstk_network_plan(r.net, options), 0);
			ck_assert_msg(!pstk_network_run(r.net), "%u kernels, way %u: %s", count, way,
				pstk_network_error(r.net));
			ck_assert_uint_eq(r.came, FIRINGS);
			taken = taken_bytes(&r);
			ck_assert_msg(taken == planned, "%u kernels, way %u: %llu bytes instead of %llu",
				count, way, (unsigned long long)taken, (unsigned long long)planned);
			pstk_network_destroy(r.net);
			fake->settle();
			ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
			for (enum fake_cl_kind kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
				ck_assert_int_eq(fake->live(kind), 0);
		}
}
END_TEST

static bool is_merged(const struct row *r, unsigned fifo)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(r->net, fifo), &info), 0);
	return info.merged;
}

/* A row of nine takes the memory of two buffers; without merging that of all. */
START_TEST(what_is_saved)
{
	struct row r;

	driver(settings[0]);
	build(&r, KERNELS, false);
	ck_assert_uint_eq(planned_bytes(&r, PSTK_PLAN(.no_overlap = true), false), 10 * RATE * 4);
	ck_assert_uint_eq(planned_bytes(&r, PSTK_PLAN(.no_overlap = true), true), 2 * RATE * 4);
	ck_assert_int_eq(pstk_network_plan(r.net, PSTK_PLAN(.no_overlap = true, .no_merge = true)), 0);
	ck_assert_int_eq(pstk_network_run(r.net), 0);
	ck_assert_uint_eq(taken_bytes(&r), 10 * RATE * 4);
	ck_assert(!is_merged(&r, 0) && !is_merged(&r, 5));
	pstk_network_destroy(r.net);
	build(&r, KERNELS, false);
	ck_assert_int_eq(pstk_network_plan(r.net, PSTK_PLAN(.no_overlap = true)), 0);
	ck_assert_int_eq(pstk_network_run(r.net), 0);
	ck_assert(is_merged(&r, 0) && is_merged(&r, 5));
	pstk_network_destroy(r.net);
}
END_TEST

/* The sink ends early: nothing hangs. _i: threads. */
START_TEST(readers_that_end)
{
	const struct fake_cl *fake = driver(settings[_i % 3]);

	for (unsigned ends = 1; ends < 12; ends = test_next(ends)) {
		struct row r;

		test_guard("merged, a reader that ends", ends);
		build(&r, KERNELS, ends % 2);
		r.ends = ends;
		ck_assert_int_eq(pstk_network_set_threads(r.net, (unsigned)_i / 3), 0);
		ck_assert_int_eq(pstk_network_plan(r.net, PSTK_PLAN(.no_overlap = ends % 3 == 0)), 0);
		ck_assert_msg(!pstk_network_run(r.net), "%s", pstk_network_error(r.net));
		ck_assert_uint_eq(r.came, ends);
		pstk_network_destroy(r.net);
		fake->settle();
		ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
	}
}
END_TEST

/*
 * x and p are independent, and share memory. y ends early, with its sink; x goes on for z. So how far x has come only
 * the FIFO to z tells.
 *
 * 	source -+-> x -+-> y -> early
 * 	        |      +-> z -> sink
 * 	        +-> p ---> q -> other
 */
struct fork {
	struct row row, early, other; /* of the sinks; count: the kernels that a token passes */
};

static struct pstk_actor *add_inc(struct fork *k, const char *name, struct pstk_actor *from)
{
	static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_kernel inc = { .source = "kernel void inc(\n", .name = "inc" };
	struct pstk_actor *a = pstk_network_add(k->row.net, name,
		PSTK_ACTOR_TYPE(.name = "inc", .ports = in_out, .port_count = 2, .init = inc_init,
			.kernel = &inc),
		NULL);

	ck_assert_int_eq(pstk_actor_map(a, "fake"), 0);
	connect(from, "out", a, "in");
	return a;
}

static void add_sink(struct pstk_network *net, const char *name, struct row *row, struct pstk_actor *from)
{
	static const struct pstk_port in[] = { { .name = "in", .kind = PSTK_INPUT } };

	connect(from, "out",
		pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "sink", .ports = in, .port_count = 1, .fire = sink_fire),
			row),
		"in");
}

static void build_fork(struct fork *k, unsigned ends)
{
	static const struct pstk_port out[] = { { .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("fork");
	struct pstk_actor *source, *x;

	k->row = k->other = k->early = (struct row){ .net = net, .count = 2, .firings = 10 };
	k->early.ends = ends;
	source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = out, .port_count = 1, .fire = source_fire),
		&k->row);
	x = add_inc(k, "x", source);
	add_sink(net, "early", &k->early, add_inc(k, "y", x));
	add_sink(net, "sink", &k->row, add_inc(k, "z", x));
	add_sink(net, "other", &k->other, add_inc(k, "q", add_inc(k, "p", source)));
}

START_TEST(a_reader_that_ends)
{
	const struct fake_cl *fake = driver(settings[_i % 3]);

	for (unsigned round = 0; round < (TEST_SANITIZED ? 9 : 40); round++) {
		struct fork k;

		test_guard("merged, a reader of two that ends", round);
		build_fork(&k, 1 + round % 9);
		ck_assert_int_eq(pstk_network_set_threads(k.row.net, (unsigned)_i / 3), 0);
		ck_assert_int_eq(pstk_network_plan(k.row.net, PSTK_PLAN(.no_overlap = round % 2 == 0)), 0);
		ck_assert_msg(!pstk_network_run(k.row.net), "%s", pstk_network_error(k.row.net));
		ck_assert_uint_eq(k.row.came, k.row.firings);
		ck_assert_uint_eq(k.other.came, k.row.firings);
		pstk_network_destroy(k.row.net);
		fake->settle();
		ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
	}
}
END_TEST

/* A command that fails, or a call: an error, and nothing is left. _i: the driver. */
START_TEST(failures)
{
	const struct fake_cl *fake = driver(settings[_i]);

	for (unsigned n = 1; n < 400; n += 23)
		for (unsigned call = 0; call < 2; call++) {
			struct row r;
			int err;

			test_guard("merged, a failure", n);
			fake->reset();
			driver(settings[_i]);
			build(&r, KERNELS, n % 2);
			ck_assert_int_eq(pstk_network_plan(r.net, NULL), 0);
			if (call)
				fake->fail_calls(n % 3 ? "clEnqueueNDRangeKernel" : "clCreateBuffer",
					n / 8 + 1, 1, CL_OUT_OF_RESOURCES);
			else
				fake->fail_command(0, n, CL_OUT_OF_RESOURCES);
			test_log_start();
			err = pstk_network_run(r.net);
			test_log_stop();
			ck_assert_int_le(err, 0);
			pstk_network_destroy(r.net);
			fake->settle();
			ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_merged");
	TCase *tcase = test_case(suite, "merged memory");

	tcase_add_loop_test(tcase, every_window, 0, 6);
	tcase_add_test(tcase, what_is_saved);
	tcase_add_loop_test(tcase, readers_that_end, 0, 9);
	tcase_add_loop_test(tcase, a_reader_that_ends, 0, 9);
	tcase_add_loop_test(tcase, failures, 0, 3);
	return test_main(suite);
}
