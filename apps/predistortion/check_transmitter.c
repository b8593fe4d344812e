/* SPDX-License-Identifier: MIT */
/* The modelled transmitter, and that the built-in coefficients make up for what it does. */
#include "config.h"

#include "apps/predistortion/check_model.h"
#include "apps/predistortion/transmitter.h"
#include "tests/common/common.h"

#include <math.h>
#include <penstock/iq.h>
#include <stdlib.h>

enum { SAMPLES = 60000, FIRST = 100, RATE = 257 };

struct stream {
	const float *in; /* re, im, re, .. */
	float *out;
	size_t given, came;
};

static double complex sample(const float *samples, size_t n)
{
	return samples[2 * n] + I * (double)samples[2 * n + 1];
}

#ifdef HAVE_KISSFFT
/* dB of what is sent beside gain x wanted, against that. The first samples are the filters' beginning. */
static double error_db(const double complex *x, const float *wanted)
{
	struct transmitter transmitter = { 0 };
	double wrong = 0, right = 0;

	for (size_t n = 0; n < SAMPLES; n++) {
		double complex sent = transmitter_next(&transmitter, x[n]),
			       want = transmitter_gain() * sample(wanted, n);

		if (n >= FIRST) {
			wrong += cabs(sent - want) * cabs(sent - want);
			right += cabs(want) * cabs(want);
		}
	}
	return 10 * log10(wrong / right);
}

/* Of another seed than the one that they were fitted to. fit prints -22 and -68 dB of its own signal. */
START_TEST(predistortion_helps)
{
	struct coefficients ten;
	struct pstk_iq_input *input;
	float *re = calloc(SAMPLES, sizeof(*re)), *im = calloc(SAMPLES, sizeof(*im)),
	      *x = calloc(2 * SAMPLES, sizeof(*x));
	double *after = calloc(2 * SAMPLES, sizeof(*after));
	double complex *plain = calloc(SAMPLES, sizeof(*plain)), *better = calloc(SAMPLES, sizeof(*better));
	const uint32_t all = 1023;

	ck_assert(re && im && x && after && plain && better);
	ck_assert_int_eq(coefficients_load(&ten, NULL), 0);
	ck_assert_int_eq(pstk_iq_input_open(&input, PSTK_IQ_INPUT(.seed = 99), NULL, 0), 0);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, SAMPLES), SAMPLES);
	pstk_iq_input_close(input);
	for (size_t n = 0; n < SAMPLES; n++) {
		x[2 * n] = re[n];
		x[2 * n + 1] = im[n];
		plain[n] = sample(x, n);
	}
	model_run(&ten, &all, 1, SAMPLES, x, SAMPLES, after);
	for (size_t n = 0; n < SAMPLES; n++)
		better[n] = after[2 * n] + I * after[2 * n + 1];
	ck_assert_double_gt(error_db(plain, x), -25);
	ck_assert_double_lt(error_db(better, x), -60);
	coefficients_free(&ten);
	free(re);
	free(im);
	free(x);
	free(after);
	free(plain);
	free(better);
}
END_TEST
#endif

static int give_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));
	float *re = pstk_fifo_write_start(f, 0), *im = pstk_fifo_write_start(f, 1);
	uint32_t n = 0;

	for (; n < RATE && s->given < SAMPLES; n++, s->given++) {
		re[n] = s->in[2 * s->given];
		im[n] = s->in[2 * s->given + 1];
	}
	pstk_fifo_write_end_partial(f, 0, n);
	pstk_fifo_write_end_partial(f, 1, n);
	return s->given == SAMPLES ? PSTK_DONE : PSTK_AGAIN;
}

static int take_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, 0), *im = pstk_fifo_read_start(f, 1);

	for (uint32_t n = 0; n < pstk_port_valid(f, 0); n++, s->came++) {
		s->out[2 * s->came] = re[n];
		s->out[2 * s->came + 1] = im[n];
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	return PSTK_AGAIN;
}

/* Keeps what it needs from one window to the next, and takes the gain out. */
START_TEST(as_an_actor)
{
	static const struct pstk_port in[] = { { .name = "re" }, { .name = "im" } },
				      out[] = { { .name = "re", .kind = PSTK_OUTPUT },
					      { .name = "im", .kind = PSTK_OUTPUT } };
	float *x = model_input(SAMPLES, test_seed());
	struct stream stream = { .in = x, .out = calloc(2 * SAMPLES, sizeof(*stream.out)) };
	struct pstk_network *net = pstk_network_create("transmitter");
	struct pstk_actor *give = pstk_network_add(net, "give",
		PSTK_ACTOR_TYPE(.name = "give", .ports = out, .port_count = 2, .fire = give_fire), &stream);
	struct pstk_actor *transmitter = pstk_network_add(net, "transmitter", transmitter_type(), NULL);
	struct pstk_actor *take = pstk_network_add(net, "take",
		PSTK_ACTOR_TYPE(.name = "take", .ports = in, .port_count = 2, .fire = take_fire), &stream);
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = RATE, .token_size = sizeof(float));
	struct transmitter model = { 0 };

	ck_assert_ptr_nonnull(stream.out);
	pstk_connect(give, "re", transmitter, "re", spec);
	pstk_connect(give, "im", transmitter, "im", spec);
	pstk_connect(transmitter, "re_out", take, "re", spec);
	pstk_connect(transmitter, "im_out", take, "im", spec);
	test_guard("the transmitter", test_seed());
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	ck_assert_uint_eq(stream.came, SAMPLES);
	for (size_t n = 0; n < SAMPLES; n++) {
		double complex want = transmitter_next(&model, sample(x, n)) / transmitter_gain();

		ck_assert_double_lt(cabs(sample(stream.out, n) - want), 1e-6);
	}
	pstk_network_destroy(net);
	free(stream.out);
	free(x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("transmitter");
	TCase *tcase = test_case(suite, "transmitter");

#ifdef HAVE_KISSFFT
	tcase_add_test(tcase, predistortion_helps);
#endif
	tcase_add_test(tcase, as_an_actor);
	return test_main(suite);
}
