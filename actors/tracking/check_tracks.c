/* SPDX-License-Identifier: MIT */
#include "actors/tracking/check_tracks.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tracks_plane plane(int w, int h)
{
	struct tracks_plane p = { w, h, calloc((size_t)w * (size_t)h + 1, sizeof(double)) };

	ck_assert_ptr_nonnull(p.p);
	return p;
}

/* A filter of so many taps across or along; what is less than half of them from an edge, both ways, is 0. */
TEST_ONE_THREAD static struct tracks_plane filter(
	const struct tracks_plane *from, const double *taps, int half, bool along, double scale)
{
	struct tracks_plane to = plane(from->w, from->h);

	for (int y = half; y < from->h - half; y++)
		for (int x = half; x < from->w - half; x++) {
			double sum = 0;

			for (int k = -half; k <= half; k++)
				sum += taps[k + half] * (along ? from->p[(y + k) * from->w + x]
							       : from->p[y * from->w + x + k]);
			to.p[y * from->w + x] = sum * scale;
		}
	return to;
}

static struct tracks_plane both(const struct tracks_plane *from, const double *first, double scale,
	const double *second, double scale2, int half, bool along)
{
	struct tracks_plane way = filter(from, first, half, along, scale),
			    to = filter(&way, second, half, !along, scale2);

	free(way.p);
	return to;
}

static const double binomial[] = { 1, 4, 6, 4, 1 }, difference[] = { -1, 0, 1 }, smooth[] = { 1, 2, 1 };

static struct tracks_plane blur(const struct tracks_plane *from)
{
	return both(from, binomial, 1 / 16., binomial, 1 / 16., 2, false);
}

static struct tracks_plane halve(const struct tracks_plane *from)
{
	struct tracks_plane all = blur(from), to = plane((from->w + 1) / 2, (from->h + 1) / 2);

	for (int y = 2; y < from->h - 2; y += 2)
		for (int x = 2; x < from->w - 2; x += 2)
			to.p[(y / 2 - 1) * to.w + x / 2 - 1] = all.p[y * from->w + x];
	free(all.p);
	return to;
}

struct tracks_levels tracks_make(const uint8_t *frame, int w, int h)
{
	struct tracks_plane raw = plane(w, h);
	struct tracks_levels l;

	for (int i = 0; i < w * h; i++)
		raw.p[i] = frame[i];
	l.at[0][0] = blur(&raw);
	l.at[1][0] = halve(&l.at[0][0]);
	for (int level = 0; level < 2; level++) {
		l.at[level][1] = both(&l.at[level][0], difference, .5, smooth, .25, 1, false);
		l.at[level][2] = both(&l.at[level][0], difference, .5, smooth, .25, 1, true);
	}
	free(raw.p);
	return l;
}

void tracks_free(struct tracks_levels *l)
{
	for (int i = 0; i < 6; i++)
		free(l->at[i / 3][i % 3].p);
}

unsigned char *tracks_token(const struct tracks_levels *l, size_t bytes)
{
	unsigned char *token = calloc(1, bytes);
	float *to = (float *)(void *)(token + PSTK_SIZED_HEAD);

	ck_assert_ptr_nonnull(token);
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
	struct pstk_feature *all = malloc(((size_t)w * (size_t)h + 1) * sizeof *all);
	unsigned count = 0, kept = 0;

	ck_assert_ptr_nonnull(all);
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
