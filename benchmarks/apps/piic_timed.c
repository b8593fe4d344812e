/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/piic_timed.h"
#include "benchmarks/apps/piic_token.h"
#include "tests/fake_cl/fake_cl.h"

#include <stdio.h>

static double loop_s;

void piic_timed_loop(double seconds)
{
	loop_s = seconds;
}

/* -- the kernel: its time by the clock, and of a window what the host looks at -- */

static uint64_t increment_time(const struct fake_cl_launch *l)
{
	return (uint64_t)(loop_s * 1e9 * (double)*(const cl_uint *)l->arg[3] + 0.5);
}

static void increment(const struct fake_cl_launch *l)
{
	const float *in = l->arg[0];
	float *out = l->arg[1], one = piic_one(*(const cl_uint *)l->arg[3]);

	for (size_t i = 0; i < l->global[0]; i += PIIC_STRIDE)
		out[i] = in[i] + one;
	out[l->global[0] - 1] = in[l->global[0] - 1] + one;
}

static const struct fake_cl_arg increment_args[] = { FAKE_CL_IN("in", "float"), FAKE_CL_OUT("out", "float"),
	FAKE_CL_VALUE("firing", "ulong", sizeof(cl_ulong)), FAKE_CL_VALUE("loops", "uint", sizeof(cl_uint)) };
static const struct fake_cl_kernel increment_kernel = {
	.name = PIIC_KERNEL, .args = increment_args, .arg_count = 4, .run = increment, .time = increment_time
};

bool piic_timed_start(const struct piic *is, unsigned devices)
{
	const struct fake_cl *fake;
	char settings[160];

	snprintf(settings, sizeof settings,
		"timed=1,devices=%u,max_alloc=0x40000000,rate=%.17g,latency=%.17g,duplex=%s", devices,
		is->rate, is->latency, is->half ? "half" : "full");
	fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);
	return fake && !fake->add_kernel(&increment_kernel);
}
