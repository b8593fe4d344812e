/* SPDX-License-Identifier: MIT */
/* The six stages on the cores: rows are shared out, and in reduce bands of rows. */
#include "actors/srad/diffusion.h"
#include "actors/common/sized.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * What all stages do.
 */

static size_t data_bytes(const struct pstk_actor *self, unsigned port)
{
	const struct ps_srad_state *s = pstk_actor_state((struct pstk_actor *)(uintptr_t)self);
	size_t each = s->stage->bytes[port];

	return each ? each * ps_srad_pixels(self) : sizeof(struct ps_srad_stats);
}

size_t ps_srad_token(const struct pstk_actor *self, unsigned port)
{
	return pstk_sized_bytes(data_bytes(self, port));
}

size_t ps_srad_token_bytes(const struct pstk_actor *self, unsigned port, const void *came_in)
{
	const char *element = pstk_actor_get_type(self)->ports[port].token_type;

	if (pstk_actor_port_token_size(self, port) == PSTK_SRAD_STATS_BYTES)
		return 0; /* statistics, or a picture that is no longer */
	return ps_sized_pixels(came_in, strcmp(element, "u8") != 0 ? sizeof(float) : 1);
}

int ps_srad_init(struct pstk_actor *self, const struct ps_srad_stage *stage)
{
	const struct pstk_frame_size *largest = ps_srad_largest(self);
	struct ps_srad_state *s = pstk_actor_state(self);
	char what[64];
	int err = 0;

	s->stage = stage;
	snprintf(what, sizeof what, "a picture of %" PRIu32 "x%" PRIu32 " pixels", largest->width,
		largest->height);
	for (unsigned port = 0; port <= stage->inputs && !err; port++)
		err = ps_sized_check(self, port, data_bytes(self, port), what);
	return err;
}

int ps_srad_check_lambda(struct pstk_actor *self, float lambda)
{
	if (lambda > 0 && lambda <= 1)
		return 0;
	return pstk_actor_error(
		self, -EINVAL, "lambda is %g: expected one above 0, at most 1", (double)lambda);
}

int ps_srad_finish(struct pstk_actor *self)
{
	struct ps_srad_state *s = pstk_actor_state(self);

#ifdef HAVE_OPENCL
	ps_launch_end(&s->on_devices);
#endif
	ps_scratch_free(&s->scratch);
	return 0;
}

int ps_srad_fire(struct pstk_firing *f)
{
	struct ps_srad_picture p = { f, pstk_firing_actor(f), { 0, 0 }, { NULL }, NULL };
	const struct ps_srad_state *s = pstk_actor_state(p.self);
	const unsigned inputs = s->stage->inputs;
	const unsigned char *in[PS_SRAD_PORTS - 1] = { NULL };
	unsigned char *out = pstk_fifo_write_start(f, inputs);

	for (unsigned i = 0; i < inputs; i++)
		in[i] = pstk_fifo_read_start(f, i);
	for (size_t k = 0; k < pstk_firing_steps(f); k++, out += ps_srad_token(p.self, inputs)) {
		int err = ps_sized_read(p.self, in[0], ps_srad_largest(p.self), &p.size);

		if (err)
			return err;
		pstk_sized_set(out, p.size.width, p.size.height);
		p.out = ps_sized_room(out);
		for (unsigned i = 0; i < inputs; i++) {
			p.in[i] = ps_sized_data(in[i]);
			in[i] += ps_srad_token(p.self, i);
		}
		if (p.size.width && p.size.height)
			s->stage->picture(&p);
	}
	for (unsigned i = 0; i < inputs; i++)
		pstk_fifo_read_end(f, i);
	pstk_fifo_write_end(f, inputs);
	return PSTK_AGAIN;
}

/*
 * Each of them: rows from .. to - 1 of a picture.
 */

static const float *row_of(const void *map, const struct ps_srad_picture *p, size_t y)
{
	return (const float *)map + y * p->size.width;
}

static void extract_rows(void *data, size_t from, size_t to)
{
	const struct ps_srad_picture *p = data;
	const struct ps_srad_state *s = pstk_actor_state(p->self);
	const size_t w = p->size.width;

	ps_srad_extract_row(
		(float *)p->out + from * w, (const uint8_t *)p->in[0] + from * w, (to - from) * w, s->table);
}

static void prepare_rows(void *data, size_t from, size_t to)
{
	const struct ps_srad_picture *p = data;
	const size_t w = p->size.width;

	ps_srad_square_row((float *)p->out + from * w, row_of(p->in[0], p, from), (to - from) * w);
}

struct bands {
	const struct ps_srad_picture *picture;
	struct ps_srad_sums sums[PS_SRAD_BANDS];
};

static void reduce_bands(void *data, size_t from, size_t to)
{
	struct bands *b = data;
	const struct ps_srad_picture *p = b->picture;

	for (size_t band = from; band < to; band++) {
		b->sums[band] = (struct ps_srad_sums){ 0, 0 };
		for (size_t y = ps_srad_band(band, p->size.height);
			y < ps_srad_band(band + 1, p->size.height); y++)
			ps_srad_sum_row(&b->sums[band], row_of(p->in[0], p, y), row_of(p->in[1], p, y),
				p->size.width);
	}
}

static void srad1_rows(void *data, size_t from, size_t to)
{
	const struct ps_srad_picture *p = data;
	const size_t w = p->size.width, last = p->size.height - 1;

	for (size_t y = from; y < to; y++)
		ps_srad_coefficient_row((float *)p->out + y * w, row_of(p->in[0], p, y ? y - 1 : y),
			row_of(p->in[0], p, y), row_of(p->in[0], p, y < last ? y + 1 : y), w, p->in[1]);
}

static void srad2_rows(void *data, size_t from, size_t to)
{
	const struct ps_srad_picture *p = data;
	const struct pstk_srad2_arg *arg = pstk_actor_arg(p->self);
	const size_t w = p->size.width, last = p->size.height - 1;

	for (size_t y = from; y < to; y++)
		ps_srad_step_row((float *)p->out + y * w, row_of(p->in[0], p, y ? y - 1 : y),
			row_of(p->in[0], p, y), row_of(p->in[0], p, y < last ? y + 1 : y),
			row_of(p->in[1], p, y), row_of(p->in[1], p, y < last ? y + 1 : y), w,
			arg->lambda / 4);
}

static void compress_rows(void *data, size_t from, size_t to)
{
	const struct ps_srad_picture *p = data;
	const size_t w = p->size.width;

	ps_srad_compress_row((uint8_t *)p->out + from * w, row_of(p->in[0], p, from), (to - from) * w);
}

/*
 * Pictures.
 */

#define BY_ROWS(name)                                                            \
	static void name(struct ps_srad_picture *p)                              \
	{                                                                        \
		pstk_parallel_for(p->firing, p->size.height, 0, name##_rows, p); \
	}
BY_ROWS(extract)
BY_ROWS(prepare)
BY_ROWS(srad1)
BY_ROWS(srad2)
BY_ROWS(compress)

static void reduce(struct ps_srad_picture *p)
{
	struct bands b = { .picture = p };
	struct ps_srad_sums all = { 0, 0 };

	pstk_parallel_for(p->firing, PS_SRAD_BANDS, 0, reduce_bands, &b);
	for (unsigned band = 0; band < PS_SRAD_BANDS; band++) {
		all.values += b.sums[band].values;
		all.squares += b.sums[band].squares;
	}
	*(struct ps_srad_stats *)p->out = ps_srad_stats(&all, (uint64_t)p->size.width * p->size.height);
}

const struct ps_srad_stage ps_srad_extract = { 1, { 1, sizeof(float) }, extract, { "extract" } },
			   ps_srad_prepare = { 1, { sizeof(float), sizeof(float) }, prepare, { "square" } },
			   ps_srad_reduce = { 2, { sizeof(float), sizeof(float), 0 }, reduce,
				   { "sums", "total" } },
			   ps_srad_1 = { 2, { sizeof(float), 0, sizeof(float) }, srad1, { "coefficients" } },
			   ps_srad_2 = { 2, { sizeof(float), sizeof(float), sizeof(float) }, srad2,
				   { "smooth" } },
			   ps_srad_compress = { 1, { sizeof(float), 1 }, compress, { "compress" } };

/*
 * Types.
 */

static int init_extract(struct pstk_actor *self)
{
	struct ps_srad_state *s = pstk_actor_state(self);

	ps_srad_make_table(s->table);
	return ps_srad_init(self, &ps_srad_extract);
}

static int init_prepare(struct pstk_actor *self)
{
	return ps_srad_init(self, &ps_srad_prepare);
}

static int init_reduce(struct pstk_actor *self)
{
	return ps_srad_init(self, &ps_srad_reduce);
}

static int init_1(struct pstk_actor *self)
{
	return ps_srad_init(self, &ps_srad_1);
}

static int init_2(struct pstk_actor *self)
{
	const struct pstk_srad2_arg *arg = pstk_actor_arg(self);
	int err = ps_srad_check_lambda(self, arg->lambda);

	return err ? err : ps_srad_init(self, &ps_srad_2);
}

static int init_compress(struct pstk_actor *self)
{
	return ps_srad_init(self, &ps_srad_compress);
}

#define IN(its_name, element)                                                              \
	{                                                                                  \
		.name = (its_name), .kind = PSTK_INPUT, .token_type = (element), .rate = 1 \
	}
#define OUT(element)                                                                   \
	{                                                                              \
		.name = "out", .kind = PSTK_OUTPUT, .token_type = (element), .rate = 1 \
	}

static const struct pstk_param sides[] = { PS_SRAD_SIDES };
static const struct pstk_param step_params[] = { PS_SRAD_SIDES, PS_SRAD_LAMBDA(struct pstk_srad2_arg) };

const struct pstk_actor_type *pstk_srad_extract_type(void)
{
	static const struct pstk_port ports[] = { IN("in", "u8"), OUT("f32") };
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad_extract", ports, sides, struct pstk_frame_size, init_extract) };

	return &type;
}

const struct pstk_actor_type *pstk_srad_prepare_type(void)
{
	static const struct pstk_port ports[] = { IN("in", "f32"), OUT("f32") };
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad_prepare", ports, sides, struct pstk_frame_size, init_prepare) };

	return &type;
}

const struct pstk_actor_type *pstk_srad_reduce_type(void)
{
	static const struct pstk_port ports[] = { IN("in", "f32"), IN("squares", "f32"), OUT("f32") };
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad_reduce", ports, sides, struct pstk_frame_size, init_reduce) };

	return &type;
}

const struct pstk_actor_type *pstk_srad1_type(void)
{
	static const struct pstk_port ports[] = { IN("in", "f32"), IN("stats", "f32"), OUT("f32") };
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad1", ports, sides, struct pstk_frame_size, init_1) };

	return &type;
}

const struct pstk_actor_type *pstk_srad2_type(void)
{
	static const struct pstk_port ports[] = { IN("in", "f32"), IN("c", "f32"), OUT("f32") };
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad2", ports, step_params, struct pstk_srad2_arg, init_2) };

	return &type;
}

const struct pstk_actor_type *pstk_srad_compress_type(void)
{
	static const struct pstk_port ports[] = { IN("in", "f32"), OUT("u8") };
	static const struct pstk_actor_type type = { PS_SRAD_TYPE(
		"srad_compress", ports, sides, struct pstk_frame_size, init_compress) };

	return &type;
}
