/* SPDX-License-Identifier: MIT */
/*
 * Thumbnails: a bounded number of evenly spaced frames of a stream of unknown length. Each stride-th frame is
 * kept; when the slots are full, every other one is dropped and the stride doubles. A frame that stays the only one is
 * no thumbnail: it keeps its size.
 */
#include "config.h"

#include "actors/video_sink/output.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 24u /* even; at the end between SLOTS / 2 and SLOTS are filled */
#define SHOWN 12u /* at most SLOTS / 2, so that the choice among the kept ones is even too */
#define MAX_WIDTH 320u
#define MAX_HEIGHT 240u
#define GAP 4u
#define GAP_GREY 32

struct ps_sheet {
	uint32_t width, height; /* of a frame */
	uint32_t factor;        /* side of the square that becomes one pixel */
	uint32_t small_width, small_height;
	unsigned channels;
	unsigned kept;
	uint64_t stride;
	size_t size; /* bytes of a thumbnail */
	unsigned char *slots;
	unsigned char *only; /* the first frame, whole; NULL: there are more */
};

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static size_t frame_size(const struct ps_sheet *sheet)
{
	return (size_t)sheet->width * sheet->height * sheet->channels;
}

struct ps_sheet *ps_sheet_create(uint32_t width, uint32_t height, unsigned channels)
{
	struct ps_sheet *sheet = calloc(1, sizeof(*sheet));
	uint32_t fx = divide_up(width, MAX_WIDTH), fy = divide_up(height, MAX_HEIGHT);

	if (!sheet)
		return NULL;
	sheet->width = width;
	sheet->height = height;
	sheet->channels = channels;
	sheet->stride = 1;
	sheet->factor = fx > fy ? fx : fy;
	sheet->small_width = divide_up(width, sheet->factor);
	sheet->small_height = divide_up(height, sheet->factor);
	sheet->size = (size_t)sheet->small_width * sheet->small_height * channels;
	sheet->slots = malloc(SLOTS * sheet->size);
	sheet->only = malloc(frame_size(sheet));
	if (sheet->slots && sheet->only)
		return sheet;
	ps_sheet_destroy(sheet);
	return NULL;
}

/* The last frame of each stride: the first frame of a network with a delay is seldom worth a look. */
bool ps_sheet_wants(const struct ps_sheet *sheet, uint64_t n)
{
	return (n + 1) % sheet->stride == 0;
}

/* Drops slots 0, 2, 4, ..: what stays are the last frames of the doubled strides. */
static void halve(struct ps_sheet *sheet)
{
	for (unsigned i = 0; i < SLOTS / 2; i++)
		memcpy(sheet->slots + i * sheet->size, sheet->slots + (2 * i + 1) * sheet->size, sheet->size);
	sheet->kept = SLOTS / 2;
	sheet->stride *= 2;
}

/* The mean of a square of pixels; at the right and bottom edge of what is there of it. */
static unsigned char mean(
	const struct ps_sheet *sheet, const unsigned char *pixels, uint32_t x, uint32_t y, unsigned c)
{
	uint32_t x0 = x * sheet->factor, y0 = y * sheet->factor, x1 = x0 + sheet->factor,
		 y1 = y0 + sheet->factor;
	uint64_t sum = 0, count;

	x1 = x1 < sheet->width ? x1 : sheet->width;
	y1 = y1 < sheet->height ? y1 : sheet->height;
	count = (uint64_t)(x1 - x0) * (y1 - y0);
	for (uint32_t v = y0; v < y1; v++) {
		for (uint32_t u = x0; u < x1; u++)
			sum += pixels[((size_t)v * sheet->width + u) * sheet->channels + c];
	}
	return (unsigned char)((sum + count / 2) / count);
}

void ps_sheet_put(struct ps_sheet *sheet, const unsigned char *pixels)
{
	unsigned char *to;

	if (!sheet->kept) {
		memcpy(sheet->only, pixels, frame_size(sheet));
	} else {
		free(sheet->only);
		sheet->only = NULL;
	}
	if (sheet->kept == SLOTS)
		halve(sheet);
	to = sheet->slots + sheet->kept++ * sheet->size;
	for (uint32_t y = 0; y < sheet->small_height; y++) {
		for (uint32_t x = 0; x < sheet->small_width; x++) {
			for (unsigned c = 0; c < sheet->channels; c++)
				*to++ = mean(sheet, pixels, x, y, c);
		}
	}
}

static unsigned char *make_whole(const struct ps_sheet *sheet, uint32_t *width, uint32_t *height)
{
	unsigned char *pixels = malloc(frame_size(sheet));

	*width = sheet->width;
	*height = sheet->height;
	if (pixels)
		memcpy(pixels, sheet->only, frame_size(sheet));
	return pixels;
}

unsigned char *ps_sheet_make(const struct ps_sheet *sheet, uint32_t *width, uint32_t *height)
{
	uint32_t shown = sheet->kept < SHOWN ? sheet->kept : SHOWN;
	uint32_t columns = shown > 4   ? 4
	                   : shown > 2 ? 2
	                               : shown,
		 rows = divide_up(shown, columns ? columns : 1);
	size_t row = (size_t)sheet->small_width * sheet->channels, line;
	unsigned char *sheet_pixels;

	if (sheet->kept == 1)
		return make_whole(sheet, width, height);
	*width = columns * (sheet->small_width + GAP) + GAP;
	*height = rows * (sheet->small_height + GAP) + GAP;
	line = (size_t)*width * sheet->channels;
	sheet_pixels = malloc(line * *height);
	if (!sheet_pixels)
		return NULL;
	memset(sheet_pixels, GAP_GREY, line * *height);
	for (uint32_t i = 0; i < shown; i++) {
		/* the middle of each of the `shown` equal parts of what is kept */
		const unsigned char *from =
			sheet->slots + ((2 * i + 1) * sheet->kept / (2 * shown)) * sheet->size;
		size_t left = (GAP + i % columns * (sheet->small_width + GAP)) * sheet->channels;
		size_t top = GAP + i / columns * (sheet->small_height + GAP);

		for (uint32_t y = 0; y < sheet->small_height; y++)
			memcpy(sheet_pixels + (top + y) * line + left, from + y * row, row);
	}
	return sheet_pixels;
}

void ps_sheet_destroy(struct ps_sheet *sheet)
{
	if (!sheet)
		return;
	free(sheet->slots);
	free(sheet->only);
	free(sheet);
}
