/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/bag.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = PSTK_BAG_PATCH, CELL = 4, NUMBERS = PSTK_BAG_NUMBERS };

static const float most = 0.2f;

int ps_bag_check(
	struct pstk_network *net, const char *name, const char *type, const struct pstk_bag_spec *spec)
{
	name = name ? name : "";
	if (!spec || spec->struct_size != sizeof *spec)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a %s needs a spec with its struct_size: PSTK_BAG() is one", name, type);
	return ps_sized_check_sides(net, name, spec->width, spec->height);
}

void ps_bag_make_window(float *window)
{
	const double centre = (SIDE - 1) / 2.0, sigma = 8;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			window[y * SIDE + x] =
				(float)exp(-((x - centre) * (x - centre) + (y - centre) * (y - centre)) /
					   (2 * sigma * sigma));
}

int ps_bag_check_gradients(
	struct pstk_actor *self, const struct pstk_frame_size *largest, unsigned magnitude, unsigned bin)
{
	const size_t pixels = (size_t)largest->width * largest->height;
	char what[64];
	int err;

	snprintf(what, sizeof what, "a frame of %" PRIu32 " x %" PRIu32 " pixels", largest->width,
		largest->height);
	err = ps_sized_check(self, magnitude, pixels * sizeof(float), what);
	return err ? err : ps_sized_check(self, bin, pixels, what);
}

int ps_bag_start(struct ps_bag_frame *f, struct pstk_actor *self, const struct pstk_frame_size *largest,
	const void *magnitude, const void *bin, const float *window)
{
	struct pstk_frame_size size;
	int err = ps_sized_read(self, magnitude, largest, &size);
	bool fits = !err && pstk_bag_patches(size.width, size.height);

	if (err)
		return err;
	*f = (struct ps_bag_frame){
		.w = size.width,
		.across = fits ? (size.width - SIDE) / PSTK_BAG_STEP + 1 : 0,
		.down = fits ? (size.height - SIDE) / PSTK_BAG_STEP + 1 : 0,
		.magnitude = ps_sized_data(magnitude),
		.window = window,
		.bin = ps_sized_data(bin),
	};
	return 0;
}

/* The length of a descriptor: a sum for each bin, so that they go on side by side, added then. */
static float length_of(const float *d)
{
	float sums[PS_BAG_BINS] = { 0 }, sum = 0;

	for (size_t i = 0; i < NUMBERS; i += PS_BAG_BINS)
		for (size_t b = 0; b < PS_BAG_BINS; b++)
			sums[b] += d[i + b] * d[i + b];
	for (size_t b = 0; b < PS_BAG_BINS; b++)
		sum += sums[b];
	return sqrtf(sum);
}

static void divide(float *d, float length)
{
	if (!(length > 0))
		return;
	for (size_t i = 0; i < NUMBERS; i++)
		d[i] /= length;
}

void ps_bag_describe(float *to, const struct ps_bag_frame *f, size_t patch)
{
	const size_t at = patch / f->across * PSTK_BAG_STEP * f->w + patch % f->across * PSTK_BAG_STEP;
	const float *magnitude = f->magnitude + at, *window = f->window;
	const uint8_t *bin = f->bin + at;

	memset(to, 0, NUMBERS * sizeof *to);
	for (size_t y = 0; y < SIDE; y++, magnitude += f->w, bin += f->w, window += SIDE)
		for (size_t x = 0; x < SIDE; x++)
			to[(y / CELL * CELL + x / CELL) * PS_BAG_BINS + bin[x] % PS_BAG_BINS] +=
				magnitude[x] * window[x];
	divide(to, length_of(to));
	for (size_t i = 0; i < NUMBERS; i++)
		to[i] = to[i] < most ? to[i] : most;
	divide(to, length_of(to));
}
