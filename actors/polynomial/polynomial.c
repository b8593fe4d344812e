/* SPDX-License-Identifier: MIT */
/*
 * Terms of a complex polynomial: x |x|^(order - 1). With a = re^2 + im^2 that is x a^k, k = (order - 1) /
 * 2. A strip of samples at a time: its powers of a stay in the first-level cache, each made from the one
 * before, once for all branches that need it.
 */
#include "config.h"

#include "actors/polynomial/polynomial.h"
#include "actors/common/wide.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char kernel_text[] =
#include "actors/polynomial/polynomial.clh"
	;

enum { ORDER_MAX = 99, STRIP = PS_BRANCHES_STRIP, LINE = 64 };

/* The samples of one strip. The arrays begin at cache lines, not a multiple of 4096 bytes apart: a processor
 * takes a load for one of what was just stored there. */
struct strip {
	_Alignas(LINE) float a[STRIP]; /* re^2 + im^2, from power 1 on */
	_Alignas(LINE) const float *re, *im;
	size_t n;
	unsigned power;
	_Alignas(LINE) float powers[STRIP]; /* of a, the power-th, from power 2 on */
};

PS_WIDE_BODY static void multiply(
	float *restrict out, const float *restrict x, const float *restrict y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = x[i] * y[i];
}

PS_WIDE_BODY static void next_power(struct strip *restrict s)
{
	const float *restrict re = s->re, *restrict im = s->im;
	size_t n = s->n;

	s->power++;
	if (s->power == 1)
		for (size_t i = 0; i < n; i++)
			s->a[i] = re[i] * re[i] + im[i] * im[i];
	else if (s->power == 2)
		multiply(s->powers, s->a, s->a, n);
	else
		for (size_t i = 0; i < n; i++)
			s->powers[i] *= s->a[i];
}

/* -x y; y NULL: -x */
PS_WIDE_BODY static void multiply_negated(
	float *restrict out, const float *restrict x, const float *restrict y, size_t n)
{
	if (y)
		for (size_t i = 0; i < n; i++)
			out[i] = -x[i] * y[i];
	else
		for (size_t i = 0; i < n; i++)
			out[i] = -x[i];
}

/* A pass a part: stores to one place at a time are faster than to two or three, by far. */
PS_WIDE_BODY static void write_branch(float *re, float *im, bool conjugate, const struct strip *s)
{
	const float *powers = s->power > 1 ? s->powers : s->power ? s->a : NULL;

	if (powers)
		multiply(re, s->re, powers, s->n);
	else
		memcpy(re, s->re, s->n * sizeof *re);
	if (conjugate)
		multiply_negated(im, s->im, powers, s->n);
	else if (powers)
		multiply(im, s->im, powers, s->n);
	else
		memcpy(im, s->im, s->n * sizeof *im);
}

/* from: where the strip lies in the branches' windows. */
PS_WIDE_BODY static void write_strip_body(
	const struct ps_polynomial *p, const struct ps_branch *branches, struct strip *s, size_t from)
{
	for (const struct ps_polynomial_term *t = p->terms; t < p->terms + p->count; t++) {
		const struct ps_branch *b = &branches[t->branch];

		if (!b->re)
			continue;
		while (s->power < t->power)
			next_power(s);
		write_branch(b->re + from, b->im + from, t->conjugate, s);
	}
}

PS_WIDE(write_strip,
	(const struct ps_polynomial *p, const struct ps_branch *branches, struct strip *s, size_t from),
	(p, branches, s, from))

void ps_polynomial_block(
	const struct ps_polynomial *p, struct ps_branch in, const struct ps_branch *branches, size_t n)
{
	struct strip strip;

	for (size_t from = 0; from < n; from += STRIP) {
		strip.re = in.re + from;
		strip.im = in.im + from;
		strip.n = n - from < STRIP ? n - from : STRIP;
		strip.power = 0;
		write_strip(p, branches, &strip, from);
	}
}

static int fire(struct pstk_firing *f)
{
	const struct ps_polynomial *p = pstk_actor_arg(pstk_firing_actor(f));
	struct ps_branch in, branches[PS_BRANCHES_MAX];

	ps_branches_start(f, &in, branches);
	ps_polynomial_block(p, in, branches, pstk_port_valid(f, PS_BRANCHES_RE));
	ps_branches_end(f);
	return PSTK_AGAIN;
}

/* For polynomial.cl. */
static void write_terms(struct ps_kernel_text *text, const void *arg)
{
	const struct ps_polynomial *p = arg;

	for (const struct ps_polynomial_term *t = p->terms; t < p->terms + p->count; t++)
		ps_kernel_print(text, " { re%u, im%u, %u, %d },", t->branch + 1u, t->branch + 1u, t->power,
			t->conjugate ? -1 : 1);
}

static int check(struct pstk_network *net, const char *name, const struct pstk_polynomial_branch *branches,
	unsigned count, bool dynamic)
{
	int err = ps_branches_check(net, name, "polynomial", count, dynamic);

	name = name ? name : "";
	if (!err && !branches)
		return pstk_network_refuse(net, -EINVAL, "'%s': %u branch%s at NULL: give their orders", name,
			count, count == 1 ? "" : "es");
	for (unsigned b = 0; !err && b < count; b++)
		if (branches[b].order % 2 == 0 || branches[b].order > ORDER_MAX)
			return pstk_network_refuse(net, -EINVAL,
				"'%s': branch %u is of order %" PRIu32 ": orders are odd, 1 to %d", name,
				b + 1, branches[b].order, ORDER_MAX);
	return err;
}

static void sort_terms(struct ps_polynomial *p, const struct pstk_polynomial_branch *branches, unsigned count)
{
	for (uint8_t power = 0; 2 * power + 1 <= ORDER_MAX; power++)
		for (unsigned b = 0; b < count; b++)
			if (branches[b].order == 2 * power + 1u)
				p->terms[p->count++] = (struct ps_polynomial_term){
					.branch = (uint16_t)b,
					.power = power,
					.conjugate = branches[b].conjugate,
				};
}

struct pstk_actor *pstk_polynomial_add(struct pstk_network *net, const char *name,
	const struct pstk_polynomial_branch *branches, unsigned count, bool dynamic)
{
	size_t size = sizeof(struct ps_polynomial) + count * sizeof(struct ps_polynomial_term);
	struct ps_polynomial *p;
	struct pstk_actor *actor;

	if (check(net, name, branches, count, dynamic))
		return NULL;
	p = calloc(1, size);
	if (!p) {
		ps_branches_no_memory(net, name);
		return NULL;
	}
	sort_terms(p, branches, count);
	actor = ps_branches_add(net, name,
		&(const struct ps_branches){ .type = "polynomial",
			.dynamic = dynamic,
			.count = count,
			.arg = p,
			.arg_size = size,
			.init = ps_branches_init,
			.fire = fire,
			.kernel = kernel_text,
			.terms = write_terms });
	free(p);
	return actor;
}
