/* SPDX-License-Identifier: MIT */
/*
 * Patches lie anywhere between pixels, but all of a patch's pixels equally so: four weights make a row of it from two
 * rows of the picture. Sums over a patch are of LANES sums, of each LANES-th pixel of a row, which are added in order:
 * one thread does a feature, so they are the same however many there are.
 */
#include "config.h"

#include "actors/tracking/follow.h"
#include "actors/common/wide.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

/* Of rows and columns of a picture, w wide: a patch of `side` x `side` pixels, the first of them at `at`. */
struct patch {
	size_t at, w, side;
	float here, right, below, across; /* weights */
};

static const double least_step = 0.03, least_trace = 1e-5, least_corner = 0.03;

/* Does it lie in a picture? */
static bool place_patch(
	struct patch *p, const struct ps_levels *l, unsigned level, double x, double y, uint32_t window)
{
	double left = x - window, top = y - window, dx, dy;

	if (!(left >= 0 && top >= 0 && x + window + 1 < (double)l->w[level] &&
		    y + window + 1 < (double)l->h[level]))
		return false;
	dx = left - floor(left);
	dy = top - floor(top);
	*p = (struct patch){ (size_t)top * l->w[level] + (size_t)left, l->w[level], 2 * (size_t)window,
		(float)((1 - dx) * (1 - dy)), (float)(dx * (1 - dy)), (float)((1 - dx) * dy),
		(float)(dx * dy) };
	return true;
}

PS_WIDE_BODY static void cut_body(float *restrict to, const float *picture, const struct patch *p)
{
	const float a = p->here, b = p->right, c = p->below, d = p->across;

	for (size_t y = 0; y < p->side; y++, to += p->side) {
		const float *from = picture + p->at + y * p->w, *next = from + p->w;

		for (size_t x = 0; x < p->side; x++)
			to[x] = a * from[x] + b * from[x + 1] + c * next[x] + d * next[x + 1];
	}
}

PS_WIDE(cut, (float *restrict to, const float *picture, const struct patch *p), (to, picture, p))

PS_WIDE_BODY static double add_lanes(const float *lanes)
{
	double sum = 0;

	for (size_t k = 0; k < LANES; k++)
		sum += (double)lanes[k];
	return sum;
}

/* sum(a b), of n, a multiple of 4. */
PS_WIDE_BODY static void multiply_body(double *restrict sum, const float *a, const float *b, size_t side)
{
	*sum = 0;
	for (size_t y = 0; y < side; y++, a += side, b += side) {
		float lanes[LANES] = { 0 };
		size_t x = 0;

		for (; x + LANES <= side; x += LANES)
			for (size_t k = 0; k < LANES; k++)
				lanes[k] += a[x + k] * b[x + k];
		for (size_t k = 0; x + k < side; k++)
			lanes[k] += a[x + k] * b[x + k];
		*sum += add_lanes(lanes);
	}
}

PS_WIDE(multiply, (double *restrict sum, const float *a, const float *b, size_t side), (sum, a, b, side))

/* n pixels of a row, LANES at most. own: of patch I, in front of gx and gy, which are so many floats behind it. */
PS_WIDE_BODY static void compare_pixels(float *restrict across, float *restrict along, const float *own,
	size_t size, const float *from, const struct patch *p, size_t n)
{
	const float *next = from + p->w;

	for (size_t k = 0; k < n; k++) {
		float j = p->here * from[k] + p->right * from[k + 1] + p->below * next[k] +
		          p->across * next[k + 1];
		float less = own[k] - j;

		across[k] += less * own[size + k];
		along[k] += less * own[2 * size + k];
	}
}

/* sum((I - J) gx), sum((I - J) gy): patches I, gx, gy lie one behind the other, J is cut from the picture. */
PS_WIDE_BODY static void compare_body(
	double b[restrict 2], const float *patches, const float *picture, const struct patch *p)
{
	const struct patch own = *p;
	const size_t side = own.side, size = side * side;

	b[0] = b[1] = 0;
	for (size_t y = 0; y < side; y++) {
		const float *from = picture + own.at + y * own.w, *row = patches + y * side;
		float across[LANES] = { 0 }, along[LANES] = { 0 };
		size_t x = 0;

		for (; x + LANES <= side; x += LANES)
			compare_pixels(across, along, row + x, size, from + x, &own, LANES);
		compare_pixels(across, along, row + x, size, from + x, &own, side - x);
		b[0] += add_lanes(across);
		b[1] += add_lanes(along);
	}
}

PS_WIDE(compare, (double b[restrict 2], const float *patches, const float *picture, const struct patch *p),
	(b, patches, picture, p))

size_t ps_follow_room(uint32_t window)
{
	return 3 * 4 * (size_t)window * window;
}

/* On one level: d becomes better. */
static bool improve(const struct ps_follow *f, unsigned level, double x, double y, double d[2], float *room)
{
	const struct ps_levels *l = &f->levels;
	const size_t size = 4 * (size_t)f->window * f->window;
	double xx, xy, yy, det, b[2];
	struct patch p;

	if (!place_patch(&p, l, level, x, y, f->window))
		return false;
	cut(room, f->first + l->at[level][PS_PICTURE], &p);
	cut(room + size, f->second + l->at[level][PS_ACROSS], &p);
	cut(room + 2 * size, f->second + l->at[level][PS_ALONG], &p);
	multiply(&xx, room + size, room + size, p.side);
	multiply(&xy, room + size, room + 2 * size, p.side);
	multiply(&yy, room + 2 * size, room + 2 * size, p.side);
	det = xx * yy - xy * xy;
	if (!(det / (xx + yy + least_trace) >= least_corner))
		return false;
	for (uint32_t round = 0; round < f->rounds; round++) {
		double step[2];

		if (!place_patch(&p, l, level, x + d[0], y + d[1], f->window))
			return false;
		compare(b, room, f->second + l->at[level][PS_PICTURE], &p);
		step[0] = (yy * b[0] - xy * b[1]) / det;
		step[1] = (xx * b[1] - xy * b[0]) / det;
		d[0] += step[0];
		d[1] += step[1];
		if (step[0] * step[0] + step[1] * step[1] < least_step)
			break;
	}
	return true;
}

bool ps_follow(const struct ps_follow *f, float x, float y, float to[2], float *room)
{
	double d[2] = { 0, 0 };

	if (!improve(f, 1, (double)x / 2, (double)y / 2, d, room))
		return false;
	d[0] *= 2;
	d[1] *= 2;
	if (!improve(f, 0, (double)x, (double)y, d, room))
		return false;
	to[0] = (float)((double)x + d[0]);
	to[1] = (float)((double)y + d[1]);
	return true;
}
