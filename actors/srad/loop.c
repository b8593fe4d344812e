/* SPDX-License-Identifier: MIT */
/*
 * The loop on the cores: all iterations of a picture, bit for bit what stages in a row give.
 *
 * An iteration is one loop over the bands of rows, with one barrier behind it. A part goes down through its rows and
 * makes the coefficients of the next row, then the step of this one, which needs those of both, then this row's part of
 * the next iteration's sums. So a map is read and written once an iteration, and coefficients stay in the cache. Only
 * those of a part's last row but one are made twice, by the part below, too.
 */
#include "actors/srad/diffusion.h"
#include "actors/common/sized.h"

/* Rows of coefficients for each band: this one and the next one. Bands of a part: few, so that no thread waits for long
 * at the barrier. */
enum { PAIR = 2, PART = 4 };

struct iteration {
	const struct ps_srad_picture *picture;
	const float *from;
	float *to, *coefficients; /* PAIR rows for each band: those of the part's first band are used */
	float rate;
	struct ps_srad_stats stats;
	struct ps_srad_sums sums[PS_SRAD_BANDS]; /* of `to` */
};

static void make_coefficients(const struct iteration *it, float *to, size_t y)
{
	const size_t w = it->picture->size.width, last = it->picture->size.height - 1;
	const float *row = it->from + y * w;

	ps_srad_coefficient_row(to, y ? row - w : row, row, y < last ? row + w : row, w, &it->stats);
}

/* c: of this row and of the next one, each in its turn. */
static void step_rows(
	struct iteration *it, struct ps_srad_sums *sums, float *const c[PAIR], size_t from, size_t to)
{
	const size_t w = it->picture->size.width, last = it->picture->size.height - 1;

	for (size_t y = from; y < to; y++) {
		const float *row = it->from + y * w;
		float *own = c[y % PAIR], *below = y < last ? c[(y + 1) % PAIR] : own;

		if (y < last)
			make_coefficients(it, below, y + 1);
		ps_srad_step_row(it->to + y * w, y ? row - w : row, row, y < last ? row + w : row, own, below,
			w, it->rate);
		ps_srad_sum_row(sums, it->to + y * w, NULL, w);
	}
}

static void iterate_bands(void *data, size_t from, size_t to)
{
	struct iteration *it = data;
	const size_t w = it->picture->size.width, h = it->picture->size.height;
	float *const first = it->coefficients + from * PAIR * w, *const c[PAIR] = { first, first + w };

	if (ps_srad_band(from, h) < ps_srad_band(to, h))
		make_coefficients(it, c[ps_srad_band(from, h) % PAIR], ps_srad_band(from, h));
	for (size_t band = from; band < to; band++) {
		it->sums[band] = (struct ps_srad_sums){ 0, 0 };
		step_rows(it, &it->sums[band], c, ps_srad_band(band, h), ps_srad_band(band + 1, h));
	}
}

static void measure_bands(void *data, size_t from, size_t to)
{
	struct iteration *it = data;
	const size_t w = it->picture->size.width, h = it->picture->size.height;

	for (size_t band = from; band < to; band++) {
		it->sums[band] = (struct ps_srad_sums){ 0, 0 };
		for (size_t y = ps_srad_band(band, h); y < ps_srad_band(band + 1, h); y++)
			ps_srad_sum_row(&it->sums[band], it->from + y * w, NULL, w);
	}
}

static void settle_stats(struct iteration *it)
{
	const struct pstk_frame_size *size = &it->picture->size;
	struct ps_srad_sums all = { 0, 0 };

	for (unsigned band = 0; band < PS_SRAD_BANDS; band++) {
		all.values += it->sums[band].values;
		all.squares += it->sums[band].squares;
	}
	it->stats = ps_srad_stats(&all, (uint64_t)size->width * size->height);
}

/* Of two maps, the output and one of its own, the last iteration writes to the output. */
static void loop(struct ps_srad_picture *p)
{
	const struct pstk_srad_loop_arg *arg = pstk_actor_arg(p->self);
	const struct pstk_network *net = pstk_actor_network(p->self);
	struct ps_srad_state *s = pstk_actor_state(p->self);
	float *map = ps_scratch_take(&s->scratch);
	struct iteration it = { .picture = p,
		.from = p->in[0],
		.coefficients = map + ps_srad_pixels(p->self),
		.rate = arg->lambda / 4 };

	pstk_parallel_for(p->firing, PS_SRAD_BANDS, 0, measure_bands, &it);
	/* what a network that is over gets is dropped */
	for (uint32_t left = arg->iterations; left && !pstk_network_failed(net); left--) {
		settle_stats(&it);
		it.to = left % 2 ? p->out : map;
		pstk_parallel_for(p->firing, PS_SRAD_BANDS, PART, iterate_bands, &it);
		it.from = it.to;
	}
	ps_scratch_give(&s->scratch, map);
}

const struct ps_srad_stage ps_srad_loop = { 1, { sizeof(float), sizeof(float) }, loop,
	{ "begin", "diffuse", "advance" } };

static int init(struct pstk_actor *self)
{
	const struct pstk_srad_loop_arg *arg = pstk_actor_arg(self);
	struct ps_srad_state *s = pstk_actor_state(self);
	size_t coefficients = (size_t)PS_SRAD_BANDS * PAIR * arg->size.width;
	int err = ps_srad_check_lambda(self, arg->lambda);

	if (!err)
		err = ps_srad_init(self, &ps_srad_loop);
	return err ? err
	           : ps_scratch_init(&s->scratch, self, (ps_srad_pixels(self) + coefficients) * sizeof(float),
			     "a map and rows");
}

const struct pstk_actor_type *pstk_srad_loop_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_param params[] = {
		PS_SRAD_SIDES,
		PS_SRAD_LAMBDA(struct pstk_srad_loop_arg),
		{ .name = "iterations",
			.type = "u32",
			.default_value = "1",
			.range = "1..",
			.help = "how often a picture is smoothed",
			.offset = offsetof(struct pstk_srad_loop_arg, iterations) },
	};
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad_loop", ports, params, struct pstk_srad_loop_arg, init) };

	return &type;
}
