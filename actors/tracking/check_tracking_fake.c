/* SPDX-License-Identifier: MIT */
/*
 * Tracking on a driver whose device has its own memory, with kernels that are C functions: what its host code enqueues,
 * for frames of several sizes, and what it does when a call fails. What a row of kernels does together, such as finding
 * the strongest features, one of them does alone.
 */
#include "actors/common/check_staged.h"
#include "actors/tracking/follow.h"
#include "actors/tracking/strongest.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fake_cl *fake;

static cl_uint number(const struct fake_cl_launch *l, unsigned index)
{
	return *(const cl_uint *)l->arg[index];
}

/* A token of levels in a window. width: which argument. */
struct view {
	struct pstk_frame_size size;
	float *levels;
	struct ps_levels l;
};

static struct view view_at(const struct fake_cl_launch *l, unsigned index, unsigned width, size_t token)
{
	char *at = (char *)l->arg[index] +
	           token * pstk_sized_bytes(
				   sizeof(float) * pstk_levels_count(number(l, width), number(l, width + 1)));
	struct pstk_frame_size size = pstk_sized_get(at);

	return (struct view){ size, (float *)(void *)(at + PSTK_SIZED_HEAD),
		ps_levels_of(size.width, size.height) };
}

static void run_blur(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		const char *in =
			(const char *)l->arg[0] + k * pstk_sized_bytes((size_t)number(l, 2) * number(l, 3));
		const struct pstk_frame_size size = pstk_sized_get(in);
		struct view out = view_at(l, 1, 2, k);

		pstk_sized_set((char *)out.levels - PSTK_SIZED_HEAD, size.width, size.height);
		out.l = ps_levels_of(size.width, size.height);
		for (size_t y = 0; y < size.height; y++)
			ps_levels_blur(out.levels, &out.l, (const uint8_t *)in + PSTK_SIZED_HEAD, y);
	}
}

static void run_slope(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view v = view_at(l, 0, 1, k);
		unsigned level = number(l, 3);

		for (size_t y = 0; v.size.width && y < v.l.h[level]; y++)
			ps_levels_slope(v.levels, &v.l, level, y);
	}
}

static void run_halve(const struct fake_cl_launch *l)
{
	for (size_t k = 0; k < l->global[2]; k++) {
		struct view v = view_at(l, 0, 1, k);

		for (size_t y = 0; v.size.width && y < v.l.h[1]; y++)
			ps_levels_halve(v.levels, &v.l, y);
	}
}

static struct pstk_tracking_spec spec_of(uint32_t window, uint32_t features)
{
	struct pstk_tracking_spec spec = pstk_tracking_spec_init();

	spec.window = window;
	spec.features = features;
	return spec;
}

static void run_strengths(const struct fake_cl_launch *l)
{
	struct view v = view_at(l, 0, 3, number(l, 5));
	struct pstk_tracking_spec spec = spec_of(number(l, 6), 0);
	double *columns = malloc((6 * (size_t)v.size.width + 1) * sizeof *columns);

	ps_strengths(l->arg[1], v.levels, &v.l, pstk_tracking_window(&spec, v.size.width), 0, v.size.height,
		columns);
	free(columns);
}

/* The features that are wanted go on in the state. */
static void run_choose(const struct fake_cl_launch *l)
{
	struct view v = view_at(l, 0, 3, number(l, 5));
	struct pstk_tracking_spec spec = spec_of(0, number(l, 8));

	*(cl_uint *)l->arg[2] = pstk_tracking_features(&spec, v.size.width);
}

static void run_nothing(const struct fake_cl_launch *l)
{
	(void)l;
}

static void run_gather(const struct fake_cl_launch *l)
{
	struct view v = view_at(l, 0, 6, number(l, 8));
	const size_t n = (size_t)v.size.width * v.size.height;
	float *room = malloc((n / PS_STRONGEST_BLOCK + 1) * sizeof *room);

	*(cl_uint *)l->arg[5] = ps_strongest(l->arg[4], l->arg[1], n, *(const cl_uint *)l->arg[2], room);
	free(room);
}

static void run_rank(const struct fake_cl_launch *l)
{
	memcpy(l->arg[2], l->arg[0], *(const cl_uint *)l->arg[1] * sizeof(struct ps_candidate));
}

static void run_apart(const struct fake_cl_launch *l)
{
	struct view v = view_at(l, 0, 4, number(l, 6));
	const struct ps_candidate *from = l->arg[1];
	struct pstk_found *found = (void *)((float *)l->arg[3] + (size_t)number(l, 7) * number(l, 8));
	struct pstk_feature *to = (struct pstk_feature *)(found + 1);
	struct pstk_tracking_spec spec = spec_of(number(l, 10), 0);

	memset(found, 0, sizeof *found);
	found->size = v.size;
	found->count = *(const cl_uint *)l->arg[2];
	found->window = pstk_tracking_window(&spec, v.size.width);
	for (uint32_t i = 0; i < found->count; i++) {
		float strength;

		memcpy(&strength, &from[i].bits, sizeof strength);
		to[i] = (struct pstk_feature){ (float)(from[i].number % v.size.width),
			(float)(from[i].number / v.size.width), strength, 0 };
	}
	found->count = ps_apart(to, found->count, number(l, 9));
}

/* Arguments of follow and keep behind their buffers. */
struct pair {
	struct view first, second;
	const struct pstk_found *features;
	struct pstk_found *tracks;
	uint32_t count, window;
};

static struct pair pair_of(const struct fake_cl_launch *l, unsigned at)
{
	const size_t found = (size_t)number(l, at + 4) * number(l, at + 5);
	struct pair p = { view_at(l, 0, at, number(l, at + 2)), view_at(l, 0, at, number(l, at + 3)),
		(const void *)((const float *)l->arg[1] + found), (void *)((float *)l->arg[2] + found), 0,
		0 };
	struct pstk_tracking_spec spec = spec_of(number(l, at + 7), 0);

	p.window = pstk_tracking_window(&spec, p.first.size.width);
	if (p.first.size.width == p.second.size.width && p.first.size.height == p.second.size.height)
		p.count = p.features->count;
	return p;
}

static void run_follow(const struct fake_cl_launch *l)
{
	struct pair p = pair_of(l, 4);
	struct pstk_track *to = (struct pstk_track *)(p.tracks + 1);
	struct pstk_tracking_spec spec = { .rounds = number(l, 12) };
	struct ps_follow follow = { p.first.levels, p.second.levels, p.first.l, p.window,
		pstk_tracking_rounds(&spec, p.first.size.width) };

	for (uint32_t i = 0; i < p.count; i++) {
		const struct pstk_feature *f = &pstk_found_features(p.features)[i];
		float at[2];
		bool there = ps_follow(&follow, f->x, f->y, at, l->arg[3]);

		to[i] = there ? (struct pstk_track){ f->x, f->y, at[0], at[1] }
		              : (struct pstk_track){ -1, -1, -1, -1 };
	}
}

static void run_keep(const struct fake_cl_launch *l)
{
	struct pair p = pair_of(l, 3);
	struct pstk_track *tracks = (struct pstk_track *)(p.tracks + 1);

	memset(p.tracks, 0, sizeof *p.tracks);
	p.tracks->size = p.second.size;
	p.tracks->window = p.window;
	for (uint32_t i = 0; i < p.count; i++)
		if (tracks[i].x >= 0)
			tracks[p.tracks->count++] = tracks[i];
}

#define IN FAKE_CL_IN("in", "float")
#define OUT FAKE_CL_OUT("out", "float")
#define UINT FAKE_CL_VALUE("n", "uint", 4)

static const struct fake_cl_arg blur_args[] = { FAKE_CL_IN("in", "uchar"), OUT, UINT, UINT },
				slope_args[] = { OUT, UINT, UINT, UINT }, halve_args[] = { OUT, UINT, UINT },
				strengths_args[] = { IN, OUT, OUT, UINT, UINT, UINT, UINT },
				count_args[] = { IN, IN, IN, OUT, UINT, UINT, UINT, UINT },
				choose_args[] = { IN, OUT, OUT, UINT, UINT, UINT, UINT, UINT, UINT },
				tally_args[] = { IN, IN, IN, OUT, UINT, UINT, UINT },
				gather_args[] = { IN, IN, IN, IN, OUT, OUT, UINT, UINT, UINT },
				rank_args[] = { IN, IN, OUT },
				apart_args[] = { IN, OUT, IN, OUT, UINT, UINT, UINT, UINT, UINT, UINT, UINT },
				follow_args[] = { IN, IN, OUT, OUT, UINT, UINT, UINT, UINT, UINT, UINT, UINT,
					UINT, UINT, UINT },
				keep_args[] = { IN, IN, OUT, UINT, UINT, UINT, UINT, UINT, UINT, UINT, UINT };

#define KERNEL(its_name, its_run)                                                                     \
	{                                                                                             \
		.name = #its_name, .args = its_name##_args, .arg_count = TEST_COUNT(its_name##_args), \
		.run = its_run                                                                        \
	}
static const struct fake_cl_kernel kernels[] = { KERNEL(blur, run_blur), KERNEL(slope, run_slope),
	KERNEL(halve, run_halve), KERNEL(strengths, run_strengths), KERNEL(count, run_nothing),
	KERNEL(choose, run_choose), KERNEL(tally, run_nothing), KERNEL(gather, run_gather),
	KERNEL(rank, run_rank), KERNEL(apart, run_apart), KERNEL(follow, run_follow),
	KERNEL(keep, run_keep) };

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
	ck_assert_int_eq(fake->live(FAKE_CL_BUFFER), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_KERNEL), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_PROGRAM), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_QUEUE), 0);
}

static unsigned build(struct pstk_network *net, const void *data, struct pstk_actor **stages)
{
	const struct pstk_tracking_spec *s = data;
	struct pstk_frame_size largest = { s->width, s->height };
	size_t levels = pstk_sized_bytes(sizeof(float) * pstk_levels_count(s->width, s->height));

	stages[0] = pstk_network_add(net, "preprocess", pstk_preprocess_type(), &largest);
	stages[1] = pstk_features_add(net, "features", s);
	stages[2] = pstk_track_add(net, "track", s);
	pstk_connect(stages[0], "out", stages[1], "in", PSTK_FIFO(.rate = 2, .token_size = levels));
	pstk_connect(stages[0], "out", stages[2], "levels", PSTK_FIFO(.rate = 2, .token_size = levels));
	pstk_connect(stages[1], "out", stages[2], "features",
		PSTK_FIFO(.rate = 1, .token_size = pstk_tracking_found_bytes(s)));
	return 3;
}

static bool same_tracks(const void *a, const void *b)
{
	const struct pstk_found *x = a, *y = b;

	return x->size.width == y->size.width && x->count == y->count && x->window == y->window &&
	       !memcmp(x + 1, y + 1, x->count * sizeof(struct pstk_track));
}

/* Pairs of frames of several sizes; of the third one they differ. */
static struct staged_tokens make_pairs(unsigned pairs, uint32_t width, uint32_t height)
{
	struct staged_tokens t = { pstk_sized_bytes((size_t)width * height), 2 * (size_t)pairs, NULL };

	t.data = calloc(t.count, t.bytes);
	ck_assert_ptr_nonnull(t.data);
	for (unsigned i = 0; i < t.count; i++) {
		unsigned char *token = t.data + i * t.bytes;
		uint32_t w = width - 7 * (i / 2), h = height - (i == 5);

		pstk_sized_set(token, w, h);
		for (uint32_t k = 0; k < w * h; k++)
			token[PSTK_SIZED_HEAD + k] =
				(uint8_t)(50 + 100 * (((k % w + i % 2) / 9 + k / w / 7) % 2) + k * 37 % 11);
	}
	return t;
}

/* Bit for bit what the cores make, as the kernels are C. */
START_TEST(configurations)
{
	struct pstk_tracking_spec spec =
		*PSTK_TRACKING(.width = 70, .height = 50, .features = 300, .radius = 4);
	struct staged_run run = { .build = build, .data = &spec, .rate = 2, .cores = 1 };

	start("races=1,delay=3");
	run.in = make_pairs(4, 70, 50);
	run.out.bytes = pstk_tracking_found_bytes(&spec);
	staged_configurations(&run, "gpu", 1, same_tracks, same_tracks);
	run.configuration = "CG:000:1";
	staged_go(&run);
	ck_assert_uint_gt(((const struct pstk_found *)(const void *)run.out.data)->count, 3);
	staged_free(&run);
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
	struct pstk_tracking_spec spec = *PSTK_TRACKING(.width = 30, .height = 30, .features = 9);

	for (unsigned i = 0; i < TEST_COUNT(functions); i++)
		for (unsigned nth = 1; nth < 140; nth = test_next(nth)) {
			struct staged_run run = { .build = build,
				.data = &spec,
				.rate = 2,
				.cores = 1,
				.device = "gpu",
				.configuration = "DP-CG:111:1" };
			char error[512];

			start("");
			run.in = make_pairs(1, 30, 30);
			run.out.bytes = pstk_tracking_found_bytes(&spec);
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
	Suite *suite = suite_create("tracking_fake");
	TCase *c = test_case(suite, "device");

	tcase_add_test(c, configurations);
	tcase_add_test(c, any_call_fails);
	return test_main(suite);
}
