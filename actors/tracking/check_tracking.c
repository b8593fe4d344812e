/* SPDX-License-Identifier: MIT */
/*
 * Tracking: each stage on random frames of odd sizes against its formulas, features bit for bit and in order; the
 * frames of SD-VBS; frames that were moved by known amounts; configurations without a device against each other.
 */
#include "config.h"

#include "actors/common/check_staged.h"
#include "actors/common/check_stream.h"
#include "actors/tracking/check_tracks.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Corners on noise; one in six is flat. */
static uint8_t *draw(struct test_rng *rng, uint32_t w, uint32_t h)
{
	uint8_t *frame = malloc((size_t)w * h);
	unsigned kind = test_between(rng, 0, 5), cell = test_between(rng, 3, 17);

	ck_assert_ptr_nonnull(frame);
	for (uint32_t i = 0; i < w * h; i++) {
		unsigned x = i % w, y = i / w, corner = (x / cell + y / cell) % 2;

		frame[i] = (uint8_t)(kind ? 60 + 90 * corner + test_between(rng, 0, 20 * kind) : 99);
	}
	return frame;
}

static size_t levels_bytes(const struct pstk_tracking_spec *s)
{
	return pstk_sized_bytes(sizeof(float) * pstk_levels_count(s->width, s->height));
}

/*
 * Single stages.
 */

static struct pstk_actor *add_preprocess(struct pstk_network *net, const void *data)
{
	const struct pstk_tracking_spec *s = data;
	struct pstk_frame_size largest = { s->width, s->height };

	return pstk_network_add(net, "tested", pstk_preprocess_type(), &largest);
}

static struct pstk_actor *add_features(struct pstk_network *net, const void *data)
{
	return pstk_features_add(net, "tested", data);
}

static struct pstk_actor *add_track(struct pstk_network *net, const void *data)
{
	return pstk_track_add(net, "tested", data);
}

enum { PAIRS = 3, FRAMES = 2 * PAIRS };

/* Pairs of frames, of one size each, mostly. */
struct frames {
	struct pstk_tracking_spec spec;
	uint8_t *frame[FRAMES];
	struct tracks_levels levels[FRAMES];
	unsigned char *tokens; /* levels */
};

/* The second one of a pair is the first one, moved, with noise. */
static uint8_t *move(struct test_rng *rng, const uint8_t *from, uint32_t w, uint32_t h)
{
	int dx = (int)test_between(rng, 0, 4) - 2, dy = (int)test_between(rng, 0, 4) - 2;
	uint8_t *frame = malloc((size_t)w * h);

	ck_assert_ptr_nonnull(frame);
	for (int i = 0; i < (int)(w * h); i++) {
		int x = i % (int)w - dx, y = i / (int)w - dy;

		x = x < 0 ? 0 : x >= (int)w ? (int)w - 1 : x;
		y = y < 0 ? 0 : y >= (int)h ? (int)h - 1 : y;
		frame[i] = (uint8_t)(from[y * (int)w + x] ^ (test_chance(rng, 20) ? 1 : 0));
	}
	return frame;
}

static void make_frames(struct frames *f, struct test_rng *rng)
{
	const size_t bytes = levels_bytes(&f->spec);
	uint32_t w = 0, h = 0;

	f->tokens = malloc(FRAMES * bytes);
	ck_assert_ptr_nonnull(f->tokens);
	for (unsigned i = 0; i < FRAMES; i++) {
		unsigned char *token;

		if (i % 2 == 0) {
			w = test_between(rng, 1, f->spec.width);
			h = test_between(rng, 1, f->spec.height);
			if (test_chance(rng, 60)) {
				w = f->spec.width;
				h = f->spec.height;
			}
		}
		f->frame[i] = i % 2 ? move(rng, f->frame[i - 1], w, h) : draw(rng, w, h);
		f->levels[i] = tracks_make(f->frame[i], (int)w, (int)h);
		token = tracks_token(&f->levels[i], bytes);
		memcpy(f->tokens + i * bytes, token, bytes);
		free(token);
	}
}

static void free_frames(struct frames *f)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		free(f->frame[i]);
		tracks_free(&f->levels[i]);
	}
	free(f->tokens);
}

static void check_preprocess(const struct frames *f, struct stream_way *way, uint64_t seed)
{
	struct stream_run run = { .way = *way };

	run.in[0].token_size = pstk_sized_bytes((size_t)f->spec.width * f->spec.height);
	run.in[0].count = FRAMES;
	run.in[0].tokens = calloc(FRAMES, run.in[0].token_size);
	run.out[0].token_size = levels_bytes(&f->spec);
	for (unsigned i = 0; i < FRAMES; i++) {
		const struct tracks_plane *p = &f->levels[i].at[0][0];
		unsigned char *token = run.in[0].tokens + i * run.in[0].token_size;

		pstk_sized_set(token, (uint32_t)p->w, (uint32_t)p->h);
		memcpy(token + PSTK_SIZED_HEAD, f->frame[i], (size_t)(p->w * p->h));
	}
	stream_run(&run, add_preprocess, &f->spec);
	ck_assert_uint_eq(run.out[0].count, FRAMES + run.way.tail);
	for (unsigned i = 0; i < FRAMES; i++) {
		const unsigned char *token = run.out[0].tokens + i * run.out[0].token_size;
		const float *got = (const float *)(const void *)(token + PSTK_SIZED_HEAD);

		ck_assert_uint_eq(pstk_sized_get(token).width, f->levels[i].at[0][0].w);
		ck_assert_uint_eq(pstk_sized_get(token).height, f->levels[i].at[0][0].h);
		for (int k = 0; k < 6; k++) { /* all but the small gradients are exact */
			const struct tracks_plane *p = &f->levels[i].at[k / 3][k % 3];

			for (int at = 0; at < p->w * p->h; at++, got++)
				ck_assert_msg(fabs(*got - p->p[at]) <= (k > 3 ? 2e-5 : 0),
					"PENSTOCK_TEST_SEED=%llu: frame %u, part %d, %dx%d, pixel %d: %.9g, "
					"not %.9g",
					(unsigned long long)seed, i, k, p->w, p->h, at, (double)*got,
					p->p[at]);
		}
	}
	stream_free(&run);
	free(run.in[0].tokens);
}

/* Levels in pairs, and what else; the way without rates that would end within a pair. */
static struct stream_run pair_run(const struct frames *f, struct stream_way *way)
{
	struct stream_run run = { .way = *way };

	run.way.tail = 0;
	run.in[0] =
		(struct stream){ .token_size = levels_bytes(&f->spec), .count = FRAMES, .tokens = f->tokens };
	run.out[0].token_size = pstk_tracking_found_bytes(&f->spec);
	return run;
}

static void check_features(const struct frames *f, struct stream_way *way, uint64_t seed)
{
	struct stream_run run = pair_run(f, way);

	stream_run(&run, add_features, &f->spec);
	ck_assert_uint_eq(run.out[0].count, PAIRS);
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct pstk_found *found =
			(const void *)(run.out[0].tokens + i * run.out[0].token_size);
		const struct pstk_feature *got = pstk_found_features(found);
		uint32_t w = (uint32_t)f->levels[2 * i].at[0][0].w,
			 window = pstk_tracking_window(&f->spec, w);
		struct pstk_feature want[600];
		unsigned count = tracks_features(&f->levels[2 * i], (int)window,
			pstk_tracking_features(&f->spec, w), (int)f->spec.radius, want);

		ck_assert_uint_eq(found->window, window);
		ck_assert_msg(found->count == count, "PENSTOCK_TEST_SEED=%llu: pair %u: %u features, not %u",
			(unsigned long long)seed, i, (unsigned)found->count, count);
		for (unsigned k = 0; k < count; k++)
			ck_assert_msg(got[k].x == want[k].x && got[k].y == want[k].y &&
					      got[k].strength == want[k].strength,
				"PENSTOCK_TEST_SEED=%llu: pair %u, feature %u: (%g %g) %.9g, not (%g %g) "
				"%.9g",
				(unsigned long long)seed, i, k, (double)got[k].x, (double)got[k].y,
				(double)got[k].strength, (double)want[k].x, (double)want[k].y,
				(double)want[k].strength);
	}
	stream_free(&run);
}

/* Features at random places, not only where there are corners. */
static void check_track(const struct frames *f, struct stream_way *way, struct test_rng *rng, uint64_t seed)
{
	enum { COUNT = 12 };
	struct stream_run run = pair_run(f, way);

	run.in[1].token_size = run.out[0].token_size;
	run.in[1].count = PAIRS;
	run.in[1].tokens = calloc(PAIRS, run.in[1].token_size);
	ck_assert_ptr_nonnull(run.in[1].tokens);
	for (unsigned i = 0; i < PAIRS; i++) {
		struct pstk_found *found = (void *)(run.in[1].tokens + i * run.in[1].token_size);
		struct pstk_feature *features = (struct pstk_feature *)(found + 1);

		found->count = f->spec.features < COUNT ? f->spec.features : COUNT;
		for (unsigned k = 0; k < found->count; k++)
			features[k] =
				(struct pstk_feature){ (float)test_between(rng, 0, f->spec.width * 4) / 4,
					(float)test_between(rng, 0, f->spec.height * 4) / 4, 1, 0 };
	}
	stream_run(&run, add_track, &f->spec);
	ck_assert_uint_eq(run.out[0].count, PAIRS);
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct pstk_found *in = (const void *)(run.in[1].tokens + i * run.in[1].token_size),
					*out = (const void *)(run.out[0].tokens + i * run.out[0].token_size);
		const struct pstk_track *got = pstk_found_tracks(out), *end = got + out->count;
		uint32_t w = (uint32_t)f->levels[2 * i].at[0][0].w;

		for (unsigned k = 0; k < in->count; k++) {
			const struct pstk_feature *from = &pstk_found_features(in)[k];
			double to[2];
			bool edge,
				there = tracks_follow(&f->levels[2 * i], &f->levels[2 * i + 1],
					(int)pstk_tracking_window(&f->spec, w),
					(int)pstk_tracking_rounds(&f->spec, w), (double)from->x,
					(double)from->y, to, &edge),
				here = got < end && got->x == from->x && got->y == from->y;

			ck_assert_msg(edge || here == there,
				"PENSTOCK_TEST_SEED=%llu: pair %u: (%g %g) is %s", (unsigned long long)seed,
				i, (double)from->x, (double)from->y, there ? "lost" : "not lost");
			if (here && there && !edge)
				ck_assert_msg(
					fabs(got->to_x - to[0]) <= 0.02 && fabs(got->to_y - to[1]) <= 0.02,
					"PENSTOCK_TEST_SEED=%llu: (%g %g) -> (%g %g), not (%g %g)",
					(unsigned long long)seed, (double)from->x, (double)from->y,
					(double)got->to_x, (double)got->to_y, to[0], to[1]);
			got += here;
		}
		ck_assert_ptr_eq(got, end);
	}
	stream_free(&run);
	free(run.in[1].tokens);
}

static void check_stages(uint64_t rounds, const char *memory)
{
	static const struct pstk_frame_size sizes[] = { { 1, 1 }, { 5, 5 }, { 63, 129 }, { 9, 40 },
		{ 41, 6 } };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct stream_way way = stream_way_on(memory, &rng);
		struct frames f = {
			.spec = *PSTK_TRACKING(.width = test_between(&rng, 1, 90),
				.height = test_between(&rng, 1, 60), .window = test_between(&rng, 2, 9),
				.features = test_between(&rng, 1, 300), .radius = test_between(&rng, 1, 12),
				.rounds = test_between(&rng, 1, 20))
		};

		test_guard("stages", seed);
		if (seed % 2) {
			f.spec.width = sizes[seed / 2 % TEST_COUNT(sizes)].width;
			f.spec.height = sizes[seed / 2 % TEST_COUNT(sizes)].height;
		}
		way.tail %= 3;
		make_frames(&f, &rng);
		check_preprocess(&f, &way, seed);
		check_features(&f, &way, seed);
		check_track(&f, &way, &rng, seed);
		free_frames(&f);
	}
}

START_TEST(random_frames)
{
	check_stages(test_rounds(60), NULL);
}
END_TEST

START_TEST(random_frames_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_stages(test_rounds(15), stream_memories[_i]);
}
END_TEST

/*
 * Pipelines.
 */

static unsigned build(struct pstk_network *net, const void *data, struct pstk_actor **stages)
{
	const struct pstk_tracking_spec *s = data;
	struct pstk_frame_size largest = { s->width, s->height };

	stages[0] = pstk_network_add(net, "preprocess", pstk_preprocess_type(), &largest);
	stages[1] = pstk_features_add(net, "features", s);
	stages[2] = pstk_track_add(net, "track", s);
	pstk_connect(stages[0], "out", stages[1], "in", PSTK_FIFO(.rate = 2, .token_size = levels_bytes(s)));
	pstk_connect(
		stages[0], "out", stages[2], "levels", PSTK_FIFO(.rate = 2, .token_size = levels_bytes(s)));
	pstk_connect(stages[1], "out", stages[2], "features",
		PSTK_FIFO(.rate = 1, .token_size = pstk_tracking_found_bytes(s)));
	return 3;
}

static bool same_tracks(const void *a, const void *b)
{
	const struct pstk_found *x = a, *y = b;

	return x->size.width == y->size.width && x->size.height == y->size.height && x->count == y->count &&
	       !memcmp(x + 1, y + 1, x->count * sizeof(struct pstk_track));
}

static bool near_tracks(const void *a, const void *b)
{
	const struct pstk_found *one = a, *other = b;

	if (one->count != other->count)
		return false;
	for (uint32_t i = 0; i < one->count; i++) {
		const struct pstk_track *x = &pstk_found_tracks(one)[i], *y = &pstk_found_tracks(other)[i];

		if (x->x != y->x || x->y != y->y || fabsf(x->to_x - y->to_x) > 0.02f ||
			fabsf(x->to_y - y->to_y) > 0.02f)
			return false;
	}
	return true;
}

/* A run of the frames `name`_1.pgm, .. in pairs. */
static struct staged_run read_frames(const char *name, unsigned count, struct pstk_tracking_spec *spec)
{
	struct staged_run run = { .build = build, .data = spec, .rate = 2, .cores = 2 };

	for (unsigned i = 0; i < count; i++) {
		char file[64];
		uint8_t *pixels;
		unsigned char *token;

		snprintf(file, sizeof file, "tracking/%s_%u.pgm", name, i + 1);
		pixels = staged_read_pgm(file, &spec->width, &spec->height);
		run.in.bytes = pstk_sized_bytes((size_t)spec->width * spec->height);
		token = staged_frame(pixels, spec->width, spec->height, run.in.bytes);
		run.in.data = realloc(run.in.data, (run.in.count + 2) * run.in.bytes);
		ck_assert_ptr_nonnull(run.in.data);
		for (unsigned k = 0; k < (i && i + 1 < count ? 2 : 1); k++)
			memcpy(run.in.data + run.in.count++ * run.in.bytes, token, run.in.bytes);
		free(token);
		free(pixels);
	}
	run.out.bytes = pstk_tracking_found_bytes(spec);
	return run;
}

static void free_run(struct staged_run *run)
{
	staged_free(run);
	free(run->in.data);
}

static const struct {
	const char *name;
	unsigned frames;
} sets[] = { { "sqcif", 2 }, { "qcif", 4 }, { "cif", 4 } };

/* What SD-VBS finds in the first frame, and where that is in the second one. */
static void check_lines(const char *name, const struct pstk_found *tracks)
{
	const struct pstk_track *t = pstk_found_tracks(tracks), *end = t + tracks->count;
	char name_of[64], line[128];
	unsigned count = 0;
	FILE *file;

	snprintf(name_of, sizeof name_of, "tracking/%s.txt", name);
	file = staged_open(name_of);
	while (fgets(line, sizeof line, file)) {
		double x, y, to_x, to_y;

		if (sscanf(line, "PT2 %lf %lf %lf %lf", &x, &y, &to_x, &to_y) != 4)
			continue;
		ck_assert(t < end);
		ck_assert_double_eq((double)t->x, x);
		ck_assert_double_eq((double)t->y, y);
		ck_assert_double_eq_tol(t->to_x, to_x, 0.02);
		ck_assert_double_eq_tol(t->to_y, to_y, 0.02);
		t++;
		count++;
	}
	fclose(file);
	ck_assert_ptr_eq(t, end);
	ck_assert_uint_gt(count, 5);
}

/* The same bits in all configurations; the features and tracks of the suite. */
START_TEST(sd_vbs)
{
	struct pstk_tracking_spec spec = pstk_tracking_spec_init();
	struct staged_run run = read_frames(sets[_i].name, sets[_i].frames, &spec);

	staged_cores(&run, same_tracks);
	ck_assert_uint_eq(run.out.count, sets[_i].frames - 1);
	check_lines(sets[_i].name, (const void *)run.out.data);
	free_run(&run);
}
END_TEST

/* All configurations with a device, or some of them. */
START_TEST(configurations)
{
	struct pstk_tracking_spec spec = pstk_tracking_spec_init();
	const char *device = staged_device((unsigned)_i % STAGED_DEVICES);
	unsigned set = (unsigned)_i / STAGED_DEVICES;
	struct staged_run run = read_frames(sets[set].name, sets[set].frames, &spec);

	if (device)
		staged_configurations(&run, device, 8, same_tracks, near_tracks);
	free_run(&run);
}
END_TEST

/* Pairs of random frames, of several sizes in one stream. */
START_TEST(cores_agree)
{
	struct test_rng rng = { test_mix(test_seed()) };
	struct pstk_tracking_spec spec = *PSTK_TRACKING(.width = 130, .height = 95, .features = 60);
	struct staged_run run = { .build = build, .data = &spec, .rate = 2 };

	run.in = (struct staged_tokens){ pstk_sized_bytes(130 * 95), 40,
		calloc(40, pstk_sized_bytes(130 * 95)) };
	run.out.bytes = pstk_tracking_found_bytes(&spec);
	ck_assert_ptr_nonnull(run.in.data);
	for (unsigned i = 0; i < 40; i += 2) {
		uint32_t w = test_between(&rng, 1, 130), h = test_between(&rng, 1, 95);
		uint8_t *first = draw(&rng, w, h), *second = move(&rng, first, w, h);

		pstk_sized_set(run.in.data + i * run.in.bytes, w, h);
		memcpy(run.in.data + i * run.in.bytes + PSTK_SIZED_HEAD, first, (size_t)w * h);
		pstk_sized_set(
			run.in.data + (i + 1) * run.in.bytes, w, i % 10 ? h : 1); /* another size, at times */
		memcpy(run.in.data + (i + 1) * run.in.bytes + PSTK_SIZED_HEAD, second, (size_t)w * h);
		free(first);
		free(second);
	}
	staged_cores(&run, same_tracks);
	ck_assert_uint_eq(run.out.count, 20);
	staged_shortest(&run, same_tracks);
	free_run(&run);
}
END_TEST

/*
 * Frames that were moved by a known amount.
 */

static int compare_doubles(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

struct motion {
	const char *name;
	double dx, dy, degrees;
	double median, most; /* pixels, of the error */
};

static const struct motion motions[] = { { "(2, -1)", 2, -1, 0, 0.1, 0.4 },
	{ "(0.5, 0.25)", 0.5, 0.25, 0, 0.1, 0.4 }, { "1 degree", 0, 0, 1, 0.15, 0.6 } };

/* Where a point of the first frame is in the second one. */
static void moved(const struct motion *m, double w, double h, double x, double y, double to[2])
{
	double a = m->degrees * 3.14159265358979323846 / 180, u = x - w / 2, v = y - h / 2;

	to[0] = w / 2 + u * cos(a) - v * sin(a) + m->dx;
	to[1] = h / 2 + u * sin(a) + v * cos(a) + m->dy;
}

static uint8_t pixel(const uint8_t *frame, int w, int h, double x, double y)
{
	int i = (int)floor(x), j = (int)floor(y);
	double u = x - i, v = y - j, sum = 0;

	for (int k = 0; k < 4; k++) {
		int a = i + k % 2, b = j + k / 2;

		a = a < 0 ? 0 : a >= w ? w - 1 : a;
		b = b < 0 ? 0 : b >= h ? h - 1 : b;
		sum += (k % 2 ? u : 1 - u) * (k / 2 ? v : 1 - v) * frame[b * w + a];
	}
	return (uint8_t)(sum + .5);
}

/* The second frame by interpolation: each pixel from where it was. */
static void move_frame(uint8_t *to, const uint8_t *from, int w, int h, const struct motion *m)
{
	struct motion back = { NULL, 0, 0, -m->degrees, 0, 0 };

	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			double at[2];

			moved(&back, w, h, x - m->dx, y - m->dy, at);
			to[y * w + x] = pixel(from, w, h, at[0], at[1]);
		}
}

START_TEST(known_motion)
{
	const struct motion *m = &motions[_i];
	/* small windows give more features */
	struct pstk_tracking_spec spec = *PSTK_TRACKING(.window = 12, .features = 2000);
	struct staged_run run = read_frames("cif", 2, &spec);
	const uint8_t *first = run.in.data + PSTK_SIZED_HEAD;
	const struct pstk_found *found;
	double errors[2000];

	move_frame(run.in.data + run.in.bytes + PSTK_SIZED_HEAD, first, (int)spec.width, (int)spec.height, m);
	run.configuration = "CG:000:1";
	staged_go(&run);
	found = (const void *)run.out.data;
	ck_assert_uint_gt(found->count, 20);
	for (uint32_t i = 0; i < found->count; i++) {
		const struct pstk_track *t = &pstk_found_tracks(found)[i];
		double to[2];

		moved(m, spec.width, spec.height, (double)t->x, (double)t->y, to);
		errors[i] = hypot(t->to_x - to[0], t->to_y - to[1]);
	}
	qsort(errors, found->count, sizeof *errors, compare_doubles);
	printf("moved by %s: %u features, error: median %.3f, maximum %.3f pixels\n", m->name,
		(unsigned)found->count, errors[found->count / 2], errors[found->count - 1]);
	ck_assert_double_le(errors[found->count / 2], m->median);
	ck_assert_double_le(errors[found->count - 1], m->most);
	free_run(&run);
}
END_TEST

/* Two crops of one photograph. */
START_TEST(shifted_crops)
{
	struct pstk_tracking_spec spec = pstk_tracking_spec_init();
	struct staged_run run = read_frames("shift", 2, &spec);
	const struct pstk_found *found;
	double dx[600], dy[600];

	run.configuration = "CG:000:1";
	staged_go(&run);
	found = (const void *)run.out.data;
	ck_assert_uint_gt(found->count, 2);
	for (uint32_t i = 0; i < found->count; i++) {
		const struct pstk_track *t = &pstk_found_tracks(found)[i];

		dx[i] = (double)(t->to_x - t->x);
		dy[i] = (double)(t->to_y - t->y);
	}
	qsort(dx, found->count, sizeof *dx, compare_doubles);
	qsort(dy, found->count, sizeof *dy, compare_doubles);
	ck_assert_double_eq_tol(dx[found->count / 2], 2, 0.1);
	ck_assert_double_eq_tol(dy[found->count / 2], -1, 0.1);
	free_run(&run);
}
END_TEST

/*
 * What is refused.
 */

START_TEST(refusals)
{
	const struct pstk_tracking_spec older = { .width = 8, .height = 8 };
	const struct pstk_tracking_spec *const sizes[] = { PSTK_TRACKING(.height = 8),
		PSTK_TRACKING(.width = 8), PSTK_TRACKING(.width = 32769, .height = 8) };
	const struct pstk_tracking_spec *const windows[] = { PSTK_TRACKING(.width = 8, .height = 8,
								     .window = 1),
		PSTK_TRACKING(.width = 8, .height = 8, .window = 257),
		PSTK_TRACKING(.width = 8, .height = 8, .features = 16385) };
	const stream_add adds[] = { add_features, add_track };

	for (unsigned i = 0; i < TEST_COUNT(adds); i++) {
		STREAM_REFUSES(adds[i], NULL, -EINVAL, "'tested': its spec is NULL");
		STREAM_REFUSES(adds[i], &older, -EINVAL, "'tested'", "struct_size", "PSTK_TRACKING()");
		for (unsigned k = 0; k < TEST_COUNT(sizes); k++)
			STREAM_REFUSES(
				adds[i], sizes[k], -EINVAL, "'tested': frames of ", "sides from 1 to 32768");
		for (unsigned k = 0; k < TEST_COUNT(windows); k++)
			STREAM_REFUSES(
				adds[i], windows[k], -EINVAL, "'tested': a window of ", "from 2 to 256");
		STREAM_REFUSES(adds[i], PSTK_TRACKING(.width = 64, .height = 64), -EINVAL, "'tested'",
			"has tokens of 8 bytes", "pstk_sized_bytes(");
	}
	STREAM_REFUSES(add_preprocess, PSTK_TRACKING(.width = 64, .height = 64), -EINVAL, "'tested'",
		"has tokens of 8 bytes");
}
END_TEST

/* What firings and parts of loops need. */
START_TEST(out_of_memory)
{
	static const char *const needs[] = { "the strengths of a frame", "sums of columns",
		"patches of a feature" };
	struct pstk_tracking_spec spec = pstk_tracking_spec_init();
	struct staged_run run = read_frames("sqcif", 2, &spec);
	char error[512];

	run.configuration = "CG:000:1";
	test_fail_allocation((unsigned)_i + 1);
	ck_assert_int_eq(staged_fail(&run, error, sizeof error), -ENOMEM);
	TEST_SAYS(error, _i < 4 ? "'features'" : "'track'", "out of memory for 3 x ", needs[_i / 2]);
	free_run(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracking");
	TCase *c = test_case(suite, "stages"), *devices = test_case(suite, "devices");

	tcase_add_test(c, random_frames);
	tcase_add_test(c, refusals);
	tcase_add_loop_test(c, out_of_memory, 0, 6);
	c = test_case(suite, "pipelines");
	tcase_add_loop_test(c, sd_vbs, 0, TEST_COUNT(sets));
	tcase_add_test(c, cores_agree);
	tcase_add_loop_test(c, known_motion, 0, TEST_COUNT(motions));
	tcase_add_test(c, shifted_crops);
	tcase_add_loop_test(devices, random_frames_on_devices, 0, STREAM_MEMORIES);
	tcase_add_loop_test(devices, configurations, 0, STAGED_DEVICES * TEST_COUNT(sets));
	return test_main(suite);
}
