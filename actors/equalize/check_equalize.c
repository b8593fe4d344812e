/* SPDX-License-Identifier: MIT */
/*
 * equalize on cores and on a device, alone, in a chain, beside a kernel actor, against the definition; and calls of
 * OpenCL that fail in it, for which nothing may be left behind.
 */
#include "actors/common/check_cl_calls.h"
#include "actors/common/check_frames.h"
#include "actors/common/check_moving.h"
#include "actors/equalize/equalize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_ONE_THREAD static int compare_bytes(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* The definition once more, by rank: how many pixels are not brighter is where they end in the sorted frame. In
 * doubles, which hold these numbers. */
TEST_ONE_THREAD static void expect(uint8_t *dst, const uint8_t *src, int w, int h)
{
	int pixels = w * h, first = 0, below = 0, map[256];
	uint8_t *sorted = malloc((size_t)pixels);

	ck_assert_ptr_nonnull(sorted);
	memcpy(sorted, src, (size_t)pixels);
	qsort(sorted, (size_t)pixels, 1, compare_bytes);
	while (first < pixels && sorted[first] == sorted[0])
		first++;
	for (int v = 0; v < 256; v++) {
		while (below < pixels && sorted[below] <= v)
			below++;
		map[v] = pixels == first ? v : (int)(255.0 * (below - first) / (pixels - first) + 0.5);
	}
	for (int i = 0; i < pixels; i++)
		dst[i] = (uint8_t)map[src[i]];
	free(sorted);
}

START_TEST(sizes_and_rates)
{
	frame_check_filter(pstk_equalize_type(), expect);
}
END_TEST

START_TEST(moves)
{
	frame_check_moves(pstk_equalize_type(), expect, moving_memories[_i]);
}
END_TEST

START_TEST(refusals)
{
	frame_check_refusals(pstk_equalize_type());
}
END_TEST

/* Worked out by hand. */
START_TEST(small_frames)
{
	static const struct {
		size_t n;
		uint8_t src[6], dst[6];
	} cases[] = {
		{ 4, { 10, 20, 30, 40 }, { 0, 85, 170, 255 } },
		{ 4, { 7, 7, 7, 7 }, { 7, 7, 7, 7 } },
		{ 1, { 255 }, { 255 } },
		{ 1, { 0 }, { 0 } },
		{ 5, { 9, 9, 9, 9, 10 }, { 0, 0, 0, 0, 255 } },
		{ 3, { 5, 6, 7 }, { 0, 128, 255 } }, /* 127.5: halves up */
		{ 6, { 0, 255, 0, 254, 254, 1 }, { 0, 255, 0, 191, 191, 64 } },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		uint8_t dst[6];

		ps_equalize_frame(dst, cases[i].src, cases[i].n, 1);
		ck_assert_mem_eq(dst, cases[i].dst, cases[i].n);
		expect(dst, cases[i].src, (int)cases[i].n, 1);
		ck_assert_mem_eq(dst, cases[i].dst, cases[i].n);
	}
}
END_TEST

/*
 * In networks with devices.
 */

enum { FRAMES_MAX = 24 };

/* A chain of actors between a source and a sink. */
struct chain {
	struct pstk_frame_size size;
	uint32_t rate, delay; /* delay: in the first FIFO */
	const struct pstk_actor_type *types[2];
	const char *devices[2]; /* NULL: on the cores */
	const char *further;    /* where the first one may move to, and to the cores; NULL: it stays */
	unsigned actors;
	struct frame_stream in, out;
	char error[512];
};

static int run_chain(struct chain *c)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT }, in = { .name = "in" };
	size_t bytes = (size_t)c->size.width * c->size.height;
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *last = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = frame_source_fire),
		&c->in);
	int err;

	for (unsigned i = 0; i <= c->actors; i++) {
		struct pstk_actor *a;

		if (i < c->actors) {
			a = pstk_network_add(net, i ? "second" : "first", c->types[i], &c->size);
			pstk_actor_map(a, c->devices[i]);
			if (!i && c->further) {
				pstk_actor_may_move(a, c->further);
				pstk_actor_may_move(a, NULL);
				pstk_actor_migrate(a, c->further, 1);
			}
		} else {
			a = pstk_network_add(net, "sink",
				PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1,
					.fire = frame_sink_fire),
				&c->out);
		}
		pstk_connect(last, "out", a, "in",
			PSTK_FIFO(.rate = c->rate, .token_size = bytes, .delay = i ? 0 : c->delay));
		last = a;
	}
	err = pstk_network_run(net);
	snprintf(c->error, sizeof c->error, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}

static void apply(const struct pstk_actor_type *type, uint8_t *dst, const uint8_t *src, int w, int h)
{
	(type == pstk_equalize_type() ? expect : frame_expect_gauss5x5)(dst, src, w, h);
}

/* Delay tokens are frames of 0, which all of these actors leave as they are. */
static void check_chain(struct chain *c, const uint8_t *tokens, size_t count)
{
	size_t bytes = (size_t)c->size.width * c->size.height, all = count + c->delay;
	uint8_t *want = calloc(all, bytes), *step = malloc(bytes), *got = malloc(all * bytes);
	int w = (int)c->size.width, h = (int)c->size.height;

	ck_assert(want && step && got);
	memcpy(want + c->delay * bytes, tokens, count * bytes);
	for (unsigned i = 0; i < c->actors; i++)
		for (size_t t = 0; t < all; t++) {
			memcpy(step, want + t * bytes, bytes);
			apply(c->types[i], want + t * bytes, step, w, h);
		}
	c->in = (struct frame_stream){
		.tokens = (uint8_t *)tokens, .count = count, .token_size = bytes, .rate = c->rate
	};
	c->out = (struct frame_stream){ .tokens = got, .room = all, .token_size = bytes };
	ck_assert_msg(!run_chain(c), "%s", c->error);
	ck_assert_uint_eq(c->out.count, all);
	for (size_t i = 0; i < all * bytes; i++)
		if (got[i] != want[i])
			ck_abort_msg("%dx%d, rate %u, delay %u, %u actors, frame %zu, pixel %zu: %u, not %u",
				w, h, c->rate, c->delay, c->actors, i / bytes, i % bytes, got[i], want[i]);
	free(want);
	free(step);
	free(got);
}

/* Frames whose histograms are extreme: of one value, of two, one pixel that differs, a ramp, mostly 0 or 255, noise. */
TEST_ONE_THREAD static uint8_t *frames(struct test_rng *rng, size_t bytes, size_t count)
{
	uint8_t *tokens = malloc(bytes * count);

	ck_assert_ptr_nonnull(tokens);
	for (size_t t = 0; t < count; t++) {
		uint8_t *frame = tokens + t * bytes, base = (uint8_t)test_random(rng);
		unsigned kind = (unsigned)(t % 7);

		for (size_t i = 0; i < bytes; i++) {
			uint8_t r = (uint8_t)test_random(rng);
			const uint8_t of[] = { base, r & 1 ? 255 : 0, base, (uint8_t)i,
				(uint8_t)(r < 250 ? 0 : r), (uint8_t)(r < 250 ? 255 : r), r };

			frame[i] = of[kind];
		}
		if (kind == 2)
			frame[test_between(rng, 0, (uint32_t)bytes - 1)] ^= 1;
	}
	return tokens;
}

/* A test is a process of its own (Check forks), so that each has its own drivers. */
static const struct {
	const char *memory, *pocl;
} ways[] = { { "", "pthread" }, { "svm", "basic" }, { "map", "basic" }, { "copy", "basic" },
	{ "svm", "pthread" }, { "map", "pthread" }, { "copy", "pthread" } };

/* false: there is none. */
static bool find_device(unsigned way, char *selector, size_t size)
{
	struct pstk_device_info info;

	setenv("PENSTOCK_MEMORY", ways[way].memory, 1);
	setenv("POCL_DEVICES", ways[way].pocl, 1);
	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device: skipped\n");
		return false;
	}
	snprintf(selector, size, "%s", info.selector);
	return true;
}

static void check_on_device(
	const char *device, struct pstk_frame_size size, uint32_t rate, struct test_rng *rng)
{
	size_t bytes = (size_t)size.width * size.height;
	const struct pstk_actor_type *equalize = pstk_equalize_type(), *gauss = pstk_gauss5x5_type();
	const struct chain chains[] = {
		{ .types = { equalize }, .devices = { device }, .actors = 1 },
		{ .types = { equalize }, .devices = { device }, .actors = 1, .delay = 3 },
		{ .types = { equalize, equalize }, .devices = { device, device }, .actors = 2 },
		{ .types = { equalize, equalize }, .devices = { device, NULL }, .actors = 2 },
		{ .types = { gauss, equalize }, .devices = { device, device }, .actors = 2 },
		{ .types = { equalize, gauss }, .devices = { device, device }, .actors = 2, .delay = 1 },
	};
	size_t counts[] = { 3 * rate, 2 * rate + rate / 2 + (rate == 1) };

	for (size_t i = 0; i < TEST_COUNT(chains); i++) {
		size_t count = counts[i & 1];
		struct chain c = chains[i];
		uint8_t *tokens = frames(rng, bytes, count);

		test_guard("a chain", test_seed());
		c.size = size;
		c.rate = rate;
		check_chain(&c, tokens, count);
		free(tokens);
	}
}

START_TEST(on_a_device)
{
	/* with rates 1 to 8 */
	static const struct pstk_frame_size sizes[] = { { 160, 120 }, { 1, 1 }, { 3, 1 }, { 16, 16 },
		{ 67, 63 }, { 129, 64 }, { 1, 9 }, { 31, 40 } };
	struct test_rng rng = { test_seed() };
	char device[80];

	if (!find_device((unsigned)_i, device, sizeof device))
		return;
	for (size_t i = 0; i < TEST_COUNT(sizes); i += TEST_SANITIZED ? TEST_COUNT(sizes) / 2 : 1)
		check_on_device(device, sizes[i], (uint32_t)i + 1, &rng);
}
END_TEST

/*
 * Calls of OpenCL that fail.
 */

/* Each call fails once, until a run has fewer. further: NULL: it has one place. Returns how many there were. */
static unsigned fail_each(const char *device, const char *further, cl_int code, int err)
{
	uint8_t tokens[2 * 16], got[2 * 16];
	unsigned failed = 0;

	for (long at = 0;; at += TEST_SANITIZED ? 3 : 1) {
		struct chain c = { .size = { 4, 4 },
			.rate = 1,
			.types = { pstk_equalize_type() },
			.devices = { device },
			.further = further,
			.actors = 1 };
		int result;

		memset(tokens, 5, sizeof tokens);
		tokens[0] = 6;
		c.in = (struct frame_stream){ .tokens = tokens, .count = 2, .token_size = 16, .rate = 1 };
		c.out = (struct frame_stream){ .tokens = got, .room = 2, .token_size = 16 };
		cl_calls.fail_at = at;
		cl_calls.code = code;
		cl_calls.calls = cl_calls.objects = 0;
		test_guard("a failing call", (uint64_t)at);
		result = run_chain(&c);
		ck_assert_int_eq(cl_calls.objects, 0);
		if (cl_calls.calls <= at) { /* it was not reached */
			ck_assert_msg(!result, "%s", c.error);
			break;
		}
		ck_assert_int_eq(result, err);
		TEST_SAYS(c.error, "'first'", "equalize", "cl", pstk_cl_error_name(code));
		failed++;
	}
	cl_calls.fail_at = -1;
	return failed;
}

/* Of a place: 1 program, 1 build, 3 kernels, 3 group sizes, 2 buffers, 8 arguments. Of a firing: 3 arguments and 3
 * launches. */
enum { CALLS_OF_PLACE = 18, CALLS_OF_FIRING = 6 };

START_TEST(failing_calls)
{
	static const struct {
		cl_int code;
		int err;
	} faults[] = { { CL_INVALID_VALUE, -EIO }, { CL_OUT_OF_RESOURCES, -ENOMEM } };
	const unsigned every = TEST_SANITIZED ? 3 : 1;
	char device[80], halves[2][96];
	struct pstk_device_info info;

	if (!find_device(4, device, sizeof device)) /* which has parts */
		return;
	for (unsigned i = 0; i < 2; i++)
		snprintf(halves[i], sizeof halves[i], "%s/%uof2", device, i + 1);
	for (size_t i = 0; i < TEST_COUNT(faults); i++) {
		ck_assert_uint_eq(fail_each(device, NULL, faults[i].code, faults[i].err),
			(CALLS_OF_PLACE + 2 * CALLS_OF_FIRING) / every);
		if (pstk_device_find(halves[0], &info, NULL, 0)) /* it can't be divided */
			continue;
		ck_assert_uint_eq(fail_each(halves[0], halves[1], faults[i].code, faults[i].err),
			(2 * CALLS_OF_PLACE + 2 * CALLS_OF_FIRING) / every);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("equalize");
	TCase *cores = test_case(suite, "cores"), *devices = test_case(suite, "devices"),
	      *faults = test_case(suite, "faults");

	tcase_add_test(cores, sizes_and_rates);
	tcase_add_test(cores, refusals);
	tcase_add_test(cores, small_frames);
	tcase_add_loop_test(devices, on_a_device, 0, TEST_COUNT(ways));
	tcase_add_loop_test(devices, moves, 0, MOVING_MEMORIES);
	tcase_add_test(faults, failing_calls);
	return test_main(suite);
}
