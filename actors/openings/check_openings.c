/* SPDX-License-Identifier: MIT */
/*
 * Against the definition, pixel by pixel, on cores and devices; and what must hold of any granulometry: it never rises,
 * an opening is idempotent and lies in the image, and a second actor goes on where the first one ended.
 */
#include "config.h"

#include "actors/common/check_stream.h"
#include "tests/common/allocation.h"
#ifdef HAVE_OPENCL
#include "actors/common/check_cl_calls.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	return pstk_openings_add(net, "tested", data);
}

/*
 * The definition, a byte a pixel.
 */

struct image {
	int w, h, d;
	bool cross;
};

TEST_ONE_THREAD static size_t pixels_of(const struct image *s)
{
	return (size_t)s->w * (size_t)s->h * (size_t)s->d;
}

TEST_ONE_THREAD static uint8_t pixel(
	const struct image *s, const uint8_t *from, int x, int y, int z, bool erode)
{
	uint8_t value = erode;

	for (int dz = -1; dz <= 1; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int a = x + dx, b = y + dy, c = z + dz;

				if (s->cross && (dx != 0) + (dy != 0) + (dz != 0) > 1)
					continue;
				if (a < 0 || b < 0 || c < 0 || a >= s->w || b >= s->h || c >= s->d)
					continue;
				if (from[(c * s->h + b) * s->w + a] != erode)
					value = !erode;
			}
	return value;
}

TEST_ONE_THREAD static void step(const struct image *s, uint8_t *image, bool erode)
{
	uint8_t *from = malloc(pixels_of(s));

	ck_assert_ptr_nonnull(from);
	memcpy(from, image, pixels_of(s));
	for (int z = 0; z < s->d; z++)
		for (int y = 0; y < s->h; y++)
			for (int x = 0; x < s->w; x++)
				image[(z * s->h + y) * s->w + x] = pixel(s, from, x, y, z, erode);
	free(from);
}

/* opened = the opening of that size; its pixels */
TEST_ONE_THREAD static uint64_t expect(
	const struct image *s, uint8_t *opened, const uint8_t *image, unsigned size)
{
	uint64_t count = 0;

	memcpy(opened, image, pixels_of(s));
	for (unsigned i = 0; i < 2 * size; i++)
		step(s, opened, i < size);
	for (size_t i = 0; i < pixels_of(s); i++)
		count += opened[i];
	return count;
}

/* Some boxes, and noise on some images: all of 0, all of 1 among them. */
TEST_ONE_THREAD static void draw(const struct image *s, uint8_t *image, struct test_rng *rng)
{
	unsigned boxes = test_between(rng, 0, 6), kind = test_between(rng, 0, 9);

	memset(image, kind == 0, pixels_of(s));
	for (unsigned i = 0; i < boxes; i++) {
		int r = (int)test_between(rng, 0, 5), x = (int)test_between(rng, 0, (uint32_t)s->w - 1),
		    y = (int)test_between(rng, 0, (uint32_t)s->h - 1),
		    z = (int)test_between(rng, 0, (uint32_t)s->d - 1);

		for (int k = 0; k < (int)pixels_of(s); k++)
			if (abs(k % s->w - x) <= r && abs(k / s->w % s->h - y) <= r &&
				abs(k / s->w / s->h - z) <= r)
				image[k] = 1;
	}
	for (size_t i = 0; kind < 4 && kind && i < pixels_of(s); i++)
		image[i] ^= test_chance(rng, kind * 3);
}

/* How bytes and bits go together has a test of its own: check_bits. */
TEST_ONE_THREAD static void pack(const struct image *s, uint64_t *bits, const uint8_t *image)
{
	pstk_bits_pack(bits, image, (uint32_t)s->w, (uint32_t)s->h, (uint32_t)s->d, 0);
}

/*
 * Random images.
 */

struct round {
	struct image s;
	struct pstk_openings_spec spec;
	size_t count, all, size,
		results; /* images, also with the tail's; u64s of an image and of a token of counts */
	uint64_t *images, *counts, *opened;
};

TEST_ONE_THREAD static void make_round(struct round *r, struct test_rng *rng, uint32_t tail)
{
	bool flat = test_chance(rng, 60);

	r->s = (struct image){ (int)test_between(rng, 1, test_chance(rng, 30) ? 150 : 20),
		(int)test_between(rng, 1, 20), flat ? 1 : (int)test_between(rng, 1, 6),
		test_chance(rng, 50) };
	r->spec = *PSTK_OPENINGS(.width = (uint32_t)r->s.w, .height = (uint32_t)r->s.h,
		.depth = flat ? test_between(rng, 0, 1) : (uint32_t)r->s.d, .last = test_between(rng, 1, 7),
		.image = test_chance(rng, 50), .element = r->s.cross);
	r->spec.first = test_between(rng, 0, r->spec.last);
	r->count = test_between(rng, 0, 6);
	r->all = r->count + tail;
	r->size = pstk_bits_size(r->spec.width, r->spec.height, (uint32_t)r->s.d) / 8;
	r->results = r->spec.last - r->spec.first + 1;
	r->images = calloc((r->all + 1) * r->size, 8);
	r->opened = calloc((r->all + 1) * r->size, 8);
	r->counts = calloc((r->all + 1) * r->results, 8);
	ck_assert(r->images && r->opened && r->counts);
}

TEST_ONE_THREAD static void expect_round(struct round *r, struct test_rng *rng)
{
	uint8_t *image = calloc(pixels_of(&r->s), 1), *opened = malloc(pixels_of(&r->s));

	ck_assert(image && opened);
	for (size_t i = 0; i < r->all; i++) {
		if (i < r->count)
			draw(&r->s, image, rng);
		else
			memset(image, 0, pixels_of(&r->s));
		pack(&r->s, r->images + i * r->size, image);
		for (unsigned n = r->spec.first; n <= r->spec.last; n++)
			r->counts[i * r->results + n - r->spec.first] = expect(&r->s, opened, image, n);
		pack(&r->s, r->opened + i * r->size, opened);
	}
	free(image);
	free(opened);
}

TEST_ONE_THREAD static void check_rounds(uint64_t rounds, const char *memory)
{
	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct stream_run run = { .way = stream_way_on(memory, &rng) };
		struct round r;

		test_guard("images", seed);
		run.way.tail %= 4;
		make_round(&r, &rng, run.way.tail);
		expect_round(&r, &rng);
		run.in[0] = (struct stream){
			.token_size = r.size * 8, .count = r.count, .tokens = (unsigned char *)r.images
		};
		run.out[0].token_size = r.results * 8;
		run.out[1].token_size = r.size * 8;
		stream_run(&run, add, &r.spec);
		stream_check(&run, 0, r.counts, r.all, seed);
		if (r.spec.image)
			stream_check(&run, 1, r.opened, r.all, seed);
		stream_free(&run);
		free(r.images);
		free(r.opened);
		free(r.counts);
	}
}

START_TEST(random_images)
{
	check_rounds(test_rounds(150), NULL);
}
END_TEST

START_TEST(on_devices)
{
	check_rounds(test_rounds(25), stream_memories[_i]);
}
END_TEST

/*
 * One image.
 */

/* The counts of sizes first .. last and, unless NULL, the last opening. */
static void open_one(const struct pstk_openings_spec *spec, const char *device, const uint64_t *image,
	uint64_t *counts, uint64_t *out)
{
	size_t size = pstk_bits_size(spec->width, spec->height, spec->depth ? spec->depth : 1);
	struct pstk_openings_spec of = *spec;
	struct stream_run run = { .way = { .steps = 1, .depth = 2, .device = device },
		.in[0] = { .token_size = size, .count = 1, .tokens = (unsigned char *)image } };

	of.image = out;
	run.way.read_rates[0] = run.way.read_rates[1] = run.way.write_rates[0] = 1;
	run.out[0].token_size = (spec->last - spec->first + 1) * sizeof(uint64_t);
	run.out[1].token_size = size;
	stream_run(&run, add, &of);
	ck_assert_uint_eq(run.out[0].count, 1);
	memcpy(counts, run.out[0].tokens, run.out[0].token_size);
	if (out)
		memcpy(out, run.out[1].tokens, size);
	stream_free(&run);
}

enum { SIDE = 128, OBJECTS = 6, SIZES = 12 };

/* tests/data/granulometry.json, and by hand: an object of radius r is gone at r + 1. */
START_TEST(known_objects)
{
	static const int objects[OBJECTS][3] = { { 20, 20, 3 }, { 20, 60, 3 }, { 60, 20, 5 }, { 60, 60, 8 },
		{ 90, 100, 8 }, { 20, 100, 1 } };
	uint8_t grey[SIDE * SIDE] = { 0 };
	uint64_t bits[SIDE * SIDE / 64], counts[SIZES];
	const bool cross = _i & 1;

	for (int i = 0; i < SIDE * SIDE; i++)
		for (int k = 0; k < OBJECTS; k++) {
			int y = abs(i / SIDE - objects[k][0]), x = abs(i % SIDE - objects[k][1]);

			if (cross ? x + y <= objects[k][2] : x <= objects[k][2] && y <= objects[k][2])
				grey[i] = 9;
		}
	pstk_bits_pack(bits, grey, SIDE, SIDE, 1, 8);
	open_one(PSTK_OPENINGS(.width = SIDE, .height = SIDE, .last = SIZES - 1, .element = cross),
		_i & 2 ? stream_device(stream_memories[0]) : NULL, bits, counts, NULL);
	for (int n = 0; n < SIZES; n++) {
		uint64_t left = 0;

		for (int k = 0; k < OBJECTS; k++) {
			int r = objects[k][2];

			if (r >= n)
				left += (uint64_t)(cross ? 2 * r * r + 2 * r + 1 : (2 * r + 1) * (2 * r + 1));
		}
		ck_assert_uint_eq(counts[n], left);
	}
	ck_assert_uint_eq(counts[0], cross ? 406 : 806);
}
END_TEST

/* An image of ones has nothing outside that could wear it off, whatever its size. */
START_TEST(ones_stay)
{
	static const struct image sizes[] = { { 1, 1, 1, false }, { 1, 9, 1, false }, { 77, 1, 1, true },
		{ 64, 3, 1, true }, { 65, 5, 2, false }, { 128, 1, 3, true } };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		const struct image *s = &sizes[i];
		uint8_t grey[800];
		uint64_t bits[64], out[64], counts[30];

		memset(grey, 1, sizeof grey);
		pack(s, bits, grey);
		open_one(PSTK_OPENINGS(.width = (uint32_t)s->w, .height = (uint32_t)s->h,
				 .depth = (uint32_t)s->d, .first = 1, .last = 30, .element = s->cross),
			_i ? stream_device(stream_memories[0]) : NULL, bits, counts, out);
		for (int n = 0; n < 30; n++)
			ck_assert_uint_eq(counts[n], pixels_of(s));
		ck_assert_mem_eq(out, bits, pstk_bits_size((uint32_t)s->w, (uint32_t)s->h, (uint32_t)s->d));
	}
}
END_TEST

TEST_ONE_THREAD static void check_properties(struct test_rng *rng)
{
	struct round r;
	uint64_t counts[8], behind[8], *out, *again;
	uint8_t *image;

	make_round(&r, rng, 1);
	image = malloc(pixels_of(&r.s));
	out = calloc(r.size, 8);
	again = calloc(r.size, 8);
	ck_assert(image && out && again);
	draw(&r.s, image, rng);
	pack(&r.s, r.images, image);
	r.spec.first = 0;
	open_one(&r.spec, NULL, r.images, counts, out);
	for (unsigned n = 0; n < r.spec.last; n++)
		ck_assert_uint_ge(counts[n], counts[n + 1]);
	for (size_t i = 0; i < r.size; i++) /* it lies in the image */
		ck_assert_uint_eq(out[i] & ~r.images[i], 0);
	for (uint32_t split = 1; split < r.spec.last; split++) { /* a second actor goes on */
		struct pstk_openings_spec front = r.spec, back = r.spec;

		front.last = split;
		back.first = split + 1;
		open_one(&front, NULL, r.images, behind, again);
		ck_assert_mem_eq(behind, counts, (split + 1) * sizeof *counts);
		open_one(&back, NULL, again, behind, NULL);
		ck_assert_mem_eq(behind, counts + split + 1, (r.spec.last - split) * sizeof *counts);
	}
	r.spec.first = r.spec.last; /* idempotent */
	open_one(&r.spec, NULL, out, behind, again);
	ck_assert_uint_eq(behind[0], counts[r.spec.last]);
	ck_assert_mem_eq(again, out, r.size * 8);
	free(image);
	free(out);
	free(again);
	free(r.images);
	free(r.opened);
	free(r.counts);
}

START_TEST(properties)
{
	uint64_t seed = test_seed();

	for (uint64_t end = seed + test_rounds(40); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };

		test_guard("properties", seed);
		check_properties(&rng);
	}
}
END_TEST

START_TEST(refusals)
{
	const struct pstk_openings_spec older = { .width = 8, .height = 8, .last = 1 };

	STREAM_REFUSES(add, NULL, -EINVAL, "'tested': its spec is NULL");
	STREAM_REFUSES(add, &older, -EINVAL, "'tested'", "struct_size", "PSTK_OPENINGS()");
	STREAM_REFUSES(add, PSTK_OPENINGS(.height = 8, .last = 1), -EINVAL, "'tested': images of 0x8x1");
	STREAM_REFUSES(add, PSTK_OPENINGS(.width = 8, .last = 1), -EINVAL, "'tested': images of 8x0x1");
	STREAM_REFUSES(add, PSTK_OPENINGS(.width = 8, .height = 8), -EINVAL, "'tested': openings 0 to 0",
		"from 1 to 65535");
	STREAM_REFUSES(add, PSTK_OPENINGS(.width = 8, .height = 8, .first = 3, .last = 2), -EINVAL,
		"'tested': openings 3 to 2", "not above it");
	STREAM_REFUSES(
		add, PSTK_OPENINGS(.width = 8, .height = 8, .last = 65536), -EINVAL, "openings 0 to 65536");
	STREAM_REFUSES(add, PSTK_OPENINGS(.width = 8, .height = 8, .last = 1, .element = 2), -EINVAL,
		"'tested': there is no element 2", "PSTK_ELEMENT_SQUARE");
	STREAM_REFUSES(
		add, PSTK_OPENINGS(.width = 64, .height = 2, .last = 1), -EINVAL, "has tokens of 16 bytes");
}
END_TEST

/* The images of firings, and what says which of them are taken. */
START_TEST(out_of_memory)
{
	test_fail_allocation((unsigned)_i + 1);
	STREAM_REFUSES(add, PSTK_OPENINGS(.width = 64, .height = 1, .first = 1, .last = 1), -ENOMEM,
		"'tested'", "out of memory for ", " x 4 images");
}
END_TEST

#ifdef HAVE_OPENCL
/*
 * Calls of OpenCL that fail.
 */

static int give_ones(struct pstk_firing *f)
{
	memset(pstk_fifo_write_start(f, 0), 1, pstk_actor_port_token_size(pstk_firing_actor(f), 0));
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) < 1 ? PSTK_AGAIN : PSTK_DONE;
}

static int drop(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* further: where it may move to, and to the cores; NULL: it stays. */
static int run_failing(const char *device, const char *further, char *error, size_t size)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u64" },
				      in = { .name = "in", .token_type = "u64" };
	struct pstk_network *net = pstk_network_create("faults");
	struct pstk_actor
		*ones = pstk_network_add(net, "ones",
			PSTK_ACTOR_TYPE(.name = "ones", .ports = &out, .port_count = 1, .fire = give_ones),
			NULL),
		*keep = pstk_network_add(net, "keep",
			PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1, .fire = drop), NULL),
		*last = pstk_network_add(net, "last",
			PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1, .fire = drop), NULL),
		*tested = pstk_openings_add(
			net, "tested", PSTK_OPENINGS(.width = 9, .height = 9, .last = 2, .image = true));
	int err;

	pstk_actor_map(tested, device);
	if (further) {
		pstk_actor_may_move(tested, further);
		pstk_actor_may_move(tested, NULL);
		pstk_actor_migrate(tested, further, 1);
	}
	pstk_connect(ones, "out", tested, "in", PSTK_FIFO(.rate = 1));
	pstk_connect(tested, "counts", keep, "in", PSTK_FIFO(.rate = 1));
	pstk_connect(tested, "out", last, "in", PSTK_FIFO(.rate = 1));
	err = pstk_network_run(net);
	snprintf(error, size, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}

/* Each call fails once, until a run has fewer. Nothing is left behind, neither at one place nor at two. */
START_TEST(failing_calls)
{
	static const struct {
		cl_int code;
		int err;
	} faults[] = { { CL_INVALID_VALUE, -EIO }, { CL_OUT_OF_RESOURCES, -ENOMEM } };
	const int fault = _i & 1, places = 1 + _i / 2;
	const char *device = stream_device(stream_memories[0]);
	struct pstk_device_info info;
	char error[512], half[96];
	unsigned failed = 0;

	snprintf(half, sizeof half, "%s/1of2", device ? device : "");
	if (!device || (places > 1 && pstk_device_find(half, &info, NULL, 0))) /* it can't be divided */
		return;
	for (long at = 0;; at += TEST_SANITIZED ? 7 : places * places) {
		int result;

		cl_calls.fail_at = at;
		cl_calls.code = faults[fault].code;
		cl_calls.calls = cl_calls.objects = 0;
		test_guard("a failing call", (uint64_t)at);
		result = run_failing(device, places > 1 ? half : NULL, error, sizeof error);
		ck_assert_int_eq(cl_calls.objects, 0);
		if (cl_calls.calls <= at) { /* it was not reached */
			ck_assert_msg(!result, "%s", error);
			break;
		}
		ck_assert_msg(result == faults[fault].err, "call %ld: %d, %s", at, result, error);
		TEST_SAYS(error, "'tested'", "openings", "cl", pstk_cl_error_name(faults[fault].code));
		failed++;
	}
	cl_calls.fail_at = -1;
	ck_assert_uint_gt(failed, TEST_SANITIZED ? 10 : places > 1 ? 25 : 70);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("openings");
	TCase *tcase = test_case(suite, "openings");

	tcase_add_test(tcase, random_images);
	tcase_add_loop_test(tcase, known_objects, 0, 4);
	tcase_add_loop_test(tcase, ones_stay, 0, 2);
	tcase_add_test(tcase, properties);
	tcase_add_test(tcase, refusals);
	tcase_add_loop_test(tcase, out_of_memory, 0, 2);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
#ifdef HAVE_OPENCL
	tcase_add_loop_test(tcase, failing_calls, 0, 4);
#endif
	return test_main(suite);
}
