/* SPDX-License-Identifier: MIT */
/*
 * The sum of some signals and a constant, in this order. A strip of samples at a time, so that sums stay in
 * the first-level cache while one signal after the other is added.
 */
#include "config.h"

#include "actors/adder/adder.h"
#include "actors/common/wide.h"

#include <errno.h>
#include <math.h>

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

enum { STRIP = PS_BRANCHES_STRIP, AT_ONCE = 8 };

/* Adds `count` signals to the sum, which is 0 at first, and then the constant. Some signals at once, so that
 * sums are read and written once for them; count is a number that the compiler sees. The order of addition is
 * the same. */
PS_WIDE_BODY static void add(
	float *restrict sum, float *const *in, unsigned count, bool first, float constant, size_t n)
{
	const float *x[AT_ONCE];

	for (unsigned s = 0; s < count; s++)
		x[s] = in[s];
	for (size_t i = 0; i < n; i++) {
		float total = first ? 0 : sum[i];

		_Pragma("GCC unroll 8") for (unsigned s = 0; s < count; s++) total += x[s][i];
		sum[i] = total + constant;
	}
}

/* As many as add() can take of `count`, at most: how many those are. Adding a constant of 0 changes no sum:
 * none is -0. */
PS_WIDE_BODY static unsigned add_some(
	float *restrict sum, float *const *in, unsigned count, bool first, float constant, size_t n)
{
	unsigned some = count >= 8 ? 8 : count >= 4 ? 4 : count >= 2 ? 2 : count;
	float last = some == count ? constant : 0;

	if (some == 8)
		add(sum, in, 8, first, last, n);
	else if (some == 4)
		add(sum, in, 4, first, last, n);
	else if (some == 2)
		add(sum, in, 2, first, last, n);
	else if (some == 1)
		add(sum, in, 1, first, last, n);
	else
		add(sum, in, 0, first, last, n);
	return some;
}

/* A strip at a time, if the signals are too many for one pass. */
PS_WIDE_BODY static void sum_up_body(
	float *restrict sum, float *const *in, unsigned count, float constant, size_t n)
{
	unsigned done = add_some(sum, in, count, true, constant, n);

	while (done < count)
		done += add_some(sum, in + done, count - done, false, constant, n);
}

PS_WIDE(sum_up, (float *restrict sum, float *const *in, unsigned count, float constant, size_t n),
	(sum, in, count, constant, n))

void ps_adder_sum(float *out, float *const *in, unsigned count, float constant, size_t n)
{
	float *part[PS_BRANCHES_MAX];

	for (size_t from = 0; from < n; from += STRIP) {
		for (unsigned s = 0; s < count; s++)
			part[s] = in[s] + from;
		sum_up(out + from, part, count, constant, n - from < STRIP ? n - from : STRIP);
	}
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
static void write_terms(struct ps_kernel_text *text, const void *arg)
{
	const struct adder *adder = arg;

	for (unsigned b = 1; b <= adder->count; b++)
		ps_kernel_print(text, " { re%u, im%u },", b, b);
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
