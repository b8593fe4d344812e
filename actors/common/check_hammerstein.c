/* SPDX-License-Identifier: MIT */
/*
 * polynomial, branches and adder under one control, as in a predistorter: its verdict before the start, and
 * that the parts work together, on cores, on a device and on both.
 */
#include "actors/common/check_branches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCHES = 10, RATE = 256, FIRINGS = 60, SAMPLES = FIRINGS * RATE - 77 };

static const struct pstk_cf32 leakage = { 0.01F, -0.02F };

/* A branch scales by its number, from 1 on. */
static float gains[BRANCHES];

struct state {
	struct pstk_cf32 *in, *out;
	size_t given, came;
	uint32_t windows, wanted; /* of the sink: it ends after so many; 0: with its input */
	uint32_t tokens;          /* control */
	uint32_t sets[FIRINGS];
};

static int source_fire(struct pstk_firing *f)
{
	struct state *s = pstk_actor_arg(pstk_firing_actor(f));
	float *re = pstk_fifo_write_start(f, 0), *im = pstk_fifo_write_start(f, 1);
	uint32_t n = SAMPLES - s->given < RATE ? (uint32_t)(SAMPLES - s->given) : RATE;

	for (uint32_t i = 0; i < n; i++) {
		re[i] = s->in[s->given].re;
		im[i] = s->in[s->given++].im;
	}
	pstk_fifo_write_end_partial(f, 0, n);
	pstk_fifo_write_end_partial(f, 1, n);
	return s->given == SAMPLES ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct state *s = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, 0), *im = pstk_fifo_read_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0) && s->came < SAMPLES + RATE; i++)
		s->out[s->came++] = (struct pstk_cf32){ re[i], im[i] };
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	return ++s->windows == s->wanted ? PSTK_DONE : PSTK_AGAIN;
}

static int branch_fire(struct pstk_firing *f)
{
	const float *gain = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned p = 0; p < 2; p++) {
		const float *in = pstk_fifo_read_start(f, p);
		float *out = pstk_fifo_write_start(f, 2 + p);

		for (uint32_t i = 0; i < pstk_port_valid(f, p); i++)
			out[i] = *gain * in[i];
		pstk_fifo_read_end(f, p);
		pstk_fifo_write_end(f, 2 + p);
	}
	return PSTK_AGAIN;
}

static int values_fire(struct pstk_firing *f)
{
	struct state *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *token = pstk_fifo_write_start(f, 0);

	*token = s->sets[s->tokens++ % FIRINGS];
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static void join(struct pstk_actor *src, const char *out, struct pstk_actor *dst, const char *in)
{
	pstk_connect(src, out, dst, in, PSTK_FIFO(.rate = RATE, .token_size = 4));
}

/* Each branch between the two. */
static void add_branches(struct pstk_network *net, struct pstk_actor *poly, struct pstk_actor *adder)
{
	static const struct pstk_port ports[] = { { .name = "re" }, { .name = "im" },
		{ .name = "re_out", .kind = PSTK_OUTPUT }, { .name = "im_out", .kind = PSTK_OUTPUT } };

	for (unsigned b = 0; b < BRANCHES; b++) {
		char name[16], re[16], im[16];
		struct pstk_actor *branch;

		snprintf(name, sizeof name, "branch%u", b + 1);
		snprintf(re, sizeof re, "re%u", b + 1);
		snprintf(im, sizeof im, "im%u", b + 1);
		gains[b] = (float)(b + 1);
		branch = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "branch", .ports = ports, .port_count = 4,
				.fire = branch_fire),
			&gains[b]);
		join(poly, re, branch, "re");
		join(poly, im, branch, "im");
		join(branch, "re_out", adder, re);
		join(branch, "im_out", adder, im);
	}
}

static void choose(struct pstk_polynomial_branch *terms)
{
	for (unsigned b = 0; b < BRANCHES; b++)
		terms[b] = (struct pstk_polynomial_branch){ 2 * (b % 5) + 1, b >= 5 };
}

static struct pstk_network *build(struct state *s, const char *poly_device, const char *adder_device)
{
	static const struct pstk_port out[] = { { .name = "re", .kind = PSTK_OUTPUT },
		{ .name = "im", .kind = PSTK_OUTPUT } };
	static const struct pstk_port in[] = { { .name = "re" }, { .name = "im" } };
	struct pstk_network *net = pstk_network_create("hammerstein");
	struct pstk_polynomial_branch terms[BRANCHES];
	struct pstk_actor *source, *values, *poly, *adder, *sink;

	choose(terms);
	source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = out, .port_count = 2, .fire = source_fire), s);
	values = pstk_network_add(net, "values",
		PSTK_ACTOR_TYPE(.name = "values", .ports = out, .port_count = 1, .fire = values_fire), s);
	poly = pstk_polynomial_add(net, "polynomial", terms, BRANCHES, true);
	adder = pstk_adder_add(net, "adder", BRANCHES, leakage, true);
	sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in, .port_count = 2, .fire = sink_fire), s);
	join(source, "re", poly, "re");
	join(source, "im", poly, "im");
	add_branches(net, poly, adder);
	join(adder, "re", sink, "re");
	join(adder, "im", sink, "im");
	pstk_connect(values, "re", poly, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(values, "re", adder, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
	if (poly_device)
		pstk_actor_map(poly, poly_device);
	if (adder_device)
		pstk_actor_map(adder, adder_device);
	return net;
}

static void fill(struct state *s, struct test_rng *rng)
{
	s->in = calloc(SAMPLES, sizeof *s->in);
	s->out = calloc(SAMPLES + RATE, sizeof *s->out);
	ck_assert(s->in && s->out);
	for (size_t i = 0; i < SAMPLES; i++)
		s->in[i] = (struct pstk_cf32){ (float)test_between(rng, 0, 14000) * 1e-4F - 0.7F,
			(float)test_between(rng, 0, 14000) * 1e-4F - 0.7F };
	for (unsigned i = 0; i < FIRINGS; i++)
		s->sets[i] = test_between(rng, 0, (1U << BRANCHES) - 1);
	s->sets[3] = 0;
	s->sets[FIRINGS - 1] |= 1; /* the last window, which is filled partly, comes to the adder */
}

/* The i-th sample's real and imaginary part. */
static void expect(const struct state *s, size_t i, double *re, double *im)
{
	double x = (double)s->in[i].re, y = (double)s->in[i].im, a = x * x + y * y;

	*re = (double)leakage.re;
	*im = (double)leakage.im;
	for (unsigned b = 0; b < BRANCHES; b++)
		if (s->sets[i / RATE] >> b & 1) {
			double by = pow(a, b % 5) * (b + 1);

			*re += x * by;
			*im += (b >= 5 ? -y : y) * by;
		}
}

static void check_output(const struct state *s)
{
	double largest = 0, wrong = 0;

	ck_assert_uint_eq(s->came, SAMPLES);
	for (size_t i = 0; i < SAMPLES; i++) {
		double re, im;

		expect(s, i, &re, &im);
		largest = fmax(largest, hypot(re, im));
		wrong = fmax(wrong, hypot((double)s->out[i].re - re, (double)s->out[i].im - im));
	}
	ck_assert_double_le(wrong, 1e-5 * largest);
}

static void run(struct test_rng *rng, const char *poly_device, const char *adder_device)
{
	struct state s = { 0 };
	struct pstk_network *net;

	fill(&s, rng);
	net = build(&s, poly_device, adder_device);
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	check_output(&s);
	pstk_network_destroy(net);
	free(s.in);
	free(s.out);
}

/* For all 1024 sets; and it sees two controls that disagree. */
START_TEST(verdict)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct state s = { 0 };
	struct pstk_network *net = build(&s, NULL, NULL);

	ck_assert_msg(pstk_network_check(net, NULL, NULL) == 0, "not proven");
	pstk_network_destroy(net);

	net = pstk_network_create("apart");
	{
		struct pstk_polynomial_branch terms[2] = { { 1, false }, { 3, false } };
		struct pstk_actor *poly = pstk_polynomial_add(net, "polynomial", terms, 2, true);
		struct pstk_actor *adder = pstk_adder_add(net, "adder", 2, leakage, true);
		struct pstk_actor *two[2];
		char name[16];

		for (unsigned i = 0; i < 2; i++) {
			snprintf(name, sizeof name, "values%u", i);
			two[i] = pstk_network_add(net, name,
				PSTK_ACTOR_TYPE(.name = "values", .ports = &out, .port_count = 1,
					.fire = values_fire),
				&s);
			pstk_connect(two[i], "out", i ? adder : poly, "active",
				PSTK_FIFO(.rate = 1, .token_size = 4));
		}
		join(poly, "re1", adder, "re1");
		join(poly, "im1", adder, "im1");
		join(poly, "re2", adder, "re2");
		join(poly, "im2", adder, "im2");
		ck_assert_int_ne(pstk_network_check(net, NULL, NULL), 0);
	}
	pstk_network_destroy(net);
}
END_TEST

START_TEST(on_the_cores)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t i = 0; i < test_rounds(10); i++) {
		test_guard("a network", test_seed());
		run(&rng, NULL, NULL);
	}
}
END_TEST

/* An adder of nothing is a source of constants: it goes on when all signals have ended, and ends with its
 * reader. */
START_TEST(sets_stay_empty)
{
	struct test_rng rng = { test_seed() };
	struct state s = { .wanted = 3 * FIRINGS };
	struct pstk_network *net;

	fill(&s, &rng);
	memset(s.sets, 0, sizeof s.sets);
	net = build(&s, NULL, NULL);
	test_guard("a network", test_seed());
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(s.given, SAMPLES);
	ck_assert_uint_eq(s.windows, s.wanted);
	for (size_t i = 0; i < s.came; i++)
		ck_assert(s.out[i].re == leakage.re && s.out[i].im == leakage.im);
	pstk_network_destroy(net);
	free(s.in);
	free(s.out);
}
END_TEST

START_TEST(on_a_device)
{
	struct test_rng rng = { test_seed() };
	const char *device = branch_device();

	for (unsigned m = 0; device && m < BRANCH_MEMORIES; m++) {
		setenv("PENSTOCK_MEMORY", branch_memories[m], 1);
		test_guard("a network", test_seed());
		run(&rng, device, device);
		run(&rng, device, NULL);
		run(&rng, NULL, device);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hammerstein");
	TCase *tcase = test_case(suite, "hammerstein");

	tcase_add_test(tcase, verdict);
	tcase_add_test(tcase, on_the_cores);
	tcase_add_test(tcase, sets_stay_empty);
	tcase_add_test(tcase, on_a_device);
	return test_main(suite);
}
