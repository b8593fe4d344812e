/* SPDX-License-Identifier: MIT */
#include "tests/opencl/fault_net.h"
#include "tests/common/common.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { JOIN_DELAY = 3 };

static const uint32_t table[FAULT_RATE] = { 11, 22, 33, 44 };
static const uint32_t to_device[8] = { 901, 902, 903, 904, 905, 906, 907, 908 };
static const uint32_t to_join[JOIN_DELAY] = { 71, 72, 73 };

/* -- what comes out of it -- */

static uint32_t produced_token(uint64_t i)
{
	return (uint32_t)test_mix(i);
}

/* Token by token, with no windows at all. */
static void reference(uint32_t *first, uint32_t *last, uint32_t delay)
{
	uint32_t sum = 1000;

	for (uint32_t i = 0; i < FAULT_TOKENS_MAX + 8; i++) {
		uint32_t in = i < delay ? to_device[i] : produced_token(i - delay);

		first[i] = in * 5 + table[i % FAULT_RATE];
		sum += first[i];
		last[i] = (sum * 3) ^ (i < JOIN_DELAY ? to_join[i] : first[i - JOIN_DELAY]);
	}
}

uint64_t fault_first_count(const struct fault_plan *plan)
{
	return plan->tokens + plan->delay;
}

uint64_t fault_last_count(const struct fault_plan *plan)
{
	return fault_first_count(plan);
}

/* -- the kernels -- */

static const char texts[] = "kernel void fault_add(\nkernel void fault_sum(\nkernel void fault_join(\n";

static void run_add(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0], *constants = l->arg[3], *rate = l->arg[4], *valid = l->arg[5];
	uint32_t *out = l->arg[1];

	for (uint32_t i = 0; i < *rate; i++)
		out[i] = i < *valid ? in[i] * 5 + constants[i % FAULT_RATE] : 0xbad;
}

static void run_sum(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0], *valid = l->arg[4];
	uint32_t *out = l->arg[1], *state = l->arg[2];

	for (uint32_t i = 0; i < *valid; i++) {
		*state += in[i];
		out[i] = *state;
	}
	for (uint32_t i = *valid; i < FAULT_RATE; i++)
		*state += in[i]; /* zeros */
}

static void run_join(const struct fake_cl_launch *l)
{
	const uint32_t *a = l->arg[0], *b = l->arg[1], *valid = l->arg[4];
	uint32_t *out = l->arg[2];

	for (uint32_t i = 0; i < *valid; i++)
		out[i] = (a[i] * 3) ^ b[i];
	for (uint32_t i = *valid; i < FAULT_RATE; i++)
		if (a[i])
			out[0] = 0xbad; /* no zero behind the end */
}

static void add_kernels(const struct fake_cl *fake)
{
	static const struct fake_cl_arg add[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_CONSTANT("table", "uint"),
		FAKE_CL_VALUE("rate", "uint", 4), FAKE_CL_VALUE("valid", "uint", 4) };
	static const struct fake_cl_arg sum[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_OUT("state", "uint"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("valid", "uint", 4) };
	static const struct fake_cl_arg join[] = { FAKE_CL_IN("a", "uint"), FAKE_CL_IN("b", "uint"),
		FAKE_CL_OUT("out", "uint"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("valid", "uint", 4) };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "fault_add", .args = add, .arg_count = TEST_COUNT(add), .run = run_add },
		{ .name = "fault_sum", .args = sum, .arg_count = TEST_COUNT(sum), .run = run_sum },
		{ .name = "fault_join", .args = join, .arg_count = TEST_COUNT(join), .run = run_join },
	};

	for (size_t i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
}

const struct fake_cl *fault_driver(const char *settings, const char *memory)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);

	ck_assert_msg(fake, "the fake driver is not there");
	if (memory)
		setenv("PENSTOCK_MEMORY", memory, 1);
	else
		unsetenv("PENSTOCK_MEMORY");
	fault_reset(fake);
	ck_assert_int_eq(fake->configure(settings), 0);
	return fake;
}

void fault_reset(const struct fake_cl *fake)
{
	fake->reset();
	add_kernels(fake);
}

/* -- the actors -- */

static struct fault_net *net_of(const struct pstk_actor *a)
{
	return pstk_actor_arg(a);
}

static unsigned number_of(const struct pstk_actor *a)
{
	struct pstk_network *network = pstk_actor_network(a);
	unsigned i = 0;

	while (pstk_network_actor(network, i) != a)
		i++;
	return i;
}

static int produce(struct pstk_firing *f)
{
	struct fault_net *net = net_of(pstk_firing_actor(f));
	uint32_t *out = pstk_fifo_write_start(f, 0), left = net->plan->tokens - net->produced;
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), count = left < rate ? left : rate;

	if (net->plan->gate)
		test_await(net->plan->gate, 1);
	if (net->plan->tokens > FAULT_TOKENS_MAX && net->produced + count > FAULT_TOKENS_MAX)
		return pstk_actor_error(pstk_firing_actor(f), -ERANGE, "nobody has stopped it");
	for (uint32_t i = 0; i < count; i++)
		out[i] = produced_token(net->produced + i);
	for (uint32_t i = count; i < rate; i++)
		out[i] = 0xbad;
	net->produced += count;
	pstk_fifo_write_end_partial(f, 0, count);
	return net->produced < net->plan->tokens ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	struct pstk_actor *a = pstk_firing_actor(f);
	struct fault_net *net = net_of(a);
	struct fault_sink *sink = number_of(a) == FAULT_FIRST ? &net->first : &net->last;
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t valid = pstk_port_valid(f, 0);

	for (uint32_t i = 0; i < pstk_actor_port_history(a, 0); i++) {
		uint32_t back = FAULT_HISTORY - i;

		if (*in++ != (sink->seen < back ? 0 : sink->expected[sink->seen - back]))
			sink->wrong++;
	}
	for (uint32_t i = 0; i < FAULT_RATE; i++)
		if (in[i] != (i < valid ? sink->expected[sink->seen + i] : 0))
			sink->wrong++;
	sink->seen += valid;
	pstk_fifo_read_end(f, 0);
	return sink->ends && pstk_firing_index(f) + 1 >= sink->ends ? PSTK_DONE : PSTK_AGAIN;
}

/* What it enqueues is given as the firing's own: so that is waited for, and its failure is the firing's. */
static int move(struct pstk_firing *f)
{
	struct pstk_actor *a = pstk_firing_actor(f);
	struct pstk_cl_window in, out;
	struct pstk_device_info info;
	cl_event event;
	cl_int err;

	if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
		return -EPROTO;
	err = clEnqueueCopyBuffer(pstk_cl_queue(f), in.buffer, out.buffer, 0, 0, in.bytes, 0, NULL, &event);
	if (err) {
		pstk_actor_device(a, &info);
		return pstk_actor_error(a, -ENOMEM, "clEnqueueCopyBuffer: %s (%d) on %s",
			pstk_cl_error_name(err), (int)err, info.selector);
	}
	err = pstk_cl_depend(f, event);
	clReleaseEvent(event);
	return err ? err : PSTK_AGAIN;
}

static int init(struct pstk_actor *a)
{
	struct fault_net *net = net_of(a);
	unsigned number = number_of(a);
	const size_t one = 1;
	unsigned next = 0;
	int err = 0;

	if (net->plan->init_fails == (int)number && number)
		return pstk_actor_error(a, -EXDEV, "told to");
	if (number == FAULT_ADD || number == FAULT_SUM || number == FAULT_JOIN)
		err = pstk_actor_set_work_size(a, 1, &one, NULL);
	if (number == FAULT_ADD) {
		err = err ? err : pstk_actor_set_arg(a, next++, sizeof table, table);
		err = err ? err : pstk_actor_set_arg(a, next++, 4, PSTK_ARG_RATE(1));
	}
	if (number == FAULT_ADD || number == FAULT_SUM)
		err = err ? err : pstk_actor_set_arg(a, next, 4, PSTK_ARG_VALID(0));
	if (number == FAULT_JOIN)
		err = err ? err : pstk_actor_set_arg(a, next, 4, PSTK_ARG_VALID(2));
	if (number == FAULT_SUM)
		*(uint32_t *)pstk_actor_state(a) = 1000;
	net->inits[number] += !err;
	return err;
}

static int finish(struct pstk_actor *a)
{
	struct fault_net *net = net_of(a);
	uint32_t sum = 1000;

	net->finishes[number_of(a)]++;
	if (number_of(a) != FAULT_SUM || pstk_network_failed(pstk_actor_network(a)))
		return 0;
	if (net->plan->tokens <= FAULT_TOKENS_MAX && !net->plan->ends[FAULT_FIRST] &&
		!net->plan->ends[FAULT_LAST]) {
		for (uint64_t i = 0; i < fault_first_count(net->plan); i++)
			sum += net->first.expected[i];
		net->wrong_state = *(uint32_t *)pstk_actor_state(a) != sum;
	}
	return 0;
}

/* -- building it -- */

#define IN(n)                                                      \
	{                                                          \
		.name = n, .kind = PSTK_INPUT, .token_type = "u32" \
	}
#define OUT(n)                                                      \
	{                                                           \
		.name = n, .kind = PSTK_OUTPUT, .token_type = "u32" \
	}

static const struct pstk_port ports[][3] = { { OUT("out") }, { IN("in"), OUT("out") },
	{ IN("in"), OUT("out") }, { IN("a"), IN("b"), OUT("out") }, { IN("in"), OUT("out") }, { IN("in") },
	{ IN("in") } };
static const unsigned port_counts[] = { 1, 2, 2, 3, 2, 1, 1 };
static const char *const names[] = { "source", "add", "sum", "join", "move", "first", "last" };

static void add_actor(struct fault_net *net, unsigned i)
{
	const char *const kernels[FAULT_ACTORS] = { NULL, net->plan->kernel ? net->plan->kernel : "fault_add",
		"fault_sum", "fault_join" };
	struct pstk_kernel kernel = { .source = net->plan->source ? net->plan->source : texts,
		.name = kernels[i] };

	net->actors[i] = pstk_network_add(net->network, names[i],
		PSTK_ACTOR_TYPE(.name = names[i], .ports = ports[i], .port_count = port_counts[i],
			.state_size = i == FAULT_SUM ? sizeof(uint32_t) : 0, .init = init,
			.fire = i == FAULT_SOURCE  ? produce
	                        : i >= FAULT_FIRST ? consume
	                                           : NULL,
			.fire_cl = i == FAULT_MOVE ? move : NULL, .kernel = kernel.name ? &kernel : NULL,
			.finish = finish),
		net);
	if (net->plan->overlaps && i >= FAULT_FIRST)
		pstk_actor_set_history(net->actors[i], 0, FAULT_HISTORY);
	if (i > FAULT_SOURCE && i < FAULT_FIRST)
		pstk_actor_map(net->actors[i], net->plan->on[i] ? net->plan->on[i] : "fake");
}

static void connect(struct fault_net *net, unsigned from, unsigned to, const char *in, uint32_t delay,
	const uint32_t *initial)
{
	pstk_connect(net->actors[from], "out", net->actors[to], in,
		PSTK_FIFO(.write_rate =
				  net->plan->overlaps && from == FAULT_SOURCE ? FAULT_RATE - 1 : FAULT_RATE,
			.read_rate = FAULT_RATE, .tail = net->plan->overlaps && *in == 'b' ? 2 : 0,
			.delay = delay, .token_size = sizeof(uint32_t), .initial = delay ? initial : NULL));
}

void fault_build(struct fault_net *net, const struct fault_plan *plan)
{
	static _Thread_local uint32_t first[FAULT_TOKENS_MAX + 8], last[FAULT_TOKENS_MAX + 8], made_for = 99;

	if (made_for != plan->delay)
		reference(first, last, plan->delay);
	made_for = plan->delay;
	memset(net, 0, sizeof *net);
	net->plan = plan;
	net->first.expected = first;
	net->first.ends = plan->ends[FAULT_FIRST];
	net->last.expected = last;
	net->last.ends = plan->ends[FAULT_LAST];
	net->network = pstk_network_create("faults");
	if (!net->network)
		return;
	for (unsigned i = 0; i < FAULT_ACTORS; i++)
		add_actor(net, i);
	connect(net, FAULT_SOURCE, FAULT_ADD, "in", plan->delay, to_device);
	connect(net, FAULT_ADD, FAULT_FIRST, "in", 0, NULL);
	connect(net, FAULT_ADD, FAULT_SUM, "in", 0, NULL);
	connect(net, FAULT_ADD, FAULT_JOIN, "b", JOIN_DELAY, to_join);
	connect(net, FAULT_SUM, FAULT_JOIN, "a", 0, NULL);
	connect(net, FAULT_JOIN, FAULT_MOVE, "in", 0, NULL);
	connect(net, FAULT_MOVE, FAULT_LAST, "in", 0, NULL);
}

/* -- what must hold -- */

void fault_check(struct fault_net *net, bool whole, const char *what)
{
	for (unsigned i = 0; i < FAULT_ACTORS; i++)
		ck_assert_msg(net->inits[i] == net->finishes[i], "%s: %s: init() %u times, finish() %u times",
			what, names[i], net->inits[i], net->finishes[i]);
	ck_assert_msg(!net->first.wrong && !net->last.wrong,
		"%s: %" PRIu64 " wrong tokens of %" PRIu64 " at first, %" PRIu64 " of %" PRIu64 " at last",
		what, net->first.wrong, net->first.seen, net->last.wrong, net->last.seen);
	ck_assert_msg(!net->wrong_state, "%s: sum's state is wrong", what);
	if (!whole)
		return;
	ck_assert_msg(net->first.seen == fault_first_count(net->plan) &&
			      net->last.seen == fault_last_count(net->plan),
		"%s: %" PRIu64 " and %" PRIu64 " tokens came instead of %" PRIu64 " and %" PRIu64, what,
		net->first.seen, net->last.seen, fault_first_count(net->plan), fault_last_count(net->plan));
}

void fault_check_violations(const struct fake_cl *fake, const char *what)
{
	bool refuses = strstr(what, "which it refuses") || strstr(what, "Unmap");

	for (unsigned i = 0; i < fake->violation_count(); i++) {
		const char *text = fake->violation(i);

		/* when an unmap is refused no caller can do anything about it */
		if (refuses && text && strstr(text, "while it is mapped"))
			continue;
		/* without the kernel's own information the library tries whether a constant is taken by value */
		ck_assert_msg(text && strstr(text, "a memory object of 16 bytes"), "%s: violation: %s", what,
			text ? text : "not kept");
	}
}

void fault_check_left(const struct fake_cl *fake, bool lost, const char *what)
{
	static const char *const kinds[] = { "sub-devices", "contexts", "queues", "buffers", "SVM pieces",
		"programs", "kernels", "events", "mapped regions" };

	static long lost_before[FAKE_CL_KIND_COUNT]; /* it stays for the process's life */

	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++) {
		bool memory = kind == FAKE_CL_BUFFER || kind == FAKE_CL_SVM || kind == FAKE_CL_MAP;
		long live = fake->live((enum fake_cl_kind)kind);

		ck_assert_msg(live == lost_before[kind] || (lost && memory), "%s: %ld %s are left", what,
			live - lost_before[kind], kinds[kind]);
		lost_before[kind] = live;
	}
	fault_check_violations(fake, what);
}
