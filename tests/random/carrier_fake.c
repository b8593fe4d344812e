/* SPDX-License-Identifier: MIT */
/*
 * Devices of the fake driver: each way in which it shares memory, two devices, parts of one, waits of random
 * length in the driver. After each network no object is left, nothing runs, no rule was broken, no kernel was
 * launched in vain.
 */
#include "tests/fake_cl/fake_cl.h"
#include "tests/observe/trace_reader.h"
#include "tests/random/carrier.h"
#include "tests/random/device.h"
#include "tests/random/pipes.h"
#include "tests/random/run_actor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const one[] = { "pstk:gpu:0" };
static const char *const two[] = { "pstk:gpu:0", "pstk:gpu:1" };
static const char *const parts[] = { "pstk:gpu:0/1of2", "pstk:gpu:0/2of2", "pstk:gpu:0" };

#define ONE one, 1
#define TWO two, 2
#define PARTS parts, 3

static const struct {
	const char *settings, *memory, *launch; /* of the driver; PENSTOCK_MEMORY, PENSTOCK_LAUNCH */
	const char *const *devices;
	unsigned device_count;
	bool arginfo; /* kernels tell their arguments, else only where one has a buffer for an argument */
	bool local;   /* kernels of several windows have local memory, so they can't be wrapped */
} ways[] = {
	{ "svm=none,unified=0,align=4096", "", "", ONE, true, false },
	{ "svm=none,unified=0", "copy", "own", ONE, false, false },
	{ "svm=none,unified=0,align=4096", "copy", "", ONE, true, true },
	{ "svm=none,unified=1,align=4096", "map", "", ONE, true, false },
	{ "svm=none,unified=1,lazy=1", "map", "", ONE, true, false },
	{ "svm=coarse,unified=1,guard=1,align=4096", "svm", "", ONE, true, false },
	{ "svm=coarse,unified=0", "", "own", ONE, true, true },
	{ "svm=fine,unified=1", "", "", ONE, true, false },
	{ "svm=fine,unified=1", "svm", "own", ONE, true, false },
	{ "svm=none,unified=0,lazy=1", "", "", ONE, false, false },
	{ "svm=none,unified=0", "", "own", ONE, true, true },
	{ "svm=none,unified=0,devices=2", "", "", TWO, true, false },
	{ "svm=coarse,unified=1,devices=2", "svm", "", TWO, true, false },
	{ "svm=none,unified=1,devices=2", "map", "", TWO, false, true },
	{ "svm=none,unified=0,units=4", "", "", PARTS, true, false },
	{ "svm=none,unified=1,units=4", "map", "", PARTS, true, false },
	{ "svm=fine,unified=1,units=4,lazy=1", "svm", "", PARTS, true, false },
	{ "svm=coarse,unified=0,nvidia=1", "", "", ONE, true, false },
	{ "svm=none,unified=0,devices=2,nvidia=1", "", "own", TWO, true, false },
};

static const struct fake_cl *fake;
static char settings[160];

/* -- the kernels: device.c has them as OpenCL C -- */

static void run(const struct fake_cl_launch *l, unsigned windows)
{
	void *at[NET_WINDOWS];
	uint32_t rate[NET_WINDOWS], valid[NET_WINDOWS];

	struct device_state *state = l->arg[windows];
	bool has_table = windows > DEVICE_ORDERED;
	unsigned next = windows + 2 + has_table;

	for (unsigned w = 0; w < windows; w++) {
		at[w] = l->arg[w];
		rate[w] = *(const uint32_t *)l->arg[next++];
		valid[w] = *(const uint32_t *)l->arg[next++];
	}
	device_run(state, *(const cl_ulong *)l->arg[windows + 1],
		has_table ? l->arg[windows + 2] : state->table, windows, at, rate, valid);
}

/* A launch does not say which kernel it is: a function for each. */
#define RUN(count)                                              \
	static void run_##count(const struct fake_cl_launch *l) \
	{                                                       \
		run(l, count);                                  \
	}
/* clang-format off */
RUN(1)
RUN(2)
RUN(3)
RUN(4)
RUN(5)
RUN(6)
RUN(7)
RUN(8)
/* clang-format on */

static void (*const runs[NET_WINDOWS])(
	const struct fake_cl_launch *) = { run_1, run_2, run_3, run_4, run_5, run_6, run_7, run_8 };

struct made {
	char name[16];
	struct fake_cl_arg args[3 * NET_WINDOWS + 3];
	struct fake_cl_kernel kernel;
};

static void add_kernel(struct made *m, unsigned windows, unsigned outputs, bool local)
{
	static const struct fake_cl_arg in = FAKE_CL_IN("in", "uchar"), out = FAKE_CL_OUT("out", "uchar"),
					table = FAKE_CL_IN("table", "ulong"),
					state = FAKE_CL_OUT("s", "struct state"),
					firing = FAKE_CL_VALUE("firing", "ulong", 8),
					count = FAKE_CL_VALUE("v", "uint", 4);

	unsigned next = 0;

	device_kernel_name(m->name, sizeof m->name, windows, outputs);
	while (next < windows) {
		m->args[next] = windows > DEVICE_ORDERED || outputs >> next & 1 ? out : in;
		next++;
	}
	m->args[next++] = state;
	m->args[next++] = firing;
	if (windows > DEVICE_ORDERED)
		m->args[next++] = table;
	for (unsigned i = 0; i < 2 * windows; i++)
		m->args[next++] = count;
	m->kernel = (struct fake_cl_kernel){ .name = m->name,
		.args = m->args,
		.arg_count = next,
		.local_memory = local && windows > 1 ? 128 : 0,
		.run = runs[windows - 1] };
	ck_assert_int_eq(fake->add_kernel(&m->kernel), 0);
}

static void add_kernels(bool local)
{
	static struct made made[(2 << DEVICE_ORDERED) + NET_WINDOWS];
	unsigned next = 0;

	for (unsigned windows = 1; windows <= NET_WINDOWS; windows++)
		for (unsigned o = 0; o < (windows <= DEVICE_ORDERED ? 1u << windows : 1); o++)
			add_kernel(&made[next++], windows, o, local);
}

/* -- the driver -- */

static bool open_driver(unsigned way, const char *const **devices, unsigned *count)
{
	fake = fake_cl_start(FAKE_CL_DRIVER, ways[way].settings, NULL);
	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", ways[way].memory, 1);
	setenv("PENSTOCK_LAUNCH", ways[way].launch, 1);
	*devices = ways[way].devices;
	*count = ways[way].device_count;
	pipes_on(*devices, *count);
	run_exchange = way % 4 == 1 && trace_reader_is_there() ? &carrier_traced : NULL;
	return true;
}

/* A buffer for an argument is known by the parameter's type. */
static bool can_do_without_arginfo(const struct net *net)
{
	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_has_kernel(&net->actors[a]) &&
			net->actors[a].port_count - (net->actors[a].values > 0) > DEVICE_ORDERED)
			return false;
	return true;
}

/* Most without waits: they find more networks, fewer times. Kernels of dynamic actors take NULL for a port that is
 * off. */
static void begin(unsigned way, const struct net *net)
{
	snprintf(settings, sizeof settings, "%s,skew=1,nullmem=%d,delay=%" PRIu64, ways[way].settings,
		net->group_count > 0, net->seed % 4 ? 0 : net->seed);
	if (can_do_without_arginfo(net) && (!ways[way].arginfo || (net->group_count && net->seed % 3 == 0)))
		snprintf(settings + strlen(settings), sizeof settings - strlen(settings), ",arginfo=0");
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	add_kernels(ways[way].local);
}

static const char *end(unsigned way, bool ended, uint64_t launches)
{
	static char message[300];

	(void)way;
	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		if (fake->live((enum fake_cl_kind)kind)) {
			snprintf(message, sizeof message, "%s: %ld objects of kind %d are left", settings,
				fake->live((enum fake_cl_kind)kind), kind);
			return message;
		}
	if (fake->violation_count()) {
		snprintf(message, sizeof message, "%s: %s", settings, fake->violation(0));
		return message;
	}
	if (ended && (uint64_t)fake->commands(CL_COMMAND_NDRANGE_KERNEL) != launches) {
		snprintf(message, sizeof message, "%s: %lu kernels were launched, not %" PRIu64, settings,
			(unsigned long)fake->commands(CL_COMMAND_NDRANGE_KERNEL), launches);
		return message;
	}
	return NULL;
}

static const char *name(unsigned way)
{
	return ways[way].settings;
}

const struct carrier carrier_fake = { TEST_COUNT(ways), open_driver, begin, end, name };
