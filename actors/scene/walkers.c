/* SPDX-License-Identifier: MIT */
/* The walkers: head, body, arms and legs that swing, nearer ones larger and in front. */
#include "config.h"

#include "actors/scene/scene.h"

#include <stdbool.h>
#include <stddef.h>

#define SUB 16 /* steps a pixel */

struct walker {
	int feet;  /* 0..1024 between the horizon and the bottom of the picture */
	int start; /* 0..1024 of its way */
	int speed; /* of its height a frame, in 1/1024 */
	bool left; /* walks to the left */
	unsigned char skin, coat, trousers;
};

/* from far to near */
static const struct walker walkers[] = {
	{ 150, 420, 30, false, 176, 52, 34 },
	{ 190, 790, 27, true, 170, 222, 60 },
	{ 300, 120, 33, true, 182, 40, 84 },
	{ 330, 610, 29, false, 168, 206, 44 },
	{ 480, 300, 31, false, 178, 60, 226 },
	{ 640, 880, 26, true, 172, 228, 38 },
	{ 860, 40, 34, false, 180, 34, 58 },
};

/* sin(phase / 64 of a turn) x 256, by two parabolas */
static int sine(unsigned phase)
{
	int half = (int)(phase & 31), value = half * (32 - half);

	return phase & 32 ? -value : value;
}

struct canvas {
	unsigned char *frame;
	int width, height;
};

struct point {
	int x, y; /* 1/SUB pixels */
};

/* First and last pixel of a span, cut to the picture. */
static int low(int a, int b, int r)
{
	int at = ((a < b ? a : b) - r) / SUB - 1;

	return at < 0 ? 0 : at;
}

static int high(int a, int b, int r, int side)
{
	int at = ((a > b ? a : b) + r) / SUB + 1;

	return at >= side ? side - 1 : at;
}

static int64_t square(int64_t v)
{
	return v * v;
}

/* Paints all pixels closer than r to the line from a to b. */
static void limb(const struct canvas *c, struct point a, struct point b, int r, int grey)
{
	int dx = b.x - a.x, dy = b.y - a.y;
	int64_t length2 = square(dx) + square(dy), r2 = square(r);
	int x0 = low(a.x, b.x, r), x1 = high(a.x, b.x, r, c->width);

	for (int y = low(a.y, b.y, r), y1 = high(a.y, b.y, r, c->height); y <= y1; y++) {
		unsigned char *row = c->frame + (size_t)y * (size_t)c->width;

		for (int x = x0; x <= x1; x++) {
			int64_t px = x * SUB + SUB / 2 - a.x, py = y * SUB + SUB / 2 - a.y;
			int64_t along = px * dx + py * dy, beside = px * dy - py * dx;
			bool in;

			if (along <= 0)
				in = px * px + py * py <= r2;
			else if (along >= length2)
				in = square(px - dx) + square(py - dy) <= r2;
			else
				in = beside * beside <= r2 * length2;
			if (in)
				row[x] = (unsigned char)grey;
		}
	}
}

/* A soft shadow on the ground. */
static void shadow(const struct canvas *c, struct point feet, int size)
{
	int rx = size * 22 / 100, ry = size * 4 / 100 + 1;

	for (int y = low(feet.y, feet.y, ry), y1 = high(feet.y, feet.y, ry, c->height); y <= y1; y++) {
		for (int x = low(feet.x, feet.x, rx), x1 = high(feet.x, feet.x, rx, c->width); x <= x1; x++) {
			int64_t px = x * SUB + SUB / 2 - feet.x, py = y * SUB + SUB / 2 - feet.y;
			int64_t inside = square(rx) * square(ry) - square(px * ry) - square(py * rx);
			unsigned char *at = c->frame + (size_t)y * (size_t)c->width + x;

			if (inside > 0)
				*at = (unsigned char)(*at - *at * 3 / 8);
		}
	}
}

static struct point offset(struct point from, int x, int y)
{
	return (struct point){ from.x + x, from.y + y };
}

/* One leg: the thigh swings, the shin follows and lifts the foot on its way forward. */
static void leg(const struct canvas *c, struct point hip, int size, unsigned phase, int facing, int grey)
{
	int swing = sine(phase), lift = sine(phase + 16) > 0 ? sine(phase + 16) : 0;
	int reach = size * 47 / 100;
	struct point knee =
		offset(hip, facing * swing * size / 2400 + facing * lift * size / 4800, reach / 2);
	struct point foot = offset(
		hip, facing * swing * size / 1300 - facing * lift * size / 4200, reach - lift * size / 3600);
	struct point toe = offset(foot, facing * size * 5 / 100, 0);

	limb(c, hip, knee, size * 48 / 1000, grey);
	limb(c, knee, foot, size * 38 / 1000, grey);
	limb(c, foot, toe, size * 24 / 1000, grey / 2 + 8);
}

static void arm(const struct canvas *c, struct point shoulder, int size, unsigned phase, int facing, int grey)
{
	int swing = sine(phase);
	struct point elbow = offset(shoulder, facing * swing * size / 3600, size * 17 / 100);
	struct point hand =
		offset(elbow, facing * swing * size / 2600 + facing * size * 3 / 100, size * 14 / 100);

	limb(c, shoulder, elbow, size * 36 / 1000, grey);
	limb(c, elbow, hand, size * 30 / 1000, grey);
}

/* size: from sole to crown */
static void figure(
	const struct canvas *c, const struct walker *w, struct point feet, int size, unsigned phase)
{
	int facing = w->left ? -1 : 1;
	struct point hip = offset(feet, 0, -size * 49 / 100 - sine(2 * phase) * size / 20000);
	struct point shoulder = offset(hip, facing * size / 60, -size * 30 / 100);
	struct point head = offset(shoulder, facing * size / 50, -size * 13 / 100);

	shadow(c, feet, size);
	arm(c, shoulder, size, phase, facing, w->coat * 3 / 4);
	leg(c, hip, size, phase + 32, facing, w->trousers * 3 / 4);
	leg(c, hip, size, phase, facing, w->trousers);
	limb(c, shoulder, head, size * 32 / 1000, w->skin * 7 / 8);
	limb(c, hip, shoulder, size * 90 / 1000, w->coat);
	limb(c, offset(hip, 0, size / 30), offset(hip, 0, -size / 12), size * 86 / 1000, w->coat * 7 / 8);
	arm(c, shoulder, size, phase + 32, facing, w->coat * 5 / 8 + 20);
	limb(c, head, offset(head, facing * size / 100, -size / 50), size * 62 / 1000, w->skin);
	limb(c, offset(head, facing * size / 80, -size / 16), offset(head, -facing * size / 24, -size / 40),
		size * 36 / 1000, w->skin / 3);
}

void ps_walkers_paint(unsigned char *frame, int width, int height, uint64_t n)
{
	const struct canvas canvas = { frame, width, height };
	int horizon = ps_street_horizon(height), below = height - horizon;

	for (size_t i = 0; i < sizeof(walkers) / sizeof(*walkers); i++) {
		const struct walker *w = &walkers[i];
		int size = (below * SUB * (60 + w->feet * 70 / 100)) / 1024; /* 1/SUB pixels */
		uint64_t way = (uint64_t)width * SUB + 2 * (uint64_t)size,
			 step = (uint64_t)(size * w->speed / 1024 + 1);
		uint64_t gone = (way * (uint64_t)w->start / 1024 + n % way * step) % way;
		struct point feet;

		feet.x = (int)(w->left ? way - gone : gone) - size;
		feet.y = (horizon + below * w->feet / 1024) * SUB + SUB / 2;
		/* two steps of 0.4 heights are a turn of the legs */
		figure(&canvas, w, feet, size, (unsigned)(n * (unsigned)w->speed * 64 / 820 + i * 11));
	}
}
