/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/srad/check_diffusion.h"
#include "benchmarks/apps/video_inputs.h"
#ifdef HAVE_OPENCL
#include "benchmarks/apps/video_launch.h"
#endif

#include <math.h>
#include <stdio.h>

enum { STATS = 4 * sizeof(float) }; /* bytes */

/* A picture, and what the stages make of it: of doubles for the loops, as tokens for the stages. */
static struct {
	struct pstk_frame_size size;
	struct diffusion d;
	double *map, *c, *to;
	unsigned char *frame, *j, *squares, *stats, *coefficients, *grey;
	struct pstk_srad_loop_arg arg;
} picture;

static size_t pixels(void)
{
	return (size_t)picture.size.width * picture.size.height;
}

static float *floats_of(unsigned char *token)
{
	return (float *)(void *)(token + PSTK_SIZED_HEAD);
}

static void make_picture(const struct pstk_frame_size *size)
{
	const size_t n = (size_t)size->width * size->height, bytes = n * sizeof(float);
	float *stats;

	picture.size = *size;
	picture.d = (struct diffusion){ size->width, size->height, 0, 0, 0 };
	picture.map = rounds_alloc(n * sizeof(double));
	picture.c = rounds_alloc(n * sizeof(double));
	picture.to = rounds_alloc(n * sizeof(double));
	picture.grey = rounds_alloc(n);
	picture.frame = video_token(size, n);
	picture.j = video_token(size, bytes);
	picture.squares = video_token(size, bytes);
	picture.coefficients = video_token(size, bytes);
	picture.stats = video_token(size, STATS);
	video_draw(picture.frame + PSTK_SIZED_HEAD, size);
	diffusion_extract(picture.map, picture.frame + PSTK_SIZED_HEAD, &picture.d);
	diffusion_measure(&picture.d, picture.map);
	diffusion_coefficients(picture.c, picture.map, &picture.d);
	for (size_t i = 0; i < n; i++) {
		floats_of(picture.j)[i] = (float)picture.map[i];
		floats_of(picture.squares)[i] = (float)(picture.map[i] * picture.map[i]);
		floats_of(picture.coefficients)[i] = (float)picture.c[i];
	}
	stats = floats_of(picture.stats);
	stats[0] = (float)picture.d.mean;
	stats[1] = (float)picture.d.variance;
	stats[2] = (float)picture.d.q0;
	picture.arg = (struct pstk_srad_loop_arg){ *size, VIDEO_LAMBDA, 1 };
}

static void plain_extract(const void *data)
{
	(void)data;
	diffusion_extract(picture.to, picture.frame + PSTK_SIZED_HEAD, &picture.d);
}

static void plain_prepare(const void *data)
{
	(void)data;
	for (size_t i = 0; i < pixels(); i++)
		picture.to[i] = picture.map[i] * picture.map[i];
}

static void plain_compress(const void *data)
{
	(void)data;
	for (size_t i = 0; i < pixels(); i++)
		picture.grey[i] = (unsigned char)(log(picture.map[i]) * 255);
}

static void plain_measure(const void *data)
{
	struct diffusion d = picture.d;

	(void)data;
	diffusion_measure(&d, picture.map);
}

static void plain_coefficients(const void *data)
{
	(void)data;
	diffusion_coefficients(picture.to, picture.map, &picture.d);
}

static void plain_step(const void *data)
{
	(void)data;
	diffusion_step(picture.to, picture.map, picture.c, (double)VIDEO_LAMBDA, &picture.d);
}

#ifdef HAVE_OPENCL
/* As srad_cl.c launches it on a CPU of two cores. */
static struct video_launch *launch_coefficients(void)
{
	enum { ROWS = 32 };
	static const char source[] =
#include "actors/srad/srad.clh"
		;
	static struct video_launch l;
	const size_t bytes = pstk_sized_bytes(pixels() * sizeof(float)), h = picture.size.height;

	l = (struct video_launch){ .kernel = { .source = source, .name = "coefficients" },
		.args = { { true, bytes, picture.j }, { true, PSTK_SRAD_STATS_BYTES, picture.stats },
			{ true, bytes, NULL }, { false, sizeof(cl_uint), &picture.size.width },
			{ false, sizeof(cl_uint), &picture.size.height } },
		.global = { 1, h < ROWS ? h : ROWS, 1 },
		.local = { 1, 1, 1 } };
	return &l;
}
#endif

typedef const struct pstk_actor_type *srad_type(void);

static struct pstk_actor *add_typed(struct pstk_network *net, const void *data)
{
	srad_type *const *type = data;

	return pstk_network_add(net, "tested", (*type)(), &picture.arg);
}

static const struct {
	const char *title;
	srad_type *type;
	void (*plain)(const void *);
	const char *second; /* an input; NULL: there is one */
} stages[] = {
	{ "SRAD extract", pstk_srad_extract_type, plain_extract, NULL },
	{ "SRAD prepare", pstk_srad_prepare_type, plain_prepare, NULL },
	{ "SRAD reduce (and prepare, as plain loops)", pstk_srad_reduce_type, plain_measure, "squares" },
	{ "SRAD srad1", pstk_srad1_type, plain_coefficients, "stats" },
	{ "SRAD srad2", pstk_srad2_type, plain_step, "c" },
	{ "SRAD compress", pstk_srad_compress_type, plain_compress, NULL },
};

enum { EXTRACT, REDUCE = 2, SRAD1, COMPRESS = 5, STAGES };

static struct video_port second_port(unsigned stage)
{
	const size_t bytes = pixels() * sizeof(float);

	if (stage == SRAD1)
		return video_port("stats", STATS, picture.stats);
	return video_port(
		stages[stage].second, bytes, stage == REDUCE ? picture.squares : picture.coefficients);
}

unsigned video_add_srad(const struct video_subject **list, unsigned count, const struct pstk_frame_size *size)
{
	make_picture(size);
	for (unsigned i = 0; i < STAGES; i++) {
		struct video_subject *s = video_new(stages[i].title, size);
		const size_t bytes = pixels() * sizeof(float);

		s->stage.add = add_typed;
		s->stage.data = &stages[i].type;
		s->plain = stages[i].plain;
		s->on_device = true;
		s->stage.in[0] = i == EXTRACT ? video_port("in", pixels(), picture.frame)
		                              : video_port("in", bytes, picture.j);
		if (stages[i].second)
			s->stage.in[1] = second_port(i);
		s->stage.out[0] = video_port("out",
			i == REDUCE     ? STATS
			: i == COMPRESS ? pixels()
					: bytes,
			NULL);
#ifdef HAVE_OPENCL
		if (i == SRAD1)
			s->launch = launch_coefficients();
#endif
		list[count++] = s;
	}
	return count;
}

static struct pstk_actor *add_loop(struct pstk_network *net, const void *data)
{
	return pstk_network_add(net, "tested", pstk_srad_loop_type(), (void *)(uintptr_t)data);
}

const struct video_subject *video_srad_loop(const struct pstk_frame_size *size, unsigned iterations)
{
	static struct pstk_srad_loop_arg arg;
	struct video_subject *s;
	char title[40];

	if (!pixels())
		make_picture(size);
	snprintf(title, sizeof title, "SRAD, %u iterations", iterations);
	s = video_new(title, size);
	arg = (struct pstk_srad_loop_arg){ *size, VIDEO_LAMBDA, iterations };
	s->stage.add = add_loop;
	s->stage.data = &arg;
	s->stage.in[0] = video_port("in", pixels() * sizeof(float), picture.j);
	s->stage.out[0] = video_port("out", pixels() * sizeof(float), NULL);
	return s;
}
