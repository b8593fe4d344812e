/* SPDX-License-Identifier: MIT */
/*
 * What limits a network with a device: its kernels, or the transfers. The rules on made-up loads, and networks with
 * one of the two planted.
 *
 * source -> kernel (device) -> sink
 */
#include "tests/common/common.h"
#include "tests/common/quiet.h"
#include "tests/observe/made_load.h"
#include "tests/opencl/cl_chain.h"

#include <stdlib.h>
#include <string.h>

enum { FIRINGS = 100 };

static const char kernel_source[] =
	"__kernel void work(__global const uint *in, __global uint *out, ulong firing, "
	"uint rounds)\n"
	"{\n"
	"	uint x = in[0];\n"
	"	for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u + (x >> 7);\n"
	"	out[0] = x;\n"
	"}\n";

static int kernel_init(struct pstk_actor *self)
{
	const uint32_t *rounds = pstk_actor_arg(self);
	const size_t one = 1;
	int err = pstk_actor_set_work_size(self, 1, &one, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof *rounds, rounds);
}

/* They touch next to nothing of their windows. */
static int source_fire(struct pstk_firing *f)
{
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 1;
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 == FIRINGS ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* rate: of 4-byte tokens. rounds: borrowed until the end. */
static struct pstk_network *build(const char *device, uint32_t rate, uint32_t *rounds)
{
	static const struct pstk_kernel kernel = { .name = "work", .source = kernel_source };
	struct pstk_network *net = pstk_network_create("planted");
	struct pstk_actor *a = pstk_network_add(net, "source",
				  PSTK_ACTOR_TYPE(.name = "source", .ports = &cl_chain_ports[1],
					  .port_count = 1, .fire = source_fire),
				  NULL),
			  *b = pstk_network_add(net, "kernel",
				  PSTK_ACTOR_TYPE(.name = "work", .ports = cl_chain_ports, .port_count = 2,
					  .init = kernel_init, .kernel = &kernel),
				  rounds),
			  *c = pstk_network_add(net, "sink",
				  PSTK_ACTOR_TYPE(.name = "sink", .ports = cl_chain_ports, .port_count = 1,
					  .fire = sink_fire),
				  NULL);

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = rate));
	pstk_connect(b, "out", c, "in", PSTK_FIFO(.rate = rate));
	ck_assert_int_eq(pstk_actor_map(b, device), 0);
	ck_assert_int_eq(pstk_network_set_sampling(net, 100000), 0);
	return net;
}

START_TEST(rule_device)
{
	const char *device = cl_chain_device("pthread", "copy");
	struct pstk_network *net;
	struct ps_load load;
	uint32_t rounds = 1;

	if (!device)
		return;
	net = build(device, 1, &rounds);
	ck_assert_int_eq(pstk_network_run(net), 0);
	made_load(&load, net);
	made_load_busy(&load, "kernel", 0.9, 0);
	made_load_waits(&load, "sink", 0, 0.85);
	made_load_expect(&load, PSTK_CAUSE_DEVICE, 2,
		"pocl:cpu:0 runs kernels of kernel 90 % of the time; sink waits 85 % of it for tokens at in",
		"make its kernel faster, or map another actor of this device elsewhere");
	pstk_network_destroy(net);
}
END_TEST

/* 100 windows of 1 MiB each way in 10 s; the device is idle while the sink waits 60 %. */
START_TEST(rule_transfer)
{
	const char *device = cl_chain_device("pthread", "copy");
	struct pstk_network *net;
	struct ps_load load;
	uint32_t rounds = 1;

	if (!device)
		return;
	net = build(device, 1 << 18, &rounds);
	ck_assert_int_eq(pstk_network_run(net), 0);
	made_load(&load, net);
	made_load_busy(&load, "kernel", 0.1, 0);
	load.actors[2].for_device = 0.6;
	made_load_expect(&load, PSTK_CAUSE_TRANSFER, 1 / 0.5,
		"sink waits 60 % of the time for windows of a device, which runs kernels 10 %; source.out -> "
		"kernel.in moves 10 MB/s",
		"move fewer bytes: source and kernel can't run in one place, so what makes the tokens "
		"smaller "
		"belongs in front of it");
	pstk_network_destroy(net);
}
END_TEST

/* The same waits, but the windows stay where they are. */
START_TEST(rule_no_transfer)
{
	const char *device = cl_chain_device("pthread", "svm");
	struct pstk_cause found[PS_CAUSES_MOST];
	struct pstk_fifo_info info;
	struct pstk_network *net;
	struct ps_load load;
	uint32_t rounds = 1;
	unsigned count;

	if (!device)
		return;
	net = build(device, 1 << 10, &rounds);
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_fifo_get_info(pstk_network_fifo(net, 0), &info);
	made_load(&load, net);
	made_load_busy(&load, "kernel", 0.1, 0);
	load.actors[2].for_device = 0.6;
	count = ps_causes_find(&load, found);
	for (unsigned i = 0; i < count && !strcmp(info.memory, "fine-grain SVM"); i++)
		ck_assert_int_ne(found[i].kind, PSTK_CAUSE_TRANSFER);
	ps_load_free(&load);
	pstk_network_destroy(net);
}
END_TEST

struct planted {
	const char *device;
	uint32_t rate, rounds;
	enum pstk_cause_kind kind;
	struct pstk_cause first;
};

static bool names_it(void *data)
{
	struct planted *p = data;
	struct pstk_network *net = build(p->device, p->rate, &p->rounds);

	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_int_ge(pstk_network_causes(net, &p->first, 1), 1);
	if (getenv("PENSTOCK_TEST_SAY"))
		pstk_network_explain(net, stderr);
	pstk_network_destroy(net);
	return p->first.kind == p->kind;
}

/* A kernel that loops. check_causes plants a transfer. */
START_TEST(planted)
{
	struct planted p = { cl_chain_device("pthread", "copy"), 1, 2000000, PSTK_CAUSE_DEVICE, { 0 } };

	if (!p.device)
		return;
	ck_assert_msg(test_when_quiet(names_it, &p, "a planted cause"), "cause %d: %s", p.first.kind,
		p.first.evidence);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_causes");
	TCase *all = test_case(suite, "all");

	tcase_add_test(all, rule_device);
	tcase_add_test(all, rule_transfer);
	tcase_add_test(all, rule_no_transfer);
	tcase_add_test(all, planted);
	return test_main(suite);
}
