/* SPDX-License-Identifier: MIT */
/*
 * Histogram equalisation, as OpenCV's equalizeHist(): with H(v) the pixels of value v or below, m = H(the
 * frame's lowest value) and n = width x height - m,
 *
 *	dst = floor((255 (H(src) - m) + floor(n / 2)) / n)
 *
 * that is 255 (H - m) / n rounded to the nearest, halves up; a frame of one value (n = 0) is copied. All of
 * it in integers, so that cores and devices agree bit for bit. OpenCV multiplies by 255 / n as a float and
 * rounds halves to even: its pixels can differ by one.
 */
#include "config.h"

#include "actors/equalize/equalize.h"
#include "actors/common/frame.h"
#ifdef HAVE_OPENCL
#include "actors/equalize/equalize_cl.h"
#endif

#include <string.h>

/* Pixels that are loaded at once: a load for each takes longer than the shifts. */
enum { VALUES = 256, AT_ONCE = 8, BITS = 8 };

/* A frame is counted by so many pixels at a time, so that 32 bits suffice. */
enum { COUNT_MOST = 1 << 30 };

/* Adds n pixels' counts. Several counts of each value: neighbours are often equal, and a count that was just
 * stored is slow to load. */
static void count_some(size_t *restrict counts, const uint8_t *restrict src, size_t n)
{
	uint32_t parts[AT_ONCE][VALUES] = { 0 };
	size_t i = 0;

	for (; i + AT_ONCE <= n; i += AT_ONCE) {
		uint64_t pixels;

		memcpy(&pixels, src + i, sizeof pixels);
		parts[0][pixels & 0xff]++;
		parts[1][pixels >> BITS & 0xff]++;
		parts[2][pixels >> 2 * BITS & 0xff]++;
		parts[3][pixels >> 3 * BITS & 0xff]++;
		parts[4][pixels >> 4 * BITS & 0xff]++;
		parts[5][pixels >> 5 * BITS & 0xff]++;
		parts[6][pixels >> 6 * BITS & 0xff]++;
		parts[7][pixels >> 7 * BITS]++;
	}
	for (; i < n; i++)
		parts[0][src[i]]++;
	for (size_t part = 0; part < AT_ONCE; part++)
		for (size_t v = 0; v < VALUES; v++)
			counts[v] += parts[part][v];
}

static void count(size_t *restrict counts, const uint8_t *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i += COUNT_MOST)
		count_some(counts, src + i, n - i < COUNT_MOST ? n - i : COUNT_MOST);
}

/* What lies first in memory is in the low bits, or in the high ones; it comes out at the same end. */
static void look_up(
	uint8_t *restrict dst, const uint8_t *restrict src, const uint8_t *restrict table, size_t n)
{
	size_t i = 0;

	for (; i + AT_ONCE <= n; i += AT_ONCE) {
		uint64_t pixels, found = 0;

		memcpy(&pixels, src + i, sizeof pixels);
		_Pragma("GCC unroll 8") for (unsigned shift = 0; shift < AT_ONCE * BITS; shift += BITS)
			found |= (uint64_t)table[pixels >> shift & 0xff] << shift;
		memcpy(dst + i, &found, sizeof found);
	}
	for (; i < n; i++)
		dst[i] = table[src[i]];
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
	size_t counts[VALUES] = { 0 }, pixels = w * h;
	uint8_t table[VALUES];

	count(counts, src, pixels);
	make_table(table, counts, pixels);
	look_up(dst, src, table, pixels);
}

#ifdef HAVE_OPENCL
static int finish(struct pstk_actor *self)
{
	ps_launch_end(pstk_actor_state(self));
	return 0;
}
#endif

static int fire(struct pstk_firing *f)
{
	return ps_frame_fire(f, ps_equalize_frame);
}

const struct pstk_actor_type *pstk_equalize_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "equalize",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_frame_params,
		.param_count = PS_FRAME_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.stateless = true,
		.init = ps_frame_init,
		.fire = fire,
#ifdef HAVE_OPENCL
		.state_size = sizeof(struct ps_launches),
		.fire_cl = ps_equalize_fire_cl,
		.open_place = ps_equalize_open_place,
		.finish = finish,
#endif
	};

	return &type;
}
