/* SPDX-License-Identifier: MIT */
/*
 * Makes coefficients_built_in.h: the predistorter of ten branches and ten taps that suits the transmitter of
 * transmitter.c on the generated signal. Indirect learning (C. Eun, E. Powers, "A New Volterra Predistorter
 * Based on the Indirect Learning Architecture", IEEE Trans. Signal Processing 45 (1), 1997): what turns the
 * transmitter's output into its input, found by least squares, is used before the transmitter.
 *
 *	make apps/predistortion/fit && apps/predistortion/fit | clang-format >.../coefficients_built_in.h
 */
#include "config.h"

#include "apps/predistortion/transmitter.h"

#include <math.h>
#include <penstock/iq.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SAMPLES = 1 << 16,
	ORDERS = 5,
	BRANCHES = 2 * ORDERS,
	TAPS = 10,
	TERMS = BRANCHES * TAPS + 1, /* and the constant */
	LOUDNESSES = 3
};

/* Against coefficients that only suit this signal's noise; relative to each term's power. */
#define RIDGE 1e-5

typedef double complex row[TERMS];

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory) {
		fputs("fit: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static void generate(double complex *x)
{
	char error[PSTK_IQ_ERROR_SIZE];
	struct pstk_iq_input *input;
	float *re = allocate(SAMPLES * sizeof(*re)), *im = allocate(SAMPLES * sizeof(*im));

	if (pstk_iq_input_open(&input, PSTK_IQ_INPUT(.seed = 1), error, sizeof(error))) {
		fprintf(stderr, "fit: %s\n", error);
		exit(1);
	}
	pstk_iq_input_read(input, re, im, SAMPLES);
	pstk_iq_input_close(input);
	/* at three loudnesses, so that it is also right where the signal rarely is */
	for (size_t n = 0; n < SAMPLES; n++)
		x[n] = (re[n] + I * (double)im[n]) * (0.5 + 0.5 * (double)(n * LOUDNESSES / SAMPLES));
	free(re);
	free(im);
}

static void transmit(double complex *out, const double complex *in)
{
	struct transmitter transmitter = { 0 };

	for (size_t n = 0; n < SAMPLES; n++)
		out[n] = transmitter_next(&transmitter, in[n]);
}

/* The terms that sample n of the output is a sum of. */
static void terms(double complex *term, const double complex *x, size_t n)
{
	for (size_t k = 0; k < TAPS; k++) {
		double complex s = n >= k ? x[n - k] : 0;
		double power = creal(s) * creal(s) + cimag(s) * cimag(s), factor = 1;

		for (size_t b = 0; b < ORDERS; b++, factor *= power) {
			term[b * TAPS + k] = s * factor;
			term[(ORDERS + b) * TAPS + k] = conj(s) * factor;
		}
	}
	term[TERMS - 1] = 1;
}

static void predistort(double complex *out, const double complex *x, const double complex *coefficient)
{
	row term;

	for (size_t n = 0; n < SAMPLES; n++) {
		terms(term, x, n);
		out[n] = 0;
		for (size_t i = 0; i < TERMS; i++)
			out[n] += coefficient[i] * term[i];
	}
}

/* matrix = L L^H, in place, in its lower half. */
static void factorise(row *matrix)
{
	for (size_t j = 0; j < TERMS; j++) {
		for (size_t k = 0; k < j; k++)
			matrix[j][j] -= matrix[j][k] * conj(matrix[j][k]);
		matrix[j][j] = sqrt(creal(matrix[j][j]));
		for (size_t i = j + 1; i < TERMS; i++) {
			for (size_t k = 0; k < j; k++)
				matrix[i][j] -= matrix[i][k] * conj(matrix[j][k]);
			matrix[i][j] /= matrix[j][j];
		}
	}
}

static void solve(row *matrix, double complex *b)
{
	factorise(matrix);
	for (size_t i = 0; i < TERMS; i++) {
		for (size_t k = 0; k < i; k++)
			b[i] -= matrix[i][k] * b[k];
		b[i] /= matrix[i][i];
	}
	for (size_t i = TERMS; i-- > 0;) {
		for (size_t k = i + 1; k < TERMS; k++)
			b[i] -= conj(matrix[k][i]) * b[k];
		b[i] /= matrix[i][i];
	}
}

/* Least squares: the coefficients that make `wanted` of x. */
static void fit(double complex *coefficient, const double complex *x, const double complex *wanted)
{
	row *matrix = allocate(TERMS * sizeof(*matrix)), term;
	double scale[TERMS];

	for (size_t i = 0; i < TERMS; i++)
		coefficient[i] = 0;
	for (size_t n = TAPS; n < SAMPLES; n++) {
		terms(term, x, n);
		for (size_t i = 0; i < TERMS; i++) {
			coefficient[i] += conj(term[i]) * wanted[n];
			for (size_t k = 0; k <= i; k++)
				matrix[i][k] += conj(term[i]) * term[k];
		}
	}
	/* terms of order 9 are a millionth of the linear ones: all are made equally strong */
	for (size_t i = 0; i < TERMS; i++)
		scale[i] = sqrt(creal(matrix[i][i]));
	for (size_t i = 0; i < TERMS; i++) {
		coefficient[i] /= scale[i];
		for (size_t k = 0; k <= i; k++)
			matrix[i][k] /= scale[i] * scale[k];
		matrix[i][i] += RIDGE;
	}
	solve(matrix, coefficient);
	for (size_t i = 0; i < TERMS; i++)
		coefficient[i] /= scale[i];
	free(matrix);
}

/* dB of what is transmitted beside gain * x. */
static double error_db(const double complex *y, const double complex *x)
{
	double wrong = 0, right = 0;

	for (size_t n = TAPS; n < SAMPLES; n++) {
		double complex want = transmitter_gain() * x[n], d = y[n] - want;

		wrong += creal(d * conj(d));
		right += creal(want * conj(want));
	}
	return 10 * log10(wrong / right);
}

static void print_pair(double complex value)
{
	printf("{ %.9gF, %.9gF }", creal(value), cimag(value));
}

static void print(const double complex *coefficient)
{
	puts("/* SPDX-License-Identifier: MIT */\n/* Made by fit.c. */\n"
	     "#ifndef PREDISTORTION_COEFFICIENTS_BUILT_IN_H\n#define "
	     "PREDISTORTION_COEFFICIENTS_BUILT_IN_H\n");
	puts("/* Of the branches x, x |x|^2, .. x |x|^8, then conj(x), .. conj(x) |x|^8. */");
	printf("static const struct pstk_cf32 built_in_taps[%d][%d] = {\n", BRANCHES, TAPS);
	for (size_t i = 0; i < TERMS - 1; i++) {
		printf(i % TAPS ? ", " : "\t{ ");
		print_pair(coefficient[i]);
		if ((i + 1) % TAPS == 0)
			puts(" },");
	}
	printf("};\nstatic const struct pstk_cf32 built_in_lo = ");
	print_pair(coefficient[TERMS - 1]);
	puts(";\n\n#endif");
}

int main(void)
{
	double complex *x = allocate(SAMPLES * sizeof(*x)), *z = allocate(SAMPLES * sizeof(*z)),
		       *y = allocate(SAMPLES * sizeof(*y));
	row coefficient;

	generate(x);
	transmit(y, x);
	fprintf(stderr, "error without predistortion: %.1f dB\n", error_db(y, x));
	for (size_t n = 0; n < SAMPLES; n++)
		y[n] /= transmitter_gain();
	fit(coefficient, y, x);
	predistort(z, x, coefficient);
	transmit(y, z);
	fprintf(stderr, "with: %.1f dB\n", error_db(y, x));
	print(coefficient);
	free(x);
	free(z);
	free(y);
	return 0;
}
