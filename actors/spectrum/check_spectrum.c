/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_dft.h"
#include "penstock/iq.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int not_null; /* what a failed create must replace by NULL */

START_TEST(refused_sizes)
{
	static const size_t sizes[] = { 0, 1, 2, 8, 15, 17, 24, 1000, 1023, 65535, 65537, 131072, SIZE_MAX };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		struct pstk_spectrum *s = (struct pstk_spectrum *)(void *)&not_null;

		ck_assert_int_eq(pstk_spectrum_create(&s, sizes[i]), -EINVAL);
		ck_assert_ptr_null(s);
	}
	ck_assert_int_eq(pstk_spectrum_create(NULL, 1024), -EINVAL);
	pstk_spectrum_destroy(NULL);
}
END_TEST

#ifdef HAVE_KISSFFT

enum { LEAST = 16, MOST = 65536 };

static const double pi = 3.14159265358979323846;

/* A signal of two parts, with room for so many samples. */
struct signal {
	size_t n;
	float *re, *im;
};

static struct signal signal_new(size_t n)
{
	struct signal s = { n, calloc(n + 1, sizeof(float)), calloc(n + 1, sizeof(float)) };

	ck_assert(s.re && s.im);
	return s;
}

static void signal_free(struct signal *s)
{
	free(s->re);
	free(s->im);
}

static struct pstk_spectrum *spectrum_new(size_t size)
{
	struct pstk_spectrum *s;

	ck_assert_int_eq(pstk_spectrum_create(&s, size), 0);
	ck_assert_ptr_nonnull(s);
	return s;
}

/* Gives the signal in pieces of at most so many samples. */
static void add_in_pieces(struct pstk_spectrum *s, const struct signal *x, size_t most, struct test_rng *rng)
{
	for (size_t at = 0, n; at < x->n; at += n) {
		n = test_between(rng, 0, (uint32_t)most);
		n = n < x->n - at ? n : x->n - at;
		ck_assert_int_eq(pstk_spectrum_add(s, x->re + at, x->im + at, n), 0);
	}
}

/* The definition, in double precision. bad: a sample that must not be in a segment, or SIZE_MAX. Returns
 * the segments. */
static int64_t expect(double *power, size_t size, const struct signal *x, size_t bad)
{
	double complex *segment = malloc(size * sizeof *segment);
	double squares = 0;
	int64_t segments = 0;

	ck_assert_ptr_nonnull(segment);
	memset(power, 0, size * sizeof *power);
	for (size_t i = 0; i < size; i++)
		squares += pow(sin(pi * (double)i / (double)size), 4);
	for (size_t from = 0; from + size <= x->n; from += size / 2) {
		if (bad >= from && bad < from + size)
			continue;
		for (size_t i = 0; i < size; i++)
			segment[i] = pow(sin(pi * (double)i / (double)size), 2) *
			             ((double)x->re[from + i] + I * (double)x->im[from + i]);
		dft(segment, size);
		for (size_t k = 0; k < size; k++)
			power[(k + size / 2) % size] += pow(cabs(segment[k]), 2) / squares / (double)size;
		segments++;
	}
	for (size_t k = 0; k < size && segments; k++)
		power[k] /= (double)segments;
	free(segment);
	return segments;
}

/* Compares with the definition: each bin to 1e-6 of the largest. */
static void check_signal(const struct signal *x, size_t size, size_t bad, struct pstk_spectrum *s)
{
	double *power = malloc(size * sizeof *power), *expected = malloc(size * sizeof *expected), most = 0;
	int64_t segments = expect(expected, size, x, bad);

	for (size_t k = 0; k < size; k++)
		most = fmax(most, expected[k]);
	memset(power, 0xff, size * sizeof *power);
	ck_assert_int_eq(pstk_spectrum_get(s, power), segments);
	for (size_t k = 0; k < size; k++)
		if (!(fabs(power[k] - expected[k]) <= 1e-6 * most))
			ck_abort_msg("size %zu, bin %zu: %g, expected %g", size, k, power[k], expected[k]);
	free(power);
	free(expected);
}

/* Noise and a line; a signal of any length in pieces of any size. */
START_TEST(agrees_with_definition)
{
	static const size_t pieces[] = { 1, 7, 8, 100, 5000 };
	struct test_rng rng = { test_seed() };

	for (size_t size = LEAST; size <= (TEST_SANITIZED ? 4096 : MOST); size *= 2)
		for (size_t p = 0; p < TEST_COUNT(pieces); p++) {
			struct signal x =
				signal_new(size / 2 * test_between(&rng, 1, 6) + test_between(&rng, 0, 9));
			struct pstk_spectrum *s = spectrum_new(size);
			double line = test_uniform(&rng);

			test_guard("a size", size);
			for (size_t i = 0; i < x.n; i++) {
				x.re[i] = (float)(0.3 * cos(line * (double)i) + 0.2 * test_uniform(&rng));
				x.im[i] = (float)(0.3 * sin(line * (double)i) + 0.1 * test_uniform(&rng));
			}
			add_in_pieces(s, &x, pieces[p], &rng);
			check_signal(&x, size, SIZE_MAX, s);
			pstk_spectrum_destroy(s);
			signal_free(&x);
		}
}
END_TEST

/* A line in the middle of a bin: two thirds of its power there, a sixth in each neighbour. */
START_TEST(lines)
{
	enum { SIZE = 64 };
	struct signal x = signal_new(4 * SIZE);

	for (int bin = -SIZE / 2; bin < SIZE / 2; bin++) {
		struct pstk_spectrum *s = spectrum_new(SIZE);
		double power[SIZE], sum = 0, size = 0.7;

		for (size_t i = 0; i < x.n; i++) {
			x.re[i] = (float)(size * cos(2 * pi * bin * (double)i / SIZE));
			x.im[i] = (float)(size * sin(2 * pi * bin * (double)i / SIZE));
		}
		ck_assert_int_eq(pstk_spectrum_add(s, x.re, x.im, x.n), 0);
		ck_assert_int_eq(pstk_spectrum_get(s, power), 7);
		for (int k = 0; k < SIZE; k++) {
			int apart = abs(k - SIZE / 2 - bin);
			int distance =
				apart < SIZE / 2 ? apart : SIZE - apart; /* the ends are neighbours, too */
			double share = distance == 0 ? 2 / 3. : distance == 1 ? 1 / 6. : 0;

			ck_assert_double_eq_tol(power[k], share * size * size, 1e-6);
			sum += power[k];
		}
		ck_assert_double_eq_tol(sum, size * size, 1e-6);
		pstk_spectrum_destroy(s);
	}
	signal_free(&x);
}
END_TEST

/* Flat, its mean square in all; independent parts and a constant at 0 Hz. */
START_TEST(white_noise)
{
	enum { SIZE = 256, SEGMENTS = 2000 };
	struct test_rng rng = { test_seed() };
	struct signal x = signal_new(SIZE * SEGMENTS);
	struct pstk_spectrum *s = spectrum_new(SIZE);
	double power[SIZE], noise = 0.3 * 0.3 / 3 + 0.4 * 0.4 / 3, dc = 0.5 * 0.5 + 0.25 * 0.25, sum = 0;

	for (size_t i = 0; i < x.n; i++) {
		x.re[i] = (float)(0.5 + 0.3 * test_uniform(&rng));
		x.im[i] = (float)(-0.25 + 0.4 * test_uniform(&rng));
	}
	ck_assert_int_eq(pstk_spectrum_add(s, x.re, x.im, x.n), 0);
	ck_assert_int_eq(pstk_spectrum_get(s, power), 2 * SEGMENTS - 1);
	for (int k = 0; k < SIZE; k++) {
		sum += power[k];
		if (abs(k - SIZE / 2) > 1) /* the deviation of a bin is about 1/45 */
			ck_assert_double_eq_tol(power[k] * SIZE / noise, 1, 0.15);
	}
	ck_assert_double_eq_tol(power[SIZE / 2], dc * 2 / 3, 0.005);
	ck_assert_double_eq_tol(sum, noise + dc, 0.005);
	pstk_spectrum_destroy(s);
	signal_free(&x);
}
END_TEST

/* Segments with such a sample are left out, the others are not. */
START_TEST(not_finite)
{
	enum { SIZE = 32, LENGTH = 5 * SIZE };
	static const float bad[] = { NAN, -NAN, INFINITY, -INFINITY };
	struct test_rng rng = { test_seed() };
	struct signal x = signal_new(LENGTH);

	for (size_t at = 0; at < LENGTH; at++)
		for (size_t b = 0; b < TEST_COUNT(bad); b++) {
			struct pstk_spectrum *s = spectrum_new(SIZE);

			(at % 2 ? x.re : x.im)[at] = bad[b];
			add_in_pieces(s, &x, 50, &rng);
			check_signal(&x, SIZE, at, s);
			pstk_spectrum_destroy(s);
			x.re[at] = (float)test_uniform(&rng);
			x.im[at] = (float)test_uniform(&rng);
		}
	signal_free(&x);
}
END_TEST

/* No float can hold the sums of the largest ones. */
START_TEST(large_samples)
{
	enum { SIZE = 64 };
	static const float sizes[] = { 1e-18f, 1e18f, 1e33f, FLT_MAX };

	for (size_t z = 0; z < TEST_COUNT(sizes); z++) {
		struct signal x = signal_new(SIZE + SIZE / 2);
		struct pstk_spectrum *s = spectrum_new(SIZE);
		double power[SIZE];

		for (size_t i = 0; i < x.n; i++)
			x.re[i] = x.im[i] = sizes[z];
		ck_assert_int_eq(pstk_spectrum_add(s, x.re, x.im, x.n), 0);
		if (sizes[z] < FLT_MAX)
			check_signal(&x, SIZE, SIZE_MAX, s);
		else
			ck_assert_int_eq(pstk_spectrum_get(s, power), 0);
		pstk_spectrum_destroy(s);
		signal_free(&x);
	}
}
END_TEST

START_TEST(too_few_samples)
{
	static float samples[MOST];
	static double power[MOST];

	for (size_t size = LEAST; size <= MOST; size *= 2) {
		struct pstk_spectrum *s = spectrum_new(size);

		samples[3] = 1;
		memset(power, 0xff, sizeof power);
		ck_assert_int_eq(pstk_spectrum_get(s, power), 0);
		ck_assert_int_eq(pstk_spectrum_add(s, samples, samples, size - 1), 0);
		ck_assert_int_eq(pstk_spectrum_get(s, power), 0);
		for (size_t k = 0; k < size; k++)
			ck_assert(power[k] == 0);
		ck_assert(size == MOST || isnan(power[size]));
		ck_assert_int_eq(pstk_spectrum_add(s, samples, samples, 1), 0);
		ck_assert_int_eq(pstk_spectrum_get(s, power), 1);
		ck_assert(power[0] > 0);
		pstk_spectrum_destroy(s);
	}
}
END_TEST

START_TEST(misuse)
{
	struct pstk_spectrum *s = spectrum_new(16);
	float x = 0;
	double power[16];

	ck_assert_int_eq(pstk_spectrum_add(NULL, &x, &x, 1), -EINVAL);
	ck_assert_int_eq(pstk_spectrum_add(s, NULL, &x, 1), -EINVAL);
	ck_assert_int_eq(pstk_spectrum_add(s, &x, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_spectrum_get(NULL, power), -EINVAL);
	ck_assert_int_eq(pstk_spectrum_get(s, NULL), -EINVAL);
	pstk_spectrum_destroy(s);
}
END_TEST

START_TEST(no_memory)
{
	struct pstk_spectrum *s;
	int failed = 0;

	for (int err = -ENOMEM; err; failed++) {
		s = (struct pstk_spectrum *)(void *)&not_null;
		test_fail_allocation((unsigned)failed + 1);
		err = pstk_spectrum_create(&s, 1024);
		test_fail_allocation(0);
		ck_assert(err == -ENOMEM ? !s : !err && s);
	}
	ck_assert_int_eq(failed, 3); /* two allocations, and the round in which both succeed */
	pstk_spectrum_destroy(s);
}
END_TEST

/* The source of a network: the signal's two parts, and where it is. */
struct feed {
	struct signal x;
	size_t at;
};

static int feed_fire(struct pstk_firing *f)
{
	struct feed *feed = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0);
	size_t n = feed->x.n - feed->at < rate ? feed->x.n - feed->at : rate;
	float *re = pstk_fifo_write_start(f, 0), *im = pstk_fifo_write_start(f, 1);

	memcpy(re, feed->x.re + feed->at, n * sizeof *re);
	memcpy(im, feed->x.im + feed->at, n * sizeof *im);
	feed->at += n;
	pstk_fifo_write_end_partial(f, 0, (uint32_t)n);
	pstk_fifo_write_end_partial(f, 1, (uint32_t)n);
	return feed->at < feed->x.n ? PSTK_AGAIN : PSTK_DONE;
}

static int count_fire(struct pstk_firing *f)
{
	uint64_t *count = pstk_actor_arg(pstk_firing_actor(f));

	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_start(f, 1);
	*count += pstk_port_valid(f, 0);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	return PSTK_AGAIN;
}

static const struct pstk_port feed_ports[] = {
	{ .name = "re", .kind = PSTK_OUTPUT },
	{ .name = "im", .kind = PSTK_OUTPUT },
}, count_ports[] = {
	{ .name = "re", .kind = PSTK_INPUT },
	{ .name = "im", .kind = PSTK_INPUT },
};

static void connect_both(struct pstk_actor *src, struct pstk_actor *dst, uint32_t rate)
{
	pstk_connect(src, "re", dst, "re", PSTK_FIFO(.rate = rate, .token_size = sizeof(float)));
	pstk_connect(src, "im", dst, "im", PSTK_FIFO(.rate = rate, .token_size = sizeof(float)));
}

/* Runs the signal through a spectrum and beside it another sink. */
static void run_network(struct feed *feed, struct pstk_spectrum *s, uint32_t rate)
{
	struct pstk_network *net = pstk_network_create("spectrum");
	uint64_t counted = 0;
	struct pstk_actor *source = pstk_network_add(net, "feed",
		PSTK_ACTOR_TYPE(.name = "feed", .ports = feed_ports, .port_count = 2, .fire = feed_fire),
		feed);
	struct pstk_actor *sink = pstk_network_add(net, "count",
		PSTK_ACTOR_TYPE(.name = "count", .ports = count_ports, .port_count = 2, .fire = count_fire),
		&counted);

	connect_both(source, sink, rate);
	connect_both(source, pstk_network_add(net, "spectrum", pstk_spectrum_type(), s), rate);
	ck_assert_msg(pstk_network_start(net) == 0, "%s", pstk_network_error(net));
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(counted, feed->x.n);
	pstk_network_destroy(net);
}

/* The actor gives to the bit what pstk_spectrum_add() does, whatever the window is; networks one by one. */
START_TEST(in_a_network)
{
	enum { SIZE = 256 };
	static const uint32_t rates[] = { 1, 100, 255, 256, 1000, 4097, 20000 };
	struct test_rng rng = { test_seed() };
	struct feed feed = { signal_new(12345), 0 };
	struct pstk_spectrum *whole = spectrum_new(SIZE), *twice = spectrum_new(SIZE);
	double expected[SIZE], power[SIZE];

	for (size_t i = 0; i < feed.x.n; i++) {
		feed.x.re[i] = (float)test_uniform(&rng);
		feed.x.im[i] = (float)test_uniform(&rng);
	}
	pstk_spectrum_add(whole, feed.x.re, feed.x.im, feed.x.n);
	ck_assert_int_eq(pstk_spectrum_get(whole, expected), (12345 - SIZE) / (SIZE / 2) + 1);
	for (size_t r = 0; r < TEST_COUNT(rates); r++) {
		struct pstk_spectrum *s = spectrum_new(SIZE);

		test_guard("rate", rates[r]);
		feed.at = 0;
		run_network(&feed, s, rates[r]);
		ck_assert_int_eq(pstk_spectrum_get(s, power), pstk_spectrum_get(whole, expected));
		ck_assert(!memcmp(power, expected, sizeof power));
		pstk_spectrum_destroy(s);
	}
	for (int i = 0; i < 2; i++) {
		feed.at = 0;
		run_network(&feed, twice, 500);
		pstk_spectrum_add(whole, feed.x.re, feed.x.im, i ? 0 : feed.x.n);
	}
	ck_assert_int_eq(pstk_spectrum_get(twice, power), pstk_spectrum_get(whole, expected));
	ck_assert(!memcmp(power, expected, sizeof power));
	pstk_spectrum_destroy(whole);
	pstk_spectrum_destroy(twice);
	signal_free(&feed.x);
}
END_TEST

/* Starts a network of one or two spectra whose `im` has this FIFO, and gives the error. */
static int start_refused(
	struct pstk_spectrum *s, const struct pstk_fifo_spec *im, unsigned actors, char *error)
{
	static const char *const names[] = { "first", "second" };
	struct pstk_network *net = pstk_network_create("refused");
	struct feed feed = { signal_new(0), 0 };
	struct pstk_actor *source = pstk_network_add(net, "feed",
		PSTK_ACTOR_TYPE(.name = "feed", .ports = feed_ports, .port_count = 2, .fire = feed_fire),
		&feed);
	int err;

	for (unsigned i = 0; i < actors; i++) {
		struct pstk_actor *a = pstk_network_add(net, names[i], pstk_spectrum_type(), s);

		pstk_connect(source, "re", a, "re", PSTK_FIFO(.rate = 8, .token_size = sizeof(float)));
		pstk_connect(source, "im", a, "im", im);
	}
	err = pstk_network_start(net);
	snprintf(error, PSTK_IQ_ERROR_SIZE, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	signal_free(&feed.x);
	return err;
}

START_TEST(refused_starts)
{
	struct pstk_spectrum *s = spectrum_new(64);
	char error[PSTK_IQ_ERROR_SIZE];

	for (int round = 0; round < 2; round++) { /* a start that fails leaves the spectrum as it was */
		ck_assert_int_eq(
			start_refused(NULL, PSTK_FIFO(.rate = 8, .token_size = 4), 1, error), -EINVAL);
		TEST_SAYS(error, "'first'", "arg is NULL", "pstk_spectrum_create()");
		ck_assert_int_eq(start_refused(s, PSTK_FIFO(.rate = 8, .token_size = 8), 1, error), -EINVAL);
		TEST_SAYS(error, "token size is 8, but 'first'.im has tokens of 4 bytes: give it 4");
		ck_assert_int_eq(start_refused(s, PSTK_FIFO(.rate = 9, .token_size = 4), 1, error), -EINVAL);
		TEST_SAYS(error, "'first'", "port 'im' moves 1 token a step", "'re'", "gives it 8",
			"gives it 9: give it 8");
		ck_assert_int_eq(start_refused(s, PSTK_FIFO(.rate = 8, .token_size = 4), 2, error), -EBUSY);
		TEST_SAYS(error, "'second'", "another actor", "its own");
	}
	pstk_spectrum_destroy(s);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, agrees_with_definition);
	tcase_add_test(tcase, lines);
	tcase_add_test(tcase, white_noise);
	tcase_add_test(tcase, not_finite);
	tcase_add_test(tcase, large_samples);
	tcase_add_test(tcase, too_few_samples);
	tcase_add_test(tcase, misuse);
	tcase_add_test(tcase, no_memory);
	tcase_add_test(tcase, in_a_network);
	tcase_add_test(tcase, refused_starts);
}

#else

START_TEST(unsupported)
{
	struct pstk_spectrum *s = (struct pstk_spectrum *)(void *)&not_null;

	ck_assert_int_eq(pstk_spectrum_create(&s, 1024), -ENOTSUP);
	ck_assert_ptr_null(s);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, unsupported);
}

#endif

int main(void)
{
	Suite *suite = suite_create("spectrum");
	TCase *tcase = test_case(suite, "spectrum");

	tcase_add_test(tcase, refused_sizes);
	add_tests(tcase);
	return test_main(suite);
}
