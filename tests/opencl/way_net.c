/* SPDX-License-Identifier: MIT */
#include "tests/opencl/way_net.h"
#include "tests/common/common.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

_Atomic unsigned way_wrong;

static uint32_t tokens_of(const struct way_plan *plan)
{
	return plan->tokens ? plan->tokens : WAY_FIRINGS * WAY_RATE;
}

/* -- the actors -- */

static int source_fire(struct pstk_firing *f)
{
	struct way_net *c = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), left = tokens_of(c->plan) - c->sent,
		 count = left < rate ? left : rate;
	uint32_t *out = pstk_fifo_write_start(f, 0);

	if (c->plan->late)
		test_await(&c->go_gate, 1);
	c->off_line += (uintptr_t)out % WAY_LINE != 0;
	for (uint32_t i = 0; i < rate; i++)
		out[i] = i < count ? c->plan->delay + ++c->sent : 0xbad;
	pstk_fifo_write_end_partial(f, 0, count);
	return c->sent < tokens_of(c->plan) ? PSTK_AGAIN : PSTK_DONE;
}

static int go_fire(struct pstk_firing *f)
{
	struct way_net *c = pstk_actor_arg(pstk_firing_actor(f));

	test_await(&c->go_gate, 1);
	memset(pstk_fifo_write_start(f, 0), 0, 4);
	pstk_fifo_write_end(f, 0);
	return ++c->went < WAY_FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

static int sink_fire(struct pstk_firing *f)
{
	struct way_net *c = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t valid = pstk_port_valid(f, 0);

	test_await(&c->gate, 1);
	c->off_line += (uintptr_t)in % WAY_LINE != 0;
	for (uint32_t i = 0; i < WAY_RATE; i++)
		if (in[i] != (i < valid ? c->came + i + 1 : 0))
			return pstk_actor_error(
				pstk_firing_actor(f), -EPROTO, "%u instead of %u", in[i], c->came + i + 1);
	c->came += valid;
	pstk_fifo_read_end(f, 0);
	return c->plan->sink_ends && pstk_firing_index(f) + 1 == c->plan->sink_ends ? PSTK_DONE : PSTK_AGAIN;
}

/* Windows are stretches of 1, 2, 3, ..: zeros before, where there is history, and behind what is valid. All zeros: the
 * launch before the first firing (or the sink will tell). */
static void copy_window(uint32_t *out, const uint32_t *in, uint32_t rate, uint32_t history, uint32_t valid)
{
	bool good = true, zeros = true;

	for (uint32_t i = 0; i < history + rate; i++)
		zeros = zeros && !in[i];
	for (uint32_t i = 0; i + 1 < history + valid; i++)
		good = good && (in[i + 1] == in[i] + 1 || (!in[i] && !in[i + 1] && i + 1 < history));
	for (uint32_t i = valid; i < rate; i++)
		good = good && !in[history + i];
	if (!good && !zeros)
		atomic_fetch_add(&way_wrong, 1);
	memcpy(out, in + history, rate * sizeof *out);
}

static uint32_t value(const void *arg)
{
	uint32_t v;

	memcpy(&v, arg, sizeof v);
	return v;
}

static void run_copy(const struct fake_cl_launch *l)
{
	copy_window(l->arg[1], l->arg[0], value(l->arg[3]), value(l->arg[4]), value(l->arg[5]));
}

static void run_held(const struct fake_cl_launch *l)
{
	copy_window(l->arg[2], l->arg[0], value(l->arg[4]), value(l->arg[5]), value(l->arg[6]));
}

static int copy_init(struct pstk_actor *self)
{
	const size_t one = 1;
	uint32_t history = pstk_actor_port_history(self, 0);
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	err = err ? err : pstk_actor_set_arg(self, 0, 4, PSTK_ARG_RATE(0));
	err = err ? err : pstk_actor_set_arg(self, 1, 4, &history);
	return err ? err : pstk_actor_set_arg(self, 2, 4, PSTK_ARG_VALID(0));
}

#define VALUES                                                                 \
	FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("rate", "uint", 4), \
		FAKE_CL_VALUE("history", "uint", 4), FAKE_CL_VALUE("valid", "uint", 4)

static void add_kernels(const struct fake_cl *fake)
{
	static const struct fake_cl_arg copy[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		VALUES };
	static const struct fake_cl_arg held[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_IN("go", "uint"),
		FAKE_CL_OUT("out", "uint"), VALUES };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "way_copy", .args = copy, .arg_count = TEST_COUNT(copy), .run = run_copy },
		{ .name = "way_held", .args = held, .arg_count = TEST_COUNT(held), .run = run_held },
	};

	for (size_t i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
}

const struct fake_cl *way_driver(const char *settings)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);

	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(settings), 0);
	add_kernels(fake);
	return fake;
}

/* -- building -- */

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" },
	{ .name = "go", .kind = PSTK_INPUT, .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };
static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };

static struct pstk_actor *add_kernel(struct way_net *c, const char *name, const char *device, bool held)
{
	static const char text[] = "kernel void way_copy(\nkernel void way_held(\n";
	static const struct pstk_kernel copy = { .source = text, .name = "way_copy" },
					hold = { .source = text, .name = "way_held" };
	struct pstk_actor *a = pstk_network_add(c->net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = held ? ports : in_out, .port_count = held ? 3 : 2,
			.init = copy_init, .kernel = held ? &hold : &copy),
		c);

	ck_assert_int_eq(pstk_actor_map(a, device), 0);
	return a;
}

static struct pstk_fifo *join(struct way_net *c, struct pstk_actor *from, struct pstk_actor *to,
	const char *in, uint32_t out_rate, uint32_t in_rate)
{
	return pstk_connect(from, "out", to, in,
		PSTK_FIFO(.write_rate = out_rate, .read_rate = in_rate, .token_size = 4,
			.depth = c->plan->depth));
}

static void join_devices(struct way_net *c, uint32_t out_rate, uint32_t in_rate)
{
	static const uint32_t initial[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
		20 };

	pstk_actor_set_history(c->two, 0, c->plan->history);
	c->to_two = pstk_connect(c->one, "out", c->two, "in",
		PSTK_FIFO(.write_rate = out_rate, .read_rate = in_rate, .token_size = 4,
			.depth = c->plan->depth, .delay = c->plan->delay,
			.initial = c->plan->delay ? initial : NULL));
}

void way_build(struct way_net *c, const struct way_plan *plan)
{
	uint32_t out = plan->out ? plan->out : WAY_RATE, in = plan->in ? plan->in : WAY_RATE;

	memset(c, 0, sizeof *c);
	c->plan = plan;
	c->net = pstk_network_create("way");
	c->source = pstk_network_add(c->net, "source",
		plan->source ? plan->source
			     : PSTK_ACTOR_TYPE(.name = "source", .ports = &in_out[1], .port_count = 1,
				       .fire = source_fire, .blocks = plan->late),
		c);
	c->one = add_kernel(c, "one", plan->one, !plan->two && plan->go);
	if (plan->two)
		c->two = add_kernel(c, "two", plan->two, plan->go);
	c->sink = pstk_network_add(c->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in_out, .port_count = 1, .fire = sink_fire,
			.blocks = true),
		c);
	c->to_one = join(c, c->source, c->one, "in", out, out);
	if (plan->two)
		join_devices(c, out, in);
	c->to_sink = join(c, plan->two ? c->two : c->one, c->sink, "in", in, WAY_RATE);
	if (plan->go) {
		c->go = pstk_network_add(c->net, "go",
			PSTK_ACTOR_TYPE(.name = "go", .ports = &in_out[1], .port_count = 1, .fire = go_fire,
				.blocks = true),
			c);
		join(c, c->go, plan->two ? c->two : c->one, "go", 1, 1);
	}
	ck_assert_int_eq(pstk_network_set_threads(c->net, plan->team), 0);
}

void way_start(struct way_net *c)
{
	ck_assert_msg(!pstk_network_start(c->net), "%s", pstk_network_error(c->net));
}

void way_open_gates(struct way_net *c)
{
	atomic_store(&c->gate, 1);
	atomic_store(&c->go_gate, 1);
}

void way_check_left(const struct fake_cl *fake, bool lost, const char *what)
{
	static long lost_before[FAKE_CL_KIND_COUNT]; /* it stays for the process's life */

	fake->settle();
	for (unsigned i = 0; i < fake->violation_count(); i++)
		ck_abort_msg("%s: violation: %s", what, fake->violation(i));
	for (enum fake_cl_kind kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++) {
		bool memory = kind == FAKE_CL_BUFFER || kind == FAKE_CL_MAP;
		long live = fake->live(kind);

		ck_assert_msg(live == lost_before[kind] || (lost && memory), "%s: %ld of kind %d are left",
			what, live - lost_before[kind], (int)kind);
		lost_before[kind] = live;
	}
}

void way_check_tokens(const struct way_net *c, const char *what)
{
	ck_assert_msg(
		!atomic_load(&way_wrong), "%s: %u wrong windows at a kernel", what, atomic_load(&way_wrong));
	if (!c->plan->sink_ends)
		ck_assert_msg(c->came == tokens_of(c->plan) + c->plan->delay, "%s: %u tokens", what, c->came);
}

/* To its end, with every token. */
void way_end_well(struct way_net *c, const struct fake_cl *fake, const char *what)
{
	way_open_gates(c);
	ck_assert_msg(!pstk_network_wait(c->net), "%s: %s", what, pstk_network_error(c->net));
	way_check_tokens(c, what);
	pstk_network_destroy(c->net);
	way_check_left(fake, false, what);
}

static uint64_t written(const struct pstk_fifo *f)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	return info.written / WAY_RATE;
}

/* So many windows are written, and no more. */
void way_await_written(const struct pstk_fifo *f, uint64_t windows)
{
	while (written(f) < windows)
		sched_yield();
	for (unsigned i = 0; i < 200; i++) {
		sched_yield();
		ck_assert_uint_eq(written(f), windows);
	}
}
