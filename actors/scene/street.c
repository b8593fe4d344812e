/* SPDX-License-Identifier: MIT */
/* The still street: houses with windows under a sky, a pavement in perspective. */
#include "config.h"

#include "actors/scene/scene.h"

#include <stddef.h>

#define ONE 1024 /* the picture is ONE wide and ONE high here */

static unsigned hash(int x, int y)
{
	unsigned h = (unsigned)x * 0x8da6b343u ^ (unsigned)y * 0xd8163841u;

	h = (h ^ h >> 13) * 0x7feb352du;
	return h ^ h >> 16;
}

/* Smooth noise 0..255 with a grain of 1 << shift. */
static int smooth(int x, int y, int shift)
{
	int size = 1 << shift, fx = x & (size - 1), fy = y & (size - 1);
	int a = (int)(hash(x >> shift, y >> shift) & 255),
	    b = (int)(hash((x >> shift) + 1, y >> shift) & 255);
	int c = (int)(hash(x >> shift, (y >> shift) + 1) & 255),
	    d = (int)(hash((x >> shift) + 1, (y >> shift) + 1) & 255);
	int top = a * (size - fx) + b * fx, bottom = c * (size - fx) + d * fx;

	return (top * (size - fy) + bottom * fy) >> 2 * shift;
}

struct house {
	int left, roof, grey; /* it reaches to the next house's left */
	int pitch, storey;    /* of its windows */
};

static const struct house houses[] = {
	{ 0, 70, 118, 62, 92 },
	{ 236, 142, 158, 84, 104 },
	{ 470, 36, 96, 54, 84 },
	{ 684, 112, 140, 72, 98 },
	{ 905, 60, 106, 60, 88 },
	{ 2048, 0, 0, 1, 1 },
};

static int sky(int u, int v)
{
	return 212 - v / 8 + (smooth(u + v, v * 2, 7) - 128) / 10;
}

/* Window panes with a light frame; some are lit, some have curtains. */
static int window(int u, int v, int wall, const struct house *house)
{
	int column = (u - house->left) / house->pitch, row = (v - house->roof) / house->storey;
	int x = (u - house->left) % house->pitch, y = (v - house->roof) % house->storey;
	int left = house->pitch / 4, top = house->storey / 4, right = house->pitch - left,
	    bottom = house->storey - top / 2;

	if (x < left || x >= right || y < top || y >= bottom)
		return wall;
	if (x < left + 4 || x >= right - 4 || y < top + 4 || y >= bottom - 5 ||
		(x > house->pitch / 2 - 2 && x < house->pitch / 2 + 2))
		return wall + 48;
	if (hash(column + house->left, row) % 5 == 0)
		return 196 - (y - top) / 3;
	return 46 + (bottom - y) / 3 + (smooth(u * 3, v * 3, 5) - 128) / 12;
}

static int facade(int u, int v, int ground)
{
	const struct house *house = houses;
	int grey;

	while (u >= house[1].left)
		house++;
	if (v < house->roof)
		return sky(u, v);
	grey = house->grey + (smooth(u * 4, v * 4, 4) - 128) / 14 + (smooth(u, v, 6) - 128) / 10;
	if (v < house->roof + 9 || u < house->left + 3) /* the eaves and the gap between houses */
		return grey / 2;
	if (v > ground - 22) /* the plinth */
		return grey * 5 / 8;
	return window(u, v, grey, house);
}

/* Slabs whose joints run to the vanishing point; asphalt grain; lighter towards the viewer. */
static int pavement(int u, int v, int ground)
{
	int below = v - ground + 14;
	int away = (ONE << 9) / below;                  /* distance, falling from about 37000 to 900 */
	int across = (u - ONE / 2) * (away >> 3) / 256; /* position across the street at that distance */
	int slab_x = across & 255, slab_z = away & 1023;
	int grey = 112 + (v - ground) / 14 + (smooth(u * 6, v * 6, 3) - 128) / 9 +
	           (smooth(u, v * 3, 6) - 128) / 12;

	grey += (int)(hash(across >> 8, away >> 10) & 15) - 8;
	if (v < ground + 10) /* the kerb */
		return grey - 34;
	if (below > 60 && (slab_x < 12 || slab_z < 5 + (1 << 13) / below))
		grey -= 22;
	return grey;
}

int ps_street_horizon(int height)
{
	return height * 2 / 5;
}

void ps_street_paint(unsigned char *frame, int width, int height)
{
	int ground = ps_street_horizon(ONE);

	for (int y = 0; y < height; y++) {
		int v = (int)((int64_t)y * ONE / height);

		for (int x = 0; x < width; x++) {
			int u = (int)((int64_t)x * ONE / width);
			int grey = v < ground ? facade(u, v, ground) : pavement(u, v, ground);

			frame[(size_t)y * (size_t)width + (size_t)x] = (unsigned char)(grey < 10    ? 10
										       : grey > 245 ? 245
												    : grey);
		}
	}
}
