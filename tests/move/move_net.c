/* SPDX-License-Identifier: MIT */
#include "tests/move/move_net.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *move_places[2];

static const char source[] =
	"__kernel void plain(__global const uint *in, __global uint *out, ulong firing)\n"
	"{ size_t i = get_global_id(0); out[i] = 3 * in[i] + 1; }\n"
	"__kernel void keeps(__global const uint *in, __global uint *out, __global uint *fired, ulong "
	"firing, uint rate)\n"
	"{ for (uint i = 0; i < rate; i++) out[i] = 3 * in[i] + 1 + *fired; ++*fired; }\n";

static int init(struct pstk_actor *self)
{
	struct move_net *m = pstk_actor_arg(self);
	const size_t size = m->keeps ? 1 : pstk_actor_port_rate(self, 0);
	int err = pstk_actor_set_work_size(self, 1, &size, NULL);

	return err || !m->keeps ? err : pstk_actor_set_arg(self, 0, 4, PSTK_ARG_RATE(0));
}

static int fire(struct pstk_firing *f)
{
	struct move_net *m = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *fired = m->keeps ? pstk_actor_state(pstk_firing_actor(f)) : NULL;
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		out[i] = 3 * in[i] + 1 + (fired ? *fired : 0);
	if (fired)
		++*fired;
	atomic_fetch_add(&m->on_cores, 1);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

bool move_open(const char *pocl, const char *memory)
{
	static char names[2][80];
	const char *device = cl_chain_device(pocl, memory);

	for (unsigned i = 0; device && i < 2; i++) {
		snprintf(names[i], sizeof names[i], "%s/%uof2", device, i + 1);
		move_places[i] = names[i];
	}
	return device;
}

static void run_plain(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0];
	uint32_t *out = l->arg[1];

	for (size_t i = 0; i < l->global[0]; i++)
		out[i] = 3 * in[i] + 1;
}

static void run_keeps(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0];
	uint32_t *out = l->arg[1], *fired = l->arg[2], rate;

	memcpy(&rate, l->arg[4], sizeof rate);
	for (uint32_t i = 0; i < rate; i++)
		out[i] = 3 * in[i] + 1 + *fired;
	++*fired;
}

const struct fake_cl *move_fake(const char *driver, const char *settings, const char *memory)
{
	static const char *const devices[] = { "pstk:gpu:0", "pstk:gpu:1" };
	static const struct fake_cl_arg plain_args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_arg keeps_args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_OUT("fired", "uint"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("rate", "uint", 4) };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "plain",
			.args = plain_args,
			.arg_count = TEST_COUNT(plain_args),
			.run = run_plain },
		{ .name = "keeps",
			.args = keeps_args,
			.arg_count = TEST_COUNT(keeps_args),
			.run = run_keeps },
	};
	const struct fake_cl *fake = fake_cl_start(driver, settings, NULL);

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", memory, 1);
	for (unsigned i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
	for (unsigned i = 0; i < 2; i++)
		move_places[i] = devices[i];
	return fake;
}

void move_settle(const struct fake_cl *fake)
{
	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(!fake->live((enum fake_cl_kind)kind), "%ld objects of kind %d are left",
			fake->live((enum fake_cl_kind)kind), kind);
	ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
}

static unsigned entries(const char *folder)
{
	DIR *d = opendir(folder);
	unsigned count = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

struct move_taken move_look(const struct fake_cl *fake, const struct pstk_network *net)
{
	static const char *const calls[] = { "clCreateBuffer", "clCreateCommandQueue", "clCreateKernel",
		"clCreateProgramWithSource", "clBuildProgram", "clCreateContext", "clSVMAlloc" };
	struct move_taken t = { .threads = entries("/proc/self/task"),
		.descriptors = entries("/proc/self/fd"),
		.bytes = pstk_network_allocated_bytes(net) };

	if (ps_memory_fail_at < 0)
		ps_memory_fail_at = LONG_MAX; /* none fails, but it counts */
	t.allocations = ps_memory_fail_at;
	for (int kind = 0; kind < FAKE_CL_KIND_COUNT; kind++)
		t.objects[kind] = kind == FAKE_CL_EVENT ? 0 : fake->live((enum fake_cl_kind)kind);
	for (unsigned k = 0; k < TEST_COUNT(calls); k++)
		t.made += fake->calls(calls[k]);
	return t;
}

void move_takes_nothing(const struct fake_cl *fake, const struct pstk_network *net, struct move_taken *before)
{
	struct move_taken after = move_look(fake, net);

	ck_assert_mem_eq(before->objects, after.objects, sizeof after.objects);
	ck_assert_uint_eq(before->made, after.made);
	ck_assert_int_eq(before->allocations, after.allocations);
	ck_assert_uint_eq(before->threads, after.threads);
	ck_assert_uint_eq(before->bytes, after.bytes);
	/* a file that another thread has open for a moment goes, what a move has taken stays */
	for (unsigned looks = 0; after.descriptors > before->descriptors && looks < 10000; looks++) {
		sched_yield();
		after.descriptors = entries("/proc/self/fd");
	}
	ck_assert_uint_le(after.descriptors, before->descriptors);
	before->descriptors = after.descriptors;
}

void move_make(struct move_net *m, const char *first)
{
	static const struct pstk_kernel plain = { .name = "plain", .source = source },
					keeps = { .name = "keeps", .source = source };
	struct pstk_actor_type type = pstk_actor_type_init();

	type.name = "mover";
	type.ports = cl_chain_ports;
	type.port_count = 2;
	type.init = init;
	type.fire = fire;
	type.kernel = m->keeps ? &keeps : &plain;
	type.state_size = m->keeps ? 4 : 0;
	type.portable_state = m->keeps;
	type.stateless = !m->keeps;
	cl_chain_build(&m->chain, &type, m, first);
}

void move_build(struct move_net *m, const char *first)
{
	move_make(m, first);
	ck_assert_int_eq(pstk_actor_may_move(m->chain.tested, NULL), 0);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pstk_actor_may_move(m->chain.tested, move_places[i]), 0);
}

long move_find_wrong(const struct move_net *m)
{
	const struct cl_chain *c = &m->chain;

	for (uint32_t i = c->delay; i < c->count && i < CL_CHAIN_MAX; i++) {
		uint32_t x = i < 2 * c->delay ? 0 : i - 2 * c->delay + 1;

		if (c->got[i] != 3 * x + 1 + (m->keeps ? (i - c->delay) / c->rate : 0))
			return i;
	}
	return c->count == c->tokens + 2 * c->delay ? -1 : (long)c->count;
}

void move_check_tokens(const struct move_net *m)
{
	long wrong = move_find_wrong(m);

	ck_assert_msg(wrong < 0, "token %ld of %u is %u", wrong, m->chain.count,
		m->chain.got[wrong < CL_CHAIN_MAX ? wrong : 0]);
}

void move_expect(struct move_net *m, bool keep)
{
	int err = pstk_network_run(m->chain.net);

	ck_assert_msg(!err, "%s", pstk_network_error(m->chain.net));
	move_check_tokens(m);
	if (!keep)
		pstk_network_destroy(m->chain.net);
}

struct pstk_move move_of(const struct move_net *m, unsigned number)
{
	struct pstk_move move = PSTK_MOVE();

	ck_assert_int_eq(pstk_network_move(m->chain.net, number, &move), 0);
	return move;
}

char *move_stats(const struct move_net *m)
{
	char *text = NULL, *moves;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(pstk_network_print_stats(m->chain.net, out), 0);
	ck_assert_int_eq(fclose(out), 0);
	moves = strstr(text, "  move ");
	moves = strdup(moves ? moves : "");
	free(text);
	return moves;
}
