/* SPDX-License-Identifier: MIT */
#include "tests/plan/plan_net.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pstk_port plan_ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

void plan_setup(void)
{
	unsetenv("PENSTOCK_TEAM");
	unsetenv("PENSTOCK_SHARE");
	setenv("POCL_DEVICES", "basic", 1);
}

struct pstk_fifo_info plan_info(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	return info;
}

void plan_printed(const struct pstk_network *net, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	ck_assert_int_eq(pstk_network_print(net, out), 0);
	fclose(out);
}

int plan_copy(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	memcpy(out, in, pstk_port_valid(f, 1) * sizeof *out);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

struct pstk_actor *plan_add(struct pstk_network *net, const char *name, bool kahn)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "node", .ports = plan_ports, .port_count = 2, .fire = plan_copy,
			.kahn = kahn),
		NULL);
}

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

struct pstk_actor *plan_add_kernel(struct pstk_network *net, const char *name)
{
	static const struct pstk_kernel kernel = {
		.source =
			"kernel void copy(global const uint *in, global uint *out, ulong n) { *out = *in; }",
		.name = "copy"
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "kernel", .ports = plan_ports, .port_count = 2, .init = one_init,
			.fire = plan_copy, .kernel = &kernel, .stateless = true),
		NULL);
}

struct pstk_actor *plan_add_source(struct pstk_network *net, const char *name)
{
	static const struct pstk_port ports[] = {
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" }
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "source", .ports = ports, .port_count = 1, .fire = plan_copy), NULL);
}

struct pstk_actor *plan_add_sink(struct pstk_network *net, const char *name)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" } };

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 1, .fire = plan_copy), NULL);
}
