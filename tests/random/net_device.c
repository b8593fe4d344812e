/* SPDX-License-Identifier: MIT */
#include "tests/random/net_device.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One source for all actors, so that it is built once a network: a kernel for each order of up to four inputs and
 * outputs, net_i, net_o, net_ii, .. */
static const char common[] =
	"struct state { ulong state, firings; };\n"
	"ulong mix_(ulong x) {\n"
	"	x += 0x9e3779b97f4a7c15UL;\n"
	"	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;\n"
	"	x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;\n"
	"	return x ^ (x >> 31);\n"
	"}\n"
	"ulong absorb(ulong state, __global const uchar *bytes, ulong count) {\n"
	"	while (count > 0) {\n"
	"		uint part = count < 8 ? (uint)count : 8;\n"
	"		ulong word = 0;\n"
	"		for (uint i = 0; i < part; i++) word |= (ulong)bytes[i] << (8 * i);\n"
	"		state = mix_(state ^ word);\n"
	"		bytes += part; count -= part;\n"
	"	}\n"
	"	return state;\n"
	"}\n"
	"void squeeze(ulong state, __global uchar *bytes, ulong count) {\n"
	"	while (count > 0) {\n"
	"		uint part = count < 8 ? (uint)count : 8;\n"
	"		ulong word = mix_(state);\n"
	"		state += 0x9e3779b97f4a7c15UL;\n"
	"		for (uint i = 0; i < part; i++) bytes[i] = (uchar)(word >> (8 * i));\n"
	"		bytes += part; count -= part;\n"
	"	}\n"
	"}\n"
	"/* 1 if something is behind the valid tokens or the window is not aligned */\n"
	"ulong wrong(__global const uchar *bytes, ulong from, ulong to, uint size) {\n"
	"	uint lowest = size & -size, align = lowest < 64 ? lowest : 64;\n"
	"	if ((ulong)bytes % align) return 1;\n"
	"	for (; from < to; from++) if (bytes[from]) return 1;\n"
	"	return 0;\n"
	"}\n";

struct text {
	char *bytes;
	size_t size, room;
};

/* Every '#' of the words becomes the port's number. */
static void append(struct text *t, const char *words, unsigned port)
{
	size_t length = strlen(words);

	if (t->size + length + 1 > t->room) {
		t->room = 2 * t->room + length;
		t->bytes = realloc(t->bytes, t->room);
		if (!t->bytes)
			abort();
	}
	for (size_t i = 0; i <= length; i++)
		t->bytes[t->size + i] = words[i] == '#' ? (char)('0' + port) : words[i];
	t->size += length;
}

/* order: a letter a port, 'i' or 'o' */
static void append_kernel(struct text *t, const char *order)
{
	unsigned count = (unsigned)strlen(order);

	append(t, "__kernel void net_", 0);
	append(t, order, 0);
	append(t, "(", 0);
	for (unsigned p = 0; p < count; p++)
		append(t, order[p] == 'i' ? "__global const uchar *p#, " : "__global uchar *p#, ", p);
	append(t, "__global struct state *s, ulong firing, ulong seed", 0);
	for (unsigned p = 0; p < count; p++)
		append(t, ", uint size#, uint rate#, uint valid#", p);
	append(t, ") {\n	ulong state = mix_(s->state ^ seed), bad = s->firings != firing;\n", 0);
	for (unsigned p = 0; p < count; p++)
		if (order[p] == 'i')
			append(t,
				"	state = absorb(state + #, p#, (ulong)valid# * size#);\n"
				"	bad |= wrong(p#, (ulong)valid# * size#, (ulong)rate# * size#, "
				"size#);\n",
				p);
	append(t, "	if (bad) state = mix_(state);\n	s->state = state; s->firings = firing + 1;\n", 0);
	for (unsigned p = 0; p < count; p++)
		if (order[p] == 'o')
			append(t,
				"	if (wrong(p#, 0, 0, size#)) state = mix_(state);\n"
				"	squeeze(mix_(state + #), p#, (ulong)valid# * size#);\n",
				p);
	append(t, "}\n", 0);
}

static const char *source(void)
{
	static struct text t;
	char order[NET_DEVICE_PORTS + 1];

	if (t.bytes)
		return t.bytes;
	t.room = sizeof(common) + 1;
	t.size = sizeof(common) - 1;
	t.bytes = malloc(t.room);
	if (!t.bytes)
		abort();
	memcpy(t.bytes, common, sizeof(common));
	for (unsigned count = 1; count <= NET_DEVICE_PORTS; count++)
		for (unsigned bits = 0; bits < 1u << count; bits++) {
			for (unsigned p = 0; p < count; p++)
				order[p] = bits >> p & 1 ? 'o' : 'i';
			order[count] = 0;
			append_kernel(&t, order);
		}
	return t.bytes;
}

bool net_device_can(const struct net_actor *actor)
{
	return actor->last == NET_NEVER && actor->port_count <= NET_DEVICE_PORTS &&
	       net_input_count(actor) > 0;
}

const struct pstk_kernel *net_device_kernel(const struct net_actor *actor)
{
	static _Thread_local char name[5 + NET_DEVICE_PORTS];
	static _Thread_local struct pstk_kernel kernel;

	memcpy(name, "net_", 4);
	for (unsigned p = 0; p < actor->port_count; p++)
		name[4 + p] = actor->ports[p].output ? 'o' : 'i';
	name[4 + actor->port_count] = 0;
	kernel = (struct pstk_kernel){ .source = source(), .name = name };
	return &kernel;
}

int net_device_init(struct pstk_actor *self, const struct net_actor *actor)
{
	const size_t one = 1;
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	if (!err)
		err = pstk_actor_set_arg(self, 0, sizeof(actor->seed), &actor->seed);
	for (unsigned p = 0; p < actor->port_count && !err; p++) {
		uint32_t size = (uint32_t)actor->ports[p].token_size;

		err = pstk_actor_set_arg(self, 1 + 3 * p, sizeof(size), &size);
		if (!err)
			err = pstk_actor_set_arg(self, 2 + 3 * p, sizeof(uint32_t), PSTK_ARG_RATE(p));
		if (!err)
			err = pstk_actor_set_arg(self, 3 + 3 * p, sizeof(uint32_t), PSTK_ARG_VALID(p));
	}
	return err;
}

void net_device_choose(struct net_spec *net, uint64_t seed, const char *const *devices, unsigned count)
{
	struct test_rng rng = { test_mix(seed ^ UINT64_C(0xdec1ce)) };
	unsigned share = test_between(&rng, 30, 100);

	for (unsigned a = 0; a < net->actor_count; a++)
		if (net_device_can(&net->actors[a]) && test_chance(&rng, share)) {
			net->actors[a].device = devices[test_between(&rng, 0, count - 1)];
			/* the kernels have a state, and nothing of them blocks */
			net->actors[a].stateless = net->actors[a].blocks = false;
			net->actors[a].concurrency = 0;
		}
}
