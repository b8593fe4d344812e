/* SPDX-License-Identifier: MIT */
/*
 * The image actors' kernels, launched by hand, against the pixel by pixel definitions. Also run under oclgrind with
 * CK_FORK=no CK_RUN_CASE=small, which finds what a kernel reads outside of its windows.
 */
#include "actors/common/check_frames.h"
#include "actors/common/cl_direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GUARD = 64, GUARD_BYTE = 0xc3, SKIPPED = 77, INPUTS_MAX = 2, THRESHOLD = 20 };

/* One of the three, as it is or in its portable form. */
struct form {
	const struct pstk_kernel *kernel;
	const char *options;
	frame_expect expect; /* NULL: threshold */
	struct ps_work_size (*work_size)(
		uint32_t width, uint32_t height, uint32_t rate); /* NULL: threshold's */
	unsigned inputs;
};

static const struct form forms[] = {
	{ &ps_gauss5x5_kernel, NULL, frame_expect_gauss5x5, ps_gauss5x5_work_size, 1 },
	{ &ps_median5_kernel, NULL, frame_expect_median5, ps_median5_work_size, 1 },
	{ &ps_threshold_kernel, NULL, NULL, NULL, 2 },
	{ &ps_gauss5x5_kernel, "-DPORTABLE", frame_expect_gauss5x5, ps_gauss5x5_work_size, 1 },
	{ &ps_median5_kernel, "-DPORTABLE", frame_expect_median5, ps_median5_work_size, 1 },
	{ &ps_threshold_kernel, "-DPORTABLE", NULL, NULL, 2 },
};

/* The kernel, and a kernel that calls it with windows that begin anywhere. */
struct rig {
	struct cl_direct cl;
	cl_command_queue queue;
	const struct form *form;
	cl_kernel kernel, shifted;
};

struct trial {
	size_t w, h, rate, frames; /* frames: those that are data */
	size_t offset[INPUTS_MAX +
		      1]; /* of the windows in their buffers, the output's last; all 0: the kernel itself */
	const struct ps_work_size *size; /* NULL: the form's */
};

static void rig_open(struct rig *rig, const struct form *form)
{
	static const char one[] =
		"__kernel void shifted(__global const uchar *a, ulong i, __global uchar *out, ulong o, "
		"ulong firing, uint x, uint y, uint z) { %s(a + i, out + o, firing, x, y, z); }\n";
	static const char two[] =
		"__kernel void shifted(__global const uchar *a, ulong i, __global const uchar *b, "
		"ulong j, __global uchar *out, ulong o, ulong firing, ulong x, uint y, uint z) "
		"{ %s(a + i, b + j, out + o, firing, x, y, z); }\n";
	static char source[32768];
	int n = snprintf(source, sizeof source, "%s", form->kernel->source);
	struct pstk_kernel shifted = { .source = source, .name = "shifted", .options = form->options };
	struct pstk_kernel plain = *form->kernel;

	ck_assert_int_lt(n, (int)sizeof source - 1024);
	snprintf(source + n, sizeof source - (size_t)n, form->inputs == 2 ? two : one, form->kernel->name);
	plain.options = form->options;
	rig->form = form;
	ck_assert(cl_direct_open(&rig->cl));
	rig->queue = cl_direct_queue(&rig->cl);
	rig->kernel = cl_direct_kernel(&rig->cl, &plain);
	rig->shifted = cl_direct_kernel(&rig->cl, &shifted);
}

static void rig_close(struct rig *rig)
{
	clReleaseKernel(rig->kernel);
	clReleaseKernel(rig->shifted);
	clReleaseCommandQueue(rig->queue);
	cl_direct_close(&rig->cl);
}

static cl_mem buffer_of(struct rig *rig, size_t bytes, uint8_t *content)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(rig->cl.context, CL_MEM_COPY_HOST_PTR, bytes, content, &err);

	cl_direct_check(err, "clCreateBuffer");
	return buffer;
}

static void launch(struct rig *rig, const struct trial *t, const cl_mem *buffers)
{
	bool shifted = t->offset[0] || t->offset[1] || t->offset[2];
	cl_kernel kernel = shifted ? rig->shifted : rig->kernel;
	uint32_t w = (uint32_t)t->w, h = (uint32_t)t->h, rate = (uint32_t)t->rate,
		 frames = (uint32_t)t->frames;
	struct ps_work_size size = rig->form->work_size ? rig->form->work_size(w, h, rate)
	                                                : ps_threshold_work_size(t->w * t->h, rate);
	cl_uint arg = 0;

	if (t->size)
		size = *t->size;
	for (unsigned i = 0; i <= rig->form->inputs; i++) {
		cl_ulong offset = t->offset[i];

		cl_direct_check(clSetKernelArg(kernel, arg++, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
		if (shifted)
			cl_direct_check(
				clSetKernelArg(kernel, arg++, sizeof offset, &offset), "clSetKernelArg");
	}
	if (rig->form->expect)
		cl_direct_filter_args(kernel, arg, w, h, frames);
	else
		cl_direct_threshold_args(kernel, arg, t->w * t->h, frames, THRESHOLD);
	cl_direct_check(clEnqueueNDRangeKernel(rig->queue, kernel, PS_WORK_DIMS, NULL, size.global,
				size.local, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
}

static void expect(const struct form *form, const struct trial *t, uint8_t *dst, uint8_t *const *src)
{
	size_t bytes = t->w * t->h;

	for (size_t i = 0; i < t->frames && form->expect; i++)
		form->expect(dst + i * bytes, src[0] + i * bytes, (int)t->w, (int)t->h);
	for (size_t i = 0; i < t->frames * bytes && !form->expect; i++)
		dst[i] = abs(src[0][i] - src[1][i]) > THRESHOLD ? 255 : 0;
}

/* Random, or from the fourth frame on; before that only 0, only 255, only the two of them. */
static void check_trial(struct rig *rig, struct test_rng *rng, const struct trial *t)
{
	unsigned out = rig->form->inputs;
	size_t bytes = t->w * t->h * t->rate, room = bytes + 2 * GUARD;
	uint8_t *in[INPUTS_MAX] = { NULL }, *expected = malloc(room), *got = malloc(room),
		*buffer = malloc(room);
	cl_mem buffers[INPUTS_MAX + 1];

	ck_assert(expected && got && buffer);
	memset(expected, GUARD_BYTE, room);
	for (unsigned i = 0; i < out; i++) {
		in[i] = frame_tokens(rng, t->w * t->h, t->rate);
		if (i)
			for (size_t j = 0; j < bytes; j++) /* about the threshold */
				in[i][j] = (uint8_t)(in[0][j] + test_between(rng, 0, 2 * THRESHOLD + 2) -
						     THRESHOLD - 1);
		memcpy(buffer + t->offset[i], in[i], bytes);
		buffers[i] = buffer_of(rig, bytes + t->offset[i],
			buffer); /* ends with the window: no byte may be read behind */
	}
	buffers[out] = buffer_of(rig, room, expected);
	launch(rig, t, buffers);
	cl_direct_check(clEnqueueReadBuffer(rig->queue, buffers[out], CL_TRUE, 0, room, got, 0, NULL, NULL),
		"reading");
	expect(rig->form, t, expected + t->offset[out], in);
	for (size_t i = 0; i < room; i++)
		if (got[i] != expected[i])
			ck_abort_msg("%s: %zux%zu, rate %zu, %zu frames, offsets %zu %zu %zu, byte %zd: %u, "
				     "not %u",
				rig->form->kernel->name, t->w, t->h, t->rate, t->frames, t->offset[0],
				t->offset[1], t->offset[2], (ssize_t)i - (ssize_t)t->offset[out], got[i],
				expected[i]);
	for (unsigned i = 0; i <= out; i++)
		clReleaseMemObject(buffers[i]);
	for (unsigned i = 0; i < out; i++)
		free(in[i]);
	free(expected);
	free(got);
	free(buffer);
}

/* Offset 0, a trial whose windows begin anywhere, and one with fewer frames. */
static void check_size(struct rig *rig, struct test_rng *rng, size_t w, size_t h, size_t rate)
{
	struct trial t = { .w = w, .h = h, .rate = rate, .frames = rate };

	test_guard("a size", test_seed());
	check_trial(rig, rng, &t);
	t.frames = test_between(rng, 0, (uint32_t)rate);
	for (unsigned i = 0; i <= INPUTS_MAX; i++)
		t.offset[i] = test_between(rng, 1, GUARD);
	check_trial(rig, rng, &t);
}

/* Widths about the strips' and every rate. */
static void check_small(const struct form *form)
{
	static const uint8_t sizes[][2] = { { 1, 1 }, { 2, 2 }, { 5, 5 }, { 16, 5 }, { 1, 9 }, { 9, 1 },
		{ 3, 3 }, { 33, 6 }, { 34, 6 }, { 35, 7 }, { 65, 8 }, { 66, 49 }, { 67, 5 }, { 97, 4 },
		{ 129, 5 }, { 130, 6 }, { 131, 3 } };
	struct test_rng rng = { test_seed() };
	struct rig rig;

	rig_open(&rig, form);
	for (size_t i = 0; i < TEST_COUNT(sizes); i++)
		check_size(&rig, &rng, sizes[i][0], sizes[i][1], i + 1);
	for (size_t rate = 1; rate <= 17; rate++)
		check_size(&rig, &rng, 20 + rate, 3 + rate % 5, rate);
	rig_close(&rig);
}

static void check_random(const struct form *form)
{
	struct test_rng rng = { test_seed() };
	struct rig rig;

	rig_open(&rig, form);
	for (uint64_t i = 0; i < test_rounds(60); i++)
		check_size(&rig, &rng, test_between(&rng, 1, 200), test_between(&rng, 1, 70),
			test_between(&rng, 1, 17));
	rig_close(&rig);
}

static void check_large(const struct form *form)
{
	static const size_t sizes[][2] = { { 320, 240 }, { 321, 243 }, { 768, 576 }, { 3840, 2160 },
		{ 4099, 31 } };
	struct test_rng rng = { test_seed() };
	struct rig rig;

	rig_open(&rig, form);
	for (size_t i = 0; i < TEST_COUNT(sizes); i++)
		check_size(&rig, &rng, sizes[i][0], sizes[i][1], 1 + i % 3);
	check_size(&rig, &rng, 320, 240, 16);
	rig_close(&rig);
}

/* Any work size gives the same result. */
static void check_work_sizes(const struct form *form)
{
	struct test_rng rng = { test_seed() };
	struct rig rig;

	rig_open(&rig, form);
	for (uint64_t i = 0; i < test_rounds(40); i++) {
		static const size_t locals[][PS_WORK_DIMS] = { { 1, 1, 1 }, { 3, 2, 1 } };
		struct ps_work_size size;
		struct trial t = { .w = test_between(&rng, 1, 200),
			.h = test_between(&rng, 1, 40),
			.rate = 3,
			.frames = 3,
			.size = &size };

		test_guard("a work size", test_seed());
		for (unsigned d = 0; d < PS_WORK_DIMS; d++) {
			size.local[d] = locals[i % TEST_COUNT(locals)][d]; /* drivers compile for each */
			size.global[d] =
				size.local[d] * test_between(&rng, 1, test_chance(&rng, 50) ? 3 : 30);
		}
		if (!form->expect) /* one dimension */
			size.global[1] = size.local[1] = size.global[2] = size.local[2] = 1;
		check_trial(&rig, &rng, &t);
	}
	rig_close(&rig);
}

START_TEST(small)
{
	check_small(&forms[_i]);
}
END_TEST

START_TEST(random_sizes)
{
	check_random(&forms[_i]);
}
END_TEST

START_TEST(large)
{
	check_large(&forms[_i]);
}
END_TEST

START_TEST(work_sizes)
{
	check_work_sizes(&forms[_i]);
}
END_TEST

/* Asks in a process of its own, because a driver's threads don't survive the fork() of a test. */
static bool is_there_a_device(void)
{
	struct cl_direct cl;
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(cl_direct_open(&cl) ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

int main(void)
{
	Suite *suite = suite_create("cl_kernels");
	TCase *all = test_case(suite, "all"), *few = test_case(suite, "small");

	if (!is_there_a_device()) {
		printf("no OpenCL device\n");
		return SKIPPED;
	}
	tcase_add_loop_test(few, small, 0, (int)TEST_COUNT(forms));
	if (!TEST_SANITIZED) { /* sanitizers don't see kernels, and slow down what compares */
		tcase_add_loop_test(all, random_sizes, 0, (int)TEST_COUNT(forms));
		tcase_add_loop_test(all, large, 0, (int)TEST_COUNT(forms));
		tcase_add_loop_test(all, work_sizes, 0, (int)TEST_COUNT(forms));
	}
	return test_main(suite);
}
