/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/tracking/check_tracks.h"
#include "actors/tracking/levels.h"
#include "benchmarks/apps/video_inputs.h"
#ifdef HAVE_OPENCL
#include "benchmarks/apps/video_launch.h"
#endif

#include <string.h>

enum { RADIUS = 10 }; /* what 0 of the spec is */

/* A frame, its levels; planes for the loops. */
static struct {
	struct pstk_frame_size size;
	struct pstk_tracking_spec spec;
	struct ps_levels levels;
	unsigned char *frame, *token, *made, *pair, *found; /* token: of levels, made: by the rows below */
	struct tracks_plane raw, way, to[2];
	struct tracks_levels plain;    /* the same frame's, in double precision */
	struct pstk_feature *features; /* room for those of a frame */
} tracked;

static size_t pixels(void)
{
	return (size_t)tracked.size.width * tracked.size.height;
}

static size_t levels_bytes(void)
{
	return sizeof(float) * pstk_levels_count(tracked.size.width, tracked.size.height);
}

static struct tracks_plane plane(void)
{
	const struct tracks_plane p = { (int)tracked.size.width, (int)tracked.size.height,
		rounds_alloc(pixels() * sizeof(double)) };

	memset(p.p, 0, pixels() * sizeof(double));
	return p;
}

/* A grid of features. */
static void make_found(void)
{
	const size_t bytes = pstk_tracking_found_bytes(&tracked.spec);
	struct pstk_found *found;
	struct pstk_feature *to;

	tracked.found = video_token(&tracked.size, bytes - PSTK_SIZED_HEAD);
	found = (struct pstk_found *)(void *)tracked.found;
	to = (struct pstk_feature *)(found + 1);
	found->window = pstk_tracking_window(&tracked.spec, tracked.size.width);
	for (uint32_t y = 3 * found->window;
		y + 3 * found->window < tracked.size.height && found->count < 100; y += 24)
		for (uint32_t x = 3 * found->window;
			x + 3 * found->window < tracked.size.width && found->count < 100; x += 24)
			to[found->count++] = (struct pstk_feature){ (float)x, (float)y, 1, 0 };
}

static void make_frames(const struct pstk_frame_size *size)
{
	const size_t bytes = pstk_sized_bytes(sizeof(float) * pstk_levels_count(size->width, size->height));

	tracked.size = *size;
	tracked.spec = *PSTK_TRACKING(.width = size->width, .height = size->height);
	tracked.levels = ps_levels_of(size->width, size->height);
	tracked.frame = video_token(size, pixels());
	video_draw(tracked.frame + PSTK_SIZED_HEAD, size);
	tracked.plain = tracks_make(tracked.frame + PSTK_SIZED_HEAD, (int)size->width, (int)size->height);
	tracked.token = tracks_token(&tracked.plain, bytes);
	tracked.features = rounds_alloc(pstk_tracking_found_bytes(&tracked.spec));
	tracked.made = rounds_alloc(bytes);
	memcpy(tracked.made, tracked.token, bytes);
	tracked.pair = rounds_alloc(2 * bytes);
	memcpy(tracked.pair, tracked.token, bytes);
	memcpy(tracked.pair + bytes, tracked.token, bytes);
	tracked.raw = plane();
	tracked.way = plane();
	tracked.to[0] = plane();
	tracked.to[1] = plane();
	for (size_t i = 0; i < pixels(); i++)
		tracked.raw.p[i] = tracked.frame[PSTK_SIZED_HEAD + i];
	make_found();
}

static void plain_blur(const void *data)
{
	(void)data;
	tracks_blur(&tracked.to[0], &tracked.way, &tracked.raw);
}

static void plain_slope(const void *data)
{
	(void)data;
	tracks_slope(tracked.to, &tracked.way, &tracked.raw);
}

static void plain_preprocess(const void *data)
{
	struct tracks_levels levels = tracks_make(
		tracked.frame + PSTK_SIZED_HEAD, (int)tracked.size.width, (int)tracked.size.height);

	(void)data;
	tracks_free(&levels);
}

static void plain_features(const void *data)
{
	const struct pstk_found *found = (const void *)tracked.found;

	(void)data;
	tracks_features(&tracked.plain, (int)found->window,
		pstk_tracking_features(&tracked.spec, tracked.size.width), RADIUS, tracked.features);
}

static void plain_track(const void *data)
{
	const struct pstk_found *found = (const void *)tracked.found;
	const struct pstk_feature *from = (const struct pstk_feature *)(found + 1);
	int rounds = (int)pstk_tracking_rounds(&tracked.spec, tracked.size.width);

	(void)data;
	for (uint32_t i = 0; i < found->count; i++) {
		double to[2];
		bool edge = false;

		tracks_follow(&tracked.plain, &tracked.plain, (int)found->window, rounds, (double)from[i].x,
			(double)from[i].y, to, &edge);
	}
}

/* -- rows of one of the stage's loops, as a stage of its own: its ports carry a number only -- */

typedef void rows_body(void *data, size_t from, size_t to);

static void blur_rows(void *data, size_t from, size_t to)
{
	(void)data;
	for (size_t y = from; y < to; y++)
		ps_levels_blur((float *)(void *)(tracked.made + PSTK_SIZED_HEAD), &tracked.levels,
			tracked.frame + PSTK_SIZED_HEAD, y);
}

static void slope_rows(void *data, size_t from, size_t to)
{
	(void)data;
	for (size_t y = from; y < to; y++)
		ps_levels_slope((float *)(void *)(tracked.made + PSTK_SIZED_HEAD), &tracked.levels, 0, y);
}

static int fire_rows(struct pstk_firing *f)
{
	rows_body *const *body = pstk_actor_arg(pstk_firing_actor(f));
	const void *in = pstk_fifo_read_start(f, 0);

	memcpy(pstk_fifo_write_start(f, 1), in, PSTK_SIZED_HEAD);
	pstk_parallel_for(f, tracked.size.height, 0, *body, NULL);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static struct pstk_actor *add_rows(struct pstk_network *net, const void *data)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };

	return pstk_network_add(net, "tested",
		PSTK_ACTOR_TYPE(.name = "rows", .ports = ports, .port_count = 2, .stateless = true,
			.fire = fire_rows),
		(void *)(uintptr_t)data);
}

/* -- whole stages -- */

static struct pstk_actor *add_preprocess(struct pstk_network *net, const void *data)
{
	(void)data;
	return pstk_network_add(net, "tested", pstk_preprocess_type(), &tracked.size);
}

static struct pstk_actor *add_features(struct pstk_network *net, const void *data)
{
	(void)data;
	return pstk_features_add(net, "tested", &tracked.spec);
}

static struct pstk_actor *add_track(struct pstk_network *net, const void *data)
{
	(void)data;
	return pstk_track_add(net, "tested", &tracked.spec);
}

#ifdef HAVE_OPENCL
/* As tracking_cl.c launches them on a CPU of two cores. */
static struct video_launch *launch(const char *name, bool blur)
{
	enum { ROWS = 32 };
	static const char source[] =
#include "actors/tracking/tracking.clh"
#include "actors/tracking/levels.clh"
		;
	static const cl_uint level;
	struct video_launch *l = rounds_alloc(sizeof *l);
	const struct video_arg width = { false, sizeof(cl_uint), &tracked.size.width },
			       height = { false, sizeof(cl_uint), &tracked.size.height },
			       levels = { true, pstk_sized_bytes(levels_bytes()), tracked.token };
	const size_t h = tracked.size.height;

	*l = (struct video_launch){ .kernel = { .source = source, .name = name },
		.global = { 1, h < ROWS ? h : ROWS, 1 },
		.local = { 1, 1, 1 } };
	if (blur) {
		l->args[0] = (struct video_arg){ true, pstk_sized_bytes(pixels()), tracked.frame };
		l->args[1] = levels;
		l->args[2] = width;
		l->args[3] = height;
	} else {
		l->args[0] = levels;
		l->args[1] = width;
		l->args[2] = height;
		l->args[3] = (struct video_arg){ false, sizeof level, &level };
	}
	return l;
}
#endif

static struct video_subject *add_part(const char *title, rows_body *const *body, void (*plain)(const void *))
{
	struct video_subject *s = video_new(title, &tracked.size);

	s->stage.add = add_rows;
	s->stage.data = body;
	s->stage.in[0] = video_port("in", 0, tracked.frame);
	s->stage.out[0] = video_port("out", 0, NULL);
	s->plain = plain;
	return s;
}

static struct video_subject *add_stage(const char *title,
	struct pstk_actor *(*add)(struct pstk_network *, const void *), void (*plain)(const void *))
{
	struct video_subject *s = video_new(title, &tracked.size);

	s->stage.add = add;
	s->plain = plain;
	s->on_device = true;
	return s;
}

unsigned video_add_tracking(
	const struct video_subject **list, unsigned count, const struct pstk_frame_size *size)
{
	static rows_body *const blur_body = blur_rows, *const slope_body = slope_rows;
	struct video_subject *blur, *slope, *preprocess, *features, *track;
	size_t found;

	make_frames(size);
	found = pstk_tracking_found_bytes(&tracked.spec) - PSTK_SIZED_HEAD;
	blur = add_part("Tracking, blur", &blur_body, plain_blur);
	slope = add_part("Tracking, gradients", &slope_body, plain_slope);
#ifdef HAVE_OPENCL
	blur->launch = launch("blur", true);
	slope->launch = launch("slope", false);
#endif
	preprocess = add_stage("Tracking S1, preprocess", add_preprocess, plain_preprocess);
	preprocess->stage.in[0] = video_port("in", pixels(), tracked.frame);
	preprocess->stage.out[0] = video_port("out", levels_bytes(), NULL);
	features = add_stage(
		"Tracking S2, features (the loops sum each window by itself)", add_features, plain_features);
	features->stage.in[0] = video_port("in", levels_bytes(), tracked.pair);
	features->stage.in[0].rate = 2;
	features->stage.out[0] = video_port("out", found, NULL);
	track = add_stage("Tracking S3, track", add_track, plain_track);
	track->stage.in[0] = features->stage.in[0];
	track->stage.in[0].name = "levels";
	track->stage.in[1] = video_port("features", found, tracked.found);
	track->stage.out[0] = video_port("out", found, NULL);
	/* behind the last feature or track there is anything */
	features->stage.out[0].data = track->stage.out[0].data = 0;
	list[count++] = blur;
	list[count++] = slope;
	list[count++] = preprocess;
	list[count++] = features;
	list[count++] = track;
	return count;
}
