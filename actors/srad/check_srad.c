/* SPDX-License-Identifier: MIT */
/*
 * SRAD: each stage on random pictures of odd sizes against its formulas in double precision; whole pipelines against
 * Rodinia's pictures; configurations without a device, and stages and loop, bit for bit against each other.
 */
#include "config.h"

#include "actors/common/check_staged.h"
#include "actors/common/check_stream.h"
#include "actors/srad/check_diffusion.h"
#include "actors/srad/check_lines.h"
#include "actors/srad/diffusion.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Single stages.
 */

struct stage {
	const struct pstk_actor_type *(*type)(void);
	unsigned inputs;
	size_t bytes[3];  /* of a pixel; 0: statistics */
	double tolerance; /* of a value */
};

enum { EXTRACT, PREPARE, REDUCE, SRAD1, SRAD2, COMPRESS, LOOP, STAGES };

static const struct stage stages[STAGES] = {
	[EXTRACT] = { pstk_srad_extract_type, 1, { 1, 4 }, 1e-6 },
	[PREPARE] = { pstk_srad_prepare_type, 1, { 4, 4 }, 1e-6 },
	[REDUCE] = { pstk_srad_reduce_type, 2, { 4, 4, 0 }, 2e-6 },
	[SRAD1] = { pstk_srad1_type, 2, { 4, 0, 4 }, 1e-4 },
	[SRAD2] = { pstk_srad2_type, 2, { 4, 4, 4 }, 1e-6 },
	[COMPRESS] = { pstk_srad_compress_type, 1, { 4, 1 }, 1 },
	[LOOP] = { pstk_srad_loop_type, 1, { 4, 4 }, 2e-5 },
};

enum { LOOPS = 5 };

/* With the largest parameters: the others' are in front. */
struct added {
	const struct stage *stage;
	struct pstk_srad_loop_arg arg;
};

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	const struct added *a = data;

	return pstk_network_add(net, "tested", a->stage->type(), (void *)(uintptr_t)&a->arg);
}

static size_t token_of(const struct added *a, unsigned port)
{
	size_t each = a->stage->bytes[port];

	return each ? pstk_sized_bytes(each * a->arg.size.width * a->arg.size.height) : PSTK_SRAD_STATS_BYTES;
}

/* A picture with what each stage gives of it. */
struct picture {
	struct diffusion d;
	uint8_t *frame;
	double *map, *squares, *c, *stepped, *looped;
};

/* Speckle on steps; one in five is flat. */
static void draw(struct test_rng *rng, uint8_t *frame, size_t w, size_t h)
{
	unsigned level = test_between(rng, 0, 255), kind = test_between(rng, 0, 4);

	for (size_t i = 0; i < w * h; i++) {
		unsigned step = kind ? 40 + 100 * (i % w > w / 2) : level, noise = kind ? 100 : 0;

		frame[i] = (uint8_t)(step + (noise ? test_between(rng, 0, noise) : 0));
	}
}

static double *room(const struct diffusion *d)
{
	double *map = malloc(d->w * d->h * sizeof *map);

	ck_assert_ptr_nonnull(map);
	return map;
}

/* As floats have it: what a stage is given. */
static void round_map(double *map, size_t n)
{
	for (size_t i = 0; i < n; i++)
		map[i] = (float)map[i];
}

static struct picture make_picture(struct test_rng *rng, size_t w, size_t h, double lambda)
{
	struct picture p = { .d = { w, h, 0, 0, 0 }, .frame = malloc(w * h) };
	struct diffusion loop = p.d;

	ck_assert_ptr_nonnull(p.frame);
	draw(rng, p.frame, w, h);
	p.map = room(&p.d);
	p.squares = room(&p.d);
	p.c = room(&p.d);
	p.stepped = room(&p.d);
	p.looped = room(&p.d);
	diffusion_extract(p.map, p.frame, &p.d);
	round_map(p.map, w * h);
	for (size_t i = 0; i < w * h; i++)
		p.squares[i] = p.map[i] * p.map[i];
	diffusion_measure(&p.d, p.map);
	diffusion_coefficients(p.c, p.map, &p.d);
	round_map(p.c, w * h);
	diffusion_step(p.stepped, p.map, p.c, lambda, &p.d);
	memcpy(p.looped, p.map, w * h * sizeof *p.map);
	diffusion_iterate(p.looped, lambda, LOOPS, &loop);
	return p;
}

static void free_picture(struct picture *p)
{
	free(p->frame);
	free(p->map);
	free(p->squares);
	free(p->c);
	free(p->stepped);
	free(p->looped);
}

/* A sized token of a map, of bytes or of statistics. */
static void put(unsigned char *token, const struct picture *p, const double *values, const uint8_t *bytes)
{
	const size_t n = p->d.w * p->d.h;

	pstk_sized_set(token, (uint32_t)p->d.w, (uint32_t)p->d.h);
	token += PSTK_SIZED_HEAD;
	if (bytes) {
		memcpy(token, bytes, n);
	} else if (values) {
		for (size_t i = 0; i < n; i++)
			((float *)(void *)token)[i] = (float)values[i];
	} else {
		float stats[4] = { (float)p->d.mean, (float)p->d.variance, (float)p->d.q0, 0 };

		memcpy(token, stats, sizeof stats);
	}
}

static void put_inputs(
	const struct added *a, const struct picture *p, unsigned char *first, unsigned char *second)
{
	unsigned kind = (unsigned)(a->stage - stages);

	put(first, p, kind == COMPRESS ? p->looped : p->map, kind == EXTRACT ? p->frame : NULL);
	if (kind == REDUCE)
		put(second, p, p->squares, NULL);
	else if (kind == SRAD1)
		put(second, p, NULL, NULL);
	else if (kind == SRAD2)
		put(second, p, p->c, NULL);
}

static void check_values(
	const struct added *a, const struct picture *p, const unsigned char *token, uint64_t seed)
{
	const unsigned kind = (unsigned)(a->stage - stages);
	const double *const wanted[STAGES] = { p->map, p->squares, NULL, p->c, p->stepped, p->looped,
		p->looped };
	const float *got = (const float *)(const void *)(token + PSTK_SIZED_HEAD);

	ck_assert_uint_eq(pstk_sized_get(token).width, p->d.w);
	ck_assert_uint_eq(pstk_sized_get(token).height, p->d.h);
	if (kind == REDUCE) {
		ck_assert_double_eq_tol(got[0], p->d.mean, 1e-6 * p->d.mean);
		ck_assert_double_eq_tol(got[1], p->d.variance, a->stage->tolerance);
		ck_assert_double_eq_tol(got[2], p->d.q0, a->stage->tolerance);
		ck_assert(p->d.q0 > 0 || (got[1] == 0 && got[2] == 0));
		return;
	}
	for (size_t i = 0; i < p->d.w * p->d.h; i++) {
		double value = kind == COMPRESS ? token[PSTK_SIZED_HEAD + i] : (double)got[i];
		double want = kind == COMPRESS ? floor(log(wanted[kind][i]) * 255) : wanted[kind][i];

		ck_assert_msg(fabs(value - want) <= a->stage->tolerance * (kind == PREPARE ? 7.4 : 2.8),
			"PENSTOCK_TEST_SEED=%llu: stage %u, %zux%zu, pixel %zu: %g, not %g",
			(unsigned long long)seed, kind, p->d.w, p->d.h, i, value, want);
	}
}

static void check_stage(const struct added *a, struct test_rng *rng, const char *memory, uint64_t seed)
{
	enum { TOKENS = 4 };
	struct stream_run run = { .way = stream_way_on(memory, rng) };
	struct picture pictures[TOKENS];

	run.way.tail %= 3;
	for (unsigned i = 0; i < a->stage->inputs; i++) {
		run.in[i].token_size = token_of(a, i);
		run.in[i].count = TOKENS;
		run.in[i].tokens = calloc(TOKENS, run.in[i].token_size);
		ck_assert_ptr_nonnull(run.in[i].tokens);
	}
	run.out[0].token_size = token_of(a, a->stage->inputs);
	for (size_t k = 0; k < TOKENS; k++) {
		pictures[k] = make_picture(rng, test_between(rng, 1, a->arg.size.width),
			test_between(rng, 1, a->arg.size.height), (double)a->arg.lambda);
		put_inputs(a, &pictures[k], run.in[0].tokens + k * run.in[0].token_size,
			run.in[1].tokens + k * run.in[1].token_size);
	}
	stream_run(&run, add, a);
	ck_assert_uint_eq(run.out[0].count, TOKENS + run.way.tail);
	for (size_t k = 0; k < TOKENS; k++) {
		check_values(a, &pictures[k], run.out[0].tokens + k * run.out[0].token_size, seed);
		free_picture(&pictures[k]);
	}
	stream_free(&run);
	for (unsigned i = 0; i < a->stage->inputs; i++)
		free(run.in[i].tokens);
}

static void check_stages(uint64_t rounds, const char *memory)
{
	static const struct pstk_frame_size sizes[] = { { 1, 1 }, { 1, 9 }, { 7, 1 }, { 2, 2 }, { 63, 129 },
		{ 65, 3 } };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++)
		for (unsigned kind = 0; kind < STAGES; kind++) {
			struct test_rng rng = { test_mix(seed * STAGES + kind) };
			struct added a = { &stages[kind],
				{ { test_between(&rng, 1, 70), test_between(&rng, 1, 40) },
					(float)test_between(&rng, 1, 8) / 8, LOOPS } };

			test_guard("stages", seed);
			if (seed % 2)
				a.arg.size = sizes[seed / 2 % TEST_COUNT(sizes)];
			check_stage(&a, &rng, memory, seed);
		}
}

START_TEST(random_pictures)
{
	check_stages(test_rounds(60), NULL);
}
END_TEST

START_TEST(random_pictures_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_stages(test_rounds(12), stream_memories[_i]);
}
END_TEST

/* Of Rodinia's picture, whose q0 is known in double precision; device: NULL: the cores. */
static void check_reduction(const char *device)
{
	static const double mean = 1.552872669683111, q0 = 0.05132018609602001;
	struct added a = { &stages[REDUCE], { { 458, 502 }, .5f, 1 } };
	struct stream_run run = { .way = { .steps = 1, .depth = 2, .device = device } };
	struct picture p = { .d = { 458, 502, 0, 0, 0 }, .map = NULL };
	uint32_t w, h;
	float plain = 0, squares = 0;
	const float *got;

	p.frame = staged_read_pgm("srad/in.pgm", &w, &h);
	p.map = room(&p.d);
	p.squares = room(&p.d);
	diffusion_extract(p.map, p.frame, &p.d);
	round_map(p.map, (size_t)w * h);
	for (size_t i = 0; i < (size_t)w * h; i++) {
		p.squares[i] = p.map[i] * p.map[i];
		plain += (float)p.map[i];
		squares += (float)p.squares[i];
	}
	for (unsigned i = 0; i < 2; i++) {
		run.in[i] = (struct stream){ .token_size = token_of(&a, i), .count = 1 };
		run.in[i].tokens = calloc(1, run.in[i].token_size);
		ck_assert_ptr_nonnull(run.in[i].tokens);
	}
	put_inputs(&a, &p, run.in[0].tokens, run.in[1].tokens);
	run.way.write_rates[0] = run.way.write_rates[1] = run.way.read_rates[0] = 1;
	run.out[0].token_size = token_of(&a, 2);
	stream_run(&run, add, &a);
	got = (const float *)(const void *)(run.out[0].tokens + PSTK_SIZED_HEAD);
	plain /= (float)(w * h);
	printf("%s: q0 %.9g, in double precision %.9g, by plain sums in single precision %.9g\n",
		device ? device : "cores", (double)got[2], q0,
		(double)(squares / (float)(w * h) / (plain * plain) - 1));
	ck_assert_double_eq_tol((double)got[0], mean, 2e-7);
	ck_assert_double_eq_tol((double)got[2], q0, 1e-8);
	stream_free(&run);
	free(run.in[0].tokens);
	free(run.in[1].tokens);
	free_picture(&p);
}

START_TEST(reduction)
{
	const char *device = _i ? stream_device("map") : NULL;

	if (device || !_i)
		check_reduction(device);
}
END_TEST

/*
 * Pipelines.
 */

static bool same_frames(const void *a, const void *b)
{
	return staged_same(a, b, 1);
}

/* Random pictures of several sizes, one behind the other. */
static struct staged_tokens make_frames(
	struct test_rng *rng, const struct pstk_frame_size *largest, size_t count)
{
	struct staged_tokens t = { pstk_sized_bytes((size_t)largest->width * largest->height), count, NULL };

	t.data = calloc(count, t.bytes);
	ck_assert_ptr_nonnull(t.data);
	for (size_t i = 0; i < count; i++) {
		uint32_t w = test_between(rng, 1, largest->width), h = test_between(rng, 1, largest->height);
		unsigned char *token = t.data + i * t.bytes;

		pstk_sized_set(token, w, h);
		draw(rng, token + PSTK_SIZED_HEAD, w, h);
	}
	return t;
}

/* Bit for bit: one core, two, as many threads as there may be, all cores on one picture; and stages or a loop. */
START_TEST(cores_agree)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(4); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct lines lines = { { test_between(&rng, 1, 90), test_between(&rng, 1, 140) }, .5f,
			test_between(&rng, 1, 3), false };
		struct staged_run run = { .build = lines_build, .data = &lines }, looped;

		test_guard("cores", seed);
		run.in = make_frames(&rng, &lines.size, 24);
		run.out.bytes = run.in.bytes;
		staged_cores(&run, same_frames);
		staged_shortest(&run, same_frames);
		looped = run;
		lines.loop = true;
		staged_cores(&looped, same_frames);
		ck_assert_uint_eq(run.out.count, looped.out.count);
		for (size_t i = 0; i < run.out.count; i++)
			ck_assert(same_frames(
				run.out.data + i * run.out.bytes, looped.out.data + i * run.out.bytes));
		staged_free(&run);
		staged_free(&looped);
		free(run.in.data);
	}
}
END_TEST

/* Rodinia's pictures. */
static void check_reference(unsigned iterations, bool loop, const char *device, const char *configuration)
{
	struct lines lines = { { 458, 502 }, .5f, iterations, loop };
	struct staged_run run = { .build = lines_build,
		.data = &lines,
		.device = device,
		.configuration = configuration,
		.cores = 2 };
	uint32_t w, h, different = 0;
	char name[32];
	uint8_t *in = staged_read_pgm("srad/in.pgm", &w, &h), *want;

	run.in = (struct staged_tokens){ pstk_sized_bytes((size_t)w * h), 1, NULL };
	run.in.data = staged_frame(in, w, h, run.in.bytes);
	run.out.bytes = run.in.bytes;
	staged_go(&run);
	ck_assert_uint_eq(run.out.count, 1);
	snprintf(name, sizeof name, "srad/out%u.pgm", iterations);
	want = staged_read_pgm(name, &w, &h);
	for (size_t i = 0; i < (size_t)w * h; i++) {
		int got = run.out.data[PSTK_SIZED_HEAD + i];

		ck_assert_int_le(abs(got - want[i]), 1);
		different += got != want[i];
	}
	printf("%u iterations, %s, %s: %u of %u pixels differ by 1\n", iterations, loop ? "loop" : "stages",
		configuration, (unsigned)different, (unsigned)(w * h));
	ck_assert_uint_le(different, w * h / 1000);
	staged_free(&run);
	free(run.in.data);
	free(in);
	free(want);
}

START_TEST(rodinia)
{
	check_reference(1, false, NULL, "CG:000000:1");
	check_reference(1, true, NULL, "MG:000");
	check_reference(10, true, NULL, "CG:000:2");
	check_reference(100, true, NULL, "MG:000");
}
END_TEST

START_TEST(rodinia_on_a_device)
{
	const char *device = stream_device("map");

	if (!device)
		return;
	check_reference(1, false, device, "DP-CG:111111:1");
	check_reference(1, true, device, "DP-CG:111:1");
	check_reference(10, true, device, "DP-CG:111:1");
	check_reference(100, true, device, "CP-CG:010:1");
}
END_TEST

/* On a device a pixel may be one grey level off. */
static bool near_frames(const void *a, const void *b)
{
	struct pstk_frame_size size = pstk_sized_get(a), other = pstk_sized_get(b);
	const uint8_t *x = (const uint8_t *)a + PSTK_SIZED_HEAD, *y = (const uint8_t *)b + PSTK_SIZED_HEAD;

	if (size.width != other.width || size.height != other.height)
		return false;
	for (size_t i = 0; i < (size_t)size.width * size.height; i++)
		if (abs(x[i] - y[i]) > 1)
			return false;
	return true;
}

/* All configurations of the six stages and of a loop, or some of them. */
START_TEST(configurations)
{
	const char *device = staged_device((unsigned)_i);
	struct test_rng rng = { test_mix(test_seed()) };
	struct lines lines = { { 63, 129 }, .5f, 1, false };
	struct staged_run run = { .build = lines_build, .data = &lines };

	if (!device)
		return;
	run.in = make_frames(&rng, &lines.size, 6);
	run.out.bytes = run.in.bytes;
	staged_configurations(&run, device, 24, same_frames, near_frames);
	lines.iterations = 5;
	lines.loop = true;
	staged_configurations(&run, device, 8, same_frames, near_frames);
	free(run.in.data);
}
END_TEST

/* One grey level, one pixel, one row: each level stays what it is, on the device, too. */
static void check_levels(uint32_t w, uint32_t h, bool loop, const char *device)
{
	struct lines lines = { { w, h }, 1, loop ? 9 : 1, loop };
	struct staged_run run = { .build = lines_build, .data = &lines, .cores = 1, .device = device };

	run.configuration = device ? loop ? "DP-CG:111:1" : "DP-CG:111111:1"
	                    : loop ? "CG:000:1"
	                           : "CG:000000:1";
	run.in = (struct staged_tokens){ pstk_sized_bytes((size_t)w * h), 256, NULL };
	run.in.data = calloc(256, run.in.bytes);
	run.out.bytes = run.in.bytes;
	for (unsigned level = 0; level < 256; level++) {
		unsigned char *token = run.in.data + level * run.in.bytes;

		pstk_sized_set(token, w, h);
		memset(token + PSTK_SIZED_HEAD, (int)level, (size_t)w * h);
	}
	staged_go(&run);
	ck_assert_uint_eq(run.out.count, 256);
	for (size_t i = 0; i < 256; i++)
		ck_assert(same_frames(run.in.data + i * run.in.bytes, run.out.data + i * run.out.bytes));
	staged_free(&run);
	free(run.in.data);
}

START_TEST(flat_pictures)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 5, 1 }, { 1, 5 }, { 31, 17 }, { 300, 1 } };
	const char *device = _i & 2 ? stream_device("map") : NULL;

	for (unsigned i = 0; i < TEST_COUNT(sizes); i++)
		if (device || !(_i & 2))
			check_levels(sizes[i][0], sizes[i][1], _i & 1, device);
}
END_TEST

/*
 * What is refused.
 */

START_TEST(refusals)
{
	struct added a = { &stages[SRAD2], { { 8, 8 }, 0, 1 } };
	const struct added zero = { &stages[LOOP], { { 8, 8 }, .5f, 0 } };

	for (unsigned kind = 0; kind < STAGES; kind++) {
		const struct added small = { &stages[kind], { { 8, 8 }, .5f, 1 } };

		STREAM_REFUSES(add, &small, -EINVAL, "'tested'", "port 'in' has tokens of 8 bytes",
			"a picture of 8x8 pixels", "pstk_sized_bytes(");
	}
	STREAM_REFUSES(add, &a, -EINVAL, "'tested'", "lambda is 0", "above 0, at most 1");
	a.arg.lambda = 1.5f;
	STREAM_REFUSES(add, &a, -EINVAL, "'tested'", "lambda");
	a.arg.lambda = NAN;
	a.stage = &stages[LOOP];
	STREAM_REFUSES(add, &a, -EINVAL, "'tested'", "lambda");
	STREAM_REFUSES(add, &zero, -ERANGE, "'tested'", "'iterations' is not in its range");
}
END_TEST

START_TEST(too_large)
{
	struct lines lines = { { 8, 6 }, .5f, 1, false };
	struct staged_run run = {
		.build = lines_build, .data = &lines, .cores = 1, .configuration = "CG:000000:1"
	};
	uint8_t pixels[48] = { 0 };
	char error[512];

	run.in = (struct staged_tokens){ pstk_sized_bytes(48), 1, NULL };
	run.in.data = staged_frame(pixels, 6, 8, run.in.bytes);
	run.out.bytes = run.in.bytes;
	ck_assert_int_eq(staged_fail(&run, error, sizeof error), -EINVAL);
	TEST_SAYS(error, "'extract'", "a frame of 6 x 8 pixels: the largest is 8 x 6");
	staged_free(&run);
	free(run.in.data);
}
END_TEST

/* The memory of firings, and what says which of it is taken. */
START_TEST(out_of_memory)
{
	struct lines lines = { { 3, 2 }, .5f, 1, true };
	struct staged_run run = {
		.build = lines_build, .data = &lines, .cores = 1, .configuration = "CG:000:1"
	};
	uint8_t pixels[6] = { 0 };
	char error[512];

	run.in = (struct staged_tokens){ pstk_sized_bytes(6), 1, NULL };
	run.in.data = staged_frame(pixels, 3, 2, run.in.bytes);
	run.out.bytes = run.in.bytes;
	test_fail_allocation((unsigned)_i + 1);
	ck_assert_int_eq(staged_fail(&run, error, sizeof error), -ENOMEM);
	TEST_SAYS(error, "'loop'", "out of memory for 2 x a map and rows");
	staged_free(&run);
	free(run.in.data);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("srad");
	TCase *c = test_case(suite, "stages"), *devices = test_case(suite, "devices");

	tcase_add_test(c, random_pictures);
	tcase_add_loop_test(c, reduction, 0, 1);
	tcase_add_test(c, refusals);
	tcase_add_test(c, too_large);
	tcase_add_loop_test(c, out_of_memory, 0, 2);
	c = test_case(suite, "pipelines");
	tcase_add_test(c, cores_agree);
	tcase_add_test(c, rodinia);
	tcase_add_loop_test(c, flat_pictures, 0, 2);
	tcase_add_loop_test(devices, random_pictures_on_devices, 0, STREAM_MEMORIES);
	tcase_add_loop_test(devices, flat_pictures, 2, 4);
	tcase_add_loop_test(devices, reduction, 1, 2);
	tcase_add_loop_test(devices, configurations, 0, STAGED_DEVICES);
	tcase_add_test(devices, rodinia_on_a_device);
	return test_main(suite);
}
