/* SPDX-License-Identifier: MIT */
/* Motion painted red over the grey picture. */
#include "config.h"

#include "actors/video_sink/output.h"

void ps_overlay_rgb(unsigned char *rgb, const unsigned char *map, const unsigned char *frame, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char rest = map[i] ? frame[i] / 4 : frame[i];

		rgb[3 * i] = map[i] ? 255 : frame[i];
		rgb[3 * i + 1] = rest;
		rgb[3 * i + 2] = rest;
	}
}

/* ITU-R BT.601, as Y4M has it, in 1/65536: Y = 16 + .., Cb = Cr = 128 + .. */
static unsigned char scaled(int base, int value, int factor)
{
	return (unsigned char)(((base << 16) + value * factor + (1 << 15)) >> 16);
}

void ps_overlay_ycc(unsigned char *planes, const unsigned char *map, const unsigned char *frame, size_t n)
{
	unsigned char *cb = planes + n, *cr = cb + n;

	for (size_t i = 0; i < n; i++) {
		int rest = map[i] ? frame[i] / 4 : frame[i];
		int red = (map[i] ? 255 : frame[i]) - rest; /* above grey */

		planes[i] = (unsigned char)(((16 << 16) + rest * 56284 + red * 16829 + (1 << 15)) >> 16);
		cb[i] = scaled(128, red, -9714);
		cr[i] = scaled(128, red, 28784);
	}
}
