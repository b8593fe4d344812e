/* SPDX-License-Identifier: MIT */
/*
 * Columns are transformed COLUMNS at a time, which are copied together: so each cache line of a row is loaded once, and
 * transforms find their samples side by side.
 */
#include "actors/common/fft_plane.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 };

/* Memory of one transform. */
struct work {
	atomic_flag taken;
	struct pstk_cf32 *block, *done; /* columns side by side: COLUMNS x side each */
	struct pstk_cf32 *scratch;      /* of the transforms of rows and columns */
	struct pstk_cf32 *whole;        /* width x height, or NULL */
};

struct ps_fft_plane {
	size_t width, height;
	struct ps_fft_any *row, *column;
	unsigned count; /* of works */
	struct work *works;
	struct pstk_cf32 *memory; /* what they use */
};

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static int make_works(struct ps_fft_plane *p, bool whole)
{
	size_t block = COLUMNS * larger(p->width, p->height);
	size_t scratch = larger(ps_fft_any_scratch(p->row), ps_fft_any_scratch(p->column));
	size_t all = whole ? p->width * p->height : 0, each = 2 * block + scratch + all;
	struct pstk_cf32 *at;

	p->works = calloc(p->count, sizeof *p->works);
	p->memory = at = malloc(p->count * each * sizeof *p->memory);
	if (!p->works || !p->memory)
		return -ENOMEM;
	for (unsigned i = 0; i < p->count; i++, at += each) {
		atomic_flag_clear(&p->works[i].taken);
		p->works[i].block = at;
		p->works[i].done = at + block;
		p->works[i].scratch = at + 2 * block;
		p->works[i].whole = whole ? at + 2 * block + scratch : NULL;
	}
	return 0;
}

int ps_fft_plane_create(struct ps_fft_plane **fft, struct pstk_actor *self, bool inverse, bool whole)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	struct ps_fft_plane *p = *fft = calloc(1, sizeof *p);
	int err = p ? 0 : -ENOMEM;

	if (!err) {
		p->width = size->width;
		p->height = size->height;
		p->count = pstk_actor_concurrency(self, NULL, 0);
		err = ps_fft_any_create(&p->row, p->width, inverse);
	}
	if (!err)
		err = ps_fft_any_create(&p->column, p->height, inverse);
	if (!err)
		err = make_works(p, whole);
	if (!err)
		return 0;
	ps_fft_plane_destroy(p);
	*fft = NULL;
	if (err == -ENOTSUP)
		return pstk_actor_error(self, err,
			"this build has no kissfft, which transforms on the cores: build with "
			"libkissfft-dev, or map '%s' to a device",
			pstk_actor_name(self));
	return pstk_actor_error(self, err, "out of memory for a transform of %" PRIu32 " x %" PRIu32,
		size->width, size->height);
}

void ps_fft_plane_destroy(struct ps_fft_plane *p)
{
	if (!p)
		return;
	ps_fft_any_destroy(p->row);
	ps_fft_any_destroy(p->column);
	free(p->works);
	free(p->memory);
	free(p);
}

/* There is one for each firing that there may be. */
static struct work *take(struct ps_fft_plane *p)
{
	for (unsigned i = 0;; i = (i + 1) % p->count)
		if (!atomic_flag_test_and_set_explicit(&p->works[i].taken, memory_order_acquire))
			return &p->works[i];
}

static void give_back(struct work *w)
{
	atomic_flag_clear_explicit(&w->taken, memory_order_release);
}

/* Transforms n columns from x on, into w->done. */
static void do_columns(
	const struct ps_fft_plane *p, const struct work *w, const struct pstk_cf32 *from, size_t x, size_t n)
{
	size_t h = p->height;

	for (size_t y = 0; y < h; y++)
		for (size_t k = 0; k < n; k++)
			w->block[k * h + y] = from[y * p->width + x + k];
	for (size_t k = 0; k < n; k++)
		ps_fft_any_run(p->column, w->done + k * h, w->block + k * h, w->scratch);
}

static size_t columns_from(const struct ps_fft_plane *p, size_t x)
{
	return p->width - x < COLUMNS ? p->width - x : COLUMNS;
}

void ps_fft_plane_real(struct ps_fft_plane *p, struct pstk_cf32 *restrict to, const float *restrict from)
{
	struct work *w = take(p);
	size_t width = p->width, height = p->height;

	for (size_t y = 0; y < height; y++) {
		for (size_t x = 0; x < width; x++)
			w->block[x] = (struct pstk_cf32){ from[y * width + x], 0 };
		ps_fft_any_run(p->row, to + y * width, w->block, w->scratch);
	}
	for (size_t x = 0; x < width; x += COLUMNS) {
		size_t n = columns_from(p, x);

		do_columns(p, w, to, x, n);
		for (size_t y = 0; y < height; y++)
			for (size_t k = 0; k < n; k++)
				to[y * width + x + k] = w->done[k * height + y];
	}
	give_back(w);
}

static bool is_zero(const struct pstk_cf32 *row, size_t n)
{
	for (size_t x = 0; x < n; x++)
		if (row[x].re != 0 || row[x].im != 0)
			return false;
	return true;
}

void ps_fft_plane_energy(
	struct ps_fft_plane *p, float *restrict to, const struct pstk_cf32 *restrict from, float scale)
{
	struct work *w = take(p);
	size_t width = p->width, height = p->height;

	for (size_t y = 0; y < height; y++) {
		if (is_zero(from + y * width, width))
			memset(w->whole + y * width, 0, width * sizeof *w->whole);
		else
			ps_fft_any_run(p->row, w->whole + y * width, from + y * width, w->scratch);
	}
	for (size_t x = 0; x < width; x += COLUMNS) {
		size_t n = columns_from(p, x);

		do_columns(p, w, w->whole, x, n);
		for (size_t y = 0; y < height; y++)
			for (size_t k = 0; k < n; k++) {
				struct pstk_cf32 v = w->done[k * height + y];

				to[y * width + x + k] = (v.re * v.re + v.im * v.im) * scale;
			}
	}
	give_back(w);
}
