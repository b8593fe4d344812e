/* SPDX-License-Identifier: MIT */
#define main predistortion_main
int main(int argc, char **argv);
#include "apps/predistortion/predistortion.c"
#undef main

#include "apps/predistortion/check_inside.h"
#include "actors/common/check_files.h"
#include "tests/common/common.h"

#include <stdlib.h>
#include <string.h>

const char *inside_text(size_t number)
{
	static char texts[8][24];
	static unsigned next;
	char *here = texts[next++ % 8];

	snprintf(here, sizeof(texts[0]), "%zu", number);
	return here;
}

int inside_run(const char *const *arguments, char *out, char *err, size_t size)
{
	static const struct main_program program = { "predistortion", predistortion_main };

	return main_run(&program, arguments, out, err, size);
}

void inside_write_sets(const char *path, const uint32_t *sets, size_t count, unsigned branches)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < count; i++) {
		for (unsigned b = 0; b < branches; b++)
			fputc(sets[i] >> b & 1 ? '1' : '0', file);
		fputc('\n', file);
	}
	ck_assert_int_eq(fclose(file), 0);
}

static size_t period_of(const struct setup *setup)
{
	size_t block = setup->block ? strtoul(setup->block, NULL, 10) : 32768;
	size_t window = block * (setup->rate ? strtoul(setup->rate, NULL, 10) : 1);

	return setup->period ? setup->period : (65536 + window - 1) / window * window;
}

static unsigned add(const char **arguments, unsigned n, const char *option, const char *value)
{
	if (!value)
		return n;
	arguments[n] = option;
	arguments[n + 1] = value;
	return n + 2;
}

static unsigned make_arguments(const struct setup *setup, const char **arguments)
{
	unsigned n = add(arguments, 0, "--input", "in.cf32");

	n = add(arguments, n, "--output", "out.cf32");
	n = add(arguments, n, "--coefficients", setup->coefficients_file);
	n = add(arguments, n, "--active", setup->active);
	n = add(arguments, n, "--period", setup->period ? inside_text(setup->period) : NULL);
	n = add(arguments, n, "--block", setup->block);
	n = add(arguments, n, "--rate", setup->rate);
	n = add(arguments, n, "--depth", setup->depth);
	n = add(arguments, n, "--team", setup->team);
	return add(arguments, n, "--device", setup->device);
}

void inside_expect(const struct setup *setup, const float *in, size_t n)
{
	const char *arguments[32] = { NULL }, *memory = getenv("PENSTOCK_MEMORY");
	char err[4096], what[512];
	double *expected = calloc(2 * n + 2, sizeof(*expected));
	unsigned count = make_arguments(setup, arguments);
	float *got;
	size_t size, length = 0;
	int status;

	ck_assert_ptr_nonnull(expected);
	what[0] = '\0';
	for (unsigned i = 4; i < count; i++)
		length += (size_t)snprintf(what + length, sizeof(what) - length, "%s ", arguments[i]);
	ck_assert_uint_lt(length, sizeof(what));
	snprintf(what + length, sizeof(what) - length, "(%zu samples, PENSTOCK_MEMORY=%s)", n,
		memory ? memory : "");
	test_guard(what, test_seed());
	model_run(setup->coefficients, setup->sets, setup->count, period_of(setup), in, n, expected);
	files_write("in.cf32", in, n * 8);
	remove("out.cf32");
	status = inside_run(arguments, NULL, err, sizeof(err));
	ck_assert_msg(status == 0, "%s: status %d: %s", what, status, err);
	got = (float *)(void *)files_read("out.cf32", &size);
	ck_assert_msg(size == n * 8, "%s: %zu bytes instead of %zu", what, size, n * 8);
	model_expect(got, expected, n, what);
	free(got);
	free(expected);
}
