/* SPDX-License-Identifier: MIT */
#include "tests/random/net_fake.h"
#include "tests/common/common.h"
#include "tests/random/net_device.h"

#include <stdio.h>

/* Behind the ports: state, firing, seed; then size, rate, valid of each port. */
enum { AFTER_PORTS = 3, PER_PORT = 3, ORDERS = 2 << NET_DEVICE_PORTS };

struct port {
	unsigned char *bytes;
	uint64_t valid, whole; /* bytes */
	size_t align;
};

static uint32_t number(const void *value)
{
	return *(const uint32_t *)value;
}

static struct port port_of(const struct fake_cl_launch *l, unsigned count, unsigned p)
{
	unsigned at = count + AFTER_PORTS + PER_PORT * p;
	uint32_t size = number(l->arg[at]), lowest = size & -size;

	return (struct port){ l->arg[p], (uint64_t)size * number(l->arg[at + 2]),
		(uint64_t)size * number(l->arg[at + 1]), lowest < 64 ? lowest : 64 };
}

static bool wrong(const struct port *port, bool output)
{
	if ((uintptr_t)port->bytes % port->align)
		return true;
	for (uint64_t i = port->valid; !output && i < port->whole; i++)
		if (port->bytes[i])
			return true;
	return false;
}

static uint64_t absorb(uint64_t state, const struct port *port)
{
	for (uint64_t at = 0; at < port->valid; at += 8) {
		uint64_t word = 0;

		for (unsigned i = 0; i < 8 && at + i < port->valid; i++)
			word |= (uint64_t)port->bytes[at + i] << (8 * i);
		state = test_mix(state ^ word);
	}
	return state;
}

static void squeeze(uint64_t state, const struct port *port)
{
	for (uint64_t at = 0; at < port->valid; at += 8, state += UINT64_C(0x9e3779b97f4a7c15)) {
		uint64_t word = test_mix(state);

		for (unsigned i = 0; i < 8 && at + i < port->valid; i++)
			port->bytes[at + i] = (unsigned char)(word >> (8 * i));
	}
}

static void run(const struct fake_cl_launch *l, unsigned count, unsigned outputs)
{
	struct net_device_state *s = l->arg[count];
	uint64_t firing = *(const cl_ulong *)l->arg[count + 1], seed = *(const cl_ulong *)l->arg[count + 2];
	uint64_t state = test_mix(s->state ^ seed);
	bool bad = s->firings != firing;

	for (unsigned p = 0; p < count; p++) {
		struct port port = port_of(l, count, p);

		if (outputs >> p & 1)
			continue;
		state = absorb(state + p, &port);
		bad |= wrong(&port, false);
	}
	if (bad)
		state = test_mix(state);
	s->state = state;
	s->firings = firing + 1;
	for (unsigned p = 0; p < count; p++) {
		struct port port = port_of(l, count, p);

		if (!(outputs >> p & 1))
			continue;
		if (wrong(&port, true))
			state = test_mix(state);
		squeeze(test_mix(state + p), &port);
	}
}

/* A launch does not say which kernel it is: a function for each. */
#define RUN(count, outputs)                                                 \
	static void run_##count##_##outputs(const struct fake_cl_launch *l) \
	{                                                                   \
		run(l, count, outputs);                                     \
	}
#define RUN4(count, first, second, third, fourth) \
	RUN(count, first) RUN(count, second) RUN(count, third) RUN(count, fourth)
/* clang-format off */
RUN(1, 0)
RUN(1, 1)
RUN4(2, 0, 1, 2, 3)
RUN4(3, 0, 1, 2, 3)
RUN4(3, 4, 5, 6, 7)
RUN4(4, 0, 1, 2, 3)
RUN4(4, 4, 5, 6, 7)
RUN4(4, 8, 9, 10, 11)
RUN4(4, 12, 13, 14, 15)
/* clang-format on */

static void (*const runs[])(const struct fake_cl_launch *) = { run_1_0, run_1_1, run_2_0, run_2_1, run_2_2,
	run_2_3, run_3_0, run_3_1, run_3_2, run_3_3, run_3_4, run_3_5, run_3_6, run_3_7, run_4_0, run_4_1,
	run_4_2, run_4_3, run_4_4, run_4_5, run_4_6, run_4_7, run_4_8, run_4_9, run_4_10, run_4_11, run_4_12,
	run_4_13, run_4_14, run_4_15 };

struct made {
	char name[5 + NET_DEVICE_PORTS];
	struct fake_cl_arg args[NET_DEVICE_PORTS * (1 + PER_PORT) + AFTER_PORTS];
	struct fake_cl_kernel kernel;
};

static void make(struct made *m, unsigned count, unsigned outputs)
{
	static const struct fake_cl_arg in = FAKE_CL_IN("in", "uchar"), out = FAKE_CL_OUT("out", "uchar"),
					state = FAKE_CL_OUT("s", "struct state"),
					wide = FAKE_CL_VALUE("n", "ulong", sizeof(cl_ulong)),
					narrow = FAKE_CL_VALUE("n", "uint", sizeof(cl_uint));
	unsigned next = 0;

	snprintf(m->name, sizeof m->name, "net_");
	for (unsigned p = 0; p < count; p++) {
		m->name[4 + p] = outputs >> p & 1 ? 'o' : 'i';
		m->args[next++] = outputs >> p & 1 ? out : in;
	}
	m->name[4 + count] = 0;
	m->args[next++] = state;
	m->args[next++] = wide;
	m->args[next++] = wide;
	for (unsigned i = 0; i < PER_PORT * count; i++)
		m->args[next++] = narrow;
	m->kernel = (struct fake_cl_kernel){ .name = m->name, .args = m->args, .arg_count = next };
}

void net_fake_kernels(const struct fake_cl *fake, bool local)
{
	static struct made made[ORDERS];
	unsigned next = 0;

	for (unsigned count = 1; count <= NET_DEVICE_PORTS; count++)
		for (unsigned outputs = 0; outputs < 1u << count; outputs++, next++) {
			make(&made[next], count, outputs);
			made[next].kernel.run = runs[next];
			made[next].kernel.local_memory = local && count > 1 ? 128 : 0;
			ck_assert_int_eq(fake->add_kernel(&made[next].kernel), 0);
		}
}
