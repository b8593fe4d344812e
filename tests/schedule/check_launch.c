/* SPDX-License-Identifier: MIT */
/*
 * Which thread launches: chains of kernels through deep FIFOs, so that own firings in flight are what an actor waits
 * for while its neighbours launch for it, for each way of waiting and of launching. Every token is checked.
 */
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 20, FIRINGS = 4000 };

static const struct {
	const char *wait, *launch;
	unsigned kernels;
	uint32_t depth;
} ways[] = { { "block", "", 1, 16 }, { "spin", "", 1, 16 }, { "adaptive", "", 1, 16 },
	{ "block", "own", 2, 16 }, { "spin", "own", 2, 16 }, { "adaptive", "", 3, 2 },
	{ "block", "", KERNELS, 2 } /* more than one stack of launches */ };

struct stream {
	uint64_t count, next, wrong;
	uint32_t add;
};

static int source_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));

	*(uint32_t *)pstk_fifo_write_start(f, 0) = (uint32_t)s->next++;
	pstk_fifo_write_end(f, 0);
	return s->next < s->count ? PSTK_AGAIN : PSTK_DONE;
}

static int sink_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));

	s->wrong += *(const uint32_t *)pstk_fifo_read_start(f, 0) != (uint32_t)s->next++ + s->add;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

static void run(const char *device, unsigned kernels, uint32_t depth, uint64_t count)
{
	static const struct pstk_kernel increment = {
		.source =
			"__kernel void increment(__global const uint *in, __global uint *out, ulong firing)\n"
			"{ *out = *in + 1; }\n",
		.name = "increment"
	};
	struct stream in = { .count = count }, out = { .add = kernels };
	struct pstk_network *net = pstk_network_create("launch");
	struct pstk_actor *last = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &ports[1], .port_count = 1, .fire = source_fire),
		&in);

	for (unsigned i = 0; i <= kernels; i++) {
		char name[16];
		struct pstk_actor *a;

		snprintf(name, sizeof name, "k%u", i);
		a = i < kernels ? pstk_network_add(net, name,
					  PSTK_ACTOR_TYPE(.name = "increment", .ports = ports,
						  .port_count = 2, .init = one_init, .kernel = &increment),
					  NULL)
		                : pstk_network_add(net, "sink",
					  PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 1,
						  .fire = sink_fire),
					  &out);
		if (i < kernels)
			pstk_actor_map(a, device);
		pstk_connect(last, "out", a, "in", PSTK_FIFO(.rate = 1, .depth = depth, .token_size = 4));
		last = a;
	}
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	ck_assert_uint_eq(out.next, count);
	ck_assert_uint_eq(out.wrong, 0);
}

/* Each in a process of its own: the variables are read once. */
START_TEST(chains)
{
	struct pstk_device_info info;

	setenv("POCL_DEVICES", "pthread", 1);
	setenv("PENSTOCK_WAIT", ways[_i].wait, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device: skipped\n");
		return;
	}
	for (uint64_t round = 0; round < 3; round++) {
		test_guard("a chain", round);
		run(info.selector, ways[_i].kernels, ways[_i].depth, test_rounds(FIRINGS));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("launch");
	TCase *tcase = test_case(suite, "chains");

	tcase_add_loop_test(tcase, chains, 0, TEST_COUNT(ways));
	return test_main(suite);
}
