/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/vivid/coefficients.h"
#include "actors/common/message.h"
#include "apps/common/app.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 4 }; /* bytes */

static float decode(const unsigned char bytes[NUMBER])
{
	uint32_t word =
		bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	float number;

	memcpy(&number, &word, sizeof number);
	return number;
}

/* What is read of a file; more than is wanted is not kept. */
struct reading {
	const char *option, *path, *sets;
	size_t count, each;
	FILE *file;
};

static int wrong_length(const struct reading *r, uint64_t bytes)
{
	return app_fail(EXIT_USAGE,
		"--%s: %s has %s%llu byte%s, but %zu %s of %zu numbers, 4 bytes each, have %zu", r->option,
		r->path, bytes > r->count * r->each * NUMBER ? "more, " : "", (unsigned long long)bytes,
		ps_plural(bytes), r->count, r->sets, r->each, r->count * r->each * NUMBER);
}

/* The rest of it, to say how long it is. A device may have no end. */
static uint64_t count_rest(FILE *file)
{
	enum { MOST = 1 << 26 };
	uint64_t n = 0;

	while (n < MOST && fgetc(file) != EOF)
		n++;
	return n;
}

static int read_numbers(const struct reading *r, float *to)
{
	unsigned char bytes[NUMBER];
	size_t got;

	for (size_t i = 0; i < r->count * r->each; i++) {
		got = fread(bytes, 1, NUMBER, r->file);
		if (ferror(r->file))
			return app_fail(EXIT_USAGE, "--%s: %s: %s", r->option, r->path, strerror(errno));
		if (got < NUMBER)
			return wrong_length(r, i * NUMBER + got);
		to[i] = decode(bytes);
		if (!isfinite(to[i]))
			return app_fail(EXIT_USAGE, "--%s: %s: number %zu of %zu is %g: they are finite",
				r->option, r->path, i, r->count * r->each, (double)to[i]);
	}
	if (fgetc(r->file) == EOF)
		return 0;
	return wrong_length(r, r->count * r->each * NUMBER + 1 + count_rest(r->file));
}

/* NULL: said. */
static float *make_room(size_t numbers, int *status)
{
	float *to = calloc(numbers, sizeof *to);

	*status = to ? 0 : app_out_of_memory();
	return to;
}

int coefficients_read(
	const char *option, const char *path, const char *sets, size_t count, size_t each, float **to)
{
	struct reading r = { option, path, sets, count, each, fopen(path, "rbe") };
	int status;

	*to = NULL;
	if (!r.file)
		return app_fail(EXIT_USAGE, "--%s: %s: %s", option, path, strerror(errno));
	*to = make_room(count * each, &status);
	if (!status)
		status = read_numbers(&r, *to);
	fclose(r.file);
	if (status) {
		free(*to);
		*to = NULL;
	}
	return status;
}

/* u */
static double next(uint32_t *x)
{
	*x = 1664525 * *x + 1013904223;
	return (*x >> 8) / 16777216.0;
}

static void make_filter(float *to, uint32_t *x)
{
	double u[COEFFICIENTS_TAPS], mean = 0, squares = 0;

	for (int i = 0; i < COEFFICIENTS_TAPS; i++) {
		u[i] = next(x) - 0.5;
		mean += u[i] / COEFFICIENTS_TAPS;
	}
	for (int i = 0; i < COEFFICIENTS_TAPS; i++) {
		u[i] -= mean;
		squares += u[i] * u[i];
	}
	for (int i = 0; i < COEFFICIENTS_TAPS; i++)
		to[i] = (float)(u[i] / sqrt(squares));
}

int coefficients_make_filters(size_t count, float **to)
{
	uint32_t x = 12345;
	int status;

	*to = make_room(count * COEFFICIENTS_TAPS, &status);
	for (size_t i = 0; i < count && !status; i++)
		make_filter(*to + i * COEFFICIENTS_TAPS, &x);
	return status;
}

int coefficients_make_classifier(size_t rows, size_t filters, float **to)
{
	uint32_t x = 777;
	int status;

	*to = make_room(rows * filters, &status);
	for (size_t i = 0; i < rows * filters && !status; i++)
		(*to)[i] = (float)(200 * next(&x));
	return status;
}
