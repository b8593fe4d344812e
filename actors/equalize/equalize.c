/* SPDX-License-Identifier: MIT */
/*
 * Histogram equalisation, as OpenCV's equalizeHist(): with H(v) the pixels of value v or below, m = H(the frame's lowest value)
 * and n = width x height - m,
 *
 *	dst = floor((255 (H(src) - m) + floor(n / 2)) / n)
 *
 * that is 255 (H - m) / n rounded to the nearest, halves up; a frame of one value (n = 0) is copied. All of it in integers, so
 * that cores and devices agree bit for bit. OpenCV multiplies by 255 / n as a float and rounds halves to even: its pixels can
 * differ by one.
 */
#include "actors/equalize/equalize.h"
#include "actors/frame.h"

#include <string.h>

enum { VALUES = 256, TABLES = 4 };

/* Several counts of each value: neighbours are often equal, and a count that was just stored is slow to load. */
static void count(size_t *restrict counts, const uint8_t *restrict src, size_t n)
{
	size_t parts[TABLES][VALUES] = { 0 }, i = 0;

	for (; i + TABLES <= n; i += TABLES)
		for (size_t t = 0; t < TABLES; t++)
			parts[t][src[i + t]]++;
	for (; i < n; i++)
		parts[0][src[i]]++;
	for (size_t v = 0; v < VALUES; v++)
		counts[v] = parts[0][v] + parts[1][v] + parts[2][v] + parts[3][v];
}

static void make_table(uint8_t *table, const size_t *counts, size_t pixels)
{
	uint64_t upto = 0, lowest, n;
	unsigned v = 0;

	while (!counts[v])
		v++;
	lowest = counts[v];
	n = pixels - lowest;
	for (; v < VALUES; v++) {
		upto += counts[v];
		table[v] = (uint8_t)(n ? (255 * (upto - lowest) + n / 2) / n : v);
	}
}

void ps_equalize_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	size_t counts[VALUES], pixels = w * h;
	uint8_t table[VALUES];

	count(counts, src, pixels);
	make_table(table, counts, pixels);
	for (size_t i = 0; i < pixels; i++)
		dst[i] = table[src[i]];
}

static int init(struct pstk_actor *self)
{
	int err = ps_frame_init(self);

	return err ? err : ps_equalize_init_cl(self);
}

static int fire(struct pstk_firing *f)
{
	return ps_frame_fire(f, ps_equalize_frame);
}

const struct pstk_actor_type *pstk_equalize_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8" },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8" },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "equalize",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_frame_params,
		.param_count = PS_FRAME_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.state_size = sizeof(struct ps_equalize_cl),
		.stateless = true,
		.init = init,
		.fire = fire,
		.fire_cl = ps_equalize_fire_cl,
		.finish = ps_equalize_finish_cl,
	};

	return &type;
}
