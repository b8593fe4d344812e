/* SPDX-License-Identifier: MIT */
/*
 * SRAD on a driver whose device has its own memory, with kernels that are C functions: what its host code enqueues, for
 * pictures of several sizes, and what it does when a call fails.
 */
#include "actors/common/check_staged.h"
#include "actors/srad/check_lines.h"
#include "actors/srad/diffusion.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct fake_cl *fake;

static cl_uint number(const struct fake_cl_launch *l, unsigned index)
{
	return *(const cl_uint *)l->arg[index];
}

/* A picture in a window of tokens, of so many bytes a pixel. width: which argument. */
struct view {
	struct pstk_frame_size size;
	void *data;
	size_t w, h;
};

static struct view view_at(
	const struct fake_cl_launch *l, unsigned index, size_t bytes, unsigned width, size_t token)
{
	size_t pixels = (size_t)number(l, width) * number(l, width + 1);
	char *at = (char *)l->arg[index] +
	           token * pstk_sized_bytes(bytes ? bytes * pixels : sizeof(struct ps_srad_stats));
	struct pstk_frame_size size = pstk_sized_get(at);

	return (struct view){ size, at + PSTK_SIZED_HEAD, size.width, size.height };
}

/* The output gets the size of the input. */
static struct view out_at(const struct fake_cl_launch *l, unsigned index, size_t bytes, unsigned width,
	size_t token, const struct view *in)
{
	struct view out = view_at(l, index, bytes, width, token);

	pstk_sized_set((char *)out.data - PSTK_SIZED_HEAD, in->size.width, in->size.height);
	return out;
}

static void run_extract(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view in = view_at(l, 0, 1, 3, k), out = out_at(l, 1, 4, 3, k, &in);

		ps_srad_extract_row(out.data, in.data, in.w * in.h, l->arg[2]);
	}
}

static void run_square(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view in = view_at(l, 0, 4, 2, k), out = out_at(l, 1, 4, 2, k, &in);

		ps_srad_square_row(out.data, in.data, in.w * in.h);
	}
}

static void run_compress(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view in = view_at(l, 0, 4, 2, k), out = out_at(l, 1, 1, 2, k, &in);

		ps_srad_compress_row(out.data, in.data, in.w * in.h);
	}
}

/* In bands of rows, as C does it: so the result is that of C, bit for bit. */
static void sum_bands(struct ps_srad_sums *to, const float *values, const float *squares, size_t w, size_t h)
{
	for (size_t band = 0; band < PS_SRAD_BANDS; band++) {
		struct ps_srad_sums sums = { 0, 0 };

		for (size_t y = ps_srad_band(band, h); y < ps_srad_band(band + 1, h); y++)
			ps_srad_sum_row(&sums, values + y * w, squares ? squares + y * w : NULL, w);
		to->values += sums.values;
		to->squares += sums.squares;
	}
}

static void run_sums(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view values = view_at(l, 0, 4, 3, k), squares = view_at(l, 1, 4, 3, k);
		struct ps_srad_sums sums = { 0, 0 };

		sum_bands(&sums, values.data, squares.data, values.w, values.h);
		memcpy((char *)l->arg[2] + k * l->global[0] * l->global[1] * 16, &sums, sizeof sums);
	}
}

static struct ps_srad_stats stats_of(const void *sums, const struct view *v)
{
	struct ps_srad_sums copy;

	memcpy(&copy, sums, sizeof copy);
	return ps_srad_stats(&copy, (uint64_t)v->w * v->h);
}

static void run_total(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view in = view_at(l, 0, 4, 3, k), out = out_at(l, 2, 0, 3, k, &in);
		struct ps_srad_stats stats = stats_of((char *)l->arg[1] + k * number(l, 5) * 16, &in);

		memcpy(out.data, &stats, sizeof stats);
	}
}

static void make_coefficients(
	float *to, const float *j, size_t w, size_t h, const struct ps_srad_stats *stats)
{
	for (size_t y = 0; y < h; y++)
		ps_srad_coefficient_row(to + y * w, j + (y ? y - 1 : y) * w, j + y * w,
			j + (y + 1 < h ? y + 1 : y) * w, w, stats);
}

static void make_step(float *to, const float *j, const float *c, size_t w, size_t h, float rate)
{
	for (size_t y = 0; y < h; y++) {
		size_t below = y + 1 < h ? y + 1 : y;

		ps_srad_step_row(to + y * w, j + (y ? y - 1 : y) * w, j + y * w, j + below * w, c + y * w,
			c + below * w, w, rate);
	}
}

static void run_coefficients(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view in = view_at(l, 0, 4, 3, k), stats = view_at(l, 1, 0, 3, k),
			    out = out_at(l, 2, 4, 3, k, &in);

		make_coefficients(out.data, in.data, in.w, in.h, stats.data);
	}
}

static void run_smooth(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view in = view_at(l, 0, 4, 3, k), c = view_at(l, 1, 4, 3, k),
			    out = out_at(l, 2, 4, 3, k, &in);

		make_step(out.data, in.data, c.data, in.w, in.h, *(const float *)l->arg[5]);
	}
}

static void run_begin(const struct fake_cl_launch *l)
{
	struct view in = view_at(l, 0, 4, 2, number(l, 4));
	struct ps_srad_sums sums = { 0, 0 };

	sum_bands(&sums, in.data, NULL, in.w, in.h);
	memcpy(l->arg[1], &sums, sizeof sums);
}

static void run_diffuse(const struct fake_cl_launch *l)
{
	struct view in = view_at(l, 0, 4, 5, number(l, 7));
	struct ps_srad_stats stats = stats_of(l->arg[3], &in);

	make_coefficients(l->arg[4], (float *)l->arg[1] + *(const cl_ulong *)l->arg[2], in.w, in.h, &stats);
}

static void run_advance(const struct fake_cl_launch *l)
{
	struct view in = view_at(l, 0, 4, 7, number(l, 9));
	float *to = (float *)l->arg[4] + *(const cl_ulong *)l->arg[5];
	struct ps_srad_sums sums = { 0, 0 };

	make_step(to, (float *)l->arg[1] + *(const cl_ulong *)l->arg[2], l->arg[3], in.w, in.h,
		*(const float *)l->arg[10]);
	if (number(l, 11))
		pstk_sized_set(to - PSTK_SIZED_HEAD / sizeof *to, in.size.width, in.size.height);
	sum_bands(&sums, to, NULL, in.w, in.h);
	memcpy(l->arg[6], &sums, sizeof sums);
}

#define MAP_IN FAKE_CL_IN("in", "float")
#define MAP_OUT FAKE_CL_OUT("out", "float")
#define UINT FAKE_CL_VALUE("n", "uint", 4)
#define ULONG FAKE_CL_VALUE("n", "ulong", 8)
#define FLOAT FAKE_CL_VALUE("rate", "float", 4)

static const struct fake_cl_arg extract_args[] = { FAKE_CL_IN("in", "uchar"), MAP_OUT, MAP_IN, UINT, UINT },
				square_args[] = { MAP_IN, MAP_OUT, UINT, UINT },
				sums_args[] = { MAP_IN, MAP_IN, MAP_OUT, UINT, UINT },
				total_args[] = { MAP_IN, MAP_IN, MAP_OUT, UINT, UINT, UINT },
				smooth_args[] = { MAP_IN, MAP_IN, MAP_OUT, UINT, UINT, FLOAT },
				compress_args[] = { MAP_IN, FAKE_CL_OUT("out", "uchar"), UINT, UINT },
				begin_args[] = { MAP_IN, MAP_OUT, UINT, UINT, UINT },
				diffuse_args[] = { MAP_IN, MAP_IN, ULONG, MAP_IN, MAP_OUT, UINT, UINT, UINT,
					UINT },
				advance_args[] = { MAP_IN, MAP_IN, ULONG, MAP_IN, MAP_OUT, ULONG, MAP_OUT,
					UINT, UINT, UINT, FLOAT, UINT };

#define KERNEL(its_name, its_args)                                                                    \
	{                                                                                             \
		.name = #its_name, .args = its_args##_args, .arg_count = TEST_COUNT(its_args##_args), \
		.run = run_##its_name                                                                 \
	}
static const struct fake_cl_kernel kernels[] = { KERNEL(extract, extract), KERNEL(square, square),
	KERNEL(sums, sums), KERNEL(total, total), KERNEL(coefficients, sums), KERNEL(smooth, smooth),
	KERNEL(compress, compress), KERNEL(begin, begin), KERNEL(diffuse, diffuse),
	KERNEL(advance, advance) };

static void start(const char *settings)
{
	fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);
	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(settings), 0);
	for (unsigned i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
}

static void end(void)
{
	fake->settle();
	ck_assert_msg(fake->violation_count() == 0, "%s", fake->violation(0));
	for (unsigned kind = 0; kind < FAKE_CL_KIND_COUNT; kind++)
		if (kind == FAKE_CL_BUFFER || kind == FAKE_CL_KERNEL || kind == FAKE_CL_PROGRAM ||
			kind == FAKE_CL_QUEUE)
			ck_assert_int_eq(fake->live((enum fake_cl_kind)kind), 0);
}

static bool same_frames(const void *a, const void *b)
{
	return staged_same(a, b, 1);
}

/* Pictures of several sizes; the first one is the largest. */
static struct staged_tokens make_frames(size_t count, uint32_t width, uint32_t height)
{
	struct staged_tokens t = { pstk_sized_bytes((size_t)width * height), count, NULL };
	struct test_rng rng = { test_mix(test_seed()) };

	t.data = calloc(count, t.bytes);
	ck_assert_ptr_nonnull(t.data);
	for (size_t i = 0; i < count; i++) {
		uint32_t w = i ? test_between(&rng, 1, width) : width,
			 h = i ? test_between(&rng, 1, height) : height;

		pstk_sized_set(t.data + i * t.bytes, w, h);
		for (size_t k = 0; k < (size_t)w * h; k++)
			t.data[i * t.bytes + PSTK_SIZED_HEAD + k] = (uint8_t)test_between(&rng, 0, 255);
	}
	return t;
}

/* Configurations of the six stages, or of a loop: bit for bit what the cores make, as the kernels are C. */
START_TEST(configurations)
{
	struct lines lines = { { 23, 70 }, .5f, _i ? 5 : 1, _i };
	struct staged_run run = { .build = lines_build, .data = &lines };

	start("races=1,delay=3");
	run.in = make_frames(5, 23, 70);
	run.out.bytes = run.in.bytes;
	staged_configurations(&run, "gpu", _i ? 1 : 4, same_frames, same_frames);
	free(run.in.data);
	end();
}
END_TEST

/* Any call fails once: the run says so, or did not need it, and leaves nothing. */
START_TEST(any_call_fails)
{
	static const char *const functions[] = { "clCreateProgramWithSource", "clBuildProgram",
		"clCreateKernel", "clCreateBuffer", "clSetKernelArg", "clEnqueueNDRangeKernel",
		"clGetKernelWorkGroupInfo" };

	for (unsigned i = 0; i < TEST_COUNT(functions); i++)
		for (unsigned nth = 1; nth < 40; nth = test_next(nth)) {
			struct lines lines = { { 9, 5 }, .5f, 2, nth % 2 };
			struct staged_run run = {
				.build = lines_build, .data = &lines, .cores = 1, .device = "gpu"
			};
			char error[512];

			start("");
			run.configuration = nth % 2 ? "DP-CG:111:1" : "DP-CG:1111111111:1";
			run.in = make_frames(2, 9, 5);
			run.out.bytes = run.in.bytes;
			ck_assert_int_eq(fake->fail_calls(functions[i], nth, 1, CL_OUT_OF_RESOURCES), 0);
			if (staged_fail(&run, error, sizeof error))
				TEST_SAYS(error, "CL_OUT_OF_RESOURCES");
			staged_free(&run);
			free(run.in.data);
			end();
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("srad_fake");
	TCase *c = test_case(suite, "device");

	tcase_add_loop_test(c, configurations, 0, 2);
	tcase_add_test(c, any_call_fails);
	return test_main(suite);
}
