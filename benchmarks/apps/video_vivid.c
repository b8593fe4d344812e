/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_vivid.h"
#include "benchmarks/apps/video_inputs.h"
#ifdef HAVE_OPENCL
#include "benchmarks/apps/video_launch.h"
#endif

#include <stdio.h>

enum { FILTERS = 100, ROWS = 420, CELL = 8 };

static struct vivid frames;
static double *numbers; /* what the loops write */
static uint8_t *indices;

static size_t pixels(void)
{
	return (size_t)frames.width * frames.height;
}

static size_t cells(void)
{
	return (size_t)(frames.width / CELL) * (frames.height / CELL);
}

static void plain_filters(const void *data)
{
	(void)data;
	vivid_plain_filters(numbers, indices, frames.in + PSTK_SIZED_HEAD, frames.width, frames.height,
		frames.filter, FILTERS);
}

static void plain_histogram(const void *data)
{
	(void)data;
	vivid_plain_histogram(numbers, (const float *)(const void *)(frames.value + PSTK_SIZED_HEAD),
		frames.index + PSTK_SIZED_HEAD, frames.width, frames.height, FILTERS);
}

static void plain_classify(const void *data)
{
	(void)data;
	vivid_plain_classify(numbers, (const float *)(const void *)(frames.hist + PSTK_SIZED_HEAD), cells(),
		frames.classifier, ROWS, FILTERS);
}

#ifdef HAVE_OPENCL
/* As vivid_filters.c launches it. */
static struct video_launch *launch_filters(void)
{
	enum { STRIP = 8, GROUP = 256, UNIT = 64 };
	static const char source[] =
#include "actors/vivid_filters/vivid_filters.clh"
		;
	static const cl_ulong firing;
	static cl_uint sizes[] = { 0, 0, FILTERS, 0, 1 };
	static struct video_launch l;
	const size_t strips = (frames.width + STRIP - 1) / STRIP, some = (strips + UNIT - 1) / UNIT * UNIT;
	const size_t group = some < GROUP ? some : GROUP;

	sizes[0] = frames.width;
	sizes[1] = frames.height;
	l = (struct video_launch){ .kernel = { .source = source, .name = "vivid_filters" },
		.args = { { true, vivid_token(&frames, VIVID_IN), frames.in },
			{ true, vivid_token(&frames, VIVID_VALUE), NULL },
			{ true, vivid_token(&frames, VIVID_INDEX), NULL }, { false, sizeof firing, &firing },
			{ true, FILTERS * 9 * sizeof(float), frames.filter } },
		.global = { (some + group - 1) / group * group, frames.height, 1 },
		.local = { group, 1, 1 } };
	for (unsigned i = 0; i < 5; i++)
		l.args[5 + i] = (struct video_arg){ false, sizeof *sizes, &sizes[i] };
	return &l;
}
#endif

static struct video_subject *add(const char *title, stream_add actor, void (*plain)(const void *))
{
	struct video_subject *s = video_new(title, &(struct pstk_frame_size){ frames.width, frames.height });

	s->stage.add = actor;
	s->stage.data = &frames;
	s->plain = plain;
	s->on_device = true;
	return s;
}

unsigned video_add_vivid(
	const struct video_subject **list, unsigned count, const struct pstk_frame_size *size)
{
	struct test_rng rng = { 1 };
	struct video_subject *filters, *histogram, *classify;
	size_t most;

	vivid_begin(&frames, &rng, size->width, size->height, FILTERS, ROWS, 1);
	video_draw(frames.in + PSTK_SIZED_HEAD, size);
	most = cells() * ROWS > pixels() ? cells() * ROWS : pixels();
	numbers = rounds_alloc((most > cells() * FILTERS ? most : cells() * FILTERS) * sizeof *numbers);
	indices = rounds_alloc(pixels());
	filters = add("ViVid S1, 100 filters", vivid_add_filters, plain_filters);
	filters->stage.in[0] = video_port("in", pixels(), frames.in);
	filters->stage.out[0] = video_port("value", pixels() * sizeof(float), NULL);
	filters->stage.out[1] = video_port("index", pixels(), NULL);
#ifdef HAVE_OPENCL
	filters->launch = launch_filters();
#endif
	histogram = add("ViVid S2, histograms", vivid_add_histogram, plain_histogram);
	histogram->stage.in[0] = video_port("value", pixels() * sizeof(float), frames.value);
	histogram->stage.in[1] = video_port("index", pixels(), frames.index);
	histogram->stage.out[0] = video_port("hist", cells() * FILTERS * sizeof(float), NULL);
	classify = add("ViVid S3, 420 rows", vivid_add_classify, plain_classify);
	classify->stage.in[0] = video_port("hist", cells() * FILTERS * sizeof(float), frames.hist);
	classify->stage.out[0] = video_port("dist", cells() * ROWS * sizeof(float), NULL);
	list[count++] = filters;
	list[count++] = histogram;
	list[count++] = classify;
	return count;
}
