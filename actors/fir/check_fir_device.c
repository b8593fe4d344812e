/* SPDX-License-Identifier: MIT */
/*
 * The filter on devices: in networks, and its kernel launched by hand, also under oclgrind with CK_FORK=no
 * CK_RUN_CASE=small, which finds what a kernel reads outside of its windows and state.
 */
#include "actors/common/check_moving.h"
#include "actors/common/cl_direct.h"
#include "actors/fir/check_filter.h"
#include "actors/fir/fir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

/* -- in networks -- */

static const char *const memories[] = { "svm", "map", "copy" };

static void check_run(struct filter_run *run, struct test_rng *rng, size_t samples, const char *what)
{
	char text[160];

	snprintf(text, sizeof text, "%s%s, rate %u, depth %u", what, run->twice ? ", twice" : "", run->rate,
		run->depth);
	test_guard(text, test_seed());
	run->in = filter_noise(rng, samples);
	filter_run(run);
	filter_check(run->taps, run->count, &run->in, &run->out, text);
	filter_free(&run->in);
	filter_free(&run->out);
}

/* Eight windows and a part, so that firings are in flight together. every: other blocks are left out. */
static void check_blocks(const char *device, const char *what, unsigned every)
{
	static const unsigned counts[] = { 1, 10, 63, 1025, 3000 };
	static const uint32_t rates[] = { 1, 7, 1000, 1024, 4096, 32768 };
	struct test_rng rng = { test_seed() };

	for (size_t r = 0; r < TEST_COUNT(rates); r += TEST_SANITIZED ? 3 : 1)
		for (size_t c = r % every; c < TEST_COUNT(counts); c += every) {
			struct pstk_cf32 *taps = filter_taps(&rng, counts[c]);
			struct filter_run run = { .taps = taps,
				.count = counts[c],
				.rate = rates[r],
				.depth = c % 2 ? 4 : 2,
				.device = device };
			size_t samples = (counts[c] > 100 ? 2 : 8) * (size_t)rates[r] + rates[r] / 3;

			if (rates[r] < 100) /* until the past is full, if that is soon enough */
				samples += (counts[c] < 200 || rates[r] > 1 ? counts[c] : 200) + 50;
			check_run(&run, &rng, samples, what);
			free(taps);
		}
}

static const char *find_device(const char *memory)
{
	static struct pstk_device_info info;

	setenv("PENSTOCK_MEMORY", memory, 1);
	ck_assert_int_gt(pstk_devices(&info, 1), 0);
	return info.selector;
}

/* A half of it, or all where it can't be divided. */
static const char *find_part(const char *memory)
{
	static char half[80];
	const char *whole = find_device(memory);
	struct pstk_device_info info;

	snprintf(half, sizeof half, "%s/1of2", whole);
	return pstk_device_find(half, &info, NULL, 0) ? whole : half;
}

START_TEST(blocks)
{
	check_blocks(find_device(memories[_i]), memories[_i], _i ? 2 : 1);
}
END_TEST

/* Its past goes with it. */
START_TEST(moves)
{
	struct test_rng rng = { test_seed() };

	check_blocks(moving_device(moving_memories[_i], &rng), "moves", 2);
}
END_TEST

START_TEST(part_of_a_device)
{
	check_blocks(find_part("svm"), "a part", 3);
}
END_TEST

/* The polynomial's twice: taps convolved with themselves. */
static struct pstk_cf32 *squared(const struct pstk_cf32 *taps, unsigned count)
{
	struct pstk_cf32 *all = calloc(2 * count - 1, sizeof *all);

	ck_assert_ptr_nonnull(all);
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < count; j++) {
			all[i + j].re += taps[i].re * taps[j].re - taps[i].im * taps[j].im;
			all[i + j].im += taps[i].re * taps[j].im + taps[i].im * taps[j].re;
		}
	return all;
}

/* Two filters whose samples stay on the device, and the same on the cores: both right, and near each other.
 * */
START_TEST(there_and_here)
{
	enum { COUNT = 10 };
	struct test_rng rng = { test_seed() };
	struct pstk_cf32 *taps = filter_taps(&rng, COUNT), *all = squared(taps, COUNT);
	struct filter_run there = { .taps = taps,
		.count = COUNT,
		.rate = 1000,
		.depth = 4,
		.twice = true,
		.device = find_device("svm") },
			  here = there;

	here.device = NULL;
	there.in = here.in = filter_noise(&rng, 20345);
	filter_run(&there);
	filter_run(&here);
	filter_check(all, 2 * COUNT - 1, &there.in, &there.out, "there");
	filter_check(all, 2 * COUNT - 1, &here.in, &here.out, "here");
	for (size_t n = 0; n < here.out.count; n++) /* outputs are about 20 */
		ck_assert_float_le(fabsf(there.out.re[n] - here.out.re[n]), 2e-4f);
	filter_free(&there.in);
	filter_free(&there.out);
	filter_free(&here.out);
	free(all);
	free(taps);
}
END_TEST

/* Windows that don't go through leave no trace in the device's state. */
START_TEST(frozen_past)
{
	enum { COUNT = 10, RATE = 37, WINDOWS = 60 };
	struct test_rng rng = { test_seed() };
	struct pstk_cf32 *taps = filter_taps(&rng, COUNT);
	struct filter_run run = { .taps = taps, .count = COUNT, .rate = RATE, .device = find_device("svm") };
	struct filter_signal through = filter_noise(&rng, WINDOWS * RATE);
	uint32_t sets[WINDOWS];

	through.count = 0;
	run.in = filter_noise(&rng, WINDOWS * RATE);
	for (size_t i = 0; i < WINDOWS; i++) {
		sets[i] = i + 1 == WINDOWS || test_chance(&rng, 50);
		for (size_t j = i * RATE; j < (i + 1) * RATE && sets[i]; j++, through.count++) {
			through.re[through.count] = run.in.re[j];
			through.im[through.count] = run.in.im[j];
		}
	}
	run.sets = sets;
	run.set_count = WINDOWS;
	filter_run(&run);
	ck_assert_uint_eq(run.out.count, through.count);
	filter_check(taps, COUNT, &through, &run.out, "frozen");
	filter_free(&run.in);
	filter_free(&run.out);
	filter_free(&through);
	free(taps);
}
END_TEST

/* A NaN goes as far as the taps reach. */
START_TEST(nan_passes)
{
	enum { COUNT = 10, SAMPLES = 400 };
	struct test_rng rng = { test_seed() };
	struct pstk_cf32 *taps = filter_taps(&rng, COUNT);

	for (uint32_t rate = 5; rate <= SAMPLES; rate *= 4) {
		struct filter_run run = {
			.taps = taps, .count = COUNT, .rate = rate, .device = find_device("svm")
		};
		size_t at = test_between(&rng, 0, SAMPLES - 1);

		run.in = filter_noise(&rng, SAMPLES);
		run.in.re[at] = NAN;
		filter_run(&run);
		for (size_t n = 0; n < SAMPLES; n++)
			ck_assert_int_eq(
				isnan(run.out.re[n]) && isnan(run.out.im[n]), n >= at && n < at + COUNT);
		filter_free(&run.in);
		filter_free(&run.out);
	}
	free(taps);
}
END_TEST

/* -- the kernel by hand -- */

/* Windows, state and taps of a launch, each a buffer that ends where it does. */
enum { B_RE, B_IM, B_RE_OUT, B_IM_OUT, B_STATE, B_TAPS, BUFFERS };

struct rig {
	struct cl_direct cl;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem buffers[BUFFERS];
	uint32_t count, rate;
};

static cl_mem zeros(struct rig *rig, size_t bytes)
{
	void *nothing = calloc(1, bytes);
	cl_int err;
	cl_mem buffer = clCreateBuffer(rig->cl.context, CL_MEM_COPY_HOST_PTR, bytes, nothing, &err);

	cl_direct_check(err, "clCreateBuffer");
	free(nothing);
	return buffer;
}

static void copy_in(struct rig *rig, cl_mem buffer, const void *from, size_t bytes)
{
	cl_direct_check(
		clEnqueueWriteBuffer(rig->queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL), "writing");
}

static void copy_out(struct rig *rig, cl_mem buffer, void *to, size_t bytes)
{
	cl_direct_check(
		clEnqueueReadBuffer(rig->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "reading");
}

static void rig_fill(struct rig *rig, const struct pstk_cf32 *taps)
{
	for (unsigned i = 0; i < BUFFERS; i++)
		rig->buffers[i] =
			zeros(rig, i < B_STATE    ? rig->rate * sizeof(float)
				   : i == B_STATE ? 4 * sizeof(float) * (rig->count > 1 ? rig->count - 1 : 1)
						  : rig->count * sizeof *taps);
	copy_in(rig, rig->buffers[B_TAPS], taps, rig->count * sizeof *taps);
}

static void rig_empty(struct rig *rig)
{
	for (unsigned i = 0; i < BUFFERS; i++)
		clReleaseMemObject(rig->buffers[i]);
}

static void launch(struct rig *rig, cl_ulong firing, cl_uint samples, size_t groups, size_t local)
{
	const struct {
		size_t size;
		const void *value;
	} args[] = { { sizeof(cl_mem), &rig->buffers[B_RE] }, { sizeof(cl_mem), &rig->buffers[B_IM] },
		{ sizeof(cl_mem), &rig->buffers[B_RE_OUT] }, { sizeof(cl_mem), &rig->buffers[B_IM_OUT] },
		{ sizeof(cl_mem), &rig->buffers[B_STATE] }, { sizeof firing, &firing },
		{ sizeof(cl_mem), &rig->buffers[B_TAPS] }, { sizeof rig->count, &rig->count },
		{ sizeof samples, &samples } };
	size_t global = groups * local;

	for (cl_uint i = 0; i < TEST_COUNT(args); i++)
		cl_direct_check(
			clSetKernelArg(rig->kernel, i, args[i].size, args[i].value), "clSetKernelArg");
	cl_direct_check(
		clEnqueueNDRangeKernel(rig->queue, rig->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
		"launching");
}

/* Several windows, each with a work size of its own, the last one filled partly. */
static void check_by_hand(struct rig *rig, struct test_rng *rng, uint32_t count, const char *what)
{
	static const size_t locals[] = { 1, 3, 64 }; /* drivers compile for each */
	struct pstk_cf32 *taps = filter_taps(rng, count);
	struct filter_signal x, y;
	size_t samples, n = 0;

	rig->count = count;
	rig->rate = test_between(rng, 1, 3 * count + 200);
	samples = test_between(rng, 1, 5 * rig->rate);
	x = filter_noise(rng, samples);
	y = filter_noise(rng, samples);
	rig_fill(rig, taps);
	for (cl_ulong firing = 0; n < samples; firing++) {
		size_t length = samples - n < rig->rate ? samples - n : rig->rate,
		       bytes = length * sizeof(float);

		copy_in(rig, rig->buffers[B_RE], x.re + n, bytes);
		copy_in(rig, rig->buffers[B_IM], x.im + n, bytes);
		launch(rig, firing, (cl_uint)length, test_between(rng, 1, 9),
			locals[test_between(rng, 0, TEST_COUNT(locals) - 1)]);
		copy_out(rig, rig->buffers[B_RE_OUT], y.re + n, bytes);
		copy_out(rig, rig->buffers[B_IM_OUT], y.im + n, bytes);
		n += length;
	}
	filter_check(taps, count, &x, &y, what);
	rig_empty(rig);
	filter_free(&x);
	filter_free(&y);
	free(taps);
}

static const struct {
	const char *options;
	uint32_t taps; /* 0: any */
} forms[] = { { "-DTAPS=10", 10 }, { "-DTAPS=1", 1 }, { NULL, 0 }, { "-DPORTABLE -DTAPS=10", 10 },
	{ "-DPORTABLE", 0 } };

static void check_form(int form, uint64_t rounds, uint32_t most_taps)
{
	struct test_rng rng = { test_seed() };
	struct pstk_kernel kernel = ps_fir_kernel;
	struct rig rig;

	kernel.options = forms[form].options;
	ck_assert(cl_direct_open(&rig.cl));
	rig.queue = cl_direct_queue(&rig.cl);
	rig.kernel = cl_direct_kernel(&rig.cl, &kernel);
	for (uint64_t i = 0; i < rounds; i++) {
		uint32_t count = forms[form].taps ? forms[form].taps : test_between(&rng, 1, most_taps);

		test_guard("a kernel by hand", test_seed());
		check_by_hand(&rig, &rng, count, kernel.options ? kernel.options : "any");
	}
	clReleaseKernel(rig.kernel);
	clReleaseCommandQueue(rig.queue);
	cl_direct_close(&rig.cl);
}

START_TEST(small)
{
	check_form(_i, 6, 90);
}
END_TEST

START_TEST(work_sizes)
{
	check_form(_i, test_rounds(60), 1200);
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
	Suite *suite = suite_create("fir_device");
	TCase *networks = test_case(suite, "networks"), *few = test_case(suite, "small"),
	      *many = test_case(suite, "work_sizes");

	if (!is_there_a_device()) {
		printf("no OpenCL device\n");
		return SKIPPED;
	}
	tcase_add_loop_test(networks, blocks, 0, TEST_COUNT(memories));
	tcase_add_loop_test(networks, moves, 0, MOVING_MEMORIES);
	tcase_add_test(networks, part_of_a_device);
	tcase_add_test(networks, there_and_here);
	tcase_add_test(networks, frozen_past);
	tcase_add_test(networks, nan_passes);
	tcase_add_loop_test(few, small, 0, (int)TEST_COUNT(forms));
	if (!TEST_SANITIZED) /* sanitizers don't see kernels */
		tcase_add_loop_test(many, work_sizes, 0, (int)TEST_COUNT(forms));
	return test_main(suite);
}
