/* SPDX-License-Identifier: MIT */
/*
 * The sum of some signals and a constant, in this order. A strip of samples at a time, so that sums stay in
 * the first-level cache while one signal after the other is added.
 */
#include "config.h"

#include "actors/adder/adder.h"
#include "actors/wide.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* as the parameters' range: of all floats */
#define FINITE "-3.4028234e38..3.4028234e38"

static const char kernel_text[] =
#include "actors/adder/adder.clh"
	;

/* The actor's arg. */
struct adder {
	uint32_t count;
	float re, im; /* of the constant */
};

enum { STRIP = PS_BRANCHES_STRIP, AT_ONCE = 4 };

/* Four signals at once: the sums are read and written once for them. The order of addition is the same. */
PS_WIDE static void add_four(float *restrict sum, const float *restrict a, const float *restrict b,
	const float *restrict c, const float *restrict d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = sum[i] + a[i] + b[i] + c[i] + d[i];
}

PS_WIDE static void add_one(float *restrict sum, const float *restrict a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += a[i];
}

PS_WIDE static void add_constant(float *sum, float constant, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += constant;
}

/* out + from: the sum of count signals there, and the constant. */
static void add_strip(float *out, float *const *in, unsigned count, float constant, size_t from, size_t n)
{
	float *sum = out + from;
	unsigned s = 0;

	memset(sum, 0, n * sizeof *sum);
	for (; s + AT_ONCE <= count; s += AT_ONCE)
		add_four(sum, in[s] + from, in[s + 1] + from, in[s + 2] + from, in[s + 3] + from, n);
	for (; s < count; s++)
		add_one(sum, in[s] + from, n);
	add_constant(sum, constant, n);
}

void ps_adder_sum(float *out, float *const *in, unsigned count, float constant, size_t n)
{
	for (size_t from = 0; from < n; from += STRIP)
		add_strip(out, in, count, constant, from, n - from < STRIP ? n - from : STRIP);
}

static int fire(struct pstk_firing *f)
{
	const struct adder *adder = pstk_actor_arg(pstk_firing_actor(f));
	struct ps_branch out, branches[PS_BRANCHES_MAX];
	float *re[PS_BRANCHES_MAX], *im[PS_BRANCHES_MAX]; /* of those that are on */
	size_t samples = pstk_port_valid(f, PS_BRANCHES_RE);
	unsigned on = 0;

	ps_branches_start(f, &out, branches);
	for (unsigned b = 0; b < adder->count; b++)
		if (branches[b].re) {
			re[on] = branches[b].re;
			im[on++] = branches[b].im;
		}
	ps_adder_sum(out.re, re, on, adder->re, samples);
	ps_adder_sum(out.im, im, on, adder->im, samples);
	ps_branches_end(f);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct adder *adder = pstk_actor_arg(self);
	int err = ps_branches_init(self);

	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof adder->re, &adder->re);
	return err ? err : pstk_actor_set_arg(self, 2, sizeof adder->im, &adder->im);
}

/* For adder.cl. */
static void write_terms(struct ps_branches_text *text, const void *arg)
{
	const struct adder *adder = arg;

	for (unsigned b = 1; b <= adder->count; b++)
		ps_branches_print(text, " { re%u, im%u },", b, b);
}

struct pstk_actor *pstk_adder_add(
	struct pstk_network *net, const char *name, unsigned count, struct pstk_cf32 constant, bool dynamic)
{
	static const struct pstk_param params[] = {
		{ .name = "re",
			.type = "f32",
			.range = FINITE,
			.help = "the constant's real part",
			.offset = offsetof(struct adder, re) },
		{ .name = "im",
			.type = "f32",
			.range = FINITE,
			.help = "the constant's imaginary part",
			.offset = offsetof(struct adder, im) },
	};
	struct adder arg = { count, constant.re, constant.im };

	if (ps_branches_check(net, name, "adder", count, dynamic))
		return NULL;
	if (!isfinite(constant.re) || !isfinite(constant.im)) {
		pstk_network_refuse(net, -EINVAL, "'%s': the constant is %g, %g: give it finite parts",
			name ? name : "", (double)constant.re, (double)constant.im);
		return NULL;
	}
	return ps_branches_add(net, name,
		&(const struct ps_branches){ .type = "adder",
			.inputs = true,
			.dynamic = dynamic,
			.count = count,
			.arg = &arg,
			.arg_size = sizeof arg,
			.params = params,
			.param_count = sizeof params / sizeof *params,
			.init = init,
			.fire = fire,
			.kernel = kernel_text,
			.terms = write_terms });
}
