/* SPDX-License-Identifier: MIT */
#include "actors/tracking/check_tracks.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tracks_plane plane(int w, int h)
{
	return (struct tracks_plane){ w, h, test_zeroed((size_t)w * (size_t)h * sizeof(double)) };
}

/* A filter of 2 half + 1 taps, `step` pixels apart: across or along. What is less than `half` from an edge, both ways,
 * is 0: the plane's memory has it. */
TEST_ONE_THREAD __attribute__((always_inline)) static inline void filter(const struct tracks_plane *to,
	const struct tracks_plane *from, const double *taps, int half, int step, double scale)
{
	for (int y = half; y < from->h - half; y++)
		for (int x = half; x < from->w - half; x++) {
			const double *p = from->p + y * from->w + x;
			double sum = 0;

			for (int k = -half; k <= half; k++)
				sum += taps[k + half] * p[k * step];
			to->p[y * from->w + x] = sum * scale;
		}
}

static const double binomial[] = { 1, 4, 6, 4, 1 }, difference[] = { -1, 0, 1 }, smooth[] = { 1, 2, 1 };

TEST_ONE_THREAD void tracks_blur(
	const struct tracks_plane *to, const struct tracks_plane *way, const struct tracks_plane *from)
{
	filter(way, from, binomial, 2, 1, 1 / 16.);
	filter(to, way, binomial, 2, from->w, 1 / 16.);
}

TEST_ONE_THREAD void tracks_slope(
	const struct tracks_plane to[2], const struct tracks_plane *way, const struct tracks_plane *from)
{
	filter(way, from, difference, 1, 1, .5);
	filter(&to[0], way, smooth, 1, from->w, .25);
	filter(way, from, difference, 1, from->w, .5);
	filter(&to[1], way, smooth, 1, 1, .25);
}

/* The blurred picture: every second pixel of rows and columns 2 .. size - 3. */
TEST_ONE_THREAD static void halve(const struct tracks_plane *to, const struct tracks_plane *all)
{
	for (int y = 2; y < all->h - 2; y += 2)
		for (int x = 2; x < all->w - 2; x += 2)
			to->p[(y / 2 - 1) * to->w + x / 2 - 1] = all->p[y * all->w + x];
}

struct tracks_levels tracks_make(const uint8_t *frame, int w, int h)
{
	struct tracks_plane raw = plane(w, h), way = plane(w, h), again = plane(w, h);
	struct tracks_levels l;

	for (int i = 0; i < w * h; i++)
		raw.p[i] = frame[i];
	for (int i = 0; i < 6; i++)
		l.at[i / 3][i % 3] = i < 3 ? plane(w, h) : plane((w + 1) / 2, (h + 1) / 2);
	tracks_blur(&l.at[0][0], &way, &raw);
	tracks_blur(&again, &way, &l.at[0][0]);
	halve(&l.at[1][0], &again);
	for (int level = 0; level < 2; level++) {
		struct tracks_plane own = plane(l.at[level][0].w, l.at[level][0].h);

		tracks_slope(&l.at[level][1], &own, &l.at[level][0]);
		free(own.p);
	}
	free(raw.p);
	free(way.p);
	free(again.p);
	return l;
}

void tracks_free(struct tracks_levels *l)
{
	for (int i = 0; i < 6; i++)
		free(l->at[i / 3][i % 3].p);
}

unsigned char *tracks_token(const struct tracks_levels *l, size_t bytes)
{
	unsigned char *token = test_zeroed(bytes);
	float *to = (float *)(void *)(token + PSTK_SIZED_HEAD);

	pstk_sized_set(token, (uint32_t)l->at[0][0].w, (uint32_t)l->at[0][0].h);
	for (int i = 0; i < 6; i++) {
		const struct tracks_plane *p = &l->at[i / 3][i % 3];

		for (int k = 0; k < p->w * p->h; k++)
			*to++ = (float)p->p[k];
	}
	return token;
}

/* The sum of products over the window of a pixel, in units of 2^-22. */
TEST_ONE_THREAD static int64_t box(
	const struct tracks_plane *a, const struct tracks_plane *b, int window, int x, int y)
{
	int before = (window + 1) / 2;
	int64_t sum = 0;

	for (int j = y - before; j < y - before + window; j++)
		for (int i = x - before; i < x - before + window; i++)
			if (j >= 0 && i >= 0 && j < a->h && i < a->w)
				sum += (int64_t)(a->p[j * a->w + i] * 2048) *
				       (int64_t)(b->p[j * a->w + i] * 2048);
	return sum;
}

/* Each operation is rounded to single precision by itself. */
static float strength(const struct tracks_levels *l, int window, int x, int y)
{
	const struct tracks_plane *gx = &l->at[0][1], *gy = &l->at[0][2];
	volatile float xx = (float)box(gx, gx, window, x, y) * 0x1p-22f,
		       xy = (float)box(gx, gy, window, x, y) * 0x1p-22f,
		       yy = (float)box(gy, gy, window, x, y) * 0x1p-22f;
	volatile float a = xx * yy, b = xy * xy, det = a - b, sum = xx + yy, trace = sum + 1e-5f;

	return det / trace;
}

static int stronger_first(const void *a, const void *b)
{
	const struct pstk_feature *x = a, *y = b;

	if (x->strength != y->strength)
		return x->strength < y->strength ? 1 : -1;
	return x->y != y->y ? (x->y > y->y ? 1 : -1) : (x->x > y->x) - (x->x < y->x);
}

unsigned tracks_features(
	const struct tracks_levels *l, int window, unsigned most, int radius, struct pstk_feature *features)
{
	const int w = l->at[0][0].w, h = l->at[0][0].h;
	struct pstk_feature *all = test_zeroed((size_t)w * (size_t)h * sizeof *all);
	unsigned count = 0, kept = 0;

	for (int y = window; y < h - window; y++)
		for (int x = window; x < w - window; x++) {
			float s = strength(l, window, x, y);

			if (s > 0)
				all[count++] = (struct pstk_feature){ (float)x, (float)y, s, 0 };
		}
	qsort(all, count, sizeof *all, stronger_first);
	for (unsigned i = 0; i < count && i < most; i++) {
		bool near = false;

		for (unsigned k = 0; k < kept; k++)
			near |= hypot(features[k].x - all[i].x, features[k].y - all[i].y) <= radius;
		if (!near)
			features[kept++] = all[i];
	}
	free(all);
	return kept;
}

TEST_ONE_THREAD static double at(const struct tracks_plane *p, double x, double y)
{
	int i = (int)floor(x), j = (int)floor(y);
	double u = x - i, v = y - j;
	const double *q = p->p + j * p->w + i;

	return (1 - u) * (1 - v) * q[0] + u * (1 - v) * q[1] + (1 - u) * v * q[p->w] + u * v * q[p->w + 1];
}

static bool inside(const struct tracks_plane *p, double x, double y, int window, bool *edge)
{
	double near =
		fmin(fmin(x - window, y - window), fmin(p->w - (x + window + 1), p->h - (y + window + 1)));

	*edge |= fabs(near) < 0.01;
	return x - window >= 0 && y - window >= 0 && x + window + 1 < p->w && y + window + 1 < p->h;
}

/* sums: gx^2, gx gy, gy^2, or, with d, (I - J) gx, (I - J) gy. */
TEST_ONE_THREAD static void add_up(const struct tracks_levels *first, const struct tracks_levels *second,
	int level, int window, double x, double y, const double *d, double sums[3])
{
	sums[0] = sums[1] = sums[2] = 0;
	for (int j = -window; j < window; j++)
		for (int i = -window; i < window; i++) {
			double gx = at(&second->at[level][1], x + i, y + j),
			       gy = at(&second->at[level][2], x + i, y + j);
			double less = d ? at(&first->at[level][0], x + i, y + j) -
			                              at(&second->at[level][0], x + d[0] + i, y + d[1] + j)
			                : 0;

			sums[0] += d ? less * gx : gx * gx;
			sums[1] += d ? less * gy : gx * gy;
			sums[2] += d ? 0 : gy * gy;
		}
}

static bool improve(const struct tracks_levels *first, const struct tracks_levels *second, int level,
	int window, int rounds, double x, double y, double d[2], bool *edge)
{
	double g[3], b[3], det, corner;

	if (!inside(&first->at[level][0], x, y, window, edge))
		return false;
	add_up(first, second, level, window, x, y, NULL, g);
	det = g[0] * g[2] - g[1] * g[1];
	corner = det / (g[0] + g[2] + 1e-5);
	*edge |= fabs(corner - 0.03) < 0.001;
	if (corner < 0.03)
		return false;
	for (int round = 0; round < rounds; round++) {
		double step[2], length;

		if (!inside(&first->at[level][0], x + d[0], y + d[1], window, edge))
			return false;
		add_up(first, second, level, window, x, y, d, b);
		step[0] = (g[2] * b[0] - g[1] * b[1]) / det;
		step[1] = (g[0] * b[1] - g[1] * b[0]) / det;
		d[0] += step[0];
		d[1] += step[1];
		length = step[0] * step[0] + step[1] * step[1];
		*edge |= fabs(length - 0.03) < 0.003;
		if (length < 0.03)
			break;
		*edge |= det < 1e-4 * g[0] * g[2]; /* hardly a solution */
	}
	return true;
}

bool tracks_follow(const struct tracks_levels *first, const struct tracks_levels *second, int window,
	int rounds, double x, double y, double to[2], bool *edge)
{
	double d[2] = { 0, 0 };

	*edge = false;
	if (!improve(first, second, 1, window, rounds, x / 2, y / 2, d, edge))
		return false;
	d[0] *= 2;
	d[1] *= 2;
	if (!improve(first, second, 0, window, rounds, x, y, d, edge))
		return false;
	to[0] = x + d[0];
	to[1] = y + d[1];
	return true;
}
