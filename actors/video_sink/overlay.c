/* SPDX-License-Identifier: MIT */
/* Motion painted red over the grey picture. */
#include "config.h"

#include "actors/video_sink/output.h"
#include "actors/common/wide.h"

PS_WIDE_BODY static void paint_rgb_body(unsigned char *restrict rgb, const unsigned char *restrict map,
	const unsigned char *restrict frame, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char rest = map[i] ? frame[i] / 4 : frame[i];

		rgb[3 * i] = map[i] ? 255 : frame[i];
		rgb[3 * i + 1] = rest;
		rgb[3 * i + 2] = rest;
	}
}

PS_WIDE(paint_rgb,
	(unsigned char *restrict rgb, const unsigned char *restrict map, const unsigned char *restrict frame,
		size_t n),
	(rgb, map, frame, n))

void ps_overlay_rgb(unsigned char *rgb, const unsigned char *map, const unsigned char *frame, size_t n)
{
	paint_rgb(rgb, map, frame, n);
}

PS_WIDE_BODY static unsigned char choose(unsigned char map, unsigned char motion, unsigned char still)
{
	return map ? motion : still;
}

/*
 * ITU-R BT.601, as Y4M has it, in 1/65536: of a pixel whose red is `red` above the rest
 *
 *	Y = 16 + 56284 rest + 16829 red, Cb = 128 - 9714 red, Cr = 128 + 28784 red, rounded
 *
 * Where nothing moves red is 0, else the rest is at most 63 and red 255 - rest: so little that 16 bits
 * suffice for the very same results, and vectors hold twice as many. check_wide compares all of them.
 */
PS_WIDE_BODY static void paint_ycc_body(unsigned char *restrict y, unsigned char *restrict cb,
	unsigned char *restrict cr, const unsigned char *restrict map, const unsigned char *restrict frame,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t grey = frame[i], rest = grey / 4;
		/* 56284 = 220 x 256 - 36 */
		uint16_t still = (uint16_t)(16 * 256 + 128 + 220 * grey - (uint16_t)(36 * grey + 255) / 256);
		uint16_t motion = (uint16_t)(20988 + 154 * rest), blue = (uint16_t)(23218 + 38 * rest);
		uint16_t red = (uint16_t)(57601 - 225 * rest);

		y[i] = choose(map[i], (unsigned char)(motion >> 8), (unsigned char)(still >> 8));
		cb[i] = choose(map[i], (unsigned char)(blue >> 8), 128);
		cr[i] = choose(map[i], (unsigned char)(128 + (red >> 9)), 128);
	}
}

PS_WIDE(paint_ycc,
	(unsigned char *restrict y, unsigned char *restrict cb, unsigned char *restrict cr,
		const unsigned char *restrict map, const unsigned char *restrict frame, size_t n),
	(y, cb, cr, map, frame, n))

void ps_overlay_ycc(unsigned char *planes, const unsigned char *map, const unsigned char *frame, size_t n)
{
	paint_ycc(planes, planes + n, planes + 2 * n, map, frame, n);
}
